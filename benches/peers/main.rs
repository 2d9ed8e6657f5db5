//! `cargo bench --bench peers`: the load generator side by side with others, and with a floor of our own.
//!
//! The C epoll server runs alone on one CPU, and one generator at a time on another, in interleaved pairs. What is
//! measured, and against which figures, is told in `docs/generator.md`. A run takes a quarter of an hour, and believes
//! that nothing else happens on the machine meanwhile; the share that others took is printed with each row.
//!
//!     cargo bench --bench peers -- [--quick] [--only CASE]... [--markdown FILE]

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use orchestrate::host::{self, Topology};
use orchestrate::matrix::{CpuChoice, CpuPolicy};
use orchestrate::{clock, units};
use tempfile::TempDir;

mod bare;
mod cases;
mod checks;
mod client;
mod launch;
mod peer;
mod server;
mod stall;
mod table;

use peer::{OTHERS, Tool};
use table::{Report, Table};

/// Measures the load generator beside its peers.
#[derive(Debug, Parser)]
struct Words {
    /// Two pairs of one second: shows that everything works, and no more.
    #[arg(long)]
    quick: bool,
    /// Only this case. Repeatable.
    #[arg(long, value_name = "CASE")]
    only: Vec<String>,
    /// Says which cases there are.
    #[arg(long)]
    list: bool,
    /// Also puts what was measured into this file, between its marks if it has them.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// What cargo says to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// How much is measured.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Interleaved pairs, and seconds of each run.
    pairs: usize,
    seconds: u64,
    /// The same for what no figure hangs on.
    few: usize,
    short: u64,
}

const FULL: Scale = Scale { pairs: 10, seconds: 5, few: 5, short: 2 };
const QUICK: Scale = Scale { pairs: 2, seconds: 1, few: 1, short: 1 };

/// What every case works with.
#[derive(Debug)]
struct Bench {
    server_cpu: usize,
    client_cpu: usize,
    folder: TempDir,
    program: server::Program,
    has_wrk: bool,
    /// The other peers that are installed.
    others: Vec<Tool>,
    scale: Scale,
    report: RefCell<Report>,
}

type Case = (&'static str, fn(&Bench) -> Result<(), String>);

const CASES: [Case; 11] = [
    ("hello", cases::hello),
    ("hello-1", cases::hello_1),
    ("hello-1000", cases::hello_1000),
    ("paced", cases::paced),
    ("file", cases::file),
    ("close", cases::close),
    ("calls", checks::calls),
    ("accuracy", checks::accuracy),
    ("stall", checks::stall),
    ("memory", checks::memory),
    ("agreement", checks::agreement),
];

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let outcome = match words.get(1).and_then(|word| word.to_str()) {
        Some(launch::VERB) => Err(launch::become_program(&words[2..])),
        Some(bare::VERB) => bare::bare(&words[2..]).map(|counts| say(&counts)),
        _ => bench(&Words::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            let _ = writeln!(io::stderr().lock(), "error: {what}");
            ExitCode::FAILURE
        }
    }
}

fn bench(words: &Words) -> Result<(), String> {
    if words.list {
        say(&CASES.map(|(name, _)| format!("{name}\n")).concat());
        return Ok(());
    }
    if let Some(unknown) = words.only.iter().find(|name| CASES.iter().all(|it| it.0 != **name)) {
        return Err(format!("there is no case `{unknown}`; --list says which there are"));
    }
    let bench = Bench::new(if words.quick { QUICK } else { FULL })?;
    let machine = bench.machine();
    say(&machine);
    let mut failed = Vec::new();
    for (name, case) in CASES {
        let is_chosen = words.only.is_empty() || words.only.iter().any(|only| only == name);
        if is_chosen && let Err(what) = case(&bench) {
            say(&format!("\n{name}: failed: {what}\n"));
            failed.push(name);
        }
    }
    let figures = bench.report.borrow().figures();
    say(&figures.text());
    if let Some(file) = &words.markdown {
        let tables = bench.report.borrow();
        let tables: String = tables.tables.iter().map(Table::markdown).collect();
        let machine = machine.trim().replace('\n', "\n- ");
        table::put(file, &format!("- {machine}\n\n{}{tables}", figures.markdown()))?;
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

impl Bench {
    fn new(scale: Scale) -> Result<Self, String> {
        let topology = Topology::read().map_err(|error| error.to_string())?;
        let policy = CpuPolicy { server: CpuChoice::Auto, generator: CpuChoice::Auto };
        let split = host::split(&topology, &policy)?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        peer::prepare(folder.path()).map_err(|error| error.to_string())?;
        let is_there = |tool: &Tool| tool.version().is_some();
        Ok(Self {
            server_cpu: split.server[0],
            client_cpu: split.generator[0],
            program: server::Program::compile(folder.path())?,
            folder,
            has_wrk: is_there(&Tool::Wrk),
            others: OTHERS.into_iter().filter(is_there).collect(),
            scale,
            report: RefCell::default(),
        })
    }

    /// The machine, the peers, and how much is measured; one fact a line.
    fn machine(&self) -> String {
        let facts = host::facts();
        let or_unknown = |fact: Option<String>| fact.unwrap_or_else(|| "unknown".to_owned());
        let mut text = format!(
            "{}: {}, {} CPUs, {}, {}{}\n",
            clock::wall().strftime("%Y-%m-%d"),
            or_unknown(facts.cpu_model),
            or_unknown(facts.cpus.map(|cpus| cpus.to_string())),
            or_unknown(facts.memory_bytes.map(units::write_bytes)),
            or_unknown(facts.kernel),
            facts.virtualisation.map(|it| format!(", a guest of {it}")).unwrap_or_default(),
        );
        let mut add = |line: &str| writeln!(text, "{line}").expect("a string takes everything");
        add(&format!("server on CPU {}, client on CPU {}", self.server_cpu, self.client_cpu));
        let control = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control");
        add(&format!("congestion control: {}", control.as_deref().map_or("unknown", str::trim)));
        if self.server_cpu == self.client_cpu {
            add("only one CPU may be used: server and client disturb each other");
        }
        let Scale { pairs, seconds, .. } = self.scale;
        add(&format!("{pairs} interleaved pairs of {seconds} s"));
        if pairs < FULL.pairs {
            add("a quick run shows that the bench works; its figures are not to be believed");
        }
        for tool in [Tool::Orchestrate, Tool::Wrk].into_iter().chain(OTHERS) {
            let version = tool.version();
            let version = version.unwrap_or_else(|| "not found on the search path".to_owned());
            add(&format!("{}: {version}", tool.name()));
        }
        text
    }

    /// Prints a table, and keeps it.
    fn tell(&self, table: Table) {
        say(&table.text());
        self.report.borrow_mut().tables.push(table);
    }

    /// wrk, if it is there.
    fn wrk(&self) -> impl Iterator<Item = Tool> {
        self.has_wrk.then_some(Tool::Wrk).into_iter()
    }
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    // Whoever closed our output does not want to read on.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
