//! The line below the tables: when, by which version, on which machine, with which tools, and how to do it again.

use crate::record::run::{Purpose, RunInfo};
use crate::record::summary::{Noise, Summary};

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
    if run.partial {
        parts.push("partial".to_owned());
    }
    if let Some(signal) = &run.interrupted {
        parts.push(format!("interrupted by {signal}"));
    }
    parts.push(format!("repeat: {}", repeat(run)));
    parts.join(" · ")
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
    let verb = match run.purpose {
        None => "orchestrate run",
        Some(Purpose::Noise) => "orchestrate noise",
    };
    let mut words = vec![verb.to_owned(), run.matrix_path.clone()];
    words.extend(run.profile.iter().map(|profile| format!("--profile {profile}")));
    words.extend(run.overrides.iter().filter(|word| !word.starts_with("--seed")).cloned());
    words.push(format!("--seed {}", run.seed));
    words.join(" ")
}
