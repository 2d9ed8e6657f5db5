//! What earlier runs left on this machine: control groups, keepers and processes whose owners are gone. Nothing is done to it here.

use std::collections::BTreeMap;

use super::{group, mark};
use crate::processes::{self, Facts};
use crate::record::machine::LeftOver;

/// All that is left, with how many processes are still in it.
pub fn left_over() -> Vec<LeftOver> {
    let groups = group::left_over()
        .into_iter()
        .map(|(name, processes)| LeftOver { what: format!("control group `{name}`"), processes });
    let keepers = orphaned(&processes::all(), processes::command_line);
    let marked = mark::left_behind()
        .into_iter()
        .filter(|left| !keepers.contains(&left.pid) && group::left_behind_with(left.pid).is_none());
    let marked = marked
        .map(|left| LeftOver { what: format!("pid {} (`{}`)", left.pid, left.name), processes: 1 });
    let marked: Vec<LeftOver> = marked.collect();
    let keepers = keepers.into_iter().map(|pid| LeftOver {
        what: format!("keeper pid {pid}"),
        processes: 1 + processes::descendants(pid).len(),
    });
    groups.chain(keepers).chain(marked).collect()
}

/// Keepers that nobody of this program is the parent of.
fn orphaned(all: &[Facts], command_line: impl Fn(u32) -> Option<String>) -> Vec<u32> {
    let by_pid: BTreeMap<u32, &Facts> = all.iter().map(|process| (process.pid, process)).collect();
    let is_keeper = |process: &&Facts| {
        command_line(process.pid).is_some_and(|words| {
            let mut words = words.split(' ');
            let program = words.next().unwrap_or_default();
            program.rsplit('/').next() == Some(env!("CARGO_PKG_NAME")) && words.eq(["keep"])
        })
    };
    let has_owner = |keeper: &&Facts| {
        by_pid.get(&keeper.parent).is_some_and(|parent| parent.name.starts_with(&keeper.name))
    };
    let orphans = all.iter().filter(is_keeper).filter(|keeper| !has_owner(keeper));
    orphans.map(|keeper| keeper.pid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keeper_without_a_parent_of_ours_is_left_over_and_nothing_else_is() {
        let process = |pid: u32, parent: u32, name: &str| Facts {
            pid,
            parent,
            group: pid,
            name: name.to_owned(),
            is_zombie: false,
            start_ticks: 0,
            threads: 1,
            user_ticks: 0,
            system_ticks: 0,
            waited_user_ticks: 0,
            waited_system_ticks: 0,
        };
        let all = [
            process(1, 0, "init"),
            process(10, 1, "orchestrate"),
            process(11, 10, "orchestrate"),
            process(20, 1, "orchestrate"),
            process(30, 1, "zookeeper"),
            process(31, 1, "orchestrate"),
        ];
        let words = BTreeMap::from([
            (1, "/sbin/init keep"),
            (10, "/usr/bin/orchestrate run keep"),
            (11, "/usr/bin/orchestrate keep"),
            (20, "orchestrate keep"),
            (30, "zookeeper keep"),
            (31, "orchestrate run keep.toml"),
        ]);
        let found = orphaned(&all, |pid| words.get(&pid).map(|words| (*words).to_owned()));
        assert_eq!(found, [20]);
    }
}
