//! `errors`: more than one attempt in a thousand was wrong or lost.

use crate::outcome::{Doubt, Kind, Wrong};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_count;

/// The share of attempts above which a row is not ranked.
const TOLERATED: f64 = 0.001;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let bad = measured.bad();
    if measured.answers() == 0 && bad == 0 {
        let detail = "there was not one answer".to_owned();
        return Some(Caveat { caveat: Doubt::Errors, detail });
    }
    // Of content only a sample is compared, so what is wrong with it is a share of that.
    let content = measured.wrong.of(Wrong::Body);
    let is_tolerated = |count: u64, of: u64| count as f64 <= TOLERATED * of as f64;
    if !is_tolerated(measured.unsolicited, measured.answers()) {
        let detail = format!(
            "after {} of {} answers came bytes that nobody had asked for; each time the connection was given up",
            write_count(measured.unsolicited),
            write_count(measured.answers())
        );
        return Some(Caveat { caveat: Doubt::Errors, detail });
    }
    if is_tolerated(bad, measured.attempted) && is_tolerated(content, measured.checked) {
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
            "{} of {} attempts were wrong or lost: {}{}",
            write_count(bad),
            write_count(measured.attempted),
            kinds.join(", "),
            if content > 0 {
                format!("; the content of {} was compared", write_count(measured.checked))
            } else {
                String::new()
            }
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Lost;

    #[test]
    fn one_in_a_thousand_is_tolerated_and_more_is_told_by_kind() {
        let mut measured = Measured { attempted: 2000, good: 1990, ..Measured::default() };
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
    fn wrong_content_is_a_share_of_what_was_compared() {
        let mut measured =
            Measured { attempted: 70_000, good: 69_000, checked: 1000, ..Measured::default() };
        measured.wrong.add(Wrong::Body);
        assert_eq!(judge(&measured), None);
        measured.wrong.add(Wrong::Body);
        let caveat = judge(&measured).expect("two in a thousand compared");
        assert!(caveat.detail.ends_with("; the content of 1,000 was compared"), "{caveat:?}");
    }

    #[test]
    fn bytes_that_nobody_asked_for_are_an_error_though_each_answer_was_right() {
        let measured = |unsolicited| Measured {
            attempted: 2000,
            good: 2000,
            unsolicited,
            ..Measured::default()
        };
        assert_eq!(judge(&measured(2)), None);
        let caveat = judge(&measured(3)).expect("three in two thousand");
        assert!(caveat.detail.starts_with("after 3 of 2,000 answers came bytes"), "{caveat:?}");
    }

    #[test]
    fn a_window_without_one_answer_is_doubted() {
        assert!(judge(&Measured::default()).is_some());
        assert_eq!(judge(&Measured { good: 1, attempted: 1, ..Measured::default() }), None);
    }
}
