//! One reading of a tree's CPU time, and what lies between two readings.
//!
//! The control group comes first: microseconds, and processes that have exited are in it. Without one the time of each
//! process is taken from its threads in nanoseconds, or from its ticks where those tell more because a thread has
//! exited; the time of children that have exited is with whoever waited for them, in ticks. One that nobody waits for
//! takes its time with it, and when that shows there is no figure.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::tree::Tree;
use crate::clock::{self, Instant};
use crate::processes;

/// Where CPU time was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuSource {
    /// `cpu.stat` of the tree's control group.
    Group,
    /// The scheduler's figures of each thread.
    Threads,
    /// Ticks of each process.
    Ticks,
}

impl CpuSource {
    /// Its name on disk.
    pub fn name(self) -> &'static str {
        match self {
            Self::Group => "cgroup2",
            Self::Threads => "schedstat",
            Self::Ticks => "stat",
        }
    }

    /// The smallest difference that it can tell.
    pub fn resolution(self) -> Duration {
        match self {
            Self::Group => Duration::from_micros(1),
            Self::Threads => Duration::from_nanos(1),
            Self::Ticks => {
                Duration::from_secs(1) / u32::try_from(processes::ticks_per_second()).unwrap_or(100)
            }
        }
    }
}

/// A tree's CPU time so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuReading {
    /// When it was read.
    pub at: Instant,
    /// Where.
    pub source: CpuSource,
    times: Times,
    /// By thread and the start of its process, so that a number that is used again is another thread.
    threads: BTreeMap<(u32, u64), ThreadUse>,
}

/// What a thread ran, and waited to run, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ThreadUse {
    ran: u64,
    waited: Option<u64>,
}

/// CPU time in microseconds. Where only ticks tell user and system apart, their sum is less exact than the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Times {
    total: u64,
    user: u64,
    system: u64,
}

impl Times {
    fn add(&mut self, more: Self) {
        self.total += more.total;
        self.user += more.user;
        self.system += more.system;
    }

    fn of_ticks(user: u64, system: u64) -> Self {
        let tick_us = 1_000_000 / processes::ticks_per_second();
        let (user, system) = (user * tick_us, system * tick_us);
        Self { total: user + system, user, system }
    }
}

/// What lies between two readings.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuUse {
    /// From the first reading to the second.
    pub interval: Duration,
    /// CPU time, in microseconds.
    pub total_us: u64,
    /// Of it in user mode.
    pub user_us: u64,
    /// Of it in the kernel.
    pub system_us: u64,
    /// Where it was read.
    pub source: CpuSource,
    /// CPUs kept busy, in the mean.
    pub cores_used: f64,
    /// The share of the interval for which its busiest thread ran; `None` if no thread was left to be read.
    pub busiest_thread: Option<f64>,
    /// The share of the interval for which the same thread was ready to run and waited for a CPU.
    pub busiest_thread_wait: Option<f64>,
    /// How long all threads together were ready to run and waited; `None` if a thread ended and took its time with it, or
    /// if the kernel does not tell. Threads that came and went in between are not in it.
    pub run_queue_wait_us: Option<u64>,
}

impl CpuReading {
    /// Reads now; `None` if there is nothing to read, as when the tree has ended and has no group.
    pub fn take(tree: &Tree) -> Option<Self> {
        let at = clock::now();
        let of_group = tree.group().and_then(read_group);
        let pids = tree.pids();
        if of_group.is_none() && pids.is_empty() {
            return None;
        }
        let mut reading = Self {
            at,
            source: CpuSource::Threads,
            times: Times::default(),
            threads: BTreeMap::new(),
        };
        for pid in pids {
            reading.add_process(pid);
        }
        if let Some(keeper) = processes::find(tree.keeper()) {
            let (user, system) = (keeper.waited_user_ticks, keeper.waited_system_ticks);
            reading.times.add(Times::of_ticks(user, system));
        }
        if let Some(times) = of_group {
            (reading.source, reading.times) = (CpuSource::Group, times);
        }
        Some(reading)
    }

