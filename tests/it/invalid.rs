//! Matrices that are at fault, each with the exact words that a user gets for it: `invalid/NAME.toml`, or a folder
//! `invalid/NAME` with a `matrix.toml` where it takes more than one file, and beside it `NAME.stderr`.
//!
//! A first line `# orchestrate check WORDS` in a matrix adds words to the command. With `REWRITE_INVALID=1` in the
//! environment the expected files are written anew and the test fails if that changed any; read what they say then.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::support::{Bench, each};

/// What a first line begins with that adds words to the command.
const WORDS: &str = "# orchestrate check ";

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/invalid")
}

/// The names of all that stands in a folder, with the ends that they have.
fn entries(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a name");
    entries.map(|entry| name(entry.expect("an entry"))).collect()
}

/// The names of the cases: of the matrices and folders, and of the expected texts.
fn names() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut matrices, mut expected) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries(&cases()) {
        match entry.rsplit_once('.') {
            Some((name, "toml")) => matrices.insert(name.to_owned()),
            Some((name, "stderr")) => expected.insert(name.to_owned()),
            None if cases().join(&entry).is_dir() => matrices.insert(entry),
            _ => panic!("`{entry}` is neither a matrix nor what is expected of one"),
        };
    }
    (matrices, expected)
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).expect("a copy");
        return;
    }
    fs::create_dir_all(to).expect("a folder");
    for entry in entries(from) {
        copy(&from.join(&entry), &to.join(&entry));
    }
}

/// Every file and folder below one.
fn below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in entries(folder) {
        let path = folder.join(entry);
        if path.is_dir() {
            found.extend(below(&path));
        }
        found.insert(path);
    }
    found
}

/// What `check` says of a case, with one name for the folder that it was made in.
fn said(name: &str) -> String {
    let bench = Bench::new();
    // The bench writes a matrix of its own, which is not the one that is checked.
    bench.write_matrix();
    let scratch = bench.path("");
    let is_folder = cases().join(name).is_dir();
    let file = if is_folder { "matrix.toml".to_owned() } else { format!("{name}.toml") };
    let from = if is_folder { cases().join(name) } else { cases().join(&file) };
    copy(&from, &if is_folder { scratch.clone() } else { scratch.join(&file) });
    let text = fs::read(scratch.join(&file)).expect("a matrix");
    let first = String::from_utf8_lossy(text.split(|&byte| byte == b'\n').next().unwrap_or(&[]))
        .into_owned();
    let more = first.strip_prefix(WORDS).unwrap_or_default().split_whitespace();
    let words: Vec<&str> = ["check", &file].into_iter().chain(more).collect();

    let before = below(&scratch);
    let outcome = bench.orchestrate(&words).exits(2).starts_nothing();
    assert_eq!(below(&scratch), before, "{name} left something behind: {outcome:#?}");
    let shown = scratch.display().to_string();
    outcome.stderr.replace(shown.trim_end_matches('/'), "DIR")
}

#[test]
fn every_matrix_has_its_words_and_all_words_have_their_matrix() {
    let (matrices, expected) = names();
    if std::env::var_os("REWRITE_INVALID").is_none() {
        assert_eq!(matrices, expected);
    }
    assert!(matrices.len() >= 45, "{}", matrices.len());
}

#[test]
fn every_fault_of_a_matrix_is_told_in_exactly_these_words_and_nothing_is_started() {
    let (matrices, _) = names();
    let matrices: Vec<&str> = matrices.iter().map(String::as_str).collect();
    let rewrites = std::env::var_os("REWRITE_INVALID").is_some();
    let others: Mutex<Vec<String>> = Mutex::default();
    // A few at a time: each starts a process.
    for some in matrices.chunks(8) {
        each(some, |name| {
            let path = cases().join(format!("{name}.stderr"));
            let expected = fs::read_to_string(&path).unwrap_or_default();
            let said = said(name);
            if said != expected {
                if rewrites {
                    fs::write(&path, &said).expect("a file");
                }
                let told = format!("{name} was to say\n{expected}\nand says\n{said}");
                others.lock().expect("no other test failed").push(told);
            }
        });
    }
    let others = others.into_inner().expect("no test failed");
    assert!(others.is_empty(), "{}", others.join("\n"));
}
