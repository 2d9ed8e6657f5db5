//! Whose an orphan is, where the system gives all of them to launchd.
//!
//! Nothing here takes in orphans as a keeper does on Linux. So an orphan is given back where it is read: to the leader of its
//! session, which a keeper is, as servers stay in its session here; else to the keeper, or to the run, that its environment
//! names. One that leaves the session *and* hides its environment is nobody's, as is one that leaves it and runs a program
//! that the system protects, whose environment is shown to nobody.

use nix::unistd;
use sysinfo::{Process, ProcessRefreshKind};

use super::super::{KEEPER, OWNER};
use super::{asked, of, value};

/// The process that takes in orphans.
pub(super) const LAUNCHD: u32 = 1;

/// To whom an orphan is given back: the leader of its session, else its keeper, else its run, if that lives.
pub(super) fn foster(orphan: &Process) -> Option<u32> {
    let pid = orphan.pid().as_u32();
    let named = || {
        let mut values = [KEEPER, OWNER].into_iter().filter_map(|it| value(orphan.environ(), it));
        values.find_map(|it| living(&it))
    };
    leader(pid).or_else(named).filter(|foster| *foster != pid)
}

/// Another process that leads the session of this one, and lives.
fn leader(pid: u32) -> Option<u32> {
    let session = |pid| asked(pid, unistd::getsid);
    let leader = session(pid)?;
    (leader != pid && leader != LAUNCHD && session(leader) == Some(leader)).then_some(leader)
}

/// The process that a text names by its number and its start: `12-3456`, and whatever follows.
fn living(text: &str) -> Option<u32> {
    let mut numbers = text.split('-').map(str::parse::<u64>);
    let (pid, start) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let pid = u32::try_from(pid).ok()?;
    let began = of(pid, ProcessRefreshKind::nothing(), Process::start_time)?;
    (began == start).then_some(pid)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};

    use super::super::super::linux;
    use super::super::{everything, find};
    use super::*;

    /// A program that runs, and has said so.
    fn started(program: &str, arguments: &[&str], variables: &[(&str, String)]) -> Child {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().cloned()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let mut said = [0];
        child.stdout.as_mut().expect("piped").read_exact(&mut said).expect("a line");
        child
    }

    fn end(mut child: Child) {
        child.kill().expect("killed");
        child.wait().expect("ended");
    }

    #[test]
    fn an_orphan_is_given_back_to_whom_its_session_or_its_environment_names() {
        let me = find(std::process::id()).expect("this process");
        let myself = format!("{}-{}", me.pid, me.start_ticks);
        let foster_of = |pid: u32| of(pid, everything(), foster).expect("it runs");
        let alone = ["sh", "-c", "echo; exec sleep 60"];
        for (variables, expected) in [
            (vec![(KEEPER, myself.clone())], Some(me.pid)),
            (vec![(OWNER, format!("{myself}-77"))], Some(me.pid)),
            (vec![(KEEPER, "1-1".to_owned()), (OWNER, myself.clone())], Some(me.pid)),
            (vec![(OWNER, format!("{}-{}", me.pid, me.start_ticks + 1))], None),
            (vec![(OWNER, "nobody".to_owned())], None),
        ] {
            // In a session of its own, so that nobody else leads it.
            let child = started("setsid", &alone, &variables);
            let found = foster_of(child.id());
            end(child);
            assert_eq!(found, expected, "{variables:?}");
        }
        let mut outer = started("setsid", &["sh", "-c", "sleep 60 & echo $!; wait"], &[]);
        let mut rest = String::new();
        // The first figure has been read already.
        let out = outer.stdout.take().expect("piped");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut rest).expect("a line");
        let inner = linux::children(outer.id()).first().map(|child| child.pid).expect("sleep");
        assert_eq!(foster_of(inner), Some(outer.id()));
        let inner = rustix::process::Pid::from_raw(i32::try_from(inner).expect("small"));
        let killed =
            inner.map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL));
        assert_eq!(killed, Some(Ok(())));
        end(outer);
    }
}
