//! `orchestrate man` and `orchestrate completions`: the words of the command line, for a manual and for shells.

use std::path::Path;

use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::problem::{Problem, nearest};
use crate::record::file;
use crate::units::count_of;

pub(super) fn completions(words: &cli::Completions, console: Console) -> Result<End, Error> {
    console.data(&cli::completions(words.shell))?;
    Ok(End::Done)
}

pub(super) fn man(words: &cli::Man, console: Console) -> Result<End, Error> {
    let pages = cli::manual();
    if let Some(folder) = &words.dir {
        write(folder, &pages)?;
        console.say(&format!("wrote {} into {}", count_of(pages.len(), "page"), folder.display()));
        return Ok(End::Done);
    }
    let wanted = words.verb.as_deref().map(|verb| format!("orchestrate-{verb}.1"));
    let page = match &wanted {
        None => pages.first(),
        Some(wanted) => pages.iter().find(|(name, _)| name == wanted),
    };
    let Some((_, text)) = page else {
        return Err(unknown(words.verb.as_deref().unwrap_or_default(), &pages));
    };
    console.data(text)?;
    Ok(End::Done)
}

fn write(folder: &Path, pages: &[(String, String)]) -> Result<(), Error> {
    file::make_folder(folder).map_err(Error::ours)?;
    for (name, text) in pages {
        file::write_beside(&folder.join(name), text.as_bytes()).map_err(Error::ours)?;
    }
    Ok(())
}

fn unknown(verb: &str, pages: &[(String, String)]) -> Error {
    let verbs = pages.iter().filter_map(|(name, _)| {
        name.strip_prefix("orchestrate-").and_then(|name| name.strip_suffix(".1"))
    });
    let verbs: Vec<&str> = verbs.collect();
    let hint = match nearest(verb, verbs.iter().copied()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("there are {}", verbs.join(", ")),
    };
    Error::Problems(vec![Problem::without_place(format!("no page for `{verb}`")).hint(hint)])
}
