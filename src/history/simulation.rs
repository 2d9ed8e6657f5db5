//! How often does a history err, and how soon does it see? Months are drawn by a seed: a control and twenty rows, of which
//! right answers and CPU per answer are noise, night by night, of a given scatter; a machine that is 10 % faster or slower each
//! night; one row that loses 6 % of its answers from night 17 on; and another machine, on which every ratio is another,
//! from night 24 on.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::alarm::{From, raised, remember_told};
use super::fixture::{history, id, night, row};
use super::found::Found;
use super::judge::Sample;
use crate::record::changes::Changes;
use crate::record::outline::{Outline, Ratio};

const MONTHS: u32 = 200;
const NIGHTS: u32 = 30;
const ROWS: u32 = 20;
/// The row that loses answers, and the night from which on.
const SLOW: u32 = 7;
const SLOW_SINCE: u32 = 17;
const LOSS: f64 = 0.06;
/// The night from which on the machine is another.
const MOVED: u32 = 24;
/// Rounds of a run; what a round adds to a night's scatter is a third of it at most.
const ROUNDS: u32 = 7;

/// A number of the normal distribution (Box and Muller 1958).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (one, other): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

/// How a month is drawn.
#[derive(Debug, Clone, Copy)]
struct Month {
    /// The scatter of ratios from night to night, in logarithms.
    deviation: f64,
    /// Of its variance, the share that is the control's and moves all rows alike.
    shared: f64,
    loss: f64,
}

impl Month {
    fn outlines(self, seed: u32) -> Vec<Outline> {
        let mut random = ChaCha8Rng::seed_from_u64(u64::from(seed));
        let levels: Vec<(f64, f64)> = (0..ROWS)
            .map(|_| (random.random_range(-2.0..0.0), random.random_range(0.0..2.0)))
            .collect();
        let elsewhere: Vec<(f64, f64)> = (0..ROWS)
            .map(|_| (random.random_range(-0.2..0.2), random.random_range(-0.2..0.2)))
            .collect();
        (1..=NIGHTS)
            .map(|at| {
                let common =
                    [0, 1].map(|_| self.shared.sqrt() * self.deviation * normal(&mut random));
                let own = (1.0 - self.shared).sqrt() * self.deviation;
                let rows = (0..ROWS).map(|place| {
                    let (goodput, cpu) = levels[place as usize];
                    let moved = if at < MOVED { (0.0, 0.0) } else { elsewhere[place as usize] };
                    let is_slow = place == SLOW && at >= SLOW_SINCE;
                    let loss = if is_slow { (-self.loss).ln_1p() } else { 0.0 };
                    let mut noise = |common: f64| common + own * normal(&mut random);
                    let mut row = row(
                        &format!("row-{place}"),
                        goodput + moved.0 + loss + noise(common[0]),
                        cpu + moved.1 + noise(common[1]),
                    );
                    let rounds = Some(self.deviation);
                    for ratio in row.versus_control.values_mut() {
                        *ratio = Ratio { deviation: rounds, rounds: ROUNDS, ..*ratio };
                    }
                    row
                });
                let rows: Vec<_> = rows.collect();
                let machine = (0.1 * normal(&mut random)).exp();
                let mut outline = night(at, machine, rows);
                if at >= MOVED {
                    outline.run.host.cpu_model = Some("Xeon".to_owned());
                }
                outline
            })
            .collect()
    }
}

/// What a month came to.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    /// The night that confirmed the loss.
    confirmed: Option<u32>,
    is_suspected_at_once: bool,
    false_confirmed: u32,
    false_suspected: u32,
}

/// The nights of a month, by the ids of their runs.
fn night_of(id_of: &str) -> u32 {
    (1..=NIGHTS).find(|at| id(*at) == id_of).expect("a night")
}

/// Whether it is the loss, told when there was one, and dated to within three nights of it.
fn is_true(found: &Found<'_>) -> bool {
    let by = found.confirmed_by().unwrap_or(found.since());
    found.line.target == format!("row-{SLOW}")
        && found.line.metric.name == "goodput"
        && night_of(&by.id) >= SLOW_SINCE
        && night_of(&found.since().id).abs_diff(SLOW_SINCE) <= 3
}

/// Every change for the worse of a month, in all series; what was suspected and forgotten is found night by night.
fn told(month: Month, seed: u32) -> Told {
    let outlines = month.outlines(seed);
    let whole = history(&outlines);
    let mut told = Told::default();
    for line in &whole.lines {
        for series in &line.series {
            for found in whole.found_in(line, series).filter(Found::is_worse) {
                let by = found.confirmed_by().map(|run| night_of(&run.id));
                match (is_true(&found), by) {
                    (true, by) => {
                        told.confirmed = told.confirmed.or(by);
                        told.is_suspected_at_once |=
                            found.suspected_by().is_some_and(|run| run.id == id(SLOW_SINCE));
                    }
                    (false, Some(_)) => told.false_confirmed += 1,
                    (false, None) => told.false_suspected += 1,
                }
            }
            told.false_suspected += u32::try_from(series.judged.forgotten.len()).expect("few");
        }
    }
    told
}

