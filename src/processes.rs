//! What `/proc` tells of processes, threads and listening sockets.
//!
//! Everything here is a reading of a moment: a process may be gone before its facts are used, and then it is left out.
//! Not here: who belongs to a server; that is for `target` and `usage` to say.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use procfs::process::Process;

mod family;
mod memory;
mod ours;
mod sockets;
mod stat;
mod threads;

pub use family::Family;
pub use memory::{Shares, Size, memory_shares, resident_peak, size};
pub use ours::{hidden, namespaces, pid_namespace, user, variable};
pub use sockets::{
    Connection, Listener, connections_from, listeners, listeners_if_told, sockets, sockets_if_told,
};
pub use threads::{ThreadState, ThreadTime, thread_states, thread_times};

/// The bit of `SIGCHLD` (17) in a mask of signals.
const SIGCHLD_BIT: u64 = 1 << 16;

/// One process, as its line in `/proc/PID/stat` tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its number.
    pub pid: u32,
    /// The process that must wait for it.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// The name of its program, 15 bytes at most.
    pub name: String,
    /// Whether it has ended and waits to be waited for.
    pub is_zombie: bool,
    /// When it started, in clock ticks since the machine did; with the pid it names a process for good.
    pub start_ticks: u64,
    /// Threads.
    pub threads: u64,
    /// CPU time in user mode, exited threads included, in clock ticks.
    pub user_ticks: u64,
    /// CPU time in the kernel, exited threads included, in clock ticks.
    pub system_ticks: u64,
    /// CPU time in user mode of children that it has waited for, and of theirs, in clock ticks.
    pub waited_user_ticks: u64,
    /// The same in the kernel.
    pub waited_system_ticks: u64,
}

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

/// All that descends from `root`, without `root` itself and without zombies.
pub fn descendants(root: u32) -> Vec<u32> {
    among(&all(), root)
}

/// The same among processes that were read before.
pub fn among(processes: &[Facts], root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for process in processes {
        children.entry(process.parent).or_default().push(process.pid);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        // Taken out, so that a parent that was read at another moment cannot lead in a circle.
        let below = children.remove(&parent).unwrap_or_default();
        open.extend(&below);
        found.extend(below);
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32) -> Facts {
        Facts {
            pid,
            parent,
            group: pid,
            name: "p".into(),
            is_zombie: false,
            start_ticks: 0,
            threads: 1,
            user_ticks: 0,
            system_ticks: 0,
            waited_user_ticks: 0,
            waited_system_ticks: 0,
        }
    }

    #[test]
    fn descendants_are_found_at_any_depth_and_circles_end() {
        let table = [process(2, 1), process(3, 2), process(4, 3), process(5, 1), process(1, 4)];
        let mut found = among(&table, 2);
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 4, 5]);
        assert_eq!(among(&table[..2], 9), [0u32; 0]);
    }

    #[test]
    fn this_process_is_found_with_its_threads_and_its_socket() {
        let me = std::process::id();
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = socket.local_addr().expect("address");
        let facts = find(me).expect("facts");
        assert!(facts.threads >= 1 && facts.start_ticks > 0 && !facts.is_zombie);
        assert!(!thread_times(me).is_empty());
        let listener =
            listeners().into_iter().find(|listener| listener.address == address).expect("listens");
        assert!(sockets(me).contains(&listener.inode));
        assert!(threads(me).is_some_and(|threads| threads >= 2));
        assert_eq!(threads(u32::MAX), None);
        assert!(open_files(me).is_ok_and(|count| count > 3));
        assert!(open_files(u32::MAX).is_err());
        assert_eq!(ignores_children(me), Some(false));
        assert!(command_line(me).is_some_and(|words| !words.is_empty()));
        assert_eq!(find(u32::MAX), None);
        assert_eq!(hidden(), None);
        assert!(pid_namespace().is_some_and(|number| number > 0));
        assert_eq!(user(me), Some(rustix::process::geteuid().as_raw()));
    }
}
