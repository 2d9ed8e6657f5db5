//! The checks of one target, while they go on: its server is started, asked, started again when it has ended or hangs, and
//! stopped.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use super::asker::{Asker, Fault, Life};
use super::check::{Check, Claim, Claims};
use super::question::Question;
use super::{ConformanceError, Shared, answers, bodies, connection, files, many, paths, stop};
use crate::clock::{self, Instant};
use crate::lifecycle::{Cut, Lifecycle};
use crate::matrix::Target;
use crate::record::conformance::{Broken, Findings, Outcome};
use crate::record::trial::{Ended, Failed};
use crate::target::command::ServiceAddress;
use crate::target::port::NoPort;
use crate::target::server::Server;
use crate::target::{Exit, log};
use crate::usage::tree::Tree;

/// No check takes longer.
pub(super) const CHECK_LIMIT: Duration = Duration::from_secs(5);
/// All checks of a target together take no longer.
const TARGET_LIMIT: Duration = Duration::from_secs(40);
/// How often a server that has ended, or hangs, is started once more.
const RESTARTS: u32 = 10;
/// How soon a server that is not dead answers anything.
const SIGN_OF_LIFE_WITHIN: Duration = Duration::from_secs(2);
/// How long it may take until the end of a process is heard of.
const EXIT_HEARD_WITHIN: Duration = Duration::from_secs(1);
/// Between two looks at whether it was.
const LOOK: Duration = Duration::from_millis(10);
/// How many of the last lines of its output a failure keeps.
const TAIL: usize = 10;

fn all_checks<'q>(claims: Claims<'q>, questions: &'q [Question]) -> Vec<Check<'q>> {
    let target = claims.target;
    let mut checks = answers::checks(questions);
    checks.extend(paths::checks(target, questions));
    checks.extend(files::checks(questions));
    checks.extend(connection::checks(claims, questions));
    checks.extend(bodies::checks(target, questions));
    checks.extend(many::checks(target, questions));
    checks.extend(stop::checks(questions));
    checks
}

/// The checks of one target, while they go on.
pub(super) struct Session<'s> {
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

impl Up {
    /// How it ended, if it has or does so `within` this time.
    fn ended(&self, within: Duration) -> Option<Exit> {
        let until = clock::now() + within;
        loop {
            let ended = self.server.ended(&|| self.tree.survivors());
            if ended.is_some() || until.is_past() {
                return ended;
            }
            clock::sleep_until(clock::now() + LOOK);
        }
    }
}

impl<'s> Session<'s> {
    pub(super) fn new(
        shared: &'s Shared<'s>,
        target: &'s Target,
        out: &'s Path,
        questions: &'s [Question],
        services: Vec<ServiceAddress>,
    ) -> Self {
        let log =
            shared.ground.logs.join(format!("serve-{}.log", target.label().replace('/', "~")));
        let (until, findings) = (Instant::NEVER, Findings::default());
        Self { shared, target, out, questions, services, log, starts: 0, until, findings }
    }

    /// Starts, asks, stops.
    pub(super) fn go(mut self) -> Result<Outcome, ConformanceError> {
        // What an earlier check wrote there is no output of this server.
        let _ = std::fs::remove_file(&self.log);
        let up = match self.start()? {
            Ok(up) => up,
            Err(failed) => return Ok(Outcome::Out(Ended::Failed(self.with_output(failed)))),
        };
        self.until = clock::now() + TARGET_LIMIT;
        let mut up = Some(up);
        let asked = self.ask_all(&mut up);
        match up {
            Some(up) => self.stop(up),
            None => self.findings.not_asked += stop::ENDINGS.len(),
        }
        asked?;
        if self.shared.ground.interrupt.is_set() {
            return Err(ConformanceError::Interrupted);
        }
        Ok(Outcome::Asked(self.findings))
    }

    /// A server that is ready, or why there is none.
    fn start(&mut self) -> Result<Result<Up, Failed>, ConformanceError> {
        self.starts += 1;
        let address = self.shared.ground.address(self.target).map_err(|error| ours(&error))?;
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
        Lifecycle {
            ground: self.shared.ground,
            target: self.target,
            address,
            log: &self.log,
            services: &self.services,
        }
    }

    /// Every check that applies, as long as there is a server and time.
    fn ask_all(&mut self, up: &mut Option<Up>) -> Result<(), ConformanceError> {
        let lists = self.target.workloads.is_some();
        let contract = lists && self.questions.iter().any(|question| question.is_of_contract);
        let claims = Claims { target: self.target, contract };
        for check in all_checks(claims, self.questions) {
            if self.shared.ground.interrupt.is_set() {
                break;
            }
            if let Some(key) = check.not_claimed_by(&claims) {
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
        if self.shared.ground.interrupt.is_set() {
            return true;
        }
        if fault.is_some() && self.until.is_past() {
            // It had less time than others have, so nothing follows.
            self.findings.not_asked += 1;
            return true;
        }
        let plain = connection::plain(self.questions);
        let life = match &fault {
            Some(_) => asker(SIGN_OF_LIFE_WITHIN).sign_of_life(plain),
            None => Life::Answers,
        };
        // One that dies breaks off too, and its end is heard of a moment later.
        let patience = if life == Life::Answers { Duration::ZERO } else { EXIT_HEARD_WITHIN };
        let ended = up.ended(patience);
        let consequence = match ended {
            Some(exit) => format!("; then it ended: {exit}"),
            None if life == Life::None => "; then it answered nobody".to_owned(),
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
        let is_going_on = !self.shared.ground.interrupt.is_set() && !self.until.is_past();
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

fn ours(error: &NoPort) -> ConformanceError {
    ConformanceError::Ours(error.to_string())
}
