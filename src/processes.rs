//! What `/proc` tells of processes, threads and listening sockets.
//!
//! Everything here is a reading of a moment: a process may be gone before its facts are used, and then it is left out.
//! Not here: who belongs to a server; that is for `target` and `usage` to say.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::SocketAddr;

use procfs::net::TcpState;
use procfs::process::{FDTarget, Process, Task};

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

/// CPU time of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadTime {
    /// The thread's number.
    pub tid: u32,
    /// CPU time so far, in nanoseconds.
    pub nanos: u64,
    /// How long it was ready to run and waited for a CPU, in nanoseconds; `None` where the kernel does not tell.
    pub wait_nanos: Option<u64>,
    /// Whether it comes from the scheduler in nanoseconds, rather than from ticks.
    pub is_exact: bool,
}

/// A listening TCP socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listener {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its inode, as `/proc/PID/fd` names it.
    pub inode: u64,
}

/// Clock ticks in a second, the unit of [`Facts::user_ticks`].
pub fn ticks_per_second() -> u64 {
    procfs::ticks_per_second().max(1)
}

/// One process, if it is there.
pub fn find(pid: u32) -> Option<Facts> {
    facts(&open(pid)?)
}

/// Every process that can be read, except zombies.
pub fn all() -> Vec<Facts> {
    let Ok(processes) = procfs::process::all_processes() else { return Vec::new() };
    processes
        .filter_map(|process| facts(&process.ok()?))
        .filter(|process| !process.is_zombie)
        .collect()
}

/// All that descends from `root`, without `root` itself and without zombies.
pub fn descendants(root: u32) -> Vec<u32> {
    among(&all(), root)
}

fn among(processes: &[Facts], root: u32) -> Vec<u32> {
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

/// CPU time of each thread of a process; empty if it is gone.
pub fn thread_times(pid: u32) -> Vec<ThreadTime> {
    let Some(tasks) = open(pid).and_then(|process| process.tasks().ok()) else {
        return Vec::new();
    };
    tasks.filter_map(|task| thread_time(&task.ok()?)).collect()
}

fn thread_time(task: &Task) -> Option<ThreadTime> {
    let tid = u32::try_from(task.tid).ok()?;
    if let Ok(schedule) = task.schedstat() {
        let (nanos, wait_nanos) = (schedule.sum_exec_runtime, Some(schedule.run_delay));
        return Some(ThreadTime { tid, nanos, wait_nanos, is_exact: true });
    }
    let stat = task.stat().ok()?;
    let nanos = (stat.utime + stat.stime) * (1_000_000_000 / ticks_per_second());
    Some(ThreadTime { tid, nanos, wait_nanos: None, is_exact: false })
}

/// The CPUs that any thread of a process may run on; empty if it is gone.
pub fn allowed_cpus(pid: u32) -> BTreeSet<usize> {
    let Some(tasks) = open(pid).and_then(|process| process.tasks().ok()) else {
        return BTreeSet::new();
    };
    tasks
        .filter_map(|task| task.ok()?.status().ok()?.cpus_allowed_list)
        .flatten()
        .flat_map(|(first, last)| first..=last)
        .filter_map(|cpu| usize::try_from(cpu).ok())
        .collect()
}

/// Memory of a process with shared pages divided among those that share them (PSS), in bytes. Costs milliseconds where
/// much is mapped, during which the process cannot map anything.
pub fn proportional_memory(pid: u32) -> Option<u64> {
    let rollup = open(pid)?.smaps_rollup().ok()?;
    rollup.memory_map_rollup.iter().next()?.extension.map.get("Pss").copied()
}

/// Files, sockets and the like that a process holds open.
pub fn open_files(pid: u32) -> Option<u64> {
    u64::try_from(open(pid)?.fd_count().ok()?).ok()
}

/// The words a process was started with, or its name; `None` if it is gone.
pub fn command_line(pid: u32) -> Option<String> {
    let words = open(pid)?.cmdline().unwrap_or_default();
    if words.is_empty() { find(pid).map(|facts| facts.name) } else { Some(words.join(" ")) }
}

/// Every listening TCP socket of this network namespace.
pub fn listeners() -> Vec<Listener> {
    let four = procfs::net::tcp().unwrap_or_default();
    let six = procfs::net::tcp6().unwrap_or_default();
    four.into_iter()
        .chain(six)
        .filter(|entry| entry.state == TcpState::Listen)
        .map(|entry| Listener { address: entry.local_address, inode: entry.inode })
        .collect()
}

/// Inodes of the sockets that a process holds open; empty if it is gone or hidden from us.
pub fn sockets(pid: u32) -> HashSet<u64> {
    let Some(files) = open(pid).and_then(|process| process.fd().ok()) else {
        return HashSet::new();
    };
    files
        .filter_map(|file| match file.ok()?.target {
            FDTarget::Socket(inode) => Some(inode),
            _ => None,
        })
        .collect()
}

fn open(pid: u32) -> Option<Process> {
    Process::new(i32::try_from(pid).ok()?).ok()
}

fn facts(process: &Process) -> Option<Facts> {
    let stat = process.stat().ok()?;
    Some(Facts {
        pid: u32::try_from(stat.pid).ok()?,
        parent: u32::try_from(stat.ppid).unwrap_or(0),
        group: u32::try_from(stat.pgrp).unwrap_or(0),
        is_zombie: matches!(stat.state, 'Z' | 'X'),
        name: stat.comm,
        start_ticks: stat.starttime,
        threads: u64::try_from(stat.num_threads).unwrap_or(0),
        user_ticks: stat.utime,
        system_ticks: stat.stime,
        waited_user_ticks: u64::try_from(stat.cutime).unwrap_or(0),
        waited_system_ticks: u64::try_from(stat.cstime).unwrap_or(0),
    })
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
        assert!(!allowed_cpus(me).is_empty());
        assert!(proportional_memory(me).is_some_and(|bytes| bytes > 100_000));
        assert!(open_files(me).is_some_and(|count| count > 3));
        assert!(command_line(me).is_some_and(|words| !words.is_empty()));
        assert_eq!(find(u32::MAX), None);
    }
}
