//! Machines that hide something or allow little: a run goes on, says once what it cannot know, and invents nothing.

use std::os::unix::fs::PermissionsExt as _;

use orchestrate::record::trial::TrialRecord;

use crate::support::{Bench, Outcome, can_pass_through, skipped};

/// Runs two targets through these words, or says why not. Shows what was said, and each trial that was measured.
fn measured_through(words: &[&'static str], what: &str) -> Option<(Outcome, Vec<TrialRecord>)> {
    if !can_pass_through(words) {
        skipped(what, &format!("`{}` does not work", words.join(" ")));
        return None;
    }
    let bench = Bench::new().through(words).target("a", "").target("b", "");
    // Whoever that will be must be able to write there.
    let everyone = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(bench.path(""), everyone).expect("permissions");
    // Pids of another namespace say nothing here.
    let outcome = if words.contains(&"--pid") {
        let matrix = bench.matrix_path().display().to_string();
        bench.orchestrate_beside(&["run", &matrix, "--share-machine"])
    } else {
        bench.run(&[])
    };
    let outcome = outcome.exits(0);
    let trials = outcome.record().trials;
    assert_eq!(trials.len(), 2);
    for trial in &trials {
        assert!(trial.measured().is_some_and(|measured| measured.good > 0), "{trial:#?}");
    }
    Some((outcome, trials))
}

/// Asserts that this is said, and once.
fn says_once(outcome: &Outcome, text: &str) {
    assert_eq!(outcome.stderr.matches(text).count(), 1, "`{text}`: {outcome:#?}");
}

#[test]
fn somebody_without_rights_who_sees_only_processes_of_his_own_measures() {
    let script = "mount -t proc -o hidepid=2 proc /proc && \
                  exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\"";
    let words = ["unshare", "--mount", "sh", "-c", script];
    let what = "a machine that hides others' processes";
    let Some((outcome, trials)) = measured_through(&words, what) else { return };
    says_once(&outcome, "no control groups here");
    for trial in trials {
        let measured = trial.measured().expect("measured");
        let server = measured.server.as_ref().expect("its own processes are seen");
        assert!(server.rss_peak_bytes.is_some(), "{server:#?}");
        // Without a group the time of threads that end goes with them.
        assert_ne!(server.cpu_us.is_some(), measured.absent.contains_key("cpu_us"), "{server:#?}");
    }
}

#[test]
fn a_machine_without_proc_is_measured_and_figures_of_the_server_are_absent() {
    let words =
        ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""];
    let what = "a machine without `/proc`";
    let Some((outcome, trials)) = measured_through(&words, what) else { return };
    says_once(&outcome, "no control groups here, keepers must do: `/proc` is not there");
    says_once(&outcome, "whether a server's own socket answers is not known");
    for trial in trials {
        let measured = trial.measured().expect("measured");
        let cpu = measured.server.as_ref().and_then(|server| server.cpu_us);
        assert_eq!(cpu, None, "{measured:#?}");
        assert!(measured.absent.contains_key("cpu_us"), "{measured:#?}");
    }
}

#[test]
fn a_proc_of_another_pid_namespace_is_not_taken_for_ours() {
    let words = ["unshare", "--pid", "--fork"];
    let what = "a `/proc` of another PID namespace";
    let Some((outcome, _)) = measured_through(&words, what) else { return };
    says_once(&outcome, "keepers must do: `/proc` is that of another PID namespace");
}

#[test]
fn who_may_not_choose_cpus_measures_on_any() {
    let words = [
        "strace",
        "--follow-forks",
        "-qq",
        "--seccomp-bpf",
        "--output=/dev/null",
        "--trace=sched_setaffinity",
        "--inject=sched_setaffinity:error=EPERM",
    ];
    let what = "nobody may choose CPUs";
    let Some((outcome, _)) = measured_through(&words, what) else { return };
    says_once(&outcome, "programs run on any CPU, not on those they were given");
}
