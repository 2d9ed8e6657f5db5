//! Which changes are worth an alarm, so that each raises one and no more.
//!
//! An alarm is for a change for the worse, of a figure that decides, that lasts and that nobody has accepted. It is raised in the history of
//! the run that confirmed it, and as often as that is asked for again without a further run: a job that is tried again fails
//! again. From the next run on it is known, and raised no more. Where nobody keeps what is remembered, it is raised until it is accepted.

use super::found::{Found, Standing};
use super::{History, Run};
use crate::record::changes::{Changes, Known};

/// From which standing on there is an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// Also of what the newest run alone shows.
    Suspected,
    /// Of what was seen more than once.
    Confirmed,
}

/// The changes that an alarm is to be raised for.
pub fn raised<'h>(history: &'h History, memory: &Changes, from: From) -> Vec<Found<'h>> {
    let newest = history.newest().map(|run| run.id.as_str());
    let is_news = |found: &Found<'_>| match found.standing(memory) {
        // There is no run after the one that shows it.
        Standing::Suspected => from == From::Suspected && Some(found.since().id.as_str()) == newest,
        Standing::Confirmed => !found
            .known(memory)
            .any(|known| known.told.is_some() && known.told.as_deref() != newest),
        Standing::Accepted | Standing::Recovered => false,
    };
    let found = history.found();
    found.filter(|it| it.line.metric.decides && it.is_worse() && is_news(it)).collect()
}

