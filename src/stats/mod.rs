//! Arithmetic of the tables: pure functions of numbers, each with the source of its formula.

pub mod geometric;
pub mod student;
pub mod trend;
