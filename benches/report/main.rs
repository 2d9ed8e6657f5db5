//! `cargo bench --bench report`: a made-up run is read, summarised and written in every format; how long that takes, and
//! how much memory.
//!
//!     cargo bench --bench report -- [--large | --make FOLDER]
//!
//! 10,080 trials (72 targets, 20 tables, 7 rounds); with `--large` ten times as many tables too, to show that it grows in
//! proportion: that takes some 3 GB of disk. Each size is measured in a process of its own, since memory at its peak is that of
//! a process. Figures to reach for 10,080 trials: 2 s, 300 MB.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Parser;
use orchestrate::clock;
use orchestrate::record::store;
use orchestrate::report::layout::lay_out;
use orchestrate::report::summarise::summarise;
use orchestrate::report::{csv, html, markdown, svg, table};

#[path = "../../tests/it/made_up.rs"]
mod made_up;

use made_up::Size;

/// Measures reports.
#[derive(Debug, Parser)]
struct Words {
    /// Ten times as many trials too.
    #[arg(long)]
    large: bool,
    /// Writes a run of 20 targets, 5 tables and 7 rounds into this folder, for who wants to look at its page.
    #[arg(long)]
    make: Option<std::path::PathBuf>,
    /// Measures the run in this folder, and nothing else.
    #[arg(long)]
    folder: Option<std::path::PathBuf>,
    /// What cargo adds.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let words = Words::parse();
    let outcome = match (&words.make, &words.folder) {
        (Some(folder), _) => {
            made_up::write(folder, Size { targets: 20, tables: 5, rounds: 7 });
            Ok(ExitCode::SUCCESS)
        }
        (None, Some(folder)) => measure(folder),
        (None, None) => compare(words.large),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(has_large: bool) -> io::Result<ExitCode> {
    let mut sizes = vec![
        Size { targets: 72, tables: 2, rounds: 7 },
        Size { targets: 72, tables: 20, rounds: 7 },
    ];
    if has_large {
        sizes.push(Size { targets: 72, tables: 200, rounds: 7 });
    }
    for size in sizes {
        let scratch = tempfile::tempdir()?;
        made_up::write(scratch.path(), size);
        // Its last blocks would be written while it is read.
        std::fs::File::open(scratch.path().join("trials.ndjson"))?.sync_all()?;
        let status =
            Command::new(std::env::current_exe()?).arg("--folder").arg(scratch.path()).status()?;
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
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
    let run = store::read_figures(folder).map_err(io::Error::other)?;
    let size = std::fs::metadata(folder.join("trials.ndjson"))?.len();
    writeln!(out, "{} trials, {:.0} MB of records", run.trials.len(), size as f64 / 1e6)?;
    line(&mut out, "read", "")?;
    let summary = summarise(&run);
    line(&mut out, "summarise", &format!("{} rows", summary.cells.len()))?;
    let report = lay_out(&summary);
    line(&mut out, "lay out", "")?;
    let trials = Some(&run.trials[..]);
    let formats: [(&str, &dyn Fn() -> String); 6] = [
        ("table", &|| table::write(&report)),
        ("md", &|| markdown::write(&report)),
        ("csv", &|| csv::write(&summary)),
        ("json", &|| serde_json::to_string_pretty(&summary).expect("JSON")),
        ("html", &|| html::page(&summary, trials)),
        ("svg", &|| svg::files(&summary, trials).into_iter().map(|it| it.text).collect()),
    ];
    for (name, write) in formats {
        let length = write().len();
        line(&mut out, name, &format!("{:.2} MB", length as f64 / 1e6))?;
    }
    let passed = clock::now().since(began);
    let cpu = (clock::process_cpu_nanos() - cpu) as f64 / 1e9;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("").trim();
    writeln!(out, "  in all {:.2} s, {cpu:.2} s of CPU; at most {peak}\n", passed.as_secs_f64())?;
    Ok(ExitCode::SUCCESS)
}
