//! What is told of a process, of its memory, its threads and its sockets: shapes that are the same on every system.

use std::net::SocketAddr;

/// One process at a moment.
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
    /// When it started, in clock ticks since the machine did, or as the system counts it; with the pid it names a process for
    /// good.
    pub start_ticks: u64,
    /// Threads; none where they are not told ([`THREADS_UNTOLD`](super::THREADS_UNTOLD)).
    pub threads: u64,
    /// CPU time in user mode, exited threads included, in clock ticks; all of it where modes are not told ([`MODES_UNTOLD`](super::MODES_UNTOLD)).
    pub user_ticks: u64,
    /// CPU time in the kernel, exited threads included, in clock ticks.
    pub system_ticks: u64,
    /// CPU time in user mode of children that it has waited for, and of theirs, in clock ticks.
    pub waited_user_ticks: u64,
    /// The same in the kernel.
    pub waited_system_ticks: u64,
}

/// Memory that a process has, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Resident; what others map too is in it.
    pub resident_bytes: u64,
    /// Its address space.
    pub virtual_bytes: u64,
}

/// Resident memory of a process, as others map it too or do not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// Its part where shared pages are divided among those that map them (PSS), in bytes.
    pub proportional_bytes: u64,
    /// What it alone maps, in bytes.
    pub private_bytes: u64,
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
}

/// Where a thread may run, and how often it did not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadState {
    /// The thread's number.
    pub tid: u32,
    /// The CPUs that it may use: `0,2-3`.
    pub cpus: String,
    /// How often it gave up its CPU, since it began.
    pub switches_voluntary: u64,
    /// How often its CPU was taken from it, since it began.
    pub switches_involuntary: u64,
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
