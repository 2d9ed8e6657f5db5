//! Whatever a server does and whatever happens to us, nothing of it stays.

use orchestrate::outcome::Stage;
use orchestrate::processes;
use rustix::process::Signal;

use crate::support::{
    Bench, WITHOUT_GROUPS, can_pass_through, each, is_running, send, skipped, until,
};

/// A bench with control groups, where there are some, and one without.
fn with_and_without_groups() -> Vec<fn() -> Bench> {
    let mut all: Vec<fn() -> Bench> = vec![Bench::new];
    if can_pass_through(&WITHOUT_GROUPS) {
        all.push(|| Bench::new().through(&WITHOUT_GROUPS));
    } else {
        skipped("containment without control groups", "none may be hidden here");
    }
    all
}

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
    each(&with_and_without_groups(), |bench| {
        let bench = bench().target_with("a", "--fault shed-orphan", "stop-grace = \"200ms\"");
        let outcome = bench.run(&[]).exits(0);
        let orphan = bench.pid("a.orphan.pid");
        assert!(!is_running(orphan), "pid {orphan} still runs: {outcome:#?}");
        let processes = outcome.trial("a").measured().and_then(|it| it.server.clone());
        assert_eq!(processes.and_then(|server| server.processes_peak), Some(2), "both are counted");
    });
}

#[test]
fn what_held_a_server_together_is_recorded_and_that_there_are_no_groups_is_said_once() {
    if !can_pass_through(&WITHOUT_GROUPS) {
        return skipped("a machine without control groups", "none may be hidden here");
    }
    let bench = Bench::new().through(&WITHOUT_GROUPS).target("a", "").target("b", "");
    let outcome = bench.run(&[]).exits(0);
    assert_eq!(outcome.stderr.matches("no control groups here, keepers must do: ").count(), 1);
    for trial in outcome.record().trials {
        assert_eq!(trial.containment.as_deref(), Some("keeper"));
    }
}

#[test]
fn a_server_that_daemonises_is_measured_through_its_tree() {
    each(&with_and_without_groups(), |bench| {
        let bench = bench().target("a", "--fault daemonise");
        let trial = bench.run(&[]).exits(0).trial("a");
        let measured = trial.measured().expect("measured");
        let server = measured.server.as_ref().expect("its use was read");
        assert_eq!(server.processes_peak, Some(1), "{trial:#?}");
        assert!(server.rss_peak_bytes.is_some_and(|bytes| bytes > 0), "{trial:#?}");
        assert!(!is_running(bench.pid("a.pid")));
    });
}

#[test]
fn a_server_without_output_that_becomes_another_program_is_measured() {
    let program = Bench::fixture_program();
    let text = format!("exec {program} >&- 2>&-");
    let bench = Bench::new().toml(&format!(
        "[[target]]\nname = \"a\"\nshell = true\ncommand = {}\n",
        toml::Value::String(text)
    ));
    let trial = bench.run(&[]).exits(0).trial("a");
    assert!(trial.measured().is_some(), "{trial:#?}");
}

#[test]
fn a_server_that_leaves_its_control_group_is_told_and_gone() {
    let Some(members) = outer_group() else {
        return skipped("a server that leaves its control group", "there is none to go to");
    };
    let bench = Bench::new().target("a", &format!("--fault orphan --fault leave-group={members}"));
    let outcome = bench.run(&[]);
    let failed = outcome.failure("a");
    if failed.reason.contains("exit code 2") {
        return skipped("a server that leaves its control group", &failed.tail.join(" "));
    }
    assert_eq!(failed.stage, Stage::Ready, "{failed:#?}");
    let reason = format!("answered by pid {} (`", bench.pid("a.pid"));
    assert!(failed.reason.starts_with(&reason), "{failed:#?}");
    assert!(failed.reason.contains("which has left its control group"), "{failed:#?}");
    assert!(!is_running(bench.pid("a.orphan.pid")));
}

#[test]
fn a_server_that_leaves_its_control_group_under_load_is_no_row_that_uses_nothing() {
    let Some(members) = outer_group() else {
        return skipped("a server that leaves its control group later", "there is none to go to");
    };
    let bench = Bench::new().policy("measure = \"2s\"").target("a", "");
    let mut running = bench.start(&[]);
    while running.event("trial_at")["stage"] != "warm-up" {}
    if let Err(error) = std::fs::write(members, bench.pid("a.pid").to_string()) {
        return skipped("a server that leaves its control group later", &error.to_string());
    }
    let failed = running.outcome().exits(5).failure("a");
    assert_eq!(failed.stage, Stage::Window, "{failed:#?}");
    let reason = format!("pid {} of it has left its control group", bench.pid("a.pid"));
    assert!(failed.reason.starts_with(&reason), "{failed:#?}");
    assert!(!is_running(bench.pid("a.pid")));
}

/// Where the members of the group are listed that this process is in, if there are groups of version 2.
fn outer_group() -> Option<String> {
    let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?.to_owned();
    let mounts = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"];
    let files = mounts.iter().map(|mount| format!("{mount}{own}/cgroup.procs"));
    files.into_iter().find(|file| std::path::Path::new(file).is_file())
}

