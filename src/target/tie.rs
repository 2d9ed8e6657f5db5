//! The thread that starts a keeper, hears its reports and outlives it.
//!
//! A parent-death signal comes when the *thread* that started a process ends, not its process; so the thread that
//! starts a keeper must not end before it. If the keeper is killed, its tree is ended from here: by its control group, and
//! what had left that, or has none, as orphans that come to us.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::mark::{self, Owner};
use super::order::{Exit, Fault, Report, Started, Stopped};
use super::{group, orphans};
use crate::clock::Instant;

/// What ending a group may take.
const END_LIMIT: Duration = Duration::from_secs(15);

#[derive(Debug, Default)]
pub(super) struct Shared {
    heard: Mutex<Heard>,
    news: Condvar,
}

/// What the keeper has told so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) started: Option<Result<Started, Fault>>,
    pub(super) exit: Option<Exit>,
    pub(super) stopped: Option<Stopped>,
    pub(super) log_dropped: u64,
    pub(super) is_keeper_gone: bool,
}

impl Shared {
    /// What was heard so far.
    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something was heard, the keeper is gone, or time is over.
    pub(super) fn wait_until(
        &self,
        deadline: Instant,
        is_heard: impl Fn(&Heard) -> bool,
    ) -> MutexGuard<'_, Heard> {
        let is_waiting = |heard: &mut Heard| !is_heard(heard) && !heard.is_keeper_gone;
        let waited = self.news.wait_timeout_while(self.heard(), deadline.remaining(), is_waiting);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

pub(super) type Spawned = Result<(u32, ChildStdin), String>;

/// Starts a keeper; the thread ends after it.
pub(super) fn spawn(
    program: &Path,
    shared: Arc<Shared>,
    group: Option<PathBuf>,
) -> (JoinHandle<()>, Spawned) {
    let (tell, told) = mpsc::channel::<Spawned>();
    let program = program.to_owned();
    let reader = thread::spawn(move || {
        let started = orphans::start_keeper(|| spawn_keeper(&program));
        let keeper = match started {
            Ok((pid, (mut child, orders))) => {
                let heard_by = tell.send(Ok((pid, orders)));
                debug_assert!(heard_by.is_ok(), "the caller waits for it");
                hear(&mut child, &shared);
                Some(pid)
            }
            Err(reason) => {
                // The caller waits for it.
                let _ = tell.send(Err(reason));
                None
            }
        };
        if let Some(group) = group.filter(|group| group.exists()) {
            group::end(&group, END_LIMIT);
        }
        // One that ended in order has left nobody. What even now does not end is told where its port is looked at.
        keeper.map(orphans::end_those_of);
        let mut heard = shared.heard();
        heard.is_keeper_gone = true;
        // Whoever watches the server must not wait for it any more; how it ended nobody saw.
        heard.exit.get_or_insert(Exit { code: None, signal: None });
        drop(heard);
        shared.news.notify_all();
    });
    let spawned = told.recv().unwrap_or_else(|_| Err("its thread ended".to_owned()));
    (reader, spawned)
}

fn spawn_keeper(program: &Path) -> Result<(u32, (Child, ChildStdin)), String> {
    let mut child = Command::new(program)
        .arg0("orchestrate")
        .arg("keep")
        // Should it be stopped by a signal when we die, it stays; then it is known by this.
        .envs(Owner::me().map(|me| (mark::VARIABLE, me.to_string())))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{}`: {error}", program.display()))?;
    let orders = child.stdin.take().ok_or("it has no standard input")?;
    Ok((child.id(), (child, orders)))
}

/// Takes in reports until the keeper is gone.
fn hear(child: &mut Child, shared: &Shared) {
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let Ok(line) = line else { break };
        let Ok(report) = serde_json::from_str(&line) else { continue };
        take_in(&mut shared.heard(), report);
        shared.news.notify_all();
    }
    // Its pipe is closed, so it has ended or is about to.
    let _ = child.wait();
}

fn take_in(heard: &mut Heard, report: Report) {
    match report {
        Report::Started(started) => heard.started = Some(Ok(started)),
        Report::NotStarted(fault) => heard.started = Some(Err(fault)),
        Report::Exited(exit) => heard.exit = Some(exit),
        Report::LogCut { dropped } => heard.log_dropped += dropped,
        Report::Stopped(stopped) => heard.stopped = Some(stopped),
    }
}
