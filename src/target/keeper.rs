//! The keeper: the small parent that owns a server's whole process tree and never outlives us.
//!
//! Its order and commands come on its standard input, its reports go to its standard output. It is a subreaper, so all
//! that descends from the server becomes its child sooner or later, however often it forks or leaves its session; when
//! the kernel says that it has no child left, the tree is gone. It sleeps in poll; nothing here spins.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitStatus};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::log::Log;
use super::order::{
    Command, Exit, Fault, KeepOrder, LaunchOrder, Launched, Report, Started, Stopped, write_line,
};
use super::pipe::{Lines, drain, wait_for_input, wake_up};
use super::{reaper, system};
use crate::affinity;
use crate::clock::{self, Instant};
use crate::matrix::service::StopSignal;

/// Between two looks at the size of the log: while it grows fast, and while it does not.
const LOG_PERIODS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(500));
/// Growth between two looks that is fast, in bytes.
const FAST: u64 = 1 << 20;
/// The longest that a launcher may take until exec.
const LAUNCH_LIMIT: Duration = Duration::from_secs(10);

/// What the hidden verb `keep` does; returns an exit code when nothing of the server is left.
pub fn keep() -> u8 {
    match Keeper::start() {
        Ok(mut keeper) => keeper.run(),
        Err(reason) => {
            report(&Report::NotStarted(Fault::ours(reason)));
            1
        }
    }
}

struct Keeper {
    orders: Lines,
    children_changed: UnixStream,
    told_to_end: UnixStream,
    main: Option<Pid>,
    group: Option<PathBuf>,
    log: Option<Log>,
    log_period: Duration,
    stopping: Option<Stopping>,
}

struct Stopping {
    since: Instant,
    deadline: Instant,
    /// What it was asked to end by.
    signal: Signal,
    /// Whether those that outlived the main process were asked to end.
    are_others_told: bool,
}

impl Keeper {
    fn start() -> Result<Self, String> {
        let say = |what: &str, error: io::Error| format!("the keeper cannot {what}: {error}");
        // It was started by a path that is the same for every program; who looks at a list of processes sees a name.
        system::take_our_name();
        // Before anything can happen that they tell of.
        let children_changed = wake_up(&[SIGCHLD]).map_err(|e| say("see its children end", e))?;
        let told_to_end =
            wake_up(&[SIGTERM, SIGINT, SIGHUP]).map_err(|e| say("take signals", e))?;
        let mut orders = Lines::new(rustix::stdio::stdin()).map_err(|e| say("read orders", e))?;
        let order = orders.wait_for_line(clock::now() + LAUNCH_LIMIT);
        let order: KeepOrder = order
            .and_then(|line| Ok(serde_json::from_str(&line)?))
            .map_err(|error| say("read its order", error))?;
        leave_and_guard(order.parent).map_err(|error| say("take its place", error))?;
        let pinned = affinity::pin_current_thread(&order.cpus);
        let log = Log::open(&order.launch.log).map_err(|error| {
            format!("the log `{}` cannot be written: {error}", order.launch.log.display())
        })?;
        let mut keeper = Self {
            orders,
            children_changed,
            told_to_end,
            main: None,
            group: order.launch.group.clone(),
            log: Some(log),
            log_period: LOG_PERIODS.0,
            stopping: None,
        };
        // Our own place is no reason to do without the server; that it is another one is told.
        keeper.launch(&order, pinned.err().map(|error| error.to_string()));
        Ok(keeper)
    }

    /// Starts the launcher and reports what became of it.
    fn launch(&mut self, order: &KeepOrder, without_cpus: Option<String>) {
        match launched(&order.program, &order.launch) {
            Ok(mut started) => {
                started.without_cpus = started.without_cpus.or(without_cpus);
                self.main = i32::try_from(started.pid).ok().and_then(Pid::from_raw);
                if started.without_group.is_some() {
                    self.group = None;
                }
                report(&Report::Started(started));
            }
            Err(fault) => report(&Report::NotStarted(fault)),
        }
    }

    fn run(&mut self) -> u8 {
        let mut next_look = clock::now() + LOG_PERIODS.0;
        loop {
            let is_tree_gone = self.reap();
            let has_ended = match self.take_orders() {
                Ok(()) => drain(&self.told_to_end),
                Err(_) => true,
            };
            if has_ended {
                self.end_tree();
                return 0;
            }
            if let Some(stopped) = self.stop_further(is_tree_gone) {
                report(&stopped);
                return 0;
            }
            if next_look.is_past() {
                next_look = clock::now() + self.look_at_log();
            }
            let wake_at = self.stopping.as_ref().map_or(Instant::NEVER, |it| it.deadline);
            self.sleep_until(if is_tree_gone { wake_at } else { wake_at.min(next_look) });
        }
    }

    fn sleep_until(&self, instant: Instant) {
        let wake_on =
            [self.orders.as_fd(), self.children_changed.as_fd(), self.told_to_end.as_fd()];
        wait_for_input(&wake_on, instant);
    }

    /// Whether no child is left. Reports the main process's end.
    fn reap(&mut self) -> bool {
        drain(&self.children_changed);
        let main = self.main;
        reaper::reap(|pid, status| {
            if Some(pid) == main {
                self.main = None;
                report(&Report::Exited(exit(status)));
            }
        })
    }

