//! `reconnects`: the server closed connections that the load meant to keep.

use super::LoadSetting;
use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_count;

/// More than one in so many answers.
const ONE_IN: u64 = 100;

pub(super) fn judge(measured: &Measured, setting: &LoadSetting) -> Option<Caveat> {
    let is_doubtful =
        setting.keeps_alive && measured.reconnects.saturating_mul(ONE_IN) > measured.answers();
    is_doubtful.then(|| Caveat {
        caveat: Doubt::Reconnects,
        detail: format!(
            "the server closed {} connections that were meant to be kept, over {} answers",
            write_count(measured.reconnects),
            write_count(measured.answers())
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::ORDINARY;
    use super::*;

    #[test]
    fn one_in_a_hundred_is_usual_and_more_is_not_unless_it_was_asked_for() {
        let measured = |reconnects| Measured { good: 1000, reconnects, ..Measured::default() };
        assert_eq!(judge(&measured(10), &ORDINARY), None);
        assert!(judge(&measured(11), &ORDINARY).is_some());
        assert_eq!(judge(&measured(1000), &LoadSetting { keeps_alive: false, ..ORDINARY }), None);
    }
}
