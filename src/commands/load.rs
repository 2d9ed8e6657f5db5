//! `orchestrate load`: the generator alone, against one URL.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use url::{Host, Url};

use super::interrupt;
use crate::affinity;
use crate::cli::{Arrivals, Load, LoadFormat, Verify};
use crate::clock;
use crate::console::Console;
use crate::console::load::Progress;
use crate::error::{End, Error};
use crate::generator::{Generator, Spec, ports, probe};
use crate::host::{self, Topology};
use crate::http::expect::{BodyExpectation, Expectation, StatusExpectation};
use crate::http::request::{RequestParts, Version, encode};
use crate::interrupt::Interrupt;
use crate::judge::{self, LoadSetting};
use crate::matrix::problem::Problem;
use crate::matrix::{Arrival, CpuChoice, CpuPolicy, VerifyDepth};
use crate::record::measured::Measured;
use crate::report::classic;
use crate::report::escape::plain;
use crate::report::load::{LoadInfo, text};
use crate::units::{write_duration, write_number};

/// The longest default of `--timeout`.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest that a load of so many requests may take.
const LONGEST_COUNTED: Duration = Duration::from_hours(24);
/// How long the first connection, which only looks who is there, may take.
const LOOK_WITHIN: Duration = Duration::from_secs(3);

pub(super) fn load(words: &Load, console: Console) -> Result<End, Error> {
    let url = parse_url(&words.url)?;
    let address = find(&url, words)?;
    let spec = spec(words, &url, address)?;
    let cpus = cpus(words)?;
    if let Some(reason) = affinity::why_not(&cpus) {
        console.say(&format!(
            "warning: the load runs on any CPU, not on those it was given: {reason}"
        ));
    }
    let info = info(words, &url, address, cpus.len());
    let local_ports = ports::local_ports();
    let connections = words.no_keep_alive.then_some(words.requests).flatten();
    if let Some(warning) = ports::budget_warning(connections, words.duration, local_ports) {
        console.say(&format!("warning: {warning}"));
    }
    console.say(&format!("loading {} at {address}: {}", plain(&words.url), info.words));
    let interrupt = interrupt()?;
    let mut measured = measure(words, spec, &cpus, &interrupt, console)?;
    measured.limit = judge::limit::judge(&measured, words.rate.is_some());
    let setting = LoadSetting {
        keeps_alive: !words.no_keep_alive,
        is_counted: words.requests.is_some(),
        connections: u64::from(words.connections),
        local_ports,
    };
    measured.caveats = judge::load_caveats(&measured, &setting);
    console.data(&match words.format {
        LoadFormat::Text => text(&measured, &info),
        LoadFormat::Json => format!(
            "{}\n",
            serde_json::to_string_pretty(&measured).expect("a record has only names and numbers")
        ),
        LoadFormat::Ab => classic::ab(&measured, &info),
        LoadFormat::Siege => classic::siege(&measured, &info),
        LoadFormat::Webbench => classic::webbench(&measured, &info),
    })?;
    Ok(end(&measured, words, &interrupt))
}

fn end(measured: &Measured, words: &Load, interrupt: &Interrupt) -> End {
    let bad = measured.bad();
    if interrupt.is_set() {
        End::Interrupted(interrupt.exit_code())
    } else if measured.answers() == 0 {
        End::Nothing
    } else if bad as f64 > words.max_errors * measured.attempted as f64 {
        End::TooManyErrors
    } else {
        End::Done
    }
}

fn measure(
    words: &Load,
    mut spec: Spec,
    cpus: &[usize],
    interrupt: &Interrupt,
    console: Console,
) -> Result<Measured, Error> {
    let progress = Progress::new(console, spec.window_max, spec.requests);
    if spec.requests.is_some() && !words.warm_up.is_zero() {
        let counted = spec.requests.take();
        let warm_up = Generator::start(spec.clone(), cpus).map_err(Error::ours)?;
        wait(&warm_up, words.warm_up, interrupt, &mut |_| {});
        drop(warm_up);
        spec.requests = counted;
    }
    let opens_at_once = spec.requests.is_some() || spec.opens_at_once;
    let longest = spec.window_max;
    let generator = Generator::start(spec, cpus).map_err(Error::ours)?;
    let left = if opens_at_once {
        longest
    } else {
        wait(&generator, words.warm_up, interrupt, &mut |_| {});
        generator.open_window(longest).1.remaining()
    };
    wait(&generator, left, interrupt, &mut |passed| progress.show(passed));
    if interrupt.is_set() {
        generator.cut_short();
    }
    let loaded = generator.finish().map_err(Error::ours)?;
    progress.clear();
    Ok(loaded.measured)
}

