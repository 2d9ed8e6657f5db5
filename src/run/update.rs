//! Measuring only what changed: which rows of an earlier run are taken over, and what is measured anew.
//!
//! Rows of two runs share no moment, so that they are never compared with each other: what is measured anew gets rounds with
//! numbers of their own, behind those of the earlier run, and whatever others are measured against is in both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::Order;
use super::begun::Refusal;
use super::earlier::{built_otherwise, names};
use super::moved::{changes, everything, other_machine};
use crate::event::Event;
use crate::plan::{Cell, Plan, duration_of};
use crate::prepare::Prepared;
use crate::record::rows::Rows;
use crate::record::run::RunInfo;
use crate::record::session::{Again, Base as BaseInfo};
use crate::record::store::{self, Run, StoreError};
use crate::record::trial::TrialRecord;

/// The run that is brought up to date.
#[derive(Debug)]
pub struct Base {
    run: Run,
}

/// What is taken over of it, and what is not.
#[derive(Debug)]
pub(super) struct Update {
    /// The rounds of what is measured anew.
    pub(super) plan: Plan,
    /// The records that are taken over.
    pub(super) taken: Vec<TrialRecord>,
    /// As it is recorded.
    pub(super) info: BaseInfo,
}

impl Base {
    /// Reads a run with all that is known of its trials.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        Ok(Self { run: store::read(folder)? })
    }

    /// Its id.
    pub(super) fn id(&self) -> &str {
        &self.run.info.id
    }

    /// As it is recorded before it is known what of it is taken over.
    pub(super) fn before(&self) -> BaseInfo {
        let (id, started_at) = (self.run.info.id.clone(), self.run.info.started_at.clone());
        BaseInfo { id, started_at, rounds: 0, taken: 0, anew: Vec::new() }
    }

    /// Whether rows of it can stand in a run of now.
    pub(super) fn check(&self, now: &RunInfo) -> Result<(), Refusal> {
        let then = &self.run.info;
        if then.purpose.is_some() {
            return Err(Refusal::new(format!("run {} compares no targets", then.id)));
        }
        if let Some(why) = other_machine(&then.host, &now.host).or_else(|| everything(then, now)) {
            return Err(Refusal::new(format!(
                "nothing of run {} can be taken over: {why}",
                then.id
            )));
        }
        Ok(())
    }

    /// Which cells are measured anew, and why; `now` describes the run, with its services built.
    pub(super) fn bring_up_to_date(
        &self,
        order: &Order<'_>,
        prepared: &[Prepared],
        now: &RunInfo,
    ) -> Update {
        let rows = Rows::of(&self.run.trials);
        let anew = self.anew(order, prepared, now, &rows);
        let mut taken = Vec::new();
        for cell in &order.plan.cells {
            let (workload, load) = names(order.matrix, *cell);
            let label = cell.label(order.matrix);
            let is_base = is_compared_with(order, &label);
            // What others are compared with is in both, if it is what it was.
            let stays = match anew.get(cell) {
                None => true,
                Some(reason) => is_base && reason == COMPARED_WITH,
            };
            if stays {
                let is_of = |trial: &&TrialRecord| {
                    (trial.workload.as_str(), trial.load.as_str()) == (workload, load)
                        && trial.label() == label
                };
                taken.extend(self.run.trials.iter().filter(is_of).map(|it| self.take(it)));
            }
        }
        let rounds = taken.iter().map(|trial| trial.round).max().unwrap_or(0);
        let is_anew = |cell: &Cell| anew.contains_key(cell);
        let anew_told = told(order, &anew);
        let info = BaseInfo { rounds, taken: taken.len() as u64, anew: anew_told, ..self.before() };
        Update { plan: order.plan.only(is_anew, rounds), taken, info }
    }

    /// Every cell that is measured anew, with the reason.
    fn anew(
        &self,
        order: &Order<'_>,
        prepared: &[Prepared],
        now: &RunInfo,
        rows: &Rows<'_>,
    ) -> BTreeMap<Cell, String> {
        let changes = changes(&self.run.info, now);
        let mut anew: BTreeMap<Cell, String> = BTreeMap::new();
        for cell in &order.plan.cells {
            let (workload, load) = names(order.matrix, *cell);
            let label = cell.label(order.matrix);
            let records = rows.trials(workload, load, &label);
            let own = order.matrix.targets[cell.target].label();
            let table = (workload.to_owned(), load.to_owned());
            let is_table_changed = changes.tables.contains(&table);
            let reason = lacking(&records, order.matrix.run.rounds)
                .or_else(|| {
                    is_table_changed.then(|| "what is asked, or how, has changed".to_owned())
                })
                .or_else(|| changes.rows.get(&own).cloned())
                .or_else(|| {
                    let built =
                        |it: &&TrialRecord| built_otherwise(order.matrix, prepared, *cell, it);
                    records.iter().find_map(built)
                });
            anew.extend(reason.map(|reason| (*cell, reason)));
        }
        let table = |cell: &Cell| (cell.workload, cell.load);
        let touched: BTreeSet<(usize, usize)> = anew.keys().map(table).collect();
        let is_reference = |cell: &Cell| cell.label(order.matrix) == order.matrix.run.reference;
        let lost: BTreeSet<(usize, usize)> =
            anew.keys().filter(|cell| is_reference(cell)).map(table).collect();
        for cell in order.plan.cells.iter().filter(|cell| touched.contains(&table(cell))) {
            if lost.contains(&table(cell)) {
                // Without rounds in common with it a row has nothing to be compared with.
                anew.entry(*cell).or_insert_with(|| "the reference is measured anew".to_owned());
            } else if is_compared_with(order, &cell.label(order.matrix)) {
                anew.entry(*cell).or_insert_with(|| COMPARED_WITH.to_owned());
            }
        }
        anew
    }

    /// A record as it stands in the new run.
    fn take(&self, record: &TrialRecord) -> TrialRecord {
        let mut taken = record.clone();
        taken.session = 1;
        // Its log stayed where it was.
        taken.log = None;
        taken.taken_from.get_or_insert_with(|| self.run.info.id.clone());
        taken
    }
}

