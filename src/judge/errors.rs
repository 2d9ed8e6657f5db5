//! `errors`: more than one attempt in a thousand was wrong or lost.

use crate::outcome::{Doubt, Kind};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_count;

/// The share of attempts above which a row is not ranked.
const TOLERATED: f64 = 0.001;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let bad = measured.bad();
    if bad as f64 <= TOLERATED * measured.attempted as f64 {
        return None;
    }
    let wrong =
        measured.wrong.seen().map(|(kind, count)| (format!("wrong {}", kind.name()), count));
    let lost = measured.lost.seen().map(|(kind, count)| (kind.name().replace('_', " "), count));
    let kinds: Vec<String> =
        wrong.chain(lost).map(|(kind, count)| format!("{kind} {}", write_count(count))).collect();
    Some(Caveat {
        caveat: Doubt::Errors,
        detail: format!(
            "{} of {} attempts were wrong or lost: {}",
            write_count(bad),
            write_count(measured.attempted),
            kinds.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Lost, Wrong};

    #[test]
    fn one_in_a_thousand_is_tolerated_and_more_is_told_by_kind() {
        let mut measured = Measured { attempted: 2000, ..Measured::default() };
        measured.wrong.add(Wrong::Status);
        measured.lost.add(Lost::ResetInside);
        assert_eq!(judge(&measured), None);
        measured.lost.add(Lost::ResetInside);
        let caveat = judge(&measured).expect("three in two thousand");
        assert_eq!(
            caveat.detail,
            "3 of 2,000 attempts were wrong or lost: wrong status 1, reset inside 2"
        );
    }

    #[test]
    fn a_window_without_attempts_has_no_errors() {
        assert_eq!(judge(&Measured::default()), None);
    }
}
