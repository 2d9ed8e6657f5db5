//! The files that a matrix is read from: the disk, or a stand-in for it.
//!
//! The one place of `matrix` that does IO; nothing is written and nothing is started.

use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// The most that is read of one file, in bytes.
const SIZE_MAX: u64 = 64 * 1024 * 1024;

/// Where files come from. Paths are absolute, or relative to [`Files::here`].
pub(super) trait Files {
    /// The folder that relative paths start from, absolute.
    fn here(&self) -> &Path;
    /// All of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Whether something stands at a path.
    fn exists(&self, path: &Path) -> bool;
    /// Whether a folder stands at a path.
    fn is_folder(&self, path: &Path) -> bool;
    /// The names of the folders in a folder, sorted, without links and hidden ones.
    fn folders(&self, path: &Path) -> Vec<String>;
}

/// The files on disk.
pub(super) struct Disk {
    here: PathBuf,
}

impl Disk {
    /// The disk as seen from the current folder.
    pub(super) fn current() -> io::Result<Self> {
        Ok(Self { here: std::env::current_dir()? })
    }
}

impl Files for Disk {
    fn here(&self) -> &Path {
        &self.here
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = self.here.join(path);
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is no plain file"));
        }
        let mut content = Vec::new();
        std::fs::File::open(path)?.take(SIZE_MAX + 1).read_to_end(&mut content)?;
        if content.len() as u64 > SIZE_MAX {
            return Err(io::Error::other("it is larger than 64 MiB"));
        }
        Ok(content)
    }

    fn exists(&self, path: &Path) -> bool {
        self.here.join(path).exists()
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.here.join(path).is_dir()
    }

    fn folders(&self, path: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.here.join(path)) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }
}

/// The same path without `.`, and without `..` where a folder in front of it can go.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match tidied.components().next_back() {
                Some(Component::Normal(_)) => {
                    tidied.pop();
                }
                Some(Component::RootDir) => {}
                _ => tidied.push(".."),
            },
            other => tidied.push(other),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tidy_path_has_no_dots_that_can_go() {
        for (path, tidied) in [
            ("configs/../targets/./go", "targets/go"),
            ("/a/../../b", "/b"),
            ("../../x/..", "../.."),
            ("./", ""),
        ] {
            assert_eq!(tidy(Path::new(path)), Path::new(tidied), "{path}");
        }
    }

    #[test]
    fn the_disk_gives_plain_files_and_the_folders_that_are_not_hidden() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b", "a", ".git"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        std::fs::write(folder.path().join("f"), "text").expect("a file");
        let disk = Disk { here: folder.path().to_owned() };
        assert_eq!(disk.folders(Path::new("")), ["a", "b"]);
        assert_eq!(disk.read(Path::new("f")).expect("the file"), b"text");
        assert!(disk.exists(Path::new(".git")) && !disk.exists(Path::new("none")));
        assert!(disk.is_folder(Path::new("a")) && !disk.is_folder(Path::new("f")));
        assert!(disk.read(Path::new("a")).is_err());
        #[cfg(unix)]
        assert!(disk.read(Path::new("/dev/zero")).is_err());
    }
}
