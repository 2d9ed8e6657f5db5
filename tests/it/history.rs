//! Histories of runs that were never made: what is told, what is remembered, and how a command ends.

use std::fs;

use insta::assert_snapshot;
use orchestrate::record::session::CutShort;
use orchestrate::record::summary::Summary;
use serde_json::Value;

use crate::nights::{Nights, id};
use crate::support::Bench;

#[test]
fn a_run_as_it_is_made_is_a_point_of_its_history() {
    let bench = Bench::new()
        .rounds(2)
        .policy("control = \"a\"")
        .policy("measure = \"1s\"")
        .target("a", "")
        .target("b", "");
    let summary: Summary =
        serde_json::from_str(&bench.run(&[]).exits(0).file("summary.json")).expect("a summary");
    let ratio = summary.cells[1].versus_control["goodput"].mean;
    let words = ["history", "it.toml", "--format", "json"];
    let told: Value =
        serde_json::from_str(&bench.orchestrate(&words).exits(0).stdout).expect("JSON");
    let lines = told["lines"].as_array().expect("lines");
    let line = |target: &str| {
        let is_it = |line: &&Value| line["target"] == target && line["metric"] == "goodput";
        lines.iter().find(is_it).unwrap_or_else(|| panic!("{told:#}"))["series"][0].clone()
    };
    assert_eq!(
        (&line("a")["yardstick"], &line("b")["yardstick"]),
        (&"itself".into(), &"control".into())
    );
    // Whether it counts is up to the machine: the load generator may be its limit.
    if let Some(value) = line("b")["points"][0]["value"].as_f64() {
        assert!((value.ln() - ratio).abs() < 1e-9, "{value} {ratio}");
    }
}

#[test]
fn a_steady_matrix_has_no_regression_and_every_format_tells_so() {
    let nights = Nights::new().until(20, 99);
    for format in ["table", "md", "csv", "json", "html"] {
        let outcome = nights.history(&["--format", format, "--fail-on", "suspected"]).exits(0);
        assert!(outcome.stdout.contains("go/steady"), "{format}: {outcome:#?}");
        assert!(!outcome.stdout.contains("regression suspected"), "{format}: {outcome:#?}");
        assert_eq!(outcome.stderr, "", "{format}");
    }
    assert_eq!(nights.changes(), None);
}

#[test]
fn a_regression_fails_the_history_of_the_run_that_confirms_it_and_no_later_one() {
    let nights = Nights::new().until(17, 17);
    // Once seen it is suspected.
    let suspected = nights.history(&["--fail-on", "confirmed"]).exits(0);
    assert!(suspected.stdout.contains("regression suspected"), "{suspected:#?}");
    nights.history(&["--fail-on", "suspected"]).exits(10);
    assert_eq!(nights.changes(), None);
    let nights = nights.until(18, 17);
    // Without being asked for it is told, and fails nobody.
    let told = nights.history(&[]).exits(0);
    assert!(told.stdout.contains("regression confirmed"), "{told:#?}");
    let failed = nights.history(&["--fail-on", "confirmed"]).exits(10);
    failed.says(&["go/slow: regression confirmed", &id(17), "hint: `orchestrate accept nightly"]);
    let known = &nights.changes().expect("remembered")["changes"][0];
    assert_eq!((&known["target"], &known["told"]), (&"go/slow".into(), &id(18).into()));
    // A job that is tried again fails again; the next night does not.
    nights.history(&["--fail-on", "confirmed"]).exits(10);
    let nights = nights.until(19, 17);
    let next = nights.history(&["--fail-on", "confirmed"]).exits(0);
    assert!(next.stdout.contains("regression confirmed"), "{next:#?}");
}

