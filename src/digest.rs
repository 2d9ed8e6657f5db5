//! Digests of contents, as they are recorded: SHA-256 in lower-case hexadecimal.

use sha2::{Digest as _, Sha256};

/// The digest of these bytes.
pub fn sha256(bytes: &[u8]) -> String {
    write(&Sha256::digest(bytes))
}

/// Bytes in lower-case hexadecimal.
pub fn write(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Reads a SHA-256 digest of 64 hexadecimal digits.
pub fn parse_sha256(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect();
    let bytes: Vec<u8> = digits?.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    bytes.try_into().ok().filter(|_| text.len() == 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let truth = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), truth);
        assert_eq!(parse_sha256(truth).map(|bytes| write(&bytes)).as_deref(), Some(truth));
        for text in ["", "ba78", "g".repeat(64).as_str(), &truth[1..]] {
            assert_eq!(parse_sha256(text), None, "{text}");
        }
    }
}
