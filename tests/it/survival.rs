//! Runs that much happens to: kills at random moments, a limit of time, a full disk, a folder that is removed, tools that change.
//!
//! How often the one run is killed is said by `ORCHESTRATE_RESUMES`; `ORCHESTRATE_SEED` draws the same moments again.

use std::fs;
use std::time::Duration;

use orchestrate::clock;
use orchestrate::record::run::RunInfo;
use orchestrate::record::session::CutShort;
use orchestrate::record::store;
use orchestrate::record::trial::TrialRecord;
use orchestrate::report::summarise::summarise;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustix::process::Signal;

use crate::support::{Bench, Outcome, can_pass_through, skipped};

/// Kills that are always tried.
const KILLS: u32 = 3;
/// The latest moment after a start: enough for a trial or two.
const LATEST_MS: u64 = 4000;

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The rows of a run's tables, with how often each was measured.
fn shape(outcome: &Outcome) -> Vec<(String, String, String, u32, u32)> {
    let cells = summarise(&outcome.record()).cells;
    let row = |cell: orchestrate::record::summary::CellSummary| {
        (cell.workload, cell.load, cell.target, cell.measured, cell.failed)
    };
    cells.into_iter().map(row).collect()
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_like_one_that_was_not() {
    let seed = number_of("ORCHESTRATE_SEED").unwrap_or_else(|| clock::now().as_nanos());
    // Shown if it fails.
    println!("ORCHESTRATE_SEED={seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let kills =
        number_of("ORCHESTRATE_RESUMES").map_or(KILLS, |it| u32::try_from(it).expect("few"));
    let bench = || {
        Bench::new()
            .rounds(3)
            .within(Duration::from_mins(8))
            .toml("[[workload]]\nname = \"root\"\nexpect.status = 200")
            .target("good", "")
            .target_with("picky", "", "workloads = [\"root\"]")
            .target("bad", "--fault exit-at-start=3")
    };
    let bench_of_killed = bench();
    let mut kills_made = 0;
    for kill in 0..kills {
        let options: &[&str] = if kill == 0 { &[] } else { &["--resume"] };
        let mut running = bench_of_killed.start(options);
        if kill == 0 {
            // Before it has its folder there is nothing to go on with.
            running.event("run_started");
        }
        let moment = Duration::from_millis(random.random_range(0..LATEST_MS));
        println!("killed after {moment:?}");
        clock::sleep_until(clock::now() + moment);
        kills_made += u32::from(running.try_signal(Signal::KILL));
        running.end();
    }
    assert!(kills_made > 0, "all was over before");
    let killed = bench_of_killed.run(&["--resume"]);
    let bench_of_whole = bench();
    let whole = bench_of_whole.run(&[]).exits(5);
    let run = match killed.code {
        // Where the last kill came too late there is nothing left to do.
        Some(0) => killed.says(&["there is nothing to go on with"]),
        _ => killed.exits(5),
    };
    assert_eq!(shape(&run), shape(&whole));
    let record = run.record();
    let mut places: Vec<_> = record
        .trials
        .iter()
        .map(|it| (it.round, it.position, it.label(), it.workload.clone()))
        .collect();
    let all = places.len();
    assert_eq!(all, whole.record().trials.len());
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), all, "a trial was made twice: {places:?}");
    let sessions = record.info.resumptions.len();
    assert!(sessions <= kills as usize, "{:#?}", record.info.resumptions);
    let titles = |outcome: &Outcome| {
        let tables = outcome.file("tables.md");
        tables.lines().filter(|line| line.starts_with("**")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(titles(&run), titles(&whole));
    assert!(record.info.is_finished() && !record.info.partial);
}

fn info(outcome: &Outcome) -> RunInfo {
    store::read_info(outcome.folder()).expect("a run")
}

#[test]
fn a_limit_of_time_ends_a_run_between_trials_says_what_it_left_out_and_the_rest_is_made_later() {
    // Trials take 400 ms at the least, so that there is no time for all of them on any machine.
    let bench = Bench::new().rounds(30).target("a", "").target("b", "");
    let outcome = bench.run(&["--time-limit", "6s"]);
    // On a slow machine there may be time for none.
    assert!(matches!(outcome.code, Some(0 | 4)), "{outcome:#?}");
    let outcome = outcome.says(&[
        "time limit of 6 s",
        "the time limit is over: ",
        "left out",
        "go on with `",
    ]);
    let run = outcome.record();
    assert!(run.trials.len() < 30, "{}", run.trials.len());
    assert!(run.trials.iter().all(|trial| trial.measured().is_some()));
    assert_eq!((run.info.cut_short, run.info.partial), (Some(CutShort::TimeLimit), true));
    assert!(!bench.path("results/it/latest").exists());
    let provenance = outcome.stdout.lines().last().expect("a line");
    assert!(provenance.contains("cut short by its time limit"), "{provenance}");
    let again = bench.run(&["--resume", "--time-limit", "5s"]);
    assert!(info(&again).cut_short.is_some() && info(&again).resumptions.len() == 1);
}

#[test]
fn a_limit_that_is_long_enough_leaves_nothing_out_and_one_that_is_too_short_begins_nothing() {
    let bench = Bench::new().target("a", "").target("b", "");
    let none = bench.run(&["--time-limit", "1ms"]).exits(4);
    let none =
        none.says(&["one round takes about", "some rows will be left out", "2 trials left out"]);
    assert_eq!(none.record().trials.len(), 0);
    // What was left out is the plan of the same run still.
    let run = bench.run(&["--resume", "--time-limit", "1h"]).exits(0).record();
    assert_eq!((run.trials.len(), run.info.cut_short, run.info.partial), (2, None, false));
    assert!(bench.path("results/it/latest").is_file());
    assert_eq!(bench.runs().len(), 1);
}

#[test]
fn a_folder_that_is_removed_under_a_run_is_made_again_with_every_trial() {
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .target("first", "")
        .target("second", "")
        .target("third", "");
    let mut running = bench.start(&[]);
    running.event("trial_ended");
    // It has its log by now.
    bench.pid("second.pid");
    fs::remove_dir_all(bench.path("results")).expect("removed");
    let outcome = running.outcome().exits(0);
    let run = outcome.record();
    let labels: Vec<String> = run.trials.iter().map(TrialRecord::label).collect();
    assert_eq!(labels, ["first", "second", "third"]);
    let said = "the run's folder was removed meanwhile, and is there again with all its trials";
    let outcome = outcome.says(&[said]);
    assert!(run.info.remarks.iter().any(|remark| remark.starts_with(said)), "{:#?}", run.info);
    let part = "folder was removed meanwhile, and is there again with all its trials";
    for file in ["tables.md", "report.html"] {
        assert!(outcome.file(file).contains(part), "{file}");
    }
}

#[test]
fn a_tool_that_changes_while_a_run_goes_on_is_told_in_its_report() {
    let bench = Bench::new();
    let version = bench.path("version").display().to_string();
    let toolchains =
        format!("[forth]\nabout = \"Forth\"\nversion = \"cat {version}\"\npattern = '(\\d.*)'\n");
    let upgrades =
        format!("tools = [\"forth\"]\nbefore-trial = [\"sh -c 'echo 2.0 > {version}'\"]");
    let bench = bench
        .file("version", "1.9\n")
        .file("targets/toolchains.toml", &toolchains)
        .folder("a", "", &upgrades);
    let outcome = bench.run(&[]).exits(0);
    let said = "`forth` was 1.9 when targets were built, and is 2.0 at the end";
    let outcome = outcome.says(&[said]);
    assert!(outcome.stdout.contains(said), "{}", outcome.stdout);
    assert_eq!(outcome.trial("a").versions["forth"], "1.9");
    // One that stays is worth no word.
    let outcome = bench.run(&[]).exits(0);
    assert!(info(&outcome).remarks.is_empty(), "{outcome:#?}");
}

/// Gives the binary a small disk of its own for the results, and leaves what is on it in `kept` when it has ended.
const SMALL_DISK: [&str; 5] = [
    "unshare",
    "--mount",
    "sh",
    "-c",
    "mkdir -p results && mount -t tmpfs -o size=18m none results && mkdir -p kept && \
     { \"$0\" \"$@\"; code=$?; cp -r results/. kept; exit $code; }",
];

#[test]
fn a_disk_that_fills_up_ends_a_run_with_every_trial_on_file_and_what_to_do() {
    if !can_pass_through(&[
        "unshare",
        "--mount",
        "sh",
        "-c",
        "mount -t tmpfs none /mnt && exec \"$0\" \"$@\"",
    ]) {
        skipped("a disk that fills up", "no small disk may be made here");
        return;
    }
    // What the second target does before its trial leaves no room for the one after.
    let bench = Bench::new()
        .policy("order = \"as-written\"")
        .target("first", "")
        .target_with(
            "second",
            "",
            "before-trial = [\"dd if=/dev/zero of=results/fill bs=1M count=4\"]",
        )
        .target("third", "")
        .through(&SMALL_DISK);
    let outcome = bench.orchestrate(&["run", "it.toml", "--share-machine"]).exits(1);
    let outcome = outcome.says(&[
        "are left on the disk of",
        "a trial may need",
        "hint: make room, then go on with `",
    ]);
    let runs: Vec<_> = fs::read_dir(bench.path("kept/it")).expect("a copy").flatten().collect();
    let run = store::read(&runs[0].path()).expect("a run");
    let labels: Vec<String> = run.trials.iter().map(TrialRecord::label).collect();
    assert_eq!((labels.join(" ").as_str(), run.is_torn), ("first second", false), "{outcome:#?}");
    assert!(!run.info.is_finished());
}
