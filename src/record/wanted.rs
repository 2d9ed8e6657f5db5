//! Which runs are meant: a folder, an id, `name/id`, a matrix's name, or one counted back from the latest: `latest~1`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::file::read_json;
use super::store::{self, StoreError};
use super::whole::End;

/// A run that is named, or counted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    /// As [`store::find`] takes it.
    Named(String),
    /// So many complete runs before the latest of a matrix, or of the one that is otherwise meant.
    Counted { matrix: Option<String>, back: usize },
}

impl Wanted {
    fn parse(text: &str) -> Self {
        // What is there by that name is meant.
        if store::is_run(Path::new(text)) {
            return Self::Named(text.to_owned());
        }
        let back = text.rsplit_once('~').and_then(|(stem, back)| Some((stem, back.parse().ok()?)));
        let stem = back.map_or(text, |(stem, _)| stem);
        let count = back.map_or(0, |(_, back)| back);
        if stem == "latest" {
            return Self::Counted { matrix: None, back: count };
        }
        let matrix = stem.strip_suffix("/latest").or(back.map(|(stem, _)| stem));
        match matrix.filter(|matrix| !matrix.is_empty()) {
            Some(matrix) => Self::Counted { matrix: Some(matrix.to_owned()), back: count },
            None => Self::Named(text.to_owned()),
        }
    }
}

/// The folders of two runs. One that is counted back without the name of a matrix is of the matrix that the other belongs to;
/// if neither says, of the one that has the latest complete run of all.
///
/// # Errors
/// If one of them is not there.
pub fn find_two(results: &Path, first: &str, second: &str) -> Result<[PathBuf; 2], StoreError> {
    let both = [first, second].map(Wanted::parse);
    let named = |wanted: &Wanted| match wanted {
        Wanted::Named(text) => Some(store::find(results, Some(text))),
        Wanted::Counted { matrix: Some(matrix), back } => {
            Some(count_back(&results.join(matrix), *back))
        }
        Wanted::Counted { matrix: None, .. } => None,
    };
    let [first, second] = both.each_ref().map(named);
    let (first, second) = (first.transpose()?, second.transpose()?);
    let matrix = match first.as_ref().or(second.as_ref()) {
        Some(run) => matrix_of(run),
        None => matrix_of(&store::find(results, None)?),
    };
    let found = |run: Option<PathBuf>, wanted: &Wanted| match (run, wanted) {
        (Some(run), _) => Ok(run),
        (None, Wanted::Counted { back, .. }) => count_back(&matrix, *back),
        (None, Wanted::Named(text)) => store::find(results, Some(text)),
    };
    Ok([found(first, &both[0])?, found(second, &both[1])?])
}

/// The folder that holds the runs of the matrix that a run is of.
fn matrix_of(run: &Path) -> PathBuf {
    let run = std::fs::canonicalize(run).unwrap_or_else(|_| run.to_owned());
    run.parent().unwrap_or(&run).to_owned()
}

/// The complete run so many before the latest one, in the folder that holds the runs of a matrix.
fn count_back(matrix: &Path, back: usize) -> Result<PathBuf, StoreError> {
    let latest = store::latest(matrix).ok_or_else(|| StoreError::NoRun(matrix.to_owned()))?;
    let profile = profile_of(&latest);
    // Could it have been the latest when it was made? Runs of another profile were measured otherwise.
    let is_like = |head: &Head| head.is_whole() && head.profile == profile;
    let mut complete: Vec<PathBuf> = store::folders(matrix)
        .into_iter()
        // Ids begin with the date and the time.
        .filter(|folder| folder.file_name() <= latest.file_name())
        .filter(|folder| *folder == latest || head_of(folder).as_ref().is_some_and(is_like))
        .collect();
    let there = complete.len();
    complete.reverse();
    complete.into_iter().nth(back).ok_or_else(|| StoreError::TooFew {
        matrix: matrix.to_owned(),
        back,
        there,
    })
}

/// What tells whether a run is complete.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    partial: bool,
    purpose: Option<IgnoredAny>,
    interrupted: Option<IgnoredAny>,
    cut_short: Option<IgnoredAny>,
    finished_at: Option<IgnoredAny>,
    profile: Option<String>,
}

