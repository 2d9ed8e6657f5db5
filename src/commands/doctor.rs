//! `orchestrate doctor`: what about this machine spoils measurements, worst first, and what to do about it.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use super::{Planned, default_results, interrupt, places, read_and_plan, seats};
use crate::cli::{self, DoctorFormat};
use crate::console::Console;
use crate::error::{End, Error};
use crate::host::survey::{disk, survey};
use crate::host::{self, Split, Topology};
use crate::interrupt::Interrupt;
use crate::judge::machine::examine;
use crate::matrix::problem::Problem;
use crate::matrix::program::Program;
use crate::matrix::service::needed_by_any;
use crate::matrix::{CpuChoice, CpuPolicy, Matrix};
use crate::plan::Plan;
use crate::record::diagnosis::Severity;
use crate::record::machine::{Contained, Demand, Examined, FixedPort, Ours, Tool};
use crate::report;
use crate::run::lock;
use crate::target::versions::tool_versions;
use crate::target::{self, leftover, rehearsal};

/// How long other programs are watched: long enough for a hundred of the kernel's ticks.
const LOOK: Duration = Duration::from_secs(1);

pub(super) fn doctor(words: &cli::Doctor, console: Console) -> Result<End, Error> {
    let planned = words.matrix.as_deref().map(|matrix| plan(matrix, words)).transpose()?;
    if planned.is_none() && has_selection(&words.select) {
        let what = "`--target`, `--workload`, `--load` and `--profile` select from a matrix";
        let hint = "name one: `orchestrate doctor MATRIX`";
        return Err(Error::Problems(vec![Problem::without_place(what).hint(hint)]));
    }
    let interrupt = interrupt()?;
    let topology = Topology::read().map_err(Error::ours)?;
    let split = match &planned {
        Some(planned) => seats(&planned.matrix)?.0,
        None => host::split(&topology, &AUTO).map_err(Error::ours)?,
    };
    console.say("looking at this machine for a second");
    // First, before anything of ours stirs it up.
    let machine = survey(&topology, &split, LOOK);
    let results = planned.as_ref().map(|planned| planned.matrix.run.results.clone());
    let results = words.results.clone().or(results).unwrap_or_else(default_results);
    let examined = Examined {
        machine,
        ours: ours(&split, &results),
        demand: planned.as_ref().map(|planned| demand(planned, &interrupt)),
    };
    if interrupt.is_set() {
        return Ok(End::Interrupted(interrupt.exit_code()));
    }
    let diagnosis = examine(&examined);
    console.data(&match words.format {
        DoctorFormat::Table => report::doctor::text(&diagnosis),
        DoctorFormat::Json => format!(
            "{}\n",
            serde_json::to_string_pretty(&diagnosis).expect("findings have only names and words")
        ),
    })?;
    let is_at_fault = words.strict && diagnosis.count(Severity::Spoils) > 0;
    Ok(if is_at_fault { End::MachineAtFault } else { End::Done })
}

/// What divides CPUs where no matrix says how.
const AUTO: CpuPolicy = CpuPolicy { server: CpuChoice::Auto, generator: CpuChoice::Auto };

fn plan(matrix: &Path, words: &cli::Doctor) -> Result<Planned, Error> {
    read_and_plan(matrix, &words.select, cli::Set::default())
}

fn has_selection(select: &cli::Select) -> bool {
    let globs = [&select.target, &select.workload, &select.load];
    globs.iter().any(|globs| !globs.is_empty()) || select.profile.is_some()
}

fn ours(split: &Split, results: &Path) -> Ours {
    let containment = rehearsal::rehearse(&split.server, &split.generator);
    Ours {
        is_debug_build: cfg!(debug_assertions),
        containment: containment.map(|containment| Contained {
            name: containment.name.to_owned(),
            without_group: containment.absent,
        }),
        left_over: leftover::left_over(),
        holder: lock::holder(&crate::places::lock()).map_err(|error| error.to_string()),
        results: disk(results),
    }
}

/// What the selected cells of a matrix will ask of this machine.
fn demand(planned: &Planned, interrupt: &Interrupt) -> Demand {
    let Planned { matrix, plan } = planned;
    let loads: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.load).collect();
    let loads = || loads.iter().map(|place| &matrix.loads[*place]);
    let largest = loads().max_by_key(|load| load.connections);
    let programs = programs(matrix, plan);
    Demand {
        connections: largest.map_or(0, |load| u64::from(load.connections)),
        load: largest.map(|load| load.name.clone()).unwrap_or_default(),
        has_new_connections: loads().any(|load| !load.keep_alive),
        tools: tools(matrix, &programs, interrupt),
        ports: ports(matrix, plan),
    }
}

/// Every program that the selected cells need.
fn programs<'m>(matrix: &'m Matrix, plan: &Plan) -> Vec<Program<'m>> {
    let targets: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    let services = needed_by_any(matrix, &targets);
    let of_targets = targets.iter().map(|place| matrix.targets[*place].program());
    of_targets.chain(services.iter().map(|place| matrix.services[*place].program())).collect()
}

/// Each tool with each least version of it once, and who needs it.
fn tools(matrix: &Matrix, programs: &[Program<'_>], interrupt: &Interrupt) -> Vec<Tool> {
    let (_, path) = places(matrix);
    let mut tools: Vec<(String, Tool)> = Vec::new();
    for (program, need) in
        programs.iter().flat_map(|it| it.tools.iter().map(move |need| (it, need)))
    {
        let key = format!("{need:?}");
        if let Some((_, tool)) = tools.iter_mut().find(|(other, _)| *other == key) {
            tool.needed_by.push(program.label.clone());
            continue;
        }
        let needs = std::slice::from_ref(need);
        let versions = tool_versions(needs, &matrix.toolchains, &path, interrupt.flag());
        let (found, hint) = match versions {
            Ok(versions) => (Ok(versions.into_values().collect()), None),
            Err(missing) => {
                let what: Vec<&str> = missing.iter().map(|it| it.what.as_str()).collect();
                (Err(what.join("; ")), missing.into_iter().find_map(|it| it.hint))
            }
        };
        let needed_by = vec![program.label.clone()];
        tools.push((key, Tool { tool: need.tool.clone(), found, hint, needed_by }));
    }
    tools.into_iter().map(|(_, tool)| tool).collect()
}

/// The ports that targets and services cannot be talked out of. That of a process which is not ours is held by right.
fn ports(matrix: &Matrix, plan: &Plan) -> Vec<FixedPort> {
    let targets: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    let services = needed_by_any(matrix, &targets);
    let of_targets = targets.iter().map(|place| &matrix.targets[*place]);
    let of_targets = of_targets.filter(|target| !target.external);
    let of_targets = of_targets.filter_map(|target| Some((target.label(), target.port?)));
    let of_services = services.iter().map(|place| &matrix.services[*place]);
    let of_services = of_services
        .filter_map(|service| Some((format!("service {}", service.name), service.port?)));
    of_targets
        .chain(of_services)
        .map(|(whose, port)| {
            let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let holder = target::holders(at).into_iter().next().map(|holder| holder.to_string());
            FixedPort { whose, port, holder }
        })
        .collect()
}