    /// # Errors
    /// When we, who give the orders, are gone.
    fn take_orders(&mut self) -> io::Result<()> {
        self.orders.read()?;
        while let Some(line) = self.orders.next_line() {
            let Command::Stop { signal, grace_ms } = serde_json::from_str(&line)?;
            let signal = match signal {
                StopSignal::Term => Signal::TERM,
                StopSignal::Int => Signal::INT,
                StopSignal::Quit => Signal::QUIT,
                StopSignal::Hup => Signal::HUP,
            };
            let since = clock::now();
            let deadline = since + Duration::from_millis(grace_ms);
            if let Some(main) = self.main {
                // It may have left this group, and is asked itself too then.
                if rustix::process::kill_process_group(main, signal).is_err() {
                    let _ = rustix::process::kill_process(main, signal);
                }
            }
            self.stopping = Some(Stopping { since, deadline, signal, are_others_told: false });
        }
        Ok(())
    }

    /// The report, once nothing is left or the grace is over.
    fn stop_further(&mut self, is_tree_gone: bool) -> Option<Report> {
        let stopping = self.stopping.as_mut()?;
        let since = stopping.since;
        let forced = !is_tree_gone && stopping.deadline.is_past();
        if !is_tree_gone && !forced {
            // A main process that ends does not always take along what it started, or it was a daemon's first half.
            if self.main.is_none() && !stopping.are_others_told {
                stopping.are_others_told = true;
                reaper::signal_descendants(stopping.signal);
            }
            return None;
        }
        let left = self.end_tree();
        let took = clock::now().since(since);
        Some(Report::Stopped(Stopped { forced, left, took, exit: None }))
    }

    /// Kills what is left, removes the group, finishes the log; how many processes could not be killed.
    fn end_tree(&mut self) -> usize {
        let children_changed = &self.children_changed;
        let main = self.main.take();
        if let Some(main) = main {
            // All that can be done where `/proc` is hidden and there is no control group.
            let _ = rustix::process::kill_process_group(main, Signal::KILL);
            let _ = rustix::process::kill_process(main, Signal::KILL);
        }
        let left = reaper::kill_all(
            self.group.as_deref(),
            |until| {
                wait_for_input(&[children_changed.as_fd()], until);
                drain(children_changed);
            },
            |pid, status| {
                if Some(pid) == main {
                    report(&Report::Exited(exit(status)));
                }
            },
        );
        if let Some(log) = self.log.take() {
            // A log that cannot be shortened stays long; that is no reason to leave anything else undone.
            let _ = log.finish();
        }
        left
    }

    /// Keeps the log small; how soon it must be looked at again.
    fn look_at_log(&mut self) -> Duration {
        let Some(log) = &mut self.log else { return LOG_PERIODS.1 };
        match log.keep_small() {
            Ok(grown) => {
                if grown.dropped > 0 {
                    report(&Report::LogCut { dropped: grown.dropped });
                }
                self.log_period =
                    if grown.bytes > FAST { LOG_PERIODS.0 } else { self.log_period * 2 };
                self.log_period = self.log_period.min(LOG_PERIODS.1);
            }
            // It will not work the next time either.
            Err(_) => self.log = None,
        }
        self.log_period
    }
}

/// Leaves our session, takes in the orphans of the tree, and asks for a signal at our death.
fn leave_and_guard(parent: u32) -> io::Result<()> {
    rustix::process::setsid()?;
    system::take_in_orphans()?;
    system::die_with_parent(Signal::TERM)?;
    // Had we died before the call, no signal would ever come.
    let now = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
    if now == Some(parent) { Ok(()) } else { Err(io::Error::other("its parent is gone")) }
}

/// The launcher, once exec has made it the server.
fn launched(program: &Path, order: &LaunchOrder) -> Result<Started, Fault> {
    let say = |error: io::Error| {
        Fault::ours(format!("`{}` cannot be launched: {error}", program.display()))
    };
    let mut child = process::Command::new(program)
        .arg0("orchestrate")
        .arg("launch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(say)?;
    let (to, from) = (child.stdin.take(), child.stdout.take());
    let (Some(to), Some(from)) = (to, from) else { unreachable!("both were asked for") };
    write_line(to, order).map_err(say)?;
    let deadline = clock::now() + LAUNCH_LIMIT;
    let mut status = Lines::new(from).map_err(say)?;
    let (mut exec_at, mut without_group, mut without_cpus) = (None, None, None);
    loop {
        // The pipe closes at exec, and with the launcher.
        let line = match status.wait_for_line(deadline) {
            Ok(line) => line,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(say(error)),
        };
        match serde_json::from_str(&line) {
            Ok(Launched::ExecAt(instant)) => exec_at = Some(instant),
            Ok(Launched::WithoutGroup(reason)) => without_group = Some(reason),
            Ok(Launched::WithoutCpus(reason)) => without_cpus = Some(reason),
            Ok(Launched::Failed(fault)) => return Err(fault),
            Err(error) => return Err(say(error.into())),
        }
    }
    let exec_at = exec_at.ok_or_else(|| say(io::Error::other("it ended early")))?;
    Ok(Started { pid: child.id(), exec_at, without_group, without_cpus })
}

fn exit(status: WaitStatus) -> Exit {
    Exit { code: status.exit_status(), signal: status.terminating_signal() }
}

fn report(report: &Report) {
    // When nobody reads any more our orders end too, which is acted upon.
    let _ = write_line(io::stdout(), report);
}
