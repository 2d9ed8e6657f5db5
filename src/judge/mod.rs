//! What held a cell back, and what is to be doubted: pure functions of records, one file a kind.
//!
//! A trial's doubts come from its own record alone. A row bears a doubt when over a third of its measured trials do, and
//! some doubts exist only between trials or rows.

use crate::record::measured::Measured;
use crate::record::trial::Caveat;

mod client_bound;
mod errors;
pub mod limit;
mod logs;
mod not_steady;
mod reconnects;
pub mod row;
mod shared_cpus;
mod too_short;
pub mod unequal_response;

/// What a judge must know of a trial besides its record.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each for a judge of its own")]
pub struct Setting {
    /// Whether server and generator may run on one CPU.
    pub is_shared: bool,
    /// Whether they have siblings of one core.
    pub is_core_shared: bool,
    /// Whether connections are meant to be used again.
    pub keeps_alive: bool,
    /// Whether the warm-up ended only because it had to.
    pub is_unsteady: bool,
    /// How long it was.
    pub warm_up_seconds: f64,
}

/// All doubts about a trial that was measured, its limit being known.
pub fn caveats(measured: &Measured, setting: &Setting) -> Vec<Caveat> {
    [
        client_bound::judge(measured),
        errors::judge(measured),
        too_short::judge(measured),
        not_steady::judge(setting),
        shared_cpus::judge(setting),
        reconnects::judge(measured, setting),
        logs::judge(measured),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod fixture {
    use super::Setting;

    /// A trial that nothing is to be said against.
    pub(super) const SOUND: Setting = Setting {
        is_shared: false,
        is_core_shared: false,
        keeps_alive: true,
        is_unsteady: false,
        warm_up_seconds: 2.0,
    };
}
