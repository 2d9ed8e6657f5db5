//! What is asked to end ends soon, keeps what was measured, and leaves nothing running; and one run holds the machine.

use orchestrate::record::store;
use orchestrate::record::trial::TrialRecord;
use rustix::process::Signal;

use crate::support::{Bench, is_running, until};

/// Interrupts the second of three trials.
fn is_interrupted_by(signal: Signal, name: &str, code: i32) {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .target("first", "")
        .target("second", "--fault delay=5")
        .target("third", "");
    let mut running = bench.start(&[]);
    running.event("trial_ended");
    let server = bench.pid("second.pid");
    running.signal(signal);
    let outcome = running.outcome().exits(code);
    assert!(!is_running(server), "pid {server} still runs");
    assert!(!bench.path("third.pid").exists(), "it went on");
    let run = outcome.record();
    let labels: Vec<String> = run.trials.iter().map(TrialRecord::label).collect();
    assert_eq!(labels, ["first"]);
    assert!(run.trials[0].measured().is_some());
    assert_eq!(run.info.interrupted.as_deref(), Some(name));
    assert!(!bench.path("results/it/latest").exists(), "half a run is no latest one");
    assert!(outcome.stderr.contains("interrupted: 1 trial"), "{outcome:#?}");
    let report = bench.orchestrate(&["report", outcome.folder().to_str().expect("a path")]);
    assert!(report.exits(0).stdout.contains("not measured: the run ended before"));
}

#[test]
fn ctrl_c_ends_a_run_with_130_and_keeps_what_was_measured() {
    is_interrupted_by(Signal::INT, "SIGINT", 130);
}

#[test]
fn sigterm_ends_a_run_with_143_and_keeps_what_was_measured() {
    is_interrupted_by(Signal::TERM, "SIGTERM", 143);
}

#[test]
fn a_terminal_that_is_closed_ends_a_run_with_129_and_keeps_what_was_measured() {
    is_interrupted_by(Signal::HUP, "SIGHUP", 129);
}

#[test]
fn a_second_ctrl_c_ends_a_run_at_once_and_its_server_with_it() {
    let keys = "stop-grace = \"60s\"";
    let bench = Bench::new().policy("measure = \"1m\"").target_with(
        "a",
        "--fault ignore-term --fault orphan",
        keys,
    );
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let (server, orphan) = (bench.pid("a.pid"), bench.pid("a.orphan.pid"));
    // Two that come at one instant are one.
    until("it takes no more signals", || (!running.try_signal(Signal::INT)).then_some(()));
    assert_eq!(running.end().0, None, "it waited for the grace of its server");
    until("its server is gone", || (!is_running(server)).then_some(()));
    until("what that left is gone", || (!is_running(orphan)).then_some(()));
}

#[test]
fn ctrl_c_ends_a_build_too() {
    let bench = Bench::new().target_with("a", "", "build = [\"sleep 100\"]");
    let mut running = bench.start(&[]);
    running.event("build_started");
    running.signal(Signal::INT);
    let outcome = running.outcome().exits(130);
    assert_eq!(outcome.record().trials.len(), 0);
}

#[test]
fn ctrl_c_ends_the_wait_for_a_server_that_never_listens() {
    let bench = Bench::new().target("a", "--fault refuse");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    bench.pid("a.pid");
    running.signal(Signal::INT);
    running.outcome().exits(130);
}

#[test]
fn a_second_run_on_the_machine_is_refused_and_told_who_holds_it() {
    let bench = Bench::new().policy("measure = \"1m\"").target("a", "");
    let folder = bench.path("tmp");
    std::fs::create_dir(&folder).expect("a folder");
    let bench = bench.env("ORCHESTRATE_LOCK", folder.join("lock"));
    let mut first = bench.start_alone(&[]);
    first.event("trial_started");
    let matrix = bench.matrix_path().display().to_string();
    let second = bench.orchestrate_beside(&["run", &matrix]).exits(6);
    let holder = format!("pid {}, `orchestrate run {matrix}`", first.pid());
    let second = second.says(&["another run holds this machine", &holder, "--share-machine"]);
    assert_eq!(second.stdout, "");
    first.signal(Signal::INT);
    let outcome = first.outcome().exits(130);
    assert_eq!(store::read(outcome.folder()).expect("a run").trials.len(), 0);
    // The lock went with its holder.
    let outcome = bench.orchestrate(&["run", &matrix, "--measure", "300ms"]);
    outcome.exits(0);
}