/// What is to be remembered once these alarms were raised.
pub fn remember_told(memory: &Changes, raised: &[Found<'_>], newest: &Run) -> Changes {
    let confirmed = raised.iter().filter(|found| found.change.confirmed.is_some());
    confirmed.fold(memory.clone(), |memory, found| {
        remember(memory, found, newest, |known| {
            known.told.get_or_insert_with(|| newest.id.clone());
        })
    })
}

/// What is to be remembered once these changes were accepted.
pub fn remember_accepted(memory: &Changes, accepted: &[Found<'_>], newest: &Run) -> Changes {
    accepted.iter().fold(memory.clone(), |memory, found| {
        remember(memory, found, newest, |known| known.accepted = Some(newest.id.clone()))
    })
}

fn remember(
    mut memory: Changes,
    found: &Found<'_>,
    newest: &Run,
    set: impl FnOnce(&mut Known),
) -> Changes {
    let through = found.confirmed_by().unwrap_or(newest).id.clone();
    let same = found.known(&memory).next().cloned();
    let place = memory.changes.iter().position(|known| Some(known) == same.as_ref());
    let place = place.unwrap_or_else(|| {
        memory.changes.push(Known {
            workload: found.line.workload.clone(),
            load: found.line.load.clone(),
            target: found.line.target.clone(),
            metric: found.line.metric.name.to_owned(),
            since: found.since().id.clone(),
            through,
            told: None,
            accepted: None,
        });
        memory.changes.len() - 1
    });
    set(&mut memory.changes[place]);
    memory
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{history, id, night, row};
    use super::*;
    use crate::record::outline::Outline;

    /// Nights of two rows: one steady, one at these levels of right answers, in percent, with a cpu that follows.
    fn nights(levels: &[f64]) -> Vec<Outline> {
        let about = [0.4, -0.9, 0.7, -0.2, 0.9, -0.6, 0.1, -0.4];
        (1..)
            .zip(levels.iter().zip(about.into_iter().cycle()))
            .map(|(at, (level, about))| {
                let steady = row("go/steady", (about / 100.0) - 1.0, 1.0 - about / 200.0);
                let moving = row("go/moving", (level + about) / 100.0, 1.0);
                night(at, 1.0, vec![steady, moving])
            })
            .collect()
    }

    fn levels(parts: &[(usize, f64)]) -> Vec<f64> {
        parts.iter().flat_map(|(count, level)| std::iter::repeat_n(*level, *count)).collect()
    }

    /// What is told in the history of each night, with what was told before; what happens to memory after a night is up to `after`.
    fn alarms(
        outlines: &[Outline],
        from: From,
        after: impl Fn(usize, &History, Changes) -> Changes,
    ) -> Vec<(usize, String, bool)> {
        let mut memory = Changes::default();
        let mut alarms = Vec::new();
        for at in 1..=outlines.len() {
            let history = history(&outlines[..at]);
            let found = raised(&history, &memory, from);
            alarms.extend(
                found
                    .iter()
                    .map(|found| (at, found.line.target.clone(), found.change.confirmed.is_some())),
            );
            let told = remember_told(&memory, &found, history.newest().expect("a run"));
            memory = after(at, &history, told);
        }
        alarms
    }

    fn kept(_: usize, _: &History, memory: Changes) -> Changes {
        memory
    }

    fn moving(at: usize, is_confirmed: bool) -> (usize, String, bool) {
        (at, "go/moving".to_owned(), is_confirmed)
    }

    #[test]
    fn a_regression_is_told_once_and_an_improvement_never() {
        let down = nights(&levels(&[(16, 0.0), (10, -9.0)]));
        assert_eq!(alarms(&down, From::Confirmed, kept), [moving(18, true)]);
        assert_eq!(alarms(&down, From::Suspected, kept), [moving(17, false), moving(18, true)]);
        let up = nights(&levels(&[(16, 0.0), (10, 9.0)]));
        assert_eq!(alarms(&up, From::Suspected, kept), []);
    }

    #[test]
    fn a_second_regression_is_told_for_itself() {
        let down = nights(&levels(&[(16, 0.0), (8, -9.0), (4, -18.0)]));
        assert_eq!(alarms(&down, From::Confirmed, kept), [moving(18, true), moving(26, true)]);
    }

    #[test]
    fn where_nothing_is_remembered_it_is_told_until_it_is_accepted_or_gone() {
        let down = nights(&levels(&[(16, 0.0), (4, -9.0), (4, 0.0)]));
        let forgotten = |_: usize, _: &History, _: Changes| Changes::default();
        let told: Vec<usize> =
            alarms(&down, From::Confirmed, forgotten).iter().map(|(at, ..)| *at).collect();
        // With the night that confirmed that the old level is back it is no more.
        assert_eq!(told, [18, 19, 20, 21]);
    }

    #[test]
    fn what_was_accepted_is_told_no_more_and_what_comes_after_it_is() {
        let down = nights(&levels(&[(16, 0.0), (8, -9.0), (4, -18.0)]));
        let accept = |night: usize| {
            move |at: usize, history: &History, _: Changes| {
                if at < night {
                    return Changes::default();
                }
                // What is accepted each night is what the first was: all that was open then.
                let found: Vec<Found<'_>> = history
                    .found()
                    .filter(|it| {
                        it.is_worse() && it.since().id <= id(u32::try_from(night).expect("few"))
                    })
                    .collect();
                remember_accepted(&Changes::default(), &found, history.newest().expect("a run"))
            }
        };
        let told = |night| -> Vec<usize> {
            alarms(&down, From::Confirmed, accept(night)).iter().map(|(at, ..)| *at).collect()
        };
        assert_eq!(told(20), [18, 19, 20, 26, 27, 28]);
        // As soon as it is suspected.
        assert_eq!(told(17), [26, 27, 28]);
    }

    #[test]
    fn a_second_regression_between_the_first_one_and_its_confirmation_is_told_for_itself() {
        let down = nights(&levels(&[(16, 0.0), (8, -9.0), (4, -18.0)]));
        let whole = history(&down);
        let newest = whole.newest().expect("a run");
        let second = |memory: &Changes| {
            let found = whole.found().find(|it| it.since().id == id(25));
            found.expect("a change").standing(memory)
        };
        let told = |accepted: Option<String>| Changes {
            changes: vec![Known {
                workload: "hello".to_owned(),
                load: "c64".to_owned(),
                target: "go/moving".to_owned(),
                metric: "goodput".to_owned(),
                // As the algorithm confirms what is slow to be seen.
                since: id(17),
                through: id(27),
                told: Some(id(27)),
                accepted,
            }],
            ..Changes::default()
        };
        let raised_since = |memory: &Changes| -> Vec<String> {
            let raised = raised(&whole, memory, From::Confirmed);
            raised.iter().map(|found| found.since().id.clone()).collect()
        };
        assert_eq!(raised_since(&told(None)), [id(25)]);
        assert_eq!(second(&told(Some(newest.id.clone()))), Standing::Confirmed);
    }

    #[test]
    fn what_recovered_and_came_back_is_a_regression_of_its_own_and_the_first_stays_recovered() {
        let down = nights(&levels(&[(16, 0.0), (6, -9.0), (6, 0.0), (6, -9.0)]));
        let whole = history(&down);
        let worse = whole.found().filter(|it| it.is_worse() && it.line.metric.name == "goodput");
        let standings: Vec<Standing> = worse.map(|it| it.standing(&Changes::default())).collect();
        assert_eq!(standings, [Standing::Recovered, Standing::Confirmed]);
    }

    #[test]
    fn an_entry_is_made_once_and_holds_what_was_told_and_accepted() {
        let down = nights(&levels(&[(16, 0.0), (4, -9.0)]));
        let history = history(&down);
        let newest = history.newest().expect("a run");
        let found = raised(&history, &Changes::default(), From::Confirmed);
        let told = remember_told(&Changes::default(), &found, newest);
        let both = remember_accepted(&told, &found, newest);
        let [known] = &both.changes[..] else { panic!("{both:?}") };
        assert_eq!((known.since.clone(), known.through.clone()), (id(17), id(18)));
        assert_eq!((known.told.clone(), known.accepted.clone()), (Some(id(20)), Some(id(20))));
        assert_eq!(found[0].standing(&told), Standing::Confirmed);
        assert_eq!(found[0].standing(&both), Standing::Accepted);
        assert_eq!(found[0].times_seen(), 4);
    }
}
