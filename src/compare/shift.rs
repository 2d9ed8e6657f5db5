//! Do all rows move as one? Then it is rather the control that moved, the other way.

use super::{Doubtful, Figure, Table};
use crate::judge::metric::Metric;

/// Fewer rows move as one by chance, or since they have much in common.
const ROWS_MIN: usize = 5;

/// Tables of which three quarters of the rows, or more, have become more or less by the same figure, by more than matters.
pub(super) fn of(tables: &[Table], decides: &[Metric], min_effect: f64) -> Vec<Doubtful> {
    let of_table = |table: &Table, metric: &Metric| {
        let of = |figure: &&Figure| figure.metric == metric.name && figure.change.is_some();
        let figures = table.rows.iter().filter_map(|row| row.figures.iter().find(of));
        let ratios: Vec<_> = figures.filter_map(|figure| figure.ratio).collect();
        let more = ratios.iter().filter(|ratio| ratio.low > 1.0 + min_effect).count();
        let less = ratios.iter().filter(|ratio| ratio.high < 1.0 / (1.0 + min_effect)).count();
        let (count, word) = if more > less { (more, "more") } else { (less, "less") };
        (ratios.len() >= ROWS_MIN && 4 * count >= 3 * ratios.len()).then(|| Doubtful {
            what: format!(
                "{count} of {} rows of {} under {} have {word} {} than before, as ratios to the control: rather than all of \
                 them the control may have changed",
                ratios.len(),
                table.workload,
                table.load,
                metric.name
            ),
            rows: Vec::new(),
        })
    };
    tables
        .iter()
        .flat_map(|table| decides.iter().filter_map(move |metric| of_table(table, metric)))
        .collect()
}
