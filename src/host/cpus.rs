//! What each CPU did, from `/proc/stat`: idle, waiting for a disk, taken by the hypervisor; and what of the rest was others'.
//!
//! CPUs are busy when they are not idle, and idle time is measured where ticks stop with it (`get_idle_time` of Linux). But
//! what it costs to fall idle and to wake up is no thread's time, and a server that waits does that often. Time in user and
//! kernel mode is without it, but only sampled at the kernel's ticks. So what threads used is the smaller of both.

use std::collections::{BTreeMap, BTreeSet};

use crate::affinity::write_list;
use crate::record::host::CpuTimes;

/// `/proc/stat` counts in hundredths of a second, whatever the kernel's own tick (proc(5), `USER_HZ`).
const TICK_US: u64 = 10_000;
/// Of so many busy ticks at least one is the handling of interrupts where the kernel accounts for it. Where it does not,
/// none is: a tick that would see it is itself an interrupt.
const INTERRUPTS_ONE_IN: u64 = 20_000;

/// Ticks of one CPU since the machine started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ticks {
    user: u64,
    system: u64,
    idle: u64,
    iowait: u64,
    irq: u64,
    softirq: u64,
    steal: u64,
}

impl Ticks {
    fn since(self, earlier: Self) -> Self {
        let less = u64::saturating_sub;
        Self {
            user: less(self.user, earlier.user),
            system: less(self.system, earlier.system),
            idle: less(self.idle, earlier.idle),
            iowait: less(self.iowait, earlier.iowait),
            irq: less(self.irq, earlier.irq),
            softirq: less(self.softirq, earlier.softirq),
            steal: less(self.steal, earlier.steal),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            user: self.user + other.user,
            system: self.system + other.system,
            idle: self.idle + other.idle,
            iowait: self.iowait + other.iowait,
            irq: self.irq + other.irq,
            softirq: self.softirq + other.softirq,
            steal: self.steal + other.steal,
        }
    }
}

/// Every CPU of a moment, by number.
pub(super) type AllCpus = BTreeMap<usize, Ticks>;

