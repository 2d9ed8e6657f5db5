//! Two runs compared, as a comment on a pull request: short, and the rest folded.

use super::super::{escape, markdown as tables};
use super::{counts, doubt, lay_out, setting};
use crate::compare::{Comparison, Row};
use crate::outcome::Change;

/// So many doubts stand unfolded.
const DOUBTS_SHOWN: usize = 5;

/// What became worse, better or is open; below, folded, all of it.
pub fn markdown(comparison: &Comparison) -> String {
    let Comparison { base, new, .. } = comparison;
    let (safe, line) = (escape::markdown, escape::markdown_line);
    let mut text = format!(
        "**{}: {}**\n\n",
        safe(&new.name),
        safe(&counts(&comparison.rows().collect::<Vec<_>>()))
    );
    let runs = format!("{} compared with {}; {}", new.id, base.id, setting(comparison));
    text.extend([&line(&runs), "\n"]);
    if let Some(hindrance) = &comparison.hindrance {
        let told = format!("not comparable: {} (hint: {})", hindrance.what, hindrance.hint);
        text.extend(["\n", &line(&told), "\n"]);
    }
    let doubts: Vec<String> =
        comparison.doubts.iter().map(|one| format!("- {}\n", line(&doubt(one)))).collect();
    let (shown, folded) = doubts.split_at(doubts.len().min(DOUBTS_SHOWN));
    if !shown.is_empty() {
        text.push_str("\nTo be doubted, since the runs differ or bear caveats:\n\n");
        text.push_str(&shown.concat());
    }
    if !folded.is_empty() {
        text.push_str(&fold(&format!("{} more", folded.len()), &folded.concat()));
    }
    let news = lay_out(comparison, is_news);
    if !news.tables.is_empty() {
        text.extend(["\n", &tables::write(&news)]);
    }
    let all = lay_out(comparison, |_| true);
    if !all.tables.is_empty() {
        text.push_str(&fold("all rows", &tables::write(&all)));
    }
    text
}

fn fold(summary: &str, inside: &str) -> String {
    format!("\n<details><summary>{summary}</summary>\n\n{}\n\n</details>\n", inside.trim_end())
}

/// Whether a row is worth a look.
fn is_news(row: &Row) -> bool {
    !matches!(row.change, Change::Same | Change::Control | Change::NotComparable)
}
