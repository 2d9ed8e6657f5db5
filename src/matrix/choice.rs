//! Which rows are wanted, by the names of their targets, workloads and loads.

use super::globs::Globs;

/// Which rows are wanted; `None` wants all.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Labels of targets.
    pub targets: Option<Globs>,
    /// Names of workloads.
    pub workloads: Option<Globs>,
    /// Names of loads.
    pub loads: Option<Globs>,
}

/// A choice that chooses nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no row of the {whole} matches {patterns}")]
pub struct NoRow {
    whole: &'static str,
    patterns: String,
    /// The labels, workloads or loads there are.
    pub known: Vec<String>,
    /// The one of them that was most likely meant.
    pub guess: Option<String>,
}

impl Choice {
    /// The rows that are wanted of a `whole`; `names` are the target, the workload and the load of one.
    ///
    /// # Errors
    /// If there is none, with the names there are of the first kind that nothing matches.
    pub fn of<R>(
        &self,
        mut rows: Vec<R>,
        whole: &'static str,
        names: impl Fn(&R) -> [&String; 3],
    ) -> Result<Vec<R>, NoRow> {
        for (kind, globs) in [&self.targets, &self.workloads, &self.loads].into_iter().enumerate() {
            let Some(globs) = globs else { continue };
            let mut known: Vec<String> = rows.iter().map(|row| names(row)[kind].clone()).collect();
            rows.retain(|row| globs.matches(names(row)[kind]));
            if rows.is_empty() {
                known.sort_unstable();
                known.dedup();
                let patterns = globs.patterns().iter().map(|pattern| format!("`{pattern}`"));
                let patterns = patterns.collect::<Vec<_>>().join(", ");
                let guess = globs.guess(&known).map(str::to_owned);
                return Err(NoRow { whole, patterns, known, guess });
            }
        }
        Ok(rows)
    }
}
