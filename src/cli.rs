//! The words a user may type. Reading them starts nothing and prints nothing but help.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::units::parse_duration;

/// Compares HTTP servers written in different languages, and says how far its own numbers can be trusted.
#[derive(Debug, Parser)]
#[command(name = "orchestrate", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Exit codes: 0 done (skipped rows allowed); 1 our own failure; 2 usage or matrix; 4 nothing was selected or
measured; 5 a target failed (with --require-all: or was skipped); 6 refused: another run holds the machine;
130 or 143 interrupted, what was measured is kept.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Builds, starts, checks, warms up, loads, samples and stops every target of a matrix, and writes the tables.
    Run(Run),
    /// Reads a matrix and prints the plan with every default made explicit; runs nothing.
    Check(Check),
    /// Builds the targets of a matrix, and no more.
    Build(Build),
    /// Gets the tools that the targets of a matrix need and that are missing.
    Provision(Provision),
    /// Writes the tables of a run, made from its folder alone.
    Report(Report),
    /// The keeper of a server: internal.
    #[command(hide = true)]
    Keep,
    /// What becomes a server: internal.
    #[command(hide = true)]
    Launch,
}

/// What of a matrix is selected.
#[derive(Debug, Clone, Default, Args)]
pub struct Select {
    /// Only targets whose label matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub target: Vec<String>,
    /// Only workloads whose name matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub workload: Vec<String>,
    /// Only loads whose name matches; `!GLOB` excludes. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub load: Vec<String>,
    /// Lays `[profile.NAME]` of the matrix over its `[run]`.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

/// What is set in the matrix's place.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Set {
    /// How often every cell is measured.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Load before the window, at least: `500ms`, `2s`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub warm_up: Option<Duration>,
    /// The window: `3s`.
    #[arg(long, value_name = "TIME", value_parser = parse_window)]
    pub measure: Option<Duration>,
    /// The seed of the order.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// `orchestrate run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as they are typed")]
pub struct Run {
    /// The matrix: a TOML file.
    pub matrix: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub select: Select,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub set: Set,
    /// Gets missing tools first; asks, unless it is `--provision=yes`.
    #[arg(long, value_name = "yes", num_args = 0..=1, require_equals = true, default_missing_value = "ask")]
    pub provision: Option<Consent>,
    /// The folder that takes the results, in place of the matrix's.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Also writes what happens, as it happens, one JSON object a line; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Takes skipped targets for failures.
    #[arg(long)]
    pub require_all: bool,
    /// Ends the run at the first failure of a target.
    #[arg(long)]
    pub fail_fast: bool,
    /// Builds all targets anew.
    #[arg(long)]
    pub rebuild: bool,
    /// Runs although another run holds the machine; both then disturb each other.
    #[arg(long)]
    pub share_machine: bool,
    /// Says nothing but the tables and errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `orchestrate check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The matrix: a TOML file.
    pub matrix: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub select: Select,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub set: Set,
}

/// `orchestrate build`.
#[derive(Debug, Args)]
pub struct Build {
    /// The matrix: a TOML file.
    pub matrix: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub select: Select,
    /// Gets missing tools first; asks, unless it is `--provision=yes`.
    #[arg(long, value_name = "yes", num_args = 0..=1, require_equals = true, default_missing_value = "ask")]
    pub provision: Option<Consent>,
    /// Builds all targets anew.
    #[arg(long)]
    pub rebuild: bool,
    /// Takes skipped targets for failures.
    #[arg(long)]
    pub require_all: bool,
    /// Says nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `orchestrate provision`.
#[derive(Debug, Args)]
pub struct Provision {
    /// The matrix: a TOML file.
    pub matrix: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub select: Select,
    /// Does not ask.
    #[arg(long, short)]
    pub yes: bool,
}

/// `orchestrate report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The run: its id, `name/id`, a matrix's name for its latest run, or a folder. By default the latest of all.
    pub run: Option<String>,
    /// The folder of the results; by default `results/` beside the nearest Git root, else here.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
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

/// Whether tools may be got without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Consent {
    /// Ask first.
    #[value(hide = true)]
    Ask,
    /// They may.
    Yes,
}

fn parse_window(text: &str) -> Result<Duration, String> {
    let window = parse_duration(text).map_err(|error| error.to_string())?;
    if window < Duration::from_millis(10) {
        return Err("a window is 10 ms at least".to_owned());
    }
    Ok(window)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_words_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }
}
