//! The audit of a run: who answered each workload with what, and what each row could use. A table a workload, with the
//! differences that nobody declared in words.

use super::column::UNKNOWN;
use super::layout::{Body, Row, Table};
use crate::judge::audit::{Audited, connection, cores_usable, differences};
use crate::record::measured::ResponseSeen;
use crate::record::summary::{CellSummary, Summary};
use crate::units::write_count;

/// The columns, and whether they hold figures.
const HEADS: [(&str, bool); 12] = [
    ("target", false),
    ("status", true),
    ("body", true),
    ("sha256", false),
    ("type", false),
    ("head", true),
    ("HTTP", true),
    ("ends by", false),
    ("connection", false),
    ("cores", true),
    ("processes", true),
    ("threads", true),
];

/// The heads of the columns in the order in which they give way.
const GIVE_WAY: [&str; 9] =
    ["sha256", "head", "HTTP", "processes", "ends by", "cores", "type", "threads", "connection"];

/// One row of a workload: a target, under all loads under which it did the same.
struct Entry<'s> {
    name: String,
    cells: Vec<&'s CellSummary>,
}

impl<'s> Entry<'s> {
    fn first(&self) -> &'s CellSummary {
        self.cells[0]
    }

    fn most(&self, of: impl Fn(&CellSummary) -> Option<u64>) -> Option<u64> {
        self.cells.iter().filter_map(|cell| of(cell)).max()
    }
}

/// The tables of the audit; a workload that nobody answered has none.
pub(super) fn tables(summary: &Summary) -> Vec<Table> {
    let mut workloads: Vec<(&str, &str)> = Vec::new();
    for table in &summary.run.tables {
        if !workloads.iter().any(|(name, _)| *name == table.workload) {
            workloads.push((&table.workload, &table.request));
        }
    }
    workloads.into_iter().filter_map(|(name, request)| audit(summary, name, request)).collect()
}

fn audit(summary: &Summary, workload: &str, request: &str) -> Option<Table> {
    let entries = entries(summary, workload);
    if entries.is_empty() {
        return None;
    }
    Some(Table {
        title: format!("audit of {workload} · what answered {request}, and what it could use"),
        heads: HEADS.iter().map(|(head, _)| (*head).to_owned()).collect(),
        are_figures: HEADS.iter().map(|(_, is_figure)| *is_figure).collect(),
        give_way: HEADS
            .iter()
            .map(|(head, _)| GIVE_WAY.iter().position(|other| other == head))
            .collect(),
        rows: entries.iter().map(row).collect(),
        sentences: vec![sentence(&told(summary, workload))],
        notes: Vec::new(),
    })
}

fn sentence(differences: &[String]) -> String {
    if differences.is_empty() {
        return "There is no difference that nobody declared.".to_owned();
    }
    format!("Differences that nobody declared: {}.", differences.join("; "))
}

/// The rows of a workload, in the order of the matrix; only what was measured has answered.
fn entries<'s>(summary: &'s Summary, workload: &str) -> Vec<Entry<'s>> {
    let mut entries: Vec<Entry<'s>> = Vec::new();
    let is_of = |cell: &&CellSummary| cell.workload == workload && cell.response.is_some();
    for cell in summary.cells.iter().filter(is_of) {
        let alike = entries
            .iter_mut()
            .find(|entry| entry.first().target == cell.target && is_alike(entry.first(), cell));
        if let Some(entry) = alike {
            entry.cells.push(cell);
            continue;
        }
        // Beside what it did under other loads.
        let beside = entries.iter().rposition(|entry| entry.first().target == cell.target);
        let place = beside.map_or(entries.len(), |place| place + 1);
        entries.insert(place, Entry { name: cell.target.clone(), cells: vec![cell] });
    }
    let is_alone: Vec<bool> = entries
        .iter()
        .map(|entry| entries.iter().filter(|other| other.name == entry.name).count() == 1)
        .collect();
    for (entry, is_alone) in entries.iter_mut().zip(is_alone) {
        if !is_alone {
            let loads: Vec<&str> = entry.cells.iter().map(|cell| cell.load.as_str()).collect();
            entry.name = format!("{} · {}", entry.name, loads.join(", "));
        }
    }
    entries
}

