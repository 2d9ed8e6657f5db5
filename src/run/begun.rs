//! A run that was cut off and is gone on with: may it be, and what does the rest of it begin with?

use std::collections::BTreeMap;
use std::path::Path;

use super::Order;
use super::earlier::{Earlier, Now, built_otherwise, names};
use super::moved::{Changes, changes, everything, other_machine, other_rows};
use crate::clock;
use crate::event::Event;
use crate::plan::duration_of;
use crate::prepare::Prepared;
use crate::record::folder::Folder;
use crate::record::run::RunInfo;
use crate::record::session::Resumption;
use crate::record::store::{self, Run, StoreError};
use crate::record::trial::TrialRecord;

/// A run that was cut off, held so that nobody else goes on with it.
#[derive(Debug)]
pub struct Begun {
    pub(super) folder: Folder,
    pub(super) on_file: OnFile,
}

/// What is on file of it.
#[derive(Debug)]
pub(super) struct OnFile {
    pub(super) run: Run,
    was_torn: bool,
}

/// Why a run cannot be gone on with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl Refusal {
    pub(super) fn new(why: String) -> Self {
        Self(why)
    }
}

impl Begun {
    /// Opens a run's folder and reads what is on file. A last line that was torn is cut off.
    ///
    /// # Errors
    /// If another process is making it, or a file cannot be read or written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let (folder, was_torn) = Folder::open(path)?;
        let run = store::read_figures(path)?;
        Ok(Self { folder, on_file: OnFile { run, was_torn } })
    }
}

impl OnFile {
    /// Whether the rest of it can stand beside what is on file; `now` describes the run as if it began only now.
    pub(super) fn check(&self, now: &RunInfo) -> Result<(), Refusal> {
        let then = &self.run.info;
        if let Some(why) = other_machine(&then.host, &now.host) {
            let what = "figures of two machines cannot stand in one table";
            return Err(Refusal(format!(
                "run {} was begun on another machine: {why}; {what}",
                then.id
            )));
        }
        let taken = self.run.trials.iter().filter(|trial| trial.taken_from.is_some()).count();
        if then.base.as_ref().is_some_and(|base| base.taken != taken as u64) {
            let what = "was cut off before it had taken over what it was to";
            return Err(Refusal(format!("run {} {what}: begin its update anew", then.id)));
        }
        if let Some(why) = then.base.as_ref().and_then(|_| everything(then, now)) {
            return Err(Refusal(format!("what run {} took over cannot stay: {why}", then.id)));
        }
        if then.against != now.against {
            let revision = then.against.as_ref().map_or("", |against| &against.revision);
            let what = "is not what it was, or other targets have it";
            return Err(Refusal(format!("run {}: revision `{revision}` {what}", then.id)));
        }
        if let Some(why) = other_rows(then, now) {
            return Err(Refusal(format!("run {} was begun with other rows: {why}", then.id)));
        }
        Ok(())
    }

    /// How it is told that it is gone on with.
    pub(super) fn told(&self, folder: String) -> Event {
        let info = &self.run.info;
        Event::RunResumed {
            id: info.id.clone(),
            folder,
            started_at: info.started_at.clone(),
            on_file: self.run.trials.len(),
            was_torn: self.was_torn,
        }
    }

    /// What stays of it, and its description from here on.
    pub(super) fn go_on(
        &self,
        order: &Order<'_>,
        prepared: &[Prepared],
        now: &RunInfo,
    ) -> Result<(Earlier<'_>, RunInfo), Refusal> {
        let then = &self.run.info;
        let changes = changes(then, now);
        self.check_taken(order, prepared, &changes)?;
        let date = clock::wall().to_string();
        let is_same_boot =
            now.host.boot_id.is_some() && now.host.boot_id.as_deref() == then.last_boot();
        let earlier = Earlier::sort_out(
            &self.run.trials,
            Now {
                matrix: order.matrix,
                plan: order.plan,
                prepared,
                changes: &changes,
                is_same_boot,
                date: &date,
                boot_seconds: clock::boot_seconds(),
            },
        );
        let resumption = Resumption {
            session: then.session() + 1,
            started_at: date,
            orchestrate: now.orchestrate.clone(),
            boot_id: now.host.boot_id.clone(),
            kept: earlier.count() as u64,
            again: earlier.again.clone(),
        };
        let mut info = RunInfo {
            id: then.id.clone(),
            started_at: then.started_at.clone(),
            resumptions: then.resumptions.iter().cloned().chain([resumption]).collect(),
            remarks: then.remarks.clone(),
            base: then.base.clone(),
            ..now.clone()
        };
        // Where something stays it is what the run was begun with.
        if earlier.count() > 0 {
            info.orchestrate.clone_from(&then.orchestrate);
            info.host = then.host.clone();
            info.cpus = then.cpus.clone();
            info.commit.clone_from(&then.commit);
        }
        Ok((earlier, info))
    }

    /// Whether rows that were taken over from another run are still what they were: they cannot be measured again here.
    fn check_taken(
        &self,
        order: &Order<'_>,
        prepared: &[Prepared],
        changes: &Changes,
    ) -> Result<(), Refusal> {
        for cell in &order.plan.cells {
            let target = order.matrix.targets[cell.target].label();
            let (workload, load) = names(order.matrix, *cell);
            let label = cell.label(order.matrix);
            let is_of = |trial: &&TrialRecord| {
                let table = (trial.workload.as_str(), trial.load.as_str());
                trial.taken_from.is_some() && table == (workload, load) && trial.label() == label
            };
            let Some(record) = self.run.trials.iter().find(is_of) else { continue };
            let reason = changes.rows.get(&target).cloned();
            let reason = reason.or_else(|| built_otherwise(order.matrix, prepared, *cell, record));
            if let Some(reason) = reason {
                let id = &self.run.info.id;
                return Err(Refusal(format!("run {id} took over `{label}`, and {reason}")));
            }
        }
        Ok(())
    }
}

/// Tells what stays, what is measured again and why, and what is ahead.
pub(super) fn tell_what_stays(order: &Order<'_>, earlier: &Earlier<'_>, tell: &dyn Fn(&Event)) {
    let mut tables: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for again in &earlier.again {
        let rounds: Vec<String> = again.rounds.iter().map(ToString::to_string).collect();
        let rounds = rounds.join(", ");
        let what = format!("{} {} round {rounds}", again.workload, again.load);
        tables.entry(&again.reason).or_default().push(what);
    }
    for (reason, what) in tables {
        let (what, reason) = (what.join("; "), reason.to_owned());
        tell(&Event::MeasuredAgain { what, reason });
    }
    let ahead = || order.plan.trials.iter().filter(|trial| earlier.of(trial).is_none());
    let estimate: std::time::Duration =
        ahead().map(|trial| duration_of(order.matrix, trial.cell)).sum();
    tell(&Event::GoesOn {
        kept: earlier.count(),
        trials: ahead().count(),
        estimate_seconds: estimate.as_secs_f64(),
    });
}
