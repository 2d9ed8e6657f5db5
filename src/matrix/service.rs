//! `[[service]]`: what targets need besides themselves, such as a database or an upstream.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::command::{command, commands, services_named};
use super::globs::Globs;
use super::patterns::{Patterns, patterns};
use super::problem::{Place, Problem};
use super::program::Program;
use super::quantity::parse_cpus;
use super::reading::Reading;
use super::request::path;
use super::table::Table;
use super::target::{BUILD_TIMEOUT, PATIENCE_MIN, READY_TIMEOUT, STOP_GRACE};
use super::target::{dir, environment, time, tools};
use super::toolchain::{Need, Toolchain};
use super::wire::{Placed, Value};
use super::{Command, CpuChoice, Matrix, Sources, Target};

/// The longest name of a service, in characters.
pub(super) const NAME_MAX: usize = 40;

/// A program that runs beside the servers, for those that need it.
#[derive(Debug, Clone)]
pub struct Service {
    /// Its name, which stands in placeholders and in names of variables.
    pub name: String,
    /// Tools without which those that need it are skipped.
    pub tools: Vec<Need>,
    /// Commands that make it, in order.
    pub build: Vec<Command>,
    /// The command that runs it.
    pub command: Command,
    /// Commands that are run each time that it has got ready, before anybody uses it.
    pub setup: Vec<Command>,
    /// The folder that commands run in.
    pub dir: PathBuf,
    /// Its environment besides the few names that all get.
    pub env: BTreeMap<String, String>,
    /// A port that it cannot be talked out of.
    pub port: Option<u16>,
    /// What says that it is ready.
    pub ready: Readiness,
    /// How long it may take to get ready.
    pub ready_timeout: Duration,
    /// How long it may take to stop.
    pub stop_grace: Duration,
    /// How long each command of `build` and `setup` may take.
    pub build_timeout: Duration,
    /// What asks it to end.
    pub stop_signal: StopSignal,
    /// How long it lives.
    pub scope: Scope,
    /// Where it runs.
    pub cpus: Seat,
    /// Labels of the targets that need it, as globs.
    pub targets: Globs,
    /// The places of the services above it that it names.
    pub needs: Vec<usize>,
}

/// What says that a service is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// A connection to its port.
    Tcp,
    /// A 2xx answer to `GET` of this path.
    Path(String),
    /// A command that exits with 0.
    Command(Command),
}

/// How long a service lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// From the first trial that needs it to the end of the run.
    Run,
    /// For one trial.
    Trial,
}

impl Scope {
    pub(super) const ALL: [(&'static str, Self); 2] = [("run", Self::Run), ("trial", Self::Trial)];

    /// The word in a matrix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Trial => "trial",
        }
    }
}

/// The CPUs of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seat {
    /// Those of the generator.
    Generator,
    /// Those of the server.
    Server,
    /// These, by number, ascending.
    List(Vec<usize>),
}

/// A signal that asks a service to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopSignal {
    /// SIGTERM.
    Term,
    /// SIGINT.
    Int,
    /// SIGQUIT.
    Quit,
    /// SIGHUP.
    Hup,
}

impl StopSignal {
    pub(super) const ALL: [(&'static str, Self); 4] =
        [("TERM", Self::Term), ("INT", Self::Int), ("QUIT", Self::Quit), ("HUP", Self::Hup)];

    /// The word in a matrix.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, signal)| *signal == self).map_or("", |(name, _)| name)
    }
}

impl Service {
    /// What of it is built and run. It is made anew for each run, so that no run finds what another one left.
    pub fn program(&self) -> Program<'_> {
        Program {
            label: format!("service {}", self.name),
            // No target's name has an `@`.
            folder: format!("@service-{}", self.name),
            tools: &self.tools,
            platforms: &[],
            build: &self.build,
            command: &self.command,
            dir: &self.dir,
            env: &self.env,
            build_timeout: self.build_timeout,
            sources: &Sources::Unknown,
        }
    }
}

