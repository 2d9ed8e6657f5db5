//! What else the machine does while a server is measured, and what is doubted for it.
//!
//! Other programs may disturb these tests as they disturb any trial: a doubt is asserted where it must be, and nowhere that
//! there is none.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use orchestrate::affinity;
use orchestrate::outcome::Doubt;
use orchestrate::record::trial::TrialRecord;

use crate::support::{Bench, can_pass_through, skipped};

/// The sentence of a doubt that a trial must bear.
fn doubted(trial: &TrialRecord, doubt: Doubt) -> String {
    let found = trial.caveats.iter().find(|caveat| caveat.caveat == doubt);
    found.unwrap_or_else(|| panic!("no {doubt}: {trial:#?}")).detail.clone()
}

#[test]
fn a_server_whose_queue_was_too_short_for_the_first_connections_is_doubted() {
    // Connections are kept, so all of them are made in the warm-up.
    let load = "connections = 256\ntimeout = \"30s\"";
    let bench = Bench::new().load(load).target("a", "--fault backlog=1");
    let trial = bench.run(&[]).exits(0).trial("a");
    let detail = doubted(&trial, Doubt::Backlog);
    assert!(detail.contains("net.core.somaxconn"), "{detail}");
    let measured = trial.measured().expect("measured");
    assert!(measured.connect_time_warm_up_us.count > 0, "{trial:#?}");
    let dropped = measured.host.as_ref().and_then(|it| it.tcp_warm_up?.listen_drops);
    assert!(dropped.is_some_and(|count| count > 0), "{trial:#?}");
}

#[test]
fn a_server_whose_queue_is_too_short_in_the_window_of_so_many_requests_is_doubted() {
    let load = "connections = 64\nrequests = 1000\nkeep-alive = false";
    let bench = Bench::new().load(load).target("a", "--fault backlog=1");
    doubted(&bench.run(&[]).exits(0).trial("a"), Doubt::Backlog);
}

#[test]
fn a_busy_program_on_the_servers_cpu_makes_the_host_noisy() {
    let cpus = affinity::of_current_thread().expect("affinity");
    let server = cpus[0];
    let bench = Bench::new()
        .policy("measure = \"1s\"")
        .toml(&format!("[cpus]\nserver = \"{server}\"\n"))
        .target("a", "");
    let trial = beside(server, || bench.run(&[]).exits(0).trial("a"));
    let detail = doubted(&trial, Doubt::NoisyHost);
    assert!(detail.contains("other processes used"), "{detail}");
    let host = trial.measured().and_then(|it| it.host.as_ref()).expect("the machine was read");
    let others = host.server_cpus.as_ref().and_then(|cpus| cpus.others_us);
    assert!(others.is_some_and(|us| us > 50_000), "{host:#?}");
}

#[test]
fn a_trial_on_a_noisy_host_is_made_again_and_both_are_kept() {
    let server = affinity::of_current_thread().expect("affinity")[0];
    let bench = Bench::new()
        .policy("measure = \"1s\"")
        .policy("retry-noisy = 2")
        .toml(&format!("[cpus]\nserver = \"{server}\"\n"))
        .target("a", "");
    let outcome = beside(server, || bench.run(&[])).exits(0);
    assert_eq!(outcome.stderr.matches("a: once more, since other processes used").count(), 2);
    let run = outcome.record();
    let attempts: Vec<u32> = run.trials.iter().map(|trial| trial.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
    let logs: BTreeSet<_> = run.trials.iter().map(|trial| trial.log.clone()).collect();
    assert_eq!(logs.len(), 3, "each has a log of its own: {logs:?}");
    // The last one counts, and the row has one round as planned.
    let summary: serde_json::Value =
        serde_json::from_str(&outcome.file("summary.json")).expect("JSON");
    let row = &summary["cells"][0];
    assert_eq!((row["measured"].as_u64(), row["repeated"].as_u64()), (Some(1), Some(2)));
    let last = run.trials[2].measured().expect("measured").goodput_per_second;
    assert_eq!(row["goodput_per_second"]["points"][0].as_f64(), Some(last));
}

/// Does something while a thread of ours keeps a CPU busy, or half of it where another wants it too.
fn beside<T>(cpu: usize, doing: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            affinity::pin_current_thread(&[cpu]).expect("pinned");
            while !is_over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let ends = Ends(&is_over);
        let done = doing();
        drop(ends);
        done
    })
}

