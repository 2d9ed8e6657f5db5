//! All trials of a plan, in order: each is appended to the run's folder before the next begins.
//!
//! A target can fail in any way and the run goes on. It ends early only when it is interrupted, or by a fault of ours;
//! what was measured is on disk then. It tells what happens through events and prints nothing.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use crate::affinity;
use crate::clock;
use crate::event::{Event, Place, Tell, teller};
use crate::host::Split;
use crate::interrupt::Interrupt;
use crate::lifecycle::Ground;
use crate::matrix::Matrix;
use crate::outcome::{Doubt, Kind as _};
use crate::places::Places;
use crate::plan::{Cell, Plan, Trial};
use crate::prepare::{self, PrepareError, Workshop};
use crate::record::run::{Against, Commit, HostFacts, Purpose, RunInfo};
use crate::record::store::{Folder, StoreError};
use crate::record::trial::TrialRecord;
use crate::service::{self, Services};
use crate::target::port::Ports;
use crate::target::sweep::sweep;
use crate::trial::{self, Shared, TrialError};

mod info;
pub mod lock;
mod width;

use width::Points;

/// What a run is made of.
#[derive(Debug)]
pub struct Order<'r> {
    /// The matrix, with its overrides.
    pub matrix: &'r Matrix,
    /// What is measured, in which order.
    pub plan: &'r Plan,
    /// What it is for, if not to compare targets.
    pub purpose: Option<Purpose>,
    /// What the repository of the matrix is at.
    pub commit: Option<Commit>,
    /// The revision whose targets take part too.
    pub against: Option<&'r Against>,
    /// The machine.
    pub host: HostFacts,
    /// Who runs on which CPUs.
    pub split: &'r Split,
    /// The CPUs of each service.
    pub service_cpus: &'r [Vec<usize>],
    /// Where builds and tools are.
    pub places: &'r Places,
    /// What all programs find their tools by.
    pub path: &'r str,
    /// The folder of all results.
    pub results: &'r Path,
    /// The version of this program, as recorded.
    pub version: &'r str,
    /// Whether all is built anew.
    pub rebuild: bool,
    /// Whether the first failure ends it.
    pub fail_fast: bool,
    /// Ends it early.
    pub interrupt: &'r Interrupt,
}

/// How a run ended.
#[derive(Debug)]
pub struct Done {
    /// Its folder.
    pub folder: std::path::PathBuf,
    /// Trials that were measured.
    pub measured: usize,
    /// Trials in which the target failed.
    pub failed: usize,
    /// Trials that could not run here.
    pub skipped: usize,
    /// Trials that were to be made, further rounds that were begun among them.
    pub planned: usize,
    /// Whether a signal ended it before its last trial.
    pub is_interrupted: bool,
}

/// Why a run ended by our own fault.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Results cannot be written.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Nothing can be built.
    #[error("{0}")]
    Prepare(PrepareError),
    /// No trial can be made.
    #[error("{0}")]
    Trial(TrialError),
}

/// Executes a plan.
///
/// # Errors
/// If the fault is ours; trials before it are in the run's folder.
pub fn run(order: &Order<'_>, tell: &mut dyn FnMut(&Event)) -> Result<Done, RunError> {
    let began = clock::now();
    let mut info = info::describe(order);
    let mut folder = Folder::create(order.results, &info)?;
    tell(&Event::RunStarted {
        id: info.id.clone(),
        folder: folder.path().display().to_string(),
        trials: order.plan.trials.len(),
        estimate_seconds: order.plan.estimate.as_secs_f64(),
    });
    for left in sweep() {
        tell(&Event::Swept { what: left });
    }
    let mut done = Done {
        folder: folder.path().to_owned(),
        measured: 0,
        failed: 0,
        skipped: 0,
        planned: 0,
        is_interrupted: false,
    };
    let outcome = all_trials(order, &mut folder, &mut done, &teller(tell));
    finish(order, &folder, &mut info, &mut done, outcome)?;
    tell(&Event::RunEnded {
        id: info.id,
        interrupted: info.interrupted,
        seconds: clock::now().since(began).as_secs_f64(),
    });
    Ok(done)
}

/// Builds, then goes through the trials; false if it was interrupted.
fn all_trials(
    order: &Order<'_>,
    folder: &mut Folder,
    done: &mut Done,
    tell: &dyn Fn(&Event),
) -> Result<bool, RunError> {
    let targets: BTreeSet<usize> = order.plan.cells.iter().map(|cell| cell.target).collect();
    let shop = Workshop {
        matrix: order.matrix,
        builds: &order.places.builds,
        assets: &order.places.assets,
        cpus: &order.split.server,
        path: order.path,
        logs: &folder.logs(),
        rebuild: order.rebuild,
        interrupt: order.interrupt,
    };
    let mut also_tell = |event: &Event| tell(event);
    let prepared = prepare::prepare_services(&shop, &targets, order.service_cpus, &mut also_tell)
        .and_then(|services| Ok((services, prepare::prepare(&shop, &targets, &mut also_tell)?)));
    let (services, prepared) = match prepared {
        Ok(prepared) => prepared,
        Err(PrepareError::Interrupted) => return Ok(false),
        Err(error) => return Err(RunError::Prepare(error)),
    };
    // From here on all that we do ourselves stays off the servers' CPUs.
    if let Err(error) = affinity::pin_current_thread(&order.split.generator) {
        let text = format!("programs run on any CPU, not on those they were given: {error}");
        tell(&Event::Notice { text });
    }
    let logs = folder.logs();
    let ports = RefCell::new(Ports::new());
    let ground = Ground {
        matrix: order.matrix,
        split: order.split,
        path: order.path,
        assets: &order.places.assets,
        logs: &logs,
        ports: &ports,
        interrupt: order.interrupt,
        tell: Tell(tell),
    };
    let services =
        Services::new(service::Setting { ground, prepared: &services, cpus: order.service_cpus });
    let shared = Shared { ground, prepared: &prepared, services: &services, seed: order.plan.seed };
    let outcome = go_through(order, &shared, folder, done, &mut also_tell);
    services.stop_all();
    outcome
}

