//! All trials of a plan, in order: each is appended to the run's folder before the next begins.
//!
//! A target can fail in any way and the run goes on. It ends early only when it is interrupted, when its time is over, or by a
//! fault of ours; what was measured is on disk then, and it can be gone on with. It tells what happens through events and
//! prints nothing.

use std::path::Path;
use std::time::Duration;

use crate::clock;
use crate::event::{Event, teller};
use crate::host::Split;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::places::Places;
use crate::plan::Plan;
use crate::prepare::PrepareError;
use crate::record::folder::Folder;
use crate::record::run::{Against, Commit, HostFacts, Purpose, RunInfo};
use crate::record::store::StoreError;
use crate::target::sweep::sweep;
use crate::trial::TrialError;

mod begun;
mod budget;
mod course;
mod earlier;
mod going;
mod info;
pub mod lock;
mod moved;
mod tools;
mod update;
mod watch;
mod width;

pub use begun::{Begun, Refusal};
pub use update::Base;

use going::{Before, Going};

/// What a run is made of.
#[derive(Debug)]
pub struct Order<'r> {
    /// The matrix, with its overrides.
    pub matrix: &'r Matrix,
    /// What is measured, in which order.
    pub plan: &'r Plan,
    /// What it is for, if not to compare targets.
    pub purpose: Option<Purpose>,
    /// What was typed, where no matrix was.
    pub typed: Option<&'r str>,
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
    /// How long it may take, builds included.
    pub time_limit: Option<Duration>,
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
    /// Trials of earlier sessions among those.
    pub kept: usize,
    /// Trials that were to be made, further rounds that were begun among them.
    pub planned: usize,
    /// Whether a signal ended it before its last trial.
    pub is_interrupted: bool,
    /// Whether its time was over before.
    pub is_out_of_time: bool,
    /// Whether nothing had changed since the run that was to be brought up to date, so that there is none.
    pub is_unchanged: bool,
}

impl Done {
    /// Trials that are on file and count.
    pub fn counted(&self) -> usize {
        self.measured + self.failed + self.skipped
    }
}

/// Why a run ended by our own fault.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Results cannot be written.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A run cannot be gone on with.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// Nothing can be built.
    #[error("{0}")]
    Prepare(PrepareError),
    /// No trial can be made.
    #[error("{0}")]
    Trial(TrialError),
}

/// What a run begins with.
#[derive(Debug)]
pub enum Start {
    /// Nothing.
    Anew,
    /// What is on file of it: it was cut off.
    GoesOn(Box<Begun>),
    /// What has not changed since an earlier run.
    Updates(Box<Base>),
}

/// Executes a plan, or what is left to do of it.
///
/// # Errors
/// If the fault is ours, or what was begun cannot be gone on with; trials before it are in the run's folder.
pub fn run(
    order: &Order<'_>,
    start: Start,
    tell: &mut dyn FnMut(&Event),
) -> Result<Done, RunError> {
    let began = clock::now();
    let mut now = info::describe(order);
    let create = |now: &RunInfo| Folder::create(order.results, now);
    let (mut going, before) = match start {
        Start::Anew => (Going::new(order, create(&now)?, now.clone(), began), Before::Nothing),
        Start::GoesOn(held) => {
            let Begun { folder, on_file } = *held;
            on_file.check(&now)?;
            let info = on_file.run.info.clone();
            (Going::new(order, folder, info, began), Before::OnFile(Box::new(on_file)))
        }
        Start::Updates(base) => {
            base.check(&now)?;
            now.base = Some(base.before());
            (Going::new(order, create(&now)?, now.clone(), began), Before::Base(base))
        }
    };
    tell(&going.started(&before));
    for left in sweep() {
        tell(&Event::Swept { what: left });
    }
    let outcome = going.all_trials(&before, &mut now, &teller(tell));
    going.finish(outcome, tell)?;
    tell(&Event::RunEnded {
        id: going.info.id,
        interrupted: going.info.interrupted,
        seconds: clock::now().since(began).as_secs_f64(),
    });
    Ok(going.done)
}

/// A number that no other start of this program has had, to draw a seed with.
pub fn entropy() -> u64 {
    clock::now().as_nanos() ^ (u64::from(std::process::id()) << 40)
}
