//! The cases that look at one side of the generator: its system calls, its schedule, what it says of a stall, its memory,
//! and whether it agrees with wrk.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use orchestrate::record::measured::{Measured, Times};
use orchestrate::stats::geometric::{GeometricMean, LEVEL};
use orchestrate::stats::student::two_sided_quantile;
use orchestrate::units;

use crate::cases::ask;
use crate::client::{self, Run};
use crate::peer::{Ask, Tool};
use crate::server::Server;
use crate::stall::{Script, Scripted, true_quantiles};
use crate::table::{Figure, Table};
use crate::{Bench, launch};

/// The stall: when, how long, and under which load.
const STALL: Script =
    Script::Stall { after: Duration::from_secs(2), length: Duration::from_secs(1) };
const STALL_RATE: u32 = 5000;
const STALL_SECONDS: u64 = 5;
/// How long after its start a load opens its window.
const LEAD: Duration = Duration::from_millis(30);
/// The delay of the server that is the limit.
const DELAY: Duration = Duration::from_millis(1);

/// System calls per small request.
pub(crate) fn calls(bench: &Bench) -> Result<(), String> {
    let (what, goal) = ("system calls per small request, 64 kept connections", "<= 2.1");
    let Some(strace) = find_strace() else {
        bench.absent(what, goal, "no strace");
        return Ok(());
    };
    let server = bench.program.start(bench.server_cpu)?;
    // A number of requests, as the calls of what is asked for before a window opens would be counted, and the answers not.
    let requests = Some(bench.scale.short * 25_000);
    let seconds = bench.scale.short;
    let ask = Ask { seconds, requests, ..ask(bench, &server, "/", 64) };
    let mut table = Table {
        title: "System calls per request: hello, 64 kept connections, under strace -c".to_owned(),
        head: vec!["client", "calls", "of which"],
        ..Table::default()
    };
    for tool in [Tool::Orchestrate].into_iter().chain(bench.wrk()).chain([Tool::Bare]) {
        let (answers, calls) = match count_calls(bench, tool, &ask, &strace) {
            Ok(counted) => counted,
            Err(fault) if tool == Tool::Orchestrate => {
                bench.absent(what, goal, &fault);
                return Ok(());
            }
            Err(fault) => {
                table.notes.push(fault);
                continue;
            }
        };
        let per_request = |calls: u64| calls as f64 / answers as f64;
        let total = per_request(calls.iter().map(|(_, count)| count).sum());
        let parts: Vec<String> = calls
            .iter()
            .take(6)
            .map(|(name, count)| format!("{name} {:.3}", per_request(*count)))
            .collect();
        table.rows.push(vec![tool.name().to_owned(), format!("{total:.3}"), parts.join(", ")]);
        if tool == Tool::Orchestrate {
            let figure = Figure::at_most(what, (2.1, goal), total, None, |it| format!("{it:.3}"));
            bench.report.borrow_mut().figures.push(figure);
        }
    }
    bench.tell(table);
    Ok(())
}

fn find_strace() -> Option<OsString> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join("strace"))
        .find(|path| path.is_file())
        .map(OsString::from)
}

/// Answers, and each system call with its number, the most frequent first.
fn count_calls(
    bench: &Bench,
    tool: Tool,
    ask: &Ask,
    strace: &OsString,
) -> Result<(u64, Vec<(String, u64)>), String> {
    let counts = bench.folder.path().join("calls");
    let program = tool.words(ask, bench.client_cpu, bench.folder.path());
    let mut words: Vec<OsString> = vec![strace.clone()];
    words.extend(["-c", "-f", "-U", "calls,name", "-S", "calls", "-o"].map(OsString::from));
    words.push(OsString::from(&counts));
    words.extend(program.ok_or("a load that everybody can make")?);
    let command = launch::on_cpu(bench.client_cpu, &words).map_err(|error| error.to_string())?;
    let ended = launch::run(command, Duration::from_secs(ask.seconds + 30))
        .map_err(|error| format!("{}: {error}", tool.name()))?;
    let counted = tool
        .read(&ended.stdout)
        .filter(|counted| counted.answers > 0)
        .ok_or_else(|| format!("{}: no answers: {}", tool.name(), ended.stderr.trim()))?;
    let text = fs::read_to_string(&counts).map_err(|error| error.to_string())?;
    let line = |line: &str| {
        let (count, name) = line.trim().split_once(char::is_whitespace)?;
        let name = name.trim();
        (name != "total").then_some((name.to_owned(), count.parse().ok()?))
    };
    Ok((counted.answers, text.lines().filter_map(line).collect()))
}

