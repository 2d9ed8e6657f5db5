//! The state of a connection slot: the requests that it has taken, when they must have ended, and how it is woken.
//!
//! What a slot does with it is told in `life` and `connection`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::task::{Context, Waker};

use super::times::Stamps;
use crate::clock::Instant;

/// One slot.
#[derive(Debug)]
pub(super) struct Slot {
    /// Taken and not yet ended, oldest first.
    pub(super) outstanding: RefCell<VecDeque<Stamps>>,
    /// When the oldest must have ended.
    pub(super) deadline: Cell<Instant>,
    pub(super) is_expired: Cell<bool>,
    /// Whether it waits for the schedule to hand it a request.
    pub(super) is_idle: Cell<bool>,
    /// Since when it is idle.
    pub(super) free_since: Cell<Instant>,
    waker: RefCell<Option<Waker>>,
}

impl Slot {
    pub(super) fn new(depth: usize) -> Self {
        Self {
            outstanding: RefCell::new(VecDeque::with_capacity(depth)),
            deadline: Cell::new(Instant::NEVER),
            is_expired: Cell::new(false),
            is_idle: Cell::new(false),
            free_since: Cell::new(Instant::from_nanos(0)),
            waker: RefCell::new(None),
        }
    }

    /// From now on it is to be ready by `deadline`, whatever was before.
    #[inline]
    pub(super) fn expect_until(&self, deadline: Instant) {
        self.deadline.set(deadline);
        self.is_expired.set(false);
    }

    /// Remembers whom to wake.
    #[inline]
    pub(super) fn remember(&self, cx: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
    }

    pub(super) fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// Whether its deadline has passed; asked once.
    #[inline]
    pub(super) fn take_expired(&self) -> bool {
        self.is_expired.replace(false)
    }
}
