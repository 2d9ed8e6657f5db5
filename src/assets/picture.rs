//! The picture: the first digits of 10,000!, each a point in one of ten colours.
//!
//! A PNG (ISO/IEC 15948) with a palette, its points stored rather than deflated: so no library decides its size.

use adler2::adler32_slice;

/// Its size in bytes.
pub const LENGTH: usize = 27_488;
/// Its digest.
pub const SHA256: &str = "948bcef1fcfaf80ba175cd64e6d3e554ac865f39afcf534e11559084ce96cbdf";

/// Points in a line, and lines.
const WIDTH: usize = 163;
const HEIGHT: usize = 166;
/// One colour a digit: red, green, blue.
const PALETTE: [[u8; 3]; 10] = [
    [0x1b, 0x1f, 0x3b],
    [0x27, 0x3c, 0x75],
    [0x1f, 0x6f, 0x8b],
    [0x2a, 0x9d, 0x8f],
    [0x8a, 0xb1, 0x7d],
    [0xe9, 0xc4, 0x6a],
    [0xf4, 0xa2, 0x61],
    [0xe7, 0x6f, 0x51],
    [0xb5, 0x38, 0x5a],
    [0xf7, 0xf3, 0xe3],
];
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Length, type and checksum of a chunk.
const CHUNK_FRAME: usize = 12;

/// Makes the picture. Takes tens of milliseconds.
pub fn make() -> Vec<u8> {
    let mut png = SIGNATURE.to_vec();
    chunk(&mut png, *b"IHDR", &header());
    chunk(&mut png, *b"PLTE", PALETTE.as_flattened());
    chunk(&mut png, *b"IDAT", &stored(&lines()));
    let rest = LENGTH - png.len() - 2 * CHUNK_FRAME;
    chunk(&mut png, *b"tEXt", &title(rest));
    chunk(&mut png, *b"IEND", &[]);
    png
}

/// Width, height, eight bits a point, with a palette, and nothing else.
fn header() -> Vec<u8> {
    let [width, height] = [WIDTH, HEIGHT].map(|side| u32::try_from(side).expect("a small side"));
    [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 3, 0, 0, 0]].concat()
}

/// The points, line by line, each line unfiltered.
fn lines() -> Vec<u8> {
    let digits = digits_of_factorial(10_000);
    digits.chunks_exact(WIDTH).take(HEIGHT).flat_map(|line| [&[0], line].concat()).collect()
}

/// A zlib stream of one stored block (RFC 1950, RFC 1951 3.2.4).
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("one block holds it");
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(bytes);
    stream.extend(adler32_slice(bytes).to_be_bytes());
    stream
}

/// A title, of so many bytes.
fn title(length: usize) -> Vec<u8> {
    let mut text = format!("Title\0The first {} digits of 10,000!, a colour each.", WIDTH * HEIGHT);
    assert!(text.len() <= length, "a title of {} bytes does not fit in {length}", text.len());
    text.push_str(&" ".repeat(length - text.len()));
    text.into_bytes()
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    png.extend(u32::try_from(data.len()).expect("a small chunk").to_be_bytes());
    let from = png.len();
    png.extend(kind);
    png.extend(data);
    let checksum = crc32fast::hash(&png[from..]);
    png.extend(checksum.to_be_bytes());
}

/// The decimal digits of `n!`, the first one first.
fn digits_of_factorial(n: u64) -> Vec<u8> {
    /// A limb holds nine digits, so that its product with a factor fits.
    const BASE: u64 = 1_000_000_000;
    let mut limbs = vec![1];
    for factor in 2..=n {
        let mut carry = 0;
        for limb in &mut limbs {
            let product = *limb * factor + carry;
            (*limb, carry) = (product % BASE, product / BASE);
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let places = (0..9).rev().map(|place| 10_u64.pow(place));
    let digits = limbs.iter().rev().flat_map(|limb| places.clone().map(move |ten| limb / ten % 10));
    let digits = digits.skip_while(|digit| *digit == 0);
    digits.map(|digit| u8::try_from(digit).expect("one digit")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::sha256;

    #[test]
    fn it_has_the_size_and_the_digest_that_all_machines_make() {
        let png = make();
        assert_eq!((png.len(), sha256(&png).as_str()), (LENGTH, SHA256));
    }

    #[test]
    fn a_factorial_has_the_digits_that_it_has() {
        let text = |n| digits_of_factorial(n).iter().map(u8::to_string).collect::<String>();
        assert_eq!(text(5), "120");
        assert_eq!(text(25), "15511210043330985984000000");
        // 10,000! has 35,660 digits (OEIS A034886) and begins with 28462596809.
        let digits = digits_of_factorial(10_000);
        assert_eq!(digits.len(), 35_660);
        assert_eq!(digits[..11], [2, 8, 4, 6, 2, 5, 9, 6, 8, 0, 9]);
    }
}
