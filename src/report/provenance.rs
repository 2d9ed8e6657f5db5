//! The line below the tables: when, by which version, on which machine, with which tools, and how to do it again.

use std::time::Duration;

use crate::record::run::{Purpose, RunInfo};
use crate::record::session::CutShort;
use crate::record::summary::{Noise, Summary};
use crate::units::{count_of, typed_duration};

pub(super) fn line(summary: &Summary) -> String {
    let Summary { run, versions, .. } = summary;
    let mut parts = vec![run.started_at.chars().take(10).collect(), run.orchestrate.clone()];
    parts.push(machine(run));
    if !versions.is_empty() {
        let tools: Vec<String> =
            versions.iter().map(|(tool, version)| format!("{tool} {version}")).collect();
        parts.push(tools.join(", "));
    }
    parts.push(noise(&summary.noise));
    parts.extend(run.policy.control.iter().map(|control| format!("control {control}")));
    if let Some(base) = &run.base {
        parts.push(format!("what had not changed is from run {}", base.id));
    }
    if run.partial {
        parts.push("partial".to_owned());
    }
    if let Some(signal) = &run.interrupted {
        parts.push(format!("interrupted by {signal}"));
    }
    parts.extend(run.cut_short.map(|why| cut_short(why).to_owned()));
    parts.extend(resumed(run));
    parts.push(format!("repeat: {}", repeat(run)));
    parts.join(" · ")
}

/// Why the last trials were not made.
pub(super) fn cut_short(why: CutShort) -> &'static str {
    match why {
        CutShort::TimeLimit => "cut short by its time limit",
        CutShort::FailFast => "cut short by the first failure",
    }
}

/// How often it was gone on with, if it was.
pub(super) fn resumed(run: &RunInfo) -> Option<String> {
    let last = run.resumptions.last()?;
    let times = count_of(run.resumptions.len(), "time");
    Some(format!(
        "resumed {times}, last on {}",
        last.started_at.chars().take(10).collect::<String>()
    ))
}

/// The smallest difference that the rounds could tell from none, from the quietest table to the loudest.
fn noise(tables: &[Noise]) -> String {
    let known = || tables.iter().filter_map(|noise| noise.smallest_effect);
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    // So much is better told by a factor.
    if high >= 1.0 {
        return format!("noise ×/÷ {:.1} in its loudest table", high + 1.0);
    }
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let (low, high) = match (known().next(), percent(low), percent(high)) {
        (None, ..) => return "noise not measured".to_owned(),
        (Some(_), low, high) => (low, high),
    };
    if low == high { format!("noise {low} %") } else { format!("noise {low} to {high} %") }
}

fn machine(run: &RunInfo) -> String {
    let host = &run.host;
    let model = host.cpu_model.as_deref().unwrap_or("CPU of unknown model");
    let count = host.cpus.map_or_else(String::new, |cpus| format!("{cpus} × "));
    let kernel = host.kernel.as_deref().map_or_else(String::new, |kernel| format!(", {kernel}"));
    format!("{count}{model}{kernel}")
}

fn repeat(run: &RunInfo) -> String {
    if let Some(typed) = &run.typed {
        return typed.clone();
    }
    let verb = match run.purpose {
        None => "orchestrate run",
        Some(Purpose::Noise) => "orchestrate noise",
    };
    let mut words = vec![verb.to_owned(), run.matrix_path.clone()];
    words.extend(run.profile.iter().map(|profile| format!("--profile {profile}")));
    words.extend(run.overrides.iter().filter(|word| !word.starts_with("--seed")).cloned());
    if run.cut_short == Some(CutShort::TimeLimit) {
        let limit = run.time_limit_seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
        words.extend(limit.map(|limit| format!("--time-limit {}", typed_duration(limit))));
    }
    words.extend(run.base.as_ref().map(|base| format!("--update {}", base.id)));
    words.push(format!("--seed {}", run.seed));
    words.join(" ")
}
