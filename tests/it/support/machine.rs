//! What this machine allows a test to do, and saying so where it does not.

use std::io::Write as _;
use std::process::Command;

use super::ORCHESTRATE;

/// What hides control groups from the program that it executes; needs to be allowed a mount namespace of its own.
pub(crate) const WITHOUT_GROUPS: [&str; 5] =
    ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /sys/fs/cgroup && exec \"$0\" \"$@\""];

/// Whether the binary can be executed through these words here.
pub(crate) fn can_pass_through(words: &[&str]) -> bool {
    let probe = Command::new(words[0]).args(&words[1..]).args([ORCHESTRATE, "--version"]).output();
    probe.is_ok_and(|output| output.status.success())
}

/// Says, past the harness that keeps what a test prints, that something is not tested on this machine, and why.
pub(crate) fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "not tested here: {what}: {why}");
}
