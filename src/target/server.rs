//! A started server: a handle on its keeper.
//!
//! Whatever becomes of the handle, nothing of the server stays: dropping it closes the keeper's pipe, and the keeper
//! ends the tree. If the keeper itself is killed, the tree is ended from here: see `tie`.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::ChildStdin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::mark::{self, Owner};
use super::order::{self, Exit, Fault, KeepOrder, LaunchOrder, Stopped, write_line};
use super::tie::{self, Shared};
use super::{group, system};
use crate::clock::{self, Instant};
use crate::matrix::service::StopSignal;

/// The longest that keeper and launcher may take to get a server to exec.
const START_LIMIT: Duration = Duration::from_secs(20);
/// What killing and cleaning up may take beyond the grace.
const STOP_LIMIT: Duration = Duration::from_secs(15);

/// How a server is started.
#[derive(Debug, Clone)]
pub struct StartOrder {
    /// Names its control group.
    pub name: String,
    /// The program and its arguments, placeholders filled in.
    pub argv: Vec<String>,
    /// The folder that it runs in.
    pub dir: PathBuf,
    /// Its whole environment.
    pub env: BTreeMap<String, String>,
    /// Its CPUs; empty leaves it on ours.
    pub cpus: Vec<usize>,
    /// The keeper's CPUs; empty leaves it on ours.
    pub keeper_cpus: Vec<usize>,
    /// The file that takes its output.
    pub log: PathBuf,
    /// Its limit of open files.
    pub open_files: Option<u64>,
    /// Whether the process that answers is another one, which its command may only tell to.
    pub is_external: bool,
}

/// Why there is no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartFailure {
    /// The target's fault: its program cannot be run.
    #[error("{reason}")]
    Target {
        /// Why, as shown.
        reason: String,
    },
    /// Our fault.
    #[error("a server cannot be kept: {reason}")]
    Keeper {
        /// Why, as shown.
        reason: String,
    },
}

impl From<Fault> for StartFailure {
    fn from(Fault { reason, is_ours }: Fault) -> Self {
        if is_ours { Self::Keeper { reason } } else { Self::Target { reason } }
    }
}

/// What holds a server's tree together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Containment {
    /// `cgroup2` or `keeper`, as recorded.
    pub name: &'static str,
    /// The control group's folder.
    pub group: Option<PathBuf>,
    /// Why there is no control group.
    pub absent: Option<String>,
    /// Why the server, or its keeper, is not kept on its CPUs, if so.
    pub without_cpus: Option<String>,
}

/// The keeper ended before it said that the server had stopped; the tree was ended from here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the keeper of a server ended unexpectedly")]
pub struct KeeperGone;

/// A running server, or one that has ended by itself and is still kept.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    orders: Option<ChildStdin>,
    reader: Option<JoinHandle<()>>,
    containment: Containment,
    pid: u32,
    keeper_pid: u32,
    exec_at: Instant,
    log: PathBuf,
    is_external: bool,
}

impl Server {
    /// Starts a server and returns once its program runs, which does not mean that it is ready.
    ///
    /// # Errors
    /// Whose fault it is that it does not run, and why.
    pub fn start(order: &StartOrder) -> Result<Self, StartFailure> {
        let keeper_fault = |reason: String| StartFailure::Keeper { reason };
        let program = own_program().map_err(|error| keeper_fault(error.to_string()))?;
        let containment = contain(&order.name);
        let shared = Arc::new(Shared::default());
        let (reader, spawned) =
            tie::spawn(&program, Arc::clone(&shared), containment.group.clone());
        let (keeper_pid, mut orders) = spawned.map_err(keeper_fault)?;
        let keep_order = keep_order(order, program, containment.group.clone());
        // What it makes of its order is heard from its reports, or from its end.
        let _ = write_line(&mut orders, &keep_order);
        let mut server = Self {
            shared,
            orders: Some(orders),
            reader: Some(reader),
            containment,
            pid: 0,
            keeper_pid,
            exec_at: clock::now(),
            log: order.log.clone(),
            is_external: order.is_external,
        };
        let heard =
            server.shared.wait_until(clock::now() + START_LIMIT, |heard| heard.started.is_some());
        let started = heard.started.clone();
        drop(heard);
        let silent = || Err(keeper_fault("it ended, or was silent for too long".to_owned()));
        let started = started.map_or_else(silent, |it| it.map_err(StartFailure::from))?;
        server.pid = started.pid;
        server.exec_at = Instant::from_nanos(started.exec_at);
        server.containment.without_cpus = started.without_cpus;
        if started.without_group.is_some() {
            // Empty; if it stays it is swept at the next start.
            server.containment.group.take().iter().for_each(|group| group::remove(group));
            server.containment.name = "keeper";
            server.containment.absent = started.without_group;
        }
        Ok(server)
    }

    /// The process that the command became.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The keeper, of which the whole tree descends.
    pub fn keeper_pid(&self) -> u32 {
        self.keeper_pid
    }

