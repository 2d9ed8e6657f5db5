//! The control groups that we are in, up to the outermost that is shown: what they allow, and how often that was hit.
//!
//! Both versions, also side by side. Not here: the group that a server is given; that is made in `target`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::record::host::Throttling;

/// The folders of our groups that rule over `controller`, the innermost first.
pub(super) fn own(controller: &str) -> Vec<PathBuf> {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    chain(&text("/proc/self/mountinfo"), &text("/proc/self/cgroup"), controller)
}

/// From the texts of `/proc/self/mountinfo` (id, parent, device, root, mount point, options, ..., `-`, type, source,
/// options) and of `/proc/self/cgroup` (number, controllers, path). Version 2 has no controllers there and may rule over
/// any.
fn chain(mounts: &str, own: &str, controller: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let names = |list: &str| list.split(',').any(|name| name == controller);
        if !controllers.is_empty() && !names(controllers) {
            continue;
        }
        let place = mounts.lines().find_map(|mount| {
            let (front, back) = mount.split_once(" - ")?;
            let mut front = front.split(' ').skip(3);
            let (root, point) = (front.next()?, front.next()?);
            let mut back = back.split(' ');
            let (kind, options) = (back.next()?, back.nth(1)?);
            let is_this = match kind {
                "cgroup2" => controllers.is_empty(),
                "cgroup" => !controllers.is_empty() && names(options),
                _ => false,
            };
            let below = Path::new(path).strip_prefix(root).ok()?;
            is_this.then(|| (PathBuf::from(point), below.to_owned()))
        });
        if let Some((point, below)) = place {
            folders.extend(below.ancestors().map(|around| point.join(around)));
        }
    }
    folders
}

/// CPU time that our groups may use, in CPUs: the tightest of them.
pub(super) fn cpu_quota() -> Option<f64> {
    let quotas = own("cpu").into_iter().filter_map(|folder| {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        parse_quota(&text("cpu.max")).or_else(|| {
            parse_quota(&format!("{} {}", text("cpu.cfs_quota_us"), text("cpu.cfs_period_us")))
        })
    });
    quotas.reduce(f64::min)
}

/// `quota period` in microseconds; `max` or a negative quota is none.
fn parse_quota(text: &str) -> Option<f64> {
    let mut fields = text.split_whitespace();
    let (quota, period): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// Memory that our groups may use, in bytes: the tightest of them. A limit beyond what the machine has is none.
pub(super) fn memory_max(of_machine: u64) -> Option<u64> {
    let limits = own("memory").into_iter().filter_map(|folder| {
        let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
        text("memory.max").or_else(|| text("memory.limit_in_bytes"))?.trim().parse::<u64>().ok()
    });
    limits.filter(|limit| *limit < of_machine).min()
}

/// How often a quota was hit since its group was made; `None` where the group has no such count.
pub(super) fn throttling(folder: &Path) -> Option<Throttling> {
    parse_throttling(&fs::read_to_string(folder.join("cpu.stat")).ok()?)
}

/// `cpu.stat` in either version: `throttled_usec`, or `throttled_time` in nanoseconds.
fn parse_throttling(text: &str) -> Option<Throttling> {
    let field = |name: &str| -> Option<u64> {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(key, _)| *key == name)?.1.trim().parse().ok()
    };
    Some(Throttling {
        periods: field("nr_periods")?,
        throttled_periods: field("nr_throttled")?,
        throttled_us: field("throttled_usec").or_else(|| Some(field("throttled_time")? / 1000))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_groups_are_found_in_either_version_from_the_innermost_outwards() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      41 31 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        let pure = "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
        let bound = "30 23 0:26 /outer /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
        for (mounts, own, controller, expected) in [
            (
                hybrid,
                "9:cpu,cpuacct:/a/b\n0::/\n",
                "cpu",
                &[
                    "/sys/fs/cgroup/cpu,cpuacct/a/b",
                    "/sys/fs/cgroup/cpu,cpuacct/a",
                    "/sys/fs/cgroup/cpu,cpuacct",
                    "/sys/fs/cgroup/unified",
                ][..],
            ),
            (hybrid, "9:cpu,cpuacct:/a/b\n0::/\n", "memory", &["/sys/fs/cgroup/unified"]),
            (pure, "0::/x\n", "cpu", &["/sys/fs/cgroup/x", "/sys/fs/cgroup"]),
            (bound, "0::/outer/x\n", "cpu", &["/sys/fs/cgroup/x", "/sys/fs/cgroup"]),
            (bound, "0::/elsewhere\n", "cpu", &[]),
            ("", "", "cpu", &[]),
        ] {
            let found = chain(mounts, own, controller);
            let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
            // An empty last component joins to a trailing slash, which is the same path.
            assert_eq!(found, expected, "{mounts}{own}");
        }
    }

    #[test]
    fn quotas_are_read_in_both_versions() {
        for (text, quota) in [
            ("max 100000\n", None),
            ("150000 100000\n", Some(1.5)),
            ("-1\n 100000\n", None),
            (" ", None),
            ("50000 0", None),
        ] {
            assert_eq!(parse_quota(text), quota, "{text}");
        }
    }

    #[test]
    fn throttling_is_read_in_both_versions_and_absent_without_the_controller() {
        let two = "usage_usec 9\nnr_periods 30\nnr_throttled 12\nthrottled_usec 450000\n";
        let one = "nr_periods 30\nnr_throttled 12\nthrottled_time 450000000\nnr_bursts 0\n";
        for text in [two, one] {
            let expected = Throttling { periods: 30, throttled_periods: 12, throttled_us: 450_000 };
            assert_eq!(parse_throttling(text), Some(expected), "{text}");
        }
        assert_eq!(parse_throttling("usage_usec 9\nuser_usec 4\n"), None);
    }
}
