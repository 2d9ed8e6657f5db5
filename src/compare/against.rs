//! Rows of one run against the same targets at an earlier revision, which went through the same rounds: paired, so that no control
//! is needed.

use super::row::{By, Draft, Pair, Setting, draft};
use super::{Settings, Table, cell, look_at_all};
use crate::record::run::PlannedTable;
use crate::record::summary::Summary;

/// What became of each row since the revision that the run was made against; none if it was made against none.
pub fn against(summary: &Summary, settings: &Settings) -> Vec<Table> {
    let Some(against) = &summary.run.against else { return Vec::new() };
    let then = format!("at {}", against.revision);
    let setting = Setting {
        settings,
        by: By::Rounds,
        hindered: false,
        control: None,
        controls: [None; 2],
        other: None,
        names: [&then, "now"],
    };
    let row = |table: &PlannedTable, label: &String| -> Option<Draft> {
        let before = against.rows.get(label)?;
        let (base, new) = (cell(summary, table, before), cell(summary, table, label));
        let is_known =
            |label: &str| summary.run.target(label).is_some_and(|it| it.are_sources_known);
        let are_sources_known = is_known(before) && is_known(label);
        let mut draft = draft(&Pair { target: label, base, new, are_sources_known }, &setting);
        if base.is_none() {
            draft.row.reason = Some(format!("not offered {then}"));
        }
        Some(draft)
    };
    let mut drafts: Vec<(&PlannedTable, Vec<Draft>)> = summary
        .run
        .tables
        .iter()
        .map(|table| (table, table.rows.iter().filter_map(|label| row(table, label)).collect()))
        .collect();
    look_at_all(drafts.iter_mut().flat_map(|(_, rows)| rows), settings.min_effect);
    drafts.into_iter().map(|(table, rows)| Table::new(table, rows)).collect()
}
