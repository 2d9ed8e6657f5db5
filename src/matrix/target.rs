//! The keys of a target, in a `target.toml` or in the matrix: one variant of it at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{check_variable, command, commands};
use super::expectation::expectation;
use super::globs::Globs;
use super::origin::Origin;
use super::patterns::{FORMS, hint};
use super::problem::Problem;
use super::reading::RELATIVE;
use super::request::{path, report_derived, request};
use super::serves::serves;
use super::table::Table;
use super::toolchain::{Need, Toolchain, need};
use super::values::refusal;
use super::wire::{Placed, Value};
use super::workload::Asked;
use super::{Command, RequestSpec, Sources, Target, TargetKind};

/// The defaults of a target.
pub(super) const READY_TIMEOUT: Duration = Duration::from_secs(30);
pub(super) const STOP_GRACE: Duration = Duration::from_secs(5);
pub(super) const BUILD_TIMEOUT: Duration = Duration::from_mins(10);
/// The shortest time to get ready or to be built in.
pub(super) const PATIENCE_MIN: Duration = Duration::from_millis(10);

pub(super) const KINDS: [(&str, TargetKind); 4] = [
    ("raw", TargetKind::Raw),
    ("library", TargetKind::Library),
    ("framework", TargetKind::Framework),
    ("server", TargetKind::Server),
];
/// The platforms that Rust knows by these names and that have processes and sockets.
pub(super) const PLATFORMS: [&str; 7] =
    ["linux", "macos", "windows", "freebsd", "openbsd", "netbsd", "illumos"];

/// What targets are checked against.
pub(super) struct Known<'k, 'r> {
    pub(super) asked: &'k [Asked<'r>],
    /// Whether the matrix names no workload, so that its one default is asked of every target.
    pub(super) asks_default: bool,
    pub(super) tools: &'k BTreeMap<String, Toolchain>,
    /// The names of the services.
    pub(super) services: &'k [String],
}

/// Reads a target, and each of its variants that takes part.
pub(super) fn targets(origin: &Origin<'_>, known: &Known<'_, '_>) -> Vec<Target> {
    let mut targets = Vec::new();
    if has_part(origin, &origin.table, known) {
        targets.push(target(origin, None, origin.table.clone(), known));
    }
    for (name, table) in &origin.variants {
        let laid_over = origin.table.overlaid_within(table, "env");
        if !has_part(origin, &laid_over, known) {
            continue;
        }
        let variant = target(origin, Some(name.value.clone()), laid_over, known);
        if origin.is_chosen(&name.value) {
            targets.push(variant);
        }
    }
    targets
}

/// Whether anything is asked that a target offers. One that the matrix names itself has a part even so, and is told to
/// have none.
fn has_part(origin: &Origin<'_>, table: &Table<'_>, known: &Known<'_, '_>) -> bool {
    let offered = match table.value_of("workloads").map(|node| &node.value) {
        Some(Value::List(offered)) if origin.is_found && !known.asks_default => offered,
        _ => return true,
    };
    known.asked.iter().any(|asked| {
        let name = Value::Text(asked.workload.name.clone());
        offered.iter().any(|offered| offered.value == name)
    })
}

fn target(
    origin: &Origin<'_>,
    variant: Option<String>,
    mut table: Table<'_>,
    known: &Known<'_, '_>,
) -> Target {
    for planned in ["tls", "socket"] {
        table.not_yet(planned, "targets are asked over HTTP and TCP; leave it out");
    }
    let shell = table.boolean("shell").is_some_and(|shell| shell.value);
    let dir = dir(&mut table, &origin.folder);
    let workloads = offered(&mut table, origin, known);
    let target = Target {
        name: origin.name.clone(),
        variant,
        language: word(&mut table, "language"),
        about: word(&mut table, "about"),
        kind: table.choice("kind", &KINDS),
        url: word(&mut table, "url"),
        tags: words(&mut table, "tags"),
        tools: tools(&mut table, known.tools),
        platforms: platforms(&mut table),
        build: commands(&mut table, "build", shell, &[]),
        command: serving_command(&mut table, origin, shell, known.services),
        before_trial: commands(&mut table, "before-trial", shell, known.services),
        after_trial: commands(&mut table, "after-trial", shell, known.services),
        dir,
        folder: origin.is_folder.then(|| table.reading.absolute(&origin.folder)),
        earlier: None,
        env: environment(&mut table, known.services),
        port: table.whole("port", 1..=u16::MAX),
        ready: ready(&mut table),
        ready_timeout: time(&mut table, "ready-timeout", PATIENCE_MIN, READY_TIMEOUT),
        stop_grace: time(&mut table, "stop-grace", Duration::ZERO, STOP_GRACE),
        build_timeout: time(&mut table, "build-timeout", PATIENCE_MIN, BUILD_TIMEOUT),
        sources: sources(&mut table, origin),
        expect: by_workload(&mut table, "expect", origin, known, workloads.as_deref())
            .map(|(name, table)| (name.value, expectation(table)))
            .collect(),
        requests: by_workload(&mut table, "workload", origin, known, workloads.as_deref())
            .map(|(name, table)| (name.value.clone(), own_request(&name.value, &table, known)))
            .collect(),
        serves: serves(&mut table),
        external: table.boolean("external").is_some_and(|external| external.value),
        workloads: if known.asks_default { None } else { workloads },
    };
    table.finish();
    target
}

