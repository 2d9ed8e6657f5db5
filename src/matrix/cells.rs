//! That everything in a matrix has a part in it: no pattern is idle, and nothing is left without a cell.

use super::Target;
use super::load::Driven;
use super::patterns::hint;
use super::problem::{Place, Problem};
use super::reading::Reading;
use super::values::quoted;
use super::wire::Placed;
use super::workload::Asked;

/// Notes patterns that match nothing, and whatever is left without a cell.
pub(super) fn check(
    reading: &Reading<'_>,
    targets: &[(Target, Place)],
    asked: &mut [Asked<'_>],
    driven: &mut [Driven],
) {
    let labels: Vec<String> = targets.iter().map(|(target, _)| target.label()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    for asked in &mut *asked {
        asked.targets.report_idle(reading, "target", &labels);
    }
    let names: Vec<&str> = asked.iter().map(|asked| asked.workload.name.as_str()).collect();
    for driven in &mut *driven {
        driven.workloads.report_idle(reading, "workload", &names);
    }
    if asked.is_empty() || driven.is_empty() {
        return;
    }
    for (target, place) in targets {
        report_target(reading, target, place, asked);
    }
    for asked in &*asked {
        report_workload(reading, asked, targets, driven);
    }
    for driven in driven {
        if !asked.iter().any(|asked| drives(driven, asked)) {
            let what = format!("load `{}` drives no workload", driven.load.name);
            reading.report(Problem::at(driven.place.clone(), what).hint("look at its `workloads`"));
        }
    }
}

fn meets(asked: &Asked<'_>, target: &Target) -> bool {
    asked.targets.may_match(&target.label()) && target.offers(&asked.workload.name)
}

fn drives(driven: &Driven, asked: &Asked<'_>) -> bool {
    driven.workloads.may_match(&asked.workload.name)
}

fn report_target(reading: &Reading<'_>, target: &Target, place: &Place, asked: &[Asked<'_>]) {
    if asked.iter().any(|asked| meets(asked, target)) {
        return;
    }
    let names = asked.iter().map(|asked| asked.workload.name.as_str());
    let hint = match &target.workloads {
        Some(offered) if offered.is_empty() => "its `workloads` are empty".to_owned(),
        Some(offered) if !names.clone().any(|name| target.offers(name)) => format!(
            "it offers {}; this matrix asks {}",
            quoted(offered.iter().map(String::as_str)),
            quoted(names)
        ),
        _ => "the `targets` of the workloads that it offers leave it out".to_owned(),
    };
    let what = format!("target `{}` is asked for no workload", target.label());
    reading.report(Problem::at(place.clone(), what).hint(hint));
}

fn report_workload(
    reading: &Reading<'_>,
    asked: &Asked<'_>,
    targets: &[(Target, Place)],
    driven: &[Driven],
) {
    let name = &asked.workload.name;
    if !targets.iter().any(|(target, _)| meets(asked, target)) {
        let what = format!("workload `{name}` is asked of no target");
        let hint = "look at its `targets`, and at the `workloads` that targets offer";
        reading.report(Problem::at(asked.place.clone(), what).hint(hint));
    } else if !driven.iter().any(|driven| drives(driven, asked)) {
        let what = format!("workload `{name}` is driven by no load");
        let hint = "look at the `workloads` of the loads";
        reading.report(Problem::at(asked.place.clone(), what).hint(hint));
    }
}

/// Notes every name of a row that is none, each with the key that it stands at.
pub(super) fn check_named_rows(
    reading: &Reading<'_>,
    rows: &[(&'static str, Placed<String>)],
    targets: &[(Target, Place)],
) {
    let labels: Vec<String> = targets.iter().map(|(target, _)| target.label()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    for (key, name) in rows.iter().filter(|(_, name)| !labels.contains(&name.value.as_str())) {
        let what = format!("`{key}` names no target: `{}`", name.value.escape_debug());
        let problem = Problem::at(name.place.clone(), what);
        reading.report(problem.hint(hint(&name.value, "target", &labels)));
    }
}