impl Head {
    fn is_whole(&self) -> bool {
        let end = End {
            has_purpose: self.purpose.is_some(),
            is_partial: self.partial,
            is_interrupted: self.interrupted.is_some(),
            is_cut_short: self.cut_short.is_some(),
            has_ended: self.finished_at.is_some(),
        };
        end.lack().is_none()
    }
}

/// Of what was committed of a run, the summary holds it too.
#[derive(Deserialize)]
struct HeadOfSummary {
    run: Head,
}

fn head_of(folder: &Path) -> Option<Head> {
    let head = read_json::<Head>(&folder.join("run.json")).or_else(|_| {
        read_json::<HeadOfSummary>(&folder.join("summary.json")).map(|summary| summary.run)
    });
    head.ok()
}

/// The profile that a run was made with.
pub(super) fn profile_of(folder: &Path) -> Option<String> {
    head_of(folder)?.profile
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Results with runs of two matrices, of which some are not complete.
    fn results() -> tempfile::TempDir {
        let results = tempfile::tempdir().expect("a folder");
        let whole = r#"{"finished_at": "x"}"#;
        for (name, id, head) in [
            ("one", "20260101", whole),
            ("one", "20260102", r#"{"finished_at": "x", "partial": true}"#),
            ("one", "20260103", whole),
            ("one", "20260104", r#"{"finished_at": "x", "interrupted": "SIGINT"}"#),
            ("one", "20260105", "{}"),
            ("one", "20260106", r#"{"finished_at": "x", "purpose": "noise"}"#),
            ("one", "202601061", r#"{"finished_at": "x", "cut_short": "fail-fast"}"#),
            ("one", "202601062", r#"{"finished_at": "x", "profile": "quick"}"#),
            ("one", "20260107", whole),
            // Complete, and nobody said so: it is not the latest, nor before it.
            ("one", "20260108", whole),
            ("two", "20260201", whole),
            ("two", "20260202", whole),
        ] {
            let folder = results.path().join(name).join(id);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("run.json"), head).expect("a file");
        }
        // Only what was committed.
        let committed = results.path().join("one/20260100");
        fs::create_dir_all(&committed).expect("a folder");
        fs::write(committed.join("summary.json"), format!("{{\"run\": {whole}}}")).expect("a file");
        for (name, latest) in [("one", "20260107"), ("two", "20260202")] {
            fs::write(results.path().join(name).join("latest"), format!("{latest}\n"))
                .expect("a file");
        }
        results
    }

    #[test]
    fn runs_are_counted_back_from_the_latest_of_the_matrix_that_is_meant() {
        let results = results();
        let folder = results.path().join("one/20260101").display().to_string();
        for (first, second, expected) in [
            ("20260101", "20260103", ["20260101", "20260103"]),
            ("one/20260101", "one", ["20260101", "20260107"]),
            ("latest~1", "20260102", ["20260103", "20260102"]),
            ("one~1", "latest", ["20260103", "20260107"]),
            ("latest~1", "one", ["20260103", "20260107"]),
            ("one/latest~2", "latest~1", ["20260101", "20260103"]),
            ("one~3", "latest~0", ["20260100", "20260107"]),
            // Neither says, so it is the matrix of the latest run of all.
            ("latest~1", "latest", ["20260201", "20260202"]),
            ("one", "two/latest~1", ["20260107", "20260201"]),
            (&folder, "latest", ["20260101", "20260107"]),
        ] {
            let found = find_two(results.path(), first, second).expect(first);
            let ids = found.each_ref().map(|it| it.file_name().unwrap_or_default().to_owned());
            assert_eq!(ids, expected.map(std::ffi::OsString::from), "{first} {second}");
        }
    }

    #[test]
    fn a_run_that_is_not_there_is_told_with_how_many_there_are() {
        let results = results();
        let told = |first: &str, second: &str| {
            let error = find_two(results.path(), first, second).expect_err(first).to_string();
            error.replace(&results.path().display().to_string(), "R")
        };
        assert_eq!(told("one~4", "one"), "`latest~4` is not there: `R/one` has 4 complete runs");
        assert_eq!(told("three~1", "one"), "there is no run in `R/three`");
        let none = "it is no folder of one, and no id and no matrix in `R`";
        assert_eq!(told("latest", "three"), format!("`three` names no run: {none}"));
        assert_eq!(told("~1", "one"), format!("`~1` names no run: {none}"));
    }
}
