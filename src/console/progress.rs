//! A run while it goes: a bar on a terminal, plain lines elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Console;
use crate::event::{Event, Place};
use crate::report::escape::plain;
use crate::units::{count_of, write_duration, write_number};

/// Shows the events of a run.
#[derive(Debug)]
pub struct Progress {
    console: Console,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For a run that is about to begin.
    pub fn new(console: Console) -> Self {
        Self { console, bar: None }
    }

    /// Shows one event.
    pub fn show(&mut self, event: &Event) {
        match event {
            Event::RunStarted { .. }
            | Event::RunResumed { .. }
            | Event::UpdateStarted { .. }
            | Event::MeasuredAgain { .. }
            | Event::GoesOn { .. } => self.begins(event),
            Event::Swept { what } => self.line(&format!("cleaned up after an earlier run: {what}")),
            Event::Notice { text } => self.line(&plain(text)),
            Event::BuildStarted { target } => self.status(&format!("building {}", plain(target))),
            Event::Built { was_cached: true, .. } => {}
            Event::Built { target, seconds, .. } => {
                self.line(&format!("built {} in {seconds:.1} s", plain(target)));
            }
            Event::TargetOut { target, at, reason, hint } => {
                let at = if at == "skipped" { at.clone() } else { format!("failed in {at}") };
                self.line(&format!("{}: {at}: {}", plain(target), plain(reason)));
                if let Some(hint) = hint {
                    self.line(&format!("  hint: {}", plain(hint)));
                }
            }
            Event::ServiceReady { service, .. } => {
                self.status(&format!("service {} is ready", plain(service)));
            }
            Event::ServiceOut { reason, .. } => self.line(&plain(reason)),
            Event::AfterTrialFailed { target, reason } => {
                self.line(&format!("{}: after its trial: {}", plain(target), plain(reason)));
            }
            Event::TrialStarted(place) => self.status(&words(place)),
            Event::TrialEnded { place, goodput_per_second, failure } => {
                self.trial_ended(place, *goodput_per_second, failure.as_deref());
            }
            Event::FurtherRound { round, widest, half_width } => {
                let (widest, width) = (plain(widest), half_width * 100.0);
                self.line(&format!("round {round} too: {widest} is known to ±{width:.1} % only"));
            }
            Event::TrialRepeated { place, reason } => {
                let (number, of, which) = (place.number, place.of, words(place));
                self.line(&format!("[{number}/{of}] {which}: once more, since {}", plain(reason)));
            }
            Event::RunEnded { .. } => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
            }
        }
    }

    /// What is told before the first trial.
    fn begins(&mut self, event: &Event) {
        match event {
            Event::RunStarted { trials, estimate_seconds, folder, .. } => {
                let time = write_duration(Duration::from_secs_f64(estimate_seconds.round()));
                self.line(&format!(
                    "{}, about {time} once all is built; results in {folder}",
                    count_of(*trials, "trial")
                ));
                self.begin_bar(*trials);
            }
            Event::RunResumed { id, folder, started_at, on_file, was_torn } => {
                let (date, trials) = (short(started_at), count_of(*on_file, "trial"));
                self.line(&format!(
                    "going on with {id}, begun {date}: {trials} on file; results in {folder}"
                ));
                if *was_torn {
                    self.line("the last line of trials.ndjson was torn, and was cut off");
                }
            }
            Event::UpdateStarted { folder, base, .. } => {
                self.line(&format!("measuring what changed since {base}; results in {folder}"));
            }
            Event::MeasuredAgain { what, reason } => {
                self.line(&format!("again {}: {}", plain(what), plain(reason)));
            }
            Event::GoesOn { kept, trials, estimate_seconds } => {
                let time = write_duration(Duration::from_secs_f64(estimate_seconds.round()));
                let (stay, ahead) = (count_of(*kept, "trial"), count_of(*trials, "trial"));
                self.line(&format!("kept {stay}; {ahead} ahead, about {time}"));
                self.begin_bar(*trials);
            }
            _ => {}
        }
    }

    fn begin_bar(&mut self, trials: usize) {
        if self.console.is_terminal() && !self.console.is_quiet {
            self.bar = Some(bar(trials as u64));
        }
    }

    fn trial_ended(&self, place: &Place, goodput_per_second: Option<f64>, failure: Option<&str>) {
        let end = match (goodput_per_second, failure) {
            (Some(goodput), _) => format!("{} right answers/s", write_number(goodput)),
            (None, failure) => plain(failure.unwrap_or("not measured")),
        };
        if let Some(bar) = &self.bar {
            bar.inc(1);
            // On a terminal the table tells the figures in the end; failures are worth a line at once.
            if goodput_per_second.is_some() {
                return;
            }
        }
        self.line(&format!("[{}/{}] {}: {end}", place.number, place.of, words(place)));
    }

    fn line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.console.say(line)),
            None => self.console.say(line),
        }
    }

    fn status(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }
}

/// A date and time to the minute.
fn short(date: &str) -> String {
    date.get(..16).unwrap_or(date).replace('T', " ")
}

fn bar(trials: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} +{eta} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(trials), ProgressDrawTarget::stderr_with_hz(4));
    bar.set_style(style);
    bar
}

fn words(place: &Place) -> String {
    format!(
        "round {} {} {} {}",
        place.round,
        plain(&place.workload),
        plain(&place.load),
        plain(&place.target)
    )
}
