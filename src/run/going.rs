//! A run while it goes on: builds, then what is to be made, then how it ended.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::begun::{self, OnFile};
use super::budget::Budget;
use super::course::{Course, Ending, remark};
use super::earlier::Earlier;
use super::{Base, Done, Order, RunError, info, tools};
use crate::affinity;
use crate::clock::{self, Instant};
use crate::event::{Event, Tell};
use crate::lifecycle::Ground;
use crate::plan::Plan;
use crate::prepare::{self, PrepareError, Prepared, Workshop};
use crate::record::folder::Folder;
use crate::record::run::RunInfo;
use crate::record::session::CutShort;
use crate::service::{self, Services};
use crate::target::port::Ports;
use crate::trial::Shared;

/// What a run begins with, once it is held.
pub(super) enum Before {
    Nothing,
    OnFile(Box<OnFile>),
    Base(Box<Base>),
}

/// A run that goes on.
pub(super) struct Going<'o, 'r> {
    order: &'o Order<'r>,
    folder: Folder,
    pub(super) info: RunInfo,
    pub(super) done: Done,
    budget: Budget,
}

impl<'o, 'r> Going<'o, 'r> {
    pub(super) fn new(order: &'o Order<'r>, folder: Folder, info: RunInfo, began: Instant) -> Self {
        let done = Done {
            folder: folder.path().to_owned(),
            measured: 0,
            failed: 0,
            skipped: 0,
            kept: 0,
            planned: 0,
            is_interrupted: false,
            is_out_of_time: false,
            is_unchanged: false,
        };
        Self { order, folder, info, done, budget: Budget::new(began, order.time_limit) }
    }

    pub(super) fn started(&self, before: &Before) -> Event {
        let (id, folder) = (self.info.id.clone(), self.folder.path().display().to_string());
        match before {
            Before::Nothing => Event::RunStarted {
                id,
                folder,
                trials: self.order.plan.trials.len(),
                estimate_seconds: self.order.plan.estimate.as_secs_f64(),
            },
            Before::OnFile(on_file) => on_file.told(folder),
            Before::Base(base) => Event::UpdateStarted { id, folder, base: base.id().to_owned() },
        }
    }

    /// Builds, then goes through the trials. `now` describes the run as if it began only now.
    pub(super) fn all_trials(
        &mut self,
        before: &Before,
        now: &mut RunInfo,
        tell: &dyn Fn(&Event),
    ) -> Result<Ending, RunError> {
        let order = self.order;
        let mut also_tell = |event: &Event| tell(event);
        let (services, prepared) = match self.prepare(&mut also_tell) {
            Ok(prepared) => prepared,
            Err(PrepareError::Interrupted) => return Ok(Ending::Interrupted),
            Err(error) => return Err(RunError::Prepare(error)),
        };
        info::add_services(now, &services);
        let Some((plan, earlier)) = self.begin(before, &prepared, now, tell)? else {
            return Ok(Ending::Unchanged);
        };
        // From here on all that we do ourselves stays off the servers' CPUs.
        if let Err(error) = affinity::pin_current_thread(&order.split.generator) {
            let text = format!("programs run on any CPU, not on those they were given: {error}");
            tell(&Event::Notice { text });
        }
        let logs = self.folder.logs();
        let ports = RefCell::new(Ports::new());
        let ground = Ground {
            matrix: order.matrix,
            split: order.split,
            path: order.path,
            assets: &order.places.assets,
            logs: &logs,
            ports: &ports,
            interrupt: order.interrupt,
            tell: Tell(tell),
        };
        let cpus = order.service_cpus;
        let services = Services::new(service::Setting { ground, prepared: &services, cpus });
        let (seed, session) = (order.plan.seed, self.info.session());
        let shared = Shared { ground, prepared: &prepared, services: &services, seed, session };
        let outcome = Course {
            order,
            plan: &plan,
            shared: &shared,
            earlier: &earlier,
            budget: &mut self.budget,
            folder: &mut self.folder,
            done: &mut self.done,
            remarks: &mut self.info.remarks,
            tell: &mut also_tell,
        }
        .go();
        services.stop_all();
        for text in tools::changed(order, &prepared) {
            remark(&mut self.info.remarks, text, &mut also_tell);
        }
        outcome
    }

