//! Commands that run one after the other, each to its end: those of a build, of a service's setup, and those around a trial.
//!
//! The first that fails ends them. How one command is run is in `run`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::command::{self, CommandError, Values};
use super::log;
use super::order::Exit;
use super::run::{Ended, Run, run};
use crate::matrix::Command;
use crate::outcome::Stage;
use crate::record::trial::Failed;
use crate::units::write_duration;

/// Lines of output that go with a failure.
const TAIL: usize = 20;

/// Commands, and what they run with.
#[derive(Debug, Clone, Copy)]
pub struct Steps<'a> {
    /// The commands, in order.
    pub commands: &'a [Command],
    /// The folder that they run in.
    pub dir: &'a Path,
    /// What their environment declares.
    pub env: &'a BTreeMap<String, String>,
    /// What placeholders stand for.
    pub values: &'a Values,
    /// The search path for programs.
    pub path: &'a str,
    /// The file that takes their output, after what is there.
    pub log: &'a Path,
    /// How long each may take.
    pub limit: Duration,
    /// Whether they may fetch packages, so that they get the proxies and certificates of our environment.
    pub may_fetch: bool,
    /// Set when all should end.
    pub is_interrupted: &'a AtomicBool,
}

/// Why a step, and with it all of them, failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepFailure {
    /// It ended with a failure.
    #[error("`{command}`: {exit}")]
    Failed {
        /// The step.
        command: String,
        /// How it ended.
        exit: Exit,
        /// The last lines of its output.
        tail: Vec<String>,
    },
    /// It took too long, and was killed.
    #[error("`{command}` took longer than {}", write_duration(*.limit))]
    TimedOut {
        /// The step.
        command: String,
        /// How long it was given.
        limit: Duration,
        /// The last lines of its output.
        tail: Vec<String>,
    },
    /// It could not be run.
    #[error("`{command}`: {reason}")]
    NotRun {
        /// The step.
        command: String,
        /// Why.
        reason: String,
    },
    /// All should end.
    #[error("interrupted")]
    Interrupted,
}

impl StepFailure {
    /// The failure of a trial at a stage that needed these steps.
    pub fn at(self, stage: Stage) -> Failed {
        let mut failed = Failed::new(stage, self.to_string());
        match self {
            Self::Failed { exit, tail, .. } => {
                (failed.exit_code, failed.signal, failed.tail) = (exit.code, exit.signal, tail);
            }
            Self::TimedOut { tail, .. } => failed.tail = tail,
            Self::NotRun { .. } | Self::Interrupted => {}
        }
        failed
    }
}

/// Runs them all.
///
/// # Errors
/// Which step failed, and how.
pub fn run_all(steps: &Steps<'_>) -> Result<(), StepFailure> {
    steps.commands.iter().try_for_each(|step| run_one(steps, step))
}

fn run_one(steps: &Steps<'_>, step: &Command) -> Result<(), StepFailure> {
    let command = step.text.clone();
    let fault = |error: CommandError| StepFailure::NotRun {
        command: command.clone(),
        reason: error.to_string(),
    };
    let words = command::words(step, steps.values).map_err(fault)?;
    let mut env = BTreeMap::new();
    if steps.may_fetch {
        env.extend(command::registry_environment());
    }
    env.extend(command::environment(steps.env, steps.values, steps.path).map_err(fault)?);
    let ended = run(&Run {
        words: &words,
        dir: steps.dir,
        env: &env,
        log: steps.log,
        limit: steps.limit,
        is_interrupted: steps.is_interrupted,
    });
    let tail = || log::tail(steps.log, TAIL);
    match ended {
        Ok(Ended::By(Exit { code: Some(0), .. })) => Ok(()),
        Ok(Ended::By(exit)) => Err(StepFailure::Failed { command, exit, tail: tail() }),
        Ok(Ended::Late) => Err(StepFailure::TimedOut { command, limit: steps.limit, tail: tail() }),
        Ok(Ended::Interrupted) => Err(StepFailure::Interrupted),
        Err(reason) => Err(StepFailure::NotRun { command, reason }),
    }
}
