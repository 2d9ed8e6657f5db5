//! `changes.json`: what of the change points of a matrix was told, and what was accepted. It lies beside the runs of
//! the matrix and is made to be committed with them; it is all that a history remembers.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SCHEMA;
use super::file::{newer, read_json, write_json};
use super::store::StoreError;

/// The name of the file.
pub const CHANGES: &str = "changes.json";

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// The version of the shapes of a run's files.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// Each change, in the order of rows.
    pub changes: Vec<Known>,
}

/// A change that was told or accepted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The target's label.
    pub target: String,
    /// The column of the figure.
    pub metric: String,
    /// The id of the first run of the new level.
    pub since: String,
    /// The id of the run that confirmed it, or of the newest one where it was accepted before. It is known where it began once it was
    /// told; of one that was accepted before that, a change between the two is this one.
    pub through: String,
    /// The id of the newest run when an alarm was raised for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// The id of the newest run when it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

impl Known {
    /// Whether it is the change that began with this run.
    pub fn is_of(&self, since: &str) -> bool {
        if self.is_confirmed() {
            return self.since == since;
        }
        // Ids begin with the date and the time.
        (self.since.as_str()..=self.through.as_str()).contains(&since)
    }

    /// Whether it was confirmed when it was told or accepted. Only what is confirmed is told, and what was only suspected when it was
    /// accepted reaches to the run that was the newest then.
    fn is_confirmed(&self) -> bool {
        self.told.is_some() || self.accepted.as_ref() != Some(&self.through)
    }
}

impl Default for Changes {
    fn default() -> Self {
        Self { schema: SCHEMA, changes: Vec::new() }
    }
}

impl Changes {
    /// What is remembered of a matrix, by the folder of its runs; nothing where the file is not there.
    ///
    /// # Errors
    /// If it cannot be read, or is of another shape.
    pub fn read(matrix: &Path) -> Result<Self, StoreError> {
        let path = matrix.join(CHANGES);
        if !path.exists() {
            return Ok(Self::default());
        }
        let changes: Self = read_json(&path)?;
        if changes.schema > SCHEMA {
            return Err(StoreError::Shape { path, line: None, reason: newer(changes.schema) });
        }
        Ok(changes)
    }

    /// Writes it, in an order that does not depend on when what was told.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(mut self, matrix: &Path) -> Result<(), StoreError> {
        self.changes.sort();
        write_json(&matrix.join(CHANGES), &self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_in_order_and_what_is_not_there_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Changes::read(folder.path()).expect("none"), Changes::default());
        let known = |target: &str| Known {
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            target: target.to_owned(),
            metric: "goodput".to_owned(),
            since: "20261130".to_owned(),
            through: "20261201".to_owned(),
            told: Some("20261201".to_owned()),
            accepted: None,
        };
        let changes = Changes { changes: vec![known("b"), known("a")], ..Changes::default() };
        changes.write(folder.path()).expect("written");
        let read = Changes::read(folder.path()).expect("read");
        assert_eq!(read.changes, [known("a"), known("b")]);
        let path = folder.path().join(CHANGES);
        for (text, part) in [
            ("{", "EOF"),
            ("{\"schema\":99,\"changes\":[]}", "schema 99"),
            ("{\"schema\":99,\"known\":[]}", "it follows schema 99, and this program knows 1"),
            ("{\"schema\":1,\"known\":[]}", "unknown field `known`"),
        ] {
            std::fs::write(&path, text).expect("written");
            let fault = Changes::read(folder.path()).expect_err("another shape").to_string();
            assert!(fault.contains(part) && fault.contains(CHANGES), "{fault}");
        }
    }
}
