//! The one list of figures that rows are compared by: what each is of a trial and of a row, how it is called and written, which
//! is the better, whether it decides between two runs, and what it is worth where the load generator was the limit. A figure
//! has the name of the column that shows it.

use super::row::is_lower_bound;
use super::too_few::quantile;
use crate::record::measured::Measured;
use crate::record::outline::{CellOutline, Mean};
use crate::record::summary::{CellSummary, Figure};
use crate::record::trial::TrialRecord;
use crate::stats::bound::{Bound, Bounds};
use crate::stats::comparison::Better;
use crate::stats::rounds::Points;
use crate::units::{write_bytes, write_micros, write_number};

/// What a figure is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// So many per second.
    PerSecond,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// Bytes.
    Bytes,
}

impl Unit {
    /// Writes so much of it.
    pub fn write(self, value: f64) -> String {
        match self {
            Self::PerSecond => write_number(value),
            Self::Micros => write_micros(value),
            Self::Millis => write_micros(value * 1e3),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
            Self::Bytes => write_bytes(value.round() as u64),
        }
    }
}

/// A figure, of a trial and of a row.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The column that shows it.
    pub name: &'static str,
    /// What that column is headed by.
    pub head: &'static str,
    /// What it is called where there is room: `right answers per second`.
    pub words: &'static str,
    /// What it is counted in.
    pub unit: Unit,
    /// Whether more of it is better, or less.
    pub better: Better,
    /// Whether it decides what became of a row from one run to the next, or only informs.
    pub decides: bool,
    /// Where the load generator was the limit: on which side of what it looks the truth may lie. Right answers per second are
    /// fewer than the server could give. Response times are those of a server that was not driven to its limit, where it would
    /// answer later. What an answer costs is the same.
    pub bound: Option<Bound>,
    of: fn(&TrialRecord, &Measured) -> Option<f64>,
    of_row: fn(&CellSummary) -> Option<&Figure>,
    of_outline: fn(&CellOutline) -> Option<Mean>,
}

impl Metric {
    /// All of them; the first stands for a name that none has.
    pub const ALL: [Self; 6] = [
        Self {
            name: "goodput",
            head: "right answers/s",
            words: "right answers per second",
            unit: Unit::PerSecond,
            better: Better::More,
            decides: true,
            bound: Some(Bound::MayBeBetter),
            of: |_, it| Some(it.goodput_per_second),
            of_row: |row| row.goodput_per_second.as_ref(),
            of_outline: |row| row.goodput_per_second,
        },
        Self {
            name: "cpu",
            head: "CPU/answer",
            words: "CPU per answer",
            unit: Unit::Micros,
            better: Better::Less,
            decides: true,
            bound: None,
            of: |_, it| it.server.as_ref()?.cpu_us_per_request,
            of_row: |row| row.cpu_us_per_request.as_ref(),
            of_outline: |row| row.cpu_us_per_request,
        },
        Self {
            name: "p50",
            head: "p50",
            words: "p50 of response time",
            unit: Unit::Micros,
            better: Better::Less,
            decides: false,
            bound: Some(Bound::MayBeWorse),
            of: |_, it| quantile(&it.response_time_us, 0.5),
            of_row: |row| row.response_time_p50_us.as_ref(),
            of_outline: |row| row.response_time_p50_us,
        },
        Self {
            name: "p99",
            head: "p99",
            words: "p99 of response time",
            unit: Unit::Micros,
            better: Better::Less,
            decides: false,
            bound: Some(Bound::MayBeWorse),
            of: |_, it| quantile(&it.response_time_us, 0.99),
            of_row: |row| row.response_time_p99_us.as_ref(),
            of_outline: |row| row.response_time_p99_us,
        },
        Self {
            name: "memory",
            head: "memory",
            words: "memory",
            unit: Unit::Bytes,
            better: Better::Less,
            decides: false,
            bound: None,
            of: |_, it| Some(it.server.as_ref()?.rss_peak_bytes? as f64),
            of_row: |row| row.rss_peak_bytes.as_ref(),
            of_outline: |row| row.rss_peak_bytes,
        },
        Self {
            name: "startup",
            head: "startup",
            words: "start-up",
            unit: Unit::Millis,
            better: Better::Less,
            decides: false,
            bound: None,
            of: |trial, _| trial.startup_ms,
            of_row: |row| row.startup_ms.as_ref(),
            of_outline: |row| row.startup_ms,
        },
    ];

