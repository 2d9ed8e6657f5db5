//! Which rows of a history are wanted. What is not wanted was judged all the same: what is shown changes no verdict.

use super::History;
use crate::matrix::choice::{Choice, NoRow};

impl History {
    /// Leaves the lines that are wanted.
    ///
    /// # Errors
    /// If there is none, with the names there are of the first kind that nothing matches.
    pub fn select(mut self, choice: &Choice) -> Result<Self, NoRow> {
        let names =
            |line: &super::Line| [line.target.clone(), line.workload.clone(), line.load.clone()];
        let all = std::mem::take(&mut self.lines).into_iter().map(|line| (names(&line), line));
        let wanted = choice.of(all.collect(), "history", |(names, _)| names.each_ref())?;
        self.lines = wanted.into_iter().map(|(_, line)| line).collect();
        Ok(self)
    }
}
