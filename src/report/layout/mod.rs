//! A summary laid out as tables: columns, cells as text, reasons, notes and sentences, ready for any format.

use super::column::{Around, Column, UNKNOWN};
use super::notes::{Notes, marks};
use super::ranking::ranked_by;
use super::service::{self, Shown, expand};
use super::{audit, compared, order, provenance, sentence};
use crate::judge::metric::Metric;
use crate::record::run::PlannedTable;
use crate::record::session::CutShort;
use crate::record::summary::{CellSummary, Noise, Summary};
use crate::units::write_duration;

mod group;
#[cfg(test)]
mod tests;

pub use group::Group;

/// What of a summary is shown, and in which order; by default what its tables are made for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The columns after the target; without any the usual ones.
    pub columns: Vec<Column>,
    /// The column by which rows are put in order; by default the one that ranks them.
    pub sort: Option<Column>,
    /// By what rows are put together; their ranks stay those of the whole table.
    pub group: Option<Group>,
    /// What is left out.
    pub without: Without,
}

/// What is left out of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Without {
    /// The line above each table.
    pub title: bool,
    /// What the first rows say, in words.
    pub sentences: bool,
    /// What is to be doubted, and the marks that point there.
    pub notes: bool,
    /// Who answered with what, below the tables.
    pub audit: bool,
    /// The line below all tables.
    pub provenance: bool,
}

/// All tables of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The tables, in the order of the matrix.
    pub tables: Vec<Table>,
    /// The rows against the same targets at the revision that the run was made against, table by table; none without one.
    pub against: Vec<Table>,
    /// Who answered each workload with what, and what each row could use. Empty if it is left out.
    pub audit: Vec<Table>,
    /// What happened to the run that a reader must know, in sentences. Goes with the notes.
    pub remarks: Vec<String>,
    /// Date, program, machine, tools, and the command that makes it again. Empty if it is left out.
    pub provenance: String,
}

/// One workload under one load.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What was asked, how hard, and how often: `hello · 64 connections, closed loop · 7 rounds of 3 s`. Empty if it is
    /// left out.
    pub title: String,
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// Which of them hold figures, and are set to the right.
    pub are_figures: Vec<bool>,
    /// When each gives way where there is no room for all: the least first, and none never.
    pub give_way: Vec<Option<usize>>,
    /// The rows: figures first, best first, then those without.
    pub rows: Vec<Row>,
    /// What the first rows say, in words.
    pub sentences: Vec<String>,
    /// What is to be doubted, row by row.
    pub notes: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The target's label.
    pub label: String,
    /// In how many of its rounds it was measured, if not in all: `5/7`.
    pub share: Option<String>,
    /// Its notes, from 1.
    pub notes: Vec<usize>,
    /// The rank where there is one, the target's label with its share and its marks, and what else is known of it whether or
    /// not it was measured.
    pub names: Vec<String>,
    /// The figures behind all columns, for who puts rows in order; none of a text, and of what is not known.
    pub keys: Vec<Option<f64>>,
    /// Its figures, or why there are none.
    pub body: Body,
}

/// What stands beside the names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// One text for each column after the names; what is not known is a dash.
    Figures(Vec<String>),
    /// Why there are no figures.
    Reason(String),
    /// The label is what the rows below have in common.
    Heading,
}

/// Lays out a summary as its tables are made for.
pub fn lay_out(summary: &Summary) -> Report {
    lay_out_as(summary, &Layout::default())
}

/// Lays out a summary.
pub fn lay_out_as(summary: &Summary, layout: &Layout) -> Report {
    let tables = summary.run.tables.iter().map(|table| lay_out_table(summary, table, layout));
    Report {
        tables: tables.collect(),
        against: compared::against(summary),
        audit: if layout.without.audit { Vec::new() } else { audit::tables(summary) },
        remarks: if layout.without.notes { Vec::new() } else { summary.run.remarks.clone() },
        provenance: if layout.without.provenance {
            String::new()
        } else {
            provenance::line(summary)
        },
    }
}

fn lay_out_table(summary: &Summary, table: &PlannedTable, layout: &Layout) -> Table {
    let mut cells: Vec<&CellSummary> = summary
        .cells
        .iter()
        .filter(|cell| cell.workload == table.workload && cell.load == table.load)
        .collect();
    let ranked_by = ranked_by(table);
    order::by_rank(&mut cells, ranked_by);
    let reference = &summary.run.policy.reference;
    let without = layout.without;
    // What is said in words is said of the best row, wherever it stands.
    let rounds = rounds_of(summary, table);
    let sentences = if without.sentences {
        Vec::new()
    } else {
        let mut sentences = sentence::sentences(&cells, reference);
        sentences.extend(sentence::too_few_rounds(&cells, rounds));
        sentences
    };
    let columns = columns(table, &cells, reference, layout);
    if let Some(column) = layout.sort {
        order::by_column(&mut cells, column, summary);
    }
    if let Some(group) = layout.group {
        group.sort(&mut cells, summary);
    }
    let mut notes = Notes::new(&cells, without.notes);
    let (names, figures) = columns;
    let figures = expand(&figures, &cells);
    let columns = (&names[..], &figures[..]);
    let base = cells.iter().copied().find(|cell| cell.target == *reference);
    let by = Metric::named(ranked_by.name());
    let around =
        |cell: &CellSummary| Around { target: summary.run.target(&cell.target), rounds, by, base };
    let mut rows: Vec<Row> = cells
        .iter()
        .map(|cell| {
            let told =
                (share_of_rounds(cell, rounds_of_row(summary, cell, rounds)), notes.add(cell));
            row(cell, columns, around(cell), told)
        })
        .collect();
    if let Some(group) = layout.group {
        rows = group.with_headings(rows, &names, summary);
    }
    // What somebody chose gives way to nothing.
    let give_way = |column: Shown<'_>| column.gives_way().filter(|_| layout.columns.is_empty());
    let names = names.iter().copied().map(Shown::Plain);
    let all = || names.clone().chain(figures.iter().copied());
    Table {
        title: if without.title { String::new() } else { title(summary, table, rounds) },
        heads: all().map(|column| column.head(reference, ranked_by)).collect(),
        are_figures: all().map(Shown::is_figure).collect(),
        give_way: all().map(give_way).collect(),
        rows,
        sentences,
        notes: notes.lines(),
    }
}

