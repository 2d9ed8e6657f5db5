//! CPU time and memory of a server's tree are what they are: held against what the fixture measured itself, with a control
//! group and without.

use std::collections::BTreeSet;

use orchestrate::record::measured::{Measured, Sample, ServerUsage};
use orchestrate::record::trial::TrialRecord;
use orchestrate::{affinity, processes};
use rustix::process::Signal;

use crate::support::{Bench, hidden, until};

/// Every figure of a tree, as on disk.
const FIGURES: [&str; 27] = [
    "cpu_us",
    "cpu_user_us",
    "cpu_system_us",
    "cpu_seconds",
    "cpu_us_per_request",
    "cpu_source",
    "cores_used",
    "cores_allowed",
    "busiest_thread",
    "busiest_thread_wait",
    "run_queue_wait_us",
    "cpus_allowed",
    "rss_before_bytes",
    "rss_mean_bytes",
    "rss_peak_bytes",
    "pss_before_bytes",
    "pss_after_bytes",
    "shared_bytes",
    "memory_peak_bytes",
    "virtual_bytes",
    "processes_peak",
    "threads_peak",
    "open_files_peak",
    "context_switches",
    "output_bytes",
    "samples",
    "memory_peak_source",
];

/// What the server of a trial used. Every figure is there, or there is a reason for its absence.
pub(crate) fn server(trial: &TrialRecord) -> (&Measured, &ServerUsage) {
    let measured = trial.measured().unwrap_or_else(|| panic!("not measured: {trial:#?}"));
    let server = measured.server.as_ref().expect("its server is ours");
    let there = serde_json::to_value(server).expect("JSON");
    for figure in FIGURES {
        let as_named = if figure == "memory_peak_source" { "memory_peak_bytes" } else { figure };
        let is_told = there.get(figure).is_some() != measured.absent.contains_key(as_named);
        assert!(is_told, "`{figure}` is neither there nor absent: {trial:#?}");
    }
    let unknown =
        there.as_object().expect("an object").keys().find(|it| !FIGURES.contains(&it.as_str()));
    assert_eq!(unknown, None, "a figure that this test does not know");
    (measured, server)
}

/// Ways to use CPU time, each with the milliseconds of a request and the number of requests for a second of it.
const BURNERS: [(&str, u64, u64); 5] = [
    ("burn", 40, 25),
    ("burn-thread", 40, 25),
    ("burn-worker", 40, 25),
    ("burn-child", 100, 10),
    ("burn-unwaited", 100, 10),
];

/// CPU time in microseconds that the fixture says went into the window of a trial: into its requests, and into what the
/// warm-up had left unfinished when it opened.
fn burned_us(bench: &Bench, trial: &TrialRecord, seconds: f64) -> f64 {
    let path = bench.path(&format!("burned-{}", trial.port.expect("a port")));
    let text = std::fs::read_to_string(path).expect("the fixture noted what it burned");
    let number = |word: &str| word.parse::<f64>().expect("a number") / 1e3;
    let lines: Vec<Vec<f64>> =
        text.lines().map(|line| line.split(' ').map(number).collect()).collect();
    // The window closes with the last answer.
    let opened = lines.last().expect("a request")[1] - seconds * 1e6;
    let within = |line: &Vec<f64>| {
        let [began, ended, used] = line[..] else { panic!("no line: {line:?}") };
        used * ((ended - began.max(opened)) / (ended - began)).max(0.0)
    };
    lines.iter().map(within).sum()
}

