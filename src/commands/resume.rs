//! `orchestrate run --resume`: which run is gone on with, and its plan, made again from what is recorded of it.

use std::path::{Path, PathBuf};

use super::Planned;
use crate::cli;
use crate::console::Console;
use crate::error::Error;
use crate::matrix::problem::Problem;
use crate::matrix::{self, Matrix};
use crate::plan::{Cell, Overrides, Plan, Selection};
use crate::record::run::RunInfo;
use crate::record::session::{Base, Chosen};
use crate::record::store;

/// How many keys a refusal names.
const KEYS_TOLD: usize = 8;

/// What there is to go on with.
pub(super) enum Unfinished {
    /// A run that was cut off.
    Run {
        planned: Box<Planned>,
        folder: PathBuf,
        /// The revision whose targets take part too.
        against: Option<String>,
    },
    /// All of it was measured; its id.
    Nothing(String),
}

/// The run that is gone on with: the one that is `wanted`, or the newest of the matrix that is not finished.
pub(super) fn unfinished(
    words: &cli::Run,
    wanted: Option<&str>,
    console: Console,
) -> Result<Unfinished, Error> {
    let matrix = matrix::read(&words.matrix, None).map_err(Error::Problems)?;
    let results = words.results.as_deref().unwrap_or(&matrix.run.results);
    let (folder, info) = match wanted {
        Some(wanted) => {
            let folder = named(results, wanted)?;
            let info = store::read_info(&folder).map_err(Error::ours)?;
            (folder, info)
        }
        None => newest(&results.join(&matrix.run.name), &matrix.run.name, console)?,
    };
    if info.purpose.is_some() {
        let what =
            format!("run {} compares no targets, and ends at once when it is cut off", info.id);
        return Err(refused(what, "measure it anew"));
    }
    if info.is_finished() {
        return Ok(Unfinished::Nothing(info.id));
    }
    if let Some(base) = info.base.as_ref().filter(|_| !info.can_be_resumed()) {
        let what = format!("run {} was cut off before it was known what had changed", info.id);
        return Err(refused(what, &format!("begin anew: `--update {}`", base.id)));
    }
    check_text(&matrix, &info)?;
    let planned = Box::new(plan_again(&words.matrix, &info)?);
    let against = info.against.map(|against| against.revision);
    Ok(Unfinished::Run { planned, folder, against })
}

/// The folder of a run that somebody names.
pub(super) fn named(results: &Path, wanted: &str) -> Result<PathBuf, Error> {
    store::find(results, Some(wanted)).map_err(|error| super::no_run(&error, super::NAME_A_RUN))
}

/// The newest run of a matrix that is not finished; where all are, the newest.
fn newest(runs: &Path, name: &str, console: Console) -> Result<(PathBuf, RunInfo), Error> {
    let mut finished = None;
    for folder in store::folders(runs).into_iter().rev() {
        match store::read_info(&folder) {
            Ok(info) if info.purpose.is_some() || !info.can_be_resumed() => {}
            Ok(info) if !info.is_finished() => return Ok((folder, info)),
            Ok(info) => {
                finished.get_or_insert((folder, info));
            }
            Err(error) => console.say(&format!("passed over: {error}")),
        }
    }
    finished.ok_or_else(|| Error::Nothing {
        what: format!("there is no run of `{name}` in `{}`", runs.display()),
        hint: "leave `--resume` out to begin one".to_owned(),
    })
}

/// Whether the matrix is what it was when the run began, but for comments.
fn check_text(matrix: &Matrix, info: &RunInfo) -> Result<(), Error> {
    let keys = matrix::differences(&info.matrix, &matrix.text);
    if keys.is_empty() {
        return Ok(());
    }
    let mut told: Vec<String> = keys.iter().take(KEYS_TOLD).map(|key| format!("`{key}`")).collect();
    if keys.len() > KEYS_TOLD {
        told.push(format!("{} more", keys.len() - KEYS_TOLD));
    }
    let what = format!(
        "the matrix is not what it was when run {} began: it differs in {}",
        info.id,
        told.join(", ")
    );
    Err(refused(what, "put that back to go on; a new matrix is a new run, without `--resume`"))
}

/// The plan of a run, from its own matrix, selection, overrides and seed.
fn plan_again(path: &Path, info: &RunInfo) -> Result<Planned, Error> {
    let chosen = match &info.chosen {
        Some(chosen) => chosen.clone(),
        None if info.overrides.is_empty() => Chosen::default(),
        None => {
            let what = format!(
                "{}, which began run {}, did not record what was selected in a way that can be planned by",
                info.orchestrate, info.id
            );
            return Err(refused(what, "begin a new run, without `--resume`"));
        }
    };
    let profile = info.profile.as_deref();
    let mut matrix = matrix::read_again(path, &info.matrix, profile).map_err(Error::Problems)?;
    let overrides = Overrides::of(&chosen);
    overrides.apply(&mut matrix);
    matrix.run.seed = Some(info.seed);
    let selection = Selection::of(&chosen)
        .map_err(|error| Error::Problems(vec![Problem::without_place(error.to_string())]))?;
    let plan = Plan::new(&matrix, &selection, overrides, info.seed)
        .map_err(|error| super::nothing(&error, &error.known, error.guess.as_deref()))?;
    let plan = match &info.base {
        None => plan,
        Some(base) => plan.only(|cell| is_anew(&matrix, base, *cell), base.rounds),
    };
    Ok(Planned { matrix, plan })
}

/// Whether a run that brings another up to date measures this cell.
fn is_anew(matrix: &Matrix, base: &Base, cell: Cell) -> bool {
    let (workload, load) = (&matrix.workloads[cell.workload].name, &matrix.loads[cell.load].name);
    let label = cell.label(matrix);
    base.anew.iter().any(|anew| {
        (&anew.workload, &anew.load, anew.target.as_ref()) == (workload, load, Some(&label))
    })
}

fn refused(what: String, hint: &str) -> Error {
    Error::Refused { what, hint: Some(hint.to_owned()) }
}
