//! The words of what looks at many runs: `history` and `accept`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `orchestrate history`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A history is made of the summary.json of each run that is whole: no selection, nothing cut off. Its
figures are ratios to the control of each run (`control` in `[run]`); without one they are absolute,
and no change is called. Another processor, control, load, request, window or choice of CPUs begins a
series of its own.

A run far off the level before it is suspected. It is confirmed when the next run lies there too, or
when the change-point algorithm finds it. A confirmed regression of right answers or of CPU per answer
exits with 10 under `--fail-on confirmed`, once: in the history of the run that confirmed it, however
often that is asked for. What was told is kept in changes.json beside the runs, to be committed with
them; where it is not kept, the exit code is 10 until `orchestrate accept` takes the change for the
new level. Improvements never fail.")]
pub struct History {
    /// The matrix: its file, or its name below the results.
    pub matrix: String,
    /// The folder of the results, in place of the matrix's; for a name by default `results/` beside the nearest Git root, else
    /// here.
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
    /// The figures: `goodput,cpu` by default; also `p50`, `p99`, `memory` and `startup`, which never fail.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// Exits with 10 if a row has a regression that was not told or accepted before.
    #[arg(long, value_enum, value_name = "STANDING", value_delimiter = ',')]
    pub fail_on: Vec<AlarmOn>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = HistoryFormat::Table)]
    pub format: HistoryFormat,
    /// Says nothing but the history, alarms and errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How a history is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HistoryFormat {
    /// For a terminal.
    Table,
    /// Markdown.
    Md,
    /// One line a run of a row, plain numbers.
    Csv,
    /// All that is known, as an object.
    Json,
    /// One page with a chart for each row.
    Html,
}

/// Which regressions fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlarmOn {
    /// Seen in more than one run.
    Confirmed,
    /// Also one that the newest run alone shows.
    Suspected,
}

/// `orchestrate accept`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without ROW every regression that the history tells of is accepted. What was accepted is kept in
changes.json beside the runs, to be committed with them.")]
pub struct Accept {
    /// The matrix: its file, or its name below the results.
    pub matrix: String,
    /// Labels of targets, or patterns of them: `'go/*'`.
    pub row: Vec<String>,
    /// Only rows whose workload matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub workload: Vec<String>,
    /// Only rows whose load matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub load: Vec<String>,
    /// Only these figures: `goodput,cpu`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// The folder of the results, in place of the matrix's; for a name by default `results/` beside the nearest Git root, else
    /// here.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}
