//! Who owns a process that we started: told by a variable of its environment, which what it starts inherits.
//!
//! The owner is named for good by its pid, the tick at which it started and the namespaces in which these hold. So
//! what a killed run left behind is recognised, and nothing of a run that goes on, here or in a container, is taken for it.
//! A program that clears its environment, or writes over it, sheds the mark; its descendants may too.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;

use crate::processes::{self, Facts};

/// The variable that bears the mark.
pub const VARIABLE: &str = processes::OWNER;

/// A process of this program that started others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner {
    pid: u32,
    start_ticks: u64,
    namespaces: u64,
}

impl Owner {
    /// The calling process; `None` where it cannot learn its own name.
    pub fn me() -> Option<Self> {
        let pid = std::process::id();
        let start_ticks = processes::find(pid)?.start_ticks;
        Some(Self { pid, start_ticks, namespaces: processes::namespaces()? })
    }

    /// Whether it is known to have ended. Of one in another namespace that cannot be known.
    pub fn is_gone(&self) -> bool {
        if processes::namespaces() != Some(self.namespaces) {
            return false;
        }
        match processes::find(self.pid) {
            Some(it) => it.start_ticks != self.start_ticks || it.is_zombie,
            // It may be there and hidden from us.
            None => !self.has_process(),
        }
    }

    /// Whether its number is in use, as far as the kernel tells anybody who asks.
    fn has_process(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        pid.is_some_and(|pid| {
            rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
        })
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}-{}", self.pid, self.start_ticks, self.namespaces)
    }
}

/// A text that names no owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoOwner;

impl FromStr for Owner {
    type Err = NoOwner;

    fn from_str(text: &str) -> Result<Self, NoOwner> {
        let mut numbers =
            text.splitn(3, '-').map(|number| number.parse::<u64>().map_err(|_| NoOwner));
        let mut next = || numbers.next().unwrap_or(Err(NoOwner));
        let pid = u32::try_from(next()?).map_err(|_| NoOwner)?;
        Ok(Self { pid, start_ticks: next()?, namespaces: next()? })
    }
}

/// A process that was left behind, named for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) pid: u32,
    pub(super) start_ticks: u64,
    pub(super) name: String,
}

/// Processes of this user that bear the mark of an owner that is gone, and all that descends from them; never the calling
/// process, nor any that it descends from.
pub(super) fn left_behind() -> Vec<Left> {
    let all = processes::all();
    let me = rustix::process::geteuid().as_raw();
    let mut known: HashMap<Owner, bool> = HashMap::new();
    // Whoever bears the same one may belong to where we were started from.
    let inherited = std::env::var(VARIABLE).ok();
    let mut is_marked = |process: &Facts| {
        let text = processes::variable(process.pid, VARIABLE);
        let owner = text.filter(|text| Some(text) != inherited.as_ref());
        let owner = owner.and_then(|text| text.parse().ok());
        owner.is_some_and(|owner: Owner| *known.entry(owner).or_insert_with(|| owner.is_gone()))
            && processes::user(process.pid) == Some(me)
    };
    let marked: Vec<u32> =
        all.iter().filter(|process| is_marked(process)).map(|process| process.pid).collect();
    let spared = ancestors(&all, std::process::id());
    with_descendants(&all, &marked)
        .difference(&spared)
        .filter_map(|pid| all.iter().find(|process| process.pid == *pid))
        .map(|it| Left { pid: it.pid, start_ticks: it.start_ticks, name: it.name.clone() })
        .collect()
}

/// A process and all that it descends from.
fn ancestors(all: &[Facts], pid: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut next = Some(pid);
    while let Some(pid) = next.filter(|pid| found.insert(*pid)) {
        next = all.iter().find(|process| process.pid == pid).map(|process| process.parent);
    }
    found
}

fn with_descendants(all: &[Facts], roots: &[u32]) -> BTreeSet<u32> {
    let below = roots.iter().flat_map(|root| processes::among(all, *root));
    roots.iter().copied().chain(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_written_and_read_alike_and_other_texts_name_none() {
        let owner = Owner { pid: 12, start_ticks: 3456, namespaces: 4_026_531_836 };
        assert_eq!(owner.to_string(), "12-3456-4026531836");
        assert_eq!("12-3456-4026531836".parse(), Ok(owner));
        for text in ["", "12", "12-3456", "x-1-2", "12-3456-7-8", "--1", "99999999999-1-2"] {
            assert_eq!(text.parse::<Owner>(), Err(NoOwner), "{text}");
        }
    }

    #[test]
    fn an_owner_is_gone_when_another_process_has_its_pid_and_never_known_to_be_elsewhere() {
        let me = Owner::me().expect("this process");
        assert!(!me.is_gone());
        assert!(Owner { start_ticks: me.start_ticks + 1, ..me }.is_gone());
        assert!(Owner { pid: u32::MAX, ..me }.is_gone());
        assert!(!Owner { pid: u32::MAX, namespaces: me.namespaces + 1, ..me }.is_gone());
    }

    #[test]
    fn what_bears_the_mark_of_an_owner_that_is_gone_is_found_with_what_descends_from_it() {
        let me = Owner::me().expect("this process");
        let gone = Owner { start_ticks: me.start_ticks + 1, ..me };
        let started = |owner: Owner| {
            let mut shell = std::process::Command::new("sh");
            // The one below has shed its mark.
            let shell = shell.args(["-c", "env -i sleep 60 & echo $!; wait"]);
            let shell = shell.env(VARIABLE, owner.to_string()).stdout(std::process::Stdio::piped());
            let mut shell = shell.spawn().expect("sh");
            let mut line = String::new();
            let out = shell.stdout.take().expect("piped");
            std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("pid");
            (shell, line.trim().parse::<u32>().expect("a pid"))
        };
        let (mut of_gone, below) = started(gone);
        let (mut of_me, below_me) = started(me);
        let found: Vec<u32> = left_behind().into_iter().map(|left| left.pid).collect();
        for pid in [below, below_me] {
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("small"));
            let killed =
                rustix::process::kill_process(pid.expect("a pid"), rustix::process::Signal::KILL);
            killed.expect("kill");
        }
        for shell in [&mut of_gone, &mut of_me] {
            shell.wait().expect("wait");
        }
        assert!(found.contains(&of_gone.id()) && found.contains(&below), "{found:?}");
        assert!(!found.contains(&of_me.id()) && !found.contains(&below_me), "{found:?}");
        assert!(!found.contains(&std::process::id()));
    }
}
