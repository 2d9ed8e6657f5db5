//! The noise floor that `noise` measured on this machine for one cell of a matrix: how much its figures scatter from round to
//! round although nothing differs. Kept in the cache, since it belongs to the machine, and looked up before a run.

use serde::{Deserialize, Serialize};

use super::SCHEMA;
use super::summary::Summary;
use crate::stats::blocks::smallest_effect;

/// A measured noise floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// See [`super::SCHEMA`].
    pub schema: u32,
    /// When it was measured: date and time, UTC.
    pub at: String,
    /// The row that was measured.
    pub target: String,
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The standard deviation of a figure in one round, once what row and round explain is taken off, in logarithms.
    pub deviation: f64,
    /// The window that it was measured with.
    pub measure_seconds: f64,
    /// The processor's name for itself.
    pub cpu_model: Option<String>,
}

impl NoiseFloor {
    /// What a run of one cell under several names shows; `None` if that was too little.
    pub fn of(summary: &Summary) -> Option<Self> {
        let noise = summary.noise.first()?;
        Some(Self {
            schema: SCHEMA,
            at: summary.run.started_at.clone(),
            target: summary.cells.first()?.target.clone(),
            workload: noise.workload.clone(),
            load: noise.load.clone(),
            deviation: noise.deviation?,
            measure_seconds: summary.run.policy.measure_seconds,
            cpu_model: summary.run.host.cpu_model.clone(),
        })
    }

    /// The smallest difference between two rows that so many rounds of so long windows tell from none, as a share; `None` if
    /// windows are longer than those that this was measured with, on which it says nothing, or if the machine is another.
    pub fn smallest_effect(
        &self,
        rounds: u32,
        measure_seconds: f64,
        cpu_model: Option<&str>,
    ) -> Option<f64> {
        let is_known = measure_seconds <= self.measure_seconds * 1.01
            && self.cpu_model.as_deref() == cpu_model
            && rounds >= 2
            && self.schema <= SCHEMA;
        is_known.then(|| smallest_effect(self.deviation, f64::from(rounds - 1), rounds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_holds_for_the_machine_and_for_windows_no_longer_than_its_own() {
        let floor = NoiseFloor {
            schema: SCHEMA,
            at: "2026-11-30T12:00:00Z".to_owned(),
            target: "a".to_owned(),
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            deviation: 0.01,
            measure_seconds: 3.0,
            cpu_model: Some("EPYC".to_owned()),
        };
        let effect = |rounds, seconds, model| floor.smallest_effect(rounds, seconds, model);
        // t(6) is 2.4469: 2.4469 * 0.01 * sqrt (2 / 7) = 0.01308.
        let seven = effect(7, 3.0, Some("EPYC")).expect("known");
        assert!((seven - 0.013_08_f64.exp_m1()).abs() < 1e-5, "{seven}");
        assert!(effect(20, 1.0, Some("EPYC")).is_some_and(|more| more < seven));
        assert_eq!(effect(7, 10.0, Some("EPYC")), None);
        assert_eq!(effect(7, 3.0, Some("Xeon")), None);
        assert_eq!(effect(7, 3.0, None), None);
        assert_eq!(effect(1, 3.0, Some("EPYC")), None);
    }
}
