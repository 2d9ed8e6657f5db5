//! A matrix as a whole: text and files in, problems or a checked matrix out.

mod contract;
mod defaults;
mod faults;
mod faults_of_names;
mod faults_of_requests;
mod faults_of_targets;
mod noise;
mod services;
mod targets;

use std::path::Path;

use super::Matrix;
use super::memory::Memory;
use super::problem::Problem;
use super::read::read_from;

/// Two targets, so that what is under test is the only thing worth a mention.
const TWO: &str =
    "[[target]]\nname = \"a\"\ncommand = \"./a\"\n[[target]]\nname = \"b\"\ncommand = \"./b\"\n";

/// The problems of a matrix `configs/m.toml` among other files, one a line, or `fine`.
fn check_among(files: Memory, text: &str, profile: Option<&str>) -> String {
    match read_from(&files.with("configs/m.toml", text), Path::new("configs/m.toml"), profile) {
        Ok(_) => "fine".to_owned(),
        Err(problems) => problems.iter().map(said).collect::<Vec<_>>().join("\n"),
    }
}

/// The problems of a matrix that stands alone.
fn check(text: &str) -> String {
    check_among(Memory::default(), text, None)
}

/// Each text, with two sound targets after it, has exactly these problems.
fn among_sound_targets(cases: &[(&str, &str)]) {
    for (text, problems) in cases {
        let text = format!("{text}\n{TWO}");
        assert_eq!(check(&text), *problems, "\n{text}");
    }
}

/// The checked matrix.
fn matrix_among(files: Memory, text: &str, profile: Option<&str>) -> Matrix {
    read_from(&files.with("configs/m.toml", text), Path::new("configs/m.toml"), profile)
        .unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"))
}

fn matrix(text: &str) -> Matrix {
    matrix_among(Memory::default(), text, None)
}

/// `line:column what (hint)`, with the file in front if it is not the matrix.
fn said(problem: &Problem) -> String {
    let place = problem.place.as_ref().map_or(String::new(), |place| {
        let (line, column) = place.line_and_column();
        let path = &place.source.path;
        let is_matrix = path == Path::new("configs/m.toml");
        let file = if is_matrix { String::new() } else { format!("{}:", path.display()) };
        format!("{file}{line}:{column} ")
    });
    let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
    format!("{place}{}{hint}", problem.what)
}
