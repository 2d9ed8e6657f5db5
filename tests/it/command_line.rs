//! The words that a user may type, and what help says of them.

use insta::assert_snapshot;
use orchestrate::report::column::Column;

use crate::support::Bench;

fn help(words: &[&str]) -> String {
    let outcome = Bench::new().orchestrate(words).exits(0);
    assert_eq!(outcome.stderr, "");
    outcome.stdout
}

#[test]
fn help_tells_the_verbs_and_the_exit_codes() {
    assert_snapshot!(help(&["--help"]), @r"
    Compares HTTP servers written in different languages, and says how far its own numbers can be
    trusted

    Usage: orchestrate <COMMAND>

    Commands:
      run        Builds, starts, checks, warms up, loads, samples and stops every target of a matrix,
                 and writes the tables
      check      Reads a matrix and prints the plan with every default made explicit; runs nothing. With
                 `--serve`: builds and starts each target and checks what it claims, without load
      build      Builds the targets of a matrix, and no more
      provision  Gets the tools that the targets of a matrix need and that are missing
      load       Loads one URL, as one would with ab, wrk or oha
      report     Writes the tables of a run, made from its folder alone
      compare    Compares two runs, row by row, with a verdict on each
      readme     Makes the tables between markers in Markdown files anew
      history    Tells what the rows of a matrix did from run to run, and where their level changed
      accept     Takes changes that a history found for the new level: no alarm is raised for them any
                 more
      doctor     Tells what about this machine spoils measurements, the worst first, and what to do
                 about it; mends nothing
      noise      Measures one target of a matrix under two names, and with the sampler on and off, in
                 turns: tells what this machine cannot see, and what looking on costs
      schema     Prints the JSON Schema of a file that is read or written, or tells which there are
      help       Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Exit codes:
        0  done; skipped rows are allowed
        1  our own failure
        2  usage or matrix
        3  generated text is out of date
        4  nothing was selected or measured
        5  a target failed, or was skipped with --require-all; --serve or --strict found fault; or more
           requests failed than --max-errors
        6  refused, as when another run holds the machine, or text was edited by hand
       10  a regression, where --fail-on asked
       11  unclear, where --fail-on asked
      130  interrupted, as 143 is; what was measured is kept
    ");
}

#[test]
fn help_of_run_tells_its_options() {
    assert_snapshot!(help(&["run", "-h"]), @r"
    Builds, starts, checks, warms up, loads, samples and stops every target of a matrix, and writes the
    tables

    Usage: orchestrate run [OPTIONS] <MATRIX>

    Arguments:
      <MATRIX>  The matrix: a TOML file

    Options:
          --target <GLOB>      Only targets whose label matches; `!GLOB` excludes. Repeatable
          --workload <GLOB>    Only workloads whose name matches; `!GLOB` excludes. Repeatable
          --load <GLOB>        Only loads whose name matches; `!GLOB` excludes. Repeatable
          --profile <NAME>     Lays `[profile.NAME]` of the matrix over its `[run]`
          --rounds <N>         How often every cell is measured
          --warm-up <TIME>     Load before the window, at least: `500ms`, `2s`
          --measure <TIME>     The window: `3s`
          --seed <N>           The seed of the order
          --resume [<RUN>]     Goes on with a run that was cut off: the newest of this matrix that is
                               not finished, or the one that is named
          --update <RUN>       Measures only what changed since this run, or failed in it, together with
                               the reference and the control; takes over the other rows
          --time-limit <TIME>  Begins no trial that would not end in so much time, builds included:
                               `2h`. Fewer rounds are made then, of all rows alike, and what was left
                               out is said
          --provision[=<yes>]  Gets missing tools first; asks, unless it is `--provision=yes` [possible
                               values: yes]
          --results <DIR>      The folder that takes the results, in place of the matrix's
          --events <FILE>      Also writes what happens, as it happens, one JSON object a line; `-` is
                               standard output
          --require-all        Takes skipped targets for failures
          --against <REV>      Also measures each target as it was at this commit, tag or branch of its
                               repository, in the same rounds
          --fail-on <WHAT>     Exits with 10 or 11 if a row has become so since `--against` [possible
                               values: regression, unclear]
          --any-effect         Goes on with a `min-effect` that is smaller than what `noise` found this
                               machine to see
          --fail-fast          Ends the run at the first failure of a target
          --rebuild            Builds all targets anew
          --share-machine      Runs although another run holds the machine; both then disturb each other
      -q, --quiet              Says nothing but the tables and errors
      -h, --help               Print help (see more with '--help')
      -V, --version            Print version
    ");
}

#[test]
fn help_of_check_tells_what_serving_takes() {
    assert_snapshot!(help(&["check", "-h"]), @r#"
    Reads a matrix and prints the plan with every default made explicit; runs nothing. With `--serve`:
    builds and starts each target and checks what it claims, without load

    Usage: orchestrate check [OPTIONS] <MATRIX>

    Arguments:
      <MATRIX>  The matrix: a TOML file

    Options:
          --target <GLOB>    Only targets whose label matches; `!GLOB` excludes. Repeatable
          --workload <GLOB>  Only workloads whose name matches; `!GLOB` excludes. Repeatable
          --load <GLOB>      Only loads whose name matches; `!GLOB` excludes. Repeatable
          --profile <NAME>   Lays `[profile.NAME]` of the matrix over its `[run]`
          --rounds <N>       How often every cell is measured
          --warm-up <TIME>   Load before the window, at least: `500ms`, `2s`
          --measure <TIME>   The window: `3s`
          --seed <N>         The seed of the order
          --serve            Builds and starts each target, asks it without load, and tells what it
                             keeps of what it claims and what it breaks
      -h, --help             Print help (see more with '--help')
      -V, --version          Print version

    With --serve:
          --provision[=<yes>]  Gets missing tools first; asks, unless it is `--provision=yes` [possible
                               values: yes]
          --rebuild            Builds all targets anew
          --require-all        Takes skipped targets for failures
          --share-machine      Checks although a run holds the machine; both then disturb each other
      -q, --quiet              Says nothing but what was found, and errors
    "#);
}

#[test]
fn help_of_report_and_readme_tells_their_options() {
    assert_snapshot!(help(&["report", "-h"]), @r#"
    Writes the tables of a run, made from its folder alone

    Usage: orchestrate report [OPTIONS] [RUN]

    Arguments:
      [RUN]  The run: its id, `name/id`, a matrix's name for its latest run, or a folder. By default the
             latest of all

    Options:
          --results <DIR>    The folder of the results; by default `results/` beside the nearest Git
                             root, else here
          --workload <GLOB>  Only tables whose workload matches; `!GLOB` excludes. Repeatable
          --load <GLOB>      Only tables whose load matches; `!GLOB` excludes. Repeatable
          --columns <NAMES>  The columns after the target: `goodput,p99,memory`. For `table` and `md`; a
                             wrong name tells all there are
          --sort <COLUMN>    Puts the rows in order by this column, the best first; by default by the
                             one that ranks them
          --group <BY>       Puts rows together that have this in common, under a heading each. Ranks
                             stay those of the whole table [possible values: kind, language]
          --without <PARTS>  Leaves parts out, for `table` and `md`: `audit,notes` [possible values:
                             title, sentences, notes, audit, provenance]
          --format <FORMAT>  How it is written [default: table] [possible values: table, md, csv, json,
                             html, ab, siege, webbench]
          --write            Also makes the run's own files again: `summary.json`, `tables.md`,
                             `tables.csv`, `report.html`
          --svg <DIR>        Also writes each chart into this folder, as `WORKLOAD-LOAD-CHART.svg`
      -h, --help             Print help (see more with '--help')
      -V, --version          Print version
    "#);
    assert_snapshot!(help(&["readme", "--help"]), @r#"
    Makes the tables between markers in Markdown files anew

    Usage: orchestrate readme [OPTIONS] <FILE>...

    Arguments:
      <FILE>...
              The files, each with one block at least

    Options:
          --results <DIR>
              The folder of the results; by default `results/` beside the nearest Git root, else here

          --check
              Writes nothing; prints what would change as a unified diff, and exits with 3 if there is
              any

          --diff
              Writes, and prints what that changes as a unified diff

          --force
              Overwrites text that was edited by hand

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    A block is what stands between two lines:

        <!-- orchestrate:begin matrix=NAME -->
        <!-- orchestrate:end -->

    The first one says what is wanted, as KEY=VALUE; a value with spaces in it stands in double quotes:

        matrix      the name of a matrix, or the path of its file from here
        run         latest, which is the default, or the id of a run
        workload    only tables whose workload matches: GLOB,GLOB,!GLOB
        load        only tables whose load matches
        columns     as for `orchestrate report`
        sort        as for `orchestrate report`
        group       as for `orchestrate report`
        charts      comparison, cost: shown below the tables, each a file
        charts-in   the folder of these files from here; `charts` without it
        title, sentences, notes, provenance
                    none leaves them out

    The second one is told which run was used, and the digest of the text. Markers in fenced code count
    for nothing. All faults of all files are told at once, and then nothing is written.
    "#);
}

#[test]
fn help_of_doctor_tells_how_bad_findings_are() {
    assert_snapshot!(help(&["doctor", "-h"]), @r#"
    Tells what about this machine spoils measurements, the worst first, and what to do about it; mends
    nothing

    Usage: orchestrate doctor [OPTIONS] [MATRIX]

    Arguments:
      [MATRIX]  A matrix: also looks for its tools, its ports, and room for its loads

    Options:
          --target <GLOB>    Only targets whose label matches; `!GLOB` excludes. Repeatable
          --workload <GLOB>  Only workloads whose name matches; `!GLOB` excludes. Repeatable
          --load <GLOB>      Only loads whose name matches; `!GLOB` excludes. Repeatable
          --profile <NAME>   Lays `[profile.NAME]` of the matrix over its `[run]`
          --results <DIR>    The folder that would take the results, in place of the matrix's
          --strict           Exits with 5 if anything spoils
          --format <FORMAT>  How it is written [default: table] [possible values: table, json]
      -q, --quiet            Says nothing but what was found, and errors
      -h, --help             Print help (see more with '--help')
      -V, --version          Print version

    What is found is one of three:

        spoils  figures would be wrong or missing: do not measure before it is mended
        blurs   figures would be less sure, or hold for this machine and moment alone
        note    figures hold, and whoever compares them with others' should know

    What cannot be read is told as unknown, with the reason, and never passes for fine.
    "#);
}

#[test]
fn help_of_noise_tells_its_options() {
    assert_snapshot!(help(&["noise", "-h"]), @r#"
    Measures one target of a matrix under two names, and with the sampler on and off, in turns: tells
    what this machine cannot see, and what looking on costs

    Usage: orchestrate noise [OPTIONS] <MATRIX>

    Arguments:
      <MATRIX>  The matrix: a TOML file

    Options:
          --target <GLOB>      Only targets whose label matches; `!GLOB` excludes. Repeatable
          --workload <GLOB>    Only workloads whose name matches; `!GLOB` excludes. Repeatable
          --load <GLOB>        Only loads whose name matches; `!GLOB` excludes. Repeatable
          --profile <NAME>     Lays `[profile.NAME]` of the matrix over its `[run]`
          --rounds <N>         How often every cell is measured
          --warm-up <TIME>     Load before the window, at least: `500ms`, `2s`
          --measure <TIME>     The window: `3s`
          --seed <N>           The seed of the order
          --provision[=<yes>]  Gets missing tools first; asks, unless it is `--provision=yes` [possible
                               values: yes]
          --results <DIR>      The folder that takes the results, in place of the matrix's
          --rebuild            Builds the target anew
          --share-machine      Measures although another run holds the machine; both then disturb each
                               other
      -q, --quiet              Says nothing but what was found, and errors
      -h, --help               Print help (see more with '--help')
      -V, --version            Print version
    "#);
}

#[test]
fn every_column_is_told_by_help_and_by_its_page() {
    let help = help(&["report", "--help"]);
    let (_, told) = help.split_once("Columns:").expect("a list");
    let told: Vec<&str> = told.split([',', '\n']).map(str::trim).collect();
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tables.md");
    let page = std::fs::read_to_string(page).expect("a page");
    for column in Column::ALL {
        assert!(told.contains(&column.name()), "{column:?}: {told:?}");
        assert!(page.contains(&format!("`{}`", column.name())), "{column:?}");
    }
}

#[test]
fn an_unknown_verb_gets_the_nearest_one() {
    let outcome = Bench::new().orchestrate(&["rum", "it.toml"]).exits(2);
    outcome.says(&["unrecognized subcommand 'rum'", "'run'"]).starts_nothing();
}

#[test]
fn an_unknown_option_gets_the_nearest_one() {
    let outcome = Bench::new().orchestrate(&["run", "it.toml", "--rebiuld"]).exits(2);
    outcome.says(&["--rebiuld", "'--rebuild'"]).starts_nothing();
}

#[test]
fn the_version_is_told_on_standard_output() {
    let version = help(&["--version"]);
    assert_eq!(version.trim(), concat!("orchestrate ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_plan_is_told_with_every_default_and_nothing_is_started() {
    let bench = Bench::new().target("a", "").target("b", "").policy("seed = 7");
    let outcome = bench.orchestrate(&["check", "it.toml", "--rounds", "3"]).exits(0);
    for part in ["6 trials in 3 rounds", "shuffled by seed 7", "partial: --rounds 3", "GET /"] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {outcome:#?}");
    }
    assert!(!bench.path("results").exists() && !bench.path("a.pid").exists());
}

#[test]
fn a_plan_tells_what_nobody_wrote() {
    let folder = "serves = { keep-alive = false, parallel = 2 }\nready-timeout = \"3s\"";
    let bench = Bench::new()
        .policy("seed = 7")
        .target("a", "")
        .target_with("b", "", folder)
        .toml("[[workload]]\nname = \"post\"\nmethod = \"POST\"\nbody = \"x\"")
        .target_with("c", "", "workloads = [\"post\"]\nbuild = [\"true\"]");
    let outcome = bench.orchestrate(&["check", "it.toml"]).exits(0);
    for part in [
        "\nhello · 4 connections, closed loop\n  GET / · right answer as expected · content of a sample compared\n  \
         keep-alive · pipeline 1 · HTTP/1.1 · timeout 30 s\n  asked of a, b\n  not offered by c\n",
        "\n    ready / · ready-timeout 30 s · stop-grace 5 s · a port of its own\n    env: COUNTS=",
        "\n    ready / · ready-timeout 3 s · stop-grace 5 s · a port of its own · serves keep-alive = false, parallel = 2\n",
        "\n    ready by connecting · ready-timeout 30 s · stop-grace 5 s · build-timeout 10 min · a port of its own\n",
    ] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {outcome:#?}");
    }
}
