//! The servers that come with the project: all of them are built, started and measured.
//!
//! Tools that are missing are got. Builds stay below `target/`, so that they are made once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestrate::outcome::Lost;

use crate::support::Bench;

#[test]
fn five_servers_in_five_languages_answer_rightly_under_load() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let matrix = project.join("configs/matrix.toml").display().to_string();
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orchestrate-cache");
    let bench = Bench::new().env("ORCHESTRATE_CACHE", cache);
    let short = ["--rounds", "1", "--warm-up", "200ms", "--measure", "1s"];
    let words = ["run", &matrix, "--share-machine", "--provision=yes", "--results", "results"];
    let outcome = bench.orchestrate(&[&words[..], &short[..]].concat()).exits(0);
    let run = outcome.record();
    assert_eq!(run.trials.len(), 5, "{outcome:#?}");
    for trial in &run.trials {
        let measured = trial.measured().unwrap_or_else(|| panic!("not measured: {trial:#?}"));
        assert!(measured.good > 0, "{trial:#?}");
        // On a machine that is very busy an answer may come too late; it is never wrong, and no connection is lost.
        let lost = measured.lost.total() - measured.lost.of(Lost::Timeout);
        assert_eq!((measured.wrong.total(), lost), (0, 0), "{trial:#?}");
    }
    let languages: BTreeSet<&str> =
        run.info.targets.iter().filter_map(|target| target.language.as_deref()).collect();
    assert_eq!(languages.len(), 5, "{languages:?}");
    for target in &run.info.targets {
        assert!(outcome.stdout.contains(&target.label), "{}", outcome.stdout);
    }
}
