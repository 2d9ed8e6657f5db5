//! Runs that were never made, a night each: a control, a row that is steady, and one that loses answers.

use std::fs;
use std::path::PathBuf;

use orchestrate::record::file::write_json;
use orchestrate::record::summary::{CellSummary, Figure, LogRatio, Summary};
use serde_json::Value;

use crate::made_up::{self, Size};
use crate::support::{Bench, Outcome};

/// Nights of two rows beside a control: one steady, one that loses answers.
pub(crate) struct Nights {
    pub(crate) bench: Bench,
}

impl Nights {
    pub(crate) fn new() -> Self {
        Self { bench: Bench::new() }
    }

    pub(crate) fn folder(&self, night: u32) -> PathBuf {
        self.bench.path(&format!("results/nightly/{}", id(night)))
    }

    /// Writes the run of a night, altered; what is left of the answers of the second row.
    pub(crate) fn add(&self, night: u32, left: f64, alter: impl FnOnce(&mut Summary)) {
        let folder = self.folder(night);
        fs::create_dir_all(&folder).expect("a folder");
        let mut summary = summary(night, left);
        alter(&mut summary);
        write_json(&folder.join("summary.json"), &summary).expect("written");
    }

    /// Nights from the first to one, of which the second row loses a tenth from another on.
    pub(crate) fn until(self, last: u32, slow_since: u32) -> Self {
        for night in 1..=last {
            self.add(night, if night < slow_since { 1.0 } else { 0.9 }, |_| {});
        }
        self
    }

    pub(crate) fn history(&self, options: &[&str]) -> Outcome {
        let words: Vec<&str> =
            ["history", "nightly", "--results", "results"].iter().chain(options).copied().collect();
        self.bench.orchestrate(&words)
    }

    pub(crate) fn accept(&self, options: &[&str]) -> Outcome {
        let words: Vec<&str> =
            ["accept", "nightly", "--results", "results"].iter().chain(options).copied().collect();
        self.bench.orchestrate(&words)
    }

    pub(crate) fn changes(&self) -> Option<Value> {
        let text = fs::read_to_string(self.bench.path("results/nightly/changes.json")).ok()?;
        Some(serde_json::from_str(&text).expect("JSON"))
    }
}

pub(crate) fn id(night: u32) -> String {
    format!("202011{night:02}T020000000Z-0007")
}

fn summary(night: u32, left: f64) -> Summary {
    let mut run = made_up::info(Size { targets: 3, tables: 1, rounds: 7 });
    run.id = id(night);
    "nightly".clone_into(&mut run.name);
    run.started_at = format!("2020-11-{night:02}T02:00:00Z");
    run.finished_at = Some(format!("2020-11-{night:02}T03:00:00Z"));
    let labels = ["c/control", "go/steady", "go/slow"];
    for (target, label) in run.targets.iter_mut().zip(labels) {
        label.clone_into(&mut target.label);
    }
    run.tables[0].rows = labels.map(str::to_owned).to_vec();
    run.policy.control = Some("c/control".to_owned());
    let table = run.tables[0].clone();
    let noise = f64::from(night * 7 % 11) / 1000.0 - 0.005;
    let cells = labels.iter().map(|label| {
        let ratio = match *label {
            "c/control" => 1.0,
            "go/steady" => 0.7 * noise.exp(),
            _ => 0.5 * left * (-noise).exp(),
        };
        let log = LogRatio { mean: ratio.ln(), deviation: Some(0.004), rounds: 7 };
        let mut cell = CellSummary {
            workload: table.workload.clone(),
            load: table.load.clone(),
            target: (*label).to_owned(),
            measured: 7,
            goodput_per_second: Some(figure(1e5 * ratio)),
            cpu_us_per_request: Some(figure(10.0 / ratio)),
            ..CellSummary::default()
        };
        if *label != "c/control" {
            cell.versus_control = [
                ("goodput".to_owned(), log),
                ("cpu".to_owned(), LogRatio { mean: 0.3 + noise / 2.0, ..log }),
            ]
            .into();
        }
        cell
    });
    Summary {
        schema: 1,
        versions: [("go".to_owned(), "1.26.8".to_owned())].into(),
        noise: Vec::new(),
        cells: cells.collect(),
        run,
    }
}

/// A month of rows with these names, each as steady as the other but for a fall at another time; on another machine at the end.
pub(crate) fn nights_called(names: &[String]) -> Bench {
    let nights = Nights::new();
    for night in 1..=28 {
        nights.add(night, 1.0, |summary| {
            let row = summary.cells[2].clone();
            summary.cells.truncate(1);
            for (place, name) in (0u32..).zip(names) {
                let mut row = row.clone();
                row.target.clone_from(name);
                let fall = if night >= 14 + 2 * place { -0.1 * f64::from(place) } else { 0.0 };
                row.versus_control.values_mut().for_each(|ratio| ratio.mean += fall);
                summary.cells.push(row);
            }
            if night > 26 {
                summary.run.host.cpu_model = Some("</title><b>".to_owned());
            }
        });
    }
    nights.bench
}

fn figure(mean: f64) -> Figure {
    Figure { mean, low: Some(mean * 0.99), high: Some(mean * 1.01), points: vec![mean; 7] }
}
