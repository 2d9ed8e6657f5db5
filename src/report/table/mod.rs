//! Tables for a terminal, drawn by tabled.

use tabled::Table as Drawn;
use tabled::builder::Builder;
use tabled::grid::util::string::get_string_width;
use tabled::settings::object::{Cell, Columns};
use tabled::settings::{Alignment, Modify, Padding, Span, Style};

use super::escape::plain;
use super::layout::{Body, Report, Table};

mod fit;

/// The whole report as text, as wide as it takes.
pub fn write(report: &Report) -> String {
    write_all(report, write_table)
}

/// The whole report as text in lines of so many letters at most, as far as leaving out columns makes it so. Only the tables are
/// fitted: a sentence is broken by the terminal.
pub fn write_within(report: &Report, room: usize) -> String {
    write_all(report, |table| {
        let fitted = fit::fit(table, room, width);
        let mut text = write_table(&fitted.table);
        for line in &fitted.below {
            text.extend(["  ", &plain(line), "\n"]);
        }
        text
    })
}

fn write_all(report: &Report, write: impl Fn(&Table) -> String) -> String {
    let mut text = String::new();
    for table in report.tables.iter().chain(&report.against).chain(&report.audit) {
        text.push_str(&write(table));
        text.push('\n');
    }
    for remark in &report.remarks {
        text.extend([&plain(remark), "\n"]);
    }
    if !report.provenance.is_empty() {
        text.extend([&plain(&report.provenance), "\n"]);
    }
    text
}

fn write_table(table: &Table) -> String {
    let mut text = String::new();
    if !table.title.is_empty() {
        text.extend([&plain(&table.title), "\n"]);
    }
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

/// Letters in the longest line of a table, its words above and below left out.
/// How many columns of a terminal a text takes.
pub fn columns(text: &str) -> usize {
    get_string_width(text)
}

fn width(table: &Table) -> usize {
    draw(table).to_string().lines().map(|line| get_string_width(line.trim_end())).max().unwrap_or(0)
}

fn draw(table: &Table) -> Drawn {
    let mut builder = Builder::default();
    builder.push_record(table.heads.iter().map(|head| plain(head)));
    for row in &table.rows {
        let is_heading = row.body == Body::Heading;
        let name = |name: &String| match plain(name) {
            name if is_heading && !name.is_empty() => format!("{name}:"),
            name => name,
        };
        let mut cells: Vec<String> = row.names.iter().map(name).collect();
        match &row.body {
            Body::Figures(figures) => cells.extend(figures.iter().map(|figure| plain(figure))),
            Body::Reason(reason) => cells.push(plain(reason)),
            Body::Heading => {}
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
    for (index, row) in (1..).zip(&table.rows) {
        if matches!(row.body, Body::Reason(_)) {
            let names = row.names.len();
            let rest = isize::try_from(table.heads.len() - names).expect("a table has few columns");
            let wide = Modify::new(Cell::new(index, names));
            drawn.with(wide.with(Span::column(rest)).with(Alignment::left()));
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::layout::lay_out;
    use super::super::summarise::summarise;
    use super::*;

    #[test]
    fn a_table_holds_figures_bounds_failures_and_reasons() {
        insta::assert_snapshot!(write(&lay_out(&summarise(&fixture::run()))), @r##"
        hello · 64 connections, closed loop · 2 rounds of 1 s
          target         kind         right answers/s   vs go/base      p50 / p99   CPU/answer      cores   memory   limit
          c/fast [1]     library   >= 121,000 ±13.4 %      >= 2.00   500 / 900 us       5.0 us   1.0 of 1    12 MB   generator
          go/base        library       60,600 ±13.4 %         1.00   1.0 / 2.5 ms        16 us   1.0 of 1    12 MB   server
          php/bad|`<b>   library   failed in verify: 404 where 200 was expected
          dart/none      library   not installed: dart is missing (get it from its makers)
          go/raw                   not offered
          c/fast answers at least 2.00 times as many as go/base (2.00 to 2.00) for 0.31 of the CPU per answer; c/fast was limited by the load generator, go/base by its own CPU.
          2 rounds: ranks and verdicts take 5 at least.
          [1] c/fast — client-bound: the load generator was busy for 99 % of the window

        audit of hello · what answered GET /, and what it could use
          target    status   body   sha256   type    head   HTTP   ends by   connection    cores   processes   threads
          c/fast       200   11 B   aa       none   100 B    1.1   length    kept         1 of 1           —         2
          go/base      200   11 B   aa       none   100 B    1.1   length    kept         1 of 1           —         2
          There is no difference that nobody declared.

        2026-11-30 · orchestrate 0.1.0 (abc1234) · 2 × EPYC, Linux 6.18 · go 1.26.8 · noise not measured · repeat: orchestrate run configs/small.toml --seed 7
        "##);
    }
}
