//! What counts, in which series, and in which order.

use super::super::fixture::{CONTROL, NOW, deciding, history, id, night, row};
use super::*;
use crate::matrix::choice::Choice;
use crate::matrix::globs::Globs;
use crate::record::outline::Named;
use crate::record::run::Purpose;
use serde::de::IgnoredAny;

fn one(at: u32) -> Outline {
    night(at, 1.0, vec![row("go/a", -0.5, 0.5)])
}

fn line<'h>(history: &'h History, target: &str, metric: &str) -> &'h Line {
    let is_it = |line: &&Line| line.target == target && line.metric.name == metric;
    history.lines.iter().find(is_it).expect("a line")
}

fn runs(series: &Series) -> Vec<usize> {
    series.points.iter().map(|point| point.run).collect()
}

#[test]
fn figures_are_ratios_to_the_control_and_what_the_machine_does_takes_no_part() {
    let outlines: Vec<Outline> = [1.0, 0.8, 1.3]
        .iter()
        .zip(1..)
        .map(|(machine, at)| night(at, *machine, vec![row("go/a", -0.5, 0.5)]))
        .collect();
    let history = history(&outlines);
    let series = line(&history, "go/a", "goodput").newest().expect("a series");
    assert!(series.points.iter().all(|point| (point.value.ln() + 0.5).abs() < 1e-12));
    assert_eq!(series.yardstick, Yardstick::Control);
    let control = line(&history, CONTROL, "goodput").newest().expect("a series");
    let values: Vec<f64> = control.points.iter().map(|point| point.value).collect();
    assert_eq!((control.yardstick, values), (Yardstick::Itself, vec![1e5, 0.8e5, 1.3e5]));
    assert_eq!(history.runs[0].series, 2);
    // Three runs know too little of how they scatter.
    assert!(history.spreads(&id(3)).is_empty());
}

#[test]
fn what_rows_differ_by_from_run_to_run_is_that_of_the_series_of_a_run() {
    let mut outlines: Vec<Outline> = (1..=12).map(one).collect();
    for (at, outline) in outlines.iter_mut().enumerate() {
        let off = if at % 2 == 0 { 0.03 } else { -0.03 };
        outline.cells[1].versus_control.get_mut("goodput").expect("a ratio").mean += off;
    }
    let mut elsewhere = one(13);
    elsewhere.run.host.cpu_model = Some("Xeon".to_owned());
    outlines.push(elsewhere);
    let history = history(&outlines);
    let spreads = history.spreads(&id(12));
    let names: Vec<(&str, &str)> =
        spreads.iter().map(|(line, _)| (line.target.as_str(), line.metric.name)).collect();
    assert_eq!(names, [("go/a", "goodput"), ("go/a", "cpu")]);
    assert!((spreads[0].1 - 0.0313).abs() < 0.0005 && spreads[1].1 == 0.0, "{spreads:?}");
    assert!(history.spreads(&id(13)).is_empty() && history.spreads(&id(14)).is_empty());
}

#[test]
fn another_machine_control_load_or_window_begins_a_series_and_one_that_comes_back_goes_on() {
    type Alter = fn(&mut Outline);
    let alterations: [(Alter, bool); 11] = [
        (|it| it.run.host.cpu_model = Some("Xeon".to_owned()), true),
        (|it| it.run.host.cores = Some(4), true),
        (|it| it.run.policy.control = Some("c/other".to_owned()), true),
        (|it| it.run.policy.measure_seconds = 5.0, true),
        (|it| it.run.tables[0].load_words = "8 connections".to_owned(), true),
        (|it| it.run.cpus.server = vec![0, 1], true),
        (|it| it.run.tables[0].asked_sha256 = Some("b".to_owned()), true),
        (|it| it.run.profile = Some("quick".to_owned()), true),
        (|it| it.run.host.kernel = Some("Linux 6.19".to_owned()), false),
        (|it| it.run.host.memory_bytes = None, false),
        (|it| it.run.orchestrate = "orchestrate 0.2.0".to_owned(), false),
    ];
    for (place, (alter, is_apart)) in alterations.iter().enumerate() {
        let mut outlines = vec![one(1), one(2), one(3), one(4)];
        for outline in &mut outlines {
            outline.run.tables[0].asked_sha256 = Some("a".to_owned());
        }
        alter(&mut outlines[1]);
        alter(&mut outlines[3]);
        let history = history(&outlines);
        let found: Vec<Vec<usize>> =
            line(&history, "go/a", "cpu").series.iter().map(runs).collect();
        let expected =
            if *is_apart { vec![vec![0, 2], vec![1, 3]] } else { vec![vec![0, 1, 2, 3]] };
        assert_eq!(found, expected, "alteration {place}");
    }
}

#[test]
fn without_a_control_figures_are_absolute_and_no_change_is_called() {
    let outlines: Vec<Outline> = (1..=24)
        .map(|at| {
            let mut outline =
                night(at, if at < 15 { 1.0 } else { 0.5 }, vec![row("go/a", -0.5, 0.5)]);
            outline.run.policy.control = None;
            outline
        })
        .collect();
    let history = history(&outlines);
    let series = line(&history, "go/a", "goodput").newest().expect("a series");
    assert_eq!((series.yardstick, series.points.len()), (Yardstick::Nothing, 24));
    assert_eq!((series.judged.levels.len(), series.judged.changes.len()), (1, 0));
}

