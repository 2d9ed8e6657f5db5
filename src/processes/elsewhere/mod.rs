//! What stands for `/proc` on macOS: sysinfo, and what it costs.
//!
//! - CPU time comes as a whole, in milliseconds, that of ended threads included. That of ended children is not told, nor is user
//!   time apart from the kernel's.
//! - Threads, who holds a socket, how memory is shared and the most that there was are not told, each with its reason.
//! - A start is known to a second, so a number that is used again within it passes for the same process.
//! - An orphan goes to launchd, whoever started it, and is given back: see `orphans`.
//! - Every look reads the arguments and the environment of all processes: some ten times the work of a look at `/proc`.
//!
//! The tests run it on Linux too, where it is held against `/proc`.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use nix::unistd;
use sysinfo::{
    Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind,
};

use super::{Connection, Facts, Listener, Shares, Size, ThreadState, ThreadTime, among};

mod orphans;

use orphans::LAUNCHD;

/// Why it is never told who holds a socket.
pub const SOCKETS_UNTOLD: Option<&str> = Some("macOS does not tell who holds a socket");
/// Why threads of others are never told.
pub const THREADS_UNTOLD: Option<&str> = Some("threads are not told by macOS");
/// Why CPU time is never told by mode.
pub const MODES_UNTOLD: Option<&str> = Some("CPU time of a process is told as a whole by macOS");
/// Why what an ended process had used is never told.
pub const ENDED_UNTOLD: Option<&str> =
    Some("a process of the server ended in the window, and what it had used is not told by macOS");

/// Nanoseconds in a step of CPU time: sysinfo tells whole milliseconds.
const STEP_NANOS: u64 = 1_000_000;

/// The descendants of a process, through time: they are looked for anew each time.
#[derive(Debug, Default)]
pub struct Family {
    root: u32,
}

impl Family {
    /// The descendants of `root`, of which nothing is known yet.
    pub fn new(root: u32) -> Self {
        Self { root }
    }

    /// All that descends from it now.
    pub fn look(&mut self) -> Vec<Facts> {
        let all = everyone();
        let below: HashSet<u32> = among(&all, self.root).into_iter().collect();
        all.into_iter().filter(|process| below.contains(&process.pid)).collect()
    }
}

/// Steps of CPU time in a second, the unit of [`Facts::user_ticks`].
pub fn ticks_per_second() -> u64 {
    1_000_000_000 / STEP_NANOS
}

/// One process, if it is there.
pub fn find(pid: u32) -> Option<Facts> {
    of(pid, everything(), facts)
}

/// Every process that can be read, except zombies.
pub fn all() -> Vec<Facts> {
    let mut all = everyone();
    all.retain(|process| !process.is_zombie);
    all
}

/// The children of a process, and the orphans that are given back to it.
pub fn children(parent: u32) -> Vec<Facts> {
    let mut all = everyone();
    all.retain(|process| process.parent == parent);
    all
}

/// CPU time of a process with all its threads, exited ones included, in nanoseconds, to a millisecond. `None` if it is gone.
pub fn cpu_nanos(pid: u32) -> Option<u64> {
    let cpu = ProcessRefreshKind::nothing().with_cpu();
    of(pid, cpu, |process| process.accumulated_cpu_time() * STEP_NANOS)
}

/// Whether a process ignores the end of its children: not told.
pub fn ignores_children(_pid: u32) -> Option<bool> {
    None
}

/// Files, sockets and the like that a process holds open.
///
/// # Errors
/// Why they cannot be counted.
pub fn open_files(pid: u32) -> Result<u64, String> {
    let count = of(pid, ProcessRefreshKind::nothing(), Process::open_files).flatten();
    // Of others' processes there is no count, which shows as none.
    let count = count.filter(|count| *count > 0);
    count.map(|count| count as u64).ok_or_else(|| format!("what pid {pid} holds open is not told"))
}

