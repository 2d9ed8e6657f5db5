//! What the machine does besides: one reading of what its kernel counts, and what lies between two readings.
//!
//! A reading is made at a window's two ends, and before the warm-up, on the thread that opens and closes the window; so
//! it runs on the generator's CPUs and costs less than a millisecond. What cannot be read is absent, with its reason, and
//! ends nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::tcp;
use crate::clock::{self, Instant};
use crate::record::host::{HostUse, TcpCounts};

/// Where a machine is read.
#[derive(Debug)]
pub struct Watch {
    /// `/proc`, but for tests.
    proc: PathBuf,
}

/// The machine at a moment.
#[derive(Debug)]
pub struct Reading {
    at: Instant,
    took: Duration,
    tcp: Told<TcpCounts>,
    time_wait: Told<u64>,
}

/// A figure, or why there is none.
type Told<T> = Result<T, String>;

impl Default for Watch {
    fn default() -> Self {
        Self::new()
    }
}

impl Watch {
    /// The machine that we run on.
    pub fn new() -> Self {
        Self { proc: PathBuf::from("/proc") }
    }

    /// Reads it now.
    pub fn read(&self) -> Reading {
        let at = clock::now();
        let tcp = self.tcp();
        let time_wait = self
            .text("net/sockstat")
            .and_then(|text| tcp::time_wait(&text).ok_or_else(|| self.silent("net/sockstat")));
        Reading { at, took: clock::now().since(at), tcp, time_wait }
    }

    fn tcp(&self) -> Told<TcpCounts> {
        let counts = tcp::counts(&self.text("net/netstat")?, &self.text("net/snmp")?);
        if counts == TcpCounts::default() { Err(self.silent("net/netstat")) } else { Ok(counts) }
    }

    fn text(&self, name: &str) -> Told<String> {
        let path = self.proc.join(name);
        fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))
    }

    fn silent(&self, name: &str) -> String {
        format!("`{}` does not tell it", self.proc.join(name).display())
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("`{}` cannot be read: {error}", path.display())
}

/// What lies between the readings when the window opened and when it closed, and what went before, if that was read; and
/// why figures are absent, by their names on disk.
pub fn between(
    before: Option<&Reading>,
    opened: &Reading,
    closed: &Reading,
) -> (HostUse, BTreeMap<String, String>) {
    let mut absent = BTreeMap::new();
    let tcp_since = |later: &Reading, earlier: &Reading| -> Told<TcpCounts> {
        Ok(later.tcp.clone()?.since(earlier.tcp.clone()?))
    };
    let mut note = |name: &str, reason: String| absent.insert(format!("host.{name}"), reason);
    let host = HostUse {
        seconds: closed.at.since(opened.at).as_secs_f64(),
        reading_us: opened.took.max(closed.took).as_nanos() as f64 / 1e3,
        tcp: tcp_since(closed, opened).map_err(|reason| note("tcp", reason)).ok(),
        tcp_warm_up: before.and_then(|before| tcp_since(opened, before).ok()),
        time_wait_begin: opened.time_wait.clone().ok(),
        time_wait_end: closed.time_wait.clone().map_err(|it| note("time_wait_end", it)).ok(),
    };
    (host, absent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_tells_nothing_has_no_figures_but_reasons() {
        let nothing = tempfile::tempdir().expect("folder");
        let watch = Watch { proc: nothing.path().to_owned() };
        let (host, absent) = between(Some(&watch.read()), &watch.read(), &watch.read());
        assert_eq!((host.tcp, host.tcp_warm_up, host.time_wait_begin), (None, None, None));
        assert!(absent["host.tcp"].contains("net/netstat` cannot be read"), "{absent:?}");
        assert!(absent.contains_key("host.time_wait_end"), "{absent:?}");
    }

    #[test]
    fn counts_are_those_of_the_interval() {
        let folder = tempfile::tempdir().expect("folder");
        let watch = Watch { proc: folder.path().to_owned() };
        fs::create_dir(folder.path().join("net")).expect("folder");
        let write = |drops: u64| {
            let put = |name: &str, text: String| {
                fs::write(folder.path().join("net").join(name), text).expect("written");
            };
            put("netstat", format!("TcpExt: ListenDrops\nTcpExt: {drops}\n"));
            put("snmp", "Tcp: RetransSegs\nTcp: 5\n".to_owned());
            put("sockstat", format!("TCP: inuse 1 orphan 0 tw {drops} alloc 1 mem 1\n"));
            watch.read()
        };
        let (host, absent) = between(Some(&write(100)), &write(103), &write(110));
        let drops = |counts: Option<TcpCounts>| counts.and_then(|it| it.listen_drops);
        assert_eq!((drops(host.tcp_warm_up), drops(host.tcp)), (Some(3), Some(7)));
        assert_eq!((host.time_wait_begin, host.time_wait_end), (Some(103), Some(110)));
        assert_eq!(absent, BTreeMap::new());
    }

    #[test]
    fn this_machine_can_be_read() {
        let watch = Watch::new();
        let (host, _) = between(None, &watch.read(), &watch.read());
        assert!(host.seconds > 0.0 && host.reading_us > 0.0, "{host:?}");
        assert!(host.tcp.is_some_and(|tcp| tcp.listen_drops.is_some()), "{host:?}");
    }
}
