//! Linux: subreapers, signals at a parent's death, handles on processes, holes in files, control groups.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, pidfd_send_signal,
    set_child_subreaper, set_parent_process_death_signal, setsid, waitpid,
};

/// Why there are no control groups, whatever the machine: there are.
pub(in crate::target) const WITHOUT_GROUPS: Option<&str> = None;
/// Why we do not know where our own binary is.
pub(in crate::target) const NO_PROGRAM: &str = "`/proc` is not there, so where we are is not known";

/// From here on orphans of what we start come to us.
pub(in crate::target) fn take_in_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Asks for a signal when the thread that started us ends.
pub(in crate::target) fn die_with_parent(signal: Signal) -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(signal))?)
}

/// Makes the calling process, a server to be, lead a session of its own.
pub(in crate::target) fn lead() -> io::Result<()> {
    setsid()?;
    Ok(())
}

/// What tells a keeper's orphans besides: nothing, they come to it.
pub(in crate::target) fn mark_of_keeper() -> Option<(&'static str, String)> {
    None
}

/// Whether nothing descends from us that is no child of ours, once we have no child: so it is, as orphans come to us.
pub(in crate::target) fn has_no_orphans() -> bool {
    true
}

/// Whether an orphan has ended. It is waited for with this.
pub(in crate::target) fn has_ended(orphan: u32) -> bool {
    let pid = i32::try_from(orphan).ok().and_then(Pid::from_raw);
    !matches!(waitpid(pid, WaitOptions::NOHANG), Ok(None))
}

/// Signals a process if it `is_meant`, and no other that has got its pid since.
pub(in crate::target) fn signal(pid: Pid, signal: Signal, is_meant: impl FnOnce() -> bool) {
    // From here on the handle is of one process, whoever has its pid later.
    let handle = pidfd_open(pid, PidfdFlags::empty());
    if !is_meant() {
        return;
    }
    // It may have ended since it was seen. Where there are no such handles, the pid must do.
    let _ = match handle {
        Ok(handle) => pidfd_send_signal(handle, signal),
        Err(_) => kill_process(pid, signal),
    };
}

/// Gives a part of a file back to the file system, its size unchanged; whether there are holes here.
pub(in crate::target) fn punch_hole(file: &File, from: u64, length: u64) -> io::Result<bool> {
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    match fallocate(file, hole, from, length) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Our own binary, also when another one has taken its place on disk since we started.
pub(in crate::target) fn running_program() -> Option<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    running.exists().then_some(running)
}

/// Gives the calling process our name, whatever path it was started by.
pub(in crate::target) fn take_our_name() {
    let _ = std::fs::write("/proc/self/comm", env!("CARGO_PKG_NAME"));
}
