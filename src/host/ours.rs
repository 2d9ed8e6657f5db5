//! CPU time of ourselves: of our process and of the keepers; and how much of it watching cost, rather than the load.

use std::collections::{BTreeMap, BTreeSet};

use crate::clock;
use crate::processes;

/// CPU time of ourselves so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Ours {
    process_us: u64,
    keepers_us: u64,
    /// Of each of our threads, in nanoseconds, by number.
    threads: BTreeMap<u32, u64>,
}

impl Ours {
    /// Reads now.
    pub(super) fn read(keepers: &[u32]) -> Self {
        let threads = processes::thread_times(std::process::id());
        Self {
            process_us: clock::process_cpu_nanos() / 1000,
            keepers_us: keepers.iter().map(|keeper| cpu_us(*keeper)).sum(),
            threads: threads.iter().map(|thread| (thread.tid, thread.nanos)).collect(),
        }
    }

    /// What our process and the keepers used since then, in microseconds.
    pub(super) fn since(&self, earlier: &Self) -> u64 {
        let sum = |it: &Self| it.process_us + it.keepers_us;
        sum(self).saturating_sub(sum(earlier))
    }

    /// What watching cost since then, in microseconds: the keepers, and all of our threads but those that make the load.
    ///
    /// # Errors
    /// If our threads cannot be read.
    pub(super) fn observer_since(
        &self,
        earlier: &Self,
        load: &BTreeSet<u32>,
    ) -> Result<u64, String> {
        if self.threads.is_empty() || earlier.threads.is_empty() {
            return Err("our own threads cannot be read".to_owned());
        }
        let watching = self.threads.iter().filter(|(tid, _)| !load.contains(tid));
        let then = |tid| earlier.threads.get(tid).copied().unwrap_or(0);
        let nanos: u64 = watching.map(|(tid, now)| now.saturating_sub(then(tid))).sum();
        Ok(nanos / 1000 + self.keepers_us.saturating_sub(earlier.keepers_us))
    }
}

/// CPU time of a process so far, in microseconds; of one that is gone, zero.
pub(super) fn cpu_us(pid: u32) -> u64 {
    processes::cpu_nanos(pid).unwrap_or(0) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_watching_cost_is_all_of_ours_but_the_load() {
        let ours = |process_us, keepers_us, threads: &[(u32, u64)]| Ours {
            process_us,
            keepers_us,
            threads: threads.iter().copied().collect(),
        };
        let opened = ours(12_000, 10, &[(1, 5_000_000), (2, 7_000_000)]);
        let closed = ours(16_000, 35, &[(1, 6_000_000), (2, 9_000_000), (3, 400_000)]);
        assert_eq!(closed.since(&opened), 4025);
        let observer =
            |load: &[u32]| closed.observer_since(&opened, &load.iter().copied().collect());
        assert_eq!(observer(&[2]), Ok(1000 + 400 + 25));
        assert_eq!(observer(&[2, 3]), Ok(1000 + 25));
        assert!(Ours::default().observer_since(&opened, &BTreeSet::new()).is_err());
    }

    #[test]
    fn we_are_read() {
        let opened = Ours::read(&[]);
        let until = clock::thread_cpu_nanos() + 3_000_000;
        while clock::thread_cpu_nanos() < until {}
        let closed = Ours::read(&[]);
        let observer_us = closed.observer_since(&opened, &BTreeSet::new()).expect("threads");
        assert!(observer_us >= 3000 && closed.since(&opened) >= 3000, "{observer_us}");
    }
}
