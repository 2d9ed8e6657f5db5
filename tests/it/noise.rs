//! What measuring itself makes of a target: one cell, measured in two guises through the same rounds.
//!
//! Figures are the machine's; what is asserted is who was measured how, what is kept of it, and what is said.

use orchestrate::record::run::Purpose;

use crate::support::{Bench, Outcome};

fn noise(bench: &Bench, options: &[&str]) -> Outcome {
    let words = [&["noise", "it.toml", "--share-machine"], options].concat();
    bench.orchestrate(&words)
}

#[test]
fn a_target_is_measured_with_the_sampler_and_without_in_every_round() {
    // Rows of shorter windows are not ranked, and tell nothing of noise.
    let bench = Bench::new().policy("measure = \"1s\"").target("a", "").target("b", "");
    let outcome = noise(&bench, &["--rounds", "5", "--seed", "3"]).exits(0);
    let run = outcome.record();
    assert_eq!(run.info.purpose, Some(Purpose::Noise));
    assert_eq!(run.info.tables[0].rows, ["a", "a+again", "a+sampler-off"]);
    assert_eq!(run.info.policy.reference, "a+sampler-off");
    assert_eq!(run.trials.len(), 15);
    let mut firsts = Vec::new();
    for round in run.trials.chunks(3) {
        assert_eq!(round[0].round, round[1].round);
        firsts.push(round[0].label());
        for trial in round {
            let server = trial.measured().and_then(|it| it.server.as_ref()).expect("measured");
            assert_eq!(trial.is_sampled, trial.label() != "a+sampler-off", "{trial:#?}");
            assert_eq!(server.samples.is_empty(), !trial.is_sampled, "{server:#?}");
            assert_eq!(server.rss_peak_bytes.is_some(), trial.is_sampled);
            assert!(server.cpu_us_per_request.is_some() && server.pss_after_bytes.is_some());
            let absent = &trial.measured().expect("measured").absent;
            let reason = absent.get("rss_peak_bytes").map(String::as_str).unwrap_or_default();
            assert_eq!(reason.contains("the sampler was off"), !trial.is_sampled, "{absent:?}");
        }
    }
    assert!(firsts.iter().any(|first| *first != firsts[0]), "always the same first: {firsts:?}");
    for part in [
        "what this machine can see: a · hello · 4 connections, closed loop · 5 rounds of 1 s",
        "one thing under two names",
        "noise floor: differences under ",
        "with the sampler and without",
        "right answers/s: ",
        "CPU/answer: ",
        " (95 %: ",
    ] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {outcome:#?}");
    }
    let is_told = |line: &str| {
        [
            "cannot be told from nothing; an effect of ",
            "the sampler costs ",
            "the sampler adds ",
            "better with the sampler",
        ]
        .iter()
        .any(|words| line.contains(words))
    };
    assert_eq!(outcome.stdout.lines().filter(|line| is_told(line)).count(), 2, "{outcome:#?}");
    // All rows are the same program, built once.
    assert_eq!(run.trials[0].source_digest, run.trials[1].source_digest);
}

#[test]
fn the_target_the_workload_and_the_load_can_be_chosen() {
    let bench = Bench::new()
        .toml("[[load]]\nname = \"c2\"\nconnections = 2\ntimeout = \"30s\"")
        .target("a", "")
        .target("b", "");
    let options = ["--rounds", "1", "--target", "b", "--load", "c2"];
    let outcome = noise(&bench, &options).exits(0);
    assert_eq!(outcome.record().info.tables[0].rows, ["b", "b+again", "b+sampler-off"]);
    assert!(outcome.stdout.contains("2 connections"), "{outcome:#?}");
    assert!(outcome.stdout.contains("one round shows no cost"), "{outcome:#?}");
    noise(&bench, &["--target", "c"]).exits(4).says(&["no target matches `c`"]);
}

#[test]
fn a_measurement_of_noise_is_kept_and_is_never_the_latest() {
    let bench = Bench::new().target("a", "");
    let outcome = noise(&bench, &["--measure", "200ms"]).exits(0);
    assert!(!bench.path("results/it/latest").exists());
    let folder = outcome.folder().display().to_string();
    let report = bench.orchestrate(&["report", &folder]).exits(0);
    for part in ["a+sampler-off", "repeat: orchestrate noise it.toml --measure 200ms", "partial"] {
        assert!(report.stdout.contains(part), "no `{part}` in {report:#?}");
    }
}

#[test]
fn a_run_for_less_than_the_machine_was_measured_to_see_is_refused_unless_any_will_do() {
    let bench = Bench::new().policy("min-effect = \"0.001%\"").policy("measure = \"1s\"");
    let bench = bench.target("a", "").target("b", "");
    // Nothing is known yet.
    bench.run(&["--rounds", "1"]).exits(0);
    noise(&bench, &["--rounds", "5"]).exits(0);
    let refused = bench.run(&["--rounds", "5"]).exits(2);
    refused.says(&[
        "`min-effect` is 0.0 %, and differences under ",
        "cannot be told from none here in 5 rounds",
        "a on hello under c4",
        "hint: raise `min-effect`, make more rounds or longer windows, or run with `--any-effect`",
    ]);
    bench.run(&["--rounds", "1", "--any-effect"]).exits(0);
    // Nothing is known of longer windows, nor of what was not measured.
    bench.run(&["--rounds", "1", "--measure", "1100ms"]).exits(0);
    let bench = bench.load("name = \"c2\"\nconnections = 2\ntimeout = \"30s\"");
    bench.run(&["--rounds", "1"]).exits(0);
}

#[test]
fn a_target_that_fails_has_no_cost_and_says_why() {
    let bench = Bench::new().target("a", "--fault exit-at-start=1");
    let outcome = noise(&bench, &[]).exits(5);
    assert!(outcome.stdout.contains("not measured: a: failed in ready"), "{outcome:#?}");
}
