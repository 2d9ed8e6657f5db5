//! What a figure was measured under. Runs whose figures can stand in one series share all of it; where anything of it changes, a new
//! series begins, and no change point is called between the two. One that comes back goes on where it was.
//!
//! Not part of it, and told beside a change instead: kernel, memory, versions of tools and of this program. They move figures of the
//! control too, so that most of it cancels out, and a nightly machine that updates itself would never come to a series. Nor is the
//! number of rounds, which makes a figure surer and not another one.

use crate::record::outline::{HostOutline, PolicyOutline, RunOutline, TableOutline};
use crate::record::run::CpuSplit;
use crate::units::{count_of, write_duration};

/// What a row's figures depend on besides the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// The processor's name for itself.
    pub cpu_model: Option<String>,
    /// CPUs that are on.
    pub cpus: Option<u64>,
    /// Physical cores.
    pub cores: Option<u64>,
    /// The row that stands for the machine.
    pub control: Option<String>,
    /// The load in words.
    pub load_words: String,
    /// The request.
    pub request: String,
    /// The window.
    pub measure_seconds: f64,
    /// Who ran where.
    pub split: CpuSplit,
}

impl Conditions {
    /// Those of a table of a run.
    pub(super) fn of(run: &RunOutline, table: &TableOutline) -> Self {
        let HostOutline { cpu_model, cpus, cores, .. } = &run.host;
        let PolicyOutline { measure_seconds, control, .. } = &run.policy;
        Self {
            cpu_model: cpu_model.clone(),
            cpus: *cpus,
            cores: *cores,
            control: control.clone(),
            load_words: table.load_words.clone(),
            request: table.request.clone(),
            measure_seconds: *measure_seconds,
            split: run.cpus.clone(),
        }
    }

    /// What became of these, in words: `processor EPYC to Xeon`. Empty if they are the same.
    pub fn changed_to(&self, other: &Self) -> Vec<String> {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
        let count = |count: Option<u64>, thing: &str| {
            count.map_or_else(
                || "unknown".to_owned(),
                |count| count_of(usize::try_from(count).unwrap_or(usize::MAX), thing),
            )
        };
        let window = |conditions: &Self| {
            let seconds = conditions.measure_seconds.clamp(0.0, 1e9);
            write_duration(std::time::Duration::from_secs_f64(seconds))
        };
        let control =
            |conditions: &Self| conditions.control.clone().unwrap_or_else(|| "none".to_owned());
        [
            ("processor", text(&self.cpu_model), text(&other.cpu_model)),
            ("CPUs", count(self.cpus, "CPU"), count(other.cpus, "CPU")),
            ("cores", count(self.cores, "core"), count(other.cores, "core")),
            ("control", control(self), control(other)),
            ("load", self.load_words.clone(), other.load_words.clone()),
            ("request", self.request.clone(), other.request.clone()),
            ("window", window(self), window(other)),
            ("CPUs of server and generator", split(&self.split), split(&other.split)),
        ]
        .into_iter()
        .filter(|(_, from, to)| from != to)
        .map(|(what, from, to)| format!("{what} {from} to {to}"))
        .collect()
    }
}

fn split(split: &CpuSplit) -> String {
    let list = |cpus: &[u32]| {
        let cpus: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        if cpus.is_empty() { "unknown".to_owned() } else { cpus.join(",") }
    };
    format!("{} and {}", list(&split.server), list(&split.generator))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions() -> Conditions {
        Conditions {
            cpu_model: Some("EPYC".to_owned()),
            cpus: Some(2),
            cores: Some(1),
            control: Some("c/epoll".to_owned()),
            load_words: "64 connections, closed loop".to_owned(),
            request: "GET /".to_owned(),
            measure_seconds: 3.0,
            split: CpuSplit {
                server: vec![0],
                generator: vec![1],
                shared: false,
                shared_core: false,
            },
        }
    }

    #[test]
    fn what_became_of_them_is_told_in_words() {
        let one = conditions();
        assert_eq!(one.changed_to(&conditions()), Vec::<String>::new());
        let other = Conditions {
            cpu_model: None,
            cores: Some(2),
            control: None,
            measure_seconds: 0.5,
            split: CpuSplit { generator: vec![1, 2], ..one.split.clone() },
            ..conditions()
        };
        assert_eq!(
            one.changed_to(&other),
            [
                "processor EPYC to unknown",
                "cores 1 core to 2 cores",
                "control c/epoll to none",
                "window 3 s to 500 ms",
                "CPUs of server and generator 0 and 1 to 0 and 1,2",
            ]
        );
    }
}
