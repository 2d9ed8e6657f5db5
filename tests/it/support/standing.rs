//! A fixture that stands by itself, for the load generator alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{Counts, ORCHESTRATE, Outcome, fixture, until};

/// A fixture that listens.
#[derive(Debug)]
pub(crate) struct Standing {
    child: Child,
    port: u16,
    /// The port that it was given, by which it names its counts; 0 where the system chose.
    asked: u16,
    scratch: TempDir,
}

impl Standing {
    /// Starts the fixture with its faults, and waits until it listens.
    pub(crate) fn new(faults: &str) -> Self {
        // The system chooses, so that nobody takes it in between.
        Self::on(0, faults)
    }

    /// The same on a port that is free.
    pub(crate) fn on(port: u16, faults: &str) -> Self {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let log = scratch.path().join("log");
        let child = Command::new(fixture())
            .args(faults.split_whitespace())
            .env("PORT", port.to_string())
            .env("HOST", "127.0.0.1")
            .env("COUNTS", scratch.path())
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&log).expect("a log"))
            .spawn()
            .expect("the fixture starts");
        let mut standing = Self { child, port, asked: port, scratch };
        standing.port = until("the fixture listens", || {
            let log = std::fs::read_to_string(&log).ok()?;
            let (_, address) = log.split_once("listening on ")?;
            let address: SocketAddr = address.lines().next()?.parse().ok()?;
            Some(address.port())
        });
        standing
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// `orchestrate load` on it, quietly, with these words.
    pub(crate) fn load(&self, words: &str) -> Outcome {
        let output = assert_cmd::Command::new(ORCHESTRATE)
            .args(["load", &self.url(), "--quiet"])
            .args(words.split_whitespace())
            .current_dir(self.scratch.path())
            .timeout(super::DEADLINE)
            .output()
            .expect("the binary runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("panicked at"), "{stderr}");
        Outcome::new(output.status.code(), stdout, stderr, None::<PathBuf>)
    }

    /// Ends it, and tells what it counted.
    pub(crate) fn counts(mut self) -> Counts {
        self.end(Signal::TERM);
        let path = self.scratch.path().join(format!("counts-{}.json", self.asked));
        let text = std::fs::read_to_string(&path).expect("it wrote its counts");
        serde_json::from_str(&text).expect("counts")
    }

    fn end(&mut self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let (Some(pid), Ok(None)) = (pid, self.child.try_wait()) {
            // It may have ended just now.
            let _ = kill_process(pid, signal);
        }
        let _ = self.child.wait();
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        self.end(Signal::KILL);
    }
}
