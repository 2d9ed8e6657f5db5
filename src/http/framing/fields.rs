//! The fields of a head, one after the other, for those who look for one by name.
//!
//! It does not validate: the head it walks over was accepted by [`super::head`] before. Framing
//! does not come through here, so that a small answer costs one pass.

use super::Head;

/// The fields of a head, in the order received. See [`Head::fields`].
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    /// Names and values in the order received. Values come without the white space around them; a
    /// value folded over several lines still holds its line ends.
    pub fn fields(&self) -> Fields<'a> {
        let blank = self.raw.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let (_, rest) = split_line(&self.raw[blank..]);
        Fields { rest }
    }

    /// The value of the first field of this name, whatever the case of its letters.
    pub fn field(&self, name: &str) -> Option<&'a [u8]> {
        self.fields().find(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest;
        let (mut line, mut rest) = split_line(start);
        let colon = line.iter().position(|&b| b == b':')?;
        while matches!(rest.first(), Some(b' ' | b'\t')) {
            let (more, after) = split_line(rest);
            line = &start[..line.len() + more.len()];
            rest = after;
        }
        self.rest = rest;
        Some((&line[..colon], line[colon + 1..].trim_ascii()))
    }
}

/// The first line with its end, and what follows.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&b| b == b'\n').map_or(bytes.len(), |at| at + 1);
    bytes.split_at(end)
}