/// Threads of a process: not told.
pub fn threads(_pid: u32) -> Option<u64> {
    None
}

/// The number of the calling thread: none that anything else goes by.
pub fn own_thread() -> Option<u32> {
    None
}

/// CPU time of each thread of a process: not told.
pub fn thread_times(_pid: u32) -> Vec<ThreadTime> {
    Vec::new()
}

/// The state of each thread of a process: not told.
pub fn thread_states(_pid: u32) -> Vec<ThreadState> {
    Vec::new()
}

/// The words a process was started with, or its name; `None` if it is gone.
pub fn command_line(pid: u32) -> Option<String> {
    let words = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    of(pid, words, |process| {
        let words: Vec<String> = process.cmd().iter().map(|word| text(word)).collect();
        if words.is_empty() { text(process.name()) } else { words.join(" ") }
    })
}

/// How a process shares its memory.
///
/// # Errors
/// Always: it is not told.
pub fn memory_shares(_pid: u32) -> Result<Shares, String> {
    Err("how memory is shared is not told by macOS".to_owned())
}

/// The most resident memory that a process has had.
///
/// # Errors
/// Always: it is not told.
pub fn resident_peak(_pid: u32) -> Result<u64, String> {
    Err("the most memory that a process has had is not told by macOS".to_owned())
}

/// How much memory a process has; `None` if it is gone.
pub fn size(pid: u32) -> Option<Size> {
    of(pid, ProcessRefreshKind::nothing().with_memory(), |process| Size {
        resident_bytes: process.memory(),
        virtual_bytes: process.virtual_memory(),
    })
}

/// A variable of the environment that a process was started with; `None` also if it is gone or not ours to look at.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    of(pid, environment, |process| value(process.environ(), name)).flatten()
}

/// The user as whom a process runs, by number.
pub fn user(pid: u32) -> Option<u32> {
    let user = ProcessRefreshKind::nothing().with_user(UpdateKind::Always);
    of(pid, user, |process| process.effective_user_id().map(|user| **user)).flatten()
}

/// The namespace in which the calling process has its pid: there is but one.
pub fn pid_namespace() -> Option<u64> {
    Some(1)
}

/// The namespaces in which a pid and a start hold: there is but one.
pub fn namespaces() -> Option<u64> {
    pid_namespace()
}

/// Why nothing can be learned of processes here, if so.
pub fn hidden() -> Option<&'static str> {
    None
}

/// Every listening TCP socket: not told.
pub fn listeners() -> Vec<Listener> {
    Vec::new()
}

/// The same: not told.
pub fn listeners_if_told() -> Option<Vec<Listener>> {
    None
}

/// Every other TCP socket that has this port at its own end: not told.
pub fn connections_from(_port: u16) -> Vec<Connection> {
    Vec::new()
}

/// Inodes of the sockets that a process holds open: not told.
pub fn sockets(_pid: u32) -> HashSet<u64> {
    HashSet::new()
}

/// The same: not told.
pub fn sockets_if_told(_pid: u32) -> Option<HashSet<u64>> {
    None
}

/// What `read` makes of a process, once this much of it has been read; `None` if it is gone.
fn of<T>(pid: u32, what: ProcessRefreshKind, read: impl FnOnce(&Process) -> T) -> Option<T> {
    let mut system = System::new().ok()?;
    let pid = Pid::from_u32(pid);
    let one = ProcessesToUpdate::Some(&[pid]);
    system.refresh_processes_specifics(one, true, what.without_tasks());
    system.process(pid).map(read)
}

/// What [`facts`] needs.
fn everything() -> ProcessRefreshKind {
    ProcessRefreshKind::nothing().with_cpu().with_environ(UpdateKind::Always).without_tasks()
}

/// Every process that is shown to us.
fn everyone() -> Vec<Facts> {
    let Ok(mut system) = System::new() else { return Vec::new() };
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, everything());
    system.processes().values().map(facts).collect()
}

