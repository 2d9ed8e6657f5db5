//! What has not changed is not built again; what has is.

use crate::support::Bench;

/// A target in a folder of its own whose build leaves a line in `built` each time.
fn bench() -> Bench {
    let bench = Bench::new();
    let log = bench.path("built").display().to_string();
    let keys = format!("build = [\"sh -c 'cp source.txt {{out}}/made; echo built >> {log}'\"]");
    bench.folder("a", "", &keys).file("targets/a/source.txt", "one")
}

fn builds(bench: &Bench) -> usize {
    std::fs::read_to_string(bench.path("built")).map_or(0, |text| text.lines().count())
}

#[test]
fn a_second_run_builds_nothing_and_a_changed_source_is_built_again() {
    let bench = bench();
    let first = bench.run(&[]).exits(0).says(&["built a in "]).trial("a");
    assert_eq!(builds(&bench), 1);
    let outcome = bench.run(&[]).exits(0);
    assert!(!outcome.stderr.contains("built a"), "{outcome:#?}");
    let second = outcome.trial("a");
    assert_eq!(builds(&bench), 1);
    assert_eq!(second.source_digest, first.source_digest);
    assert!(second.artefact_sha256.is_some());
    assert_eq!(second.artefact_sha256, first.artefact_sha256);
    bench.write("targets/a/source.txt", "two");
    let third = bench.run(&[]).exits(0).says(&["built a in "]).trial("a");
    assert_eq!(builds(&bench), 2);
    assert_ne!(third.source_digest, first.source_digest);
    assert_ne!(third.artefact_sha256, first.artefact_sha256);
}

#[test]
fn all_is_built_anew_for_who_wants_it() {
    let bench = bench();
    for builds_so_far in 1..=2 {
        bench.orchestrate(&["build", "it.toml", "--rebuild"]).exits(0).says(&["1 ready"]);
        assert_eq!(builds(&bench), builds_so_far);
    }
    bench.orchestrate(&["build", "it.toml"]).exits(0).says(&["1 ready, 0 failed, 0 skipped"]);
    bench.run(&[]).exits(0);
    assert_eq!(builds(&bench), 2, "what `build` built is there for `run`");
}

#[test]
fn a_failed_build_is_tried_again_once_its_cause_is_gone() {
    let bench = Bench::new();
    let need = bench.path("needed").display().to_string();
    let bench = bench.folder("a", "", &format!("build = [\"cp {need} {{out}}/made\"]"));
    bench.orchestrate(&["build", "it.toml"]).exits(5).says(&["a: failed in build: "]);
    bench.write("needed", "here");
    bench.run(&[]).exits(0).says(&["built a in "]);
}

#[test]
fn a_target_in_the_matrix_is_always_built() {
    let bench = Bench::new();
    let log = bench.path("built").display().to_string();
    let keys = format!("build = [\"sh -c 'echo built >> {log}'\"]");
    let bench = bench.target_with("a", "", &keys);
    for builds_so_far in 1..=2 {
        bench.orchestrate(&["build", "it.toml"]).exits(0);
        assert_eq!(builds(&bench), builds_so_far);
    }
}

#[test]
fn a_target_whose_environment_names_its_port_can_be_built() {
    let keys = "build = [\"true\"]\nenv = { LISTEN = \"127.0.0.1:{port}\" }";
    let text = format!("[[target]]\nname = \"a\"\ncommand = \"x\"\n{keys}\n");
    Bench::new().matrix(&text).orchestrate(&["build", "it.toml"]).exits(0).says(&["1 ready"]);
}
