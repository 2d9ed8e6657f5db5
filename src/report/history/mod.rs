//! A history as people read it: a table for each workload, load and figure, a line a row.
//!
//! `words` says single things, `sparkline` draws a series in one word, [`csv`](mod@csv) and [`json`] hold all that is known, and the page and
//! its charts stand with the other pages and charts.

use super::layout::{Body, Report, Row, Table};
use super::notes::marks;
use crate::history::found::{Found, Standing};
use crate::history::{History, Line, Series, Yardstick};
use crate::record::changes::Changes;
use crate::units::count_of;

pub mod csv;
pub mod json;
mod sparkline;
#[cfg(test)]
mod tests;
pub(super) mod words;

/// Rows that changed with the same run are told to have something in common from so many on.
const MANY: usize = 3;
const COLUMNS: usize = 8;

/// What is shown of a history.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'h> {
    /// The matrix's name.
    pub name: &'h str,
    /// Its runs and rows.
    pub history: &'h History,
    /// What was told and accepted.
    pub memory: &'h Changes,
    /// Runs that do not count, in words: `2 partial`. Empty if all do.
    pub left_out: &'h str,
}

/// The lines of one workload, load and figure.
pub(super) fn tables<'h>(history: &'h History) -> Vec<Vec<&'h Line>> {
    let mut tables: Vec<Vec<&'h Line>> = Vec::new();
    let key = |line: &'h Line| (&line.workload, &line.load, line.metric.name);
    for line in &history.lines {
        match tables.iter_mut().find(|table| key(table[0]) == key(line)) {
            Some(table) => table.push(line),
            None => tables.push(vec![line]),
        }
    }
    tables
}

/// A change with all that is known of it, in a line.
pub fn told(found: Found<'_>, memory: &Changes) -> String {
    words::change(found, memory)
}

/// Lays out a history, for a terminal and for Markdown.
pub fn lay_out(shown: Shown<'_>) -> Report {
    let tables = tables(shown.history);
    Report {
        tables: tables.iter().map(|lines| table(shown, lines)).collect(),
        against: Vec::new(),
        audit: Vec::new(),
        remarks: Vec::new(),
        provenance: words::provenance(shown),
    }
}

pub(super) fn table(shown: Shown<'_>, lines: &[&Line]) -> Table {
    let mut notes = Vec::new();
    let rows = lines.iter().map(|line| row(shown, line, &mut notes)).collect();
    let heads: [(&str, bool); COLUMNS] = [
        ("target", false),
        ("runs", true),
        ("from run to run", false),
        (words::level_head(shown.history, lines), true),
        ("change", true),
        ("", false),
        ("since", false),
        ("seen", true),
    ];
    Table {
        title: words::title(shown, lines),
        heads: heads.iter().map(|(head, _)| (*head).to_owned()).collect(),
        are_figures: heads.iter().map(|(_, is_figure)| *is_figure).collect(),
        give_way: vec![None; COLUMNS],
        rows,
        sentences: sentences(shown, lines),
        notes,
    }
}

fn row(shown: Shown<'_>, line: &Line, notes: &mut Vec<String>) -> Row {
    let history = shown.history;
    let Some(series) = line.newest() else { return without(line, "never measured".to_owned()) };
    let mut own: Vec<String> = Vec::new();
    own.extend(changes_told(shown, line, series).iter().map(|it| words::change(*it, shown.memory)));
    own.extend(words::about_series(history, line, series));
    let numbers: Vec<usize> = (notes.len() + 1..).take(own.len()).collect();
    notes.extend(own.into_iter().map(|note| format!("{} — {note}", line.target)));
    let name = format!("{}{}", line.target, marks(&numbers));
    let Some(level) = series.last_level() else {
        let reason = words::left_out(series).unwrap_or_else(|| "never measured".to_owned());
        return Row { names: vec![name], notes: numbers, ..without(line, reason) };
    };
    let last = history.found_in(line, series).last();
    let text = |of: &dyn Fn(Found<'_>) -> String| last.map_or_else(|| "—".to_owned(), of);
    let figures = vec![
        series.points.len().to_string(),
        sparkline::of(series),
        words::level(line, series, level),
        text(&|found| words::share(found.share())),
        text(&|found| words::state(found, shown.memory)),
        text(&|found| words::date(found.since()).to_owned()),
        text(&|found| found.times_seen().to_string()),
    ];
    Row {
        label: line.target.clone(),
        share: None,
        notes: numbers,
        names: vec![name],
        keys: vec![None; COLUMNS],
        body: Body::Figures(figures),
    }
}

fn without(line: &Line, reason: String) -> Row {
    Row {
        label: line.target.clone(),
        share: None,
        notes: Vec::new(),
        names: vec![line.target.clone()],
        keys: vec![None; COLUMNS],
        body: Body::Reason(reason),
    }
}

/// The changes that a note is made of: the last one, and every one for the worse that nobody has accepted and that lasts.
fn changes_told<'h>(shown: Shown<'h>, line: &'h Line, series: &'h Series) -> Vec<Found<'h>> {
    let all: Vec<Found<'_>> = shown.history.found_in(line, series).collect();
    let last = all.len().saturating_sub(1);
    let is_open =
        |found: &Found<'_>| found.is_worse() && found.standing(shown.memory) == Standing::Confirmed;
    let told = all.into_iter().enumerate();
    told.filter(|(place, found)| *place == last || is_open(found)).map(|(_, found)| found).collect()
}

/// What holds for a table as a whole.
fn sentences(shown: Shown<'_>, lines: &[&Line]) -> Vec<String> {
    let mut sentences = Vec::new();
    let newest = || lines.iter().filter_map(|line| line.newest());
    if newest().any(|series| series.yardstick == Yardstick::Nothing) {
        sentences.push(words::WITHOUT_CONTROL.to_owned());
    }
    sentences.extend(together(shown, lines));
    sentences
}

/// Rows that changed with one and the same run, the same way, and of which nobody has said that this is how it should be: what they
/// have in common comes before each of them.
fn together(shown: Shown<'_>, lines: &[&Line]) -> Option<String> {
    let last = |line: &&Line| {
        let series = line.newest()?;
        let found = shown.history.found_in(line, series).last()?;
        let is_open =
            matches!(found.standing(shown.memory), Standing::Suspected | Standing::Confirmed);
        is_open.then(|| (found.since().id.clone(), found.is_worse()))
    };
    let changed: Vec<(String, bool)> = lines.iter().filter_map(last).collect();
    let count = |one: &(String, bool)| changed.iter().filter(|other| *other == one).count();
    let (most, one) =
        changed.iter().map(|one| (count(one), one)).max_by_key(|(count, _)| *count)?;
    let is_control = |series: &&Series| series.yardstick == Yardstick::Control;
    let judged = lines.iter().filter_map(|line| line.newest()).filter(is_control).count();
    (most >= MANY && most * 2 > judged).then(|| {
        let way = if one.1 { "worse" } else { "better" };
        format!(
            "{most} of {} became {way} with one run, {}: look first at what they share, the control above all.",
            count_of(judged, "row"),
            one.0
        )
    })
}
