//! What help says of the words that a user may type, as exact text.

use insta::assert_snapshot;
use orchestrate::report::column::Column;

use crate::support::Bench;

pub(crate) fn help(words: &[&str]) -> String {
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
      run          Builds, starts, checks, warms up, loads, samples and stops every target of a matrix,
                   and writes the tables
      versus       Measures servers against each other without a matrix: the given commands start them
      init         Writes a first matrix: for the project in a folder, for a new target in a language,
                   or the default ones
      check        Reads a matrix and prints the plan with every default made explicit; runs nothing.
                   With `--serve`: builds and starts each target and checks what it claims, without load
      build        Builds the targets of a matrix, and no more
      provision    Gets the tools that the targets of a matrix need and that are missing
      load         Loads one URL, as one would with ab, wrk or oha
      report       Writes the tables of a run, made from its folder alone
      compare      Compares two runs, row by row, with a verdict on each
      readme       Makes the tables between markers in Markdown files anew
      history      Tells what the rows of a matrix did from run to run, and where their level changed
      accept       Takes changes that a history found for the new level: no alarm is raised for them any
                   more
      doctor       Tells what about this machine spoils measurements, the worst first, and what to do
                   about it; mends nothing
      noise        Measures one target of a matrix under two names, and with the sampler on and off, in
                   turns: tells what this machine cannot see, and what looking on costs
      list         Lists what there is: targets, workloads, loads and tools of a matrix, and its runs
      completions  Writes what a shell needs to complete these words
      man          Writes the manual: one page, or all into a folder
      schema       Prints the JSON Schema of a file that is read or written, or tells which there are
      help         Print this message or the help of the given subcommand(s)

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
fn help_of_versus_and_init_tell_their_options() {
    assert_snapshot!(help(&["versus", "-h"]), @r##"
    Measures servers against each other without a matrix: the given commands start them

    Usage: orchestrate versus [OPTIONS] <CMD>...

    Arguments:
      <CMD>...  A command that starts a server, as one word of the shell: `'go run .'`. PORT and HOST
                stand in its environment; `{port}` and `{host}` may stand in the command

    Options:
          --name <NAME>    A name for the first server; given again, for the second, and so on. By
                           default each is named after its command
          --shell          Runs the commands by a shell
          --port <PORT>    The port that they listen on, for servers that cannot be told one
          --save <FILE>    Writes the matrix into this file, too
          --force          Writes over the file of `--save`, if it is there
          --results <DIR>  The folder that takes the results; by default `results` beside the nearest
                           Git root, else here
          --share-machine  Runs although another run holds the machine; both then disturb each other
          --quiet          Says nothing but the tables and errors
      -h, --help           Print help
      -V, --version        Print version

    What is asked:
          --path <PATH>             The path that is asked
      -m, --method <METHOD>         The method
      -H, --header <NAME: VALUE>    A header besides Host: `'Accept: */*'`. Repeatable
          --body <TEXT>             The body
          --expect-status <CODE>    The right status; by default any 2xx
          --expect-contains <TEXT>  What the right answer holds; by default answers must only be equal
                                    across the servers

    How hard:
      -c, --connections <N>    Connections at once; by default 64
      -r, --rate <PER SECOND>  So many requests per second over all connections; without it each is made
                               as soon as the one before has ended [alias: -q]
          --no-keep-alive      A new connection for each request
          --pipeline <N>       Requests under way on each connection

    How long:
          --rounds <N>      How often each is measured; by default 7 times. Five and more give verdicts
                            and ranks
          --warm-up <TIME>  Load before the window, at least: `500ms`, `2s`
      -d, --measure <TIME>  The window; by default `3s`
          --seed <N>        The seed of the order
    "##);
    assert_snapshot!(help(&["init", "-h"]), @r##"
    Writes a first matrix: for the project in a folder, for a new target in a language, or the default
    ones

    Usage: orchestrate init [OPTIONS] [DIR]

    Arguments:
      [DIR]  The folder: by default this one [default: .]

    Options:
          --language <LANGUAGE>  Writes a first target in this language, and a matrix with it.
                                 Repeatable. Without it the project in the folder is looked at:
                                 `Cargo.toml`, `go.mod`, `pyproject.toml`, `package.json`, a `Makefile`
                                 [possible values: c, go, node, python, rust]
          --example              Writes the default matrices and all targets that come along
          --force                Writes over files that are there
      -h, --help                 Print help (see more with '--help')
      -V, --version              Print version
    "##);
}
