//! The charts that blocks show, as files beside their page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Changes, Faults, read_page};
use crate::cli;
use crate::console::Console;
use crate::error::Error;
use crate::matrix::problem::Problem;
use crate::record::file;
use crate::report::escape::plain;
use crate::report::readme::{Filling, Page, PageChart, is_as_made};

/// What stands at the place of a chart.
enum Found {
    Nothing,
    AsWanted,
    /// As it was made once, from another run or by another version.
    AsMade,
    Edited,
}

/// The place of a chart: told from the folder of the page, a link followed.
fn place(page: &Page, chart: &PageChart) -> PathBuf {
    let path = fs::canonicalize(&page.source.path).unwrap_or_else(|_| page.source.path.clone());
    path.parent().unwrap_or(Path::new("")).join(&chart.path)
}

fn look(place: &Path, chart: &PageChart) -> io::Result<Found> {
    let bytes = match read_page(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        other => other?,
    };
    Ok(match String::from_utf8(bytes) {
        Ok(text) if text == chart.text => Found::AsWanted,
        Ok(text) if is_as_made(&text) => Found::AsMade,
        _ => Found::Edited,
    })
}

/// Notes the charts that may not be written over, or cannot be looked at.
pub(super) fn check(page: &Page, fillings: &[Option<Filling>], forced: bool, faults: &mut Faults) {
    for chart in fillings.iter().flatten().flat_map(|filling| &filling.charts) {
        let place = place(page, chart);
        let shown = place.display();
        match look(&place, chart) {
            Err(error) => {
                faults
                    .wrong
                    .push(Problem::without_place(format!("cannot read `{shown}`: {error}")));
            }
            Ok(Found::Edited) if !forced => {
                let what = format!("`{shown}` was not generated, or was edited by hand");
                let hint = "move it away, or let `--force` write over it";
                faults.refused.push(Problem::without_place(what).hint(hint));
            }
            Ok(_) => {}
        }
    }
}

/// Prepares the charts of a page anew, or says which of them would change.
pub(super) fn renew(
    page: &Page,
    fillings: &[Filling],
    words: &cli::Readme,
    console: Console,
    changes: &mut Changes,
) -> Result<(), Error> {
    for chart in fillings.iter().flat_map(|filling| &filling.charts) {
        let place = place(page, chart);
        let found = look(&place, chart)
            .map_err(|error| Error::Ours(format!("cannot read `{}`: {error}", place.display())))?;
        let shown = plain(&place.display().to_string());
        let state = match found {
            Found::AsWanted => continue,
            Found::Nothing => "is not there",
            Found::AsMade => "is out of date",
            Found::Edited => "was not generated, or was edited by hand",
        };
        changes.are_there = true;
        if words.check {
            changes.are_forced |= matches!(found, Found::Edited);
            console.insist(&format!("{shown}: {state}"));
            continue;
        }
        file::make_folder_of(&place).map_err(Error::ours)?;
        let replacement = file::prepare_at(&place, chart.text.as_bytes()).map_err(Error::ours)?;
        changes.replacements.push((replacement, format!("{shown}: made anew")));
    }
    Ok(())
}
