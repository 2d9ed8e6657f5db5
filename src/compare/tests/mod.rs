//! What is told of two runs that are made up.

mod against;
mod bounds;
mod doubts;
mod lacking;
mod many;

use serde_json::json;

use super::{Comparison, Row, Settings, Spreads, compare};
use crate::judge::metric::Metric;
use crate::outcome::{Change, Doubt};
use crate::record::summary::{CellSummary, Figure, LogRatio, Summary};
use crate::record::trial::Caveat;
use crate::stats::geometric::GeometricMean;

/// Points of seven rounds lie by so much off their level.
const WOBBLE: [f64; 7] = [0.004, -0.003, 0.001, 0.005, -0.005, 0.000, -0.002];

/// A run of one table with these rows and the control `c`.
pub(super) fn summary(cells: Vec<CellSummary>) -> Summary {
    let rows: Vec<&str> = cells.iter().map(|cell| cell.target.as_str()).collect();
    let targets: Vec<_> = rows
        .iter()
        .map(|label| json!({ "label": label, "command": "./server", "are_sources_known": true }))
        .collect();
    let run = json!({
        "schema": 1, "id": "20261130T120000000Z-0007", "name": "it", "orchestrate": "orchestrate 0.1.0",
        "started_at": "2026-11-30T12:00:00Z", "matrix": "", "matrix_sha256": "aa", "matrix_path": "it.toml",
        "seed": 7, "partial": false,
        "policy": {
            "rounds": 7, "max_rounds": 7, "warm_up_seconds": 2.0, "warm_up_max_seconds": 15.0,
            "measure_seconds": 3.0, "order": "shuffled", "reference": "c", "control": "c",
            "min_effect": 0.02, "retry_noisy": 1,
        },
        "tables": [{
            "workload": "hello", "load": "c64", "load_words": "64 connections, closed loop",
            "request": "GET /", "rank_by": "goodput", "rows": rows,
        }],
        "targets": targets,
        "host": { "cpu_model": "EPYC", "architecture": "x86_64" },
        "cpus": { "server": [0], "generator": [1], "shared": false, "shared_core": false },
    });
    let run = serde_json::from_value(run).expect("a run");
    Summary { schema: 1, run, versions: [].into(), noise: Vec::new(), cells }
}

/// Seven points about a level, in a pattern that begins somewhere else for each row.
fn points(level: f64, shift: usize) -> Vec<f64> {
    (0..7).map(|round| level * (1.0 + WOBBLE[(round + shift) % 7])).collect()
}

fn figure(points: &[f64]) -> Figure {
    let mean = GeometricMean::of(points).expect("positive");
    let (low, high) = mean.interval.unzip();
    Figure { mean: mean.mean, low, high, points: points.to_vec() }
}

/// The control and other rows, each with the levels of all its figures in the order of the metrics.
fn rows(levels: &[(&str, [f64; 6])]) -> Vec<CellSummary> {
    let of = |at: usize, metric: usize| points(levels[at].1[metric], at + metric);
    let row = |at: usize| {
        let mut cell = CellSummary {
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            target: levels[at].0.to_owned(),
            measured: 7,
            ..CellSummary::default()
        };
        let figures = [0, 1, 2, 3, 4, 5].map(|metric| Some(figure(&of(at, metric))));
        [
            cell.goodput_per_second,
            cell.cpu_us_per_request,
            cell.response_time_p50_us,
            cell.response_time_p99_us,
            cell.rss_peak_bytes,
            cell.startup_ms,
        ] = figures;
        for (place, metric) in Metric::ALL.iter().enumerate().filter(|_| at > 0) {
            let ratios: Vec<f64> = of(at, place)
                .iter()
                .zip(of(0, place))
                .map(|(row, control)| row / control)
                .collect();
            let ratio = LogRatio::of(&ratios).expect("positive");
            cell.versus_control.insert(metric.name.to_owned(), ratio);
        }
        cell
    };
    (0..levels.len()).map(row).collect()
}

const CONTROL: [f64; 6] = [100_000.0, 8.0, 500.0, 900.0, 2e6, 3.0];
const A: [f64; 6] = [50_000.0, 16.0, 1000.0, 2500.0, 9e6, 30.0];

/// The control and `a`, as a level may be changed by factors.
fn pair(factors: [f64; 6]) -> Vec<CellSummary> {
    let mut levels = A;
    levels.iter_mut().zip(factors).for_each(|(level, factor)| *level *= factor);
    rows(&[("c", CONTROL), ("a", levels)])
}

