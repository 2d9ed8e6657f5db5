//! Where the runs are that the blocks of a page are made from.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::default_results;
use super::Faults;
use crate::cli;
use crate::matrix;
use crate::matrix::problem::{Problem, nearest};
use crate::record::store;
use crate::report::readme::{Block, Page, Written};

/// How many names a hint tells.
const NAMES_TOLD: usize = 12;

/// The folder of the run that a block wants.
pub(super) fn folder_of(
    page: &Page,
    block: &Block,
    words: &cli::Readme,
    faults: &mut Faults,
) -> Option<PathBuf> {
    let wanted = &block.wanted;
    let matrix = folder_of_matrix(page, &wanted.matrix, words, faults)?;
    let name = matrix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (at, what) = match &wanted.run {
        None => match store::latest(&matrix).filter(|folder| is_readable(folder)) {
            Some(folder) => return Some(folder),
            None => (wanted.matrix.span.clone(), format!("there is no complete run of `{name}`")),
        },
        Some(run) => {
            let folder = matrix.join(&run.text);
            if is_name(&run.text) && is_readable(&folder) {
                return Some(folder);
            }
            let id = run.text.escape_debug();
            (run.span.clone(), format!("there is no run `{id}` of `{name}`"))
        }
    };
    let runs = store::folders(&matrix).into_iter().filter(|folder| is_readable(folder));
    let hint = match names(runs.rev()) {
        ids if ids.is_empty() => format!("`{}` holds none", matrix.display()),
        ids => format!("there is {}", told(&ids)),
    };
    faults.missing.push(Problem::at(page.place(at), what).hint(hint));
    None
}

/// The folder that holds the runs of the matrix that a block names, by its name or by its file.
fn folder_of_matrix(
    page: &Page,
    matrix: &Written,
    words: &cli::Readme,
    faults: &mut Faults,
) -> Option<PathBuf> {
    let at = || page.place(matrix.span.clone());
    let text = matrix.text.as_str();
    let is_file = Path::new(text).extension().is_some_and(|it| it == "toml");
    if is_file || text.contains('/') {
        let page_path = fs::canonicalize(&page.source.path).unwrap_or_default();
        let path = page_path.parent().unwrap_or(Path::new("/")).join(text);
        if !path.is_file() {
            let what = format!("`{}` is no file", text.escape_debug());
            let hint = "a path is told from the folder of this page";
            faults.wrong.push(Problem::at(at(), what).hint(hint));
            return None;
        }
        let read = matrix::read(&path, None).map_err(|problems| faults.wrong.extend(problems));
        let run = read.ok()?.run;
        let results = words.results.clone().unwrap_or(run.results);
        return Some(results.join(run.name));
    }
    let results = words.results.clone().unwrap_or_else(default_results);
    let folder = results.join(text);
    if is_name(text) && folder.is_dir() {
        return Some(folder);
    }
    let known = names(store::folders(&results).into_iter());
    let what = format!("no results are those of a matrix `{}`", text.escape_debug());
    if known.is_empty() {
        let hint = format!("there are none at all in `{}`", results.display());
        faults.missing.push(Problem::at(at(), what).hint(hint));
    } else {
        let hint = match nearest(text, known.iter().map(String::as_str)) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None => format!("there is {}", told(&known)),
        };
        faults.wrong.push(Problem::at(at(), what).hint(hint));
    }
    None
}

/// Whether a text can be the name of a folder of ours, and leads nowhere else.
fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric) && !text.contains(['/', '\\'])
}

fn names(folders: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let names =
        folders.filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()));
    names.collect()
}

fn told(names: &[String]) -> String {
    let first: Vec<String> =
        names.iter().take(NAMES_TOLD).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(NAMES_TOLD) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Whether there is enough of a run to make tables from.
fn is_readable(run: &Path) -> bool {
    store::has_summary(run) || store::has_trials(run)
}
