//! Reads a table key by key: what was not asked for in the end is unknown, and every fault is noted with its place.
//!
//! A faulty value is noted and then treated as absent, so that reading goes on and finds what else is wrong.

use super::home::home;
use super::problem::{Place, Problem, nearest};
use super::reading::Reading;
use super::values::{other_form, quoted, refusal};
use super::wire::{Entries, Placed, Value};

/// A table whose keys are taken out one by one.
#[derive(Clone)]
pub(super) struct Table<'r> {
    pub(super) reading: &'r Reading<'r>,
    /// Its header, or the whole of it if it is written inline.
    pub(super) place: Place,
    entries: Entries,
    known: Vec<&'static str>,
}

impl<'r> Table<'r> {
    pub(super) fn new(reading: &'r Reading<'r>, place: Place, entries: Entries) -> Self {
        Self { reading, place, entries, known: Vec::new() }
    }

    /// An empty table where another stands.
    pub(super) fn empty_like(other: &Self) -> Self {
        Self::new(other.reading, other.place.clone(), Entries::new())
    }

    /// The same keys with those of `upper` in place of their namesakes, as if no key had been taken yet.
    #[must_use]
    pub(super) fn overlaid(&self, upper: &Self) -> Self {
        let entries = overlay(self.entries.clone(), upper.entries.clone());
        Self::new(self.reading, upper.place.clone(), entries)
    }

    /// The same with the table `key` of `upper` laid over ours rather than put in its place.
    #[must_use]
    pub(super) fn overlaid_within(&self, upper: &Self, key: &str) -> Self {
        let mut overlaid = self.overlaid(upper);
        let below = self.value_of(key).map(|node| &node.value);
        for (entry, node) in &mut overlaid.entries {
            if let (true, Some(Value::Table(below)), Value::Table(above)) =
                (entry.value == key && upper.has(key), below, &mut node.value)
            {
                *above = overlay(below.clone(), std::mem::take(above));
            }
        }
        overlaid
    }

    /// Whether a key stands here that nobody took yet.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(entry, _)| entry.value == key)
    }

    /// A key's value, left where it is.
    pub(super) fn value_of(&self, key: &str) -> Option<&Placed<Value>> {
        self.entries.iter().find(|(entry, _)| entry.value == key).map(|(_, node)| node)
    }

    /// Drops a key unread.
    pub(super) fn discard(&mut self, key: &str) {
        self.entries.retain(|(entry, _)| entry.value != key);
    }

    /// Takes a key out, whatever its value is.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Placed<Value>> {
        self.known.push(key);
        self.remove(key).map(|(_, node)| node)
    }

    fn remove(&mut self, key: &str) -> Option<(Placed<String>, Placed<Value>)> {
        let index = self.entries.iter().position(|(entry, _)| entry.value == key)?;
        Some(self.entries.remove(index))
    }

    /// Takes a value that `convert` accepts; any other must be `expected`, and is a fault.
    pub(super) fn read<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Option<Placed<T>> {
        let node = self.take(key)?;
        let value = convert(&node.value);
        if value.is_none() {
            let problem = refusal(key, expected, &node);
            self.reading.report(problem.maybe_hint(other_form(&node, convert)));
        }
        Some(Placed { value: value?, place: node.place })
    }

    /// A table below a key.
    pub(super) fn table(&mut self, key: &'static str) -> Option<Table<'r>> {
        let node = self.take(key)?;
        match node.value {
            Value::Table(entries) => Some(Table::new(self.reading, node.place, entries)),
            Value::List(items)
                if items.iter().any(|item| matches!(item.value, Value::Table(_))) =>
            {
                let place = items.into_iter().next().map_or(node.place, |item| item.place);
                self.reading.report(
                    Problem::at(place, format!("`{key}` stands here as a list of tables"))
                        .hint(format!("write `[{key}]`, once and with single brackets")),
                );
                None
            }
            _ => {
                let form = match key {
                    "run" | "cpus" => format!("write `[{key}]` above its keys"),
                    "profile" => "write `[profile.NAME]` above its keys".to_owned(),
                    _ => format!("write `{key} = {{ KEY = VALUE }}`"),
                };
                self.reading.report(refusal(key, "a table", &node).hint(form));
                None
            }
        }
    }

    /// The tables below a key, as `[[key]]` makes them.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Table<'r>> {
        let Some(node) = self.take(key) else { return Vec::new() };
        let items = match node.value {
            Value::List(items) => items,
            Value::Table(entries) => {
                self.reading.report(
                    Problem::at(node.place.clone(), format!("`{key}` stands here as one table"))
                        .hint(format!("write `[[{key}]]`, with two brackets")),
                );
                return vec![Table::new(self.reading, node.place, entries)];
            }
            _ => {
                self.reading.report(refusal(key, &format!("tables, `[[{key}]]`"), &node));
                return Vec::new();
            }
        };
        items.into_iter().filter_map(|item| self.one_of_tables(key, item)).collect()
    }

    fn one_of_tables(&self, key: &str, item: Placed<Value>) -> Option<Table<'r>> {
        if let Value::Table(entries) = item.value {
            return Some(Table::new(self.reading, item.place, entries));
        }
        self.reading.report(refusal(key, &format!("tables, `[[{key}]]`"), &item));
        None
    }

    /// The keys and values below a key whose names are the user's.
    pub(super) fn named(&mut self, key: &'static str) -> Entries {
        self.table(key).map(|table| table.entries).unwrap_or_default()
    }

    /// The tables below a key whose names are the user's.
    pub(super) fn named_tables(&mut self, key: &'static str) -> Vec<(Placed<String>, Table<'r>)> {
        self.table(key).map(Self::into_tables).unwrap_or_default()
    }

    /// The tables of a table whose keys are all names of the user's.
    pub(super) fn into_tables(self) -> Vec<(Placed<String>, Table<'r>)> {
        let mut tables = Vec::new();
        for (name, node) in self.entries {
            if let Value::Table(entries) = node.value {
                tables.push((name, Table::new(self.reading, node.place, entries)));
            } else {
                let form = format!("write `{} = {{ KEY = VALUE }}`", name.value);
                self.reading.report(refusal(&name.value, "a table", &node).hint(form));
            }
        }
        tables
    }

    /// Refuses a key that is planned but not there yet; the hint says what there is.
    pub(super) fn not_yet(&mut self, key: &str, hint: &str) {
        if let Some((entry, _)) = self.remove(key) {
            let what = format!("`{key}` is not supported yet");
            self.reading.report(Problem::at(entry.place, what).hint(hint));
        }
    }

    /// Reports every key that nobody took.
    pub(super) fn finish(self) {
        self.finish_with(home);
    }

    /// The same, where some keys are known to be out of place: `told` says what to do about such a one.
    pub(super) fn finish_with(self, told: impl Fn(&str) -> Option<String>) {
        let mut known = self.known;
        known.sort_unstable();
        for (key, _) in self.entries {
            let what = format!("unknown key `{}`", key.value.escape_debug());
            let guess = || nearest(&key.value, known.iter().copied());
            let hint = told(&key.value)
                .or_else(|| guess().map(|name| format!("did you mean `{name}`?")))
                .unwrap_or_else(|| format!("known here: {}", quoted(known.iter().copied())));
            self.reading.report(Problem::at(key.place, what).hint(hint));
        }
    }
}

fn overlay(mut below: Entries, above: Entries) -> Entries {
    below.retain(|(key, _)| !above.iter().any(|(upper, _)| upper.value == key.value));
    below.extend(above);
    below
}
