//! What this machine hides or refuses is absent from the record with its reason, and the run goes on.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use orchestrate::affinity;
use orchestrate::outcome::Doubt;

use crate::support::{Bench, hidden};
use crate::usage_truth::server;

#[test]
fn without_control_groups_a_trial_is_measured_and_says_what_is_not_known() {
    let Some(through) = hidden::control_groups() else { return };
    let trial = Bench::new().through(&through).target("a", "").run(&[]).exits(0).trial("a");
    assert_eq!(trial.containment.as_deref(), Some("keeper"));
    let (measured, server) = server(&trial);
    assert!(server.cpu_source.as_deref().is_some_and(|it| it.contains("exited children unknown")));
    assert!(server.memory_peak_source.as_deref().is_some_and(|it| it.contains("VmHWM")));
    assert!(measured.absent["host.server_pressure"].contains("no control group"), "{trial:#?}");
}

#[test]
fn where_only_processes_are_shown_the_server_is_measured_and_the_machine_is_not() {
    let Some(through) = hidden::all_but_processes() else { return };
    let trial = Bench::new().through(&through).target("a", "").run(&[]).exits(0).trial("a");
    let (measured, server) = server(&trial);
    assert!(server.cpu_us.is_some() && server.rss_peak_bytes.is_some(), "{trial:#?}");
    let host = measured.host.as_ref().expect("what can be read of the machine");
    assert_eq!((&host.all_cpus, host.tcp), (&None, None));
    assert!(host.observer_us.is_some(), "{host:#?}");
    for name in ["host.cpus", "host.pressure"] {
        assert!(measured.absent[name].contains("cannot be read"), "{name}: {trial:#?}");
    }
}

#[test]
fn a_server_that_cannot_be_looked_into_is_measured_as_far_as_it_can() {
    let Some(through) = hidden::other_processes() else { return };
    let bench = Bench::new().through(&through).target("a", "--fault hide=1");
    // It is run by another user than this test.
    let folder = bench.path("");
    fs::set_permissions(folder, Permissions::from_mode(0o777)).expect("the folder is ours");
    let trial = bench.run(&[]).exits(0).trial("a");
    let (measured, server) = server(&trial);
    assert_eq!(server.pss_after_bytes, None);
    for name in ["pss_after_bytes", "shared_bytes", "open_files_peak", "context_switches"] {
        assert!(!measured.absent[name].is_empty(), "{name}: {trial:#?}");
    }
}

#[test]
fn where_nobody_may_choose_cpus_the_run_goes_on_and_says_so() {
    let Some(through) = hidden::choice_of_cpus() else { return };
    let trial = Bench::new().through(&through).target("a", "").run(&[]).exits(0).trial("a");
    let (measured, server) = server(&trial);
    let reason = &measured.absent["pinning"];
    assert!(reason.contains("Operation not permitted"), "{reason}");
    let all = affinity::of_current_thread().expect("affinity");
    assert_eq!(server.cpus_allowed, Some(affinity::write_list(&all)));
    assert!(trial.caveats.iter().any(|it| it.caveat == Doubt::SharedCpus), "{trial:#?}");
}
