//! What a check of a target's claims found: what it kept, what it broke, and what it never claimed. Not kept on disk.

use super::trial::Ended;

/// One target, as it was found.
#[derive(Debug, Clone)]
pub struct Conformance {
    /// The target's label.
    pub target: String,
    /// Workloads of the matrix that it does not offer.
    pub not_offered: Vec<String>,
    /// What was found.
    pub outcome: Outcome,
}

/// Whether a target could be asked.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It could.
    Asked(Findings),
    /// It failed before, or is skipped.
    Out(Ended),
}

/// What came of the checks of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// How many checks it kept.
    pub kept: usize,
    /// Those that it broke.
    pub broken: Vec<Broken>,
    /// For each check of what it does not claim, the key that says so.
    pub not_claimed: Vec<&'static str>,
    /// Checks that were not made, as it was not to be had any more.
    pub not_asked: usize,
}

/// A check that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The check's name.
    pub check: String,
    /// What was sent, in words and escaped; empty if nothing was.
    pub asked: String,
    /// What came of it, and what is right.
    pub what: String,
    /// What to do if it is meant.
    pub hint: Option<String>,
}

impl Conformance {
    /// Whether it was asked and broke something, or failed before.
    pub fn is_at_fault(&self) -> bool {
        match &self.outcome {
            Outcome::Asked(findings) => !findings.broken.is_empty() || findings.not_asked > 0,
            Outcome::Out(ended) => matches!(ended, Ended::Failed(_)),
        }
    }

    /// Whether it could not be asked here, which is nobody's fault.
    pub fn is_skipped(&self) -> bool {
        matches!(&self.outcome, Outcome::Out(Ended::Skipped(_)))
    }
}
