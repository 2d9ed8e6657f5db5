//! Two runs compared by the binary: what it prints, and how it ends. Runs are made up, of what is committed of them alone.

use serde_json::{Value, json};

use crate::support::{Bench, Outcome};

/// Points of seven rounds lie by so much off their level.
const WOBBLE: [f64; 7] = [0.004, -0.003, 0.001, 0.005, -0.005, 0.0, -0.002];

/// A row with levels of right answers per second and of CPU time per answer, and their ratios to the control.
fn row(target: &str, goodput: f64, cpu: f64, noise: f64) -> Value {
    let figure = |level: f64| {
        let points: Vec<f64> = WOBBLE.iter().map(|off| level * (1.0 + off)).collect();
        json!({ "mean": level, "low": level * 0.99, "high": level * 1.01, "points": points })
    };
    let against = |level: f64, control: f64| json!({ "mean": (level / control).ln(), "deviation": noise, "rounds": 7 });
    let mut row = json!({
        "workload": "hello", "load": "c64", "target": target, "measured": 7, "failed": 0, "cores_allowed": 1,
        "goodput_per_second": figure(goodput), "cpu_us_per_request": figure(cpu),
    });
    if target != "c" {
        row["versus_control"] =
            json!({ "goodput": against(goodput, 1e5), "cpu": against(cpu, 8.0) });
    }
    row
}

/// The control, and rows that have these levels.
fn rows(others: &[(&str, f64, f64)]) -> Vec<Value> {
    let others = others.iter().map(|(target, goodput, cpu)| row(target, *goodput, *cpu, 0.005));
    std::iter::once(row("c", 1e5, 8.0, 0.0)).chain(others).collect()
}

/// A run of the matrix `it` of which only `summary.json` is there; it becomes the latest.
fn put(bench: &Bench, id: &str, control: Option<&str>, cells: &[Value]) {
    let date = |time: &str| format!("{}-{}-{}T{time}Z", &id[..4], &id[4..6], &id[6..8]);
    let labels: Vec<&Value> = cells.iter().map(|cell| &cell["target"]).collect();
    let targets: Vec<Value> =
        labels.iter().map(|label| json!({ "label": label, "command": "./server" })).collect();
    let summary = json!({
        "schema": 1,
        "run": {
            "schema": 1, "id": id, "name": "it", "orchestrate": "orchestrate 0.1.0", "finished_at": date("12:10:00"),
            "started_at": date("12:00:00"), "matrix": "", "matrix_sha256": "aa", "matrix_path": "it.toml",
            "seed": 7, "partial": false,
            "policy": {
                "rounds": 7, "max_rounds": 7, "warm_up_seconds": 2.0, "warm_up_max_seconds": 15.0,
                "measure_seconds": 3.0, "order": "shuffled", "reference": "c", "control": control,
                "min_effect": 0.02, "retry_noisy": 1,
            },
            "tables": [{
                "workload": "hello", "load": "c64", "load_words": "64 connections, closed loop",
                "request": "GET /", "rank_by": "goodput", "rows": labels,
            }],
            "targets": targets,
            "host": { "cpu_model": "EPYC", "architecture": "x86_64", "kernel": format!("Linux {id}") },
            "cpus": { "server": [0], "generator": [1], "shared": false, "shared_core": false },
        },
        "versions": { "go": "1.26.8" },
        "cells": cells,
    });
    bench.write(&format!("results/it/{id}/summary.json"), &summary.to_string());
    bench.write("results/it/latest", &format!("{id}\n"));
}

const BASE: [(&str, f64, f64); 3] =
    [("go/a", 5e4, 16.0), ("go/<b>|`", 4e4, 20.0), ("go/d", 3e4, 27.0)];

/// Two runs: one as it was, and one with other levels.
fn bench(new: &[(&str, f64, f64)]) -> Bench {
    let bench = Bench::new();
    put(&bench, "20260101", Some("c"), &rows(&BASE));
    put(&bench, "20260102", Some("c"), &rows(new));
    bench
}

fn compare(bench: &Bench, options: &[&str]) -> Outcome {
    let words = ["compare", "latest~1", "latest", "--results", "results"];
    bench.orchestrate(&[&words, options].concat())
}

