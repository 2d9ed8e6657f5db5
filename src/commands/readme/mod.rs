//! `orchestrate readme`: the tables between markers of pages, made anew from what is committed of runs.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::read_summary;
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::problem::{Problem, Source};
use crate::record::file::{self, Replacement};
use crate::report::escape::plain;
use crate::report::readme::{Block, Filling, Page, State, diff};
use crate::report::select::NoTable;
use crate::units::count_of;

mod charts;
mod runs;

use runs::folder_of;

/// No page is longer, in bytes.
const PAGE_MAX: u64 = 64 << 20;

pub(super) fn readme(words: &cli::Readme, console: Console) -> Result<End, Error> {
    let mut faults = Faults::default();
    let pages = read_pages(&words.files, &mut faults);
    let mut filled = Vec::new();
    for page in &pages {
        let fillings = fillings(page, words, &mut faults)?;
        if !words.check && !words.force {
            faults.refused.extend(edited(page, &fillings));
        }
        charts::check(page, &fillings, words.check || words.force, &mut faults);
        filled.push(fillings);
    }
    charts::check_places(pages.iter().zip(&filled), &mut faults);
    faults.into_result()?;
    let mut changes = Changes::default();
    for (page, fillings) in pages.iter().zip(&filled) {
        let fillings: Vec<Filling> = fillings.iter().flatten().cloned().collect();
        renew(page, &fillings, words, console, &mut changes)?;
        charts::renew(page, &fillings, words, console, &mut changes)?;
    }
    // Every page has found room before the first one changes.
    for (replacement, said) in changes.replacements {
        replacement.commit().map_err(Error::ours)?;
        console.say(&said);
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
    /// Each, ready to be put in place, and what is said of it then.
    replacements: Vec<(Replacement, String)>,
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
        let read = fs::canonicalize(path).and_then(|place| Ok((read_page(&place)?, place)));
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

/// The bytes of a page, which is a file of a size that a page may have: a pipe would be read for ever.
fn read_page(path: &Path) -> io::Result<Vec<u8>> {
    let facts = fs::metadata(path)?;
    if !facts.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if facts.len() > PAGE_MAX {
        return Err(io::Error::other(format!("it is longer than {} MiB", PAGE_MAX >> 20)));
    }
    fs::read(path)
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

/// Prepares a page anew, or says what would change.
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
    let replacement = file::prepare(path, text.as_bytes()).map_err(Error::ours)?;
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
    let said = format!("{shown}: {blocks} made anew from {}", plain(&runs.join(", ")));
    changes.replacements.push((replacement, said));
    Ok(())
}
