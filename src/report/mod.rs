//! From the records of a run to what people read: a summary, then tables, then text in several formats.
//!
//! Pure: made from what is on disk, without a clock, and without starting anything. Reading order: [`summarise`] joins
//! the trials of each row into figures, [`select`] takes the tables that are wanted, [`layout`] chooses
//! [columns](mod@column) and words, and each format is a file of its own; [`svg`] draws charts, and [`html`] puts all on a page.
//! [`history`](mod@history) does the same for many runs.

mod audit;
pub mod classic;
pub mod column;
pub mod compared;
pub mod conformance;
pub mod csv;
#[cfg(test)]
mod damaged;
pub mod doctor;
pub mod escape;
#[cfg(test)]
mod fixture;
pub mod history;
pub mod html;
pub mod layout;
pub mod listing;
pub mod load;
pub mod markdown;
mod middle;
#[cfg(test)]
mod names;
pub mod noise;
mod notes;
mod order;
mod provenance;
mod ranking;
pub mod readme;
pub mod select;
mod sentence;
mod service;
pub mod summarise;
pub mod svg;
pub mod table;
mod versus;
