//! The files that servers serve: a picture and a script, exact in size, made here and the same on every machine.
//!
//! They stand in a folder that targets are given as `{assets}`:
//!
//! | file | bytes | what |
//! |---|---|---|
//! | `one-file.js` | 305,867 | a JavaScript file, served from memory |
//! | `static/fact10000.png` | 27,488 | a picture, read from disk on each request |
//! | `static/folder/sample.*` | few | one of each type that a picture server tells apart |

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::digest::sha256;

pub mod picture;
pub mod script;

/// The extensions that a picture server tells apart, `txt` for all others.
pub const EXTENSIONS: [&str; 11] =
    ["jpg", "jpeg", "jpe", "jfif", "png", "ico", "gif", "tif", "tiff", "txt", "unknown"];

/// Where the script stands below the folder of assets.
pub const SCRIPT: &str = "one-file.js";
/// Where the picture stands below the folder of assets.
pub const PICTURE: &str = "static/fact10000.png";

/// A file that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the asset `{}`: {error}", path.display())]
pub struct AssetError {
    path: PathBuf,
    error: io::Error,
}

/// Makes what is missing or not as it should be below `folder`, and leaves the rest alone.
///
/// Takes about 50 ms when all has to be made. Whoever reads a file meanwhile finds it whole.
///
/// # Errors
/// If a file cannot be written.
pub fn provide(folder: &Path) -> Result<(), AssetError> {
    let ensure = |path: &str, digest: &str, make: &dyn Fn() -> Vec<u8>| {
        let path = folder.join(path);
        let is_there = fs::read(&path).is_ok_and(|bytes| sha256(&bytes) == digest);
        if is_there { Ok(()) } else { write(&path, &make()) }
            .map_err(|error| AssetError { path, error })
    };
    ensure(SCRIPT, script::SHA256, &script::make)?;
    ensure(PICTURE, picture::SHA256, &picture::make)?;
    for extension in EXTENSIONS {
        let content = format!("a sample of {extension}\n").into_bytes();
        let path = format!("static/folder/sample.{extension}");
        ensure(&path, &sha256(&content), &|| content.clone())?;
    }
    Ok(())
}

/// Writes beside and renames.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    readable_by_all(file.as_file())?;
    file.persist(path)?;
    Ok(())
}

/// A server may run as another user than we do.
fn readable_by_all(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_missing_or_damaged_is_made_anew_and_a_sound_one_left() {
        let folder = tempfile::tempdir().expect("a folder");
        provide(folder.path()).expect("assets");
        let path = |name: &str| folder.path().join(name);
        let modified =
            |name: &str| fs::metadata(path(name)).and_then(|m| m.modified()).expect(name);
        let before = modified(PICTURE);
        fs::write(path(SCRIPT), "short").expect("a damaged file");
        fs::remove_file(path("static/folder/sample.gif")).expect("a missing file");
        provide(folder.path()).expect("assets");
        assert_eq!(fs::read(path(SCRIPT)).expect("a script").len(), script::LENGTH);
        assert_eq!(fs::read(path(PICTURE)).expect("a picture").len(), picture::LENGTH);
        assert!(path("static/folder/sample.gif").is_file());
        assert_eq!(modified(PICTURE), before);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), "").expect("a file");
        let error = provide(&folder.path().join("file")).expect_err("no folder below a file");
        assert!(error.to_string().contains("file/one-file.js"), "{error}");
    }
}
