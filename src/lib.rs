//! orchestrate compares HTTP servers written in different languages, and says how far its own numbers can be trusted.

pub mod units;

pub mod clock;

pub mod outcome;

pub mod digest;

pub mod affinity;

pub mod processes;

pub mod interrupt;

pub mod places;

pub mod stats;

pub mod record;

pub mod event;

pub mod http;

pub mod matrix;

pub mod plan;

pub mod target;

pub mod usage;

pub mod host;

pub mod generator;

pub mod judge;

pub mod report;
