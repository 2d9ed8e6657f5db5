//! A run's folder, read back; how it is made is in `folder`.
//!
//! A last line of `trials.ndjson` that is torn is dropped, and that is said. So are records that do not count, since a later
//! session of the run measured their round again.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::file::{io_error, newer, read_json};
use super::lines::parse_trials;
use super::run::RunInfo;
use super::summary::Summary;
use super::trial::{Spot, TrialRecord};
use crate::units::{count_of, write_bytes};

pub(super) const RUN: &str = "run.json";
pub(super) const TRIALS: &str = "trials.ndjson";
const SUMMARY: &str = "summary.json";
pub(super) const LATEST: &str = "latest";

/// Why a run could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("`{}`{} cannot be read: {reason}", path.display(), line.map(|line| format!(" line {line}")).unwrap_or_default())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The line, from 1, if it is one of many.
        line: Option<usize>,
        /// Why.
        reason: String,
    },
    /// The disk is full, or nearly.
    #[error("only {} are left on the disk of `{}`, and a trial may need {}", write_bytes(*free), path.display(), write_bytes(*needed))]
    NoRoom {
        /// The folder of the run.
        path: PathBuf,
        /// Bytes that are left.
        free: u64,
        /// Bytes that may be needed.
        needed: u64,
    },
    /// Another process is making it.
    #[error("the run in `{}` is being made by another process", .0.display())]
    Held(PathBuf),
    /// What somebody named is none.
    #[error("`{wanted}` names no run: it is no folder of one, and no id and no matrix in `{}`", results.display())]
    NotNamed {
        /// What was named.
        wanted: String,
        /// The folder of the results.
        results: PathBuf,
    },
    /// There is no run to read.
    #[error("there is no run in `{}`", .0.display())]
    NoRun(PathBuf),
    /// There are not so many runs.
    #[error("`latest~{back}` is not there: `{}` has {}", matrix.display(), count_of(*there, "complete run"))]
    TooFew {
        /// The folder of the runs of a matrix.
        matrix: PathBuf,
        /// How many before the latest one was meant.
        back: usize,
        /// How many there are, the latest included.
        there: usize,
    },
}

impl StoreError {
    /// Whether it is for want of room on a disk.
    pub fn is_want_of_room(&self) -> bool {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        match self {
            Self::Io { source, .. } => full.contains(&source.kind()),
            Self::NoRoom { .. } => true,
            Self::Shape { .. }
            | Self::Held(_)
            | Self::NotNamed { .. }
            | Self::NoRun(_)
            | Self::TooFew { .. } => false,
        }
    }
}

/// A run, read back.
#[derive(Debug)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
    /// What was asked for.
    pub info: RunInfo,
    /// What happened and counts, in order.
    pub trials: Vec<TrialRecord>,
    /// How many records do not count, since their rounds were measured again.
    pub superseded: usize,
    /// Whether the last line was torn and dropped.
    pub is_torn: bool,
}

/// Reads a run's folder.
///
/// # Errors
/// If a file is missing or is not what it should be; a torn last line is no error.
pub fn read(folder: &Path) -> Result<Run, StoreError> {
    read_with(folder, |_| {})
}

/// Reads a run's folder without its histograms, which are nine tenths of it: all that reports need is read out of them.
///
/// # Errors
/// As [`read`].
pub fn read_figures(folder: &Path) -> Result<Run, StoreError> {
    read_with_histograms_of(folder, &BTreeSet::new())
}

/// Reads a run's folder with the histograms of these trials only.
///
/// # Errors
/// As [`read`].
pub fn read_with_histograms_of(folder: &Path, of: &BTreeSet<Spot>) -> Result<Run, StoreError> {
    read_with(folder, |record| {
        if !of.contains(&record.spot()) {
            record.forget_histograms();
        }
    })
}

fn read_with(folder: &Path, each: impl FnMut(&mut TrialRecord)) -> Result<Run, StoreError> {
    let info = read_info(folder)?;
    let path = folder.join(TRIALS);
    let file = File::open(&path).map_err(io_error("read", &path))?;
    read_among(folder, info, BufReader::with_capacity(1 << 16, file), each)
}

/// Reads a run whose trials come from anywhere; `folder` is where they are said to be, and `each` is done to every one.
///
/// # Errors
/// If they cannot be read, or a line of them is not what it should be; a torn last line is no error.
pub fn read_among(
    folder: &Path,
    info: RunInfo,
    trials: impl BufRead,
    each: impl FnMut(&mut TrialRecord),
) -> Result<Run, StoreError> {
    let (mut trials, is_torn) = parse_trials(&folder.join(TRIALS), trials, each)?;
    let all = trials.len();
    trials.retain(|it| !info.is_superseded(it.session, &it.workload, &it.load, it.round));
    let superseded = all - trials.len();
    Ok(Run { folder: folder.to_owned(), info, trials, superseded, is_torn })
}

