//! Arithmetic of the tables: pure functions of numbers, each with the source of its formula.

pub mod blocks;
pub mod bound;
pub mod change_point;
pub mod comparison;
pub mod geometric;
pub mod holm;
pub mod median;
pub mod outlier;
pub mod ranks;
pub mod rounds;
#[cfg(test)]
mod simulation;
pub mod student;
pub mod trend;
pub mod welch;
