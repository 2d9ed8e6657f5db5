//! The script: a JavaScript file of many small functions, valid, and compressed to about a third rather than to nothing.
//!
//! It is UTF-8 with some characters of three bytes: as many bytes and characters as the file that one of the source
//! benchmarks served, so that a server that encodes text on each request has the same work.

/// Its size in bytes.
pub const LENGTH: usize = 305_867;
/// Its digest.
pub const SHA256: &str = "bb6c151e69d5d8607c6b6eb5ad19d79f98c8f8c213a80975b509f47c5d9eefd5";

/// Characters of three bytes in it.
const WIDE: usize = 333;
/// Lines between two lines with a wide character.
const WIDE_EACH: usize = 4;
const HEAD: &str = "\
// A script of many small functions, made to be served: 305,867 bytes, the same on every machine.
'use strict';
";
const SYLLABLES: [&str; 16] = [
    "ba", "dor", "fi", "gu", "hel", "ji", "ka", "lum", "mo", "nir", "po", "qua", "ras", "sti",
    "tu", "ve",
];

/// Makes the script.
pub fn make() -> Vec<u8> {
    let mut draw = SplitMix(0x6f72_6368_6573_7472);
    let mut script = HEAD.to_owned();
    let mut wide = 0;
    for number in 0.. {
        let mut line = function(&mut draw, number);
        if number % WIDE_EACH == 0 && wide < WIDE {
            line.push_str(" // ");
            line.push(draw.wide());
            wide += 1;
        }
        line.push('\n');
        // The last line is a comment that fills up what is left.
        if script.len() + line.len() + "//\n".len() > LENGTH {
            break;
        }
        script.push_str(&line);
    }
    assert_eq!(wide, WIDE, "too few lines for the wide characters");
    let rest = LENGTH - script.len() - "//\n".len();
    script.extend(["//", &"-".repeat(rest), "\n"]);
    script.into_bytes()
}

/// A function in one line.
fn function(draw: &mut SplitMix, number: usize) -> String {
    let [name, row, field] = [(); 3].map(|()| draw.word());
    let (first, factor, modulus) = (draw.below(100_000), draw.below(997) + 3, draw.below(u32::MAX));
    match draw.below(3) {
        0 => format!(
            "function {name}{number}({row}, seed) {{ return ({row} * {factor} + seed * {first}) % {modulus}; }}"
        ),
        1 => format!(
            "function {name}{number}(list) {{ let sum = {first}; for (const {row}_ of list) sum = (sum * {factor} + {row}_.{field}) % {modulus}; return sum; }}"
        ),
        _ => format!(
            "const {name}{number} = {{ {row}: '{field}-{first}', {field}_{factor}: [{factor}, {first}, {modulus}] }};"
        ),
    }
}

/// Vigna's `SplitMix64`: a generator whose numbers no library will ever change.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, by multiplication (Lemire).
    fn below(&mut self, bound: u32) -> u32 {
        let high = ((self.next() >> 32) * u64::from(bound)) >> 32;
        u32::try_from(high).expect("below a bound of 32 bits")
    }

    /// A word of two to four syllables; none is a word of the language.
    fn word(&mut self) -> String {
        (0..2 + self.below(3)).map(|_| SYLLABLES[self.below(16) as usize]).collect()
    }

    /// A character of three bytes, of the common Chinese ones.
    fn wide(&mut self) -> char {
        char::from_u32(0x4e00 + self.below(0x5000)).expect("a character of that block")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::sha256;

    #[test]
    fn it_has_the_size_and_the_digest_that_all_machines_make() {
        let script = make();
        assert_eq!((script.len(), sha256(&script).as_str()), (LENGTH, SHA256));
        let text = String::from_utf8(script).expect("UTF-8");
        assert_eq!(text.chars().count(), 305_201);
    }

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        // The first ones for the seed 1234567, as Vigna's own program gives them.
        let mut draw = SplitMix(1_234_567);
        let drawn = [(); 3].map(|()| draw.next());
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