/// How well a paced load keeps its instants.
pub(crate) fn accuracy(bench: &Bench) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let closed = Ask { seconds: bench.scale.short, ..ask(bench, &server, "/", 1) };
    let mut table = Table {
        title: "Paced: hello, 64 kept connections; the median beside that of one connection in a closed loop".to_owned(),
        head: vec!["requests/s", "closed p50 us", "p50 us", "apart us", "lateness p50 us", "lateness p99 us", "answers/s"],
        ..Table::default()
    };
    for rate in [1000, 10_000, 50_000] {
        let paced = Ask { connections: 64, rate: Some(rate), ..closed };
        let (mut medians, mut apart, mut late, mut rates) = (vec![], vec![], vec![], vec![]);
        let (mut own, mut late_p50) = (vec![], vec![]);
        for _ in 0..bench.scale.few {
            let one = orchestrate(bench, &closed, Some(&server))?.1;
            let many = orchestrate(bench, &paced, Some(&server))?.1;
            let quantile = |times: &Times, of: fn(&Times) -> Option<f64>| {
                of(times).ok_or_else(|| "no times were recorded".to_owned())
            };
            let alone = quantile(&one.response_time_us, |it| it.p50)?;
            let median = quantile(&many.response_time_us, |it| it.p50)?;
            own.push(alone);
            medians.push(median);
            apart.push(median - alone);
            late.push(quantile(&many.lateness_us, |it| it.p99)?);
            late_p50.push(quantile(&many.lateness_us, |it| it.p50)?);
            rates.push(many.throughput_per_second);
        }
        let micros = |it: f64| format!("{it:.1} us");
        let named = units::write_thousands(f64::from(rate));
        for (what, goal, values) in [
            (
                format!("paced at {named}/s: p50 above that of one connection"),
                (45.0, "<= 45 us"),
                &apart,
            ),
            (format!("paced at {named}/s: lateness p99"), (200.0, "<= 200 us"), &late),
        ] {
            let (mean, bound) = mean(values);
            let figure = Figure::at_most(&what, goal, mean, bound, micros);
            bench.report.borrow_mut().figures.push(figure);
        }
        let cell = |values: &[f64]| format!("{:.1}", mean(values).0);
        let mut row = vec![named];
        row.extend([&own, &medians, &apart, &late_p50, &late].map(|values| cell(values)));
        row.push(units::write_thousands(mean(&rates).0));
        table.rows.push(row);
    }
    bench.tell(table);
    Ok(())
}

/// What is said of a server that stalls for a second.
pub(crate) fn stall(bench: &Bench) -> Result<(), String> {
    let mut table = Table {
        title: "A stall of one second in five, at 5,000 requests/s over 64 connections".to_owned(),
        head: vec!["run", "true p90 ms", "p90 ms", "apart", "true p99 ms", "p99 ms", "apart"],
        ..Table::default()
    };
    let (mut apart_p90, mut apart_p99) = (Vec::new(), Vec::new());
    for run in 1..=bench.scale.few {
        let server = Scripted::start(bench.server_cpu, STALL).map_err(|it| it.to_string())?;
        let ask = Ask {
            address: server.address(),
            path: "/",
            connections: 64,
            seconds: STALL_SECONDS,
            rate: Some(STALL_RATE),
            is_kept: true,
            requests: None,
        };
        let measured = orchestrate(bench, &ask, None);
        let answered = server.end().map_err(|error| error.to_string())?;
        let measured = measured?.1;
        let window = Duration::from_secs(STALL_SECONDS);
        let rate = f64::from(STALL_RATE);
        let truth = true_quantiles(&answered, rate, LEAD, window, &[0.9, 0.99]);
        let truth = truth.ok_or("the server answered nothing")?;
        let times = &measured.response_time_us;
        let (p90, p99) = times.p90.zip(times.p99).ok_or("no times were recorded")?;
        let mut row = vec![run.to_string()];
        for (truth, said, apart) in
            [(truth[0], p90, &mut apart_p90), (truth[1], p99, &mut apart_p99)]
        {
            apart.push((said / truth - 1.0).abs() * 100.0);
            row.extend([truth / 1e3, said / 1e3].map(|millis| format!("{millis:.2}")));
            row.push(format!("{:+.2} %", (said / truth - 1.0) * 100.0));
        }
        table.rows.push(row);
    }
    bench.tell(table);
    for (what, apart) in [("p90", apart_p90), ("p99", apart_p99)] {
        let what = format!("one-second stall: {what} against the server's own log");
        let (mean, bound) = mean(&apart);
        let goal = (2.0, "within 2 %");
        let figure = Figure::at_most(&what, goal, mean, bound, |it| format!("{it:.2} %"));
        bench.report.borrow_mut().figures.push(figure);
    }
    Ok(())
}