fn word(table: &mut Table<'_>, key: &'static str) -> Option<String> {
    table.text(key).map(|text| text.value)
}

fn words(table: &mut Table<'_>, key: &'static str) -> Vec<String> {
    let list = table.texts(key).map(|list| list.value).unwrap_or_default();
    list.into_iter().map(|text| text.value).collect()
}

pub(super) fn time(
    table: &mut Table<'_>,
    key: &'static str,
    least: Duration,
    default: Duration,
) -> Duration {
    table.duration(key, least).map_or(default, |time| time.value)
}

/// The path that says that a target is ready.
fn ready(table: &mut Table<'_>) -> Option<String> {
    if let Some(node) = table.value_of("ready").filter(|it| it.value == Value::Text("tcp".into())) {
        let problem = Problem::at(node.place.clone(), "only a `[[service]]` is ready by `tcp`");
        table.reading.report(problem.hint("name a path: `ready = \"/\"`"));
        table.discard("ready");
    }
    path(table, "ready")
}

fn serving_command(
    table: &mut Table<'_>,
    origin: &Origin<'_>,
    shell: bool,
    services: &[String],
) -> Command {
    let is_absent = !table.has("command");
    let command = command(table, "command", shell, services);
    if is_absent {
        let what = format!("target `{}` has no `command`", origin.name);
        table.reading.report(
            Problem::at(origin.table.place.clone(), what)
                .hint("`command = \"./server --port {port}\"` starts it"),
        );
    }
    command.unwrap_or(Command { text: String::new(), shell })
}

/// The folder that commands run in, by default that of the file.
pub(super) fn dir(table: &mut Table<'_>, folder: &Path) -> PathBuf {
    let reading = table.reading;
    let Some(dir) = table.path("dir") else { return reading.absolute(folder) };
    if !reading.files.is_folder(&dir.value) {
        let what = format!("`dir` is no folder: `{}`", reading.shown(&dir.value).display());
        reading.report(Problem::at(dir.place, what).hint(RELATIVE));
    }
    reading.absolute(&dir.value)
}

/// Tools that are needed, each known.
pub(super) fn tools(table: &mut Table<'_>, toolchains: &BTreeMap<String, Toolchain>) -> Vec<Need> {
    let mut needs = Vec::new();
    for text in table.texts("tools").map(|list| list.value).unwrap_or_default() {
        let problem = match need(&text.value) {
            None => Problem::at(text.place, format!("`{}` is no tool", text.value.escape_debug()))
                .hint("write `go` or `go >= 1.21`"),
            Some(need) if !toolchains.contains_key(&need.tool) => {
                let names: Vec<&str> = toolchains.keys().map(String::as_str).collect();
                Problem::at(text.place, format!("unknown tool `{}`", need.tool)).hint(hint(
                    &need.tool,
                    "tool in `toolchains.toml`",
                    &names,
                ))
            }
            Some(need) => {
                needs.push(need);
                continue;
            }
        };
        table.reading.report(problem);
    }
    needs
}

fn platforms(table: &mut Table<'_>) -> Vec<String> {
    let platforms = table.texts("platforms").map(|list| list.value).unwrap_or_default();
    for platform in platforms.iter().filter(|name| !PLATFORMS.contains(&name.value.as_str())) {
        let problem =
            Problem::at(platform.place.clone(), format!("unknown platform `{}`", platform.value));
        table.reading.report(problem.hint(hint(&platform.value, "platform", &PLATFORMS)));
    }
    platforms.into_iter().map(|platform| platform.value).collect()
}

