//! From a file to a checked matrix, by way of every file that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::cells;
use super::files::{Disk, Files};
use super::load::{Driven, load};
use super::memory::Memory;
use super::names::report_twice;
use super::origin::origins;
use super::policy::{cpus, policy};
use super::problem::{Place, Problem};
use super::reading::Reading;
use super::service::{self, Service, services};
use super::table::Table;
use super::target::{Known, targets};
use super::toolchain::{Toolchain, toolchains};
use super::wire::Placed;
use super::workload::{Asked, workload};
use super::{Matrix, Target};

/// Reads a matrix and every file that it names, and checks them; `profile` is laid over `[run]`.
///
/// Reads files and does nothing else: no process is started and nothing is printed.
///
/// # Errors
/// Every problem of every file, in the order of the files and of the places in them.
pub fn read(path: &Path, profile: Option<&str>) -> Result<Matrix, Vec<Problem>> {
    let disk = Disk::current().map_err(|error| {
        vec![Problem::without_place(format!("cannot tell the current folder: {error}"))]
    })?;
    read_from(&disk, path, profile)
}

/// The same of a matrix whose text was kept, and whose other files are where they were: seen from `path`.
///
/// # Errors
/// As [`read`].
pub fn read_again(path: &Path, text: &str, profile: Option<&str>) -> Result<Matrix, Vec<Problem>> {
    let disk = Disk::current().map_err(|error| {
        vec![Problem::without_place(format!("cannot tell the current folder: {error}"))]
    })?;
    let reading = Reading::new(&disk);
    let root = reading.toml_text(reading.shown(path), text.to_owned());
    let matrix = root.map(|root| matrix(root, path, profile));
    whole(matrix, reading)
}

/// The same of texts alone, by their paths: no disk is looked at.
///
/// # Errors
/// As [`read`].
pub fn read_among<'f>(
    files: impl IntoIterator<Item = (&'f Path, &'f [u8])>,
    path: &Path,
    profile: Option<&str>,
) -> Result<Matrix, Vec<Problem>> {
    let all = files.into_iter();
    let memory = all.fold(Memory::default(), |memory, (path, text)| memory.with(path, text));
    read_from(&memory, path, profile)
}

/// The same from any files.
pub(super) fn read_from(
    files: &dyn Files,
    path: &Path,
    profile: Option<&str>,
) -> Result<Matrix, Vec<Problem>> {
    let reading = Reading::new(files);
    let matrix = reading.toml(path, None).map(|root| matrix(root, path, profile));
    whole(matrix, reading)
}

fn whole(matrix: Option<Matrix>, reading: Reading<'_>) -> Result<Matrix, Vec<Problem>> {
    match (matrix, reading.into_problems()) {
        (Some(matrix), problems) if problems.is_empty() => Ok(matrix),
        (_, problems) => Err(problems),
    }
}

fn matrix(mut root: Table<'_>, path: &Path, profile: Option<&str>) -> Matrix {
    let reading = root.reading;
    let policy = policy(&mut root, profile);
    let cpus = cpus(&mut root);
    let asks_default = !root.has("workload");
    let mut asked: Vec<Asked<'_>> = or_default(&mut root, "workload").map(workload).collect();
    let mut driven: Vec<Driven> = or_default(&mut root, "load").map(load).collect();
    let mut tables = root.tables("service");
    let names = service::names(&mut tables);
    let Found { targets, mut tools, is_complete } =
        all_targets(&mut root, &asked, asks_default, &names);
    let mut services = services(tables, &names, &tools);
    let text = root.place.source.text.clone();
    root.finish();

    report_twice(reading, "workload", asked.iter().map(|a| (a.workload.name.as_str(), &a.place)));
    report_twice(reading, "load", driven.iter().map(|d| (d.load.name.as_str(), &d.place)));
    let known = names.iter().filter(|name| !name.value.is_empty());
    report_twice(reading, "service", known.map(|name| (name.value.as_str(), &name.place)));
    if is_complete {
        service::check(reading, &mut services, &targets);
        cells::check(reading, &targets, &mut asked, &mut driven);
        cells::check_named_rows(reading, &policy.rows, &targets);
    }
    let mut run = policy.run;
    let first = targets.first().map(|(target, _)| target.label());
    run.reference = policy.reference.map(|name| name.value).or(first).unwrap_or_default();
    let targets: Vec<Target> = targets.into_iter().map(|(target, _)| target).collect();
    let services: Vec<Service> = services.into_iter().map(|declared| declared.service).collect();
    let needs = targets.iter().map(|target| &target.tools);
    let needs = needs.chain(services.iter().map(|service| &service.tools));
    let needed: BTreeSet<&str> = needs.flatten().map(|need| need.tool.as_str()).collect();
    tools.retain(|name, _| needed.contains(name.as_str()));
    Matrix {
        path: path.to_owned(),
        text,
        run,
        cpus,
        workloads: asked.into_iter().map(|asked| asked.workload).collect(),
        loads: driven.into_iter().map(|driven| driven.load).collect(),
        targets,
        services,
        toolchains: tools,
    }
}

