//! A report is made from a run's folder alone, and holds every row.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Bench, Outcome};

/// One row that is measured, one that failed and one that is skipped.
fn three() -> (Bench, Outcome) {
    let bench = Bench::new()
        .load("connections = 4\nrequests = 100")
        .target("good", "")
        .target_with("bad", "", "build = [\"sh -c 'exit 4 | exit 4'\"]")
        .file(
            "targets/toolchains.toml",
            "[cobol]\nabout = \"C\"\nversion = \"no-such-cobc\"\npattern = '(1)'\n",
        )
        .toml("[[target]]\nname = \"skipped\"\ncommand = \"x\"\ntools = [\"cobol\"]");
    let outcome = bench.run(&[]).exits(5);
    (bench, outcome)
}

fn report(bench: &Bench, words: &[&str]) -> Outcome {
    bench.orchestrate(&[&["report"], words].concat()).exits(0)
}

#[test]
fn every_row_is_in_every_format_with_the_reason_why_it_has_no_figures() {
    let (bench, outcome) = three();
    let folder = outcome.folder().to_str().expect("a path");
    let failed = "failed in build: `sh -c 'exit 4 | exit 4'`: exit code 4";
    let skipped = "not installed: cobol is missing: `no-such-cobc` is not found";
    for text in [&outcome.stdout, &outcome.file("tables.csv"), &outcome.file("summary.json")] {
        assert!(text.contains(failed) && text.contains(skipped), "{text}");
        assert!(text.contains("good"), "{text}");
    }
    let markdown = outcome.file("tables.md");
    let (tables, audit) = markdown.split_once("**audit of hello").expect("an audit");
    assert!(audit.contains("| good   |    200 | 11 B | b94d27b9 | text/plain |"), "{audit}");
    assert!(!audit.contains("bad") && !audit.contains("skipped"), "{audit}");
    let rows: Vec<&str> = tables.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 5, "heads, a rule and three rows: {markdown}");
    for row in &rows {
        let bars = row.matches('|').count() - row.matches("\\|").count();
        assert_eq!(bars, rows[0].matches('|').count(), "what a target says draws no column: {row}");
    }
    assert!(markdown.contains("exit 4 \\| exit 4"), "{markdown}");
    for (format, file) in [
        ("md", "tables.md"),
        ("csv", "tables.csv"),
        ("json", "summary.json"),
        ("html", "report.html"),
    ] {
        let told = report(&bench, &[folder, "--format", format]).stdout;
        assert_eq!(told, outcome.file(file), "{format}");
    }
}

