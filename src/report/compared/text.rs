//! Two runs compared, for a terminal.

use super::super::escape::plain;
use super::super::table;
use super::{counts, doubt, lay_out, setting};
use crate::compare::Comparison;

/// All of it: doubts, tables, and the count of what became of the rows.
pub fn text(comparison: &Comparison) -> String {
    let Comparison { base, new, .. } = comparison;
    let name = if base.name == new.name {
        plain(&new.name)
    } else {
        format!("{} and {}", plain(&base.name), plain(&new.name))
    };
    let mut text = format!("{name}: {} compared with {}\n", plain(&new.id), plain(&base.id));
    text.extend([&plain(&setting(comparison)), "\n"]);
    if let Some(hindrance) = &comparison.hindrance {
        text.extend(["not comparable: ", &plain(&hindrance.what), "\n"]);
        text.extend(["hint: ", &plain(&hindrance.hint), "\n"]);
    }
    if !comparison.doubts.is_empty() {
        text.push_str("to be doubted, since the runs differ or bear caveats:\n");
        for one in &comparison.doubts {
            text.extend(["  ", &plain(&doubt(one)), "\n"]);
        }
    }
    text.push('\n');
    text.push_str(&table::write(&lay_out(comparison, |_| true)));
    text.extend([&counts(&comparison.rows().collect::<Vec<_>>()), "\n"]);
    text
}
