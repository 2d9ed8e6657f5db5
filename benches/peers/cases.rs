//! The cases that compare generators by their CPU time per answer.

use orchestrate::stats::geometric::GeometricMean;
use orchestrate::units;

use crate::Bench;
use crate::client::{self, Run};
use crate::peer::{Ask, Tool};
use crate::server::Server;
use crate::table::{Figure, Table};

/// The equal rate of the paced comparison.
const RATE: u32 = 20_000;

/// Runs of several generators; one run a round, none where it failed.
pub(crate) struct Compared {
    runs: Vec<(Tool, Vec<Option<Run>>)>,
    faults: Vec<String>,
}

/// `hello`, kept connections, as fast as it goes.
pub(crate) fn hello(bench: &Bench) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let ask = ask(bench, &server, "/", 64);
    let ours = [Tool::Orchestrate].into_iter().chain(bench.wrk()).chain([Tool::Bare]);
    let compared = compare(bench, &ours.collect::<Vec<_>>(), &ask, &server, bench.scale.pairs);
    let what = "CPU per request, hello, 64 kept connections, closed loop";
    bench.figure(what, &compared, Tool::Wrk, (0.85, "<= 0.85 of wrk's (stretch 0.78)"));
    bench.figure(what, &compared, Tool::Bare, (1.15, "<= 1.15 of a bare loop's"));
    bench.tell(compared.table("hello: 64 kept connections, closed loop"));
    others(bench, &ask, &server, "hello: the other peers, as above");
    Ok(())
}

/// The same with one connection.
pub(crate) fn hello_1(bench: &Bench) -> Result<(), String> {
    few(bench, 1, "hello: 1 kept connection, closed loop")
}

/// The same with a thousand.
pub(crate) fn hello_1000(bench: &Bench) -> Result<(), String> {
    few(bench, 1000, "hello: 1,000 kept connections, closed loop")
}

/// `hello` at one rate for all.
pub(crate) fn paced(bench: &Bench) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let ask = Ask { rate: Some(RATE), ..ask(bench, &server, "/", 64) };
    let tools = [Tool::Orchestrate, Tool::Bare];
    let compared = compare(bench, &tools, &ask, &server, bench.scale.pairs);
    let what = "CPU per request, hello, 64 kept connections, 20,000/s, spinning left out";
    let goal = "<= 0.85 of wrk's (stretch 0.78)";
    bench.absent(what, goal, "wrk has no rate");
    bench.figure(what, &compared, Tool::Bare, (1.15, "<= 1.15 of a bare loop's"));
    let mut table = compared.table("hello: 64 kept connections, 20,000 requests/s");
    table.notes.push(
        "Both spin for up to 60 us before each instant; `work` leaves out what was spun in vain, and is compared.".to_owned(),
    );
    bench.tell(table);
    others(bench, &ask, &server, "hello: the other peers that have a rate, as above");
    Ok(())
}

/// A large file.
pub(crate) fn file(bench: &Bench) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let ask = ask(bench, &server, "/file", 64);
    let tools: Vec<Tool> = [Tool::Orchestrate].into_iter().chain(bench.wrk()).collect();
    let compared = compare(bench, &tools, &ask, &server, bench.scale.pairs);
    let what = "CPU per request, file (305,867 bytes), 64 kept connections";
    bench.figure(what, &compared, Tool::Wrk, (0.55, "<= 0.55 of wrk's (stretch 0.42)"));
    bench.tell(compared.table("file: 305,867 bytes, 64 kept connections"));
    others(bench, &ask, &server, "file: the other peers, as above");
    Ok(())
}

/// A connection for each request.
pub(crate) fn close(bench: &Bench) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let ask = Ask { is_kept: false, ..ask(bench, &server, "/", 64) };
    let tools: Vec<Tool> = [Tool::Orchestrate].into_iter().chain(bench.wrk()).collect();
    let compared = compare(bench, &tools, &ask, &server, bench.scale.pairs);
    let what = "CPU per request, hello, a new connection per request, 64 at once";
    let goal = (1.00, "<= 1.00 of wrk's with `Connection: close` (stretch 0.90)");
    bench.figure(what, &compared, Tool::Wrk, goal);
    bench.tell(compared.table("hello: a new connection per request, 64 at once"));
    others(bench, &ask, &server, "hello: the other peers, as above");
    Ok(())
}

fn few(bench: &Bench, connections: u32, title: &str) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let seconds = bench.scale.short;
    let ask = Ask { seconds, ..ask(bench, &server, "/", connections) };
    let tools = [Tool::Orchestrate].into_iter().chain(bench.wrk()).chain([Tool::Bare]);
    let compared = compare(bench, &tools.collect::<Vec<_>>(), &ask, &server, bench.scale.few);
    bench.tell(compared.table(title));
    Ok(())
}

/// A few short runs of whoever else is there.
fn others(bench: &Bench, ask: &Ask, server: &Server, title: &str) {
    let ask = Ask { seconds: bench.scale.short, ..*ask };
    let compared = compare(bench, &bench.others, &ask, server, bench.scale.few);
    if !compared.runs.is_empty() || !compared.faults.is_empty() {
        bench.tell(compared.table(title));
    }
}