#[test]
fn without_what_is_remembered_a_regression_fails_until_it_is_accepted() {
    let nights = Nights::new().until(18, 17);
    nights.history(&["--fail-on", "confirmed"]).exits(10);
    fs::remove_file(nights.bench.path("results/nightly/changes.json")).expect("removed");
    let nights = nights.until(19, 17);
    nights.history(&["--fail-on", "confirmed"]).exits(10);
    nights.accept(&["go/steady"]).exits(0).says(&["there is no regression to accept"]);
    let accepted = nights.accept(&["go/slow"]).exits(0);
    assert!(accepted.stdout.contains("go/slow: regression, accepted"), "{accepted:#?}");
    fs::copy(nights.bench.path("results/nightly/changes.json"), nights.bench.path("kept.json"))
        .expect("kept");
    let after = nights.history(&["--fail-on", "suspected,confirmed"]).exits(0);
    assert!(after.stdout.contains("regression, accepted"), "{after:#?}");
    // To look does not change what is remembered.
    let text = |path: &str| fs::read_to_string(nights.bench.path(path)).expect("a file");
    assert_eq!(text("kept.json"), text("results/nightly/changes.json"));
    nights.accept(&["go/none"]).exits(4).says(&["no row", "`go/none`", "`go/slow`"]);
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_told() {
    let nights = Nights::new().until(20, 99);
    fs::write(nights.folder(3).join("summary.json"), "{\"schema\":1,").expect("written");
    fs::write(nights.folder(4).join("summary.json"), "{}").expect("written");
    nights.add(5, 1.0, |summary| summary.schema = 99);
    nights.add(6, 1.0, |summary| "other".clone_into(&mut summary.run.name));
    nights.add(7, 1.0, |summary| summary.run.partial = true);
    nights.add(8, 1.0, |summary| summary.run.interrupted = Some("SIGINT".to_owned()));
    fs::remove_file(nights.folder(9).join("summary.json")).expect("removed");
    fs::write(nights.folder(9).join("run.json"), "{}").expect("written");
    fs::create_dir_all(nights.bench.path("results/nightly/notes")).expect("a folder");
    let outcome = nights.history(&["--fail-on", "confirmed"]).exits(0).says(&[
        &format!("run {} is left out: ", id(3)),
        &format!("run {} is left out: ", id(4)),
        "follows schema 99",
        "it is a run of `other`",
    ]);
    assert!(!outcome.stderr.contains(&id(7)) && !outcome.stderr.contains("notes"), "{outcome:#?}");
    let told = "13 runs of nightly · 2020-11-01 to 2020-11-20 · left out: 1 partial, 1 interrupted, 1 without a \
                summary, 4 not of this matrix or damaged";
    assert!(outcome.stdout.contains(told), "{outcome:#?}");
}

#[test]
fn who_asks_to_fail_is_told_of_newer_runs_that_do_not_count_and_of_a_newest_one_that_cannot_be_read()
 {
    let nights = Nights::new().until(18, 99);
    nights.add(19, 1.0, |summary| summary.run.partial = true);
    nights.add(20, 1.0, |summary| summary.run.cut_short = Some(CutShort::FailFast));
    assert_eq!(nights.history(&[]).exits(0).stderr, "");
    nights.history(&["--fail-on", "confirmed"]).exits(0).says(&[&format!(
        "what is judged is run {}: run {} is newer and left out, as 1 run before it: cut short",
        id(18),
        id(20)
    )]);
    nights.add(21, 1.0, |_| {});
    assert_eq!(nights.history(&["--fail-on", "confirmed"]).exits(0).stderr, "");
    fs::create_dir_all(nights.folder(22)).expect("a folder");
    fs::write(nights.folder(22).join("summary.json"), "{").expect("written");
    let left_out = format!("run {} is left out: ", id(22));
    nights.history(&["--fail-on", "confirmed"]).exits(4).says(&[&left_out]);
    nights.history(&[]).exits(0).says(&[&left_out]);
}

#[test]
fn a_run_that_was_made_with_a_clock_that_goes_ahead_is_left_out() {
    let nights = Nights::new().until(18, 99);
    nights.add(19, 0.5, |summary| {
        summary.run.started_at = "9999-01-01T02:00:00Z".to_owned();
        summary.run.finished_at = Some("9999-01-01T03:00:00Z".to_owned());
    });
    let outcome = nights.history(&["--fail-on", "suspected"]).exits(0);
    assert!(outcome.stdout.contains("left out: 1 dated ahead"), "{outcome:#?}");
    outcome.says(&["is newer and left out: dated ahead"]);
}

#[test]
fn a_matrix_without_runs_or_that_is_not_there_is_nothing() {
    let nights = Nights::new().until(2, 99);
    let other = |matrix: &str| {
        nights.bench.orchestrate(&["history", matrix, "--results", "results"]).exits(4)
    };
    other("nightlies").says(&["no results are those of a matrix `nightlies`", "`nightly`"]);
    fs::create_dir_all(nights.bench.path("results/empty")).expect("a folder");
    other("empty").says(&["no run of `empty` is whole", "holds none at all"]);
    for night in 1..=2 {
        nights.add(night, 1.0, |summary| summary.run.partial = true);
    }
    other("nightly").says(&["no run of `nightly` is whole", "left out: 2 partial"]);
}

#[test]
fn rows_figures_and_the_matrix_are_chosen_as_elsewhere() {
    let nights = Nights::new().until(18, 17);
    let outcome =
        nights.history(&["--target", "go/*", "--target", "!*slow", "--fail-on", "confirmed"]);
    let outcome = outcome.exits(0);
    assert!(!outcome.stdout.contains("go/slow"), "{outcome:#?}");
    let outcome = nights.history(&["--metric", "cpu", "--format", "csv"]).exits(0);
    assert!(!outcome.stdout.contains(",goodput,"), "{outcome:#?}");
    nights
        .history(&["--metric", "cup"])
        .exits(2)
        .says(&["rows are not compared by `cup`", "did you mean `cpu`?"]);
    nights.history(&["--target", "[x"]).exits(2).says(&["is no pattern"]);
    nights.history(&["--load", "none"]).exits(4).says(&["no row of the history matches `none`"]);
    // A matrix by its file: where its results are, and its name.
    let words = "[run]\nname = \"nightly\"\nresults = \"results\"\n[[target]]\nname = \"a\"\ncommand = \"a\"\n";
    nights.bench.write("some.toml", words);
    let outcome = nights.bench.orchestrate(&["history", "some.toml"]).exits(0);
    assert!(outcome.stdout.contains("18 runs of nightly"), "{outcome:#?}");
    nights.bench.orchestrate(&["history", "none.toml"]).exits(2);
    let folder = nights.bench.path("results/nightly").display().to_string();
    nights.bench.orchestrate(&["history", &folder]).exits(0);
}

#[test]
fn who_asks_to_fail_and_judges_nothing_is_not_told_that_all_is_well() {
    let nights = Nights::new().until(18, 17);
    nights.history(&["--metric", "p99", "--fail-on", "confirmed"]).exits(2).says(&["`goodput`"]);
    nights.add(19, 0.9, |summary| {
        summary.run.policy.control = None;
        summary.cells.iter_mut().for_each(|cell| cell.versus_control.clear());
    });
    let outcome = nights.history(&["--fail-on", "confirmed"]).exits(4);
    assert!(outcome.stdout.contains("There is no control"), "{outcome:#?}");
    outcome.says(&["nothing was judged", "hint: `[run] control`"]);
    nights.add(20, 0.9, |summary| {
        for cell in &mut summary.cells {
            cell.versus_control.values_mut().for_each(|it| (it.rounds, it.deviation) = (1, None));
        }
    });
    let outcome = nights.history(&["--fail-on", "confirmed"]).exits(4);
    outcome.says(&["hint: its rows do not count: one round only"]);
    nights.history(&[]).exits(0);
}

#[test]
fn another_machine_begins_a_series_of_its_own_and_raises_no_alarm() {
    let nights = Nights::new().until(18, 99);
    for night in 19..=24 {
        nights.add(night, 0.6, |summary| {
            summary.run.host.cpu_model = Some("Another Processor".to_owned());
        });
    }
    let outcome = nights.history(&["--fail-on", "suspected"]).exits(0);
    assert!(outcome.stdout.contains("to Another Processor"), "{outcome:#?}");
}

#[test]
fn what_is_remembered_is_read_whole_or_nothing_is_told() {
    let nights = Nights::new().until(18, 17);
    nights.bench.write("results/nightly/changes.json", "{\"schema\":1,\"changes\":[{}]}");
    for words in [&["--fail-on", "confirmed"][..], &[]] {
        nights.history(words).exits(1).says(&["changes.json` cannot be read"]);
    }
    nights.accept(&[]).exits(1);
}

#[test]
fn help_of_history_and_accept_tells_what_fails_and_what_is_kept() {
    let help = |verb: &str, option: &str| Bench::new().orchestrate(&[verb, option]).exits(0).stdout;
    assert_snapshot!(help("history", "--help"), @r#"
    Tells what the rows of a matrix did from run to run, and where their level changed

    Usage: orchestrate history [OPTIONS] <MATRIX>

    Arguments:
      <MATRIX>
              The matrix: its file, or its name below the results

    Options:
          --results <DIR>
              The folder of the results, in place of the matrix's; for a name by default `results/`
              beside the nearest Git root, else here

          --target <GLOB>
              Only rows whose target matches; `!GLOB` excludes. Repeatable

          --workload <GLOB>
              Only rows whose workload matches; `!GLOB` excludes. Repeatable

          --load <GLOB>
              Only rows whose load matches; `!GLOB` excludes. Repeatable

          --metric <NAMES>
              The figures: `goodput,cpu` by default; also `p50`, `p99`, `memory` and `startup`, which
              never fail

          --fail-on <STANDING>
              Exits with 10 if a row has a regression that was not told or accepted before

              Possible values:
              - confirmed: Seen in more than one run
              - suspected: Also one that the newest run alone shows

          --format <FORMAT>
              How it is written

              Possible values:
              - table: For a terminal
              - md:    Markdown
              - csv:   One line a run of a row, plain numbers
              - json:  All that is known, as an object
              - html:  One page with a chart for each row
              
              [default: table]

      -q, --quiet
              Says nothing but the history, alarms and errors

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    A history is made of the summary.json of each run that is whole: no selection, nothing cut off. Its
    figures are ratios to the control of each run (`control` in `[run]`); without one they are absolute,
    and no change is called. Another processor, control, load, request, window or choice of CPUs begins
    a
    series of its own.

    A run far off the level before it is suspected. It is confirmed when the next run lies there too, or
    when the change-point algorithm finds it. A confirmed regression of right answers or of CPU per
    answer
    exits with 10 under `--fail-on confirmed`, once: in the history of the run that confirmed it,
    however
    often that is asked for. What was told is kept in changes.json beside the runs, to be committed with
    them; where it is not kept, the exit code is 10 until `orchestrate accept` takes the change for the
    new level. Improvements never fail.
    "#);
    assert_snapshot!(help("accept", "-h"), @r#"
    Takes changes that a history found for the new level: no alarm is raised for them any more

    Usage: orchestrate accept [OPTIONS] <MATRIX> [ROW]...

    Arguments:
      <MATRIX>  The matrix: its file, or its name below the results
      [ROW]...  Labels of targets, or patterns of them: `'go/*'`

    Options:
          --workload <GLOB>  Only rows whose workload matches; `!GLOB` excludes. Repeatable
          --load <GLOB>      Only rows whose load matches; `!GLOB` excludes. Repeatable
          --metric <NAMES>   Only these figures: `goodput,cpu`
          --results <DIR>    The folder of the results, in place of the matrix's; for a name by default
                             `results/` beside the nearest Git root, else here
      -h, --help             Print help
      -V, --version          Print version

    Without ROW every regression that the history tells of is accepted. What was accepted is kept in
    changes.json beside the runs, to be committed with them.
    "#);
}
