//! A Rust project: `Cargo.toml`.

use std::path::Path;

use super::source::{self, sources};
use super::{Start, name, read, told_port};

pub(super) fn start(folder: &Path) -> Option<Start> {
    let manifest: toml::Table = read(folder, "Cargo.toml")?.parse().ok()?;
    // Of a workspace without a package of its own the first member that has a program is meant.
    let Some(package) = manifest.get("package") else {
        let members = manifest.get("workspace")?.get("members")?.as_array()?;
        return members
            .iter()
            .filter_map(|member| member.as_str())
            .find_map(|member| of_member(folder, member));
    };
    let package_name = package.get("name")?.as_str()?;
    let programs = programs(folder, &manifest, package_name);
    let default = package.get("default-run").and_then(|name| name.as_str()).map(str::to_owned);
    let program = default.or_else(|| programs.first().cloned())?;
    let sources = sources(folder, &["rs"]);
    let command = format!("{{out}}/target/release/{program}");
    let (command, port, mut guesses) = told_port(command, &source::port(&sources));
    if programs.len() > 1 {
        guesses.push(format!("Its programs are {}.", programs.join(", ")));
    }
    Some(Start {
        language: "Rust",
        file: "Cargo.toml".to_owned(),
        name: name(Some(package_name), folder),
        tools: vec!["rust"],
        build: vec![format!("cargo build --release --bin {program} --target-dir {{out}}/target")],
        command,
        port,
        path: source::path(&sources),
        guesses,
    })
}

/// The programs of a package: those that it names, `src/main.rs`, and those in `src/bin`.
fn programs(folder: &Path, manifest: &toml::Table, package: &str) -> Vec<String> {
    let named = manifest.get("bin").and_then(|bins| bins.as_array());
    let mut programs: Vec<String> = named
        .into_iter()
        .flatten()
        .filter_map(|bin| Some(bin.get("name")?.as_str()?.to_owned()))
        .collect();
    if programs.is_empty() && folder.join("src/main.rs").is_file() {
        programs.push(package.to_owned());
    }
    let more = std::fs::read_dir(folder.join("src/bin")).into_iter().flatten().flatten();
    let mut more: Vec<String> = more
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_folder = entry.path().join("main.rs").is_file();
            name.strip_suffix(".rs").map(str::to_owned).or(is_folder.then_some(name))
        })
        .filter(|name| !programs.contains(name))
        .collect();
    more.sort();
    programs.extend(more);
    programs
}

/// A member is built where it lies, from the folder of its workspace.
fn of_member(folder: &Path, member: &str) -> Option<Start> {
    // A pattern of one level is what workspaces use.
    let folders: Vec<std::path::PathBuf> = match member.strip_suffix("/*") {
        None => vec![folder.join(member)],
        Some(parent) => {
            let entries = std::fs::read_dir(folder.join(parent)).into_iter().flatten().flatten();
            let mut folders: Vec<_> = entries.map(|entry| entry.path()).collect();
            folders.sort();
            folders
        }
    };
    folders.iter().find_map(|member| start(member))
}
