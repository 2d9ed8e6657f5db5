//! Control groups (version 2): a server's tree as the kernel knows it, ended at one stroke.
//!
//! Ours lie at `orchestrate-<owner>/<trial>` below the group that we run in; the owner is named for good (see `mark`), so
//! that what a killed run left behind is recognised and ended by [`sweep`]. Where no group can be made the reason is told
//! and the keeper contains the tree alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::mark::Owner;
use super::system;
use crate::clock;
use crate::processes;

const PREFIX: &str = "orchestrate-";

/// Makes a new, empty control group for one trial and returns its folder.
///
/// # Errors
/// Why this machine or user has none, as shown.
pub(super) fn create(trial: &str) -> Result<PathBuf, String> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    if let Some(reason) = system::WITHOUT_GROUPS {
        return Err(reason.to_owned());
    }
    let me = Owner::me().ok_or_else(|| processes::hidden().unwrap_or("`/proc` cannot be read"))?;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_+".contains(c) { c } else { '_' };
    let name: String = trial.chars().take(80).map(safe).collect();
    let home = home()?;
    let path = home.join(format!("{PREFIX}{me}")).join(format!("{name}-{number}"));
    // Another server of ours that stops just now removes the outer folder when it is the last: then once more.
    let made = (0..3).map(|_| fs::create_dir_all(&path)).find(Result::is_ok);
    if made.is_none() {
        fs::create_dir_all(&path)
            .map_err(|error| format!("below `{}`: {error}", home.display()))?;
    }
    if path.join("cpu.stat").is_file() {
        return Ok(path);
    }
    remove(&path);
    Err(format!("groups below `{}` offer no `cpu.stat`", home.display()))
}

/// Ends and removes the groups of owners that are gone; returns their names.
pub(super) fn sweep() -> Vec<String> {
    let ended = orphans().into_iter().filter(|(_, path)| end(path, Duration::from_secs(2)));
    ended.map(|(name, _)| name).collect()
}

/// The groups of owners that are gone, each with how many processes are in it. Nothing is done to them.
pub(super) fn left_over() -> Vec<(String, usize)> {
    orphans().into_iter().map(|(name, path)| (name, members(&path))).collect()
}

fn orphans() -> Vec<(String, PathBuf)> {
    let Some(entries) = home().ok().and_then(|home| fs::read_dir(home).ok()) else {
        return Vec::new();
    };
    let named =
        entries.flatten().map(|it| (it.file_name().to_string_lossy().into_owned(), it.path()));
    let is_orphan = |(name, _): &(String, PathBuf)| owner(name).is_some_and(|it| it.is_gone());
    named.filter(is_orphan).collect()
}

/// Processes in a group and in those below it.
fn members(path: &Path) -> usize {
    let own = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default().lines().count();
    let below = fs::read_dir(path).into_iter().flatten().flatten();
    let below = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    own + below.map(|entry| members(&entry.path())).sum::<usize>()
}

/// The group of ours that a process is in, if its owner is gone.
pub(super) fn left_behind_with(pid: u32) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let place = place(&mounts, &fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)?;
    let group = place.ancestors().find(|folder| {
        let name = folder.file_name().map(|name| name.to_string_lossy());
        name.and_then(|name| owner(&name)).is_some_and(|owner| owner.is_gone())
    })?;
    Some(group.to_owned())
}

/// Kills all members of a group and removes it; whether it is gone within `limit`.
pub(super) fn end(path: &Path, limit: Duration) -> bool {
    let deadline = clock::now() + limit;
    loop {
        // Failing is expected when it is gone already; whether it is gone is asked below.
        let _ = kill(path);
        remove(path);
        if !path.exists() {
            return true;
        }
        if deadline.is_past() {
            return false;
        }
        clock::sleep_until(clock::now() + Duration::from_millis(5));
    }
}

/// Sends SIGKILL to every member, in groups below too, at one stroke.
pub(super) fn kill(path: &Path) -> io::Result<()> {
    fs::write(path.join("cgroup.kill"), "1")
}

/// Removes an empty group, those below it, and the owner's folder if nothing else is in it.
pub(super) fn remove(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path());
        }
    }
    // A group that still has members refuses; the caller asks whether it is gone.
    let _ = fs::remove_dir(path);
    if let Some(parent) = path.parent()
        && parent.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
    {
        let _ = fs::remove_dir(parent);
    }
}

/// The folder of the group that we run in, inside the version 2 hierarchy.
fn home() -> Result<PathBuf, String> {
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"));
    let mounts = read("/proc/self/mountinfo")?;
    let own = read("/proc/self/cgroup")?;
    place(&mounts, &own).ok_or_else(|| "no control groups of version 2 are mounted".to_owned())
}

/// Fields of mountinfo: id, parent, device, root, mount point, options, ... `-`, type, ...
fn place(mounts: &str, own: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (front, back) = line.split_once(" - ")?;
        let mut fields = front.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let is_unified = back.split(' ').next() == Some("cgroup2");
        let below = Path::new(own).strip_prefix(root).ok()?;
        is_unified.then(|| Path::new(point).join(below))
    })
}

fn owner(name: &str) -> Option<Owner> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_place_is_found_below_the_mount_of_version_2() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                      41 31 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        let pure = "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
        let bound = "30 23 0:26 /outer /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
        for (mounts, own, place_found) in [
            (hybrid, "9:cpu:/a\n0::/\n", Some("/sys/fs/cgroup/unified")),
            (pure, "0::/user.slice/x\n", Some("/sys/fs/cgroup/user.slice/x")),
            (bound, "0::/outer/x\n", Some("/sys/fs/cgroup/x")),
            (bound, "0::/elsewhere\n", None),
            (pure, "9:cpu:/a\n", None),
            ("31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n", "0::/\n", None),
        ] {
            assert_eq!(place(mounts, own).as_deref(), place_found.map(Path::new), "{mounts}{own}");
        }
    }

    #[test]
    fn members_are_those_of_a_group_and_of_all_below_it() {
        let group = tempfile::tempdir().expect("folder");
        fs::create_dir_all(group.path().join("one/two")).expect("folders");
        assert_eq!(members(group.path()), 0);
        for (file, text) in [("cgroup.procs", "1\n2\n"), ("one/two/cgroup.procs", "3\n")] {
            fs::write(group.path().join(file), text).expect("written");
        }
        assert_eq!(members(group.path()), 3);
    }

    #[test]
    fn only_names_of_ours_have_an_owner() {
        assert_eq!(owner("orchestrate-12-3456-7"), "12-3456-7".parse().ok());
        for name in ["orchestrate-12-3456", "orchestrate-x-1-1", "system.slice", "orchestrate--1-1"]
        {
            assert_eq!(owner(name), None, "{name}");
        }
    }
}
