//! Are more rounds worth their time? As long as some interval is wider than the smallest difference that matters. Where an
//! interval lies is not looked at: who stops when a difference shows finds one sooner or later.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::metric::Metric;
use crate::judge::row;
use crate::matrix::Matrix;
use crate::outcome::{Doubt, Kind as _};
use crate::plan::{Cell, Trial};
use crate::record::trial::TrialRecord;
use crate::stats::comparison::Comparison;
use crate::stats::rounds;

/// The points of all cells so far, by round.
#[derive(Debug, Default)]
pub(super) struct Points {
    seen: BTreeSet<Cell>,
    of: BTreeMap<Cell, Row>,
}

/// What is known of a cell.
#[derive(Debug, Default)]
struct Row {
    points: rounds::Points,
    measured: BTreeMap<u32, Seen>,
}

/// What makes a trial doubtful.
#[derive(Debug)]
struct Seen {
    doubts: Vec<Doubt>,
    /// Whether it had no right answer at all.
    is_void: bool,
}

impl Row {
    /// Whether more points would tell more of it: it is ranked, and what is ranked is no bound, which they would not settle.
    fn is_worth_more(&self, metric: Metric) -> bool {
        let is_barred = Doubt::ALL.iter().any(|it| it.bars_from_ranking() && self.bears(*it));
        !is_barred && (metric.bound.is_none() || !self.bears(Doubt::ClientBound))
    }

    /// Whether it bears a doubt, as a row of a table would.
    fn bears(&self, doubt: Doubt) -> bool {
        let bearing = self.measured.values().filter(|seen| seen.doubts.contains(&doubt)).count();
        let has_void = self.measured.values().any(|seen| seen.is_void);
        row::bears(doubt, bearing, self.measured.len(), has_void)
    }
}

impl Points {
    /// Whether a trial of a cell was taken note of.
    pub(super) fn has(&self, cell: Cell) -> bool {
        self.seen.contains(&cell)
    }

    /// Takes note of a trial that counts.
    pub(super) fn add(&mut self, matrix: &Matrix, trial: &Trial, record: &TrialRecord) {
        self.seen.insert(trial.cell);
        let Some(measured) = record.measured() else { return };
        let doubts = record.caveats.iter().map(|it| it.caveat).collect();
        let row = self.of.entry(trial.cell).or_default();
        row.measured.insert(trial.round, Seen { doubts, is_void: measured.good == 0 });
        if let Some(point) = metric(matrix, trial.cell).of(record) {
            row.points.insert(trial.round, point);
        }
    }

    /// A cell of which the ratio to the reference of its table is wide, with how far its interval reaches to either side, as
    /// a share; the widest of all. Rows without two points in common with the reference would not get any by waiting.
    pub(super) fn widest(&self, matrix: &Matrix) -> Option<(Cell, f64)> {
        let is_reference = |cell: &Cell| cell.label(matrix) == matrix.run.reference;
        let is_worth_more = |(cell, row): &(&Cell, &Row)| row.is_worth_more(metric(matrix, **cell));
        let rows = || self.of.iter().filter(is_worth_more);
        let bases: BTreeMap<(usize, usize), &Row> = rows()
            .filter(|(cell, _)| is_reference(cell))
            .map(|(cell, row)| ((cell.workload, cell.load), row))
            .collect();
        let wide = rows().filter(|(cell, _)| !is_reference(cell)).filter_map(|(cell, row)| {
            let base = bases.get(&(cell.workload, cell.load))?;
            let found = Comparison::of(&rounds::ratios(&row.points, &base.points))?;
            found.is_wide(matrix.run.min_effect).then(|| (*cell, found.half_width().exp_m1()))
        });
        wide.max_by(|one, other| one.1.total_cmp(&other.1))
    }
}

