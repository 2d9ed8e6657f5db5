//! A history is collected run by run, in whatever order they come, and judged at the end.

use std::collections::HashMap;

use super::conditions::Conditions;
use super::judge::{self, Judged};
use super::{History, Line, Point, Run, Series, Yardstick, samples};
use crate::judge::metric::Metric;
use crate::outcome::{Doubt, Kind as _};
use crate::record::outline::{CellOutline, Outline, Ratio};
use crate::record::run::Purpose;

#[cfg(test)]
mod tests;

/// A history as it grows, run by run.
#[derive(Debug)]
pub struct Collector {
    name: String,
    metrics: Vec<Metric>,
    history: History,
    /// The place of the first line of each row; those of its other figures follow.
    rows: HashMap<(String, String, String), usize>,
}

/// Why a run is no part of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOut {
    /// It is less than its matrix asks for, was cut off, or is for something else: that is as it should be.
    Other(&'static str),
    /// Something is wrong with it.
    Foreign(String),
}

impl Collector {
    /// Nothing yet of a matrix of this name.
    pub fn new(name: &str, metrics: &[Metric]) -> Self {
        Self {
            name: name.to_owned(),
            metrics: metrics.to_vec(),
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
        let other = match info.purpose {
            Some(Purpose::Noise) => Some("for `noise`"),
            None if info.partial => Some("partial"),
            None if info.interrupted.is_some() || info.finished_at.is_none() => Some("interrupted"),
            None => None,
        };
        if let Some(other) = other {
            return Err(LeftOut::Other(other));
        }
        let run = self.history.runs.len();
        self.history.runs.push(run_of(outline));
        let tables: Vec<(&str, &str, usize)> = info
            .tables
            .iter()
            .map(|table| {
                let conditions = self.place_of(Conditions::of(info, table));
                (table.workload.as_str(), table.load.as_str(), conditions)
            })
            .collect();
        for (place, cell) in outline.cells.iter().enumerate() {
            let table = tables.iter().find(|(workload, load, _)| {
                (*workload, *load) == (cell.workload.as_str(), cell.load.as_str())
            });
            if let Some((_, _, conditions)) = table {
                self.add(cell, (run, place), *conditions);
            }
        }
        Ok(())
    }

    fn place_of(&mut self, conditions: Conditions) -> usize {
        let all = &mut self.history.conditions;
        all.iter().position(|other| *other == conditions).unwrap_or_else(|| {
            all.push(conditions);
            all.len() - 1
        })
    }

    fn add(&mut self, cell: &CellOutline, seen: (usize, usize), conditions: usize) {
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
            let (value, ratio) = figures(cell, line.metric);
            let (value, error) = match yardstick {
                Yardstick::Control => {
                    (ratio.map(|it| it.mean.exp()), ratio.and_then(|it| it.error()))
                }
                Yardstick::Itself | Yardstick::Nothing => (value, None),
            };
            let Some(value) = value.filter(|it| it.is_finite() && *it > 0.0) else { continue };
            line.seen = seen;
            let point = Point { run: seen.0, value, error };
            line.add(conditions, yardstick, point, doubt(cell, line.metric));
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
        decides.filter(|metric| figures(cell, *metric).1.is_some()).count()
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

/// A figure of a row, and its ratio to the control.
fn figures(cell: &CellOutline, metric: Metric) -> (Option<f64>, Option<Ratio>) {
    let ratios = &cell.versus_control;
    let (mean, ratio) = match metric.name {
        "goodput" => (cell.goodput_per_second, ratios.goodput),
        "cpu" => (cell.cpu_us_per_request, ratios.cpu),
        "p50" => (cell.response_time_p50_us, ratios.p50),
        "p99" => (cell.response_time_p99_us, ratios.p99),
        "memory" => (cell.rss_peak_bytes, ratios.memory),
        "startup" => (cell.startup_ms, ratios.startup),
        _ => (None, None),
    };
    (mean.map(|it| it.mean), ratio.filter(|it| it.mean.is_finite()))
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
