//! Runs that are killed at random moments: nothing of them is left, and what they wrote can be read.
//!
//! A few at each time; as many as `ORCHESTRATE_KILLS` says where it is set. What is random follows from a seed, which is
//! told when a test fails; `ORCHESTRATE_SEED` draws the same again.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use orchestrate::record::store;
use orchestrate::record::trial::TrialRecord;
use orchestrate::target::mark;
use orchestrate::{clock, processes};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Bench, Running, WITHOUT_GROUPS, can_pass_through, each, skipped, until};

/// Kills that are always tried.
const KILLS: u64 = 5;
/// So many at once; they mostly wait.
const AT_ONCE: usize = 5;
/// The latest moment: by then most runs are over, or nearly so.
const LATEST_MS: u64 = 6000;

/// What is done to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    /// SIGKILL to us.
    Us,
    /// SIGKILL to us and to the keepers, at one stroke.
    All,
    /// SIGKILL to the keepers, and a moment later to us.
    Keepers,
    /// SIGKILL to us while the keepers are stopped, and so can do nothing.
    WhileStopped,
    Abort,
    CtrlC,
    CtrlCTwice,
    Term,
    Hup,
}

const BLOWS: [Blow; 9] = [
    Blow::All,
    Blow::Us,
    Blow::CtrlCTwice,
    Blow::Keepers,
    Blow::WhileStopped,
    Blow::Abort,
    Blow::CtrlC,
    Blow::Term,
    Blow::Hup,
];

