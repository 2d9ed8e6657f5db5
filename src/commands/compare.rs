//! `orchestrate compare`: two runs, row by row, made from what was committed of them alone.

use std::path::{Path, PathBuf};

use super::{choice, default_results, nothing, read_summary};
use crate::cli::{self, CompareFormat, FailOn};
use crate::clock;
use crate::compare::{Row, Settings, Spreads, compare as compare_runs};
use crate::console::Console;
use crate::error::{End, Error};
use crate::history::collect::Collector;
use crate::judge::metric::Metric;
use crate::matrix::problem::{Problem, nearest};
use crate::outcome::Change;
use crate::record::run::RunInfo;
use crate::record::wanted::find_two;
use crate::record::{outline, store};
use crate::report::compared;
use crate::report::escape::plain;

/// Fewer runs know too little of how they differ.
const RUNS_MIN: usize = 10;

/// What to do where a run is not found.
const NAME_RUNS: &str =
    "name runs as `orchestrate compare --help` says, or say where results are with `--results`";

pub(super) fn compare(words: &cli::Compare, console: Console) -> Result<End, Error> {
    let metrics = metrics(&words.metric)?;
    let choice = choice(&words.target, &words.workload, &words.load)?;
    let results = words.results.clone().unwrap_or_else(default_results);
    let folders = find_two(&results, &words.base, &words.new)
        .map_err(|error| super::no_run(&error, NAME_RUNS))?;
    let [base, new] = [read_summary(&folders[0])?, read_summary(&folders[1])?];
    if base.run.id == new.run.id {
        let what = format!("both runs are {}", plain(&new.run.id));
        let hint = "name two runs, as `latest~1 latest`";
        return Err(Error::Problems(vec![Problem::without_place(what).hint(hint)]));
    }
    let mut settings = Settings::of(&new);
    settings.min_effect = words.threshold.unwrap_or(settings.min_effect);
    settings.between = words.between;
    if words.between.is_none() {
        settings.spreads = spreads(&folders, &new.run);
    }
    if !metrics.is_empty() {
        settings.decides = metrics;
    }
    let comparison = compare_runs(&base, &new, &settings)
        .select(&choice)
        .map_err(|none| nothing(&none, &none.known, none.guess.as_deref()))?;
    console.data(&match words.format {
        CompareFormat::Table => compared::text(&comparison),
        CompareFormat::Md => compared::markdown(&comparison),
        CompareFormat::Json => {
            let text = serde_json::to_string_pretty(&comparison);
            text.expect("a comparison has only names and numbers") + "\n"
        }
    })?;
    Ok(end(&comparison.rows().collect::<Vec<_>>(), &words.fail_on))
}

/// By how much rows differ from run to run, as the history of the matrix has it that both runs are of; nothing where that is short.
fn spreads(folders: &[PathBuf; 2], new: &RunInfo) -> Spreads {
    let of = |run: &PathBuf| std::fs::canonicalize(run).ok()?.parent().map(Path::to_owned);
    let [Some(base), Some(runs)] = folders.each_ref().map(of) else { return Spreads::default() };
    if base != runs {
        return Spreads::default();
    }
    let mut collector = Collector::new(&new.name, &Metric::ALL, &clock::wall().to_string());
    for folder in store::folders(&runs).iter().filter(|folder| store::has_summary(folder)) {
        // What cannot be read or does not count is told by the history itself.
        if let Ok(outline) = outline::read(folder) {
            let _ = collector.take(&outline);
        }
    }
    let history = collector.finish();
    let mut spreads = Spreads::of_runs(history.runs.len());
    if history.runs.len() >= RUNS_MIN {
        for (line, between) in history.spreads(&new.id) {
            spreads.add([&line.workload, &line.load, &line.target], line.metric, between);
        }
    }
    spreads
}

/// The figures of these names, each once.
pub(super) fn metrics(names: &[String]) -> Result<Vec<Metric>, Error> {
    let (mut metrics, mut problems): (Vec<Metric>, Vec<Problem>) = (Vec::new(), Vec::new());
    for name in names.iter().map(|name| name.trim()) {
        match Metric::parse(name) {
            Some(metric) if metrics.iter().any(|known| known.name == metric.name) => {}
            Some(metric) => metrics.push(metric),
            None => {
                let known = Metric::ALL.map(|metric| metric.name);
                let what = format!("rows are not compared by `{}`", name.escape_debug());
                let guess = nearest(name, known)
                    .map_or_else(String::new, |guess| format!("did you mean `{guess}`? "));
                let hint = format!("{guess}they are compared by {}", known.join(", "));
                problems.push(Problem::without_place(what).hint(hint));
            }
        }
    }
    if problems.is_empty() { Ok(metrics) } else { Err(Error::Problems(problems)) }
}

/// How it ends for who wants to fail on something. Who compared nothing must not be told that all is well.
pub(super) fn end(rows: &[&Row], fail_on: &[FailOn]) -> End {
    let asks = |what| fail_on.contains(&what);
    let is_any = |is: fn(Change) -> bool| rows.iter().any(|row| is(row.change));
    let is_open = |change| matches!(change, Change::Unclear | Change::NotComparable);
    if asks(FailOn::Regression) && is_any(Change::is_regression) {
        End::Regression
    } else if asks(FailOn::Unclear) && (is_any(is_open) || !is_any(Change::is_told)) {
        End::Unclear
    } else if !fail_on.is_empty() && !is_any(Change::is_told) {
        End::Nothing
    } else {
        End::Done
    }
}
