//! Two runs, row by row: what became of each, what makes that doubtful, and what of a change is the machine's.
//!
//! Pure, and made from two summaries: what was committed of other people's runs is enough. Between runs nothing is paired, and
//! a machine is not the same from one to the next. So a row is not held against itself but against itself as a ratio to the
//! control of its run, by the test of Welch; all deciding figures of all rows together are corrected after Holm.

use serde::Serialize;

use crate::judge::metric::Metric;
use crate::outcome::Change;
use crate::record::SCHEMA;
use crate::record::run::{PlannedTable, RunInfo};
use crate::record::summary::{CellSummary, Summary};
use crate::stats::holm;

mod against;
mod bounds;
mod doubts;
mod lacking;
mod row;
mod select;
mod shift;
#[cfg(test)]
mod simulation;
mod spreads;
#[cfg(test)]
mod tests;

pub use against::against;
pub use doubts::Doubtful;
use row::{By, Draft, draft};
pub use spreads::Spreads;

/// How runs are compared.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The smallest difference that matters, as a share.
    pub min_effect: f64,
    /// The figures that decide; the others inform.
    pub decides: Vec<Metric>,
    /// By how much a row's ratio to the control differs from run to run besides what its rounds explain: a standard deviation of
    /// logarithms, where it is known of all rows alike.
    pub between: Option<f64>,
    /// The same of each row, where its history knows it and nothing is known of all.
    pub spreads: Spreads,
}

impl Settings {
    /// Those that a run asks for.
    pub fn of(new: &Summary) -> Self {
        let decides = Metric::ALL.into_iter().filter(|metric| metric.decides).collect();
        let min_effect = new.run.policy.min_effect;
        Self { min_effect, decides, between: None, spreads: Spreads::default() }
    }

    fn between_of(&self, row: &CellSummary, metric: Metric) -> Option<f64> {
        self.between.or_else(|| self.spreads.of(row, metric))
    }

    fn decides(&self, metric: Metric) -> bool {
        self.decides.iter().any(|it| it.name == metric.name)
    }
}

/// Two runs, compared.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The run that the other is compared with.
    pub base: Named,
    /// The run that is compared.
    pub new: Named,
    /// The smallest difference that matters, as a share.
    pub min_effect: f64,
    /// The figures that decide.
    pub decides: Vec<&'static str>,
    /// The number of runs whose history tells by how much rows differ from run to run besides; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_runs: Option<usize>,
    /// Why no row can be compared, if none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hindrance: Option<Hindrance>,
    /// What makes the comparison doubtful.
    pub doubts: Vec<Doubtful>,
    /// The tables of the new run, then those that are gone.
    pub tables: Vec<Table>,
}

/// Which run it is.
#[derive(Debug, Clone, Serialize)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// The matrix's name.
    pub name: String,
    /// When it began.
    pub started_at: String,
    /// The version that made it.
    pub orchestrate: String,
    /// The row that stands for its machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
}

/// Why no row can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hindrance {
    /// What is in the way.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

/// One workload under one load, in both runs or in one.
#[derive(Debug, Clone, Serialize)]
pub struct Table {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The load in words.
    pub load_words: String,
    /// The rows, in the order of the matrix.
    pub rows: Vec<Row>,
}

impl Table {
    fn new(table: &PlannedTable, rows: Vec<Draft>) -> Self {
        Self {
            workload: table.workload.clone(),
            load: table.load.clone(),
            load_words: table.load_words.clone(),
            rows: rows.into_iter().map(|draft| draft.row).collect(),
        }
    }
}

/// What became of a row.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The target's label.
    pub target: String,
    /// What became of it.
    pub change: Change,
    /// Why that is said, where the figures do not say it by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its figures; none of a row that is in one run only.
    pub figures: Vec<Figure>,
}

