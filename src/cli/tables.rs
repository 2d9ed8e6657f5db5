//! The words of what makes tables: `report` and `readme`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `orchestrate report`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Columns:
    rank, target, kind, language, goodput, ratio, throughput, times, p50, p90, p99, p999, first-byte, cpu,
    cpu-ratio, cores, memory, rss-mean, threads, processes, services, startup, transfer, body,
    header-bytes, errors, wrong, lost, connections, reconnects, rounds, limit

On a terminal that has no room for all of the usual columns some are left out, in this order: cores,
services, kind, memory, cpu, times, limit. What `--columns` names stays.")]
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
    /// Puts rows together that have this in common, under a heading each. Ranks stay those of the whole table.
    #[arg(long, value_enum, value_name = "BY")]
    pub group: Option<GroupBy>,
    /// Leaves parts out, for `table` and `md`: `audit,notes`.
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub without: Vec<Part>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Also makes the run's own files again: `summary.json`, `tables.md`, `tables.csv`, `report.html`.
    #[arg(long)]
    pub write: bool,
    /// Also writes each chart into this folder, as `WORKLOAD-LOAD-CHART.svg`.
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
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
    /// One page with tables and charts, as in `report.html`.
    Html,
    /// Each cell in the words of ab, from the round in the middle.
    Ab,
    /// The same in the words of siege.
    Siege,
    /// The same in the words of webbench.
    Webbench,
}

/// By what rows are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// What kind of program the target is: raw, library, framework, server.
    Kind,
    /// Its language.
    Language,
}

/// A part of a report that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The line above each table.
    Title,
    /// What the first rows say, in words.
    Sentences,
    /// What is to be doubted, and the marks that point there.
    Notes,
    /// Who answered with what, and what each row could use.
    Audit,
    /// The line below all tables.
    Provenance,
}

/// `orchestrate readme`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A block is what stands between two lines:

    <!-- orchestrate:begin matrix=NAME -->
    <!-- orchestrate:end -->

The first one says what is wanted, as KEY=VALUE; a value with spaces in it stands in double quotes:

    matrix      the name of a matrix, or the path of its file from here
    run         latest, which is the default, or the id of a run
    workload    only tables whose workload matches: GLOB,GLOB,!GLOB
    load        only tables whose load matches
    columns     as for `orchestrate report`
    sort        as for `orchestrate report`
    group       as for `orchestrate report`
    charts      comparison, cost: shown below the tables, each a file
    charts-in   the folder of these files from here; `charts` without it
    title, sentences, notes, provenance
                none leaves them out

The second one is told which run was used, and the digest of the text. Markers in fenced code count
for nothing. All faults of all files are told at once, and then nothing is written.")]
pub struct Readme {
    /// The files, each with one block at least.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The folder of the results; by default `results/` beside the nearest Git root, else here.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Writes nothing; prints what would change as a unified diff, and exits with 3 if there is any.
    #[arg(long, conflicts_with = "force")]
    pub check: bool,
    /// Writes, and prints what that changes as a unified diff.
    #[arg(long)]
    pub diff: bool,
    /// Overwrites text that was edited by hand.
    #[arg(long)]
    pub force: bool,
}
