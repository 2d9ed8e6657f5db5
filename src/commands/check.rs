//! `orchestrate check`: the plan, with every default made explicit; runs nothing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use super::{Planned, read_and_plan, seats};
use crate::affinity;
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::host::Split;
use crate::http::request::Version;
use crate::matrix::program::Program;
use crate::matrix::service::{Readiness, Seat, Service, needed_by, needed_by_any};
use crate::matrix::toolchain::Need;
use crate::matrix::{Command, CpuChoice, Matrix, Order, Target, VerifyDepth};
use crate::plan::{Cell, Plan, load_words};
use crate::report::escape::plain;
use crate::units::write_duration;

pub(super) fn check(words: &cli::Check, console: Console) -> Result<End, Error> {
    let Planned { matrix, plan } = read_and_plan(&words.matrix, &words.select, words.set)?;
    console.data(&describe(&matrix, &plan))?;
    Ok(End::Done)
}

fn describe(matrix: &Matrix, plan: &Plan) -> String {
    // On a machine that has not the CPUs that are asked for the plan is told all the same.
    let split = seats(matrix).ok().map(|(split, _)| split);
    let mut text = policy(matrix, plan, split.as_ref());
    for (workload, load) in plan.tables() {
        let (asked, how) = (&matrix.workloads[workload], &matrix.loads[load]);
        let timeout = how.timeout.map_or("the window, at most 10 s".to_owned(), write_duration);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n{} · {}\n  {} {} · {} · content of {}\n  {} · pipeline {} · HTTP/{} · timeout {timeout}\n",
            plain(&asked.name),
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
            if how.keep_alive { "keep-alive" } else { "no keep-alive" },
            how.pipeline,
            if how.http == Version::Http11 { "1.1" } else { "1.0" },
        );
        let labels = |cells: &[Cell]| {
            let here = cells.iter().filter(|cell| (cell.workload, cell.load) == (workload, load));
            let labels = here.map(|cell| plain(&cell.label(matrix)));
            labels.collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(text, "  asked of {}", labels(&plan.cells));
        let without = labels(&plan.not_offered);
        if !without.is_empty() {
            let _ = writeln!(text, "  not offered by {without}");
        }
    }
    text.push_str("\ntargets\n");
    let targets: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    for place in &targets {
        text.push_str(&target(&matrix.targets[*place], matrix));
    }
    let needed = needed_by_any(matrix, &targets);
    if !needed.is_empty() {
        text.push_str("\nservices\n");
    }
    for place in needed {
        let needs_it = |target: &&usize| {
            needed_by(&matrix.services, &matrix.targets[**target]).contains(&place)
        };
        let labels = targets.iter().filter(needs_it).map(|it| plain(&matrix.targets[*it].label()));
        text.push_str(&service(&matrix.services[place], &labels.collect::<Vec<_>>()));
    }
    text
}

fn service(service: &Service, targets: &[String]) -> String {
    let ready = match &service.ready {
        Readiness::Tcp => "ready by connecting".to_owned(),
        Readiness::Path(path) => format!("ready {}", plain(path)),
        Readiness::Command(command) => format!("ready when `{}` succeeds", plain(&command.text)),
    };
    let seat = match &service.cpus {
        Seat::Generator => "CPUs of the generator".to_owned(),
        Seat::Server => "CPUs of the server".to_owned(),
        Seat::List(list) => format!("CPUs {}", affinity::write_list(list)),
    };
    let mut facts = vec![
        ready,
        format!("ready-timeout {}", write_duration(service.ready_timeout)),
        format!("stop-grace {}", write_duration(service.stop_grace)),
        format!("stop-signal {}", service.stop_signal.name()),
    ];
    let has_steps = !service.build.is_empty() || !service.setup.is_empty();
    facts.extend(build_timeout(has_steps, service.build_timeout));
    facts.extend([
        service.port.map_or("a port of its own".to_owned(), |port| format!("port {port}")),
        format!("scope {}", service.scope.name()),
        seat,
    ]);
    let steps = [("build", &service.build), ("setup", &service.setup)];
    format!(
        "  {}: {}{}\n    {}\n{}{}    needed by {}\n",
        plain(&service.name),
        plain(&service.command.text),
        needs(&service.tools),
        facts.join(" · "),
        commands(&steps),
        lack(&service.program()),
        targets.join(", ")
    )
}

/// What is run besides the command itself, a line each.
fn commands(steps: &[(&str, &Vec<Command>)]) -> String {
    let mut text = String::new();
    for (key, commands) in steps {
        for command in *commands {
            // Writing to a string does not fail.
            let _ = writeln!(text, "    {key}: {}", plain(&command.text));
        }
    }
    text
}

