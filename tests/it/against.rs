//! Runs against an earlier revision of the targets, in a small repository of their own.

use orchestrate::record::trial::TrialRecord;
use rustix::process::Signal;

use crate::support::{Bench, Outcome};

/// Commits the targets, and the matrix as far as it is written.
fn commit(bench: &Bench) {
    if !bench.path(".git").exists() {
        bench.git(&["init", "--quiet"]);
    }
    bench.git(&["add", "targets"]);
    bench.git(&["commit", "--quiet", "--message", "targets"]);
}

/// Changes the command of a target that has a folder of its own.
fn add_to_command(bench: &Bench, target: &str, words: &str) {
    let file = format!("targets/{target}/target.toml");
    let text = std::fs::read_to_string(bench.path(&file)).expect("a target");
    let (command, rest) = text.split_once("\"\n").expect("a command");
    bench.write(&file, &format!("{command} {words}\"\n{rest}"));
}

/// What the user sees of the repository.
fn state(bench: &Bench) -> [String; 3] {
    let text = |words: &[&str]| bench.git(words);
    [
        text(&["status", "--porcelain", "--", "targets"]),
        text(&["worktree", "list"]),
        text(&["stash", "list"]),
    ]
}

fn labels(outcome: &Outcome) -> Vec<String> {
    let mut labels: Vec<String> = outcome.record().trials.iter().map(TrialRecord::label).collect();
    labels.sort_unstable();
    labels
}

#[test]
fn a_target_as_it_was_joins_the_same_rounds_and_the_repository_stays_as_it_is() {
    let keys = "build = [\"cp source.txt {out}/made\"]";
    let bench = Bench::new().rounds(2).folder("a", "", keys).file("targets/a/source.txt", "one");
    commit(&bench);
    // Changed and not committed, half of it in the index.
    bench.write("targets/a/source.txt", "two");
    bench.git(&["add", "targets"]);
    bench.write("targets/a/more.txt", "three");
    let before = state(&bench);
    let outcome = bench.run(&["--against", "HEAD"]).exits(0);
    assert_eq!(labels(&outcome), ["a", "a", "a@HEAD", "a@HEAD"]);
    assert_eq!(state(&bench), before);
    let run = outcome.record();
    assert!(
        run.info.partial && run.info.overrides == ["--against HEAD"],
        "{:?}",
        run.info.overrides
    );
    let against = run.info.against.expect("recorded");
    let head = bench.git(&["rev-parse", "HEAD"]);
    assert_eq!((against.revision.as_str(), against.commits["a"].as_str()), ("HEAD", head.trim()));
    assert_eq!(against.rows["a"], "a@HEAD");
    let commit = run.info.commit.expect("the matrix lies in the repository");
    assert_eq!((commit.id.as_str(), commit.is_changed), (head.trim(), true));
    let digests = |label: &str| {
        let of = run.trials.iter().find(|trial| trial.label() == label).expect(label);
        (of.source_digest.clone(), of.artefact_sha256.clone())
    };
    let (now, then) = (digests("a"), digests("a@HEAD"));
    assert!(now.0 != then.0 && now.1 != then.1, "{now:?} {then:?}");
    // What did not change is not built again, though its work tree was made anew.
    let again = bench.run(&["--against", "HEAD"]).exits(0);
    assert!(!again.stderr.contains("built a"), "{again:#?}");
    assert!(again.stdout.contains("now against HEAD"), "{again:#?}");
}

#[test]
fn a_target_that_fails_now_and_did_not_then_is_a_regression() {
    let bench = Bench::new().folder("a", "", "").folder("b", "", "");
    commit(&bench);
    add_to_command(&bench, "a", "--fault exit-at-start=1");
    let outcome = bench.run(&["--against", "HEAD", "--target", "a", "--fail-on", "regression"]);
    let outcome = outcome.exits(10);
    assert_eq!(labels(&outcome), ["a", "a@HEAD"]);
    assert!(outcome.trial("a@HEAD").measured().is_some(), "{outcome:#?}");
    assert!(outcome.stdout.contains("1 fails"), "{}", outcome.stdout);
    let overrides = outcome.record().info.overrides;
    assert_eq!(overrides, ["--target 'a'", "--against HEAD"]);
}

