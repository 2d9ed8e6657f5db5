//! What `/proc` tells of the threads of a process: how long they ran and waited, where they may run, how often they were
//! switched.
//!
//! A server may have hundreds of them, and they are read while it is measured; so files are read by hand here, each in
//! three calls of the system.

use std::fs;

use super::stat::small;
use super::{ThreadState, ThreadTime, ticks_per_second};

/// CPU time of each thread of a process; empty if it is gone.
pub fn thread_times(pid: u32) -> Vec<ThreadTime> {
    of_each(pid, |folder, tid| {
        let (nanos, wait_nanos) = match small(&format!("{folder}/schedstat"), parse_schedule) {
            Ok((ran, waited)) => (ran, Some(waited)),
            Err(_) => (small(&format!("{folder}/stat"), parse_ticks).ok()?, None),
        };
        Some(ThreadTime { tid, nanos, wait_nanos })
    })
}

/// The state of each thread of a process; empty if it is gone or hidden from us.
pub fn thread_states(pid: u32) -> Vec<ThreadState> {
    of_each(pid, |folder, tid| {
        small(&format!("{folder}/status"), |status| parse_state(tid, status)).ok()
    })
}

fn of_each<T>(pid: u32, read: impl Fn(&str, u32) -> Option<T>) -> Vec<T> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let tids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    tids.filter_map(|tid| read(&format!("/proc/{pid}/task/{tid}"), tid)).collect()
}

/// Nanoseconds on a CPU, and waiting for one (Documentation/scheduler/sched-stats.rst of Linux).
fn parse_schedule(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split_ascii_whitespace().map(str::parse);
    Some((fields.next()?.ok()?, fields.next()?.ok()?))
}

/// User and kernel time of a line of `stat`, in nanoseconds; its fields follow the name, which may hold anything (proc(5)).
fn parse_ticks(text: &str) -> Option<u64> {
    let (_, after_name) = text.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let ticks = fields.next()?.ok()? + fields.next()?.ok()?;
    Some(ticks * (1_000_000_000 / ticks_per_second()))
}

fn parse_state(tid: u32, status: &str) -> Option<ThreadState> {
    let field = |name: &str| {
        let mut lines = status.lines().rev().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value.trim())
    };
    Some(ThreadState {
        tid,
        cpus: field("Cpus_allowed_list")?.to_owned(),
        switches_voluntary: field("voluntary_ctxt_switches")?.parse().ok()?,
        switches_involuntary: field("nonvoluntary_ctxt_switches")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_read_whatever_its_name_is() {
        assert_eq!(parse_schedule("1531092 86586 5\n"), Some((1_531_092, 86_586)));
        let stat = "7 (a) S 1 (b) c) S 1 7 7 0 -1 4194304 1 2 3 4 12 17 0 0 20 0 1 0 99\n";
        let tick = 1_000_000_000 / ticks_per_second();
        assert_eq!(parse_ticks(stat), Some(29 * tick));
        for text in ["", "7", "7 (a) S 1 7"] {
            assert_eq!((parse_schedule(text), parse_ticks(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn a_state_is_read_by_name_and_never_made_up() {
        let status = "Name:\tvoluntary_ctxt_switches: 5\nCpus_allowed_list:\t0,2-3\n\
                      voluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
        let expected = ThreadState {
            tid: 9,
            cpus: "0,2-3".to_owned(),
            switches_voluntary: 12,
            switches_involuntary: 3,
        };
        assert_eq!(parse_state(9, status), Some(expected));
        assert_eq!(parse_state(9, "Cpus_allowed_list:\t0\n"), None);
    }

    #[test]
    fn threads_of_this_process_run_somewhere_and_those_of_none_nowhere() {
        let me = std::process::id();
        assert!(thread_times(me).iter().any(|thread| thread.nanos > 0));
        assert!(thread_states(me).iter().all(|thread| !thread.cpus.is_empty()));
        assert!(thread_times(u32::MAX).is_empty() && thread_states(u32::MAX).is_empty());
    }
}
