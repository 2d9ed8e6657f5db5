//! The trials of a run, one after the other: those on file are passed over, and each that is made is recorded before the next
//! begins.

use super::budget::Budget;
use super::earlier::{Earlier, is_noisy};
use super::watch::{self, Watch};
use super::width::Points;
use super::{Done, Order, RunError};
use crate::clock;
use crate::event::{Event, Output, Place};
use crate::matrix::Matrix;
use crate::outcome::{Doubt, Kind as _};
use crate::plan::{Cell, Plan, Trial};
use crate::record::folder::{Folder, Gone};
use crate::record::session::CutShort;
use crate::record::trial::TrialRecord;
use crate::trial::{self, Shared, TrialError};

/// A trial in which the machine slept is made again so often, besides what noise is worth.
const SLEEPS_MAX: u32 = 3;

/// How going through the trials ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// All were made.
    Whole,
    /// There was nothing to be made.
    Unchanged,
    /// A signal asked for an end.
    Interrupted,
    /// For another reason the last ones were not made.
    Cut(CutShort),
}

/// What going through them needs.
pub(super) struct Course<'c, 'r> {
    pub(super) order: &'c Order<'r>,
    pub(super) plan: &'c Plan,
    pub(super) shared: &'c Shared<'c>,
    pub(super) earlier: &'c Earlier<'c>,
    pub(super) budget: &'c mut Budget,
    pub(super) folder: &'c mut Folder,
    pub(super) done: &'c mut Done,
    /// What happened that a reader must know.
    pub(super) remarks: &'c mut Vec<String>,
    pub(super) tell: &'c mut dyn FnMut(&Event),
}

impl Course<'_, '_> {
    /// Every trial; further rounds follow while some interval is wide.
    pub(super) fn go(&mut self) -> Result<Ending, RunError> {
        let (order, plan) = (self.order, self.plan);
        let chosen = self.budget.choose(order.matrix, plan, self.earlier, clock::now());
        let (rounds, said) = chosen;
        if let Some(text) = said {
            (self.tell)(&Event::Notice { text });
        }
        let mut points = Points::default();
        let mut watch = Watch::new();
        self.done.planned = plan.trials.len();
        let planned = plan.trials.chunk_by(|one, next| one.round == next.round);
        for round in planned.take(rounds as usize) {
            let ending = self.round(round, &mut points, &mut watch)?;
            if ending != Ending::Whole {
                return Ok(ending);
            }
        }
        if rounds < order.matrix.run.rounds {
            return Ok(Ending::Cut(CutShort::TimeLimit));
        }
        for round in plan.further.chunk_by(|one, next| one.round == next.round) {
            if !self.is_worth(round, &points) {
                break;
            }
            self.done.planned += round.len();
            let ending = self.round(round, &mut points, &mut watch)?;
            if ending != Ending::Whole {
                return Ok(ending);
            }
        }
        Ok(Ending::Whole)
    }

    /// Whether a further round is made: it was begun before, or some interval is wide and there is time.
    fn is_worth(&mut self, round: &[Trial], points: &Points) -> bool {
        let matrix = self.order.matrix;
        if self.earlier.has_begun(round) {
            return true;
        }
        let Some((cell, half_width)) = points.widest(matrix) else { return false };
        let (round_number, widest) = (round[0].round, words(matrix, cell));
        if self.budget.allows(matrix, round, clock::now()) {
            (self.tell)(&Event::FurtherRound { round: round_number, widest, half_width });
            return true;
        }
        let width = half_width * 100.0;
        let text = format!(
            "no round {round_number} in the time limit, though {widest} is known to ±{width:.1} % only"
        );
        (self.tell)(&Event::Notice { text });
        false
    }

    /// One round, table by table.
    fn round(
        &mut self,
        round: &[Trial],
        points: &mut Points,
        watch: &mut Watch,
    ) -> Result<Ending, RunError> {
        let matrix = self.order.matrix;
        let table = |trial: &Trial| (trial.cell.workload, trial.cell.load);
        for block in round.chunk_by(|one, next| table(one) == table(next)) {
            // What is compared is measured together. Of a table without any round some rows are better than none.
            let is_first = !block.iter().any(|trial| points.has(trial.cell));
            let is_begun = self.earlier.has_begun(block);
            if !is_first && !is_begun && !self.budget.allows(matrix, block, clock::now()) {
                return Ok(Ending::Cut(CutShort::TimeLimit));
            }
            for trial in block {
                let on_file = self.earlier.of(trial);
                if let Some(record) = on_file.filter(|record| !is_noisy(matrix, record)) {
                    points.add(matrix, trial, record);
                    self.done.count(record);
                    self.done.kept += 1;
                    continue;
                }
                if self.order.interrupt.is_set() {
                    return Ok(Ending::Interrupted);
                }
                if !self.budget.allows(matrix, std::slice::from_ref(trial), clock::now()) {
                    return Ok(Ending::Cut(CutShort::TimeLimit));
                }
                self.before_trial(watch)?;
                let began = clock::now();
                let place = self.place(trial);
                (self.tell)(&Event::TrialStarted(place.clone()));
                let Some(record) = self.measure(trial, &place, on_file)? else {
                    return Ok(Ending::Interrupted);
                };
                self.budget.learn(trial.cell, clock::now().since(began));
                points.add(matrix, trial, &record);
                self.done.count(&record);
                (self.tell)(&trial_ended(place, &record));
                if self.order.fail_fast && record.failed().is_some() {
                    return Ok(Ending::Cut(CutShort::FailFast));
                }
            }
        }
        Ok(Ending::Whole)
    }

