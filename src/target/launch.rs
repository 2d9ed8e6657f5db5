//! The launcher: a process of ours that sets the stage and then becomes the server.
//!
//! Its order stands on its standard input. It joins the control group, leads a session of its own, takes limits and
//! CPUs, asks to die with the keeper, tells the instant and calls exec. That it does so before exec, in a program of
//! its own, is why none of it needs unsafe code between fork and exec.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::{Resource, Rlimit, Signal};

use super::order::{Fault, LaunchOrder, Launched, write_line};
use super::system;
use crate::{affinity, clock};

/// What the hidden verb `launch` does. Returns only if there is no server, with an exit code.
pub fn launch() -> u8 {
    // The status pipe is our standard output, which becomes the server's log; its copy closes at exec.
    let Ok(status) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3) else { return 1 };
    let status = File::from(status);
    let fault = become_server(&status);
    // Without a reader there is nobody left to tell.
    let _ = write_line(&status, &Launched::Failed(fault));
    1
}

/// Returns only to say why there is no server.
fn become_server(status: &File) -> Fault {
    let ready = read_order()
        .map_err(|error| Fault::ours(format!("the launcher cannot read its order: {error}")))
        .and_then(|order| {
            set_the_stage(&order, status).map_err(Fault::ours)?;
            let command = command(&order)?;
            Ok((order, command))
        });
    let (order, mut command) = match ready {
        Ok(ready) => ready,
        Err(fault) => return fault,
    };
    if write_line(status, &Launched::ExecAt(clock::now().as_nanos())).is_err() {
        return Fault::ours("the keeper is gone".to_owned());
    }
    let error = command.exec();
    Fault::of_target(not_run(&order, &error))
}

fn not_run(order: &LaunchOrder, error: &io::Error) -> String {
    let (program, dir) = (order.argv.first().map_or("", String::as_str), order.dir.display());
    // What is there and yet is not found names an interpreter that is not.
    let is_missing = error.kind() == io::ErrorKind::NotFound && order.dir.is_dir();
    match program.contains('/') {
        false if is_missing => format!("`{program}` is not found"),
        true if is_missing && !order.dir.join(program).exists() => {
            format!("`{program}` is not found in `{dir}`")
        }
        _ => format!("`{program}` cannot be run in `{dir}`: {error}"),
    }
}

fn read_order() -> io::Result<LaunchOrder> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

fn set_the_stage(order: &LaunchOrder, mut status: &File) -> Result<(), String> {
    let keeper = rustix::process::getppid();
    system::die_with_parent(Signal::KILL)
        .map_err(|error| format!("no signal at the keeper's death can be had: {error}"))?;
    // Had the keeper died before the call, no signal would ever come.
    if rustix::process::getppid() != keeper || keeper.is_none() {
        return Err("the keeper is gone".to_owned());
    }
    if let Some(group) = &order.group {
        let members = group.join("cgroup.procs");
        if let Err(error) = fs::write(&members, std::process::id().to_string()) {
            // Whether a group can be joined is only seen by joining; the keeper contains the tree without it too.
            let reason = format!("cannot join `{}`: {error}", members.display());
            write_line(&mut status, &Launched::WithoutGroup(reason))
                .map_err(|error| format!("the keeper is gone: {error}"))?;
        }
    }
    // Fails only for the leader of a process group, which a child that was just made is not.
    system::lead().map_err(|error| format!("no session of its own: {error}"))?;
    if let Some(files) = order.open_files {
        limit_open_files(files).map_err(|error| format!("cannot limit open files: {error}"))?;
    }
    if let Err(error) = affinity::pin_current_thread(&order.cpus) {
        // Where it ran is read in the window, and told there.
        write_line(&mut status, &Launched::WithoutCpus(error.to_string()))
            .map_err(|error| format!("the keeper is gone: {error}"))?;
    }
    Ok(())
}

/// Both limits, so that a program that raises its own gets no more than the others; never above the hard limit that we
/// have ourselves, so that it works for any user.
fn limit_open_files(files: u64) -> io::Result<()> {
    let hard = rustix::process::getrlimit(Resource::Nofile).maximum;
    let files = Some(hard.map_or(files, |hard| files.min(hard)));
    Ok(rustix::process::setrlimit(Resource::Nofile, Rlimit { current: files, maximum: files })?)
}

fn command(order: &LaunchOrder) -> Result<Command, Fault> {
    let [program, arguments @ ..] = order.argv.as_slice() else {
        return Err(Fault::of_target("its command is empty".to_owned()));
    };
    let log = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&order.log)
        .and_then(|log| Ok((log.try_clone()?, log)))
        .map_err(|error| Fault::ours(format!("`{}`: {error}", order.log.display())));
    let (log, also_log) = log?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&order.dir)
        .env_clear()
        .envs(&order.env)
        .envs(system::mark_of_keeper())
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(also_log);
    Ok(command)
}