#[test]
fn what_was_not_there_or_cannot_be_read_has_a_row_that_says_why() {
    let bench = Bench::new().folder("a", "", "");
    bench.write("targets/broken/target.toml", "command = = 1\n");
    commit(&bench);
    let bench = bench.folder("broken", "", "").folder("later", "", "");
    let outcome = bench.run(&["--against", "HEAD"]).exits(0);
    let reason = |label: &str| outcome.trial(label).skipped().expect(label).reason.clone();
    assert!(
        reason("later@HEAD").starts_with("there was no such target at "),
        "{}",
        reason("later@HEAD")
    );
    let broken = reason("broken@HEAD");
    assert!(
        broken.contains("its `target.toml` at ") && broken.contains("line 1: no TOML"),
        "{broken}"
    );
    for label in ["a", "a@HEAD", "broken", "later"] {
        assert!(outcome.trial(label).measured().is_some(), "{label}");
    }
    // Nobody may take it for settled.
    bench.run(&["--against", "HEAD", "--fail-on", "regression,unclear"]).exits(11);
}

#[test]
fn a_folder_that_is_named_from_the_root_of_the_disk_is_that_of_the_revision() {
    let bench = Bench::new();
    let inside = |name: &str| bench.path(&format!("targets/{name}")).display().to_string();
    let (a, later) = (inside("a"), inside("later/made"));
    let build =
        |folder: &str| format!("dir = \"{folder}\"\nbuild = [\"cp source.txt {{out}}/made\"]");
    let word = format!("build = [\"cp {}/source.txt {{out}}/made\"]", inside("word"));
    let (a, later) = (build(&a), build(&later));
    for (file, text) in [("a", "one"), ("word", "one")] {
        bench.write(&format!("targets/{file}/source.txt"), text);
    }
    std::fs::create_dir_all(bench.path("targets/later/made")).expect("a folder");
    let bench = bench.folder("a", "", &a).folder("later", "", &later).folder("word", "", &word);
    commit(&bench);
    for file in ["a/source.txt", "word/source.txt", "later/made/source.txt"] {
        bench.write(&format!("targets/{file}"), "two");
    }
    let outcome = bench.run(&["--against", "HEAD"]).exits(0);
    let digest = |label: &str| outcome.trial(label).artefact_sha256.clone().expect(label);
    assert_ne!(digest("a"), digest("a@HEAD"));
    let skipped = outcome.trial("later@HEAD").skipped().expect("it was not there").reason.clone();
    assert!(skipped.contains("its `dir`, `targets/later/made`, was not there at "), "{skipped}");
    // What is named in a command cannot be put elsewhere, and is said.
    assert_eq!(digest("word"), digest("word@HEAD"));
    outcome.says(&["word has `", "/targets/word/source.txt` in a command: that is of today"]);
}

#[test]
fn in_a_clone_of_the_newest_commits_alone_it_is_said_how_to_get_the_others() {
    let bench = Bench::new().folder("a", "", "");
    commit(&bench);
    bench.write("targets/a/source.txt", "two");
    commit(&bench);
    bench.write(".git/shallow", &bench.git(&["rev-parse", "HEAD"]));
    bench.run(&["--against", "HEAD~1"]).exits(2).says(&["hint: ", "`git fetch --unshallow`"]);
}

#[test]
fn a_target_in_the_matrix_is_as_the_matrix_had_it() {
    let with = |faults: &str| Bench::new().target("a", faults);
    let bench = with("--fault exit-at-start=1");
    bench.orchestrate(&["check", "it.toml"]).exits(0);
    bench.git(&["init", "--quiet"]);
    bench.git(&["add", "it.toml"]);
    bench.git(&["commit", "--quiet", "--message", "matrix"]);
    // The same matrix, mended; the scratch folder stays.
    let text = std::fs::read_to_string(bench.path("it.toml")).expect("the matrix");
    let bench = bench.matrix(&text.replace(" --fault exit-at-start=1", ""));
    let outcome = bench.run(&["--against", "HEAD"]).exits(5);
    assert!(outcome.trial("a").measured().is_some(), "{outcome:#?}");
    assert!(outcome.trial("a@HEAD").failed().is_some(), "{outcome:#?}");
    assert!(outcome.stdout.contains("1 mended"), "{}", outcome.stdout);
}

