//! What a run tells while it goes: one list for the terminal and for whoever reads along.

use std::cell::RefCell;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::outcome::Stage;
use crate::record::SCHEMA;

/// A line of `events.ndjson`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Line<'e> {
    /// The version of the shapes of a run's files.
    #[schemars(extend("const" = SCHEMA))]
    schema: u32,
    /// When: date and time, UTC.
    at: String,
    #[serde(flatten)]
    event: &'e Event,
}

impl<'e> Line<'e> {
    /// An event, and when it happened.
    pub fn new(at: String, event: &'e Event) -> Self {
        Self { schema: SCHEMA, at, event }
    }
}

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run has its folder, and nothing was started yet.
    RunStarted {
        /// The run's id.
        id: String,
        /// Its folder.
        folder: String,
        /// Trials that are ahead.
        trials: usize,
        /// How long it will take, builds left out.
        estimate_seconds: f64,
    },
    /// A run that was cut off is gone on with, and nothing was started yet.
    RunResumed {
        /// The run's id.
        id: String,
        /// Its folder.
        folder: String,
        /// When it began: date and time, UTC.
        started_at: String,
        /// Trials that are on file and count so far.
        on_file: usize,
        /// Whether the last line of its trials was torn, and was cut off.
        was_torn: bool,
    },
    /// A run that brings another up to date has its folder, and nothing was started yet.
    UpdateStarted {
        /// The run's id.
        id: String,
        /// Its folder.
        folder: String,
        /// The id of the other.
        base: String,
    },
    /// Trials on file count no more and are made again.
    MeasuredAgain {
        /// Tables and rounds.
        what: String,
        /// Why.
        reason: String,
    },
    /// What stays of a run that is gone on with is known.
    GoesOn {
        /// Trials that stay.
        kept: usize,
        /// Trials that are ahead.
        trials: usize,
        /// How long they will take.
        estimate_seconds: f64,
    },
    /// Something that an earlier run had left behind was cleaned up.
    Swept {
        /// What it was.
        what: String,
    },
    /// Something that is waited for, or that cannot be known or done here, while the run goes on.
    Notice {
        /// What, in a sentence.
        text: String,
    },
    /// A target's build begins.
    BuildStarted {
        /// The target's label.
        target: String,
    },
    /// A target is built.
    Built {
        /// The target's label.
        target: String,
        /// Whether an earlier build still held.
        was_cached: bool,
        /// How long it took.
        seconds: f64,
    },
    /// A target cannot take part.
    TargetOut {
        /// The target's label.
        target: String,
        /// `skipped`, or the stage at which it failed.
        at: String,
        /// Why.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
        /// What its build had written, if that failed.
        #[serde(skip_serializing_if = "Output::is_empty")]
        output: Output,
    },
    /// A service is ready.
    ServiceReady {
        /// Its name.
        service: String,
        /// Its port.
        port: u16,
        /// How long it took.
        seconds: f64,
    },
    /// A service did not start, or ended although it should live.
    ServiceOut {
        /// Its name.
        service: String,
        /// Why, or how.
        reason: String,
        /// What it had written.
        #[serde(skip_serializing_if = "Output::is_empty")]
        output: Output,
    },
    /// A command that goes after a trial failed, which changes nothing of the trial.
    AfterTrialFailed {
        /// The target's label.
        target: String,
        /// Which, and how.
        reason: String,
    },
    /// A trial begins.
    TrialStarted(Place),
    /// The trial that goes on has come to a stage, or on in its warm-up. Nothing is told while the window is open.
    TrialAt {
        /// The stage.
        stage: Stage,
        /// Right answers per second by now, under load.
        #[serde(skip_serializing_if = "Option::is_none")]
        goodput_per_second: Option<f64>,
    },
    /// A trial has ended.
    TrialEnded {
        /// Which.
        #[serde(flatten)]
        place: Place,
        /// Right answers per second, if it was measured.
        goodput_per_second: Option<f64>,
        /// CPU time of the server per answer, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        cpu_us_per_request: Option<f64>,
        /// Where and why it failed, if it did.
        failure: Option<String>,
        /// What it had written, if it failed.
        #[serde(skip_serializing_if = "Output::is_empty")]
        output: Output,
    },
    /// A further round begins, since an interval is still wide.
    FurtherRound {
        /// The round, from 1.
        round: u32,
        /// The cell with the widest interval, in words.
        widest: String,
        /// How far it reaches to either side, as a share.
        half_width: f64,
    },
    /// A trial is made once more, since others used the machine; what was measured is kept.
    TrialRepeated {
        /// Which.
        #[serde(flatten)]
        place: Place,
        /// What the others did.
        reason: String,
    },
    /// The run is over.
    RunEnded {
        /// The run's id.
        id: String,
        /// The signal that ended it early.
        interrupted: Option<String>,
        /// How long it took.
        seconds: f64,
    },
}

/// What a program that failed had written.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Output {
    /// Where all of it is, relative to the run's folder.
    pub log: Option<String>,
    /// Its last lines, few and not too long.
    pub tail: Vec<String>,
}

/// So many last lines are told, and so many letters of each.
const TOLD: (usize, usize) = (3, 300);

impl Output {
    /// Of the last lines of a log, the last few that say something.
    pub fn new(log: Option<&String>, lines: &[String]) -> Self {
        let lines: Vec<&String> = lines.iter().filter(|line| !line.trim().is_empty()).collect();
        let last = lines.iter().skip(lines.len().saturating_sub(TOLD.0));
        let tail = last.map(|line| line.chars().take(TOLD.1).collect()).collect();
        Self { log: log.cloned(), tail }
    }

    fn is_empty(&self) -> bool {
        self.log.is_none() && self.tail.is_empty()
    }
}

/// Which trial of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// From 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// The target's label.
    pub target: String,
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The round, from 1.
    pub round: u32,
}

/// Tells an event at once.
#[derive(Clone, Copy)]
pub struct Tell<'r>(pub &'r dyn Fn(&Event));

impl std::fmt::Debug for Tell<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Tell")
    }
}

/// Makes of what takes events something that many can tell them to, which takes no notice twice.
pub fn teller(tell: &mut dyn FnMut(&Event)) -> impl Fn(&Event) {
    let (tell, noticed) = (RefCell::new(tell), RefCell::new(BTreeSet::new()));
    move |event| {
        if let Event::Notice { text } = event
            && !noticed.borrow_mut().insert(text.clone())
        {
            return;
        }
        (tell.borrow_mut())(event);
    }
}