/// Has a fixture use about so many seconds of CPU time in one way, and holds our figure against its own.
fn check_burner(
    bench: &Bench,
    (name, millis, per_second): (&str, u64, u64),
    seconds: u64,
) -> String {
    let requests = per_second * seconds;
    let outcome = bench.run(&[]).exits(0);
    let trial = outcome.trial("a");
    let (measured, server) = server(&trial);
    assert_eq!(measured.good, requests, "{measured:#?}");
    let truth_us = burned_us(bench, &trial, server.cpu_seconds.expect("an interval"));
    assert!(truth_us >= (millis * requests * 1000) as f64, "{name}: {truth_us}");
    let used_us = server.cpu_us.expect("CPU time") as f64;
    let source = server.cpu_source.clone().expect("a source");
    // Ticks are counted for user and system time, and at both ends.
    let ticks_us = if source.contains("ticks") { 20_000.0 } else { 0.0 };
    let allowed_us = 0.02 * truth_us + ticks_us;
    assert!((used_us - truth_us).abs() <= allowed_us, "{name}: {truth_us}: {server:#?}");
    source
}

fn burner_bench((name, millis, per_second): (&str, u64, u64), seconds: u64) -> Bench {
    let requests = per_second * seconds;
    Bench::new()
        .policy("warm-up = \"0s\"")
        .policy("warm-up-max = \"0s\"")
        .load(&format!("connections = 1\nrequests = {requests}\nat-most = \"60s\""))
        .target("a", &format!("--fault {name}={millis}"))
}

#[test]
fn cpu_time_is_within_2_percent_whoever_of_the_tree_used_it() {
    for burner in BURNERS {
        let source = check_burner(&burner_bench(burner, 2), burner, 2);
        let is_group = source == "cgroup2, in steps of 1µs";
        assert!(is_group || source.contains("exited children unknown"), "{source}");
    }
}

#[test]
fn without_a_control_group_cpu_time_is_within_what_its_source_can_tell() {
    let Some(through) = hidden::control_groups() else { return };
    for burner in BURNERS {
        let bench = burner_bench(burner, 1).through(&through);
        let source = check_burner(&bench, burner, 1);
        let resolution = if burner.0 == "burn-child" { "10ms" } else { "1µs" };
        assert!(source.contains(resolution), "{}: {source}", burner.0);
        assert!(source.contains("exited children unknown"), "{}: {source}", burner.0);
    }
}

#[test]
fn children_for_which_nobody_waits_are_known_to_a_control_group_only() {
    const IGNORING: &str = r#"sh -c 'trap "" CHLD; exec "$@"' sh"#;
    let bench = |through: &[&'static str]| {
        Bench::new()
            .policy("warm-up = \"0s\"")
            .policy("warm-up-max = \"0s\"")
            .load("connections = 1\nrequests = 10\nat-most = \"60s\"")
            .through(through)
            .target_behind("a", IGNORING, "--fault burn-unwaited=100")
    };
    let with = bench(&["env"]);
    let trial = with.run(&[]).exits(0).trial("a");
    let (_, used) = server(&trial);
    if trial.containment.as_deref() == Some("cgroup2") {
        let truth_us = burned_us(&with, &trial, used.cpu_seconds.expect("an interval"));
        let used_us = used.cpu_us.expect("CPU time") as f64;
        assert!((used_us / truth_us - 1.0).abs() <= 0.02, "{truth_us}: {used:#?}");
    }
    let Some(through) = hidden::control_groups() else { return };
    let trial = bench(&through).run(&[]).exits(0).trial("a");
    let (measured, used) = server(&trial);
    match &used.cpu_source {
        Some(source) => assert!(source.contains("exited children unknown"), "{source}"),
        None => assert!(measured.absent["cpu_us"].contains("took its time with it"), "{trial:#?}"),
    }
}

/// The trials of two servers that differ in what they hold.
fn pair(bench: Bench, plain: &str, holding: &str) -> [TrialRecord; 2] {
    let bench = bench.target("plain", plain).target("holding", holding);
    let outcome = bench.run(&[]).exits(0);
    ["plain", "holding"].map(|name| outcome.trial(name))
}

/// A figure in bytes.
type Bytes = fn(&ServerUsage) -> Option<u64>;

/// By how many mebibytes one is more than the other.
fn more(of: Bytes, [plain, holding]: [&ServerUsage; 2]) -> f64 {
    let bytes = |usage| of(usage).unwrap_or_else(|| panic!("no figure: {usage:#?}")) as f64;
    (bytes(holding) - bytes(plain)) / f64::from(1 << 20)
}

