//! Keeping the schedule: waits until an instant to the microsecond, then hands the request to an idle slot.
//!
//! tokio's timers tick in milliseconds, so a timerfd wakes the thread a little early and the rest is spun away. Each turn
//! of the spin lets the sockets be polled, and what it wastes is counted apart from the generator's work.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Poll, ready};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use super::worker::Worker;
use crate::clock::Instant;

/// How early the timer wakes the thread: more than a wake-up takes on a machine that is not overloaded.
const SPIN: Duration = Duration::from_micros(60);

/// A timer of the monotonic clock, for the runtime of this thread.
#[derive(Debug)]
struct Timer {
    descriptor: AsyncFd<OwnedFd>,
}

/// Hands out every request of the schedule when it is due, or as soon after as a slot is idle. Never ends by itself.
///
/// # Errors
/// If the system has no timer for us.
pub(super) async fn keep(worker: &Worker) -> io::Result<()> {
    let timer = Timer::new()?;
    while let Some(due) = worker.due() {
        timer.wait_until(due, worker).await?;
        poll_fn(
            |cx| if worker.hand_out(worker.stamp(), cx) { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
    }
    Ok(())
}

impl Timer {
    fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // What is deprecated is unsound for types that can change their descriptor; an owned one cannot.
        #[expect(deprecated, reason = "its successor is unsafe to call for every type")]
        let descriptor = AsyncFd::new(descriptor)?;
        Ok(Self { descriptor })
    }

    /// Returns at `due`, or at once if it is past. While it spins, everything that is ready runs once a turn, and the
    /// sockets are polled without waiting; a turn in which nothing came of them was in vain.
    async fn wait_until(&self, due: Instant, worker: &Worker) -> io::Result<()> {
        let mut turn: Option<(Instant, u64)> = None;
        loop {
            let now = worker.stamp();
            if let Some((began, _)) = turn.take_if(|(_, events)| *events == worker.events()) {
                worker.spun(now.nanos_since(began));
            }
            let left = due.since(now);
            if left.is_zero() {
                return Ok(());
            } else if left > SPIN {
                turn = None;
                self.sleep_until(due - SPIN).await?;
            } else {
                turn = Some((now, worker.events()));
                tokio::task::yield_now().await;
                worker.ends_turn();
            }
        }
    }

    async fn sleep_until(&self, instant: Instant) -> io::Result<()> {
        let once = Itimerspec { it_interval: timespec(0), it_value: timespec(instant.as_nanos()) };
        timerfd_settime(&self.descriptor, TimerfdTimerFlags::ABSTIME, &once)?;
        poll_fn(|cx| {
            loop {
                let mut guard = ready!(self.descriptor.poll_read_ready(cx))?;
                let mut expirations = [0; 8];
                match rustix::io::read(guard.get_inner(), &mut expirations) {
                    Ok(_) => {
                        // It fires once, so there is nothing more to read until it is set again.
                        guard.clear_ready();
                        return Poll::Ready(Ok(()));
                    }
                    Err(rustix::io::Errno::AGAIN) => guard.clear_ready(),
                    Err(error) => return Poll::Ready(Err(error.into())),
                }
            }
        })
        .await
    }
}

fn timespec(nanos: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(nanos / 1_000_000_000).expect("the clock's seconds fit"),
        tv_nsec: i64::try_from(nanos % 1_000_000_000).expect("less than a second"),
    }
}
