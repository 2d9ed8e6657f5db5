//! Figures that are only bounds: what may be said of two of them all the same.

use crate::outcome::Verdict;

/// On which side of what it looks the truth of a figure may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It may be better.
    MayBeBetter,
    /// It may be worse.
    MayBeWorse,
}

/// Which sides of a comparison are bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bounds {
    /// The one that is compared.
    pub one: Option<Bound>,
    /// What it is compared with.
    pub other: Option<Bound>,
}

impl Bounds {
    /// Whether one of both is.
    pub fn is_any(self) -> bool {
        self.one.is_some() || self.other.is_some()
    }

    /// What is left of a verdict on one against the other: only what the truth cannot take back. `None` where it may lie on
    /// either side, so that nothing follows.
    pub fn allow(self, verdict: Verdict) -> Option<Verdict> {
        let may_be_better =
            self.one == Some(Bound::MayBeBetter) || self.other == Some(Bound::MayBeWorse);
        let may_be_worse =
            self.one == Some(Bound::MayBeWorse) || self.other == Some(Bound::MayBeBetter);
        match (may_be_better, may_be_worse) {
            (false, false) => Some(verdict),
            (true, false) if verdict == Verdict::Faster => Some(verdict),
            (false, true) if verdict == Verdict::Slower => Some(verdict),
            (true, true) => None,
            _ => Some(Verdict::Unclear),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Bound::{MayBeBetter, MayBeWorse};
    use Verdict::{Faster, Same, Slower, Unclear};

    #[test]
    fn of_a_bound_only_what_the_truth_cannot_take_back_is_said() {
        // What is left of `faster`, `slower`, `same` and `unclear`.
        let all = [Faster, Slower, Same, Unclear].map(Some);
        let only_faster = [Faster, Unclear, Unclear, Unclear].map(Some);
        let only_slower = [Unclear, Slower, Unclear, Unclear].map(Some);
        for (one, other, left) in [
            (None, None, all),
            (Some(MayBeBetter), None, only_faster),
            (None, Some(MayBeBetter), only_slower),
            (Some(MayBeWorse), None, only_slower),
            (None, Some(MayBeWorse), only_faster),
            (Some(MayBeBetter), Some(MayBeBetter), [None; 4]),
            (Some(MayBeWorse), Some(MayBeWorse), [None; 4]),
            (Some(MayBeBetter), Some(MayBeWorse), only_faster),
            (Some(MayBeWorse), Some(MayBeBetter), only_slower),
        ] {
            let bounds = Bounds { one, other };
            let said = [Faster, Slower, Same, Unclear].map(|verdict| bounds.allow(verdict));
            assert_eq!(said, left, "{one:?} {other:?}");
            assert_eq!(bounds.is_any(), left != all);
        }
    }
}
