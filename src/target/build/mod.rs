//! Making a target's program: its build steps, one after the other, unless nothing has changed since the last time.
//!
//! A failed build is a value. How one command is run is in `run`, what is digested is in `stamp`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(super) mod run;
mod stamp;

use run::{Ended, Run, run};
use stamp::Stamp;

use super::command::{self, CommandError, Values};
use super::log;
use super::order::Exit;
use crate::affinity;
use crate::clock;
use crate::matrix::{Sources, Target};
use crate::units::write_duration;

/// Lines of output that go with a failure.
const TAIL: usize = 20;

/// How a target is built.
#[derive(Debug, Clone, Copy)]
pub struct BuildOrder<'a> {
    /// The target.
    pub target: &'a Target,
    /// The folder that holds the build folders of all targets.
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

/// A target that was built, now or before.
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

/// Why a target was not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildFailure {
    /// A step ended with a failure.
    #[error("`{command}`: {exit}")]
    Failed {
        /// The step.
        command: String,
        /// How it ended.
        exit: Exit,
        /// The last lines of its output.
        tail: Vec<String>,
    },
    /// A step took too long, and was killed.
    #[error("`{command}` took longer than {}", write_duration(*.limit))]
    TimedOut {
        /// The step.
        command: String,
        /// How long it was given.
        limit: Duration,
        /// The last lines of its output.
        tail: Vec<String>,
    },
    /// A step could not be run.
    #[error("`{command}`: {reason}")]
    NotRun {
        /// The step.
        command: String,
        /// Why.
        reason: String,
    },
    /// All should end.
    #[error("interrupted")]
    Interrupted,
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
pub fn out_folder(root: &Path, target: &Target) -> PathBuf {
    // Flat, so that no target's folder lies inside another's.
    root.join(target.label().replace('/', "~"))
}

/// Builds a target unless it is built already from the same sources, commands, environment and tools.
///
/// # Errors
/// Which step failed, and how.
pub fn build(order: &BuildOrder<'_>) -> Result<Built, BuildFailure> {
    let began = clock::now();
    let (target, out) = (order.target, &order.values.out);
    let stamp_path = beside(out, "@stamp");
    let say = |error: io::Error| BuildFailure::Ours(error.to_string());
    let cpus = affinity::write_list(&order.values.cpus);
    let source_digest =
        stamp::of_sources(target, order.versions, &cpus, order.root).map_err(say)?;
    let is_known = target.sources != Sources::Unknown;
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
    let words = words_of_server(target, order.values);
    let artefact_sha256 = stamp::of_artefacts(out, &words).map_err(say)?;
    let stamp = Stamp { source_digest, artefact_sha256 };
    stamp.write(&stamp_path).map_err(|error| say(at(&stamp_path, &error)))?;
    let Stamp { source_digest, artefact_sha256 } = stamp;
    let took = clock::now().since(began);
    Ok(Built { source_digest, artefact_sha256, was_cached: false, took })
}

/// The words of its command, for what they name in the build folder; a port makes no difference there.
fn words_of_server(target: &Target, values: &Values) -> Vec<String> {
    let values = Values { port: Some(0), ..values.clone() };
    command::words(&target.command, &values).unwrap_or_default()
}

