//! `orchestrate report`: the tables of a run, made from its folder alone.

use std::path::{Path, PathBuf};

use super::{default_results, globs, nothing};
use crate::cli::{self, Format, Part};
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::problem::Problem;
use crate::record::summary::Summary;
use crate::record::trial::TrialRecord;
use crate::record::{file, store};
use crate::report::column::{Column, ColumnError};
use crate::report::layout::{Layout, Without, lay_out_as};
use crate::report::select::Selection;
use crate::report::summarise::summarise;
use crate::report::{csv, html, markdown, svg, table};
use crate::units::count_of;

pub(super) fn report(words: &cli::Report, console: Console) -> Result<End, Error> {
    let (selection, layout) = choose(words)?;
    let results = words.results.clone().unwrap_or_else(default_results);
    let folder = find(&results, words.run.as_deref(), console)?;
    let Known { summary, trials } = read(&folder, console)?;
    let trials = trials.as_deref();
    if words.write {
        write_all(&folder, &summary, trials)?;
    }
    let summary = selection.of(summary).map_err(|none| nothing(&none, &none.known))?;
    if let Some(folder) = &words.svg {
        write_charts(folder, &summary, trials, console)?;
    }
    console.data(&write_as(&summary, trials, words.format, &layout))?;
    Ok(End::Done)
}

/// What is known of a run.
struct Known {
    summary: Summary,
    /// Absent where only what was committed is at hand.
    trials: Option<Vec<TrialRecord>>,
}

fn read(folder: &Path, console: Console) -> Result<Known, Error> {
    if !store::has_trials(folder) {
        // Of a run that came with a repository there is only what was committed.
        let summary = store::read_summary(folder).map_err(Error::ours)?;
        return Ok(Known { summary, trials: None });
    }
    let run = store::read_figures(folder).map_err(Error::ours)?;
    if run.is_torn {
        console.insist("the last line of trials.ndjson is torn and was left out");
    }
    Ok(Known { summary: summarise(&run), trials: Some(run.trials) })
}

fn write_charts(
    folder: &Path,
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
    console: Console,
) -> Result<(), Error> {
    file::make_folder(folder).map_err(Error::ours)?;
    let charts = svg::files(summary, trials);
    for (name, text) in &charts {
        file::write_beside(&folder.join(name), text.as_bytes()).map_err(Error::ours)?;
    }
    console.say(&format!("{} in {}", count_of(charts.len(), "chart"), folder.display()));
    Ok(())
}

/// Which tables are wanted, and how they are laid out; every fault of the words is told.
fn choose(words: &cli::Report) -> Result<(Selection, Layout), Error> {
    let mut problems = Vec::new();
    let selection = Selection {
        workloads: globs(&words.workload, &mut problems),
        loads: globs(&words.load, &mut problems),
    };
    let mut layout = Layout::default();
    let told = |error: &ColumnError| Problem::without_place(error.to_string()).hint(error.hint());
    if !words.columns.is_empty() {
        match Column::parse_list(words.columns.iter().map(String::as_str)) {
            Ok(columns) => layout.columns = columns,
            Err(errors) => problems.extend(errors.iter().map(told)),
        }
    }
    match words.sort.as_deref().map(Column::parse) {
        Some(Err(error)) => problems.push(told(&error)),
        sort => layout.sort = sort.and_then(Result::ok),
    }
    layout.without = without(&words.without);
    let is_laid_out = matches!(words.format, Format::Table | Format::Md);
    if layout != Layout::default() && !is_laid_out {
        let what =
            "`--columns`, `--sort` and `--without` go with `--format table` and `--format md`";
        let hint = "other formats hold all that they know, in the order of the matrix";
        problems.push(Problem::without_place(what).hint(hint));
    }
    if problems.is_empty() { Ok((selection, layout)) } else { Err(Error::Problems(problems)) }
}

fn without(parts: &[Part]) -> Without {
    let is_named = |part| parts.contains(&part);
    Without {
        title: is_named(Part::Title),
        sentences: is_named(Part::Sentences),
        notes: is_named(Part::Notes),
        audit: is_named(Part::Audit),
        provenance: is_named(Part::Provenance),
    }
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

/// Makes the files of a run that follow from its trials; its summary.
pub(super) fn write_files(folder: &Path) -> Result<Summary, Error> {
    let run = store::read_figures(folder).map_err(Error::ours)?;
    let summary = summarise(&run);
    write_all(folder, &summary, Some(&run.trials))?;
    Ok(summary)
}

fn write_all(
    folder: &Path,
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
) -> Result<(), Error> {
    // Without trials the summary is what all else is made from.
    let summary_file = trials.map(|_| ("summary.json", Format::Json));
    let tables = [("tables.md", Format::Md), ("tables.csv", Format::Csv)];
    for (name, format) in
        summary_file.into_iter().chain(tables).chain([("report.html", Format::Html)])
    {
        let text = write_as(summary, trials, format, &Layout::default());
        file::write_beside(&folder.join(name), text.as_bytes()).map_err(Error::ours)?;
    }
    Ok(())
}

/// The tables of a summary, for a terminal.
pub(super) fn tables(summary: &Summary) -> String {
    table::write(&lay_out_as(summary, &Layout::default()))
}

fn write_as(
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
    format: Format,
    layout: &Layout,
) -> String {
    match format {
        Format::Table => table::write(&lay_out_as(summary, layout)),
        Format::Md => markdown::write(&lay_out_as(summary, layout)),
        Format::Csv => csv::write(summary),
        Format::Html => html::page(summary, trials),
        Format::Json => {
            let mut text = serde_json::to_string_pretty(summary)
                .expect("a summary has only names and numbers");
            text.push('\n');
            text
        }
    }
}
