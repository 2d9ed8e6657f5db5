//! A summary laid out as tables: columns, cells as text, reasons, notes and sentences, ready for any format.

use super::summarise::{is_lower_bound, is_rankable};
use super::{provenance, sentence};
use crate::outcome::Kind as _;
use crate::record::run::PlannedTable;
use crate::record::summary::{CellSummary, Figure, Summary};
use crate::units::{write_bytes, write_duration, write_micros, write_number, write_thousands};

/// All tables of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The tables, in the order of the matrix.
    pub tables: Vec<Table>,
    /// Date, program, machine, tools, and the command that makes it again.
    pub provenance: String,
}

/// One workload under one load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What was asked, how hard, and how often: `hello · 64 connections, closed loop · 7 rounds of 3 s`.
    pub title: String,
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// Which of them hold figures, and are set to the right.
    pub are_figures: Vec<bool>,
    /// The rows: figures first, best first, then those without.
    pub rows: Vec<Row>,
    /// What the first rows say, in words.
    pub sentences: Vec<String>,
    /// What is to be doubted, row by row.
    pub notes: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The target's label and its kind.
    pub names: [String; 2],
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
}

/// What stands for a figure that is not known.
const UNKNOWN: &str = "—";

/// Lays out a summary.
pub fn lay_out(summary: &Summary) -> Report {
    let tables = summary.run.tables.iter().map(|table| lay_out_table(summary, table)).collect();
    Report { tables, provenance: provenance::line(&summary.run, &summary.versions) }
}

fn lay_out_table(summary: &Summary, table: &PlannedTable) -> Table {
    let mut cells: Vec<&CellSummary> = summary
        .cells
        .iter()
        .filter(|cell| cell.workload == table.workload && cell.load == table.load)
        .collect();
    sort(&mut cells, &table.rank_by);
    let (reference, planned) = (&summary.run.policy.reference, summary.run.policy.rounds);
    let columns = Column::of(table, &cells, reference);
    let base = cells.iter().find(|cell| cell.target == *reference);
    let is_base_bound = base.is_some_and(|base| is_lower_bound(base));
    let mut notes = Notes::default();
    let rows = cells
        .iter()
        .map(|cell| Row {
            names: [
                format!("{}{}{}", cell.target, rounds(cell, planned), notes.marks(cell)),
                summary
                    .run
                    .target(&cell.target)
                    .and_then(|target| target.kind.clone())
                    .unwrap_or_default(),
            ],
            body: match &cell.reason {
                Some(reason) => Body::Reason(with_hint(reason, cell.hint.as_deref())),
                None => Body::Figures(
                    columns.iter().map(|column| column.cell(cell, is_base_bound)).collect(),
                ),
            },
        })
        .collect();
    let heads = ["target".to_owned(), "kind".to_owned()];
    Table {
        title: title(summary, table),
        heads: heads
            .into_iter()
            .chain(columns.iter().map(|column| column.head(reference)))
            .collect(),
        are_figures: [false, false]
            .into_iter()
            .chain(columns.iter().map(|column| *column != Column::Limit))
            .collect(),
        rows,
        sentences: sentence::sentences(&cells, reference),
        notes: notes.lines,
    }
}

/// Rows that can be ranked first, the best of them on top; then those that cannot, then those without figures.
fn sort(cells: &mut [&CellSummary], rank_by: &str) {
    let mean = |figure: &Option<Figure>| figure.as_ref().map_or(f64::INFINITY, |it| it.mean);
    // The smaller the better.
    let merit = |cell: &CellSummary| match rank_by {
        "p50" => mean(&cell.response_time_p50_us),
        "p99" => mean(&cell.response_time_p99_us),
        "cpu" => mean(&cell.cpu_us_per_request),
        "memory" => mean(&cell.rss_peak_bytes),
        _ => cell.goodput_per_second.as_ref().map_or(0.0, |figure| -figure.mean),
    };
    cells.sort_by(|a, b| {
        let group = |cell: &CellSummary| (cell.reason.is_some(), !is_rankable(cell));
        group(a).cmp(&group(b)).then_with(|| merit(a).total_cmp(&merit(b)))
    });
}

fn title(summary: &Summary, table: &PlannedTable) -> String {
    let policy = &summary.run.policy;
    let plural = if policy.rounds == 1 { "" } else { "s" };
    let window = std::time::Duration::from_secs_f64(policy.measure_seconds);
    // A load of so many requests says so in its words.
    let length =
        if table.counted { String::new() } else { format!(" of {}", write_duration(window)) };
    let rounds = policy.rounds;
    format!("{} · {} · {rounds} round{plural}{length}", table.workload, table.load_words)
}