fn facts(process: &Process) -> Facts {
    let pid = process.pid().as_u32();
    let parent = process.parent().map_or(0, Pid::as_u32);
    let adopted = if parent == LAUNCHD { orphans::foster(process) } else { None };
    Facts {
        pid,
        parent: adopted.unwrap_or(parent),
        group: asked(pid, unistd::getpgid).unwrap_or(0),
        name: text(process.name()),
        is_zombie: process.status() == ProcessStatus::Zombie,
        start_ticks: process.start_time(),
        threads: 0,
        user_ticks: process.accumulated_cpu_time(),
        system_ticks: 0,
        waited_user_ticks: 0,
        waited_system_ticks: 0,
    }
}

/// What a call of the system tells of a process, which is the number of another; the kernel's own have none.
fn asked(pid: u32, call: fn(Option<unistd::Pid>) -> nix::Result<unistd::Pid>) -> Option<u32> {
    // Zero would be the calling process.
    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0)?;
    let told = call(Some(unistd::Pid::from_raw(pid))).ok()?;
    u32::try_from(told.as_raw()).ok()
}

fn value(environment: &[OsString], name: &str) -> Option<String> {
    environment.iter().find_map(|entry| {
        let value = entry.as_bytes().strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::super::linux;
    use super::*;

    #[test]
    fn a_process_is_told_as_proc_tells_it() {
        // It waits for a line without becoming another program, so that both readings are of the same.
        let mut child = Command::new("sh");
        child.args(["-c", "echo; read line"]).env("MARK", "one=two").stdin(Stdio::piped());
        let mut child = child.stdout(Stdio::piped()).spawn().expect("sh");
        child.stdout.as_mut().expect("piped").read_exact(&mut [0]).expect("a line");
        let pid = child.id();
        let (here, there) = (find(pid).expect("it runs"), linux::find(pid).expect("it runs"));
        let told = |it: &Facts| (it.pid, it.parent, it.group, it.name.clone(), it.is_zombie);
        assert_eq!(told(&here), told(&there));
        assert!(all().contains(&here) && children(here.parent).contains(&here), "{here:?}");
        let me = std::process::id();
        let below: Vec<u32> = Family::new(me).look().iter().map(|it| it.pid).collect();
        assert!(below.contains(&pid) && !below.contains(&me), "{below:?}");
        assert_eq!(command_line(pid), linux::command_line(pid));
        assert_eq!(user(pid), linux::user(pid));
        assert_eq!(size(pid), linux::size(pid));
        assert_eq!(open_files(pid), linux::open_files(pid));
        assert_eq!(variable(pid, "MARK").as_deref(), Some("one=two"));
        assert_eq!((variable(pid, "MAR"), variable(pid, "MARK2")), (None, None));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert_eq!((find(pid), size(pid), cpu_nanos(pid), user(pid)), (None, None, None, None));
        assert!(open_files(pid).is_err_and(|why| why.contains("not told")));
    }

    #[test]
    fn cpu_time_is_that_of_all_threads_to_some_milliseconds() {
        let me = std::process::id();
        let until = crate::clock::thread_cpu_nanos() + 30_000_000;
        while crate::clock::thread_cpu_nanos() < until {}
        // What others of these tests use in between is on top.
        let before = linux::cpu_nanos(me).expect("a clock");
        let told = cpu_nanos(me).expect("CPU time");
        let after = linux::cpu_nanos(me).expect("a clock");
        // Linux counts it in ticks, and sysinfo takes it from there.
        let slack = 3 * 1_000_000_000 / linux::ticks_per_second();
        assert!(told >= 30_000_000 - slack, "{told}");
        assert!(told + slack >= before && told <= after + slack, "{before} {told} {after}");
        let facts = find(me).expect("this process");
        let ticks = facts.user_ticks * (1_000_000_000 / ticks_per_second());
        assert!(ticks + slack >= told, "{facts:?}");
    }
}
