//! Running one command to its end, contained as a server is: a build step, a service's setup, what goes around a trial.
//!
//! Nothing of it stays, whatever it starts and whatever happens to us. What should stay up is a service.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::order::Exit;
use super::server::{Server, StartFailure, StartOrder};
use crate::clock;

/// Between two looks at whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// A command that runs to its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) words: &'a [String],
    pub(super) dir: &'a Path,
    /// The whole environment.
    pub(super) env: &'a BTreeMap<String, String>,
    /// Takes its output, after what is there.
    pub(super) log: &'a Path,
    pub(super) limit: Duration,
    pub(super) is_interrupted: &'a AtomicBool,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    By(Exit),
    /// Killed, as its time was over.
    Late,
    /// Killed, as all should end.
    Interrupted,
}

/// Runs a command to its end.
///
/// # Errors
/// Why it could not be run, or not be ended.
pub(super) fn run(run: &Run<'_>) -> Result<Ended, String> {
    let order = StartOrder {
        name: "step".to_owned(),
        argv: run.words.to_vec(),
        dir: run.dir.to_owned(),
        env: run.env.clone(),
        cpus: Vec::new(),
        keeper_cpus: Vec::new(),
        log: run.log.to_owned(),
        open_files: None,
        is_external: false,
    };
    let server = Server::start(&order).map_err(|failure| match failure {
        StartFailure::Target { reason } => reason,
        keeper @ StartFailure::Keeper { .. } => keeper.to_string(),
    })?;
    let deadline = clock::now() + run.limit;
    let ended = loop {
        if let Some(exit) = server.exited_within(LOOK) {
            break Ended::By(exit);
        }
        if run.is_interrupted.load(Ordering::Relaxed) {
            break Ended::Interrupted;
        }
        if deadline.is_past() {
            break Ended::Late;
        }
    };
    // What it leaves behind has nothing left to do.
    let stopped = server.stop(Duration::ZERO).map_err(|error| error.to_string())?;
    match stopped.left {
        0 => Ok(ended),
        left => Err(format!("{left} of its processes outlived SIGKILL")),
    }
}
