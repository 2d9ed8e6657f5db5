//! A change where it was found, and what became of it: is it for the worse, does it last, has anybody accepted it?

use super::judge::Change;
use super::{History, Line, Run, Series};
use crate::record::changes::{Changes, Known};

/// A change of a line.
#[derive(Debug, Clone, Copy)]
pub struct Found<'h> {
    /// The runs of the history.
    pub runs: &'h [Run],
    /// The row and figure.
    pub line: &'h Line,
    /// The series, of that line.
    pub series: &'h Series,
    /// The change, of that series.
    pub change: &'h Change,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Seen in the newest run alone.
    Suspected,
    /// It is there, and nobody has said anything to it.
    Confirmed,
    /// Somebody has taken it for the new level.
    Accepted,
    /// The level before it has come back.
    Recovered,
}

impl History {
    /// All changes of a series, in order of time.
    pub fn found_in<'h>(
        &'h self,
        line: &'h Line,
        series: &'h Series,
    ) -> impl Iterator<Item = Found<'h>> {
        let changes = series.judged.changes.iter();
        changes.map(move |change| Found { runs: &self.runs, line, series, change })
    }

    /// The changes of all lines, in the series that the newest run of each row belongs to.
    pub fn found(&self) -> impl Iterator<Item = Found<'_>> {
        let newest = self.lines.iter().filter_map(|line| Some((line, line.newest()?)));
        newest.flat_map(|(line, series)| self.found_in(line, series))
    }

    /// The newest run.
    pub fn newest(&self) -> Option<&Run> {
        self.runs.last()
    }
}

impl<'h> Found<'h> {
    fn run_at(&self, point: usize) -> &'h Run {
        &self.runs[self.series.points[point].run]
    }

    /// The first run of the new level.
    pub fn since(&self) -> &'h Run {
        self.run_at(self.change.at)
    }

    /// The last run of the level before.
    pub fn before(&self) -> Option<&'h Run> {
        Some(self.run_at(self.change.at.checked_sub(1)?))
    }

    /// The run that confirmed it.
    pub fn confirmed_by(&self) -> Option<&'h Run> {
        self.change.confirmed.map(|point| self.run_at(point))
    }

    /// The run in which it was suspected.
    pub fn suspected_by(&self) -> Option<&'h Run> {
        self.change.suspected.map(|point| self.run_at(point))
    }

    /// Whether it is for the worse.
    pub fn is_worse(&self) -> bool {
        self.line.is_worse(self.change)
    }

    /// The change as a share of the level before: -0.06 for six per cent less.
    pub fn share(&self) -> f64 {
        (self.change.after - self.change.before).exp_m1()
    }

    /// In how many runs the new level was seen, up to the next one.
    pub fn times_seen(&self) -> usize {
        let is_it = |level: &&std::ops::Range<usize>| level.start == self.change.at;
        self.series.judged.levels.iter().find(is_it).map_or(0, ExactSizeIterator::len)
    }

    /// What became of it, with what is remembered.
    pub fn standing(&self, memory: &Changes) -> Standing {
        if self.known(memory).any(|known| known.accepted.is_some()) {
            Standing::Accepted
        } else if self.change.confirmed.is_none() {
            Standing::Suspected
        } else if self.is_recovered() {
            Standing::Recovered
        } else {
            Standing::Confirmed
        }
    }

    /// Whether some later, confirmed level was as good as the one before this change, but for what does not matter; or as bad. What
    /// came after that is a change of its own.
    fn is_recovered(&self) -> bool {
        let way = (self.change.after - self.change.before).signum();
        let is_back = |later: &Change| {
            later.confirmed.is_some()
                && later.at > self.change.at
                && (later.after - self.change.before) * way < self.since().effect
        };
        self.series.judged.changes.iter().any(is_back)
    }

    /// What is remembered of it.
    pub(super) fn known<'m>(&self, memory: &'m Changes) -> impl Iterator<Item = &'m Known> {
        let (line, since) = (self.line, self.since().id.as_str());
        memory.changes.iter().filter(move |known| {
            known.metric == line.metric.name
                && known.target == line.target
                && known.workload == line.workload
                && known.load == line.load
                && known.is_of(since)
        })
    }
}
