//! A project of Node.js: `package.json`.

use std::path::Path;

use serde_json::Value;

use super::source::{self, sources};
use super::{Start, name, read, told_port};

/// Files that start a server where nothing is said of it.
const USUAL: [&str; 6] =
    ["server.js", "index.js", "app.js", "main.js", "src/server.js", "src/index.js"];

pub(super) fn start(folder: &Path) -> Option<Start> {
    let package: Value = serde_json::from_str(&read(folder, "package.json")?).ok()?;
    let has = |key: &str| package[key].as_object().is_some_and(|of| !of.is_empty());
    let mut build = Vec::new();
    if has("dependencies") || (has("devDependencies") && package["scripts"]["build"].is_string()) {
        build.push("npm install --no-audit --no-fund".to_owned());
    }
    if package["scripts"]["build"].is_string() {
        build.push("npm run build".to_owned());
    }
    let command = command(folder, &package)?;
    let sources = sources(folder, &["js", "mjs", "cjs", "ts", "mts"]);
    let (command, port, guesses) = told_port(command, &source::port(&sources));
    let mut tools = vec!["node"];
    tools.extend((!build.is_empty() || command.starts_with("npm ")).then_some("npm"));
    Some(Start {
        language: "Node",
        file: "package.json".to_owned(),
        name: name(package["name"].as_str(), folder),
        tools,
        build,
        command,
        port,
        path: source::path(&sources),
        guesses,
    })
}

/// What `npm start` would do, without npm where that can be.
fn command(folder: &Path, package: &Value) -> Option<String> {
    if let Some(start) = package["scripts"]["start"].as_str() {
        let is_plain = start.starts_with("node ") && !start.contains(['&', '|', ';', '$', '>']);
        return Some(if is_plain { start.to_owned() } else { "npm start --silent".to_owned() });
    }
    let main = package["main"].as_str().filter(|main| folder.join(main).is_file());
    let usual = || USUAL.into_iter().find(|file| folder.join(file).is_file());
    main.or_else(usual).map(|file| format!("node {file}"))
}
