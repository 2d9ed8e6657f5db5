//! Does a target keep what it claims? Each is started as a trial does it, asked without load, and stopped.
//!
//! What is checked stands in the contract of `targets/README.md`; a target that does not claim the contract is held to what
//! its workloads and HTTP itself ask of it. A file for each family of checks, each check a value: its name, what it takes
//! for granted, how it asks and what is right. Every wait has an end, of a check and of all the checks of a target.
//! Reading order: `check`, `session`, `question`, `asker`, then the families.

use crate::lifecycle::{Cut, Ground};
use crate::matrix::Target;
use crate::outcome::Stage;
use crate::prepare::Prepared;
use crate::record::conformance::{Conformance, Outcome};
use crate::record::trial::Ended;
use crate::service::{Lacking, Services};
use crate::target::command::ServiceAddress;
use crate::trial::AskError;

mod answers;
mod asker;
mod bodies;
mod check;
mod connection;
mod files;
mod many;
mod paths;
mod question;
mod session;
mod stop;

use question::Question;
use session::Session;

/// What the checks of all targets share.
#[derive(Debug)]
pub struct Shared<'r> {
    /// What all programs share.
    pub ground: Ground<'r>,
    /// Each target's tools and build, in the order of the matrix.
    pub prepared: &'r [Prepared],
    /// What targets need besides themselves.
    pub services: &'r Services<'r>,
}

/// Which target is checked, by places in the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The target.
    pub target: usize,
    /// Workloads that it is asked.
    pub workloads: Vec<usize>,
    /// Workloads that it does not offer.
    pub not_offered: Vec<usize>,
}

/// Why nothing was found: our own fault, or an interruption.
#[derive(Debug, thiserror::Error)]
pub enum ConformanceError {
    /// A signal asked for an end.
    #[error("interrupted")]
    Interrupted,
    /// No server can be started at all.
    #[error("{0}")]
    Ours(String),
    /// A request cannot be made.
    #[error("{0}")]
    Ask(#[from] AskError),
}

/// Checks one target.
///
/// # Errors
/// If the fault is ours, or an end was asked for. Nothing of the server is left running then either.
pub fn check(shared: &Shared<'_>, subject: &Subject) -> Result<Conformance, ConformanceError> {
    let matrix = shared.ground.matrix;
    let target = &matrix.targets[subject.target];
    let outcome = match &shared.prepared[subject.target] {
        Prepared::Out(ended) => Outcome::Out(ended.clone()),
        Prepared::Ready(ready) => {
            let workloads = subject.workloads.iter().map(|place| &matrix.workloads[*place]);
            let questions = workloads
                .map(|workload| Question::new(target, workload))
                .collect::<Result<Vec<Question>, AskError>>()?;
            with_services(shared, target, |services| {
                Session::new(shared, target, &ready.out, &questions, services).go()
            })?
        }
    };
    let name = |place: &usize| matrix.workloads[*place].name.clone();
    let not_offered = subject.not_offered.iter().map(name).collect();
    Ok(Conformance { target: target.label(), not_offered, outcome })
}

/// Asks while all that a target needs besides itself is up.
fn with_services(
    shared: &Shared<'_>,
    target: &Target,
    ask: impl FnOnce(Vec<ServiceAddress>) -> Result<Outcome, ConformanceError>,
) -> Result<Outcome, ConformanceError> {
    let provided = shared.services.provide(target);
    let outcome = match provided {
        Ok(needed) => {
            let addresses = shared.services.addresses(&needed);
            let outcome = ask(addresses);
            let ended = shared.services.ended(&needed, Stage::Verify);
            // What is found without its service says nothing of the target.
            ended.map_or(outcome, |failed| Ok(Outcome::Out(Ended::Failed(failed))))
        }
        Err(Lacking::Skipped(skipped)) => Ok(Outcome::Out(Ended::Skipped(skipped))),
        Err(Lacking::Cut(Cut::Failed(failed))) => Ok(Outcome::Out(Ended::Failed(failed))),
        Err(Lacking::Cut(Cut::Interrupted)) => Err(ConformanceError::Interrupted),
        Err(Lacking::Cut(Cut::Ours(reason))) => Err(ConformanceError::Ours(reason)),
    };
    shared.services.release();
    outcome
}
