//! A history as CSV: one line for each row and figure, with its last level and its last change.

use super::super::escape;
use super::words::state;
use crate::history::{History, Line, Run, Series, Yardstick};
use crate::record::changes::Changes;

const HEADS: [&str; 20] = [
    "workload",
    "load",
    "target",
    "metric",
    "control",
    "runs",
    "first_run",
    "last_run",
    "level",
    "between_runs",
    "state",
    "level_before",
    "change",
    "change_low",
    "change_high",
    "since_run",
    "suspected_by_run",
    "confirmed_by_run",
    "seen_in_runs",
    "runs_left_out",
];

/// All lines of a history, with a line of heads. What is not known is empty; shares are numbers, -0.06 for six per cent less.
///
/// # Panics
/// Never: memory takes all that is written.
pub fn write(history: &History, memory: &Changes) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADS).expect("memory takes a line");
    for line in &history.lines {
        writer
            .write_record(fields(history, memory, line))
            .expect("a line has a field for each head");
    }
    let bytes = writer.into_inner().expect("memory takes all lines");
    String::from_utf8(bytes).expect("only text was written")
}

fn fields(history: &History, memory: &Changes, line: &Line) -> Vec<String> {
    let series = line.newest();
    let run = |run: Option<&Run>| run.map(|run| run.id.clone()).unwrap_or_default();
    let point = |place: Option<usize>| {
        place.and_then(|place| history.runs.get(series?.points.get(place)?.run))
    };
    let last = series.and_then(|series| history.found_in(line, series).last());
    let control = series.and_then(|series| match series.yardstick {
        Yardstick::Control => history.conditions[series.conditions].control.clone(),
        Yardstick::Itself | Yardstick::Nothing => None,
    });
    let interval = last.and_then(|found| found.change.interval).unzip();
    let spread = series.and_then(|series| series.spread(&history.runs));
    let count = |count: Option<usize>| count.map(|it| it.to_string()).unwrap_or_default();
    vec![
        escape::csv(&line.workload),
        escape::csv(&line.load),
        escape::csv(&line.target),
        line.metric.name.to_owned(),
        escape::csv(&control.unwrap_or_default()),
        count(series.map(|series| series.points.len())),
        run(point(Some(0))),
        run(point(series.and_then(|series| series.points.len().checked_sub(1)))),
        number(series.and_then(Series::last_level)),
        number(spread.and_then(|spread| spread.between)),
        last.map(|found| state(found, memory)).unwrap_or_default(),
        number(last.map(|found| found.change.before.exp())),
        number(last.map(|found| found.share())),
        number(interval.0.map(f64::exp_m1)),
        number(interval.1.map(f64::exp_m1)),
        run(last.map(|found| found.since())),
        run(last.and_then(|found| found.suspected_by())),
        run(last.and_then(|found| found.confirmed_by())),
        count(last.map(|found| found.times_seen())),
        count(series.map(|series| series.left_out.len())),
    ]
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{}", (value * 1e6).round() / 1e6))
}
