//! The result of one load for a person: figures, times, what the generator cost, and a chart of the distribution.

use std::fmt::Write as _;

use hdrhistogram::Histogram;

use super::escape::plain;
use crate::judge::too_few;
use crate::outcome::Kind as _;
use crate::record::measured::{Measured, Times};
use crate::units::{write_bytes, write_count, write_micros, write_number};

/// What is known of a load besides its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadInfo {
    /// As it was typed.
    pub url: String,
    /// The method.
    pub method: String,
    /// The host's name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The path.
    pub path: String,
    /// Connections at once; absent if a record of an older version does not tell.
    pub connections: Option<u64>,
    /// The load in words.
    pub words: String,
}

/// The quantiles shown, and their heads.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];
/// Rows of the chart, and the width of its longest bar.
const CHART: (usize, usize) = (12, 40);

/// The result as text.
pub fn text(measured: &Measured, info: &LoadInfo) -> String {
    let mut text = format!("{} {} · {}\n\n", plain(&info.method), plain(&info.url), info.words);
    outcomes(&mut text, measured);
    times(&mut text, measured);
    cost(&mut text, measured);
    if let Some(histogram) = measured.response_time_us.histogram() {
        chart(&mut text, &histogram);
    }
    for caveat in &measured.caveats {
        line(&mut text, &format!("{}: {}", caveat.caveat.name(), plain(&caveat.detail)));
    }
    for example in &measured.examples {
        let detail = plain(&example.detail);
        line(
            &mut text,
            &format!("for example {} after {} ms: {detail}", example.kind, example.at_ms),
        );
    }
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn outcomes(text: &mut String, measured: &Measured) {
    let per_second = write_number(measured.goodput_per_second);
    let seconds = measured.window_seconds;
    line(text, &format!("right answers   {per_second} per second over {seconds:.2} s"));
    line(
        text,
        &format!(
            "attempts        {} = {} good + {} wrong + {} lost + {} unfinished",
            write_count(measured.attempted),
            write_count(measured.good),
            write_count(measured.wrong.total()),
            write_count(measured.lost.total()),
            write_count(measured.unfinished)
        ),
    );
    for (kind, count) in measured.wrong.seen() {
        line(text, &format!("  wrong {:<14} {}", kind.name(), write_count(count)));
    }
    for (kind, count) in measured.lost.seen() {
        line(text, &format!("  lost {:<15} {}", kind.name().replace('_', " "), write_count(count)));
    }
    let statuses: Vec<String> = measured
        .status
        .iter()
        .map(|(status, count)| format!("{status} × {}", write_count(*count)))
        .collect();
    line(text, &format!("statuses        {}", statuses.join(", ")));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes per second")]
    let rate = (measured.bytes_received as f64 / seconds.max(1e-9)) as u64;
    line(
        text,
        &format!(
            "received        {}, {}/s",
            write_bytes(measured.bytes_received),
            write_bytes(rate)
        ),
    );
    let connections = [
        (measured.connections_opened, "opened"),
        (measured.reconnects, "ended by the server"),
        (measured.kept_open, "left open"),
        (measured.replayed, "requests replayed"),
    ];
    let seen: Vec<String> = connections
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", write_count(*count)))
        .collect();
    if !seen.is_empty() {
        line(text, &format!("connections     {}", seen.join(", ")));
    }
}

fn times(text: &mut String, measured: &Measured) {
    let heads: String = QUANTILES.iter().fold(String::new(), |mut heads, (head, _)| {
        // Writing to a string does not fail.
        let _ = write!(heads, "{head:>10}");
        heads
    });
    line(text, &format!("\n{:<16}{:>10}{heads}{:>10}{:>10}", "", "min", "max", "mean"));
    for (name, times) in [
        ("response time", &measured.response_time_us),
        ("service time", &measured.service_time_us),
        ("first byte", &measured.first_byte_us),
        ("connect", &measured.connect_time_us),
        ("queue wait", &measured.queue_wait_us),
        ("lateness", &measured.lateness_us),
    ] {
        if !times.is_empty() {
            time(text, name, times);
        }
    }
    text.push('\n');
}

fn time(text: &mut String, name: &str, times: &Times) {
    let write = |micros: Option<f64>| micros.map_or("—".to_owned(), write_micros);
    let _ = write!(text, "{name:<16}{:>10}", write(times.min));
    for (_, quantile) in QUANTILES {
        let value = match quantile {
            0.5 => times.p50,
            0.9 => times.p90,
            0.99 => times.p99,
            _ => times.p999,
        };
        let shown = value.filter(|_| too_few::is_enough(times.count, quantile));
        let _ = write!(text, "{:>10}", write(shown));
    }
    let _ = writeln!(text, "{:>10}{:>10}", write(times.max), write(times.mean));
}

fn cost(text: &mut String, measured: &Measured) {
    let generator = &measured.generator;
    let per_request =
        generator.cpu_us_per_request.map_or("—".to_owned(), |micros| format!("{micros:.2} us"));
    let spin = if generator.spin_us > 0 {
        format!(", {} spun away", write_micros(generator.spin_us as f64))
    } else {
        String::new()
    };
    line(
        text,
        &format!(
            "the generator   {per_request} of CPU per request, busiest thread {:.0} % busy{spin}",
            generator.busy_max * 100.0
        ),
    );
}

/// Response times on a logarithmic axis: a bar for each step of equal ratio between the shortest and the longest.
fn chart(text: &mut String, histogram: &Histogram<u64>) {
    let (shortest, longest) = (histogram.min().max(1) as f64, histogram.max().max(2) as f64);
    let ratio = (longest / shortest).powf(1.0 / CHART.0 as f64).max(1.0 + 1e-9);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the histogram's bounds"
    )]
    let bound = |step: usize| (shortest * ratio.powf(step as f64)).round() as u64;
    let mut counts = [0; CHART.0];
    for value in histogram.iter_recorded() {
        let nanos = value.value_iterated_to().max(1) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let step = ((nanos / shortest).ln().max(0.0) / ratio.ln()) as usize;
        counts[step.min(CHART.0 - 1)] += value.count_at_value();
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    line(text, "\nresponse time, up to");
    for (step, count) in counts.iter().enumerate() {
        let width = usize::try_from(count * CHART.1 as u64 / most).unwrap_or(CHART.1);
        let bar = "█".repeat(width.max(usize::from(*count > 0)));
        let upper = write_micros(bound(step + 1) as f64 / 1e3);
        line(text, &format!("{upper:>10}  {bar} {}", write_count(*count)));
    }
    text.push('\n');
}
