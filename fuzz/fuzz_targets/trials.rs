//! Records of any text, as a `trials.ndjson` beside the `run.json` of a small run: reading them never panics, and what
//! can be read can be summed up and written in every format. To begin with a few that are whole:
//! `cargo fuzz run trials corpus/trials seeds/trials -- -dict=trials.dict`.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use orchestrate::compare::{Settings, compare};
use orchestrate::record::run::RunInfo;
use orchestrate::record::store::read_among;
use orchestrate::record::summary::Summary;
use orchestrate::report::layout::lay_out;
use orchestrate::report::summarise::summarise;
use orchestrate::report::{csv, html, markdown, svg, table};

const RUN: &[u8] = include_bytes!("../run.json");

fuzz_target!(|text: &[u8]| {
    let info: RunInfo = serde_json::from_slice(RUN).expect("a run");
    let Ok(run) = read_among(Path::new("run"), info, text, |_| {}) else { return };
    let summary = summarise(&run);
    let report = lay_out(&summary);
    let _ = (table::write(&report), markdown::write(&report), csv::write(&summary));
    let _ = (html::page(&summary, Some(&run.trials)), svg::files(&summary, Some(&run.trials)));
    let _ = compare(&summary, &summary, &Settings::of(&summary));
    // What was written once is read the same.
    let text = serde_json::to_string(&summary).expect("a summary has only names and numbers");
    let again: Summary = serde_json::from_str(&text).expect("a summary");
    assert_eq!(serde_json::to_string(&again).expect("a summary"), text);
});
