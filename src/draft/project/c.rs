//! A project in C: a `Makefile`, a `CMakeLists.txt`, or a single file.

use std::path::Path;

use regex::Regex;

use super::source::{self, sources};
use super::{Start, name, read, told_port};

pub(super) fn start(folder: &Path) -> Option<Start> {
    let sources = sources(folder, &["c", "h"]);
    if sources.is_empty() {
        return None;
    }
    let Made { file, build, command } =
        by_cmake(folder).or_else(|| by_make(folder)).or_else(|| by_compiler(folder))?;
    let (command, port, guesses) = told_port(command, &source::port(&sources));
    Some(Start {
        language: "C",
        file,
        name: name(None, folder),
        tools: vec!["cc"],
        build,
        command,
        port,
        path: source::path(&sources),
        guesses,
    })
}

/// How a program is made, and where it is then.
struct Made {
    file: String,
    build: Vec<String>,
    command: String,
}

fn by_cmake(folder: &Path) -> Option<Made> {
    let file = "CMakeLists.txt";
    let text = read(folder, file)?;
    let program = Regex::new(r"(?i-u)add_executable\s*\(\s*([\w.-]+)").ok()?;
    let program = program.captures(&text)?[1].to_owned();
    Some(Made {
        file: file.to_owned(),
        build: vec![
            "cmake -S . -B {out}/build -DCMAKE_BUILD_TYPE=Release".to_owned(),
            "cmake --build {out}/build".to_owned(),
        ],
        command: format!("{{out}}/build/{program}"),
    })
}

/// What `make` makes without being told: the first target that is a program, or what `all` depends on.
fn by_make(folder: &Path) -> Option<Made> {
    let file = ["Makefile", "makefile", "GNUmakefile"]
        .into_iter()
        .find(|file| folder.join(file).is_file())?;
    let text = read(folder, file)?;
    let setting = Regex::new(r"^\s*([A-Za-z_]\w*)\s*[:?]?=\s*(.*)$").ok()?;
    let settings: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| setting.captures(line))
        .map(|found| (found[1].to_owned(), found[2].trim().to_owned()))
        .collect();
    let expand = |text: &str| {
        settings.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value)
        })
    };
    let rule = Regex::new(r"^([^\s:#=.][^:=#]*):([^=].*)?$").ok()?;
    let rules: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| rule.captures(line))
        .map(|found| (expand(found[1].trim()), expand(found.get(2).map_or("", |it| it.as_str()))))
        .collect();
    let (first, needs) = rules.first()?;
    let is_program = |name: &str| !name.is_empty() && !name.contains(['%', '$', '.', ' ']);
    let program = if first == "all" {
        needs.split_whitespace().find(|name| is_program(name))?.to_owned()
    } else {
        Some(first.clone()).filter(|name| is_program(name))?
    };
    let command = if program.contains('/') { program } else { format!("./{program}") };
    Some(Made { file: file.to_owned(), build: vec!["make".to_owned()], command })
}

/// A folder with one file that has a `main`.
fn by_compiler(folder: &Path) -> Option<Made> {
    let main = Regex::new(r"(?m)^\s*(?:int|void)\s+main\s*\(").ok()?;
    let sources = sources(folder, &["c"]);
    let here: Vec<_> = sources.iter().filter(|it| it.path.parent() == Some(folder)).collect();
    let mut mains = here.iter().filter(|source| main.is_match(&source.text));
    let (first, None) = (mains.next()?, mains.next()) else { return None };
    let file = first.path.file_name()?.to_str()?.to_owned();
    Some(Made {
        build: vec![format!("cc -O2 -pthread -o {{out}}/server {file}")],
        command: "{out}/server".to_owned(),
        file,
    })
}
