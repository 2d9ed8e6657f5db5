//! How the rows of a table compare: a verdict on each against the reference, the ranks, what the rounds leave unexplained.
//!
//! By the figure that ranks the table, one point a round. Nothing is removed: what stands out is said.

use super::column::Column;
use super::summarise::{figure, is_rankable};
use crate::judge::metric::Metric;
use crate::outcome::Verdict;
use crate::record::run::{PlannedTable, Policy};
use crate::record::summary::{CellSummary, Noise, Versus};
use crate::record::trial::TrialRecord;
use crate::stats::blocks::{Residuals, smallest_effect};
use crate::stats::bound::Bounds;
use crate::stats::comparison::{Comparison, ROUNDS_MIN};
use crate::stats::outlier::{Standing, standing_out};
use crate::stats::ranks::{Ranked, ranks};
use crate::stats::rounds::{Points, Whole, ratios};

/// A row with its trials.
pub(super) struct Row<'t> {
    pub(super) cell: &'t mut CellSummary,
    pub(super) trials: &'t [&'t TrialRecord],
}

/// Compares the rows of a table, and says how finely they can be compared.
pub(super) fn compare(rows: &mut [Row<'_>], table: &PlannedTable, policy: &Policy) -> Noise {
    let metric = Metric::named(&table.rank_by);
    let rounds = rows.iter().flat_map(|row| row.trials).map(|trial| trial.round).max().unwrap_or(0);
    let points: Vec<Points> = rows.iter().map(|row| metric.points(row.trials)).collect();
    versus_reference(rows, &points, metric, policy);
    let ranked: Vec<usize> = (0..rows.len())
        .filter(|row| is_rankable(rows[*row].cell))
        .filter(|row| points[*row].len() >= ROUNDS_MIN)
        .collect();
    rank(rows, &points, &ranked, metric, policy);
    let of_ranked: Vec<&Points> = ranked.iter().map(|row| &points[*row]).collect();
    let whole = Whole::of(&of_ranked);
    let left = Residuals::of(&whole.logs);
    let standing = standing_out(&whole, policy.min_effect.ln_1p());
    for (row, standing) in ranked.iter().zip(standing) {
        rows[*row].cell.remarks = standing.into_iter().map(remark).collect();
    }
    let whole = u32::try_from(whole.rounds.len()).unwrap_or(u32::MAX);
    Noise {
        workload: table.workload.clone(),
        load: table.load.clone(),
        rounds,
        smallest_effect: left
            .as_ref()
            .map(|left| smallest_effect(left.deviation(), left.degrees_of_freedom(), whole)),
        deviation: left.as_ref().map(Residuals::deviation),
    }
}

/// The column that ranks a table.
pub(super) fn ranked_by(table: &PlannedTable) -> Column {
    Column::parse(&table.rank_by).unwrap_or(Column::Goodput)
}

fn versus_reference(rows: &mut [Row<'_>], points: &[Points], metric: Metric, policy: &Policy) {
    let Some(at) = rows.iter().position(|row| row.cell.target == policy.reference) else { return };
    let (has_sound_base, base_bound) = (is_rankable(rows[at].cell), metric.bound_of(rows[at].cell));
    for (row, points_of_row) in rows.iter_mut().zip(points) {
        let ratios = ratios(points_of_row, &points[at]);
        let comparison = Comparison::of(&ratios);
        let is_sound =
            has_sound_base && is_rankable(row.cell) && row.cell.target != policy.reference;
        let bounds = Bounds { one: metric.bound_of(row.cell), other: base_bound };
        let verdict = comparison
            .filter(|_| is_sound)
            .and_then(|found| found.verdict(policy.min_effect, metric.better))
            .and_then(|verdict| bounds.allow(verdict));
        row.cell.versus = figure(ratios).map(|ratio| Versus {
            by: metric.name.to_owned(),
            ratio,
            verdict,
            // Of a bound more rounds would not settle what it bounds.
            rounds_lacking: comparison
                .filter(|_| verdict == Some(Verdict::Unclear) && !bounds.is_any())
                .and_then(|found| found.rounds_lacking(policy.min_effect))
                .and_then(|rounds| u32::try_from(rounds).ok()),
        });
    }
}

fn rank(
    rows: &mut [Row<'_>],
    points: &[Points],
    ranked: &[usize],
    metric: Metric,
    policy: &Policy,
) {
    let entries: Vec<Ranked> = ranked
        .iter()
        .map(|row| Ranked { points: points[*row].clone(), bound: metric.bound_of(rows[*row].cell) })
        .collect();
    let found = ranks(&entries, metric.better, policy.min_effect);
    for (row, rank) in ranked.iter().zip(found) {
        let place = |place: usize| u32::try_from(place).ok();
        (rows[*row].cell.rank, rows[*row].cell.rank_worst) = (place(rank.best), place(rank.worst));
    }
}

/// What stands out in the points of a row, once what the row and the round explain is taken off.
fn remark(standing: Standing) -> String {
    match standing {
        Standing::Apart { round, by } => {
            format!("outlier: round {round} lies {} off its other rounds", percent(by))
        }
        Standing::Trend { by } => {
            format!(
                "trend: {} from the first round to the last, against the other rows",
                percent(by)
            )
        }
    }
}

/// A difference of logarithms as a share with its sign.
fn percent(by: f64) -> String {
    format!("{:+.0} %", by.exp_m1() * 100.0)
}

#[cfg(test)]
mod tests;
