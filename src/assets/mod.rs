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
use std::path::Path;

use crate::digest::sha256;
use crate::record::file::write_beside;
use crate::record::store::StoreError;

pub mod picture;
pub mod script;

/// The types that a picture server tells apart by extension; `unknown` stands for all others.
pub const TYPES: [(&str, &str); 11] = [
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("jpe", "image/jpeg"),
    ("jfif", "image/jpeg"),
    ("png", "image/png"),
    ("ico", "image/x-icon"),
    ("gif", "image/gif"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("txt", "text/plain"),
    ("unknown", "text/plain"),
];

const SCRIPT: &str = "one-file.js";
const PICTURE: &str = "static/fact10000.png";

/// Makes what is missing or not as it should be below `folder`, and leaves the rest alone.
///
/// Takes about 50 ms when all has to be made. Whoever reads a file meanwhile finds it whole.
///
/// # Errors
/// If a file cannot be written.
pub fn provide(folder: &Path) -> Result<(), StoreError> {
    ensure(&folder.join(SCRIPT), script::SHA256, script::make)?;
    ensure(&folder.join(PICTURE), picture::SHA256, picture::make)?;
    for (extension, _) in TYPES {
        let content = format!("a sample of {extension}\n").into_bytes();
        let path = folder.join(format!("static/folder/sample.{extension}"));
        ensure(&path, &sha256(&content), || content)?;
    }
    Ok(())
}

fn ensure(path: &Path, digest: &str, make: impl FnOnce() -> Vec<u8>) -> Result<(), StoreError> {
    if fs::read(path).is_ok_and(|bytes| sha256(&bytes) == digest) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| StoreError::Io {
        action: "make the folder of",
        path: path.to_owned(),
        source,
    })?;
    write_beside(path, &make())
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
