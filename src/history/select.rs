//! Which rows of a history are wanted, by the names of their targets, workloads and loads. What is not wanted was judged all the same:
//! what is shown changes no verdict.

use super::{History, Line};
use crate::matrix::globs::Globs;

/// Which lines are wanted; `None` wants all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Labels of targets.
    pub targets: Option<Globs>,
    /// Names of workloads.
    pub workloads: Option<Globs>,
    /// Names of loads.
    pub loads: Option<Globs>,
}

/// A selection that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no row of the history matches {patterns}")]
pub struct NoRow {
    patterns: String,
    /// The labels, workloads or loads there are.
    pub known: Vec<String>,
    /// The one of them that was most likely meant.
    pub guess: Option<String>,
}

impl Selection {
    /// Leaves the lines that are wanted.
    ///
    /// # Errors
    /// If there is none, with the names there are of the first kind that nothing matches.
    pub fn of(&self, mut history: History) -> Result<History, NoRow> {
        type Name = fn(&Line) -> &String;
        let kinds: [(&Option<Globs>, Name); 3] = [
            (&self.targets, |line| &line.target),
            (&self.workloads, |line| &line.workload),
            (&self.loads, |line| &line.load),
        ];
        for (globs, name) in kinds {
            let Some(globs) = globs else { continue };
            let mut known: Vec<String> = history.lines.iter().map(name).cloned().collect();
            history.lines.retain(|line| globs.matches(name(line)));
            if history.lines.is_empty() {
                known.sort_unstable();
                known.dedup();
                let patterns = globs.patterns().iter().map(|pattern| format!("`{pattern}`"));
                let patterns = patterns.collect::<Vec<_>>().join(", ");
                let guess = globs.guess(&known).map(str::to_owned);
                return Err(NoRow { patterns, known, guess });
            }
        }
        Ok(history)
    }
}