fn alike() -> Vec<CellSummary> {
    pair([1.0; 6])
}

fn compared(base: &Summary, new: &Summary) -> Comparison {
    compare(base, new, &Settings::of(new))
}

/// What became of the row `a`.
fn of_a(base: Vec<CellSummary>, new: Vec<CellSummary>) -> Row {
    row_of(&compared(&summary(base), &summary(new)), "a")
}

fn row_of(comparison: &Comparison, target: &str) -> Row {
    comparison.rows().find(|row| row.target == target).expect(target).clone()
}

#[test]
fn what_decides_makes_a_row_worse_or_better_in_its_own_direction() {
    for (goodput, cpu, change) in [
        (1.0, 1.0, Change::Same),
        (0.9, 1.0, Change::Worse),
        (1.1, 1.0, Change::Better),
        (1.0, 1.1, Change::Worse),
        (1.0, 0.9, Change::Better),
        (1.2, 1.1, Change::Worse),
        // Beyond what matters by less than the interval reaches.
        (0.978, 1.0, Change::Unclear),
        (1.2, 0.978, Change::Unclear),
    ] {
        let row = of_a(alike(), pair([goodput, cpu, 1.0, 1.0, 1.0, 1.0]));
        assert_eq!(row.change, change, "{goodput} {cpu} {row:#?}");
        let ratio = row.figures[0].ratio.expect("comparable");
        assert!((ratio.mean - goodput).abs() < 1e-9 && ratio.low < goodput && goodput < ratio.high);
    }
}

#[test]
fn what_the_control_does_too_is_the_machines() {
    let slower = |levels: [f64; 6]| levels.map(|level| level * 0.92);
    let new = rows(&[("c", slower(CONTROL)), ("a", slower(A))]);
    let comparison = compared(&summary(alike()), &summary(new));
    assert_eq!(row_of(&comparison, "a").change, Change::Same);
    let control = row_of(&comparison, "c");
    assert_eq!(control.change, Change::Control);
    for figure in &control.figures {
        let ratio = figure.ratio.expect("measured in both");
        assert!((ratio.mean - 0.92).abs() < 1e-9 && ratio.high < 0.95, "{figure:?}");
        assert_eq!(figure.change, None);
    }
}

#[test]
fn other_figures_inform_and_decide_where_they_are_asked_to() {
    let new = summary(pair([1.0, 1.0, 1.0, 1.3, 1.0, 0.5]));
    let base = summary(alike());
    let row = row_of(&compared(&base, &new), "a");
    assert_eq!(row.change, Change::Same);
    let changes: Vec<_> = row.figures.iter().map(|it| (it.metric, it.decides, it.change)).collect();
    assert_eq!(changes[3], ("p99", false, Some(Change::Worse)));
    assert_eq!(changes[5], ("startup", false, Some(Change::Better)));
    let p99 = Settings { decides: vec![Metric::named("p99")], ..Settings::of(&new) };
    assert_eq!(row_of(&compare(&base, &new, &p99), "a").change, Change::Worse);
    let loose = Settings { min_effect: 0.5, ..p99 };
    assert_eq!(row_of(&compare(&base, &new, &loose), "a").change, Change::Same);
}

#[test]
fn what_sessions_are_known_to_differ_by_leaves_a_small_change_open() {
    let (base, new) = (summary(alike()), summary(pair([0.95, 1.0, 1.0, 1.0, 1.0, 1.0])));
    let known = Settings { between: Some(0.015), ..Settings::of(&new) };
    assert_eq!(row_of(&compared(&base, &new), "a").change, Change::Worse);
    assert_eq!(row_of(&compare(&base, &new, &known), "a").change, Change::Unclear);
}

#[test]
fn what_a_history_knows_of_a_row_widens_its_own_interval_alone() {
    let (base, new) = (summary(alike()), summary(pair([0.95, 0.9, 1.0, 1.0, 1.0, 1.0])));
    let mut spreads = Spreads::of_runs(12);
    spreads.add(["hello", "c64", "a"], Metric::named("goodput"), 0.015);
    spreads.add(["hello", "c64", "b"], Metric::named("cpu"), 0.5);
    let known = Settings { spreads, ..Settings::of(&new) };
    let comparison = compare(&base, &new, &known);
    assert_eq!(comparison.history_runs, Some(12));
    let figures = row_of(&comparison, "a").figures;
    let told: Vec<_> = figures.iter().take(2).map(|it| (it.between, it.change)).collect();
    assert_eq!(told, [(Some(0.015), Some(Change::Unclear)), (None, Some(Change::Better))]);
    // What is typed goes before it.
    let typed = Settings { between: Some(0.0), ..known };
    let comparison = compare(&base, &new, &typed);
    assert_eq!(row_of(&comparison, "a").figures[0].change, Some(Change::Worse));
    assert_eq!(comparison.history_runs, None);
}

