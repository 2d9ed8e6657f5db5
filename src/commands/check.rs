//! `orchestrate check`: the plan, with every default made explicit; runs nothing.

use std::fmt::Write as _;

use super::{Planned, read_and_plan};
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::{CpuChoice, Matrix, Order, Target, VerifyDepth};
use crate::plan::{Plan, load_words};
use crate::report::escape::plain;
use crate::units::write_duration;

pub(super) fn check(words: &cli::Check, console: Console) -> Result<End, Error> {
    let Planned { matrix, plan } = read_and_plan(&words.matrix, &words.select, words.set)?;
    console.data(&describe(&matrix, &plan))?;
    Ok(End::Done)
}

fn describe(matrix: &Matrix, plan: &Plan) -> String {
    let mut text = policy(matrix, plan);
    for (workload, load) in plan.tables() {
        let (asked, how) = (&matrix.workloads[workload], &matrix.loads[load]);
        let timeout = how.timeout.map_or("the window, at most 10 s".to_owned(), write_duration);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n{} · {}\n  {} {} · timeout {timeout} · {} · content of {}\n",
            asked.name,
            load_words(how),
            asked.request.method,
            plain(&asked.request.path),
            if asked.expect.is_some() {
                "right answer as expected"
            } else {
                "any 2xx, alike across targets"
            },
            match how.verify {
                VerifyDepth::Sample => "a sample compared",
                VerifyDepth::All => "every answer compared",
                VerifyDepth::None => "no answer compared",
            },
        );
        let is_here = |cell: &&crate::plan::Cell| (cell.workload, cell.load) == (workload, load);
        for cell in plan.cells.iter().filter(is_here) {
            text.push_str(&row(&matrix.targets[cell.target]));
        }
        for cell in plan.not_offered.iter().filter(is_here) {
            let _ =
                writeln!(text, "  {}: not offered", plain(&matrix.targets[cell.target].label()));
        }
    }
    text
}

fn policy(matrix: &Matrix, plan: &Plan) -> String {
    let run = &matrix.run;
    let order = match run.order {
        Order::Shuffled => format!("shuffled by seed {}", plan.seed),
        Order::AsWritten => "as written".to_owned(),
    };
    let partial = if plan.is_partial {
        format!("\npartial: {}", plan.overrides.join(" "))
    } else {
        String::new()
    };
    format!(
        "{}: {} trials in {} rounds, {order}, about {} once all is built\n\
         warm-up {} to {}, window {}, reference {}, min-effect {} %\n\
         CPUs: server {}, generator {}\n\
         results in {}{partial}\n",
        plain(&run.name),
        plan.trials.len(),
        run.rounds,
        write_duration(plan.estimate),
        write_duration(run.warm_up),
        write_duration(run.warm_up_max),
        write_duration(run.measure),
        plain(&run.reference),
        run.min_effect * 100.0,
        cpus(&matrix.cpus.server),
        cpus(&matrix.cpus.generator),
        run.results.join(&run.name).display(),
    )
}

fn row(target: &Target) -> String {
    let tools: Vec<String> = target
        .tools
        .iter()
        .map(|need| match &need.at_least {
            Some(version) => format!("{} >= {version}", need.tool),
            None => need.tool.clone(),
        })
        .collect();
    let needs =
        if tools.is_empty() { String::new() } else { format!(" (needs {})", tools.join(", ")) };
    format!("  {}: {}{needs}\n", plain(&target.label()), plain(&target.command.text))
}

fn cpus(choice: &CpuChoice) -> String {
    match choice {
        CpuChoice::Auto => "auto".to_owned(),
        CpuChoice::All => "all".to_owned(),
        CpuChoice::List(list) => crate::affinity::write_list(list),
    }
}
