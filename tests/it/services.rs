//! Services and hooks: what a target needs besides itself is there when it is needed, is told of when it is not, and leaves
//! nothing behind.

use orchestrate::outcome::Stage;
use orchestrate::record::trial::TrialRecord;
use rustix::process::Signal;

use crate::support::{Bench, Outcome, each, is_running, send, until};

/// A bench whose trials are in the order in which they are written.
fn in_order() -> Bench {
    Bench::new().policy("order = \"as-written\"")
}

fn trials(outcome: &Outcome) -> Vec<TrialRecord> {
    outcome.record().trials
}

/// Reason and stage of each failed trial, in order.
fn failures(outcome: &Outcome) -> Vec<(Stage, String)> {
    let trials = trials(outcome);
    let failed = trials.iter().filter_map(|trial| trial.failed());
    failed.map(|failed| (failed.stage, failed.reason.clone())).collect()
}

#[test]
fn a_service_of_the_run_is_started_once_and_its_port_is_known_to_its_targets() {
    let bench = Bench::new()
        .rounds(2)
        .service("db", "", "ready = \"/\"")
        .target("a", "--fault upstream=db");
    let outcome = bench.run(&[]).exits(0);
    let trials = trials(&outcome);
    let seen: Vec<_> = trials.iter().map(|trial| trial.services["db"].clone()).collect();
    assert_eq!((seen[0].start, seen[1].start), (1, 1));
    assert_eq!(seen[0].port, seen[1].port);
    assert_eq!(seen[0].log, "logs/service-db.log");
    assert!(outcome.file("logs/service-db.log").contains(&format!(":{}", seen[0].port)));
    let info = &outcome.record().info.services[0];
    assert_eq!((info.name.as_str(), info.scope.as_str()), ("db", "run"));
    assert_eq!(info.targets, ["a"]);
    // It was asked as often as its target.
    let counts = bench.path(&format!("counts-{}.json", seen[0].port));
    let counts = std::fs::read_to_string(counts).expect("the service was asked to end");
    let asked: u64 = trials.iter().map(|trial| trial.requests.total()).sum();
    assert!(counts.contains(&format!("\"requests\":{}", asked + 1)), "{counts}: {asked}");
}

#[test]
fn a_service_of_a_trial_is_another_one_in_each() {
    let bench = Bench::new()
        .rounds(2)
        .service("db", "", "scope = \"trial\"")
        .target("a", "--fault upstream=db");
    let trials = trials(&bench.run(&[]).exits(0));
    let seen: Vec<_> = trials.iter().map(|trial| &trial.services["db"]).collect();
    assert_eq!((seen[0].start, seen[1].start), (1, 2));
    assert_ne!(seen[0].port, seen[1].port);
    assert!(trials.iter().all(|trial| trial.measured().is_some()));
}

#[test]
fn a_service_is_waited_for_until_it_is_ready() {
    each(&["tcp", "/", "test -e {out}/up"], |ready| {
        let keys = format!("ready = {ready:?}");
        let bench = if ready.starts_with("test") {
            let slow = "shell = true\ncommand = \"sleep 0.4; touch {out}/up; exec sleep 100\"";
            Bench::new().toml(&format!("[[service]]\nname = \"db\"\n{slow}\n{keys}"))
        } else {
            Bench::new().service("db", "--fault late=400", &keys)
        };
        let trial = bench.target("a", "").run(&[]).exits(0).trial("a");
        let startup_ms = trial.services["db"].startup_ms;
        assert!((400.0..60_000.0).contains(&startup_ms), "{ready}: {trial:#?}");
    });
}

#[test]
fn services_name_those_above_them_and_targets_name_any() {
    let bench = Bench::new()
        .service("disk", "", "targets = [\"none\"]")
        .service("db", "--fault upstream=disk --at {service.disk.port}", "ready = \"/\"")
        .target("a", "--fault upstream=db --at {service.db.port}")
        .target_with("none", "--fault upstream=disk", "");
    let outcome = bench.run(&[]).exits(0);
    for label in ["a", "none"] {
        let trial = outcome.trial(label);
        assert!(trial.measured().is_some_and(|measured| measured.good > 0), "{trial:#?}");
        assert_eq!(trial.services.keys().collect::<Vec<_>>(), ["db", "disk"]);
    }
}