#[test]
fn without_the_same_control_on_the_same_sort_of_machine_nothing_is_comparable() {
    let with = |change: fn(&mut Summary)| {
        let mut summary = summary(alike());
        change(&mut summary);
        summary
    };
    let plain = || with(|_| {});
    let without = || with(|it| it.run.policy.control = None);
    let hinders = |base: Summary, new: Summary, what: &str| {
        let comparison = compared(&base, &new);
        let hindrance = comparison.hindrance.as_ref().expect(what);
        assert!(hindrance.what.starts_with(what), "{hindrance:?}");
        assert!(!hindrance.hint.is_empty());
        for row in comparison.rows() {
            assert_eq!((row.change, row.figures[0].ratio), (Change::NotComparable, None), "{what}");
            assert!(row.figures[0].base.is_some(), "figures are told all the same");
        }
    };
    hinders(without(), without(), "neither run has a control");
    hinders(without(), plain(), "the base run has no control");
    hinders(plain(), without(), "the new run has no control");
    let other_control = with(|it| it.run.policy.control = Some("a".to_owned()));
    hinders(plain(), other_control, "the control was `c`, and is `a`");
    let other_model = with(|it| it.run.host.cpu_model = Some("Xeon".to_owned()));
    hinders(plain(), other_model, "the CPU model was EPYC, and is Xeon");
    let no_model = with(|it| it.run.host.cpu_model = None);
    hinders(no_model, plain(), "the CPU model was unknown, and is EPYC");
    let other_architecture = with(|it| it.run.host.architecture = "aarch64".to_owned());
    hinders(plain(), other_architecture, "the architecture was x86_64, and is aarch64");
}

#[test]
fn whether_a_row_is_there_and_measured_is_told_before_its_figures() {
    let with = |change: fn(&mut CellSummary)| {
        let mut cells = alike();
        change(&mut cells[1]);
        cells
    };
    let failed = || {
        with(|cell| {
            (cell.measured, cell.failed) = (0, 7);
            cell.reason = Some("failed in verify: 404".to_owned());
        })
    };
    let skipped = || {
        with(|cell| {
            cell.measured = 0;
            cell.reason = Some("not installed: go".to_owned());
        })
    };
    let shaky = || with(|cell| (cell.measured, cell.failed) = (5, 2));
    let only_control = || vec![alike().swap_remove(0)];
    for (base, new, change, reason) in [
        (alike(), failed(), Change::Fails, Some("failed in verify: 404")),
        (alike(), shaky(), Change::Fails, Some("failed in 2 of 7 rounds, and in none before")),
        (shaky(), shaky(), Change::Same, None),
        (shaky(), alike(), Change::Same, None),
        (failed(), alike(), Change::Mended, Some("failed in verify: 404")),
        (alike(), skipped(), Change::NotComparable, Some("in the new run: not installed: go")),
        (skipped(), alike(), Change::NotComparable, Some("in the base run: not installed: go")),
        (
            failed(),
            failed(),
            Change::NotComparable,
            Some("in both runs not measured; now: failed in verify: 404"),
        ),
        (only_control(), alike(), Change::New, None),
        (alike(), only_control(), Change::Gone, None),
    ] {
        let row = of_a(base, new);
        assert_eq!((row.change, row.reason.as_deref()), (change, reason));
    }
    // For that a row fails nobody needs a control.
    let (mut base, mut new) = (summary(alike()), summary(failed()));
    (base.run.policy.control, new.run.policy.control) = (None, None);
    assert_eq!(row_of(&compared(&base, &new), "a").change, Change::Fails);
}

fn bearing(doubt: Doubt) -> Vec<CellSummary> {
    let mut cells = pair([0.8, 1.0, 1.0, 1.0, 1.0, 1.0]);
    cells[1].caveats.push(Caveat { caveat: doubt, detail: "1 of 100".to_owned() });
    cells
}