#[test]
fn every_figure_has_a_line_of_csv_with_as_many_fields_as_heads() {
    let (_bench, outcome) = three();
    let text = outcome.file("tables.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().expect("heads").clone();
    let lines: Vec<csv::StringRecord> = reader.records().map(|it| it.expect("a line")).collect();
    assert_eq!(lines.len(), 3);
    let at = |name: &str| heads.iter().position(|head| head == name).expect(name);
    let good = lines.iter().find(|line| &line[at("target")] == "good").expect("a line");
    assert!(good[at("goodput_per_second")].parse::<f64>().expect("a number") > 0.0);
    let bad = lines.iter().find(|line| &line[at("target")] == "bad").expect("a line");
    assert_eq!(&bad[at("goodput_per_second")], "", "no figure is no zero");
    assert_eq!(&bad[at("failed_rounds")], "1");
}

#[test]
fn a_report_says_what_the_run_said_also_when_its_folder_was_moved() {
    let (bench, outcome) = three();
    let folder = outcome.folder().to_owned();
    assert_eq!(report(&bench, &[folder.to_str().expect("a path")]).stdout, outcome.stdout);
    let id = folder.file_name().and_then(|name| name.to_str()).expect("an id");
    assert_eq!(report(&bench, &[id, "--results", "results"]).stdout, outcome.stdout);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let moved = elsewhere.path().join("moved");
    fs::rename(&folder, &moved).expect("moved");
    for other in ["logs", "events.ndjson", "summary.json", "tables.md", "tables.csv", "report.html"]
    {
        let path = moved.join(other);
        let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        gone.expect(other);
    }
    drop(bench);
    let other = Bench::new();
    let moved = moved.to_str().expect("a path");
    assert_eq!(report(&other, &[moved, "--write"]).stdout, outcome.stdout);
    assert!(elsewhere.path().join("moved/tables.md").is_file(), "it is made again");
}

#[test]
fn the_latest_run_is_reported_by_default_and_by_the_name_of_its_matrix() {
    let bench = Bench::new().target("a", "");
    let whole = bench.run(&[]).exits(0);
    bench.run(&["--measure", "200ms"]).exits(0);
    for words in [&["--results", "results"][..], &["it", "--results", "results"]] {
        assert_eq!(report(&bench, words).stdout, whole.stdout);
    }
}

#[test]
fn a_torn_last_line_is_left_out_and_that_is_said() {
    let bench = Bench::new().policy("order = \"as-written\"").target("a", "").target("b", "");
    let outcome = bench.run(&[]).exits(0);
    let (path, text) = (outcome.folder().join("trials.ndjson"), outcome.file("trials.ndjson"));
    fs::write(&path, &text[..text.len() - 100]).expect("torn");
    let folder = outcome.folder().to_str().expect("a path");
    let told = report(&bench, &[folder]).says(&["the last line of trials.ndjson is torn"]);
    assert!(told.stdout.contains("not measured: the run ended before"), "{told:#?}");
    assert!(told.stdout.lines().any(|line| line.trim_start().starts_with("a ")), "{told:#?}");
}

#[test]
fn a_broken_line_that_is_not_the_last_is_told_with_its_number() {
    let bench = Bench::new().target("a", "").target("b", "");
    let outcome = bench.run(&[]).exits(0);
    let text = outcome.file("trials.ndjson");
    fs::write(outcome.folder().join("trials.ndjson"), format!("{}{text}", "{\"schema\":1}\n"))
        .expect("written");
    let words = ["report", outcome.folder().to_str().expect("a path")];
    let told = bench.orchestrate(&words).exits(1).says(&["trials.ndjson", "line 1"]);
    assert_eq!(told.stdout, "");
}

#[test]
fn figures_that_do_not_add_up_are_not_reported() {
    let bench = Bench::new().target("a", "");
    let outcome = bench.run(&[]).exits(0);
    let text = outcome.file("trials.ndjson").replacen("\"good\":", "\"good\":1", 1);
    fs::write(outcome.folder().join("trials.ndjson"), text).expect("written");
    let words = ["report", outcome.folder().to_str().expect("a path")];
    bench.orchestrate(&words).exits(1).says(&["trials.ndjson", "do not add up"]);
}

#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let bench = Bench::new().target("a", "");
    let outcome = bench.run(&[]).exits(0);
    let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
    let ended = std::process::Command::new(crate::support::ORCHESTRATE)
        .arg("report")
        .arg(outcome.folder())
        .stdout(full)
        .output()
        .expect("it runs");
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn only_the_tables_that_are_wanted_are_reported_in_every_format() {
    let bench = Bench::new()
        .target("a", "")
        .toml("[[load]]\nname = \"c1\"\nconnections = 1\ntimeout = \"30s\"");
    bench.run(&[]).exits(0);
    for (words, c4, c1) in [
        (&["--load", "c1"][..], false, true),
        (&["--load", "!c1", "--workload", "h*"], true, false),
        (&["--workload", "hello"], true, true),
    ] {
        for format in ["table", "md", "csv", "json"] {
            let words = [words, &["--format", format, "--results", "results"]].concat();
            let told = report(&bench, &words).stdout;
            let has = |name: &str, title: &str| match format {
                "csv" => told.contains(&format!("hello,{name},a,")),
                // The text of the matrix is there, whatever is selected.
                "json" => told.contains(&format!("\"load\": \"{name}\"")),
                _ => told.contains(title),
            };
            assert_eq!(has("c4", "4 connections"), c4, "{words:?}: {told}");
            assert_eq!(has("c1", "1 connection,"), c1, "{words:?}: {told}");
        }
    }
    let nothing = |words: &[&str], parts: &[&str]| {
        let words = [&["report", "--results", "results"], words].concat();
        assert_eq!(bench.orchestrate(&words).exits(4).says(parts).stdout, "");
    };
    nothing(&["--load", "c2"], &["no load of the run matches `c2`", "there are `c4`, `c1`"]);
    nothing(&["--workload", "x*"], &["no workload of the run matches `x*`", "`hello`"]);
}

#[test]
fn columns_and_their_order_are_chosen_by_name() {
    let bench = Bench::new().target("b", "").target("a", "");
    let run = bench.run(&[]).exits(0);
    let words = ["--columns", "body, header-bytes,wrong", "--sort", "target", "--columns", "limit"];
    let told = report(&bench, &[&words[..], &["--results", "results"]].concat()).stdout;
    let lines: Vec<Vec<&str>> =
        told.lines().map(|line| line.split_whitespace().collect()).take(4).collect();
    assert_eq!(lines[1], ["target", "body", "head", "wrong", "limit"], "{told}");
    for (line, target) in lines[2..].iter().zip(["a", "b"]) {
        assert_eq!((line[0], &line[line.len() - 6..][..2]), (target, &["11", "B"][..]), "{told}");
    }
    for (words, parts) in [
        (
            &["--columns", "goodput,memry,x"][..],
            &["unknown column `memry`", "did you mean `memory`?", "unknown column `x`"][..],
        ),
        (&["--sort", "limits"], &["did you mean `limit`?", "the columns are rank, target, kind,"]),
        (&["--columns", "target"], &["no column is chosen besides `target`"]),
        (
            &["--columns", "p50", "--format", "csv"],
            &["`--columns`, `--sort`, `--group` and `--without` go with"],
        ),
        (&["--load", "[x"], &["`[x` is no pattern"]),
    ] {
        let words = [&["report", "--results", "results"], words].concat();
        assert_eq!(bench.orchestrate(&words).exits(2).says(parts).stdout, "");
    }
    assert_eq!(report(&bench, &["--results", "results"]).stdout, run.stdout, "as ever");
}

#[test]
fn runs_that_are_kept_with_the_project_are_read_and_reported_as_they_were() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let matrices = entries(&results);
    let runs = matrices.iter().flat_map(|matrix| entries(matrix));
    let kept: Vec<PathBuf> = runs.filter(|run| run.join("summary.json").is_file()).collect();
    assert!(!kept.is_empty(), "no run is kept in {}", results.display());
    let bench = Bench::new();
    for run in kept {
        let folder = run.to_str().expect("a path");
        for (format, file) in [("md", "tables.md"), ("csv", "tables.csv")] {
            let kept = fs::read_to_string(run.join(file)).expect(file);
            assert_eq!(report(&bench, &[folder, "--format", format]).stdout, kept, "{folder}");
        }
    }
}

