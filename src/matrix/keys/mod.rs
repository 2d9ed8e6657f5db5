//! Every key that a matrix, a `target.toml` and a `toolchains.toml` may hold, declared: what sort of value it takes, what it is
//! by default, and what it says. Schemas and the reference of the matrix are made from this.
//!
//! Not here: reading; that is done by the modules beside this one, with the same bounds and defaults. Tests hold that both
//! know the same keys, take the same values and fill in the same defaults.

use std::time::Duration;

mod programs;
mod requests;
mod run;
mod tools;

pub use programs::{FROM, INLINE, SERVES, SERVICE, TARGET, VARIANT};
pub use requests::{EXPECT, LOAD, OWN_REQUEST, WORKLOAD};
pub use run::{CPUS, MATRIX, PROFILE, RUN};
pub use tools::{ANY, TOOL, TOOLCHAINS, WAY};

/// The longest duration that any key takes.
pub const DURATION_MAX: Duration = super::values::DURATION_MAX;
/// The lowest and the highest rate, in requests per second.
pub const RATES: (f64, f64) = (super::load::RATE_MIN, super::load::RATE_MAX);
/// Longest names, in characters: of a service, and of anything else.
pub const NAME_LENGTHS: (usize, usize) = (super::service::NAME_MAX, super::names::LENGTH_MAX);

/// A table: the keys that it may hold, and which of them go together.
#[derive(Debug)]
pub struct Keys {
    /// Names it among all tables: `run`, `expect`.
    pub name: &'static str,
    /// How it is written: `[run]`, `[[load]]`.
    pub written: &'static str,
    /// What it is for, in a few sentences.
    pub about: &'static str,
    /// Its keys, in the order in which they are told of.
    pub keys: &'static [Key],
    /// Groups of keys of which one may stand at most.
    pub alone: &'static [&'static [&'static str]],
    /// Keys that mean nothing without another one, each with that.
    pub with: &'static [(&'static str, &'static str)],
}

/// A key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What sort of value it takes.
    pub sort: Sort,
    /// What it is where it is not written.
    pub preset: Preset,
    /// What it says, in a sentence or two.
    pub about: &'static str,
    /// A value as it may be written in TOML, where that helps.
    pub example: Option<&'static str>,
}

/// What a key is where it is not written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Preset {
    /// It must be written.
    Required,
    /// Nothing.
    Absent,
    /// What is told in words, since it depends on something else.
    Words(&'static str),
    /// A string.
    Text(&'static str),
    /// A whole number.
    Whole(u64),
    /// A share.
    Share(f64),
    /// `true` or `false`.
    Truth(bool),
    /// A duration.
    Time(Duration),
    /// A list with `*` in it: all names.
    All,
}

/// What sort of value a key takes.
#[derive(Debug, Clone, Copy)]
pub enum Sort {
    /// Any text.
    Text,
    /// A name.
    Name,
    /// The name of a target, in which `/` and `+` may stand.
    TargetName,
    /// The name of a service, which stands in placeholders.
    ServiceName,
    /// A path of a file or folder, from the folder of the file that it stands in.
    File,
    /// `true` or `false`.
    Truth,
    /// A whole number within bounds.
    Whole {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A duration: text with a unit, or seconds.
    Time {
        /// The shortest.
        least: Duration,
    },
    /// A share below 1: `2%`, or a number.
    Share,
    /// Requests per second.
    Rate,
    /// Bytes.
    Size,
    /// A list of CPUs as text, or one of these words.
    Cpus(&'static [&'static str]),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any number of these words.
    Choices(&'static [&'static str]),
    /// A method of HTTP.
    Method,
    /// What is asked of a server: a path with its query.
    Path,
    /// A command line.
    Command,
    /// Command lines, in order.
    Commands,
    /// Tools, each perhaps with its oldest version.
    Needs,
    /// Texts.
    Texts,
    /// Patterns of names, one at least.
    Globs,
    /// Headers, by name.
    Headers,
    /// Variables of an environment, by name.
    Variables,
    /// JSON as text, or whatever TOML can say of it.
    Json,
    /// A SHA-256 digest.
    Digest,
    /// A regular expression with a group.
    Expression,
    /// One table.
    Table(&'static Keys),
    /// Tables, as two brackets make them.
    Tables(&'static Keys),
    /// Tables, each of which has the keys of one of these.
    Either(&'static [&'static Keys]),
    /// Tables below names of the user's.
    Named(&'static Keys),
}

/// A key that may be left out, and is nothing then.
const fn key(name: &'static str, sort: Sort, about: &'static str) -> Key {
    Key { name, sort, preset: Preset::Absent, about, example: None }
}

impl Key {
    const fn preset(mut self, preset: Preset) -> Self {
        self.preset = preset;
        self
    }

    const fn required(self) -> Self {
        self.preset(Preset::Required)
    }

    const fn like(mut self, example: &'static str) -> Self {
        self.example = Some(example);
        self
    }

    /// What its example means.
    pub fn example_value(&self) -> Option<serde_json::Value> {
        let line = format!("it = {}", self.example?);
        let mut line: serde_json::Map<String, serde_json::Value> = toml::from_str(&line).ok()?;
        line.remove("it")
    }
}

impl Keys {
    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The tables below this one, in the order of its keys.
    pub fn below(&self) -> Vec<&'static Keys> {
        let below = |key: &'static Key| match key.sort {
            Sort::Table(keys) | Sort::Tables(keys) | Sort::Named(keys) => vec![keys],
            Sort::Either(all) => all.to_vec(),
            _ => Vec::new(),
        };
        self.keys.iter().flat_map(below).collect()
    }

    /// This table and all that may stand in it, each once, in the order in which they are met.
    pub fn with_all_below(&'static self) -> Vec<&'static Keys> {
        let mut met: Vec<&'static Keys> = vec![self];
        let mut next = 0;
        while let Some(keys) = met.get(next).copied() {
            let new = keys.below();
            for keys in new {
                if !met.iter().any(|known| known.name == keys.name) {
                    met.push(keys);
                }
            }
            next += 1;
        }
        met
    }
}

/// The words of a list of words with their meanings.
const fn words<T: Copy, const N: usize>(list: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut at = 0;
    while at < N {
        words[at] = list[at].0;
        at += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_every_key_says_in_sentences_what_it_is_and_no_name_stands_twice() {
        for root in [&MATRIX, &TARGET, &TOOLCHAINS] {
            let all = root.with_all_below();
            for (place, keys) in all.iter().enumerate() {
                assert!(all[..place].iter().all(|other| other.name != keys.name), "{}", keys.name);
                assert!(keys.about.ends_with('.'), "{}", keys.name);
                for (place, key) in keys.keys.iter().enumerate() {
                    let whom = format!("{} {}", keys.name, key.name);
                    assert_eq!(key.example.is_some(), key.example_value().is_some(), "{whom}");
                    assert!(key.about.ends_with('.') && !key.about.contains('|'), "{whom}");
                    assert!(keys.keys[..place].iter().all(|it| it.name != key.name), "{whom}");
                }
                let groups = keys.alone.iter().flat_map(|group| group.iter());
                let pairs = keys.with.iter().flat_map(|(key, other)| [key, other]);
                for name in groups.chain(pairs) {
                    assert!(keys.key(name).is_some(), "{} has no `{name}`", keys.name);
                }
            }
        }
    }
}