    /// The instant just before exec.
    pub fn exec_at(&self) -> Instant {
        self.exec_at
    }

    /// What holds its tree together.
    pub fn containment(&self) -> &Containment {
        &self.containment
    }

    /// How its main process ended, if it has.
    pub fn exited(&self) -> Option<Exit> {
        self.shared.heard().exit
    }

    /// The same, once it has been heard of: what the end of a process does is seen a moment before the end itself.
    pub fn exited_within(&self, within: Duration) -> Option<Exit> {
        self.shared.wait_until(clock::now() + within, |heard| heard.exit.is_some()).exit
    }

    /// How its main process ended, if the server ended with it. One that exits with 0 may have left a daemon behind that
    /// serves on, which is seen by `tree`, its pids; or what serves is external.
    pub fn ended(&self, tree: &dyn Fn() -> Vec<u32>) -> Option<Exit> {
        let serves_on =
            |exit: &Exit| self.is_external && exit.code == Some(0) || exit.leaves_daemon(tree);
        self.exited().filter(|exit| !serves_on(exit))
    }

    /// Bytes of output that it has written so far; `None` if the log cannot be looked at.
    pub fn output_bytes(&self) -> Option<u64> {
        let size = std::fs::metadata(&self.log).ok()?.len();
        Some(size + self.shared.heard().log_dropped)
    }

    /// SIGTERM, `grace`, SIGKILL; returns when nothing of it is left.
    ///
    /// # Errors
    /// When the keeper is gone; by then so is the tree.
    pub fn stop(self, grace: Duration) -> Result<Stopped, KeeperGone> {
        self.stop_by(StopSignal::Term, grace)
    }

    /// The same by another signal than SIGTERM.
    ///
    /// # Errors
    /// When the keeper is gone; by then so is the tree.
    pub fn stop_by(mut self, signal: StopSignal, grace: Duration) -> Result<Stopped, KeeperGone> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        if let Some(orders) = &mut self.orders {
            // A keeper that cannot be told is gone, which is waited for just the same.
            let _ = write_line(orders, &order::Command::Stop { signal, grace_ms });
        }
        // A server may have stopped it, to be left alone.
        self.signal_keeper(Signal::CONT);
        let deadline = clock::now() + grace + STOP_LIMIT;
        let heard = self.shared.wait_until(deadline, |heard| heard.stopped.is_some());
        let stopped = heard.stopped.map(|stopped| Stopped { exit: heard.exit, ..stopped });
        drop(heard);
        if stopped.is_none() {
            self.signal_keeper(Signal::KILL);
        }
        stopped.ok_or(KeeperGone)
    }

    fn signal_keeper(&self, signal: Signal) {
        let keeper = i32::try_from(self.keeper_pid).ok().and_then(Pid::from_raw);
        // Nobody waits for it while this is held, so its number is still its own.
        let heard = self.shared.heard();
        if let Some(keeper) = keeper.filter(|_| !heard.is_keeper_reaped) {
            // It may have ended just now.
            let _ = kill_process(keeper, signal);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its orders is the keeper's order to end everything; the reader ends with the keeper.
        self.orders = None;
        self.signal_keeper(Signal::CONT);
        drop(self.shared.wait_until(clock::now() + STOP_LIMIT, |_| false));
        // One that does not end when it should is killed; its tree goes with it.
        self.signal_keeper(Signal::KILL);
        if let Some(reader) = self.reader.take() {
            // It does not panic, and if it did there would be nothing to add here.
            let _ = reader.join();
        }
    }
}

/// Our own binary, also when another one has taken its place on disk since we started.
pub(super) fn own_program() -> io::Result<PathBuf> {
    if let Some(running) = system::running_program() {
        return Ok(running);
    }
    let typed = PathBuf::from(std::env::args_os().next().unwrap_or_default());
    if typed.components().count() > 1 {
        return std::path::absolute(typed);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(&typed));
    let no_program = || io::Error::other(system::NO_PROGRAM);
    found.into_iter().find(|program| program.is_file()).ok_or_else(no_program)
}

fn contain(name: &str) -> Containment {
    match group::create(name) {
        Ok(group) => {
            Containment { name: "cgroup2", group: Some(group), absent: None, without_cpus: None }
        }
        Err(reason) => {
            Containment { name: "keeper", group: None, absent: Some(reason), without_cpus: None }
        }
    }
}

fn keep_order(order: &StartOrder, program: PathBuf, group: Option<PathBuf>) -> KeepOrder {
    let mut env = order.env.clone();
    // Should we and the keeper be killed at one stroke, the next start knows by it whose this was.
    env.extend(Owner::me().map(|me| (mark::VARIABLE.to_owned(), me.to_string())));
    KeepOrder {
        program,
        parent: std::process::id(),
        cpus: order.keeper_cpus.clone(),
        launch: LaunchOrder {
            argv: order.argv.clone(),
            dir: order.dir.clone(),
            env,
            cpus: order.cpus.clone(),
            log: order.log.clone(),
            open_files: order.open_files,
            group,
        },
    }
}
