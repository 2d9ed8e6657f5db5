//! What of the generator is Linux's own, and what stands for it on macOS: a fine timer, bytes that are thrown away, local ports.

#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(
    target_os = "linux",
    allow(dead_code, unreachable_pub, reason = "tests alone look at it here")
)]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::*;
#[cfg(target_os = "linux")]
pub(super) use linux::*;
