//! What we, the keeper and the launcher tell each other, one JSON line a message.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::matrix::service::StopSignal;

/// The first line that a keeper reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeepOrder {
    /// Our binary, which becomes the launcher too.
    pub(super) program: PathBuf,
    /// The process that the keeper must not outlive.
    pub(super) parent: u32,
    /// The keeper's own CPUs.
    pub(super) cpus: Vec<usize>,
    /// What to launch.
    pub(super) launch: LaunchOrder,
}

/// All that a launcher reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LaunchOrder {
    pub(super) argv: Vec<String>,
    pub(super) dir: PathBuf,
    /// The whole environment.
    pub(super) env: BTreeMap<String, String>,
    /// The server's CPUs; empty leaves them as they are.
    pub(super) cpus: Vec<usize>,
    /// The file that takes its output.
    pub(super) log: PathBuf,
    /// The limit of open files, as far as the hard limit allows.
    pub(super) open_files: Option<u64>,
    /// The control group to join.
    pub(super) group: Option<PathBuf>,
}

/// What a launcher writes before it becomes the server, or instead.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Launched {
    /// It cannot join the control group, and why; it goes on without.
    WithoutGroup(String),
    /// It cannot be kept on its CPUs, and why; it goes on anywhere.
    WithoutCpus(String),
    /// The instant just before exec, in nanoseconds of the monotonic clock.
    ExecAt(u64),
    /// Why there is no server.
    Failed(Fault),
}

/// A server that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Started {
    pub(super) pid: u32,
    /// See [`Launched::ExecAt`].
    pub(super) exec_at: u64,
    /// See [`Launched::WithoutGroup`].
    pub(super) without_group: Option<String>,
    /// See [`Launched::WithoutCpus`]; of the keeper too.
    pub(super) without_cpus: Option<String>,
}

/// Why something did not start, and whose fault it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fault {
    pub(super) reason: String,
    /// Ours rather than the target's.
    pub(super) is_ours: bool,
}

impl Fault {
    pub(super) fn ours(reason: String) -> Self {
        Self { reason, is_ours: true }
    }

    pub(super) fn of_target(reason: String) -> Self {
        Self { reason, is_ours: false }
    }
}

/// What a keeper is told after its order.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Command {
    /// A signal, so many milliseconds, SIGKILL.
    Stop { signal: StopSignal, grace_ms: u64 },
}

/// What a keeper tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    Started(Started),
    NotStarted(Fault),
    Exited(Exit),
    /// So many bytes of its output are no longer counted in the log's size.
    LogCut {
        dropped: u64,
    },
    Stopped(Stopped),
}

/// How a process ended: with a code, or by a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// How a server ended when it was asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Whether something of it outlived the grace and was killed.
    pub forced: bool,
    /// Processes that even SIGKILL did not end: stuck in the kernel, and normally none.
    pub left: usize,
    /// From SIGTERM until the last process was gone.
    pub took: Duration,
    /// How its main process ended, if that was heard; told before, so it is no part of the message.
    #[serde(skip)]
    pub exit: Option<Exit>,
}

impl Exit {
    /// Whether a main process that ended so has left others behind to serve, as one does that daemonises.
    pub(super) fn leaves_daemon(self, tree: &dyn Fn() -> Vec<u32>) -> bool {
        self.code == Some(0) && !tree().is_empty()
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (_, Some(signal)) => match signal_hook::low_level::signal_name(signal) {
                Some(name) => write!(out, "ended by {name}"),
                None => write!(out, "ended by signal {signal}"),
            },
            (Some(code), None) => write!(out, "exit code {code}"),
            (None, None) => out.write_str("ended"),
        }
    }
}

/// Writes one message as a line, in one write.
pub(super) fn write_line<M: Serialize>(mut to: impl Write, message: &M) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_and_reads_back() {
        let mut line = Vec::new();
        let fault = Fault::ours("two\nlines".to_owned());
        write_line(&mut line, &Report::NotStarted(fault.clone())).expect("write");
        let text = "{\"not_started\":{\"reason\":\"two\\nlines\",\"is_ours\":true}}\n";
        assert_eq!(line, text.as_bytes());
        let read: Report = serde_json::from_slice(&line).expect("read");
        assert!(matches!(read, Report::NotStarted(read) if read == fault));
    }

    #[test]
    fn an_end_is_told_by_code_or_by_name_of_the_signal() {
        for (code, signal, text) in [
            (Some(3), None, "exit code 3"),
            (None, Some(9), "ended by SIGKILL"),
            (None, Some(63), "ended by signal 63"),
        ] {
            assert_eq!(Exit { code, signal }.to_string(), text);
        }
    }
}
