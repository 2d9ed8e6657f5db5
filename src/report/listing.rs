//! What there is, as a list: the matrices of a folder, the parts of a matrix, the tools that it needs, the runs that are kept.

use serde::Serialize;
use tabled::builder::Builder;
use tabled::settings::{Padding, Style};

use super::escape::plain;

/// What there is. A part that was not asked for is absent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Listing {
    /// Matrices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrices: Option<Vec<ListedMatrix>>,
    /// Targets with their variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<ListedTarget>>,
    /// Workloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workloads: Option<Vec<ListedWorkload>>,
    /// Loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loads: Option<Vec<ListedLoad>>,
    /// Tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ListedTool>>,
    /// Runs, the newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<ListedRun>>,
}

/// A matrix.
#[derive(Debug, Clone, Serialize)]
pub struct ListedMatrix {
    /// Its file.
    pub path: String,
    /// How many targets it has, variants counted.
    pub targets: usize,
    /// The question that it answers: the first line of its comment.
    pub question: String,
}

/// A target.
#[derive(Debug, Clone, Serialize)]
pub struct ListedTarget {
    /// `target` or `target+variant`.
    pub target: String,
    /// Its kind, if it says so.
    pub kind: Option<String>,
    /// Its language, if it says so.
    pub language: Option<String>,
    /// Its workloads of this matrix.
    pub workloads: Vec<String>,
    /// What it is.
    pub about: Option<String>,
    /// Why it would be skipped here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// A workload.
#[derive(Debug, Clone, Serialize)]
pub struct ListedWorkload {
    /// Its name.
    pub workload: String,
    /// Method and path.
    pub request: String,
    /// How many targets offer it.
    pub targets: usize,
}

/// A load.
#[derive(Debug, Clone, Serialize)]
pub struct ListedLoad {
    /// Its name.
    pub load: String,
    /// What it is in words.
    pub about: String,
}

/// A tool that a target needs.
#[derive(Debug, Clone, Serialize)]
pub struct ListedTool {
    /// Its name.
    pub tool: String,
    /// The version that is there, if it will do.
    pub version: Option<String>,
    /// What is the matter, if it will not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// How to get it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A run.
#[derive(Debug, Clone, Serialize)]
pub struct ListedRun {
    /// The matrix's name.
    pub matrix: String,
    /// Its id.
    pub run: String,
    /// `complete`, what it is short of, or what is the matter with its folder.
    pub state: String,
    /// Whether it is the latest complete run of its matrix.
    pub latest: bool,
    /// The version that made it.
    pub orchestrate: String,
}

/// The list for a person.
pub fn write(listing: &Listing) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut part = |head: &str, rows: Option<Vec<Vec<String>>>| {
        parts.extend(rows.map(|rows| format!("{head}\n{}", aligned(rows))));
    };
    part("matrices", listing.matrices.as_ref().map(|all| all.iter().map(of_matrix).collect()));
    part("targets", listing.targets.as_ref().map(|all| all.iter().map(of_target).collect()));
    part("workloads", listing.workloads.as_ref().map(|all| all.iter().map(of_workload).collect()));
    part("loads", listing.loads.as_ref().map(|all| all.iter().map(of_load).collect()));
    part("tools", listing.tools.as_ref().map(|all| all.iter().map(of_tool).collect()));
    part("runs", listing.runs.as_ref().map(|all| all.iter().map(of_run).collect()));
    parts.join("\n")
}

/// The list as one JSON object.
pub fn json(listing: &Listing) -> String {
    let mut text = serde_json::to_string_pretty(listing).expect("names and numbers alone");
    text.push('\n');
    text
}

fn of_matrix(matrix: &ListedMatrix) -> Vec<String> {
    vec![matrix.path.clone(), count(matrix.targets, "target"), matrix.question.clone()]
}

fn of_target(target: &ListedTarget) -> Vec<String> {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let about = match &target.skipped {
        Some(reason) => format!("skipped here: {reason}"),
        None => word(&target.about),
    };
    vec![
        target.target.clone(),
        word(&target.kind),
        word(&target.language),
        target.workloads.join(" "),
        about,
    ]
}

fn of_workload(workload: &ListedWorkload) -> Vec<String> {
    let offered = count(workload.targets, "target");
    vec![workload.workload.clone(), workload.request.clone(), offered]
}

fn of_load(load: &ListedLoad) -> Vec<String> {
    vec![load.load.clone(), load.about.clone()]
}

fn of_tool(tool: &ListedTool) -> Vec<String> {
    let version = tool.version.clone().unwrap_or_else(|| "missing".to_owned());
    let hint = tool.hint.iter().chain(&tool.missing).next().cloned();
    vec![tool.tool.clone(), version, hint.unwrap_or_default()]
}

fn of_run(run: &ListedRun) -> Vec<String> {
    let latest = if run.latest { "latest" } else { "" };
    vec![
        format!("{}/{}", run.matrix, run.run),
        run.state.clone(),
        latest.to_owned(),
        run.orchestrate.clone(),
    ]
}

fn count(count: usize, thing: &str) -> String {
    crate::units::count_of(count, thing)
}

/// Rows below each other, each cell escaped; `none` if there are none.
fn aligned(rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return "  none\n".to_owned();
    }
    let mut builder = Builder::default();
    for row in rows {
        builder.push_record(row.iter().map(|cell| plain(cell)));
    }
    let mut table = builder.build();
    table.with(Style::empty()).with(Padding::new(2, 0, 0, 0));
    let lines: Vec<String> =
        table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let tool = |tool: &str, version: Option<&str>| ListedTool {
            tool: tool.to_owned(),
            version: version.map(str::to_owned),
            missing: version.is_none().then(|| format!("{tool} is missing")),
            hint: version.is_none().then(|| "apt-get install it".to_owned()),
        };
        Listing {
            targets: Some(vec![ListedTarget {
                target: "a\u{1b}[31m".to_owned(),
                kind: Some("raw".to_owned()),
                language: None,
                workloads: vec!["hello".to_owned(), "json".to_owned()],
                about: Some("one line".to_owned()),
                skipped: None,
            }]),
            tools: Some(vec![tool("go", Some("1.26.8")), tool("node", None)]),
            runs: Some(Vec::new()),
            ..Listing::default()
        }
    }

    #[test]
    fn what_was_asked_for_is_listed_and_a_list_of_nothing_says_so() {
        insta::assert_snapshot!(write(&listing()), @r##"
        targets
          a\u{1b}[31m  raw    hello json  one line

        tools
          go    1.26.8
          node  missing  apt-get install it

        runs
          none
        "##);
    }

    #[test]
    fn as_an_object_it_holds_the_same_and_no_more() {
        let value: serde_json::Value = serde_json::from_str(&json(&listing())).expect("JSON");
        let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["targets", "tools", "runs"]);
        assert_eq!(value["tools"][1]["hint"], "apt-get install it");
    }
}
