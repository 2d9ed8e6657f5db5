//! Which keys of a matrix are not what they were: of two texts, by what they mean and not by how they are written.

use std::collections::BTreeSet;

use toml::{Table, Value};

/// What tells one table of a list from another.
const NAMES: [&str; 2] = ["name", "from"];

/// The keys in which two matrices differ, as `run.rounds` or `load.c64.connections`; none if only comments or order do.
/// Of a text that is no TOML nothing can be told but that.
pub fn differences(old: &str, new: &str) -> Vec<String> {
    let read = |text: &str| text.trim_start_matches('\u{feff}').parse::<Table>().ok();
    let (Some(old), Some(new)) = (read(old), read(new)) else {
        return if old == new { Vec::new() } else { vec!["the whole text".to_owned()] };
    };
    let mut found = Vec::new();
    of_tables(&old, &new, "", &mut found);
    found
}

fn of_tables(old: &Table, new: &Table, above: &str, found: &mut Vec<String>) {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        of_values(old.get(key), new.get(key), path, found);
    }
}

fn of_values(old: Option<&Value>, new: Option<&Value>, path: String, found: &mut Vec<String>) {
    match (old, new) {
        (Some(Value::Table(old)), Some(Value::Table(new))) => of_tables(old, new, &path, found),
        (Some(Value::Array(old)), Some(Value::Array(new)))
            if are_tables(old) && are_tables(new) =>
        {
            of_lists(old, new, &path, found);
        }
        // What is no number is not equal to itself, and is written alike.
        (old, new) if old == new || format!("{old:?}") == format!("{new:?}") => {}
        _ => found.push(path),
    }
}

fn are_tables(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(Value::is_table)
}

/// Tables by their names, else by their places.
fn of_lists(old: &[Value], new: &[Value], path: &str, found: &mut Vec<String>) {
    let (old, new) = (named(old), named(new));
    let names: BTreeSet<&String> = old.iter().chain(&new).map(|(name, _)| name).collect();
    let count = names.len();
    for name in names {
        let of = |list: &[(String, &Value)]| {
            list.iter().find(|(other, _)| other == name).map(|(_, value)| (*value).clone())
        };
        of_values(of(&old).as_ref(), of(&new).as_ref(), format!("{path}.{name}"), found);
    }
    let order = |list: &[(String, &Value)]| list.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
    // The first target is the reference where none is named, and tables are made in the order of the file.
    if old.len() == count && new.len() == count && order(&old) != order(&new) {
        found.push(format!("the order of {path}"));
    }
}

/// Each with its name, which no other has.
fn named(list: &[Value]) -> Vec<(String, &Value)> {
    let mut named: Vec<(String, &Value)> = Vec::with_capacity(list.len());
    for (place, value) in (1..).zip(list) {
        let name = NAMES.iter().find_map(|key| value.get(key)?.as_str());
        let is_used = |name: &str| named.iter().any(|(other, _)| other == name);
        let name = match name {
            Some(name) if is_used(name) => format!("{name}-{place}"),
            Some(name) => name.to_owned(),
            None => place.to_string(),
        };
        named.push((name, value));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_by_their_paths_and_comments_are_none() {
        let text = "# why\n[run]\nrounds = 5\n[[load]]\nname = 'c1'\nconnections = 1\n[[target]]\ncommand = 'a'\n";
        for (from, to, expected) in [
            ("# why", "# why not", ""),
            ("rounds = 5", "rounds  =  5 # enough", ""),
            ("rounds = 5", "rounds = 7", "run.rounds"),
            ("rounds = 5", "", "run.rounds"),
            ("connections = 1", "connections = 2\nrate = 5", "load.c1.connections load.c1.rate"),
            ("name = 'c1'", "name = 'c2'", "load.c1 load.c2"),
            ("command = 'a'", "command = 'b'", "target.1.command"),
            ("rounds = 5", "rounds = = 5", "the whole text"),
            ("rounds = 5", "rounds = nan", "run.rounds"),
        ] {
            let found = differences(text, &text.replace(from, to));
            assert_eq!(found.join(" "), expected, "{to}");
        }
        assert_eq!(differences("a = [nan]", "a = [nan] # why"), [] as [&str; 0]);
        let two = "[[target]]\nname = 'a'\n[[target]]\nname = 'b'\n";
        let turned = "[[target]]\nname = 'b'\n[[target]]\nname = 'a'\n";
        assert_eq!(differences(two, turned), ["the order of target"]);
        let twice = "[[target]]\nfrom = 'a'\n[[target]]\nfrom = 'a'\nvariants = ['x']\n";
        let other = twice.replace("'x'", "'y'");
        assert_eq!(differences(twice, &other), ["target.a-2.variants"]);
    }
}
