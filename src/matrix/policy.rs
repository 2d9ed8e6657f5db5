//! `[run]` with the profiles laid over it, and `[cpus]`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::names::{check, slug};
use super::patterns::hint;
use super::problem::Problem;
use super::quantity::parse_cpus;
use super::reading::Reading;
use super::table::Table;
use super::wire::{Placed, Value};
use super::{CpuChoice, CpuPolicy, Order, RunPolicy};

/// The defaults of `[run]`.
pub(super) const ROUNDS: u32 = 7;
pub(super) const WARM_UP: Duration = Duration::from_secs(2);
pub(super) const WARM_UP_MAX: Duration = Duration::from_secs(15);
pub(super) const MEASURE: Duration = Duration::from_secs(3);
pub(super) const MIN_EFFECT: f64 = 0.02;
/// How often a trial on a noisy host is repeated.
pub(super) const RETRY_NOISY: u32 = 1;
/// Its bounds.
pub(super) const ROUNDS_MOST: u32 = 1000;
pub(super) const RETRY_NOISY_MOST: u32 = 10;
/// The highest seed: TOML has no higher number.
pub(super) const SEED_MOST: u64 = i64::MAX.unsigned_abs();
/// The shortest window.
pub(super) const MEASURE_MIN: Duration = Duration::from_millis(10);
/// Orders, by their words.
pub(super) const ORDERS: [(&str, Order); 2] =
    [("shuffled", Order::Shuffled), ("as-written", Order::AsWritten)];

