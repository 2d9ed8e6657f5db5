//! `orchestrate versus`: servers against each other without a file, by the same engine and with the same table as `run`.

use std::path::{Path, PathBuf};

use super::run::{How, carry_out, end, tell_end, write_and_show};
use super::{Planned, plan};
use crate::cli;
use crate::console::Console;
use crate::draft::versus::Versus;
use crate::draft::{Keys, Table};
use crate::error::{End, Error};
use crate::matrix;
use crate::matrix::problem::Problem;
use crate::plan::{Overrides, Selection};
use crate::record::file;
use crate::units::typed_duration;

/// What the matrix is called that is in no file.
const UNSAVED: &str = "versus.toml";

pub(super) fn versus(words: &cli::Versus, console: Console) -> Result<End, Error> {
    if words.name.len() > words.commands.len() {
        let what =
            format!("there are {} names for {} servers", words.name.len(), words.commands.len());
        return Err(Error::Problems(vec![Problem::without_place(what)]));
    }
    let path = words.save.clone().unwrap_or_else(|| PathBuf::from(UNSAVED));
    let text = text(words, &path)?;
    // What is at fault is told before anything is written.
    let matrix = matrix::read_again(&path, &text, None).map_err(Error::Problems)?;
    let planned = plan(matrix, &Selection::default(), Overrides::default())?;
    if let Some(path) = &words.save {
        save(path, &text, words.force)?;
        console.say(&format!("wrote {}: `orchestrate run {0}` does this again", path.display()));
    }
    let typed = words.save.is_none().then(|| typed(&planned)).flatten();
    let goes_on =
        words.save.as_ref().map(|path| super::run::how_to_go_on(path, words.results.as_deref()));
    let how = How {
        verb: "versus",
        purpose: None,
        typed: typed.as_deref(),
        against: None,
        matrix: &path,
        provision: None,
        results: words.results.as_deref(),
        events: None,
        rebuild: false,
        fail_fast: false,
        time_limit: None,
        share_machine: words.share_machine,
        begun: None,
        base: None,
        goes_on: goes_on.as_deref(),
    };
    let (done, interrupt) = match carry_out(&planned, &how, console)? {
        Ok(carried_out) => carried_out,
        Err(end) => return Ok(end),
    };
    write_and_show(&done, true, console)?;
    tell_end(&done, goes_on.as_deref(), console);
    console.say(&format!("a page with charts: {}", done.folder.join("report.html").display()));
    Ok(end(&done, false, &interrupt))
}

/// The matrix that was typed.
fn text(words: &cli::Versus, path: &Path) -> Result<String, Error> {
    let here = std::env::current_dir()
        .map_err(|error| Error::Ours(format!("cannot tell the current folder: {error}")))?;
    let beside = std::path::absolute(path).ok().and_then(|path| Some(path.parent()?.to_owned()));
    let versus = Versus {
        commands: &words.commands,
        names: &words.name,
        dir: Some(here.as_path()).filter(|here| beside.as_deref() != Some(*here)),
        is_shell: words.shell,
        port: words.port,
        run: run_keys(words),
        workload: workload_keys(words)?,
        load: load_keys(words),
    };
    Ok(versus.matrix())
}

fn run_keys(words: &cli::Versus) -> Keys {
    let mut keys = Keys::new();
    keys.extend(words.rounds.map(|rounds| ("rounds", i64::from(rounds).into())));
    keys.extend(words.warm_up.map(|time| ("warm-up", typed_duration(time).into())));
    keys.extend(words.measure.map(|time| ("measure", typed_duration(time).into())));
    keys.extend(words.seed.and_then(|seed| Some(("seed", i64::try_from(seed).ok()?.into()))));
    keys
}

fn workload_keys(words: &cli::Versus) -> Result<Keys, Error> {
    let mut keys = Keys::new();
    let text = |key: &'static str, value: &Option<String>| {
        value.as_ref().map(|value| (key, value.as_str().into()))
    };
    keys.extend(text("method", &words.method));
    keys.extend(text("path", &words.path));
    if !words.header.is_empty() {
        let mut headers = Table::new();
        for header in &words.header {
            let Some((name, value)) = header.split_once(':') else {
                let problem = Problem::without_place(format!("`{header}` is no header"));
                let problem = problem.hint("write `-H 'Name: value'`");
                return Err(Error::Problems(vec![problem]));
            };
            headers.insert(name.trim().to_owned(), value.trim().into());
        }
        keys.push(("headers", headers.into()));
    }
    keys.extend(text("body", &words.body));
    let mut expect = Table::new();
    expect.extend(words.expect_status.map(|code| ("status".to_owned(), i64::from(code).into())));
    let contains = words.expect_contains.as_ref();
    expect.extend(contains.map(|it| ("contains".to_owned(), it.as_str().into())));
    if !expect.is_empty() {
        keys.push(("expect", expect.into()));
    }
    Ok(keys)
}

fn load_keys(words: &cli::Versus) -> Keys {
    let mut keys = Keys::new();
    keys.extend(words.connections.map(|count| ("connections", i64::from(count).into())));
    keys.extend(words.rate.map(|rate| ("rate", rate.into())));
    keys.extend(words.no_keep_alive.then_some(("keep-alive", false.into())));
    keys.extend(words.pipeline.map(|count| ("pipeline", i64::from(count).into())));
    keys
}

fn save(path: &Path, text: &str, force: bool) -> Result<(), Error> {
    if path.exists() && !force {
        return Err(Error::Refused {
            what: format!("`{}` is there already", path.display()),
            hint: Some("`--force` writes over it".to_owned()),
        });
    }
    file::write_beside(path, text.as_bytes()).map_err(Error::ours)
}

/// What was typed, with the seed that was drawn if none was.
fn typed(planned: &Planned) -> Option<String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    let seed = planned.matrix.run.seed.is_none().then(|| format!(" --seed {}", planned.plan.seed));
    Some(format!("orchestrate {words}{}", seed.unwrap_or_default()))
}
