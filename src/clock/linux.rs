//! The clocks of Linux: one that stands still while the machine sleeps, and one that does not.

use rustix::time::ClockId;

use super::read;

/// Since the machine started, but for when it slept.
#[inline]
pub(super) fn awake_nanos() -> u64 {
    read(ClockId::Monotonic).0
}

/// Since the machine started.
pub(super) fn all_nanos() -> u64 {
    read(ClockId::Boottime).0
}

/// The smallest step that the first of them claims.
pub(super) fn step_nanos() -> u64 {
    let step = rustix::time::clock_getres(ClockId::Monotonic);
    u64::try_from(step.tv_nsec).unwrap_or(u64::MAX)
}
