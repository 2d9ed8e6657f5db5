//! `orchestrate report`: the tables of a run, made from its folder alone.

use std::path::Path;

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
    let folder = store::find(&results, words.run.as_deref()).map_err(|error| Error::Nothing {
        what: error.to_string(),
        hint: "name a run's folder or id, or say where results are with `--results`".to_owned(),
    })?;
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
