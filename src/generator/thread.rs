//! A thread of the generator: its share of the load, its runtime, and its end.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::arrival::{Schedule, Share};
use super::gate::{Gate, Progress};
use super::supply::Supply;
use super::worker::Worker;
use super::{GeneratorError, Job, Spec, Yield, life, pace};
use crate::affinity;
use crate::clock::Instant;

/// How often a thread looks at the gate and at deadlines.
const LOOK: Duration = Duration::from_millis(10);
/// Descriptors that we need besides connections.
const OTHER_FILES: u64 = 256;

/// One thread's share of the load.
pub(super) struct Order {
    slots: usize,
    supply: Share,
    schedule: Option<Schedule>,
    quota: Option<u64>,
    seed: u64,
}

/// Raises the limit of open files as far as `connections` need it.
pub(super) fn allow_open_files(connections: u64) -> Result<(), GeneratorError> {
    let wanted = connections + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let allowed = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    match allowed {
        Some(allowed) if allowed < wanted => {
            Err(GeneratorError::OpenFiles { wanted: connections, allowed })
        }
        _ => Ok(()),
    }
}

/// Shares the load out: whole slots, whole requests, every T-th instant of the schedule.
pub(super) fn orders(spec: &Spec, slots: usize, threads: usize, start: Instant) -> Vec<Order> {
    (0..threads)
        .map(|index| {
            let share = Share { index, threads };
            Order {
                slots: usize::try_from(part_of(slots as u64, share)).expect("a part of slots"),
                supply: share,
                schedule: Schedule::new(spec.arrival, spec.seed, start, share),
                quota: spec.requests.map(|requests| part_of(requests, share)),
                seed: spec.seed.wrapping_add(index as u64),
            }
        })
        .collect()
}

/// A fair part of `whole`; the parts of all threads add up to it.
fn part_of(whole: u64, share: Share) -> u64 {
    let (index, threads) = (share.index as u64, share.threads as u64);
    whole / threads + u64::from(index < whole % threads)
}

/// Starts a thread, on `cpu` if there is one for it and it may run there alone.
pub(super) fn spawn(
    job: Arc<Job>,
    order: Order,
    cpu: Option<usize>,
    meeting: (Arc<Gate>, Arc<Progress>),
) -> io::Result<JoinHandle<io::Result<Yield>>> {
    Builder::new().name(format!("load-{}", order.supply.index)).spawn(move || {
        meeting.1.is_of_this_thread();
        if let Some(cpu) = cpu {
            // Where that is not allowed it runs anywhere, which the caller says.
            let _ = affinity::pin_current_thread(&[cpu]);
        }
        run(job, order, meeting)
    })
}

thread_local! {
    /// How often the thread has woken up from waiting for its sockets.
    static WAKE_UPS: Cell<u64> = const { Cell::new(0) };
}

/// How often the calling thread has woken up.
pub(super) fn wake_ups() -> u64 {
    WAKE_UPS.get()
}

fn run(job: Arc<Job>, order: Order, meeting: (Arc<Gate>, Arc<Progress>)) -> io::Result<Yield> {
    let supply = match (order.schedule, order.quota) {
        (Some(schedule), _) => Supply::Paced(RefCell::new(schedule)),
        (None, Some(quota)) => Supply::Quota(Cell::new(quota)),
        (None, None) => Supply::Endless,
    };
    let worker = Rc::new(Worker::new(job, supply, order.slots, order.seed, meeting));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .on_thread_unpark(|| WAKE_UPS.set(WAKE_UPS.get() + 1))
        .build_local(tokio::runtime::LocalOptions::default())?;
    let watched = Rc::clone(&worker);
    let outcome = runtime.block_on(async move {
        watched.look_around();
        for index in 0..watched.slots.len() {
            tokio::task::spawn_local(life::run(Rc::clone(&watched), index));
        }
        let pacer = watched.supply.is_paced().then(|| {
            let worker = Rc::clone(&watched);
            tokio::task::spawn_local(async move { pace::keep(&worker).await })
        });
        watch(&watched, pacer).await
    });
    // The window has closed: every connection goes with its task.
    drop(runtime);
    outcome?;
    let worker = Rc::into_inner(worker).expect("every task has ended with the runtime");
    Ok(worker.into_yield())
}

/// Looks around from time to time until all is over.
async fn watch(
    worker: &Worker,
    pacer: Option<tokio::task::JoinHandle<io::Result<()>>>,
) -> io::Result<()> {
    loop {
        worker.look_around();
        if worker.is_over() {
            return Ok(());
        }
        if pacer.as_ref().is_some_and(|pacer| pacer.is_finished() && worker.due().is_some()) {
            return Err(io::Error::other("the timer of a paced load failed"));
        }
        let until_edge = worker.edge().remaining();
        tokio::time::sleep(LOOK.min(until_edge)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole_and_differ_by_one_at_most() {
        for whole in [1, 2, 63, 64, 65, 1000] {
            for threads in 1..9 {
                let parts: Vec<u64> =
                    (0..threads).map(|index| part_of(whole, Share { index, threads })).collect();
                assert_eq!(parts.iter().sum::<u64>(), whole);
                assert!(parts.iter().max().unwrap() - parts.iter().min().unwrap() <= 1);
            }
        }
    }
}
