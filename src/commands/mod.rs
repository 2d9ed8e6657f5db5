//! One thin file a verb: the only place that joins stages.

use std::path::{Path, PathBuf};

use crate::cli::{self, Cli, Select, Set, Verb};
use crate::console::Console;
use crate::error::{End, Error};
use crate::host::{self, Split, Topology};
use crate::interrupt::Interrupt;
use crate::matrix::choice::Choice;
use crate::matrix::globs::Globs;
use crate::matrix::problem::{Problem, nearest};
use crate::matrix::{self, Matrix};
use crate::places::Places;
use crate::plan::{Overrides, Plan, Selection};
use crate::record::store::{self, StoreError};
use crate::record::summary::Summary;
use crate::report::summarise::summarise;
use crate::run::lock::{Lock, LockError};
use crate::target;

mod accept;
mod against;
mod build;
mod check;
mod compare;
mod doctor;
mod events;
mod history;
mod init;
mod list;
mod load;
mod man;
mod noise;
mod provision;
mod readme;
mod report;
mod resume;
mod run;
mod schema;
mod serve;
mod versus;

/// What to do where a run is not found.
const NAME_A_RUN: &str = "name a run's folder or id, or say where results are with `--results`";

/// The name and the version of this program.
pub fn version() -> String {
    format!("orchestrate {}", cli::VERSION)
}

/// Does what was typed, and tells on the terminal what went wrong.
pub fn execute(cli: &Cli) -> Result<End, Error> {
    let console = Console::new(is_quiet(&cli.verb));
    let outcome = match &cli.verb {
        Verb::Run(words) => run::run(words, console),
        Verb::Versus(words) => versus::versus(words, console),
        Verb::Init(words) => init::init(words, console),
        Verb::List(words) => list::list(words, console),
        Verb::Completions(words) => man::completions(words, console),
        Verb::Man(words) => man::man(words, console),
        Verb::Check(words) if words.serve => serve::serve(words, console),
        Verb::Check(words) => check::check(words, console),
        Verb::Build(words) => build::build(words, console),
        Verb::Provision(words) => provision::provision(words, console),
        Verb::Load(words) => load::load(words, console),
        Verb::Report(words) => report::report(words, console),
        Verb::Compare(words) => compare::compare(words, console),
        Verb::Readme(words) => readme::readme(words, console),
        Verb::History(words) => history::history(words, console),
        Verb::Accept(words) => accept::accept(words, console),
        Verb::Doctor(words) => doctor::doctor(words, console),
        Verb::Noise(words) => noise::noise(words, console),
        Verb::Schema(words) => schema::schema(words, console),
        Verb::Keep | Verb::Launch => unreachable!("these are not for this process"),
    };
    if let Err(error) = &outcome {
        console.error(error);
    }
    outcome
}

/// What the hidden verbs do, in processes of their own, with an exit code of their own.
pub fn execute_hidden(verb: &Verb) -> Option<u8> {
    match verb {
        Verb::Keep => Some(target::keeper::keep()),
        Verb::Launch => Some(target::launch::launch()),
        _ => None,
    }
}

fn is_quiet(verb: &Verb) -> bool {
    match verb {
        Verb::Run(words) => words.quiet,
        Verb::Versus(words) => words.quiet,
        Verb::Check(words) => words.quiet,
        Verb::Build(words) => words.quiet,
        Verb::Load(words) => words.quiet,
        Verb::History(words) => words.quiet,
        Verb::Doctor(words) => words.quiet,
        Verb::Noise(words) => words.quiet,
        _ => false,
    }
}

/// A matrix and the plan for what is selected of it.
struct Planned {
    matrix: Matrix,
    plan: Plan,
}

fn read_and_plan(path: &Path, select: &Select, set: Set) -> Result<Planned, Error> {
    let selection = selection(select)?;
    let mut matrix = matrix::read(path, select.profile.as_deref()).map_err(Error::Problems)?;
    let overrides = Overrides {
        rounds: set.rounds,
        warm_up: set.warm_up,
        measure: set.measure,
        seed: set.seed,
    };
    overrides.apply(&mut matrix);
    plan(matrix, &selection, overrides)
}

fn plan(matrix: Matrix, selection: &Selection, overrides: Overrides) -> Result<Planned, Error> {
    let drawn = crate::plan::draw_seed(crate::run::entropy());
    let plan = Plan::new(&matrix, selection, overrides, drawn)
        .map_err(|error| nothing(&error, &error.known, error.guess.as_deref()))?;
    Ok(Planned { matrix, plan })
}

