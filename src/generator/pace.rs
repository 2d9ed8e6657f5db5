//! Keeping the schedule: waits until an instant to the microsecond, then hands the request to an idle slot.
//!
//! A timer of the system wakes the thread a little early and the rest is spun away. Each turn of the spin lets the sockets be
//! polled, and what it wastes is counted apart from the generator's work.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use super::system::{SPIN, Timer};
use super::worker::Worker;
use crate::clock::Instant;

/// Hands out every request of the schedule when it is due, or as soon after as a slot is idle. Never ends by itself.
///
/// # Errors
/// If the system has no timer for us.
pub(super) async fn keep(worker: &Worker) -> io::Result<()> {
    let timer = Timer::new()?;
    while let Some(due) = worker.due() {
        wait_until(&timer, due, worker).await?;
        poll_fn(
            |cx| if worker.hand_out(worker.stamp(), cx) { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
    }
    Ok(())
}

/// Returns at `due`, or at once if it is past. While it spins, everything that is ready runs once a turn, and the
/// sockets are polled without waiting; a turn in which nothing came of them was in vain.
async fn wait_until(timer: &Timer, due: Instant, worker: &Worker) -> io::Result<()> {
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
            timer.sleep_until(due - SPIN).await?;
        } else {
            turn = Some((now, worker.events()));
            tokio::task::yield_now().await;
            worker.ends_turn();
        }
    }
}
