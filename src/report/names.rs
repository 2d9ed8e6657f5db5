//! Tests: names that mean something to some format come through every format unharmed, and harm none.

use super::escape::plain;
use super::layout::{Layout, lay_out, lay_out_as};
use super::readme::Page;
use super::summarise::summarise;
use super::{classic, csv, fixture, html, markdown, svg, table};
use crate::matrix::problem::Source;
use crate::record::store::Run;
use crate::record::summary::Summary;

/// Names that a matrix may or may not take; a record may hold any.
fn hostile() -> Vec<String> {
    let mut names: Vec<String> = [
        "<script>alert(1)</script>",
        "a|b||c",
        "`code` ``two``",
        "one\ntwo\r\nthree",
        "\u{202e}turned\u{2066}\u{200f}",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
        "=1+1",
        "a,b;\"c\"",
        "<!-- orchestrate:end -->",
        "--><script>x</script>",
        "]]></style><svg onload=x>",
        "[a](b) *c* _d_ \\ ~e~",
        "&amp;&lt;",
        "\u{1b}[31mred\u{7}",
        "\u{0}nul",
        "emoji \u{1f469}\u{200d}\u{1f4bb}",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("x".repeat(200));
    names
}

/// The small run, with the reference under another name.
fn named(name: &str) -> Run {
    let mut run = fixture::run();
    let old = "go/base";
    for trial in run.trials.iter_mut().filter(|trial| trial.target == old) {
        name.clone_into(&mut trial.target);
    }
    name.clone_into(&mut run.info.policy.reference);
    let rows = run.info.tables[0].rows.iter_mut();
    rows.filter(|row| *row == old).for_each(|row| name.clone_into(row));
    let targets = run.info.targets.iter_mut();
    targets.filter(|target| target.label == old).for_each(|it| name.clone_into(&mut it.label));
    run
}

fn each(check: impl Fn(&str, &Run, &Summary)) {
    for name in hostile() {
        let run = named(&name);
        let summary = summarise(&run);
        assert!(summary.cells.iter().any(|cell| cell.target == name), "{name:?}");
        check(&name, &run, &summary);
    }
}

/// No line ends but its own, no control characters, nothing that turns the direction.
fn assert_harmless(text: &str, lines: usize) {
    assert_eq!(text.lines().count(), lines, "{text}");
    let bad = |it: char| (it.is_control() && it != '\n') || ('\u{202a}'..='\u{202e}').contains(&it);
    assert!(!text.contains(bad), "{text:?}");
}

#[test]
fn a_terminal_shows_every_name_on_one_line_and_acts_on_none() {
    let lines = table::write(&lay_out(&summarise(&fixture::run()))).lines().count();
    each(|name, _, summary| {
        let text = table::write(&lay_out(summary));
        assert!(text.contains(&plain(name)), "{text}");
        assert_harmless(&text, lines);
        let narrow = table::write_within(&lay_out(summary), 60);
        assert!(narrow.contains(&plain(name)), "{narrow}");
    });
}

#[test]
fn a_markdown_table_keeps_its_columns_and_no_name_becomes_markup() {
    let usual = markdown::write(&lay_out(&summarise(&fixture::run())));
    // Bars that part cells: those that are not escaped.
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let shape: Vec<usize> = usual.lines().map(bars).collect();
    each(|name, _, summary| {
        let text = markdown::write(&lay_out(summary));
        assert_eq!(text.lines().map(bars).collect::<Vec<_>>(), shape, "{text}");
        assert_harmless(&text, shape.len());
        for active in ["<script", "<!--", "-->", "<svg"] {
            assert!(!text.contains(active), "{name:?}: {text}");
        }
        assert!(!text.replace("\\]", "").contains("](b)"), "{name:?}: {text}");
    });
}

#[test]
fn csv_and_json_give_a_name_back() {
    each(|name, _, summary| {
        let text = csv::write(summary);
        let mut reader = ::csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let heads = reader.headers().expect("heads").clone();
        let at = heads.iter().position(|head| head == "target").expect("a column");
        let records: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
        assert_eq!(records.len(), summary.cells.len());
        let is_this = |text: &str| text.trim_start_matches('\'') == plain(name);
        assert!(records.iter().any(|record| is_this(&record[at])), "{text}");
        let json = serde_json::to_string_pretty(summary).expect("JSON");
        let back: Summary = serde_json::from_str(&json).expect("a summary");
        assert!(back.cells.iter().any(|cell| cell.target == name));
    });
}

#[test]
fn pages_and_charts_hold_a_name_as_text() {
    let (usual_run, usual) = (fixture::run(), summarise(&fixture::run()));
    let tags = |text: &str| text.matches('<').count();
    let usual_page = tags(&html::page(&usual, Some(&usual_run.trials)));
    each(|name, run, summary| {
        let page = html::page(summary, Some(&run.trials));
        for active in ["<script>alert", "<script>x", "<svg onload", "<!-- orchestrate"] {
            assert!(!page.contains(active), "{name:?}");
        }
        // A long name may be drawn on more lines, or shortened with the whole in a title; a tag of its own has none.
        assert!(tags(&page).abs_diff(usual_page) < 60, "{name:?}");
        for chart in svg::files(summary, Some(&run.trials)) {
            assert!(!chart.text.contains("<script") && !chart.text.contains("<svg onload"));
            assert!(!chart.text.contains('\u{202e}') && !chart.text.contains('\u{0}'));
        }
    });
}

#[test]
fn older_words_hold_a_name_on_the_line_above() {
    each(|name, run, summary| {
        let told = classic::told(summary, &run.trials);
        for words in [classic::ab, classic::siege, classic::webbench] as [classic::Words; 3] {
            let text = classic::write(&told, &run.trials, words);
            let usual = classic::write(
                &classic::told(&summarise(&fixture::run()), &fixture::run().trials),
                &fixture::run().trials,
                words,
            );
            assert!(text.contains(&plain(name)), "{text}");
            assert_harmless(&text, usual.lines().count());
        }
    });
}

#[test]
fn a_block_that_holds_a_name_is_found_whole_again() {
    let begin = "<!-- orchestrate:begin matrix=small charts=comparison -->";
    let page = |text: &str| Page::parse(Source { path: "README.md".into(), text: text.to_owned() });
    each(|name, _, summary| {
        let empty = page(&format!("before\n\n{begin}\n<!-- orchestrate:end -->\n\nbehind\n"));
        let filling = empty.blocks[0].filling("id", summary.clone()).expect("tables");
        let text = empty.fill(std::slice::from_ref(&filling));
        let filled = page(&text);
        assert!(filled.problems.is_empty(), "{name:?}: {text}");
        assert_eq!(filled.blocks.len(), 1, "{name:?}");
        assert!(filled.holds(&filled.blocks[0], &filling), "{name:?}: {text}");
        assert!(text.starts_with("before\n") && text.ends_with("\nbehind\n"));
    });
}

#[test]
fn a_group_heading_is_escaped_like_a_name() {
    let mut summary = summarise(&fixture::run());
    for target in &mut summary.run.targets {
        target.kind = Some("<b>|`".to_owned());
    }
    let group = Some(super::layout::Group::Kind);
    let text = markdown::write(&lay_out_as(&summary, &Layout { group, ..Layout::default() }));
    assert!(text.contains("**&lt;b&gt;\\|\\`**"), "{text}");
}
