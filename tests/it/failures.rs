//! A target that fails at any stage is data: its stage, its reason, its last words; and the others are measured.

use std::net::TcpListener;

use orchestrate::outcome::Stage;

use crate::support::{Bench, Outcome, each};

/// Runs a matrix in which `bad` fails and `good` does not: exit 5, `good` is measured, and `bad` has its row.
fn beside_a_good_one(bench: Bench) -> (Bench, Outcome) {
    let bench = bench.target("good", "");
    let outcome = bench.run(&[]).exits(5);
    assert!(outcome.trial("good").measured().is_some(), "{outcome:#?}");
    let failed = outcome.failure("bad");
    let row = format!("failed in {}: ", failed.stage);
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(text.contains(&row), "no `{row}` in {outcome:#?}");
    }
    (bench, outcome)
}

#[test]
fn a_command_that_does_not_exist_is_a_failed_start() {
    let bench = Bench::new().command("bad", "./no-such-server --port {port}");
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!(failed.stage, Stage::Start);
    assert!(failed.reason.contains("`./no-such-server` is not found in `/"), "{failed:#?}");
}

#[test]
fn a_build_that_fails_is_told_with_its_last_lines() {
    let build = "build = [\"sh -c 'echo first; echo no such header >&2; exit 4'\"]";
    let failed = beside_a_good_one(Bench::new().target_with("bad", "", build)).1.failure("bad");
    assert_eq!((failed.stage, failed.exit_code), (Stage::Build, Some(4)));
    assert_eq!(failed.tail, ["first", "no such header"]);
    assert_eq!(failed.log.as_deref(), Some("logs/build-bad.log"));
}

#[test]
fn a_build_whose_program_is_missing_is_a_failed_build() {
    let bench = Bench::new().target_with("bad", "", "build = [\"no-such-compiler x\"]");
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!(failed.stage, Stage::Build);
    assert!(failed.reason.contains("`no-such-compiler` is not found"), "{failed:#?}");
}

#[test]
fn a_build_that_takes_too_long_is_a_failed_build() {
    let keys = "build = [\"sleep 60\"]\nbuild-timeout = \"100ms\"";
    let failed = beside_a_good_one(Bench::new().target_with("bad", "", keys)).1.failure("bad");
    assert_eq!(failed.stage, Stage::Build);
    assert!(failed.reason.contains("took longer than 100 ms"), "{failed:#?}");
}

#[test]
fn a_server_that_listens_elsewhere_is_told_where() {
    let keys = "ready-timeout = \"1s\"";
    let bench = Bench::new().target_with("bad", "--fault elsewhere", keys);
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!(failed.stage, Stage::Ready);
    let reason = "not ready within 1 s: connection refused; it listens on 127.0.0.1:";
    assert!(failed.reason.starts_with(reason), "{failed:#?}");
    let port = failed.tail[0].strip_prefix("listening on ").expect("it says where");
    assert!(failed.reason.contains(port), "{failed:#?}");
}

#[test]
fn a_server_that_never_binds_is_a_failed_trial_not_an_error() {
    let keys = "ready-timeout = \"1s\"";
    let bench = Bench::new().target_with("bad", "--fault refuse", keys);
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!(failed.stage, Stage::Ready);
    assert_eq!(failed.reason, "not ready within 1 s: connection refused");
}

#[test]
fn a_server_that_exits_at_once_is_told_with_its_code_and_last_words() {
    let bench = Bench::new().target("bad", "--fault exit-at-start=3");
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!((failed.stage, failed.exit_code), (Stage::Ready, Some(3)));
    assert_eq!(failed.tail, ["leaving with 3"]);
}

#[test]
fn a_server_that_a_signal_ends_is_told_with_the_signal() {
    let bench = Bench::new().target("bad", "--fault crash --at 1");
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!((failed.stage, failed.exit_code, failed.signal), (Stage::Ready, None, Some(6)));
}

#[test]
fn a_server_that_exits_under_load_fails_there_with_its_code() {
    let bench = Bench::new().target("bad", "--fault exit=7 --at 3");
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!((failed.stage, failed.exit_code), (Stage::WarmUp, Some(7)));
}