/// A figure of a row in both runs.
#[derive(Debug, Clone, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Figure {
    /// The column that shows it.
    pub metric: &'static str,
    /// Whether it decides, or only informs.
    pub decides: bool,
    /// The geometric mean in the base run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
    /// The same in the new run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<f64>,
    /// Whether that of the base run is only a bound, since the load generator was the limit: right answers may be more, and
    /// response times longer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub base_is_bound: bool,
    /// Whether that of the new run is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub new_is_bound: bool,
    /// Whether that of the control in the base run is, so that the ratio to it may be less.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub base_control_is_bound: bool,
    /// Whether that of the control in the new run is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub new_control_is_bound: bool,
    /// By how much the row's ratio to the control is taken to differ from run to run besides, as a standard deviation of logarithms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<f64>,
    /// How many times as much it is: of the row's ratios to the control. Of the control itself, of its own figures, so that
    /// it tells what became of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    /// What follows for this figure: if it decides, with all that decide looked at together; if it informs, by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

/// A ratio with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The estimate.
    pub mean: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Comparison {
    /// All rows of all tables.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tables.iter().flat_map(|table| &table.rows)
    }
}

/// Compares a run with an earlier one.
pub fn compare(base: &Summary, new: &Summary, settings: &Settings) -> Comparison {
    let hindrance = hindrance(base, new);
    let runs = [&base.run, &new.run];
    let mut drafts: Vec<(&PlannedTable, Vec<Draft>)> = tables(&base.run, &new.run)
        .into_iter()
        .map(|(table, before)| {
            let setting = row::Setting {
                settings,
                by: By::Control,
                names: ["in the base run", "in the new run"],
                hindered: hindrance.is_some(),
                control: new.run.policy.control.as_deref(),
                controls: [base, new].map(|run| cell(run, table, run.run.policy.control.as_ref()?)),
                other: before
                    .and_then(|before| other_table(before, table))
                    .or_else(|| doubted_control(base, new, table)),
            };
            let of_table = |target: &String| {
                let (base, new) = (cell(base, table, target), cell(new, table, target));
                let are_sources_known = are_sources_known(&runs, target);
                draft(&row::Pair { target, base, new, are_sources_known }, &setting)
            };
            (table, labels(table, before).into_iter().map(of_table).collect())
        })
        .collect();
    look_at_all(drafts.iter_mut().flat_map(|(_, rows)| rows), settings.min_effect);
    let tables: Vec<Table> =
        drafts.into_iter().map(|(table, rows)| Table::new(table, rows)).collect();
    let mut doubts: Vec<Doubtful> = doubts::of_order(&base.run, &new.run).into_iter().collect();
    doubts.extend(shift::of(&tables, &settings.decides, settings.min_effect));
    doubts.extend(doubts::of(base, new));
    Comparison {
        schema: SCHEMA,
        base: named(&base.run),
        new: named(&new.run),
        min_effect: settings.min_effect,
        decides: settings.decides.iter().map(|metric| metric.name).collect(),
        history_runs: settings.between.is_none().then(|| settings.spreads.runs()).flatten(),
        hindrance,
        doubts,
        tables,
    }
}

fn named(run: &RunInfo) -> Named {
    Named {
        id: run.id.clone(),
        name: run.name.clone(),
        started_at: run.started_at.clone(),
        orchestrate: run.orchestrate.clone(),
        control: run.policy.control.clone(),
    }
}

/// Why the rows of two runs cannot be compared at all.
fn hindrance(base: &Summary, new: &Summary) -> Option<Hindrance> {
    let set = "name a target that does not change as `[run] control`: runs made from then on can be compared";
    let (old, now) = (&base.run.policy.control, &new.run.policy.control);
    let (what, hint) = match (old, now) {
        (None, None) => {
            ("neither run has a control, which would tell the machine's part".to_owned(), set)
        }
        (None, Some(_)) => ("the base run has no control".to_owned(), set),
        (Some(_), None) => ("the new run has no control".to_owned(), set),
        (Some(old), Some(now)) if old != now => (
            format!("the control was `{old}`, and is `{now}`"),
            "compare with a run that has the same control",
        ),
        _ => (other_machine(&base.run, &new.run)?, "compare with a run of the same machine"),
    };
    Some(Hindrance { what, hint: hint.to_owned() })
}

