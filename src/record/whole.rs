//! Is a run whole? One answer for whoever asks: what becomes `latest`, what is counted back from it, what a history takes in,
//! and what can be gone on with.

/// What of a run tells whether it is whole, wherever that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct End {
    /// Whether it is for something else than to compare targets.
    pub has_purpose: bool,
    /// Whether it is less than the matrix asks for.
    pub is_partial: bool,
    /// Whether a signal ended it.
    pub is_interrupted: bool,
    /// Whether it ended before its last trial for another reason.
    pub is_cut_short: bool,
    /// Whether it came to an end at all.
    pub has_ended: bool,
}

/// What a run is short of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// It is for something else.
    Purpose,
    /// It is less than the matrix asks for.
    Partial,
    /// A signal ended it, or nobody knows what.
    Interrupted,
    /// It ended before its last trial for another reason.
    CutShort,
}

impl Lack {
    /// What such a run is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::Purpose => "for `noise`",
            Self::Partial => "partial",
            Self::Interrupted => "interrupted",
            Self::CutShort => "cut short",
        }
    }
}

impl End {
    /// Whether nothing of it is left to be measured.
    pub fn is_finished(self) -> bool {
        self.has_ended && !self.is_interrupted && !self.is_cut_short
    }

    /// What it is short of; `None` of a run that is whole.
    pub fn lack(self) -> Option<Lack> {
        if self.has_purpose {
            Some(Lack::Purpose)
        } else if self.is_partial {
            Some(Lack::Partial)
        } else if self.is_interrupted || !self.has_ended {
            Some(Lack::Interrupted)
        } else {
            self.is_cut_short.then_some(Lack::CutShort)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_whole_if_it_ended_by_itself_and_is_all_that_was_asked_for() {
        let ended = End { has_ended: true, ..End::default() };
        for (end, lack, is_finished) in [
            (ended, None, true),
            (End { has_purpose: true, ..ended }, Some(Lack::Purpose), true),
            (End { is_partial: true, ..ended }, Some(Lack::Partial), true),
            (End { is_interrupted: true, ..ended }, Some(Lack::Interrupted), false),
            (End::default(), Some(Lack::Interrupted), false),
            (End { is_cut_short: true, ..ended }, Some(Lack::CutShort), false),
        ] {
            assert_eq!((end.lack(), end.is_finished()), (lack, is_finished), "{end:?}");
        }
    }
}
