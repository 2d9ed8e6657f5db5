//! Two runs compared, in words and tables: what makes it doubtful first, then what became of each row.

use super::column::UNKNOWN;
use super::layout::{self, Body, Report};
use crate::compare::{Comparison, Doubtful, Figure, Ratio, Row, Table};
use crate::judge::metric::Metric;
use crate::outcome::{Change, Kind as _};
use crate::stats::bound::Bound::MayBeBetter;
use crate::units::{self, count_of};

mod against;
mod markdown;
mod text;

pub(super) use against::against;
pub use markdown::markdown;
pub use text::text;

/// How many rows a doubt names.
const ROWS_TOLD: usize = 4;
/// A ratio farther from 1 than that is told with two digits behind the point.
const RATIO_FINE: f64 = 10.0;

/// What became of rows, in one line: `1 worse, 3 unclear, 16 same`.
fn counts(rows: &[&Row]) -> String {
    let count = |change: &Change| match rows.iter().filter(|row| row.change == *change).count() {
        0 => None,
        count => Some(format!("{count} {}", word(*change))),
    };
    let counts: Vec<String> = Change::ALL
        .iter()
        // Of what stands for the machine nothing is told.
        .filter(|change| **change != Change::Control)
        .filter_map(count)
        .collect();
    if counts.is_empty() { "no rows".to_owned() } else { counts.join(", ") }
}

/// What is compared, and by what it is decided.
fn setting(comparison: &Comparison) -> String {
    let decides: Vec<&str> =
        comparison.decides.iter().map(|name| Metric::named(name).head).collect();
    let control = comparison.new.control.as_ref().filter(|_| comparison.hindrance.is_none());
    let against = control.map_or_else(String::new, |control| {
        format!(" as ratios to the control {control} of each run")
    });
    let history = comparison.history_runs.map_or_else(String::new, |runs| {
        format!("; by how much rows differ from run to run is known from {}", count_of(runs, "run"))
    });
    format!(
        "decided by {}{against}; smaller differences than {} do not matter{history}",
        decides.join(" and "),
        percent(comparison.min_effect)
    )
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if (percent - percent.round()).abs() < 1e-9 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A doubt with the rows that it is about, not too many of them.
fn doubt(doubt: &Doubtful) -> String {
    let told = doubt.rows.iter().take(ROWS_TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    match doubt.rows.len() {
        0 => doubt.what.clone(),
        1..=ROWS_TOLD => format!("{} ({told})", doubt.what),
        count => format!("{} ({told}, and {} more)", doubt.what, count - ROWS_TOLD),
    }
}

/// What became of something, in a word.
fn word(change: Change) -> String {
    change.name().replace('-', " ")
}

/// A ratio with its interval: `0.977 (0.961 to 0.993)`.
fn write_ratio(ratio: Ratio) -> String {
    let digits = if ratio.high < RATIO_FINE { 3 } else { 2 };
    let write = |ratio: f64| units::write_ratio(ratio, digits);
    format!("{} ({} to {})", write(ratio.mean), write(ratio.low), write(ratio.high))
}

/// The tables, each with the rows that are wanted; one that has none of them is left out.
fn lay_out(comparison: &Comparison, is_wanted: impl Fn(&Row) -> bool) -> Report {
    let decides: Vec<Metric> = comparison.decides.iter().map(|name| Metric::named(name)).collect();
    let tables = comparison.tables.iter().filter_map(|table| {
        let rows = worst_first(table.rows.iter().filter(|row| is_wanted(row)));
        (!rows.is_empty()).then(|| lay_out_table(&decides, table, &rows))
    });
    let [against, audit] = [Vec::new(), Vec::new()];
    let (remarks, provenance) = (Vec::new(), String::new());
    Report { tables: tables.collect(), against, audit, remarks, provenance }
}

/// Those that are alike stay as they stand in the matrix.
fn worst_first<'r>(rows: impl Iterator<Item = &'r Row>) -> Vec<&'r Row> {
    let mut rows: Vec<&Row> = rows.collect();
    rows.sort_by_key(|row| row.change);
    rows
}

fn lay_out_table(decides: &[Metric], table: &Table, rows: &[&Row]) -> layout::Table {
    let mut heads = vec!["target".to_owned(), "verdict".to_owned()];
    for metric in decides {
        heads.extend([format!("{} before", metric.head), "now".to_owned(), "ratio".to_owned()]);
    }
    let mut notes = Vec::new();
    let rows = rows.iter().map(|row| lay_out_row(row, decides, &mut notes)).collect();
    layout::Table {
        title: format!("{} · {}", table.workload, table.load_words),
        are_figures: (0..heads.len()).map(|at| at > 1).collect(),
        give_way: vec![None; heads.len()],
        heads,
        rows,
        sentences: machine(table).into_iter().collect(),
        notes,
    }
}

