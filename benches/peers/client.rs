//! One run of one generator against one server: what it did, what it cost both, and who was saturated.

use std::fs;
use std::time::Duration;

use crate::peer::{Ask, Counted, Tool};
use crate::server::Server;
use crate::{Bench, launch};

/// How long a generator may take beyond the load that was asked for.
const GRACE: Duration = Duration::from_secs(30);
/// The share of its CPU beyond which a client is saturated, and a server.
const CLIENT_SATURATED: f64 = 0.95;
const SERVER_SATURATED: f64 = 0.90;

/// A run that went well.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) counted: Counted,
    pub(crate) answers_per_second: f64,
    /// CPU time of the whole process per answer, in microseconds.
    pub(crate) cpu_us: f64,
    /// The same without what it spun away; of orchestrate, paced, what it tells of its window.
    pub(crate) work_us: f64,
    pub(crate) rss_peak_bytes: u64,
    /// The share of the run that the client ran, spinning included.
    pub(crate) client_busy: f64,
    pub(crate) server_busy: Option<f64>,
    pub(crate) server_cpu_us: Option<f64>,
    /// What others took of the two CPUs.
    pub(crate) others_busy: f64,
}

impl Run {
    /// Who had no CPU left.
    pub(crate) fn limit(&self) -> &'static str {
        let client = self.client_busy >= CLIENT_SATURATED;
        match (client, self.server_busy.is_some_and(|busy| busy >= SERVER_SATURATED)) {
            (true, true) => "both",
            (true, false) => "client",
            (false, true) => "server",
            (false, false) => "neither",
        }
    }
}

/// Lets `tool` make the load; `None` if it cannot make such a load.
pub(crate) fn run(
    bench: &Bench,
    tool: Tool,
    ask: &Ask,
    server: Option<&Server>,
) -> Option<Result<Run, String>> {
    let words = tool.words(ask, bench.client_cpu, bench.folder.path())?;
    Some(
        measure(bench, tool, ask, server, &words)
            .map_err(|what| format!("{}: {what}", tool.name())),
    )
}

fn measure(
    bench: &Bench,
    tool: Tool,
    ask: &Ask,
    server: Option<&Server>,
    words: &[std::ffi::OsString],
) -> Result<Run, String> {
    let mut command = launch::on_cpu(bench.client_cpu, words).map_err(|error| error.to_string())?;
    command.env("HOME", bench.folder.path());
    let before = (server.map(Server::cpu), busy(bench));
    let ended = launch::run(command, Duration::from_secs(ask.seconds) + GRACE)
        .map_err(|error| error.to_string())?;
    let after = (server.map(Server::cpu), busy(bench));
    let counted =
        tool.read(&ended.stdout).filter(|counted| counted.answers > 0).ok_or_else(|| {
            let said = format!("{} {}", ended.stdout.trim(), ended.stderr.trim());
            let said: String = said.chars().take(400).collect();
            format!("no answers ({}): {said}", ended.status)
        })?;
    let answers = counted.answers as f64;
    let wall = ended.wall.as_secs_f64();
    let server_cpu = before.0.zip(after.0).map(|(from, to)| to.saturating_sub(from).as_secs_f64());
    let used = ended.cpu.as_secs_f64() + server_cpu.unwrap_or(0.0);
    let cpus = if bench.client_cpu == bench.server_cpu { 1.0 } else { 2.0 };
    let worked = ended.cpu.saturating_sub(counted.spun);
    // What a paced generator spins before its window is in no count, so its own figure, of its window, is taken.
    let told = counted.measured.as_ref().and_then(|it| it.generator.cpu_us_per_request);
    let work_us = told.filter(|_| ask.rate.is_some());
    Ok(Run {
        answers_per_second: answers / counted.seconds.unwrap_or(ask.seconds as f64),
        cpu_us: ended.cpu.as_secs_f64() * 1e6 / answers,
        work_us: work_us.unwrap_or(worked.as_secs_f64() * 1e6 / answers),
        rss_peak_bytes: ended.rss_peak_bytes,
        client_busy: ended.cpu.as_secs_f64() / wall,
        server_busy: server_cpu.map(|cpu| cpu / wall),
        server_cpu_us: server_cpu.map(|cpu| cpu * 1e6 / answers),
        others_busy: ((after.1 - before.1 - used) / wall / cpus).max(0.0),
        counted,
    })
}

/// CPU time that the two CPUs have spent on anything, or that was stolen from them, in seconds.
fn busy(bench: &Bench) -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: u64 = text
        .lines()
        .filter_map(|line| line.strip_prefix("cpu")?.split_once(' '))
        .filter(|(cpu, _)| {
            cpu.parse().is_ok_and(|cpu: usize| cpu == bench.client_cpu || cpu == bench.server_cpu)
        })
        .map(|(_, fields)| {
            let fields: Vec<u64> =
                fields.split_whitespace().filter_map(|field| field.parse().ok()).collect();
            // user, nice, system, idle, iowait, irq, softirq, steal; the guests' are in user.
            let idle: u64 = fields.iter().skip(3).take(2).sum();
            fields.iter().take(8).sum::<u64>() - idle
        })
        .sum();
    ticks as f64 / orchestrate::processes::ticks_per_second() as f64
}
