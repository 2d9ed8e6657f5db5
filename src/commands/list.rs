//! `orchestrate list`: what there is, of one matrix or in this folder; runs nothing but the version commands of tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{default_results, interrupt, places};
use crate::cli::{self, ListFormat, Topic};
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::{self, Matrix};
use crate::plan::load_words;
use crate::record::run::RunInfo;
use crate::record::store;
use crate::record::whole::Lack;
use crate::report::listing::{
    self, ListedLoad, ListedMatrix, ListedRun, ListedTarget, ListedTool, ListedWorkload, Listing,
};
use crate::target::versions::tool_versions;

pub(super) fn list(words: &cli::List, console: Console) -> Result<End, Error> {
    let listing = match &words.matrix {
        Some(path) => of_matrix(path, words)?,
        None => of_folder(words),
    };
    let text = match words.format {
        ListFormat::Table => listing::write(&listing),
        ListFormat::Json => listing::json(&listing),
    };
    console.data(&text)?;
    Ok(End::Done)
}

/// Whether a topic is asked for; all are where none is named.
fn is_asked(words: &cli::List, topic: Topic) -> bool {
    words.only.is_empty() || words.only.contains(&topic)
}

fn of_matrix(path: &Path, words: &cli::List) -> Result<Listing, Error> {
    let matrix = matrix::read(path, None).map_err(Error::Problems)?;
    let asked = |topic| is_asked(words, topic);
    let needs_tools = asked(Topic::Tools) || asked(Topic::Targets);
    let tools = if needs_tools { tools(&matrix)? } else { BTreeMap::new() };
    let results = words.results.as_deref().unwrap_or(&matrix.run.results);
    let name = &matrix.run.name;
    Ok(Listing {
        matrices: None,
        targets: asked(Topic::Targets).then(|| targets(&matrix, &tools)),
        workloads: asked(Topic::Workloads).then(|| workloads(&matrix)),
        loads: asked(Topic::Loads).then(|| loads(&matrix)),
        tools: asked(Topic::Tools).then(|| tools.into_values().collect()),
        runs: asked(Topic::Runs).then(|| runs(&results.join(name), name)),
    })
}

fn of_folder(words: &cli::List) -> Listing {
    let results = words.results.clone().unwrap_or_else(default_results);
    let mut runs: Vec<ListedRun> = store::folders(&results)
        .iter()
        .flat_map(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self::runs(folder, &name)
        })
        .collect();
    runs.sort_by(|a, b| b.run.cmp(&a.run));
    Listing {
        matrices: is_asked(words, Topic::Matrices).then(matrices),
        runs: is_asked(words, Topic::Runs).then_some(runs),
        ..Listing::default()
    }
}

/// The matrices of this folder and of `configs`: every TOML file that can be read as one.
fn matrices() -> Vec<ListedMatrix> {
    let mut paths: Vec<PathBuf> = [".", "configs"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let matrix = matrix::read(path, None).ok()?;
        Some(ListedMatrix {
            path: path.strip_prefix(".").unwrap_or(path).display().to_string(),
            targets: matrix.targets.len(),
            question: question(&matrix.text),
        })
    };
    paths.iter().filter_map(read).collect()
}

/// The comment that a matrix opens with, up to its first question mark or empty line.
fn question(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    let comment = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    match comment.find('?') {
        Some(end) => comment[..=end].to_owned(),
        None => comment,
    }
}

/// Every need of the targets and services, with what is found here, by how it is written.
fn tools(matrix: &Matrix) -> Result<BTreeMap<String, ListedTool>, Error> {
    let interrupt = interrupt()?;
    let (_, path) = places(matrix);
    let needs = matrix.targets.iter().flat_map(|target| &target.tools);
    let needs = needs.chain(matrix.services.iter().flat_map(|service| &service.tools));
    let mut tools: BTreeMap<String, ListedTool> = BTreeMap::new();
    for need in needs {
        tools.entry(need.to_string()).or_insert_with(|| {
            let one = std::slice::from_ref(need);
            let found = tool_versions(one, &matrix.toolchains, &path, interrupt.flag());
            let missing = found.as_ref().err().and_then(|missing| missing.first());
            ListedTool {
                tool: need.to_string(),
                version: found.as_ref().ok().and_then(|found| found.get(&need.tool).cloned()),
                missing: missing.map(|missing| missing.what.clone()),
                hint: missing.and_then(|missing| missing.hint.clone()),
            }
        });
    }
    Ok(tools)
}

fn targets(matrix: &Matrix, tools: &BTreeMap<String, ListedTool>) -> Vec<ListedTarget> {
    let listed = matrix.targets.iter().map(|target| {
        let missing =
            target.tools.iter().find_map(|need| tools.get(&need.to_string())?.missing.clone());
        let offered = matrix.workloads.iter().filter(|it| target.offers(&it.name));
        ListedTarget {
            target: target.label(),
            kind: target.kind.map(|kind| kind.name().to_owned()),
            language: target.language.clone(),
            workloads: offered.map(|workload| workload.name.clone()).collect(),
            about: target.about.clone(),
            skipped: missing.or_else(|| target.program().misfit(std::env::consts::OS)),
        }
    });
    listed.collect()
}

fn workloads(matrix: &Matrix) -> Vec<ListedWorkload> {
    let listed = matrix.workloads.iter().map(|workload| ListedWorkload {
        workload: workload.name.clone(),
        request: format!("{} {}", workload.request.method, workload.request.path),
        targets: matrix.targets.iter().filter(|target| target.offers(&workload.name)).count(),
    });
    listed.collect()
}

fn loads(matrix: &Matrix) -> Vec<ListedLoad> {
    let listed = matrix
        .loads
        .iter()
        .map(|load| ListedLoad { load: load.name.clone(), about: load_words(load) });
    listed.collect()
}

/// The runs in a matrix's folder, the newest first.
fn runs(folder: &Path, matrix: &str) -> Vec<ListedRun> {
    let latest = store::latest(folder);
    let folders = store::folders(folder).into_iter().rev().filter(|folder| store::is_run(folder));
    let listed = folders.map(|folder| {
        let info = store::read_info(&folder);
        ListedRun {
            matrix: matrix.to_owned(),
            run: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            state: info.as_ref().map_or_else(|_| "cannot be read".to_owned(), state),
            latest: latest.as_ref() == Some(&folder),
            orchestrate: info.map_or_else(|_| String::new(), |info| info.orchestrate),
        }
    });
    listed.collect()
}

fn state(info: &RunInfo) -> String {
    info.end().lack().map_or("complete", Lack::words).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_what_a_matrix_opens_with() {
        for (text, expected) in [
            ("# Go or Node\n# for this? And more.\n\n[run]\n", "Go or Node for this?"),
            ("# no question\n#\n# more\n", "no question"),
            ("[run]\n", ""),
        ] {
            assert_eq!(question(text), expected, "{text}");
        }
    }
}
