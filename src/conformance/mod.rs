//! Does a target keep what it claims? Each is started as a trial does it, asked without load, and stopped.
//!
//! What is checked stands in the contract of `targets/README.md`; a target that does not claim the contract is held to what
//! its workloads and HTTP itself ask of it. A file for each family of checks, each check a value: its name, what it takes
//! for granted, how it asks and what is right. Every wait has an end, of a check and of all the checks of a target.
//! Reading order: `check`, `question`, `asker`, then the families.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use crate::clock::{self, Instant};
use crate::host::Split;
use crate::interrupt::Interrupt;
use crate::lifecycle::{Cut, Lifecycle};
use crate::matrix::{Matrix, Target};
use crate::outcome::Stage;
use crate::prepare::Prepared;
use crate::record::conformance::{Broken, Conformance, Findings, Outcome};
use crate::record::trial::{Ended, Failed};
use crate::service::{Lacking, Services};
use crate::target::command::ServiceAddress;
use crate::target::log;
use crate::target::port::Ports;
use crate::target::server::Server;
use crate::trial::AskError;
use crate::usage::tree::Tree;

mod answers;
mod asker;
mod bodies;
mod check;
mod connection;
mod files;
mod many;
mod paths;
mod question;
mod stop;

use asker::{Asker, Fault};
use check::{Check, Claim};
use question::Question;

/// No check takes longer.
const CHECK_LIMIT: Duration = Duration::from_secs(5);
/// All checks of a target together take no longer.
const TARGET_LIMIT: Duration = Duration::from_secs(40);
/// How often a server that has ended, or hangs, is started once more.
const RESTARTS: u32 = 10;
/// How soon a server that is not dead answers anything.
const SIGN_OF_LIFE_WITHIN: Duration = Duration::from_secs(2);
/// How long it may take until the end of a process is heard of.
const EXIT_HEARD_WITHIN: Duration = Duration::from_millis(100);
/// How many of the last lines of its output a failure keeps.
const TAIL: usize = 10;

/// What the checks of all targets share.
#[derive(Debug)]
pub struct Shared<'r> {
    /// The matrix.
    pub matrix: &'r Matrix,
    /// Each target's tools and build, in the order of the matrix.
    pub prepared: &'r [Prepared],
    /// Who runs on which CPUs.
    pub split: &'r Split,
    /// What all programs find their tools by.
    pub path: &'r str,
    /// Files that servers may serve.
    pub assets: &'r Path,
    /// Takes the output of each server.
    pub logs: &'r Path,
    /// Hands out ports.
    pub ports: &'r RefCell<Ports>,
    /// What targets need besides themselves.
    pub services: &'r Services<'r>,
    /// Ends it early.
    pub interrupt: &'r Interrupt,
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
    let matrix = shared.matrix;
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

fn all_checks<'q>(target: &'q Target, questions: &'q [Question]) -> Vec<Check<'q>> {
    let mut checks = answers::checks(questions);
    checks.extend(paths::checks(target, questions));
    checks.extend(files::checks(questions));
    checks.extend(connection::checks(target, questions));
    checks.extend(bodies::checks(target, questions));
    checks.extend(many::checks(target, questions));
    checks.extend(stop::checks(questions));
    checks
}

/// The checks of one target, while they go on.
struct Session<'s> {
    shared: &'s Shared<'s>,
    target: &'s Target,
    out: &'s Path,
    questions: &'s [Question],
    /// Where the services listen that it may use.
    services: Vec<ServiceAddress>,
    log: std::path::PathBuf,
    starts: u32,
    until: Instant,
    findings: Findings,
}

/// A server that was ready.
struct Up {
    server: Server,
    tree: Tree,
    address: SocketAddr,
}

impl<'s> Session<'s> {
    fn new(
        shared: &'s Shared<'s>,
        target: &'s Target,
        out: &'s Path,
        questions: &'s [Question],
        services: Vec<ServiceAddress>,
    ) -> Self {
        let log = shared.logs.join(format!("serve-{}.log", target.label().replace('/', "~")));
        let (until, findings) = (Instant::NEVER, Findings::default());
        Self { shared, target, out, questions, services, log, starts: 0, until, findings }
    }

    /// Starts, asks, stops.
    fn go(mut self) -> Result<Outcome, ConformanceError> {
        // What an earlier check wrote there is no output of this server.
        let _ = std::fs::remove_file(&self.log);
        let up = match self.start()? {
            Ok(up) => up,
            Err(failed) => return Ok(Outcome::Out(Ended::Failed(self.with_output(failed)))),
        };
        self.until = clock::now() + TARGET_LIMIT;
        let mut up = Some(up);
        let asked = self.ask_all(&mut up);
        if let Some(up) = up {
            self.stop(up);
        }
        asked?;
        if self.shared.interrupt.is_set() {
            return Err(ConformanceError::Interrupted);
        }
        Ok(Outcome::Asked(self.findings))
    }

