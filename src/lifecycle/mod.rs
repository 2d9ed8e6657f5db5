//! One server of a target, from start to stop: on a port of its own, until its first right answer, until nothing of it
//! is left.
//!
//! It is what a trial and the check of what a target claims have in common. What happens to the target comes back as a
//! failure with its stage. Not here: anything that is asked of the server in between.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use crate::http::expect::{Expectation, explain};
use crate::http::framing::{Framing, Head};
use crate::http::request::Version;
use crate::matrix::{Command, Target};
use crate::outcome::Stage;
use crate::record::trial::Failed;
use crate::target::command::{ServiceAddress, Values};
use crate::target::ready::{self, NotReady, Ready, Wait};
use crate::target::server::Server;
use crate::target::steps::{self, StepFailure, Steps};
use crate::target::{self, Exit, Holder};
use crate::usage::tree::Tree;

mod ground;

pub use ground::{Cut, Ground, Start, start};

/// One server of a target: what it is started from, and where.
#[derive(Debug, Clone, Copy)]
pub struct Lifecycle<'r> {
    /// What all programs of the run share.
    pub ground: Ground<'r>,
    /// Whose server.
    pub target: &'r Target,
    /// Where it must listen.
    pub address: SocketAddr,
    /// Takes its output, and that of the commands around a trial.
    pub log: &'r Path,
    /// The services that it may use.
    pub services: &'r [ServiceAddress],
}

/// How a server ended when it was asked to.
#[derive(Debug)]
pub struct Stopped {
    /// Whether something of it outlived the grace and was killed.
    pub forced: bool,
    /// Processes that even SIGKILL did not end.
    pub left: usize,
    /// From SIGTERM until the last process was gone.
    pub took: Duration,
    /// How its main process ended, if that was heard.
    pub exit: Option<Exit>,
    /// Who still listens on its port, although it should be free.
    pub holder: Option<Holder>,
}

impl Lifecycle<'_> {
    /// Starts the server on its port, of which nobody else may have taken hold.
    ///
    /// # Errors
    /// Whose fault it is that it does not run.
    pub fn start(&self, out: &Path) -> Result<Server, Cut> {
        let how = Start {
            ground: self.ground,
            name: &format!("trial-{}", self.address.port()),
            values: &self.values(out),
            log: self.log,
            is_external: self.target.external,
        };
        start(&self.target.program(), &how)
    }

    fn values(&self, out: &Path) -> Values {
        Values {
            host: self.address.ip().to_string(),
            port: Some(self.address.port()),
            out: out.to_owned(),
            assets: self.ground.assets.to_owned(),
            cpus: self.ground.split.server.clone(),
            services: self.services.to_vec(),
        }
    }

    /// Runs the commands that go before a trial.
    ///
    /// # Errors
    /// Which failed, or that an end was asked for.
    pub fn before(&self, out: &Path) -> Result<(), Cut> {
        self.run_all(&self.target.before_trial, out).map_err(|failure| match failure {
            StepFailure::Interrupted => Cut::Interrupted,
            failure => failure.at(Stage::Start).into(),
        })
    }

    /// Runs the commands that go after a trial, unless an end was asked for.
    ///
    /// # Errors
    /// Which failed.
    pub fn after(&self, out: &Path) -> Result<(), StepFailure> {
        if self.ground.interrupt.is_set() {
            return Ok(());
        }
        self.run_all(&self.target.after_trial, out)
    }

    fn run_all(&self, commands: &[Command], out: &Path) -> Result<(), StepFailure> {
        steps::run_all(&Steps {
            commands,
            dir: &self.target.dir,
            env: &self.target.env,
            values: &self.values(out),
            path: self.ground.path,
            log: self.log,
            limit: self.target.build_timeout,
            may_fetch: false,
            is_interrupted: self.ground.interrupt.flag(),
        })
    }

    /// Waits for the first right answer, and until the tree has settled.
    ///
    /// # Errors
    /// Why it is not ready, or that an end was asked for.
    pub fn wait_until_ready(&self, server: &Server, tree: &Tree) -> Result<Ready, Cut> {
        let request = self.target.ready_request(&self.ground.matrix.workloads);
        let (path, expectation) = request.unzip();
        let expectation = expectation.unwrap_or_default();
        let judge = |status: u16, headers: &[(String, Vec<u8>)], body: &[u8]| {
            judge_answer(&expectation, status, headers, body)
        };
        let pids = || tree.pids();
        let wait = Wait {
            address: self.address,
            path,
            judge: &judge,
            timeout: self.target.ready_timeout,
            tree: (!self.target.external).then_some(&pids as &dyn Fn() -> Vec<u32>),
            keeper: server.keeper_pid(),
            exited: &|| server.exited(),
            is_interrupted: self.ground.interrupt.flag(),
        };
        let ready = ready::wait(&wait).map_err(|not_ready| match not_ready {
            NotReady::Interrupted => Cut::Interrupted,
            NotReady::CannotAsk(reason) => Cut::Ours(reason),
            NotReady::Exited(exit) => Cut::from(exited(Stage::Ready, exit)),
            other => Failed::new(Stage::Ready, other.to_string()).into(),
        })?;
        self.ground.note_unknown(&ready);
        Ok(ready)
    }

    /// Ends the server with everything that it started, and looks whether its port is free.
    ///
    /// # Errors
    /// When its keeper is gone.
    pub fn stop(&self, server: Server) -> Result<Stopped, Failed> {
        let target::Stopped { forced, left, took, exit } = server
            .stop(self.target.stop_grace)
            .map_err(|error| Failed::new(Stage::Stop, error.to_string()))?;
        let holder = (!self.target.external)
            .then(|| target::holders(self.address).into_iter().next())
            .flatten();
        Ok(Stopped { forced, left, took, exit, holder })
    }
}

