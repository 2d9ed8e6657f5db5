//! The one reader of time: a monotonic clock for intervals, a wall clock for dates.
//!
//! Monotonic instants count nanoseconds since the machine started, so that two of our processes can compare theirs.

use std::ops::{Add, Sub};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

/// An instant of the monotonic clock, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

impl Instant {
    /// The end of time: no instant lies beyond it.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant that many nanoseconds after the clock's zero.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the clock's zero.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time from `earlier` to here; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// Nanoseconds from `earlier` to here; zero if `earlier` is later.
    pub const fn nanos_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Time from now to here; zero if it is past.
    pub fn remaining(self) -> Duration {
        self.since(now())
    }

    /// Whether this instant is past.
    pub fn is_past(self) -> bool {
        self <= now()
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

/// The monotonic clock, now.
pub fn now() -> Instant {
    Instant(system::awake_nanos())
}

/// The smallest step that the monotonic clock claims, in nanoseconds.
pub fn resolution_nanos() -> u64 {
    system::step_nanos()
}

/// CPU time that the calling thread has used, in nanoseconds.
pub fn thread_cpu_nanos() -> u64 {
    read(ClockId::ThreadCPUTime).0
}

/// CPU time that this process has used, with all its threads, in nanoseconds.
pub fn process_cpu_nanos() -> u64 {
    read(ClockId::ProcessCPUTime).0
}

/// The date and time, for people and for names of runs; never for intervals.
pub fn wall() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// What three clocks showed at one moment, in nanoseconds: the monotonic one, which stands still while the machine sleeps;
/// the one that does not; and the date, which people and programs set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    monotonic: u64,
    boot: u64,
    wall: i128,
}

/// What lies between two moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passed {
    /// How long the machine slept.
    pub asleep: Duration,
    /// By how many seconds the date was set forward; negative if it was set back.
    pub set_by_seconds: f64,
}

/// All clocks, now.
pub fn moment() -> Moment {
    Moment {
        monotonic: system::awake_nanos(),
        boot: system::all_nanos(),
        wall: wall().as_nanosecond(),
    }
}

impl Moment {
    /// What lies between this one and a later one.
    pub fn until(self, later: Self) -> Passed {
        let awake = later.monotonic.saturating_sub(self.monotonic);
        let all = later.boot.saturating_sub(self.boot);
        let dates = later.wall - self.wall;
        Passed {
            asleep: Duration::from_nanos(all.saturating_sub(awake)),
            set_by_seconds: (dates - i128::from(all)) as f64 / 1e9,
        }
    }
}

/// Seconds since the machine started, its sleep included, for who comes back later in the same start.
pub fn boot_seconds() -> f64 {
    system::all_nanos() as f64 / 1e9
}

/// Seconds from one date to another, each written as [`wall`] is; `None` if one cannot be read.
pub fn seconds_between(one: &str, other: &str) -> Option<f64> {
    let date = |text: &str| text.parse::<jiff::Timestamp>().ok();
    Some(date(other)?.duration_since(date(one)?).as_secs_f64())
}

/// Sleeps until `instant`; returns at once if it is past.
pub fn sleep_until(instant: Instant) {
    std::thread::sleep(instant.remaining());
}

fn read(clock: ClockId) -> Instant {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).expect("a monotonic clock starts at zero");
    let nanos = u64::try_from(time.tv_nsec).expect("nanoseconds of a time are not negative");
    Instant(seconds * 1_000_000_000 + nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_never_wrap() {
        let early = Instant::from_nanos(5);
        assert_eq!(early.since(Instant::from_nanos(9)), Duration::ZERO);
        assert_eq!(early - Duration::from_secs(1), Instant::from_nanos(0));
        assert_eq!(Instant::NEVER + Duration::from_secs(1), Instant::NEVER);
    }

    #[test]
    fn sleep_and_a_date_that_was_set_are_told_apart() {
        let at = |monotonic: u64, boot: u64, wall: i128| {
            let second = 1_000_000_000;
            Moment {
                monotonic: monotonic * second,
                boot: boot * second,
                wall: wall * i128::from(second),
            }
        };
        let before = at(100, 150, 1_000_000);
        for (after, asleep, set_by) in [
            (at(110, 160, 1_000_010), 0, 0.0),
            (at(110, 3760, 1_003_610), 3600, 0.0),
            (at(110, 160, 1_003_610), 0, 3600.0),
            (at(110, 160, 999_990), 0, -20.0),
            (at(110, 170, 1_000_050), 10, 30.0),
        ] {
            let passed = before.until(after);
            assert_eq!(passed.asleep, Duration::from_secs(asleep), "{after:?}");
            assert!((passed.set_by_seconds - set_by).abs() < 1e-6, "{passed:?}");
        }
        let passed = moment().until(moment());
        assert!(passed.asleep < Duration::from_secs(1), "{passed:?}");
    }

    #[test]
    fn the_clock_goes_forward() {
        let first = now();
        assert!(now() >= first);
        assert!(first.is_past() && resolution_nanos() > 0);
        assert!(!(first + Duration::from_hours(1)).is_past());
    }
}