/// Whether a target answered alike under two loads; one that asks for no connection to be kept says nothing of that.
fn is_alike(one: &CellSummary, other: &CellSummary) -> bool {
    let (Some(one), Some(other)) = (&one.response, &other.response) else { return false };
    let is_kept_alike = one.keep_alive.is_none()
        || other.keep_alive.is_none()
        || one.keep_alive == other.keep_alive;
    let without = |response: &ResponseSeen| ResponseSeen { keep_alive: None, ..response.clone() };
    is_kept_alike && without(one) == without(other)
}

/// The differences between rows under the same load, each once, with the loads that have it unless all do.
fn told(summary: &Summary, workload: &str) -> Vec<String> {
    let loads = summary.run.tables.iter().filter(|table| table.workload == workload);
    let loads: Vec<&str> = loads.map(|table| table.load.as_str()).collect();
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for load in &loads {
        let is_of = |cell: &&CellSummary| cell.workload == workload && cell.load == *load;
        let cells = summary.cells.iter().filter(is_of).filter(|cell| cell.response.is_some());
        let rows: Vec<Audited<'_>> = cells.map(|cell| audited(summary, cell)).collect();
        for difference in differences(&rows) {
            match told.iter_mut().find(|(other, _)| *other == difference) {
                Some((_, under)) => under.push(load),
                None => told.push((difference, vec![load])),
            }
        }
    }
    let words = |(difference, under): (String, Vec<&str>)| {
        if under.len() == loads.len() {
            return difference;
        }
        format!("{difference}, under {}", under.join(", "))
    };
    told.into_iter().map(words).collect()
}

fn audited<'s>(summary: &'s Summary, cell: &'s CellSummary) -> Audited<'s> {
    let target = summary.run.target(&cell.target);
    let declares = |what: &str| {
        target.is_some_and(|target| target.serves.iter().any(|taken_back| taken_back == what))
    };
    Audited {
        label: &cell.target,
        response: cell.response.as_ref(),
        varies: cell.response_varies,
        declares_answer: target.is_some_and(|target| target.expects.contains(&cell.workload)),
        declares_close: declares("keep-alive = false"),
        cores_allowed: cell.cores_allowed,
        threads: cell.threads_peak,
    }
}

/// The answer, of a load that asks for connections to be kept if there is one.
fn response<'s>(entry: &Entry<'s>) -> Option<&'s ResponseSeen> {
    let mut seen = entry.cells.iter().filter_map(|cell| cell.response.as_ref());
    let first = seen.next()?;
    Some([first].into_iter().chain(seen).find(|it| it.keep_alive.is_some()).unwrap_or(first))
}

