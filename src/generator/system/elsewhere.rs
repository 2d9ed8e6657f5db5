//! macOS: tokio's timer and a longer spin, bytes that are copied to be thrown away, and how long ports are held.

use std::io;
use std::time::Duration;

use rustix::net::RecvFlags;
use tokio::net::TcpStream;

use crate::clock::Instant;

/// How early the timer wakes the thread. tokio's goes in whole milliseconds, rounded up, and those of the system may be a
/// little late; the rest is spun away, which keeps a CPU busy where instants lie closer together than this.
pub(in crate::generator) const SPIN: Duration = Duration::from_millis(2);
/// How long the port of a connection that was closed here is kept: twice `net.inet.tcp.msl`.
pub(in crate::generator) const PORT_HELD_FOR: Duration = Duration::from_secs(30);
/// The same in words.
pub(in crate::generator) const PORT_HELD_IN_WORDS: &str = "half a minute";
/// The range of local ports that the system starts with (`net.inet.ip.portrange.first` and `last`).
pub(in crate::generator) const USUAL_PORTS: (u64, u64) = (49_152, 65_535);

/// A timer of the runtime of this thread.
#[derive(Debug)]
pub(in crate::generator) struct Timer;

impl Timer {
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
    pub(in crate::generator) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(in crate::generator) async fn sleep_until(&self, instant: Instant) -> io::Result<()> {
        tokio::time::sleep(instant.remaining()).await;
        Ok(())
    }
}

/// Throws bytes away, as many as the room has at most, through the room; how many there were.
#[inline]
pub(in crate::generator) fn discard(stream: &TcpStream, room: &mut [u8]) -> io::Result<usize> {
    let (_, bytes) = rustix::net::recv(stream, room, RecvFlags::empty())?;
    Ok(bytes)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::clock;

    fn on_a_runtime<T>(what: impl Future<Output = T>) -> T {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_io().enable_time().build().expect("a runtime").block_on(what)
    }

    #[test]
    fn the_timer_never_wakes_early() {
        on_a_runtime(async {
            let timer = Timer::new().expect("a timer");
            for micros in [0, 1, 700, 2_300] {
                let instant = clock::now() + Duration::from_micros(micros);
                timer.sleep_until(instant).await.expect("it wakes");
                assert!(instant.is_past(), "{micros}");
            }
        });
    }

    #[test]
    fn bytes_are_thrown_away_as_on_linux() {
        on_a_runtime(async {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
            let address = listener.local_addr().expect("address");
            let stream = TcpStream::connect(address).await.expect("connect");
            let (mut server, _) = listener.accept().expect("accept");
            for discard in [discard, super::super::linux::discard] {
                server.write_all(&[b'x'; 100]).expect("write");
                let mut room = [0; 64];
                let mut counts = Vec::new();
                while counts.iter().sum::<usize>() < 100 {
                    stream.readable().await.expect("readable");
                    let taken = stream
                        .try_io(tokio::io::Interest::READABLE, || discard(&stream, &mut room));
                    match taken {
                        Ok(bytes) => counts.push(bytes),
                        Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
                    }
                }
                assert!(counts.iter().all(|count| (1..=64).contains(count)), "{counts:?}");
                assert_eq!(counts.iter().sum::<usize>(), 100, "no more than was sent");
            }
        });
    }
}
