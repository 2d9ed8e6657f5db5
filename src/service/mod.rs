//! What targets need besides themselves: services that are started before the first trial that needs them, watched,
//! started again when they have ended, and stopped at the end of a trial or of the run.
//!
//! Each runs in a containment of its own, as a server does, so that nothing of it stays. What happens to a service is a
//! failure of the trials that need it, and no end of the run. Not here: what it uses; that is read in `trial`.

use std::cell::RefCell;

use crate::clock;
use crate::event::{Event, Output};
use crate::lifecycle::{Cut, Ground};
use crate::matrix::Target;
use crate::matrix::service::{Scope, Service, needed_by};
use crate::outcome::Stage;
use crate::prepare::Prepared;
use crate::record::service::ServiceSeen;
use crate::record::trial::{Ended, Failed, Skipped};
use crate::target::command::ServiceAddress;
use crate::target::log;
use crate::usage::tree::Tree;

mod start;

use start::Up;

/// A service that failed so often is not started any more.
const FAILURES_MAX: u32 = 3;
/// How many of the last lines of its output a failure keeps.
const TAIL: usize = 20;

/// What all services of a run share.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'r> {
    /// What all programs of the run share.
    pub ground: Ground<'r>,
    /// Each service's tools and build, in the order of the matrix.
    pub prepared: &'r [Prepared],
    /// The CPUs of each service, likewise.
    pub cpus: &'r [Vec<usize>],
}

/// The services of a matrix. Letting go of them ends them at once; see [`Services::stop_all`].
#[derive(Debug)]
pub struct Services<'r> {
    setting: Setting<'r>,
    /// One for each service, in the order of the matrix.
    slots: RefCell<Vec<Slot>>,
    news: RefCell<Vec<Event>>,
}

/// A service that is up, as others see it.
#[derive(Debug, Clone)]
pub struct Running {
    /// Its name.
    pub name: String,
    /// All its processes.
    pub tree: Tree,
    /// The CPUs that it was given.
    pub cpus: Vec<usize>,
}

/// A service, whether or not it is up.
#[derive(Debug, Default)]
struct Slot {
    up: Option<Up>,
    starts: u32,
    failures: u32,
    /// The last failure, once there is one.
    last: Option<Failed>,
}

/// Why a trial cannot have its services.
#[derive(Debug)]
pub enum Lacking {
    /// A tool is missing.
    Skipped(Skipped),
    /// A service failed, an end was asked for, or the fault is ours.
    Cut(Cut),
}

impl From<Cut> for Lacking {
    fn from(cut: Cut) -> Self {
        Self::Cut(cut)
    }
}

impl<'r> Services<'r> {
    /// None of them is up.
    pub fn new(setting: Setting<'r>) -> Self {
        let slots = setting.ground.matrix.services.iter().map(|_| Slot::default()).collect();
        Self { setting, slots: RefCell::new(slots), news: RefCell::default() }
    }

