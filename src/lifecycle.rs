//! One server of a target, from start to stop: on a port of its own, until its first right answer, until nothing of it
//! is left.
//!
//! It is what a trial and the check of what a target claims have in common. What happens to the target comes back as a
//! failure with its stage. Not here: anything that is asked of the server in between.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use crate::clock;
use crate::event::{Event, Tell};
use crate::host::Split;
use crate::http::expect::{Expectation, explain};
use crate::http::framing::{Framing, Head};
use crate::http::request::Version;
use crate::interrupt::Interrupt;
use crate::matrix::program::Program;
use crate::matrix::{Command, Matrix, Target};
use crate::outcome::Stage;
use crate::record::trial::Failed;
use crate::target::command::{self, ServiceAddress, Values};
use crate::target::port::{self, NoPort, Ports};
use crate::target::ready::{self, NotReady, Ready, Wait};
use crate::target::server::{Server, StartFailure, StartOrder};
use crate::target::steps::{self, StepFailure, Steps};
use crate::target::{self, Exit, Holder};
use crate::units::write_duration;
use crate::usage::tree::Tree;

/// Open files that every server may have, so that no row is limited by another number than its neighbours.
const OPEN_FILES: u64 = 65_536;

/// What all programs of a run stand on, whoever starts them.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'r> {
    /// What is measured, and how.
    pub matrix: &'r Matrix,
    /// Who runs on which CPUs.
    pub split: &'r Split,
    /// What all programs find their tools by.
    pub path: &'r str,
    /// Files that programs may serve.
    pub assets: &'r Path,
    /// The folder that takes the output of each program.
    pub logs: &'r Path,
    /// Hands out ports.
    pub ports: &'r RefCell<Ports>,
    /// Ends waiting early.
    pub interrupt: &'r Interrupt,
    /// Tells what happens while a program is started.
    pub tell: Tell<'r>,
}

impl Ground<'_> {
    fn notice(&self, text: String) {
        (self.tell.0)(&Event::Notice { text });
    }

    /// Says, if so, that nobody knows who answered.
    pub fn note_unknown(&self, ready: &Ready) {
        if let Some(reason) = &ready.unknown_whose {
            self.notice(format!("whether a server's own socket answers is not known: {reason}"));
        }
    }
}

impl Ground<'_> {
    /// Where the next server of a target must listen.
    ///
    /// # Errors
    /// When every port is in use.
    pub fn address(&self, target: &Target) -> Result<SocketAddr, NoPort> {
        let port = match target.port {
            Some(fixed) => fixed,
            None => self.ports.borrow_mut().take()?,
        };
        Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    }
}

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

/// How a program is started, besides what it is.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// What all programs of the run share.
    pub ground: Ground<'a>,
    /// Names its control group.
    pub name: &'a str,
    /// What placeholders stand for; its CPUs and its port are among them.
    pub values: &'a Values,
    /// Takes its output.
    pub log: &'a Path,
    /// Whether the process that answers is another one.
    pub is_external: bool,
}

/// Between two looks at a port that is not free.
const LOOK: Duration = Duration::from_millis(100);

/// Starts a program, of whose port nobody else may have taken hold.
///
/// # Errors
/// Whose fault it is that it does not run.
pub fn start(program: &Program<'_>, start: &Start<'_>) -> Result<Server, Cut> {
    let Start { ground, values, .. } = start;
    if let Some(address) = address(values) {
        wait_for_port(ground, address)?;
    }
    let refused = |error: command::CommandError| Failed::new(Stage::Start, error.to_string());
    let order = StartOrder {
        name: start.name.to_owned(),
        argv: command::words(program.command, values).map_err(refused)?,
        dir: program.dir.to_owned(),
        env: command::environment(program.env, values, ground.path).map_err(refused)?,
        cpus: values.cpus.clone(),
        keeper_cpus: ground.split.generator.clone(),
        log: start.log.to_owned(),
        open_files: Some(OPEN_FILES),
        is_external: start.is_external,
    };
    let server = Server::start(&order).map_err(|failure| match failure {
        StartFailure::Target { reason } => Failed::new(Stage::Start, reason).into(),
        // Ctrl-C reaches a keeper too that has not left our session yet.
        StartFailure::Keeper { .. } if ground.interrupt.is_set() => Cut::Interrupted,
        keeper @ StartFailure::Keeper { .. } => Cut::Ours(keeper.to_string()),
    })?;
    if let Some(reason) = &server.containment().absent {
        ground.notice(format!("no control groups here, keepers must do: {reason}"));
    }
    if let Some(reason) = &server.containment().without_cpus {
        ground.notice(format!("programs run on any CPU, not on those they were given: {reason}"));
    }
    Ok(server)
}

/// Until nothing keeps a server from its port, as long as that may go by itself.
fn wait_for_port(ground: &Ground<'_>, address: SocketAddr) -> Result<(), Cut> {
    let (port, began) = (address.port(), clock::now());
    let mut is_told = false;
    while let Some(obstacle) = port::obstacle(address) {
        let patience = obstacle.patience();
        if (began + patience).is_past() {
            return Err(Failed::new(Stage::Start, format!("port {port} is {obstacle}")).into());
        }
        if ground.interrupt.is_set() {
            return Err(Cut::Interrupted);
        }
        if !is_told {
            let limit = write_duration(patience);
            ground
                .notice(format!("port {port} is {obstacle}, which is waited for, {limit} at most"));
            is_told = true;
        }
        clock::sleep_until(clock::now() + LOOK);
    }
    Ok(())
}

fn address(values: &Values) -> Option<SocketAddr> {
    Some(SocketAddr::new(values.host.parse().ok()?, values.port?))
}

/// Why a stage ended early.
#[derive(Debug)]
pub enum Cut {
    /// The target failed.
    Failed(Failed),
    /// A signal asked for an end.
    Interrupted,
    /// Our own fault, as shown.
    Ours(String),
}

impl From<Failed> for Cut {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
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
