//! Runs that measure only what changed since another, and take over the rest.

use std::path::PathBuf;

use orchestrate::outcome::Doubt;
use orchestrate::record::store::{self, Run};
use orchestrate::record::summary::CellSummary;
use orchestrate::record::trial::TrialRecord;
use orchestrate::report::summarise::summarise;
use rustix::process::Signal;

use crate::support::Bench;

/// Two rounds of a reference and two targets of which one has sources.
fn bench() -> Bench {
    Bench::new()
        .rounds(2)
        .policy("order = \"as-written\"")
        .target("base", "")
        .folder("b", "", "")
        .file("targets/b/main.c", "one")
        .folder("c", "", "")
        .file("targets/c/main.c", "one")
}

/// The id of the only run.
fn first_run(bench: &Bench) -> String {
    bench.run(&[]).exits(0).record().info.id
}

/// The run that is not this one.
fn other_than(bench: &Bench, id: &str) -> Run {
    let others: Vec<PathBuf> = bench.runs().into_iter().filter(|run| !run.ends_with(id)).collect();
    let [folder] = &others[..] else { panic!("{others:?}") };
    store::read(folder).expect("a run")
}

/// Round and label of each trial, with a star if it was taken over.
fn trials(run: &Run) -> String {
    let word = |trial: &TrialRecord| {
        let star = if trial.taken_from.is_some() { "*" } else { "" };
        format!("{}{}{star}", trial.round, trial.label())
    };
    run.trials.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn row(run: &Run, label: &str) -> CellSummary {
    summarise(run).cells.into_iter().find(|cell| cell.target == label).expect(label)
}

#[test]
fn only_what_changed_is_measured_beside_the_reference_and_the_rest_is_taken_over() {
    let bench = bench();
    let id = first_run(&bench);
    bench.write("targets/b/main.c", "two");
    let outcome = bench.run(&["--update", &id]).exits(0);
    let told = format!("measuring what changed since {id}");
    let outcome = outcome.says(&[
        &told,
        "again hello c4 base: others are compared with it",
        "again hello c4 b: its sources have changed",
        "kept 4 trials; 4 trials ahead",
    ]);
    let run = other_than(&bench, &id);
    assert_eq!(trials(&run), "1base* 2base* 1c* 2c* 3base 3b 4base 4b");
    assert!(run.trials.iter().filter_map(|it| it.taken_from.as_ref()).all(|from| *from == id));
    let base = run.info.base.as_ref().expect("a base");
    assert_eq!((&base.id, base.rounds, base.taken, base.anew.len()), (&id, 2, 4, 2));
    // Each is compared with the reference over the rounds in which both were measured, and with nothing else.
    for (label, points, is_doubted) in [("base", 4, false), ("b", 2, false), ("c", 2, true)] {
        let row = row(&run, label);
        let figure = row.goodput_per_second.as_ref().expect("measured");
        assert_eq!(figure.points.len(), points, "{label}");
        let ratio = row.versus.as_ref().expect("a ratio");
        assert_eq!(ratio.ratio.points.len(), points, "{label}");
        let doubts: Vec<Doubt> = row.caveats.iter().map(|caveat| caveat.caveat).collect();
        assert_eq!(doubts.contains(&Doubt::OtherSession), is_doubted, "{label}: {doubts:?}");
    }
    assert!(outcome.stdout.contains(&format!("c — other-session: taken over from run {id}")));
    assert!(
        outcome.stdout.contains("2 rounds of 300 ms") && !outcome.stdout.contains("/4"),
        "{outcome:#?}"
    );
    // It is no run of all rows, so that it is named by who wants it.
    let latest = std::fs::read_to_string(bench.path("results/it/latest")).expect("the latest");
    assert_eq!((run.info.partial, latest.trim()), (true, id.as_str()));
}

#[test]
fn where_nothing_has_changed_nothing_is_measured_and_no_run_is_left() {
    let bench = bench();
    let id = first_run(&bench);
    bench.run(&["--update", &id]).exits(0).says(&["nothing has changed since that run"]);
    assert_eq!(bench.runs().len(), 1);
    bench.run(&["--update", "none"]).exits(4).says(&["`none` names no run"]);
}

#[test]
fn rows_that_failed_or_were_not_there_are_measured_and_a_changed_reference_takes_its_tables_with_it()
 {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .toml("[[workload]]\nname = \"root\"\nexpect.status = 200")
        .target_with("base", "", "workloads = [\"hello\"]")
        .target("c", "")
        .target("bad", "--fault exit-at-start=3");
    bench.run(&[]).exits(5);
    let id = store::read_info(&bench.runs()[0]).expect("a run").id;
    let with_more = bench.target_with("new", "", "workloads = [\"root\"]");
    let outcome = with_more.run(&["--update", &id]).exits(5).says(&[
        "again hello c4 bad: it failed: it ended before it was ready: exit code 3",
        "again root c4 new: it was not measured",
    ]);
    let run = other_than(&with_more, &id);
    assert_eq!(trials(&run), "1base* 1c* 1c* 2base 2bad 2bad 2new", "{outcome:#?}");
    // Another window is another figure, for all.
    std::fs::remove_dir_all(&run.folder).expect("removed");
    let longer = with_more.policy("measure = \"310ms\"");
    longer.run(&["--update", &id]).exits(5).says(&["c: what is asked, or how, has changed"]);
    assert_eq!(
        other_than(&longer, &id).trials.iter().filter(|it| it.taken_from.is_some()).count(),
        0
    );
}

#[test]
fn an_update_that_was_cut_off_is_gone_on_with() {
    let bench = bench();
    let id = first_run(&bench);
    bench.write("targets/b/main.c", "two");
    let mut running = bench.start(&["--update", &id]);
    running.event("trial_ended");
    running.signal(Signal::KILL);
    running.end();
    // What was taken over is not measured here, so that it must be what it was.
    bench.write("targets/c/main.c", "two");
    let said = "took over `c`, and its sources have changed";
    bench.run(&["--resume"]).exits(6).says(&[said, "begin a new run"]);
    bench.write("targets/c/main.c", "one");
    bench.run(&["--resume"]).exits(0).says(&["kept 1 trial; 3 trials ahead"]);
    let run = other_than(&bench, &id);
    assert_eq!(trials(&run), "1base* 2base* 1c* 2c* 3base 3b 4base 4b");
    assert!(run.info.is_finished() && run.info.partial && run.info.base.is_some());
    assert!(row(&run, "c").versus.is_some());
}

#[test]
fn an_update_that_was_cut_off_while_it_was_built_is_passed_over() {
    let bench = Bench::new().target("base", "").target_with("b", "", "build = [\"true\"]");
    let id = first_run(&bench);
    let bench = bench.target_with("slow", "", "build = [\"sleep 100\"]");
    let mut running = bench.start(&["--update", &id]);
    // The second is the slow one.
    running.event("build_started");
    running.event("build_started");
    running.signal(Signal::INT);
    let outcome = running.outcome().exits(130);
    assert!(!outcome.stderr.contains("--resume"), "{}", outcome.stderr);
    let cut = other_than(&bench, &id);
    assert!(cut.trials.is_empty() && !cut.info.can_be_resumed());
    let said = "was cut off before it was known what had changed";
    bench.run(&["--resume", &cut.info.id]).exits(6).says(&[said, &format!("--update {id}")]);
    bench.run(&["--resume"]).exits(0).says(&[&id, "is finished"]);
}
