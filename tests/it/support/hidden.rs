//! A machine that hides something from the binary: what goes before it on the command line, where this machine lets us do
//! so. Where it does not, that is said on standard error, and the test that asked has nothing to test.

use std::io::Write as _;
use std::process::Command;

use super::fixture;

/// No control group can be made: there is something else where they are mounted.
pub(crate) fn control_groups() -> Option<Vec<&'static str>> {
    const HIDE: &str = "mount -t tmpfs none \"$(sed -n 's/^[^ ]* \\([^ ]*\\) cgroup2 .*/\\1/p' /proc/mounts | head -n 1)\" \
                        && exec \"$@\"";
    if !std::fs::read_to_string("/proc/mounts").is_ok_and(|mounts| mounts.contains(" cgroup2 ")) {
        return Some(vec!["env"]);
    }
    in_mounts_of_its_own(HIDE)
}

/// `/proc` shows processes, and nothing else of the machine.
pub(crate) fn all_but_processes() -> Option<Vec<&'static str>> {
    in_mounts_of_its_own("mount -t proc -o subset=pid proc /proc && exec \"$@\"")
}

/// `/proc` shows a user who is not root no process but their own that may be looked into (`hidepid`).
pub(crate) fn other_processes() -> Option<Vec<&'static str>> {
    in_mounts_of_its_own(
        "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"",
    )
}

/// Nobody may choose the CPUs that they run on.
pub(crate) fn choice_of_cpus() -> Option<Vec<&'static str>> {
    let words = vec![&*fixture().leak(), "--unpinned"];
    if_allowed(&words, "seccomp").then_some(words)
}

/// Runs a script, which ends with executing its arguments, where mounts are nobody else's.
fn in_mounts_of_its_own(script: &'static str) -> Option<Vec<&'static str>> {
    let ways: [&[&str]; 2] =
        [&["unshare", "--mount"], &["unshare", "--user", "--map-root-user", "--mount"]];
    let words = ways.map(|way| [way, &["sh", "-c", script, "sh"]].concat());
    words.into_iter().find(|words| if_allowed(words, script))
}

/// Whether a program can be run behind these words; if not, that is said.
fn if_allowed(words: &[&str], what: &str) -> bool {
    let mut probe = Command::new(words[0]);
    let output = probe.args(&words[1..]).arg("true").output();
    let is_allowed = output.is_ok_and(|output| output.status.success());
    if !is_allowed {
        let _ = writeln!(std::io::stderr(), "skipped: this machine does not let us use `{what}`");
    }
    is_allowed
}
