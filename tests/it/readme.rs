//! Tables between markers: filled, checked, and never at the cost of what a person wrote.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::LazyLock;

use orchestrate::digest::sha256;
use orchestrate::matrix::problem::Source;
use orchestrate::report::readme::Page;

use crate::support::{Bench, Outcome};

const BEGIN: &str = "<!-- orchestrate:begin matrix=it -->";
const END: &str = "<!-- orchestrate:end -->";

/// The tables of a run, as a page has them.
fn tables(bench: &Bench, run: &Outcome) -> String {
    let folder = run.folder().to_str().expect("a path");
    let words = ["report", folder, "--format", "md", "--without", "audit"];
    bench.orchestrate(&words).exits(0).stdout
}

/// What is committed of a run of two tables.
struct Kept {
    id: String,
    summary: String,
    tables: String,
}

static KEPT: LazyLock<Kept> = LazyLock::new(|| {
    let bench = Bench::new()
        .target("a", "")
        .target("b", "")
        .toml("[[load]]\nname = \"c1\"\nconnections = 1\ntimeout = \"30s\"");
    let outcome = bench.run(&[]).exits(0);
    let id = outcome.folder().file_name().expect("an id").to_str().expect("text").to_owned();
    Kept { id, summary: outcome.file("summary.json"), tables: tables(&bench, &outcome) }
});

/// A bench with no more of a run than its summary.
fn kept() -> Bench {
    let Kept { id, summary, .. } = &*KEPT;
    Bench::new()
        .target("a", "")
        .file(&format!("results/it/{id}/summary.json"), summary)
        .file("results/it/latest", &format!("{id}\n"))
}

fn readme(bench: &Bench, words: &[&str]) -> Outcome {
    bench.orchestrate(&[&["readme", "--results", "results"], words].concat())
}

fn read(bench: &Bench, path: &str) -> String {
    fs::read_to_string(bench.path(path)).expect(path)
}

/// A block as it is once it was filled with this text.
fn filled(text: &str) -> String {
    let (id, digest) = (&KEPT.id, sha256(text.as_bytes()));
    format!("{BEGIN}\n{text}<!-- orchestrate:end run={id} sha256={digest} -->")
}

fn whole() -> String {
    filled(&format!("\n{}\n", KEPT.tables))
}

#[test]
fn a_block_is_filled_with_the_tables_of_the_latest_run_and_then_stays() {
    let bench = kept().file("a.md", &format!("# a\n\n{BEGIN}\n{END}\n\nb\n"));
    let told = readme(&bench, &["a.md", "./a.md"]).exits(0);
    assert_eq!(told.stderr, format!("a.md: 1 block made anew from {}\n", KEPT.id));
    assert_eq!(told.stdout, "");
    let text = read(&bench, "a.md");
    assert_eq!(text, format!("# a\n\n{}\n\nb\n", whole()));
    for words in [&["a.md"][..], &["a.md", "--check"], &["a.md", "--diff"], &["a.md", "--force"]] {
        let again = readme(&bench, words).exits(0);
        assert_eq!(
            (again.stdout.as_str(), again.stderr.as_str()),
            ("", "a.md: nothing to change\n")
        );
        assert_eq!(read(&bench, "a.md"), text);
    }
}

#[test]
fn a_check_writes_nothing_and_tells_what_would_change() {
    let text = format!("# a\n{BEGIN}\n\n  \n{END}\n");
    let bench = kept().file("a.md", &text);
    let told = readme(&bench, &["a.md", "--check"]).exits(3);
    let told = told.says(&["generated text is out of date", "hint: `orchestrate readme a.md`"]);
    assert_eq!(read(&bench, "a.md"), text);
    assert!(told.stdout.starts_with("--- a.md\n+++ a.md\n@@ -1,5 +1,"), "{told:#?}");
    for line in KEPT.tables.lines().filter(|line| !line.is_empty()) {
        assert!(told.stdout.contains(&format!("\n+{line}\n")), "{line}: {told:#?}");
    }
    let diff = readme(&bench, &["a.md", "--diff"]).exits(0);
    assert_eq!(diff.stdout, told.stdout);
    assert_eq!(read(&bench, "a.md"), format!("# a\n{}\n", whole()));
    // Another run is the latest now.
    fs::rename(bench.path(&format!("results/it/{}", KEPT.id)), bench.path("results/it/2"))
        .expect("renamed");
    bench.write("results/it/latest", "2\n");
    let told = readme(&bench, &["a.md", "--check"]).exits(3).stdout;
    assert!(told.contains("+<!-- orchestrate:end run=2 sha256="), "{told}");
    assert_eq!(told.matches("\n-").count(), 1, "the text is the same: {told}");
}

