//! A project that is there: what builds and starts its server, and a matrix that does so.
//!
//! The files that say it are those of its language's tools. What they do not say is guessed from the sources and told in the
//! matrix, so that it can be set right there.

use std::path::Path;

use toml::Value;

use super::{Keys, table};
use crate::matrix::slug;

mod c;
mod cargo;
mod go;
mod node;
mod python;
mod source;

use source::Port;

/// What builds and starts the server of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The language, as shown.
    pub language: &'static str,
    /// The file that says so.
    pub file: String,
    /// The project's name.
    pub name: String,
    /// Tools that it needs, as a target names them.
    pub tools: Vec<&'static str>,
    /// Commands that build it.
    pub build: Vec<String>,
    /// The command that starts it.
    pub command: String,
    /// The port that it cannot be talked out of.
    pub port: Option<u16>,
    /// What it is asked.
    pub path: String,
    /// What was guessed.
    pub guesses: Vec<String>,
}

/// What starts the project in a folder, by each language that has a part in it.
pub fn find(folder: &Path) -> Vec<Start> {
    let all = [cargo::start, go::start, python::start, node::start, c::start];
    all.iter().filter_map(|start| start(folder)).collect()
}

/// The matrix that measures it; `file` is what that will be called.
pub fn matrix(start: &Start, file: &str) -> String {
    let texts = |list: &[String]| list.iter().map(String::as_str).map(Value::from).collect();
    let mut target: Keys =
        vec![("name", Value::from(start.name.as_str())), ("language", Value::from(start.language))];
    let tools: Vec<Value> = start.tools.iter().copied().map(Value::from).collect();
    if !tools.is_empty() {
        target.push(("tools", Value::Array(tools)));
    }
    if !start.build.is_empty() {
        target.push(("build", Value::Array(texts(&start.build))));
    }
    target.push(("command", Value::from(start.command.as_str())));
    target.extend(start.port.map(|port| ("port", Value::from(i64::from(port)))));
    let guesses: Vec<String> = start.guesses.iter().map(|guess| format!("# {guess}\n")).collect();
    let run = [("name", Value::from(start.name.as_str()))];
    let workload = [("name", Value::from("get")), ("path", Value::from(start.path.as_str()))];
    let load = [("connections", Value::from(64))];
    format!(
        "\
# How fast is {name}, and what does it cost in CPU and memory? Made from {of}; change what is wrong.
#
#     orchestrate check {file}    tells what would be done, with every default, and how long it takes
#     orchestrate run {file}      does it, and prints the table

{run}
# What is asked. `expect = {{ status = 200, contains = \"...\" }}` says which answer is right; without it any 2xx is.
{workload}
# How hard: each of 64 connections asks again as soon as it has its answer. `rate = 5000` would ask 5,000 times a second.
{load}
{guesses}{target}
# Whom to compare with: any command that starts a server on {{port}}, which is PORT in its environment, too.
# [[target]]
# name    = \"theirs\"
# command = \"./server --port {{port}}\"
",
        name = start.name,
        of = start.file,
        run = table("[run]", &run),
        workload = table("[[workload]]", &workload),
        guesses = guesses.concat(),
        load = table("[[load]]", &load),
        target = table("[[target]]", &target),
    )
}

/// A project's name as a row can have it.
fn name(of: Option<&str>, folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let last = of.map(|name| name.rsplit('/').next().unwrap_or(name));
    let names = last.into_iter().chain([folder.as_str(), "server"]);
    names.map(slug).find(|name| !name.is_empty()).unwrap_or_default()
}

/// What is told of the port: the command with it where that is an option, the port if it is fixed, and the guess in words.
fn told_port(command: String, found: &Port) -> (String, Option<u16>, Vec<String>) {
    match found {
        Port::Variable => (command, None, Vec::new()),
        Port::Option(option) => {
            let guess = format!("It seems to take its port by `{option}`.");
            (format!("{command} {option} {{port}}"), None, vec![guess])
        }
        Port::Fixed(port) => {
            let guess = format!("It seems to listen on {port}, whatever PORT says.");
            (command, Some(*port), vec![guess])
        }
        Port::Unknown => {
            let guess =
                "How it is told its port was not found: PORT stands in its environment, {port} may stand in the command."
                    .to_owned();
            (command, None, vec![guess])
        }
    }
}

/// A file of the folder as text.
fn read(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(name)).ok()
}

#[cfg(test)]
mod tests;