/// Waits for so long, or until the load is over or somebody interrupts; tells how long it has been.
fn wait(
    generator: &Generator,
    length: Duration,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(Duration),
) {
    let began = clock::now();
    let ends = began + length;
    while !ends.is_past() && !interrupt.is_set() && !generator.is_over() {
        tell(clock::now().since(began));
        clock::sleep_until((clock::now() + Duration::from_millis(20)).min(ends));
    }
}

fn parse_url(text: &str) -> Result<Url, Error> {
    let wrong = |what: String, hint: &str| {
        Error::Problems(vec![Problem::without_place(what).hint(hint.to_owned())])
    };
    let written = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&written).map_err(|error| {
        wrong(format!("`{text}` is no URL: {error}"), "write it like `http://127.0.0.1:8080/`")
    })?;
    match url.scheme() {
        "http" if url.host().is_some() => Ok(url),
        "https" => Err(wrong(
            "`https://` is not supported yet".to_owned(),
            "load the server over plain HTTP",
        )),
        other => Err(wrong(
            format!("`{other}` is not a scheme that can be loaded"),
            "write it like `http://127.0.0.1:8080/`",
        )),
    }
}

/// The address of the URL's host that accepts a connection. Another machine must be allowed by name.
fn find(url: &Url, words: &Load) -> Result<SocketAddr, Error> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let addresses: Vec<SocketAddr> = match url.host() {
        Some(Host::Ipv4(ip)) => vec![(ip, port).into()],
        Some(Host::Ipv6(ip)) => vec![(ip, port).into()],
        Some(Host::Domain(name)) => (name, port)
            .to_socket_addrs()
            .map_err(|error| nobody(format!("`{name}` has no address: {error}")))?
            .collect(),
        None => Vec::new(),
    };
    let is_allowed = words.allow_remote.iter().any(|allowed| allowed == host);
    if let Some(remote) = addresses.iter().find(|address| !address.ip().is_loopback())
        && !is_allowed
    {
        return Err(Error::Refused {
            what: format!("`{host}` is another machine ({})", remote.ip()),
            hint: Some(format!("if you may load it, say `--allow-remote {host}`")),
        });
    }
    let mut refusal = format!("`{host}` has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, LOOK_WITHIN) {
            Ok(_) => return Ok(address),
            Err(error) => refusal = format!("cannot connect to {address}: {error}"),
        }
    }
    Err(nobody(refusal))
}

fn nobody(what: String) -> Error {
    Error::Nothing { what, hint: "is the server running, and on this port?".to_owned() }
}

fn spec(words: &Load, url: &Url, address: SocketAddr) -> Result<Spec, Error> {
    let wrong = |what: String| Error::Problems(vec![Problem::without_place(what)]);
    let headers = headers(&words.header)?;
    let body = match (&words.body, &words.body_file) {
        (Some(body), _) => body.clone().into_bytes(),
        (None, Some(path)) => read_body(path).map_err(wrong)?,
        (None, None) => Vec::new(),
    };
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let parts = RequestParts {
        method: &words.method,
        path,
        authority: &url[url::Position::BeforeHost..url::Position::AfterPort],
        headers: &headers,
        body: &body,
        version: if words.http1_0 { Version::Http10 } else { Version::Http11 },
        keep_alive: !words.no_keep_alive,
    };
    if words.pipeline > 1 && !parts.kind().keep_alive {
        let problem = Problem::without_place("`--pipeline` needs connections that are kept");
        let hint = "leave out `--no-keep-alive` and `--http1.0`, or `--pipeline`";
        return Err(Error::Problems(vec![problem.hint(hint)]));
    }
    let window_max = if words.requests.is_some() { LONGEST_COUNTED } else { words.duration };
    let timeout = words.timeout.unwrap_or(window_max.min(LONGEST_TIMEOUT));
    let request = encode(&parts).map_err(|error| wrong(error.to_string()))?;
    let expectation = expectation(words, address, &request, &parts, timeout);
    Ok(Spec {
        address,
        request,
        kind: parts.kind(),
        is_idempotent: matches!(words.method.as_str(), "GET" | "HEAD"),
        expectation,
        connections: words.connections as usize,
        pipeline: words.pipeline as usize,
        arrival: match (words.rate, words.arrivals) {
            (None, _) => Arrival::ClosedLoop,
            (Some(rate), Arrivals::Even) => Arrival::Even { rate },
            (Some(rate), Arrivals::Poisson) => Arrival::Poisson { rate },
        },
        requests: words.requests,
        timeout,
        verify: match words.verify {
            Verify::Sample => VerifyDepth::Sample,
            Verify::All => VerifyDepth::All,
            Verify::None => VerifyDepth::None,
        },
        seed: words.seed,
        warm_up_max: words.warm_up,
        window_max,
        opens_at_once: words.warm_up.is_zero(),
    })
}

/// The longest body that is sent, in bytes.
const LONGEST_BODY: u64 = 256 << 20;

