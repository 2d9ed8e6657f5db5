//! What `/proc` tells of processes, threads and listening sockets.
//!
//! Everything here is a reading of a moment: a process may be gone before its facts are used, and then it is left out.
//! Not here: who belongs to a server; that is for `target` and `usage` to say.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Read as _;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::sync::OnceLock;

use procfs::net::{TcpNetEntry, TcpState};
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

/// A TCP socket that does not listen: a connection, or what is left of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// Its inode; 0 if no process holds it any more, as in `TIME_WAIT`.
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
    with_zombies().filter(|process| !process.is_zombie).collect()
}

fn with_zombies() -> impl Iterator<Item = Facts> {
    let all = hidden().is_none().then(procfs::process::all_processes);
    all.into_iter().flatten().flatten().filter_map(|process| facts(&process.ok()?))
}

/// The children of a process, zombies among them.
pub fn children(parent: u32) -> Vec<Facts> {
    with_zombies().filter(|process| process.parent == parent).collect()
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

/// A variable of the environment that a process was started with; `None` also if it is gone, hidden from us, or has
/// written over it.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let mut text = Vec::new();
    open(pid)?.open_relative("environ").ok()?.read_to_end(&mut text).ok()?;
    let value = |entry: &[u8]| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    text.split(|byte| *byte == 0).find_map(value)
}

/// The user as whom a process runs, by number.
pub fn user(pid: u32) -> Option<u32> {
    open(pid)?.uid().ok()
}

/// The number of the namespace in which the calling process has its pid; pids of others mean nothing here.
pub fn pid_namespace() -> Option<u64> {
    if hidden().is_some() {
        return None;
    }
    std::fs::metadata("/proc/self/ns/pid").ok().map(|namespace| namespace.ino())
}

/// Why nothing can be learned of processes here, if so.
pub fn hidden() -> Option<&'static str> {
    static OWN: OnceLock<Option<&'static str>> = OnceLock::new();
    *OWN.get_or_init(|| match std::fs::read_link("/proc/self") {
        Err(_) => Some("`/proc` is not there"),
        // Pids read from it would be those of strangers.
        Ok(own) if own.to_str() != Some(&std::process::id().to_string()) => {
            Some("`/proc` is that of another PID namespace")
        }
        Ok(_) => None,
    })
}

/// Every listening TCP socket of this network namespace; none if they are hidden.
pub fn listeners() -> Vec<Listener> {
    listeners_if_told().unwrap_or_default()
}

/// The same; `None` if the system does not tell.
pub fn listeners_if_told() -> Option<Vec<Listener>> {
    let listening = tcp()?.into_iter().filter(|entry| entry.state == TcpState::Listen);
    let listener =
        |entry: TcpNetEntry| Listener { address: entry.local_address, inode: entry.inode };
    Some(listening.map(listener).collect())
}

/// Every other TCP socket that has this port at its own end; none if they are hidden.
pub fn connections_from(port: u16) -> Vec<Connection> {
    let entries = tcp().unwrap_or_default().into_iter();
    entries
        .filter(|entry| entry.state != TcpState::Listen && entry.local_address.port() == port)
        .map(|entry| Connection {
            local: entry.local_address,
            remote: entry.remote_address,
            inode: entry.inode,
        })
        .collect()
}

fn tcp() -> Option<Vec<TcpNetEntry>> {
    // Not all of `/proc` is there everywhere, but where processes are, each has these.
    let me = Process::myself().ok()?;
    let mut all = me.tcp().ok()?;
    // Where there is no IPv6 there is no table of it.
    all.extend(me.tcp6().unwrap_or_default());
    Some(all)
}

/// Inodes of the sockets that a process holds open; empty if it is gone or hidden from us.
pub fn sockets(pid: u32) -> HashSet<u64> {
    sockets_if_told(pid).unwrap_or_default()
}

/// The same; `None` if it is hidden from us, as that of another user is.
pub fn sockets_if_told(pid: u32) -> Option<HashSet<u64>> {
    let Some(process) = open(pid) else { return Some(HashSet::new()) };
    let Ok(files) = process.fd() else {
        // One that has just ended holds none any more.
        let is_there = facts(&process).is_some_and(|facts| !facts.is_zombie);
        return (!is_there).then(HashSet::new);
    };
    let socket = |file: procfs::ProcResult<procfs::process::FDInfo>| match file.ok()?.target {
        FDTarget::Socket(inode) => Some(inode),
        _ => None,
    };
    Some(files.filter_map(socket).collect())
}

fn open(pid: u32) -> Option<Process> {
    if hidden().is_some() {
        return None;
    }
    Process::new(i32::try_from(pid).ok()?).ok()
}

fn facts(process: &Process) -> Option<Facts> {
    let stat = process.stat().ok()?;
    Some(Facts {
        pid: u32::try_from(stat.pid).ok()?,
        parent: u32::try_from(stat.ppid).unwrap_or(0),
        group: u32::try_from(stat.pgrp).unwrap_or(0),
        is_zombie: has_ended(stat.state, stat.num_threads),
        name: stat.comm,
        start_ticks: stat.starttime,
        threads: u64::try_from(stat.num_threads).unwrap_or(0),
        user_ticks: stat.utime,
        system_ticks: stat.stime,
        waited_user_ticks: u64::try_from(stat.cutime).unwrap_or(0),
        waited_system_ticks: u64::try_from(stat.cstime).unwrap_or(0),
    })
}

/// One whose first thread has ended while others go on is shown as a zombie too.
fn has_ended(state: char, threads: i64) -> bool {
    matches!(state, 'Z' | 'X') && threads <= 1
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
        assert_eq!(hidden(), None);
        assert!(pid_namespace().is_some_and(|number| number > 0));
        assert_eq!(user(me), Some(rustix::process::geteuid().as_raw()));
    }

    #[test]
    fn the_environment_that_a_process_was_started_with_is_read() {
        // One that says something has its environment; in the middle of exec there is none.
        let mut child = std::process::Command::new("sh");
        let child = child.args(["-c", "echo; exec sleep 60"]).env("MARK", "one=two");
        let mut child = child.stdout(std::process::Stdio::piped()).spawn().expect("sh");
        let mut said = [0];
        child.stdout.take().expect("piped").read_exact(&mut said).expect("a line");
        let told = loop {
            let told = ["MARK", "MAR", "MARK2"].map(|name| variable(child.id(), name));
            if told[0].is_some() || child.try_wait().expect("wait").is_some() {
                break told;
            }
        };
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert_eq!(told, [Some("one=two".to_owned()), None, None]);
        assert_eq!(variable(child.id(), "MARK"), None);
    }

    #[test]
    fn a_process_has_ended_when_all_its_threads_have() {
        for (state, threads, over) in
            [('Z', 1, true), ('Z', 0, true), ('X', 1, true), ('Z', 2, false), ('S', 1, false)]
        {
            assert_eq!(has_ended(state, threads), over, "{state} {threads}");
        }
    }

    #[test]
    fn a_connection_is_found_by_the_port_of_its_own_end() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let client = std::net::TcpStream::connect(address).expect("connect");
        let found = connections_from(client.local_addr().expect("address").port());
        assert!(found.iter().any(|it| it.remote == address), "{found:?}");
        assert!(connections_from(address.port()).iter().all(|it| it.local == address));
    }
}
