//! By how much the rows of a matrix differ from run to run besides what their rounds explain, as their history has it.

use std::collections::BTreeMap;

use crate::judge::metric::Metric;
use crate::record::summary::CellSummary;

/// A row: its workload, load and target.
type Row = (String, String, String);

/// Standard deviations of logarithms, by row and figure.
#[derive(Debug, Clone, Default)]
pub struct Spreads {
    runs: usize,
    of: BTreeMap<Row, BTreeMap<&'static str, f64>>,
}

impl Spreads {
    /// Nothing yet, of so many runs.
    pub fn of_runs(runs: usize) -> Self {
        Self { runs, of: BTreeMap::new() }
    }

    /// What is known of a figure of a row.
    pub fn add(&mut self, [workload, load, target]: [&str; 3], metric: Metric, between: f64) {
        let row = (workload.to_owned(), load.to_owned(), target.to_owned());
        self.of.entry(row).or_default().insert(metric.name, between);
    }

    pub(super) fn of(&self, row: &CellSummary, metric: Metric) -> Option<f64> {
        let key = (row.workload.clone(), row.load.clone(), row.target.clone());
        self.of.get(&key)?.get(metric.name).copied()
    }

    /// How many runs know it; `None` if nothing is known.
    pub(super) fn runs(&self) -> Option<usize> {
        (!self.of.is_empty()).then_some(self.runs)
    }
}
