//! Waiting for, signalling and ending all that descends from this process, which is a subreaper.
//!
//! Used by the keeper alone: waiting for any child would take children away from anyone else in the process.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::{ending, group, system};
use crate::clock::{self, Instant};
use crate::processes;

/// How long killing may take; a process can be stuck in the kernel, and then it cannot be helped.
const KILL_LIMIT: Duration = Duration::from_secs(5);

/// Waits for every child that has ended; whether none is left at all, and so no descendant.
pub(super) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Ok(None) => return false,
            Err(rustix::io::Errno::INTR) => {}
            // No child.
            Err(_) => return system::has_no_orphans(),
        }
    }
}

/// Sends a signal to every descendant.
pub(super) fn signal_descendants(signal: Signal) {
    for (pid, start_ticks) in descendants() {
        ending::send(pid, start_ticks, signal);
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
            // Where `/proc` is hidden there is still the child that could not be waited for.
            left = processes::descendants(std::process::id()).len().max(1);
            break;
        }
        if group.is_none_or(|group| group::kill(group).is_err()) {
            ending::stop_then_kill(descendants);
        }
        pause(clock::now() + Duration::from_millis(50));
        // Those that had left the group, which only root can.
        if group.is_some() && !reap(&mut ended) {
            ending::stop_then_kill(descendants);
        }
    }
    if let Some(group) = group
        && !group::end(group, KILL_LIMIT)
    {
        left = left.max(1);
    }
    left
}

/// All that descends from this process, each with the tick at which it started.
fn descendants() -> Vec<(u32, u64)> {
    let all = processes::all();
    let below: BTreeSet<u32> = processes::among(&all, std::process::id()).into_iter().collect();
    let named = all.iter().filter(|process| below.contains(&process.pid));
    named.map(|process| (process.pid, process.start_ticks)).collect()
}
