//! Whether some bytes occur in a stream, found across the borders of its pieces.
//!
//! Knuth, Morris, Pratt (1977): the state between two pieces is one number, so nothing of the
//! stream is kept.

/// The search for one needle in one stream.
#[derive(Debug)]
pub(super) struct Search<'n> {
    needle: &'n [u8],
    /// For each length of a match, the length of the longest shorter one that it ends in.
    fallback: Vec<usize>,
    /// How much of the needle the stream ends in so far; all of it once it was found.
    matched: usize,
}

impl<'n> Search<'n> {
    pub(super) fn new(needle: &'n [u8]) -> Self {
        let mut search = Self { needle, fallback: vec![0; needle.len() + 1], matched: 0 };
        for (at, &byte) in needle.iter().enumerate().skip(1) {
            search.matched = search.after(byte);
            search.fallback[at + 1] = search.matched;
        }
        search.matched = 0;
        search
    }

    pub(super) fn has_found(&self) -> bool {
        self.matched == self.needle.len()
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        for &byte in piece {
            if self.has_found() {
                return;
            }
            self.matched = self.after(byte);
        }
    }

    fn after(&self, byte: u8) -> usize {
        let mut matched = self.matched;
        while matched > 0 && self.needle[matched] != byte {
            matched = self.fallback[matched];
        }
        matched + usize::from(self.needle[matched] == byte)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_needle_is_found_wherever_the_stream_is_cut(
            needle in "[ab]{0,6}", text in "[ab]{0,40}", cut in 0_usize..41,
        ) {
            let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
            let mut search = Search::new(needle.as_bytes());
            search.take(first);
            search.take(second);
            prop_assert_eq!(search.has_found(), text.contains(&needle));
        }
    }
}
