//! A Python project: `pyproject.toml`, or `requirements.txt`.

use std::path::Path;

use regex::Regex;

use super::source::{self, Port, Source, sources};
use super::{Start, name, read, told_port};

/// Where the packages of a project are put.
const VENV: &str = "{out}/venv/bin/";
/// Files that start a server where nothing is said of it.
const USUAL: [&str; 5] = ["server.py", "app.py", "main.py", "src/server.py", "src/main.py"];

pub(super) fn start(folder: &Path) -> Option<Start> {
    let manifest: Option<toml::Table> =
        read(folder, "pyproject.toml").and_then(|text| text.parse().ok());
    let requirements = read(folder, "requirements.txt");
    if manifest.is_none() && requirements.is_none() {
        return None;
    }
    let project = manifest.as_ref().and_then(|manifest| manifest.get("project"));
    let sources = sources(folder, &["py"]);
    let needs = needs(project, requirements.as_deref());
    let program = program(project);
    let (command, port) = match (&program, by_framework(folder, &sources, &needs)) {
        (Some(program), _) => (format!("{VENV}{program}"), source::port(&sources)),
        // It is told its port by the command.
        (None, Some(command)) => (command, Port::Variable),
        (None, None) => (plain(folder, &sources, &needs)?, source::port(&sources)),
    };
    let (command, port, guesses) = told_port(command, &port);
    Some(Start {
        language: "Python",
        file: if manifest.is_some() { "pyproject.toml" } else { "requirements.txt" }.to_owned(),
        name: name(project.and_then(|it| it.get("name")).and_then(|it| it.as_str()), folder),
        tools: vec!["python"],
        build: build(program.is_some(), requirements.is_some(), &needs),
        command,
        port,
        path: source::path(&sources),
        guesses,
    })
}

/// The packages that it needs, as pip takes them.
fn needs(project: Option<&toml::Value>, requirements: Option<&str>) -> Vec<String> {
    let declared = project.and_then(|it| it.get("dependencies")).and_then(|it| it.as_array());
    let declared = declared.into_iter().flatten().filter_map(|need| need.as_str());
    let listed = requirements.into_iter().flat_map(str::lines).map(str::trim);
    let listed = listed.filter(|line| !line.is_empty() && !line.starts_with(['#', '-']));
    declared.chain(listed).map(str::to_owned).collect()
}

/// The first program that installing it makes.
fn program(project: Option<&toml::Value>) -> Option<String> {
    let scripts = project?.get("scripts")?.as_table()?;
    scripts.keys().next().cloned()
}

fn build(is_installed: bool, has_list: bool, needs: &[String]) -> Vec<String> {
    if !is_installed && needs.is_empty() {
        return Vec::new();
    }
    let pip = format!("{VENV}pip install --quiet --disable-pip-version-check");
    let quoted = |need: &String| shlex::try_quote(need).map(std::borrow::Cow::into_owned).ok();
    let what = match (is_installed, has_list) {
        (true, _) => ".".to_owned(),
        (false, true) => "-r requirements.txt".to_owned(),
        (false, false) => needs.iter().filter_map(quoted).collect::<Vec<_>>().join(" "),
    };
    vec!["python3 -m venv {out}/venv".to_owned(), format!("{pip} {what}")]
}

/// The command of a framework's own server, which is told its port.
fn by_framework(folder: &Path, sources: &[Source], needs: &[String]) -> Option<String> {
    let needs_package = |package: &str| {
        needs.iter().any(|need| {
            let rest = need.to_ascii_lowercase();
            let rest = rest.strip_prefix(package).map(str::to_owned);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        })
    };
    let app = |made: &str| application(folder, sources, made);
    if needs_package("uvicorn")
        && let Some(app) = app("FastAPI|Starlette|Litestar")
    {
        return Some(format!(
            "{VENV}uvicorn {app} --host {{host}} --port {{port}} --log-level warning"
        ));
    }
    if let Some(app) = app("Flask").filter(|_| needs_package("flask")) {
        return Some(if needs_package("gunicorn") {
            format!("{VENV}gunicorn --bind {{host}}:{{port}} --workers {{cpus}} {app}")
        } else {
            let module = app.split(':').next().unwrap_or_default();
            format!("{VENV}flask --app {module} run --host {{host}} --port {{port}}")
        });
    }
    (needs_package("django") && folder.join("manage.py").is_file())
        .then(|| format!("{VENV}python manage.py runserver {{host}}:{{port}} --noreload"))
}

/// `module:name` of an application that the sources make.
fn application(folder: &Path, sources: &[Source], made: &str) -> Option<String> {
    let makes =
        Regex::new(&format!(r"(?m)^(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(?:{made})\(")).ok()?;
    sources.iter().find_map(|source| {
        let name = makes.captures(&source.text)?[1].to_owned();
        let module = source.path.strip_prefix(folder).ok()?.with_extension("");
        let parts: Vec<String> =
            module.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        Some(format!("{}:{name}", parts.join(".")))
    })
}

/// A file that is run as it is: one with a usual name, else the first that is made to be run.
fn plain(folder: &Path, sources: &[Source], needs: &[String]) -> Option<String> {
    let usual = USUAL.into_iter().find(|file| folder.join(file).is_file()).map(str::to_owned);
    let is_run = |source: &&Source| source.text.contains("__name__ ==");
    let other = || {
        let path = sources.iter().find(is_run)?.path.strip_prefix(folder).ok()?;
        Some(path.display().to_string())
    };
    let file = usual.or_else(other)?;
    let python = if needs.is_empty() { "python3".to_owned() } else { format!("{VENV}python") };
    Some(format!("{python} {file}"))
}
