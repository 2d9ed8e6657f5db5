//! The default matrices, and the targets that come along: built into this program, so that they are there wherever it is
//! installed.

use std::borrow::Cow;
use std::path::PathBuf;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "configs/"]
struct Configs;

#[derive(Embed)]
#[folder = "targets/"]
struct Targets;

/// The matrix that is measured first.
pub const MATRIX: &str = "configs/matrix.toml";

/// Every file, by its path below the folder that takes them.
pub fn files() -> Vec<(PathBuf, Cow<'static, [u8]>)> {
    let configs = Configs::iter().filter_map(|path| {
        Some((PathBuf::from("configs").join(&*path), Configs::get(&path)?.data))
    });
    let targets = Targets::iter().filter_map(|path| {
        Some((PathBuf::from("targets").join(&*path), Targets::get(&path)?.data))
    });
    configs.chain(targets).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_there_with_all_that_it_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, bytes) in files() {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, bytes).expect("written");
        }
        let entries = std::fs::read_dir(folder.path().join("configs")).expect("matrices").flatten();
        let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
        for path in files {
            let read = crate::matrix::read(&path, None);
            assert!(read.is_ok(), "{}: {read:#?}", path.display());
        }
        assert!(folder.path().join(MATRIX).is_file());
    }
}
