//! What is said below a table of its rows, and the marks that point there.

use crate::outcome::Kind as _;
use crate::record::summary::CellSummary;

/// Sentences of doubt and remarks, numbered where they are first borne.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) lines: Vec<String>,
    are_left_out: bool,
}

impl Notes {
    /// None yet; none at all if they are left out.
    pub(super) fn new(are_left_out: bool) -> Self {
        Self { lines: Vec::new(), are_left_out }
    }

    /// The numbers of a row's doubts and remarks, which are put among the notes.
    pub(super) fn add(&mut self, cell: &CellSummary) -> Vec<usize> {
        if self.are_left_out {
            return Vec::new();
        }
        let doubts = cell.caveats.iter().map(|it| format!("{}: {}", it.caveat.name(), it.detail));
        let mut numbers = Vec::new();
        for words in doubts.chain(cell.remarks.iter().cloned()) {
            self.lines.push(format!("{} — {words}", cell.target));
            numbers.push(self.lines.len());
        }
        numbers
    }
}

/// The marks that point to these notes: ` [1,2]`.
pub(super) fn marks(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!(" [{}]", numbers.join(",")) }
}
