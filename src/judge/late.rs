//! `late`: the generator itself was late with a paced load, or stood still while requests were due.

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_micros;

/// Lateness that never matters, in microseconds.
const TOLERATED_US: f64 = 200.0;
/// The share of the window for which a generator may stand still: so many of its requests fall due meanwhile, each of which
/// then waits as if it were for the server.
const STILL: f64 = 0.01;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let (often, longest) = (measured.lateness_us.p99?, measured.lateness_us.max.unwrap_or(0.0));
    // Against what the server takes by itself: what waits for us makes response times long, too.
    let usual = measured.service_time_us.p50.unwrap_or_default();
    let detail = if longest > STILL * measured.window_seconds * 1e6 && longest > TOLERATED_US {
        format!(
            "the generator stood still for {}: what was due meanwhile waited for it, and counts as waits for the server; \
             give it a CPU of its own, and leave the machine alone",
            write_micros(longest)
        )
    } else if often > TOLERATED_US.max(usual) {
        format!(
            "one request in a hundred was sent {} or more after it was due, by the generator's own fault; give it a \
             CPU of its own, or more of them",
            write_micros(often)
        )
    } else {
        return None;
    };
    Some(Caveat { caveat: Doubt::Late, detail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::Times;

    fn measured(lateness: f64, longest: f64, usual: f64) -> Measured {
        let times = |p50, p99, max| Times { count: 1, p50, p99, max, ..Times::default() };
        Measured {
            window_seconds: 3.0,
            lateness_us: times(None, Some(lateness), Some(longest)),
            service_time_us: times(Some(usual), None, None),
            // As long as it may be made by waiting for us.
            response_time_us: times(Some(1e6), None, None),
            ..Measured::default()
        }
    }

    #[test]
    fn lateness_matters_beyond_a_bound_and_beyond_the_usual_answer() {
        for (lateness, usual, is_late) in [
            (199.0, 50.0, false),
            (201.0, 50.0, true),
            (900.0, 1000.0, false),
            (1100.0, 1000.0, true),
        ] {
            let found = judge(&measured(lateness, lateness, usual));
            assert_eq!(found.is_some(), is_late, "{lateness} {usual}");
        }
        assert_eq!(judge(&Measured::default()), None);
    }

    #[test]
    fn one_long_stop_is_told_though_few_requests_were_late_by_themselves() {
        assert_eq!(judge(&measured(50.0, 29_000.0, 100.0)), None);
        let stopped = judge(&measured(50.0, 1_500_000.0, 100.0)).expect("a stop");
        assert!(stopped.detail.starts_with("the generator stood still for 1.5 s: "), "{stopped:?}");
    }
}
