//! Charts that stand in a page: files beside it, each with the digest of its own text in its first line, so that one that was
//! edited by hand is known as such.

use crate::digest::sha256;
use crate::record::summary::Summary;
use crate::report::escape;
use crate::report::svg::{ChartFile, Name, files, in_file_name};

const BEFORE: &str = "<!-- orchestrate:chart sha256=";
const BEHIND: &str = " -->\n";

/// A chart that a block shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChart {
    /// Its file, told from the folder of the page.
    pub path: String,
    /// All that the file is to hold.
    pub text: String,
    title: String,
}

impl PageChart {
    /// The line of the page that shows it.
    pub(super) fn line(&self) -> String {
        format!("![{}]({})", escape::markdown(&self.title), escape::href(&self.path))
    }
}

/// The charts of these names, table by table. Files of two runs of one matrix have the same names, and those of two matrices may;
/// whoever writes them sees to it that none goes over another.
pub(super) fn charts(summary: &Summary, names: &[Name], folder: &str) -> Vec<PageChart> {
    let wanted = |chart: &ChartFile| names.contains(&chart.chart);
    files(summary, None)
        .into_iter()
        .filter(wanted)
        .map(|chart| PageChart {
            // The name comes from a file that anybody may have committed.
            path: format!("{folder}/{}-{}", in_file_name(&summary.run.name), chart.file),
            text: format!("{BEFORE}{}{BEHIND}{}", sha256(chart.text.as_bytes()), chart.text),
            title: chart.title,
        })
        .collect()
}

/// Whether the text of a file is a chart as it was made, by whatever version of this program.
pub fn is_as_made(text: &str) -> bool {
    let parts = text.strip_prefix(BEFORE).and_then(|rest| rest.split_once(BEHIND));
    parts.is_some_and(|(digest, chart)| digest == sha256(chart.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::super::summarise::summarise;
    use super::*;

    #[test]
    fn charts_are_files_that_know_when_they_were_edited() {
        let summary = summarise(&fixture::run());
        let charts = charts(&summary, &[Name::Cost, Name::Comparison], "docs/my charts");
        let paths: Vec<&str> = charts.iter().map(|chart| chart.path.as_str()).collect();
        let folder = "docs/my charts";
        assert_eq!(
            paths,
            ["comparison", "cost"].map(|name| format!("{folder}/small-hello-c64-{name}.svg"))
        );
        assert!(
            charts[0].line().ends_with("](docs/my%20charts/small-hello-c64-comparison.svg)"),
            "{}",
            charts[0].line()
        );
        for chart in &charts {
            assert!(is_as_made(&chart.text));
            assert!(!is_as_made(&chart.text.replace("hello", "hallo")));
            assert!(!is_as_made(chart.text.split_once('\n').expect("two lines").1));
        }
        assert!(!is_as_made(""));
    }

    #[test]
    fn no_name_of_a_run_leads_out_of_the_folder_of_charts() {
        let mut summary = summarise(&fixture::run());
        for (name, file) in [
            ("a/b", "in/a-b-hello-c64-cost.svg"),
            ("../../etc/x", "in/-..-etc-x-hello-c64-cost.svg"),
            ("/x\\y", "in/-x-y-hello-c64-cost.svg"),
        ] {
            name.clone_into(&mut summary.run.name);
            assert_eq!(charts(&summary, &[Name::Cost], "in")[0].path, file);
        }
    }
}
