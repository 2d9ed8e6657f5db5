//! The words of what makes tables: `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `orchestrate report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The run: its id, `name/id`, a matrix's name for its latest run, or a folder. By default the latest of all.
    pub run: Option<String>,
    /// The folder of the results; by default `results/` beside the nearest Git root, else here.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Only tables whose workload matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub workload: Vec<String>,
    /// Only tables whose load matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub load: Vec<String>,
    /// The columns after the target: `goodput,p99,memory`. For `table` and `md`; a wrong name tells all there are.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Puts the rows in order by this column, the best first; by default by the one that ranks them.
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Also makes the run's own files again: `summary.json`, `tables.md`, `tables.csv`.
    #[arg(long)]
    pub write: bool,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    Table,
    /// Markdown.
    Md,
    /// One line a row, plain numbers.
    Csv,
    /// The summary, as in `summary.json`.
    Json,
}