/// Shares of months.
#[derive(Debug)]
struct Rates {
    by_night_20: f64,
    by_night_23: f64,
    at_first_sight: f64,
    with_false_alarm: f64,
    /// Suspicions of nothing, a month.
    false_suspicions: f64,
}

impl Rates {
    /// As a line of the page.
    fn told(&self, deviation: f64, shared: f64, loss: f64) -> String {
        let percent = |share: f64| format!("{} %", (share * 1000.0).round() / 10.0);
        let seen = [self.at_first_sight, self.by_night_20, self.by_night_23];
        let seen = seen.map(|share| if loss > 0.0 { percent(share) } else { "-".to_owned() });
        let fields = [percent(deviation), percent(shared), percent(loss)];
        let rest = [percent(self.with_false_alarm), format!("{:.2}", self.false_suspicions)];
        let fields: Vec<String> = fields.into_iter().chain(seen).chain(rest).collect();
        format!("| {} |", fields.join(" | "))
    }
}

fn rates(month: Month, months: u32) -> Rates {
    let all: Vec<Told> = (0..months).map(|seed| told(month, seed)).collect();
    let share = |holds: &dyn Fn(&Told) -> bool| {
        all.iter().filter(|told| holds(told)).count() as f64 / all.len() as f64
    };
    Rates {
        by_night_20: share(&|told| told.confirmed.is_some_and(|by| by <= 20)),
        by_night_23: share(&|told| told.confirmed.is_some_and(|by| by <= 23)),
        at_first_sight: share(&|told| told.is_suspected_at_once),
        with_false_alarm: share(&|told| told.false_confirmed > 0),
        false_suspicions: f64::from(all.iter().map(|told| told.false_suspected).sum::<u32>())
            / f64::from(months),
    }
}

const USUAL: Month = Month { deviation: 0.015, shared: 0.0, loss: LOSS };

#[test]
fn each_change_raises_one_alarm_night_by_night() {
    for seed in 0..8 {
        let outlines = USUAL.outlines(seed);
        let mut memory = Changes::default();
        let mut alarms = Vec::new();
        for at in 1..=outlines.len() {
            let history = history(&outlines[..at]);
            let newest = history.newest().expect("a run");
            let found = raised(&history, &memory, From::Confirmed);
            for found in &found {
                alarms.push((found.line.target.clone(), found.line.metric.name));
            }
            let after = remember_told(&memory, &found, newest);
            // A job that is tried again says the same.
            let again = raised(&history, &after, From::Confirmed);
            assert_eq!(again.len(), found.len(), "seed {seed}, night {at}");
            memory = after;
        }
        let expected = told(USUAL, seed);
        let count = u32::from(expected.confirmed.is_some()) + expected.false_confirmed;
        assert_eq!(u32::try_from(alarms.len()), Ok(count), "seed {seed}: {alarms:?}");
    }
}

/// Of each kind of month the scatter, the control's share of it, and the loss.
const KINDS: [(f64, f64, f64); 8] = [
    (0.01, 0.0, 0.06),
    (0.015, 0.0, 0.06),
    (0.015, 0.5, 0.06),
    (0.015, 0.0, 0.04),
    (0.02, 0.0, 0.06),
    (0.03, 0.0, 0.06),
    (0.015, 0.0, 0.0),
    (0.03, 0.0, 0.0),
];

#[test]
fn a_loss_is_confirmed_soon_and_months_have_few_false_alarms_as_the_page_tells() {
    let page = include_str!("../../docs/history.md");
    let mut missing = Vec::new();
    for (deviation, shared, loss) in KINDS {
        let rates = rates(Month { deviation, shared, loss }, MONTHS);
        let told = rates.told(deviation, shared, loss);
        missing.extend((!page.contains(&told)).then(|| told.clone()));
        assert!(rates.with_false_alarm <= 0.05, "{told}");
        if (deviation, loss) == (0.015, LOSS) {
            assert!(rates.by_night_20 >= 0.8, "{told}");
        }
    }
    assert!(missing.is_empty(), "the page does not tell\n{}", missing.join("\n"));
}

/// Kept so that a sample is what the judge takes of a run of these months.
#[test]
fn a_month_is_as_noisy_as_it_says() {
    let outlines = Month { loss: 0.0, ..USUAL }.outlines(1);
    let whole = history(&outlines[..20]);
    let mut squares = 0.0;
    let mut degrees = 0.0;
    for line in whole.lines.iter().filter(|line| line.target.starts_with("row-")) {
        let series = line.newest().expect("a series");
        let samples: Vec<Sample> = super::samples(&series.points, &whole.runs);
        let spread = super::judge::spread(&samples, &series.judged.levels).expect("runs");
        squares += spread.deviation.powi(2) * spread.degrees;
        degrees += spread.degrees;
    }
    let deviation: f64 = (squares / degrees).sqrt();
    assert!((deviation - 0.015).abs() < 0.001, "{deviation}");
}
