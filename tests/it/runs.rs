//! A run as a whole: its order, what makes it partial, which is the latest, and what it tells on the way.

use serde_json::Value;

use crate::support::{Bench, Outcome};

/// Six targets that fail soon: their order is all that matters.
fn six() -> Bench {
    ["a", "b", "c", "d", "e", "f"]
        .into_iter()
        .fold(Bench::new().rounds(2), |bench, name| bench.target(name, "--fault exit-at-start=1"))
}

fn order(outcome: &Outcome) -> Vec<(u32, u32, String)> {
    let trials = outcome.record().trials;
    trials.iter().map(|trial| (trial.round, trial.position, trial.label())).collect()
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_seed_another() {
    let bench = six();
    let [one, again, other] =
        ["7", "7", "8"].map(|seed| order(&bench.run(&["--seed", seed]).exits(5)));
    assert_eq!(one, again);
    assert_ne!(one, other);
    let labels = |order: &[(u32, u32, String)], round: u32| -> Vec<String> {
        order.iter().filter(|it| it.0 == round).map(|it| it.2.clone()).collect()
    };
    for round in [1, 2] {
        let mut labels = labels(&one, round);
        labels.sort_unstable();
        assert_eq!(labels, ["a", "b", "c", "d", "e", "f"], "every round has every cell once");
    }
    assert_ne!(labels(&one, 1), labels(&one, 2), "every round has an order of its own");
}

#[test]
fn a_seed_that_nobody_set_is_drawn_and_recorded_and_repeats_the_run() {
    let bench = six();
    let drawn = bench.run(&[]).exits(5);
    let seed = drawn.record().info.seed.to_string();
    assert!(drawn.stdout.contains(&format!("--seed {seed}")), "{drawn:#?}");
    assert_eq!(order(&bench.run(&["--seed", &seed])), order(&drawn));
}

#[test]
fn an_order_as_written_is_kept_in_every_round() {
    let order = order(&six().policy("order = \"as-written\"").run(&[]));
    let labels: String = order.into_iter().map(|it| it.2).collect();
    assert_eq!(labels, "abcdefabcdef");
}

#[test]
fn a_partial_run_is_marked_and_does_not_become_the_latest() {
    let bench = Bench::new().target("a", "").target("b", "");
    let latest = || std::fs::read_to_string(bench.path("results/it/latest")).ok();
    let partial = bench.run(&["--target", "a"]).exits(0).record();
    assert!(partial.info.partial);
    assert_eq!(partial.info.overrides, ["--target 'a'"]);
    assert_eq!(latest(), None);
    let whole = bench.run(&[]).exits(0).record();
    assert!(!whole.info.partial && whole.info.overrides.is_empty());
    assert_eq!(latest(), Some(format!("{}\n", whole.info.id)));
    let partial = bench.run(&["--measure", "200ms", "--target", "a"]).exits(0).record();
    assert!(partial.info.partial);
    assert_eq!(partial.info.overrides, ["--target 'a'", "--measure 200ms"]);
    assert_eq!(latest(), Some(format!("{}\n", whole.info.id)));
}

#[test]
fn a_run_of_a_profile_does_not_hide_one_without() {
    let bench = Bench::new().target("a", "").toml("[profile.quick]\nmeasure = \"100ms\"");
    let latest = || std::fs::read_to_string(bench.path("results/it/latest")).expect("a run");
    let quick = || {
        let outcome = bench.run(&["--profile", "quick"]).exits(0);
        (outcome.record().info.id, outcome.stderr)
    };
    let (first, said) = quick();
    assert!(latest().trim() == first && !said.contains("`latest` stays"), "{said}");
    let whole = bench.run(&[]).exits(0).record().info;
    assert!(!whole.partial && latest().trim() == whole.id);
    let (_, said) = quick();
    assert_eq!(latest().trim(), whole.id);
    let told = format!("`latest` stays at run {}, which is made without a profile", whole.id);
    assert!(said.contains(&told), "{said}");
}

#[test]
fn a_run_in_which_nothing_was_measured_does_not_become_the_latest() {
    let bench = Bench::new().target("a", "--fault exit-at-start=1");
    bench.run(&[]).exits(5);
    assert!(!bench.path("results/it/latest").exists());
}

#[test]
fn every_trial_has_a_server_and_a_port_of_its_own() {
    let bench = Bench::new().rounds(2).target("a", "");
    let trials = bench.run(&[]).exits(0).record().trials;
    assert_eq!(trials.len(), 2);
    assert_ne!(trials[0].port, trials[1].port);
    for trial in &trials {
        assert_eq!(bench.counts(trial).requests, trial.requests.total(), "{trial:#?}");
    }
}

#[test]
fn a_target_that_does_not_offer_a_workload_has_a_row_that_says_so() {
    let bench = Bench::new()
        .toml("[[workload]]\nname = \"json\"\npath = \"/json\"")
        .target_with("a", "", "workloads = [\"hello\"]")
        .target("b", "");
    let outcome = bench.run(&[]).exits(0);
    assert!(outcome.stdout.contains("not offered"), "{outcome:#?}");
    assert_eq!(outcome.record().trials.len(), 3);
}

#[test]
fn results_of_a_run_are_kept_out_of_a_repository_where_they_are_large() {
    let bench = Bench::new().target("a", "");
    let outcome = bench.run(&["--results", "elsewhere"]).exits(0);
    assert!(!bench.path("results").exists(), "{outcome:#?}");
    let ignored = std::fs::read_to_string(bench.path("elsewhere/.gitignore")).expect("a file");
    assert_eq!(ignored, "trials.ndjson\nevents.ndjson\nlogs/\n");
}

#[test]
fn events_are_one_json_object_a_line_from_start_to_end() {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .target("a", "")
        .target("b", "--fault exit-at-start=1");
    let path = bench.path("events").display().to_string();
    let outcome = bench.run(&["--events", &path]).exits(5);
    let text = std::fs::read_to_string(&path).expect("events");
    let events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(events.iter().all(|event| event["schema"] == 1 && event["at"].is_string()));
    let mut names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    names.retain(|name| !["swept", "trial_at"].contains(name));
    let stages: Vec<&str> = events
        .iter()
        .skip_while(|event| event["event"] != "trial_at")
        .take_while(|event| event["event"] == "trial_at")
        .filter_map(|event| event["stage"].as_str())
        .collect();
    let known = ["start", "ready", "verify", "warm-up", "window", "stop"];
    assert!(stages.is_sorted_by_key(|stage| known.iter().position(|it| it == stage)), "{stages:?}");
    let mut seen = stages.clone();
    seen.dedup();
    assert_eq!(seen, known, "the first was measured");
    let trial = ["trial_started", "trial_ended"];
    assert_eq!(names, [&["run_started"], &trial[..], &trial[..], &["run_ended"]].concat());
    assert!(text.ends_with(&outcome.file("events.ndjson")), "the run's folder keeps them too");
}

#[test]
fn a_quiet_run_says_its_tables_and_nothing_else() {
    let outcome = Bench::new().target("a", "").run(&["--quiet"]).exits(0);
    assert_eq!(outcome.stderr, "");
    assert!(outcome.stdout.starts_with("hello · 4 connections, closed loop · 1 round of 300 ms\n"));
}

#[test]
fn events_on_standard_output_are_not_mixed_with_tables() {
    let outcome = Bench::new().target("a", "").run(&["--events", "-"]).exits(0);
    for line in outcome.stdout.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "no JSON: {line}");
    }
}

