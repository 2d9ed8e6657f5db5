//! The load generators that are compared: how each is asked for a load, and how its count of answers is read.
//!
//! A generator that cannot make a load says so by having no command for it.

use std::env;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use orchestrate::record::measured::Measured;

use crate::{bare, launch};

/// A load generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Orchestrate,
    Bare,
    Wrk,
    Ab,
    H2load,
    Hey,
    Oha,
    Bombardier,
    Siege,
}

/// The others, besides wrk.
pub(crate) const OTHERS: [Tool; 6] =
    [Tool::Ab, Tool::H2load, Tool::Hey, Tool::Oha, Tool::Bombardier, Tool::Siege];

/// A load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) address: SocketAddr,
    pub(crate) path: &'static str,
    pub(crate) connections: u32,
    pub(crate) seconds: u64,
    /// Requests per second in all.
    pub(crate) rate: Option<u32>,
    pub(crate) is_kept: bool,
    /// Exactly so many requests in place of the time, where a generator can.
    pub(crate) requests: Option<u64>,
}

/// What a generator says it did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counted {
    pub(crate) answers: u64,
    pub(crate) bad: u64,
    /// In how long, where it tells.
    pub(crate) seconds: Option<f64>,
    /// CPU time that it spun away while it waited for an instant.
    pub(crate) spun: Duration,
    /// All that orchestrate says.
    pub(crate) measured: Option<Box<Measured>>,
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orchestrate => "orchestrate",
            Self::Bare => "bare loop",
            Self::Wrk => "wrk",
            Self::Ab => "ab",
            Self::H2load => "h2load",
            Self::Hey => "hey",
            Self::Oha => "oha",
            Self::Bombardier => "bombardier",
            Self::Siege => "siege",
        }
    }

    /// Where its program is.
    pub(crate) fn program(self) -> Option<PathBuf> {
        match self {
            Self::Orchestrate => Some(env!("CARGO_BIN_EXE_orchestrate").into()),
            Self::Bare => env::current_exe().ok(),
            other => env::split_paths(&env::var_os("PATH")?)
                .map(|folder| folder.join(other.name()))
                .find(|path| path.is_file()),
        }
    }

    /// What it says of its version; `None` if it is another program of the same name.
    pub(crate) fn version(self) -> Option<String> {
        let word = match self {
            Self::Bare => return Some("of this bench".to_owned()),
            // It does not tell.
            Self::Hey => return Some("hey".to_owned()),
            Self::Wrk => "-v",
            Self::Ab | Self::Siege => "-V",
            _ => "--version",
        };
        let mut command = Command::new(self.program()?);
        command.arg(word).stdin(Stdio::null()).env("HOME", env::temp_dir());
        let ended = launch::run(command, Duration::from_secs(5)).ok()?;
        let said = format!("{}\n{}", ended.stdout, ended.stderr);
        let is_version = |line: &&str| line.contains(|letter: char| letter.is_ascii_digit());
        let line = said.lines().find(is_version)?.trim();
        let line = line.split(" Copyright").next()?.trim_start_matches("This is ").to_owned();
        // A game bears the same name.
        (self != Self::Bombardier || line.contains("bombardier")).then_some(line)
    }

    /// The words that make this load, on `cpu`; `None` if it cannot make it. Settings that it reads from a file are in
    /// `folder`, see [`prepare`].
    pub(crate) fn words(self, ask: &Ask, cpu: usize, folder: &Path) -> Option<Vec<OsString>> {
        let url = format!("http://{}{}", ask.address, ask.path);
        let (connections, seconds) = (ask.connections.to_string(), ask.seconds.to_string());
        let for_seconds = format!("{seconds}s");
        let mut words: Vec<String> = Vec::new();
        let mut add = |more: &[&str]| words.extend(more.iter().map(|word| (*word).to_owned()));
        match self {
            Self::Orchestrate => {
                add(&["load", &url, "-c", &connections]);
                match ask.requests {
                    Some(requests) => add(&["-n", &requests.to_string()]),
                    None => add(&["-d", &for_seconds]),
                }
                add(&["--cpus", &cpu.to_string(), "--format", "json", "--quiet"]);
                add(if ask.is_kept { &[] } else { &["--no-keep-alive"] });
                ask.rate.inspect(|rate| add(&["--rate", &rate.to_string()]));
            }
            Self::Bare => {
                let (address, rate) = (ask.address.to_string(), ask.rate.unwrap_or(0).to_string());
                add(&[bare::VERB, &address, ask.path, &connections, &seconds, &rate]);
            }
            Self::Wrk => {
                add(&["-t1", "-c", &connections, "-d", &for_seconds, &url]);
                add(if ask.is_kept { &[] } else { &["-H", "Connection: close"] });
            }
            Self::Ab => {
                add(if ask.is_kept { &["-k"] } else { &[] });
                add(&["-q", "-c", &connections, "-t", &seconds, "-n", "5000000", &url]);
            }
            Self::H2load => {
                add(&["--h1", "-t1", "-c", &connections, "-D", &seconds, &url]);
            }
            Self::Hey => {
                add(if ask.is_kept { &[] } else { &["-disable-keepalive"] });
                ask.rate.inspect(|rate| add(&["-q", &(rate / ask.connections).to_string()]));
                add(&["-cpus", "1", "-z", &for_seconds, "-c", &connections, &url]);
            }
            Self::Oha => {
                add(if ask.is_kept { &[] } else { &["--disable-keepalive"] });
                ask.rate.inspect(|rate| add(&["-q", &rate.to_string()]));
                add(&["--no-tui", "-z", &for_seconds, "-c", &connections, &url]);
            }
            Self::Bombardier => {
                add(if ask.is_kept { &[] } else { &["-H", "Connection: close"] });
                ask.rate.inspect(|rate| add(&["-r", &rate.to_string()]));
                add(&["-p", "r", "-d", &for_seconds, "-c", &connections, &url]);
            }
            Self::Siege => {
                let settings = folder.join(siege_settings(ask.is_kept));
                add(&["-R", settings.to_str()?, "-b", "-c", &connections]);
                add(&["-t", &format!("{seconds}S"), &url]);
            }
        }
        let can_pace = !matches!(self, Self::Wrk | Self::Ab | Self::H2load | Self::Siege);
        let can_close = !matches!(self, Self::Bare | Self::H2load);
        if (ask.rate.is_some() && !can_pace) || (!ask.is_kept && !can_close) {
            return None;
        }
        let program = self.program()?.into_os_string();
        Some(std::iter::once(program).chain(words.into_iter().map(OsString::from)).collect())
    }

    /// What its output says.
    pub(crate) fn read(self, output: &str) -> Option<Counted> {
        match self {
            Self::Orchestrate => {
                let measured: Measured = serde_json::from_str(output).ok()?;
                Some(Counted {
                    answers: measured.answers(),
                    bad: measured.wrong.total() + measured.lost.total(),
                    seconds: Some(measured.window_seconds),
                    spun: Duration::from_micros(measured.generator.spin_us),
                    measured: Some(Box::new(measured)),
                })
            }
            Self::Bare => Some(Counted {
                answers: number_behind(output, "answers ")?,
                spun: Duration::from_micros(number_behind(output, "spun_us ")?),
                ..Counted::default()
            }),
            Self::Wrk => {
                let line = output.lines().find(|line| line.contains(" requests in "))?;
                let time = line.split(" requests in ").nth(1)?.split(',').next()?;
                let errors = output.lines().find(|line| line.contains("Socket errors:"));
                let numbers = errors.unwrap_or("").split(|letter: char| !letter.is_ascii_digit());
                let broken: u64 = numbers.filter_map(|word| word.parse::<u64>().ok()).sum();
                let other = number_behind(output, "Non-2xx or 3xx responses: ").unwrap_or(0);
                Some(Counted {
                    answers: line.split_whitespace().next()?.parse().ok()?,
                    bad: broken + other,
                    seconds: orchestrate::units::parse_duration(time).ok().map(|t| t.as_secs_f64()),
                    ..Counted::default()
                })
            }
            Self::Ab => counts(
                number_behind(output, "Complete requests:"),
                number_behind(output, "Failed requests:"),
            ),
            Self::H2load => {
                let line = output.lines().find(|line| line.starts_with("requests: "))?;
                counts(number_before(line, " done"), number_before(line, " failed"))
            }
            Self::Hey | Self::Oha => {
                let answers = number_behind(output, "[200]");
                counts(answers, Some(number_behind(output, "[404]").unwrap_or(0)))
            }
            Self::Bombardier => {
                counts(number_behind(output, "2xx - "), number_behind(output, "others - "))
            }
            Self::Siege => counts(
                number_behind(output, "\"transactions\":"),
                number_behind(output, "\"failed_transactions\":"),
            ),
        }
    }
}

/// Writes the settings of tools that read them from a file.
pub(crate) fn prepare(folder: &Path) -> std::io::Result<()> {
    for (is_kept, connection) in [(true, "keep-alive"), (false, "close")] {
        let settings = format!(
            "verbose = false\ncolor = off\nquiet = true\nshow-logfile = false\nlogging = false\n\
             json_output = true\nparser = false\nlimit = 20000\nprotocol = HTTP/1.1\n\
             connection = {connection}\n"
        );
        std::fs::write(folder.join(siege_settings(is_kept)), settings)?;
    }
    Ok(())
}

fn siege_settings(is_kept: bool) -> &'static str {
    if is_kept { "siege-kept.conf" } else { "siege-close.conf" }
}

fn counts(answers: Option<u64>, bad: Option<u64>) -> Option<Counted> {
    Some(Counted { answers: answers?, bad: bad?, ..Counted::default() })
}

/// The number that follows a mark.
fn number_behind(text: &str, mark: &str) -> Option<u64> {
    let rest = text.split_once(mark)?.1.trim_start();
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// The number that stands before a mark.
fn number_before(text: &str, mark: &str) -> Option<u64> {
    text.split_once(mark)?.0.rsplit(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
