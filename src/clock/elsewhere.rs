//! The same clocks on macOS. There `CLOCK_MONOTONIC` goes on while the machine sleeps, and in microseconds; the one that stands
//! still, and the only one that is fine enough for intervals, is `CLOCK_UPTIME_RAW`.

use nix::libc;
use nix::time::ClockId;

/// Since the machine started, but for when it slept.
#[inline]
pub(super) fn awake_nanos() -> u64 {
    let time = uptime().now().expect("every macOS since 10.12 has this clock");
    let seconds = u64::try_from(time.tv_sec()).expect("an uptime starts at zero");
    let nanos = u64::try_from(time.tv_nsec()).expect("nanoseconds of a time are not negative");
    seconds * 1_000_000_000 + nanos
}

/// Since the machine started.
pub(super) fn all_nanos() -> u64 {
    super::read(rustix::time::ClockId::Monotonic).0
}

/// The smallest step that the first of them claims.
pub(super) fn step_nanos() -> u64 {
    let nanos = |step: nix::sys::time::TimeSpec| u64::try_from(step.tv_nsec()).ok();
    uptime().res().ok().and_then(nanos).unwrap_or(u64::MAX)
}

const fn uptime() -> ClockId {
    ClockId::from_raw(libc::CLOCK_UPTIME_RAW)
}