fn selection(select: &Select) -> Result<Selection, Error> {
    let mut problems = Vec::new();
    let selection = Selection {
        targets: globs(&select.target, &mut problems),
        workloads: globs(&select.workload, &mut problems),
        loads: globs(&select.load, &mut problems),
    };
    if problems.is_empty() { Ok(selection) } else { Err(Error::Problems(problems)) }
}

/// Which rows are wanted, as it was typed.
fn choice(targets: &[String], workloads: &[String], loads: &[String]) -> Result<Choice, Error> {
    let mut problems = Vec::new();
    let choice = Choice {
        targets: globs(targets, &mut problems),
        workloads: globs(workloads, &mut problems),
        loads: globs(loads, &mut problems),
    };
    if problems.is_empty() { Ok(choice) } else { Err(Error::Problems(problems)) }
}

/// Patterns of the command line; none if there are none, or if one has a fault, which is then noted.
fn globs(patterns: &[String], problems: &mut Vec<Problem>) -> Option<Globs> {
    if patterns.is_empty() {
        return None;
    }
    Globs::parse(patterns)
        .map_err(|error| problems.push(Problem::without_place(error.to_string())))
        .ok()
}

/// Nothing is selected; the hint tells the name that was most likely meant, and the names there are.
fn nothing(what: &dyn std::fmt::Display, known: &[String], guess: Option<&str>) -> Error {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let there = format!("there {are} {}", names.join(", "));
    let hint = match guess {
        Some(guess) => format!("did you mean `{guess}`? {there}"),
        None => there,
    };
    Error::Nothing { what: what.to_string(), hint }
}

/// A run that is not there; the hint tells the matrix that was most likely meant, or else `otherwise`.
fn no_run(error: &StoreError, otherwise: &str) -> Error {
    let guess = match error {
        StoreError::NotNamed { wanted, results } => {
            let known = names_of(&store::folders(results));
            nearest(wanted, known.iter().map(String::as_str)).map(str::to_owned)
        }
        _ => None,
    };
    let guess = guess.map(|guess| format!("did you mean `{guess}`?"));
    Error::Nothing { what: error.to_string(), hint: guess.unwrap_or_else(|| otherwise.to_owned()) }
}

/// The names of folders.
fn names_of(folders: &[PathBuf]) -> Vec<String> {
    let names = folders.iter().filter_map(|folder| folder.file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Where builds and tools are, and the search path that finds tools which were provisioned.
fn places(matrix: &Matrix) -> (Places, String) {
    let places = Places::of(&matrix.path);
    let base = std::env::var("PATH").unwrap_or_default();
    let path = target::provision::search_path(&matrix.toolchains, &places.tools, &base);
    (places, path)
}

/// Who runs on which CPUs, and those of each service.
fn seats(matrix: &Matrix) -> Result<(Split, Vec<Vec<usize>>), Error> {
    let problem = |what: String| Error::Problems(vec![Problem::without_place(what)]);
    let topology = Topology::read().map_err(Error::ours)?;
    let split = host::split(&topology, &matrix.cpus).map_err(problem)?;
    let services = host::seats::seats_of_services(&topology, &split, &matrix.services);
    Ok((split, services.map_err(problem)?))
}

/// Takes the machine, or says who holds it.
fn lock(verb: &str, matrix: &Path) -> Result<Lock, Error> {
    let holder = format!("pid {}, `orchestrate {verb} {}`", std::process::id(), matrix.display());
    Lock::take(&crate::places::lock(), &holder).map_err(|error| match error {
        LockError::Held(_) => Error::Refused {
            what: error.to_string(),
            hint: Some("wait for it, or say `--share-machine` and trust neither".to_owned()),
        },
        LockError::Io { .. } => Error::ours(error),
    })
}

fn interrupt() -> Result<Interrupt, Error> {
    Interrupt::listen().map_err(|error| Error::Ours(format!("cannot listen to signals: {error}")))
}

/// What was committed of a run comes first, so that what is made of it is the same wherever it is made.
fn read_summary(folder: &Path) -> Result<Summary, Error> {
    if store::has_summary(folder) {
        return store::read_summary(folder).map_err(Error::ours);
    }
    Ok(summarise(&store::read_figures(folder).map_err(Error::ours)?))
}

/// The default of `--results`: beside the nearest Git root, else here.
fn default_results() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let root = here.ancestors().find(|folder| folder.join(".git").exists());
    root.map_or_else(|| PathBuf::from("results"), |root| root.join("results"))
}
