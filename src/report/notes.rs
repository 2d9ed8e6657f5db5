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

    /// The marks of a row, and its doubts and remarks among the notes.
    pub(super) fn marks(&mut self, cell: &CellSummary) -> String {
        if self.are_left_out {
            return String::new();
        }
        let doubts = cell.caveats.iter().map(|it| format!("{}: {}", it.caveat.name(), it.detail));
        let mut marks = Vec::new();
        for words in doubts.chain(cell.remarks.iter().cloned()) {
            self.lines.push(format!("{} — {words}", cell.target));
            marks.push(self.lines.len().to_string());
        }
        if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(",")) }
    }
}
