//! Git, as far as sources of another revision are had from it: a work tree of its own for a commit, beside the user's, whose files
//! and index stay as they are.
//!
//! It runs as every command does, contained and with a deadline.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::command;
use super::order::Exit;
use super::run::{Ended, Run, run};

/// How long a command of Git may take; a work tree may be large.
const LIMIT: Duration = Duration::from_mins(5);
/// How long a look may take that nothing depends on.
const LOOK_LIMIT: Duration = Duration::from_secs(10);

/// How Git is run.
#[derive(Debug, Clone, Copy)]
pub struct Git<'r> {
    /// The search path for programs.
    pub path: &'r str,
    /// Set when all should end.
    pub is_interrupted: &'r AtomicBool,
}

/// What Git, or running it, made of a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// It said no.
    #[error("{0}")]
    Refused(String),
    /// It could not be run.
    #[error("git cannot be run: {0}")]
    NotRun(String),
    /// All should end.
    #[error("interrupted")]
    Interrupted,
}

impl Git<'_> {
    /// The root of the work tree that a folder lies in.
    ///
    /// # Errors
    /// If it lies in none, or Git cannot be run.
    pub fn root_of(&self, folder: &Path) -> Result<PathBuf, GitError> {
        self.run(folder, &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// If it names none, or Git cannot be run.
    pub fn commit(&self, root: &Path, revision: &str) -> Result<String, GitError> {
        let commit = format!("{revision}^{{commit}}");
        let words = ["rev-parse", "--verify", "--end-of-options", &commit];
        let told = self.run(root, &words)?;
        let is_digest = told.len() >= 40 && told.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_digest { Ok(told) } else { Err(GitError::Refused(told)) }
    }

    /// Whether a repository is a clone of the newest commits alone.
    pub fn is_shallow(&self, root: &Path) -> bool {
        self.run(root, &["rev-parse", "--is-shallow-repository"]).is_ok_and(|told| told == "true")
    }

    /// The commit that the work tree of a folder has, and whether files that it knows have been changed since; `None` where there is
    /// none, or nobody can tell.
    pub fn head(&self, folder: &Path) -> Option<(String, bool)> {
        let commit = self.commit(folder, "HEAD").ok()?;
        // Without a refreshed index being written back: it is the user's.
        let look = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"];
        let changed = self.run_within(folder, &look, LOOK_LIMIT).ok()?;
        Some((commit, !changed.is_empty()))
    }

    /// Makes a work tree of a commit in a folder that is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn add_tree(&self, root: &Path, at: &Path, commit: &str) -> Result<(), GitError> {
        let at = at.to_string_lossy();
        let words = ["worktree", "add", "--quiet", "--force", "--detach", &at, commit];
        self.run(root, &words).map(|_| ())
    }

    /// Removes a work tree that was made so, whole or broken, and has Git forget it; others, which may only be out of reach, it
    /// keeps in mind.
    ///
    /// # Errors
    /// If its folder cannot be removed.
    pub fn remove_tree(&self, root: &Path, at: &Path) -> std::io::Result<()> {
        match std::fs::remove_dir_all(at) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // It is gone; if Git never knew it, or does not forget it now, that harms nobody.
        let _ = self.run(root, &["worktree", "remove", "--force", &at.to_string_lossy()]);
        Ok(())
    }

    /// The last line that a command prints.
    fn run(&self, dir: &Path, words: &[&str]) -> Result<String, GitError> {
        self.run_within(dir, words, LIMIT)
    }

    fn run_within(&self, dir: &Path, words: &[&str], limit: Duration) -> Result<String, GitError> {
        let say = |error: std::io::Error| GitError::NotRun(error.to_string());
        let folder = tempfile::tempdir().map_err(say)?;
        let log = folder.path().join("git");
        // Hooks are the user's, for work of the user's.
        let own = ["git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];
        let words: Vec<String> = own.iter().chain(words).map(|&word| word.to_owned()).collect();
        let ended = run(&Run {
            words: &words,
            dir,
            env: &command::base_environment(self.path),
            log: &log,
            limit,
            is_interrupted: self.is_interrupted,
        })
        .map_err(GitError::NotRun)?;
        let text = std::fs::read(&log)
            .map_or_else(|_| String::new(), |it| String::from_utf8_lossy(&it).into_owned());
        match ended {
            Ended::By(Exit { code: Some(0), .. }) => Ok(last_line(&text).to_owned()),
            Ended::By(exit) => {
                Err(GitError::Refused(complaint(&text).unwrap_or_else(|| exit.to_string())))
            }
            Ended::Late => Err(GitError::NotRun("it took too long".to_owned())),
            Ended::Interrupted => Err(GitError::Interrupted),
        }
    }
}

fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// What Git has to say against something: the line that is marked as such, else the last one. Advice may follow behind it.
fn complaint(text: &str) -> Option<String> {
    let marked = text.lines().find_map(|line| line.strip_prefix("fatal: "));
    Some(marked.unwrap_or_else(|| last_line(text)).to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_the_line_that_is_marked_as_one() {
        for (text, told) in [
            ("fatal: not a git repository\n", Some("not a git repository")),
            (
                "fatal: detected dubious ownership\nTo add an exception, call:\n\n\tgit config\n",
                Some("detected dubious ownership"),
            ),
            ("hint: x\nsomething else\n\n", Some("something else")),
            ("\n", None),
        ] {
            assert_eq!(complaint(text).as_deref(), told, "{text}");
        }
    }
}