#[test]
fn text_that_a_person_wrote_is_not_written_over_without_force() {
    let edited = whole().replacen("right answers/s", "answers", 1);
    let never_ours = format!("{BEGIN}\nmine\n{END}");
    for text in [&edited, &never_ours] {
        let page = format!("# a\n\n{text}\n");
        let other = format!("{BEGIN}\n{END}\n");
        let bench = kept().file("a.md", &page).file("b.md", &other);
        let told = readme(&bench, &["b.md", "a.md"]).exits(6);
        let told = told.says(&["edited by hand", "a.md:3:1", "hint:", "--force"]);
        assert_eq!((told.stdout.as_str(), read(&bench, "a.md")), ("", page.clone()));
        assert_eq!(read(&bench, "b.md"), other, "nothing is written at all");
        let checked = readme(&bench, &["a.md", "--check"]).exits(3);
        assert!(checked.says(&["a.md:3: the text", "--force"]).stdout.contains("\n+"));
        readme(&bench, &["a.md", "--force"]).exits(0);
        assert_eq!(read(&bench, "a.md"), format!("# a\n\n{}\n", whole()));
    }
    // Nothing is lost where the text is what it is to be, or is gone.
    let by_hand = format!("{BEGIN}\n\n{}\n{END}", KEPT.tables);
    let (digest, zeros) = (sha256(format!("\n{}\n", KEPT.tables).as_bytes()), "0".repeat(64));
    let emptied = format!("{BEGIN}\n\n<!-- orchestrate:end run=x sha256={zeros} -->");
    for text in [by_hand, whole().replace(&digest, &zeros), emptied] {
        let bench = kept().file("a.md", &text);
        readme(&bench, &["a.md"]).exits(0);
        assert_eq!(read(&bench, "a.md"), whole());
    }
}

#[test]
fn line_ends_permissions_links_and_a_missing_last_line_end_stay() {
    let before = format!("\u{feff}a\r\n\r\n{BEGIN}\r\n{END}\nb\n\n\tc ");
    let bench = kept().file("docs/a.md", &before);
    let (file, link) = (bench.path("docs/a.md"), bench.path("link.md"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).expect("set");
    std::os::unix::fs::symlink("docs/a.md", &link).expect("linked");
    readme(&bench, &["link.md"]).exits(0);
    let block = whole().replace('\n', "\r\n");
    assert_eq!(read(&bench, "docs/a.md"), format!("\u{feff}a\r\n\r\n{block}\nb\n\n\tc "));
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o604);
    assert_eq!(fs::read_dir(bench.path("docs")).expect("a folder").count(), 1);
    readme(&bench, &["docs/a.md", "--check"]).exits(0);
    // Checked out elsewhere, with other line ends, it is the same text.
    bench.write("docs/a.md", &read(&bench, "docs/a.md").replace("\r\n", "\n"));
    readme(&bench, &["docs/a.md", "--check"]).exits(0);
}

