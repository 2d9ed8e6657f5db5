//! Tests: records that are damaged or made up, in any of their values, are refused or can be summed up and written in every
//! format. `fuzz/fuzz_targets/trials.rs` asks the same of any text.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::layout::lay_out;
use super::summarise::summarise;
use super::{csv, fixture, html, markdown, svg, table};
use crate::compare::{Settings, compare};
use crate::record::run::RunInfo;
use crate::record::store::read_among;
use crate::record::summary::Summary;

/// The run that is fuzzed, and records to begin with.
const RUN: &str = include_str!("../../fuzz/run.json");
const TRIALS: &str = include_str!("../../fuzz/seeds/trials/small.ndjson");

/// What may stand in a record's value instead.
fn others() -> Vec<Value> {
    vec![
        json!(0),
        json!(1),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(0.5),
        Value::Null,
        json!(true),
        json!(""),
        json!("\u{1b}[31m|<b>\u{202e}\n"),
        json!("x".repeat(300)),
        json!([]),
        json!({}),
    ]
}

/// Counts the values in one, or puts another in the place of that with this number.
fn replace(value: &mut Value, number: &mut usize, other: Option<&Value>) {
    if let Some(other) = other.filter(|_| *number == 0) {
        *value = other.clone();
        *number = usize::MAX;
        return;
    }
    *number = if other.is_some() { number.wrapping_sub(1) } else { *number + 1 };
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, number, other)),
        Value::Object(entries) => {
            entries.iter_mut().for_each(|(_, entry)| replace(entry, number, other));
        }
        _ => {}
    }
}

/// Reads these lines as the trials of the small run and writes all that is made of them; whether they could be read.
fn is_read(lines: &str) -> bool {
    let info: RunInfo = serde_json::from_str(RUN).expect("a run");
    let Ok(run) = read_among(Path::new("run"), info, lines.as_bytes(), |_| {}) else {
        return false;
    };
    let summary = summarise(&run);
    let report = lay_out(&summary);
    let texts = [table::write(&report), markdown::write(&report), csv::write(&summary)];
    assert!(texts.iter().all(|text| !text.is_empty()));
    html::page(&summary, Some(&run.trials));
    svg::files(&summary, Some(&run.trials));
    compare(&summary, &summary, &Settings::of(&summary));
    let text = serde_json::to_string(&summary).expect("JSON");
    let again: Summary = serde_json::from_str(&text).expect("a summary");
    assert_eq!(serde_json::to_string(&again).expect("JSON"), text);
    true
}

fn damaged(lines: &[(usize, usize, usize)]) -> String {
    let mut all: Vec<Value> =
        TRIALS.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let others = others();
    for &(line, number, other) in lines {
        let line = line % all.len();
        let mut count = 0;
        replace(&mut all[line], &mut count, None);
        let mut number = number % count;
        replace(&mut all[line], &mut number, Some(&others[other % others.len()]));
    }
    all.iter().map(|line| line.to_string() + "\n").collect()
}

#[test]
fn what_is_fuzzed_begins_with_the_small_run() {
    let mut run = fixture::run();
    // On disk no two trials stand at one place of a round.
    (1..).zip(&mut run.trials).for_each(|(place, trial)| trial.position = place);
    let text = format!("{}\n", serde_json::to_string_pretty(&run.info).expect("JSON"));
    assert_eq!(RUN, text, "copy this to fuzz/run.json:\n{text}");
    let lines = run.trials.iter().map(|it| serde_json::to_string(it).expect("JSON") + "\n");
    let text: String = lines.collect();
    assert_eq!(TRIALS, text, "copy this to fuzz/seeds/trials/small.ndjson:\n{text}");
    assert!(is_read(TRIALS));
}

#[test]
fn no_single_value_of_a_record_breaks_a_report() {
    let first = TRIALS.lines().next().expect("a record");
    let mut value: Value = serde_json::from_str(first).expect("a record");
    let mut count = 0;
    replace(&mut value, &mut count, None);
    let mut read = 0;
    let others = others().len();
    for number in 0..count {
        // Each value gets two of the others, each of which takes the place of many.
        for other in [number % others, (number + others / 2) % others] {
            read += usize::from(is_read(&damaged(&[(0, number, other)])));
        }
    }
    assert!(read > count / 4, "only {read} of {count} could be read");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_damage_to_records_breaks_a_report(
        damage in prop::collection::vec((any::<usize>(), any::<usize>(), any::<usize>()), 1..12),
        cut in 0..200usize,
    ) {
        let lines = damaged(&damage);
        is_read(&lines);
        let end = lines.floor_char_boundary(lines.len() - cut.min(lines.len()));
        is_read(&lines[..end]);
    }

    #[test]
    fn no_text_breaks_the_reading_of_records(text in "\\PC{0,200}") {
        is_read(&text);
        is_read(&format!("{TRIALS}{text}\n"));
    }
}
