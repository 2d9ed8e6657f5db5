//! From the tallies of all threads to the record of a window.

use std::time::Duration;

use super::tally::{STEP, StepTally, Tally};
use super::times::Histograms;
use super::{Loaded, WarmUp, Yield};
use crate::clock::Instant;
use crate::record::measured::{Example, GeneratorCost, Measured, Step, Times};

/// Adds up what the threads brought back; `None` if some did not see the window to its end. A counted load has a window
/// of its own making: from its first connect.
pub(super) fn add_up(yields: Vec<Yield>, is_counted: bool) -> Option<Loaded> {
    if yields.is_empty() || yields.iter().any(|part| !part.is_complete) {
        return None;
    }
    let closed = yields.iter().map(|part| part.closed).max()?;
    let first_connect = yields.iter().map(|part| part.first_connect).min()?;
    let mut generator = GeneratorCost::default();
    let mut cpu_nanos = 0;
    let (mut window, mut warm_up): (Option<Tally>, WarmUp) = (None, WarmUp::default());
    let mut connects = Histograms::empty();
    for part in yields {
        generator.threads += 1;
        generator.turn_us_max = generator.turn_us_max.max(part.turn_nanos_max as f64 / 1e3);
        if let Some(cost) = part.cost {
            cpu_nanos += cost.cpu_nanos - cost.spin_nanos;
            generator.spin_us += cost.spin_nanos / 1000;
            generator.busy_max = generator.busy_max.max(cost.busy);
            generator.wait_max = cost.wait.into_iter().chain(generator.wait_max).reduce(f64::max);
        }
        add_warm_up(&mut warm_up, &part.warm_up);
        connects.add(&part.warm_up.times.connect).expect("histograms of equal bounds can be added");
        match &mut window {
            Some(whole) => whole.merge(part.window),
            None => window = Some(part.window),
        }
    }
    let mut tally = window?;
    tally.settle_unanswered(closed);
    assert!(tally.adds_up(), "outcomes do not add up to attempts: {tally:?}");
    // What only waited in line has cost nothing yet.
    let ended = tally.answers() + tally.lost.total();
    if ended > 0 {
        let micros = cpu_nanos as f64 / 1e3 / ended as f64;
        generator.cpu_us_per_request = Some((micros * 1e3).round() / 1e3);
    }
    let opened = if is_counted { first_connect.min(closed) } else { tally.opened() };
    let requests_written = tally.requests_written;
    let mut measured = measured(tally, closed.since(opened), generator);
    measured.connect_time_warm_up_us = Times::of(&connects);
    Some(Loaded { measured, requests_written, warm_up, opened, closed })
}

fn add_warm_up(sum: &mut WarmUp, tally: &Tally) {
    assert!(tally.adds_up(), "outcomes of the warm-up do not add up to attempts: {tally:?}");
    sum.answers += tally.answers();
    sum.bad += tally.wrong.total() + tally.lost.total();
    sum.requests_written += tally.requests_written;
}

fn measured(tally: Tally, length: Duration, generator: GeneratorCost) -> Measured {
    let opened = tally.opened();
    let seconds = length.as_secs_f64();
    let per_second = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    Measured {
        window_seconds: seconds,
        attempted: tally.attempted(),
        carried_in: tally.carried_in,
        sent: tally.sent,
        good: tally.good,
        checked: tally.checked,
        unfinished: tally.unfinished,
        in_line: tally.in_line,
        replayed: tally.replayed,
        reconnects: tally.reconnects,
        unsolicited: tally.unsolicited,
        kept_open: tally.kept_open,
        connections_opened: tally.connections_opened,
        throughput_per_second: per_second(tally.answers()),
        goodput_per_second: per_second(tally.good),
        bytes_received: tally.bytes_received,
        body_bytes: tally.body_bytes,
        status: tally.statuses(),
        service_time_us: Times::of(&tally.times.service),
        response_time_us: Times::of(&tally.times.response),
        connect_time_us: Times::of(&tally.times.connect),
        first_byte_us: Times::of(&tally.times.first_byte),
        queue_wait_us: Times::of(&tally.times.queue_wait),
        lateness_us: Times::of(&tally.times.lateness),
        series: series(&tally, length),
        generator,
        examples: tally.examples().iter().map(|noted| example(noted, opened)).collect(),
        wrong: tally.wrong,
        lost: tally.lost,
        ..Measured::default()
    }
}

/// The steps of the window, also those at its end in which nothing ended.
fn series(tally: &Tally, length: Duration) -> Vec<Step> {
    let steps = usize::try_from(length.as_nanos().div_ceil(STEP.as_nanos())).unwrap_or(usize::MAX);
    let counted = tally.steps();
    let silent = steps.saturating_sub(counted.len());
    counted.iter().map(step).chain(std::iter::repeat_n(Step::default(), silent)).collect()
}

fn step(step: &StepTally) -> Step {
    let micros = |nanos: f64| (nanos / 10.0).round() / 100.0;
    let has_answers = step.answers > 0;
    Step {
        good: step.good,
        bad: step.bad,
        service_time_mean_us: has_answers
            .then(|| micros(step.service_nanos as f64 / step.answers as f64)),
        response_time_max_us: has_answers.then(|| micros(step.response_nanos_max as f64)),
    }
}

fn example(noted: &super::tally::Noted, opened: Instant) -> Example {
    let after = noted.at.since(opened).as_millis();
    Example {
        kind: noted.kind.to_owned(),
        at_ms: u64::try_from(after).expect("a window is shorter than the clock"),
        detail: noted.detail.clone(),
    }
}
