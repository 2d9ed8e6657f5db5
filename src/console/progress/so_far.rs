//! The table that fills while a run goes on: rows of one workload under one load, with what is known of them by now. Pure.

use std::collections::BTreeMap;

use crate::event::Place;
use crate::report::escape::plain;
use crate::stats::geometric::GeometricMean;
use crate::units::{count_of, write_micros, write_number};

/// Letters of a label that are shown at most.
const LABEL_MAX: usize = 40;

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

    /// The rows of a trial's table, the fastest first, in so many lines at most and none longer than `width` letters.
    pub(super) fn lines(&self, place: &Place, lines: usize, width: usize) -> Vec<String> {
        let key = (place.workload.clone(), place.load.clone());
        let Some(rows) = self.tables.get(&key) else { return Vec::new() };
        let mut rows: Vec<(f64, &Row)> = rows.iter().map(|row| (mean(&row.goodput), row)).collect();
        rows.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let shown = if rows.len() > lines { lines.saturating_sub(1) } else { rows.len() };
        let label = |row: &Row| shorten(&plain(&row.label), LABEL_MAX);
        let longest = rows.iter().map(|(_, row)| label(row).chars().count()).max().unwrap_or(0);
        let mut text: Vec<String> = rows[..shown]
            .iter()
            .map(|(goodput, row)| {
                let name = format!("  {:<longest$}", label(row));
                shorten(&format!("{name}  {}", figures(*goodput, row)), width)
            })
            .collect();
        if shown < rows.len() && lines > 0 {
            text.push(format!("  and {} more", rows.len() - shown));
        }
        text
    }
}

fn figures(goodput: f64, row: &Row) -> String {
    if row.goodput.is_empty() {
        return plain(row.failure.as_deref().unwrap_or("not measured"));
    }
    let cpu = match mean(&row.cpu) {
        cpu if cpu > 0.0 => format!("  {:>8} CPU/answer", write_micros(cpu)),
        _ => String::new(),
    };
    let rounds = count_of(row.goodput.len(), "round");
    let failed = if row.failure.is_some() { ", then failed" } else { "" };
    format!("{:>9} right answers/s{cpu}  in {rounds}{failed}", write_number(goodput))
}

/// The geometric mean; 0 where there is none.
fn mean(points: &[f64]) -> f64 {
    GeometricMean::of(points).map_or(0.0, |mean| mean.mean)
}

fn shorten(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(letters.saturating_sub(1)).collect();
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
}