/// The columns of a table: those that are known of every row, the target among them, and those that only a measured one has.
/// There is always one of the latter, to hold the reason where there are no figures.
fn columns(
    table: &PlannedTable,
    cells: &[&CellSummary],
    reference: &str,
    layout: &Layout,
) -> (Vec<Column>, Vec<Column>) {
    // Without a row to compare with there is no ratio.
    let has_ratio = table.rows.iter().any(|label| label == reference)
        && cells.iter().any(|cell| cell.goodput_ratio.is_some());
    let has_services = !service::names(cells).is_empty();
    let usual = || Column::usual(has_ratio, has_services);
    let chosen = &layout.columns;
    let mut names: Vec<Column> = if chosen.is_empty() { usual() } else { chosen.clone() };
    // What stands above the rows need not stand in each.
    let is_above = |column: &Column| chosen.is_empty() && *column == Column::Kind;
    names.retain(|column| !column.is_always_there());
    names.retain(|column| layout.group != Some(Group::Kind) || !is_above(column));
    let has_ranks = cells.iter().any(|cell| cell.rank.is_some());
    let first = if has_ranks { &[Column::Rank, Column::Target][..] } else { &[Column::Target] };
    names.splice(..0, first.iter().copied());
    // A chosen column that is a name may stand anywhere; behind the first figure it is one of those.
    let figures = names.iter().position(|column| !column.is_name()).unwrap_or(first.len());
    let figures = names.split_off(figures);
    (names, figures)
}

/// A row; its share of rounds and its marks stand behind its label.
fn row(
    cell: &CellSummary,
    (names, figures): (&[Column], &[Shown<'_>]),
    around: Around<'_>,
    (share, notes): (Option<String>, Vec<usize>),
) -> Row {
    let share_behind = share.as_ref().map_or_else(String::new, |share| format!(" {share}"));
    let behind = format!("{share_behind}{}", marks(&notes));
    let name = |column: &Column| match column {
        Column::Target => format!("{}{behind}", cell.target),
        // What is not ranked says so.
        Column::Rank => column.text(cell, around).unwrap_or_else(|| "-".to_owned()),
        other => other.text(cell, around).unwrap_or_default(),
    };
    let figure =
        |column: &Shown<'_>| column.text(cell, around).unwrap_or_else(|| UNKNOWN.to_owned());
    let keys = names.iter().map(|column| column.figure(cell));
    let keys = keys.chain(figures.iter().map(|column| column.figure(cell))).collect();
    Row {
        label: cell.target.clone(),
        names: names.iter().map(name).collect(),
        keys,
        body: match &cell.reason {
            Some(reason) => Body::Reason(with_hint(reason, cell.hint.as_deref())),
            None => Body::Figures(figures.iter().map(figure).collect()),
        },
        share,
        notes,
    }
}

/// The rounds that a table was made of: those that were planned, or more where intervals were wide; or as many as there was
/// time for.
fn rounds_of(summary: &Summary, table: &PlannedTable) -> u32 {
    let is_of = |noise: &&Noise| noise.workload == table.workload && noise.load == table.load;
    let made = summary.noise.iter().find(is_of).map_or(0, |noise| noise.rounds);
    match (&summary.run.base, summary.run.cut_short) {
        (Some(_), _) => summary.run.policy.rounds,
        (None, Some(CutShort::TimeLimit)) => made.max(1),
        _ => made.max(summary.run.policy.rounds),
    }
}

/// The rounds that a row was to be measured in. Where rows were taken over from another run, each has rounds of its own.
fn rounds_of_row(summary: &Summary, cell: &CellSummary, of_table: u32) -> u32 {
    if summary.run.base.is_some() { cell.measured + cell.failed } else { of_table }
}

fn title(summary: &Summary, table: &PlannedTable, rounds: u32) -> String {
    let policy = &summary.run.policy;
    let plural = if rounds == 1 { "" } else { "s" };
    let window = std::time::Duration::from_secs_f64(policy.measure_seconds);
    // A load of so many requests says so in its words.
    let length =
        if table.counted { String::new() } else { format!(" of {}", write_duration(window)) };
    format!("{} · {} · {rounds} round{plural}{length}", table.workload, table.load_words)
}

/// In how many of its rounds a row was measured, if not in all: `5/7`.
fn share_of_rounds(cell: &CellSummary, planned: u32) -> Option<String> {
    let is_partly = cell.measured > 0 && cell.measured < planned;
    is_partly.then(|| format!("{}/{planned}", cell.measured))
}

fn with_hint(reason: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{reason} ({hint})"),
        None => reason.to_owned(),
    }
}
