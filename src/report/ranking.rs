//! How the rows of a table compare: a verdict on each against the reference, the ranks, what the rounds leave unexplained.
//!
//! By the figure that ranks the table, one point a round. Nothing is removed: what stands out is said.

use super::column::Column;
use super::summarise::{figure, is_lower_bound, is_rankable};
use crate::judge::metric::Metric;
use crate::outcome::Verdict;
use crate::record::run::{PlannedTable, Policy};
use crate::record::summary::{CellSummary, Noise, Versus};
use crate::record::trial::TrialRecord;
use crate::stats::blocks::{Residuals, logs_of_whole_rounds, median_residuals, smallest_effect};
use crate::stats::comparison::{Comparison, ROUNDS_MIN};
use crate::stats::outlier::{Standing, standing_out};
use crate::stats::ranks::{Ranked, ranks};

/// A row with its trials.
pub(super) struct Row<'t> {
    pub(super) cell: &'t mut CellSummary,
    pub(super) trials: &'t [&'t TrialRecord],
}

/// One point for each of so many rounds.
fn points(metric: Metric, trials: &[&TrialRecord], rounds: u32) -> Vec<Option<f64>> {
    let mut points = vec![None; rounds as usize];
    for trial in trials {
        let place = (trial.round as usize).checked_sub(1);
        if let Some(point) = place.and_then(|place| points.get_mut(place)) {
            *point = metric.of(trial);
        }
    }
    points
}

/// Compares the rows of a table, and says how finely they can be compared.
pub(super) fn compare(rows: &mut [Row<'_>], table: &PlannedTable, policy: &Policy) -> Noise {
    let metric = Metric::named(&table.rank_by);
    let rounds = rows.iter().flat_map(|row| row.trials).map(|trial| trial.round).max().unwrap_or(0);
    let points: Vec<Vec<Option<f64>>> =
        rows.iter().map(|row| points(metric, row.trials, rounds)).collect();
    versus_reference(rows, &points, ranked_by(table), policy);
    let ranked: Vec<usize> = (0..rows.len())
        .filter(|row| is_rankable(rows[*row].cell))
        .filter(|row| points[*row].iter().flatten().count() >= ROUNDS_MIN)
        .collect();
    rank(rows, &points, &ranked, ranked_by(table), policy);
    let of_ranked: Vec<&[Option<f64>]> = ranked.iter().map(|row| &points[*row][..]).collect();
    let logs = logs_of_whole_rounds(&of_ranked);
    let left = Residuals::of(&logs);
    // Of two rows nobody can say which of them stands out.
    if ranked.len() > 2 {
        for (row, rest) in ranked.iter().zip(median_residuals(&logs)) {
            rows[*row].cell.remarks = remarks(&rest, policy.min_effect);
        }
    }
    let whole = logs.first().map_or(0, Vec::len);
    let whole = u32::try_from(whole).unwrap_or(u32::MAX);
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

fn versus_reference(
    rows: &mut [Row<'_>],
    points: &[Vec<Option<f64>>],
    by: Column,
    policy: &Policy,
) {
    let metric = Metric::named(by.name());
    let base = rows.iter().position(|row| row.cell.target == policy.reference);
    let Some(base) = base else { return };
    let has_sound_base = is_rankable(rows[base].cell);
    let is_base_bound = is_bound(rows[base].cell, by);
    for (row, points_of_row) in rows.iter_mut().zip(points) {
        let both = points_of_row.iter().zip(&points[base]);
        let ratios: Vec<f64> = both.filter_map(|(one, base)| Some((*one)? / (*base)?)).collect();
        let comparison = Comparison::of(&ratios);
        let is_sound =
            has_sound_base && is_rankable(row.cell) && row.cell.target != policy.reference;
        let verdict = comparison
            .filter(|_| is_sound)
            .and_then(|found| found.verdict(policy.min_effect, metric.better))
            .and_then(|verdict| bounded(verdict, is_bound(row.cell, by), is_base_bound));
        row.cell.versus = figure(ratios).map(|ratio| Versus {
            by: by.name().to_owned(),
            ratio,
            verdict,
            // Of a bound more rounds would not settle what it bounds.
            rounds_lacking: comparison
                .filter(|_| verdict == Some(Verdict::Unclear))
                .filter(|_| !is_bound(row.cell, by) && !is_base_bound)
                .and_then(|found| found.rounds_lacking(policy.min_effect))
                .and_then(|rounds| u32::try_from(rounds).ok()),
        });
    }
}

/// Whether a row may be better than it looks. What an answer costs is no less for a generator that could not ask for more.
fn is_bound(cell: &CellSummary, by: Column) -> bool {
    !matches!(by, Column::Cpu | Column::Memory) && is_lower_bound(cell)
}

/// What may be said where a side may be better than it looks. Of two such nothing follows.
fn bounded(verdict: Verdict, is_row: bool, is_base: bool) -> Option<Verdict> {
    match (is_row, is_base) {
        (false, false) => Some(verdict),
        (true, false) if verdict == Verdict::Faster => Some(verdict),
        (false, true) if verdict == Verdict::Slower => Some(verdict),
        (true, true) => None,
        _ => Some(Verdict::Unclear),
    }
}

fn rank(
    rows: &mut [Row<'_>],
    points: &[Vec<Option<f64>>],
    ranked: &[usize],
    by: Column,
    policy: &Policy,
) {
    let better = Metric::named(by.name()).better;
    let entries: Vec<Ranked> = ranked
        .iter()
        .map(|row| Ranked { points: points[*row].clone(), is_bound: is_bound(rows[*row].cell, by) })
        .collect();
    let found = ranks(&entries, better, policy.min_effect);
    for (row, rank) in ranked.iter().zip(found) {
        let place = |place: usize| u32::try_from(place).ok();
        (rows[*row].cell.rank, rows[*row].cell.rank_worst) = (place(rank.best), place(rank.worst));
    }
}

/// What stands out in the points of a row, once what the row and the round explain is taken off.
fn remarks(rest: &[f64], effect: f64) -> Vec<String> {
    standing_out(rest, effect.ln_1p())
        .into_iter()
        .map(|standing| match standing {
            Standing::Apart { round, by } => {
                format!("outlier: round {} lies {} off its other rounds", round + 1, percent(by))
            }
            Standing::Trend { by } => {
                format!(
                    "trend: {} from the first round to the last, against the other rows",
                    percent(by)
                )
            }
        })
        .collect()
}

/// A difference of logarithms as a share with its sign.
fn percent(by: f64) -> String {
    format!("{:+.0} %", by.exp_m1() * 100.0)
}
