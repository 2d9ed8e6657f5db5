//! A Go project: `go.mod`.

use std::collections::BTreeMap;
use std::path::Path;

use super::source::{self, Source, sources};
use super::{Start, name, read, told_port};

pub(super) fn start(folder: &Path) -> Option<Start> {
    let module = read(folder, "go.mod")?;
    let module = module.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let sources = sources(folder, &["go"]);
    let mut programs: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for source in sources {
        let below = source.path.parent()?.strip_prefix(folder).ok()?.display().to_string();
        programs.entry(below).or_default().push(source);
    }
    let is_program = |of: &&String| {
        programs[*of].iter().any(|source| {
            let is_test = source.path.to_string_lossy().ends_with("_test.go");
            !is_test && source.text.lines().any(|line| line.trim_end() == "package main")
        })
    };
    let mains: Vec<&String> = programs.keys().filter(is_program).collect();
    let main = (*mains.first()?).clone();
    let what = if main.is_empty() { ".".to_owned() } else { format!("./{main}") };
    let guesses: Vec<String> = (mains.len() > 1)
        .then(|| {
            let all: Vec<String> = mains.iter().map(|main| format!("./{main}")).collect();
            format!("Its programs are {}.", all.join(", "))
        })
        .into_iter()
        .collect();
    let all: Vec<Source> = programs.into_values().flatten().collect();
    let (command, port, told) = told_port("{out}/server".to_owned(), &source::port(&all));
    Some(Start {
        language: "Go",
        file: "go.mod".to_owned(),
        name: name(Some(module.trim().trim_matches('"')), folder),
        tools: vec!["go"],
        build: vec![format!("go build -o {{out}}/server {what}")],
        command,
        port,
        path: source::path(&all),
        guesses: told.into_iter().chain(guesses).collect(),
    })
}
