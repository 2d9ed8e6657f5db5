//! A process of ours that sets the stage and becomes another program: on one CPU, with all the open files that it may
//! have, and not outliving us. Also programs that run to their end, with what they cost.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use orchestrate::{affinity, clock};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal};
use wait4::Wait4 as _;

/// The word that makes this program a launcher: `launch CPU PROGRAM ARGUMENT...`.
pub(crate) const VERB: &str = "launch";

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// From its start until it was waited for.
    pub(crate) wall: Duration,
    /// In user mode and in the kernel, its own children included.
    pub(crate) cpu: Duration,
    pub(crate) rss_peak_bytes: u64,
}

/// Becomes the program that the words after [`VERB`] name. Returns only to say why it did not.
pub(crate) fn become_program(words: &[OsString]) -> String {
    let [cpu, program, arguments @ ..] = words else { return "no CPU and program".to_owned() };
    let Some(cpu) = cpu.to_str().and_then(|cpu| cpu.parse().ok()) else {
        return format!("{} is no CPU", cpu.display());
    };
    let files = rustix::process::getrlimit(Resource::Nofile).maximum;
    let staged = affinity::pin_current_thread(&[cpu])
        .and_then(|()| {
            let raised = Rlimit { current: files, maximum: files };
            Ok(rustix::process::setrlimit(Resource::Nofile, raised)?)
        })
        .and_then(|()| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?));
    let error = match staged {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    };
    format!("{}: {error}", program.display())
}

/// The command that runs `program` on `cpu`. It is to be started by the thread that lives longest: the program ends
/// with it.
pub(crate) fn on_cpu(cpu: usize, program: &[OsString]) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(VERB).arg(cpu.to_string()).args(program).stdin(Stdio::null());
    Ok(command)
}

/// Runs a program to its end; kills it after `limit`.
pub(crate) fn run(mut command: Command, limit: Duration) -> io::Result<Ended> {
    let mut errors = tempfile::tempfile()?;
    command.stdout(Stdio::piped()).stderr(errors.try_clone()?);
    let began = clock::now();
    let mut child = command.spawn()?;
    let (done, is_done) = mpsc::channel::<()>();
    let guard = kill_after(limit, &child, is_done)?;
    let mut stdout = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut stdout)?;
    }
    let used = child.wait4()?;
    let wall = clock::now().since(began);
    drop(done);
    let is_killed = guard.join().unwrap_or(false);
    if is_killed {
        return Err(io::Error::new(io::ErrorKind::TimedOut, format!("not over after {limit:?}")));
    }
    Ok(Ended {
        status: used.status,
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: text(&mut errors)?,
        wall,
        cpu: used.rusage.utime + used.rusage.stime,
        rss_peak_bytes: used.rusage.maxrss,
    })
}

/// A thread that kills the child, by its own descriptor, unless it is done in time; it tells whether it did.
fn kill_after(
    limit: Duration,
    child: &Child,
    is_done: mpsc::Receiver<()>,
) -> io::Result<std::thread::JoinHandle<bool>> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a child has a pid");
    let descriptor = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    Ok(std::thread::spawn(move || {
        let is_late = is_done.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
        is_late && rustix::process::pidfd_send_signal(descriptor.as_fd(), Signal::KILL).is_ok()
    }))
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
