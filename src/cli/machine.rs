//! The words of what looks at the machine: `doctor` and `noise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Consent, Select, Set};

/// `orchestrate doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
What is found is one of three:

    spoils  figures would be wrong or missing: do not measure before it is mended
    blurs   figures would be less sure, or hold for this machine and moment alone
    note    figures hold, and whoever compares them with others' should know

What cannot be read is told as unknown, with the reason, and never passes for fine.")]
pub struct Doctor {
    /// A matrix: also looks for its tools, its ports, and room for its loads.
    pub matrix: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub select: Select,
    /// The folder that would take the results, in place of the matrix's.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Exits with 5 if anything spoils.
    #[arg(long)]
    pub strict: bool,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = DoctorFormat::Table)]
    pub format: DoctorFormat,
    /// Says nothing but what was found, and errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How what was found of the machine is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DoctorFormat {
    /// For a person.
    Table,
    /// As an object, with what is fine and what is unknown.
    Json,
}

/// `orchestrate noise`.
#[derive(Debug, Args)]
pub struct Noise {
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
    /// Builds the target anew.
    #[arg(long)]
    pub rebuild: bool,
    /// Measures although another run holds the machine; both then disturb each other.
    #[arg(long)]
    pub share_machine: bool,
    /// Says nothing but what was found, and errors.
    #[arg(long, short)]
    pub quiet: bool,
}