#[test]
fn a_slower_server_is_told_from_itself_by_the_rounds_that_both_went_through() {
    let bench = Bench::new().rounds(5).policy("measure = \"1s\"").folder("a", "", "");
    commit(&bench);
    add_to_command(&bench, "a", "--fault delay=20");
    let outcome = bench.run(&["--against", "HEAD", "--fail-on", "regression"]).exits(10);
    for part in ["now against HEAD", "1 worse", "a answers "] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {}", outcome.stdout);
    }
    // The tables of the run say the same, from what is on disk alone.
    let report =
        bench.orchestrate(&["report", &outcome.folder().display().to_string(), "--format", "md"]);
    assert!(report.exits(0).stdout.contains("now against HEAD"));
    assert!(outcome.file("report.html").contains("now against HEAD"));
}

#[test]
fn a_revision_that_is_none_and_targets_outside_of_git_are_told_before_anything_starts() {
    let bench = Bench::new().folder("a", "", "");
    // The scratch folder lies in no repository, unless that of the machine's temporary files is one.
    bench
        .run(&["--against", "HEAD"])
        .exits(2)
        .says(&["finds no target that lies in a Git tree"])
        .starts_nothing();
    commit(&bench);
    for revision in ["nothing", "HEAD~9", "--all"] {
        bench
            .run(&[&format!("--against={revision}")])
            .exits(2)
            .says(&["names no commit of `", "hint: name a commit"])
            .starts_nothing();
    }
    bench.run(&["--fail-on", "regression"]).exits(2).starts_nothing();
}

#[test]
fn what_an_interrupted_run_left_in_the_place_of_a_work_tree_is_made_anew() {
    let bench = Bench::new().folder("a", "", "");
    commit(&bench);
    bench.run(&["--against", "HEAD"]).exits(0);
    let before = state(&bench);
    let head = bench.git(&["rev-parse", "HEAD"]);
    let below = std::fs::read_dir(bench.path("cache")).expect("a cache").flatten();
    let project =
        below.map(|it| it.path()).find(|it| it.join("against").is_dir()).expect("a project");
    let of_root = std::fs::read_dir(project.join("against")).expect("a folder").flatten();
    let of_root = of_root.map(|it| it.path()).find(|it| it.is_dir()).expect("a repository");
    let tree = of_root.join(&head[..12]);
    assert!(!tree.exists(), "it is removed");
    // One that is broken, and that Git still knows.
    bench.git(&["worktree", "add", "--quiet", "--detach", &tree.display().to_string(), "HEAD"]);
    std::fs::remove_file(tree.join(".git")).expect("its link");
    std::fs::write(tree.join("targets/a/target.toml"), "no target").expect("a file");
    let outcome = bench.run(&["--against", "HEAD"]).exits(0);
    assert!(outcome.trial("a@HEAD").measured().is_some(), "{outcome:#?}");
    assert_eq!(state(&bench), before);
}

#[test]
fn a_run_that_was_cut_off_is_gone_on_with_while_its_revision_names_the_same_commit() {
    let bench = Bench::new().rounds(2).folder("a", "", "");
    commit(&bench);
    bench.write("targets/a/source.txt", "two");
    let mut running = bench.start(&["--against", "HEAD"]);
    running.event("trial_ended");
    running.signal(Signal::KILL);
    running.end();
    commit(&bench);
    let said = "revision `HEAD` is not what it was";
    bench.run(&["--resume"]).exits(6).says(&[said]);
    bench.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
    let outcome = bench.run(&["--resume"]).exits(0).says(&["kept 1 trial; 3 trials ahead"]);
    assert_eq!(labels(&outcome), ["a", "a", "a@HEAD", "a@HEAD"]);
    assert!(outcome.stdout.contains("now against HEAD"), "{outcome:#?}");
}
