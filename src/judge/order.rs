//! `order`: the trials were made in the order of the matrix, so what drifts with time looks like a difference.

use crate::outcome::Doubt;
use crate::record::run::Policy;
use crate::record::trial::Caveat;

/// The doubt about every row of a run that was not shuffled.
pub fn judge(policy: &Policy) -> Option<Caveat> {
    (policy.order == "as-written").then(|| Caveat {
        caveat: Doubt::Order,
        detail: "trials were made in the order of the matrix: what changed with time looks like a difference between \
                 rows; leave `order` out of `[run]`"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_order_that_is_not_shuffled_is_doubted() {
        for (order, expected) in [("as-written", true), ("shuffled", false)] {
            let policy = Policy {
                rounds: 7,
                max_rounds: 7,
                warm_up_seconds: 2.0,
                warm_up_max_seconds: 15.0,
                measure_seconds: 3.0,
                order: order.to_owned(),
                reference: "a".to_owned(),
                control: None,
                min_effect: 0.02,
                retry_noisy: 1,
            };
            assert_eq!(judge(&policy).is_some(), expected, "{order}");
        }
    }
}
