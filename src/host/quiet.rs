//! Waiting, before a trial, until other processes are quiet: what one trial stirs up should not disturb the next.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock;

/// Between two readings: long enough for a few of the kernel's ticks.
const PERIOD: Duration = Duration::from_millis(50);
/// Ticks of all CPUs that may be spent between two readings of a quiet machine, our own among them.
const QUIET_TICKS: u64 = 1;

/// Waits until hardly any CPU time is used by anybody, `limit` at most, or until `is_interrupted`. Where the system does
/// not tell, nothing is waited for.
pub fn wait_until_quiet(limit: Duration, is_interrupted: &AtomicBool) {
    let deadline = clock::now() + limit;
    let Some(mut before) = busy_ticks() else { return };
    while !deadline.is_past() && !is_interrupted.load(Ordering::Relaxed) {
        clock::sleep_until(clock::now() + PERIOD);
        let Some(now) = busy_ticks() else { return };
        if now.saturating_sub(before) <= QUIET_TICKS {
            return;
        }
        before = now;
    }
}

fn busy_ticks() -> Option<u64> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

/// User, nice, system, irq, softirq and steal of the line that adds up all CPUs (proc(5)); idle and iowait are not busy.
fn parse(stat: &str) -> Option<u64> {
    let mut fields = stat.lines().next()?.split_ascii_whitespace();
    if fields.next()? != "cpu" {
        return None;
    }
    let ticks: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
    let [user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = ticks[..] else {
        return None;
    };
    Some(user + nice + system + irq + softirq + steal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_is_everything_but_idle_and_waiting_for_disks() {
        let stat = "cpu  1 2 4 1000 500 8 16 32 7 7\ncpu0 0 0 0 0 0 0 0 0 0 0\n";
        assert_eq!(parse(stat), Some(63));
        assert_eq!(parse("intr 5\n"), None);
        assert_eq!(parse("cpu 1 2 3\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn an_interruption_ends_the_wait() {
        wait_until_quiet(Duration::from_hours(1), &AtomicBool::new(true));
    }
}
