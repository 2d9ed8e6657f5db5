//! Where the slots of one thread get their next request from: at once, out of a quota, or by the schedule.

use std::cell::{Cell, RefCell};

use super::arrival::Schedule;
use crate::clock::Instant;

/// Where requests come from.
#[derive(Debug)]
pub(super) enum Supply {
    /// Without end: the next as soon as a slot is free.
    Endless,
    /// So many more.
    Quota(Cell<u64>),
    /// By a schedule; what no slot takes waits in line.
    Paced(RefCell<Schedule>),
}

/// What a free slot gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A request that is meant to be made at this instant, which is not in the future.
    Due(Instant),
    /// None yet.
    Later,
    /// None any more.
    Never,
}

impl Supply {
    /// Takes the next request for a slot that is free now.
    #[inline]
    pub(super) fn take(&self, now: Instant) -> Next {
        match self {
            Self::Endless => Next::Due(now),
            Self::Quota(left) => match left.get() {
                0 => Next::Never,
                some => {
                    left.set(some - 1);
                    Next::Due(now)
                }
            },
            Self::Paced(schedule) => {
                let mut schedule = schedule.borrow_mut();
                if schedule.peek() <= now { Next::Due(schedule.take()) } else { Next::Later }
            }
        }
    }

    /// When the next request is due, if a schedule says so.
    pub(super) fn due(&self) -> Option<Instant> {
        match self {
            Self::Paced(schedule) => Some(schedule.borrow().peek()),
            Self::Endless | Self::Quota(_) => None,
        }
    }

    /// How many requests were due before `end` and wait in line.
    pub(super) fn in_line(&self, end: Instant) -> u64 {
        match self {
            Self::Paced(schedule) => schedule.borrow().count_before(end),
            Self::Endless | Self::Quota(_) => 0,
        }
    }

    pub(super) fn is_paced(&self) -> bool {
        matches!(self, Self::Paced(_))
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrival::Share;
    use super::*;
    use crate::matrix::Arrival;

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn a_quota_gives_exactly_so_many() {
        let supply = Supply::Quota(Cell::new(2));
        let taken = [1, 2, 3].map(|millis| supply.take(at(millis)));
        assert_eq!(taken, [Next::Due(at(1)), Next::Due(at(2)), Next::Never]);
    }

    #[test]
    fn a_schedule_gives_the_intended_instant_not_the_present() {
        let alone = Share { index: 0, threads: 1 };
        let schedule = Schedule::new(Arrival::Even { rate: 100.0 }, 0, at(0), alone);
        let supply = Supply::Paced(RefCell::new(schedule.expect("paced")));
        assert_eq!(supply.in_line(at(35)), 4);
        assert_eq!(supply.take(at(35)), Next::Due(at(0)));
        assert_eq!(supply.take(at(35)), Next::Due(at(10)));
        assert_eq!(supply.in_line(at(35)), 2);
        supply.take(at(35));
        supply.take(at(35));
        assert_eq!(supply.take(at(35)), Next::Later);
        assert_eq!(supply.due(), Some(at(40)));
    }
}