#[test]
fn nothing_of_a_command_outlives_it() {
    // Each leaves a process that has left parent and session.
    let leaves = |name: &str| {
        let left = format!("setsid sh -c 'printf %s $$ > {name}.pid; exec sleep 300'");
        format!("{name} = [\"{left} & while ! test -s {name}.pid; do sleep 0.01; done\"]")
    };
    each(&with_and_without_groups(), |bench| {
        let keys = ["build", "before-trial", "after-trial"].map(leaves).join("\n");
        let service = ["build", "setup"].map(leaves).join("\n").replace(".pid", ".of-service.pid");
        let shell = "shell = true";
        let bench = bench()
            .service("db", "", &format!("{service}\n{shell}\nready = \"tcp\""))
            .target_with("a", "", &format!("{keys}\n{shell}"));
        let mut running = bench.start(&[]);
        // Not only when we end: they are gone before the server starts.
        let server = bench.pid("a.pid");
        let before =
            ["build.pid", "before-trial.pid", "build.of-service.pid", "setup.of-service.pid"];
        for file in before {
            let pid = bench.pid(file);
            assert!(!is_running(pid), "pid {pid} of {file} still runs");
        }
        running.event("trial_ended");
        running.outcome().exits(0);
        assert!(!is_running(server));
        assert!(!is_running(bench.pid("after-trial.pid")));
    });
}

#[test]
fn a_build_goes_with_us() {
    each(&with_and_without_groups(), |bench| {
        let build = "build = [\"sh -c 'setsid sleep 300 & printf %s $! > a.pid; sleep 300'\"]";
        let bench = bench().target_with("a", "", build);
        let running = bench.start(&[]);
        let left = bench.pid("a.pid");
        running.signal(Signal::KILL);
        assert_eq!(running.end().0, None);
        until("its build is gone", || (!is_running(left)).then_some(()));
    });
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
fn a_server_goes_with_its_keeper_and_so_does_all_that_it_started() {
    each(&with_and_without_groups(), |bench| {
        let bench = bench()
            .policy("measure = \"1m\"")
            .target("a", "--fault ignore-term --fault shed-orphan");
        let mut running = bench.start(&[]);
        running.event("trial_started");
        let (server, orphan) = (bench.pid("a.pid"), bench.pid("a.orphan.pid"));
        send(processes::find(server).expect("it runs").parent, Signal::KILL);
        running.outcome().exits(5);
        assert!(!is_running(server), "pid {server} still runs");
        assert!(!is_running(orphan), "pid {orphan} still runs");
    });
}

#[test]
fn a_keeper_that_was_stopped_goes_on_when_it_is_needed() {
    let bench = Bench::new().target("a", "--fault ignore-term").policy("measure = \"2s\"");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let server = bench.pid("a.pid");
    send(processes::find(server).expect("it runs").parent, Signal::STOP);
    running.signal(Signal::INT);
    running.outcome().exits(130);
    assert!(!is_running(server), "pid {server} still runs");
}

/// Runs a matrix until its server is there, kills that run and its keeper at one stroke, and starts another command.
/// Nobody else sweeps in this PID namespace.
const STRUCK: &str = r#"
    "$0" "$@" & us=$!
    while ! test -s a.orphan.pid; do sleep 0.01; done
    keeper=$(cut -d' ' -f4 /proc/$(cat a.pid)/stat)
    kill -STOP $us $keeper
    while grep -q '^State:.[^T]' /proc/$us/task/*/status /proc/$keeper/status; do sleep 0.01; done
    kill -KILL $keeper $us
    wait
    orphan=$(cat a.orphan.pid)
    test -d /proc/$orphan && echo outlived
    "$0" build it.toml --share-machine
    grep -q '^State:.Z' /proc/$orphan/status 2>/dev/null || ! test -d /proc/$orphan && echo gone
"#;

#[test]
fn what_outlives_us_and_its_keeper_is_gone_after_the_next_start_which_says_so() {
    let hide = "mount -t tmpfs none /sys/fs/cgroup;";
    let scripts = [STRUCK.to_owned(), format!("{hide}{STRUCK}")];
    let elsewhere = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c"];
    if !can_pass_through(&elsewhere[..4]) {
        return skipped("a stroke that leaves nobody", "no PID namespace may be made here");
    }
    for script in scripts {
        let words = [&elsewhere[..], &[&*script.leak()]].concat();
        let bench = Bench::new()
            .through(&words)
            .policy("measure = \"1m\"")
            .target("a", "--fault ignore-term --fault orphan");
        let matrix = bench.matrix_path().display().to_string();
        let outcome = bench.orchestrate_beside(&["run", &matrix, "--share-machine"]);
        assert_eq!(outcome.stdout, "outlived\ngone\n", "{outcome:#?}");
        outcome.says(&["cleaned up after an earlier run: "]);
    }
}

#[test]
fn a_run_in_another_pid_namespace_is_not_taken_for_one_that_is_gone() {
    let elsewhere = ["unshare", "--pid", "--fork", "--mount-proc"];
    if !can_pass_through(&elsewhere) {
        return skipped("a run in another PID namespace", "none may be made here");
    }
    let bench = Bench::new().policy("measure = \"2s\"").through(&elsewhere).target("a", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    bench.pid("a.pid");
    Bench::new().target("b", "").orchestrate(&["build", "it.toml", "--share-machine"]).exits(0);
    // Its pid there is none here.
    let (code, _, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn a_run_in_another_time_namespace_takes_nothing_of_a_run_that_goes_on() {
    // Seen from there all processes began at another tick.
    let elsewhere = ["unshare", "--time", "--boottime", "100000"];
    if !can_pass_through(&elsewhere) {
        return skipped("a run in another time namespace", "none may be made here");
    }
    let bench = Bench::new().policy("measure = \"2s\"").target("a", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    bench.pid("a.pid");
    let other = Bench::new().through(&elsewhere).target("b", "");
    other.orchestrate(&["build", "it.toml", "--share-machine"]).exits(0);
    let (code, _, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn the_log_of_a_server_that_floods_it_stays_small() {
    let bench = Bench::new().target("a", "--fault flood=1024");
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
