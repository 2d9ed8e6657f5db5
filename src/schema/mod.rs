//! The shape of every file that is read or written, for editors and programs: as JSON Schema, and for people as a page.
//!
//! What a user writes is declared key by key in `matrix::keys`; what is kept on disk follows from the records themselves.

use serde_json::Value;

use crate::event::Line;
use crate::matrix::keys::{MATRIX, TARGET, TOOLCHAINS};
use crate::record::changes::Changes;
use crate::record::run::RunInfo;
use crate::record::summary::Summary;
use crate::record::trial::TrialRecord;

mod disk;
mod forms;
mod page;
mod written;

#[cfg(test)]
mod tests;

/// The version of JSON Schema that all schemas keep to.
pub const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A file, or a line of one, that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A matrix.
    Matrix,
    /// A `target.toml`.
    Target,
    /// A `toolchains.toml`.
    Toolchains,
    /// A `run.json`.
    Run,
    /// A line of `trials.ndjson`.
    Trial,
    /// A `summary.json`.
    Summary,
    /// A line of `events.ndjson`.
    Event,
    /// A `changes.json`.
    Changes,
}

impl Shape {
    /// All of them: first what a user writes, then what is kept on disk.
    pub const ALL: [Self; 8] = [
        Self::Matrix,
        Self::Target,
        Self::Toolchains,
        Self::Run,
        Self::Trial,
        Self::Summary,
        Self::Event,
        Self::Changes,
    ];

    /// The word that asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix",
            Self::Target => "target",
            Self::Toolchains => "toolchains",
            Self::Run => "run",
            Self::Trial => "trial",
            Self::Summary => "summary",
            Self::Event => "event",
            Self::Changes => "changes",
        }
    }

    /// What it is of, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Matrix => "a matrix: the TOML file that `run` and most other commands take",
            Self::Target => "target.toml: one server program, in a folder of its own",
            Self::Toolchains => "toolchains.toml: how to ask a tool's version, and how to get it",
            Self::Run => "run.json: what was asked for, where and by whom",
            Self::Trial => "a line of trials.ndjson: everything that was measured in one trial",
            Self::Summary => "summary.json: a run in the figures that tables and histories need",
            Self::Event => "a line of events.ndjson, or of what `--events` writes",
            Self::Changes => "changes.json: what a history told, and what was accepted",
        }
    }

    /// Its JSON Schema.
    pub fn schema(self) -> Value {
        match self {
            Self::Matrix => written::schema(&MATRIX, self.about()),
            Self::Target => written::schema(&TARGET, self.about()),
            Self::Toolchains => written::schema(&TOOLCHAINS, self.about()),
            Self::Run => disk::kept::<RunInfo>(self.about()),
            Self::Trial => disk::kept::<TrialRecord>(self.about()),
            Self::Summary => disk::kept::<Summary>(self.about()),
            Self::Event => disk::told::<Line<'_>>(self.about()),
            Self::Changes => disk::kept::<Changes>(self.about()),
        }
    }

    /// The same for people, as a Markdown page; `None` of what nobody writes by hand.
    pub fn page(self) -> Option<String> {
        match self {
            Self::Matrix => Some(page::matrix()),
            Self::Target => Some(page::reference(&TARGET)),
            Self::Toolchains => Some(page::reference(&TOOLCHAINS)),
            _ => None,
        }
    }
}
