//! Tables as the template takes them.

use super::super::column::Column;
use super::super::escape::plain;
use super::super::layout::{Body, Row, Table};
use super::super::svg::Charts;
use super::logs::{Log, Logs};
use crate::record::run::PlannedTable;
use crate::record::summary::Summary;

/// A table, with its charts.
#[derive(Debug)]
pub(super) struct TableView {
    /// What links lead to.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<RowView>,
    pub(super) sentences: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) charts: Vec<ChartView>,
    pub(super) has_logs: bool,
}

#[derive(Debug)]
pub(super) struct Head {
    pub(super) text: String,
    pub(super) is_figure: bool,
}

#[derive(Debug)]
pub(super) struct RowView {
    pub(super) label: String,
    pub(super) share: String,
    pub(super) notes: Vec<usize>,
    pub(super) kind: String,
    pub(super) language: String,
    pub(super) cells: Vec<CellView>,
    /// Why there are no figures, and over how many columns that stands.
    pub(super) reason: Option<(String, usize)>,
    pub(super) logs: Vec<Log>,
}

#[derive(Debug)]
pub(super) struct CellView {
    pub(super) text: String,
    /// The figure behind it; empty where there is none.
    pub(super) key: String,
    pub(super) is_figure: bool,
    pub(super) is_label: bool,
}

/// A chart: text in SVG, in which all that comes from outside is escaped.
#[derive(Debug)]
pub(super) struct ChartView {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) svg: String,
}

impl TableView {
    pub(super) fn new(
        number: usize,
        table: &Table,
        summary: &Summary,
        planned: &PlannedTable,
        charts: &Charts,
        logs: Option<&Logs<'_>>,
    ) -> Self {
        let mut view = Self::bare(format!("t{number}"), table);
        for (shown, row) in view.rows.iter_mut().zip(&table.rows) {
            let target = summary.run.target(&row.label);
            let text = |text: Option<&String>| text.map(|text| plain(text)).unwrap_or_default();
            shown.kind = text(target.and_then(|target| target.kind.as_ref()));
            shown.language = text(target.and_then(|target| target.language.as_ref()));
            shown.logs = logs.map(|logs| logs.of_row(planned, &row.label)).unwrap_or_default();
        }
        view.has_logs = view.rows.iter().any(|row| !row.logs.is_empty());
        view.charts = charts
            .drawn
            .iter()
            .map(|chart| ChartView {
                title: plain(&chart.title),
                about: plain(&chart.about),
                svg: chart.inline(),
            })
            .collect();
        view
    }

    pub(super) fn without_charts(table: &Table) -> Self {
        Self::bare(String::new(), table)
    }

    fn bare(id: String, table: &Table) -> Self {
        let heads = table.heads.iter().zip(&table.are_figures);
        Self {
            id,
            title: plain(&table.title),
            heads: heads
                .map(|(head, is_figure)| Head { text: plain(head), is_figure: *is_figure })
                .collect(),
            rows: table.rows.iter().map(|it| row(it, table)).collect(),
            sentences: table.sentences.iter().map(|sentence| plain(sentence)).collect(),
            notes: table.notes.iter().map(|note| plain(note)).collect(),
            charts: Vec::new(),
            has_logs: false,
        }
    }
}

fn row(row: &Row, table: &Table) -> RowView {
    let are_figures = &table.are_figures;
    let figures = match &row.body {
        Body::Figures(figures) => figures.as_slice(),
        Body::Reason(_) | Body::Heading => &[],
    };
    let label = table.heads.iter().position(|head| head == Column::Target.name());
    let columns = row.names.iter().chain(figures).zip(are_figures).zip(&row.keys).enumerate();
    let cells = columns.map(|(place, ((text, is_figure), key))| CellView {
        text: plain(text),
        key: key.map(write_key).unwrap_or_default(),
        is_figure: *is_figure,
        is_label: Some(place) == label,
    });
    let reason = match &row.body {
        Body::Figures(_) | Body::Heading => None,
        Body::Reason(reason) => Some((plain(reason), are_figures.len() - row.names.len())),
    };
    RowView {
        label: plain(&row.label),
        share: row.share.clone().unwrap_or_default(),
        notes: row.notes.clone(),
        kind: String::new(),
        language: String::new(),
        cells: cells.collect(),
        reason,
        logs: Vec::new(),
    }
}

/// Six digits are enough to put rows in order.
fn write_key(key: f64) -> String {
    let scale = 10f64.powf(5.0 - key.abs().max(1e-12).log10().floor());
    format!("{}", (key * scale).round() / scale)
}
