//! Quantities that only a matrix holds: sizes, rates, lists of CPUs.
//!
//! Not here: durations and shares, which the command line and the reports share; see `units`.

use super::CpuChoice;

/// The highest number of a CPU that is believed.
const CPU_MAX: usize = 4095;

/// Reads a size in bytes: `640`, `12 kB`, `1.5 MiB`; `None` if it is none or no whole number of bytes.
pub fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let scale = match unit {
        "" | "B" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let bytes = number * scale;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, whole")]
    ((0.0..=9e15).contains(&bytes) && bytes.fract() == 0.0).then_some(bytes as u64)
}

/// Reads a rate per second: `5000`, `5000/s`, `5 k/s`, `300/min`; `None` if it is none.
pub fn parse_rate(text: &str) -> Option<f64> {
    let (number, unit) = split_unit(text)?;
    let scale = match unit {
        "" | "/s" | "req/s" => 1.0,
        "k" | "k/s" => 1000.0,
        "/min" => 1.0 / 60.0,
        _ => return None,
    };
    Some(number * scale)
}

/// Reads `auto`, `all`, or a list of CPUs such as `0,2-3`; `None` if it is none of these.
pub fn parse_cpus(text: &str) -> Option<CpuChoice> {
    match text.trim() {
        "auto" => return Some(CpuChoice::Auto),
        "all" => return Some(CpuChoice::All),
        _ => {}
    }
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().ok()?;
        let last: usize = last.trim().parse().ok()?;
        if first > last || last > CPU_MAX {
            return None;
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(CpuChoice::List(cpus))
}

/// The number in front, without the commas between its thousands, and what follows it.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
        .unwrap_or(text.len());
    let digits: String = text[..end].chars().filter(|c| !matches!(c, ',' | '_')).collect();
    Some((digits.parse().ok()?, text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_bytes_in_steps_of_a_thousand_or_of_1024() {
        for (text, bytes) in [
            ("640", 640),
            ("305,867 B", 305_867),
            ("12 kB", 12_000),
            ("1KiB", 1024),
            ("1.5 MiB", 1_572_864),
        ] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "kB", "-1", "0.5", "1 mile", "9e9", "1.2.3", "99999999 GB"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn rates_are_per_second_unless_said_otherwise() {
        for (text, rate) in
            [("5000", 5000.0), ("5,000/s", 5000.0), ("5 k/s", 5000.0), ("30/min", 0.5)]
        {
            assert_eq!(parse_rate(text), Some(rate), "{text}");
        }
        for text in ["", "fast", "5/h", "-5"] {
            assert_eq!(parse_rate(text), None, "{text}");
        }
    }

    #[test]
    fn cpus_are_a_word_or_a_list_of_numbers_and_ranges() {
        assert_eq!(parse_cpus("auto"), Some(CpuChoice::Auto));
        assert_eq!(parse_cpus("all"), Some(CpuChoice::All));
        assert_eq!(parse_cpus("3, 0-1,1"), Some(CpuChoice::List(vec![0, 1, 3])));
        for text in ["", "some", "3-1", "1,", "-1", "0-99999999"] {
            assert_eq!(parse_cpus(text), None, "{text}");
        }
    }
}
