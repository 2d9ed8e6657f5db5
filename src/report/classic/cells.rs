//! The cells of a run in the words of older tools, each from one of its trials.
//!
//! Those tools know one execution and no rounds. So the round with the median of right answers per second is told (of an even
//! number the lower of the two in the middle), and above it stand its number and what is to be doubted.

use std::fmt::Write as _;

use super::super::escape::plain;
use super::super::load::LoadInfo;
use super::super::middle::middle_by_goodput;
use crate::outcome::Kind as _;
use crate::record::measured::Measured;
use crate::record::rows::Rows;
use crate::record::run::PlannedTable;
use crate::record::summary::{CellSummary, Summary};
use crate::record::trial::{Spot, TrialRecord};

/// How one result is written.
pub type Words = fn(&Measured, &LoadInfo) -> String;

/// The trial by which a cell is told.
#[derive(Debug)]
pub struct Told<'r> {
    cell: &'r CellSummary,
    table: &'r PlannedTable,
    /// None of a cell that was never measured.
    spot: Option<Spot>,
}

/// Which trials are told, cell by cell, in the order of the matrix.
pub fn told<'r>(summary: &'r Summary, trials: &[TrialRecord]) -> Vec<Told<'r>> {
    let rows = Rows::of(trials);
    let tables = summary.run.tables.iter();
    tables
        .flat_map(|table| {
            let is_of =
                |cell: &&CellSummary| cell.workload == table.workload && cell.load == table.load;
            let cells = summary.cells.iter().filter(is_of);
            cells.map(|cell| {
                let of_cell = rows.trials(&table.workload, &table.load, &cell.target);
                let spot = middle_by_goodput(&of_cell).map(|(trial, _)| trial.spot());
                Told { cell, table, spot }
            })
        })
        .collect()
}

impl Told<'_> {
    /// Which trial it is; none of a cell that was never measured.
    pub fn spot(&self) -> Option<Spot> {
        self.spot
    }
}

/// Every cell in these words, with a line above each that says whose they are. `trials` hold the histograms of those that are
/// told.
pub fn write(told: &[Told<'_>], trials: &[TrialRecord], words: Words) -> String {
    let of_spot = |spot: Spot| trials.iter().find(|trial| trial.spot() == spot);
    let mut text = String::new();
    for told in told {
        if !text.is_empty() {
            text.push('\n');
        }
        match told.spot.and_then(of_spot).and_then(|trial| Some((trial, trial.measured()?))) {
            Some((trial, measured)) => {
                text.push_str(&head(told, Some(trial.round)));
                text.push_str(&words(measured, &info(told.table, trial)));
            }
            None => text.push_str(&head(told, None)),
        }
    }
    text
}

/// Whose figures follow, of which round, and what is to be doubted; or why there are none.
fn head(told: &Told<'_>, round: Option<u32>) -> String {
    let Told { cell, table, .. } = told;
    let mut text = format!(
        "# {} · {} · {}",
        plain(&table.workload),
        plain(&table.load_words),
        plain(&cell.target)
    );
    match (round, &cell.reason) {
        (Some(round), _) if cell.measured > 1 => {
            // Writing to a string does not fail.
            let _ = write!(text, " · round {round}, the median of {}", cell.measured);
        }
        (None, Some(reason)) => {
            let _ = write!(text, ": {}", plain(reason));
        }
        _ => {}
    }
    text.push('\n');
    for caveat in &cell.caveats {
        let _ = writeln!(text, "# {}: {}", caveat.caveat.name(), plain(&caveat.detail));
    }
    text
}

fn info(table: &PlannedTable, trial: &TrialRecord) -> LoadInfo {
    let (method, path) = table.request.split_once(' ').unwrap_or(("GET", &table.request));
    let port = trial.port.unwrap_or(0);
    LoadInfo {
        url: format!("http://127.0.0.1:{port}{path}"),
        method: method.to_owned(),
        host: "127.0.0.1".to_owned(),
        port,
        path: path.to_owned(),
        at_once: table.at_once,
        words: table.load_words.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::super::summarise::summarise;
    use super::super::{ab, siege, webbench};
    use super::*;

    #[test]
    fn the_round_in_the_middle_is_told_and_of_two_the_lower() {
        let run = fixture::run();
        let summary = summarise(&run);
        let told = told(&summary, &run.trials);
        let of = |label: &str| told.iter().find(|it| it.cell.target == label).expect("a cell");
        let lower = run
            .trials
            .iter()
            .filter(|trial| trial.label() == "c/fast")
            .min_by(|a, b| {
                let goodput = |it: &TrialRecord| it.measured().expect("it is").goodput_per_second;
                goodput(a).total_cmp(&goodput(b))
            })
            .expect("two rounds");
        assert_eq!(of("c/fast").spot(), Some(lower.spot()));
        assert_eq!(of("php/bad|`<b>").spot(), None);
        assert_eq!(told.len(), summary.cells.len());
    }

    #[test]
    fn every_cell_is_told_in_the_words_of_an_older_tool_or_why_it_has_no_figures() {
        let run = fixture::run();
        let summary = summarise(&run);
        let told = told(&summary, &run.trials);
        let words = |words: Words| write(&told, &run.trials, words);
        insta::assert_snapshot!(words(webbench), @r##"
        # hello · 64 connections, closed loop · c/fast · round 1, the median of 2
        # client-bound: the load generator was busy for 99 % of the window
        Speed=7200000 pages/min, 13320000 bytes/sec.
        Requests: 120000 succeeded, 0 failed.

        # hello · 64 connections, closed loop · go/base · round 1, the median of 2
        Speed=7200000 pages/min, 13320000 bytes/sec.
        Requests: 120000 succeeded, 0 failed.

        # hello · 64 connections, closed loop · php/bad|`<b>: failed in verify: 404 where 200 was expected

        # hello · 64 connections, closed loop · dart/none: not installed: dart is missing

        # hello · 64 connections, closed loop · go/raw: not offered
        "##);
        assert_eq!(words(ab).matches("Complete requests:").count(), 2);
        assert_eq!(words(siege).matches("Availability:").count(), 2);
    }
}
