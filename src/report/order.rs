//! The order of a table's rows: as they are ranked, or by a column that somebody names.

use super::column::{Around, Column};
use super::summarise::is_rankable;
use crate::judge::metric::Metric;
use crate::record::summary::{CellSummary, Summary};

/// As the table is made for: rows with a rank by it, and by the figure behind it where they share one, or by CPU time per
/// answer where p99 ranks them, whatever the load. Then rows that cannot be ranked, then those without figures.
pub(super) fn by_rank(cells: &mut [&CellSummary], ranked_by: Column) {
    let tie = |cell: &CellSummary| match ranked_by {
        Column::P99 if cell.rank.is_some() => Column::Cpu.merit(cell),
        _ => None,
    };
    cells.sort_by(|a, b| {
        let rank = |cell: &CellSummary| cell.rank.unwrap_or(u32::MAX);
        let merit = |cell: &CellSummary| ranked_by.merit(cell).unwrap_or(f64::INFINITY);
        let costs = |cell: &CellSummary| tie(cell).unwrap_or(f64::INFINITY);
        group(a)
            .cmp(&group(b))
            .then_with(|| rank(a).cmp(&rank(b)))
            .then_with(|| costs(a).total_cmp(&costs(b)))
            .then_with(|| merit(a).total_cmp(&merit(b)))
    });
}

/// By any column, the best first; by a text in the order of the alphabet. Rows that are alike stay as they are.
pub(super) fn by_column(cells: &mut [&CellSummary], column: Column, summary: &Summary) {
    if column == Column::Rank {
        return;
    }
    if column.is_figure() {
        let merit = |cell: &CellSummary| column.merit(cell).unwrap_or(f64::INFINITY);
        return cells
            .sort_by(|a, b| group(a).cmp(&group(b)).then_with(|| merit(a).total_cmp(&merit(b))));
    }
    // What else a column knows of its table makes no difference to a text.
    let (rounds, by, base) = (0, Metric::named(column.name()), None);
    cells.sort_by_cached_key(|cell| {
        let target = summary.run.target(&cell.target);
        let text = column.text(cell, Around { target, rounds, by, base });
        (group(cell), text.is_none(), text)
    });
}

/// Rows that can be ranked come before those that cannot, and these before those without figures.
fn group(cell: &CellSummary) -> (bool, bool) {
    (cell.reason.is_some(), !is_rankable(cell))
}