/// Ends a busy thread, also where a test fails.
struct Ends<'t>(&'t AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_server_that_leaves_its_cpus_for_the_generators_is_doubted() {
    let trial = Bench::new().target("a", "--fault spread").run(&[]).exits(0).trial("a");
    doubted(&trial, Doubt::SharedCpus);
    let all = affinity::of_current_thread().expect("affinity");
    let server = trial.measured().and_then(|it| it.server.as_ref()).expect("measured");
    let allowed = server.cpus_allowed.as_deref().and_then(affinity::parse_list);
    let allowed = allowed.expect("its threads were seen");
    assert!(all.iter().all(|cpu| allowed.contains(cpu)), "{all:?} {allowed:?}");
}

#[test]
fn a_server_that_keeps_to_its_cpus_is_seen_there() {
    let run = Bench::new().target("a", "").run(&[]).exits(0).record();
    let server = run.trials[0].measured().and_then(|it| it.server.as_ref()).expect("measured");
    let allowed = server.cpus_allowed.as_deref().and_then(affinity::parse_list).expect("seen");
    let allowed: Vec<u32> = allowed.iter().map(|cpu| u32::try_from(*cpu).expect("small")).collect();
    assert_eq!(allowed, run.info.cpus.server);
    assert!(run.info.host.boot_id.is_some(), "{:#?}", run.info.host);
}

/// A control group with half a CPU; `None` where we may not make one, and then the judge's own tests must do.
struct HalfCpu(PathBuf);

impl HalfCpu {
    fn make() -> Option<Self> {
        let name = format!("orchestrate-it-{}", std::process::id());
        let made = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"]
            .iter()
            .map(|mount| Path::new(mount).join(&name))
            .find(|folder| fs::create_dir(folder).is_ok());
        let group = Self(made?);
        let is_set = fs::write(group.0.join("cpu.cfs_quota_us"), "50000").is_ok()
            || fs::write(group.0.join("cpu.max"), "50000 100000").is_ok();
        is_set.then_some(group)
    }
}

impl Drop for HalfCpu {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_quota_that_is_used_up_in_the_window_is_doubted() {
    let what = "a quota of CPU time";
    let Some(group) = HalfCpu::make() else {
        return skipped(what, "no control group with one can be made");
    };
    let bench = Bench::new().policy("measure = \"1s\"").target("a", "");
    let running = bench.start(&[]);
    if let Err(error) = fs::write(group.0.join("cgroup.procs"), running.pid().to_string()) {
        return skipped(what, &format!("its control group cannot be joined: {error}"));
    }
    let trial = running.outcome().exits(0).trial("a");
    let detail = doubted(&trial, Doubt::Throttled);
    assert!(detail.contains("used up its quota of CPU time"), "{detail}");
}

#[test]
fn a_machine_that_does_not_tell_its_pressure_is_measured_all_the_same() {
    let hidden = ["unshare", "--mount", "sh", "-c"];
    let hidden =
        [&hidden[..], &["mount -t tmpfs none /proc/pressure && exec \"$@\"", "sh"]].concat();
    if !can_pass_through(&hidden) {
        return skipped("a machine that hides its pressure", "no file system may be mounted");
    }
    let trial = Bench::new().through(&hidden).target("a", "").run(&[]).exits(0).trial("a");
    let measured = trial.measured().expect("measured");
    let host = measured.host.as_ref().expect("the machine was read");
    assert_eq!(host.pressure, None);
    assert!(host.tcp.is_some() && host.all_cpus.is_some(), "{host:#?}");
    let reason = &measured.absent["host.pressure"];
    assert!(reason.contains("`/proc/pressure/cpu` cannot be read"), "{reason}");
}