fn lay_out_row(row: &Row, decides: &[Metric], notes: &mut Vec<String>) -> layout::Row {
    let mut marks = Vec::new();
    let has_figures = row.figures.iter().any(|figure| figure.new.is_some());
    let mut note = |text: String| {
        notes.push(format!("{} — {text}", row.target));
        marks.push(notes.len());
    };
    // Where there are no figures the reason stands in their place.
    if let Some(reason) = row.reason.as_ref().filter(|_| has_figures) {
        note(reason.clone());
    }
    let informs = informs(row);
    if !informs.is_empty() {
        note(informs.join(", "));
    }
    let figure = |metric: &Metric| row.figures.iter().find(|it| it.metric == metric.name);
    let cells = decides.iter().flat_map(|metric| cells(row, figure(metric), *metric));
    let reason = || row.reason.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let body = if has_figures { Body::Figures(cells.collect()) } else { Body::Reason(reason()) };
    let label = format!("{}{}", row.target, super::notes::marks(&marks));
    layout::Row {
        label: row.target.clone(),
        share: None,
        names: vec![label, word(row.change)],
        keys: vec![None; 2 + 3 * decides.len()],
        notes: marks,
        body,
    }
}

/// A figure before and now, and how many times as much it is.
fn cells(row: &Row, figure: Option<&Figure>, metric: Metric) -> [String; 3] {
    let known = |value: Option<f64>| value.map_or(UNKNOWN.to_owned(), |it| metric.unit.write(it));
    let Some(figure) = figure else { return [(); 3].map(|()| UNKNOWN.to_owned()) };
    let ratio = match (figure.ratio, bound(figure)) {
        (Some(ratio), Some(bound)) => format!("{}{}", bound.sign(), write_ratio(ratio)),
        _ => UNKNOWN.to_owned(),
    };
    let ratio = match figure.change {
        // What holds of all of it need not be said of each.
        Some(change) if change != row.change => format!("{ratio} {}", word(change)),
        _ => ratio,
    };
    [known(figure.base), known(figure.new), ratio]
}

/// What a ratio is of which a side may be more than it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

impl Bound {
    fn sign(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::AtLeast => ">= ",
            Self::AtMost => "<= ",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::AtLeast => "at least ",
            Self::AtMost => "at most ",
        }
    }
}

/// None where both sides are bounds, of which nothing follows. How far a time may be longer is not known, so it bounds no ratio.
fn bound(figure: &Figure) -> Option<Bound> {
    if Metric::named(figure.metric).bound != Some(MayBeBetter) {
        return Some(Bound::Exact);
    }
    let may_be_less = figure.base_is_bound || figure.new_control_is_bound;
    let may_be_more = figure.new_is_bound || figure.base_control_is_bound;
    match (may_be_less, may_be_more) {
        (false, false) => Some(Bound::Exact),
        (false, true) => Some(Bound::AtLeast),
        (true, false) => Some(Bound::AtMost),
        (true, true) => None,
    }
}

/// Figures that decide nothing and have changed all the same.
fn informs(row: &Row) -> Vec<String> {
    let has_changed =
        |figure: &&Figure| matches!(figure.change, Some(Change::Better | Change::Worse));
    let told = |figure: &Figure| {
        let sign = bound(figure)?.sign();
        let (change, ratio) = (word(figure.change?), write_ratio(figure.ratio?));
        Some(format!("{} {change} {sign}{ratio}", figure.metric))
    };
    let figures = row.figures.iter().filter(|figure| !figure.decides);
    figures.filter(has_changed).filter_map(told).collect()
}

/// What of all changes is the machine's, as the control has it.
fn machine(table: &Table) -> Option<String> {
    let control = table.rows.iter().find(|row| row.change == Change::Control)?;
    let deciding = control.figures.iter().filter(|figure| Metric::named(figure.metric).decides);
    let known: Vec<(&Figure, Ratio)> =
        deciding.filter_map(|figure| Some((figure, figure.ratio?))).collect();
    let told: Vec<String> = known
        .iter()
        .map(|(figure, ratio)| {
            let share = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 100.0);
            let interval = format!("{} to {}", share(ratio.low), share(ratio.high));
            let name = Metric::named(figure.metric).head;
            format!("{} % ({interval}) in {name}", share(ratio.mean))
        })
        .collect();
    let target = &control.target;
    let has_moved = |(_, ratio): &(&Figure, Ratio)| ratio.low > 1.0 || ratio.high < 1.0;
    let moved = || format!("the control {target} moved by {}", told.join(" and by "));
    if known.is_empty() {
        None
    } else if control.reason.is_some() {
        Some(format!(
            "{}: as it was built from something else, that may be its own doing, and not the machine's; all others are held against it",
            moved()
        ))
    } else if known.iter().any(has_moved) {
        Some(format!("{}: that is the machine, and is taken off all others", moved()))
    } else {
        Some(format!(
            "the control {target} did not move by more than its rounds scatter: {}",
            told.join(" and ")
        ))
    }
}
