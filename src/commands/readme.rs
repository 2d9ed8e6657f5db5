//! `orchestrate readme`: the tables between markers of pages, made anew from what is committed of runs.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::default_results;
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix;
use crate::matrix::problem::{Problem, Source, nearest};
use crate::record::summary::Summary;
use crate::record::{file, store};
use crate::report::escape::plain;
use crate::report::readme::{Block, Filling, Page, State, Written, diff};
use crate::report::select::NoTable;
use crate::report::summarise::summarise;
use crate::units::count_of;

/// How many names a hint tells.
const NAMES_TOLD: usize = 12;

pub(super) fn readme(words: &cli::Readme, console: Console) -> Result<End, Error> {
    let mut faults = Faults::default();
    let pages = read_pages(&words.files, &mut faults);
    let mut filled = Vec::new();
    for page in &pages {
        let fillings = fillings(page, words, &mut faults)?;
        if !words.check && !words.force {
            faults.refused.extend(edited(page, &fillings));
        }
        filled.push(fillings);
    }
    faults.into_result()?;
    let mut changes = Changes::default();
    for (page, fillings) in pages.iter().zip(&filled) {
        let fillings: Vec<Filling> = fillings.iter().flatten().cloned().collect();
        renew(page, &fillings, words, console, &mut changes)?;
    }
    if !changes.are_there || !words.check {
        return Ok(End::Done);
    }
    let files: Vec<String> = words.files.iter().map(|path| path.display().to_string()).collect();
    let files = plain(&files.join(" "));
    console.insist("error: generated text is out of date");
    console.insist(&if changes.are_forced {
        format!(
            "hint: `orchestrate readme --force {files}` makes it anew; move out what is to stay"
        )
    } else {
        format!("hint: `orchestrate readme {files}` makes it anew")
    });
    Ok(End::OutOfDate)
}

/// What becomes of all pages.
#[derive(Debug, Default)]
struct Changes {
    are_there: bool,
    /// Whether some would write over what a person wrote.
    are_forced: bool,
}

/// All that keeps pages from being written.
#[derive(Debug, Default)]
struct Faults {
    /// What was written is wrong.
    wrong: Vec<Problem>,
    /// What was asked for is not there.
    missing: Vec<Problem>,
    /// What stands there may not be written over.
    refused: Vec<Problem>,
}

impl Faults {
    /// All of it is told; the first sort of which there is any decides the end.
    fn into_result(self) -> Result<(), Error> {
        let Self { wrong, missing, refused } = self;
        let end = match (wrong.is_empty(), missing.is_empty(), refused.is_empty()) {
            (false, _, _) => Error::Problems,
            (true, false, _) => Error::NothingAt,
            (true, true, false) => Error::RefusedAt,
            (true, true, true) => return Ok(()),
        };
        Err(end([wrong, missing, refused].concat()))
    }
}

/// Reads the pages, each once.
fn read_pages(paths: &[PathBuf], faults: &mut Faults) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut known = HashSet::new();
    for path in paths {
        let read = fs::canonicalize(path).and_then(|place| Ok((fs::read(&place)?, place)));
        let fault = |why: &dyn std::fmt::Display| {
            Problem::without_place(format!("cannot read `{}`: {why}", path.display()))
        };
        match read {
            Err(error) => faults.wrong.push(fault(&error)),
            Ok((_, place)) if !known.insert(place.clone()) => {}
            Ok((bytes, _)) => match String::from_utf8(bytes) {
                Err(_) => faults.wrong.push(fault(&"it is not UTF-8")),
                Ok(text) => {
                    let mut page = Page::parse(Source { path: path.clone(), text });
                    faults.wrong.append(&mut page.problems);
                    pages.push(page);
                }
            },
        }
    }
    pages
}

/// What each block of a page is to hold; none where that is a fault, which is noted.
fn fillings(
    page: &Page,
    words: &cli::Readme,
    faults: &mut Faults,
) -> Result<Vec<Option<Filling>>, Error> {
    let mut fillings = Vec::new();
    for block in &page.blocks {
        let Some(folder) = folder_of(page, block, words, faults) else {
            fillings.push(None);
            continue;
        };
        let run = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let filling = block.filling(&run, read_summary(&folder)?);
        let filling = filling.map_err(|none| faults.wrong.push(no_table(page, block, &none)));
        fillings.push(filling.ok());
    }
    Ok(fillings)
}

/// The folder of the run that a block wants.
fn folder_of(
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

/// What is committed of a run comes first, so that a page is the same wherever it is made.
fn read_summary(folder: &Path) -> Result<Summary, Error> {
    if store::has_summary(folder) {
        return store::read_summary(folder).map_err(Error::ours);
    }
    Ok(summarise(&store::read(folder).map_err(Error::ours)?))
}

fn no_table(page: &Page, block: &Block, none: &NoTable) -> Problem {
    let [workloads, loads] = block.wanted.patterns.clone();
    let span = if none.kind == "workload" { workloads } else { loads };
    let names: Vec<String> = none.known.iter().map(|name| format!("`{name}`")).collect();
    let place = page.place(span.unwrap_or(block.begin()));
    Problem::at(place, none.to_string()).hint(format!("there is {}", names.join(", ")))
}

/// The blocks of a page that hold other text than was put there, and than would be put there.
fn edited(page: &Page, fillings: &[Option<Filling>]) -> Vec<Problem> {
    let blocks = page.blocks.iter().zip(fillings);
    let edited = blocks.filter(|(block, filling)| {
        page.state(block) == State::Edited
            && filling.as_ref().is_some_and(|filling| !page.has_text(block, filling))
    });
    edited
        .map(|(block, _)| {
            let what = "the text of this block was not generated, or was edited by hand";
            let hint = "move it out of the block, or let `--force` write over it";
            Problem::at(page.place(block.begin()), what).hint(hint)
        })
        .collect()
}

/// Writes a page anew, or says what would change.
fn renew(
    page: &Page,
    fillings: &[Filling],
    words: &cli::Readme,
    console: Console,
    changes: &mut Changes,
) -> Result<(), Error> {
    let path = &page.source.path;
    let shown = plain(&path.display().to_string());
    let text = page.fill(fillings);
    if text == page.source.text {
        console.say(&format!("{shown}: nothing to change"));
        return Ok(());
    }
    changes.are_there = true;
    if words.check || words.diff {
        console.data(&diff(&shown, &page.source.text, &text))?;
    }
    if words.check {
        let all: Vec<Option<Filling>> = fillings.iter().cloned().map(Some).collect();
        for problem in edited(page, &all) {
            changes.are_forced = true;
            let line = problem.place.map_or(1, |place| place.line_and_column().0);
            console.insist(&format!("{shown}:{line}: {}", problem.what));
        }
        return Ok(());
    }
    file::replace(path, text.as_bytes()).map_err(Error::ours)?;
    let renewed: Vec<&Filling> = page
        .blocks
        .iter()
        .zip(fillings)
        .filter(|(block, filling)| !page.holds(block, filling))
        .map(|(_, filling)| filling)
        .collect();
    let mut runs: Vec<&str> = renewed.iter().map(|filling| filling.run.as_str()).collect();
    runs.dedup();
    let blocks = count_of(renewed.len(), "block");
    console.say(&format!("{shown}: {blocks} made anew from {}", plain(&runs.join(", "))));
    Ok(())
}