    /// Looks whether there is where to record the next trial, and what was done to the clock.
    fn before_trial(&mut self, watch: &mut Watch) -> Result<(), RunError> {
        self.see_to_folder()?;
        self.folder.check_room()?;
        if let Some(text) = watch.look() {
            self.remark(text);
        }
        Ok(())
    }

    /// Makes the folder again if somebody removed it.
    fn see_to_folder(&mut self) -> Result<(), RunError> {
        let text = match self.folder.restore()? {
            Gone::Nothing => return Ok(()),
            Gone::Logs => {
                "the logs of the run were removed meanwhile: those of earlier trials are gone"
            }
            Gone::Trials => {
                "the run's folder was removed meanwhile, and is there again with all its trials; older logs are gone"
            }
        };
        self.remark(text.to_owned());
        Ok(())
    }

    fn remark(&mut self, text: String) {
        remark(self.remarks, text, self.tell);
    }

    /// One trial, and again as often as that is allowed while others use the machine; each attempt is recorded. The last one
    /// counts. Nothing if it was interrupted. One that is `on_file` was to be made again.
    fn measure(
        &mut self,
        trial: &Trial,
        place: &Place,
        on_file: Option<&TrialRecord>,
    ) -> Result<Option<TrialRecord>, RunError> {
        let mut attempts = self.order.matrix.run.retry_noisy + 1;
        let mut sleeps = 0;
        let mut kept = on_file.cloned();
        for attempt in on_file.map_or(1, |record| record.attempt + 1).. {
            let before = clock::moment();
            let outcome = trial::run(self.shared, trial, attempt);
            self.shared.services.take_news().iter().for_each(&mut *self.tell);
            let mut record = match outcome {
                Ok(record) => record,
                // The one before it counts then; that all should end is seen before the next.
                Err(TrialError::Interrupted) => break,
                Err(error) => return Err(RunError::Trial(error)),
            };
            if let Some(slept) = watch::slept(before.until(clock::moment())) {
                record.caveats.push(slept);
                sleeps += 1;
                attempts += u32::from(sleeps <= SLEEPS_MAX);
            }
            self.see_to_folder()?;
            self.folder.append(&record)?;
            if let Some(reason) = &record.after_trial_failed {
                let (target, reason) = (record.label(), reason.clone());
                (self.tell)(&Event::AfterTrialFailed { target, reason });
            }
            let noise = record.caveats.iter().find(|it| it.caveat == Doubt::NoisyHost);
            let may_repeat = attempt < attempts && !self.order.interrupt.is_set();
            let Some(noise) = noise.filter(|_| may_repeat) else {
                return Ok(Some(record));
            };
            let reason = noise.detail.clone();
            (self.tell)(&Event::TrialRepeated { place: place.clone(), reason });
            kept = Some(record);
        }
        Ok(kept)
    }

    fn place(&self, trial: &Trial) -> Place {
        let matrix = self.order.matrix;
        Place {
            number: self.done.counted() + 1,
            of: self.done.planned,
            target: trial.cell.label(matrix),
            workload: matrix.workloads[trial.cell.workload].name.clone(),
            load: matrix.loads[trial.cell.load].name.clone(),
            round: trial.round,
        }
    }
}

impl Done {
    fn count(&mut self, record: &TrialRecord) {
        self.measured += usize::from(record.measured().is_some());
        self.failed += usize::from(record.failed().is_some());
        self.skipped += usize::from(record.skipped().is_some());
    }
}

/// Tells what a reader must know, and keeps it once.
pub(super) fn remark(remarks: &mut Vec<String>, text: String, tell: &mut dyn FnMut(&Event)) {
    tell(&Event::Notice { text: text.clone() });
    if !remarks.contains(&text) {
        remarks.push(text);
    }
}

/// A cell in words: `hello c64 go/net-http`.
fn words(matrix: &Matrix, cell: Cell) -> String {
    let (workload, load) = (&matrix.workloads[cell.workload], &matrix.loads[cell.load]);
    format!("{} {} {}", workload.name, load.name, cell.label(matrix))
}

fn trial_ended(place: Place, record: &TrialRecord) -> Event {
    let failed = record
        .failed()
        .map(|failed| format!("failed in {}: {}", failed.stage.name(), failed.reason));
    let failure = failed.or_else(|| Some(record.skipped()?.reason.clone()));
    let measured = record.measured();
    Event::TrialEnded {
        place,
        goodput_per_second: measured.map(|measured| measured.goodput_per_second),
        cpu_us_per_request: measured.and_then(|it| it.server.as_ref()?.cpu_us_per_request),
        failure,
        output: record
            .failed()
            .map(|failed| Output::new(failed.log.as_ref(), &failed.tail))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remarked_again_is_told_again_and_kept_once() {
        let (mut remarks, mut told) = (Vec::new(), 0);
        for text in ["one", "two", "one"] {
            remark(&mut remarks, text.to_owned(), &mut |_| told += 1);
        }
        assert_eq!((remarks, told), (vec!["one".to_owned(), "two".to_owned()], 3));
    }
}
