//! Who belongs to a server: the members of its control group, or else all that descends from its keeper.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::processes::{self, Facts, Family};

/// A server's processes, as they are whenever one asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    keeper: u32,
    group: Option<PathBuf>,
    /// One that lived when it was last asked for, by its number and its start.
    survivor: Cell<Option<(u32, u64)>>,
}

/// A server's processes at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Members {
    /// Those that live, ascending.
    pub(super) pids: Vec<u32>,
    /// Of all of them, also those that have ended and were not waited for; empty where a control group tells who they are.
    pub(super) family: Vec<Facts>,
    /// The keeper, as it was before all of them were looked at: who ends meanwhile is then not counted twice.
    pub(super) keeper: Option<Facts>,
}

impl Tree {
    /// The tree below a keeper, which does not belong to it, or in a control group, if there is one.
    pub fn new(keeper: u32, group: Option<PathBuf>) -> Self {
        Self { keeper, group, survivor: Cell::new(None) }
    }

    /// The keeper, to which the time of those that it waited for is added.
    pub fn keeper(&self) -> u32 {
        self.keeper
    }

    /// The folder of its control group.
    pub fn group(&self) -> Option<&Path> {
        self.group.as_deref()
    }

    /// Its processes of this moment, ascending.
    pub fn pids(&self) -> Vec<u32> {
        self.members().pids
    }

    /// Some of its processes of this moment; none only if there is none. It may be asked often: who lived the last time is
    /// looked for first.
    pub fn survivors(&self) -> Vec<u32> {
        let start = |pid| processes::find(pid).filter(|it| !it.is_zombie).map(|it| it.start_ticks);
        if let Some((pid, began)) = self.survivor.get()
            && start(pid) == Some(began)
        {
            return vec![pid];
        }
        let pids = self.pids();
        self.survivor.set(pids.iter().find_map(|pid| Some((*pid, start(*pid)?))));
        pids
    }

    /// Descendants of its keeper that have left its control group, so that what they use is not counted; ascending. Who ends
    /// just now is in neither.
    pub fn strays(&self) -> Vec<u32> {
        let Some(group) = &self.group else { return Vec::new() };
        let mut family = self.family();
        let mut outside = || -> BTreeSet<u32> {
            let living = family.look().into_iter().filter(|it| !it.is_zombie);
            let living: BTreeSet<u32> = living.map(|it| it.pid).collect();
            &living - &members(group).into_iter().collect()
        };
        let first = outside();
        if first.is_empty() { Vec::new() } else { (&first & &outside()).into_iter().collect() }
    }

    /// Its processes of this moment. Without a control group all processes of the machine are looked through for it.
    pub(super) fn members(&self) -> Members {
        self.members_again(&mut self.family())
    }

    /// What descends from its keeper, of which nothing is known yet.
    pub(super) fn family(&self) -> Family {
        // Whatever leaves its parent ends up below the keeper, which takes in orphans.
        Family::new(self.keeper)
    }

    /// The same as [`Tree::members`], at less cost when it is asked again with the same family.
    pub(super) fn members_again(&self, family: &mut Family) -> Members {
        let keeper = processes::find(self.keeper).filter(|_| self.group.is_none());
        let family = if self.group.is_some() { Vec::new() } else { family.look() };
        let mut pids = match &self.group {
            Some(group) => members(group),
            None => family.iter().filter(|it| !it.is_zombie).map(|it| it.pid).collect(),
        };
        pids.sort_unstable();
        pids.dedup();
        Members { pids, family, keeper }
    }
}

/// Members of a group and of those that a server made below it.
fn members(group: &Path) -> Vec<u32> {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    let mut pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            pids.extend(members(&entry.path()));
        }
    }
    pids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_groups_below_belong_and_no_group_has_none() {
        let group = tempfile::tempdir().expect("folder");
        let below = group.path().join("below");
        fs::create_dir(&below).expect("folder");
        fs::write(group.path().join("cgroup.procs"), "12\n7\n").expect("write");
        fs::write(below.join("cgroup.procs"), "9\n").expect("write");
        let tree = Tree::new(1, Some(group.path().to_owned()));
        assert_eq!(tree.pids(), [7, 9, 12]);
        assert_eq!(Tree::new(1, Some("/nowhere".into())).pids(), [0; 0]);
    }

    #[test]
    fn a_survivor_is_remembered_until_it_is_gone() {
        let group = tempfile::tempdir().expect("folder");
        let procs = group.path().join("cgroup.procs");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        fs::write(&procs, format!("{}\n", child.id())).expect("write");
        let tree = Tree::new(1, Some(group.path().to_owned()));
        assert_eq!(tree.survivors(), [child.id()]);
        fs::write(&procs, "").expect("write");
        assert_eq!(tree.survivors(), [child.id()], "it is not looked for anew");
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert_eq!(tree.survivors(), [0; 0]);
    }

    #[test]
    fn without_a_group_the_dead_are_kept_apart_from_the_living() {
        let tree = Tree::new(std::process::id(), None);
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        let until = crate::clock::now() + std::time::Duration::from_mins(1);
        let dead = |members: &Members| {
            members.family.iter().any(|it| it.pid == child.id() && it.is_zombie)
        };
        while !dead(&tree.members()) && !until.is_past() {
            crate::clock::sleep_until(crate::clock::now() + std::time::Duration::from_millis(5));
        }
        let members = tree.members();
        assert!(dead(&members) && !members.pids.contains(&child.id()), "{members:?}");
        child.wait().expect("waited for");
        assert!(!tree.members().family.iter().any(|it| it.pid == child.id()));
    }
}
