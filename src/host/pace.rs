//! How steady the server's CPU is, and whether the generator's slows it down: a fixed piece of work, done again and again.
//!
//! Counted in CPU time of the thread that does it, so other programs that take turns with it do not count. What does are
//! clock rates, caches, siblings of one core, and a hypervisor's other guests: also those that nothing tells of.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::record::machine::{Pace, Told};
use crate::{affinity, clock};

/// Turns of the loop in one piece of work: under a millisecond where it is optimised.
const TURNS: u32 = 1 << 18;
/// Pieces that are done in a row.
const PIECES: usize = 5;
/// How often that is done with the other CPU idle, and with it busy, in turns.
const TIMES: usize = 3;

/// Does the work on one CPU, with another idle and busy.
pub(super) fn pace(server: &[usize], generator: &[usize]) -> Told<Pace> {
    let (Some(&here), Some(&there)) = (server.first(), generator.first()) else {
        return Err("there are no CPUs for server and generator".to_owned());
    };
    if here == there {
        return Err("server and generator share a CPU".to_owned());
    }
    let at_work = move || -> Told<(Vec<u64>, Vec<u64>)> {
        pin(here)?;
        let (mut alone, mut beside) = (Vec::new(), Vec::new());
        // The first of all finds its CPU asleep.
        piece();
        for _ in 0..TIMES {
            alone.extend((0..PIECES).map(|_| piece()));
            beside.extend(while_busy(there, || (0..PIECES).map(|_| piece()).collect::<Vec<_>>())?);
        }
        Ok((alone, beside))
    };
    let worker = thread::spawn(at_work);
    let (alone, beside) =
        worker.join().unwrap_or_else(|_| Err("the thread that did it ended early".to_owned()))?;
    told(alone, &beside).ok_or_else(|| "the clock of CPU time stood still".to_owned())
}

/// The work of others on either CPU only ever makes a piece take longer, so the shortest of each sort are compared.
fn told(mut alone: Vec<u64>, beside: &[u64]) -> Option<Pace> {
    alone.sort_unstable();
    let (shortest, long) = (*alone.first()?, alone[alone.len() * 9 / 10]);
    let slowest = *beside.iter().min()?;
    (shortest > 0).then(|| Pace {
        spread: long as f64 / shortest as f64 - 1.0,
        beside: slowest as f64 / shortest as f64,
    })
}

fn pin(cpu: usize) -> Told<()> {
    affinity::pin_current_thread(&[cpu])
        .map_err(|error| format!("a thread cannot be kept on CPU {cpu}: {error}"))
}

/// Does something while a CPU does the same work over and over.
fn while_busy<T>(cpu: usize, doing: impl FnOnce() -> T) -> Told<T> {
    let (has_begun, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            let pinned = pin(cpu);
            has_begun.store(true, Ordering::Release);
            while pinned.is_ok() && !is_over.load(Ordering::Relaxed) {
                work(TURNS / 64);
            }
            pinned
        });
        while !has_begun.load(Ordering::Acquire) {
            thread::yield_now();
        }
        let done = doing();
        is_over.store(true, Ordering::Relaxed);
        let pinned =
            neighbour.join().unwrap_or_else(|_| Err("its neighbour ended early".to_owned()));
        pinned.map(|()| done)
    })
}

/// CPU time of one piece of work, in nanoseconds.
fn piece() -> u64 {
    let began = clock::thread_cpu_nanos();
    work(TURNS);
    clock::thread_cpu_nanos().saturating_sub(began)
}

/// As much as a core can do at once: eight products that do not wait for each other, so that siblings feel it.
fn work(turns: u32) {
    let mut lanes = [3_u64, 5, 7, 11, 13, 17, 19, 23];
    for turn in 0..turns {
        for lane in &mut lanes {
            *lane = lane.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(turn);
        }
    }
    black_box(lanes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_are_compared_and_the_spread_leaves_out_the_longest() {
        let alone = vec![110, 100, 101, 102, 103, 104, 105, 106, 107, 900];
        let pace = told(alone.clone(), &[151, 150, 700]).expect("figures");
        assert!((pace.beside - 1.5).abs() < 1e-12 && (pace.spread - 8.0).abs() < 1e-12, "{pace:?}");
        let pace = told(alone[..9].to_vec(), &[100]).expect("figures");
        assert!((pace.beside - 1.0).abs() < 1e-12 && (pace.spread - 0.1).abs() < 1e-12, "{pace:?}");
        assert_eq!(
            (told(vec![], &[1]), told(vec![0, 1], &[1]), told(vec![1], &[])),
            (None, None, None)
        );
    }

    #[test]
    fn this_machine_works_and_one_cpu_alone_has_no_neighbour() {
        let cpus = affinity::of_current_thread().expect("CPUs");
        assert!(pace(&cpus[..1], &cpus[..1]).is_err() && pace(&[], &cpus).is_err());
        if let [first, .., last] = cpus[..] {
            let pace = pace(&[first], &[last]).expect("it works");
            assert!(pace.beside > 0.0 && pace.spread >= 0.0, "{pace:?}");
        }
        assert!(pace(&cpus[..1], &[usize::MAX]).is_err(), "there is no such CPU");
    }
}
