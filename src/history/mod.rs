//! Many runs of one matrix: for every row and figure a series, from run to run, and where its level changed.
//!
//! Pure: made from outlines of runs, one after the other, so that never more than one is held. Figures are ratios to the control, which
//! stands for the machine: what happens to both takes no part in them. Reading order: [`conditions`] says which runs share a series,
//! [`collect`] makes them, [`judge`] finds levels and changes of one, [`found`] says what became of a change, [`beside`] what else
//! changed with it, and [`alarm`] which of them are worth an alarm.

use std::collections::BTreeMap;

use crate::judge::metric::Metric;
use crate::stats::comparison::Better;

pub mod alarm;
pub mod beside;
pub mod collect;
pub mod conditions;
#[cfg(test)]
pub(crate) mod fixture;
pub mod found;
pub mod judge;
pub mod select;
#[cfg(test)]
mod simulation;

use conditions::Conditions;
use judge::{Change, Judged, Sample, Spread};

/// The runs of a matrix, and what its rows did over them.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The runs that count, in order of time.
    pub runs: Vec<Run>,
    /// What series were measured under.
    pub conditions: Vec<Conditions>,
    /// Rows and figures: those of the newest run first, in its order.
    pub lines: Vec<Line>,
}

/// A run that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// When it began: date and time, UTC.
    pub started_at: String,
    /// The version of this program that made it.
    pub orchestrate: String,
    /// The commit of the repository that the matrix lies in, marked with `+` where files differed from it.
    pub commit: Option<String>,
    /// The kernel and its release.
    pub kernel: Option<String>,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// The versions of the tools that made the targets.
    pub versions: BTreeMap<String, String>,
    /// Ratios that decide, of all rows together.
    pub series: usize,
    /// The logarithm of the smallest ratio that mattered.
    pub effect: f64,
}

/// One figure of one row.
#[derive(Debug, Clone)]
pub struct Line {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The target's label.
    pub target: String,
    /// The figure.
    pub metric: Metric,
    /// Its series, the one that the newest run of the row belongs to last.
    pub series: Vec<Series>,
    /// The newest run in which the row had this figure, and its place among the rows there.
    pub(crate) seen: (usize, usize),
}

/// Runs of a row under the same conditions.
#[derive(Debug, Clone)]
pub struct Series {
    /// The place among [`History::conditions`].
    pub conditions: usize,
    /// What the figures are.
    pub yardstick: Yardstick,
    /// The runs that count, in order of time.
    pub points: Vec<Point>,
    /// The runs that do not, each with the name of the caveat for which.
    pub left_out: Vec<(usize, String)>,
    /// Levels and changes. Of absolute figures there is one level and no change.
    pub judged: Judged,
}

/// What the figures of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yardstick {
    /// Ratios to the control.
    Control,
    /// Absolute, since the row is the control: they show what the machine did.
    Itself,
    /// Absolute, since there was no control: what the machine did is in them.
    Nothing,
}

/// A run of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The place among [`History::runs`].
    pub run: usize,
    /// The ratio to the control, or the figure itself.
    pub value: f64,
    /// The standard error of its logarithm.
    pub error: Option<f64>,
}

impl Series {
    /// The mean of a level, on the scale of the points.
    pub fn level(&self, level: usize) -> Option<f64> {
        let points = &self.points[self.judged.levels.get(level)?.clone()];
        let sum: f64 = points.iter().map(|point| point.value.ln()).sum();
        (!points.is_empty()).then(|| (sum / points.len() as f64).exp())
    }

    /// The mean of the level that lasts.
    pub fn last_level(&self) -> Option<f64> {
        self.level(self.judged.levels.len().checked_sub(1)?)
    }

    /// How runs scatter about their levels.
    pub fn spread(&self, runs: &[Run]) -> Option<Spread> {
        judge::spread(&samples(&self.points, runs), &self.judged.levels)
    }
}

impl Line {
    /// The series that the newest run of the row belongs to.
    pub fn newest(&self) -> Option<&Series> {
        self.series.last()
    }

    /// Whether a change of this line is for the worse.
    pub fn is_worse(&self, change: &Change) -> bool {
        match self.metric.better {
            Better::More => change.after < change.before,
            Better::Less => change.after > change.before,
        }
    }
}

impl History {
    /// Of the scatter of rows from run to run, what their rounds do not explain: the standard deviation, in logarithms, in the series
    /// that a run belongs to, as far as runs enough know it.
    pub fn spreads(&self, run: &str) -> Vec<(&Line, f64)> {
        let Some(run) = self.runs.iter().position(|it| it.id == run) else { return Vec::new() };
        let has_it = |series: &&Series| {
            series.yardstick == Yardstick::Control && series.points.iter().any(|it| it.run == run)
        };
        let of_line = |line| {
            let line: &Line = line;
            let spread = line.series.iter().find(has_it)?.spread(&self.runs)?;
            Some((line, spread.between.filter(|_| spread.degrees >= judge::DEGREES_MIN)?))
        };
        self.lines.iter().filter_map(of_line).collect()
    }
}

fn samples(points: &[Point], runs: &[Run]) -> Vec<Sample> {
    points
        .iter()
        .map(|point| Sample {
            log: point.value.ln(),
            error: point.error,
            series: runs[point.run].series,
            effect: runs[point.run].effect,
        })
        .collect()
}
