//! The charts that blocks show, as files beside their page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

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

/// The same as it is told: from where the page was told, so that no more of the machine's folders stands in what people paste. Beside
/// a page that is a link it is where the link leads, as nobody would look there.
fn shown(page: &Page, chart: &PageChart) -> String {
    let path = &page.source.path;
    let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
    let told = if is_link {
        place(page, chart)
    } else {
        path.parent().unwrap_or(Path::new("")).join(&chart.path)
    };
    told.display().to_string()
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

/// The same for each way to write one place. A folder that is not there yet has no links in it.
fn identity(place: &Path) -> PathBuf {
    let (folder, name) = (place.parent(), place.file_name());
    if let (Some(Ok(folder)), Some(name)) = (folder.map(fs::canonicalize), name) {
        return folder.join(name);
    }
    let mut whole = PathBuf::new();
    for part in place.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole
}

/// Notes the blocks whose charts would be written over those of a block before them, of whichever page: the last would stay, and
/// the other block show what it does not tell of.
pub(super) fn check_places<'p>(
    pages: impl Iterator<Item = (&'p Page, &'p Vec<Option<Filling>>)>,
    faults: &mut Faults,
) {
    let mut known: HashMap<PathBuf, (&str, &Page, usize)> = HashMap::new();
    for (page, fillings) in pages {
        let blocks = page.blocks.iter().zip(fillings);
        for (block, filling) in blocks.filter_map(|(block, it)| Some((block, it.as_ref()?))) {
            let line = page.place(block.begin()).line_and_column().0;
            let clash = filling.charts.iter().find_map(|chart| {
                match known.entry(identity(&place(page, chart))) {
                    Entry::Vacant(free) => {
                        free.insert((&chart.text, page, line));
                        None
                    }
                    Entry::Occupied(other) if other.get().0 == chart.text => None,
                    Entry::Occupied(other) => Some((chart, other.get().1, other.get().2)),
                }
            });
            let Some((chart, other, line)) = clash else { continue };
            let other_page = if other.source.path == page.source.path {
                String::new()
            } else {
                format!(" of `{}`", other.source.path.display())
            };
            let what = format!(
                "the chart `{}` would be written over that of the block in line {line}{other_page}",
                chart.path
            );
            let hint = "`charts-in=FOLDER` puts the charts of one of the two elsewhere";
            faults.wrong.push(Problem::at(page.place(block.begin()), what).hint(hint));
        }
    }
}

/// Notes the charts that may not be written over, or cannot be looked at.
pub(super) fn check(page: &Page, fillings: &[Option<Filling>], forced: bool, faults: &mut Faults) {
    for chart in fillings.iter().flatten().flat_map(|filling| &filling.charts) {
        let shown = shown(page, chart);
        match look(&place(page, chart), chart) {
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
        let shown = plain(&shown(page, chart));
        let found = look(&place, chart)
            .map_err(|error| Error::Ours(format!("cannot read `{shown}`: {error}")))?;
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
