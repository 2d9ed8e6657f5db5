//! Charts of a run as SVG: pure functions from its figures to text, without scripts, every name escaped.
//!
//! All have one width, so that they are read on a phone as well as beside each other. In a page they stand inline and share
//! its rules; as files of their own they bring these, and a ground to stand on, for light and for dark.

use std::fmt::Write as _;

use super::escape;
use crate::record::rows::Rows;
use crate::record::summary::Summary;
use crate::record::trial::TrialRecord;

mod axis;
mod canvas;
mod comparison;
mod cost;
pub(super) mod history;
mod lines;
pub(super) mod palette;
mod quantiles;
mod rounds;
mod rows;
#[cfg(test)]
mod tests;
mod window;

use canvas::{Anchor, Canvas, WIDTH, num, wrap};
use rows::Table;

/// Which chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// Rows beside each other, with intervals and points.
    Comparison,
    /// Response time by quantile.
    Quantiles,
    /// Answers, CPU and memory over the time of a window.
    Window,
    /// Right answers against CPU per answer.
    Cost,
    /// The figure that ranks, by round.
    Rounds,
}

impl Name {
    /// All there are, in reading order.
    pub const ALL: [Self; 5] =
        [Self::Comparison, Self::Quantiles, Self::Cost, Self::Rounds, Self::Window];

    /// Whether it is drawn from the summary alone.
    pub fn is_of_summary(self) -> bool {
        matches!(self, Self::Comparison | Self::Cost)
    }

    /// What it is called in the name of a file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Comparison => "comparison",
            Self::Quantiles => "quantiles",
            Self::Window => "window",
            Self::Cost => "cost",
            Self::Rounds => "rounds",
        }
    }
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Which one.
    pub name: Name,
    /// What it shows.
    pub title: String,
    /// How it is read.
    pub about: String,
    height: f64,
    body: String,
}

/// The charts of one table.
#[derive(Debug, Clone, PartialEq)]
pub struct Charts {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// What stands above each that is a file of its own.
    pub title: String,
    /// The charts, in reading order; one without anything to draw is not there.
    pub drawn: Vec<Chart>,
}

/// All charts of a run, table by table. Without its trials those that need them are not there.
pub fn charts(summary: &Summary, trials: Option<&[TrialRecord]>) -> Vec<Charts> {
    let sorted = trials.map(Rows::of);
    let tables = summary.run.tables.iter().map(|planned| {
        let table = Table::new(summary, planned, sorted.as_ref());
        let charts = [
            comparison::chart(&table),
            quantiles::chart(&table),
            cost::chart(&table),
            rounds::chart(&table),
            window::chart(&table),
        ];
        Charts {
            workload: planned.workload.clone(),
            load: planned.load.clone(),
            title: format!("{} · {}", planned.workload, planned.load_words),
            drawn: charts.into_iter().flatten().collect(),
        }
    });
    tables.collect()
}

impl Chart {
    /// For a page that has the rules of charts.
    pub fn inline(&self) -> String {
        let title = escape::markup(&self.title);
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{title}\">{}</svg>",
            num(WIDTH),
            num(self.height),
            self.body
        )
    }

    /// As a file of its own, with its title, how it is read, and where it comes from.
    fn standalone(&self, above: &str, source: &str) -> String {
        let mut canvas = Canvas::default();
        let mut y = 22.0;
        canvas.text("t", (6.0, y), Anchor::Start, &canvas::fit(&self.title, 14.0, WIDTH - 12.0));
        y += 18.0;
        canvas.text("m", (6.0, y), Anchor::Start, &canvas::fit(above, 12.0, WIDTH - 12.0));
        let head = canvas.finish();
        y += 12.0;
        let mut foot = Canvas::default();
        let mut below = y + self.height + 12.0;
        let lines = wrap(&self.about, 10.5, WIDTH - 12.0, 8);
        for line in lines.into_iter().chain(wrap(source, 10.5, WIDTH - 12.0, 2)) {
            foot.text("m s", (6.0, below), Anchor::Start, &line);
            below += 14.0;
        }
        let (width, height) = (num(WIDTH + 24.0), num(below + 14.0));
        let title = escape::markup(&format!("{} · {above}", self.title));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"-12 -8 {width} {height}\" role=\"img\"><title>{title}</title><style>{}</style>",
            palette::chart_rules()
        );
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<rect class=\"bg\" x=\"-11.5\" y=\"-7.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\
             {head}<g transform=\"translate(0 {})\">{}</g>{}</svg>",
            num(WIDTH + 23.0),
            num(below + 13.0),
            num(y),
            self.body,
            foot.finish()
        );
        svg
    }
}

/// A chart as a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartFile {
    /// Which one.
    pub chart: Name,
    /// What it shows, and of what.
    pub title: String,
    /// The name of the file: `WORKLOAD-LOAD-CHART.svg`. No two of a run have the same.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// Every chart as a file of its own.
pub fn files(summary: &Summary, trials: Option<&[TrialRecord]>) -> Vec<ChartFile> {
    let run = &summary.run;
    let date: String = run.started_at.chars().take(10).collect();
    let source = format!("{} · {date} · {}", run.name, run.orchestrate);
    let mut files: Vec<ChartFile> = Vec::new();
    for charts in charts(summary, trials) {
        for chart in &charts.drawn {
            let name = [&charts.workload, &charts.load].map(|name| in_file_name(name)).join("-");
            let name = format!("{name}-{}", chart.name.word());
            let is_taken = |name: &str| files.iter().any(|other| other.file == name);
            let further = (2..).map(|number| format!("{name}-{number}.svg"));
            let name = [format!("{name}.svg")].into_iter().chain(further);
            let file = name.into_iter().find(|name| !is_taken(name)).expect("there are many names");
            files.push(ChartFile {
                chart: chart.name,
                title: format!("{} · {}", chart.title, charts.title),
                file,
                text: chart.standalone(&charts.title, &source),
            });
        }
    }
    files
}

/// A name as a part of the name of a file, which leads to no other folder. Names that are not the same may become so.
pub(super) fn in_file_name(name: &str) -> String {
    let safe =
        |sign: char| if sign.is_ascii_alphanumeric() || "_.+".contains(sign) { sign } else { '-' };
    let name: String = name.chars().take(60).map(safe).collect();
    name.trim_start_matches('.').to_owned()
}
