//! What is told of rows that went through the same rounds as they were before.

use super::{CONTROL, bearing, rows, summary};
use crate::compare::{Row, Settings, against};
use crate::outcome::{Change, Doubt};
use crate::record::run::Against;
use crate::record::summary::{CellSummary, LogRatio, Summary};

/// A run of `a` and of what it was at `v1`, of so many rounds, in which its right answers per second became so many times as
/// many, and its CPU time per answer.
fn run(goodput: f64, cpu: f64, rounds: u32) -> Summary {
    let mut cells = rows(&[("a", CONTROL), ("a@v1", CONTROL)]);
    for (name, ratio) in [("goodput", goodput), ("cpu", cpu)] {
        let ratio = LogRatio { mean: f64::ln(ratio), deviation: Some(0.005), rounds };
        cells[0].versus_earlier.insert(name.to_owned(), ratio);
    }
    of(cells)
}

fn of(cells: Vec<CellSummary>) -> Summary {
    let mut summary = summary(cells);
    let pair = |value: &str| [("a".to_owned(), value.to_owned())].into();
    summary.run.against =
        Some(Against { revision: "v1".to_owned(), commits: pair("0123"), rows: pair("a@v1") });
    // Nothing here needs a control.
    summary.run.policy.control = None;
    summary
}

fn row(summary: &Summary) -> Row {
    let tables = against(summary, &Settings::of(summary));
    let mut rows = tables.into_iter().flat_map(|table| table.rows);
    let (row, none) = (rows.next().expect("a row"), rows.next());
    assert!(none.is_none(), "the earlier row has none of its own");
    row
}

#[test]
fn a_row_is_held_against_itself_in_the_same_rounds() {
    for (goodput, cpu, change) in [
        (1.0, 1.0, Change::Same),
        (0.95, 1.0, Change::Worse),
        (1.05, 1.0, Change::Better),
        (1.0, 1.05, Change::Worse),
        (0.978, 1.0, Change::Unclear),
    ] {
        let found = row(&run(goodput, cpu, 7));
        assert_eq!(found.change, change, "{goodput} {cpu} {found:#?}");
        assert!((found.figures[0].ratio.expect("known").mean - goodput).abs() < 1e-9);
    }
}

#[test]
fn fewer_than_five_rounds_give_a_ratio_and_no_verdict() {
    let found = row(&run(0.5, 1.0, 4));
    assert_eq!((found.change, found.figures[0].change), (Change::NotComparable, None));
    assert!(found.figures[0].ratio.is_some_and(|ratio| ratio.high < 0.6), "{found:#?}");
    assert!(found.reason.is_some_and(|it| it.starts_with("4 rounds with both of them")));
    assert_eq!(row(&run(0.5, 1.0, 5)).change, Change::Worse);
}

#[test]
fn a_figure_that_decides_and_is_known_then_or_in_too_few_rounds_leaves_the_row_open() {
    let with = |goodput: f64, change: fn(&mut CellSummary)| {
        let mut cells = run(goodput, 1.0, 7).cells;
        change(&mut cells[0]);
        let found = row(&of(cells));
        (found.change, found.reason)
    };
    let unread = |cell: &mut CellSummary| {
        cell.cpu_us_per_request = None;
        cell.versus_earlier.remove("cpu");
    };
    let rarely = |cell: &mut CellSummary| {
        cell.versus_earlier.get_mut("cpu").expect("a ratio").rounds = 4;
    };
    let open = |reason: &str| (Change::Unclear, Some(reason.to_owned()));
    assert_eq!(with(1.0, unread), open("cpu is not known now"));
    let few = "cpu is known in 4 rounds with both of them: a verdict takes 5";
    assert_eq!(with(1.0, rarely), open(few));
    assert_eq!(with(0.9, rarely).0, Change::Worse);
}

#[test]
fn what_was_not_there_then_or_fails_now_is_told_in_words_of_then_and_now() {
    let with = |at: usize, change: fn(&mut CellSummary)| {
        let mut cells = run(1.0, 1.0, 7).cells;
        change(&mut cells[at]);
        row(&of(cells))
    };
    let missing = with(1, |cell| {
        cell.measured = 0;
        cell.reason = Some("there was no such target at 0123".to_owned());
    });
    assert_eq!(missing.change, Change::NotComparable);
    assert_eq!(missing.reason.as_deref(), Some("at v1: there was no such target at 0123"));
    let failing = with(0, |cell| {
        (cell.measured, cell.failed) = (0, 7);
        cell.reason = Some("failed in start: gone".to_owned());
    });
    let told = (failing.change, failing.reason.as_deref());
    assert_eq!(told, (Change::Fails, Some("failed in start: gone")));
    let unequal = with(0, |cell| cell.caveats = bearing(Doubt::UnequalResponse)[1].caveats.clone());
    assert_eq!(unequal.reason.as_deref(), Some("unequal-response now: 1 of 100"));
    let mut not_offered = run(1.0, 1.0, 7).cells;
    not_offered.truncate(1);
    let new = row(&of(not_offered));
    assert_eq!((new.change, new.reason.as_deref()), (Change::New, Some("not offered at v1")));
    let mut none = run(1.0, 1.0, 7);
    none.run.against = None;
    assert!(against(&none, &Settings::of(&none)).is_empty());
}
