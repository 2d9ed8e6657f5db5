//! Who was the limit: the server's CPU, the generator's, both, neither, or the rate that was asked for.

use super::rate_not_met;
use crate::outcome::Limit;
use crate::record::measured::{Measured, ServerUsage};

/// A thread of the generator that ran, or waited to run, for so much of the window is saturated.
const GENERATOR_SATURATED: f64 = 0.95;
/// A thread of the server that ran for so much of the window is saturated.
const THREAD_SATURATED: f64 = 0.9;
/// So is a server that used so much of the CPUs that it is allowed.
const ALLOWANCE_SATURATED: f64 = 0.9;

/// What held a measured window back; `None` if the server's CPU is unknown and the generator was not the limit.
/// `is_paced` says that a rate was asked for.
pub fn judge(measured: &Measured, is_paced: bool) -> Option<Limit> {
    if is_paced && rate_not_met::is_met(measured) {
        return Some(Limit::Rate);
    }
    let generator = measured.generator.busy_max >= GENERATOR_SATURATED;
    let server = measured.server.as_ref().and_then(is_saturated);
    Some(match (server, generator) {
        (Some(true), true) => Limit::Both,
        (Some(true), false) => Limit::Server,
        (_, true) => Limit::Generator,
        (Some(false), false) => Limit::Neither,
        (None, false) => return None,
    })
}

fn is_saturated(server: &ServerUsage) -> Option<bool> {
    let cores_used = server.cores_used?;
    let by_thread = server.busiest_thread.is_some_and(|share| share >= THREAD_SATURATED);
    Some(by_thread || cores_used >= ALLOWANCE_SATURATED * f64::from(server.cores_allowed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::GeneratorCost;

    fn measured(busy_max: f64, cores_used: Option<f64>, busiest_thread: f64) -> Measured {
        Measured {
            generator: GeneratorCost { busy_max, ..GeneratorCost::default() },
            server: Some(ServerUsage {
                cores_used,
                cores_allowed: 4,
                busiest_thread: Some(busiest_thread),
                ..ServerUsage::default()
            }),
            ..Measured::default()
        }
    }

    #[test]
    fn the_limit_is_whoever_is_saturated() {
        for (busy, cores, thread, limit) in [
            (0.50, Some(1.0), 0.92, Some(Limit::Server)),
            (0.50, Some(3.7), 0.80, Some(Limit::Server)),
            (0.97, Some(1.0), 0.30, Some(Limit::Generator)),
            (0.97, Some(1.0), 0.95, Some(Limit::Both)),
            (0.94, Some(3.5), 0.89, Some(Limit::Neither)),
            (0.97, None, 0.0, Some(Limit::Generator)),
            (0.50, None, 0.0, None),
        ] {
            assert_eq!(
                judge(&measured(busy, cores, thread), false),
                limit,
                "{busy} {cores:?} {thread}"
            );
        }
    }

    #[test]
    fn a_paced_load_is_limited_by_its_rate_if_that_was_met_and_else_as_any_other() {
        for (in_line, thread, limit) in [
            (0, 0.4, Limit::Rate),
            (0, 0.95, Limit::Rate),
            (500, 0.95, Limit::Server),
            (500, 0.4, Limit::Neither),
        ] {
            let paced = Measured { sent: 1000, in_line, ..measured(0.4, Some(0.4), thread) };
            assert_eq!(judge(&paced, true), Some(limit), "{in_line} {thread}");
        }
    }
}
