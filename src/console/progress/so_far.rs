//! The table that fills while a run goes on: rows of one workload under one load, with what is known of them by now. Pure.

use std::collections::BTreeMap;

use crate::event::Place;
use crate::report::escape::plain;
use crate::report::table::columns;
use crate::stats::geometric::GeometricMean;
use crate::units::{count_of, write_micros, write_number};

/// Columns of a terminal that a label takes at most.
const LABEL_MAX: usize = 40;
/// Stands for what is not known.
const UNKNOWN: &str = "—";

/// What is known by now, table by table.
#[derive(Debug, Default)]
pub(super) struct SoFar {
    tables: BTreeMap<(String, String), Vec<Row>>,
}

#[derive(Debug)]
struct Row {
    label: String,
    goodput: Vec<f64>,
    cpu: Vec<f64>,
    /// Why the last trial gave no figures.
    failure: Option<String>,
}

impl SoFar {
    /// Takes in how a trial ended. One that was made once more stands beside its repetition: this table is a look, and no result.
    pub(super) fn add(
        &mut self,
        place: &Place,
        (goodput, cpu): (Option<f64>, Option<f64>),
        failure: Option<&str>,
    ) {
        let key = (place.workload.clone(), place.load.clone());
        let rows = self.tables.entry(key).or_default();
        let known = rows.iter().position(|row| row.label == place.target);
        let at = known.unwrap_or_else(|| {
            let label = place.target.clone();
            rows.push(Row { label, goodput: Vec::new(), cpu: Vec::new(), failure: None });
            rows.len() - 1
        });
        rows[at].goodput.extend(goodput);
        rows[at].cpu.extend(cpu);
        rows[at].failure = failure.map(str::to_owned);
    }

    /// The rows of a trial's table, the fastest first, in so many lines at most and none wider than `width` columns.
    pub(super) fn lines(&self, place: &Place, lines: usize, width: usize) -> Vec<String> {
        let key = (place.workload.clone(), place.load.clone());
        let Some(rows) = self.tables.get(&key) else { return Vec::new() };
        let mut rows: Vec<(Option<f64>, &Row)> =
            rows.iter().map(|row| (mean(&row.goodput), row)).collect();
        // One without a mean comes before one without figures.
        let merit = |mean: Option<f64>, row: &Row| (mean.unwrap_or(0.0), !row.goodput.is_empty());
        rows.sort_by(|(a, one), (b, other)| {
            let ((a, has_figures), (b, has_others)) = (merit(*a, one), merit(*b, other));
            b.total_cmp(&a).then(has_others.cmp(&has_figures))
        });
        let shown = if rows.len() > lines { lines.saturating_sub(1) } else { rows.len() };
        let label = |row: &Row| shorten(&plain(&row.label), LABEL_MAX);
        let longest = rows.iter().map(|(_, row)| columns(&label(row))).max().unwrap_or(0);
        let mut text: Vec<String> = rows[..shown]
            .iter()
            .map(|(goodput, row)| {
                let label = label(row);
                let blank = " ".repeat(longest.saturating_sub(columns(&label)));
                shorten(&format!("  {label}{blank}  {}", figures(*goodput, row)), width)
            })
            .collect();
        if shown < rows.len() && lines > 0 {
            text.push(format!("  and {} more", rows.len() - shown));
        }
        text
    }
}

fn figures(goodput: Option<f64>, row: &Row) -> String {
    if row.goodput.is_empty() {
        return plain(row.failure.as_deref().unwrap_or("not measured"));
    }
    let goodput = goodput.map_or(UNKNOWN.to_owned(), write_number);
    let cpu = mean(&row.cpu)
        .map_or_else(String::new, |cpu| format!("  {:>8} CPU/answer", write_micros(cpu)));
    let rounds = count_of(row.goodput.len(), "round");
    let failed = if row.failure.is_some() { ", then failed" } else { "" };
    format!("{goodput:>9} right answers/s{cpu}  in {rounds}{failed}")
}

/// The geometric mean; none where there is none, as of a round without any right answer.
fn mean(points: &[f64]) -> Option<f64> {
    GeometricMean::of(points).map(|mean| mean.mean)
}

/// As much of a text as so many columns of a terminal hold: some letters take two of them, and some none.
fn shorten(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut letter = [0; 4];
    for next in text.chars() {
        if columns(&short) + columns(next.encode_utf8(&mut letter)) + 1 > room {
            break;
        }
        short.push(next);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(target: &str, load: &str) -> Place {
        Place {
            number: 1,
            of: 4,
            target: target.to_owned(),
            workload: "hello".to_owned(),
            load: load.to_owned(),
            round: 1,
        }
    }

    #[test]
    fn the_table_of_a_trial_holds_its_rows_the_fastest_first() {
        let mut so_far = SoFar::default();
        so_far.add(&place("slow", "c1"), (Some(1000.0), Some(20.0)), None);
        so_far.add(&place("fast\n", "c1"), (Some(4000.0), None), None);
        so_far.add(&place("fast\n", "c1"), (Some(1000.0), None), Some("failed in start: gone"));
        so_far.add(&place("other", "c2"), (Some(9.0), None), None);
        so_far.add(&place("none", "c1"), (None, None), Some("failed in verify: 404"));
        let lines = so_far.lines(&place("slow", "c1"), 10, 100);
        insta::assert_snapshot!(lines.join("\n"), @r##"
        fast\u{a}      2,000 right answers/s  in 2 rounds, then failed
        slow            1000 right answers/s     20 us CPU/answer  in 1 round
        none       failed in verify: 404
        "##);
        assert_eq!(so_far.lines(&place("slow", "c1"), 2, 12).len(), 2);
        assert!(so_far.lines(&place("slow", "c1"), 2, 12)[0].chars().count() <= 12);
        assert_eq!(so_far.lines(&place("slow", "c1"), 2, 90)[1], "  and 2 more");
        assert!(so_far.lines(&place("slow", "c1"), 0, 90).is_empty());
        assert!(so_far.lines(&place("slow", "c3"), 10, 100).is_empty());
    }

    #[test]
    fn a_row_with_a_round_of_no_right_answer_has_no_mean_as_in_the_table() {
        let mut so_far = SoFar::default();
        so_far.add(&place("none", "c1"), (None, None), Some("failed in verify: 404"));
        for goodput in [4000.0, 0.0] {
            so_far.add(&place("broken", "c1"), (Some(goodput), None), None);
        }
        so_far.add(&place("slow", "c1"), (Some(1.0), Some(20.0)), None);
        insta::assert_snapshot!(so_far.lines(&place("slow", "c1"), 10, 100).join("\n"), @"
          slow         1.00 right answers/s     20 us CPU/answer  in 1 round
          broken          — right answers/s  in 2 rounds
          none    failed in verify: 404
        ");
    }

    #[test]
    fn a_text_is_cut_by_the_columns_that_it_takes() {
        for (text, room, expected) in [
            ("abcd", 4, "abcd"),
            ("abcd", 3, "ab…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("日本語", 1, "…"),
            ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"),
        ] {
            assert_eq!(shorten(text, room), expected, "{text} {room}");
        }
        let mut so_far = SoFar::default();
        so_far.add(&place("日本", "c1"), (Some(2000.0), None), None);
        so_far.add(&place("abcdef", "c1"), (Some(1000.0), None), None);
        let lines = so_far.lines(&place("日本", "c1"), 10, 100);
        let before = |line: &str| columns(line.split("right").next().expect("a figure"));
        assert_eq!(before(&lines[0]), before(&lines[1]), "{lines:?}");
    }
}
