//! Tells the program which commit it was built from, where that is known.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/logs/HEAD");
    let told = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    if let Ok(output) = told
        && output.status.success()
        && let Ok(commit) = String::from_utf8(output.stdout)
    {
        println!("cargo::rustc-env=ORCHESTRATE_COMMIT={}", commit.trim());
    }
}