fn run_steps(order: &BuildOrder<'_>) -> Result<(), BuildFailure> {
    let target = order.target;
    let fault = |text: &str, error: &CommandError| BuildFailure::NotRun {
        command: text.to_owned(),
        reason: error.to_string(),
    };
    for step in &target.build {
        let words =
            command::words(step, order.values).map_err(|error| fault(&step.text, &error))?;
        let mut env = command::registry_environment();
        env.extend(
            command::environment(&target.env, order.values, order.path)
                .map_err(|error| fault(&step.text, &error))?,
        );
        let ended = run(&Run {
            words: &words,
            dir: &target.dir,
            env: &env,
            log: order.log,
            limit: target.build_timeout,
            is_interrupted: order.is_interrupted,
        });
        let command = step.text.clone();
        match ended {
            Ok(Ended::By(Exit { code: Some(0), .. })) => {}
            Ok(Ended::By(exit)) => {
                return Err(BuildFailure::Failed {
                    command,
                    exit,
                    tail: log::tail(order.log, TAIL),
                });
            }
            Ok(Ended::Late) => {
                let (limit, tail) = (target.build_timeout, log::tail(order.log, TAIL));
                return Err(BuildFailure::TimedOut { command, limit, tail });
            }
            Ok(Ended::Interrupted) => return Err(BuildFailure::Interrupted),
            Err(reason) => return Err(BuildFailure::NotRun { command, reason }),
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::matrix::{Command, Serves};

    fn target(dir: &Path, step: &str) -> Target {
        let command = |text: &str| Command { text: text.into(), shell: true };
        Target {
            name: "c/x".into(),
            variant: None,
            language: None,
            about: None,
            kind: None,
            url: None,
            tags: vec![],
            tools: vec![],
            platforms: vec![],
            build: vec![command(step)],
            command: command("{out}/server"),
            dir: dir.to_owned(),
            env: BTreeMap::new(),
            port: None,
            ready: None,
            ready_timeout: Duration::from_secs(1),
            stop_grace: Duration::from_secs(1),
            build_timeout: Duration::from_secs(20),
            sources: Sources::Folder,
            workloads: None,
            expect: BTreeMap::new(),
            requests: BTreeMap::new(),
            serves: Serves::default(),
            external: false,
        }
    }

    fn built(target: &Target, root: &Path, rebuild: bool) -> Result<Built, BuildFailure> {
        let (host, cpus) = ("127.0.0.1".to_owned(), vec![0]);
        let (out, assets) = (out_folder(root, target), root.to_owned());
        build(&BuildOrder {
            target,
            root,
            values: &Values { host, port: None, out, assets, cpus },
            path: "/usr/bin:/bin",
            versions: &BTreeMap::new(),
            log: &root.join("log"),
            rebuild,
            is_interrupted: &AtomicBool::new(false),
        })
    }

    #[test]
    fn what_has_not_changed_is_not_built_again() {
        let (dir, root) = (tempfile::tempdir().expect("dir"), tempfile::tempdir().expect("root"));
        fs::write(dir.path().join("main.c"), "1").expect("write");
        let target = target(dir.path(), "cp main.c {out}/server");
        let first = built(&target, root.path(), false).expect("built");
        assert!(!first.was_cached && first.artefact_sha256.is_some());
        let second = built(&target, root.path(), false).expect("built");
        assert!(second.was_cached);
        assert_eq!(second.artefact_sha256, first.artefact_sha256);
        assert!(!built(&target, root.path(), true).expect("built").was_cached);
        fs::write(dir.path().join("main.c"), "2").expect("write");
        let changed = built(&target, root.path(), false).expect("built");
        assert!(!changed.was_cached);
        assert_ne!(changed.source_digest, first.source_digest);
        assert_ne!(changed.artefact_sha256, first.artefact_sha256);
        let unknown = Target { sources: Sources::Unknown, ..target };
        assert!(!built(&unknown, root.path(), false).expect("built").was_cached);
        assert!(!built(&unknown, root.path(), false).expect("built").was_cached);
    }

    #[test]
    fn a_failed_build_says_how_and_leaves_no_stamp() {
        let (dir, root) = (tempfile::tempdir().expect("dir"), tempfile::tempdir().expect("root"));
        let target = target(dir.path(), "echo no such header; exit 4");
        for _ in 0..2 {
            let failure = built(&target, root.path(), false).expect_err("fails");
            let BuildFailure::Failed { exit, tail, .. } = failure else {
                panic!("{failure}");
            };
            assert_eq!(
                (exit.code, tail.last().map(String::as_str)),
                (Some(4), Some("no such header"))
            );
        }
    }
}
