//! One reading of a tree's CPU time, and what lies between two readings.
//!
//! The control group comes first: microseconds, and processes that have exited are in it. Without one it is added up
//! process by process, see `ledger`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::ledger::{Ledger, Times, tick_nanos};
use super::tree::{Members, Tree};
use crate::clock::{self, Instant};
use crate::processes;

/// Where CPU time was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuSource {
    /// `cpu.stat` of the tree's control group.
    Group,
    /// The clock of each process.
    Clocks,
    /// The same, with time in it that is known in ticks only: of children that were waited for, or of processes whose
    /// clock cannot be read.
    Ticks,
    /// sysinfo, process by process.
    Sysinfo,
}

impl CpuSource {
    /// Where it is read process by process, and whether some of it comes in ticks.
    fn of_processes(in_ticks: bool) -> Self {
        match processes::MODES_UNTOLD {
            Some(_) => Self::Sysinfo,
            None if in_ticks => Self::Ticks,
            None => Self::Clocks,
        }
    }

    /// Why user time and the kernel's are not known apart, if so.
    pub fn modes_untold(self) -> Option<&'static str> {
        processes::MODES_UNTOLD.filter(|_| self == Self::Sysinfo)
    }

    /// The smallest difference that it can tell.
    pub fn resolution(self) -> Duration {
        match self {
            Self::Group | Self::Clocks => Duration::from_micros(1),
            Self::Ticks | Self::Sysinfo => Duration::from_nanos(tick_nanos()),
        }
    }
}

impl std::fmt::Display for CpuSource {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let resolution = self.resolution();
        match self {
            Self::Group => write!(out, "cgroup2, in steps of {resolution:?}"),
            Self::Clocks => {
                write!(out, "process clocks, in steps of {resolution:?}; exited children unknown")
            }
            Self::Sysinfo => {
                write!(out, "sysinfo, in steps of {resolution:?}; exited children unknown")
            }
            Self::Ticks => write!(
                out,
                "process clocks and ticks, in steps of {resolution:?}; exited children unknown unless waited for"
            ),
        }
    }
}

/// A tree's CPU time so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuReading {
    /// When it was read.
    pub at: Instant,
    source: Source,
    /// By thread and its process.
    threads: BTreeMap<(u32, u32), ThreadUse>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Group(Times),
    Processes(Ledger),
}

