//! What this machine cannot see: one target under two names, between which nothing differs.

use super::{are, interval, percent, write_ratio};
use crate::outcome::Limit;
use crate::record::summary::{CellSummary, Figure, Summary};
use crate::stats::comparison::ROUNDS_MIN;
use crate::stats::geometric::visible_effect;
use crate::units::{count_of, write_micros, write_number};

/// The noise floor, as a run of one cell under two names shows it.
pub(super) fn told(summary: &Summary, one: &CellSummary, again: &CellSummary) -> String {
    let figures = [
        (
            "right answers/s",
            one.goodput_per_second.as_ref(),
            again.goodput_per_second.as_ref(),
            write_number as fn(f64) -> String,
            again.goodput_ratio.as_ref(),
            // A rate that is met is met under any name.
            [one, again].iter().all(|row| row.limit != Some(Limit::Rate)),
        ),
        (
            "CPU/answer",
            one.cpu_us_per_request.as_ref(),
            again.cpu_us_per_request.as_ref(),
            write_micros,
            again.cpu_ratio.as_ref(),
            true,
        ),
    ];
    let mut text = String::new();
    for (name, one, again, write, ratio, is_telling) in figures {
        let (Some(first), Some(second)) = (one, again) else { continue };
        text.extend([
            "    ",
            &format!("{name}: {} and {}\n", write(first.mean), write(second.mean)),
        ]);
        if let Some(ratio) = ratio.filter(|_| is_telling) {
            text.push_str(&verdict(ratio));
        }
    }
    text.push_str(&smallest(summary));
    text
}

fn verdict(ratio: &Figure) -> String {
    let rounds = ratio.points.len();
    let told = match (ratio.low, ratio.high) {
        _ if rounds < ROUNDS_MIN => {
            format!("{} too few for a verdict", are(rounds))
        }
        (Some(low), Some(high)) if low > 1.0 || high < 1.0 => {
            "a difference between two names of one thing: one interval in twenty errs so, or the machine changed with \
             the order; measure again"
                .to_owned()
        }
        (Some(low), Some(high)) => {
            let half_width = (high.ln() - low.ln()) / 2.0;
            let visible = visible_effect(rounds, half_width).map_or_else(String::new, |effect| {
                format!("; an effect of {} would have been seen four times in five", percent(effect))
            });
            format!("no difference, as it must be{visible}")
        }
        // More than one round has an interval.
        _ => "not known".to_owned(),
    };
    let (ratio, interval) = (write_ratio(ratio.mean), interval(ratio));
    format!("      {ratio}{interval}: {told}\n")
}

/// What all rows together leave unexplained.
fn smallest(summary: &Summary) -> String {
    let noise = summary.noise.first();
    let Some((noise, effect)) = noise.and_then(|it| Some((it, it.smallest_effect?))) else {
        return "    the noise floor is not known: it takes 5 rounds at least\n".to_owned();
    };
    let rounds = count_of(noise.rounds as usize, "round");
    let policy = &summary.run.policy;
    let window = policy.measure_seconds;
    let advice = if effect > policy.min_effect {
        format!(
            ", and `min-effect` is {}: raise it, or make more rounds or longer windows",
            percent(policy.min_effect)
        )
    } else {
        String::new()
    };
    format!(
        "    noise floor: differences under {} cannot be told from none in {rounds} of {window} s{advice}\n",
        percent(effect)
    )
}
