//! What a tree used in a window: every figure, or why it is not there.

use std::collections::BTreeMap;

use super::looker::Seen;
use super::memory::Peak;
use super::reading::CpuUse;
use super::{NOBODY, Told};
use crate::clock::Instant;
use crate::processes::THREADS_UNTOLD;
use crate::record::measured::{ContextSwitches, Sample};

/// What a tree used in a window. What could not be read is absent, with its reason in `absent`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Resident memory of the tree when it was ready, before any load.
    pub rss_before_bytes: Option<u64>,
    /// Mean resident memory over the samples of the window.
    pub rss_mean_bytes: Option<u64>,
    /// The highest of them.
    pub rss_peak_bytes: Option<u64>,
    /// The highest virtual memory of a sample.
    pub virtual_bytes: Option<u64>,
    /// Memory with shared pages counted once, before any load.
    pub pss_before_bytes: Option<u64>,
    /// The same after the window.
    pub pss_after_bytes: Option<u64>,
    /// Of that, what more than one process maps.
    pub shared_bytes: Option<u64>,
    /// The most memory since it began.
    pub memory_peak: Option<Peak>,
    /// Most processes in a sample.
    pub processes_peak: Option<u64>,
    /// Most threads in a sample.
    pub threads_peak: Option<u64>,
    /// Most open files in a sample.
    pub open_files_peak: Option<u64>,
    /// How often its threads were switched in the window.
    pub context_switches: Option<ContextSwitches>,
    /// CPU time from the window's start to its end.
    pub cpu: Option<CpuUse>,
    /// The CPUs that its threads might use at either end.
    pub cpus_allowed: Option<Vec<usize>>,
    /// Why a figure is absent, by its name on disk.
    pub absent: BTreeMap<String, String>,
    /// The samples of the window, in order, each with its instant.
    samples: Vec<(Instant, Sample)>,
}

impl Usage {
    /// The samples of the window in order, in milliseconds from `zero` on. One that was taken just before is at zero.
    pub fn samples_since(&self, zero: Instant) -> Vec<Sample> {
        let since = |at: Instant| u64::try_from(at.since(zero).as_millis()).unwrap_or(u64::MAX);
        self.samples.iter().map(|(at, sample)| Sample { at_ms: since(*at), ..*sample }).collect()
    }

    pub(super) fn new(cpu: Told<CpuUse>, seen: Seen) -> Self {
        let mut absent = Absent::default();
        let (peaks, files_hidden) = (Peaks::of(&seen.samples), seen.files_hidden);
        let unsampled = seen.unsampled;
        let unread = || unsampled.clone();
        let unthreaded = || THREADS_UNTOLD.map_or_else(unread, str::to_owned);
        if seen.samples.is_empty() {
            absent.note("samples", &unsampled);
        }
        let open_files = peaks.open_files.ok_or_else(|| files_hidden.unwrap_or_else(unread));
        let cpu = absent.unless_cpu(cpu);
        if let Err(reason) = seen.pinned {
            absent
                .note("pinning", &format!("what watches could not be kept on its CPUs: {reason}"));
        }
        Self {
            rss_before_bytes: absent.unless("rss_before_bytes", seen.rss_before_bytes),
            rss_mean_bytes: absent.unless("rss_mean_bytes", peaks.rss_mean.ok_or_else(unread)),
            rss_peak_bytes: absent.unless("rss_peak_bytes", peaks.rss.ok_or_else(unread)),
            virtual_bytes: absent.unless("virtual_bytes", peaks.size.ok_or_else(unread)),
            pss_before_bytes: absent.unless("pss_before_bytes", seen.before.map(|it| it.pss)),
            pss_after_bytes: absent.unless(
                "pss_after_bytes",
                seen.after.as_ref().map(|it| it.pss).map_err(Clone::clone),
            ),
            shared_bytes: absent.unless("shared_bytes", seen.after.map(|it| it.shared)),
            memory_peak: absent.unless("memory_peak_bytes", seen.peak),
            processes_peak: absent.unless("processes_peak", peaks.processes.ok_or_else(unread)),
            threads_peak: absent.unless("threads_peak", peaks.threads.ok_or_else(unthreaded)),
            open_files_peak: absent.unless("open_files_peak", open_files),
            context_switches: absent.unless("context_switches", seen.switches),
            cpus_allowed: absent.unless("cpus_allowed", seen.cpus_allowed),
            cpu,
            samples: seen.samples,
            absent: absent.0,
        }
    }
}

/// Reasons, by the names of figures on disk.
#[derive(Default)]
struct Absent(BTreeMap<String, String>);

impl Absent {
    /// The figure, or its reason noted.
    fn unless<T>(&mut self, name: &str, told: Told<T>) -> Option<T> {
        told.map_err(|reason| self.note(name, &reason)).ok()
    }

