//! The result of a load in the words of older tools, for people who know them: ab, siege, webbench.
//!
//! The words are theirs, the figures ours: failed requests are those that were wrong or lost, and times are measured as
//! everywhere here.

use std::fmt::Write as _;

mod cells;

pub use cells::{Told, Words, told, write};

use super::escape::plain;
use super::load::LoadInfo;
use crate::outcome::{Lost, Wrong};
use crate::record::measured::{Measured, Times};

/// Bytes of what ab and siege call a kilobyte and a megabyte.
const KILO: f64 = 1024.0;

/// In the words of ab.
pub fn ab(measured: &Measured, info: &LoadInfo) -> String {
    let failed = measured.bad();
    let seconds = measured.window_seconds;
    let rate = measured.throughput_per_second;
    let length = measured.body_bytes.checked_div(measured.answers()).unwrap_or(0);
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:<24}{value}", format!("{name}:"));
    };
    row("Server Hostname", &plain(&info.host));
    row("Server Port", &info.port.to_string());
    row("Document Path", &plain(&info.path));
    row("Document Length", &format!("{length} bytes"));
    if let Some(at_once) = info.at_once {
        row("Concurrency Level", &at_once.to_string());
    }
    row("Time taken for tests", &format!("{seconds:.3} seconds"));
    row("Complete requests", &measured.answers().to_string());
    row("Failed requests", &failed.to_string());
    if failed > 0 {
        let connect =
            [Lost::ConnectRefused, Lost::ConnectTimeout, Lost::ConnectOther, Lost::PortsExhausted];
        let connect: u64 = connect.iter().map(|kind| measured.lost.of(*kind)).sum();
        let length = measured.wrong.of(Wrong::Length);
        let receive = measured.lost.total() - connect;
        let exceptions = measured.wrong.total() - length;
        let _ = writeln!(
            text,
            "   (Connect: {connect}, Receive: {receive}, Length: {length}, Exceptions: {exceptions})"
        );
    }
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "{:<24}{value}", format!("{name}:"));
    };
    row("Total transferred", &format!("{} bytes", measured.bytes_received));
    row("HTML transferred", &format!("{} bytes", measured.body_bytes));
    row("Requests per second", &format!("{rate:.2} [#/sec] (mean)"));
    // What ab reckons from its rate, which holds in a closed loop only, is measured here.
    if let Some(mean_us) = measured.response_time_us.mean {
        row("Time per request", &format!("{:.3} [ms] (mean)", mean_us / 1e3));
    }
    if rate > 0.0 {
        let each = 1000.0 / rate;
        row("Time per request", &format!("{each:.3} [ms] (mean, across all concurrent requests)"));
    }
    let kilobytes = measured.bytes_received as f64 / KILO / seconds.max(1e-9);
    row("Transfer rate", &format!("{kilobytes:.2} [Kbytes/sec] received"));
    // Of no answer there are no times, which are not 0.
    if measured.answers() > 0 {
        ab_times(&mut text, measured);
    }
    text
}

fn ab_times(text: &mut String, measured: &Measured) {
    text.push_str("\nConnection Times (ms)\n              min  mean[+/-sd] median   max\n");
    for (name, times) in [
        ("Connect:", &measured.connect_time_us),
        ("Processing:", &measured.service_time_us),
        ("Waiting:", &measured.first_byte_us),
        ("Total:", &measured.response_time_us),
    ] {
        let ms = |micros: Option<f64>| micros.unwrap_or_default() / 1e3;
        let _ = writeln!(
            text,
            "{name:<13}{:>4.0} {:>5.1} {:>6.1} {:>6.1} {:>7.1}",
            ms(times.min),
            ms(times.mean),
            ms(times.stdev),
            ms(times.p50),
            ms(times.max)
        );
    }
    let Some(histogram) = measured.response_time_us.histogram() else { return };
    text.push_str("\nPercentage of the requests served within a certain time (ms)\n");
    for percent in [50, 66, 75, 80, 90, 95, 98, 99, 100] {
        let nanos = histogram.value_at_quantile(f64::from(percent) / 100.0);
        let longest = if percent == 100 { " (longest request)" } else { "" };
        let _ = writeln!(text, "{percent:>4}%  {:>7.2}{longest}", nanos as f64 / 1e6);
    }
}

/// In the words of siege.
pub fn siege(measured: &Measured, _info: &LoadInfo) -> String {
    let failed = measured.bad();
    let ended = measured.good + failed;
    let availability = if ended > 0 { measured.good as f64 / ended as f64 * 100.0 } else { 0.0 };
    let seconds = measured.window_seconds.max(1e-9);
    let megabytes = measured.bytes_received as f64 / KILO / KILO;
    let times: &Times = &measured.response_time_us;
    let in_seconds = |micros: Option<f64>| {
        micros.map_or_else(|| "-".to_owned(), |micros| format!("{:.4}", micros / 1e6))
    };
    let mean = times.mean.unwrap_or_default() / 1e6;
    let mut text = String::new();
    let mut row = |name: &str, value: String, unit: &str| {
        let _ = writeln!(text, "{:<28}{value:>12} {unit}", format!("{name}:"));
    };
    row("Transactions", measured.answers().to_string(), "hits");
    row("Availability", format!("{availability:.2}"), "%");
    row("Elapsed time", format!("{seconds:.2}"), "secs");
    row("Data transferred", format!("{megabytes:.2}"), "MB");
    row("Response time", in_seconds(times.mean), "secs");
    row("Transaction rate", format!("{:.2}", measured.answers() as f64 / seconds), "trans/sec");
    row("Throughput", format!("{:.2}", megabytes / seconds), "MB/sec");
    // By Little's law: how many were under way in the mean.
    row("Concurrency", format!("{:.2}", measured.throughput_per_second * mean), "");
    row("Successful transactions", measured.good.to_string(), "");
    row("Failed transactions", failed.to_string(), "");
    row("Longest transaction", in_seconds(times.max), "");
    row("Shortest transaction", in_seconds(times.min), "");
    text
}

/// In the words of webbench, whose speed counts pages that failed too.
pub fn webbench(measured: &Measured, _info: &LoadInfo) -> String {
    let failed = measured.bad();
    let seconds = measured.window_seconds.max(1e-9);
    format!(
        "Speed={:.0} pages/min, {:.0} bytes/sec.\nRequests: {} succeeded, {failed} failed.\n",
        (measured.good + failed) as f64 / seconds * 60.0,
        measured.bytes_received as f64 / seconds,
        measured.good
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_of_webbench_counts_pages_that_failed_too() {
        let mut measured =
            Measured { good: 90, window_seconds: 2.0, bytes_received: 400, ..Measured::default() };
        (0..6).for_each(|_| measured.wrong.add(Wrong::Status));
        (0..4).for_each(|_| measured.lost.add(Lost::ConnectRefused));
        let info = LoadInfo {
            url: "http://127.0.0.1/".to_owned(),
            method: "GET".to_owned(),
            host: "127.0.0.1".to_owned(),
            port: 80,
            path: "/".to_owned(),
            at_once: Some(1),
            words: "1 connection".to_owned(),
        };
        assert_eq!(
            webbench(&measured, &info),
            "Speed=3000 pages/min, 200 bytes/sec.\nRequests: 90 succeeded, 10 failed.\n"
        );
    }
}
