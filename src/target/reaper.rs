//! Waiting for, signalling and ending all that descends from this process, which is a subreaper.
//!
//! Used by the keeper alone: waiting for any child would take children away from anyone else in the process.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::group;
use crate::clock::{self, Instant};
use crate::processes;

/// How long killing may take; a process can be stuck in the kernel, and then it cannot be helped.
const KILL_LIMIT: Duration = Duration::from_secs(5);
/// Rounds of stopping before killing; a fork bomb stops growing after a few.
const STOP_ROUNDS: usize = 50;

/// Waits for every child that has ended; whether none is left at all, and so no descendant.
pub(super) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Ok(None) => return false,
            Err(rustix::io::Errno::INTR) => {}
            // No child.
            Err(_) => return true,
        }
    }
}

/// Sends a signal to every descendant.
pub(super) fn signal_descendants(signal: Signal) {
    for pid in processes::descendants(std::process::id()) {
        send(pid, signal);
    }
}

/// Kills every descendant and member of the group, and removes the group. `pause` waits for a child's end, or until an
/// instant. Returns how many are left when it took too long: normally none.
pub(super) fn kill_all(
    group: Option<&Path>,
    mut pause: impl FnMut(Instant),
    mut ended: impl FnMut(Pid, WaitStatus),
) -> usize {
    let deadline = clock::now() + KILL_LIMIT;
    let mut left = 0;
    while !reap(&mut ended) {
        if deadline.is_past() {
            left = processes::descendants(std::process::id()).len();
            break;
        }
        if group.is_none_or(|group| group::kill(group).is_err()) {
            stop_then_kill();
        }
        pause(clock::now() + Duration::from_millis(50));
        // Those that had left the group, which only root can.
        if group.is_some() && !reap(&mut ended) {
            stop_then_kill();
        }
    }
    if let Some(group) = group
        && !group::end(group, KILL_LIMIT)
    {
        left = left.max(1);
    }
    left
}

/// Stopped first, so that none can fork while the others are being killed.
fn stop_then_kill() {
    let me = std::process::id();
    let mut seen = HashSet::new();
    for _ in 0..STOP_ROUNDS {
        let fresh: Vec<u32> =
            processes::descendants(me).into_iter().filter(|pid| seen.insert(*pid)).collect();
        if fresh.is_empty() {
            break;
        }
        for pid in fresh {
            send(pid, Signal::STOP);
        }
    }
    for pid in seen {
        send(pid, Signal::KILL);
    }
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may have ended since it was seen.
        let _ = rustix::process::kill_process(pid, signal);
    }
}