    /// The figure of a column; `None` if it is none that rows are compared by.
    pub fn parse(column: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name == column)
    }

    /// The figure of a column that may rank tables; of any other name, right answers per second.
    pub fn named(column: &str) -> Self {
        Self::parse(column).unwrap_or(Self::ALL[0])
    }

    /// The figure of a trial; `None` if it was not measured, or if it is not above 0, of which there is no logarithm.
    pub fn of(self, trial: &TrialRecord) -> Option<f64> {
        let figure = (self.of)(trial, trial.measured()?);
        figure.filter(|value| value.is_finite() && *value > 0.0)
    }

    /// The figure of a row, over its rounds.
    pub fn of_row(self, row: &CellSummary) -> Option<&Figure> {
        (self.of_row)(row)
    }

    /// The mean of a row's figure, as histories read it.
    pub fn of_outline(self, row: &CellOutline) -> Option<f64> {
        Some((self.of_outline)(row)?.mean)
    }

    /// What it is called in a title: by its head where it decides, of which everybody knows what it is, else in words.
    pub fn title(self) -> &'static str {
        if self.decides { self.head } else { self.words }
    }

    /// The figure of trials, by their rounds; of a round that does not have it there is no point.
    pub fn points(self, trials: &[&TrialRecord]) -> Points {
        trials.iter().filter_map(|trial| Some((trial.round, self.of(trial)?))).collect()
    }

    /// On which side of what it looks the figure of a row may lie; `None` if it is no bound.
    pub fn bound_of(self, row: &CellSummary) -> Option<Bound> {
        self.bound.filter(|_| is_lower_bound(row))
    }

    /// The same of two rows that are compared by it.
    pub fn bounds_of(self, row: &CellSummary, other: &CellSummary) -> Bounds {
        Bounds { one: self.bound_of(row), other: self.bound_of(other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Doubt, Verdict};
    use crate::record::measured::{ServerUsage, Times};
    use crate::record::trial::{Caveat, Ended, Failed, Place};

    #[test]
    fn each_column_that_may_rank_has_its_figure_and_nothing_stands_for_what_is_not_known() {
        let place = Place {
            target: "a".to_owned(),
            variant: None,
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            round: 1,
            position: 1,
            attempt: 1,
            session: 1,
        };
        let mut trial = TrialRecord::begun(place, String::new());
        trial.startup_ms = Some(5.0);
        let measured = Measured {
            goodput_per_second: 7.0,
            response_time_us: Times {
                count: 5000,
                p50: Some(1.0),
                p99: Some(2.0),
                ..Times::default()
            },
            server: Some(ServerUsage {
                cpu_us_per_request: Some(3.0),
                rss_peak_bytes: Some(4),
                ..ServerUsage::default()
            }),
            ..Measured::default()
        };
        trial.end(Ended::Measured(Box::new(measured.clone())));
        for (name, value, better) in [
            ("goodput", 7.0, Better::More),
            ("p50", 1.0, Better::Less),
            ("p99", 2.0, Better::Less),
            ("cpu", 3.0, Better::Less),
            ("memory", 4.0, Better::Less),
            ("startup", 5.0, Better::Less),
        ] {
            let metric = Metric::parse(name).expect(name);
            assert_eq!((metric.of(&trial), metric.better), (Some(value), better), "{name}");
        }
        assert!(Metric::parse("beauty").is_none());
        assert_eq!(Metric::named("beauty").name, "goodput");
        trial.end(Ended::Measured(Box::new(Measured { goodput_per_second: 0.0, ..measured })));
        assert_eq!(Metric::named("goodput").of(&trial), None);
        trial.end(Ended::Failed(Failed::new(crate::outcome::Stage::Verify, "no")));
        for metric in Metric::ALL {
            assert_eq!(metric.of(&trial), None, "{}", metric.name);
        }
    }

    #[test]
    fn of_a_row_each_has_a_figure_of_its_own() {
        let figure = |mean: f64| Some(Figure { mean, low: None, high: None, points: vec![mean] });
        let row = CellSummary {
            goodput_per_second: figure(1.0),
            cpu_us_per_request: figure(2.0),
            response_time_p50_us: figure(3.0),
            response_time_p99_us: figure(4.0),
            rss_peak_bytes: figure(5.0),
            startup_ms: figure(6.0),
            ..CellSummary::default()
        };
        let means = Metric::ALL.map(|metric| metric.of_row(&row).map(|figure| figure.mean));
        assert_eq!(means, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(Some));
    }
    #[test]
    fn where_the_generator_was_the_limit_rates_may_be_higher_times_longer_and_costs_are_what_they_are()
     {
        let caveat = Caveat { caveat: Doubt::ClientBound, detail: String::new() };
        let (sound, limited) = (
            CellSummary::default(),
            CellSummary { caveats: vec![caveat], ..CellSummary::default() },
        );
        let bounds = Metric::ALL.map(|metric| metric.bound_of(&limited));
        let (rate, time) = (Some(Bound::MayBeBetter), Some(Bound::MayBeWorse));
        assert_eq!(bounds, [rate, None, time, time, None, None]);
        assert!(Metric::ALL.iter().all(|metric| metric.bound_of(&sound).is_none()));
        let allowed = |name: &str, verdict| {
            Metric::named(name).bounds_of(&limited, &sound).allow(verdict).expect("one bound")
        };
        let (faster, slower) = (Verdict::Faster, Verdict::Slower);
        assert_eq!(
            (allowed("goodput", faster), allowed("goodput", slower)),
            (faster, Verdict::Unclear)
        );
        assert_eq!((allowed("p99", faster), allowed("p99", slower)), (Verdict::Unclear, slower));
        assert_eq!((allowed("cpu", faster), allowed("memory", slower)), (faster, slower));
    }

    #[test]
    fn each_is_written_in_its_own_unit() {
        for (name, value, written) in [
            ("goodput", 58_123.0, "58,100"),
            ("cpu", 16.0, "16 us"),
            ("p50", 950.0, "950 us"),
            ("p99", 2500.0, "2.5 ms"),
            ("memory", 12e6, "12 MB"),
            ("startup", 30.0, "30 ms"),
        ] {
            assert_eq!(Metric::named(name).unit.write(value), written, "{name}");
        }
    }
}
