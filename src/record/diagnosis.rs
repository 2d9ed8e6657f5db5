//! What was found of a machine that is about to be measured on: what spoils figures, what is fine, and what is unknown.

use serde::Serialize;

/// A machine, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// See [`super::SCHEMA`].
    pub schema: u32,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
    /// What could not be read.
    pub unknown: Vec<Unknown>,
    /// What nothing is to be said against.
    pub fine: Vec<Fine>,
}

impl Diagnosis {
    /// How many findings are this bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// How bad a finding is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Figures would be wrong or missing.
    Spoils,
    /// They would be less sure, or hold for this machine and moment alone.
    Blurs,
    /// They hold, and whoever compares them with others' should know.
    Note,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spoils => "spoils",
            Self::Blurs => "blurs",
            Self::Note => "note",
        }
    }
}

/// Something that spoils figures, or may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found, with the figure that it rests on.
    pub found: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do about it.
    pub remedy: Remedy,
}

/// What to do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub enum Remedy {
    /// A command that mends it, for root where it begins with `sudo`.
    Command(String),
    /// What mends it, in words.
    Advice(String),
    /// It cannot be mended here; what to do then.
    NoneHere(String),
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// The name of the check.
    pub check: &'static str,
    /// Why.
    pub reason: String,
}

/// Something that nothing is to be said against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fine {
    /// The name of the check.
    pub check: &'static str,
    /// What was found.
    pub found: String,
}