    fn note(&mut self, name: &str, reason: &str) {
        self.0.insert(name.to_owned(), reason.to_owned());
    }

    /// The same of CPU time, from which many figures follow.
    fn unless_cpu(&mut self, cpu: Told<CpuUse>) -> Option<CpuUse> {
        const OF_CPU: [&str; 6] =
            ["cpu_us", "cpu_user_us", "cpu_system_us", "cpu_seconds", "cpu_source", "cores_used"];
        const OF_THREADS: [&str; 3] =
            ["busiest_thread", "busiest_thread_wait", "run_queue_wait_us"];
        const NO_WAIT: &str = "threads of the server ended in the window and took theirs with them, or the kernel does not tell";
        match &cpu {
            Ok(cpu) => {
                let is_there = [
                    cpu.busiest_thread.is_some(),
                    cpu.busiest_thread_wait.is_some(),
                    cpu.run_queue_wait_us.is_some(),
                ];
                let reasons = [NOBODY, NO_WAIT, NO_WAIT].map(|it| THREADS_UNTOLD.unwrap_or(it));
                if let Some(reason) = cpu.source.modes_untold() {
                    self.note("cpu_user_us", reason);
                    self.note("cpu_system_us", reason);
                }
                for ((name, is_there), reason) in OF_THREADS.iter().zip(is_there).zip(reasons) {
                    if !is_there {
                        self.note(name, reason);
                    }
                }
            }
            Err(reason) => {
                OF_CPU.iter().chain(&OF_THREADS).for_each(|name| self.note(name, reason));
            }
        }
        cpu.ok()
    }
}

/// What the samples come to.
struct Peaks {
    rss_mean: Option<u64>,
    rss: Option<u64>,
    size: Option<u64>,
    processes: Option<u64>,
    threads: Option<u64>,
    open_files: Option<u64>,
}

impl Peaks {
    fn of(samples: &[(Instant, Sample)]) -> Self {
        let peak =
            |of: fn(&Sample) -> Option<u64>| samples.iter().filter_map(|(_, it)| of(it)).max();
        let rss_sum: u64 = samples.iter().map(|(_, sample)| sample.rss_bytes).sum();
        Self {
            rss_mean: rss_sum.checked_div(samples.len() as u64),
            rss: peak(|it| Some(it.rss_bytes)),
            size: peak(|it| Some(it.virtual_bytes)),
            processes: peak(|it| Some(it.processes)),
            threads: peak(|it| it.threads),
            open_files: peak(|it| it.open_files),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ms: u64, rss_bytes: u64, processes: u64) -> (Instant, Sample) {
        let sample = Sample {
            at_ms: 0,
            rss_bytes,
            virtual_bytes: 10,
            cpu_us: None,
            processes,
            threads: Some(4),
            open_files: None,
        };
        (Instant::from_nanos(at_ms * 1_000_000), sample)
    }

    #[test]
    fn means_and_peaks_are_those_of_the_samples() {
        let samples = vec![sample(0, 100, 1), sample(500, 400, 2), sample(1000, 100, 1)];
        let seen = Seen { samples, rss_before_bytes: Ok(50), ..Seen::default() };
        let usage = Usage::new(Err("no".to_owned()), seen);
        assert_eq!((usage.rss_before_bytes, usage.rss_mean_bytes), (Some(50), Some(200)));
        assert_eq!((usage.rss_peak_bytes, usage.processes_peak), (Some(400), Some(2)));
        assert_eq!(usage.threads_peak, Some(4));
        assert!(!usage.absent.contains_key("rss_mean_bytes"));
        assert_eq!(usage.absent["cores_used"], "no");
    }

    #[test]
    fn samples_count_from_the_zero_that_they_are_asked_from() {
        let samples = vec![sample(995, 1, 1), sample(1500, 1, 1), sample(2004, 1, 1)];
        let usage = Usage::new(Err(String::new()), Seen { samples, ..Seen::default() });
        let at = |zero_ms: u64| -> Vec<u64> {
            let zero = Instant::from_nanos(zero_ms * 1_000_000);
            usage.samples_since(zero).iter().map(|sample| sample.at_ms).collect()
        };
        assert_eq!(at(995), [0, 505, 1009]);
        // The generator opened its window a little after the sampler.
        assert_eq!(at(1000), [0, 500, 1004]);
    }

    #[test]
    fn why_files_are_not_counted_is_told() {
        let files_hidden = Some("`/proc/7/fd` cannot be read".to_owned());
        let seen = Seen { samples: vec![sample(0, 1, 1)], files_hidden, ..Seen::default() };
        let usage = Usage::new(Err(String::new()), seen);
        assert_eq!(usage.absent["open_files_peak"], "`/proc/7/fd` cannot be read");
    }
}