    /// What is to be made, and what is on file of it; nothing if nothing is. The folder tells it from then on.
    fn begin<'b>(
        &mut self,
        before: &'b Before,
        prepared: &[Prepared],
        now: &RunInfo,
        tell: &dyn Fn(&Event),
    ) -> Result<Option<(Plan, Earlier<'b>)>, RunError> {
        let order = self.order;
        let (plan, earlier) = match before {
            Before::Nothing => {
                self.info.services.clone_from(&now.services);
                (order.plan.clone(), Earlier::default())
            }
            Before::OnFile(on_file) => {
                let (earlier, info) = on_file.go_on(order, prepared, now)?;
                self.info = info;
                begun::tell_what_stays(order, &earlier, tell);
                (order.plan.clone(), earlier)
            }
            Before::Base(base) => {
                let update = base.bring_up_to_date(order, prepared, now);
                if update.plan.trials.is_empty() {
                    return Ok(None);
                }
                self.info.services.clone_from(&now.services);
                update.tell(order, tell);
                self.info.base = Some(update.info);
                self.info.partial = true;
                // What is taken over is known as that before it stands there.
                self.folder.write_info(&self.info)?;
                self.folder.take_over(&update.taken)?;
                (update.plan, Earlier::default())
            }
        };
        self.folder.write_info(&self.info)?;
        Ok(Some((plan, earlier)))
    }

    /// The tools and builds of services and of targets.
    fn prepare(
        &self,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(Vec<Prepared>, Vec<Prepared>), PrepareError> {
        let order = self.order;
        let targets: BTreeSet<usize> = order.plan.cells.iter().map(|cell| cell.target).collect();
        let shop = Workshop {
            matrix: order.matrix,
            builds: &order.places.builds,
            assets: &order.places.assets,
            cpus: &order.split.server,
            path: order.path,
            logs: &self.folder.logs(),
            rebuild: order.rebuild,
            interrupt: order.interrupt,
        };
        let services = prepare::prepare_services(&shop, &targets, order.service_cpus, &mut *tell)?;
        Ok((services, prepare::prepare(&shop, &targets, tell)?))
    }

    /// Writes how it ended, also where it ended badly.
    pub(super) fn finish(
        &mut self,
        outcome: Result<Ending, RunError>,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(), RunError> {
        let ending = match outcome {
            Ok(ending) => ending,
            Err(error) => {
                // The error itself is what is told; if this cannot be written either, that is no news.
                let _ = self.folder.restore();
                let _ = self.folder.write_info(&self.info);
                return Err(error);
            }
        };
        let (info, done) = (&mut self.info, &mut self.done);
        info.finished_at = Some(clock::wall().to_string());
        (info.interrupted, info.cut_short) = (None, None);
        match ending {
            Ending::Whole => {}
            Ending::Unchanged => {
                done.is_unchanged = true;
                return Ok(self.folder.discard()?);
            }
            Ending::Interrupted => {
                done.is_interrupted = true;
                let signal = self.order.interrupt.signal_name().unwrap_or("a signal");
                info.interrupted = Some(signal.to_owned());
            }
            Ending::Cut(why) => {
                done.is_out_of_time = why == CutShort::TimeLimit;
                info.cut_short = Some(why);
            }
        }
        info.partial = self.order.plan.is_partial || info.base.is_some() || done.is_out_of_time;
        self.folder.restore()?;
        self.folder.write_info(info)?;
        if info.end().lack().is_none()
            && done.measured > 0
            && let Some(text) = self.folder.set_latest(info)?
        {
            tell(&Event::Notice { text });
        }
        Ok(())
    }
}