#[test]
fn runs_that_are_not_whole_or_of_another_matrix_are_left_out() {
    type Alter = fn(&mut Outline);
    let alterations: [(Alter, LeftOut); 9] = [
        (|it| it.run.partial = true, LeftOut::Lacking("partial")),
        (|it| it.run.finished_at = None, LeftOut::Lacking("interrupted")),
        (|it| it.run.interrupted = Some("SIGINT".to_owned()), LeftOut::Lacking("interrupted")),
        (|it| it.run.cut_short = Some(IgnoredAny), LeftOut::Lacking("cut short")),
        (|it| it.run.purpose = Some(Purpose::Noise), LeftOut::Lacking("for `noise`")),
        (
            |it| {
                it.run.started_at = "2030-02-01T00:00:00.5Z".to_owned();
                it.run.finished_at = Some("2030-02-01T00:00:01Z".to_owned());
            },
            LeftOut::Lacking("dated ahead"),
        ),
        // The clock was set right while it was made.
        (
            |it| it.run.finished_at = Some("2026-01-01T00:00:00Z".to_owned()),
            LeftOut::Lacking("dated ahead"),
        ),
        (
            |it| it.run.name = "other".to_owned(),
            LeftOut::Foreign("it is a run of `other`".to_owned()),
        ),
        (|it| it.run.id = id(1), LeftOut::Foreign(format!("it repeats the run {}", id(1)))),
    ];
    let mut collector = Collector::new("nightly", &deciding(), NOW);
    collector.take(&one(1)).expect("it counts");
    for (alter, expected) in alterations {
        let mut outline = one(2);
        alter(&mut outline);
        assert_eq!(collector.take(&outline), Err(expected));
    }
    assert_eq!(collector.finish().runs.len(), 1);
}

#[test]
fn runs_are_put_in_order_of_time_whatever_their_folders_are_called() {
    let outlines = [one(3), one(1), one(2)];
    let history = history(&outlines);
    let ids: Vec<&str> = history.runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, [id(1), id(2), id(3)]);
    assert_eq!(runs(line(&history, "go/a", "cpu").newest().expect("a series")), [0, 1, 2]);
}

#[test]
fn a_row_with_a_doubt_in_the_way_does_not_count_in_that_run() {
    let mut outlines = vec![one(1), one(2), one(3)];
    let doubt = |name: &str| Named { caveat: name.to_owned() };
    outlines[1].cells[1].caveats = vec![doubt("drift"), doubt("errors")];
    outlines[2].cells[1].caveats = vec![doubt("client-bound"), doubt("from-the-future")];
    let history = history(&outlines);
    let goodput = line(&history, "go/a", "goodput").newest().expect("a series");
    assert_eq!(runs(goodput), [0]);
    let left_out = [(1, "errors".to_owned()), (2, "client-bound".to_owned())];
    assert_eq!(goodput.left_out, left_out);
    // The load generator's limit is none of the server's CPU per answer.
    assert_eq!(runs(line(&history, "go/a", "cpu").newest().expect("a series")), [0, 2]);
}

#[test]
fn a_doubt_of_the_control_is_one_of_every_row_that_is_held_against_it() {
    let mut outlines = vec![one(1), one(2), one(3), one(4)];
    let doubt = |name: &str| vec![Named { caveat: name.to_owned() }];
    outlines[1].cells[0].caveats = doubt("errors");
    outlines[2].cells[0].caveats = doubt("client-bound");
    for ratio in outlines[3].cells[1].versus_control.values_mut() {
        (ratio.deviation, ratio.rounds) = (None, 1);
    }
    let history = history(&outlines);
    let goodput = line(&history, "go/a", "goodput").newest().expect("a series");
    assert_eq!(runs(goodput), [0]);
    let left_out = [(1, "control: errors"), (2, "control: client-bound"), (3, "one round only")];
    assert_eq!(goodput.left_out, left_out.map(|(run, why)| (run, why.to_owned())));
    assert_eq!(runs(line(&history, "go/a", "cpu").newest().expect("a series")), [0, 2]);
    let control = line(&history, CONTROL, "cpu").newest().expect("a series");
    assert_eq!(runs(control), [0, 2, 3]);
}

#[test]
fn rows_stand_as_in_the_newest_run_and_those_that_are_gone_after_them() {
    let outlines = [
        night(1, 1.0, vec![row("gone", 0.0, 0.0), row("b", 0.0, 0.0), row("a", 0.0, 0.0)]),
        night(2, 1.0, vec![row("a", 0.0, 0.0), row("new", 0.0, 0.0), row("b", 0.0, 0.0)]),
    ];
    let history = history(&outlines);
    let labels: Vec<&str> = history.lines.iter().map(|line| line.target.as_str()).collect();
    let once = [CONTROL, "a", "new", "b", "gone"];
    let twice: Vec<&str> = once.iter().flat_map(|label| [*label, *label]).collect();
    assert_eq!(labels, twice);
    let select = |targets: &[&str]| {
        let targets = Some(Globs::parse(targets).expect("patterns"));
        history.clone().select(&Choice { targets, ..Choice::default() })
    };
    assert_eq!(select(&["a", "b"]).expect("two").lines.len(), 4);
    let none = select(&["z"]).expect_err("none");
    assert_eq!(none.to_string(), "no row of the history matches `z`");
    assert_eq!(none.known, ["a", "b", CONTROL, "gone", "new"]);
}
