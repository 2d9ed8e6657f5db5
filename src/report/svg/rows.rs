//! The rows of a table as charts take them: in the order of the table, each with its trials where these are at hand.

use super::super::column::rank;
use super::super::order;
use super::super::ranking::ranked_by;
use super::palette;
use crate::judge::metric::{Metric, Unit};
use crate::record::measured::Measured;
use crate::record::rows::Rows;
use crate::record::run::PlannedTable;
use crate::record::summary::{CellSummary, Figure, Summary};
use crate::record::trial::TrialRecord;
use crate::stats::bound::Bound;
use crate::stats::comparison::Better;
use crate::units::write_thousands;

/// A row.
#[derive(Debug)]
pub(super) struct Row<'s> {
    pub(super) cell: &'s CellSummary,
    pub(super) trials: Vec<&'s TrialRecord>,
    /// The classes of its colour and dashes: the same in all charts of a run.
    pub(super) classes: String,
}

/// A table.
#[derive(Debug)]
pub(super) struct Table<'s> {
    pub(super) planned: &'s PlannedTable,
    pub(super) rows: Vec<Row<'s>>,
    pub(super) reference: &'s str,
}

impl<'s> Table<'s> {
    pub(super) fn new(
        summary: &'s Summary,
        table: &'s PlannedTable,
        trials: Option<&Rows<'s>>,
    ) -> Self {
        let is_of =
            |cell: &&CellSummary| cell.workload == table.workload && cell.load == table.load;
        let mut cells: Vec<&CellSummary> = summary.cells.iter().filter(is_of).collect();
        order::by_rank(&mut cells, ranked_by(table));
        let place = |label: &str| {
            summary.run.targets.iter().position(|target| target.label == label).unwrap_or(0)
        };
        let trials_of = |label: &str| {
            trials.map(|rows| rows.trials(&table.workload, &table.load, label)).unwrap_or_default()
        };
        let rows = cells.into_iter().map(|cell| Row {
            cell,
            trials: trials_of(&cell.target),
            classes: palette::classes(place(&cell.target)),
        });
        Self { planned: table, rows: rows.collect(), reference: &summary.run.policy.reference }
    }

    /// What the rows are ranked by.
    pub(super) fn metric(&self) -> Metric {
        Metric::named(&self.planned.rank_by)
    }

    /// The figure that ranks the table, of a row.
    pub(super) fn figure(&self, cell: &'s CellSummary) -> Option<&'s Figure> {
        self.metric().of_row(cell)
    }

    /// The same figure of a trial.
    pub(super) fn point(&self, trial: &TrialRecord) -> Option<f64> {
        self.metric().of(trial)
    }

    /// Whether right answers per second rank the table.
    pub(super) fn is_by_goodput(&self) -> bool {
        self.metric().name == "goodput"
    }

    /// What the figure is called, and which way is better.
    pub(super) fn words(&self) -> (&'static str, &'static str) {
        let metric = self.metric();
        let better = match metric.better {
            Better::More => "more is better",
            Better::Less => "less is better",
        };
        (metric.words, better)
    }

    /// A value of the figure.
    pub(super) fn write(&self, value: f64) -> String {
        self.metric().unit.write(value)
    }

    /// A round value beside an axis.
    pub(super) fn write_tick(&self, value: f64) -> String {
        tick(self.metric().unit, value)
    }

    /// Whether a row's figure may be higher than it is shown.
    pub(super) fn is_bound(&self, cell: &CellSummary) -> bool {
        self.metric().bound_of(cell) == Some(Bound::MayBeBetter)
    }

    /// What the place of a row is written as; none of one that is not ranked.
    pub(super) fn rank(&self, cell: &CellSummary) -> Option<String> {
        rank(cell, self.metric())
    }

    /// The rows that were measured.
    pub(super) fn measured(&self) -> impl Iterator<Item = &Row<'s>> {
        self.rows.iter().filter(|row| row.cell.reason.is_none())
    }
}

impl<'s> Row<'s> {
    /// What was measured in each round, with its number.
    pub(super) fn windows(&self) -> impl Iterator<Item = (u32, &'s Measured)> {
        self.trials.iter().filter_map(|trial| Some((trial.round, trial.measured()?)))
    }
}

/// A round value beside an axis.
fn tick(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PerSecond => tick_of_number(value),
        _ if value == 0.0 => "0".to_owned(),
        _ => unit.write(value).replace(".0 ", " "),
    }
}

/// A round number beside an axis.
pub(super) fn tick_of_number(value: f64) -> String {
    if value >= 1e12 {
        return format!("{value:e}");
    }
    if value >= 1000.0 || value.fract() == 0.0 {
        return write_thousands(value);
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A round time beside an axis.
pub(super) fn tick_of_micros(value: f64) -> String {
    tick(Unit::Micros, value)
}

/// A round amount of memory beside an axis.
pub(super) fn tick_of_bytes(value: f64) -> String {
    tick(Unit::Bytes, value)
}