impl Stopped {
    /// Whether nothing of it is left.
    ///
    /// # Errors
    /// What is.
    pub fn check(&self) -> Result<(), Failed> {
        if self.left > 0 {
            let reason = format!("{} of its processes outlived SIGKILL", self.left);
            return Err(Failed::new(Stage::Stop, reason));
        }
        match &self.holder {
            Some(holder) => {
                let reason = format!("its port is still in use by {holder}");
                Err(Failed::new(Stage::Stop, reason))
            }
            None => Ok(()),
        }
    }
}

/// The failure of a server that ended by itself.
pub fn exited(stage: Stage, exit: Exit) -> Failed {
    if exit == (Exit { code: None, signal: None }) {
        return Failed::new(stage, "its keeper was killed, and the server with it");
    }
    if stage == Stage::Ready && exit.code == Some(0) {
        let reason =
            "it ended before it was ready: exit code 0, and nothing of it was left to serve";
        return Failed { exit_code: exit.code, ..Failed::new(stage, reason) };
    }
    let when = match stage {
        Stage::Ready => "before it was ready",
        Stage::Verify => "when it was asked what the load asks",
        Stage::WarmUp => "during the warm-up",
        _ => "inside the window",
    };
    Failed {
        exit_code: exit.code,
        signal: exit.signal,
        ..Failed::new(stage, format!("it ended {when}: {exit}"))
    }
}

/// Judges an answer that came in parts already taken apart, as the same judge that sees the load's answers does.
pub(crate) fn judge_answer(
    expectation: &Expectation,
    status: u16,
    headers: &[(String, Vec<u8>)],
    body: &[u8],
) -> Result<(), String> {
    let mut raw = format!("HTTP/1.1 {status} \r\n").into_bytes();
    for (name, value) in headers {
        raw.extend_from_slice(name.as_bytes());
        raw.extend_from_slice(b": ");
        raw.extend_from_slice(value);
        raw.extend_from_slice(b"\r\n");
    }
    raw.extend_from_slice(b"\r\n");
    let head = Head {
        status,
        version: Version::Http11,
        raw: &raw,
        content_length: None,
        framing: Framing::Length,
        keep_alive: true,
    };
    explain(expectation, &head, body).map_or(Ok(()), |mismatch| Err(mismatch.to_string()))
}