/// What ranks the table of a cell.
fn metric(matrix: &Matrix, cell: Cell) -> Metric {
    Metric::named(&matrix.loads[cell.load].rank_by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Stage;
    use crate::plan::Guise;
    use crate::record::measured::{Measured, ServerUsage};
    use crate::record::trial::{Caveat, Ended, Failed, Place};

    fn matrix(load: &str) -> Matrix {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        let targets = ["a", "b", "c"].map(|it| format!("[[target]]\nname='{it}'\ncommand='it'\n"));
        let text = format!("[run]\nrounds = 3\n[[load]]\nname='c4'\n{load}\n{}", targets.concat());
        std::fs::write(&path, text).expect("a file");
        crate::matrix::read(&path, None).expect("a matrix without problems")
    }

    fn cell(target: usize) -> Cell {
        Cell { workload: 0, load: 0, target, guise: Guise::default() }
    }
    const STEADY: [Option<f64>; 5] =
        [Some(100.0), Some(101.0), Some(99.0), Some(100.0), Some(100.0)];
    const WIDE: [Option<f64>; 5] = [Some(100.0), Some(150.0), Some(90.0), Some(120.0), Some(80.0)];
    const WIDER: [Option<f64>; 5] = [Some(100.0), Some(400.0), Some(50.0), Some(90.0), Some(300.0)];

    /// A target, its right answers per second in each round, and the doubt that its first few trials bear.
    type Measurements = (usize, [Option<f64>; 5], (usize, Doubt));

    /// Five rounds of a target: right answers per second, and none where it failed. The first few trials bear a doubt.
    fn add(
        points: &mut Points,
        matrix: &Matrix,
        target: usize,
        goodputs: [Option<f64>; 5],
        doubts: (usize, Doubt),
    ) {
        for (round, goodput) in (1..).zip(goodputs) {
            let place = Place {
                target: String::new(),
                variant: None,
                workload: String::new(),
                load: String::new(),
                round,
                position: 1,
                attempt: 1,
                session: 1,
            };
            let mut record = TrialRecord::begun(place, String::new());
            record.end(match goodput {
                Some(goodput_per_second) => {
                    let good = u64::from(goodput_per_second > 0.0);
                    let cpu_us_per_request = Some(1e6 / goodput_per_second);
                    let server = ServerUsage { cpu_us_per_request, ..ServerUsage::default() };
                    let server = Some(server);
                    let measured =
                        Measured { good, goodput_per_second, server, ..Measured::default() };
                    Ended::Measured(Box::new(measured))
                }
                None => Ended::Failed(Failed::new(Stage::Window, "it ended")),
            });
            if round as usize <= doubts.0 {
                record.caveats.push(Caveat { caveat: doubts.1, detail: String::new() });
            }
            points.add(matrix, &Trial { cell: cell(target), round, position: 1 }, &record);
        }
    }

    /// The target of the widest interval, where each is measured like that; `a` is the reference.
    fn widest(load: &str, rows: &[Measurements]) -> Option<usize> {
        let (matrix, mut points) = (matrix(load), Points::default());
        for (target, goodputs, doubts) in rows {
            add(&mut points, &matrix, *target, *goodputs, *doubts);
        }
        points.widest(&matrix).map(|(cell, half_width)| {
            assert!(half_width > matrix.run.min_effect, "{half_width}");
            cell.target
        })
    }

    const NO_DOUBT: (usize, Doubt) = (0, Doubt::Late);

    #[test]
    fn the_widest_of_all_rows_is_told_and_none_where_all_are_known_well() {
        let base = (0, STEADY, NO_DOUBT);
        let steady = (1, STEADY, NO_DOUBT);
        assert_eq!(widest("", &[base, steady]), None);
        assert_eq!(widest("", &[base, steady, (2, WIDE, NO_DOUBT)]), Some(2));
        assert_eq!(widest("", &[base, (1, WIDER, NO_DOUBT), (2, WIDE, NO_DOUBT)]), Some(1));
    }

    #[test]
    fn without_a_reference_or_two_rounds_with_it_no_round_is_worth_its_time() {
        let only = |round: usize| {
            let mut goodputs = [None; 5];
            goodputs[round] = Some(100.0);
            goodputs
        };
        assert_eq!(widest("", &[(1, STEADY, NO_DOUBT), (2, WIDE, NO_DOUBT)]), None);
        assert_eq!(widest("", &[(0, only(1), NO_DOUBT), (2, WIDE, NO_DOUBT)]), None);
        assert_eq!(widest("", &[(0, STEADY, NO_DOUBT), (2, only(1), NO_DOUBT)]), None);
        assert_eq!(widest("", &[(0, STEADY, NO_DOUBT)]), None);
        // A gap on either side leaves the other rounds.
        let (mut gap, mut other) = (WIDE, STEADY);
        (gap[1], other[4]) = (None, None);
        assert_eq!(widest("", &[(0, other, NO_DOUBT), (2, gap, NO_DOUBT)]), Some(2));
    }

    #[test]
    fn a_row_that_is_not_ranked_is_worth_no_round_and_one_that_bears_a_doubt_seldom_is() {
        let base = (0, STEADY, NO_DOUBT);
        for (trials, found) in [(0, Some(2)), (1, Some(2)), (2, None), (5, None)] {
            assert_eq!(widest("", &[base, (2, WIDE, (trials, Doubt::Errors))]), found, "{trials}");
            let barred = (0, STEADY, (trials, Doubt::TooShort));
            assert_eq!(widest("", &[barred, (2, WIDE, NO_DOUBT)]), found, "{trials}");
            // Others do not keep it from being ranked.
            assert_eq!(widest("", &[base, (2, WIDE, (trials, Doubt::Late))]), Some(2), "{trials}");
        }
        // A round without a single right answer keeps it out whatever else was measured.
        let mut void = WIDE;
        void[0] = Some(0.0);
        assert_eq!(widest("", &[base, (2, void, (1, Doubt::Errors))]), None);
    }

    #[test]
    fn of_a_bound_more_rounds_settle_nothing() {
        let base = (0, STEADY, NO_DOUBT);
        for (trials, found) in [(1, Some(2)), (2, None), (5, None)] {
            let bound = (trials, Doubt::ClientBound);
            assert_eq!(widest("", &[base, (2, WIDE, bound)]), found, "{trials}");
            assert_eq!(widest("", &[(0, STEADY, bound), (2, WIDE, NO_DOUBT)]), found, "{trials}");
            // What an answer costs is none.
            assert_eq!(widest("rank-by = 'cpu'", &[base, (2, WIDE, bound)]), Some(2), "{trials}");
        }
    }
}