    fn add_process(&mut self, pid: u32) {
        let Some(facts) = processes::find(pid) else { return };
        let threads = processes::thread_times(pid);
        if threads.iter().any(|thread| !thread.is_exact) {
            self.source = CpuSource::Ticks;
        }
        let nanos: u64 = threads.iter().map(|thread| thread.nanos).sum();
        let mut times = Times::of_ticks(facts.user_ticks, facts.system_ticks);
        // Threads that have exited are in the ticks only.
        times.total = times.total.max(nanos / 1000);
        self.times.add(times);
        self.times.add(Times::of_ticks(facts.waited_user_ticks, facts.waited_system_ticks));
        let uses = threads.iter().map(|it| {
            let used = ThreadUse { ran: it.nanos, waited: it.wait_nanos };
            ((it.tid, facts.start_ticks), used)
        });
        self.threads.extend(uses);
    }

    /// The total alone, in microseconds, at less cost; see [`CpuReading::total_us`].
    pub fn total_now(tree: &Tree) -> Option<u64> {
        match tree.group() {
            Some(group) => read_group(group).map(|times| times.total),
            None => Self::take(tree).map(|reading| reading.total_us()),
        }
    }

    /// Total CPU time so far, in microseconds; only differences of it mean anything.
    pub fn total_us(&self) -> u64 {
        self.times.total
    }

    /// What lies between an earlier reading and this one; `None` if they come from different sources, or if a process
    /// took its time with it.
    pub fn since(&self, earlier: &Self) -> Option<CpuUse> {
        let is_group = |reading: &Self| reading.source == CpuSource::Group;
        if is_group(self) != is_group(earlier) {
            return None;
        }
        let total_us = self.times.total.checked_sub(earlier.times.total)?;
        let interval = self.at.since(earlier.at);
        let nanos = interval.as_nanos().max(1) as f64;
        let threads = self.threads_since(earlier);
        let busiest = threads.iter().max_by_key(|thread| thread.ran);
        let share = |of: u64| (of as f64 / nanos).min(1.0);
        Some(CpuUse {
            interval,
            total_us,
            user_us: self.times.user.saturating_sub(earlier.times.user),
            system_us: self.times.system.saturating_sub(earlier.times.system),
            source: self.source,
            cores_used: total_us as f64 * 1000.0 / nanos,
            // The ends are read one thread after the other, so it may come out a little above the whole.
            busiest_thread: busiest.map(|thread| share(thread.ran)),
            busiest_thread_wait: busiest.and_then(|thread| thread.waited.map(share)),
            run_queue_wait_us: self.waited_since(earlier, &threads),
        })
    }

    /// What each thread that is there now did since. One that was not there then has run in between only.
    fn threads_since(&self, earlier: &Self) -> Vec<ThreadUse> {
        let since = |(thread, now): (&(u32, u64), &ThreadUse)| {
            let new = ThreadUse { ran: 0, waited: Some(0) };
            let then = earlier.threads.get(thread).copied().unwrap_or(new);
            let waited = now.waited.zip(then.waited).map(|(now, then)| now.saturating_sub(then));
            ThreadUse { ran: now.ran.saturating_sub(then.ran), waited }
        };
        self.threads.iter().map(since).collect()
    }

    /// How long they all waited, if none has gone; of none at all nothing is known.
    fn waited_since(&self, earlier: &Self, threads: &[ThreadUse]) -> Option<u64> {
        let is_whole = earlier.threads.keys().all(|thread| self.threads.contains_key(thread));
        let waits = threads.iter().map(|thread| thread.waited);
        let nanos: u64 = waits.sum::<Option<u64>>().filter(|_| is_whole && !threads.is_empty())?;
        Some(nanos / 1000)
    }
}

fn read_group(group: &Path) -> Option<Times> {
    parse_group(&fs::read_to_string(group.join("cpu.stat")).ok()?)
}