/// Every trial, each recorded before the next begins; false if it was interrupted. Further rounds follow while some
/// interval is wide.
fn go_through(
    order: &Order<'_>,
    shared: &Shared<'_>,
    folder: &mut Folder,
    done: &mut Done,
    tell: &mut dyn FnMut(&Event),
) -> Result<bool, RunError> {
    let mut points = Points::default();
    let mut number = 0;
    let further = order.plan.further.chunk_by(|one, next| one.round == next.round);
    for round in [&order.plan.trials[..]].into_iter().chain(further) {
        if number > 0 {
            let Some((cell, half_width)) = points.widest(order.matrix) else { return Ok(true) };
            let (round, widest) = (round[0].round, words(order.matrix, cell));
            tell(&Event::FurtherRound { round, widest, half_width });
        }
        done.planned += round.len();
        for trial in round {
            number += 1;
            if order.interrupt.is_set() {
                return Ok(false);
            }
            let place = place(order, number, done.planned, trial);
            tell(&Event::TrialStarted(place.clone()));
            let Some(record) = measure(order, shared, (trial, &place), folder, tell)? else {
                return Ok(false);
            };
            points.add(order.matrix, trial, &record);
            done.count(&record);
            tell(&trial_ended(place, &record));
            if order.fail_fast && done.failed > 0 {
                return Ok(true);
            }
        }
    }
    Ok(true)
}

/// A cell in words: `hello c64 go/net-http`.
fn words(matrix: &Matrix, cell: Cell) -> String {
    let (workload, load) = (&matrix.workloads[cell.workload], &matrix.loads[cell.load]);
    format!("{} {} {}", workload.name, load.name, cell.label(matrix))
}

/// One trial, and again as often as that is allowed while others use the machine; each attempt is recorded. The last one
/// counts. Nothing if it was interrupted.
fn measure(
    order: &Order<'_>,
    shared: &Shared<'_>,
    (trial, place): (&Trial, &Place),
    folder: &mut Folder,
    tell: &mut dyn FnMut(&Event),
) -> Result<Option<TrialRecord>, RunError> {
    let attempts = order.matrix.run.retry_noisy + 1;
    let mut kept = None;
    for attempt in 1.. {
        let outcome = trial::run(shared, trial, attempt);
        shared.services.take_news().iter().for_each(&mut *tell);
        let record = match outcome {
            Ok(record) => record,
            // The one before it counts then; that all should end is seen before the next.
            Err(TrialError::Interrupted) => break,
            Err(error) => return Err(RunError::Trial(error)),
        };
        folder.append(&record)?;
        if let Some(reason) = &record.after_trial_failed {
            let (target, reason) = (record.label(), reason.clone());
            tell(&Event::AfterTrialFailed { target, reason });
        }
        let noise = record.caveats.iter().find(|it| it.caveat == Doubt::NoisyHost);
        let Some(noise) = noise.filter(|_| attempt < attempts && !order.interrupt.is_set()) else {
            return Ok(Some(record));
        };
        tell(&Event::TrialRepeated { place: place.clone(), reason: noise.detail.clone() });
        kept = Some(record);
    }
    Ok(kept)
}

/// Writes how it ended, also where it ended badly.
fn finish(
    order: &Order<'_>,
    folder: &Folder,
    info: &mut RunInfo,
    done: &mut Done,
    outcome: Result<bool, RunError>,
) -> Result<(), RunError> {
    let went_through = match outcome {
        Ok(went_through) => went_through,
        Err(error) => {
            // The error itself is what is told; if this cannot be written either, that is no news.
            let _ = folder.write_info(info);
            return Err(error);
        }
    };
    done.is_interrupted = !went_through;
    info.finished_at = Some(clock::wall().to_string());
    if done.is_interrupted {
        info.interrupted = Some(order.interrupt.signal_name().unwrap_or("a signal").to_owned());
    }
    folder.write_info(info)?;
    let trials = done.measured + done.failed + done.skipped;
    let is_whole = trials == done.planned && done.measured > 0;
    if !info.partial && info.purpose.is_none() && is_whole {
        folder.set_latest(info)?;
    }
    Ok(())
}

impl Done {
    fn count(&mut self, record: &TrialRecord) {
        self.measured += usize::from(record.measured().is_some());
        self.failed += usize::from(record.failed().is_some());
        self.skipped += usize::from(record.skipped().is_some());
    }
}

fn place(order: &Order<'_>, number: usize, of: usize, trial: &Trial) -> Place {
    let matrix = order.matrix;
    Place {
        number,
        of,
        target: trial.cell.label(matrix),
        workload: matrix.workloads[trial.cell.workload].name.clone(),
        load: matrix.loads[trial.cell.load].name.clone(),
        round: trial.round,
    }
}

fn trial_ended(place: Place, record: &TrialRecord) -> Event {
    let failed = record
        .failed()
        .map(|failed| format!("failed in {}: {}", failed.stage.name(), failed.reason));
    let failure = failed.or_else(|| Some(record.skipped()?.reason.clone()));
    let goodput_per_second = record.measured().map(|measured| measured.goodput_per_second);
    Event::TrialEnded { place, goodput_per_second, failure }
}

/// A number that no other start of this program has had, to draw a seed with.
pub fn entropy() -> u64 {
    clock::now().as_nanos() ^ (u64::from(std::process::id()) << 40)
}
