//! What held a cell back, and what is to be doubted: pure functions of records, one file a kind.
//!
//! Apart from trials, [`machine`] judges what they would be measured on.
//!
//! A trial's doubts come from its own record alone. A row bears a doubt when over a third of its measured trials do, and
//! some doubts exist only between trials or rows.

use crate::record::measured::Measured;
use crate::record::trial::Caveat;

pub mod audit;
mod backlog;
mod client_bound;
mod delayed_ack;
mod drift;
mod errors;
mod late;
pub mod limit;
mod logs;
pub mod machine;
pub mod metric;
mod noisy_host;
mod not_steady;
pub mod order;
pub mod other_session;
mod ports;
mod rate_not_met;
mod reconnects;
pub mod row;
mod shared_cpus;
mod throttled;
pub mod too_few;
mod too_short;
pub mod unequal_response;

/// What a judge must know of a load besides what was measured.
#[derive(Debug, Clone, Copy)]
pub struct LoadSetting {
    /// Whether connections are meant to be used again.
    pub keeps_alive: bool,
    /// Whether it ends after so many requests, and not after a time.
    pub is_counted: bool,
    /// Connections at once.
    pub connections: u64,
    /// How many local ports there are for connections.
    pub local_ports: u64,
}

/// What a judge must know of a trial besides its record.
#[derive(Debug, Clone, Copy)]
pub struct TrialSetting<'t> {
    /// Whether server and generator were put on one CPU.
    pub is_shared: bool,
    /// The CPUs of the generator.
    pub generator_cpus: &'t [usize],
    /// Whether they have siblings of one core.
    pub is_core_shared: bool,
    /// Whether the warm-up ended only because it had to.
    pub is_unsteady: bool,
    /// How long it was.
    pub warm_up_seconds: f64,
}

/// Doubts that the load alone gives rise to, its limit being known.
pub fn load_caveats(measured: &Measured, setting: &LoadSetting) -> Vec<Caveat> {
    [
        client_bound::judge(measured),
        errors::judge(measured),
        rate_not_met::judge(measured),
        too_short::judge(measured, setting),
        drift::judge(measured),
        too_few::judge(measured),
        backlog::judge(measured),
        ports::judge(measured, setting),
        delayed_ack::judge(measured),
        reconnects::judge(measured, setting),
        late::judge(measured),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Doubts about a trial that only its setting, or the server's side, gives rise to.
pub fn trial_caveats(measured: &Measured, setting: &TrialSetting<'_>) -> Vec<Caveat> {
    [
        not_steady::judge(setting),
        shared_cpus::judge(measured, setting),
        throttled::judge(measured),
        noisy_host::judge(measured),
        logs::judge(measured),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod fixture {
    use super::{LoadSetting, TrialSetting};

    /// A trial that nothing is to be said against.
    pub(super) const SOUND: TrialSetting<'_> = TrialSetting {
        generator_cpus: &[1],
        is_shared: false,
        is_core_shared: false,
        is_unsteady: false,
        warm_up_seconds: 2.0,
    };

    /// An ordinary load.
    pub(super) const ORDINARY: LoadSetting =
        LoadSetting { keeps_alive: true, is_counted: false, connections: 64, local_ports: 28_000 };
}
