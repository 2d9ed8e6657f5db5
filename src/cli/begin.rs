//! The words of `versus` and `init`: for who has no matrix yet.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{parse_rate, parse_window, whole};
use crate::units::parse_duration;

/// `orchestrate versus`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as they are typed")]
pub struct Versus {
    /// A command that starts a server, as one word of the shell: `'go run .'`. PORT and HOST stand in its environment;
    /// `{port}` and `{host}` may stand in the command.
    #[arg(value_name = "CMD", required = true)]
    pub commands: Vec<String>,
    /// A name for the first server; given again, for the second, and so on. By default each is named after its command.
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// Runs the commands by a shell.
    #[arg(long)]
    pub shell: bool,
    /// The port that they listen on, for servers that cannot be told one.
    #[arg(long, value_name = "PORT", value_parser = whole(1u16..=u16::MAX))]
    pub port: Option<u16>,
    /// Writes the matrix into this file, too.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Writes over the file of `--save`, if it is there.
    #[arg(long, requires = "save")]
    pub force: bool,
    /// The path that is asked.
    #[arg(long, value_name = "PATH", help_heading = "What is asked")]
    pub path: Option<String>,
    /// The method.
    #[arg(short, long, help_heading = "What is asked")]
    pub method: Option<String>,
    /// A header besides Host: `'Accept: */*'`. Repeatable.
    #[arg(short = 'H', long, value_name = "NAME: VALUE", help_heading = "What is asked")]
    pub header: Vec<String>,
    /// The body.
    #[arg(long, value_name = "TEXT", help_heading = "What is asked")]
    pub body: Option<String>,
    /// The right status; by default any 2xx.
    #[arg(long, value_name = "CODE", value_parser = whole(200u16..=599), help_heading = "What is asked")]
    pub expect_status: Option<u16>,
    /// What the right answer holds; by default answers must only be equal across the servers.
    #[arg(long, value_name = "TEXT", help_heading = "What is asked")]
    pub expect_contains: Option<String>,
    /// Connections at once; by default 64.
    #[arg(short, long, value_name = "N", value_parser = whole(1u32..=100_000), help_heading = "How hard")]
    pub connections: Option<u32>,
    /// So many requests per second over all connections; without it each is made as soon as the one before has ended.
    #[arg(short, long, visible_short_alias = 'q', value_name = "PER SECOND", value_parser = parse_rate, help_heading = "How hard")]
    pub rate: Option<f64>,
    /// A new connection for each request.
    #[arg(long, help_heading = "How hard")]
    pub no_keep_alive: bool,
    /// Requests under way on each connection.
    #[arg(long, value_name = "N", value_parser = whole(1u32..=1000), help_heading = "How hard")]
    pub pipeline: Option<u32>,
    /// How often each is measured; by default 7 times. Five and more give verdicts and ranks.
    #[arg(long, value_name = "N", value_parser = whole(1u32..=1000), help_heading = "How long")]
    pub rounds: Option<u32>,
    /// Load before the window, at least: `500ms`, `2s`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "How long")]
    pub warm_up: Option<Duration>,
    /// The window; by default `3s`.
    #[arg(short = 'd', long, value_name = "TIME", value_parser = parse_window, help_heading = "How long")]
    pub measure: Option<Duration>,
    /// The seed of the order.
    #[arg(long, value_name = "N", value_parser = whole(0..=i64::MAX.unsigned_abs()), help_heading = "How long")]
    pub seed: Option<u64>,
    /// The folder that takes the results; by default `results` beside the nearest Git root, else here.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Runs although another run holds the machine; both then disturb each other.
    #[arg(long)]
    pub share_machine: bool,
    /// Says nothing but the tables and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// `orchestrate init`.
#[derive(Debug, Args)]
pub struct Init {
    /// The folder: by default this one.
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// Writes a first target in this language, and a matrix with it. Repeatable. Without it the project in the folder is looked at:
    /// `Cargo.toml`, `go.mod`, `pyproject.toml`, `package.json`, a `Makefile`.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Vec<Language>,
    /// Writes the default matrices and all targets that come along.
    #[arg(long, conflicts_with = "language")]
    pub example: bool,
    /// Writes over files that are there.
    #[arg(long)]
    pub force: bool,
}

/// A language that a first target can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C, with the C library alone.
    C,
    /// Go, with its standard library.
    Go,
    /// JavaScript on Node.js, with its standard library.
    Node,
    /// Python, with its standard library.
    Python,
    /// Rust, with its standard library.
    Rust,
}
