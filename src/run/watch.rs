//! A look at the clocks between trials: was the date set, did the machine sleep? The one spoils dates, the other trials.

use crate::clock::{self, Moment, Passed};
use crate::outcome::Doubt;
use crate::record::trial::Caveat;
use crate::units::write_duration;
use std::time::Duration;

/// A date that drifts by less within a trial is only being held to the right time.
const SET_SECONDS: f64 = 1.0;
/// The clocks are read one after the other; what lies between them is no sleep.
const ASLEEP: Duration = Duration::from_millis(500);

/// The clocks, as they were when they were last looked at.
pub(super) struct Watch {
    last: Moment,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self { last: clock::moment() }
    }

    /// What happened to the date since the last look, if anything did.
    pub(super) fn look(&mut self) -> Option<String> {
        let now = clock::moment();
        let passed = self.last.until(now);
        self.last = now;
        was_set(passed)
    }
}

fn was_set(passed: Passed) -> Option<String> {
    let seconds = passed.set_by_seconds;
    if seconds.abs() < SET_SECONDS {
        return None;
    }
    let by = write_duration(Duration::from_secs_f64(seconds.abs().min(1e9)));
    let way = if seconds > 0.0 { "forward" } else { "back" };
    let date = clock::wall();
    Some(format!(
        "the date was set {way} by {by} before {date}: dates of trials do not tell how far apart they were; figures are as good"
    ))
}

/// What is to be said of a trial in which the machine slept.
pub(super) fn slept(passed: Passed) -> Option<Caveat> {
    (passed.asleep > ASLEEP).then(|| Caveat {
        caveat: Doubt::NoisyHost,
        detail: format!("the machine slept for {} in the trial", write_duration(passed.asleep)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_that_was_set_is_told_and_one_that_is_kept_right_is_not() {
        let told = |set_by_seconds: f64| was_set(Passed { asleep: Duration::ZERO, set_by_seconds });
        assert_eq!((told(0.0), told(0.4), told(-0.9)), (None, None, None));
        for (by, words) in [(3600.0, "forward by 1 h"), (-20.0, "back by 20 s")] {
            let text = told(by).expect("told");
            assert!(text.starts_with(&format!("the date was set {words} before ")), "{text}");
        }
        assert_eq!(Watch::new().look(), None);
    }

    #[test]
    fn a_trial_that_slept_is_doubted_with_how_long_that_was() {
        let of = |millis: u64| {
            let asleep = Duration::from_millis(millis);
            slept(Passed { asleep, set_by_seconds: 0.0 }).map(|caveat| caveat.detail)
        };
        assert_eq!(of(300), None);
        assert_eq!(of(90_000).as_deref(), Some("the machine slept for 1 min 30 s in the trial"));
    }
}
