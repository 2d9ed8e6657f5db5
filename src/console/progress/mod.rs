//! A run while it goes: on a terminal a bar, the trial that goes on, and the table so far; plain lines elsewhere.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Console;
use crate::clock::{self, Instant};
use crate::event::{Event, Output, Place};
use crate::outcome::{Kind as _, Stage};
use crate::report::escape::plain;
use crate::units::{count_of, write_duration, write_number};

mod pace;
mod so_far;

use pace::Pace;
use so_far::SoFar;

/// A bar, a line of words and the borders of the terminal.
const LINES_BESIDE: usize = 4;
/// A terminal that is narrower shows lines only.
const NARROW: usize = 50;

/// Shows the events of a run.
#[derive(Debug)]
pub struct Progress {
    console: Console,
    live: Option<Live>,
    /// The folder of the run.
    folder: PathBuf,
    /// Last words of programs that were told; those that said nothing are not worth a line.
    told: BTreeSet<Vec<String>>,
}

/// What is drawn anew while the run goes on.
#[derive(Debug)]
struct Live {
    bar: ProgressBar,
    so_far: SoFar,
    pace: Pace,
    /// The trial that goes on, and when the first one began.
    at: Option<(Place, Instant)>,
}

impl Progress {
    /// For a run that is about to begin.
    pub fn new(console: Console) -> Self {
        let told = BTreeSet::from([Vec::new()]);
        Self { console, live: None, folder: PathBuf::new(), told }
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
            Event::TargetOut { target, at, reason, hint, output } => {
                self.target_out(target, at, reason, hint.as_deref());
                self.output(output);
            }
            Event::ServiceReady { service, .. } => {
                self.status(&format!("service {} is ready", plain(service)));
            }
            Event::ServiceOut { reason, output, .. } => {
                self.line(&plain(reason));
                self.output(output);
            }
            Event::AfterTrialFailed { target, reason } => {
                self.line(&format!("{}: after its trial: {}", plain(target), plain(reason)));
            }
            Event::TrialStarted(place) => self.trial_started(place),
            Event::TrialAt { stage, goodput_per_second } => self.at(*stage, *goodput_per_second),
            Event::TrialEnded {
                place,
                goodput_per_second,
                cpu_us_per_request,
                failure,
                output,
            } => {
                let figures = (*goodput_per_second, *cpu_us_per_request);
                self.trial_ended(place, figures, failure.as_deref());
                self.output(output);
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
                if let Some(live) = self.live.take() {
                    live.bar.finish_and_clear();
                }
            }
        }
    }

    /// What is told before the first trial.
    fn begins(&mut self, event: &Event) {
        if let Event::RunStarted { folder, .. }
        | Event::RunResumed { folder, .. }
        | Event::UpdateStarted { folder, .. } = event
        {
            self.folder = PathBuf::from(folder);
        }
        match event {
            Event::RunStarted { trials, estimate_seconds, folder, .. } => {
                let estimate = Duration::from_secs_f64(estimate_seconds.round());
                self.line(&format!(
                    "{}, about {} once all is built; results in {folder}",
                    count_of(*trials, "trial"),
                    write_duration(estimate)
                ));
                self.draw_from_here(*trials, estimate);
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
                let estimate = Duration::from_secs_f64(estimate_seconds.round());
                let (stay, ahead) = (count_of(*kept, "trial"), count_of(*trials, "trial"));
                self.line(&format!(
                    "kept {stay}; {ahead} ahead, about {}",
                    write_duration(estimate)
                ));
                self.draw_from_here(*trials, estimate);
            }
            _ => {}
        }
    }

    fn draw_from_here(&mut self, trials: usize, estimate: Duration) {
        if self.console.is_live && !self.console.is_quiet && self.console.width >= NARROW {
            self.live = Some(Live {
                bar: bar(trials as u64),
                so_far: SoFar::default(),
                pace: Pace { estimate, planned: trials, trials, done: 0 },
                at: None,
            });
        }
    }

    fn target_out(&self, target: &str, at: &str, reason: &str, hint: Option<&str>) {
        let at = if at == "skipped" { at.to_owned() } else { format!("failed in {at}") };
        self.line(&format!("{}: {at}: {}", plain(target), plain(reason)));
        if let Some(hint) = hint {
            self.line(&format!("  hint: {}", plain(hint)));
        }
    }

    /// What a program said before it failed, and where the rest is. What was told before is not told again.
    fn output(&mut self, output: &Output) {
        if !self.told.insert(output.tail.clone()) {
            return;
        }
        for line in &output.tail {
            self.line(&format!("  | {}", plain(line)));
        }
        if let Some(log) = &output.log {
            self.line(&format!("  log: {}", self.folder.join(log).display()));
        }
    }

    fn trial_started(&mut self, place: &Place) {
        if let Some(live) = &mut self.live {
            let began = live.at.take().map_or_else(clock::now, |(_, began)| began);
            live.at = Some((place.clone(), began));
            // Further rounds make it longer.
            live.bar.set_length(place.of as u64);
            live.pace.trials = place.of;
        }
        self.draw("", None);
    }

    fn at(&self, stage: Stage, goodput_per_second: Option<f64>) {
        let stage = if stage == Stage::Window { "measuring" } else { stage.name() };
        self.draw(stage, goodput_per_second);
    }

    /// The trial that goes on, and the table so far.
    fn draw(&self, stage: &str, goodput_per_second: Option<f64>) {
        let Some(live) = &self.live else { return };
        let Some((place, began)) = &live.at else { return };
        let mut status = words(place);
        if !stage.is_empty() {
            status.extend([" · ", stage]);
        }
        if let Some(goodput) = goodput_per_second {
            status.extend([" · ", &write_number(goodput), " right answers/s"]);
        }
        let room = self.console.height.saturating_sub(LINES_BESIDE);
        let mut lines = vec![status];
        lines.extend(live.so_far.lines(place, room, self.console.width));
        live.bar.set_prefix(write_duration(live.pace.left(clock::now().since(*began))));
        live.bar.set_message(lines.join("\n"));
    }

    fn trial_ended(
        &mut self,
        place: &Place,
        figures: (Option<f64>, Option<f64>),
        failure: Option<&str>,
    ) {
        let end = match (figures.0, failure) {
            (Some(goodput), _) => format!("{} right answers/s", write_number(goodput)),
            (None, failure) => plain(failure.unwrap_or("not measured")),
        };
        if let Some(live) = &mut self.live {
            live.so_far.add(place, figures, failure);
            live.pace.done += 1;
            live.bar.set_position(place.number as u64);
            // The table has its figures; a failure is worth a line at once.
            if figures.0.is_some() {
                return self.draw("", None);
            }
        }
        self.line(&format!("[{}/{}] {}: {end}", place.number, place.of, words(place)));
    }

    fn line(&self, line: &str) {
        match &self.live {
            Some(Live { bar, .. }) => bar.suspend(|| self.console.say(line)),
            None => self.console.say(line),
        }
    }

    fn status(&self, text: &str) {
        if let Some(live) = &self.live {
            live.bar.set_message(text.to_owned());
        }
    }
}

/// A date and time to the minute.
fn short(date: &str) -> String {
    date.get(..16).unwrap_or(date).replace('T', " ")
}

fn bar(trials: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} +{prefix}\n{msg}")
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