/// The policy that was asked for, and every row that it or some profile names.
pub(super) struct Policy {
    /// Without its reference, which by default is known when all targets are.
    pub(super) run: RunPolicy,
    pub(super) reference: Option<Placed<String>>,
    /// Checked when all targets are known, each with its key.
    pub(super) rows: Vec<(&'static str, Placed<String>)>,
}

/// The rows that one `[run]` names.
#[derive(Clone)]
struct Named {
    reference: Option<Placed<String>>,
    control: Option<Placed<String>>,
}

impl Named {
    fn rows(&self) -> impl Iterator<Item = (&'static str, Placed<String>)> {
        let Self { reference, control } = self.clone();
        let of = |key: &'static str, name: Option<Placed<String>>| name.map(|name| (key, name));
        of("reference", reference).into_iter().chain(of("control", control))
    }
}

/// Takes `[run]` and every `[profile.*]` out of a matrix, and checks them all.
pub(super) fn policy(root: &mut Table<'_>, wanted: Option<&str>) -> Policy {
    let base = root.table("run").unwrap_or_else(|| Table::empty_like(root));
    let profiles = root.named_tables("profile");
    report_unknown_profile(root.reading, wanted, &profiles);
    let file = root.place.source.path.clone();
    let (mut run, mut named) = run_policy(base.clone(), &file);
    let mut rows: Vec<_> = named.rows().collect();
    for (name, table) in profiles {
        check(root.reading, &name);
        report_misplaced(&name.value, &table);
        let (laid_over, over) = run_policy(base.overlaid(&table), &file);
        rows.extend(over.rows());
        if wanted == Some(name.value.as_str()) {
            run = RunPolicy { profile: Some(name.value), ..laid_over };
            named = over;
        }
    }
    run.control = named.control.map(|name| name.value);
    Policy { run, reference: named.reference, rows }
}

/// Notes what a profile must not say: whoever looks for runs of a matrix reads it without any.
fn report_misplaced(profile: &str, table: &Table<'_>) {
    for key in ["name", "results"] {
        let Some(node) = table.value_of(key) else { continue };
        let what = format!("`{key}` stands in the profile `{profile}`");
        let hint = "it belongs into `[run]`: all runs of a matrix lie in one folder, and each says of which profile it is";
        table.reading.report(Problem::at(node.place.clone(), what).hint(hint));
    }
}

fn report_unknown_profile(
    reading: &Reading<'_>,
    wanted: Option<&str>,
    profiles: &[(Placed<String>, Table<'_>)],
) {
    let names: Vec<&str> = profiles.iter().map(|(name, _)| name.value.as_str()).collect();
    if let Some(wanted) = wanted.filter(|wanted| !names.contains(wanted)) {
        let problem = Problem::without_place(format!("no profile `{wanted}`"));
        reading.report(problem.hint(hint(wanted, "`[profile.NAME]` in this matrix", &names)));
    }
}

fn run_policy(mut table: Table<'_>, file: &Path) -> (RunPolicy, Named) {
    let (warm_up, warm_up_max) = warm_up(&mut table);
    let rounds = table.whole("rounds", 1..=ROUNDS_MOST).unwrap_or(ROUNDS);
    let policy = RunPolicy {
        name: run_name(&mut table, file),
        profile: None,
        rounds,
        max_rounds: max_rounds(&mut table, rounds),
        warm_up,
        warm_up_max,
        measure: table.duration("measure", MEASURE_MIN).map_or(MEASURE, |time| time.value),
        seed: table.whole("seed", 0..=SEED_MOST),
        order: table.choice("order", &ORDERS).unwrap_or(Order::Shuffled),
        retry_noisy: table.whole("retry-noisy", 0..=RETRY_NOISY_MOST).unwrap_or(RETRY_NOISY),
        reference: String::new(),
        control: None,
        min_effect: table.share("min-effect").unwrap_or(MIN_EFFECT),
        results: results(&mut table, file),
    };
    let named = Named { reference: table.text("reference"), control: table.text("control") };
    table.finish();
    (policy, named)
}

/// `max-rounds`, by default no more than `rounds`.
fn max_rounds(table: &mut Table<'_>, rounds: u32) -> u32 {
    let place = table.value_of("max-rounds").map(|node| node.place.clone());
    let most = table.whole("max-rounds", 1..=ROUNDS_MOST).unwrap_or(rounds);
    if let Some(place) = place.filter(|_| most < rounds) {
        let what = format!("`max-rounds` is less than `rounds`, which is {rounds}");
        table.reading.report(Problem::at(place, what).hint("set it higher, or leave it out"));
    }
    most.max(rounds)
}

/// `warm-up` and `warm-up-max`; where one is absent its default gives way to the other.
fn warm_up(table: &mut Table<'_>) -> (Duration, Duration) {
    let least = table.duration("warm-up", Duration::ZERO);
    let most = table.duration("warm-up-max", Duration::ZERO);
    match (least, most) {
        (Some(least), Some(most)) => {
            if least.value > most.value {
                let what = "`warm-up-max` is shorter than `warm-up`";
                table.reading.report(Problem::at(most.place, what).hint("set it longer"));
            }
            (least.value, most.value)
        }
        (Some(least), None) => (least.value, WARM_UP_MAX.max(least.value)),
        (None, Some(most)) => (WARM_UP.min(most.value), most.value),
        (None, None) => (WARM_UP, WARM_UP_MAX),
    }
}

fn run_name(table: &mut Table<'_>, file: &Path) -> String {
    if let Some(name) = table.text("name") {
        check(table.reading, &name);
        return name.value;
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    Some(slug(&stem)).filter(|name| !name.is_empty()).unwrap_or_else(|| "matrix".to_owned())
}

/// Where results go: as given, else beside the nearest Git root, else beside the matrix.
fn results(table: &mut Table<'_>, file: &Path) -> PathBuf {
    let reading = table.reading;
    if let Some(path) = table.path("results") {
        return reading.absolute(&path.value);
    }
    let file = reading.absolute(file);
    let folder = file.parent().unwrap_or(Path::new("/"));
    let root = folder.ancestors().find(|folder| reading.files.exists(&folder.join(".git")));
    root.unwrap_or(folder).join("results")
}

/// Takes `[cpus]` out of a matrix.
pub(super) fn cpus(root: &mut Table<'_>) -> CpuPolicy {
    let mut table = root.table("cpus").unwrap_or_else(|| Table::empty_like(root));
    let policy = CpuPolicy {
        server: cpu_choice(&mut table, "server"),
        generator: cpu_choice(&mut table, "generator"),
    };
    table.finish();
    policy
}

fn cpu_choice(table: &mut Table<'_>, key: &'static str) -> CpuChoice {
    let expected = "`auto`, `all` or a list of CPUs such as `\"0,2-3\"`";
    let choice = table.read(key, expected, |value| match value {
        Value::Text(text) => parse_cpus(text),
        _ => None,
    });
    choice.map_or(CpuChoice::Auto, |choice| choice.value)
}
