//! What is kept on disk: the shapes of a run's files, written as things happen and read back by every report.
//!
//! Not here: how any of it is measured, judged or shown. Names are in snake case, with the unit last; every file says which
//! version of the shapes it follows.

pub mod changes;
pub mod conformance;
pub mod diagnosis;
pub mod file;
pub mod floor;
pub mod folder;
pub mod host;
mod latest;
mod lines;
pub mod machine;
pub mod measured;
pub mod outline;
pub mod rows;
pub mod run;
pub mod service;
pub mod session;
pub mod store;
pub mod summary;
pub mod times;
pub mod trial;
pub mod usage;
pub mod wanted;
pub mod whole;

/// The version of the shapes in this folder; raised when a reader of the old ones would misread the new.
pub const SCHEMA: u32 = 1;

/// How this version measures; raised when figures of two versions may differ although nothing else does, so that they
/// cannot stand in one table.
pub const MEASURING: u32 = 1;
