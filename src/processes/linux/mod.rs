//! What `/proc` tells.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use procfs::process::Process;

use super::{Connection, Facts, Listener, Shares, Size, ThreadState, ThreadTime, among};

mod family;
mod memory;
mod ours;
mod sockets;
mod stat;
mod threads;

pub use family::Family;
pub use memory::{memory_shares, resident_peak, size};
pub use ours::{hidden, namespaces, pid_namespace, user, variable};
pub use sockets::{connections_from, listeners, listeners_if_told, sockets, sockets_if_told};
pub use threads::{thread_states, thread_times};

/// Why it is never told who holds a socket: it is.
pub const SOCKETS_UNTOLD: Option<&str> = None;
/// Why threads of others are never told: they are.
pub const THREADS_UNTOLD: Option<&str> = None;
/// Why CPU time is never told by mode: it is.
pub const MODES_UNTOLD: Option<&str> = None;
/// Why what an ended process had used is never told: it is, by whoever waited for it.
pub const ENDED_UNTOLD: Option<&str> = None;

/// The bit of `SIGCHLD` (17) in a mask of signals.
const SIGCHLD_BIT: u64 = 1 << 16;

/// Clock ticks in a second, the unit of [`Facts::user_ticks`].
pub fn ticks_per_second() -> u64 {
    procfs::ticks_per_second().max(1)
}

/// One process, if it is there.
pub fn find(pid: u32) -> Option<Facts> {
    stat::find(pid)
}

/// Every process that can be read, except zombies.
pub fn all() -> Vec<Facts> {
    let mut all = stat::everyone();
    all.retain(|process| !process.is_zombie);
    all
}

/// The children of a process, zombies among them.
pub fn children(parent: u32) -> Vec<Facts> {
    let mut all = stat::everyone();
    all.retain(|process| process.parent == parent);
    all
}

/// CPU time of a process with all its threads, exited ones included, in nanoseconds: the clock that the kernel keeps for
/// it. `None` if it is gone. One that has ended and was not waited for keeps its time.
pub fn cpu_nanos(pid: u32) -> Option<u64> {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).ok()?);
    let time = nix::time::clock_getcpuclockid(pid).ok()?.now().ok()?;
    let (seconds, nanos) = (time.tv_sec(), time.tv_nsec());
    Some(u64::try_from(seconds).ok()? * 1_000_000_000 + u64::try_from(nanos).ok()?)
}

/// Whether a process ignores the end of its children (`SIGCHLD`), so that their CPU time is nobody's. `None` if it is gone
/// or hidden from us.
pub fn ignores_children(pid: u32) -> Option<bool> {
    let ignored = |status: &str| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        Some(u64::from_str_radix(mask.trim(), 16).ok()? & SIGCHLD_BIT != 0)
    };
    stat::small(&format!("/proc/{pid}/status"), ignored).ok()
}

/// Files, sockets and the like that a process holds open.
///
/// # Errors
/// Why they cannot be counted.
pub fn open_files(pid: u32) -> Result<u64, String> {
    let path = format!("/proc/{pid}/fd");
    let hidden = |error: std::io::Error| format!("`{path}` cannot be read: {error}");
    // Since Linux 6.2 the size of the folder is their number; but it is told also to those who may not look inside.
    let size = fs::metadata(&path).map_err(hidden)?.len();
    if size > 0 { Ok(size) } else { Ok(fs::read_dir(&path).map_err(hidden)?.count() as u64) }
}

/// Threads of a process; `None` if it is gone.
pub fn threads(pid: u32) -> Option<u64> {
    // A folder has two links, and one more for each folder in it: for each thread, here.
    fs::metadata(format!("/proc/{pid}/task")).ok()?.nlink().checked_sub(2)
}

/// The words a process was started with, or its name; `None` if it is gone.
pub fn command_line(pid: u32) -> Option<String> {
    let words = open(pid)?.cmdline().unwrap_or_default();
    if words.is_empty() { find(pid).map(|facts| facts.name) } else { Some(words.join(" ")) }
}

fn open(pid: u32) -> Option<Process> {
    if hidden().is_some() {
        return None;
    }
    Process::new(i32::try_from(pid).ok()?).ok()
}

/// The number of the calling thread.
pub fn own_thread() -> Option<u32> {
    Some(rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs())
}
