//! One service from its start until it can be used: started, ready, set up.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use super::Setting;
use crate::clock::{self, Instant};
use crate::http::expect::Expectation;
use crate::lifecycle::{self, Cut, Start, judge_answer};
use crate::matrix::Command;
use crate::matrix::service::{Readiness, Service};
use crate::outcome::Stage;
use crate::prepare::Prepared;
use crate::record::trial::Failed;
use crate::target::command::{ServiceAddress, Values};
use crate::target::ready::{self, NotReady, Wait};
use crate::target::server::Server;
use crate::target::steps::{self, StepFailure, Steps};
use crate::units::write_duration;
use crate::usage::tree::Tree;

/// Between two runs of the command that says whether a service is ready.
const PERIOD: Duration = Duration::from_millis(50);

/// A service that is up.
#[derive(Debug)]
pub(super) struct Up {
    /// Its process.
    pub(super) server: Server,
    /// All its processes.
    pub(super) tree: Tree,
    /// Where it listens.
    pub(super) address: ServiceAddress,
    /// The CPUs that it was given.
    pub(super) cpus: Vec<usize>,
    /// The name of its log.
    pub(super) log: String,
    /// From exec until it was ready.
    pub(super) startup: Duration,
}

/// Starts a service, waits until it is ready, and sets it up. Nothing of it is left if that fails.
pub(super) fn start(
    setting: &Setting<'_>,
    place: usize,
    above: Vec<ServiceAddress>,
    log_name: &str,
) -> Result<Up, Cut> {
    let service = &setting.ground.matrix.services[place];
    let Prepared::Ready(made) = &setting.prepared[place] else {
        unreachable!("only a service that is built is started")
    };
    let port = match service.port {
        Some(fixed) => fixed,
        None => setting.ground.ports.borrow_mut().take().map_err(|it| Cut::Ours(it.to_string()))?,
    };
    let values = Values {
        host: Ipv4Addr::LOCALHOST.to_string(),
        port: Some(port),
        out: made.out.clone(),
        assets: setting.ground.assets.to_owned(),
        cpus: setting.cpus[place].clone(),
        services: above,
    };
    let log = setting.ground.logs.join(log_name);
    let how = Start {
        ground: setting.ground,
        name: &format!("service-{}", service.name),
        values: &values,
        log: &log,
        is_external: false,
    };
    let server = lifecycle::start(&service.program(), &how)?;
    let tree = Tree::new(server.keeper_pid(), server.containment().group.clone());
    let starting = Starting { setting, service, server: &server, tree: &tree, values, log: &log };
    match starting.until_usable(port) {
        Ok(ready_at) => Ok(Up {
            startup: ready_at.since(server.exec_at()),
            address: ServiceAddress {
                name: service.name.clone(),
                host: Ipv4Addr::LOCALHOST.to_string(),
                port,
            },
            cpus: setting.cpus[place].clone(),
            log: log_name.to_owned(),
            server,
            tree,
        }),
        Err(cut) => {
            // It failed before, and that is what is told.
            let _ = server.stop_by(service.stop_signal, service.stop_grace);
            Err(cut)
        }
    }
}

/// A service that runs, and cannot be used yet.
struct Starting<'s> {
    setting: &'s Setting<'s>,
    service: &'s Service,
    server: &'s Server,
    tree: &'s Tree,
    values: Values,
    log: &'s Path,
}

impl Starting<'_> {
    /// Returns when it was ready.
    fn until_usable(&self, port: u16) -> Result<Instant, Cut> {
        let ready_at = match &self.service.ready {
            Readiness::Tcp => self.wait(port, None)?,
            Readiness::Path(path) => self.wait(port, Some(path))?,
            Readiness::Command(command) => self.ask(command)?,
        };
        self.run(&self.service.setup, self.log, self.service.build_timeout).map_err(|failure| {
            match failure {
                StepFailure::Interrupted => Cut::Interrupted,
                failure => failure.at(Stage::Start).into(),
            }
        })?;
        Ok(ready_at)
    }

    /// Until somebody takes connections, or answers.
    fn wait(&self, port: u16, path: Option<&str>) -> Result<Instant, Cut> {
        let pids = || self.tree.pids();
        let wait = Wait {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            path,
            judge: &|status, headers, body| {
                judge_answer(&Expectation::default(), status, headers, body)
            },
            timeout: self.service.ready_timeout,
            tree: Some(&pids),
            keeper: self.server.keeper_pid(),
            exited: &|| self.server.exited(),
            is_interrupted: self.setting.ground.interrupt.flag(),
        };
        let ready = ready::wait(&wait).map_err(|not_ready| match not_ready {
            NotReady::Interrupted => Cut::Interrupted,
            NotReady::CannotAsk(reason) => Cut::Ours(reason),
            NotReady::Exited(exit) => {
                let reason = not_ready.to_string();
                let failed = Failed::new(Stage::Start, reason);
                Failed { exit_code: exit.code, signal: exit.signal, ..failed }.into()
            }
            other => Failed::new(Stage::Start, other.to_string()).into(),
        })?;
        self.setting.ground.note_unknown(&ready);
        Ok(ready.at)
    }

    /// Until a command says so. Only what it printed last is of interest.
    fn ask(&self, command: &Command) -> Result<Instant, Cut> {
        let log = self.log.with_extension("ready.log");
        let deadline = clock::now() + self.service.ready_timeout;
        loop {
            // The first time there is none.
            let _ = fs::remove_file(&log);
            let limit = deadline.remaining().max(PERIOD);
            let failure = match self.run(std::slice::from_ref(command), &log, limit) {
                Ok(()) => {
                    let _ = fs::remove_file(&log);
                    return Ok(clock::now());
                }
                Err(StepFailure::Interrupted) => return Err(Cut::Interrupted),
                Err(failure) => failure,
            };
            if let Some(exit) = self.server.ended(&|| self.tree.survivors()) {
                let reason = NotReady::Exited(exit).to_string();
                let failed = Failed::new(Stage::Start, reason);
                return Err(Failed { exit_code: exit.code, signal: exit.signal, ..failed }.into());
            }
            if let StepFailure::NotRun { .. } = failure {
                // It will not do better the next time.
                return Err(failure.at(Stage::Start).into());
            }
            if deadline.is_past() {
                let within = write_duration(self.service.ready_timeout);
                let failed = failure.at(Stage::Start);
                let reason = format!("not ready within {within}: {}", failed.reason);
                return Err(Failed { reason, exit_code: None, signal: None, ..failed }.into());
            }
            clock::sleep_until((clock::now() + PERIOD).min(deadline));
        }
    }

    fn run(&self, commands: &[Command], log: &Path, limit: Duration) -> Result<(), StepFailure> {
        steps::run_all(&Steps {
            commands,
            dir: &self.service.dir,
            env: &self.service.env,
            values: &self.values,
            path: self.setting.ground.path,
            log,
            limit,
            may_fetch: false,
            is_interrupted: self.setting.ground.interrupt.flag(),
        })
    }
}