/// Reads the lines of single CPUs: user, nice, system, idle, iowait, irq, softirq, steal (proc(5)). Fields that an old
/// kernel does not have are zero. Empty if there is none.
pub(super) fn parse(stat: &str) -> AllCpus {
    stat.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<(usize, Ticks)> {
    let mut fields = line.strip_prefix("cpu")?.split_ascii_whitespace();
    if line.starts_with("cpu ") {
        return None;
    }
    let cpu = fields.next()?.parse().ok()?;
    let ticks: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
    let [user, nice, system, idle, ref later @ ..] = ticks[..] else { return None };
    let later = |place: usize| later.get(place).copied().unwrap_or(0);
    let (iowait, irq, softirq, steal) = (later(0), later(1), later(2), later(3));
    Some((cpu, Ticks { user: user + nice, system, idle, iowait, irq, softirq, steal }))
}

/// Whether the hypervisor has ever told that it took anything: where it has not, it may not tell at all.
pub(super) fn has_steal(all: &AllCpus) -> bool {
    all.values().any(|ticks| ticks.steal > 0)
}

/// Whether the kernel accounts for interrupts apart from the threads that they interrupt (`IRQ_TIME_ACCOUNTING`).
fn counts_interrupts(all: &AllCpus) -> bool {
    let sum = all.values().fold(Ticks::default(), |sum, ticks| sum.plus(*ticks));
    sum.irq > 0 && sum.irq.saturating_mul(INTERRUPTS_ONE_IN) >= sum.user + sum.system
}

/// What CPUs did between two readings `elapsed_us` apart. `ours_us` is what the server, we and the kernel's own network
/// threads used on them; `None` if that is not known. `None` if one of these CPUs was not read at both ends.
pub(super) fn used(
    (earlier, later): (&AllCpus, &AllCpus),
    cpus: &BTreeSet<usize>,
    elapsed_us: u64,
    ours_us: Option<u64>,
) -> Option<CpuTimes> {
    let mut sum = Ticks::default();
    for cpu in cpus {
        sum = sum.plus(later.get(cpu)?.since(*earlier.get(cpu)?));
    }
    let list: Vec<usize> = cpus.iter().copied().collect();
    let whole = elapsed_us * cpus.len() as u64;
    let busy_us = whole.saturating_sub((sum.idle + sum.iowait + sum.steal) * TICK_US);
    let interrupts = (sum.irq + sum.softirq) * TICK_US;
    let sampled = (sum.user + sum.system) * TICK_US;
    // Where interrupts are not accounted for they are in the time of the threads, ours and others'.
    let of_threads = if counts_interrupts(later) {
        busy_us.saturating_sub(interrupts).min(sampled)
    } else {
        busy_us.min(sampled + interrupts)
    };
    Some(CpuTimes {
        cpus: write_list(&list),
        busy_us,
        iowait_us: sum.iowait * TICK_US,
        steal_us: sum.steal * TICK_US,
        interrupts_us: interrupts,
        others_us: ours_us.map(|ours| of_threads.saturating_sub(ours)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_read_line_by_line_in_the_words_of_any_kernel() {
        let stat =
            "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 4 1000 500 8 16 32 7 7\ncpu12 1 0 1 90\nintr 5 1\n";
        let all = parse(stat);
        assert_eq!(all.keys().collect::<Vec<_>>(), [&0, &12]);
        let first =
            Ticks { user: 3, system: 4, idle: 1000, iowait: 500, irq: 8, softirq: 16, steal: 32 };
        assert_eq!(all[&0], first);
        assert_eq!(all[&12], Ticks { user: 1, system: 1, idle: 90, ..Ticks::default() });
        for text in ["", "cpu 1 2 3 4\n", "cpu0 1 2\n", "cpux 1 2 3 4\n", "intr 5\n"] {
            assert_eq!(parse(text), AllCpus::new(), "{text}");
        }
    }

    fn readings(idle: u64, iowait: u64, steal: u64, irq: u64) -> (AllCpus, AllCpus) {
        let start = Ticks { user: 1000, system: 1000, ..Ticks::default() };
        let end = Ticks { idle, iowait, steal, irq, softirq: irq, user: 1080, ..start };
        (BTreeMap::from([(0, start), (1, start)]), BTreeMap::from([(0, end), (1, start)]))
    }

    #[test]
    fn what_is_neither_idle_nor_ours_is_others() {
        let second = 1_000_000;
        for ((idle, iowait, steal, irq), ours_us, (busy_us, others_us)) in [
            ((100, 0, 0, 0), Some(0), (0, Some(0))),
            ((20, 10, 5, 0), Some(400_000), (650_000, Some(250_000))),
            // Ours may come out a little more than the whole.
            ((0, 0, 0, 0), Some(1_000_400), (second, Some(0))),
            // Falling idle and waking up is nobody's.
            ((5, 0, 0, 0), Some(500_000), (950_000, Some(300_000))),
            ((50, 0, 0, 0), None, (500_000, None)),
            // Interrupts are nobody's where they are accounted for.
            ((50, 0, 0, 5), Some(300_000), (500_000, Some(100_000))),
        ] {
            let (earlier, later) = readings(idle, iowait, steal, irq);
            let used = used((&earlier, &later), &BTreeSet::from([0]), second, ours_us);
            let used = used.expect("both ends");
            assert_eq!((used.busy_us, used.others_us), (busy_us, others_us), "{used:?}");
            assert_eq!((used.iowait_us, used.steal_us), (iowait * TICK_US, steal * TICK_US));
        }
    }

    #[test]
    fn a_cpu_that_was_not_read_at_both_ends_leaves_no_figure() {
        let (mut earlier, later) = readings(0, 0, 0, 0);
        earlier.remove(&1);
        let used = |cpus: &[usize]| {
            used((&earlier, &later), &cpus.iter().copied().collect(), 1_000_000, None)
        };
        assert!(used(&[0]).is_some());
        assert_eq!((used(&[0, 1]), used(&[7])), (None, None));
    }
}
