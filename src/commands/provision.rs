//! `orchestrate provision`, and `--provision`: gets the tools that are missing, and says from where.

use std::collections::BTreeSet;
use std::io::{BufRead as _, IsTerminal as _};

use super::{Planned, interrupt, places, read_and_plan};
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::matrix::service::needed_by_any;
use crate::places::Places;
use crate::plan::Plan;
use crate::target::provision::{self, Step};
use crate::target::versions::{Missing, tool_versions};

pub(super) fn provision(words: &cli::Provision, console: Console) -> Result<End, Error> {
    let Planned { matrix, plan } =
        read_and_plan(&words.matrix, &words.select, cli::Set::default())?;
    let interrupt = interrupt()?;
    let (places, path) = places(&matrix);
    get_missing(&matrix, &plan, &places, &path, !words.yes, &interrupt, console)?;
    Ok(if interrupt.is_set() { End::Interrupted(interrupt.exit_code()) } else { End::Done })
}

/// Gets what the targets of a plan need and is missing. What cannot be got is said: its targets are skipped then.
pub(super) fn get_missing(
    matrix: &Matrix,
    plan: &Plan,
    places: &Places,
    path: &str,
    asks: bool,
    interrupt: &Interrupt,
    console: Console,
) -> Result<(), Error> {
    let missing = missing(matrix, plan, path, interrupt);
    let (steps, without) = provision::plan(&missing, &matrix.toolchains, &places.tools, path);
    for none in &without {
        console.insist(&format!("{} cannot be got here: {}", none.tool, none.reason));
    }
    if steps.is_empty() {
        return Ok(());
    }
    if asks {
        ask(&steps, console)?;
    }
    let log = places.tools.join("provision.log");
    std::fs::create_dir_all(&places.tools).map_err(|error| {
        Error::Ours(format!("cannot make `{}`: {error}", places.tools.display()))
    })?;
    for step in &steps {
        if interrupt.is_set() {
            return Ok(());
        }
        console.say(&format!("getting {} from {}", step.tool, step.from));
        if let Err(failure) = provision::apply(step, &places.tools, path, &log, interrupt.flag()) {
            // Its targets are skipped, which the tables say; other tools may still be had.
            console.insist(&format!("{} was not got: {failure}", step.tool));
            for line in &failure.tail {
                console.insist(&format!("  {}", crate::report::escape::plain(line)));
            }
        }
    }
    Ok(())
}

fn missing(matrix: &Matrix, plan: &Plan, path: &str, interrupt: &Interrupt) -> Vec<Missing> {
    let targets: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    let services = needed_by_any(matrix, &targets);
    let of_services = services.iter().map(|place| &matrix.services[*place].tools);
    let of_targets = targets.iter().map(|place| &matrix.targets[*place].tools);
    of_services
        .chain(of_targets)
        .filter_map(|needs| tool_versions(needs, &matrix.toolchains, path, interrupt.flag()).err())
        .flatten()
        .collect()
}

/// Shows what would be run, and asks. Without a terminal there is nobody to ask, and nothing is run.
fn ask(steps: &[Step], console: Console) -> Result<(), Error> {
    for step in steps {
        let system = if step.is_system { ", which changes the system" } else { "" };
        console.insist(&format!("{} from {}{system}:", step.tool, step.from));
        for line in step.command_lines() {
            console.insist(&format!("  {line}"));
        }
    }
    if !std::io::stdin().is_terminal() {
        return Err(Error::Refused {
            what: "tools are missing, and there is no terminal to ask on".to_owned(),
            hint: Some("run the commands above, or say `--provision=yes`".to_owned()),
        });
    }
    console.insist("run these commands? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(Error::ours)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        Err(Error::Refused { what: "nothing was run".to_owned(), hint: None })
    }
}
