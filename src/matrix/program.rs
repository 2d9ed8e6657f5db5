//! What a target and a service have in common: a program that is built and run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::tidy;
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

impl Program<'_> {
    /// Why it does not run on a platform, if it does not.
    pub fn misfit(&self, platform: &str) -> Option<String> {
        let fits = self.platforms.is_empty() || self.platforms.iter().any(|it| it == platform);
        (!fits)
            .then(|| format!("does not run on {platform}: needs {}", self.platforms.join(" or ")))
    }

    /// The file that its command starts, where that can be told beforehand: it is named by a path, holds no placeholder, and
    /// no build makes it.
    pub fn file(&self) -> Option<PathBuf> {
        if !self.build.is_empty() || self.command.shell {
            return None;
        }
        let program = shlex::split(&self.command.text)?.into_iter().next()?;
        let is_plain = program.contains('/') && !program.contains(['{', '~']);
        is_plain.then(|| tidy(&self.dir.join(program)))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_command_is_told_where_nothing_is_filled_in_or_built() {
        for (command, shell, build, file) in [
            ("./server --port {port}", false, "", Some("/d/server")),
            ("bin/../'a b' x", false, "", Some("/d/a b")),
            ("/opt/x", false, "", Some("/opt/x")),
            ("node server.js", false, "", None),
            ("{out}/server", false, "", None),
            ("./server", true, "", None),
            ("./server", false, "make", None),
        ] {
            let build = [build].into_iter().filter(|it| !it.is_empty());
            let build: Vec<Command> =
                build.map(|text| Command { text: text.to_owned(), shell }).collect();
            let program = Program {
                label: "a".to_owned(),
                folder: "a".to_owned(),
                tools: &[],
                platforms: &[],
                build: &build,
                command: &Command { text: command.to_owned(), shell },
                dir: Path::new("/d"),
                env: &BTreeMap::new(),
                build_timeout: Duration::ZERO,
                sources: &Sources::Unknown,
            };
            assert_eq!(program.file().as_deref(), file.map(Path::new), "{command}");
        }
    }
}