#[test]
fn a_service_that_does_not_start_fails_its_targets_and_no_others_and_is_not_tried_for_ever() {
    let bench = in_order()
        .rounds(4)
        .service("db", "--fault exit-at-start=3", "targets = [\"bad\"]")
        .target("bad", "")
        .target("good", "");
    let outcome = bench.run(&[]).exits(5);
    let trials = trials(&outcome);
    let good = trials.iter().filter(|trial| trial.measured().is_some());
    assert!(good.clone().count() == 4 && good.clone().all(|trial| trial.label() == "good"));
    let failed = trials.iter().find_map(|trial| trial.failed()).expect("it failed");
    assert_eq!((failed.exit_code, &failed.tail[..]), (Some(3), &["leaving with 3".to_owned()][..]));
    assert_eq!(failed.log.as_deref(), Some("logs/service-db.log"));
    let reason = "service `db`: it ended before it was ready: exit code 3";
    let more = "; after 3 failures it is not started again";
    let failures = failures(&outcome);
    assert_eq!(failures[..3], [0; 3].map(|_| (Stage::Start, reason.to_owned())));
    assert_eq!(failures[3], (Stage::Start, format!("{reason}{more}")));
    assert!(outcome.stderr.contains(reason) && outcome.stdout.contains(reason), "{outcome:#?}");
    let log = |name: &str| outcome.folder().join("logs").join(name).exists();
    assert!(log("service-db-3.log") && !log("service-db-4.log"));
}

#[test]
fn why_a_service_cannot_be_used_is_told() {
    let cases = [
        ("command = \"./no-such-program\"", "`./no-such-program` is not found in `/"),
        ("command = \"sleep 100\"\nready-timeout = \"300ms\"", "not ready within 300 ms"),
        (
            "command = \"sleep 100\"\nready-timeout = \"300ms\"\nready = \"sh -c 'echo no; exit 2'\"",
            "not ready within 300 ms: `sh -c 'echo no; exit 2'`: exit code 2",
        ),
        ("command = \"sleep 100\"\nready = \"./no-such\"", "`./no-such` is not found"),
        ("command = \"sleep 100\"\nready = \"true\"\nsetup = [\"false\"]", "`false`: exit code 1"),
        ("command = \"sleep 100\"\nbuild = [\"false\"]", "`false`: exit code 1"),
    ];
    each(&cases, |(keys, reason)| {
        let bench = Bench::new().toml(&format!("[[service]]\nname = \"db\"\n{keys}"));
        let failed = bench.target("a", "").run(&[]).exits(5).failure("a");
        let stage = if keys.contains("build") { Stage::Build } else { Stage::Start };
        assert_eq!(failed.stage, stage, "{failed:#?}");
        assert!(failed.reason.starts_with("service `db`: "), "{failed:#?}");
        assert!(failed.reason.contains(reason), "{reason}: {failed:#?}");
    });
}

#[test]
fn a_service_whose_tool_is_missing_skips_its_targets_and_only_those() {
    let bench = Bench::new()
        .file(
            "targets/toolchains.toml",
            "[cobol]\nabout = \"COBOL\"\nversion = \"no-such-cobc -V\"\npattern = '(\\d+)'\n\
             [[cobol.get]]\nfrom = \"its makers\"\nrun = [\"get cobol\"]\nneeds = [\"no-such\"]\n",
        )
        .service("db", "", "tools = [\"cobol\"]\ntargets = [\"a\"]")
        .target("a", "")
        .target("b", "");
    let outcome = bench.run(&[]).exits(0).says(&["service db: skipped: not installed: cobol"]);
    let trial = outcome.trial("a");
    let skipped = trial.skipped().expect("skipped");
    let reason = "service `db`: not installed: cobol is missing: `no-such-cobc` is not found";
    assert_eq!(skipped.reason, reason);
    assert!(skipped.hint.as_ref().is_some_and(|hint| hint.contains("get cobol")), "{skipped:?}");
    assert!(outcome.trial("b").measured().is_some());
}