#[test]
fn memory_that_processes_share_counts_in_each_and_once_and_private_memory_once() {
    let rss = 4.0 * 128.0 + 3.0 * 32.0;
    let pss = 128.0 + 3.0 * 32.0;
    let mut ways = vec![vec!["env"]];
    ways.extend(hidden::control_groups());
    for through in ways {
        let bench = Bench::new().through(&through);
        let [plain, holding] = pair(bench, "--fault family=0,3,0", "--fault family=128,3,32");
        let both = [server(&plain).1, server(&holding).1];
        let expected: [(&str, Bytes, f64); 8] = [
            ("rss_before_bytes", |it| it.rss_before_bytes, rss),
            ("rss_mean_bytes", |it| it.rss_mean_bytes, rss),
            ("rss_peak_bytes", |it| it.rss_peak_bytes, rss),
            ("pss_before_bytes", |it| it.pss_before_bytes, pss),
            ("pss_after_bytes", |it| it.pss_after_bytes, pss),
            ("shared_bytes", |it| it.shared_bytes, 128.0),
            ("virtual_bytes", |it| it.virtual_bytes, rss),
            ("memory_peak_bytes", |it| it.memory_peak_bytes, rss),
        ];
        for (name, of, mebibytes) in expected {
            let source = both[1].memory_peak_source.as_deref().unwrap_or_default();
            if name == "memory_peak_bytes" && !source.contains("VmHWM") {
                // A control group counts what is shared once, and pages of files too.
                continue;
            }
            let seen = more(of, both);
            assert!((seen / mebibytes - 1.0).abs() <= 0.02, "{name}: {seen}: {both:#?}");
        }
        assert_eq!(both.map(|usage| usage.processes_peak), [Some(4), Some(4)]);
    }
}

/// A load of so many requests a second, slow enough to follow with samples.
fn paced(rate: u32) -> Bench {
    Bench::new()
        .policy("measure = \"2s\"")
        .load(&format!("connections = 1\ntimeout = \"30s\"\nrate = {rate}"))
}

/// Holds how a figure rises from sample to sample against the answers that the generator's series has in between: it rises
/// by one with each. So both have one clock and one zero.
fn rises_with_answers(trial: &TrialRecord, of: impl Fn(&Sample) -> f64) {
    let (measured, server) = server(trial);
    assert!(server.samples.len() >= 3, "{server:#?}");
    // A sample may have been late, and an answer just not ended, so a step of the series more or less at either end.
    let answers = |from: u64, until: u64| -> u64 {
        let steps = measured.series.iter().zip(0..);
        steps.filter(|(_, step)| (from..until).contains(step)).map(|(step, _)| step.good).sum()
    };
    for pair in server.samples.windows(2) {
        let (from, until) = (pair[0].at_ms / 100, pair[1].at_ms / 100);
        let risen = of(&pair[1]) - of(&pair[0]);
        let least = answers(from + 2, until.saturating_sub(1)) as f64 - 1.0;
        let most = answers(from.saturating_sub(1), until + 2) as f64 + 1.0;
        assert!((least..=most).contains(&risen), "{risen} not in {least}..={most}: {trial:#?}");
    }
    let [first, .., last] = &server.samples[..] else { panic!("too few samples") };
    assert!(of(last) - of(first) >= 5.0, "it rises: {trial:#?}");
}

#[test]
fn a_server_that_leaks_memory_with_each_request_is_seen_to() {
    let trial = paced(20).target("a", "--fault leak=1").run(&[]).exits(0).trial("a");
    rises_with_answers(&trial, |sample| sample.rss_bytes as f64 / f64::from(1 << 20));
    let server = server(&trial).1;
    assert!(server.pss_after_bytes > server.pss_before_bytes, "{server:#?}");
    assert!(server.memory_peak_bytes >= server.rss_peak_bytes, "{server:#?}");
}

