//! What the system tells of processes, threads and listening sockets.
//!
//! Everything here is a reading of a moment: a process may be gone before its facts are used, and then it is left out. Linux
//! tells by `/proc`; what stands for it on macOS, and what that costs, is said in `elsewhere`. Both have the same functions.
//! Not here: who belongs to a server; that is for `target` and `usage` to say.

use std::collections::HashMap;

#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(
    target_os = "linux",
    allow(
        dead_code,
        unreachable_pub,
        clippy::unnecessary_wraps,
        reason = "tests alone look at it here"
    )
)]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod shapes;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use shapes::{Connection, Facts, Listener, Shares, Size, ThreadState, ThreadTime};
pub use system::{
    ENDED_UNTOLD, Family, MODES_UNTOLD, SOCKETS_UNTOLD, THREADS_UNTOLD, all, children,
    command_line, connections_from, cpu_nanos, find, hidden, ignores_children, listeners,
    listeners_if_told, memory_shares, namespaces, open_files, own_thread, pid_namespace,
    resident_peak, size, sockets, sockets_if_told, thread_states, thread_times, threads,
    ticks_per_second, user, variable,
};

/// The variable of a process's environment that names the run of ours that it belongs to.
pub const OWNER: &str = "ORCHESTRATE_OWNER";
/// The one that names its keeper, where orphans would be nobody's: see `elsewhere`.
pub const KEEPER: &str = "ORCHESTRATE_KEEPER";

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