/// The places of the services that a target needs, in the order of the matrix: those that are for it, and those that
/// these need.
pub fn needed_by(services: &[Service], target: &Target) -> Vec<usize> {
    // An earlier one needs what its own row needs.
    let label = target.earlier.as_ref().map_or_else(|| target.label(), |it| it.of.clone());
    let mut needed = BTreeSet::new();
    // A service names only those above it.
    for (place, service) in services.iter().enumerate().rev() {
        if needed.contains(&place) || service.targets.matches(&label) {
            needed.insert(place);
            needed.extend(&service.needs);
        }
    }
    needed.into_iter().collect()
}

/// The same for some of a matrix' targets, by their places.
pub fn needed_by_any(matrix: &Matrix, targets: &BTreeSet<usize>) -> BTreeSet<usize> {
    let of = |place: &usize| needed_by(&matrix.services, &matrix.targets[*place]);
    targets.iter().flat_map(of).collect()
}

/// A service, and what is needed to check it against the rest.
pub(super) struct Declared {
    pub(super) service: Service,
    pub(super) place: Place,
    targets: Patterns,
}

/// The names of services, before anything else of them is read; an empty text for one that has none.
pub(super) fn names(tables: &mut [Table<'_>]) -> Vec<Placed<String>> {
    tables.iter_mut().map(name).collect()
}

fn name(table: &mut Table<'_>) -> Placed<String> {
    let reading = table.reading;
    let is_absent = !table.has("name");
    let name = table.text("name");
    if is_absent {
        let problem = Problem::at(table.place.clone(), "this service has no `name`");
        reading.report(problem.hint("targets find it by its name: `{service.NAME.port}`"));
    }
    let Some(name) = name else {
        return Placed { value: String::new(), place: table.place.clone() };
    };
    let is_sound = name.value.starts_with(|c: char| c.is_ascii_lowercase())
        && name.value.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'))
        && name.value.len() <= NAME_MAX;
    if !is_sound {
        let what = format!("`{}` cannot be a service's name", name.value.escape_debug());
        reading.report(Problem::at(name.place.clone(), what).hint(
            "it stands in `{service.NAME.port}` and `SERVICE_NAME_PORT`: small letters, digits and `-`, \
             a letter first; at most 40 characters",
        ));
    }
    name
}

/// Reads the services of a matrix; each may name those above it.
pub(super) fn services(
    tables: Vec<Table<'_>>,
    names: &[Placed<String>],
    known: &BTreeMap<String, Toolchain>,
) -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    for (table, name) in tables.into_iter().zip(names) {
        let above: Vec<String> = all.iter().map(|it| it.service.name.clone()).collect();
        let reading = table.reading;
        let mut declared = service(table, name, &above, known);
        declared.service.needs = needs(&declared.service, &above);
        report_short_lived(reading, &declared, &all);
        all.push(declared);
    }
    all
}

fn service(
    mut table: Table<'_>,
    name: &Placed<String>,
    above: &[String],
    known: &BTreeMap<String, Toolchain>,
) -> Declared {
    let shell = table.boolean("shell").is_some_and(|shell| shell.value);
    let folder = table.place.source.path.parent().unwrap_or(Path::new("")).to_owned();
    let targets = patterns(&mut table, "targets");
    let service = Service {
        name: name.value.clone(),
        tools: tools(&mut table, known),
        build: commands(&mut table, "build", shell, &[]),
        command: serving_command(&mut table, name, shell, above),
        setup: commands(&mut table, "setup", shell, above),
        dir: dir(&mut table, &folder),
        env: environment(&mut table, above),
        port: table.whole("port", 1..=u16::MAX),
        ready: readiness(&mut table, shell, above),
        ready_timeout: time(&mut table, "ready-timeout", PATIENCE_MIN, READY_TIMEOUT),
        stop_grace: time(&mut table, "stop-grace", Duration::ZERO, STOP_GRACE),
        build_timeout: time(&mut table, "build-timeout", PATIENCE_MIN, BUILD_TIMEOUT),
        stop_signal: table.choice("stop-signal", &StopSignal::ALL).unwrap_or(StopSignal::Term),
        scope: table.choice("scope", &Scope::ALL).unwrap_or(Scope::Run),
        cpus: seat(&mut table),
        targets: targets.globs.clone(),
        needs: Vec::new(),
    };
    let place = name.place.clone();
    table.finish();
    Declared { service, place, targets }
}