/// What a thread ran, and waited to run, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ThreadUse {
    ran: u64,
    waited: Option<u64>,
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
    /// Reads now, with every thread; `None` if there is nothing to read, as when the tree has ended and has no group.
    pub fn take(tree: &Tree) -> Option<Self> {
        let (at, of_group) = Self::begin(tree);
        let members = tree.members();
        let mut reading = Self::with(at, of_group, &members, true)?;
        for pid in members.pids {
            let threads = processes::thread_times(pid).into_iter();
            reading.threads.extend(threads.map(|thread| {
                let used = ThreadUse { ran: thread.nanos, waited: thread.wait_nanos };
                ((pid, thread.tid), used)
            }));
        }
        Some(reading)
    }

    /// Reads now without threads, at less cost, given who belongs to the tree; only ever the later of two readings.
    pub(super) fn brief(tree: &Tree, members: &Members) -> Option<Self> {
        let (at, of_group) = Self::begin(tree);
        Self::with(at, of_group, members, false)
    }

    /// The control group is read at once, whoever else is to be looked for.
    fn begin(tree: &Tree) -> (Instant, Option<Source>) {
        (clock::now(), tree.group().and_then(read_group).map(Source::Group))
    }

    fn with(
        at: Instant,
        of_group: Option<Source>,
        members: &Members,
        is_for_earlier: bool,
    ) -> Option<Self> {
        let of_processes = || {
            let ledger = Ledger::of(&members.family, members.keeper.as_ref(), is_for_earlier);
            ledger.map(Source::Processes)
        };
        let source = of_group.or_else(of_processes)?;
        Some(Self { at, source, threads: BTreeMap::new() })
    }

    /// What lies between an earlier reading and this one.
    ///
    /// # Errors
    /// If they come from different sources, or if a process took its time with it.
    pub fn since(&self, earlier: &Self) -> Result<CpuUse, String> {
        let (source, times) = match (&self.source, &earlier.source) {
            (Source::Group(now), Source::Group(then)) => (CpuSource::Group, now.less(*then)),
            (Source::Processes(now), Source::Processes(then)) => {
                let between = now.since(then)?;
                (CpuSource::of_processes(between.in_ticks), between.times)
            }
            _ => return Err("its control group could not be read at both ends".to_owned()),
        };
        let interval = self.at.since(earlier.at);
        let nanos = interval.as_nanos().max(1) as f64;
        let threads = self.threads_since(earlier);
        let busiest = threads.iter().max_by_key(|thread| thread.ran);
        let share = |of: u64| (of as f64 / nanos).min(1.0);
        Ok(CpuUse {
            interval,
            total_us: times.total / 1000,
            user_us: times.user / 1000,
            system_us: times.system / 1000,
            source,
            cores_used: times.total as f64 / nanos,
            // The ends are read one thread after the other, so it may come out a little above the whole.
            busiest_thread: busiest.map(|thread| share(thread.ran)),
            busiest_thread_wait: busiest.and_then(|thread| thread.waited.map(share)),
            run_queue_wait_us: self.waited_since(earlier, &threads),
        })
    }

    /// What each thread that is there now did since. One that was not there then has run in between only; so has one with
    /// the number of another that ran longer.
    fn threads_since(&self, earlier: &Self) -> Vec<ThreadUse> {
        let since = |(thread, now): (&(u32, u32), &ThreadUse)| {
            let new = ThreadUse { ran: 0, waited: Some(0) };
            let then = earlier.threads.get(thread).filter(|then| then.ran <= now.ran);
            let then = then.copied().unwrap_or(new);
            let waited = now.waited.zip(then.waited).map(|(now, then)| now.saturating_sub(then));
            ThreadUse { ran: now.ran - then.ran, waited }
        };
        self.threads.iter().map(since).collect()
    }

    /// How long they all waited, if none has gone; of none at all nothing is known.
    fn waited_since(&self, earlier: &Self, threads: &[ThreadUse]) -> Option<u64> {
        let is_there = |(thread, then): (_, &ThreadUse)| {
            self.threads.get(thread).is_some_and(|now| now.ran >= then.ran)
        };
        let is_whole = earlier.threads.iter().all(is_there);
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
            .and_then(|(_, value)| value.trim().parse::<u64>().ok())
            .map(|micros| micros * 1000)
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

    fn reading(at_ms: u64, total_us: u64, threads: &[(u32, u64)]) -> CpuReading {
        let half = total_us * 500;
        CpuReading {
            at: Instant::from_nanos(at_ms * 1_000_000),
            source: Source::Group(Times { total: total_us * 1000, user: half, system: half }),
            threads: threads
                .iter()
                .map(|(tid, us)| ((1, *tid), ThreadUse { ran: us * 1000, waited: Some(us * 100) }))
                .collect(),
        }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn use_is_what_lies_between_two_readings() {
        let first = reading(0, 1000, &[(1, 500), (2, 9000)]);
        let second = reading(100, 151_000, &[(1, 50_500), (3, 25_000)]);
        let used = second.since(&first).expect("use");
        assert_eq!((used.total_us, used.user_us, used.system_us), (150_000, 75_000, 75_000));
        assert!(close(used.cores_used, 1.5), "{}", used.cores_used);
        assert_eq!(used.busiest_thread, Some(0.5));
        let without_threads = reading(200, 151_000, &[]);
        assert_eq!(without_threads.since(&second).expect("use").busiest_thread, None);
    }

    #[test]
    fn a_thread_that_is_new_has_run_in_between_only() {
        let first = reading(0, 0, &[(7, 95_000)]);
        let second = reading(100, 90_000, &[(7, 90_000)]);
        assert_eq!(second.since(&first).expect("use").busiest_thread, Some(0.9));
        assert_eq!(second.since(&first).expect("use").run_queue_wait_us, None);
    }

    #[test]
    fn waiting_is_known_only_if_no_thread_took_its_own_with_it() {
        let first = reading(0, 0, &[(1, 1000), (2, 1000)]);
        for (threads, expected) in [
            (&[(1, 2000), (2, 1000)][..], Some(100)),
            (&[(1, 2000), (2, 1000), (3, 500)], Some(150)),
            (&[(1, 2000), (3, 500)], None),
            (&[], None),
        ] {
            let used = reading(100, 5000, threads).since(&first).expect("use");
            assert_eq!(used.run_queue_wait_us, expected, "{threads:?}");
        }
        let mut untold = reading(100, 5000, &[(1, 2000), (2, 1000)]);
        untold.threads.values_mut().for_each(|thread| thread.waited = None);
        let used = untold.since(&first).expect("use");
        assert_eq!((used.run_queue_wait_us, used.busiest_thread_wait), (None, None));
        assert!(used.busiest_thread.is_some());
    }

    #[test]
    fn a_group_that_was_read_at_one_end_only_leaves_no_figure() {
        let group = reading(0, 9000, &[]);
        let without = CpuReading { source: Source::Processes(Ledger::default()), ..group.clone() };
        assert!(without.since(&group).is_err_and(|why| why.contains("control group")));
    }

    #[test]
    fn cpu_stat_is_read_by_name() {
        let text = "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnice_usec 0\n";
        let expected = Times { total: 30_000, user: 20_000, system: 10_000 };
        assert_eq!(parse_group(text), Some(expected));
        assert_eq!(parse_group("usage_usec 30\n"), None);
    }

    #[test]
    fn a_source_tells_how_fine_it_is_and_what_it_does_not_know() {
        for (source, text) in [
            (CpuSource::Group, "cgroup2, in steps of 1µs"),
            (CpuSource::Clocks, "process clocks, in steps of 1µs; exited children unknown"),
        ] {
            assert_eq!(source.to_string(), text);
        }
        assert!(CpuSource::Ticks.to_string().contains("exited children unknown unless waited for"));
    }

    #[test]
    fn a_child_that_spins_is_busy_and_is_counted_without_a_group() {
        // This process stands for the keeper: what descends from it is the tree.
        let tree = Tree::new(std::process::id(), None);
        let mut child = std::process::Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .expect("a shell");
        let used_by_child = || processes::cpu_nanos(child.id()).expect("it runs");
        // Children of other tests, which stand in this process too, may end meanwhile and take their time with them.
        let used = (0..50).find_map(|_| {
            let first = CpuReading::take(&tree).expect("a reading");
            let before = used_by_child();
            let until = clock::now() + Duration::from_mins(1);
            while used_by_child() - before < 60_000_000 && !until.is_past() {
                clock::sleep_until(clock::now() + Duration::from_millis(5));
            }
            CpuReading::take(&tree).expect("a reading").since(&first).ok()
        });
        child.kill().expect("killed");
        child.wait().expect("ended");
        let used = used.expect("nobody else's child ended in one of fifty readings");
        assert!(used.total_us >= 60_000, "{used:?}");
        assert!(used.busiest_thread.is_some_and(|share| share > 0.0), "{used:?}");
    }
}
