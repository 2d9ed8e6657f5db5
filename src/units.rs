//! Quantities as people write them, and as we write them back.
//!
//! Not here: what a quantity means. Input is text from a matrix or the command line, or a number from a record.

use std::time::Duration;

/// Why a quantity could not be read; the text says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct UnitError {
    text: String,
    expected: &'static str,
}

/// Reads a duration with a unit: `500ms`, `2s`, `1m 30s`.
///
/// # Errors
/// When the text is no such duration, or is negative.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    humantime::parse_duration(text.trim()).map_err(|_| UnitError {
        text: text.to_owned(),
        expected: "a duration such as `500ms`, `2s` or `1m 30s`",
    })
}

/// Reads a share: `2%`, `0.5 %`, or a plain number, where `0.02` is two per cent.
///
/// # Errors
/// When the text is no number, is not finite, or lies outside 0 to 1.
pub fn parse_share(text: &str) -> Result<f64, UnitError> {
    let trimmed = text.trim();
    let (digits, scale) = match trimmed.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 0.01),
        None => (trimmed, 1.0),
    };
    digits
        .parse::<f64>()
        .map(|number| number * scale)
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| UnitError { text: text.to_owned(), expected: "a share such as `2%`" })
}

/// Writes a duration in the unit that suits it: `250 ms`, `3 s`, `12 min 30 s`, `2 h 5 min`.
pub fn write_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 if duration.subsec_millis() > 0 => format!("{} ms", duration.as_millis()),
        0 => "0 s".to_owned(),
        1..60 if duration.subsec_millis() >= 50 => format!("{:.1} s", duration.as_secs_f64()),
        1..60 => format!("{seconds} s"),
        60..3600 => join_units(seconds / 60, "min", seconds % 60, "s"),
        _ => join_units(seconds / 3600, "h", seconds % 3600 / 60, "min"),
    }
}

/// Writes a duration as it would be typed, in one word: `500ms`, `1m30s`.
pub fn typed_duration(duration: Duration) -> String {
    humantime::format_duration(duration).to_string().replace(' ', "")
}

fn join_units(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large} {large_unit}")
    } else {
        format!("{large} {large_unit} {small} {small_unit}")
    }
}

/// Writes a number with thousands set apart, and no more digits than three that count: `58,100`, `0.61`.
pub fn write_number(number: f64) -> String {
    if !number.is_finite() {
        return "—".to_owned();
    }
    let magnitude = number.abs();
    if magnitude >= 1000.0 {
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a finite number")]
        let digits = magnitude.log10().floor() as i32;
        let step = 10f64.powi(digits - 2);
        return write_thousands((number / step).round() * step);
    }
    let decimals = match magnitude {
        100.0.. => 0,
        10.0..100.0 => 1,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// Writes a ratio with so many decimals, and below 0.1 with so many digits that count, so that a small one is not written as
/// none: `1.41`, `0.0042`.
pub fn write_ratio(ratio: f64, decimals: usize) -> String {
    let mut decimals = decimals;
    // What is smaller than any ratio of two figures is none.
    if ratio > 1e-30 {
        let mut tenth = 0.1;
        while ratio < tenth {
            decimals += 1;
            tenth /= 10.0;
        }
    }
    format!("{ratio:.decimals$}")
}

/// Writes a whole number with a comma between thousands: `305,867`.
pub fn write_thousands(number: f64) -> String {
    let plain = format!("{:.0}", number.abs());
    let mut text = String::with_capacity(plain.len() + plain.len() / 3 + 1);
    if number < 0.0 {
        text.push('-');
    }
    for (place, digit) in plain.char_indices() {
        if place > 0 && (plain.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a count with a comma between thousands.
pub fn write_count(count: u64) -> String {
    write_thousands(count as f64)
}

/// A number of things: `1 trial`, `2 trials`.
pub fn count_of(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Writes bytes as a person reads them, in steps of 1,000: `640 kB`, `9 MB`, `1.2 GB`.
pub fn write_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && amount < 9.95);
    format!("{amount:.decimals$} {}", UNITS[unit])
}

/// Writes microseconds in the unit that suits them: `45 us`, `1.6 ms`, `2.5 s`.
pub fn write_micros(micros: f64) -> String {
    match micros {
        ..999.5 => format!("{} us", write_significant(micros)),
        ..999_500.0 => format!("{} ms", write_significant(micros / 1e3)),
        _ => format!("{} s", write_significant(micros / 1e6)),
    }
}

fn write_significant(number: f64) -> String {
    let decimals = match number.abs() {
        9.95.. => 0,
        _ => 1,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_a_unit_and_refused_without_or_below_zero() {
        for (text, milliseconds) in [("500ms", 500), ("2s", 2000), (" 1m 30s ", 90_000)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "2", "-1s", "soon", "1 fortnight"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_read_as_per_cent_or_as_a_fraction() {
        for (text, share) in [("2%", 0.02), ("0.5 %", 0.005), ("0.1", 0.1), ("100%", 1.0)] {
            let read = parse_share(text).expect(text);
            assert!((read - share).abs() < 1e-12, "{text}: {read}");
        }
        for text in ["", "%", "-1%", "101%", "NaN", "two"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_small_ratio_keeps_digits_that_count() {
        for (ratio, decimals, text) in [
            (1.409, 2, "1.41"),
            (12.3456, 3, "12.346"),
            (0.1, 2, "0.10"),
            (0.047_12, 2, "0.047"),
            (0.0042, 2, "0.0042"),
            (0.000_123_4, 3, "0.000123"),
            (0.0, 2, "0.00"),
        ] {
            assert_eq!(write_ratio(ratio, decimals), text);
        }
    }

    #[test]
    fn numbers_keep_three_digits_that_count() {
        for (number, text) in [
            (58_123.0, "58,100"),
            (1_234_567.0, "1,230,000"),
            (999.6, "1000"),
            (412.3, "412"),
            (41.23, "41.2"),
            (0.612, "0.61"),
            (0.0, "0.00"),
        ] {
            assert_eq!(write_number(number), text);
        }
        assert_eq!(write_count(305_867), "305,867");
        assert_eq!(write_count(0), "0");
        assert_eq!(write_thousands(-1234.0), "-1,234");
    }

    #[test]
    fn durations_bytes_and_times_are_written_in_the_unit_that_suits_them() {
        for (milliseconds, text) in
            [(0, "0 s"), (250, "250 ms"), (3000, "3 s"), (2500, "2.5 s"), (750_000, "12 min 30 s")]
        {
            assert_eq!(write_duration(Duration::from_millis(milliseconds)), text);
        }
        assert_eq!(typed_duration(Duration::from_millis(90_500)), "1m30s500ms");
        for (bytes, text) in [(11, "11 B"), (9_400_000, "9.4 MB"), (61_000_000, "61 MB")] {
            assert_eq!(write_bytes(bytes), text);
        }
        for (micros, text) in [(45.2, "45 us"), (1600.0, "1.6 ms"), (2_500_000.0, "2.5 s")] {
            assert_eq!(write_micros(micros), text);
        }
    }
}