/// In how many of its rounds a row was measured, if not in all: ` 5/7`.
fn rounds(cell: &CellSummary, planned: u32) -> String {
    if cell.measured == 0 || cell.measured >= planned {
        return String::new();
    }
    format!(" {}/{planned}", cell.measured)
}

fn with_hint(reason: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{reason} ({hint})"),
        None => reason.to_owned(),
    }
}

/// Sentences of doubt, numbered where they are first borne.
#[derive(Debug, Default)]
struct Notes {
    lines: Vec<String>,
}

impl Notes {
    /// The marks of a row, and its doubts among the notes.
    fn marks(&mut self, cell: &CellSummary) -> String {
        let mut marks = Vec::new();
        for caveat in &cell.caveats {
            let line = format!("{} — {}: {}", cell.target, caveat.caveat.name(), caveat.detail);
            self.lines.push(line);
            marks.push(self.lines.len().to_string());
        }
        if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(",")) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Goodput,
    Ratio,
    Times,
    Cpu,
    Cores,
    Memory,
    Limit,
}

impl Column {
    /// The columns of a table; a ratio is there if the reference has a row to compare with.
    fn of(table: &PlannedTable, cells: &[&CellSummary], reference: &str) -> Vec<Self> {
        let has_reference = table.rows.iter().any(|label| label == reference)
            && cells.iter().any(|cell| cell.goodput_ratio.is_some());
        let mut columns = vec![Self::Goodput];
        if has_reference {
            columns.push(Self::Ratio);
        }
        columns.extend([Self::Times, Self::Cpu, Self::Cores, Self::Memory, Self::Limit]);
        columns
    }

    fn head(self, reference: &str) -> String {
        match self {
            Self::Goodput => "right answers/s".to_owned(),
            Self::Ratio => format!("vs {reference}"),
            Self::Times => "p50 / p99".to_owned(),
            Self::Cpu => "CPU/answer".to_owned(),
            Self::Cores => "cores".to_owned(),
            Self::Memory => "memory".to_owned(),
            Self::Limit => "limit".to_owned(),
        }
    }

    fn cell(self, cell: &CellSummary, is_base_bound: bool) -> String {
        let text = match self {
            Self::Goodput => cell.goodput_per_second.as_ref().map(|figure| goodput(figure, cell)),
            Self::Ratio => ratio(cell, is_base_bound),
            Self::Times => times(cell),
            Self::Cpu => cell.cpu_us_per_request.as_ref().map(|figure| write_micros(figure.mean)),
            Self::Cores => cell
                .cores_used
                .as_ref()
                .map(|figure| format!("{:.1} of {}", figure.mean, cell.cores_allowed)),
            Self::Memory => cell.rss_peak_bytes.as_ref().map(|figure| memory(figure.mean)),
            Self::Limit => cell.limit.map(|limit| limit.name().to_owned()),
        };
        text.unwrap_or_else(|| UNKNOWN.to_owned())
    }
}

fn goodput(figure: &Figure, cell: &CellSummary) -> String {
    let bound = if is_lower_bound(cell) { ">= " } else { "" };
    let number = write_number(figure.mean);
    match figure.half_width() {
        // So wide an interval is better told by a factor than by a share of the mean.
        Some(half) if half >= 1.0 => format!("{bound}{number} ×/÷ {:.1}", half + 1.0),
        Some(half) => format!("{bound}{number} ±{:.1} %", half * 100.0),
        None => format!("{bound}{number}"),
    }
}

/// A ratio of which one side is a lower bound is a bound itself; of two bounds nothing follows.
fn ratio(cell: &CellSummary, is_base_bound: bool) -> Option<String> {
    let ratio = format!("{:.2}", cell.goodput_ratio.as_ref()?.mean);
    match (is_lower_bound(cell), is_base_bound) {
        (false, false) => Some(ratio),
        (true, false) => Some(format!(">= {ratio}")),
        (false, true) => Some(format!("<= {ratio}")),
        (true, true) => None,
    }
}

fn times(cell: &CellSummary) -> Option<String> {
    let p50 = write_micros(cell.response_time_p50_us.as_ref()?.mean);
    let Some(p99) = &cell.response_time_p99_us else { return Some(format!("{p50} / {UNKNOWN}")) };
    let p99 = write_micros(p99.mean);
    // One unit is enough where both have the same.
    match (p50.split_once(' '), p99.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => {
            Some(format!("{number} / {p99}"))
        }
        _ => Some(format!("{p50} / {p99}")),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes of memory")]
fn memory(bytes: f64) -> String {
    write_bytes(bytes.round() as u64)
}

/// A ratio as written in sentences.
pub(super) fn write_ratio(ratio: f64) -> String {
    if ratio >= 10.0 { write_thousands(ratio) } else { format!("{ratio:.2}") }
}
