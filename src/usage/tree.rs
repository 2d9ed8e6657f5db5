//! Who belongs to a server: the members of its control group, or else all that descends from its keeper.

use std::fs;
use std::path::{Path, PathBuf};

use crate::processes;

/// A server's processes, as they are whenever one asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    keeper: u32,
    group: Option<PathBuf>,
}

impl Tree {
    /// The tree below a keeper, which does not belong to it, or in a control group, if there is one.
    pub fn new(keeper: u32, group: Option<PathBuf>) -> Self {
        Self { keeper, group }
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
        let mut pids = match &self.group {
            Some(group) => members(group),
            // Whatever leaves its parent ends up below the keeper, which takes in orphans.
            None => processes::descendants(self.keeper),
        };
        pids.sort_unstable();
        pids.dedup();
        pids
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
}
