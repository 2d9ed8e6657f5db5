//! The line below the tables: when, by which version, on which machine, with which tools, and how to do it again.

use std::collections::BTreeMap;

use crate::record::run::{Purpose, RunInfo};

pub(super) fn line(run: &RunInfo, versions: &BTreeMap<String, String>) -> String {
    let mut parts = vec![run.started_at.chars().take(10).collect(), run.orchestrate.clone()];
    parts.push(machine(run));
    if !versions.is_empty() {
        let tools: Vec<String> =
            versions.iter().map(|(tool, version)| format!("{tool} {version}")).collect();
        parts.push(tools.join(", "));
    }
    parts.push("noise not measured".to_owned());
    if run.partial {
        parts.push("partial".to_owned());
    }
    if let Some(signal) = &run.interrupted {
        parts.push(format!("interrupted by {signal}"));
    }
    parts.push(format!("repeat: {}", repeat(run)));
    parts.join(" · ")
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