    fn service(&self, place: usize) -> &'r Service {
        &self.setting.ground.matrix.services[place]
    }

    /// Sees to it that all services that a target needs are up, and returns their places in the matrix.
    ///
    /// # Errors
    /// Why one is not.
    pub fn provide(&self, target: &Target) -> Result<Vec<usize>, Lacking> {
        let needed = needed_by(&self.setting.ground.matrix.services, target);
        for place in &needed {
            self.check_prepared(*place)?;
        }
        for place in &needed {
            self.reap(*place);
            if self.slots.borrow()[*place].up.is_none() {
                self.start(*place)?;
            }
        }
        Ok(needed)
    }

    /// Whether its tools are there and it is built.
    fn check_prepared(&self, place: usize) -> Result<(), Lacking> {
        let name = &self.service(place).name;
        match &self.setting.prepared[place] {
            Prepared::Ready(_) => Ok(()),
            Prepared::Out(Ended::Skipped(Skipped { reason, hint })) => {
                let reason = format!("service `{name}`: {reason}");
                Err(Lacking::Skipped(Skipped { reason, hint: hint.clone() }))
            }
            Prepared::Out(Ended::Failed(failed)) => {
                Err(Cut::Failed(of_service(name, failed.clone())).into())
            }
            Prepared::Out(Ended::Measured(_)) => unreachable!("nothing is measured in a build"),
        }
    }

    /// Takes note of a service that has ended by itself.
    fn reap(&self, place: usize) {
        let Some(failed) = self.end_of(place, Stage::Start) else { return };
        // One that lives for a trial is no worse for the next trial.
        let counts = self.service(place).scope == Scope::Run;
        self.note_failure(place, failed, counts);
        self.stop(place);
    }

    fn note_failure(&self, place: usize, failed: Failed, counts: bool) {
        let (service, reason) = (self.service(place).name.clone(), failed.reason.clone());
        let output = Output::from(&failed);
        self.news.borrow_mut().push(Event::ServiceOut { service, reason, output });
        let slot = &mut self.slots.borrow_mut()[place];
        slot.failures += u32::from(counts);
        slot.last = Some(failed);
    }

    fn start(&self, place: usize) -> Result<(), Cut> {
        let service = self.service(place);
        let log = self.next_log(place)?;
        let began = clock::now();
        match start::start(&self.setting, place, self.addresses(&service.needs), &log) {
            Ok(up) => {
                let (service, port) = (service.name.clone(), up.address.port);
                let seconds = clock::now().since(began).as_secs_f64();
                self.news.borrow_mut().push(Event::ServiceReady { service, port, seconds });
                self.slots.borrow_mut()[place].up = Some(up);
                Ok(())
            }
            Err(Cut::Failed(failed)) => {
                let failed = self.with_output(&log, of_service(&service.name, failed));
                self.note_failure(place, failed.clone(), true);
                Err(failed.into())
            }
            Err(cut) => Err(cut),
        }
    }

    /// The log of the next start; or why there is none.
    fn next_log(&self, place: usize) -> Result<String, Failed> {
        let slot = &mut self.slots.borrow_mut()[place];
        if let (FAILURES_MAX.., Some(last)) = (slot.failures, &slot.last) {
            let last = last.clone();
            let reason =
                format!("{}; after {FAILURES_MAX} failures it is not started again", last.reason);
            return Err(Failed { stage: Stage::Start, reason, ..last });
        }
        slot.starts += 1;
        let name = &self.service(place).name;
        Ok(match slot.starts {
            1 => format!("service-{name}.log"),
            start => format!("service-{name}-{start}.log"),
        })
    }

    /// The failure of a trial whose service has ended.
    fn end_of(&self, place: usize, stage: Stage) -> Option<Failed> {
        let slots = self.slots.borrow();
        let up = slots[place].up.as_ref()?;
        let exit = up.server.ended(&|| up.tree.survivors())?;
        let reason = format!("service `{}` ended: {exit}", self.service(place).name);
        let failed =
            Failed { exit_code: exit.code, signal: exit.signal, ..Failed::new(stage, reason) };
        Some(self.with_output(&up.log, failed))
    }

    /// The failure of a trial, at this stage, of whose services one has ended.
    pub fn ended(&self, needed: &[usize], stage: Stage) -> Option<Failed> {
        needed.iter().find_map(|place| self.end_of(*place, stage))
    }

    /// The services that are up, of these.
    pub fn running(&self, needed: &[usize]) -> Vec<Running> {
        self.of_each(needed, |service, slot| {
            let up = slot.up.as_ref()?;
            Some(Running {
                name: service.name.clone(),
                tree: up.tree.clone(),
                cpus: up.cpus.clone(),
            })
        })
    }

    /// Where they listen.
    pub fn addresses(&self, needed: &[usize]) -> Vec<ServiceAddress> {
        self.of_each(needed, |_, slot| Some(slot.up.as_ref()?.address.clone()))
    }

    /// What is recorded of them in a trial, each by its name.
    pub fn seen(&self, needed: &[usize]) -> Vec<(String, ServiceSeen)> {
        self.of_each(needed, |service, slot| {
            let up = slot.up.as_ref()?;
            let seen = ServiceSeen {
                port: up.address.port,
                log: format!("logs/{}", up.log),
                start: slot.starts,
                containment: up.server.containment().name.to_owned(),
                startup_ms: (up.startup.as_secs_f64() * 1e6).round() / 1e3,
            };
            Some((service.name.clone(), seen))
        })
    }

    fn of_each<T>(&self, needed: &[usize], what: impl Fn(&Service, &Slot) -> Option<T>) -> Vec<T> {
        let slots = self.slots.borrow();
        needed.iter().filter_map(|place| what(self.service(*place), &slots[*place])).collect()
    }

    /// A trial is over: what lives for a trial is stopped, the last first, and what has ended is taken note of.
    pub fn release(&self) {
        for place in (0..self.setting.ground.matrix.services.len()).rev() {
            self.reap(place);
            if self.service(place).scope == Scope::Trial {
                self.stop(place);
            }
        }
    }

    /// Asks all to end, the last first, and waits until they have.
    pub fn stop_all(&self) {
        for place in (0..self.setting.ground.matrix.services.len()).rev() {
            self.stop(place);
        }
    }

    /// Stops a service, and before it those that need it.
    fn stop(&self, place: usize) {
        if self.slots.borrow()[place].up.is_none() {
            return;
        }
        for later in (place + 1..self.setting.ground.matrix.services.len()).rev() {
            if self.service(later).needs.contains(&place) {
                self.stop(later);
            }
        }
        let service = self.service(place);
        let up = self.slots.borrow_mut()[place].up.take();
        if let Some(up) = up {
            // Nothing of it is left, whatever became of its keeper; and no trial depends on how it ended.
            let _ = up.server.stop_by(service.stop_signal, service.stop_grace);
        }
    }

    /// Its tools and its build.
    pub fn prepared(&self, place: usize) -> &'r Prepared {
        &self.setting.prepared[place]
    }

    /// What happened since this was asked for the last time.
    pub fn take_news(&self) -> Vec<Event> {
        self.news.take()
    }

    fn with_output(&self, log: &str, mut failed: Failed) -> Failed {
        failed.log = Some(format!("logs/{log}"));
        if failed.tail.is_empty() {
            failed.tail = log::tail(&self.setting.ground.logs.join(log), TAIL);
        }
        failed
    }
}

fn of_service(name: &str, failed: Failed) -> Failed {
    Failed { reason: format!("service `{name}`: {}", failed.reason), ..failed }
}
