//! Are more rounds worth their time? As long as some interval is wider than the smallest difference that matters. Where an
//! interval lies is not looked at: who stops when a difference shows finds one sooner or later.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::metric::Metric;
use crate::matrix::Matrix;
use crate::plan::{Cell, Trial};
use crate::record::trial::TrialRecord;
use crate::stats::comparison::Comparison;

/// The points of all cells so far, by round.
#[derive(Debug, Default)]
pub(super) struct Points {
    seen: BTreeSet<Cell>,
    of: BTreeMap<Cell, BTreeMap<u32, f64>>,
}

impl Points {
    /// Whether a trial of a cell was taken note of.
    pub(super) fn has(&self, cell: Cell) -> bool {
        self.seen.contains(&cell)
    }

    /// Takes note of a trial that counts.
    pub(super) fn add(&mut self, matrix: &Matrix, trial: &Trial, record: &TrialRecord) {
        self.seen.insert(trial.cell);
        // A row that is not ranked is worth no round.
        if record.caveats.iter().any(|it| it.caveat.bars_from_ranking()) {
            return;
        }
        let metric = Metric::named(&matrix.loads[trial.cell.load].rank_by);
        if let Some(point) = metric.of(record) {
            self.of.entry(trial.cell).or_default().insert(trial.round, point);
        }
    }

    /// A cell of which the ratio to the reference of its table is wide, with how far its interval reaches to either side, as
    /// a share; the widest of all. Rows without two points in common with the reference would not get any by waiting.
    pub(super) fn widest(&self, matrix: &Matrix) -> Option<(Cell, f64)> {
        let is_reference = |cell: &Cell| cell.label(matrix) == matrix.run.reference;
        let bases: BTreeMap<(usize, usize), &BTreeMap<u32, f64>> = self
            .of
            .iter()
            .filter(|(cell, _)| is_reference(cell))
            .map(|(cell, points)| ((cell.workload, cell.load), points))
            .collect();
        let wide = self.of.iter().filter_map(|(cell, points)| {
            if is_reference(cell) {
                return None;
            }
            let base = bases.get(&(cell.workload, cell.load))?;
            let ratios: Vec<f64> =
                points.iter().filter_map(|(round, point)| Some(point / base.get(round)?)).collect();
            let found = Comparison::of(&ratios)?;
            found.is_wide(matrix.run.min_effect).then(|| (*cell, found.half_width().exp_m1()))
        });
        wide.max_by(|one, other| one.1.total_cmp(&other.1))
    }
}
