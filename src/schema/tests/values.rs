//! What values each sort of key takes and refuses, as TOML.

use std::time::Duration;

use crate::matrix::keys::{Key, Preset, Sort};
use crate::units::typed_duration;

/// What a value of a key may be, and what it may not be, as TOML.
pub(super) fn values(key: &Key) -> (Vec<String>, Vec<String>) {
    let (good, bad): (Vec<String>, &[&str]) = match key.sort {
        Sort::Whole { least, most } => {
            let beyond = |number: u64| i64::try_from(number).ok()?.checked_add(1);
            let mut bad = vec![format!("{}", i128::from(least) - 1), "\"1\"".into(), "1.5".into()];
            bad.extend(beyond(most).map(|number| number.to_string()));
            return (vec![least.to_string(), most.to_string()], bad);
        }
        Sort::Time { least } => {
            let mut good =
                vec!["\"1m 30s\"".into(), "\"1.5 s\"".into(), "604800".into(), "\"7d\"".into()];
            good.push(format!("\"{}\"", typed_duration(least)));
            good.push(least.as_secs_f64().to_string());
            let mut bad = vec!["\"3\"".into(), "-1".into(), "604801".into(), "true".into()];
            let below = least.checked_sub(Duration::from_micros(1)).filter(|_| !least.is_zero());
            bad.extend(below.map(|below| below.as_secs_f64().to_string()));
            return (good, bad);
        }
        Sort::Choice(words) | Sort::Cpus(words) => (
            words.iter().map(|word| format!("\"{word}\"")).collect(),
            &["\"whatever\"", "[]", "true"],
        ),
        Sort::Choices(words) => (
            words.iter().map(|word| format!("[\"{word}\"]")).collect(),
            &["[\"whatever\"]", "\"linux\"", "[1]"],
        ),
        // A folder for what is one, a file for what is read.
        Sort::File if key.name == "body-file" => (vec!["\"body.json\"".into()], &["1", "[]"]),
        sort => {
            let (good, bad) = few(sort);
            (good.iter().map(|it| (*it).to_owned()).collect(), bad)
        }
    };
    (good, bad.iter().map(|it| (*it).to_owned()).collect())
}

fn few(sort: Sort) -> (&'static [&'static str], &'static [&'static str]) {
    match sort {
        Sort::Text => (&["\"any text\""], &["1", "[]", "true"]),
        Sort::Name => (&["\"ä-1_x.y\""], &["\"a b\"", "\"-a\"", "\"a/b\"", "\"\"", "1"]),
        Sort::TargetName => (
            &["\"a/b+c\"", "\"a\""],
            &["\"a//b\"", "\"a/..\"", "\"a/./b\"", "\"/a\"", "\"a b\"", "1"],
        ),
        Sort::ServiceName => (&["\"d-1\""], &["\"Db\"", "\"1d\"", "\"d_1\"", "\"\"", "1"]),
        Sort::File => (&["\".\""], &["1", "[]"]),
        Sort::Truth => (&["true", "false"], &["\"true\"", "1"]),
        Sort::Share => (&["\"2%\"", "\"0.5 %\"", "0", "0.99"], &["1", "-0.1", "\"much\"", "true"]),
        Sort::Rate => (
            &["0.001", "10000000", "\"5 k/s\"", "\"30/min\""],
            &["0", "10000001", "\"fast\"", "\"5/h\""],
        ),
        Sort::Size => (&["0", "\"12 kB\"", "\"1.5 MiB\""], &["-1", "\"1 mile\"", "true"]),
        Sort::Method => (&["\"GET\"", "\"PURGE\""], &["\"GE T\"", "\"\"", "1"]),
        Sort::Path => {
            (&["\"/\"", "\"/a?b=%20&c\""], &["\"a\"", "\"/a b\"", "\"/#a\"", "\"/{seq}\"", "1"])
        }
        Sort::Command => (&["\"a 'b c'\""], &["\" \"", "1"]),
        Sort::Commands => (&["[]", "[\"a b\"]"], &["\"a\"", "[\"\"]", "[1]"]),
        Sort::Needs => (
            &["[]", "[\"go\"]", "[\"go >= 1.21\"]"],
            &["\"go\"", "[\"go > 1\"]", "[\"go >= one\"]", "[1]"],
        ),
        Sort::Texts => (&["[]"], &["\"a\"", "[1]"]),
        Sort::Globs => (&["[\"*\"]"], &["[]", "\"*\"", "[1]"]),
        Sort::Headers => (
            &["{}", "{ X-A = \"b\" }"],
            &["{ \"a b\" = \"c\" }", "{ a = 1 }", "{ a = \"b\\nc\" }", "{ a = \"env:\" }", "\"a\""],
        ),
        Sort::Variables => (
            &["{}", "{ A = \"b\", C = 1, D = true }"],
            &["{ \"A=B\" = \"c\" }", "{ A = [] }", "\"a\""],
        ),
        Sort::Json => (&["'[1]'", "1", "[1, { a = true }]"], &[]),
        Sort::Digest => (
            &["\"b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9\""],
            &["\"b94d\"", "1"],
        ),
        Sort::Expression => (&["'v(.*)'"], &["'v.*'", "1"]),
        _ => (&[], &[]),
    }
}

/// What a key is by default, as one would write it.
pub(super) fn written(preset: Preset) -> Option<String> {
    match preset {
        Preset::Required | Preset::Absent | Preset::Words(_) => None,
        Preset::Text(text) => Some(format!("\"{text}\"")),
        Preset::Whole(number) => Some(number.to_string()),
        Preset::Share(share) => Some(share.to_string()),
        Preset::Truth(truth) => Some(truth.to_string()),
        Preset::Time(time) => Some(format!("\"{}\"", typed_duration(time))),
        Preset::All => Some("[\"*\"]".to_owned()),
    }
}
