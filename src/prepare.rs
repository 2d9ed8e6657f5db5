//! Before the first trial: the assets, and the tools and the build of every target that takes part.
//!
//! A target whose tools are missing is skipped, one that cannot be built has failed; both are told in every trial of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::assets;
use crate::event::{Event, Output};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::matrix::program::Program;
use crate::matrix::service;
use crate::outcome::{Kind as _, Stage};
use crate::record::trial::{Ended, Failed, Skipped};
use crate::target::build::{self, BuildFailure, BuildOrder, Built};
use crate::target::command::Values;
use crate::target::steps::StepFailure;
use crate::target::versions::{Missing, tool_versions};

/// Whether a target can be measured.
#[derive(Debug, Clone)]
pub enum Prepared {
    /// Its tools are there and it is built.
    Ready(Ready),
    /// It is not, and every trial of it ends like this.
    Out(Ended),
}

/// A target that is built.
#[derive(Debug, Clone)]
pub struct Ready {
    /// Its build folder.
    pub out: PathBuf,
    /// The versions of its tools.
    pub versions: BTreeMap<String, String>,
    /// Digest of what the build depended on.
    pub source_digest: String,
    /// Digest of what was built.
    pub artefact_sha256: Option<String>,
}

/// What all builds share.
#[derive(Debug, Clone, Copy)]
pub struct Workshop<'r> {
    /// The targets.
    pub matrix: &'r Matrix,
    /// Holds the build folders.
    pub builds: &'r Path,
    /// Files that servers may serve.
    pub assets: &'r Path,
    /// CPUs of the servers, for targets that are built for their number.
    pub cpus: &'r [usize],
    /// What all programs find their tools by.
    pub path: &'r str,
    /// Takes the output of each build.
    pub logs: &'r Path,
    /// Whether all is built anew.
    pub rebuild: bool,
    /// Ends it early.
    pub interrupt: &'r Interrupt,
}

/// Why targets could not be prepared at all: our own fault, or an interruption.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A signal asked for an end.
    #[error("interrupted")]
    Interrupted,
    /// The build folder cannot be used.
    #[error("cannot prepare the targets: {0}")]
    Ours(String),
}

/// Sees to the tools and the builds of `targets`; the result has a place for every target of the matrix.
///
/// # Errors
/// If nothing can be built here, or an end was asked for.
pub fn prepare(
    shop: &Workshop<'_>,
    targets: &BTreeSet<usize>,
    tell: &mut dyn FnMut(&Event),
) -> Result<Vec<Prepared>, PrepareError> {
    assets::provide(shop.assets).map_err(|error| PrepareError::Ours(error.to_string()))?;
    let mut prepared = Vec::with_capacity(shop.matrix.targets.len());
    for (place, target) in shop.matrix.targets.iter().enumerate() {
        let missing = target.earlier.as_ref().and_then(|earlier| earlier.missing.as_ref());
        let one = if let Some(why) = missing {
            skipped(why, None)
        } else if targets.contains(&place) {
            prepare_one(shop, &target.program(), tell)?
        } else {
            skipped("not selected", None)
        };
        prepared.push(one);
    }
    Ok(prepared)
}

/// Sees to the tools and the builds of the services that `targets` need; the result has a place for every service of the
/// matrix. `cpus` are those of each.
///
/// # Errors
/// If nothing can be built here, or an end was asked for.
pub fn prepare_services(
    shop: &Workshop<'_>,
    targets: &BTreeSet<usize>,
    cpus: &[Vec<usize>],
    tell: &mut dyn FnMut(&Event),
) -> Result<Vec<Prepared>, PrepareError> {
    let needed = service::needed_by_any(shop.matrix, targets);
    let mut prepared = Vec::with_capacity(shop.matrix.services.len());
    for ((place, service), cpus) in shop.matrix.services.iter().enumerate().zip(cpus) {
        // What an earlier run left in its folder is no state to begin with.
        let shop = Workshop { cpus, rebuild: true, ..*shop };
        prepared.push(if needed.contains(&place) {
            prepare_one(&shop, &service.program(), tell)?
        } else {
            skipped("not needed", None)
        });
    }
    Ok(prepared)
}

