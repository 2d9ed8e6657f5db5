//! Runs that were cut off are gone on with: what stays of them is what may stand beside the rest, and all else is made again.

use std::fs;
use std::path::PathBuf;

use orchestrate::record::store::{self, Run};
use orchestrate::record::trial::TrialRecord;
use rustix::process::Signal;

use crate::support::{Bench, Outcome, Running};

/// Two rounds of three targets, in the order of the matrix.
fn three() -> Bench {
    let bench = Bench::new().rounds(2).policy("order = \"as-written\"");
    bench.target("a", "").target("b", "").target("c", "")
}

/// Starts a run, and kills it after so many trials.
fn killed_after(bench: &Bench, trials: usize, options: &[&str]) {
    let mut running = bench.start(options);
    for _ in 0..trials {
        running.event("trial_ended");
    }
    kill(running);
}

fn kill(running: Running<'_>) {
    running.signal(Signal::KILL);
    running.end();
}

/// What a file of a run is written over with.
type Rewritten = fn(String) -> String;

/// The folder of the only run.
fn folder(bench: &Bench) -> PathBuf {
    let runs = bench.runs();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.into_iter().next().expect("a run")
}

/// Puts one text in the place of another in a file of the only run, as if that had been written then.
fn rewrite(bench: &Bench, file: &str, change: impl Fn(String) -> String) {
    let path = folder(bench).join(file);
    let before = fs::read_to_string(&path).expect("a file");
    let after = change(before.clone());
    assert_ne!(before, after, "nothing was changed");
    fs::write(&path, after).expect("written");
}

fn resumed(bench: &Bench) -> Outcome {
    bench.run(&["--resume"]).exits(0)
}

