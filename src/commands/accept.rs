//! `orchestrate accept`: takes changes that a history found for the new level.

use super::history::{Wanted, collect, find, said};
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::history::alarm::remember_accepted;
use crate::history::found::{Found, Standing};

pub(super) fn accept(words: &cli::Accept, console: Console) -> Result<End, Error> {
    let wanted = Wanted::of(&words.row, &words.workload, &words.load, &words.metric)?;
    let place = find(&words.matrix, words.results.as_deref())?;
    let collected = collect(&place, &wanted, console)?;
    let (history, memory) = (&collected.history, &collected.memory);
    let is_open = |found: &Found<'_>| {
        let standing = found.standing(memory);
        found.is_worse() && matches!(standing, Standing::Suspected | Standing::Confirmed)
    };
    let open: Vec<Found<'_>> = history.found().filter(is_open).collect();
    let (Some(newest), false) = (history.newest(), open.is_empty()) else {
        console.say("there is no regression to accept");
        return Ok(End::Done);
    };
    let after = remember_accepted(memory, &open, newest);
    for found in &open {
        console.data(&format!("{}\n", said(found, &after)))?;
    }
    after.write(&place.folder).map_err(Error::ours)?;
    Ok(End::Done)
}
