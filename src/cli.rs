//! The words a user may type. Reading them starts nothing and prints nothing but help.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::units::{parse_duration, parse_share};

mod about;
mod begin;
mod compare;
mod guess;
mod history;
mod machine;
mod run;
mod schema;
mod tables;

pub use about::{Completions, List, ListFormat, Man, Shell, Topic, completions, manual};
pub use begin::{Init, Language, Versus};
pub use compare::{Compare, CompareFormat, FailOn};
pub use guess::read;
pub use history::{Accept, AlarmOn, History, HistoryFormat};
pub use machine::{Doctor, DoctorFormat, Noise};
pub use run::Run;
pub use schema::{Schema, SchemaFormat};
pub use tables::{Format, GroupBy, Part, Readme, Report};

/// The version of this program, with the commit that it was built from where that is known.
pub const VERSION: &str = env!("ORCHESTRATE_VERSION");

/// Compares HTTP servers written in different languages, and says how far its own numbers can be trusted.
#[derive(Debug, Parser)]
#[command(name = "orchestrate", version = VERSION, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Exit codes:
    0  done; skipped rows are allowed
    1  our own failure
    2  usage or matrix
    3  generated text is out of date
    4  nothing was selected or measured
    5  a target failed, or was skipped with --require-all; --serve or --strict found fault; or more
       requests failed than --max-errors
    6  refused, as when another run holds the machine, or text was edited by hand
   10  a regression, where --fail-on asked
   11  unclear, where --fail-on asked
  130  interrupted, as 143 is; what was measured is kept")]
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
    /// Measures servers against each other without a matrix: the given commands start them.
    Versus(Box<Versus>),
    /// Writes a first matrix: for the project in a folder, for a new target in a language, or the default ones.
    Init(Init),
    /// Reads a matrix and prints the plan with every default made explicit; runs nothing. With `--serve`: builds and starts
    /// each target and checks what it claims, without load.
    Check(Check),
    /// Builds the targets of a matrix, and no more.
    Build(Build),
    /// Gets the tools that the targets of a matrix need and that are missing.
    Provision(Provision),
    /// Loads one URL, as one would with ab, wrk or oha.
    Load(Box<Load>),
    /// Writes the tables of a run, made from its folder alone.
    Report(Report),
    /// Compares two runs, row by row, with a verdict on each.
    Compare(Compare),
    /// Makes the tables between markers in Markdown files anew.
    Readme(Readme),
    /// Tells what the rows of a matrix did from run to run, and where their level changed.
    History(History),
    /// Takes changes that a history found for the new level: no alarm is raised for them any more.
    Accept(Accept),
    /// Tells what about this machine spoils measurements, the worst first, and what to do about it; mends nothing.
    Doctor(Doctor),
    /// Measures one target of a matrix under two names, and with the sampler on and off, in turns: tells what this machine cannot see,
    /// and what looking on costs.
    Noise(Noise),
    /// Lists what there is: targets, workloads, loads and tools of a matrix, and its runs.
    List(List),
    /// Writes what a shell needs to complete these words.
    Completions(Completions),
    /// Writes the manual: one page, or all into a folder.
    Man(Man),
    /// Prints the JSON Schema of a file that is read or written, or tells which there are.
    Schema(Schema),
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
    #[arg(long, value_name = "N", value_parser = whole(1u32..=1000))]
    pub rounds: Option<u32>,
    /// Load before the window, at least: `500ms`, `2s`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub warm_up: Option<Duration>,
    /// The window: `3s`.
    #[arg(long, value_name = "TIME", value_parser = parse_window)]
    pub measure: Option<Duration>,
    /// The seed of the order.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    pub seed: Option<u64>,
}

/// `orchestrate check`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as they are typed")]
pub struct Check {
    /// The matrix: a TOML file.
    pub matrix: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub select: Select,
    #[command(flatten)]
    #[expect(missing_docs, reason = "its fields are documented where it is defined")]
    pub set: Set,
    /// Builds and starts each target, asks it without load, and tells what it keeps of what it claims and what it breaks.
    #[arg(long, conflicts_with_all = ["rounds", "warm_up", "measure", "seed"])]
    pub serve: bool,
    /// Gets missing tools first; asks, unless it is `--provision=yes`.
    #[arg(long, value_name = "yes", num_args = 0..=1, require_equals = true, default_missing_value = "ask", requires = "serve", help_heading = "With --serve")]
    pub provision: Option<Consent>,
    /// Builds all targets anew.
    #[arg(long, requires = "serve", help_heading = "With --serve")]
    pub rebuild: bool,
    /// Takes skipped targets for failures.
    #[arg(long, requires = "serve", help_heading = "With --serve")]
    pub require_all: bool,
    /// Checks although a run holds the machine; both then disturb each other.
    #[arg(long, requires = "serve", help_heading = "With --serve")]
    pub share_machine: bool,
    /// Says nothing but what was found, and errors.
    #[arg(long, short, requires = "serve", help_heading = "With --serve")]
    pub quiet: bool,
}