fn prepare_one(
    shop: &Workshop<'_>,
    program: &Program<'_>,
    tell: &mut dyn FnMut(&Event),
) -> Result<Prepared, PrepareError> {
    if shop.interrupt.is_set() {
        return Err(PrepareError::Interrupted);
    }
    let label = program.label.clone();
    let one = match fits(program).map_or_else(|| versions(shop, program), Err) {
        Err(out) => out,
        Ok(versions) => {
            if !program.build.is_empty() {
                tell(&Event::BuildStarted { target: label.clone() });
            }
            build_one(shop, program, versions, tell)?
        }
    };
    if shop.interrupt.is_set() {
        return Err(PrepareError::Interrupted);
    }
    if let Prepared::Out(ended) = &one {
        tell(&told(label, ended));
    }
    Ok(one)
}

/// Why a program does not fit this platform, if it does not.
fn fits(program: &Program<'_>) -> Option<Prepared> {
    program.misfit(std::env::consts::OS).map(|why| skipped(&why, None))
}

fn versions(
    shop: &Workshop<'_>,
    program: &Program<'_>,
) -> Result<BTreeMap<String, String>, Prepared> {
    tool_versions(program.tools, &shop.matrix.toolchains, shop.path, shop.interrupt.flag()).map_err(
        |missing| {
            let join = |of: &dyn Fn(&Missing) -> Option<String>| {
                missing.iter().filter_map(of).collect::<Vec<_>>().join("; ")
            };
            let hint = Some(join(&|missing| missing.hint.clone())).filter(|hint| !hint.is_empty());
            let what = join(&|missing| Some(missing.what.clone()));
            skipped(&format!("not installed: {what}"), hint)
        },
    )
}

fn build_one(
    shop: &Workshop<'_>,
    program: &Program<'_>,
    versions: BTreeMap<String, String>,
    tell: &mut dyn FnMut(&Event),
) -> Result<Prepared, PrepareError> {
    let values = Values {
        host: "127.0.0.1".to_owned(),
        port: None,
        out: build::out_folder(shop.builds, program),
        assets: shop.assets.to_owned(),
        cpus: shop.cpus.to_vec(),
        services: Vec::new(),
    };
    let log_name = format!("build-{}.log", program.folder);
    let order = BuildOrder {
        program,
        root: shop.builds,
        values: &values,
        path: shop.path,
        versions: &versions,
        log: &shop.logs.join(&log_name),
        rebuild: shop.rebuild,
        is_interrupted: shop.interrupt.flag(),
    };
    match build::build(&order) {
        Ok(Built { source_digest, artefact_sha256, was_cached, took }) => {
            if !program.build.is_empty() {
                let (target, seconds) = (program.label.clone(), took.as_secs_f64());
                tell(&Event::Built { target, was_cached, seconds });
            }
            Ok(Prepared::Ready(Ready { out: values.out, versions, source_digest, artefact_sha256 }))
        }
        Err(BuildFailure::Step(StepFailure::Interrupted)) => Err(PrepareError::Interrupted),
        Err(BuildFailure::Ours(reason)) => Err(PrepareError::Ours(reason)),
        Err(BuildFailure::Step(failure)) => {
            let log = Some(format!("logs/{log_name}"));
            Ok(Prepared::Out(Ended::Failed(Failed { log, ..failure.at(Stage::Build) })))
        }
    }
}

fn skipped(reason: &str, hint: Option<String>) -> Prepared {
    Prepared::Out(Ended::Skipped(Skipped { reason: reason.to_owned(), hint }))
}

fn told(target: String, ended: &Ended) -> Event {
    let (at, reason, hint, output) = match ended {
        Ended::Failed(failed) => (
            failed.stage.name(),
            failed.reason.clone(),
            None,
            Output::new(failed.log.as_ref(), &failed.tail),
        ),
        Ended::Skipped(skipped) => {
            ("skipped", skipped.reason.clone(), skipped.hint.clone(), Output::default())
        }
        Ended::Measured(_) => unreachable!("nothing is measured before the first trial"),
    };
    Event::TargetOut { target, at: at.to_owned(), reason, hint, output }
}
