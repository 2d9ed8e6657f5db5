//! The tests that start processes and open sockets: one binary, against a fixture that misbehaves on request.

mod accounting;
mod levels;
mod support;