/// Peak memory, by connections and by length.
pub(crate) fn memory(bench: &Bench) -> Result<(), String> {
    let server = bench.program.start(bench.server_cpu)?;
    let mut table = Table {
        title: "Peak memory: hello, kept connections".to_owned(),
        head: vec!["client", "connections", "seconds", "peak MB", "answers/s", "bad"],
        ..Table::default()
    };
    let (short, long) = (bench.scale.short, bench.scale.seconds * 2 + 1);
    let mut peaks: Vec<(u32, f64)> = Vec::new();
    for (connections, seconds) in [(64, short), (64, long), (10_000, short), (10_000, long)] {
        for tool in [Tool::Orchestrate].into_iter().chain(bench.wrk()) {
            let ask = Ask { seconds, ..ask(bench, &server, "/", connections) };
            let run = client::run(bench, tool, &ask, Some(&server)).ok_or("a load for all")?;
            let mut row = vec![
                tool.name().to_owned(),
                units::write_thousands(f64::from(connections)),
                seconds.to_string(),
            ];
            match run {
                Ok(run) => {
                    let peak = run.rss_peak_bytes as f64 / 1e6;
                    row.push(format!("{peak:.1}"));
                    row.push(units::write_thousands(run.answers_per_second));
                    row.push(run.counted.bad.to_string());
                    if tool == Tool::Orchestrate {
                        peaks.push((connections, peak));
                    }
                }
                Err(fault) => row.push(fault),
            }
            table.rows.push(row);
        }
    }
    table.notes.push("The bound is the largest of runs of different lengths.".to_owned());
    bench.tell(table);
    for (connections, most, goal) in [(64, 20.0, "<= 20 MB"), (10_000, 150.0, "<= 150 MB")] {
        let what = format!(
            "peak memory at {} connections",
            units::write_thousands(f64::from(connections))
        );
        let of: Vec<f64> = peaks.iter().filter(|it| it.0 == connections).map(|it| it.1).collect();
        match of.iter().copied().reduce(f64::max) {
            Some(peak) => {
                let megabytes = |it: f64| format!("{it:.1} MB");
                let figure =
                    Figure::at_most(&what, (most, goal), mean(&of).0, Some(peak), megabytes);
                bench.report.borrow_mut().figures.push(figure);
            }
            None => bench.absent(&what, goal, "no run"),
        }
    }
    Ok(())
}

/// Whether orchestrate and wrk see the same throughput where the server alone decides it.
pub(crate) fn agreement(bench: &Bench) -> Result<(), String> {
    let mut table = Table {
        title:
            "Cross-check: a server that takes 1 ms for each answer, one at a time, 16 connections"
                .to_owned(),
        head: vec!["pair", "orchestrate answers/s", "wrk answers/s", "ratio"],
        ..Table::default()
    };
    let server =
        Scripted::start(bench.server_cpu, Script::Delay(DELAY)).map_err(|it| it.to_string())?;
    let seconds = bench.scale.short;
    let (address, path) = (server.address(), "/");
    let ask =
        Ask { address, path, connections: 16, seconds, rate: None, is_kept: true, requests: None };
    let mut ratios = Vec::new();
    for pair in 1..=bench.scale.few {
        let order = [Tool::Orchestrate, Tool::Wrk];
        let first = pair % 2;
        let mut rates = [0.0; 2];
        for place in [first, 1 - first] {
            if let Some(run) = client::run(bench, order[place], &ask, None) {
                rates[place] = run?.answers_per_second;
            }
        }
        let [ours, theirs] = rates;
        ratios.push(ours / theirs);
        let mut row = vec![pair.to_string()];
        row.extend(rates.map(units::write_thousands));
        row.push(format!("{:.4}", ours / theirs));
        table.rows.push(row);
    }
    server.end().map_err(|error| error.to_string())?;
    let note = match GeometricMean::of(&ratios) {
        Some(GeometricMean { mean, interval: Some((low, high)), .. }) => {
            let agrees = low <= 1.0 && high >= 1.0;
            let verdict = if agrees { "they agree" } else { "more than noise explains" };
            format!("The ratio is {mean:.4}, {low:.4} to {high:.4}: {verdict}.")
        }
        Some(ratio) => format!("The ratio is {:.4}; one pair has no noise to tell.", ratio.mean),
        None => "wrk is not there to agree with.".to_owned(),
    };
    table.notes.push(note);
    bench.tell(table);
    Ok(())
}

/// A load by orchestrate, with all that it says.
fn orchestrate(
    bench: &Bench,
    ask: &Ask,
    server: Option<&Server>,
) -> Result<(Run, Measured), String> {
    let mut run = client::run(bench, Tool::Orchestrate, ask, server).ok_or("any load")??;
    let measured = run.counted.measured.take().ok_or("orchestrate tells all")?;
    Ok((run, *measured))
}

/// The mean, and the upper end of its two-sided interval by Student's t.
fn mean(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let bound = (values.len() >= 2).then(|| {
        let error = (squares / (count - 1.0) / count).sqrt();
        mean + two_sided_quantile(LEVEL, count - 1.0) * error
    });
    (mean, bound)
}
