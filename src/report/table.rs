//! Tables for a terminal, drawn by tabled.

use tabled::Table as Drawn;
use tabled::builder::Builder;
use tabled::settings::object::{Cell, Columns};
use tabled::settings::{Alignment, Modify, Padding, Span, Style};

use super::escape::plain;
use super::layout::{Body, Report, Table};

/// The whole report as text.
pub fn write(report: &Report) -> String {
    let mut text = String::new();
    for table in &report.tables {
        text.push_str(&write_table(table));
        text.push('\n');
    }
    text.push_str(&plain(&report.provenance));
    text.push('\n');
    text
}

fn write_table(table: &Table) -> String {
    let mut text = format!("{}\n", plain(&table.title));
    for line in draw(table).to_string().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for sentence in &table.sentences {
        text.extend(["  ", &plain(sentence), "\n"]);
    }
    for (number, note) in (1..).zip(&table.notes) {
        text.extend([&format!("  [{number}] "), plain(note).as_str(), "\n"]);
    }
    text
}

fn draw(table: &Table) -> Drawn {
    let mut builder = Builder::default();
    builder.push_record(table.heads.iter().map(|head| plain(head)));
    for row in &table.rows {
        let mut cells: Vec<String> = row.names.iter().map(|name| plain(name)).collect();
        match &row.body {
            Body::Figures(figures) => cells.extend(figures.iter().map(|figure| plain(figure))),
            Body::Reason(reason) => cells.push(plain(reason)),
        }
        cells.resize(table.heads.len(), String::new());
        builder.push_record(cells);
    }
    let mut drawn = builder.build();
    drawn.with(Style::blank()).with(Padding::new(2, 0, 0, 0));
    for (column, is_figure) in table.are_figures.iter().enumerate() {
        let side = if *is_figure { Alignment::right() } else { Alignment::left() };
        drawn.with(Modify::new(Columns::one(column)).with(side));
    }
    let rest = isize::try_from(table.heads.len() - 2).expect("a table has few columns");
    for (index, row) in (1..).zip(&table.rows) {
        if matches!(row.body, Body::Reason(_)) {
            let wide = Modify::new(Cell::new(index, 2));
            drawn.with(wide.with(Span::column(rest)).with(Alignment::left()));
        }
    }
    drawn
}
