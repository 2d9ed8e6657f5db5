//! The tests that start processes and open sockets: one binary, against a fixture that misbehaves on request.

mod accounting;
mod bad_input;
mod builds;
mod caveats;
mod command_line;
mod conformance;
mod containment;
mod failures;
mod host;
mod interruption;
mod languages;
mod levels;
mod load;
mod made_up;
mod page;
mod readme;
mod reports;
mod runs;
mod services;
mod support;
