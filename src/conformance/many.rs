//! Many connections at once, and some that never say anything.

use super::asker::{Asker, Fault, Line};
use super::check::{Check, Claim};
use super::connection::plain;
use super::question::{Manner, Question};
use crate::matrix::Target;

/// Connections at once.
const MANY: u32 = 200;
/// Requests beside silent connections.
const BESIDE: usize = 3;

pub(super) fn checks<'q>(target: &Target, questions: &'q [Question]) -> Vec<Check<'q>> {
    let first = plain(questions);
    let count = target.serves.parallel.unwrap_or(MANY).min(MANY);
    vec![
        Check::new(format!("{count} connections at once"), &[Claim::Parallel], move |asker| {
            at_once(asker, first, count)
        })
        .or_declare(Claim::Parallel),
        Check::new(
            "connections that say nothing are in nobody's way",
            &[Claim::Parallel],
            |asker| beside_silent_ones(asker, first),
        )
        .or_declare(Claim::Parallel),
    ]
}

/// All are open before the first is asked, and all are asked before the first is listened to.
fn at_once(asker: &Asker<'_>, first: &Question, count: u32) -> Result<(), Fault> {
    let request = asker.request(first, Manner::Kept);
    let nth = |number: u32| {
        request.clone().in_a_way(&format!("on number {number} of {count} connections"))
    };
    let mut lines = (1..=count)
        .map(|number| asker.connect(&nth(number).shown))
        .collect::<Result<Vec<Line>, Fault>>()?;
    for line in &mut lines {
        line.send(&request.bytes);
    }
    (1..).zip(&mut lines).try_for_each(|(number, line)| line.answer(&nth(number)).map(|_| ()))
}

/// One that sends nothing, and one that sends half a head.
fn beside_silent_ones(asker: &Asker<'_>, first: &Question) -> Result<(), Fault> {
    let request =
        asker.request(first, Manner::Kept).in_a_way("beside connections that say nothing");
    let silent = asker.connect(&request.shown)?;
    let mut half = asker.connect(&request.shown)?;
    half.send(&request.bytes[..request.head_length() / 2]);
    for _ in 0..BESIDE {
        let mut line = asker.connect(&request.shown)?;
        line.ask(&request)?;
    }
    drop((silent, half));
    Ok(())
}
