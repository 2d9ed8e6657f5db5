//! How much CPU and memory a server's tree uses.
//!
//! A figure that cannot be read is absent, with its reason; it is never zero. Not here: starting and ending the tree;
//! that is `target`. This folder is, with `host`, the only user of sysinfo.

pub mod reading;
pub mod sampler;
pub mod tree;