#[test]
fn a_row_that_must_not_be_ranked_is_not_compared_and_new_errors_are_a_regression() {
    for (base, new, change, reason) in [
        (alike(), bearing(Doubt::Errors), Change::Worse, "errors now, and not before: 1 of 100"),
        (alike(), bearing(Doubt::RateNotMet), Change::Worse, "rate-not-met now, and not before"),
        (
            alike(),
            bearing(Doubt::UnequalResponse),
            Change::NotComparable,
            "unequal-response in the new run",
        ),
        (bearing(Doubt::Errors), alike(), Change::NotComparable, "errors in the base run"),
        (
            bearing(Doubt::Errors),
            bearing(Doubt::Errors),
            Change::NotComparable,
            "errors in the new run",
        ),
    ] {
        let row = of_a(base, new);
        assert_eq!(row.change, change, "{reason}");
        assert!(row.reason.as_deref().is_some_and(|it| it.starts_with(reason)), "{row:?}");
    }
    // A control that must not be ranked stands for nothing.
    let mut new = alike();
    new[0].caveats = bearing(Doubt::Errors)[1].caveats.clone();
    let row = of_a(alike(), new);
    assert_eq!(row.reason.as_deref(), Some("the control bears `errors` in the new run"));
    assert_eq!(row.change, Change::NotComparable);
}

/// What became of a row of a table that asks what has these digests.
fn asked_otherwise(before: Option<&str>, now: Option<&str>) -> Row {
    let with = |digest: Option<&str>| {
        let mut summary = summary(alike());
        summary.run.tables[0].asked_sha256 = digest.map(str::to_owned);
        summary
    };
    row_of(&compared(&with(before), &with(now)), "a")
}

#[test]
fn a_verdict_takes_five_rounds_of_either_run_and_fewer_still_tell_a_ratio() {
    let with = |rounds: u32| {
        let mut cells = pair([0.7, 1.0, 1.0, 1.0, 1.0, 1.0]);
        for ratio in cells[1].versus_control.values_mut() {
            ratio.rounds = rounds;
        }
        cells
    };
    assert_eq!(of_a(alike(), with(5)).change, Change::Worse);
    for (base, new, which) in [(alike(), with(4), "new"), (with(2), alike(), "base")] {
        let row = of_a(base, new);
        assert_eq!(row.change, Change::NotComparable);
        let reason = row.reason.expect("a reason");
        assert!(reason.contains(&format!("of the {which} run")), "{reason}");
        assert!(row.figures[0].ratio.is_some() && row.figures[0].change.is_none());
    }
}

#[test]
fn another_request_or_load_and_too_few_rounds_are_not_comparable() {
    let told = |change: fn(&mut Summary)| {
        let mut new = summary(alike());
        change(&mut new);
        let row = row_of(&compared(&summary(alike()), &new), "a");
        assert_eq!(row.change, Change::NotComparable);
        row.reason.expect("a reason")
    };
    assert_eq!(
        told(|it| it.run.tables[0].load_words = "8 connections".to_owned()),
        "the load was 64 connections, closed loop, and is 8 connections"
    );
    assert_eq!(
        told(|it| it.run.tables[0].request = "GET /x".to_owned()),
        "the request was `GET /`, and is `GET /x`"
    );
    assert!(
        told(|it| it.cells[1].versus_control.clear()).starts_with("in no round of the new run")
    );
    let one = told(|it| {
        for ratio in it.cells[1].versus_control.values_mut() {
            (ratio.rounds, ratio.deviation) = (1, None);
        }
    });
    assert!(one.starts_with("only 1 round of the new run with both"), "{one}");
    let others = "headers, body, right answer or settings of the load are not what they were";
    assert_eq!(asked_otherwise(Some("a"), Some("b")).reason.as_deref(), Some(others));
    // What an older version did not tell is no difference.
    for (before, now) in [(None, Some("b")), (Some("a"), None), (Some("a"), Some("a"))] {
        assert_eq!(asked_otherwise(before, now).change, Change::Same);
    }
    // Under another name it is another table: its rows are new, and the old ones gone.
    let mut new = summary(alike());
    new.run.tables[0].load = "c8".to_owned();
    new.cells.iter_mut().for_each(|cell| cell.load = "c8".to_owned());
    let comparison = compared(&summary(alike()), &new);
    let changes: Vec<Change> = comparison.rows().map(|row| row.change).collect();
    assert_eq!(changes, [Change::New, Change::New, Change::Gone, Change::Gone]);
}