/// `orchestrate build`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as they are typed")]
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
    /// Builds although a run holds the machine; both then disturb each other.
    #[arg(long)]
    pub share_machine: bool,
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

/// `orchestrate load`.
#[derive(Debug, Args)]
pub struct Load {
    /// Whom and what to ask: `http://127.0.0.1:8080/path`.
    pub url: String,
    /// Connections at once.
    #[arg(short, long, value_name = "N", default_value_t = 64, value_parser = whole(1u32..=100_000))]
    pub connections: u32,
    /// How long to measure.
    #[arg(short, long, visible_short_alias = 'z', value_name = "TIME", default_value = "10s", value_parser = parse_window)]
    pub duration: Duration,
    /// Exactly so many requests, in place of a duration.
    #[arg(short = 'n', long, value_name = "N", conflicts_with_all = ["duration", "rate"], value_parser = whole(1u64..=1_000_000_000))]
    pub requests: Option<u64>,
    /// So many requests per second over all connections; without it each is made as soon as the one before has ended.
    #[arg(short, long, visible_short_alias = 'q', value_name = "PER SECOND", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// How the requests of `--rate` are spread over time.
    #[arg(long, value_enum, default_value_t = Arrivals::Even, requires = "rate")]
    pub arrivals: Arrivals,
    /// Threads; by default one for each of `--cpus`.
    #[arg(short, long, value_name = "N", value_parser = whole(1u32..=1024))]
    pub threads: Option<u32>,
    /// CPUs that its threads are pinned to: `1` or `0,2-3`; by default those that `auto` gives the generator.
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<String>,
    /// The method.
    #[arg(short, long, default_value = "GET")]
    pub method: String,
    /// A header besides Host: `'Accept: */*'`. Repeatable.
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// The body.
    #[arg(long, value_name = "TEXT")]
    pub body: Option<String>,
    /// A file that is the body.
    #[arg(long, value_name = "FILE", conflicts_with = "body")]
    pub body_file: Option<PathBuf>,
    /// A new connection for each request.
    #[arg(long)]
    pub no_keep_alive: bool,
    /// Requests under way on each connection.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1u32..=1000))]
    pub pipeline: u32,
    /// Speaks HTTP/1.0.
    #[arg(long = "http1.0")]
    pub http1_0: bool,
    /// Time for one request, connecting included; by default the duration, at most 10 s.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Load before the window that is not counted.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_duration)]
    pub warm_up: Duration,
    /// The right status; by default any 2xx.
    #[arg(long, value_name = "CODE", value_parser = whole(200u16..=599))]
    pub expect_status: Option<u16>,
    /// The right length of the body, in bytes.
    #[arg(long, value_name = "BYTES", conflicts_with = "expect_sha256", value_parser = whole(0..=u64::MAX))]
    pub expect_length: Option<u64>,
    /// The right digest of the body, in hexadecimal.
    #[arg(long, value_name = "DIGEST", value_parser = parse_sha256)]
    pub expect_sha256: Option<Digest>,
    /// How often the content of an answer is compared: with what is expected or, with `all`, else with an answer that is
    /// asked for before the load. Status and length are always looked at.
    #[arg(long, value_enum, default_value_t = Verify::Sample)]
    pub verify: Verify,
    /// The share of wrong and lost requests beyond which the exit code is 5.
    #[arg(long, value_name = "SHARE", default_value = "0.1%", value_parser = parse_share)]
    pub max_errors: f64,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = LoadFormat::Text)]
    pub format: LoadFormat,
    /// The seed of what is drawn.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = whole(0..=u64::MAX))]
    pub seed: u64,
    /// Allows this host although it is another machine. Repeatable.
    #[arg(long, value_name = "HOST")]
    pub allow_remote: Vec<String>,
    /// Says nothing but the result and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// How paced requests are spread over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Arrivals {
    /// At equal distances.
    Even,
    /// As a Poisson process.
    Poisson,
}

/// How often content is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Verify {
    /// The first answer of each connection slot, and one in 1,000.
    Sample,
    /// Every answer.
    All,
    /// None.
    None,
}

/// How the result of a load is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LoadFormat {
    /// For a person.
    Text,
    /// Everything measured, as in a run's records.
    Json,
    /// In the words of ab.
    Ab,
    /// In the words of siege.
    Siege,
    /// In the words of webbench.
    Webbench,
}

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// Whether tools may be got without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Consent {
    /// Ask first.
    #[value(hide = true)]
    Ask,
    /// They may.
    Yes,
}

/// Reads whole numbers of a range.
fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            format!("it is not a whole number from {} to {}", range.start(), range.end())
        })
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.trim().parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.001..=1e7).contains(&rate) {
        Ok(rate)
    } else {
        Err("a rate is 0.001 to 10,000,000".to_owned())
    }
}

fn parse_sha256(text: &str) -> Result<Digest, String> {
    crate::digest::parse_sha256(text).ok_or_else(|| "a digest has 64 hexadecimal digits".to_owned())
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
