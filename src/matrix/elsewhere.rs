//! A target as another folder has it: the same program at another revision of its sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Target;
use super::files::Disk;
use super::origin::folder_origin;
use super::problem::Problem;
use super::read::or_default;
use super::reading::Reading;
use super::service;
use super::target::{Known, targets};
use super::toolchain::{Toolchain, toolchains};
use super::workload::{Asked, workload};

/// That a target is an earlier one of another row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The label of that row.
    pub of: String,
    /// Why there was none, if there was none: it stands for itself then, and cannot be built.
    pub missing: Option<String>,
}

/// Targets that were read, and the tools that they name.
pub type Found = (Vec<Target>, BTreeMap<String, Toolchain>);

/// Reads the target of a folder, and all of its variants, as the matrix would if it named that folder.
///
/// Reads files and does nothing else.
///
/// # Errors
/// Every problem of the target's file; or of the matrix, if that has become another since it was read.
pub fn read_folder(matrix: &Path, folder: &Path) -> Result<Found, Vec<Problem>> {
    let disk = Disk::current().map_err(|error| {
        vec![Problem::without_place(format!("cannot tell the current folder: {error}"))]
    })?;
    let reading = Reading::new(&disk);
    let found = reading.toml(matrix, None).and_then(|mut root| {
        let asks_default = !root.has("workload");
        let asked: Vec<Asked<'_>> = or_default(&mut root, "workload").map(workload).collect();
        let services = service::names(&mut root.tables("service"));
        let services: Vec<String> = services.into_iter().map(|name| name.value).collect();
        let origin = folder_origin(&reading, folder, &root.place)?;
        let tools = toolchains(&reading, &[PathBuf::from(folder)], matrix);
        let known = Known { asked: &asked, asks_default, tools: &tools, services: &services };
        let targets = targets(&origin, &known);
        Some((targets, tools))
    });
    match (found, reading.into_problems()) {
        (Some(found), problems) if problems.is_empty() => Ok(found),
        (_, problems) => Err(problems),
    }
}
