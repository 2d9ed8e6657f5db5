//! One server program: its tools, its build, its process tree, and when it is ready.
//!
//! A server runs below two processes of our own binary: the *keeper* owns the tree and never outlives us, and the
//! *launcher* becomes the server. What happens to a target comes back as a value, never as an error of ours.
//! Not here: how much CPU and memory it uses; that is `usage`.

pub mod build;
pub mod command;
mod ending;
pub mod git;
mod group;
pub mod keeper;
pub mod launch;
pub mod leftover;
mod listening;
pub mod log;
pub mod mark;
mod order;
mod orphans;
mod pipe;
pub mod port;
pub mod provision;
pub mod ready;
mod reaper;
pub mod rehearsal;
mod run;
pub mod server;
mod settle;
pub mod steps;
pub mod sweep;
mod system;
mod tie;
pub mod versions;

pub use listening::{Holder, holders};
pub use order::{Exit, Stopped};
