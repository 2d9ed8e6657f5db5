//! From what the generator and the sampler saw to the record of a window, judged.

use std::collections::BTreeMap;

use super::load::UnderLoad;
use super::lookout::Seen;
use super::services::ServiceUse;
use super::{Going, NOT_OURS};
use crate::affinity::write_list;
use crate::clock::Instant;
use crate::matrix::{Arrival, Stop};
use crate::record::measured::{Measured, ResponseSeen, ServerUsage};
use crate::usage::used::Usage;
use crate::{generator, judge};

impl Going<'_> {
    /// Puts the record of the window together.
    pub(super) fn assemble(&mut self, under_load: UnderLoad, response: ResponseSeen) -> Measured {
        let UnderLoad { loaded, seen, is_unsteady } = under_load;
        let Seen { usage, services, output_bytes, host, host_absent } = seen;
        self.record.requests.warm_up += loaded.warm_up.requests_written;
        self.record.requests.window = loaded.requests_written;
        let mut measured = loaded.measured;
        measured.absent.extend(host_absent);
        measured.host = Some(host);
        let window = Window { opened: loaded.opened, answers: measured.answers() };
        if self.target.external {
            measured.absent.insert("server".to_owned(), NOT_OURS.to_owned());
        } else {
            let allowed = self.shared.ground.split.server.len();
            let (server, absent) = server_usage(usage, allowed, Some(output_bytes), window);
            measured.server = Some(server);
            measured.absent.extend(absent);
        }
        for ServiceUse { name, cpus, usage } in services {
            let (of_service, absent) = server_usage(usage, cpus.len(), None, window);
            let absent = absent.into_iter();
            let absent = absent.map(|(figure, why)| (format!("services.{name}.{figure}"), why));
            measured.absent.extend(absent);
            measured.services.insert(name, of_service);
        }
        measured.response = Some(response);
        measured.limit = judge::limit::judge(&measured, self.load.arrival != Arrival::ClosedLoop);
        let load = judge::LoadSetting {
            keeps_alive: self.load.keep_alive,
            is_counted: self.load.stop != Stop::Window,
            connections: u64::from(self.load.connections),
            local_ports: generator::ports::local_ports(),
        };
        let setting = judge::TrialSetting {
            is_shared: self.shared.ground.split.is_shared,
            generator_cpus: &self.shared.ground.split.generator,
            is_core_shared: self.shared.ground.split.is_core_shared,
            is_unsteady,
            warm_up_seconds: self.record.warm_up_seconds.unwrap_or_default(),
        };
        self.record.caveats.extend(judge::load_caveats(&measured, &load));
        self.record.caveats.extend(judge::trial_caveats(&measured, &setting));
        measured
    }
}

/// What figures of a tree are taken relative to.
#[derive(Clone, Copy)]
struct Window {
    opened: Instant,
    answers: u64,
}

/// The figures of a tree, and why others are absent. `output_bytes` is `None` where a log is not watched.
fn server_usage(
    usage: Usage,
    allowed: usize,
    output_bytes: Option<Result<u64, String>>,
    window: Window,
) -> (ServerUsage, BTreeMap<String, String>) {
    let samples = usage.samples_since(window.opened);
    let mut absent = usage.absent;
    let mut note = |name: &str, reason: String| absent.insert(name.to_owned(), reason);
    let cpu = usage.cpu.as_ref();
    let by_mode = cpu.filter(|cpu| cpu.source.modes_untold().is_none());
    if window.answers == 0 {
        note("cpu_us_per_request", "nothing was answered".to_owned());
    } else if cpu.is_none() {
        note("cpu_us_per_request", "CPU time is not known".to_owned());
    }
    let output_bytes =
        output_bytes.and_then(|told| told.map_err(|reason| note("output_bytes", reason)).ok());
    // A server that moved elsewhere has what it took; the plan says only what it was given.
    let allowed = usage.cpus_allowed.as_deref().map_or(allowed, <[usize]>::len).max(1);
    let usage = ServerUsage {
        cpu_us: cpu.map(|cpu| cpu.total_us),
        cpu_user_us: by_mode.map(|cpu| cpu.user_us),
        cpu_system_us: by_mode.map(|cpu| cpu.system_us),
        cpu_seconds: cpu.map(|cpu| cpu.interval.as_secs_f64()),
        cpu_us_per_request: cpu
            .filter(|_| window.answers > 0)
            .map(|cpu| cpu.total_us as f64 / window.answers as f64),
        cpu_source: cpu.map(|cpu| cpu.source.to_string()),
        cores_used: cpu.map(|cpu| cpu.cores_used),
        cores_allowed: u32::try_from(allowed).expect("a machine has fewer CPUs than that"),
        busiest_thread: cpu.and_then(|cpu| cpu.busiest_thread),
        busiest_thread_wait: cpu.and_then(|cpu| cpu.busiest_thread_wait),
        run_queue_wait_us: cpu.and_then(|cpu| cpu.run_queue_wait_us),
        cpus_allowed: usage.cpus_allowed.as_deref().map(write_list),
        rss_before_bytes: usage.rss_before_bytes,
        rss_mean_bytes: usage.rss_mean_bytes,
        rss_peak_bytes: usage.rss_peak_bytes,
        pss_before_bytes: usage.pss_before_bytes,
        pss_after_bytes: usage.pss_after_bytes,
        shared_bytes: usage.shared_bytes,
        memory_peak_bytes: usage.memory_peak.as_ref().map(|peak| peak.bytes),
        memory_peak_source: usage.memory_peak.map(|peak| peak.source.to_owned()),
        virtual_bytes: usage.virtual_bytes,
        processes_peak: usage.processes_peak,
        threads_peak: usage.threads_peak,
        open_files_peak: usage.open_files_peak,
        context_switches: usage.context_switches,
        output_bytes,
        samples,
    };
    (usage, absent)
}