/// Ratios to a control carry over from day to day, not from one sort of processor to another.
fn other_machine(base: &RunInfo, new: &RunInfo) -> Option<String> {
    let (old, now) = (&base.host, &new.host);
    let unknown = || "unknown".to_owned();
    if old.cpu_model != now.cpu_model {
        let told = |model: &Option<String>| model.clone().unwrap_or_else(unknown);
        let (old, now) = (told(&old.cpu_model), told(&now.cpu_model));
        return Some(format!("the CPU model was {old}, and is {now}"));
    }
    let (old, now) = (&old.architecture, &now.architecture);
    (old != now).then(|| format!("the architecture was {old}, and is {now}"))
}

fn is_same(one: &PlannedTable, other: &PlannedTable) -> bool {
    one.workload == other.workload && one.load == other.load
}

fn is_planned(run: &RunInfo, table: &PlannedTable) -> bool {
    run.tables.iter().any(|it| is_same(it, table))
}

/// The tables of the new run, each with the same one of the base run; then those that only the base run has.
fn tables<'r>(
    base: &'r RunInfo,
    new: &'r RunInfo,
) -> Vec<(&'r PlannedTable, Option<&'r PlannedTable>)> {
    let before = |table: &PlannedTable| base.tables.iter().find(|it| is_same(it, table));
    let of_new = new.tables.iter().map(|table| (table, before(table)));
    let gone = base.tables.iter().filter(|table| !is_planned(new, table));
    of_new.chain(gone.map(|table| (table, Some(table)))).collect()
}

/// What is asked otherwise under the same names.
fn other_table(before: &PlannedTable, now: &PlannedTable) -> Option<String> {
    if before.load_words != now.load_words {
        return Some(format!("the load was {}, and is {}", before.load_words, now.load_words));
    }
    if before.request != now.request {
        return Some(format!("the request was `{}`, and is `{}`", before.request, now.request));
    }
    let (before, now) = (before.asked_sha256.as_ref()?, now.asked_sha256.as_ref()?);
    (before != now).then(|| {
        "headers, body, right answer or settings of the load are not what they were".to_owned()
    })
}

/// Whether both runs know which files the build of a target depends on.
fn are_sources_known(runs: &[&RunInfo; 2], target: &str) -> bool {
    runs.iter().all(|run| run.target(target).is_some_and(|it| it.are_sources_known))
}

/// Why the control of a table stands for nothing, where it was measured but must not be ranked.
fn doubted_control(base: &Summary, new: &Summary, table: &PlannedTable) -> Option<String> {
    let control = new.run.policy.control.as_ref()?;
    [(base, "base"), (new, "new")].into_iter().find_map(|(summary, which)| {
        let cell = cell(summary, table, control)?;
        let doubt = cell.caveats.iter().find(|it| it.caveat.bars_from_ranking())?;
        Some(format!("the control bears `{}` in the {which} run", doubt.caveat))
    })
}

/// The rows of a table in both runs, those of the new one first.
fn labels<'r>(table: &'r PlannedTable, before: Option<&'r PlannedTable>) -> Vec<&'r String> {
    let mut labels: Vec<&String> = table.rows.iter().collect();
    for label in before.into_iter().flat_map(|before| &before.rows) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

/// A row of a table that has it.
fn cell<'s>(
    summary: &'s Summary,
    table: &PlannedTable,
    target: &String,
) -> Option<&'s CellSummary> {
    let is_of = |it: &&PlannedTable| is_same(it, table) && it.rows.contains(target);
    summary.run.tables.iter().find(is_of)?;
    summary.cells.iter().find(|cell| {
        cell.workload == table.workload && cell.load == table.load && cell.target == *target
    })
}

/// Says what became of each row that can be compared, once the figures that decide are looked at together: of so many some
/// would look worse by chance.
fn look_at_all<'d>(drafts: impl Iterator<Item = &'d mut Draft>, min_effect: f64) {
    let mut drafts: Vec<&mut Draft> = drafts.collect();
    let ps: Vec<f64> =
        drafts.iter().flat_map(|draft| draft.tests.iter().map(|test| test.p(min_effect))).collect();
    let mut stands = holm::stand(&ps, ps.len()).into_iter();
    for draft in &mut drafts {
        let stands: Vec<bool> = stands.by_ref().take(draft.tests.len()).collect();
        draft.settle(&stands, min_effect, ps.len());
    }
}
