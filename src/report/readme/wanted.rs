//! The keys of markers: what a begin marker wants, and what an end marker says was put there.

use std::ops::Range;

use super::marker::{Fault, Key, Marker};
use crate::digest::parse_sha256;
use crate::matrix::globs::Globs;
use crate::matrix::problem::nearest;
use crate::report::column::{Column, ColumnError};
use crate::report::layout::{Group, Layout, Without};
use crate::report::select::Selection;
use crate::report::svg;

/// The keys of a begin marker.
const BEGIN: [&str; 13] = [
    "matrix",
    "workload",
    "load",
    "columns",
    "sort",
    "group",
    "charts",
    "charts-in",
    "run",
    "title",
    "sentences",
    "notes",
    "provenance",
];
/// The keys of an end marker.
const END: [&str; 2] = ["run", "sha256"];

/// What a block is to hold.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// A matrix's name below the results, or the path of its file.
    pub matrix: Written,
    /// The id of a run; the latest one without.
    pub run: Option<Written>,
    /// Which tables.
    pub selection: Selection,
    /// Where the patterns of workloads and those of loads are written.
    pub patterns: [Option<Range<usize>>; 2],
    /// How they are laid out.
    pub layout: Layout,
    /// Which charts stand below them.
    pub charts: Vec<svg::Name>,
    /// The folder of their files, told from that of the page.
    pub charts_in: String,
}

/// A value, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The value.
    pub text: String,
    /// Bytes of the page.
    pub span: Range<usize>,
}

/// What was put into a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The id of the run.
    pub run: String,
    /// The digest of the text, with plain line ends.
    pub sha256: String,
}

/// What a begin marker wants, as far as it can be read; its faults are noted.
pub(super) fn wanted(marker: &mut Marker) -> Option<Wanted> {
    let keys = std::mem::take(&mut marker.keys);
    let faults = &mut marker.faults;
    let is_sound = faults.is_empty();
    report_unknown(&keys, &BEGIN, faults);
    let value = |name: &str| keys.iter().find(|key| key.name == name);
    let written = |key: &Key| Written { text: key.value.clone(), span: key.value_span.clone() };
    let matrix = value("matrix").map(written);
    if matrix.is_none() && is_sound {
        let hint = "`matrix=NAME` says whose tables are wanted";
        faults.push(Fault::new(marker.span.clone(), "`matrix` is missing", hint));
    }
    // A page shows tables; what is behind them stands in the report.
    let without = Without { audit: true, ..Without::default() };
    let mut layout = Layout { without, ..Layout::default() };
    if let Some(key) = value("columns") {
        layout.columns = columns(key, faults);
    }
    if let Some(key) = value("sort") {
        let column = Column::parse(key.value.trim());
        layout.sort = column.map_err(|error| faults.push(column_fault(key, &error))).ok();
    }
    if let Some(key) = value("group") {
        layout.group = group(key, faults);
    }
    for (name, is_left_out) in [
        ("title", &mut layout.without.title),
        ("sentences", &mut layout.without.sentences),
        ("notes", &mut layout.without.notes),
        ("provenance", &mut layout.without.provenance),
    ] {
        let Some(key) = value(name) else { continue };
        *is_left_out = key.value == "none";
        if !*is_left_out {
            let what = format!("`{name}` cannot be `{}`", key.value.escape_debug());
            let hint = "`none` leaves it out; it is there without this key";
            faults.push(Fault::new(key.value_span.clone(), what, hint));
        }
    }
    let selection = Selection {
        workloads: value("workload").and_then(|key| globs(key, faults)),
        loads: value("load").and_then(|key| globs(key, faults)),
    };
    let patterns = ["workload", "load"].map(|name| value(name).map(|key| key.value_span.clone()));
    let run = value("run").filter(|key| key.value != "latest").map(written);
    let charts = value("charts").map(|key| charts(key, faults)).unwrap_or_default();
    let charts_in =
        value("charts-in").map_or_else(|| Some("charts".to_owned()), |key| folder(key, faults));
    let charts_in = charts_in.unwrap_or_default();
    Some(Wanted { matrix: matrix?, run, selection, patterns, layout, charts, charts_in })
}

