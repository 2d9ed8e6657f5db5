//! What a figure was measured under. Runs whose figures can stand in one series share all of it; where anything of it changes, a new
//! series begins, and no change point is called between the two. One that comes back goes on where it was.
//!
//! Not part of it, and told beside a change instead: kernel, memory, versions of tools and of this program. They move figures of the
//! control too, so that most of it cancels out, and a nightly machine that updates itself would never come to a series. Nor is the
//! number of rounds, which makes a figure surer and not another one.

use crate::record::outline::{HostOutline, PolicyOutline, RunOutline, TableOutline};
use crate::record::run::CpuSplit;
use crate::units::{count_of, write_duration};

/// So many digits of a digest tell it from others.
const DIGITS: usize = 7;
/// What is digested, in words.
const ASKED: &str = "headers, body, right answer or settings of the load";

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
    /// Digest of all that is asked, which answer is right, and how hard; unknown of runs of older versions.
    pub asked_sha256: Option<String>,
    /// The profile of the matrix.
    pub profile: Option<String>,
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
            asked_sha256: table.asked_sha256.clone(),
            profile: run.profile.clone(),
            measure_seconds: *measure_seconds,
            split: run.cpus.clone(),
        }
    }

    /// Takes these for its own if they are the same; whether they are. A digest that only one of them has tells nothing, and is
    /// known from then on: a new version of this program begins no series.
    pub(super) fn covers(&mut self, other: &Self) -> bool {
        let known = self.asked_sha256.clone().or_else(|| other.asked_sha256.clone());
        let with = |it: &Self| Self {
            asked_sha256: it.asked_sha256.clone().or(known.clone()),
            ..it.clone()
        };
        let is_same = with(self) == with(other);
        if is_same {
            self.asked_sha256 = known;
        }
        is_same
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
        let digest = |conditions: &Self| {
            let digest = conditions.asked_sha256.as_deref().unwrap_or("unknown");
            digest.get(..DIGITS).unwrap_or(digest).to_owned()
        };
        let profile =
            |conditions: &Self| conditions.profile.clone().unwrap_or_else(|| "none".to_owned());
        // Words tell more than a digest, which changes with them.
        let is_told = self.load_words != other.load_words || self.request != other.request;
        [
            ("processor", text(&self.cpu_model), text(&other.cpu_model)),
            ("CPUs", count(self.cpus, "CPU"), count(other.cpus, "CPU")),
            ("cores", count(self.cores, "core"), count(other.cores, "core")),
            ("control", control(self), control(other)),
            ("load", self.load_words.clone(), other.load_words.clone()),
            ("request", self.request.clone(), other.request.clone()),
            (ASKED, digest(self), digest(other)),
            ("profile", profile(self), profile(other)),
            ("window", window(self), window(other)),
            ("CPUs of server and generator", split(&self.split), split(&other.split)),
        ]
        .into_iter()
        .filter(|(what, from, to)| from != to && !(is_told && *what == ASKED))
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
            asked_sha256: Some("0123456789".to_owned()),
            profile: None,
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
            asked_sha256: Some("abcdefghij".to_owned()),
            profile: Some("night".to_owned()),
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
                "headers, body, right answer or settings of the load 0123456 to abcdefg",
                "profile none to night",
                "window 3 s to 500 ms",
                "CPUs of server and generator 0 and 1 to 0 and 1,2",
            ]
        );
        let asked = Conditions { request: "GET /x".to_owned(), ..other.clone() };
        assert!(!one.changed_to(&asked).join(" ").contains("right answer"));
    }

    #[test]
    fn what_an_older_version_did_not_tell_is_taken_for_the_same() {
        let with = |digest: Option<&str>| Conditions {
            asked_sha256: digest.map(str::to_owned),
            ..conditions()
        };
        for (mut one, other, is_same, known) in [
            (with(None), with(None), true, None),
            (with(None), with(Some("b")), true, Some("b")),
            (with(Some("b")), with(None), true, Some("b")),
            (with(Some("a")), with(Some("b")), false, Some("a")),
        ] {
            let is_covered = one.covers(&other);
            assert_eq!((is_covered, one.asked_sha256.as_deref()), (is_same, known));
        }
    }
}