#[test]
fn all_faults_of_all_pages_are_told_at_once_and_nothing_is_written() {
    let good = format!("{BEGIN}\n{END}\n");
    let bench = kept()
        .file("good.md", &good)
        .file("none.md", "no block; `<!-- orchestrate:begin matrix=it -->` is an example\n")
        .file("pairs.md", &format!("{END}\n\n{BEGIN}\n{BEGIN}\n"))
        .file("keys.md", &format!("<!-- orchestrate:begin matrx=it column=x -->\n{END}\n"))
        .file(
            "values.md",
            &format!(
                "<!-- orchestrate:begin matrix=it load=c2 -->\n{END}\n\
                 <!-- orchestrate:begin matrix=it workload=helo columns=p5O -->\n{END}\n\
                 <!-- orchestrate:begin matrix=its run=x -->\n{END}\n\
                 <!-- orchestrate:begin matrix=it run=2025 -->\n{END}\n\
                 <!-- orchestrate:begin matrix=none.toml title=x -->\n{END}\n"
            ),
        );
    fs::write(bench.path("bytes.md"), b"\xff").expect("written");
    let pages = ["good.md", "none.md", "pairs.md", "keys.md", "values.md", "bytes.md", "gone.md"];
    for more in [&[][..], &["--check"], &["--force"]] {
        let told = readme(&bench, &[&pages[..], more].concat()).exits(2).says(&[
            "[none.md:1:1]",
            "this page has no block",
            "[pairs.md:1:1]",
            "this end has no beginning",
            "[pairs.md:4:1]",
            "this block begins inside of that of line 3",
            "this block has no end",
            "[keys.md:1:24]",
            "unknown key `matrx`",
            "did you mean `matrix`?",
            "did you mean `columns`?",
            "[values.md:1:39]",
            "no load of the run matches `c2`",
            "there is `c4`, `c1`",
            "no workload of the run matches `helo`",
            "unknown column `p5O`",
            "did you mean `p50`?",
            "[values.md:5:31]",
            "no results are those of a matrix `its`",
            "did you mean `it`?",
            "[values.md:7:38]",
            "there is no run `2025` of `it`",
            &KEPT.id,
            "`none.toml` is no file",
            "`title` cannot be `x`",
            "cannot read `bytes.md`: it is not UTF-8",
            "cannot read `gone.md`",
        ]);
        assert_eq!(told.stdout, "");
        assert_eq!(read(&bench, "good.md"), good);
    }
}

#[test]
fn a_run_that_is_not_there_is_told_with_those_that_are() {
    let page = |run: &str| format!("a\n<!-- orchestrate:begin matrix=it {run} -->\n{END}\n");
    let cases = [("run=x", "there is no run `x` of `it`"), ("run=../it", "no run `../it`")];
    for (run, what) in cases {
        let bench = kept().file("a.md", &page(run));
        readme(&bench, &["a.md"]).exits(4).says(&["[a.md:2:38]", what, &KEPT.id]);
    }
    let bench = kept().file("a.md", &page("run=latest"));
    fs::remove_file(bench.path("results/it/latest")).expect("removed");
    readme(&bench, &["a.md"]).exits(4).says(&["there is no complete run of `it`", &KEPT.id]);
    let never = Bench::new().file("a.md", &page("run=latest"));
    readme(&never, &["a.md", "--check"]).exits(4).says(&["[a.md:2:31]", "none at all"]);
}

#[test]
fn a_block_holds_the_tables_columns_and_lines_that_it_asks_for() {
    let block = |keys: &str| format!("<!-- orchestrate:begin matrix=it {keys} -->\n{END}\n");
    let chosen = "load=\"c*, !c4\" columns=p50,body sort=target";
    let bare = "load=c1 title=none sentences=none notes=none provenance=none";
    let bench = kept().file("a.md", &block(chosen)).file("b.md", &block(bare));
    readme(&bench, &["a.md", "b.md"]).exits(0);
    let text = read(&bench, "a.md");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows[0][1..4], ["target", "p50", "body"], "{text}");
    let names: Vec<&str> =
        rows[2..].iter().map(|row| row[1].split(' ').next().unwrap_or_default()).collect();
    assert_eq!(names, ["a", "b"], "{text}");
    assert!(text.contains("**hello · 1 connection,") && !text.contains("4 connections"), "{text}");
    let text = read(&bench, "b.md");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 8, "two markers, two blank lines, and a table of two rows: {text}");
    assert!(lines[2..6].iter().all(|line| line.starts_with('|')), "{text}");
}

