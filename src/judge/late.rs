//! `late`: the generator itself was late with a paced load.

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_micros;

/// Lateness that never matters, in microseconds.
const TOLERATED_US: f64 = 200.0;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let lateness = measured.lateness_us.p99?;
    let usual = measured.response_time_us.p50.unwrap_or_default();
    (lateness > TOLERATED_US.max(usual)).then(|| Caveat {
        caveat: Doubt::Late,
        detail: format!(
            "one request in a hundred was sent {} or more after it was due, by the generator's own fault; give it a \
             CPU of its own, or more of them",
            write_micros(lateness)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::Times;

    #[test]
    fn lateness_matters_beyond_a_bound_and_beyond_the_usual_answer() {
        let measured = |lateness, usual| Measured {
            lateness_us: Times { count: 1, p99: Some(lateness), ..Times::default() },
            response_time_us: Times { count: 1, p50: Some(usual), ..Times::default() },
            ..Measured::default()
        };
        assert_eq!(judge(&measured(199.0, 50.0)), None);
        assert!(judge(&measured(201.0, 50.0)).is_some());
        assert_eq!(judge(&measured(900.0, 1000.0)), None);
        assert_eq!(judge(&Measured::default()), None);
    }
}
