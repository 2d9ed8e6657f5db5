//! `orchestrate check --serve`: builds and starts each target, and checks what it claims, without load.

use std::cell::RefCell;

use super::build::{Made, Making, make};
use super::run::check_requests;
use super::{Planned, read_and_plan};
use crate::cli;
use crate::conformance::{self, ConformanceError, Shared, Subject};
use crate::console::Console;
use crate::console::progress::Progress;
use crate::error::{End, Error};
use crate::event::{Event, Tell, teller};
use crate::lifecycle::Ground;
use crate::plan::{Cell, Plan};
use crate::prepare::Prepared;
use crate::record::conformance::Conformance;
use crate::report;
use crate::report::escape::plain;
use crate::service::{self, Services};
use crate::target::port::Ports;

pub(super) fn serve(words: &cli::Check, console: Console) -> Result<End, Error> {
    let planned = read_and_plan(&words.matrix, &words.select, cli::Set::default())?;
    check_requests(&planned.matrix, &planned.plan)?;
    let how = Making {
        verb: "check --serve",
        matrix: &words.matrix,
        provision: words.provision,
        rebuild: words.rebuild,
        share_machine: words.share_machine,
    };
    let made = match make(&planned, &how, console)? {
        Ok(made) => made,
        Err(end) => return Ok(end),
    };
    check_all(&planned, &made, words.require_all, console)
}

/// Tells what was found of each target as soon as it is.
fn check_all(
    planned: &Planned,
    made: &Made,
    requires_all: bool,
    console: Console,
) -> Result<End, Error> {
    let Planned { matrix, plan } = planned;
    let ports = RefCell::new(Ports::new());
    let mut progress = Progress::new(console);
    let mut show = |event: &Event| progress.show(event);
    let tell = teller(&mut show);
    let ground = Ground {
        matrix,
        split: &made.split,
        path: &made.path,
        assets: &made.places.assets,
        logs: &made.logs,
        ports: &ports,
        interrupt: &made.interrupt,
        tell: Tell(&tell),
    };
    let (prepared, cpus) = (&made.services, &made.service_cpus);
    let services = Services::new(service::Setting { ground, prepared, cpus });
    let shared = Shared { ground, prepared: &made.prepared, services: &services };
    let mut counts = Counts::default();
    for place in &made.targets {
        if matches!(made.prepared[*place], Prepared::Ready(_)) {
            console.say(&format!("checking {}", plain(&matrix.targets[*place].label())));
        }
        match conformance::check(&shared, &subject(plan, *place)) {
            Ok(found) => {
                console.data(&report::conformance::text(&found))?;
                counts.add(&found);
            }
            Err(ConformanceError::Interrupted) => {
                services.stop_all();
                return Ok(End::Interrupted(made.interrupt.exit_code()));
            }
            Err(error) => return Err(Error::ours(error)),
        }
    }
    services.stop_all();
    console.say(&format!(
        "{} keep what they claim, {} at fault, {} skipped; logs in {}",
        counts.right,
        counts.at_fault,
        counts.skipped,
        made.logs.display()
    ));
    Ok(match counts {
        Counts { at_fault: 1.., .. } => End::TargetFailed,
        Counts { skipped: 1.., .. } if requires_all => End::TargetFailed,
        Counts { right: 0, .. } => End::Nothing,
        Counts { .. } => End::Done,
    })
}

/// What of the plan is one target's; a workload that several loads drive is asked once.
fn subject(plan: &Plan, target: usize) -> Subject {
    let of = |cells: &[Cell]| {
        let mut workloads: Vec<usize> =
            cells.iter().filter(|cell| cell.target == target).map(|cell| cell.workload).collect();
        workloads.dedup();
        workloads
    };
    Subject { target, workloads: of(&plan.cells), not_offered: of(&plan.not_offered) }
}

#[derive(Debug, Default)]
struct Counts {
    right: usize,
    at_fault: usize,
    skipped: usize,
}

impl Counts {
    fn add(&mut self, found: &Conformance) {
        if found.is_at_fault() {
            self.at_fault += 1;
        } else if found.is_skipped() {
            self.skipped += 1;
        } else {
            self.right += 1;
        }
    }
}
