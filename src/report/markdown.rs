//! Tables as Markdown, for a README or a comment.

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};

use super::escape;
use super::layout::{Body, Report, Table};

/// The whole report as Markdown.
pub fn write(report: &Report) -> String {
    let mut text = String::new();
    for table in report.tables.iter().chain(&report.against).chain(&report.audit) {
        text.push_str(&write_table(table));
        text.push('\n');
    }
    for remark in &report.remarks {
        text.extend([&escape::markdown(remark), "\n\n"]);
    }
    if report.provenance.is_empty() {
        // The last line is one with words.
        text.pop();
        return text;
    }
    text.push_str(&escape::markdown_line(&report.provenance));
    text.push('\n');
    text
}

fn write_table(table: &Table) -> String {
    let mut text = String::new();
    if !table.title.is_empty() {
        text.extend(["**", &escape::markdown(&table.title), "**\n\n"]);
    }
    text.extend([&grid(table), "\n"]);
    if !table.sentences.is_empty() {
        let sentences: Vec<String> =
            table.sentences.iter().map(|sentence| escape::markdown_line(sentence)).collect();
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
        let is_heading = row.body == Body::Heading;
        let name = |name: &String| match escape::markdown(name) {
            name if is_heading && !name.is_empty() => format!("**{name}**"),
            name => name,
        };
        let mut cells: Vec<String> = row.names.iter().map(name).collect();
        match &row.body {
            Body::Figures(figures) => {
                cells.extend(figures.iter().map(|figure| escape::markdown(figure)));
            }
            Body::Reason(reason) => cells.push(format!("*{}*", escape::markdown(reason))),
            Body::Heading => {}
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
    mark_alignment(&drawn.to_string(), &table.are_figures)
}

/// Markdown aligns by a colon in the rule below the heads, which tabled does not draw.
fn mark_alignment(drawn: &str, are_figures: &[bool]) -> String {
    let mut lines: Vec<String> = drawn.lines().map(str::to_owned).collect();
    if let Some(rule) = lines.get_mut(1) {
        let cells: Vec<String> = rule
            .trim_matches('|')
            .split('|')
            .zip(are_figures)
            .map(|(cell, is_figure)| match cell.strip_suffix('-') {
                Some(rest) if *is_figure => format!("{rest}:"),
                _ => cell.to_owned(),
            })
            .collect();
        *rule = format!("|{}|", cells.join("|"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::layout::lay_out;
    use super::super::summarise::summarise;
    use super::*;

    #[test]
    fn a_markdown_table_holds_the_same_and_no_name_breaks_it() {
        insta::assert_snapshot!(write(&lay_out(&summarise(&fixture::run()))), @r##"
        **hello · 64 connections, closed loop · 2 rounds of 1 s**

        | target               | kind    |                                           right answers/s | vs go/base |    p50 / p99 | CPU/answer |    cores | memory | limit     |
        |----------------------|---------|----------------------------------------------------------:|-----------:|-------------:|-----------:|---------:|-------:|-----------|
        | c/fast \[1\]         | library |                                     &gt;= 121,000 ±13.4 % | &gt;= 2.00 | 500 / 900 us |     5.0 us | 1.0 of 1 |  12 MB | generator |
        | go/base              | library |                                            60,600 ±13.4 % |       1.00 | 1.0 / 2.5 ms |      16 us | 1.0 of 1 |  12 MB | server    |
        | php/bad\|\`&lt;b&gt; | library |            *failed in verify: 404 where 200 was expected* |            |              |            |          |        |           |
        | dart/none            | library | *not installed: dart is missing (get it from its makers)* |            |              |            |          |        |           |
        | go/raw               |         |                                             *not offered* |            |              |            |          |        |           |

        c/fast answers at least 2.00 times as many as go/base (2.00 to 2.00) for 0.31 of the CPU per answer; c/fast was limited by the load generator, go/base by its own CPU.
        2 rounds: ranks and verdicts take 5 at least.

        - \[1\] c/fast — client-bound: the load generator was busy for 99 % of the window

        **audit of hello · what answered GET /, and what it could use**

        | target  | status | body | sha256 | type |  head | HTTP | ends by | connection |  cores | processes | threads |
        |---------|-------:|-----:|--------|------|------:|-----:|---------|------------|-------:|----------:|--------:|
        | c/fast  |    200 | 11 B | aa     | none | 100 B |  1.1 | length  | kept       | 1 of 1 |         — |       2 |
        | go/base |    200 | 11 B | aa     | none | 100 B |  1.1 | length  | kept       | 1 of 1 |         — |       2 |

        There is no difference that nobody declared.

        2026-11-30 · orchestrate 0.1.0 (abc1234) · 2 × EPYC, Linux 6.18 · go 1.26.8 · noise not measured · repeat: orchestrate run configs/small.toml --seed 7
        "##);
    }
}
