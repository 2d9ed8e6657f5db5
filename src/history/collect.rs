//! A history is collected run by run, in whatever order they come, and judged at the end.

use std::collections::HashMap;

use super::conditions::Conditions;
use super::judge::{self, Judged};
use super::{History, Line, Point, Run, Series, Yardstick, samples};
use crate::judge::metric::Metric;
use crate::outcome::{Doubt, Kind as _};
use crate::record::outline::{CellOutline, Outline, Ratio};

#[cfg(test)]
mod tests;

/// What is said of a ratio of which nobody knows how sure it is.
const ONE_ROUND: &str = "one round only";
/// What is said of a run that began after now, or after it ended.
const AHEAD: &str = "dated ahead";
/// How much of a date is told to the second.
const SECOND: usize = "2026-11-30T12:00:00".len();

/// A history as it grows, run by run.
#[derive(Debug)]
pub struct Collector {
    name: String,
    metrics: Vec<Metric>,
    now: String,
    history: History,
    /// The place of the first line of each row; those of its other figures follow.
    rows: HashMap<(String, String, String), usize>,
}

/// Why a run is no part of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOut {
    /// It is not whole, or was made with a clock that goes ahead and would stay the newest: in a word or two.
    Lacking(&'static str),
    /// Something is wrong with it.
    Foreign(String),
}

impl Collector {
    /// Nothing yet of a matrix of this name; `now` is the date and time, UTC, beyond which there can be no run.
    pub fn new(name: &str, metrics: &[Metric], now: &str) -> Self {
        Self {
            name: name.to_owned(),
            metrics: metrics.to_vec(),
            now: now.to_owned(),
            history: History::default(),
            rows: HashMap::new(),
        }
    }

    /// Takes in a run.
    ///
    /// # Errors
    /// Why it is left out.
    pub fn take(&mut self, outline: &Outline) -> Result<(), LeftOut> {
        let info = &outline.run;
        if info.name != self.name {
            return Err(LeftOut::Foreign(format!("it is a run of `{}`", info.name)));
        }
        if self.history.runs.iter().any(|run| run.id == info.id) {
            return Err(LeftOut::Foreign(format!("it repeats the run {}", info.id)));
        }
        if let Some(lack) = info.end().lack() {
            return Err(LeftOut::Lacking(lack.words()));
        }
        let is_after = |date: &String| second(&info.started_at) > second(date);
        if is_after(&self.now) || info.finished_at.as_ref().is_some_and(is_after) {
            return Err(LeftOut::Lacking(AHEAD));
        }
        let run = self.history.runs.len();
        self.history.runs.push(run_of(outline));
        for table in &info.tables {
            let conditions = self.place_of(Conditions::of(info, table));
            let is_of_table = |cell: &&CellOutline| {
                (&cell.workload, &cell.load) == (&table.workload, &table.load)
            };
            let is_control =
                |cell: &&CellOutline| Some(&cell.target) == info.policy.control.as_ref();
            let control = outline.cells.iter().filter(is_of_table).find(is_control);
            for (place, cell) in outline.cells.iter().enumerate() {
                if is_of_table(&cell) {
                    self.add((cell, control), (run, place), conditions);
                }
            }
        }
        Ok(())
    }

    fn place_of(&mut self, conditions: Conditions) -> usize {
        let all = &mut self.history.conditions;
        all.iter_mut().position(|known| known.covers(&conditions)).unwrap_or_else(|| {
            all.push(conditions);
            all.len() - 1
        })
    }

    /// Adds a row, which is held against the control of its table.
    fn add(
        &mut self,
        (cell, control_cell): (&CellOutline, Option<&CellOutline>),
        seen: (usize, usize),
        conditions: usize,
    ) {
        let key = (cell.workload.clone(), cell.load.clone(), cell.target.clone());
        let lines = &mut self.history.lines;
        let first = *self.rows.entry(key).or_insert_with(|| {
            let first = lines.len();
            lines.extend(self.metrics.iter().map(|metric| Line {
                workload: cell.workload.clone(),
                load: cell.load.clone(),
                target: cell.target.clone(),
                metric: *metric,
                series: Vec::new(),
                seen,
            }));
            first
        });
        let control = self.history.conditions[conditions].control.as_deref();
        let yardstick = match control {
            Some(control) if control == cell.target => Yardstick::Itself,
            Some(_) => Yardstick::Control,
            None => Yardstick::Nothing,
        };
        for line in &mut lines[first..first + self.metrics.len()] {
            let mut doubt = doubt(cell, line.metric);
            let (value, error) = match yardstick {
                Yardstick::Control => {
                    let ratio = ratio(cell, line.metric);
                    let error = ratio.as_ref().and_then(Ratio::error);
                    doubt = doubt
                        .or_else(|| doubt_of_control(control_cell?, line.metric))
                        .or_else(|| error.is_none().then(|| ONE_ROUND.to_owned()));
                    (ratio.map(|it| it.mean.exp()), error)
                }
                Yardstick::Itself | Yardstick::Nothing => (line.metric.of_outline(cell), None),
            };
            let Some(value) = value.filter(|it| it.is_finite() && *it > 0.0) else { continue };
            line.seen = seen;
            line.add(conditions, yardstick, Point { run: seen.0, value, error }, doubt);
        }
    }

