//! Making a program: its build steps, one after the other, unless nothing has changed since the last time.
//!
//! A failed build is a value. What is digested is in `stamp`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

mod stamp;

use stamp::Stamp;

use super::command::{self, Values};
use super::steps::{self, StepFailure, Steps};
use crate::affinity;
use crate::clock;
use crate::matrix::Sources;
use crate::matrix::program::Program;

/// How a program is built.
#[derive(Debug, Clone, Copy)]
pub struct BuildOrder<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// The folder that holds the build folders of all programs.
    pub root: &'a Path,
    /// What placeholders stand for, with `out` as [`out_folder`] says and without a port.
    pub values: &'a Values,
    /// The search path for programs.
    pub path: &'a str,
    /// The versions of its tools.
    pub versions: &'a BTreeMap<String, String>,
    /// The file that takes the output of its build steps.
    pub log: &'a Path,
    /// Whether it is built although nothing has changed.
    pub rebuild: bool,
    /// Set when all should end.
    pub is_interrupted: &'a AtomicBool,
}

/// A program that was built, now or before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Digest over sources, commands, environment and tools' versions.
    pub source_digest: String,
    /// Digest over what its command names in the build folder, or else over all of it; `None` if nothing was made.
    pub artefact_sha256: Option<String>,
    /// Whether nothing had changed.
    pub was_cached: bool,
    /// How long it took.
    pub took: Duration,
}

/// Why a program was not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildFailure {
    /// A step failed, or all should end.
    #[error("{0}")]
    Step(#[from] StepFailure),
    /// Our fault: the build folder, the log or the sources cannot be read or written.
    #[error("{0}")]
    Ours(String),
}

/// A path beside another, of a name that no target can have.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The folder that `{out}` stands for.
pub fn out_folder(root: &Path, program: &Program<'_>) -> PathBuf {
    root.join(&program.folder)
}

/// Builds a program unless it is built already from the same sources, commands, environment and tools.
///
/// # Errors
/// Which step failed, and how.
pub fn build(order: &BuildOrder<'_>) -> Result<Built, BuildFailure> {
    let began = clock::now();
    let (program, out) = (order.program, &order.values.out);
    let stamp_path = beside(out, "@stamp");
    let say = |error: io::Error| BuildFailure::Ours(error.to_string());
    let cpus = affinity::write_list(&order.values.cpus);
    let source_digest =
        stamp::of_sources(program, order.versions, &cpus, order.root).map_err(say)?;
    let is_known = *program.sources != Sources::Unknown;
    if let Some(stamp) = Stamp::read(&stamp_path)
        && is_known
        && !order.rebuild
        && stamp.source_digest == source_digest
        && out.is_dir()
    {
        let took = clock::now().since(began);
        let artefact_sha256 = stamp.artefact_sha256;
        return Ok(Built { source_digest, artefact_sha256, was_cached: true, took });
    }
    // Without a stamp from here on, whatever happens; with it only when all is done.
    remove(&stamp_path, |path| fs::remove_file(path)).map_err(say)?;
    if is_known || order.rebuild {
        // What is measured is made from nothing but what the digest tells of.
        remove(out, |path| fs::remove_dir_all(path)).map_err(say)?;
    }
    fs::create_dir_all(out).map_err(|error| say(at(out, &error)))?;
    run_steps(order)?;
    let words = words_of_server(program, order.values);
    let artefact_sha256 = stamp::of_artefacts(out, &words).map_err(say)?;
    let stamp = Stamp { source_digest, artefact_sha256 };
    stamp.write(&stamp_path).map_err(|error| say(at(&stamp_path, &error)))?;
    let Stamp { source_digest, artefact_sha256 } = stamp;
    let took = clock::now().since(began);
    Ok(Built { source_digest, artefact_sha256, was_cached: false, took })
}

/// The words of its command, for what they name in the build folder; a port makes no difference there.
fn words_of_server(program: &Program<'_>, values: &Values) -> Vec<String> {
    let values = Values { port: Some(0), ..values.clone() };
    command::words(program.command, &values).unwrap_or_default()
}

fn run_steps(order: &BuildOrder<'_>) -> Result<(), StepFailure> {
    let program = order.program;
    steps::run_all(&Steps {
        commands: program.build,
        dir: program.dir,
        env: program.env,
        values: order.values,
        path: order.path,
        log: order.log,
        limit: program.build_timeout,
        may_fetch: true,
        is_interrupted: order.is_interrupted,
    })
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

fn remove(path: &Path, how: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    match how(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path, &error)),
        _ => Ok(()),
    }
}
