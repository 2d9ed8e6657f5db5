//! Digests of what a build is made from and of what it made, and the stamp that says so beside the build folder.
//!
//! A digest covers names, kinds and content of files in the order of their names. Beyond [`CONTENT_LIMIT`] bytes of
//! content, size and time of change stand for what a file holds.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::matrix::Sources;
use crate::matrix::globs::Globs;
use crate::matrix::program::Program;

/// The most content that one digest reads, in bytes.
const CONTENT_LIMIT: u64 = 512 << 20;
/// What tools leave in a source folder, and nobody writes by hand.
const JUNK: [&str; 14] = [
    ".git",
    ".hg",
    ".gradle",
    ".idea",
    ".mypy_cache",
    ".pytest_cache",
    ".venv",
    ".vscode",
    ".zig-cache",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
    "zig-out",
];

/// What is written beside a build folder once it is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) source_digest: String,
    pub(super) artefact_sha256: Option<String>,
}

impl Stamp {
    /// The stamp, if there is a whole one.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Written beside and renamed, so that there is a whole one or none.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let beside = path.with_extension("part");
        fs::write(&beside, serde_json::to_vec(self)?)?;
        fs::rename(&beside, path)
    }
}

/// The digest over a program's sources, commands, environment and the versions of its tools.
pub(super) fn of_sources(
    program: &Program<'_>,
    versions: &BTreeMap<String, String>,
    cpus: &str,
    build_root: &Path,
) -> io::Result<String> {
    let mut sum = Sum::new();
    for command in program.build {
        sum.add("command", &command.text);
        sum.add("shell", if command.shell { "yes" } else { "no" });
    }
    // What a build is told of its machine belongs to what it depends on.
    sum.add("cpus", cpus);
    for (name, value) in program.env {
        sum.add("env", &format!("{name}={value}"));
    }
    for (tool, version) in versions {
        sum.add("tool", &format!("{tool} {version}"));
    }
    let globs = match program.sources {
        Sources::Unknown => return Ok(sum.finish()),
        Sources::Folder => None,
        Sources::Globs(globs) => Some(Globs::parse(globs).map_err(io::Error::other)?),
    };
    for file in files_below(program.dir, &|path| is_junk(path) || path == build_root)? {
        let name = name_below(program.dir, &file);
        if globs.as_ref().is_none_or(|globs| globs.matches(&name)) {
            sum.add_file(&name, &file)?;
        }
    }
    Ok(sum.finish())
}

fn is_junk(path: &Path) -> bool {
    path.file_name().is_some_and(|name| JUNK.iter().any(|junk| name == *junk))
}

/// The digest over what runs: the files and folders in `out` that words of the command name, or else everything in it.
/// `None` if it holds nothing.
pub(super) fn of_artefacts(out: &Path, words: &[String]) -> io::Result<Option<String>> {
    let below = |word: &String| {
        let path = PathBuf::from(word);
        (path.starts_with(out) && path != out && path.exists()).then_some(path)
    };
    let mut roots: Vec<PathBuf> = words.iter().filter_map(below).collect();
    if roots.is_empty() {
        roots.push(out.to_owned());
    }
    let mut sum = Sum::new();
    let mut is_any = false;
    for root in roots {
        let files = if root.is_dir() { files_below(&root, &|_| false)? } else { vec![root] };
        for file in files {
            sum.add_file(&name_below(out, &file), &file)?;
            is_any = true;
        }
    }
    Ok(is_any.then(|| sum.finish()))
}

fn name_below(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned()
}

