//! The last head of a connection, so that the next one need not be parsed when it is the same.
//!
//! A server's heads differ only where it writes a date, once a second, or a number of its own.
//! Nothing here understands a head: [`super::head`] says what it found, and that this depends on
//! the head's own bytes only.

use super::head::Facts;

/// The longest head that is remembered, in bytes. Longer ones are parsed each time.
const LIMIT: usize = 512;

#[derive(Debug, Clone)]
pub(super) struct Remembered {
    facts: Option<Facts>,
    bytes: [u8; LIMIT],
}

impl Remembered {
    pub(super) fn nothing() -> Self {
        Self { facts: None, bytes: [0; LIMIT] }
    }

    /// The facts, if `input` begins with the same head.
    #[inline]
    pub(super) fn recall(&self, input: &[u8]) -> Option<Facts> {
        let facts = self.facts?;
        let head = input.get(..facts.bytes)?;
        (head == &self.bytes[..facts.bytes]).then_some(facts)
    }

    /// Remembers `head` in place of the one before, if there is room for it.
    pub(super) fn keep(&mut self, head: &[u8], facts: Facts) {
        if let Some(room) = self.bytes.get_mut(..head.len()) {
            room.copy_from_slice(head);
            self.facts = Some(facts);
        }
    }
}