/// Names and values, which may name these services; a number or boolean stands for its text.
pub(super) fn environment(table: &mut Table<'_>, services: &[String]) -> BTreeMap<String, String> {
    let mut environment = BTreeMap::new();
    for (name, node) in table.named("env") {
        if name.value.is_empty() || name.value.contains(['=', '\0']) {
            let what = format!("`{}` is no name of a variable", name.value.escape_debug());
            let hint = "a name is not empty and holds no `=`: `env = { NAME = \"value\" }`";
            table.reading.report(Problem::at(name.place, what).hint(hint));
            continue;
        }
        let value = match &node.value {
            Value::Text(text) if !text.contains('\0') => text.clone(),
            Value::Whole(number) => number.to_string(),
            Value::Boolean(truth) => truth.to_string(),
            _ => {
                let key = format!("env.{}", name.value);
                table.reading.report(refusal(&key, "a string, whole number or boolean", &node));
                continue;
            }
        };
        let value = Placed { value, place: node.place };
        check_variable(table.reading, &value, services);
        environment.insert(name.value, value.value);
    }
    environment
}

/// What a build depends on; a target in the matrix is always built unless it says so.
fn sources(table: &mut Table<'_>, origin: &Origin<'_>) -> Sources {
    let Some(list) = table.texts("sources") else {
        return if origin.is_folder { Sources::Folder } else { Sources::Unknown };
    };
    for pattern in &list.value {
        if let Err(error) = Globs::parse(&[&pattern.value]) {
            let problem = Problem::at(pattern.place.clone(), error.to_string());
            table.reading.report(problem.hint(FORMS));
        }
    }
    Sources::Globs(list.value.into_iter().map(|pattern| pattern.value).collect())
}

/// The workloads that a target offers; `None` means all.
fn offered(
    table: &mut Table<'_>,
    origin: &Origin<'_>,
    known: &Known<'_, '_>,
) -> Option<Vec<String>> {
    let list = table.texts("workloads")?.value;
    for name in &list {
        report_unasked(table, name, origin, known);
    }
    Some(list.into_iter().map(|name| name.value).collect())
}

/// The tables below `expect` or `workload`, by the workload that each is for.
fn by_workload<'r>(
    table: &mut Table<'r>,
    key: &'static str,
    origin: &Origin<'_>,
    known: &Known<'_, '_>,
    offered: Option<&[String]>,
) -> impl Iterator<Item = (Placed<String>, Table<'r>)> + use<'r> {
    let tables = table.named_tables(key);
    for (name, _) in &tables {
        if offered.is_none_or(|offered| offered.contains(&name.value)) {
            report_unasked(table, name, origin, known);
            continue;
        }
        let names: Vec<&str> = offered.into_iter().flatten().map(String::as_str).collect();
        let what = format!("`{}` is none of the `workloads` of this target", name.value);
        let problem = Problem::at(name.place.clone(), what);
        table.reading.report(problem.hint(hint(&name.value, "workload", &names)));
    }
    tables.into_iter()
}

/// Notes a workload that a target in the matrix names and the matrix does not ask; a folder may offer more.
fn report_unasked(
    table: &Table<'_>,
    name: &Placed<String>,
    origin: &Origin<'_>,
    known: &Known<'_, '_>,
) {
    let mut names = known.asked.iter().map(|asked| asked.workload.name.as_str());
    if origin.is_folder || names.any(|asked| asked == name.value) {
        return;
    }
    let names: Vec<&str> = known.asked.iter().map(|asked| asked.workload.name.as_str()).collect();
    let what = format!("no workload `{}` in this matrix", name.value);
    let problem = Problem::at(name.place.clone(), what);
    table.reading.report(problem.hint(hint(&name.value, "workload", &names)));
}

/// A target's own request, laid over that of the matrix.
fn own_request(workload: &str, own: &Table<'_>, known: &Known<'_, '_>) -> RequestSpec {
    report_derived(own);
    let asked = known.asked.iter().find(|asked| asked.workload.name == workload);
    let mut table = own.clone();
    if let Some(asked) = asked {
        let mut below = asked.table.clone();
        if own.has("body") || own.has("body-file") {
            below.discard("body");
            below.discard("body-file");
        }
        for other in ["name", "expect", "targets"] {
            below.discard(other);
        }
        table = below.overlaid(own);
    }
    let request = request(&mut table);
    table.finish();
    request
}
