//! Who descends from a process, asked again and again: what was no descendant before is not looked at anew.
//!
//! A process never becomes a descendant of one that it did not descend from: orphans go to a parent of their parent. So who
//! was an outsider stays one, until its number is used again; and a number is used again only after the kernel has gone
//! through all of them.

use std::collections::{HashMap, HashSet};

use super::stat::{self, small};
use super::{Facts, among};

/// The descendants of a process, through time.
#[derive(Debug, Default)]
pub struct Family {
    root: u32,
    outsiders: HashSet<u32>,
    /// The number of the process that was made last, when it was looked last.
    last_made: u32,
}

impl Family {
    /// The descendants of `root`, of which nothing is known yet.
    pub fn new(root: u32) -> Self {
        Self { root, ..Self::default() }
    }

    /// All that descends from it now, with those that have ended and were not waited for yet.
    pub fn look(&mut self) -> Vec<Facts> {
        // Read first: what is made while we look is then taken for newer.
        let last_made = small("/proc/loadavg", |text| text.split_whitespace().last()?.parse().ok());
        self.look_after(last_made.unwrap_or(0))
    }

    fn look_after(&mut self, last_made: u32) -> Vec<Facts> {
        if last_made < self.last_made || last_made == 0 {
            self.outsiders.clear();
        }
        self.last_made = last_made;
        let pids = stat::pids();
        let (known, others): (HashSet<u32>, HashSet<u32>) =
            pids.into_iter().partition(|pid| self.outsiders.contains(pid));
        let all: Vec<Facts> = others.into_iter().filter_map(stat::find).collect();
        let members: HashSet<u32> = among(&all, self.root).into_iter().collect();
        let (members, others): (Vec<Facts>, Vec<Facts>) =
            all.into_iter().partition(|process| members.contains(&process.pid));
        // One whose parent ended while we looked may belong to it all the same, and is looked at again.
        let parents: HashMap<u32, u32> =
            others.iter().map(|process| (process.pid, process.parent)).collect();
        let is_outside = |process: &&Facts| {
            let mut parent = process.parent;
            // No line of parents is longer than there are processes.
            for _ in 0..=parents.len() {
                match parents.get(&parent) {
                    Some(next) if parent != 0 => parent = *next,
                    _ => return parent == 0 || known.contains(&parent),
                }
            }
            false
        };
        let outside: Vec<u32> =
            others.iter().filter(is_outside).map(|process| process.pid).collect();
        self.outsiders = known;
        self.outsiders.extend(outside);
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pids(family: &[Facts]) -> Vec<u32> {
        family.iter().map(|process| process.pid).collect()
    }

    #[test]
    fn who_comes_later_is_found_and_who_never_belonged_is_not_looked_at_again() {
        let mut family = Family::new(std::process::id());
        family.look();
        assert!(
            family.outsiders.contains(&std::process::id()),
            "a root is no descendant of itself"
        );
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        assert!(pids(&family.look()).contains(&child.id()));
        assert!(pids(&family.look()).contains(&child.id()), "and is found again");
        assert!(!family.outsiders.contains(&child.id()));
        // As if its number had been an outsider's: after a round of all numbers that does not count.
        family.outsiders.insert(child.id());
        let last_made = family.last_made;
        assert!(!pids(&family.look_after(last_made)).contains(&child.id()));
        assert!(pids(&family.look_after(last_made - 1)).contains(&child.id()));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(!pids(&family.look()).contains(&child.id()));
    }
}
