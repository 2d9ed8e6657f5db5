//! Tells the program its version, with the commit that it was built from where that is known.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/logs/HEAD");
    let version = env!("CARGO_PKG_VERSION");
    match commit() {
        Some(commit) => println!("cargo::rustc-env=ORCHESTRATE_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=ORCHESTRATE_VERSION={version}"),
    }
}

/// The commit of the repository that this is the root of; another one that it may lie in says nothing.
fn commit() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    let told = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(told.stdout).ok()?;
    told.status.success().then(|| commit.trim().to_owned())
}
