//! A history as JSON: every series with its runs, levels and changes.

use serde::Serialize;

use super::Shown;
use super::words::date;
use crate::history::conditions::Conditions;
use crate::history::found::{Found, Standing};
use crate::history::{History, Line, Series, Yardstick, beside};
use crate::record::SCHEMA;
use crate::record::changes::Changes;
use crate::record::run::CpuSplit;
use crate::stats::comparison::Better;

#[derive(Serialize)]
struct Whole<'h> {
    schema: u32,
    name: &'h str,
    left_out: &'h str,
    runs: Vec<RunShape<'h>>,
    lines: Vec<LineShape<'h>>,
}

#[derive(Serialize)]
struct RunShape<'h> {
    id: &'h str,
    date: &'h str,
    orchestrate: &'h str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'h str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<&'h str>,
}

#[derive(Serialize)]
struct LineShape<'h> {
    workload: &'h str,
    load: &'h str,
    target: &'h str,
    metric: &'static str,
    decides: bool,
    is_more_better: bool,
    /// The one that the newest run of the row belongs to is the last.
    series: Vec<SeriesShape<'h>>,
}

#[derive(Serialize)]
struct SeriesShape<'h> {
    conditions: ConditionsShape<'h>,
    /// `control`, `itself` or `none`.
    yardstick: &'static str,
    /// Ratios to the control, or the figures themselves.
    points: Vec<PointShape<'h>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOutShape<'h>>,
    levels: Vec<LevelShape<'h>>,
    changes: Vec<ChangeShape<'h>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    between_runs: Option<f64>,
}

#[derive(Serialize)]
struct ConditionsShape<'h> {
    cpu_model: Option<&'h str>,
    cpus: Option<u64>,
    cores: Option<u64>,
    control: Option<&'h str>,
    load_words: &'h str,
    request: &'h str,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_sha256: Option<&'h str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'h str>,
    measure_seconds: f64,
    split: &'h CpuSplit,
}

#[derive(Serialize)]
struct PointShape<'h> {
    run: &'h str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_error: Option<f64>,
}

#[derive(Serialize)]
struct LeftOutShape<'h> {
    run: &'h str,
    caveat: &'h str,
}

#[derive(Serialize)]
struct LevelShape<'h> {
    first_run: &'h str,
    last_run: &'h str,
    runs: usize,
    mean: f64,
}

#[derive(Serialize)]
struct ChangeShape<'h> {
    /// `suspected`, `confirmed`, `accepted` or `recovered`.
    standing: &'static str,
    is_worse: bool,
    since_run: &'h str,
    suspected_by_run: Option<&'h str>,
    confirmed_by_run: Option<&'h str>,
    seen_in_runs: usize,
    before: f64,
    after: f64,
    ratio: f64,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    changed_beside: Vec<String>,
}

/// All that is known of a history.
///
/// # Panics
/// Never: there are only names and numbers in it.
pub fn write(shown: Shown<'_>) -> String {
    let history = shown.history;
    let runs = history.runs.iter().map(|run| RunShape {
        id: &run.id,
        date: date(run),
        orchestrate: &run.orchestrate,
        commit: run.commit.as_deref(),
        kernel: run.kernel.as_deref(),
    });
    let whole = Whole {
        schema: SCHEMA,
        name: shown.name,
        left_out: shown.left_out,
        runs: runs.collect(),
        lines: history.lines.iter().map(|line| line_shape(shown, line)).collect(),
    };
    let mut text = serde_json::to_string_pretty(&whole).expect("names and numbers");
    text.push('\n');
    text
}

fn line_shape<'h>(shown: Shown<'h>, line: &'h Line) -> LineShape<'h> {
    let (history, memory) = (shown.history, shown.memory);
    LineShape {
        workload: &line.workload,
        load: &line.load,
        target: &line.target,
        metric: line.metric.name,
        decides: line.metric.decides,
        is_more_better: line.metric.better == Better::More,
        series: line.series.iter().map(|it| series_shape(history, memory, line, it)).collect(),
    }
}

fn series_shape<'h>(
    history: &'h History,
    memory: &Changes,
    line: &'h Line,
    series: &'h Series,
) -> SeriesShape<'h> {
    let id = |run: usize| history.runs[run].id.as_str();
    let points = series.points.iter().map(|point| PointShape {
        run: id(point.run),
        value: point.value,
        log_error: point.error,
    });
    let left_out = series.left_out.iter();
    let levels = series.judged.levels.iter().enumerate();
    let spread = series.spread(&history.runs);
    SeriesShape {
        conditions: conditions_shape(&history.conditions[series.conditions]),
        yardstick: match series.yardstick {
            Yardstick::Control => "control",
            Yardstick::Itself => "itself",
            Yardstick::Nothing => "none",
        },
        points: points.collect(),
        left_out: left_out.map(|(run, caveat)| LeftOutShape { run: id(*run), caveat }).collect(),
        levels: levels
            .filter_map(|(place, level)| {
                let points = &series.points[level.clone()];
                Some(LevelShape {
                    first_run: id(points.first()?.run),
                    last_run: id(points.last()?.run),
                    runs: points.len(),
                    mean: series.level(place)?,
                })
            })
            .collect(),
        changes: history.found_in(line, series).map(|it| change_shape(it, memory)).collect(),
        deviation: spread.map(|spread| spread.deviation),
        between_runs: spread.and_then(|spread| spread.between),
    }
}

fn conditions_shape(conditions: &Conditions) -> ConditionsShape<'_> {
    ConditionsShape {
        cpu_model: conditions.cpu_model.as_deref(),
        cpus: conditions.cpus,
        cores: conditions.cores,
        control: conditions.control.as_deref(),
        load_words: &conditions.load_words,
        request: &conditions.request,
        asked_sha256: conditions.asked_sha256.as_deref(),
        profile: conditions.profile.as_deref(),
        measure_seconds: conditions.measure_seconds,
        split: &conditions.split,
    }
}

fn change_shape<'h>(found: Found<'h>, memory: &Changes) -> ChangeShape<'h> {
    let (low, high) = found.change.interval.unzip();
    let beside = found.before().map(|before| beside::changed(before, found.since()));
    ChangeShape {
        standing: match found.standing(memory) {
            Standing::Suspected => "suspected",
            Standing::Confirmed => "confirmed",
            Standing::Accepted => "accepted",
            Standing::Recovered => "recovered",
        },
        is_worse: found.is_worse(),
        since_run: &found.since().id,
        suspected_by_run: found.suspected_by().map(|run| run.id.as_str()),
        confirmed_by_run: found.confirmed_by().map(|run| run.id.as_str()),
        seen_in_runs: found.times_seen(),
        before: found.change.before.exp(),
        after: found.change.after.exp(),
        ratio: found.share() + 1.0,
        ratio_low: low.map(f64::exp),
        ratio_high: high.map(f64::exp),
        changed_beside: beside.unwrap_or_default(),
    }
}
