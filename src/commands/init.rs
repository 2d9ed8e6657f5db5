//! `orchestrate init`: a first matrix, for the project in a folder, for a new target, or the default ones.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::cli;
use crate::console::Console;
use crate::draft::{example, project, starter};
use crate::error::{End, Error};
use crate::matrix::problem::Problem;
use crate::record::file;
use crate::units::count_of;

/// What a matrix of one's own is called.
const MATRIX: &str = "orchestrate.toml";

/// Files by their paths below the folder that takes them.
type Files = Vec<(PathBuf, Cow<'static, [u8]>)>;

pub(super) fn init(words: &cli::Init, console: Console) -> Result<End, Error> {
    let (files, matrix) = if words.example {
        (example::files(), example::MATRIX)
    } else if words.language.is_empty() {
        (of_project(&words.folder, console)?, MATRIX)
    } else {
        (of_languages(&words.language), MATRIX)
    };
    write(&words.folder, &files, words.force)?;
    match files.as_slice() {
        [(path, _)] => console.say(&format!("wrote {}", words.folder.join(path).display())),
        all => console.say(&format!(
            "wrote {} below {}",
            count_of(all.len(), "file"),
            words.folder.display()
        )),
    }
    let matrix = words.folder.join(matrix);
    let matrix = matrix.strip_prefix(".").unwrap_or(&matrix).display();
    console.say(&format!("next: orchestrate check {matrix}, then orchestrate run {matrix}"));
    Ok(End::Done)
}

fn of_languages(languages: &[cli::Language]) -> Files {
    let mut all: Vec<starter::Language> = Vec::new();
    for language in languages.iter().map(|language| chosen(*language)) {
        if !all.contains(&language) {
            all.push(language);
        }
    }
    let text = starter::matrix(&all, MATRIX);
    let targets = starter::files(&all);
    let targets = targets.into_iter().map(|(path, text)| (path, Cow::Borrowed(text.as_bytes())));
    targets.chain([(PathBuf::from(MATRIX), Cow::Owned(text.into_bytes()))]).collect()
}

fn chosen(language: cli::Language) -> starter::Language {
    match language {
        cli::Language::C => starter::Language::C,
        cli::Language::Go => starter::Language::Go,
        cli::Language::Node => starter::Language::Node,
        cli::Language::Python => starter::Language::Python,
        cli::Language::Rust => starter::Language::Rust,
    }
}

/// The matrix of the project that is there; the other languages that have a part in it are told.
fn of_project(folder: &Path, console: Console) -> Result<Files, Error> {
    if !folder.is_dir() {
        let what = format!("`{}` is no folder", folder.display());
        return Err(Error::Problems(vec![Problem::without_place(what)]));
    }
    let found = project::find(folder);
    let Some((first, others)) = found.split_first() else {
        let what = format!("nothing in `{}` says how to start a server", folder.display());
        let problem = Problem::without_place(what).hint(
            "`--language go` (c, node, python, rust) writes a first one, `--example` the default matrices with their \
             targets; looked for were Cargo.toml, go.mod, pyproject.toml, requirements.txt, package.json, Makefile, \
             CMakeLists.txt and a file of C",
        );
        return Err(Error::Problems(vec![problem]));
    };
    console.say(&format!("{}: {}, started by `{}`", first.file, first.language, first.command));
    for other in others {
        console.say(&format!("{} is there, too, and was left alone", other.file));
    }
    for guess in &first.guesses {
        console.say(guess);
    }
    let text = project::matrix(first, MATRIX);
    Ok(vec![(PathBuf::from(MATRIX), Cow::Owned(text.into_bytes()))])
}

/// Writes all of them, or none if one is there already.
fn write(folder: &Path, files: &[(PathBuf, Cow<'static, [u8]>)], force: bool) -> Result<(), Error> {
    let there = files.iter().map(|(path, _)| folder.join(path)).find(|path| path.exists());
    if let Some(there) = there.filter(|_| !force) {
        return Err(Error::Refused {
            what: format!("`{}` is there already", there.display()),
            hint: Some("`--force` writes over it".to_owned()),
        });
    }
    for (path, bytes) in files {
        let path = folder.join(path);
        file::make_folder_of(&path).map_err(Error::ours)?;
        file::write_beside(&path, bytes).map_err(Error::ours)?;
    }
    Ok(())
}
