//! `cargo bench --bench history`: a year of made-up runs is read, judged and written in every format; how long that takes,
//! and how much memory.
//!
//!     cargo bench --bench history -- [--runs N] [--make FOLDER]
//!
//! 365 runs of 200 rows (20 targets, 10 tables, 7 rounds), each with a summary as large as that of a true run: half a gigabyte. It is
//! measured in a process of its own, since memory at its peak is that of a process. Figures to reach: 2 s, 300 MB.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Parser;
use orchestrate::clock;
use orchestrate::history::collect::Collector;
use orchestrate::judge::metric::Metric;
use orchestrate::record::changes::Changes;
use orchestrate::record::summary::{LogRatio, Summary};
use orchestrate::record::{outline, store};
use orchestrate::report::history::{Shown, csv, json, lay_out};
use orchestrate::report::summarise::summarise;
use orchestrate::report::{html, markdown, table};

#[path = "../../tests/it/made_up.rs"]
mod made_up;

use made_up::Size;

const NAME: &str = "made-up";

/// Measures histories.
#[derive(Debug, Parser)]
struct Words {
    /// So many runs.
    #[arg(long, default_value_t = 365)]
    runs: u32,
    /// Writes the runs into this folder and measures nothing, for who wants to look at their history.
    #[arg(long)]
    make: Option<std::path::PathBuf>,
    /// Measures the runs in this folder.
    #[arg(long)]
    folder: Option<std::path::PathBuf>,
    /// What cargo adds.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let words = Words::parse();
    let outcome = match (&words.make, &words.folder) {
        (Some(folder), _) => make(&folder.join(NAME), words.runs).map(|()| ExitCode::SUCCESS),
        (None, Some(folder)) => measure(folder),
        (None, None) => apart(words.runs),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn apart(runs: u32) -> io::Result<ExitCode> {
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path().join(NAME);
    make(&folder, runs)?;
    let status = Command::new(std::env::current_exe()?).arg("--folder").arg(&folder).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the runs: one that was made up whole, and further ones with other ratios to the control.
fn make(folder: &Path, runs: u32) -> io::Result<()> {
    let scratch = tempfile::tempdir()?;
    made_up::write(scratch.path(), Size { targets: 20, tables: 10, rounds: 7 });
    let run = store::read_figures(scratch.path()).map_err(io::Error::other)?;
    let mut summary = summarise(&run);
    let control = summary.run.targets[0].label.clone();
    summary.run.policy.control = Some(control.clone());
    // Of Lehmer's generator, with the factor of Park and Miller.
    let mut drawn = 7u64;
    let mut draw = || {
        drawn = drawn * 48_271 % 0x7fff_ffff;
        drawn as f64 / f64::from(0x7fff_ffff) - 0.5
    };
    for at in 0..runs {
        let (month, day) = (at / 28 % 12 + 1, at % 28 + 1);
        let year = 2016 + at / 336;
        summary.run.id = format!("{year}{month:02}{day:02}T020000000Z-{at:04x}");
        summary.run.started_at = format!("{year}-{month:02}-{day:02}T02:00:00Z");
        summary.run.finished_at = Some(format!("{year}-{month:02}-{day:02}T04:00:00Z"));
        vary(&mut summary, &control, at, &mut draw);
        let folder = folder.join(&summary.run.id);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("summary.json"), serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(())
}

/// Other ratios to the control; every tenth row loses a twentieth on some day.
fn vary(summary: &mut Summary, control: &str, at: u32, draw: &mut impl FnMut() -> f64) {
    for (place, cell) in (0u32..).zip(&mut summary.cells) {
        if cell.target == control || cell.reason.is_some() {
            continue;
        }
        let is_slow = place.is_multiple_of(10) && at >= 40 + place;
        let level = if is_slow { -0.05 } else { 0.0 } - f64::from(place) / 100.0;
        let ratio =
            |noise: f64| LogRatio { mean: level + 0.04 * noise, deviation: Some(0.012), rounds: 7 };
        let names = ["goodput", "cpu", "p50", "p99", "memory", "startup"];
        cell.versus_control = names.map(|name| (name.to_owned(), ratio(draw()))).into();
    }
}

fn measure(folder: &Path) -> io::Result<ExitCode> {
    let began = clock::now();
    let cpu = clock::process_cpu_nanos();
    let mut out = io::stdout().lock();
    let mut before = began;
    let mut line = |out: &mut io::StdoutLock<'_>, what: &str, detail: &str| {
        let now = clock::now();
        let passed = now.since(before);
        before = now;
        writeln!(out, "  {what:<12}{:>8.0} ms  {detail}", passed.as_secs_f64() * 1e3)
    };
    let decides: Vec<Metric> = Metric::ALL.into_iter().filter(|metric| metric.decides).collect();
    let mut collector = Collector::new(NAME, &decides, "9999-01-01T00:00:00Z");
    let mut bytes = 0;
    for run in store::folders(folder) {
        bytes += fs::metadata(run.join("summary.json"))?.len();
        let outline = outline::read(&run).map_err(io::Error::other)?;
        collector.take(&outline).map_err(|why| io::Error::other(format!("{why:?}")))?;
    }
    line(&mut out, "read", &format!("{:.0} MB of summaries", bytes as f64 / 1e6))?;
    let history = collector.finish();
    let changes = history.found().count();
    let detail = format!(
        "{} runs, {} rows and figures, {changes} changes",
        history.runs.len(),
        history.lines.len()
    );
    line(&mut out, "judge", &detail)?;
    let memory = Changes::default();
    let shown = Shown { name: NAME, history: &history, memory: &memory, left_out: "" };
    let formats: [(&str, &dyn Fn() -> String); 5] = [
        ("table", &|| table::write(&lay_out(shown))),
        ("md", &|| markdown::write(&lay_out(shown))),
        ("csv", &|| csv::write(&history, &memory)),
        ("json", &|| json::write(shown)),
        ("html", &|| html::history::page(shown)),
    ];
    for (name, write) in formats {
        let length = write().len();
        line(&mut out, name, &format!("{:.2} MB", length as f64 / 1e6))?;
    }
    let passed = clock::now().since(began);
    let cpu = (clock::process_cpu_nanos() - cpu) as f64 / 1e9;
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("").trim();
    writeln!(out, "  in all {:.2} s, {cpu:.2} s of CPU; at most {peak}\n", passed.as_secs_f64())?;
    Ok(ExitCode::SUCCESS)
}
