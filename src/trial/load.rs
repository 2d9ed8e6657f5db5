//! The stages under load: warm-up until there is no trend, then the window.

use std::time::Duration;

use super::start::exited;
use super::{Ask, Cut, Going, TrialError};
use crate::clock::{self, Instant};
use crate::generator::{Generator, Loaded};
use crate::matrix::Stop;
use crate::outcome::Stage;
use crate::stats::trend::relative_trend;
use crate::target::server::Server;
use crate::usage::sampler::{Sampler, Usage};

/// A trend of so much over the last steps is none.
const STEADY: f64 = 0.05;
/// Steps of 100 ms that are looked at for a trend, and the fewest that show one.
const STEPS: (usize, usize) = (20, 5);
/// Between two looks at the server and at the interrupt.
const LOOK: Duration = Duration::from_millis(20);

/// A window, seen from both sides.
pub(super) struct UnderLoad {
    pub(super) loaded: Loaded,
    pub(super) usage: Usage,
    /// Bytes that the server wrote to its log in the window; `None` if unknown.
    pub(super) output_bytes: Option<u64>,
    /// Whether the warm-up ended only because it had to.
    pub(super) is_unsteady: bool,
}

impl Going<'_> {
    /// Loads the server until it is steady, then measures.
    pub(super) fn put_under_load(
        &mut self,
        server: &Server,
        sampler: &mut Sampler,
        ask: &Ask,
    ) -> Result<UnderLoad, Cut> {
        let run = &self.shared.matrix.run;
        let mut spec = ask.spec(self.load, run.measure, run.warm_up_max, self.shared.seed);
        let counted = spec.requests.take();
        let generator = Generator::start(spec.clone(), &self.shared.split.generator)
            .map_err(TrialError::from)?;
        let began = clock::now();
        let is_unsteady = self.warm_up(server, &generator, began)?;
        self.record.warm_up_seconds = Some(clock::now().since(began).as_secs_f64());
        let (generator, opens) = if counted.is_some() {
            // A load of so many requests begins with its first connection, so that of the warm-up ends before.
            generator.open_window(Duration::from_millis(1));
            let warm_up = generator.finish().map_err(TrialError::from)?;
            self.record.requests.warm_up +=
                warm_up.warm_up.requests_written + warm_up.requests_written;
            spec.requests = counted;
            let opens = clock::now();
            let cpus = &self.shared.split.generator;
            (Generator::start(spec, cpus).map_err(TrialError::from)?, opens)
        } else {
            let (opens, _) = generator.open_window(run.measure);
            (generator, opens)
        };
        self.measure(server, sampler, generator, opens, is_unsteady)
    }

    /// Returns whether there was still a trend when it had to end.
    fn warm_up(&self, server: &Server, generator: &Generator, began: Instant) -> Result<bool, Cut> {
        let run = &self.shared.matrix.run;
        let (earliest, latest) = (began + run.warm_up, began + run.warm_up_max);
        loop {
            self.look(server, Stage::WarmUp)?;
            let now = clock::now();
            if now >= earliest && is_steady(&generator.recent_goodput(STEPS.0)) {
                return Ok(false);
            }
            if now >= latest {
                // Without warm-up nothing was asked about a trend.
                return Ok(!run.warm_up_max.is_zero());
            }
            if generator.is_over() {
                return Ok(true);
            }
            clock::sleep_until((now + LOOK).min(earliest.max(now + LOOK / 4)));
        }
    }

    fn measure(
        &self,
        server: &Server,
        sampler: &mut Sampler,
        generator: Generator,
        opens: Instant,
        is_unsteady: bool,
    ) -> Result<UnderLoad, Cut> {
        clock::sleep_until(opens);
        let output_before = server.output_bytes();
        sampler.begin_window();
        self.sleep_through(server, &generator, opens)?;
        let usage = sampler.end_window();
        let output_after = server.output_bytes();
        let loaded = generator.finish().map_err(TrialError::from)?;
        // A server that ended with the window's last moments did not live through it.
        if let Some(exit) = server.exited() {
            return Err(exited(Stage::Window, exit).into());
        }
        let output_bytes = match (output_before, output_after) {
            (Some(before), Some(after)) => Some(after.saturating_sub(before)),
            _ => None,
        };
        Ok(UnderLoad { loaded, usage, output_bytes, is_unsteady })
    }

    /// Waits until the window has closed, with an eye on the server.
    fn sleep_through(
        &self,
        server: &Server,
        generator: &Generator,
        opens: Instant,
    ) -> Result<(), Cut> {
        let (closes, ends_early) = match self.load.stop {
            Stop::Window => (opens + self.shared.matrix.run.measure, false),
            Stop::Requests { at_most, .. } => (opens + at_most, true),
        };
        loop {
            self.look(server, Stage::Window)?;
            let now = clock::now();
            if now >= closes || (ends_early && generator.is_over()) {
                return Ok(());
            }
            let period = if ends_early { LOOK / 10 } else { LOOK };
            clock::sleep_until((now + period).min(closes));
        }
    }

    /// Is the server still there, and are we to go on?
    fn look(&self, server: &Server, stage: Stage) -> Result<(), Cut> {
        if self.shared.interrupt.is_set() {
            return Err(TrialError::Interrupted.into());
        }
        match server.exited() {
            Some(exit) => Err(exited(stage, exit).into()),
            None => Ok(()),
        }
    }
}

/// Whether the last steps of a warm-up show no trend. Steps without a right answer show nothing.
fn is_steady(goodput: &[f64]) -> bool {
    goodput.len() >= STEPS.1 && relative_trend(goodput).is_some_and(|trend| trend < STEADY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_is_steady_without_a_trend_and_with_answers() {
        let rising: Vec<f64> = (0..20).map(|step| 900.0 + 10.0 * f64::from(step)).collect();
        let noisy: Vec<f64> = (0..20).map(|step| 1000.0 + 30.0 * f64::from(step % 2)).collect();
        for (goodput, expected) in [
            (&rising[..], false),
            (&noisy[..], true),
            (&[0.0; 20][..], false),
            (&[1000.0; 4][..], false),
            (&[1000.0; 5][..], true),
        ] {
            assert_eq!(is_steady(goodput), expected, "{goodput:?}");
        }
    }
}
