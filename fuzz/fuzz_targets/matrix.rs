//! Matrices of any text: reading one, with a target's file and a file of tools beside it, never panics; every problem
//! stands at a place of its file and can be shown; and what has none can be planned.
//!
//! A form feed ends the matrix, another one ends the target's file. No disk is looked at. To begin with what is nearly
//! right: `cargo fuzz run matrix corpus/matrix ../tests/it/invalid ../configs -- -dict=matrix.dict`.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use orchestrate::console::problem::render;
use orchestrate::matrix::{differences, read_among};
use orchestrate::plan::{Overrides, Plan, Selection};

/// A plan of more trials only takes longer.
const TRIALS_MOST: usize = 10_000;

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(3, '\u{c}');
    let mut next = || parts.next().unwrap_or_default().as_bytes();
    let files = [
        (Path::new("m.toml"), next()),
        (Path::new("targets/a/target.toml"), next()),
        (Path::new("targets/toolchains.toml"), next()),
    ];
    let own = text.split('\u{c}').next().unwrap_or_default();
    assert!(differences(own, own).is_empty());
    match read_among(files, Path::new("m.toml"), None) {
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in &problems {
                let Some(place) = &problem.place else { continue };
                let text = &place.source.text;
                assert!(text.get(place.span.clone()).is_some(), "{problem:?}");
            }
            assert!(!render(&problems, false, 80).is_empty());
        }
        Ok(matrix) => {
            let tables = matrix.workloads.len() * matrix.loads.len();
            let trials = tables * matrix.targets.len() * matrix.run.max_rounds as usize;
            if trials <= TRIALS_MOST {
                let plan = Plan::new(&matrix, &Selection::default(), Overrides::default(), 7);
                assert!(plan.is_ok_and(|plan| !plan.trials.is_empty()));
            }
        }
    }
});
