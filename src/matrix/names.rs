//! Names: what may be one, what one is by default, and that none is given twice.

use std::collections::BTreeMap;

use super::problem::{Place, Problem};
use super::reading::Reading;
use super::table::Table;
use super::wire::Placed;

/// The longest name, in characters.
pub(super) const LENGTH_MAX: usize = 100;

/// Takes `name` out of a table. A missing one is an empty text at the table's place.
pub(super) fn name(table: &mut Table<'_>) -> Placed<String> {
    table.text("name").map_or_else(
        || Placed { value: String::new(), place: table.place.clone() },
        |name| {
            check(table.reading, &name);
            name
        },
    )
}

/// Takes `name` out of a target's table; between the words of such a name `/` and `+` may stand.
pub(super) fn target_name(table: &mut Table<'_>) -> Option<Placed<String>> {
    let name = table.text("name")?;
    check_target(table.reading, &name);
    Some(name)
}

/// Notes a name that is none.
pub(super) fn check(reading: &Reading<'_>, name: &Placed<String>) {
    check_with(reading, name, "", "`.`, `_`, `-`");
}

/// Notes a name that is none of a target.
pub(super) fn check_target(reading: &Reading<'_>, name: &Placed<String>) {
    check_with(reading, name, "/+", "`.`, `_`, `-`, `+`, `/`");
}

fn check_with(reading: &Reading<'_>, name: &Placed<String>, more: &str, signs: &str) {
    let text = &name.value;
    let is_sound = text.starts_with(char::is_alphanumeric)
        && text.chars().all(|c| is_plain(c) || more.contains(c))
        && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && text.chars().count() <= LENGTH_MAX;
    if !is_sound {
        let what = format!("`{}` cannot be a name", text.escape_debug());
        reading.report(Problem::at(name.place.clone(), what).hint(format!(
            "a name starts with a letter or digit and goes on with these and {signs}; \
             at most {LENGTH_MAX} characters"
        )));
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// The nearest name to a text: what cannot stand in one is a `-`.
pub fn slug(text: &str) -> String {
    let parts = text.split(|c: char| !is_plain(c)).filter(|part| !part.is_empty());
    let joined = parts.collect::<Vec<_>>().join("-");
    let start = joined.trim_start_matches(|c: char| !c.is_alphanumeric());
    start.chars().take(LENGTH_MAX).collect()
}

/// Notes every name that another one of its sort has already.
pub(super) fn report_twice<'a>(
    reading: &Reading<'_>,
    sort: &str,
    names: impl IntoIterator<Item = (&'a str, &'a Place)>,
) {
    let mut first: BTreeMap<&str, &Place> = BTreeMap::new();
    for (name, place) in names {
        let Some(known) = first.get(name) else {
            first.insert(name, place);
            continue;
        };
        let (line, _) = known.line_and_column();
        let what = format!("{sort} `{name}` is there already, from line {line}");
        reading.report(
            Problem::at(place.clone(), what)
                .hint("name it once, or give one of them another `name`"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_has_a_nearest_name() {
        for (text, name) in [
            ("GET /", "GET"),
            ("my matrix", "my-matrix"),
            ("../a/b.js?x=1", "a-b.js-x-1"),
            ("", ""),
            ("--", ""),
        ] {
            assert_eq!(slug(text), name, "{text}");
        }
    }
}