#[test]
fn a_server_that_always_answers_wrongly_is_never_ready() {
    let keys = "ready-timeout = \"1s\"";
    let bench = Bench::new().target_with("bad", "--fault status=404", keys);
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!(failed.stage, Stage::Ready);
    assert_eq!(failed.reason, "not ready within 1 s: 404 where 200 was expected");
}

#[test]
fn a_server_that_answers_the_workload_wrongly_fails_in_verify() {
    let faults = [
        ("status=404", "404 where 200 was expected"),
        ("wrong-length", "12 bytes where 11 were expected"),
        ("wrong-content", "`dl` from byte 9 on where `ld` was expected"),
        ("garbage", "it does not answer in HTTP"),
        ("close-mid-head", "it closed the connection"),
        ("close-mid-chunk", "it closed the connection"),
    ];
    each(&faults, |(fault, reason)| {
        let bench = Bench::new().target("bad", &format!("--fault {fault} --from 2"));
        let failed = bench.run(&[]).exits(5).failure("bad");
        assert_eq!(failed.stage, Stage::Verify, "{failed:#?}");
        assert!(failed.reason.contains(reason), "{fault}: {failed:#?}");
    });
}

#[test]
fn a_server_that_is_slow_to_listen_is_waited_for() {
    let bench = Bench::new().target("a", "--fault late=400");
    let trial = bench.run(&[]).exits(0).trial("a");
    assert!(trial.startup_ms.expect("it started") >= 400.0, "{trial:#?}");
}

#[test]
fn a_fixed_port_that_is_taken_is_told_with_who_has_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let bench = Bench::new().target_with("bad", "", &format!("port = {port}"));
    let failed = beside_a_good_one(bench).1.failure("bad");
    assert_eq!(failed.stage, Stage::Start);
    let reason = format!("port {port} is in use by pid {}", std::process::id());
    assert!(failed.reason.starts_with(&reason), "{failed:#?}");
}

#[test]
fn a_missing_tool_skips_its_target_and_only_that() {
    let bench = Bench::new()
        .target("good", "")
        .file(
            "targets/toolchains.toml",
            "[cobol]\nabout = \"COBOL\"\nversion = \"no-such-cobc -V\"\npattern = '(\\d+)'\n",
        )
        .file("targets/cobol/target.toml", "tools = [\"cobol\"]\ncommand = \"./server {port}\"\n")
        .toml("[[target]]\nfrom = \"targets/cobol\"");
    let outcome = bench.run(&[]).exits(0).says(&["cobol: skipped: not installed"]);
    let trial = outcome.trial("cobol");
    let skipped = trial.skipped().expect("skipped");
    let reason = "not installed: cobol is missing: `no-such-cobc` is not found";
    assert_eq!(skipped.reason, reason);
    assert!(outcome.stdout.contains(reason), "{outcome:#?}");
    bench.run(&["--require-all"]).exits(5);
    let none = bench.run(&["--target", "cobol"]).exits(4);
    assert!(none.stdout.contains(reason), "{none:#?}");
}

#[test]
fn the_first_failure_ends_a_run_that_is_to_fail_fast() {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .target("bad", "--fault exit-at-start=3")
        .target("good", "");
    let outcome = bench.run(&["--fail-fast"]).exits(5);
    assert_eq!(outcome.record().trials.len(), 1);
    assert!(outcome.stdout.contains("not measured: the run ended before"), "{outcome:#?}");
    assert!(!bench.path("good.pid").exists(), "it went on");
}

#[test]
fn what_a_target_prints_steers_no_terminal() {
    let build = r#"build = ["sh -c 'printf \"\\033[31mred\\n\"; exit 1'"]"#;
    let (bench, outcome) = beside_a_good_one(Bench::new().target_with("bad", "", build));
    let report = bench.orchestrate(&["report", outcome.folder().to_str().expect("a path")]);
    for text in [&outcome.stdout, &outcome.stderr, &report.stdout] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
