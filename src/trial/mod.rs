//! One trial, as a table of contents: start, ready, verify, warm-up, window, stop; and the record of it.
//!
//! This is the one place where a server, a load and a sampler meet. What happens to the target becomes a record; only our
//! own faults, and an interruption, are errors.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock;
use crate::event::Event;
use crate::generator::GeneratorError;
use crate::host::quiet;
use crate::lifecycle::{self, Ground, Lifecycle};
use crate::matrix::{Load, Target, Workload};
use crate::outcome::Stage;
use crate::plan;
use crate::prepare::Prepared;
use crate::record::trial::{Ended, Failed, Place, TrialRecord};
use crate::service::Services;
use crate::target::command::ServiceAddress;
use crate::target::log;
use crate::target::port::NoPort;
use crate::target::server::Server;
use crate::usage::sampler::{self, Sampler};
use crate::usage::tree::Tree;

mod ask;
mod load;
mod lookout;
mod measured;
mod services;
mod start;

use load::Alive;
use lookout::Lookout;

pub use ask::{Ask, AskError, headers};

/// How long other processes are waited for to be quiet.
const QUIET_WITHIN: Duration = Duration::from_secs(2);
/// Why nothing is known of what an external server costs.
const NOT_OURS: &str = "the process that answers is not ours";
/// How many of the last lines of its output a failure keeps.
const TAIL: usize = 20;

/// What all trials of a run share.
#[derive(Debug)]
pub struct Shared<'r> {
    /// What all programs of the run share.
    pub ground: Ground<'r>,
    /// Each target's tools and build, in the order of the matrix.
    pub prepared: &'r [Prepared],
    /// What targets need besides themselves.
    pub services: &'r Services<'r>,
    /// Draws what is sampled.
    pub seed: u64,
    /// The session of the run, from 1.
    pub session: u32,
}