fn read_body(path: &std::path::Path) -> Result<Vec<u8>, String> {
    let say = |error: &dyn std::fmt::Display| format!("cannot read `{}`: {error}", path.display());
    let about = std::fs::metadata(path).map_err(|error| say(&error))?;
    if !about.is_file() {
        return Err(say(&"it is no plain file"));
    }
    if about.len() > LONGEST_BODY {
        return Err(say(&"it is longer than 256 MiB"));
    }
    std::fs::read(path).map_err(|error| say(&error))
}

/// Which answer is right. Where content is to be compared and nobody says with what, one answer is asked for before the
/// load; if it is not right by itself, there is nothing to compare with, and the load will tell.
fn expectation(
    words: &Load,
    address: SocketAddr,
    request: &[u8],
    parts: &RequestParts<'_>,
    timeout: Duration,
) -> Expectation {
    let expectation = Expectation {
        status: words.expect_status.map_or(StatusExpectation::Any2xx, StatusExpectation::Exactly),
        body: match (words.expect_length, words.expect_sha256) {
            (Some(length), _) => BodyExpectation::Length(length),
            (None, Some(digest)) => BodyExpectation::Sha256(digest),
            (None, None) => BodyExpectation::Any,
        },
        headers: Vec::new(),
        length: None,
    };
    if words.verify != Verify::All || expectation.body != BodyExpectation::Any {
        return expectation;
    }
    match probe::ask(address, request, parts.kind(), timeout) {
        Ok(answer) => expectation.pinned_to(&answer.body),
        Err(_) => expectation,
    }
}

fn headers(lines: &[String]) -> Result<Vec<(String, String)>, Error> {
    let parse = |line: &String| match line.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(Problem::without_place(format!("`{line}` is no header"))
            .hint("write it like `-H 'Accept: text/html'`")),
    };
    let (headers, problems): (Vec<_>, Vec<_>) = lines.iter().map(parse).partition(Result::is_ok);
    let problems: Vec<Problem> = problems.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        return Err(Error::Problems(problems));
    }
    Ok(headers.into_iter().flatten().collect())
}

/// One entry for each thread. More threads than CPUs share them in turn.
fn cpus(words: &Load) -> Result<Vec<usize>, Error> {
    let wrong = |what: String| Error::Problems(vec![Problem::without_place(what)]);
    let generator = match &words.cpus {
        None => CpuChoice::Auto,
        Some(list) => {
            let cpus = affinity::parse_list(list).filter(|cpus| !cpus.is_empty());
            CpuChoice::List(cpus.ok_or_else(|| {
                let problem = Problem::without_place(format!("`{list}` is no list of CPUs"));
                let hint = "write it like `--cpus 1` or `--cpus 0,2-3`";
                Error::Problems(vec![problem.hint(hint)])
            })?)
        }
    };
    let topology = Topology::read().map_err(Error::ours)?;
    if let CpuChoice::List(cpus) = &generator {
        let allowed = topology.allowed_cpus();
        if let Some(cpu) = cpus.iter().find(|cpu| !allowed.contains(cpu)) {
            let allowed = affinity::write_list(&allowed);
            return Err(wrong(format!("`--cpus` names CPU {cpu}; allowed are {allowed}")));
        }
    }
    let policy = CpuPolicy { server: CpuChoice::Auto, generator };
    let cpus = host::split(&topology, &policy).map_err(wrong)?.generator;
    let threads = words.threads.map_or(cpus.len(), |threads| threads as usize);
    // A thread without a connection would have nothing to do.
    let threads = threads.min(words.connections as usize);
    Ok(cpus.iter().copied().cycle().take(threads).collect())
}

/// Requests that are under way at once, at most.
fn at_once(words: &Load) -> u64 {
    let slots = u64::from(words.connections);
    words.requests.map_or(slots, |requests| slots.min(requests)) * u64::from(words.pipeline)
}

fn info(words: &Load, url: &Url, address: SocketAddr, threads: usize) -> LoadInfo {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let connections = words.connections as usize;
    let mut parts = vec![format!("{connections} connection{}", plural(connections))];
    parts.push(match words.rate {
        None => "closed loop".to_owned(),
        Some(rate) => format!("{} per second", write_number(rate)),
    });
    if words.no_keep_alive {
        parts.push("a connection per request".to_owned());
    }
    if words.pipeline > 1 {
        parts.push(format!("pipelining {}", words.pipeline));
    }
    parts.push(match words.requests {
        Some(requests) => format!("{requests} requests"),
        None => write_duration(words.duration),
    });
    parts.push(format!("{threads} thread{}", plural(threads)));
    LoadInfo {
        url: words.url.clone(),
        method: words.method.clone(),
        host: url.host_str().unwrap_or_default().to_owned(),
        port: address.port(),
        path: url.path().to_owned(),
        at_once: Some(at_once(words)),
        words: parts.join(", "),
    }
}
