//! `[[workload]]`: what is asked, and which answer is right.

use super::Workload;
use super::contract;
use super::expectation::expectation;
use super::names::{name, slug};
use super::patterns::{Patterns, patterns};
use super::problem::Place;
use super::request::{report_derived, request};
use super::table::Table;
use super::values::{clipped, refusal};
use super::wire::Value;

/// A workload, and what is needed to check it against the rest.
pub(super) struct Asked<'r> {
    pub(super) workload: Workload,
    pub(super) place: Place,
    pub(super) targets: Patterns,
    /// As written: a target's own request is laid over it.
    pub(super) table: Table<'r>,
}

/// The table of the right answer. A text in its place is most likely a body.
fn expected<'r>(table: &mut Table<'r>) -> Option<Table<'r>> {
    if let Some(node) = table.value_of("expect").filter(|it| matches!(it.value, Value::Text(_))) {
        let problem = refusal("expect", "a table", node);
        let hint = format!("write `expect = {{ body = {} }}`", clipped(node.place.text()));
        table.reading.report(problem.hint(hint));
        table.discard("expect");
    }
    table.table("expect")
}

/// Reads a `[[workload]]`; without a name it is called by its request, `get-root` for `GET /`. One with only a name of the
/// contract is that of the contract.
pub(super) fn workload(mut table: Table<'_>) -> Asked<'_> {
    let completed = contract::completed(&table);
    let is_of_contract = completed.is_some();
    table = completed.unwrap_or(table);
    let written = table.clone();
    let mut name = name(&mut table);
    table.not_yet("requests-file", "write one `path`; several workloads ask several");
    report_derived(&table);
    let request = request(&mut table);
    if name.value.is_empty() {
        let path = if request.path == "/" { "root" } else { &request.path };
        name.value = slug(&format!("{} {path}", request.method)).to_lowercase();
    }
    let targets = patterns(&mut table, "targets");
    let expect = expected(&mut table).map(expectation);
    table.finish();
    let globs = targets.globs.clone();
    let workload = Workload { name: name.value, request, expect, is_of_contract, targets: globs };
    Asked { workload, place: name.place, targets, table: written }
}