/// What was asked for in a run, and what came of it as a whole.
///
/// # Errors
/// If `run.json` is missing or is not what it should be.
pub fn read_info(folder: &Path) -> Result<RunInfo, StoreError> {
    let path = folder.join(RUN);
    let info: RunInfo = read_json(&path)?;
    check_schema(info.schema, &path)?;
    Ok(info)
}

/// The summary of a run, for who has no more of it than what is made to be committed.
///
/// # Errors
/// If it is not there either, or is of another shape.
pub fn read_summary(folder: &Path) -> Result<Summary, StoreError> {
    let path = folder.join(SUMMARY);
    let summary: Summary = read_json(&path)?;
    check_schema(summary.schema, &path)?;
    Ok(summary)
}

fn check_schema(schema: u32, path: &Path) -> Result<(), StoreError> {
    if schema <= super::SCHEMA {
        return Ok(());
    }
    Err(StoreError::Shape { path: path.to_owned(), line: None, reason: newer(schema) })
}

/// Whether a run's folder holds its trials.
pub fn has_trials(folder: &Path) -> bool {
    folder.join(TRIALS).exists()
}

/// Whether a run's folder holds its summary.
pub fn has_summary(folder: &Path) -> bool {
    folder.join(SUMMARY).exists()
}

/// Whether this is the folder of a run, whole or as far as it was committed.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN).is_file() || folder.join(SUMMARY).is_file()
}

/// The folder of the run that `wanted` names: a folder, the id of a run, or `name/id`; without it the latest of all.
///
/// # Errors
/// If there is none.
pub fn find(results: &Path, wanted: Option<&str>) -> Result<PathBuf, StoreError> {
    let Some(wanted) = wanted else {
        return newest_latest(results).ok_or_else(|| StoreError::NoRun(results.to_owned()));
    };
    let none = || StoreError::NotNamed { wanted: wanted.to_owned(), results: results.to_owned() };
    let named = Path::new(wanted);
    [named.to_owned(), results.join(wanted)]
        .into_iter()
        .chain(folders(results).into_iter().map(|matrix| matrix.join(wanted)))
        .find_map(|folder| {
            if is_run(&folder) {
                return Some(folder);
            }
            latest(&folder)
        })
        .ok_or_else(none)
}

/// The newest run of all, complete or not.
///
/// # Errors
/// If there is none.
pub fn find_newest(results: &Path) -> Result<PathBuf, StoreError> {
    folders(results)
        .iter()
        .flat_map(|matrix| folders(matrix))
        .filter(|folder| is_run(folder))
        .max_by_key(|folder| folder.file_name().map(std::ffi::OsStr::to_owned))
        .ok_or_else(|| StoreError::NoRun(results.to_owned()))
}

fn newest_latest(results: &Path) -> Option<PathBuf> {
    folders(results).iter().filter_map(|matrix| latest(matrix)).max_by_key(|folder| {
        // Ids begin with the date and the time.
        folder.file_name().map(std::ffi::OsStr::to_owned)
    })
}

/// The folder of the latest complete run of a matrix, in the folder that holds its runs.
pub fn latest(matrix: &Path) -> Option<PathBuf> {
    let id = fs::read_to_string(matrix.join(LATEST)).ok()?;
    Some(matrix.join(id.trim())).filter(|folder| is_run(folder))
}

/// The folders in one: those of matrices in the results, those of runs in a matrix's.
pub fn folders(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort_unstable();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_by_folder_by_id_by_name_and_as_the_latest() {
        let results = tempfile::tempdir().expect("a folder");
        for (name, id) in [("one", "20260101"), ("one", "20260102"), ("two", "20260103")] {
            let folder = results.path().join(name).join(id);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(RUN), "{}").expect("a file");
            fs::write(results.path().join(name).join(LATEST), format!("{id}\n")).expect("a file");
        }
        let found = |wanted: Option<&str>| {
            find(results.path(), wanted)
                .ok()
                .map(|it| it.file_name().unwrap_or_default().to_owned())
        };
        let folder = results.path().join("one/20260101");
        assert_eq!(found(folder.to_str()), Some("20260101".into()));
        assert_eq!(found(Some("20260101")), Some("20260101".into()));
        assert_eq!(found(Some("one/20260102")), Some("20260102".into()));
        assert_eq!(found(Some("one")), Some("20260102".into()));
        assert_eq!(found(None), Some("20260103".into()));
        assert_eq!(found(Some("three")), None);
    }
}
