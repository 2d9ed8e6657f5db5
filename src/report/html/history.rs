//! A history as one page: its tables, and a chart for every row. Whole without scripts, of which it has none.

use askama::Template;

use super::super::escape::plain;
use super::super::history::{Shown, table, tables, words};
use super::super::svg::history::{Words, chart};
use super::style;
use super::table::TableView;
use crate::history::Line;
use crate::history::found::{Found, Standing};

/// So many open regressions stand at the head of a page.
const OPEN_TOLD: usize = 12;

#[derive(Debug, Template)]
#[template(path = "history.html")]
struct Page {
    title: String,
    lead: String,
    /// The regressions that are open, in words.
    open: Vec<String>,
    style: String,
    tables: Vec<TableView>,
    provenance: String,
}

/// The page of a history.
///
/// # Panics
/// Never: memory takes all that is written.
pub fn page(shown: Shown<'_>) -> String {
    let lines = tables(shown.history);
    let tables = (1..).zip(&lines).map(|(number, lines): (usize, _)| {
        let charts: Vec<(String, String)> = lines
            .iter()
            .filter_map(|line| Some((line.target.clone(), chart_of(shown, line)?)))
            .collect();
        TableView::of_history(format!("t{number}"), &table(shown, lines), charts)
    });
    let page = Page {
        title: plain(shown.name),
        lead: plain(&words::counts(shown)),
        open: open(shown),
        style: style(),
        tables: tables.collect(),
        provenance: plain(&words::provenance(shown)),
    };
    page.render().expect("memory takes a page")
}

/// What nobody should have to look for.
fn open(shown: Shown<'_>) -> Vec<String> {
    let is_open = |found: &Found<'_>| {
        let standing = found.standing(shown.memory);
        let is_open = matches!(standing, Standing::Confirmed | Standing::Suspected);
        is_open && found.is_worse() && found.line.metric.decides
    };
    let all: Vec<Found<'_>> = shown.history.found().filter(is_open).collect();
    let told = all.iter().take(OPEN_TOLD).map(|found| {
        let line = found.line;
        let change = words::change(*found, shown.memory);
        plain(&format!("{} under {}: {}: {change}", line.workload, line.load, line.target))
    });
    let more = all.len().saturating_sub(OPEN_TOLD);
    told.chain((more > 0).then(|| format!("and {more} more, in the notes below the tables")))
        .collect()
}

fn chart_of(shown: Shown<'_>, line: &Line) -> Option<String> {
    let words = Words {
        level: &|series, value| words::level(line, series, value),
        change: &|found| {
            let mark = if found.change.confirmed.is_none() { "?" } else { "" };
            format!("{}{mark}", words::share(found.share()))
        },
        title: format!("{} · {}", line.target, words::name_of(line)),
    };
    chart(shown.history, line, &words)
}
