//! What starts any program of a run, a server or a service: the ground that all stand on, and a start upon it.
//!
//! Not here: when it is ready, and how it ends.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use crate::clock;
use crate::event::{Event, Tell};
use crate::host::Split;
use crate::interrupt::Interrupt;
use crate::matrix::program::Program;
use crate::matrix::{Matrix, Target};
use crate::outcome::Stage;
use crate::record::trial::Failed;
use crate::target::command::{self, Values};
use crate::target::port::{self, NoPort, Ports};
use crate::target::ready::Ready;
use crate::target::server::{Server, StartFailure, StartOrder};
use crate::units::write_duration;

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
    // What answers for another process is there already, by right.
    if let Some(address) = address(values).filter(|_| !start.is_external) {
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
