//! `latest`: the id of the latest complete run of a matrix, in the folder that holds its runs; whether another takes its place.

use std::path::Path;

use super::file::write_beside;
use super::run::RunInfo;
use super::store::{self, LATEST, StoreError};
use super::wanted;

/// How much of an id is its date, to the second.
const SECOND: usize = "20261130T120000".len();

/// Makes the run of a folder the latest complete one of its matrix, unless that is a newer one, or one that was measured otherwise:
/// a run of a profile takes the place of runs of that profile alone, one without takes that of any. Returns why it does not.
///
/// # Errors
/// If it cannot be written.
pub(super) fn set(folder: &Path, info: &RunInfo) -> Result<Option<String>, StoreError> {
    let there = folder.parent().and_then(store::latest);
    if let Some(why) = there.and_then(|there| stays(&there, info)) {
        return Ok(Some(why));
    }
    write_beside(&folder.with_file_name(LATEST), format!("{}\n", info.id).as_bytes())?;
    Ok(None)
}

/// Why the latest run stays what it is when another has ended.
fn stays(there: &Path, info: &RunInfo) -> Option<String> {
    let id = there.file_name()?.to_str()?;
    // Dates of ids are written without what parts the numbers of others.
    let ended = info.finished_at.as_ref().map(|date| date.replace(['-', ':'], ""));
    let date = |text: &str| text.get(..SECOND).unwrap_or(text).to_owned();
    // One that began after this one has ended is of a clock that went wrong.
    let is_ahead = ended.is_some_and(|ended| date(id) > date(&ended));
    if id > info.id.as_str() && !is_ahead {
        return Some(format!("`latest` stays at run {id}, which is newer"));
    }
    let profile = info.profile.as_ref()?;
    let other = wanted::profile_of(there);
    (other.as_ref() != Some(profile)).then(|| {
        let made = match other {
            Some(other) => format!("of the profile `{other}`"),
            None => "made without a profile".to_owned(),
        };
        format!("`latest` stays at run {id}, which is {made}")
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::folder::Folder;
    use super::super::folder::tests::info;
    use super::*;

    #[test]
    fn the_latest_run_is_the_newest_and_a_profile_takes_the_place_of_its_own_runs_alone() {
        let results = tempfile::tempdir().expect("a folder");
        let end = |id: &str, profile: Option<&str>, ended: &str| {
            let mut info = info();
            (info.id, info.profile) = (id.to_owned(), profile.map(str::to_owned));
            info.finished_at = Some(ended.to_owned());
            let mut folder = Folder::create(results.path(), &info).expect("made");
            folder.write_info(&info).expect("written");
            let why = set(folder.path(), &info).expect("written");
            let latest = fs::read_to_string(results.path().join("it/latest")).expect("there");
            (latest.trim().to_owned(), why.unwrap_or_default())
        };
        let day = |day: u32| format!("202601{day:02}T020000000Z-0007");
        for (at, profile, ended, latest, why) in [
            (3, Some("quick"), 3, 3, ""),
            (4, Some("night"), 4, 3, "which is of the profile `quick`"),
            (5, Some("quick"), 5, 5, ""),
            (6, None, 6, 6, ""),
            // Begun before, and resumed.
            (2, None, 7, 6, "which is newer"),
            (8, Some("quick"), 8, 6, "which is made without a profile"),
            (30, None, 30, 30, ""),
            // The clock is right again.
            (9, None, 9, 9, ""),
        ] {
            let found = end(&day(at), profile, &format!("2026-01-{ended:02}T03:00:00Z"));
            assert!(found.0 == day(latest) && found.1.ends_with(why), "{at} {found:?}");
            assert_eq!(found.1.is_empty(), why.is_empty(), "{at} {found:?}");
        }
    }
}
