//! Pipes and signals as things that poll can wait for, all with a deadline.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::clock::Instant;

/// Lines that come through a pipe which is never waited for longer than asked.
pub(super) struct Lines {
    from: File,
    bytes: Vec<u8>,
}

impl Lines {
    pub(super) fn new(from: impl AsFd) -> io::Result<Self> {
        let from = File::from(from.as_fd().try_clone_to_owned()?);
        rustix::io::ioctl_fionbio(&from, true)?;
        Ok(Self { from, bytes: Vec::new() })
    }

    /// Takes what is there; an error at the end of the pipe.
    pub(super) fn read(&mut self) -> io::Result<()> {
        let mut chunk = [0; 4096];
        loop {
            match self.from.read(&mut chunk) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.bytes.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn next_line(&mut self) -> Option<String> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.bytes.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    pub(super) fn wait_for_line(&mut self, deadline: Instant) -> io::Result<String> {
        loop {
            let read = self.read();
            if let Some(line) = self.next_line() {
                return Ok(line);
            }
            read?;
            if deadline.is_past() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            wait_for_input(&[self.from.as_fd()], deadline);
        }
    }
}

/// Sleeps until one of these can be read, or until the instant.
pub(super) fn wait_for_input(of: &[BorrowedFd<'_>], until: Instant) {
    let mut polled: Vec<PollFd<'_>> =
        of.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let limit = (until < Instant::NEVER).then(|| Timespec {
        tv_sec: i64::try_from(until.remaining().as_secs()).unwrap_or(i64::MAX),
        tv_nsec: until.remaining().subsec_nanos().into(),
    });
    // An interruption is a signal, and its pipe can be read now: the callers look at everything anyway.
    let _ = poll(&mut polled, limit.as_ref());
}

/// A socket that can be read once one of these signals came.
pub(super) fn wake_up(signals: &[i32]) -> io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    for signal in signals {
        let write: OwnedFd = write.try_clone()?.into();
        signal_hook::low_level::pipe::register(*signal, write)?;
    }
    Ok(read)
}

/// Empties it; whether there was anything.
pub(super) fn drain(mut signals: &UnixStream) -> bool {
    let mut bytes = [0; 256];
    let mut was_any = false;
    while signals.read(&mut bytes).is_ok_and(|count| count > 0) {
        was_any = true;
    }
    was_any
}

impl AsFd for Lines {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.from.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;
    use crate::clock;

    #[test]
    fn lines_come_whole_however_they_are_cut_and_end_with_the_pipe() {
        let (read, mut write) = io::pipe().expect("pipe");
        let mut lines = Lines::new(read).expect("lines");
        let soon = || clock::now() + Duration::from_millis(20);
        write.write_all(b"on").expect("write");
        let early = lines.wait_for_line(soon()).expect_err("no whole line");
        assert_eq!(early.kind(), io::ErrorKind::TimedOut);
        write.write_all(b"e\ntwo\nthr").expect("write");
        assert_eq!(lines.wait_for_line(soon()).expect("line"), "one\n");
        assert_eq!(lines.wait_for_line(soon()).expect("line"), "two\n");
        drop(write);
        let end = lines.wait_for_line(soon()).expect_err("the end");
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_signal_wakes_and_is_seen_once() {
        let signals = wake_up(&[signal_hook::consts::SIGUSR2]).expect("signals");
        assert!(!drain(&signals));
        signal_hook::low_level::raise(signal_hook::consts::SIGUSR2).expect("raise");
        wait_for_input(&[signals.as_fd()], clock::now() + Duration::from_secs(10));
        assert!(drain(&signals));
        assert!(!drain(&signals));
    }
}