#[test]
fn a_matrix_is_named_by_its_file_too_from_where_the_page_is() {
    let page = format!("<!-- orchestrate:begin matrix=../it.toml -->\n{END}\n");
    let bench = kept().file("docs/a.md", &page);
    let told = bench.orchestrate(&["readme", "docs/a.md"]).exits(0);
    told.says(&["docs/a.md: 1 block made anew from"]);
    assert!(read(&bench, "docs/a.md").contains(&KEPT.tables));
    // What is wrong with the matrix is told as ever.
    let broken = kept().matrix("[run]\nround = 3\n").file("docs/a.md", &page);
    broken.orchestrate(&["readme", "docs/a.md"]).exits(2).says(&["unknown key `round`"]);
}

#[test]
fn a_partial_run_is_used_only_where_it_is_named() {
    let bench = Bench::new().target("a", "").file("a.md", &format!("{BEGIN}\n{END}\n"));
    let partial = bench.run(&["--measure", "200ms"]).exits(0);
    let id = partial.folder().file_name().expect("an id").to_str().expect("text").to_owned();
    readme(&bench, &["a.md"]).exits(4).says(&["there is no complete run of `it`", &id]);
    let whole = bench.run(&[]).exits(0);
    readme(&bench, &["a.md"]).exits(0);
    assert!(read(&bench, "a.md").contains(&tables(&bench, &whole)));
    bench.write("a.md", &format!("<!-- orchestrate:begin matrix=it run={id} -->\n{END}\n"));
    // A run of which nothing was made yet is read from its trials.
    fs::remove_file(partial.folder().join("summary.json")).expect("removed");
    readme(&bench, &["a.md"]).exits(0).says(&[&id]);
    assert!(read(&bench, "a.md").contains(&tables(&bench, &partial)));
}

#[test]
fn charts_are_files_beside_the_page_kept_with_its_tables() {
    let begin = "<!-- orchestrate:begin matrix=it charts=comparison charts-in=pictures/here -->";
    let bench = kept().file("docs/a.md", &format!("{begin}\n{END}\n"));
    let chart = "docs/pictures/here/it-hello-c1-comparison.svg";
    // It is told from where the page was.
    let anew = format!("\n{chart}: made anew\n");
    readme(&bench, &["docs/a.md"]).exits(0).says(&["docs/a.md: 1 block made anew from", &anew]);
    let text = read(&bench, "docs/a.md");
    assert!(text.contains("](pictures/here/it-hello-c1-comparison.svg)"), "{text}");
    let svg = read(&bench, chart);
    assert!(svg.contains("<svg ") && svg.contains("right answers per second"), "{svg}");
    readme(&bench, &["docs/a.md", "--check"]).exits(0);
    // One that was made before is made anew; one that a person changed is not.
    fs::remove_file(bench.path(chart)).expect("removed");
    readme(&bench, &["docs/a.md", "--check"]).exits(3).says(&[&format!("\n{chart}: is not there")]);
    readme(&bench, &["docs/a.md"]).exits(0);
    assert_eq!(read(&bench, chart), svg);
    bench.write(chart, &svg.replace("right answers", "best answers"));
    readme(&bench, &["docs/a.md", "--check"]).exits(3).says(&["edited by hand", "--force"]);
    let edited = format!(" `{chart}` was not generated, or was edited by hand");
    readme(&bench, &["docs/a.md"]).exits(6).says(&[&edited]);
    assert!(read(&bench, chart).contains("best answers"));
    readme(&bench, &["docs/a.md", "--force"]).exits(0);
    assert_eq!(read(&bench, chart), svg);
}

