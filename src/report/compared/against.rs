//! The rows of a run against the same targets at an earlier revision, which went through the same rounds.

use super::super::layout;
use super::{counts, lay_out_table, word, worst_first};
use crate::compare::{Row, Settings, Table, against as compare_with_earlier};
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
    let figure = |name: &str| row.figures.iter().find(|figure| figure.metric == name)?.ratio;
    match row.change {
        Change::Fails | Change::Mended => {
            let (target, word) = (&row.target, word(row.change));
            let reason = row.reason.as_deref().unwrap_or_default();
            Some(format!("{target} {word} since {revision}: {reason}"))
        }
        Change::Worse | Change::Better => {
            let ratio = figure("goodput")?;
            let cpu = figure("cpu").map_or_else(String::new, |cpu| {
                format!(", for {:.2} of the CPU per answer", cpu.mean)
            });
            Some(format!(
                "{} answers {:.2} times as many as at {revision} ({:.2} to {:.2}){cpu}",
                row.target, ratio.mean, ratio.low, ratio.high
            ))
        }
        _ => None,
    }
}
