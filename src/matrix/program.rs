//! What a target and a service have in common: a program that is built and run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::toolchain::Need;
use super::{Command, Sources, Target};

/// A program that is built and run, whoever it is for.
#[derive(Debug, Clone)]
pub struct Program<'m> {
    /// What it is called: `go/net-http`, or `service db`.
    pub label: String,
    /// Names its build folder and the log of its build; no other program of the matrix has the same.
    pub folder: String,
    /// Tools without which it cannot be had.
    pub tools: &'m [Need],
    /// Platforms that it runs on; empty means any.
    pub platforms: &'m [String],
    /// Commands that make it, in order.
    pub build: &'m [Command],
    /// The command that runs it.
    pub command: &'m Command,
    /// The folder that commands run in.
    pub dir: &'m Path,
    /// Its environment besides the few names that all get.
    pub env: &'m BTreeMap<String, String>,
    /// How long a build step may take.
    pub build_timeout: Duration,
    /// What a build depends on.
    pub sources: &'m Sources,
}

impl Target {
    /// What of it is built and run.
    pub fn program(&self) -> Program<'_> {
        let label = self.label();
        Program {
            // Flat, so that no target's folder lies inside another's.
            folder: label.replace('/', "~"),
            label,
            tools: &self.tools,
            platforms: &self.platforms,
            build: &self.build,
            command: &self.command,
            dir: &self.dir,
            env: &self.env,
            build_timeout: self.build_timeout,
            sources: &self.sources,
        }
    }
}
