//! `too-short`: the window was under one second.

use super::LoadSetting;
use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;

/// The shortest window that is ranked.
const SHORTEST_SECONDS: f64 = 1.0;
/// Windows of exactly a second may come out a little short of it.
const SLACK_SECONDS: f64 = 0.001;

pub(super) fn judge(measured: &Measured, setting: &LoadSetting) -> Option<Caveat> {
    let remedy =
        if setting.is_counted { "make more requests" } else { "measure for a second at least" };
    (measured.window_seconds < SHORTEST_SECONDS - SLACK_SECONDS).then(|| Caveat {
        caveat: Doubt::TooShort,
        detail: format!("the window was {:.0} ms; {remedy}", measured.window_seconds * 1e3),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::ORDINARY;
    use super::*;

    #[test]
    fn a_second_is_long_enough() {
        for (window_seconds, expected) in [(0.5, true), (0.99, true), (1.0, false), (3.0, false)] {
            let measured = Measured { window_seconds, ..Measured::default() };
            assert_eq!(judge(&measured, &ORDINARY).is_some(), expected, "{window_seconds}");
        }
    }
}