#[test]
fn a_regression_and_what_is_unclear_have_exit_codes_for_who_asks() {
    let alike = BASE;
    let mut worse = BASE;
    worse[0].1 *= 0.9;
    let mut unclear = BASE;
    unclear[1].2 *= 1.022;
    let both = [worse[0], unclear[1], BASE[2]];
    for (new, options, code) in [
        (alike, &[][..], 0),
        (alike, &["--fail-on", "regression,unclear"], 0),
        (worse, &[], 0),
        (worse, &["--fail-on", "regression"], 10),
        (worse, &["--fail-on", "unclear"], 0),
        (worse, &["--fail-on", "regression", "--threshold", "20%"], 0),
        (worse, &["--fail-on", "regression", "--metric", "cpu"], 0),
        (unclear, &["--fail-on", "regression"], 0),
        (unclear, &["--fail-on", "unclear"], 11),
        (both, &["--fail-on", "unclear,regression"], 10),
        (worse, &["--fail-on", "regression", "--between", "5%"], 0),
        (worse, &["--fail-on", "unclear", "--between", "5%"], 11),
    ] {
        let outcome = compare(&bench(&new), options);
        assert_eq!(outcome.code, Some(code), "{options:?} {outcome:#?}");
        assert_eq!(outcome.stderr, "", "{outcome:#?}");
    }
}

