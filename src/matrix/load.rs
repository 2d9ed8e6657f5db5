//! `[[load]]`: how hard a server is asked.

use std::time::Duration;

use super::names::name;
use super::patterns::{Patterns, patterns};
use super::problem::{Place, Problem};
use super::quantity::parse_rate;
use super::table::Table;
use super::wire::Value;
use super::{Arrival, Load, Stop, VerifyDepth};
use crate::http::request::Version;

/// The shortest time that a wait may take.
pub(super) const MOMENT: Duration = Duration::from_millis(1);
/// The lowest rate, in requests per second: one in a quarter of an hour.
pub(super) const RATE_MIN: f64 = 0.001;
/// The highest rate, per second.
pub(super) const RATE_MAX: f64 = 10_000_000.0;
/// The most requests of one trial.
pub(super) const REQUESTS_MAX: u64 = 1_000_000_000;
/// Connections by default, and at most.
pub(super) const CONNECTIONS: u32 = 64;
pub(super) const CONNECTIONS_MAX: u32 = 100_000;
/// Requests under way on one connection, at most.
pub(super) const PIPELINE_MAX: u32 = 1000;
/// How long `requests` may take by default.
pub(super) const AT_MOST: Duration = Duration::from_mins(1);
/// What may be chosen, by its words; the first is the default.
pub(super) const VERSIONS: [(&str, Version); 2] =
    [("1.1", Version::Http11), ("1.0", Version::Http10)];
pub(super) const DEPTHS: [(&str, VerifyDepth); 3] =
    [("sample", VerifyDepth::Sample), ("all", VerifyDepth::All), ("none", VerifyDepth::None)];
/// Whether arrivals are a Poisson process.
pub(super) const ARRIVALS: [(&str, bool); 2] = [("even", false), ("poisson", true)];
/// The columns that may rank.
pub(super) const COLUMNS: [&str; 5] = ["goodput", "p50", "p99", "cpu", "memory"];

/// A load, and what is needed to check it against the rest.
pub(super) struct Driven {
    pub(super) load: Load,
    pub(super) place: Place,
    pub(super) workloads: Patterns,
}

/// Reads a `[[load]]`; without a name it is called by its figures, `c64` for 64 connections.
pub(super) fn load(mut table: Table<'_>) -> Driven {
    let mut name = name(&mut table);
    let connections = table.whole("connections", 1..=CONNECTIONS_MAX).unwrap_or(CONNECTIONS);
    let http = http(&mut table);
    let keep_alive = table.boolean("keep-alive").is_none_or(|yes| yes.value);
    let pipeline = pipeline(&mut table, keep_alive, http);
    // It asks whether there is a `rate`, which the next one takes out.
    let stop = stop(&mut table);
    let arrival = arrival(&mut table);
    let timeout = table.duration("timeout", MOMENT).map(|timeout| timeout.value);
    let verify = table.choice("verify", &DEPTHS);
    let columns = COLUMNS.map(|column| (column, column));
    let rank_by = table.choice("rank-by", &columns).map(str::to_owned);
    let workloads = patterns(&mut table, "workloads");
    table.finish();
    if name.value.is_empty() {
        name.value = figures(connections, arrival, stop);
    }
    let load = Load {
        name: name.value,
        connections,
        keep_alive,
        pipeline,
        http,
        arrival,
        stop,
        timeout,
        verify: verify.unwrap_or(VerifyDepth::Sample),
        rank_by: rank_by.unwrap_or_else(|| default_rank(arrival).to_owned()),
        workloads: workloads.globs.clone(),
    };
    Driven { load, place: name.place, workloads }
}

fn default_rank(arrival: Arrival) -> &'static str {
    if arrival == Arrival::ClosedLoop { "goodput" } else { "p99" }
}

fn figures(connections: u32, arrival: Arrival, stop: Stop) -> String {
    let mut name = format!("c{connections}");
    if let Arrival::Even { rate } | Arrival::Poisson { rate } = arrival {
        name = format!("{name}-r{rate}");
    }
    if let Stop::Requests { count, .. } = stop {
        name = format!("{name}-n{count}");
    }
    name
}

fn http(table: &mut Table<'_>) -> Version {
    let planned = table.value_of("http").filter(|node| {
        matches!(&node.value, Value::Text(version) if matches!(version.as_str(), "2" | "2.0" | "3"))
    });
    if let Some(node) = planned {
        let what = "HTTP/2 and HTTP/3 are not supported yet";
        let problem = Problem::at(node.place.clone(), what);
        table.reading.report(problem.hint("`1.1` or `1.0` can be spoken"));
        table.discard("http");
    }
    table.choice("http", &VERSIONS).unwrap_or(Version::Http11)
}

fn pipeline(table: &mut Table<'_>, keep_alive: bool, http: Version) -> u32 {
    let place = table.value_of("pipeline").map(|node| node.place.clone());
    let pipeline = table.whole("pipeline", 1..=PIPELINE_MAX).unwrap_or(1);
    if let (2.., Some(place)) = (pipeline, place) {
        let against = match (keep_alive, http) {
            (false, _) => "`keep-alive = false`",
            (true, Version::Http10) => "`http = \"1.0\"`",
            (true, Version::Http11) => return pipeline,
        };
        let what = format!("`pipeline` does not go with {against}");
        let hint = "a connection takes several requests at once only under HTTP/1.1 and kept";
        table.reading.report(Problem::at(place, what).hint(hint));
    }
    pipeline
}

fn arrival(table: &mut Table<'_>) -> Arrival {
    report_alone(table, "arrivals", "rate", "it says how the requests of a `rate` are spaced");
    let expected = "a rate per second, 0.001 to 10,000,000, such as `5000`";
    let rate = table.read("rate", expected, |value| {
        let rate = match value {
            Value::Whole(number) => *number as f64,
            Value::Number(number) => *number,
            Value::Text(text) => parse_rate(text)?,
            _ => return None,
        };
        (RATE_MIN..=RATE_MAX).contains(&rate).then_some(rate)
    });
    let is_poisson = table.choice("arrivals", &ARRIVALS);
    match rate.map(|rate| rate.value) {
        Some(rate) if is_poisson == Some(true) => Arrival::Poisson { rate },
        Some(rate) => Arrival::Even { rate },
        None => Arrival::ClosedLoop,
    }
}

fn stop(table: &mut Table<'_>) -> Stop {
    report_alone(table, "at-most", "requests", "it bounds how long `requests` may take");
    if let Some(node) = table.value_of("requests").filter(|_| table.has("rate")) {
        let problem =
            Problem::at(node.place.clone(), "`requests` beside `rate` is not supported yet");
        table.reading.report(problem.hint("`[run] measure` bounds a paced load"));
    }
    let requests = table.whole("requests", 1..=REQUESTS_MAX);
    let at_most = table.duration("at-most", MOMENT).map(|longest| longest.value);
    requests
        .map_or(Stop::Window, |count| Stop::Requests { count, at_most: at_most.unwrap_or(AT_MOST) })
}

/// Notes a key that means nothing without another.
fn report_alone(table: &Table<'_>, key: &str, other: &str, hint: &str) {
    let Some(node) = table.value_of(key).filter(|_| !table.has(other)) else { return };
    let what = format!("`{key}` stands here without `{other}`");
    table.reading.report(Problem::at(node.place.clone(), what).hint(hint));
}
