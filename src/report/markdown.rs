//! Tables as Markdown, for a README or a comment.

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};

use super::escape;
use super::layout::{Body, Report, Table};

/// The whole report as Markdown.
pub fn write(report: &Report) -> String {
    let mut text = String::new();
    for table in &report.tables {
        text.push_str(&write_table(table));
        text.push('\n');
    }
    text.push_str(&escape::markdown(&report.provenance));
    text.push('\n');
    text
}

fn write_table(table: &Table) -> String {
    let mut text = format!("**{}**\n\n{}\n", escape::markdown(&table.title), grid(table));
    if !table.sentences.is_empty() {
        let sentences: Vec<String> =
            table.sentences.iter().map(|sentence| escape::markdown(sentence)).collect();
        text.extend(["\n", &sentences.join("\n"), "\n"]);
    }
    if !table.notes.is_empty() {
        text.push('\n');
        for (number, note) in (1..).zip(&table.notes) {
            text.extend([&format!("- \\[{number}\\] "), escape::markdown(note).as_str(), "\n"]);
        }
    }
    text
}

fn grid(table: &Table) -> String {
    let mut builder = Builder::default();
    builder.push_record(table.heads.iter().map(|head| escape::markdown(head)));
    for row in &table.rows {
        let mut cells: Vec<String> = row.names.iter().map(|name| escape::markdown(name)).collect();
        match &row.body {
            Body::Figures(figures) => {
                cells.extend(figures.iter().map(|figure| escape::markdown(figure)));
            }
            Body::Reason(reason) => cells.push(format!("*{}*", escape::markdown(reason))),
        }
        cells.resize(table.heads.len(), String::new());
        builder.push_record(cells);
    }
    let mut drawn = builder.build();
    drawn.with(Style::markdown());
    for (column, is_figure) in table.are_figures.iter().enumerate() {
        if *is_figure {
            drawn.with(Modify::new(Columns::one(column)).with(Alignment::right()));
        }
    }
    drawn.to_string()
}
