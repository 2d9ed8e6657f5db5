//! How a command ended, and what it left on disk.

use std::fs;
use std::path::{Path, PathBuf};

use orchestrate::record::store::{self, Run};
use orchestrate::record::trial::{Failed, TrialRecord};

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    folder: Option<PathBuf>,
}

impl Outcome {
    pub(super) fn new(
        code: Option<i32>,
        stdout: String,
        stderr: String,
        folder: Option<PathBuf>,
    ) -> Self {
        Self { code, stdout, stderr, folder }
    }

    /// Asserts the exit code; shows everything if it is another.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Asserts that standard error tells all of these.
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no `{part}` in {self:#?}");
        }
        self
    }

    /// Asserts that nothing was started: there is no run.
    pub(crate) fn starts_nothing(self) -> Self {
        assert_eq!(self.folder, None, "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        self
    }

    /// The folder of the run.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.as_deref().unwrap_or_else(|| panic!("no run: {self:#?}"))
    }

    /// A file of the run.
    pub(crate) fn file(&self, name: &str) -> String {
        let path = self.folder().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The run as it is on disk: whole, and every trial of it adds up.
    pub(crate) fn record(&self) -> Run {
        let run = store::read(self.folder()).expect("a readable run");
        assert!(!run.is_torn);
        for trial in &run.trials {
            assert!(trial.is_whole(), "{trial:#?}");
        }
        run
    }

    /// The only trial of a target.
    pub(crate) fn trial(&self, label: &str) -> TrialRecord {
        let mut of = self.record().trials.into_iter().filter(|trial| trial.label() == label);
        match (of.next(), of.next()) {
            (Some(trial), None) => trial,
            other => panic!("not one trial of `{label}`: {other:#?}"),
        }
    }

    /// The failure of the only trial of a target.
    pub(crate) fn failure(&self, label: &str) -> Failed {
        let trial = self.trial(label);
        trial.failed().unwrap_or_else(|| panic!("no failure: {trial:#?}")).clone()
    }
}