#[test]
fn each_cell_is_told_in_the_words_of_older_tools_from_its_middle_round() {
    let bench = Bench::new().load("connections = 3").target("a", "").target_with(
        "gone",
        "",
        "build = [\"sh -c 'exit 4'\"]",
    );
    let outcome = bench.run(&["--rounds", "3"]).exits(5);
    let folder = outcome.folder().to_str().expect("a path");
    let record = outcome.record();
    let mut measured: Vec<(f64, u32, u64)> = record
        .trials
        .iter()
        .filter_map(|trial| Some((trial, trial.measured()?)))
        .map(|(trial, it)| (it.goodput_per_second, trial.round, it.good))
        .collect();
    measured.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, round, good) = measured[1];
    let above =
        format!("# hello · 3 connections, closed loop · a · round {round}, the median of 3");
    for (format, line) in [
        ("ab", format!("Complete requests:      {good}")),
        ("siege", format!("Successful transactions:    {good:>12}")),
        ("webbench", format!("Requests: {good} succeeded, 0 failed.")),
    ] {
        let told = report(&bench, &[folder, "--format", format]).stdout;
        assert!(told.contains(&above) && told.contains(&line), "{told}");
        assert!(
            told.contains("# hello · 3 connections, closed loop · gone: failed in build"),
            "{told}"
        );
    }
    let told = report(&bench, &[folder, "--format", "ab"]).stdout;
    assert!(
        told.contains("Concurrency Level:      3\n") && told.contains("longest request"),
        "{told}"
    );
    fs::remove_file(outcome.folder().join("trials.ndjson")).expect("removed");
    bench
        .orchestrate(&["report", folder, "--format", "ab"])
        .exits(4)
        .says(&["there is no trials.ndjson", "summary.json"]);
}