#[test]
fn a_server_that_leaks_an_open_file_with_each_request_is_seen_to() {
    let trial = paced(20).target("a", "--fault leak-files").run(&[]).exits(0).trial("a");
    rises_with_answers(&trial, |sample| sample.open_files.expect("open files") as f64);
}

#[test]
fn a_thread_that_waits_for_each_request_gives_up_its_cpu_as_often() {
    let trial = paced(50).target("a", "").run(&[]).exits(0).trial("a");
    let (measured, server) = server(&trial);
    let switches = server.context_switches.expect("it keeps its threads");
    assert!((1.0..measured.window_seconds + 1.0).contains(&switches.seconds), "{trial:#?}");
    // Requests are 20 ms apart, so each is waited for, and by hardly anybody else.
    let per_request = switches.voluntary as f64 / (50.0 * switches.seconds);
    assert!((0.5..4.0).contains(&per_request), "{per_request}: {trial:#?}");
}

#[test]
fn watching_many_processes_and_threads_costs_little() {
    // 64 processes of 4 threads each.
    let mut ways = vec![vec!["env"]];
    ways.extend(hidden::control_groups());
    for through in ways {
        let bench = paced(20).through(&through).target("a", "--fault family=0,63,0,3");
        let trial = bench.run(&[]).exits(0).trial("a");
        let (measured, server) = server(&trial);
        assert_eq!(server.processes_peak, Some(64), "{trial:#?}");
        assert!(server.threads_peak >= Some(64 * 4 - 3), "{trial:#?}");
        watched_at_little_cost(measured);
    }
}

/// Holds what watching cost to a share of a core. A build for tests is several times as slow as what users run.
fn watched_at_little_cost(measured: &Measured) {
    let host = measured.host.as_ref().expect("the machine was read");
    let observer_us = host.observer_us.expect("our threads can be read");
    // Read one after the other.
    let ours_us = host.ours_us.expect("our process can be read");
    assert!(observer_us <= ours_us + 1000, "{host:#?}");
    let share = observer_us as f64 / 1e6 / host.seconds;
    assert!(share < 0.08, "{share}: {host:#?}");
}

#[test]
fn watching_a_daemon_without_a_control_group_costs_little() {
    const DAEMON: &str = r#"sh -c '"$@" & exit 0' sh"#;
    let Some(through) = hidden::control_groups() else { return };
    let bench = Bench::new()
        .through(&through)
        .load("connections = 1\nrequests = 100\nat-most = \"60s\"")
        .target_behind("a", DAEMON, "--fault delay=20");
    let trial = bench.run(&[]).exits(0).trial("a");
    let (measured, server) = server(&trial);
    assert_eq!((measured.good, server.processes_peak), (100, Some(1)), "{trial:#?}");
    watched_at_little_cost(measured);
}

#[test]
fn all_that_is_ours_runs_on_the_generators_cpus() {
    let bench = Bench::new().policy("measure = \"1m\"").target("a", "");
    let mut running = bench.start(&[]);
    running.event("trial_started");
    let server = bench.pid("a.pid");
    let process = |pid| processes::find(pid).expect("it runs");
    until("it is under load", || Some(process(server)).filter(|it| it.threads > 4));
    let keeper = process(server).parent;
    let mut threads = 0;
    let mut cpus = BTreeSet::new();
    for pid in [running.pid(), keeper] {
        let states = processes::thread_states(pid);
        threads += states.len();
        cpus.extend(
            states
                .into_iter()
                .flat_map(|state| affinity::parse_list(&state.cpus).expect("a list").into_iter()),
        );
    }
    running.signal(Signal::INT);
    let planned = running.outcome().exits(130).record().info.cpus.generator;
    assert!(threads >= 4, "the run, its sampler, its load and the keeper: {threads}");
    let cpus: Vec<u32> = cpus.iter().map(|cpu| u32::try_from(*cpu).expect("small")).collect();
    assert_eq!(cpus, planned);
}