/// Round, label and session of each trial that counts, as `1a1 1b1`.
fn trials(run: &Run) -> String {
    let word = |trial: &TrialRecord| format!("{}{}{}", trial.round, trial.label(), trial.session);
    run.trials.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_that_was_killed_is_gone_on_with_in_its_folder_and_every_trial_is_made_once() {
    let bench = three();
    killed_after(&bench, 2, &["--seed", "11"]);
    let before = store::read(&folder(&bench)).expect("a run");
    assert_eq!((before.info.finished_at.is_none(), trials(&before)), (true, "1a1 1b1".to_owned()));
    let outcome = resumed(&bench).says(&["2 trials on file", "kept 2 trials; 4 trials ahead"]);
    let run = outcome.record();
    assert_eq!(trials(&run), "1a1 1b1 1c2 2a2 2b2 2c2");
    assert_eq!((run.superseded, folder(&bench)), (0, before.folder));
    let [resumption] = &run.info.resumptions[..] else { panic!("{:#?}", run.info.resumptions) };
    assert_eq!((resumption.session, resumption.kept, resumption.again.len()), (2, 2, 0));
    assert_eq!(resumption.boot_id, run.info.host.boot_id);
    assert!(run.info.is_finished() && run.info.seed == 11);
    assert_eq!(run.info.started_at, before.info.started_at);
    // Its selection is its own: it is partial for the seed alone.
    assert_eq!((run.info.partial, &run.info.overrides[..]), (true, &["--seed 11".to_owned()][..]));
    assert!(outcome.stdout.contains("resumed 1 time, last on"), "{}", outcome.stdout);
    let events = outcome.file("events.ndjson");
    let count = |name: &str| events.matches(&format!("\"event\":\"{name}\"")).count();
    assert_eq!((count("run_started"), count("run_resumed"), count("run_ended")), (1, 1, 1));
    // Each trial has a log of its own.
    let logs: std::collections::BTreeSet<_> = run.trials.iter().map(|it| it.log.clone()).collect();
    assert_eq!(logs.len(), 6);
    bench.orchestrate(&["report"]).exits(0);
}

#[test]
fn a_whole_run_that_was_interrupted_becomes_the_latest_once_it_is_finished() {
    let bench = three();
    let mut running = bench.start(&[]);
    running.event("trial_ended");
    running.signal(Signal::INT);
    let told = format!("go on with `orchestrate run {} --resume`", bench.matrix_path().display());
    running.outcome().exits(130).says(&[&told]);
    assert!(!bench.path("results/it/latest").exists());
    let run = resumed(&bench).record();
    assert_eq!((run.trials.len(), run.info.interrupted.clone()), (6, None));
    let latest = fs::read_to_string(bench.path("results/it/latest")).expect("the latest");
    assert_eq!(latest.trim(), run.info.id);
}

#[test]
fn a_line_that_was_torn_is_cut_off_and_its_trial_made_again() {
    let bench = three();
    killed_after(&bench, 3, &[]);
    rewrite(&bench, "trials.ndjson", |text| text[..text.len() - 500].to_owned());
    let outcome =
        resumed(&bench).says(&["the last line of trials.ndjson was torn, and was cut off"]);
    assert_eq!(trials(&outcome.record()), "1a1 1b1 1c2 2a2 2b2 2c2");
}

#[test]
fn a_finished_run_is_left_alone_and_where_there_is_none_that_is_said() {
    let bench = Bench::new().target("a", "");
    bench.run(&["--resume"]).exits(4).says(&["there is no run of `it`", "leave `--resume` out"]);
    let run = bench.run(&[]).exits(0).record();
    let read = |file: &str| fs::read(run.folder.join(file)).expect("a file");
    let before = (read("run.json"), read("trials.ndjson"));
    for words in [&["--resume"][..], &["--resume", &run.info.id]] {
        let said = format!("run {} is finished: there is nothing to go on with", run.info.id);
        let outcome = bench.run(words).exits(0).says(&[&said]);
        assert_eq!((outcome.stdout.as_str(), bench.runs().len()), ("", 1));
    }
    assert_eq!((read("run.json"), read("trials.ndjson")), before);
    bench.run(&["--resume", "20200101"]).exits(4).says(&["`20200101` names no run"]);
}

#[test]
fn the_newest_run_that_is_not_finished_is_taken_unless_one_is_named() {
    let bench = three();
    killed_after(&bench, 1, &[]);
    let old = folder(&bench);
    killed_after(&bench, 1, &[]);
    let of = |outcome: &Outcome, kept: &str| {
        assert!(outcome.stderr.contains(kept), "{outcome:#?}");
        bench
            .runs()
            .into_iter()
            .filter(|run| store::read_info(run).expect("a run").is_finished())
            .collect::<Vec<_>>()
    };
    let finished = of(&resumed(&bench), "kept 1 trial; 5 trials ahead");
    assert!(finished.len() == 1 && finished[0] != old, "{finished:?}");
    let name = old.file_name().expect("an id").to_str().expect("text").to_owned();
    let outcome = bench.run(&["--resume", &name]).exits(0);
    assert_eq!(of(&outcome, &name).len(), 2);
}

#[test]
fn another_matrix_is_refused_with_the_keys_that_changed_and_comments_are_none() {
    let bench = three();
    killed_after(&bench, 1, &[]);
    let bench = bench.toml("# to be gone on with");
    let mut running = bench.start(&["--resume"]);
    running.event("trial_ended");
    kill(running);
    let bench = bench.policy("measure = \"301ms\"").target("d", "");
    let parts = ["it differs in `run.measure`, `target.d`", "put that back to go on"];
    bench.run(&["--resume"]).exits(6).says(&parts);
    assert_eq!(store::read(&folder(&bench)).expect("a run").trials.len(), 2);
}

#[test]
fn what_was_chosen_of_a_matrix_is_chosen_again_and_cannot_be_chosen_otherwise() {
    let bench = three();
    let options = ["--target", "!b", "--target", "[ab]*", "--rounds", "3", "--measure", "310ms"];
    killed_after(&bench, 1, &options);
    let run = resumed(&bench).record();
    assert_eq!(trials(&run), "1a1 2a2 3a2");
    assert!((run.info.policy.measure_seconds - 0.31).abs() < 1e-9 && run.info.partial);
    let said = "the argument '--resume [<RUN>]' cannot be used with '--rounds <N>'";
    bench.run(&["--resume", "--rounds", "2"]).exits(2).says(&[said]);
}

/// Two tables of two targets of which one has sources.
fn with_sources() -> Bench {
    Bench::new()
        .rounds(2)
        .policy("order = \"as-written\"")
        .toml("[[workload]]\nname = \"root\"\nexpect.status = 200")
        .target_with("a", "", "workloads = [\"hello\", \"root\"]")
        .folder("b", "", "workloads = [\"root\"]")
        .file("targets/b/main.c", "one")
}

#[test]
fn a_target_whose_sources_changed_is_measured_again_with_the_tables_it_is_in() {
    let bench = with_sources();
    killed_after(&bench, 5, &[]);
    let before = store::read(&folder(&bench)).expect("a run");
    assert_eq!(trials(&before), "1a1 1a1 1b1 2a1 2a1");
    bench.write("targets/b/main.c", "two");
    let said =
        ["again root c4 round 1: `b`: its sources have changed", "kept 2 trials; 4 trials ahead"];
    let outcome = resumed(&bench).says(&said);
    let run = outcome.record();
    assert_eq!(trials(&run), "1a1 2a1 1a2 1b2 2a2 2b2");
    // They are on file still, and the run says why they do not count.
    assert_eq!(run.superseded, 3);
    let again: Vec<_> =
        run.info.resumptions[0].again.iter().map(|it| (&*it.workload, &it.rounds[..])).collect();
    assert_eq!(again, [("root", &[1][..]), ("root", &[2][..])]);
    assert!(!outcome.stdout.contains("other-session"), "{}", outcome.stdout);
    assert_eq!(outcome.file("trials.ndjson").lines().count(), 9);
}

#[test]
fn a_round_that_was_cut_off_long_ago_or_before_a_restart_is_measured_again() {
    let another_date = |text: String| {
        let year = text.split("\"started_at\":\"").nth(1).expect("a date")[..4].to_owned();
        let before = (year.parse::<u32>().expect("a year") - 1).to_string();
        text.replace(&format!("_at\":\"{year}-"), &format!("_at\":\"{before}-"))
    };
    // The clock that nobody sets counts from the start of the machine; this makes it longer ago.
    let long_ago = |text: String| {
        let clock = "\"finished_boot_seconds\":";
        text.replace(clock, &format!("{clock}-100000"))
    };
    let another_boot = |text: String| {
        let boot = text.split("\"boot_id\": \"").nth(1).expect("a boot")[..36].to_owned();
        text.replace(&boot, "00000000-0000-0000-0000-000000000000")
    };
    let cases: [(&str, Rewritten, &str); 2] = [
        ("trials.ndjson", long_ago, "it was cut off more than 10 min ago"),
        ("run.json", another_boot, "it was cut off, and the machine was started anew since"),
    ];
    for (file, change, reason) in cases {
        let bench = three();
        killed_after(&bench, 5, &[]);
        rewrite(&bench, file, change);
        let said = format!("again hello c4 round 2: {reason}");
        let run = resumed(&bench).says(&[&said, "kept 3 trials"]).record();
        assert_eq!((trials(&run), run.superseded), ("1a1 1b1 1c1 2a2 2b2 2c2".to_owned(), 2));
    }
    // A date that was set meanwhile is none of its business.
    let bench = three();
    killed_after(&bench, 5, &[]);
    rewrite(&bench, "trials.ndjson", another_date);
    resumed(&bench).says(&["kept 5 trials"]);
}

#[test]
fn another_processor_is_refused_and_another_way_of_measuring_starts_over() {
    let bench = three();
    killed_after(&bench, 2, &[]);
    let info = store::read_info(&folder(&bench)).expect("a run");
    let model = info.host.cpu_model.expect("a processor");
    rewrite(&bench, "run.json", |text| text.replace(&model, "Abacus"));
    let parts =
        ["the processor was Abacus and is ", "figures of two machines cannot stand in one table"];
    bench.run(&["--resume"]).exits(6).says(&parts);
    rewrite(&bench, "run.json", |text| text.replace("Abacus", &model));
    rewrite(&bench, "run.json", |text| text.replace("\"measuring\": 1", "\"measuring\": 0"));
    let run =
        resumed(&bench).says(&["measures otherwise", "kept 0 trials; 6 trials ahead"]).record();
    assert_eq!((run.trials.len(), run.superseded, run.info.measuring), (6, 2, 1));
    assert!(run.trials.iter().all(|trial| trial.session == 2));
}

#[test]
fn a_run_that_is_being_made_is_not_made_by_two() {
    let bench = three();
    let mut running = bench.start(&[]);
    running.event("trial_ended");
    let matrix = bench.matrix_path().display().to_string();
    let words = ["run", &matrix, "--share-machine", "--resume"];
    bench
        .orchestrate_beside(&words)
        .exits(6)
        .says(&["is being made by another process", "wait for it"]);
    running.outcome().exits(0);
    assert_eq!(trials(&store::read(&folder(&bench)).expect("a run")), "1a1 1b1 1c1 2a1 2b1 2c1");
}

#[test]
fn services_are_there_again_for_those_that_need_them() {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .rounds(2)
        .service("db", "", "targets = [\"a\"]")
        .target("a", "")
        .target("b", "");
    killed_after(&bench, 2, &[]);
    let run = resumed(&bench).record();
    assert_eq!(trials(&run), "1a1 1b1 2a2 2b2");
    let mut of_a = run.trials.iter().filter(|trial| trial.label() == "a");
    assert!(of_a.all(|trial| trial.services.contains_key("db")), "{:#?}", run.trials);
}

#[test]
fn a_further_round_that_was_cut_off_is_finished() {
    let bench = Bench::new()
        .rounds(2)
        .policy("max-rounds = 3")
        .policy("order = \"as-written\"")
        // Rows of shorter windows are not ranked, and are worth no round.
        .policy("measure = \"1s\"")
        .policy("min-effect = \"0.0001%\"")
        .target("a", "")
        .target("b", "--fault delay=5");
    killed_after(&bench, 5, &[]);
    let run = resumed(&bench).says(&["kept 5 trials"]).record();
    assert_eq!(trials(&run), "1a1 1b1 2a1 2b1 3a1 3b2");
}