/// A bench with a second, earlier run of the same matrix, by the name `2020`, whose summary was changed besides.
fn two_runs(change: fn(&mut serde_json::Value)) -> Bench {
    let mut earlier: serde_json::Value = serde_json::from_str(&KEPT.summary).expect("a summary");
    earlier["run"]["started_at"] = "2020-01-01T12:00:00Z".into();
    change(&mut earlier);
    kept().file("results/it/2020/summary.json", &earlier.to_string())
}

#[test]
fn charts_of_two_runs_that_would_be_written_to_one_file_are_a_fault_of_the_marker() {
    let block = |keys: &str| {
        format!("<!-- orchestrate:begin matrix=it load=c1 charts=comparison {keys} -->\n{END}\n")
    };
    let bench = two_runs(|_| {})
        .file("a.md", &format!("{}\n{}", block("run=2020"), block("charts-in=./charts")))
        .file("b.md", &block(""))
        .file("c.md", &block("run=2020"))
        .file("d.md", &format!("{}\n{}", block("run=2020"), block("charts-in=now")))
        .file("e.md", &format!("{}\n{}", block(""), block("title=none")));
    let over = "charts/it-hello-c1-comparison.svg` would be written over";
    readme(&bench, &["a.md"]).exits(2).says(&[over, "line 1", "a.md:4:1", "charts-in=FOLDER"]);
    readme(&bench, &["b.md", "c.md"]).exits(2).says(&[over, "of `b.md`", "c.md:1:1"]);
    assert!(!bench.path("charts").exists(), "nothing is written");
    readme(&bench, &["d.md"]).exits(0);
    readme(&bench, &["d.md", "--check"]).exits(0);
    let of = |folder: &str| read(&bench, &format!("{folder}/it-hello-c1-comparison.svg"));
    assert!(of("charts").contains("2020-01-01") && !of("now").contains("2020-01-01"));
    // One chart may stand in two blocks.
    readme(&bench, &["e.md"]).exits(0);
    readme(&bench, &["e.md", "--check"]).exits(0);
}

#[test]
fn the_name_of_a_run_that_others_committed_leads_to_no_other_folder() {
    let page = format!("<!-- orchestrate:begin matrix=it run=2020 charts=comparison -->\n{END}\n");
    let bench = two_runs(|run| run["run"]["name"] = "../../x".into()).file("in/a.md", &page);
    readme(&bench, &["in/a.md"]).exits(0);
    let files = fs::read_dir(bench.path("in/charts")).expect("charts").flatten();
    let names: Vec<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.contains(&"-..-x-hello-c1-comparison.svg".to_owned()), "{names:?}");
}

#[test]
fn charts_that_cannot_stand_in_a_page_are_faults_of_its_marker() {
    for (keys, what) in [
        ("charts=window", "the chart `window` needs the trials, which are not committed"),
        ("charts=comparisn", "unknown chart `comparisn`"),
        ("charts=cost charts-in=/tmp", "`/tmp` is no folder told from that of this page"),
        ("group=size", "rows cannot be put together by `size`"),
    ] {
        let page = format!("<!-- orchestrate:begin matrix=it {keys} -->\n{END}\n");
        let bench = kept().file("a.md", &page);
        readme(&bench, &["a.md"]).exits(2).says(&[what]);
        assert_eq!(read(&bench, "a.md"), page);
    }
}

#[test]
fn the_pages_of_this_project_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("docs").flatten().map(|it| it.path());
    let pages: Vec<String> = docs
        .chain([root.join("README.md")])
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .filter(|path| {
            let text = fs::read_to_string(path).expect("a page");
            let page = Page::parse(Source { path: path.clone(), text });
            // One without markers has one fault, at its first line.
            !page.blocks.is_empty() || page.problems.iter().any(|it| !it.what.contains("no block"))
        })
        .map(|path| path.display().to_string())
        .collect();
    assert!(pages.iter().any(|path| path.ends_with("README.md")), "{pages:?}");
    let results = root.join("results").display().to_string();
    let words = ["readme", "--check", "--results", &results].map(str::to_owned);
    Bench::new().orchestrate(&[&words[..], &pages].concat()).exits(0);
}
