//! The figure that ranks a table, of a trial: one point a round, by which rows are compared.

use super::too_few::quantile;
use crate::record::measured::Measured;
use crate::record::trial::TrialRecord;
use crate::stats::comparison::Better;

/// A figure of a trial, and which is the better.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    of: fn(&Measured) -> Option<f64>,
    /// Whether more of it is better, or less.
    pub better: Better,
}

impl Metric {
    /// The figure of a column that may rank tables; of any other name, right answers per second.
    pub fn named(column: &str) -> Self {
        let (of, better): (fn(&Measured) -> Option<f64>, Better) = match column {
            "p50" => (|it| quantile(&it.response_time_us, 0.5), Better::Less),
            "p99" => (|it| quantile(&it.response_time_us, 0.99), Better::Less),
            "cpu" => (|it| it.server.as_ref()?.cpu_us_per_request, Better::Less),
            "memory" => (|it| Some(it.server.as_ref()?.rss_peak_bytes? as f64), Better::Less),
            _ => (|it| Some(it.goodput_per_second), Better::More),
        };
        Self { of, better }
    }

    /// The figure of a trial; `None` if it was not measured, or if it is not above 0, of which there is no logarithm.
    pub fn of(self, trial: &TrialRecord) -> Option<f64> {
        trial.measured().and_then(self.of).filter(|value| value.is_finite() && *value > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::{ServerUsage, Times};
    use crate::record::trial::{Ended, Failed, Place};

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
        ] {
            let metric = Metric::named(name);
            assert_eq!((metric.of(&trial), metric.better), (Some(value), better), "{name}");
        }
        trial.end(Ended::Measured(Box::new(Measured { goodput_per_second: 0.0, ..measured })));
        assert_eq!(Metric::named("goodput").of(&trial), None);
        trial.end(Ended::Failed(Failed::new(crate::outcome::Stage::Verify, "no")));
        assert_eq!(Metric::named("p50").of(&trial), None);
    }
}