/// Files and links below a folder, by name; links are not followed.
fn files_below(root: &Path, is_skipped: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| at(&folder, &error))? {
            let entry = entry.map_err(|error| at(&folder, &error))?;
            let path = entry.path();
            if is_skipped(&path) {
                continue;
            }
            let kind = entry.file_type().map_err(|error| at(&path, &error))?;
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() || kind.is_symlink() {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// A digest in the making.
struct Sum {
    hash: Sha256,
    content_left: u64,
}

impl Sum {
    fn new() -> Self {
        Self { hash: Sha256::new(), content_left: CONTENT_LIMIT }
    }

    /// With its length, so that no two lists of parts look alike.
    fn add(&mut self, what: &str, text: &str) {
        self.hash.update(format!("{what} {}\n", text.len()));
        self.hash.update(text);
    }

    fn add_file(&mut self, name: &str, path: &Path) -> io::Result<()> {
        self.add("file", name);
        let facts = fs::symlink_metadata(path).map_err(|error| at(path, &error))?;
        if facts.is_symlink() {
            let to = fs::read_link(path).map_err(|error| at(path, &error))?;
            self.add("link", &to.to_string_lossy());
            return Ok(());
        }
        let may_run = facts.mode() & 0o111 != 0;
        self.add("runs", if may_run { "yes" } else { "no" });
        if facts.len() > self.content_left {
            self.add("big", &format!("{} {}", facts.len(), facts.mtime()));
            return Ok(());
        }
        self.content_left -= facts.len();
        self.hash.update(format!("content {}\n", facts.len()));
        self.add_content(path).map_err(|error| at(path, &error))
    }

    fn add_content(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let mut chunk = vec![0; 1 << 16];
        loop {
            match file.read(&mut chunk)? {
                0 => return Ok(()),
                count => self.hash.update(&chunk[..count]),
            }
        }
    }

    fn finish(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.hash.finalize() {
            text.push(char::from_digit(u32::from(byte >> 4), 16).expect("four bits"));
            text.push(char::from_digit(u32::from(byte & 15), 16).expect("four bits"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("folder");
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            fs::write(path, content).expect("write");
        }
        folder
    }

    fn everything(files: &[(&str, &str)]) -> Option<String> {
        let folder = folder(files);
        of_artefacts(folder.path(), &[]).expect("digest")
    }

    #[test]
    fn names_and_content_count_and_the_folder_itself_does_not() {
        let one = everything(&[("a", "1"), ("b/c", "2")]);
        assert_eq!(one, everything(&[("b/c", "2"), ("a", "1")]));
        assert_eq!(one.as_ref().map(String::len), Some(64));
        for other in [
            &[("a", "1"), ("b/c", "3")][..],
            &[("a", "1"), ("b/d", "2")],
            &[("a", "1")],
            &[("a", "12"), ("b/c", "")],
        ] {
            assert_ne!(one, everything(other), "{other:?}");
        }
        assert_eq!(everything(&[]), None);
    }

    #[test]
    fn what_the_command_names_stands_for_the_artefact() {
        let out = folder(&[("server", "program"), ("deps/lib.o", "1")]);
        let words = ["x".to_owned(), out.path().join("server").display().to_string()];
        let digest = |words: &[String]| of_artefacts(out.path(), words).expect("digest");
        let (before, all_before) = (digest(&words), digest(&[]));
        fs::write(out.path().join("deps/lib.o"), "2").expect("write");
        assert_eq!(digest(&words), before);
        assert_ne!(digest(&[]), all_before);
    }

    #[test]
    fn junk_is_no_source() {
        let dir = folder(&[("main.c", "1"), ("node_modules/x", "2"), ("target/y", "3")]);
        let files = files_below(dir.path(), &is_junk).expect("files");
        assert_eq!(files, [dir.path().join("main.c")]);
    }

    #[test]
    fn a_stamp_reads_back_and_half_a_stamp_is_none() {
        let dir = folder(&[]);
        let path = dir.path().join("x.stamp");
        let stamp = Stamp { source_digest: "a".into(), artefact_sha256: None };
        stamp.write(&path).expect("write");
        assert_eq!(Stamp::read(&path), Some(stamp));
        fs::write(&path, "{\"source").expect("write");
        assert_eq!(Stamp::read(&path), None);
    }
}