impl Update {
    /// Tells which rows are measured anew and why, and what is ahead.
    pub(super) fn tell(&self, order: &Order<'_>, tell: &dyn Fn(&Event)) {
        for anew in &self.info.anew {
            let row = anew.target.as_deref().unwrap_or_default();
            let what = format!("{} {} {row}", anew.workload, anew.load);
            tell(&Event::MeasuredAgain { what, reason: anew.reason.clone() });
        }
        let trials = &self.plan.trials;
        let estimate: Duration =
            trials.iter().map(|trial| duration_of(order.matrix, trial.cell)).sum();
        tell(&Event::GoesOn {
            kept: self.taken.len(),
            trials: trials.len(),
            estimate_seconds: estimate.as_secs_f64(),
        });
    }
}

/// Why a row is measured although nothing of it changed.
const COMPARED_WITH: &str = "others are compared with it";

/// Whether other rows are compared with this one.
fn is_compared_with(order: &Order<'_>, label: &str) -> bool {
    let run = &order.matrix.run;
    label == run.reference || run.control.as_deref() == Some(label)
}

/// What an earlier run lacks of a row, if it lacks something.
fn lacking(records: &[&TrialRecord], rounds: u32) -> Option<String> {
    if records.is_empty() {
        return Some("it was not measured".to_owned());
    }
    if let Some(failed) = records.iter().find_map(|record| record.failed()) {
        return Some(format!("it failed: {}", failed.reason));
    }
    if let Some(skipped) = records.iter().find_map(|record| record.skipped()) {
        return Some(format!("it was skipped: {}", skipped.reason));
    }
    let measured = records.len();
    (measured < rounds as usize)
        .then(|| format!("it was measured in {measured} of {rounds} rounds"))
}

/// The cells of each table that are measured anew, in words.
fn told(order: &Order<'_>, anew: &BTreeMap<Cell, String>) -> Vec<Again> {
    anew.iter()
        .map(|(cell, reason)| {
            let (workload, load) = names(order.matrix, *cell);
            Again {
                workload: workload.to_owned(),
                load: load.to_owned(),
                target: Some(cell.label(order.matrix)),
                rounds: Vec::new(),
                reason: reason.clone(),
            }
        })
        .collect()
}
