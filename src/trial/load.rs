//! The stages under load: warm-up until there is no trend, then the window.

use std::time::Duration;

use super::lookout::{Lookout, Seen};
use super::services::ServiceUse;
use super::{Ask, Cut, Going, TrialError};
use crate::clock::{self, Instant};
use crate::generator::{Generator, Loaded, Spec};
use crate::lifecycle::exited;
use crate::outcome::Stage;
use crate::record::measured::Times;
use crate::record::trial::Failed;
use crate::stats::trend::relative_trend;
use crate::target::server::Server;
use crate::usage::tree::Tree;
use crate::usage::used::Usage;

/// A trend of so much over the last steps is none.
const STEADY: f64 = 0.05;
/// Steps of 100 ms that are looked at for a trend: two seconds of them.
const STEPS: usize = 20;
/// Steps of 100 ms that tell how fast it is now.
const STEPS_NOW: usize = 5;
/// Between two tellings of how fast it is.
const TELL_EACH: Duration = Duration::from_millis(500);
/// Between two looks at the server and at the interrupt.
const LOOK: Duration = Duration::from_millis(20);

/// A window, seen from all sides.
pub(super) struct UnderLoad {
    pub(super) loaded: Loaded,
    pub(super) seen: Seen,
    /// Whether the warm-up ended only because it had to.
    pub(super) is_unsteady: bool,
}

/// A server that should live, and how that is seen.
#[derive(Clone, Copy)]
pub(super) struct Alive<'s> {
    pub(super) server: &'s Server,
    pub(super) tree: &'s Tree,
}

impl Alive<'_> {
    /// The failure of a server that has ended.
    fn check(&self, stage: Stage) -> Result<(), Failed> {
        match self.server.ended(&|| self.tree.survivors()) {
            Some(exit) => Err(exited(stage, exit)),
            None => Ok(()),
        }
    }
}

impl Going<'_> {
    /// Loads the server until it is steady, then measures.
    pub(super) fn put_under_load(
        &mut self,
        alive: Alive<'_>,
        lookout: &mut Lookout<'_>,
        ask: &Ask,
    ) -> Result<UnderLoad, Cut> {
        let run = &self.shared.ground.matrix.run;
        let spec = ask.spec(self.load, run.measure, run.warm_up_max, self.shared.seed);
        let counted = spec.requests.map(|_| spec.clone());
        lookout.before_load();
        let generator = self.start_load(Spec { requests: None, ..spec })?;
        let began = clock::now();
        let is_unsteady = self.warm_up(alive, &generator, began)?;
        // Whoever shows it does so before the window opens.
        self.tell(Stage::Window, goodput_now(&generator));
        self.record.warm_up_seconds = Some(clock::now().since(began).as_secs_f64());
        let (loaded, seen) = match counted {
            None => self.measure(alive, lookout, generator)?,
            Some(spec) => {
                let connect_time = self.end_warm_up(generator)?;
                let (mut loaded, seen) = self.measure_counted(alive, lookout, spec)?;
                loaded.measured.connect_time_warm_up_us = connect_time;
                (loaded, seen)
            }
        };
        // What ended with the window's last moments did not live through it.
        self.look(alive, Stage::Window)?;
        Ok(UnderLoad { loaded, seen, is_unsteady })
    }

    fn start_load(&self, spec: Spec) -> Result<Generator, Cut> {
        let started = Generator::start(spec, &self.shared.ground.split.generator);
        Ok(started.map_err(TrialError::from)?)
    }

    /// Returns whether no steady state was seen when it had to end.
    fn warm_up(
        &self,
        alive: Alive<'_>,
        generator: &Generator,
        began: Instant,
    ) -> Result<bool, Cut> {
        let run = &self.shared.ground.matrix.run;
        let (earliest, latest) = (began + run.warm_up, began + run.warm_up_max);
        let mut tell_at = began;
        loop {
            self.look(alive, Stage::WarmUp)?;
            let now = clock::now();
            if now >= tell_at {
                self.tell(Stage::WarmUp, goodput_now(generator));
                tell_at = now + TELL_EACH;
            }
            if now >= earliest && is_steady(&generator.recent_goodput(STEPS)) {
                return Ok(false);
            }
            if now >= latest || generator.is_over() {
                return Ok(true);
            }
            clock::sleep_until((now + LOOK).min(latest));
        }
    }

    /// A load of so many requests begins with its first connection, so that of the warm-up ends before. Returns how long
    /// its connections took to make.
    fn end_warm_up(&mut self, generator: Generator) -> Result<Times, Cut> {
        generator.open_window(Duration::from_millis(1));
        let loaded = generator.finish().map_err(TrialError::from)?;
        self.record.requests.warm_up += loaded.warm_up.requests_written + loaded.requests_written;
        Ok(loaded.measured.connect_time_warm_up_us)
    }

    /// The window of a load that goes on.
    fn measure(
        &self,
        alive: Alive<'_>,
        lookout: &mut Lookout<'_>,
        generator: Generator,
    ) -> Result<(Loaded, Seen), Cut> {
        let (opens, closes) = generator.open_window(self.shared.ground.matrix.run.measure);
        lookout.before_open();
        clock::sleep_until(opens);
        let opened = lookout.open(Some(closes));
        loop {
            self.look(alive, Stage::Window)?;
            let now = clock::now();
            if now >= closes {
                break;
            }
            clock::sleep_until((now + LOOK).min(closes));
        }
        let threads = generator.thread_ids();
        let seats = |usage: &Usage, services: &[ServiceUse]| self.seats(usage, services, threads);
        let seen = lookout.close(&opened, seats);
        Ok((generator.finish().map_err(TrialError::from)?, seen))
    }

    /// The window of a load of so many requests: from before it begins until it is over.
    fn measure_counted(
        &self,
        alive: Alive<'_>,
        lookout: &mut Lookout<'_>,
        spec: Spec,
    ) -> Result<(Loaded, Seen), Cut> {
        lookout.before_open();
        let opened = lookout.open(None);
        let generator = self.start_load(spec)?;
        while !generator.is_over() {
            self.look(alive, Stage::Window)?;
            clock::sleep_until(clock::now() + LOOK / 10);
        }
        let threads = generator.thread_ids();
        let seats = |usage: &Usage, services: &[ServiceUse]| self.seats(usage, services, threads);
        let seen = lookout.close(&opened, seats);
        Ok((generator.finish().map_err(TrialError::from)?, seen))
    }

    /// Are the server and its services still there, and are we to go on?
    fn look(&self, alive: Alive<'_>, stage: Stage) -> Result<(), Cut> {
        if self.shared.ground.interrupt.is_set() {
            return Err(TrialError::Interrupted.into());
        }
        if let Some(failed) = self.service_ended(stage) {
            return Err(failed.into());
        }
        Ok(alive.check(stage)?)
    }
}

/// Right answers per second over the last steps; `None` before there is one.
fn goodput_now(generator: &Generator) -> Option<f64> {
    let steps = generator.recent_goodput(STEPS_NOW);
    (!steps.is_empty()).then(|| steps.iter().sum::<f64>() / steps.len() as f64)
}

/// Whether the last steps of a warm-up show no trend. Steps without a right answer show nothing.
fn is_steady(goodput: &[f64]) -> bool {
    goodput.len() >= STEPS && relative_trend(goodput).is_some_and(|trend| trend < STEADY)
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
            (&[1000.0; 19][..], false),
            (&[1000.0; 20][..], true),
        ] {
            assert_eq!(is_steady(goodput), expected, "{goodput:?}");
        }
    }
}