fn row(entry: &Entry<'_>) -> Row {
    let known = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let response = response(entry);
    let of = |text: &dyn Fn(&ResponseSeen) -> Option<String>| known(response.and_then(text));
    let threads = entry.most(|cell| cell.threads_peak);
    let cores = cores_usable(entry.first().cores_allowed, threads);
    Row {
        label: entry.name.clone(),
        share: None,
        notes: Vec::new(),
        names: vec![entry.name.clone()],
        keys: vec![None; HEADS.len()],
        body: Body::Figures(vec![
            of(&|it| Some(it.status.to_string())),
            of(&|it| Some(format!("{} B", write_count(it.length)))),
            of(&|it| Some(it.sha256.get(..8).unwrap_or(&it.sha256).to_owned())),
            of(&|it| Some(it.content_type.clone().unwrap_or_else(|| "none".to_owned()))),
            of(&|it| Some(format!("{} B", write_count(it.header_bytes)))),
            of(&|it| it.http.clone()),
            of(&|it| it.framing.clone()),
            of(&|it| it.keep_alive.map(connection)),
            known(cores.map(|cores| format!("{cores} of {}", entry.first().cores_allowed))),
            known(entry.most(|cell| cell.processes_peak).map(write_count)),
            known(threads.map(write_count)),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::summarise::summarise;
    use super::super::{fixture, table};
    use super::*;
    use crate::record::run::PlannedTable;
    use crate::report::layout::Report;

    fn text(summary: &Summary) -> String {
        let tables = tables(summary);
        let [against, audit] = [Vec::new(), Vec::new()];
        let (remarks, provenance) = (Vec::new(), String::new());
        table::write(&Report { tables, against, audit, remarks, provenance })
    }

    /// The summary of the usual run, asked under another load too, in which the row of this name is another.
    fn under_two_loads(target: &str, change: impl Fn(&mut CellSummary)) -> Summary {
        let mut summary = summarise(&fixture::run());
        let paced = summary.cells.clone().into_iter().map(|mut cell| {
            cell.load = "paced".to_owned();
            if cell.target == target {
                change(&mut cell);
            }
            cell
        });
        let paced: Vec<CellSummary> = paced.collect();
        summary.cells.extend(paced);
        let table = summary.run.tables[0].clone();
        summary.run.tables.push(PlannedTable { load: "paced".to_owned(), ..table });
        summary
    }

    #[test]
    fn a_target_that_answers_alike_under_all_loads_has_one_row() {
        insta::assert_snapshot!(text(&under_two_loads("go/base", |cell| {
            cell.threads_peak = Some(9);
            cell.processes_peak = Some(3);
        })), @r##"
        audit of hello · what answered GET /, and what it could use
          target    status   body   sha256   type    head   HTTP   ends by   connection    cores   processes   threads
          c/fast       200   11 B   aa       none   100 B    1.1   length    kept         1 of 1           —         2
          go/base      200   11 B   aa       none   100 B    1.1   length    kept         1 of 1           3         9
          There is no difference that nobody declared.
        "##);
    }

    #[test]
    fn one_that_answers_otherwise_has_a_row_for_each_and_the_difference_is_told() {
        insta::assert_snapshot!(text(&under_two_loads("go/base", |cell| {
            if let Some(response) = &mut cell.response {
                response.content_type = Some("text/html".to_owned());
            }
        })), @r##"
        audit of hello · what answered GET /, and what it could use
          target            status   body   sha256   type         head   HTTP   ends by   connection    cores   processes   threads
          c/fast               200   11 B   aa       none        100 B    1.1   length    kept         1 of 1           —         2
          go/base · c64        200   11 B   aa       none        100 B    1.1   length    kept         1 of 1           —         2
          go/base · paced      200   11 B   aa       text/html   100 B    1.1   length    kept         1 of 1           —         2
          Differences that nobody declared: content type: none (c/fast), `text/html` (go/base), under paced.
        "##);
    }

    #[test]
    fn a_load_that_closes_says_nothing_of_keeping_and_what_is_declared_is_told_nowhere() {
        let closes = |kept| {
            move |cell: &mut CellSummary| {
                if let Some(response) = &mut cell.response {
                    response.keep_alive = kept;
                }
            }
        };
        let summary = under_two_loads("go/base", closes(None));
        assert!(text(&summary).contains("no difference"), "{}", text(&summary));
        let mut summary = under_two_loads("go/base", closes(Some(false)));
        let told = "connection: kept (c/fast), closed (go/base), under paced.";
        assert!(text(&summary).contains(told), "{}", text(&summary));
        for target in &mut summary.run.targets {
            target.serves = vec!["keep-alive = false".to_owned()];
        }
        assert!(text(&summary).contains("no difference"), "{}", text(&summary));
    }

    #[test]
    fn what_nobody_answered_has_no_table() {
        let mut summary = summarise(&fixture::run());
        summary.cells.iter_mut().for_each(|cell| cell.response = None);
        assert_eq!(tables(&summary), []);
    }
}
