//! Running one command that gets a tool: with a deadline, a bounded log, and a process group that is killed as a whole.
//!
//! It is not contained as a server is: what a package brings up when it is installed belongs to the system, and a package
//! manager that dies with us leaves half of a package. Here is the only use of duct.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::clock;
use crate::target::Exit;
use crate::target::log::Log;
use crate::target::run::{Ended, Run};

/// Between two looks at a running command.
const LOOK: Duration = Duration::from_millis(50);

/// Runs a command to its end, and nothing of its process group stays.
///
/// # Errors
/// Why it could not be run.
pub(super) fn run(run: &Run<'_>) -> Result<Ended, String> {
    let [program, arguments @ ..] = run.words else { return Err("it is empty".to_owned()) };
    // Relative programs are below its folder, not ours; without a slash they are searched for, which duct does for
    // strings and not for paths.
    let program =
        if program.contains('/') { run.dir.join(program).into_os_string() } else { program.into() };
    let say = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("`{}` is not found", run.words[0]),
        _ => error.to_string(),
    };
    let mut log =
        Log::open(run.log).map_err(|error| format!("`{}`: {error}", run.log.display()))?;
    let output = OpenOptions::new().append(true).open(run.log).map_err(say)?;
    let handle = duct::cmd(program, arguments)
        .dir(run.dir)
        .full_env(run.env)
        .stdin_null()
        .stderr_to_stdout()
        .stdout_file(output)
        .unchecked()
        .before_spawn(|command| {
            command.process_group(0);
            Ok(())
        })
        .start()
        .map_err(say)?;
    let deadline = clock::now() + run.limit;
    let ended = loop {
        if let Some(output) = handle.wait_timeout(LOOK).map_err(say)? {
            break Ended::By(Exit { code: output.status.code(), signal: output.status.signal() });
        }
        if run.is_interrupted.load(Ordering::Relaxed) {
            break Ended::Interrupted;
        }
        if deadline.is_past() {
            break Ended::Late;
        }
        log.keep_small().map_err(say)?;
    };
    for pid in handle.pids().iter().filter_map(|pid| Pid::from_raw(i32::try_from(*pid).ok()?)) {
        // Usually nobody is left in it.
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
    if !matches!(ended, Ended::By(_)) {
        handle.wait().map_err(say)?;
    }
    log.finish().map_err(say)?;
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::target::command::base_environment;

    fn run_shell(
        script: &str,
        limit_ms: u64,
        is_interrupted: bool,
    ) -> (Result<Ended, String>, String) {
        let dir = tempfile::tempdir().expect("folder");
        let log = dir.path().join("log");
        let ended = run(&Run {
            words: &["sh".into(), "-c".into(), script.into()],
            dir: dir.path(),
            env: &base_environment("/usr/bin:/bin"),
            log: &log,
            limit: Duration::from_millis(limit_ms),
            is_interrupted: &AtomicBool::new(is_interrupted),
        });
        (ended, fs::read_to_string(&log).expect("log"))
    }

    #[test]
    fn a_command_ends_by_itself_or_is_ended_with_what_it_started() {
        let code = |code| Ok(Ended::By(Exit { code: Some(code), signal: None }));
        assert_eq!(
            run_shell("echo out; echo err >&2", 9000, false),
            (code(0), "out\nerr\n".into())
        );
        assert_eq!(run_shell("exit 7", 9000, false).0, code(7));
        let began = clock::now();
        assert_eq!(run_shell("sleep 100 & sleep 100", 100, false).0, Ok(Ended::Late));
        assert_eq!(run_shell("sleep 100", 9000, true).0, Ok(Ended::Interrupted));
        assert!(clock::now().since(began) < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let dir = tempfile::tempdir().expect("folder");
        let ended = run(&Run {
            words: &["no-such-program".into()],
            dir: dir.path(),
            env: &base_environment("/usr/bin:/bin"),
            log: &dir.path().join("log"),
            limit: Duration::from_secs(9),
            is_interrupted: &AtomicBool::new(false),
        });
        assert_eq!(ended, Err("`no-such-program` is not found".to_owned()));
    }
}