/// A remark on a command whose file cannot be started as things are. No problem of the matrix: the file may be made later, or by
/// the build of another target, and a target that cannot be started costs a run no more than its own row.
fn lack(program: &Program<'_>) -> String {
    let Some(file) = program.file() else { return String::new() };
    let why = match file.metadata() {
        Ok(facts) if facts.is_file() && facts.permissions().mode() & 0o111 != 0 => {
            return String::new();
        }
        Ok(facts) if facts.is_file() => "may not be executed",
        Ok(_) => "is no file",
        Err(error) if error.kind() == ErrorKind::NotFound => "is not there",
        // What cannot be looked at may be there all the same.
        Err(_) => return String::new(),
    };
    format!(
        "    remark: `{}` {why}, and nothing here builds it\n",
        plain(&file.display().to_string())
    )
}

/// How long a step may take, if there is one.
fn build_timeout(has_steps: bool, timeout: Duration) -> Option<String> {
    has_steps.then(|| format!("build-timeout {}", write_duration(timeout)))
}

/// The tools that something needs, if it needs any.
fn needs(tools: &[Need]) -> String {
    let tools: Vec<String> = tools.iter().map(Need::to_string).collect();
    if tools.is_empty() { String::new() } else { format!(" (needs {})", tools.join(", ")) }
}

fn policy(matrix: &Matrix, plan: &Plan, split: Option<&Split>) -> String {
    let run = &matrix.run;
    let rounds = if run.max_rounds > run.rounds {
        format!("{} (up to {} while intervals are wide)", run.rounds, run.max_rounds)
    } else {
        run.rounds.to_string()
    };
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
         warm-up {} to {}, window {}, reference {}, control {}, min-effect {} %, retry-noisy {}\n\
         CPUs: server {}, generator {}\n\
         results in {}{partial}\n",
        plain(&run.name),
        plan.trials.len(),
        rounds,
        write_duration(plan.estimate),
        write_duration(run.warm_up),
        write_duration(run.warm_up_max),
        write_duration(run.measure),
        plain(&run.reference),
        run.control.as_deref().map_or_else(|| "none".to_owned(), plain),
        run.min_effect * 100.0,
        run.retry_noisy,
        seat(&matrix.cpus.server, split.map(|split| &split.server)),
        seat(&matrix.cpus.generator, split.map(|split| &split.generator)),
        run.results.join(&run.name).display(),
    )
}

fn target(target: &Target, matrix: &Matrix) -> String {
    let ready = match target.ready_request(&matrix.workloads) {
        Some((path, _)) => format!("ready {}", plain(path)),
        None => "ready by connecting".to_owned(),
    };
    let mut facts = vec![
        ready,
        format!("ready-timeout {}", write_duration(target.ready_timeout)),
        format!("stop-grace {}", write_duration(target.stop_grace)),
    ];
    let steps = [
        ("build", &target.build),
        ("before-trial", &target.before_trial),
        ("after-trial", &target.after_trial),
    ];
    let has_steps = steps.iter().any(|(_, commands)| !commands.is_empty());
    facts.extend(build_timeout(has_steps, target.build_timeout));
    facts.push(target.port.map_or("a port of its own".to_owned(), |port| format!("port {port}")));
    facts.extend(limits(target));
    let env: Vec<String> =
        target.env.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    let env = if env.is_empty() { String::new() } else { format!("    env: {}\n", env.join(" ")) };
    let lack = if target.before_trial.is_empty() { lack(&target.program()) } else { String::new() };
    format!(
        "  {}: {}{}\n    {}\n{}{env}{lack}",
        plain(&target.label()),
        plain(&target.command.text),
        needs(&target.tools),
        facts.join(" · "),
        commands(&steps)
    )
}

/// What it does not do.
fn limits(target: &Target) -> Vec<String> {
    let taken_back = target.serves.taken_back();
    let serves = (!taken_back.is_empty()).then(|| format!("serves {}", taken_back.join(", ")));
    let external = target.external.then(|| "answered by a process that is not ours".to_owned());
    serves.into_iter().chain(external).collect()
}

/// What was chosen, and which CPUs that is on this machine, where it can be told.
fn seat(choice: &CpuChoice, here: Option<&Vec<usize>>) -> String {
    let here = || here.map_or_else(String::new, |it| format!(" ({})", affinity::write_list(it)));
    match choice {
        CpuChoice::Auto => format!("auto{}", here()),
        CpuChoice::All => format!("all{}", here()),
        CpuChoice::List(list) => affinity::write_list(list),
    }
}