#[test]
fn a_service_that_ends_in_a_trial_is_the_reason_and_is_started_again_for_the_next() {
    let bench = in_order()
        .service("db", "--fault exit=7 --at 20", "")
        .target("first", "--fault upstream=db")
        .target("second", "");
    let outcome = bench.run(&[]).exits(5);
    let failed = outcome.failure("first");
    assert_eq!(failed.reason, "service `db` ended: exit code 7", "{failed:#?}");
    assert!(matches!(failed.stage, Stage::WarmUp | Stage::Window), "{failed:#?}");
    assert_eq!((failed.exit_code, failed.log.as_deref()), (Some(7), Some("logs/service-db.log")));
    let second = outcome.trial("second");
    assert!(second.measured().is_some(), "{second:#?}");
    assert_eq!(second.services["db"].start, 2);
}

#[test]
fn a_service_that_is_killed_in_a_window_fails_the_trial_there() {
    let bench = Bench::new()
        .policy("warm-up = \"0s\"")
        .policy("warm-up-max = \"0s\"")
        .policy("measure = \"1m\"")
        .service("db", "", "")
        .target("a", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let service = bench.pid("db.pid");
    let server = bench.pid("a.pid");
    // Without a warm-up the window has opened when all connections are there.
    until("it is under load", || {
        orchestrate::processes::find(server).filter(|process| process.threads > 4)
    });
    send(service, Signal::KILL);
    let failed = running.outcome().exits(5).failure("a");
    assert_eq!((failed.stage, failed.signal), (Stage::Window, Some(9)), "{failed:#?}");
    assert_eq!(failed.reason, "service `db` ended: ended by SIGKILL");
}

#[test]
fn services_are_asked_to_end_the_last_first_each_by_its_own_signal() {
    let bench = Bench::new().target("a", "");
    let order = bench.path("order").display().to_string();
    let service = |name: &str, signal: &str| {
        let command = format!(
            "trap 'echo {name} >> {order}; exit 0' {signal}; touch {{out}}/up; \
             while :; do sleep 0.02; done"
        );
        format!(
            "[[service]]\nname = \"{name}\"\nshell = true\ncommand = \"{command}\"\n\
             stop-signal = \"{signal}\"\nready = \"test -e {{out}}/up\"\n"
        )
    };
    let bench = bench.toml(&service("one", "INT")).toml(&service("two", "TERM"));
    bench.run(&[]).exits(0);
    let order = std::fs::read_to_string(bench.path("order")).expect("both ended when asked");
    assert_eq!(order, "two\none\n");
}

#[test]
fn nothing_of_a_service_outlives_us_when_we_are_killed() {
    let faults = "--fault ignore-term --fault orphan";
    let bench = Bench::new()
        .policy("measure = \"1m\"")
        .service("db", faults, "")
        .target("a", "--fault ignore-term");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let pids = ["db.pid", "db.orphan.pid", "a.pid"].map(|file| bench.pid(file));
    running.signal(Signal::KILL);
    assert_eq!(running.end().0, None);
    for pid in pids {
        until("it is gone", || (!is_running(pid)).then_some(()));
    }
}

#[test]
fn ctrl_c_ends_services_too() {
    let bench = Bench::new().policy("measure = \"1m\"").service("db", "", "").target("a", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let pids = ["db.pid", "a.pid"].map(|file| bench.pid(file));
    running.signal(Signal::INT);
    running.outcome().exits(130);
    assert!(pids.iter().all(|pid| !is_running(*pid)));
}

#[test]
fn cpu_time_and_memory_of_a_service_are_within_2_percent() {
    // In the window of so many requests exactly these are asked; each costs the service 20 ms, and perhaps one that the
    // warm-up left behind.
    let bench = Bench::new()
        .policy("warm-up = \"0s\"")
        .policy("warm-up-max = \"0s\"")
        .load("connections = 1\nrequests = 200\nat-most = \"60s\"")
        .service("db", "--fault burn=20 --fault hold=256", "cpus = \"server\"")
        .target("a", "--fault upstream=db");
    let outcome = bench.run(&[]).exits(0);
    let trial = outcome.trial("a");
    let measured = trial.measured().expect("measured");
    assert_eq!(measured.good, 200, "{measured:#?}");
    let used = &measured.services["db"];
    let cpu_us = used.cpu_us.expect("CPU time") as f64;
    assert!((1.0..1.02).contains(&(cpu_us / 4e6)), "{used:#?}");
    let per_answer = used.cpu_us_per_request.expect("CPU time per answer");
    assert!((per_answer * 200.0 - cpu_us).abs() < 1.0, "{used:#?}");
    let memory = used.rss_peak_bytes.expect("memory") as f64;
    assert!((1.0..1.02).contains(&(memory / f64::from(256 << 20))), "{used:#?}");
    assert!(used.cpu_source.as_ref().is_some_and(|source| !source.is_empty()));
    // The server does not bear what its service used, and nobody else does.
    let of_server = measured.server.as_ref().and_then(|server| server.cpu_us).expect("CPU time");
    assert!(of_server < 1_000_000, "{measured:#?}");
    for part in ["db CPU/answer", "db memory"] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {}", outcome.stdout);
    }
    let csv = outcome.file("tables.csv");
    assert!(
        csv.lines().next().is_some_and(|heads| heads.contains("db_cpu_us_per_request")),
        "{csv}"
    );
}

#[test]
fn what_goes_before_a_trial_and_after_it_is_run_around_its_server() {
    let bench = in_order().service("db", "", "");
    let log = bench.path("hooks").display().to_string();
    let hooks = format!(
        "before-trial = [\"sh -c 'echo before $PORT {{service.db.port}} $COUNTS >> {log}'\"]\n\
         after-trial = [\"sh -c 'test -e $COUNTS/counts-$PORT.json && echo after >> {log}'\"]"
    );
    let bench = bench.target_with("a", "", &hooks);
    let trial = bench.run(&[]).exits(0).trial("a");
    let (port, service) = (trial.port.expect("a port"), trial.services["db"].port);
    let folder = bench.path("");
    let folder = folder.display().to_string();
    let folder = folder.trim_end_matches('/');
    let text = std::fs::read_to_string(bench.path("hooks")).expect("they were run");
    assert_eq!(text, format!("before {port} {service} {folder}\nafter\n"));
}

#[test]
fn a_hook_that_fails_before_a_trial_fails_it_and_one_after_it_changes_nothing() {
    let bench = in_order()
        .target_with("bad", "", "before-trial = [\"sh -c 'echo no data; exit 4'\"]")
        .target_with("good", "", "after-trial = [\"sh -c 'echo no broom; exit 5'\"]");
    let outcome = bench.run(&[]).exits(5);
    let failed = outcome.failure("bad");
    assert_eq!((failed.stage, failed.exit_code), (Stage::Start, Some(4)), "{failed:#?}");
    assert_eq!(failed.tail, ["no data"]);
    let good = outcome.trial("good");
    assert!(good.measured().is_some(), "{good:#?}");
    let told = good.after_trial_failed.expect("it is recorded");
    assert_eq!(told, "`sh -c 'echo no broom; exit 5'`: exit code 5");
    let outcome = outcome.says(&[&format!("good: after its trial: {told}")]);
    assert!(outcome.file("events.ndjson").contains("after_trial_failed"));
}

#[test]
fn a_check_tells_of_services_and_starts_them_when_it_serves() {
    let bench = Bench::new()
        .service("db", "", "setup = [\"echo ready\"]\ntargets = [\"a\"]")
        .target("a", "--fault upstream=db")
        .target("b", "");
    let matrix = bench.matrix_path().display().to_string();
    let told = bench.orchestrate(&["check", &matrix]).exits(0).stdout;
    assert!(told.contains("\nservices\n  db: "), "{told}");
    assert!(
        told.contains("scope run · CPUs of the generator") && told.contains("needed by a\n"),
        "{told}"
    );
    let words = ["check", &matrix, "--serve", "--share-machine", "--target", "a"];
    let outcome = bench.orchestrate(&words);
    assert!(!outcome.stdout.contains("502"), "{outcome:#?}");
    assert!(bench.path("db.pid").exists(), "it was started");
}
