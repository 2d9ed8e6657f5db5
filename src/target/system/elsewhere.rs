//! macOS: a keeper without control groups, subreapers, and signals at a parent's death.
//!
//! What is given up: a tree is found by its session and its environment, as `processes` gives orphans back to their keeper;
//! what leaves the one and hides the other gets away. When a keeper is killed, the run that started it ends the tree in its
//! place; when both are killed at one stroke, the tree goes on until the next run sweeps it, which knows it by its mark.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rustix::process::{
    Pid, Signal, WaitOptions, getppid, kill_process, setpgid, test_kill_process, waitpid,
};

use crate::processes;

/// Why there are no control groups, whatever the machine.
pub(in crate::target) const WITHOUT_GROUPS: Option<&str> = Some("macOS has no control groups");
/// Why we do not know where our own binary is.
pub(in crate::target) const NO_PROGRAM: &str = "the system does not tell where we are";

/// Orphans go to launchd: they are given back where processes are read.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
pub(in crate::target) fn take_in_orphans() -> io::Result<()> {
    Ok(())
}

/// Nobody is told of a parent's death here: that its pipe ends must do, which a keeper reads. A server reads none, so one
/// whose keeper is killed is ended by the run.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
pub(in crate::target) fn die_with_parent(_signal: Signal) -> io::Result<()> {
    Ok(())
}

/// Makes the calling process, a server to be, lead a process group of its own. It stays in the session of its keeper, by
/// which its orphans are found.
pub(in crate::target) fn lead() -> io::Result<()> {
    Ok(setpgid(None, None)?)
}

/// A variable for a server's environment, by which orphans that leave the session are given back to their keeper: our parent.
pub(in crate::target) fn mark_of_keeper() -> Option<(&'static str, String)> {
    let keeper = getppid()?.as_raw_nonzero().get().unsigned_abs();
    let start = processes::find(keeper)?.start_ticks;
    Some((processes::KEEPER, format!("{keeper}-{start}")))
}

/// Whether nothing descends from us that is no child of ours, once we have no child.
pub(in crate::target) fn has_no_orphans() -> bool {
    processes::descendants(std::process::id()).is_empty()
}

/// Whether an orphan, or a child, has ended. launchd waits for orphans.
pub(in crate::target) fn has_ended(orphan: u32) -> bool {
    let Some(pid) = i32::try_from(orphan).ok().and_then(Pid::from_raw) else { return true };
    match waitpid(Some(pid), WaitOptions::NOHANG) {
        Ok(ended) => ended.is_some(),
        Err(_) => test_kill_process(pid) == Err(rustix::io::Errno::SRCH),
    }
}

/// Signals a process if it `is_meant`. There are no handles on processes: one that gets the number in between is hit.
pub(in crate::target) fn signal(pid: Pid, signal: Signal, is_meant: impl FnOnce() -> bool) {
    if is_meant() {
        // It may have ended since it was seen.
        let _ = kill_process(pid, signal);
    }
}

/// Whether there are holes here. There are, but no safe call that makes one; so logs are cut off, and begin again.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
pub(in crate::target) fn punch_hole(_file: &File, _from: u64, _length: u64) -> io::Result<bool> {
    Ok(false)
}

/// Our own binary; if another one has taken its place on disk since we started, that one.
pub(in crate::target) fn running_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// A process is named by its program here, which is ours.
pub(in crate::target) fn take_our_name() {}
