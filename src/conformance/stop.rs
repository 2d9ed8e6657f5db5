//! What a server leaves: no output for each request, and when it is asked to end, nothing.

use std::time::Duration;

use super::asker::{Asker, Fault, Line, pause};
use super::check::{Check, Claim};
use super::connection::plain;
use super::question::{Manner, Question};
use crate::clock;
use crate::lifecycle::Stopped;
use crate::matrix::Target;
use crate::target::Exit;
use crate::units::write_duration;

/// How soon the contract wants it to end.
const ENDS_WITHIN: Duration = Duration::from_secs(1);
/// Requests while its output is watched, each of two times: more than a buffer of output holds in lines; and for how long at
/// most.
const WATCHED: (usize, Duration) = (200, Duration::from_secs(2));
/// Output may come a moment later.
const WRITTEN_WITHIN: Duration = Duration::from_millis(50);
/// Connections that are open when it is asked to end.
const IDLE: usize = 3;
const SIGTERM: i32 = 15;
/// As a shell tells an end by SIGTERM, and as some runtimes exit on it.
const EXIT_BY_SIGTERM: i32 = 128 + SIGTERM;

pub(super) fn checks(questions: &[Question]) -> Vec<Check<'_>> {
    let first = plain(questions);
    vec![Check::new("prints nothing per request", &[Claim::Ours], move |asker| {
        prints_nothing(asker, first)
    })]
}

/// Less than a byte of output for each request.
fn prints_nothing(asker: &Asker<'_>, first: &Question) -> Result<(), Fault> {
    let (mut requests, mut bytes) = (0, 0);
    // Twice, so that what it says once, as of the check before this one, is not taken for words on each request.
    for _ in 0..2 {
        let Some(before) = (asker.output_bytes)() else { return Ok(()) };
        let until = clock::now() + WATCHED.1;
        let mut count = 0;
        while count < WATCHED.0 && !until.is_past() {
            asker.ask(first, Manner::Closing)?;
            count += 1;
        }
        pause(WRITTEN_WITHIN);
        let written = (asker.output_bytes)().unwrap_or(before).saturating_sub(before);
        if written < count as u64 {
            return Ok(());
        }
        (requests, bytes) = (requests + count, bytes + written);
    }
    let shown = asker.request(first, Manner::Closing).shown;
    Err(Fault::new(&shown, format!("{bytes} bytes of output for {requests} requests")))
}

/// Connections that are open and idle while it is asked to end: as many as it serves at once.
pub(super) fn idle_connections(
    asker: &Asker<'_>,
    target: &Target,
    questions: &[Question],
) -> Vec<Line> {
    let count = target.serves.parallel.map_or(IDLE, |most| IDLE.min(most as usize));
    let used = asker.ask(plain(questions), Manner::Kept).map(|(line, ..)| line);
    let silent = (1..count).map(|_| asker.connect(""));
    std::iter::once(used).chain(silent).filter_map(Result::ok).collect()
}

/// One thing that must be so when it has ended.
pub(super) struct Ending {
    pub(super) name: &'static str,
    pub(super) check: fn(&Target, &Stopped) -> Result<(), String>,
}

pub(super) const ENDINGS: [Ending; 3] = [
    Ending { name: "ends on SIGTERM in time", check: in_time },
    Ending { name: "ends by SIGTERM or with exit code 0", check: rightly },
    Ending {
        name: "nothing is left of it",
        check: |_, stopped| stopped.check().map_err(|failed| failed.reason),
    },
];

fn in_time(target: &Target, stopped: &Stopped) -> Result<(), String> {
    // The contract's second is for who claims the contract; another has the time that it was given.
    let limit = if target.workloads.is_some() { ENDS_WITHIN } else { target.stop_grace };
    let (took, limit_words) = (write_duration(stopped.took), write_duration(limit));
    if stopped.forced {
        return Err(format!(
            "it had not ended after {took} and was killed, where {limit_words} were allowed"
        ));
    }
    if stopped.took > limit {
        return Err(format!("it ended after {took}, where {limit_words} were allowed"));
    }
    Ok(())
}

fn rightly(_: &Target, stopped: &Stopped) -> Result<(), String> {
    // What was killed is told as such; and if nobody saw how it ended there is nothing to tell.
    stopped.exit.filter(|_| !stopped.forced).map_or(Ok(()), is_right)
}

fn is_right(exit: Exit) -> Result<(), String> {
    match (exit.code, exit.signal) {
        (None, None) | (Some(0 | EXIT_BY_SIGTERM), _) | (_, Some(SIGTERM)) => Ok(()),
        _ => Err(format!("{exit}, where exit code 0 or SIGTERM was expected")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_by_the_signal_or_with_nothing_to_complain_of_is_right() {
        for (code, signal, right) in [
            (Some(0), None, true),
            (Some(143), None, true),
            (None, Some(15), true),
            (None, None, true),
            (Some(1), None, false),
            (None, Some(9), false),
            (None, Some(11), false),
        ] {
            let ended = is_right(Exit { code, signal });
            assert_eq!(ended.is_ok(), right, "{code:?} {signal:?}: {ended:?}");
        }
    }
}
