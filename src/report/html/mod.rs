//! A run as one page: tables, charts, audit, method and machine, without anything from elsewhere.
//!
//! It is whole without scripts; with them its tables can be put in other orders and filtered. All that comes from outside
//! goes through [`plain`] when it is gathered here, and is escaped by the template; links lead into
//! the folder of logs only. The page itself forbids browsers whatever it does not bring along.

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::escape::plain;
use super::layout::{Report, Table, lay_out};
use super::provenance;
use super::svg::{self, palette};
use crate::digest;
use crate::record::summary::Summary;
use crate::record::trial::TrialRecord;
use crate::units::count_of;

mod facts;
mod logs;
mod table;
#[cfg(test)]
mod tests;

use facts::Fact;
use table::TableView;

/// What puts tables in order and filters them.
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// The page, ready for its template.
#[derive(Debug, Template)]
#[template(path = "page.html")]
struct Page {
    title: String,
    lead: String,
    doubts: Vec<String>,
    script: &'static str,
    script_digest: String,
    style: String,
    tables: Vec<TableView>,
    parts: Vec<Part>,
    kinds: Vec<String>,
    languages: Vec<String>,
    has_trials: bool,
    method: Vec<String>,
    facts: Vec<Fact>,
    tools: Vec<Fact>,
    targets: Vec<Fact>,
    provenance: String,
}

/// Tables without charts, below those of the run.
#[derive(Debug)]
struct Part {
    /// What links lead to.
    id: &'static str,
    /// What links call it.
    name: &'static str,
    title: &'static str,
    tables: Vec<TableView>,
}

/// The parts that a report has.
fn parts(report: &Report) -> Vec<Part> {
    let part = |id, name, title, tables: &[Table]| Part {
        id,
        name,
        title,
        tables: tables.iter().map(TableView::without_charts).collect(),
    };
    let against = part(
        "against",
        "Against before",
        "Against the same targets at an earlier revision, in the same rounds",
        &report.against,
    );
    let audit = part("audit", "Audit", "Audit: who answered with what", &report.audit);
    [against, audit].into_iter().filter(|part| !part.tables.is_empty()).collect()
}

/// A run as a page; without its trials what needs them is left out, and that is said.
///
/// # Panics
/// Never: memory takes all that is written.
pub fn page(summary: &Summary, trials: Option<&[TrialRecord]>) -> String {
    let run = &summary.run;
    let report = lay_out(summary);
    let charts = svg::charts(summary, trials);
    let logs = trials.map(logs::Logs::of);
    let tables = (1..).zip(report.tables.iter().zip(&run.tables).zip(&charts));
    let tables: Vec<TableView> = tables
        .map(|(number, ((table, planned), charts))| {
            TableView::new(number, table, summary, planned, charts, logs.as_ref())
        })
        .collect();
    let sorted = |names: Vec<Option<&String>>| {
        let mut names: Vec<String> = names.into_iter().flatten().map(|name| plain(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let lead = [
        count_of(run.targets.len(), "target"),
        count_of(run.tables.len(), "table"),
        run.started_at.chars().take(10).collect(),
    ];
    let page = Page {
        title: plain(&run.name),
        lead: plain(&lead.join(" · ")),
        doubts: facts::doubts(summary, trials.is_some()),
        script: SCRIPT,
        script_digest: source_digest(SCRIPT),
        style: style(),
        parts: parts(&report),
        tables,
        kinds: sorted(run.targets.iter().map(|target| target.kind.as_ref()).collect()),
        languages: sorted(run.targets.iter().map(|target| target.language.as_ref()).collect()),
        has_trials: trials.is_some(),
        method: facts::method(summary),
        facts: facts::machine(run),
        tools: facts::tools(summary),
        targets: facts::targets(run),
        provenance: plain(&provenance::line(summary)),
    };
    page.render().expect("memory takes a page")
}

/// The digest by which a page allows its own script, and no other.
fn source_digest(script: &str) -> String {
    let bytes = digest::parse_sha256(&digest::sha256(script.as_bytes()));
    BASE64.encode(bytes.expect("a digest that was just made"))
}

fn style() -> String {
    let variables = |scheme: &palette::Scheme| {
        let palette::Scheme { paper, panel, ink, muted, grid, link, bad, .. } = scheme;
        format!(
            ":root{{--paper:{paper};--panel:{panel};--ink:{ink};--muted:{muted};--grid:{grid};--link:{link};--bad:{bad}}}"
        )
    };
    let fonts = palette::FONTS;
    format!(
        "{}@media (prefers-color-scheme:dark){{{}}}body{{font-family:{fonts}}}\n{}{STYLE}",
        variables(&palette::LIGHT),
        variables(&palette::DARK),
        palette::chart_rules(),
    )
}
