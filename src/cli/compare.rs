//! The words of what looks at more than one run: `compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::units::parse_share;

/// `orchestrate compare`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A run is named by:

    a folder, an id, or NAME/ID
    NAME                 the latest complete run of the matrix NAME
    NAME~2               the second complete run before that one; NAME/latest~2 is the same
    latest, latest~2     the same of the matrix that the other run is of; if both are named like
                         this, of the matrix that has the latest complete run of all

Each row is held against the control of its run (`[run] control` of the matrix), so that what became
of the machine takes no part. Without a control, or on another CPU model, nothing is comparable; what
differs besides is told.

Exit codes with --fail-on:
    10  a row is worse than it was, or fails now and did not before; goes before 11
    11  of a row it cannot be told, or it is not comparable
     4  no row is comparable, where --fail-on names no `unclear`")]
pub struct Compare {
    /// The run that the other is compared with.
    pub base: String,
    /// The run that is compared.
    pub new: String,
    /// The folder of the results; by default `results/` beside the nearest Git root, else here.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Only rows whose target matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub target: Vec<String>,
    /// Only rows whose workload matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub workload: Vec<String>,
    /// Only rows whose load matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub load: Vec<String>,
    /// The figures that decide: `goodput`, `cpu`, `p50`, `p99`, `memory`, `startup`. By default `goodput,cpu`; the others inform.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// The smallest difference that matters, in place of the new run's `min-effect`: `5%`.
    #[arg(long, value_name = "SHARE", value_parser = parse_effect)]
    pub threshold: Option<f64>,
    /// By how much runs of the same are known to differ besides what their rounds explain, as a standard deviation: `1.5%`. By
    /// default what the history of the matrix tells of each row, where it has ten runs and more.
    #[arg(long, value_name = "SHARE", value_parser = parse_effect)]
    pub between: Option<f64>,
    /// Exits with 10 or 11 if there is any of these.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub format: CompareFormat,
}

/// What a comparison may fail on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Something is worse, or fails, that did not before.
    Regression,
    /// Of something it cannot be told.
    Unclear,
}

/// How a comparison is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For a terminal.
    Table,
    /// Markdown, short, for a comment on a pull request.
    Md,
    /// As an object, with all figures.
    Json,
}

fn parse_effect(text: &str) -> Result<f64, String> {
    let share = parse_share(text).map_err(|error| error.to_string())?;
    if share < 1.0 { Ok(share) } else { Err("a share below 100 % is needed".to_owned()) }
}
