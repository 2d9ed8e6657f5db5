//! Figures that are only bounds: what may be said of two of them all the same.

use crate::outcome::Verdict;

/// On which side of what it looks the truth of a figure may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It may be better.
    MayBeBetter,
    /// It may be worse.
    MayBeWorse,
    /// It may be either: a ratio of two that are bounds of one kind.
    MayBeEither,
}

impl Bound {
    /// That of the ratio of one figure to another.
    pub fn of_ratio(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let inverse = other.map(|other| match other {
            Self::MayBeBetter => Self::MayBeWorse,
            Self::MayBeWorse => Self::MayBeBetter,
            Self::MayBeEither => Self::MayBeEither,
        });
        match (one, inverse) {
            (Some(one), Some(inverse)) if one != inverse => Some(Self::MayBeEither),
            _ => one.or(inverse),
        }
    }
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
        let is_any =
            |side: Option<Bound>, bounds: [Bound; 2]| side.is_some_and(|it| bounds.contains(&it));
        let better = [Bound::MayBeBetter, Bound::MayBeEither];
        let worse = [Bound::MayBeWorse, Bound::MayBeEither];
        let may_be_better = is_any(self.one, better) || is_any(self.other, worse);
        let may_be_worse = is_any(self.one, worse) || is_any(self.other, better);
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
    use Bound::{MayBeBetter, MayBeEither, MayBeWorse};
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
            (Some(MayBeEither), None, [None; 4]),
            (None, Some(MayBeEither), [None; 4]),
        ] {
            let bounds = Bounds { one, other };
            let said = [Faster, Slower, Same, Unclear].map(|verdict| bounds.allow(verdict));
            assert_eq!(said, left, "{one:?} {other:?}");
            assert_eq!(bounds.is_any(), left != all);
        }
    }

    #[test]
    fn a_ratio_is_a_bound_where_a_part_of_it_is_one() {
        for (one, other, ratio) in [
            (None, None, None),
            (Some(MayBeBetter), None, Some(MayBeBetter)),
            (None, Some(MayBeBetter), Some(MayBeWorse)),
            (None, Some(MayBeWorse), Some(MayBeBetter)),
            (Some(MayBeBetter), Some(MayBeBetter), Some(MayBeEither)),
            (Some(MayBeWorse), Some(MayBeWorse), Some(MayBeEither)),
            (Some(MayBeWorse), Some(MayBeBetter), Some(MayBeWorse)),
        ] {
            assert_eq!(Bound::of_ratio(one, other), ratio, "{one:?} {other:?}");
        }
    }
}