/// What an end marker says, as far as it can be read; its faults are noted.
pub(super) fn filled(marker: &mut Marker) -> Option<Filled> {
    let keys = std::mem::take(&mut marker.keys);
    let faults = &mut marker.faults;
    report_unknown(&keys, &END, faults);
    let value = |name: &str| keys.iter().find(|key| key.name == name);
    match (value("run"), value("sha256")) {
        (Some(run), Some(sha256)) => {
            if parse_sha256(&sha256.value).is_none() {
                let what = "this is no digest of 64 hexadecimal digits";
                let hint = "take `run` and `sha256` out to have the block filled anew";
                faults.push(Fault::new(sha256.value_span.clone(), what, hint));
            }
            Some(Filled { run: run.value.clone(), sha256: sha256.value.to_lowercase() })
        }
        (None, None) => None,
        (Some(key), None) | (None, Some(key)) => {
            let what = "`run` and `sha256` stand together or not at all";
            let hint = "take both out to have the block filled anew";
            faults.push(Fault::new(key.name_span.clone(), what, hint));
            None
        }
    }
}

fn report_unknown(keys: &[Key], known: &[&str], faults: &mut Vec<Fault>) {
    for key in keys.iter().filter(|key| !known.contains(&key.name.as_str())) {
        let hint = match nearest(&key.name, known.iter().copied()) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None => format!("there is {}", known.join(", ")),
        };
        let what = format!("unknown key `{}`", key.name.escape_debug());
        faults.push(Fault::new(key.name_span.clone(), what, &hint));
    }
}

fn columns(key: &Key, faults: &mut Vec<Fault>) -> Vec<Column> {
    Column::parse_list(key.value.split(',')).unwrap_or_else(|errors| {
        faults.extend(errors.iter().map(|error| column_fault(key, error)));
        Vec::new()
    })
}

fn group(key: &Key, faults: &mut Vec<Fault>) -> Option<Group> {
    match key.value.as_str() {
        "kind" => Some(Group::Kind),
        "language" => Some(Group::Language),
        other => {
            let what = format!("rows cannot be put together by `{}`", other.escape_debug());
            faults.push(Fault::new(key.value_span.clone(), what, "there is kind, language"));
            None
        }
    }
}

/// The charts of a value. A page is made from what is committed, so those that need more cannot stand in one.
fn charts(key: &Key, faults: &mut Vec<Fault>) -> Vec<svg::Name> {
    let known = || svg::Name::ALL.iter().filter(|name| name.is_of_summary()).map(|it| it.word());
    let mut charts = Vec::new();
    for word in key.value.split(',').map(str::trim) {
        let fault = match svg::Name::ALL.iter().find(|name| name.word() == word) {
            Some(name) if name.is_of_summary() => {
                if !charts.contains(name) {
                    charts.push(*name);
                }
                continue;
            }
            Some(_) => format!("the chart `{word}` needs the trials, which are not committed"),
            None => format!("unknown chart `{}`", word.escape_debug()),
        };
        let hint = format!("there is {}", known().collect::<Vec<_>>().join(", "));
        faults.push(Fault::new(key.value_span.clone(), fault, &hint));
    }
    charts
}

/// A folder that is told from that of the page.
fn folder(key: &Key, faults: &mut Vec<Fault>) -> Option<String> {
    let folder = key.value.trim_end_matches('/');
    let is_usable = !folder.is_empty()
        && !folder.starts_with('/')
        && !folder.chars().any(|it| it.is_control() || it == '\\');
    if !is_usable {
        let what =
            format!("`{}` is no folder told from that of this page", key.value.escape_debug());
        faults.push(Fault::new(
            key.value_span.clone(),
            what,
            "write it like `charts-in=docs/charts`",
        ));
        return None;
    }
    Some(folder.to_owned())
}

fn column_fault(key: &Key, error: &ColumnError) -> Fault {
    Fault::new(key.value_span.clone(), error.to_string(), &error.hint())
}

/// The patterns of a value: a comma parts them, unless it stands in brackets of a pattern.
fn globs(key: &Key, faults: &mut Vec<Fault>) -> Option<Globs> {
    let mut depth = 0;
    let parts = key.value.split(|c: char| {
        // One that closes what was never opened is a fault of the pattern, told by the pattern.
        depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        depth = depth.max(0);
        c == ',' && depth == 0
    });
    let patterns: Vec<&str> = parts.map(str::trim).collect();
    let fault = |what: String| Fault::new(key.value_span.clone(), what, "");
    if patterns.iter().any(|pattern| matches!(*pattern, "" | "!")) {
        faults.push(fault(format!("a pattern of `{}` is empty", key.name)));
        return None;
    }
    Globs::parse(&patterns).map_err(|error| faults.push(fault(error.to_string()))).ok()
}