#[test]
fn whoever_does_not_read_events_holds_up_no_run() {
    let bench = Bench::new().target("a", "");
    let pipe = bench.path("pipe").display().to_string();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let outcome = bench.run(&["--events", &pipe]).exits(0);
    assert!(outcome.file("events.ndjson").contains("run_ended"), "{outcome:#?}");
}

#[test]
fn a_file_that_may_grow_no_more_is_told_and_ends_nobody_unsaid() {
    let bench =
        Bench::new().through(&["sh", "-c", "ulimit -f 1 && exec \"$0\" \"$@\""]).target("a", "");
    bench.run(&[]).exits(1).says(&["cannot write", "File too large"]);
}

#[test]
fn a_target_with_another_right_answer_than_its_workload_is_measured_and_doubted() {
    let bench = Bench::new().target("like-all", "").target_with(
        "other",
        "--fault wrong-length",
        "expect.hello.length = 12",
    );
    let outcome = bench.run(&[]).exits(0);
    let run = outcome.record();
    let doubts = |label: &str| -> Vec<String> {
        let trial = run.trials.iter().find(|trial| trial.label() == label).expect(label);
        assert!(trial.measured().is_some_and(|measured| measured.good > 0), "{trial:#?}");
        trial.caveats.iter().map(|caveat| caveat.caveat.to_string()).collect()
    };
    assert!(!doubts("like-all").contains(&"unequal-response".to_owned()));
    assert!(doubts("other").contains(&"unequal-response".to_owned()));
    let said = "its own `expect` takes for right what the workload does not: 12 bytes where 11 were expected";
    assert!(outcome.stdout.contains(said), "{}", outcome.stdout);
}

#[test]
fn further_rounds_are_made_while_an_interval_is_wide_and_no_more_than_are_allowed() {
    let bench = |min_effect: &str, load: &str| {
        Bench::new()
            .rounds(2)
            .policy("max-rounds = 4")
            // Rows of shorter windows are not ranked, and are worth no round.
            .policy("measure = \"1s\"")
            .policy(&format!("min-effect = \"{min_effect}\""))
            .load(&format!("name = \"c4\"\nconnections = 64\ntimeout = \"30s\"\n{load}"))
            .target("a", "")
            .target("b", "--fault delay=5")
    };
    // What a server can do is not the same twice to a millionth, and a rate is met nearly the same.
    let (loose, strict) = (bench("99%", "rate = 200\nrank-by = \"goodput\""), bench("0.0001%", ""));
    let wide = strict.run(&[]).exits(0);
    let rounds = |outcome: &Outcome| outcome.record().trials.iter().map(|it| it.round).max();
    assert_eq!(rounds(&wide), Some(4), "{wide:#?}");
    let wide = wide.says(&["round 3 too: hello c4 b is known to ±", "[8/8] round 4 "]);
    let narrow = loose.run(&[]).exits(0);
    assert_eq!(rounds(&narrow), Some(2), "{narrow:#?}");
    // A run that was made of more rounds is whole, and says how many.
    assert!(narrow.stdout.contains("2 rounds of"), "{narrow:#?}");
    assert!(wide.stdout.contains("4 rounds of"), "{wide:#?}");
    let results = wide.folder().parent().expect("the matrix's folder");
    assert!(results.join("latest").is_file());
}
