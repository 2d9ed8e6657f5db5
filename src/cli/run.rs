//! The words of `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{Consent, FailOn, Select, Set};
use crate::units::parse_duration;

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
    /// Goes on with a run that was cut off: the newest of this matrix that is not finished, or the one that is named.
    #[arg(long, value_name = "RUN", num_args = 0..=1, group = "since", conflicts_with_all = ["target", "workload", "load", "profile", "rounds", "warm_up", "measure", "seed"])]
    pub resume: Option<Option<String>>,
    /// Measures only what changed since this run, or failed in it, together with the reference and the control; takes over
    /// the other rows.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "against"])]
    pub update: Option<String>,
    /// Begins no trial that would not end in so much time, builds included: `2h`. Fewer rounds are made then, of all rows
    /// alike, and what was left out is said.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
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
    /// Also measures each target as it was at this commit, tag or branch of its repository, in the same rounds.
    #[arg(long, value_name = "REV", group = "since")]
    pub against: Option<String>,
    /// Exits with 10 or 11 if a row has become so since `--against`.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',', requires = "since")]
    pub fail_on: Vec<FailOn>,
    /// Goes on with a `min-effect` that is smaller than what `noise` found this machine to see.
    #[arg(long)]
    pub any_effect: bool,
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
