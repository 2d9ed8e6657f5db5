//! Is this the machine, the program and the matrix that a run was begun with? Pure functions of what was recorded then and what
//! is found now.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::run::{CpuSplit, HostFacts, RunInfo};

/// Why figures of now must not stand beside those on file, whatever else is alike; `None` if they may.
pub(super) fn other_machine(old: &HostFacts, new: &HostFacts) -> Option<String> {
    let number = |number: Option<u64>| number.map(|it| it.to_string());
    let facts = [
        ("processor", old.cpu_model.clone(), new.cpu_model.clone()),
        ("architecture", Some(old.architecture.clone()), Some(new.architecture.clone())),
        ("number of CPUs", number(old.cpus), number(new.cpus)),
        ("number of cores", number(old.cores), number(new.cores)),
        ("hypervisor", old.virtualisation.clone(), new.virtualisation.clone()),
    ];
    let told = |fact: Option<String>| fact.unwrap_or_else(|| "unknown".to_owned());
    facts
        .into_iter()
        .find(|(_, old, new)| old != new)
        .map(|(name, old, new)| format!("the {name} was {} and is {}", told(old), told(new)))
}

/// What is not as it was, for one run's description of then and one of now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Why nothing on file counts any more.
    pub(super) everything: Option<String>,
    /// Tables of which what is asked, or how, has changed: workload and load.
    pub(super) tables: BTreeSet<(String, String)>,
    /// Why the records of a row count no more, by its label.
    pub(super) rows: BTreeMap<String, String>,
}

/// Compares what was described when a run was begun with what would be described now.
pub(super) fn changes(old: &RunInfo, new: &RunInfo) -> Changes {
    let mut changes = Changes { everything: everything(old, new), ..Changes::default() };
    for table in &new.tables {
        let is_it = |other: &&crate::record::run::PlannedTable| {
            (&other.workload, &other.load) == (&table.workload, &table.load)
        };
        let then = old.tables.iter().find(is_it);
        if then.is_some_and(|then| then.settings_sha256 != table.settings_sha256) {
            changes.tables.insert((table.workload.clone(), table.load.clone()));
        }
    }
    for target in &new.targets {
        let then = old.target(&target.label);
        if then.is_some_and(|then| then.declared_sha256 != target.declared_sha256) {
            let reason = "what it declares has changed".to_owned();
            changes.rows.insert(target.label.clone(), reason);
        }
    }
    for service in &new.services {
        let then = old.services.iter().find(|then| then.name == service.name);
        if then.is_some_and(|then| then != service) {
            for label in &service.targets {
                let reason = format!("its service `{}` has changed", service.name);
                changes.rows.entry(label.clone()).or_insert(reason);
            }
        }
    }
    changes
}

/// Why nothing of then can stand beside what is measured now, if so.
pub(super) fn everything(old: &RunInfo, new: &RunInfo) -> Option<String> {
    if old.measuring != new.measuring {
        return Some(format!(
            "{} began the run, and {} measures otherwise",
            old.orchestrate, new.orchestrate
        ));
    }
    let settings = |host: &HostFacts, cpus: &CpuSplit| {
        [
            ("kernel", format!("{:?}", host.kernel)),
            ("CPUs of server and generator", format!("{:?} {:?}", cpus.server, cpus.generator)),
            ("CPU quota", format!("{:?}", host.cpu_quota)),
            ("memory", format!("{:?} {:?}", host.memory_bytes, host.memory_max_bytes)),
            ("clock rate's governor", format!("{:?}", host.frequency_governor)),
            ("turbo", format!("{:?}", host.is_turbo_on)),
            ("clock source", format!("{:?}", host.clock_source)),
            ("huge pages", format!("{:?}", host.transparent_huge_pages)),
            ("settings of the kernel", format!("{:?}", host.sysctl)),
        ]
    };
    let (then, now) = (settings(&old.host, &old.cpus), settings(&new.host, &new.cpus));
    let changed: Vec<&str> =
        then.iter().zip(&now).filter(|(then, now)| then != now).map(|(then, _)| then.0).collect();
    (!changed.is_empty()).then(|| format!("the machine's {} changed meanwhile", changed.join(", ")))
}

