//! How much CPU and memory a server's tree uses.
//!
//! A figure that cannot be read is absent, with its reason; it is never zero. Reading order: [`tree`], [`reading`] with
//! `ledger`, `memory`, `looker`, [`sampler`], [`used`]. Not here: starting and ending the tree; that is `target`. This
//! folder is, with `host`, the only user of sysinfo.

mod ledger;
mod looker;
mod memory;
pub mod reading;
pub mod sampler;
pub mod tree;
pub mod used;

/// A figure, or why there is none.
type Told<T> = Result<T, String>;

/// The sum over those processes that are still there.
///
/// # Errors
/// If there is none, or why one that is there does not tell.
fn total<T: std::ops::Add<Output = T>>(pids: &[u32], of: impl Fn(u32) -> Told<T>) -> Told<T> {
    let mut sum: Option<T> = None;
    for pid in pids {
        match of(*pid) {
            Ok(figure) => {
                sum = Some(match sum {
                    Some(sum) => sum + figure,
                    None => figure,
                });
            }
            Err(reason) => {
                if crate::processes::find(*pid).is_some_and(|process| !process.is_zombie) {
                    return Err(reason);
                }
            }
        }
    }
    sum.ok_or_else(|| NOBODY.to_owned())
}

/// Why nothing is told of the threads of a tree.
fn no_thread() -> String {
    crate::processes::THREADS_UNTOLD.unwrap_or(NOBODY).to_owned()
}

/// Why nothing is told of a tree that has ended, or that is hidden from us as a whole.
const NOBODY: &str = "no process of it could be read";