#[derive(Debug, Clone, Copy)]
struct Case {
    blow: Blow,
    has_groups: bool,
    after: Duration,
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn a_run_that_is_killed_at_any_moment_leaves_nothing_and_its_trials_can_be_read() {
    let seed = number_of("ORCHESTRATE_SEED").unwrap_or_else(|| clock::now().as_nanos());
    // Shown if it fails.
    println!("ORCHESTRATE_SEED={seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let can_be_without = can_pass_through(&WITHOUT_GROUPS);
    if !can_be_without {
        skipped("killed runs without control groups", "none may be hidden here");
    }
    let first = random.random_range(0..BLOWS.len());
    let cases: Vec<Case> = (0..number_of("ORCHESTRATE_KILLS").unwrap_or(KILLS))
        .map(|number| Case {
            // At one stroke is the hardest, and every second one.
            blow: if number % 2 == 0 {
                Blow::All
            } else {
                BLOWS[(first + usize::try_from(number).expect("small") / 2) % BLOWS.len()]
            },
            has_groups: !can_be_without || random.random(),
            after: Duration::from_millis(random.random_range(0..LATEST_MS)),
        })
        .collect();
    for cases in cases.chunks(AT_ONCE) {
        each(cases, |case| {
            println!("{case:?}");
            is_killed(case);
        });
    }
}

/// Targets of every evil kind, with builds that leave something behind.
fn bench() -> Bench {
    let build = "build = [\"sh -c 'setsid sleep 300 & sleep 0.2'\"]";
    let grace = "stop-grace = \"200ms\"";
    Bench::new()
        .target_with("a", "--fault ignore-term --fault orphan", &format!("{build}\n{grace}"))
        .target_with("b", "--fault ignore-term --fault daemonise", grace)
        .target_with("c", "--fault orphan --fault flood=64", &format!("{build}\n{grace}"))
        .target_with("d", "", "before-trial = [\"sh -c 'setsid sleep 300 & true'\"]")
}

fn is_killed(case: Case) {
    let bench = bench();
    let bench = if case.has_groups { bench } else { bench.through(&WITHOUT_GROUPS) };
    let running = bench.start(&[]);
    let us = running.pid();
    clock::sleep_until(clock::now() + case.after);
    let was_running = strike(case.blow, &running);
    let (code, ..) = running.end();
    if was_running {
        let expected = match case.blow {
            Blow::CtrlC => [Some(130), Some(0)],
            Blow::Term => [Some(143), Some(0)],
            Blow::Hup => [Some(129), Some(0)],
            // The second one may come when the first has done its work.
            Blow::CtrlCTwice => [Some(130), None],
            _ => [None, None],
        };
        // Of a run that has just ended, the signal may come too late.
        assert!(expected.contains(&code) || code == Some(0), "{code:?} {case:?}");
    }
    if !matches!(case.blow, Blow::All | Blow::WhileStopped) {
        until("nothing of it runs", || left_of(&bench, us).is_empty().then_some(()));
    }
    // Where nobody was left to clean up the next start does; and a group may be empty yet when its maker dies.
    let words = ["build", "it.toml", "--target", "d", "--share-machine"];
    bench.orchestrate_beside(&words).exits(0);
    until("nothing of it runs", || left_of(&bench, us).is_empty().then_some(()));
    until("no control group is left", || groups_of(us).is_empty().then_some(()));
    for port in ports(&bench) {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        assert!(free.is_ok(), "{free:?} on {port} {case:?}");
    }
    for folder in bench.runs() {
        let run = store::read(&folder).expect("a readable run");
        assert!(run.trials.iter().all(TrialRecord::is_whole), "{case:?}");
    }
}

/// Whether there was anybody to strike.
fn strike(blow: Blow, running: &Running<'_>) -> bool {
    let us = running.pid();
    let runs = || processes::find(us).is_some_and(|it| !it.is_zombie);
    let both = |signal| {
        // Stopped, so that they stay who they are.
        let stops = running.try_signal(Signal::STOP);
        signal_keepers(us, signal);
        stops && running.try_signal(Signal::KILL)
    };
    match blow {
        Blow::Us => running.try_signal(Signal::KILL),
        Blow::Abort => running.try_signal(Signal::ABORT),
        Blow::All => both(Signal::KILL),
        Blow::WhileStopped => both(Signal::STOP),
        Blow::Keepers => {
            signal_keepers(us, Signal::KILL);
            clock::sleep_until(clock::now() + Duration::from_millis(200));
            running.try_signal(Signal::KILL)
        }
        // Before it listens, a signal has the effect that it has by default.
        _ if !running.has_begun() => false,
        Blow::CtrlC => running.try_signal(Signal::INT),
        Blow::Term => running.try_signal(Signal::TERM),
        Blow::Hup => running.try_signal(Signal::HUP),
        Blow::CtrlCTwice => {
            let was_there = running.try_signal(Signal::INT);
            clock::sleep_until(clock::now() + Duration::from_millis(30));
            was_there && runs() && running.try_signal(Signal::INT)
        }
    }
}

/// Keepers are all the children that we have.
fn signal_keepers(us: u32, signal: Signal) {
    for keeper in processes::children(us).iter().filter(|child| !child.is_zombie) {
        let pid = i32::try_from(keeper.pid).ok().and_then(Pid::from_raw).expect("a pid");
        // It may have ended just now.
        let _ = kill_process(pid, signal);
    }
}

/// What was started for a bench and runs, by the folder in its environment or by the pid that it wrote; and the keepers.
fn left_of(bench: &Bench, us: u32) -> Vec<u32> {
    let scratch = bench.path("").display().to_string();
    let scratch = scratch.trim_end_matches('/');
    let is_of = |pid: u32| {
        let owner = processes::variable(pid, mark::VARIABLE);
        processes::variable(pid, "COUNTS").is_some_and(|folder| folder == scratch)
            || owner.is_some_and(|owner| owner.starts_with(&format!("{us}-")))
            || processes::command_line(pid).is_some_and(|line| line.contains(scratch))
    };
    processes::all().into_iter().map(|it| it.pid).filter(|pid| is_of(*pid)).collect()
}

/// Control groups of a run, in any place where there are some.
fn groups_of(us: u32) -> Vec<std::path::PathBuf> {
    let name = format!("orchestrate-{us}-");
    let below = |folder: &str| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let all = below("/sys/fs/cgroup").chain(below("/sys/fs/cgroup/unified"));
    all.map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(&name)))
        .collect()
}

/// The ports that its servers said they listen on.
fn ports(bench: &Bench) -> Vec<u16> {
    let logs = bench.runs().into_iter().flat_map(|run| std::fs::read_dir(run.join("logs")));
    let texts = logs.flatten().flatten().filter_map(|log| std::fs::read(log.path()).ok());
    let mut ports = Vec::new();
    for text in texts {
        let text = String::from_utf8_lossy(&text);
        let said = text.lines().filter_map(|line| line.strip_prefix("listening on 127.0.0.1:"));
        ports.extend(said.filter_map(|port| port.parse::<u16>().ok()));
    }
    ports
}