    /// A server that is ready, or why there is none.
    fn start(&mut self) -> Result<Result<Up, Failed>, ConformanceError> {
        self.starts += 1;
        let port = match self.target.port {
            Some(fixed) => fixed,
            None => self.shared.ports.borrow_mut().take().map_err(|it| ours(&it))?,
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let lifecycle = self.lifecycle(address);
        let begun = lifecycle.before(self.out).and_then(|()| lifecycle.start(self.out));
        let started = begun.and_then(|server| {
            let tree = Tree::new(server.keeper_pid(), server.containment().group.clone());
            match lifecycle.wait_until_ready(&server, &tree) {
                Ok(_) => Ok(Up { server, tree, address }),
                Err(cut) => {
                    // It failed before, and that is what is told.
                    let _ = lifecycle.stop(server);
                    Err(cut)
                }
            }
        });
        if started.is_err() {
            // It failed before, and that is what is told.
            let _ = lifecycle.after(self.out);
        }
        match started {
            Ok(up) => Ok(Ok(up)),
            Err(Cut::Failed(failed)) => Ok(Err(failed)),
            Err(Cut::Interrupted) => Err(ConformanceError::Interrupted),
            Err(Cut::Ours(reason)) => Err(ConformanceError::Ours(reason)),
        }
    }

    fn lifecycle(&self, address: SocketAddr) -> Lifecycle<'_> {
        let shared = self.shared;
        Lifecycle {
            matrix: shared.matrix,
            target: self.target,
            split: shared.split,
            path: shared.path,
            assets: shared.assets,
            interrupt: shared.interrupt,
            address,
            log: &self.log,
            services: &self.services,
        }
    }

    /// Every check that applies, as long as there is a server and time.
    fn ask_all(&mut self, up: &mut Option<Up>) -> Result<(), ConformanceError> {
        for check in all_checks(self.target, self.questions) {
            if self.shared.interrupt.is_set() {
                break;
            }
            if let Some(key) = check.not_claimed_by(self.target) {
                self.findings.not_claimed.push(key);
                continue;
            }
            match up.as_ref().filter(|_| !self.until.is_past()) {
                Some(there) if !self.ask(&check, there) => *up = self.start_again(up.take())?,
                Some(_) => {}
                None => self.findings.not_asked += 1,
            }
        }
        Ok(())
    }

    /// Makes one check; whether the server can be asked on.
    fn ask(&mut self, check: &Check<'_>, up: &Up) -> bool {
        let output_bytes = || up.server.output_bytes();
        let asker = |limit| Asker {
            address: up.address,
            until: (clock::now() + limit).min(self.until),
            output_bytes: &output_bytes,
        };
        let fault = check.ask(&asker(CHECK_LIMIT)).err();
        if self.shared.interrupt.is_set() {
            return true;
        }
        let plain = connection::plain(self.questions);
        let is_dead = fault.is_some() && !asker(SIGN_OF_LIFE_WITHIN).is_answered(plain);
        if is_dead {
            clock::sleep_until(clock::now() + EXIT_HEARD_WITHIN);
        }
        let ended = up.server.ended(&|| up.tree.pids());
        let consequence = match ended {
            Some(exit) => format!("; then it ended: {exit}"),
            None if is_dead => "; then it answered nobody".to_owned(),
            None => String::new(),
        };
        let is_well = consequence.is_empty();
        match fault {
            None if is_well => self.findings.kept += 1,
            fault => {
                let Fault { asked, what } = fault.unwrap_or_else(|| Fault::new("", "it answered"));
                let hint = check.doubtful.filter(|_| is_well).map(Claim::hint);
                let fault = Fault { asked, what: format!("{what}{consequence}") };
                self.findings.broken.push(broken(&check.name, fault, hint));
            }
        }
        is_well
    }

    /// Another server in place of one that cannot be asked on, so that the other checks can be made.
    fn start_again(&mut self, ended: Option<Up>) -> Result<Option<Up>, ConformanceError> {
        if let Some(Up { server, address, .. }) = ended {
            // What became of it is told; what it left behind goes with it.
            let lifecycle = self.lifecycle(address);
            let _ = lifecycle.stop(server);
            let _ = lifecycle.after(self.out);
        }
        if self.starts > RESTARTS || self.until.is_past() {
            return Ok(None);
        }
        match self.start()? {
            Ok(up) => Ok(Some(up)),
            Err(failed) => {
                let what = format!("failed in {}: {}", failed.stage, failed.reason);
                let fault = Fault::new("", what);
                self.findings.broken.push(broken("it can be started again", fault, None));
                Ok(None)
            }
        }
    }

    /// Asks it to end while connections are open, and looks at what is left.
    fn stop(&mut self, up: Up) {
        let Up { server, address, .. } = up;
        let until = (clock::now() + CHECK_LIMIT).min(self.until);
        let asker = Asker { address, until, output_bytes: &|| None };
        let is_going_on = !self.shared.interrupt.is_set() && !self.until.is_past();
        let idle = if is_going_on {
            stop::idle_connections(&asker, self.target, self.questions)
        } else {
            Vec::new()
        };
        let lifecycle = self.lifecycle(address);
        let stopped = lifecycle.stop(server);
        let after = lifecycle.after(self.out);
        drop(idle);
        if let Err(failure) = after {
            let fault = Fault::new("", failure.to_string());
            self.findings.broken.push(broken("after-trial", fault, None));
        }
        for ending in stop::ENDINGS {
            if self.target.external {
                self.findings.not_claimed.push("external");
                continue;
            }
            let came = match &stopped {
                Ok(stopped) => (ending.check)(self.target, stopped),
                Err(failed) => Err(failed.reason.clone()),
            };
            match came {
                Ok(()) => self.findings.kept += 1,
                Err(what) => {
                    let fault = Fault::new("", what);
                    self.findings.broken.push(broken(ending.name, fault, None));
                }
            }
        }
    }

    fn with_output(&self, mut failed: Failed) -> Failed {
        failed.tail = log::tail(&self.log, TAIL);
        failed
    }
}

fn broken(check: &str, fault: Fault, hint: Option<String>) -> Broken {
    let Fault { asked, what } = fault;
    Broken { check: check.to_owned(), asked, what, hint }
}

fn ours(error: &impl std::fmt::Display) -> ConformanceError {
    ConformanceError::Ours(error.to_string())
}