/// Targets that the matrix finds now and did not then, or the other way round: the first few in words.
pub(super) fn other_rows(old: &RunInfo, new: &RunInfo) -> Option<String> {
    let rows = |info: &RunInfo| -> BTreeSet<(String, String, String)> {
        let of_table = |table: &crate::record::run::PlannedTable| {
            let name = (table.workload.clone(), table.load.clone());
            let labels = table.rows.iter().cloned();
            labels.map(|label| (name.0.clone(), name.1.clone(), label)).collect::<Vec<_>>()
        };
        info.tables.iter().flat_map(of_table).collect()
    };
    let (then, now) = (rows(old), rows(new));
    let told = |only: Vec<&(String, String, String)>, what: &str| {
        only.first()
            .map(|(workload, load, label)| format!("`{label}` on {workload} under {load} {what}"))
    };
    told(then.difference(&now).collect(), "is there no more")
        .or_else(|| told(now.difference(&then).collect(), "was not there"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info() -> RunInfo {
        let text = r#"{"schema":1,"id":"id","name":"it","orchestrate":"orchestrate 1","measuring":1,"started_at":"","matrix":"",
            "matrix_sha256":"","matrix_path":"","seed":1,"partial":false,"policy":{"rounds":1,"warm_up_seconds":1,
            "warm_up_max_seconds":1,"measure_seconds":1,"order":"shuffled","reference":"a","min_effect":0.02},
            "tables":[{"workload":"w","load":"l","load_words":"","request":"","rank_by":"","rows":["a","b"],"settings_sha256":"1"}],
            "targets":[{"label":"a","command":"a","declared_sha256":"2"},{"label":"b","command":"b","declared_sha256":"3"}],
            "services":[{"name":"db","command":"db","scope":"run","cpus":[],"targets":["b"],"source_digest":"4"}],
            "host":{"architecture":"x86_64","cpu_model":"EPYC","cpus":2,"kernel":"Linux 6"},
            "cpus":{"server":[0],"generator":[1],"shared":false,"shared_core":false}}"#;
        serde_json::from_str(text).expect("a run")
    }

    /// What has changed once this was done to the description.
    fn after(change: impl Fn(&mut RunInfo)) -> Changes {
        let mut new = info();
        change(&mut new);
        changes(&info(), &new)
    }

    #[test]
    fn what_has_changed_is_told_and_what_has_not_stays() {
        assert_eq!(after(|_| {}), Changes::default());
        assert_eq!(after(|new| new.orchestrate = "orchestrate 2".to_owned()), Changes::default());
        // Where the machine was started anew, nothing of it need have changed.
        assert_eq!(after(|new| new.host.boot_id = Some("x".to_owned())), Changes::default());
        assert_eq!(after(|new| new.host.load_average = vec![1.0]), Changes::default());
        let reason = |changes: Changes| changes.everything.expect("all of it");
        assert_eq!(
            reason(after(|new| new.measuring = 2)),
            "orchestrate 1 began the run, and orchestrate 1 measures otherwise"
        );
        let moved = after(|new| {
            new.host.kernel = None;
            new.cpus.server = vec![1];
        });
        let told = "the machine's kernel, CPUs of server and generator changed meanwhile";
        assert_eq!(reason(moved), told);
        let table = after(|new| new.tables[0].settings_sha256 = None);
        assert_eq!(
            table.tables.into_iter().collect::<Vec<_>>(),
            [("w".to_owned(), "l".to_owned())]
        );
        let row = after(|new| new.targets[0].declared_sha256 = Some("9".to_owned()));
        assert_eq!(
            row.rows.into_iter().collect::<Vec<_>>(),
            [("a".to_owned(), "what it declares has changed".to_owned())]
        );
        let service = after(|new| new.services[0].source_digest = None);
        assert_eq!(service.rows["b"], "its service `db` has changed");
    }

    #[test]
    fn another_machine_is_known_by_what_cannot_change_and_other_rows_by_their_names() {
        let told = |change: &dyn Fn(&mut RunInfo)| {
            let mut new = info();
            change(&mut new);
            other_machine(&info().host, &new.host).or_else(|| other_rows(&info(), &new))
        };
        assert_eq!(told(&|new| new.host.kernel = None), None);
        for (change, expected) in [
            (
                &(|new: &mut RunInfo| new.host.cpu_model = Some("Xeon".to_owned()))
                    as &dyn Fn(&mut RunInfo),
                "the processor was EPYC and is Xeon",
            ),
            (&|new| new.host.cpus = None, "the number of CPUs was 2 and is unknown"),
            (&|new| new.tables[0].rows.truncate(1), "`b` on w under l is there no more"),
            (&|new| new.tables[0].rows.push("c".to_owned()), "`c` on w under l was not there"),
        ] {
            assert_eq!(told(change).as_deref(), Some(expected));
        }
    }
}
