//! The tests that start processes and open sockets: one binary, against a fixture that misbehaves on request.

mod accounting;
mod bad_input;
mod builds;
mod caveats;
mod command_line;
mod conformance;
mod containment;
mod doctor;
mod failures;
mod hidden;
mod hiding;
mod host;
mod interruption;
mod kills;
mod languages;
mod levels;
mod load;
mod noise;
mod ports;
mod readme;
mod reports;
mod runs;
mod services;
mod support;
mod usage_truth;
