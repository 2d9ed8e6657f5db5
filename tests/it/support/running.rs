//! A command that is going on, with its events.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use orchestrate::processes;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Bench, DEADLINE, Outcome, until};

/// A command that is going on. If it is let go of it is killed, and its servers go with it.
pub(crate) struct Running<'b> {
    bench: &'b Bench,
    child: Child,
    lines: Receiver<String>,
    stdout: String,
    stderr: Option<thread::JoinHandle<Vec<u8>>>,
    has_begun: Arc<AtomicBool>,
}

impl<'b> Running<'b> {
    pub(super) fn start(bench: &'b Bench, mut command: Command) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().expect("the binary runs");
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("piped"));
        let has_begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&has_begun);
        thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|it| {
                begins.store(true, Ordering::SeqCst);
                sender.send(it)
            })
        });
        let mut errors = child.stderr.take().expect("piped");
        let stderr = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = errors.read_to_end(&mut bytes);
            bytes
        });
        Self { bench, child, lines, stdout: String::new(), stderr: Some(stderr), has_begun }
    }

    /// Reads on until the event of this name, and returns it.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        loop {
            let line = self.lines.recv_timeout(DEADLINE);
            let line = line.unwrap_or_else(|error| panic!("no `{name}`: {error}: {}", self.stdout));
            self.stdout.extend([&line, "\n"]);
            let event: Value = serde_json::from_str(&line).expect("an event");
            if event["event"] == name {
                return event;
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        send(self.pid(), signal);
    }

    /// The same, if it has not ended; whether it had not.
    pub(crate) fn try_signal(&self, signal: Signal) -> bool {
        let runs = processes::find(self.pid()).is_some_and(|it| !it.is_zombie);
        // Until it is waited for its pid is its own.
        runs && Pid::from_raw(i32::try_from(self.pid()).expect("small"))
            .is_some_and(|pid| kill_process(pid, signal).is_ok())
    }

    /// Whether it has told an event yet.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::SeqCst)
    }

    /// Waits for the end; the exit code is `None` if a signal ended it.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        let status = until("it ends", || self.child.try_wait().expect("a child"));
        while let Ok(line) = self.lines.recv_timeout(DEADLINE) {
            self.stdout.extend([&line, "\n"]);
        }
        let stderr = self.stderr.take().expect("taken once").join().expect("stderr is read");
        let stderr = String::from_utf8(stderr).expect("output is UTF-8");
        (status.code(), std::mem::take(&mut self.stdout), stderr)
    }

    /// Waits for the end, and looks it over.
    pub(crate) fn outcome(self) -> Outcome {
        let bench = self.bench;
        let (code, stdout, stderr) = self.end();
        let outcome = bench.outcome(code, stdout.as_bytes(), stderr.as_bytes());
        bench.assert_nothing_runs(&outcome);
        outcome
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Signals one process, by its id.
pub(crate) fn send(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, signal).expect("a process");
}

/// Whether a process runs; one that has ended and that nobody has waited for does not.
pub(crate) fn is_running(pid: u32) -> bool {
    processes::find(pid).is_some_and(|process| !process.is_zombie)
}
