//! placeholder
pub mod http;
