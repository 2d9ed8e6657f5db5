//! The services of a trial: seen to before it, blamed where they ended, looked at in its window.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Cut, Going, NOT_OURS};
use crate::clock;
use crate::host::Split;
use crate::host::seats::{Seats, ServiceSeat};
use crate::host::window::Watch;
use crate::lifecycle;
use crate::outcome::Stage;
use crate::prepare::Prepared;
use crate::record::trial::{Failed, Skipped};
use crate::service::{Lacking, Running};
use crate::target::server::Server;
use crate::usage::sampler::Sampler;
use crate::usage::used::Usage;

/// How long it may take until the end of a service is heard of, when a server that needs it has failed.
const EXIT_HEARD_WITHIN: Duration = Duration::from_millis(100);
/// Between two questions whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A service, as it is looked at in a window.
pub(super) struct ServiceLook {
    pub(super) name: String,
    pub(super) cpus: Vec<usize>,
    pub(super) sampler: Sampler,
}

/// What a service used in a window.
pub(super) struct ServiceUse {
    pub(super) name: String,
    pub(super) cpus: Vec<usize>,
    pub(super) usage: Usage,
}

impl ServiceLook {
    /// The window has closed.
    pub(super) fn end(&mut self) -> ServiceUse {
        ServiceUse {
            name: self.name.clone(),
            cpus: self.cpus.clone(),
            usage: self.sampler.end_window(),
        }
    }
}

impl Going<'_> {
    /// Sees to it that all services are up that the target needs; why it is skipped if they cannot be had here.
    pub(super) fn provide_services(&mut self) -> Result<Option<Skipped>, Cut> {
        let services = self.shared.services;
        let provided = services.provide(self.target);
        self.needed = match provided {
            Ok(needed) => needed,
            Err(Lacking::Skipped(skipped)) => return Ok(Some(skipped)),
            Err(Lacking::Cut(lifecycle::Cut::Failed(failed))) => {
                // Another service may live for this trial alone.
                services.release();
                return Err(failed.into());
            }
            Err(Lacking::Cut(cut)) => return Err(cut.into()),
        };
        self.services = services.addresses(&self.needed);
        self.record.services = services.seen(&self.needed).into_iter().collect();
        for place in &self.needed {
            if let Prepared::Ready(ready) = services.prepared(*place) {
                let versions = ready.versions.iter();
                let versions = versions.map(|(tool, version)| (tool.clone(), version.clone()));
                self.record.versions.extend(versions);
            }
        }
        Ok(None)
    }

    /// The failure at a stage, if a service has ended.
    pub(super) fn service_ended(&self, stage: Stage) -> Option<Failed> {
        self.shared.services.ended(&self.needed, stage)
    }

    /// What fails because its service has ended fails for that reason.
    pub(super) fn blame_service(&self, cut: Cut) -> Cut {
        let Cut::Failed(failed) = cut else { return cut };
        if self.needed.is_empty() || failed.stage == Stage::Stop {
            return failed.into();
        }
        let until = clock::now() + EXIT_HEARD_WITHIN;
        loop {
            if let Some(of_service) = self.service_ended(failed.stage) {
                return of_service.into();
            }
            if until.is_past() {
                return failed.into();
            }
            clock::sleep_until(clock::now() + LOOK);
        }
    }

    /// What looks at the services while the server is loaded.
    pub(super) fn look_at_services(&self) -> Vec<ServiceLook> {
        let look =
            |Running { name, tree, cpus }| ServiceLook { name, cpus, sampler: self.sampler(tree) };
        self.shared.services.running(&self.needed).into_iter().map(look).collect()
    }

    /// What looks at the machine while this server is loaded.
    pub(super) fn watch(&self, server: &Server) -> Watch {
        let Split { server: cpus, generator, .. } = self.shared.ground.split;
        let group = server.containment().group.as_deref();
        let services = self.shared.services.running(&self.needed);
        let of_services = services.iter().map(|service| service.tree.keeper());
        let keepers = [server.keeper_pid()].into_iter().chain(of_services).collect();
        Watch::new(keepers, group, &[&cpus[..], generator].concat())
    }

    /// Who ran where: a server or service where its threads were seen, and where it was put.
    pub(super) fn seats(
        &self,
        usage: &Usage,
        services: &[ServiceUse],
        load_threads: BTreeSet<u32>,
    ) -> Seats {
        let split = &self.shared.ground.split;
        let seen = usage.cpus_allowed.iter().flatten().filter(|_| !self.target.external);
        let used_us = |usage: &Usage, whose: &str| match &usage.cpu {
            Some(cpu) => Ok(cpu.total_us),
            None => Err(format!("the CPU time of {whose} is not known")),
        };
        let server_us = if self.target.external {
            Err(NOT_OURS.to_owned())
        } else {
            used_us(usage, "the server")
        };
        let seat = |service: &ServiceUse| ServiceSeat {
            cpus: service
                .cpus
                .iter()
                .chain(service.usage.cpus_allowed.iter().flatten())
                .copied()
                .collect(),
            used_us: used_us(&service.usage, &format!("service `{}`", service.name)),
        };
        Seats {
            server: split.server.iter().chain(seen).copied().collect(),
            generator: split.generator.iter().copied().collect(),
            server_us,
            load_threads,
            services: services.iter().map(seat).collect(),
        }
    }
}
