//! Ending processes that want to go on: stopped first, so that none can start another while the rest is being killed.

use std::collections::HashMap;

use rustix::process::{Pid, Signal};

use super::system;
use crate::processes;

/// Rounds of stopping before killing; a fork bomb stops growing after a few.
const STOP_ROUNDS: usize = 50;

/// Stops all that `find` finds, again and again until it finds nobody new, and kills them. It names each by pid and by the
/// tick at which it started.
pub(super) fn stop_then_kill(mut find: impl FnMut() -> Vec<(u32, u64)>) {
    let mut seen: HashMap<u32, u64> = HashMap::new();
    for _ in 0..STOP_ROUNDS {
        let fresh: Vec<(u32, u64)> = find()
            .into_iter()
            .filter(|(pid, start)| seen.insert(*pid, *start) != Some(*start))
            .collect();
        if fresh.is_empty() {
            break;
        }
        for (pid, start) in fresh {
            send(pid, start, Signal::STOP);
        }
    }
    for (pid, start) in seen {
        send(pid, start, Signal::KILL);
    }
}

/// Signals the process that started at this tick, and no other that has got its pid since.
pub(super) fn send(pid: u32, start_ticks: u64, signal: Signal) {
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    system::signal(raw, signal, || {
        processes::find(pid).is_some_and(|process| process.start_ticks == start_ticks)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_that_was_meant_is_signalled() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        let start = processes::find(child.id()).expect("it runs").start_ticks;
        send(child.id(), start + 1, Signal::KILL);
        assert!(child.try_wait().expect("wait").is_none(), "another one was meant");
        stop_then_kill(|| vec![(child.id(), start)]);
        let status = child.wait().expect("wait");
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    }
}