fn serving_command(
    table: &mut Table<'_>,
    name: &Placed<String>,
    shell: bool,
    above: &[String],
) -> Command {
    if !table.has("command") {
        let what = format!("service `{}` has no `command`", name.value);
        let problem = Problem::at(table.place.clone(), what);
        table.reading.report(problem.hint("`command = \"postgres -p {port}\"` starts it"));
    }
    let command = command(table, "command", shell, above);
    command.unwrap_or(Command { text: String::new(), shell })
}

/// `tcp`, a path, or else a command.
fn readiness(table: &mut Table<'_>, shell: bool, above: &[String]) -> Readiness {
    match table.value_of("ready").map(|node| &node.value) {
        Some(Value::Text(text)) if text.starts_with('/') => {
            path(table, "ready").map_or(Readiness::Tcp, Readiness::Path)
        }
        Some(Value::Text(text)) if text == "tcp" => {
            table.discard("ready");
            Readiness::Tcp
        }
        Some(Value::Text(_)) | None => {
            command(table, "ready", shell, above).map_or(Readiness::Tcp, Readiness::Command)
        }
        Some(_) => {
            table.read("ready", "`tcp`, a path or a command, as a string", |_| None::<()>);
            Readiness::Tcp
        }
    }
}

fn seat(table: &mut Table<'_>) -> Seat {
    let expected = "`generator`, `server` or a list of CPUs such as `\"0,2-3\"`";
    let seat = table.read("cpus", expected, |value| match value {
        Value::Text(text) if text == "generator" => Some(Seat::Generator),
        Value::Text(text) if text == "server" => Some(Seat::Server),
        Value::Text(text) => match parse_cpus(text)? {
            CpuChoice::List(list) => Some(Seat::List(list)),
            _ => None,
        },
        _ => None,
    });
    seat.map_or(Seat::Generator, |seat| seat.value)
}

/// The places of those above that it names.
fn needs(service: &Service, above: &[String]) -> Vec<usize> {
    let ready = match &service.ready {
        Readiness::Command(command) => Some(command),
        Readiness::Tcp | Readiness::Path(_) => None,
    };
    let commands = [&service.command].into_iter().chain(&service.setup).chain(ready);
    let texts = commands.map(|command| &command.text).chain(service.env.values());
    let named: BTreeSet<&str> = texts.flat_map(|text| services_named(text)).collect();
    let is_named = |name: &&String| named.contains(name.as_str());
    (0..).zip(above).filter(|(_, name)| is_named(name)).map(|(place, _)| place).collect()
}

/// Notes one that would outlive what it names.
fn report_short_lived(reading: &Reading<'_>, declared: &Declared, above: &[Declared]) {
    if declared.service.scope == Scope::Trial {
        return;
    }
    for needed in declared.service.needs.iter().map(|place| &above[*place].service) {
        if needed.scope == Scope::Trial {
            let (name, needed) = (&declared.service.name, &needed.name);
            let what = format!(
                "service `{name}` lives for the run and names `{needed}`, which lives for a trial"
            );
            let problem = Problem::at(declared.place.clone(), what);
            reading.report(problem.hint("give both the same `scope`"));
        }
    }
}

/// Notes patterns of services that match no target, and targets that name a service which is not for them.
pub(super) fn check(reading: &Reading<'_>, services: &mut [Declared], targets: &[(Target, Place)]) {
    let labels: Vec<String> = targets.iter().map(|(target, _)| target.label()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    for declared in &mut *services {
        declared.targets.report_idle(reading, "target", &labels);
    }
    for ((target, place), label) in targets.iter().zip(labels) {
        let commands = [&target.command].into_iter();
        let commands = commands.chain(&target.before_trial).chain(&target.after_trial);
        let texts = commands.map(|command| &command.text).chain(target.env.values());
        let named: BTreeSet<&str> = texts.flat_map(|text| services_named(text)).collect();
        for declared in &*services {
            let name = &declared.service.name;
            if named.contains(name.as_str()) && !declared.targets.may_match(label) {
                let what = format!("target `{label}` names service `{name}`, which is not for it");
                let problem = Problem::at(place.clone(), what);
                reading.report(problem.hint("look at the `targets` of the service"));
            }
        }
    }
}
