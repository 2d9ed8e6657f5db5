//! Rows put together: by what kind of program they are, or by their language.

use super::{Body, Row};
use crate::record::run::TargetInfo;
use crate::record::summary::{CellSummary, Summary};
use crate::report::column::Column;

/// By what rows are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// `raw`, `library`, `framework`, `server`, in this order.
    Kind,
    /// The language, in the order of the alphabet.
    Language,
}

/// The kinds, from what leaves most of HTTP out to what does most.
const KINDS: [&str; 4] = ["raw", "library", "framework", "server"];

impl Group {
    /// What rows of a target have in common; `None` if it does not say.
    fn of(self, target: Option<&TargetInfo>) -> Option<&str> {
        match self {
            Self::Kind => target?.kind.as_deref(),
            Self::Language => target?.language.as_deref(),
        }
    }

    /// Puts rows of a group together; within one they stay as they are. Those of no group come last.
    pub(super) fn sort(self, cells: &mut [&CellSummary], summary: &Summary) {
        cells.sort_by_key(|cell| {
            let name = self.of(summary.run.target(&cell.target));
            let place = name.map_or(KINDS.len() + 1, |name| {
                KINDS
                    .iter()
                    .position(|kind| self == Self::Kind && *kind == name)
                    .unwrap_or(KINDS.len())
            });
            (place, name)
        });
    }

    /// Rows that are put together, with a heading above each group.
    pub(super) fn with_headings(
        self,
        rows: Vec<Row>,
        names: &[Column],
        summary: &Summary,
    ) -> Vec<Row> {
        let mut grouped: Vec<Row> = Vec::with_capacity(rows.len() + KINDS.len());
        let mut above: Option<Option<String>> = None;
        for row in rows {
            let name = self.of(summary.run.target(&row.label)).map(str::to_owned);
            if above.as_ref() != Some(&name) {
                grouped.push(heading(name.as_deref(), names));
                above = Some(name);
            }
            grouped.push(row);
        }
        grouped
    }
}

fn heading(name: Option<&str>, names: &[Column]) -> Row {
    let label = name.unwrap_or("others");
    let text = |column: &Column| if *column == Column::Target { label } else { "" };
    Row {
        label: label.to_owned(),
        share: None,
        notes: Vec::new(),
        names: names.iter().map(|column| text(column).to_owned()).collect(),
        keys: Vec::new(),
        body: Body::Heading,
    }
}