#[test]
fn a_row_that_fails_now_is_a_regression_and_one_that_is_gone_is_none() {
    let bench = bench(&BASE[..2]);
    compare(&bench, &["--fail-on", "regression,unclear"]).exits(0);
    let mut cells = rows(&BASE);
    cells[3] = json!({
        "workload": "hello", "load": "c64", "target": "go/d", "measured": 0, "failed": 7, "cores_allowed": 0,
        "reason": "failed in verify: 404 where 200 was expected",
    });
    put(&bench, "20260103", Some("c"), &cells);
    let outcome =
        bench.orchestrate(&["compare", "it/20260101", "it", "--fail-on", "regression"]).exits(10);
    assert!(
        outcome.stdout.contains("go/d       fails     failed in verify: 404"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn without_a_control_figures_are_told_and_nothing_is_compared() {
    let bench = Bench::new();
    for id in ["20260101", "20260102"] {
        put(&bench, id, None, &rows(&BASE));
    }
    let outcome = compare(&bench, &[]).exits(0);
    for part in [
        "not comparable: neither run has a control",
        "\nhint: name a target",
        "4 not comparable",
        "50,000",
    ] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {}", outcome.stdout);
    }
    // Who compared nothing must not be told that all is well.
    compare(&bench, &["--fail-on", "regression"]).exits(4);
    compare(&bench, &["--fail-on", "regression,unclear"]).exits(11);
}

#[test]
fn what_is_doubtful_comes_first_and_then_the_worst_row() {
    let mut new = BASE;
    new[2].1 *= 0.9;
    insta::assert_snapshot!(compare(&bench(&new), &[]).exits(0).stdout, @r"
    it: 20260102 compared with 20260101
    decided by right answers/s and CPU/answer as ratios to the control c of each run; smaller differences than 2 % do not matter
    to be doubted, since the runs differ or bear caveats:
      kernel: Linux 20260101, now Linux 20260102

    hello · 64 connections, closed loop
      target     verdict   right answers/s before       now                    ratio   CPU/answer before      now                         ratio
      go/d       worse                     30,000    27,000   0.900 (0.895 to 0.905)               27 us    27 us   1.000 (0.994 to 1.006) same
      go/a       same                      50,000    50,000   1.000 (0.994 to 1.006)               16 us    16 us        1.000 (0.994 to 1.006)
      go/<b>|`   same                      40,000    40,000   1.000 (0.994 to 1.006)               20 us    20 us        1.000 (0.994 to 1.006)
      c          control                  100,000   100,000   1.000 (0.996 to 1.004)              8.0 us   8.0 us        1.000 (0.996 to 1.004)
      the control c did not move by more than its rounds scatter: +0.0 % (-0.4 to +0.4) in right answers/s and +0.0 % (-0.4 to +0.4) in CPU/answer

    1 worse, 2 same
    ");
}

#[test]
fn a_comment_on_a_pull_request_is_short_and_no_name_breaks_it() {
    let mut new = BASE;
    new[1].1 *= 0.9;
    let outcome = compare(&bench(&new), &["--format", "md", "--fail-on", "regression"]).exits(10);
    insta::assert_snapshot!(outcome.stdout, @r"
    **it: 1 worse, 2 same**

    20260102 compared with 20260101; decided by right answers/s and CPU/answer as ratios to the control c of each run; smaller differences than 2 % do not matter

    To be doubted, since the runs differ or bear caveats:

    - kernel: Linux 20260101, now Linux 20260102

    **hello · 64 connections, closed loop**

    | target           | verdict | right answers/s before |    now |                  ratio | CPU/answer before |   now |                       ratio |
    |------------------|---------|-----------------------:|-------:|-----------------------:|------------------:|------:|----------------------------:|
    | go/&lt;b&gt;\|\` | worse   |                 40,000 | 36,000 | 0.900 (0.895 to 0.905) |             20 us | 20 us | 1.000 (0.994 to 1.006) same |

    the control c did not move by more than its rounds scatter: +0.0 % (-0.4 to +0.4) in right answers/s and +0.0 % (-0.4 to +0.4) in CPU/answer

    <details><summary>all rows</summary>

    **hello · 64 connections, closed loop**

    | target           | verdict | right answers/s before |     now |                  ratio | CPU/answer before |    now |                       ratio |
    |------------------|---------|-----------------------:|--------:|-----------------------:|------------------:|-------:|----------------------------:|
    | go/&lt;b&gt;\|\` | worse   |                 40,000 |  36,000 | 0.900 (0.895 to 0.905) |             20 us |  20 us | 1.000 (0.994 to 1.006) same |
    | go/a             | same    |                 50,000 |  50,000 | 1.000 (0.994 to 1.006) |             16 us |  16 us |      1.000 (0.994 to 1.006) |
    | go/d             | same    |                 30,000 |  30,000 | 1.000 (0.994 to 1.006) |             27 us |  27 us |      1.000 (0.994 to 1.006) |
    | c                | control |                100,000 | 100,000 | 1.000 (0.996 to 1.004) |            8.0 us | 8.0 us |      1.000 (0.996 to 1.004) |

    the control c did not move by more than its rounds scatter: +0.0 % (-0.4 to +0.4) in right answers/s and +0.0 % (-0.4 to +0.4) in CPU/answer

    </details>
    ");
}

#[test]
fn as_an_object_it_holds_every_figure() {
    let mut new = BASE;
    new[0].1 *= 0.9;
    let outcome = compare(&bench(&new), &["--format", "json"]).exits(0);
    let value: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!((&value["schema"], &value["base"]["id"]), (&json!(1), &json!("20260101")));
    let row = &value["tables"][0]["rows"][1];
    assert_eq!((&row["target"], &row["change"]), (&json!("go/a"), &json!("worse")));
    let figure = &row["figures"][0];
    assert_eq!((&figure["metric"], &figure["change"]), (&json!("goodput"), &json!("worse")));
    let ratio = figure["ratio"]["mean"].as_f64().expect("a ratio");
    assert!((ratio - 0.9).abs() < 1e-9, "{row}");
    assert_eq!(value["doubts"][0]["what"], "kernel: Linux 20260101, now Linux 20260102");
}

#[test]
fn what_is_not_there_or_is_no_figure_is_told_before_anything_is_compared() {
    let bench = bench(&BASE);
    bench.orchestrate(&["compare", "latest~7", "latest"]).exits(4).says(&[
        "`latest~7` is not there: ",
        " has 2 complete runs",
        "hint: name runs as",
    ]);
    bench.orchestrate(&["compare", "it", "none"]).exits(4).says(&["`none` names no run"]);
    compare(&bench, &["--metric", "godput,beauty"]).exits(2).says(&[
        "rows are not compared by `godput`",
        "did you mean `goodput`? they are compared by goodput, cpu, p50,",
        "rows are not compared by `beauty`",
    ]);
    for options in [&["--threshold", "100%"][..], &["--between", "x"], &["--fail-on", "faults"]] {
        compare(&bench, options).exits(2);
    }
}

#[test]
fn a_run_is_not_compared_with_itself_and_a_later_base_is_the_first_doubt() {
    let bench = bench(&BASE);
    let words = |base, new| ["compare", base, new, "--results", "results"];
    bench
        .orchestrate(&words("it/20260102", "it"))
        .exits(2)
        .says(&["both runs are 20260102", "hint: name two runs"]);
    let outcome = bench.orchestrate(&words("it", "latest~1")).exits(0);
    let told = "or bear caveats:\n  the base run was made after the new one: ";
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
}

#[test]
fn what_a_control_did_is_the_machines_unless_it_was_built_from_something_else() {
    let told = |digest: &str| {
        let bench = Bench::new();
        let with = |level: f64, digest: &str| {
            let mut cells = rows(&BASE);
            cells[0] = row("c", level, 8.0, 0.0);
            cells[0]["source_digest"] = json!(digest);
            cells
        };
        put(&bench, "20260101", Some("c"), &with(1e5, "one"));
        put(&bench, "20260102", Some("c"), &with(9e4, digest));
        compare(&bench, &[]).exits(0).stdout
    };
    let (machines, own) = (told("one"), told("two"));
    for (text, part) in [
        (&machines, "the control c moved by -10.0 % ("),
        (&machines, "in CPU/answer: that is the machine, and is taken off all others"),
        (&own, "in CPU/answer: as it was built from something else, that may be its own doing"),
        (&own, "] c — it was built from something else in the new run"),
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert!(!own.contains("that is the machine"), "{own}");
}

#[test]
fn rows_are_chosen_as_elsewhere_and_their_verdicts_stay() {
    let mut new = BASE;
    new[0].1 *= 0.9;
    let bench = bench(&new);
    let fails =
        |options: &[&str]| compare(&bench, &[&["--fail-on", "regression"], options].concat());
    let outcome = fails(&["--target", "go/*", "--target", "!go/a"]).exits(0);
    assert!(!outcome.stdout.contains("go/a") && outcome.stdout.contains("go/d"), "{outcome:#?}");
    assert!(outcome.stdout.ends_with("\n2 same\n"), "{}", outcome.stdout);
    fails(&["--workload", "hel*", "--load", "c64"]).exits(10);
    fails(&["--workload", "none"])
        .exits(4)
        .says(&["no row of the comparison matches `none`", "there is `hello`"]);
    fails(&["--load", "[x"]).exits(2).says(&["is no pattern"]);
}

#[test]
fn what_a_history_of_ten_runs_knows_of_a_row_widens_its_interval() {
    let bench = Bench::new();
    let days = |last: u32, bench: &Bench| {
        for day in 1..=last {
            let mut levels = BASE;
            // One row differs from day to day by much more than its rounds tell.
            levels[0].1 *= if day % 2 == 0 { 1.04 } else { 0.96 };
            levels[2].1 *= if day == last { 0.9 } else { 1.0 };
            put(bench, &format!("202001{day:02}"), Some("c"), &rows(&levels));
        }
    };
    let change = |bench: &Bench, target: &str| {
        let told = compare(bench, &["--format", "json"]).exits(0).stdout;
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let rows = told["tables"][0]["rows"].as_array().expect("rows").clone();
        let row = rows.into_iter().find(|row| row["target"] == target).expect("a row");
        (row["change"].as_str().expect("a change").to_owned(), told["history_runs"].clone())
    };
    days(9, &bench);
    assert_eq!(change(&bench, "go/a"), ("worse".to_owned(), Value::Null));
    days(13, &bench);
    assert_eq!(change(&bench, "go/a"), ("unclear".to_owned(), json!(13)));
    assert_eq!(change(&bench, "go/d").0, "worse");
    let outcome = compare(&bench, &["--between", "0.1%"]).exits(0);
    assert!(outcome.stdout.contains("2 worse"), "{}", outcome.stdout);
    let outcome = compare(&bench, &[]).exits(0);
    let told = "; by how much rows differ from run to run is known from 13 runs";
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
}

#[test]
fn two_runs_with_a_control_are_compared_as_they_are_made() {
    // Windows of less than a second are too short to be ranked.
    let bench = Bench::new().rounds(2).policy("measure = \"1s\"").policy("control = \"c\"");
    let bench = bench.target("c", "").target("a", "");
    for _ in 0..2 {
        bench.run(&[]).exits(0);
    }
    let outcome = compare(&bench, &["--format", "json"]).exits(0);
    let value: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(value["hindrance"], Value::Null, "{value:#}");
    let rows = value["tables"][0]["rows"].as_array().expect("rows");
    assert_eq!((&rows[0]["target"], &rows[0]["change"]), (&json!("c"), &json!("control")));
    // What a busy machine makes of it is not told here, only that it is compared.
    assert!(rows[1]["figures"][0]["ratio"]["mean"].is_f64(), "{value:#}");
    assert!(outcome.file("tables.md").contains("control c"), "{outcome:#?}");
}