/// Why there is no record: our own fault, or an interruption.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// A signal asked for an end.
    #[error("interrupted")]
    Interrupted,
    /// No server can be started at all.
    #[error("{0}")]
    Keeper(String),
    /// Every port is in use.
    #[error("{0}")]
    Port(#[from] NoPort),
    /// No load can be made.
    #[error("{0}")]
    Generator(#[from] GeneratorError),
    /// The request cannot be made.
    #[error("{0}")]
    Ask(#[from] AskError),
}

/// A trial that is going on.
struct Going<'r> {
    shared: &'r Shared<'r>,
    target: &'r Target,
    workload: &'r Workload,
    load: &'r Load,
    address: SocketAddr,
    log: PathBuf,
    /// The places of the services that the target needs, once they are up.
    needed: Vec<usize>,
    /// Where they listen.
    services: Vec<ServiceAddress>,
    record: TrialRecord,
}

/// Why a trial ends before its record is whole: the target failed, or we did.
enum Cut {
    Failed(Failed),
    Error(TrialError),
}

impl From<TrialError> for Cut {
    fn from(error: TrialError) -> Self {
        Self::Error(error)
    }
}

impl From<Failed> for Cut {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

impl From<lifecycle::Cut> for Cut {
    fn from(cut: lifecycle::Cut) -> Self {
        match cut {
            lifecycle::Cut::Failed(failed) => Self::Failed(failed),
            lifecycle::Cut::Interrupted => Self::Error(TrialError::Interrupted),
            lifecycle::Cut::Ours(reason) => Self::Error(TrialError::Keeper(reason)),
        }
    }
}

/// Executes one trial and tells what happened. `attempt` is 1, or more where it was made before.
///
/// # Errors
/// If the fault is ours, or an end was asked for. Nothing of the server is left running then either.
pub fn run(
    shared: &Shared<'_>,
    trial: &plan::Trial,
    attempt: u32,
) -> Result<TrialRecord, TrialError> {
    let mut record = begin(shared, trial, attempt);
    let out = match &shared.prepared[trial.cell.target] {
        Prepared::Ready(ready) => {
            record.versions.clone_from(&ready.versions);
            record.source_digest = Some(ready.source_digest.clone());
            record.artefact_sha256.clone_from(&ready.artefact_sha256);
            &ready.out
        }
        Prepared::Out(ended) => {
            record.end(ended.clone());
            return Ok(record);
        }
    };
    let mut going = Going::new(shared, trial, record)?;
    match going.go(out) {
        Ok(ended) => going.record.end(ended),
        Err(Cut::Failed(failed)) => going.record.end(Ended::Failed(failed)),
        Err(Cut::Error(error)) => return Err(error),
    }
    going.record.finished_at = Some(clock::wall().to_string());
    going.record.finished_boot_seconds = Some(clock::boot_seconds());
    Ok(going.record)
}

fn begin(shared: &Shared<'_>, trial: &plan::Trial, attempt: u32) -> TrialRecord {
    let matrix = shared.ground.matrix;
    let target = &matrix.targets[trial.cell.target];
    let workload = &matrix.workloads[trial.cell.workload];
    let place = Place {
        target: target.name.clone(),
        variant: trial.cell.guise.variant(target),
        workload: workload.name.clone(),
        load: matrix.loads[trial.cell.load].name.clone(),
        round: trial.round,
        position: trial.position,
        attempt,
        session: shared.session,
    };
    let mut record = TrialRecord::begun(place, clock::wall().to_string());
    record.is_expected = target.expectation_of(workload).is_some();
    record.is_sampled = trial.cell.guise.is_sampled();
    record
}

impl<'r> Going<'r> {
    fn new(
        shared: &'r Shared<'r>,
        trial: &plan::Trial,
        mut record: TrialRecord,
    ) -> Result<Self, TrialError> {
        let matrix = shared.ground.matrix;
        let target = &matrix.targets[trial.cell.target];
        let address = shared.ground.address(target)?;
        let name = log_name(&record);
        record.port = Some(address.port());
        record.log = Some(format!("logs/{name}"));
        Ok(Self {
            shared,
            target,
            workload: &matrix.workloads[trial.cell.workload],
            load: &matrix.loads[trial.cell.load],
            address,
            log: shared.ground.logs.join(name),
            needed: Vec::new(),
            services: Vec::new(),
            record,
        })
    }

    fn lifecycle(&self) -> Lifecycle<'_> {
        Lifecycle {
            ground: self.shared.ground,
            target: self.target,
            address: self.address,
            log: &self.log,
            services: &self.services,
        }
    }

    /// The stages from start to stop, with all that the target needs. Whatever ends it, the server is stopped.
    fn go(&mut self, out: &Path) -> Result<Ended, Cut> {
        if let Some(skipped) = self.provide_services()? {
            return Ok(Ended::Skipped(skipped));
        }
        let outcome = self.between_hooks(out).map_err(|cut| self.blame_service(cut));
        self.shared.services.release();
        outcome
    }

    fn between_hooks(&mut self, out: &Path) -> Result<Ended, Cut> {
        let outcome = match self.lifecycle().before(out) {
            Ok(()) => self.start_to_stop(out),
            Err(cut) => Err(cut.into()),
        };
        // The last words of what failed, before anything is added to them.
        let outcome = outcome.map_err(|cut| self.with_output(cut));
        let after = self.lifecycle().after(out);
        self.record.after_trial_failed = after.err().map(|failure| failure.to_string());
        outcome
    }

    fn start_to_stop(&mut self, out: &Path) -> Result<Ended, Cut> {
        quiet::wait_until_quiet(QUIET_WITHIN, self.shared.ground.interrupt.flag());
        self.tell(Stage::Start, None);
        let server = self.lifecycle().start(out)?;
        self.record.containment = Some(server.containment().name.to_owned());
        let outcome = self.while_up(&server);
        let stopped = self.stop(server);
        let ended = outcome?;
        stopped?;
        Ok(ended)
    }

    fn while_up(&mut self, server: &Server) -> Result<Ended, Cut> {
        let tree = Tree::new(server.keeper_pid(), server.containment().group.clone());
        self.wait_until_ready(server, &tree)?;
        let ask = Ask::new(self.target, self.workload, self.load, self.address)
            .map_err(TrialError::from)?;
        let (ask, response) = self.verify(ask, server)?;
        let sampler = self.sampler(tree.clone());
        let mut lookout =
            Lookout::new(server, sampler, self.watch(server), self.look_at_services());
        let loaded = self.put_under_load(Alive { server, tree: &tree }, &mut lookout, &ask)?;
        Ok(Ended::Measured(Box::new(self.assemble(loaded, response))))
    }

    /// Tells how far it has come.
    fn tell(&self, stage: Stage, goodput_per_second: Option<f64>) {
        (self.shared.ground.tell.0)(&Event::TrialAt { stage, goodput_per_second });
    }

    /// What looks at a tree while the window is open, unless nobody is to.
    fn sampler(&self, tree: Tree) -> Sampler {
        let period = self.record.is_sampled.then_some(sampler::PERIOD);
        Sampler::start(tree, &self.shared.ground.split.generator, period)
    }

    /// A failure with what the target left behind: its log and the last lines of it. That of a service has its own.
    fn with_output(&self, cut: Cut) -> Cut {
        match cut {
            Cut::Failed(mut failed) if failed.log.is_none() => {
                failed.log.clone_from(&self.record.log);
                failed.tail = log::tail(&self.log, TAIL);
                failed.into()
            }
            other => other,
        }
    }
}

/// The name of a server's log: readable, and by round, place and session new for each trial.
fn log_name(record: &TrialRecord) -> String {
    let from_second = |letter: &str, number: u32| {
        if number > 1 { format!("-{letter}{number}") } else { String::new() }
    };
    let again = from_second("", record.attempt) + &from_second("s", record.session);
    let place = format!("{:02}-{:03}{again}", record.round, record.position);
    let plain: String = format!("{}-{}-{}", record.label(), record.workload, record.load)
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() || "+-._".contains(it) { it } else { '_' })
        .take(150)
        .collect();
    format!("{place}-{plain}.log")
}