pub(crate) fn ask(bench: &Bench, server: &Server, path: &'static str, connections: u32) -> Ask {
    let (address, seconds) = (server.address(), bench.scale.seconds);
    Ask { address, path, connections, seconds, rate: None, is_kept: true, requests: None }
}

/// Runs all tools in turn, round by round, every second round in the opposite order. Tools that cannot make such a load
/// are left out.
fn compare(bench: &Bench, tools: &[Tool], ask: &Ask, server: &Server, rounds: usize) -> Compared {
    let mut compared = Compared { runs: Vec::new(), faults: Vec::new() };
    compared.runs = tools.iter().map(|&tool| (tool, Vec::new())).collect();
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..tools.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for place in order {
            let (tool, runs) = &mut compared.runs[place];
            match client::run(bench, *tool, ask, Some(server)) {
                Some(Ok(run)) => runs.push(Some(run)),
                Some(Err(fault)) => {
                    runs.push(None);
                    compared.faults.push(fault);
                }
                None => {}
            }
        }
    }
    compared.runs.retain(|(_, runs)| runs.iter().any(Option::is_some));
    compared
}

impl Compared {
    fn of(&self, tool: Tool) -> Option<&[Option<Run>]> {
        self.runs.iter().find(|(it, _)| *it == tool).map(|(_, runs)| runs.as_slice())
    }

    /// orchestrate's CPU time per answer over another's, pair by pair.
    fn ratio(&self, other: Tool) -> Option<GeometricMean> {
        let (ours, theirs) = (self.of(Tool::Orchestrate)?, self.of(other)?);
        let pairs = ours.iter().zip(theirs).filter_map(|(a, b)| a.as_ref().zip(b.as_ref()));
        let ratios: Vec<f64> = pairs.map(|(a, b)| a.work_us / b.work_us).collect();
        GeometricMean::of(&ratios)
    }

    fn table(&self, title: &str) -> Table {
        let head = vec![
            "client",
            "runs",
            "answers/s",
            "CPU us",
            "work us",
            "ratio",
            "client busy",
            "server busy",
            "server us",
            "saturated",
            "others",
            "peak MB",
            "bad",
        ];
        let rows = self.runs.iter().map(|(tool, runs)| self.row(*tool, runs)).collect();
        Table { title: title.to_owned(), head, rows, notes: self.faults.clone() }
    }

    fn row(&self, tool: Tool, runs: &[Option<Run>]) -> Vec<String> {
        let runs: Vec<&Run> = runs.iter().flatten().collect();
        let mean = |value: &dyn Fn(&Run) -> f64| {
            runs.iter().map(|run| value(run)).sum::<f64>() / runs.len() as f64
        };
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut limits: Vec<&str> = runs.iter().map(|run| run.limit()).collect();
        limits.sort_unstable();
        limits.dedup();
        let ratio = self.ratio(tool).filter(|_| tool != Tool::Orchestrate);
        let peak = runs.iter().map(|run| run.rss_peak_bytes).max().unwrap_or(0);
        vec![
            tool.name().to_owned(),
            runs.len().to_string(),
            units::write_thousands(mean(&|run| run.answers_per_second).round()),
            format!("{:.2}", mean(&|run| run.cpu_us)),
            format!("{:.2}", mean(&|run| run.work_us)),
            ratio.map_or_else(|| "-".to_owned(), |ratio| write_ratio(&ratio)),
            percent(mean(&|run| run.client_busy)),
            percent(mean(&|run| run.server_busy.unwrap_or(f64::NAN))),
            format!("{:.2}", mean(&|run| run.server_cpu_us.unwrap_or(f64::NAN))),
            limits.join(", "),
            percent(mean(&|run| run.others_busy)),
            format!("{:.1}", peak as f64 / 1e6),
            runs.iter().map(|run| run.counted.bad).sum::<u64>().to_string(),
        ]
    }
}

/// orchestrate over the other, with the interval's ends.
fn write_ratio(ratio: &GeometricMean) -> String {
    match ratio.interval {
        Some((low, high)) => format!("{:.3} ({low:.3}-{high:.3})", ratio.mean),
        None => format!("{:.3}", ratio.mean),
    }
}

impl Bench {
    /// A figure to reach by the ratio of CPU times.
    fn figure(&self, what: &str, compared: &Compared, other: Tool, goal: (f64, &str)) {
        let Some(ratio) = compared.ratio(other) else {
            let why = format!("no runs beside {} that can be compared", other.name());
            self.absent(what, goal.1, &why);
            return;
        };
        let bound = ratio.interval.map(|(_, high)| high);
        let figure = Figure::at_most(what, goal, ratio.mean, bound, |it| format!("{it:.3}"));
        self.report.borrow_mut().figures.push(figure);
    }

    pub(crate) fn absent(&self, what: &str, goal: &str, why: &str) {
        self.report.borrow_mut().figures.push(Figure::absent(what, goal, why));
    }
}
