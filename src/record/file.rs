//! Whole files: written beside and renamed, so that a reader never sees half of one; and read back.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::SCHEMA;
use super::store::StoreError;

/// Writes a value as JSON, beside and renamed.
///
/// # Errors
/// If it cannot be written.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), StoreError> {
    let mut text = serde_json::to_vec_pretty(value).expect("a record has only names and numbers");
    text.push(b'\n');
    write_beside(path, &text)
}

/// Makes the folder that a file is to stand in.
///
/// # Errors
/// If it cannot be made.
pub fn make_folder_of(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(io_error("make", folder))
}

/// Reads a JSON file.
///
/// # Errors
/// If it cannot be read, or is of another shape.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let text = fs::read(path).map_err(io_error("read", path))?;
    parse_json(&text).map_err(|reason| StoreError::Shape {
        path: path.to_owned(),
        line: None,
        reason,
    })
}

/// Reads a value from JSON, or tells why that cannot be. Of what a newer version wrote in a shape of its own, that is the reason.
pub(super) fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    let only_schema = || serde_json::from_slice::<OnlySchema>(text).ok();
    serde_json::from_slice(text).map_err(|error| match only_schema() {
        Some(OnlySchema { schema }) if schema > SCHEMA => newer(schema),
        _ => error.to_string(),
    })
}

/// What is wrong with something that follows a schema of a newer version.
pub(super) fn newer(schema: u32) -> String {
    format!("it follows schema {schema}, and this program knows {SCHEMA}: read it with a newer one")
}

#[derive(Deserialize)]
struct OnlySchema {
    schema: u32,
}

/// Writes a file beside its place and renames it there.
///
/// # Errors
/// If it cannot be written.
pub fn write_beside(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_new(path, bytes)?.commit()
}

/// Writes a file beside its place, with the permissions that new files have.
fn write_new(path: &Path, bytes: &[u8]) -> Result<Replacement, StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let write = || -> io::Result<Replacement> {
        let mut file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o644))
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(bytes)?;
        file.as_file().sync_data()?;
        Ok(Replacement { file, place: path.to_owned() })
    };
    write().map_err(io_error("write", path))
}

/// Makes a folder, with those that it lies in, if it is not there.
///
/// # Errors
/// If it cannot be made.
pub fn make_folder(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(io_error("make", path))
}

/// A file that is there, written anew beside its place.
#[derive(Debug)]
pub struct Replacement {
    file: NamedTempFile,
    place: PathBuf,
}

/// Writes a file that is there anew, beside. A link is followed; permissions stay, and its owner, where that is ours to say.
///
/// # Errors
/// If it is not there, or cannot be written.
pub fn prepare(path: &Path, bytes: &[u8]) -> Result<Replacement, StoreError> {
    let write = || -> io::Result<Replacement> {
        let place = fs::canonicalize(path)?;
        let before = fs::metadata(&place)?;
        let folder = place.parent().unwrap_or(Path::new("/"));
        let mut file = tempfile::Builder::new().tempfile_in(folder)?;
        file.write_all(bytes)?;
        // Only root may give a file away, and only root needs to.
        let _ = fchown(file.as_file(), Some(before.uid()), Some(before.gid()));
        file.as_file().set_permissions(before.permissions())?;
        file.as_file().sync_data()?;
        Ok(Replacement { file, place })
    };
    write().map_err(io_error("write", path))
}

/// Writes a file beside its place, whether or not one is there already.
///
/// # Errors
/// If it cannot be written.
pub fn prepare_at(path: &Path, bytes: &[u8]) -> Result<Replacement, StoreError> {
    if path.exists() { prepare(path, bytes) } else { write_new(path, bytes) }
}

impl Replacement {
    /// Puts it in its place.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn commit(self) -> Result<(), StoreError> {
        let Self { file, place } = self;
        file.persist(&place).map_err(|error| io_error("write", &place)(error.error)).map(|_| ())
    }
}

pub(super) fn io_error<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> StoreError + 'p {
    move |source| StoreError::Io { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_or_not_at_all_and_others_may_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        write_beside(&path, b"one").expect("written");
        write_beside(&path, b"two").expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o644);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let fault = write_beside(&folder.path().join("none/file"), b"x").expect_err("no folder");
        assert!(fault.to_string().contains("none/file"), "{fault}");
    }

    #[test]
    fn a_file_that_is_there_keeps_its_permissions_and_a_link_to_it_stays_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "one").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
        std::os::unix::fs::symlink("file", &link).expect("linked");
        prepare(&link, b"two").and_then(Replacement::commit).expect("written");
        assert_eq!(fs::read(&file).expect("read"), b"two");
        assert!(link.is_symlink());
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
        assert!(prepare(&folder.path().join("none"), b"x").is_err());
    }
}
