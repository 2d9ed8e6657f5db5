//! Linux: timerfd, `MSG_TRUNC`, and how long ports are held.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Poll, ready};
use std::time::Duration;

use rustix::net::RecvFlags;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;
use tokio::net::TcpStream;

use crate::clock::Instant;

/// How early the timer wakes the thread: more than a wake-up takes on a machine that is not overloaded.
pub(in crate::generator) const SPIN: Duration = Duration::from_micros(60);
/// How long the port of a connection that was closed here is kept (`TCP_TIMEWAIT_LEN`).
pub(in crate::generator) const PORT_HELD_FOR: Duration = Duration::from_mins(1);
/// The same in words.
pub(in crate::generator) const PORT_HELD_IN_WORDS: &str = "a minute";
/// The range of local ports that the system starts with, where it does not tell another.
pub(in crate::generator) const USUAL_PORTS: (u64, u64) = (32_768, 60_999);

/// A timer of the monotonic clock, for the runtime of this thread.
#[derive(Debug)]
pub(in crate::generator) struct Timer {
    descriptor: AsyncFd<OwnedFd>,
}

impl Timer {
    pub(in crate::generator) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // What is deprecated is unsound for types that can change their descriptor; an owned one cannot.
        #[expect(deprecated, reason = "its successor is unsafe to call for every type")]
        let descriptor = AsyncFd::new(descriptor)?;
        Ok(Self { descriptor })
    }

    pub(in crate::generator) async fn sleep_until(&self, instant: Instant) -> io::Result<()> {
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

/// Throws bytes away in the kernel, as many as the room has at most; how many there were. What is in the room then is nothing.
#[inline]
pub(in crate::generator) fn discard(stream: &TcpStream, room: &mut [u8]) -> io::Result<usize> {
    let (_, bytes) = rustix::net::recv(stream, room, RecvFlags::TRUNC)?;
    Ok(bytes)
}