    /// The whole, judged.
    pub fn finish(self) -> History {
        let Self { mut history, .. } = self;
        put_in_order(&mut history);
        let newest = history.runs.len().saturating_sub(1);
        history.lines.retain(|line| !line.series.is_empty());
        // Rows of the newest run as they stand there, then those that are gone, the last ones first.
        history.lines.sort_by_key(|line| (newest - line.seen.0.min(newest), line.seen.1));
        let History { runs, lines, .. } = &mut history;
        for line in lines {
            let last = |series: &Series| {
                let left_out = series.left_out.iter().map(|(run, _)| *run);
                series.points.iter().map(|point| point.run).chain(left_out).max()
            };
            line.series.sort_by_key(last);
            for series in &mut line.series {
                let points = &series.points;
                series.judged = match series.yardstick {
                    Yardstick::Control => judge::judge(&samples(points, runs)),
                    // What the machine did is no change of the row.
                    _ if points.is_empty() => Judged::default(),
                    _ => Judged::one_level(points.len()),
                };
            }
        }
        history
    }
}

impl Line {
    fn add(
        &mut self,
        conditions: usize,
        yardstick: Yardstick,
        point: Point,
        doubt: Option<String>,
    ) {
        let place = self.series.iter().position(|series| series.conditions == conditions);
        let place = place.unwrap_or_else(|| {
            self.series.push(Series {
                conditions,
                yardstick,
                points: Vec::new(),
                left_out: Vec::new(),
                judged: Judged::default(),
            });
            self.series.len() - 1
        });
        let series = &mut self.series[place];
        match doubt {
            Some(doubt) => series.left_out.push((point.run, doubt)),
            None => series.points.push(point),
        }
    }
}

fn run_of(outline: &Outline) -> Run {
    let info = &outline.run;
    let ratios = outline.cells.iter().map(|cell| {
        let decides = Metric::ALL.into_iter().filter(|metric| metric.decides);
        decides.filter(|metric| ratio(cell, *metric).is_some()).count()
    });
    Run {
        id: info.id.clone(),
        started_at: info.started_at.clone(),
        orchestrate: info.orchestrate.clone(),
        commit: info.commit.as_ref().map(|commit| {
            let mark = if commit.is_changed { "+" } else { "" };
            format!("{}{mark}", commit.id.get(..12).unwrap_or(&commit.id))
        }),
        kernel: info.host.kernel.clone(),
        memory_bytes: info.host.memory_bytes,
        versions: outline.versions.clone(),
        series: ratios.sum(),
        effect: info.policy.min_effect.ln_1p(),
    }
}

/// A figure's ratio to the control.
fn ratio(cell: &CellOutline, metric: Metric) -> Option<Ratio> {
    cell.versus_control.get(metric.name).copied().filter(|it| it.mean.is_finite())
}

/// The caveat of a control for which nothing can be held against it.
fn doubt_of_control(control: &CellOutline, metric: Metric) -> Option<String> {
    Some(format!("control: {}", doubt(control, metric)?))
}

/// A date to the second: dates may have more digits or fewer.
fn second(date: &str) -> &str {
    date.get(..SECOND).unwrap_or(date)
}

/// The caveat for which a figure does not count: it is none of right answers, or the load generator's and not the row's.
fn doubt(cell: &CellOutline, metric: Metric) -> Option<String> {
    let known = |name: &str| Doubt::ALL.iter().copied().find(|doubt| doubt.name() == name);
    let names = cell.caveats.iter().map(|caveat| &caveat.caveat);
    let is_in_the_way = |name: &&String| match known(name) {
        Some(Doubt::ClientBound) => metric.bound.is_some(),
        Some(doubt) => doubt.bars_from_ranking(),
        None => false,
    };
    names.into_iter().find(is_in_the_way).cloned()
}

/// Puts runs in order of time; folders are read by their names, which somebody may have chosen.
fn put_in_order(history: &mut History) {
    let mut order: Vec<usize> = (0..history.runs.len()).collect();
    let key = |run: &usize| {
        let run = &history.runs[*run];
        (run.started_at.clone(), run.id.clone())
    };
    order.sort_by_key(key);
    if order.is_sorted() {
        return;
    }
    let mut place = vec![0; order.len()];
    for (now, before) in order.iter().enumerate() {
        place[*before] = now;
    }
    history.runs = order.iter().map(|run| history.runs[*run].clone()).collect();
    for line in &mut history.lines {
        line.seen.0 = place[line.seen.0];
        for series in &mut line.series {
            series.points.iter_mut().for_each(|point| point.run = place[point.run]);
            series.points.sort_by_key(|point| point.run);
            series.left_out.iter_mut().for_each(|(run, _)| *run = place[*run]);
            series.left_out.sort_unstable();
        }
    }
}
