//! What histories need of `summary.json`, and no more: a year of runs is read in about a second, one file at a time.
//!
//! Reads what [`super::summary`] writes; whatever else stands there is passed over unread. Names of caveats stay text, so that a
//! run of a newer version with a new one is read all the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::SCHEMA;
use super::file::{io_error, newer, parse_json};
use super::run::{Commit, CpuSplit, Purpose};
use super::store::StoreError;
use super::whole::End;

const SUMMARY: &str = "summary.json";

/// A run in outline.
#[derive(Debug, Clone, Deserialize)]
pub struct Outline {
    /// See [`super::SCHEMA`].
    pub schema: u32,
    /// What was asked for, and where.
    pub run: RunOutline,
    /// The versions of the tools that made the targets.
    pub versions: BTreeMap<String, String>,
    /// The rows, table by table.
    pub cells: Vec<CellOutline>,
}

/// What was asked for, and where.
#[derive(Debug, Clone, Deserialize)]
pub struct RunOutline {
    /// The run's id.
    pub id: String,
    /// The matrix's name.
    pub name: String,
    /// The version of this program that made it.
    pub orchestrate: String,
    /// When it began: date and time, UTC.
    pub started_at: String,
    /// When it ended; absent if it was cut off.
    pub finished_at: Option<String>,
    /// The signal that ended it before its last trial.
    pub interrupted: Option<String>,
    /// Why else its last trials were not made; of a newer version there may be further reasons.
    pub cut_short: Option<IgnoredAny>,
    /// The profile of the matrix that was asked for.
    pub profile: Option<String>,
    /// What it is for, if not to compare targets.
    pub purpose: Option<Purpose>,
    /// Whether it is less than the matrix asks for.
    pub partial: bool,
    /// What the repository that the matrix lies in was at.
    pub commit: Option<Commit>,
    /// The policy in force.
    pub policy: PolicyOutline,
    /// The tables.
    pub tables: Vec<TableOutline>,
    /// The machine.
    pub host: HostOutline,
    /// CPUs of the servers and of the generator.
    pub cpus: CpuSplit,
}

impl RunOutline {
    /// What tells whether it is whole.
    pub fn end(&self) -> End {
        End {
            has_purpose: self.purpose.is_some(),
            is_partial: self.partial,
            is_interrupted: self.interrupted.is_some(),
            is_cut_short: self.cut_short.is_some(),
            has_ended: self.finished_at.is_some(),
        }
    }
}

/// Of the policy, what changes figures or their comparison.
#[derive(Debug, Clone, Deserialize)]
pub struct PolicyOutline {
    /// The window.
    pub measure_seconds: f64,
    /// The smallest difference that matters, as a share.
    pub min_effect: f64,
    /// The row that stands for the machine from run to run.
    pub control: Option<String>,
}

/// One workload under one load.
#[derive(Debug, Clone, Deserialize)]
pub struct TableOutline {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The load in words.
    pub load_words: String,
    /// The request.
    pub request: String,
    /// Digest of all that is asked, which answer is right, and how hard.
    pub asked_sha256: Option<String>,
}

/// Of the machine, what changes figures, and what is to be told beside a change.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct HostOutline {
    /// The processor's name for itself.
    pub cpu_model: Option<String>,
    /// CPUs that are on.
    pub cpus: Option<u64>,
    /// Physical cores.
    pub cores: Option<u64>,
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// The kernel and its release.
    pub kernel: Option<String>,
}

/// One row of one table.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CellOutline {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The target's label.
    pub target: String,
    /// Right answers per second.
    pub goodput_per_second: Option<Mean>,
    /// The server's CPU time per answer.
    pub cpu_us_per_request: Option<Mean>,
    /// The median of response time.
    pub response_time_p50_us: Option<Mean>,
    /// The quantile 0.99 of response time.
    pub response_time_p99_us: Option<Mean>,
    /// The server's resident memory, at most.
    pub rss_peak_bytes: Option<Mean>,
    /// From exec to the first right answer.
    pub startup_ms: Option<Mean>,
    /// Each figure against that of the control, by the name of its column.
    #[serde(default)]
    pub versus_control: BTreeMap<String, Ratio>,
    /// The doubts of the row.
    #[serde(default)]
    pub caveats: Vec<Named>,
}

/// The mean of a figure over rounds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Mean {
    /// The geometric mean.
    pub mean: f64,
}

/// The name of a caveat.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Named {
    /// The name.
    pub caveat: String,
}

/// A figure against that of the control, over the rounds in which both were measured.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Ratio {
    /// The mean of the logarithms.
    pub mean: f64,
    /// Their standard deviation; absent for one round.
    pub deviation: Option<f64>,
    /// How many rounds.
    pub rounds: u32,
}

impl Ratio {
    /// The standard error of the mean; `None` for one round.
    pub fn error(&self) -> Option<f64> {
        let rounds = f64::from(self.rounds.max(1));
        self.deviation.map(|deviation| deviation / rounds.sqrt())
    }
}

/// The outline of a run.
///
/// # Errors
/// If its summary is not there, or is of another shape.
pub fn read(folder: &Path) -> Result<Outline, StoreError> {
    let path = folder.join(SUMMARY);
    let text = fs::read(&path).map_err(io_error("read", &path))?;
    let shape = |reason: String| StoreError::Shape { path: path.clone(), line: None, reason };
    let outline: Outline = parse_json(&text).map_err(shape)?;
    if outline.schema > SCHEMA {
        return Err(shape(newer(outline.schema)));
    }
    Ok(outline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_what_a_summary_holds() {
        // A run that is kept with the project, from before there were controls.
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/matrix");
        let folder = super::super::store::latest(&results).expect("a run");
        let (outline, whole) = (
            read(&folder).expect("read"),
            super::super::store::read_summary(&folder).expect("read"),
        );
        assert_eq!((&outline.run.id, outline.cells.len()), (&whole.run.id, whole.cells.len()));
        assert_eq!(outline.run.host.cpu_model, whole.run.host.cpu_model);
        for (cell, other) in outline.cells.iter().zip(&whole.cells) {
            let mean = other.goodput_per_second.as_ref().map(|figure| figure.mean);
            assert_eq!(cell.goodput_per_second.map(|figure| figure.mean), mean, "{}", cell.target);
            let names: Vec<&str> = cell.caveats.iter().map(|it| it.caveat.as_str()).collect();
            let others: Vec<String> =
                other.caveats.iter().map(|it| it.caveat.to_string()).collect();
            assert_eq!(names, others);
        }
    }

    #[test]
    fn what_is_no_summary_is_a_fault_that_names_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, part) in [
            ("{", "EOF"),
            ("{}", "missing field"),
            ("[]", "invalid"),
            ("\u{0}", "expected value"),
            ("{\"schema\":99,\"run\":7}", "it follows schema 99"),
        ] {
            fs::write(folder.path().join(SUMMARY), text).expect("written");
            let fault = read(folder.path()).expect_err("no summary").to_string();
            assert!(
                fault.contains("summary.json` cannot be read") && fault.contains(part),
                "{fault}"
            );
        }
        fs::remove_file(folder.path().join(SUMMARY)).expect("removed");
        assert!(read(folder.path()).expect_err("gone").to_string().starts_with("cannot read `"));
    }
}
