//! What is said below a table of its rows, and the marks that point there.

use std::collections::BTreeMap;

use crate::outcome::{Doubt, Kind as _};
use crate::record::summary::CellSummary;

/// A doubt that so many rows of a table bear is told of the first of them, and named of the others.
const SHARED: usize = 3;
/// So many of the others are named.
const NAMED: usize = 12;

/// Sentences of doubt and remarks, numbered where they are first borne.
#[derive(Debug, Default)]
pub(super) struct Notes {
    lines: Vec<String>,
    /// How many rows bear each doubt.
    rows: BTreeMap<&'static str, usize>,
    /// Of doubts that many share, which line it is, and who else bears it.
    shared: BTreeMap<&'static str, (usize, Vec<String>)>,
    are_left_out: bool,
}

impl Notes {
    /// For the rows of one table; none at all if they are left out.
    pub(super) fn new(cells: &[&CellSummary], are_left_out: bool) -> Self {
        let mut rows: BTreeMap<&'static str, usize> = BTreeMap::new();
        for caveat in cells.iter().flat_map(|cell| &cell.caveats) {
            *rows.entry(caveat.caveat.name()).or_default() += 1;
        }
        Self { rows, are_left_out, ..Self::default() }
    }

    /// The numbers of a row's doubts and remarks, which are put among the notes.
    pub(super) fn add(&mut self, cell: &CellSummary) -> Vec<usize> {
        if self.are_left_out {
            return Vec::new();
        }
        let mut numbers = Vec::new();
        for caveat in &cell.caveats {
            numbers.push(self.doubt(cell, caveat.caveat, &caveat.detail));
        }
        for remark in &cell.remarks {
            numbers.push(self.line(format!("{} — {remark}", cell.target)));
        }
        numbers
    }

    fn doubt(&mut self, cell: &CellSummary, doubt: Doubt, detail: &str) -> usize {
        let name = doubt.name();
        if let Some((number, others)) = self.shared.get_mut(name) {
            others.push(cell.target.clone());
            return *number;
        }
        let number = self.line(format!("{} — {name}: {detail}", cell.target));
        if self.rows.get(name).is_some_and(|rows| *rows >= SHARED) {
            self.shared.insert(name, (number, Vec::new()));
        }
        number
    }

    fn line(&mut self, line: String) -> usize {
        self.lines.push(line);
        self.lines.len()
    }

    /// The lines, by their numbers from 1.
    pub(super) fn lines(mut self) -> Vec<String> {
        for (number, others) in self.shared.values() {
            let named =
                others.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = match others.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.lines[number - 1].extend(["; likewise ", &named, &more]);
        }
        self.lines
    }
}

/// The marks that point to these notes: ` [1,2]`.
pub(super) fn marks(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!(" [{}]", numbers.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::trial::Caveat;

    fn cell(target: &str, doubts: &[Doubt]) -> CellSummary {
        let caveat = |doubt: &Doubt| Caveat { caveat: *doubt, detail: format!("of {target}") };
        CellSummary {
            target: target.to_owned(),
            caveats: doubts.iter().map(caveat).collect(),
            ..CellSummary::default()
        }
    }

    #[test]
    fn a_doubt_that_many_rows_share_is_told_once_and_names_them_all() {
        let cells = [
            cell("a", &[Doubt::NoisyHost, Doubt::Late]),
            cell("b", &[Doubt::NoisyHost]),
            cell("c", &[Doubt::Late, Doubt::NoisyHost]),
        ];
        let cells: Vec<&CellSummary> = cells.iter().collect();
        let mut notes = Notes::new(&cells, false);
        let numbers: Vec<Vec<usize>> = cells.iter().map(|cell| notes.add(cell)).collect();
        assert_eq!(numbers, [vec![1, 2], vec![1], vec![3, 1]]);
        assert_eq!(
            notes.lines(),
            ["a — noisy-host: of a; likewise b, c", "a — late: of a", "c — late: of c"]
        );
        let mut none = Notes::new(&cells, true);
        assert!(none.add(cells[0]).is_empty() && none.lines().is_empty());
    }

    #[test]
    fn of_very_many_rows_the_rest_is_counted() {
        let cells: Vec<CellSummary> =
            (0..20).map(|at| cell(&format!("t{at}"), &[Doubt::Logs])).collect();
        let cells: Vec<&CellSummary> = cells.iter().collect();
        let mut notes = Notes::new(&cells, false);
        for cell in &cells {
            assert_eq!(notes.add(cell), [1]);
        }
        let lines = notes.lines();
        assert!(lines.len() == 1 && lines[0].ends_with(", t12 and 7 more"), "{lines:?}");
    }
}
