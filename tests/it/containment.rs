//! Whatever a server does and whatever happens to us, nothing of it stays.

use orchestrate::outcome::Stage;
use orchestrate::processes;
use rustix::process::Signal;

use crate::support::{Bench, is_running, send, until};

#[test]
fn a_server_that_ignores_sigterm_is_gone_after_its_grace() {
    let bench = Bench::new().target_with("a", "--fault ignore-term", "stop-grace = \"200ms\"");
    let trial = bench.run(&[]).exits(0).trial("a");
    assert!(trial.measured().is_some());
    assert!(trial.stop_ms.expect("it was stopped") >= 200.0, "{trial:#?}");
}

#[test]
fn a_server_that_ends_when_asked_is_not_kept_waiting_for() {
    let bench = Bench::new().target_with("a", "", "stop-grace = \"60s\"");
    let trial = bench.run(&[]).exits(0).trial("a");
    assert!(trial.stop_ms.expect("it was stopped") < 30_000.0, "{trial:#?}");
}

#[test]
fn a_grandchild_that_left_its_parent_and_ignores_sigterm_is_gone_after_the_run() {
    let bench = Bench::new().target_with("a", "--fault orphan", "stop-grace = \"200ms\"");
    let outcome = bench.run(&[]).exits(0);
    let orphan = bench.pid("a.orphan.pid");
    assert!(!is_running(orphan), "pid {orphan} still runs: {outcome:#?}");
    let processes = outcome.trial("a").measured().and_then(|it| it.server.clone());
    assert_eq!(processes.and_then(|server| server.processes_peak), Some(2), "both are counted");
}

#[test]
fn a_server_that_is_killed_in_its_window_fails_there_and_the_others_are_measured() {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .policy("warm-up = \"0s\"")
        .policy("warm-up-max = \"0s\"")
        .load("name = \"n\"\nconnections = 8\nrequests = 5000\nat-most = \"60s\"")
        .target("bad", "--fault never --from 3")
        .target("good", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let pid = bench.pid("bad.pid");
    // Without a warm-up the window has opened when all connections are there, and it lasts until all are answered.
    until("it is under load", || processes::find(pid).filter(|it| it.threads > 8));
    send(pid, Signal::KILL);
    let outcome = running.outcome().exits(5);
    let failed = outcome.failure("bad");
    assert_eq!((failed.stage, failed.signal), (Stage::Window, Some(9)), "{failed:#?}");
    let good = outcome.trial("good");
    assert_eq!(good.measured().map(|measured| measured.good), Some(5_000), "{good:#?}");
}

#[test]
fn nothing_of_a_server_outlives_us_when_we_are_killed() {
    let bench =
        Bench::new().policy("measure = \"1m\"").target("a", "--fault ignore-term --fault orphan");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let (server, orphan) = (bench.pid("a.pid"), bench.pid("a.orphan.pid"));
    running.signal(Signal::KILL);
    assert_eq!(running.end().0, None);
    until("the server is gone", || (!is_running(server)).then_some(()));
    until("its grandchild is gone", || (!is_running(orphan)).then_some(()));
}

#[test]
fn a_server_goes_with_its_keeper() {
    let bench = Bench::new().policy("measure = \"1m\"").target("a", "--fault ignore-term");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let server = bench.pid("a.pid");
    send(processes::find(server).expect("it runs").parent, Signal::KILL);
    running.outcome();
    assert!(!is_running(server), "pid {server} still runs");
}

#[test]
fn the_log_of_a_server_that_floods_it_stays_small() {
    let bench = Bench::new().target("a", "--fault flood=24");
    let outcome = bench.run(&[]).exits(0);
    let log = outcome.folder().join(outcome.trial("a").log.expect("a log"));
    let size = std::fs::metadata(&log).expect("the log").len();
    assert!(size <= 8 << 20, "{size}");
    let text = std::fs::read_to_string(&log).expect("the log");
    assert!(text.starts_with("flood ") && text.contains("listening on "), "the ends are kept");
}

#[test]
fn a_keeper_that_is_killed_fails_its_trial_and_the_run_goes_on() {
    let bench = Bench::new().policy("measure = \"1m\"").target("a", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let server = bench.pid("a.pid");
    send(processes::find(server).expect("it runs").parent, Signal::KILL);
    let outcome = running.outcome().exits(5);
    let failed = outcome.trial("a").failed().expect("failed").clone();
    assert!(failed.reason.contains("its keeper was killed"), "{failed:?}");
}
