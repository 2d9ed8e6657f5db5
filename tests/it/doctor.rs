//! What is said of a machine before anything is measured on it.
//!
//! Machines differ, and so does what is found: what is asserted is what a test has brought about itself, and what holds of
//! any answer.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Bench, Outcome};

/// What was found, and the rest, by their names.
fn judged(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:#?}"))
}

/// What a check has found.
fn found(judged: &Value, check: &str) -> Vec<Value> {
    let findings = judged["findings"].as_array().expect("a list");
    findings.iter().filter(|finding| finding["check"] == check).cloned().collect()
}

/// The words of the only thing that a check has found, which must be as bad as that.
fn words(judged: &Value, check: &str, severity: &str) -> String {
    match &found(judged, check)[..] {
        [one] if one["severity"] == severity => one["found"].as_str().expect("words").to_owned(),
        other => panic!("{check}: {other:#?} in {judged:#}"),
    }
}

#[test]
fn every_check_says_what_it_found_and_the_worst_stand_first() {
    let bench = Bench::new();
    let outcome = bench.orchestrate(&["doctor", "--quiet"]).exits(0);
    assert!(!bench.path("results").exists(), "nothing is written");
    let heads = ["spoils ", "blurs ", "note ", "unknown ", "fine "];
    let lines: Vec<(usize, &str)> = outcome
        .stdout
        .lines()
        .filter_map(|line| {
            let rank = heads.iter().position(|head| line.starts_with(head))?;
            Some((rank, line[heads[rank].len()..].trim_start().split(':').next()?))
        })
        .collect();
    assert!(lines.is_sorted_by_key(|(rank, _)| *rank), "{lines:?}");
    let names: BTreeSet<&str> = lines.iter().map(|(_, name)| *name).collect();
    // Those for tools and ports need a matrix.
    assert_eq!(names.len(), 34, "{names:?}");
    for name in ["cpus", "governor", "steal", "clock", "containment", "listen-queue", "disk"] {
        assert!(names.contains(name), "{names:?}");
    }
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/machine.md");
    let page = std::fs::read_to_string(page).expect("a page");
    for name in names.iter().chain(&["tools", "fixed-ports"]) {
        assert!(page.contains(&format!("`{name}`")), "{name} is not on the page");
    }
    let found = lines.iter().filter(|(rank, _)| *rank < 3).count();
    let said = |head: &str| outcome.stdout.matches(head).count();
    assert_eq!(said("\n        mend: ") + said("\n        cannot be mended here: "), found);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn strict_is_at_fault_exactly_where_something_spoils() {
    let bench = Bench::new();
    let outcome = bench.orchestrate(&["doctor", "--strict"]);
    let is_spoilt = outcome.stdout.lines().any(|line| line.starts_with("spoils "));
    outcome.exits(if is_spoilt { 5 } else { 0 }).says(&["looking at this machine"]);
    // A build for tests is one that spoils; a build for measuring is not.
    let outcome = bench.orchestrate(&["doctor", "--format", "json"]).exits(0);
    assert_eq!(found(&judged(&outcome), "build").len(), usize::from(cfg!(debug_assertions)));
}

#[test]
fn json_holds_all_that_is_told() {
    let judged = judged(&Bench::new().orchestrate(&["doctor", "--format", "json"]).exits(0));
    assert_eq!(judged["schema"], 1);
    for finding in judged["findings"].as_array().expect("a list") {
        for key in ["check", "severity", "found", "why"] {
            assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{finding:#}");
        }
        let kind = finding["remedy"]["kind"].as_str().expect("a kind");
        assert!(["command", "advice", "none_here"].contains(&kind), "{finding:#}");
        assert!(finding["remedy"]["text"].is_string(), "{finding:#}");
    }
    for (list, key) in [("unknown", "reason"), ("fine", "found")] {
        for one in judged[list].as_array().expect("a list") {
            assert!(one["check"].is_string() && one[key].is_string(), "{one:#}");
        }
    }
}

#[test]
fn a_matrix_is_looked_at_for_its_tools_its_ports_and_its_connections() {
    let held = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = held.local_addr().expect("an address").port();
    let bench = Bench::new()
        .load("name = \"all\"\nconnections = 100000")
        .file("toolchains.toml", "")
        .target_with("a", "", &format!("port = {port}\nstop-grace = \"1s\""));
    let outcome = bench.orchestrate(&["doctor", "it.toml", "--format", "json"]).exits(0);
    let judged = judged(&outcome);
    let me = std::process::id();
    let said = words(&judged, "fixed-ports", "spoils");
    assert!(said.contains(&format!("port {port} of a is in use by pid {me}")), "{said}");
    // No range of ports has room for so many with some to spare.
    let said = words(&judged, "local-ports", "spoils");
    assert!(said.contains("100,000 connections of load `all`"), "{said}");
    let room = std::fs::read_to_string("/proc/sys/net/core/somaxconn").expect("a setting");
    if room.trim().parse::<u64>().expect("a number") < 100_000 {
        let said = words(&judged, "listen-queue", "spoils");
        assert!(said.contains("100,000 connections of load `all`"), "{said}");
    }
    let of_other = bench.orchestrate(&["doctor", "it.toml", "--target", "b"]).exits(4);
    of_other.says(&["no target matches `b`"]).starts_nothing();
}

#[test]
fn a_tool_that_a_target_needs_and_that_is_not_there_spoils() {
    let repository = env!("CARGO_MANIFEST_DIR");
    let from = format!("{repository}/targets/go/net-http");
    let bench = Bench::new()
        .matrix(&format!("[[target]]\nfrom = {}\n", toml::Value::String(from)))
        .env("PATH", "/nowhere".into());
    let outcome = bench.orchestrate(&["doctor", "it.toml", "--format", "json"]).exits(0);
    let said = words(&judged(&outcome), "tools", "spoils");
    assert!(said.contains("go is missing") && said.contains("needed by go/net-http"), "{said}");
}

#[test]
fn a_run_that_holds_the_machine_is_named_and_not_disturbed() {
    let bench = Bench::new().policy("measure = \"100s\"").target("a", "");
    let mut running = bench.start_alone(&[]);
    running.event("trial_started");
    let outcome = bench.orchestrate_beside(&["doctor", "--format", "json"]).exits(0);
    let said = words(&judged(&outcome), "another-run", "spoils");
    assert!(said.contains(&format!("pid {}", running.pid())), "{said}");
    // It goes on for as long as it is let.
    running.signal(Signal::INT);
    running.outcome().exits(130);
    let outcome = bench.orchestrate(&["doctor", "--format", "json"]).exits(0);
    assert_eq!(found(&judged(&outcome), "another-run"), [Value::Null; 0]);
}

/// A program that keeps a CPU busy until it is let go of.
struct Spinner(Child);

impl Drop for Spinner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_program_that_uses_a_cpu_is_found() {
    let spin = Command::new("sh")
        .args(["-c", "while :; do :; done"])
        .stdin(Stdio::null())
        .spawn()
        .expect("a shell");
    let spinner = Spinner(spin);
    let outcome = Bench::new().orchestrate(&["doctor", "--format", "json"]).exits(0);
    let judged = judged(&outcome);
    let said = match &found(&judged, "other-programs")[..] {
        [one] => one["found"].as_str().expect("words").to_owned(),
        other => panic!("{other:#?} in {judged:#}"),
    };
    // Where many others are at work too it may be one of those that are counted and not named.
    let pid = spinner.0.id();
    assert!(said.contains(&format!("pid {pid} (`sh -c")) || said.contains(" more "), "{said}");
}

#[test]
fn standing_back_behind_other_programs_is_found() {
    let bench = Bench::new().through(&["nice", "-n", "5"]);
    let outcome = bench.orchestrate(&["doctor", "--format", "json"]).exits(0);
    let said = words(&judged(&outcome), "niceness", "blurs");
    assert!(said.contains("niceness "), "{said}");
}

#[test]
fn a_machine_without_control_groups_and_without_pressure_is_judged_all_the_same() {
    let script =
        "mount -t tmpfs none /sys/fs/cgroup && mount -t tmpfs none /proc/pressure && exec \"$@\"";
    let hidden = ["unshare", "--mount", "sh", "-c", script, "sh"];
    let mut probe = Command::new(hidden[0]);
    let is_allowed = probe.args(&hidden[1..]).arg("true").output();
    if !is_allowed.is_ok_and(|output| output.status.success()) {
        return;
    }
    let bench = Bench::new().through(&hidden);
    let judged = judged(&bench.orchestrate(&["doctor", "--format", "json"]).exits(0));
    let said = words(&judged, "containment", "blurs");
    assert!(said.contains("no control group"), "{said}");
    let unknown = judged["unknown"].as_array().expect("a list").iter();
    let unknown: Vec<_> = unknown.filter_map(|one| one["check"].as_str()).collect();
    assert!(unknown.contains(&"cpu-quota"), "a quota that cannot be read is not none: {unknown:?}");
    // What stood still is not known, and the load average stands in for it.
    let lately = |list: &str| {
        let all = judged[list].as_array().expect("a list").iter();
        all.filter(|one| one["check"] == "lately").map(Value::to_string).collect::<String>()
    };
    let said = lately("findings") + &lately("fine");
    assert!(said.contains("load average"), "{said}");
}

#[test]
fn a_selection_without_a_matrix_and_a_matrix_that_is_none_are_faults_of_the_words() {
    let bench = Bench::new();
    let outcome = bench.orchestrate(&["doctor", "--target", "a"]).exits(2);
    outcome.says(&["select from a matrix", "orchestrate doctor MATRIX"]).starts_nothing();
    bench.orchestrate(&["doctor", "nowhere.toml"]).exits(2).says(&["nowhere.toml"]);
}