fn parse_group(text: &str) -> Option<Times> {
    let field = |name: &str| {
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(key, _)| *key == name)
            .and_then(|(_, value)| value.trim().parse().ok())
    };
    Some(Times {
        total: field("usage_usec")?,
        user: field("user_usec")?,
        system: field("system_usec")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at_ms: u64, source: CpuSource, total_us: u64, threads: &[(u32, u64)]) -> CpuReading {
        let half = total_us / 2;
        CpuReading {
            at: Instant::from_nanos(at_ms * 1_000_000),
            source,
            times: Times { total: total_us, user: half, system: half },
            threads: threads
                .iter()
                .map(|(tid, us)| ((*tid, 1), ThreadUse { ran: us * 1000, waited: Some(us * 100) }))
                .collect(),
        }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn use_is_what_lies_between_two_readings() {
        let first = reading(0, CpuSource::Group, 1000, &[(1, 500), (2, 9000)]);
        let second = reading(100, CpuSource::Group, 151_000, &[(1, 50_500), (3, 25_000)]);
        let used = second.since(&first).expect("use");
        assert_eq!((used.total_us, used.user_us, used.system_us), (150_000, 75_000, 75_000));
        assert!(close(used.cores_used, 1.5), "{}", used.cores_used);
        assert_eq!(used.busiest_thread, Some(0.5));
        let without_threads = reading(200, CpuSource::Group, 151_000, &[]);
        assert_eq!(without_threads.since(&second).expect("use").busiest_thread, None);
    }

    #[test]
    fn a_thread_that_is_new_has_run_in_between_only() {
        let first = reading(0, CpuSource::Threads, 0, &[]);
        let second = reading(100, CpuSource::Threads, 90_000, &[(7, 90_000)]);
        assert_eq!(second.since(&first).expect("use").busiest_thread, Some(0.9));
    }

    #[test]
    fn waiting_is_known_only_if_no_thread_took_its_own_with_it() {
        let first = reading(0, CpuSource::Group, 0, &[(1, 1000), (2, 1000)]);
        for (threads, expected) in [
            (&[(1, 2000), (2, 1000)][..], Some(100)),
            (&[(1, 2000), (2, 1000), (3, 500)], Some(150)),
            (&[(1, 2000), (3, 500)], None),
            (&[], None),
        ] {
            let used = reading(100, CpuSource::Group, 5000, threads).since(&first).expect("use");
            assert_eq!(used.run_queue_wait_us, expected, "{threads:?}");
        }
        let mut untold = reading(100, CpuSource::Group, 5000, &[(1, 2000), (2, 1000)]);
        untold.threads.values_mut().for_each(|thread| thread.waited = None);
        let used = untold.since(&first).expect("use");
        assert_eq!((used.run_queue_wait_us, used.busiest_thread_wait), (None, None));
        assert!(used.busiest_thread.is_some());
    }

    #[test]
    fn time_that_went_with_a_process_leaves_no_figure() {
        let first = reading(0, CpuSource::Threads, 9000, &[]);
        let second = reading(100, CpuSource::Threads, 8000, &[]);
        assert_eq!(second.since(&first), None);
        assert_eq!(reading(100, CpuSource::Group, 9500, &[]).since(&first), None);
    }

    #[test]
    fn cpu_stat_is_read_by_name() {
        let text = "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnice_usec 0\n";
        assert_eq!(parse_group(text), Some(Times { total: 30, user: 20, system: 10 }));
        assert_eq!(parse_group("usage_usec 30\n"), None);
    }

    #[test]
    fn a_thread_that_spins_is_busy_and_is_counted() {
        let take = |at_ms| {
            let mut reading = reading(at_ms, CpuSource::Threads, 0, &[]);
            reading.add_process(std::process::id());
            reading
        };
        let first = take(0);
        let until = clock::now() + Duration::from_millis(60);
        while !until.is_past() {}
        let used = take(60).since(&first).expect("use");
        assert!(used.total_us > 10_000, "{used:?}");
        assert!(used.busiest_thread.is_some_and(|share| share > 0.1), "{used:?}");
    }
}
