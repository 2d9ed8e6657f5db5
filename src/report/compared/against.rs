//! The rows of a run against the same targets at an earlier revision, which went through the same rounds.

use super::super::column::write_ratio;
use super::super::layout;
use super::{bound, counts, lay_out_table, word, worst_first};
use crate::compare::{Ratio, Row, Settings, Table, against as compare_with_earlier};
use crate::outcome::Change;
use crate::record::run::Against;
use crate::record::summary::Summary;

/// So many digits of a commit tell it from others.
const DIGITS: usize = 12;

/// A table for each of the run's, with what is said of it in words; none if it was made against no revision.
pub(in crate::report) fn against(summary: &Summary) -> Vec<layout::Table> {
    let Some(of) = &summary.run.against else { return Vec::new() };
    let settings = Settings::of(summary);
    let lay_out = |table: &Table| {
        let rows = worst_first(table.rows.iter());
        let mut laid_out = lay_out_table(&settings.decides, table, &rows);
        laid_out.title = format!("{} · now against {}", laid_out.title, revision(of));
        laid_out.sentences = vec![counts(&rows)];
        laid_out.sentences.extend(rows.iter().filter_map(|row| sentence(row, &of.revision)));
        laid_out
    };
    let tables = compare_with_earlier(summary, &settings);
    tables.iter().filter(|table| !table.rows.is_empty()).map(lay_out).collect()
}

/// The revision as typed, with its commit where all targets lie in one repository.
fn revision(of: &Against) -> String {
    let mut commits: Vec<&String> = of.commits.values().collect();
    commits.dedup();
    match commits[..] {
        [commit] if *commit != of.revision => {
            format!("{} ({})", of.revision, commit.get(..DIGITS).unwrap_or(commit))
        }
        _ => of.revision.clone(),
    }
}

/// What became of a row, where something did.
fn sentence(row: &Row, revision: &str) -> Option<String> {
    match row.change {
        Change::Fails | Change::Mended => {
            let (target, word) = (&row.target, word(row.change));
            let reason = row.reason.as_deref().unwrap_or_default();
            Some(format!("{target} {word} since {revision}: {reason}"))
        }
        Change::Worse | Change::Better => of_figures(row, revision),
        _ => None,
    }
}

/// How many times as many answers, and for how much of the CPU, as far as either is known.
fn of_figures(row: &Row, revision: &str) -> Option<String> {
    let figure = |name: &str| row.figures.iter().find(|figure| figure.metric == name);
    let ratio = |name: &str| figure(name)?.ratio;
    let range =
        |ratio: Ratio| format!(" ({} to {})", write_ratio(ratio.low), write_ratio(ratio.high));
    let target = &row.target;
    // Of two lower bounds nothing follows.
    let goodput =
        figure("goodput").and_then(|goodput| Some((goodput.ratio?, bound(goodput)?.words())));
    match (goodput, ratio("cpu")) {
        (Some((ratio, at_least)), cpu) => {
            let (mean, range) = (write_ratio(ratio.mean), range(ratio));
            let cpu = cpu.map_or_else(String::new, |cpu| {
                format!(", for {} of the CPU per answer", write_ratio(cpu.mean))
            });
            Some(format!(
                "{target} answers {at_least}{mean} times as many as at {revision}{range}{cpu}"
            ))
        }
        (None, Some(cpu)) => {
            let (mean, range) = (write_ratio(cpu.mean), range(cpu));
            Some(format!(
                "{target} takes {mean} of the CPU per answer that it took at {revision}{range}"
            ))
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Figure;

    #[test]
    fn a_sentence_says_where_a_ratio_is_no_more_than_a_bound() {
        let figure = |metric, mean: f64, [base_is_bound, new_is_bound]: [bool; 2]| Figure {
            metric,
            decides: true,
            base: Some(1.0),
            new: Some(mean),
            base_is_bound,
            new_is_bound,
            base_control_is_bound: false,
            new_control_is_bound: false,
            between: None,
            ratio: Some(Ratio { mean, low: mean * 0.99, high: mean * 1.01 }),
            change: None,
        };
        let exact = [false; 2];
        let told = |bounds| {
            let figures = vec![figure("goodput", 0.95, bounds), figure("cpu", 1.2, exact)];
            let target = "a".to_owned();
            sentence(&Row { target, change: Change::Worse, reason: None, figures }, "v1")
        };
        let cpu = ", for 1.20 of the CPU per answer";
        for (base, new, expected) in [
            (false, false, format!("a answers 0.95 times as many as at v1 (0.94 to 0.96){cpu}")),
            (
                false,
                true,
                format!("a answers at least 0.95 times as many as at v1 (0.94 to 0.96){cpu}"),
            ),
            (
                true,
                false,
                format!("a answers at most 0.95 times as many as at v1 (0.94 to 0.96){cpu}"),
            ),
            (
                true,
                true,
                "a takes 1.20 of the CPU per answer that it took at v1 (1.19 to 1.21)".to_owned(),
            ),
        ] {
            assert_eq!(told([base, new]), Some(expected));
        }
    }
}
