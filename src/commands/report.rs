//! `orchestrate report`: the tables of a run, made from its folder alone.

use std::path::{Path, PathBuf};

use super::default_results;
use crate::cli::{self, Format};
use crate::console::Console;
use crate::error::{End, Error};
use crate::record::store;
use crate::record::summary::Summary;
use crate::report::layout::lay_out;
use crate::report::summarise::summarise;
use crate::report::{csv, markdown, table};

pub(super) fn report(words: &cli::Report, console: Console) -> Result<End, Error> {
    let results = words.results.clone().unwrap_or_else(default_results);
    let folder = find(&results, words.run.as_deref(), console)?;
    if !store::has_trials(&folder) {
        // Of a run that came with a repository there is only what was committed.
        let summary = store::read_summary(&folder).map_err(Error::ours)?;
        console.data(&write(&summary, words.format))?;
        return Ok(End::Done);
    }
    if words.write {
        write_files(&folder)?;
    }
    let run = store::read(&folder).map_err(Error::ours)?;
    if run.is_torn {
        console.insist("the last line of trials.ndjson is torn and was left out");
    }
    console.data(&write(&summarise(&run), words.format))?;
    Ok(End::Done)
}

/// The folder of the run that is wanted. Where no run is complete, the newest partial one is better than none.
fn find(results: &Path, wanted: Option<&str>, console: Console) -> Result<PathBuf, Error> {
    let found = store::find(results, wanted).or_else(|error| match wanted {
        None => {
            let folder = store::find_newest(results)?;
            console.say(&format!("no run is complete; this is the newest: {}", folder.display()));
            Ok(folder)
        }
        Some(_) => Err(error),
    });
    found.map_err(|error| Error::Nothing {
        what: error.to_string(),
        hint: "name a run's folder or id, or say where results are with `--results`".to_owned(),
    })
}

/// The report of a run's folder as text.
pub(super) fn text(folder: &Path, format: Format) -> Result<String, Error> {
    let run = store::read(folder).map_err(Error::ours)?;
    Ok(write(&summarise(&run), format))
}

/// Makes the files of a run that follow from its trials.
pub(super) fn write_files(folder: &Path) -> Result<(), Error> {
    let summary = summarise(&store::read(folder).map_err(Error::ours)?);
    for (name, format) in
        [("summary.json", Format::Json), ("tables.md", Format::Md), ("tables.csv", Format::Csv)]
    {
        let text = write(&summary, format);
        store::write_beside(&folder.join(name), text.as_bytes()).map_err(Error::ours)?;
    }
    Ok(())
}

fn write(summary: &Summary, format: Format) -> String {
    match format {
        Format::Table => table::write(&lay_out(summary)),
        Format::Md => markdown::write(&lay_out(summary)),
        Format::Csv => csv::write(summary),
        Format::Json => {
            let mut text = serde_json::to_string_pretty(summary)
                .expect("a summary has only names and numbers");
            text.push('\n');
            text
        }
    }
}