/// The tables below a key, or an empty one that has every default.
pub(super) fn or_default<'r>(
    root: &mut Table<'r>,
    key: &'static str,
) -> impl Iterator<Item = Table<'r>> + use<'r> {
    let default = (!root.has(key)).then(|| Table::empty_like(root));
    root.tables(key).into_iter().chain(default)
}

/// Every target with its place, the tools that are known, and whether no target is missing.
struct Found {
    targets: Vec<(Target, Place)>,
    tools: BTreeMap<String, Toolchain>,
    is_complete: bool,
}

fn all_targets(
    root: &mut Table<'_>,
    asked: &[Asked<'_>],
    asks_default: bool,
    services: &[Placed<String>],
) -> Found {
    let reading = root.reading;
    let tables = root.tables("target");
    if tables.is_empty() {
        reading.report(
            Problem::at(root.place.clone(), "no `[[target]]` in this matrix")
                .hint("name a server: `[[target]]` with a `command`, or with `from` a folder"),
        );
    }
    let is_empty = tables.is_empty();
    let origins = origins(tables);
    let folders: Vec<PathBuf> = origins
        .all
        .iter()
        .filter(|origin| origin.is_folder)
        .map(|origin| origin.folder.clone())
        .collect();
    let tools = toolchains(reading, &folders, &root.place.source.path);
    let services: Vec<String> = services.iter().map(|name| name.value.clone()).collect();
    let known = Known { asked, asks_default, tools: &tools, services: &services };
    let mut all: Vec<(Target, Place)> = Vec::new();
    for origin in &origins.all {
        let place = &origin.place;
        all.extend(targets(origin, &known).into_iter().map(|target| (target, place.clone())));
    }
    let labels: Vec<String> = all.iter().map(|(target, _)| target.label()).collect();
    let places = all.iter().map(|(_, place)| place);
    report_twice(reading, "target", labels.iter().map(String::as_str).zip(places));
    Found { targets: all, tools, is_complete: origins.is_complete && !is_empty }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_read_from_disk_with_the_folders_that_it_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, content) in [
            ("configs/m.toml", "[[target]]\nfrom = \"../targets/*\"\n"),
            ("targets/a/b/target.toml", "command = \"./b\"\n"),
            (".git/HEAD", ""),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, content).expect("a file");
        }
        let matrix = read(&folder.path().join("configs/m.toml"), None).expect("a matrix");
        assert_eq!(matrix.targets[0].name, "a/b");
        assert_eq!(matrix.targets[0].dir, folder.path().join("targets/a/b"));
        assert_eq!(matrix.run.results, folder.path().join("results"));
    }

    #[test]
    fn a_file_that_is_not_there_is_a_problem_without_a_place() {
        let problems = read(Path::new("none/m.toml"), None).expect_err("a problem");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].what.starts_with("cannot read `none/m.toml`: "), "{problems:?}");
        assert_eq!(problems[0].place, None);
    }
}
