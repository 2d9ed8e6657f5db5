//! Rows that join others in the same rounds: a target as it is, and as it was.

use super::{Cell, Plan, duration_of, trials};
use crate::matrix::Matrix;

impl Plan {
    /// The same plan with one row more for each of a target that has an earlier one, by the places of both in the matrix; they
    /// go through the same rounds, in an order that is drawn anew. It is not what the matrix asks for.
    #[must_use]
    pub fn joined(mut self, matrix: &Matrix, pairs: &[(usize, usize)], word: String) -> Self {
        let offers =
            |cell: &Cell| matrix.targets[cell.target].offers(&matrix.workloads[cell.workload].name);
        let earlier = |cell: &Cell| {
            let pair = pairs.iter().find(|(own, _)| *own == cell.target);
            pair.map(|(_, earlier)| Cell { target: *earlier, ..*cell })
        };
        let mut cells = Vec::with_capacity(2 * self.cells.len());
        for cell in &self.cells {
            cells.push(*cell);
            if let Some(earlier) = earlier(cell) {
                if offers(&earlier) { cells.push(earlier) } else { self.not_offered.push(earlier) }
            }
        }
        self.cells = cells;
        let rounds = matrix.run.rounds as usize;
        self.trials = trials(matrix, &self.cells, self.seed);
        self.further = self.trials.split_off(self.cells.len() * rounds);
        self.estimate = self.trials.iter().map(|it| duration_of(matrix, it.cell)).sum();
        self.overrides.push(word);
        self.is_partial = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::Matrix;
    use crate::plan::{Overrides, Plan, Selection};

    fn matrix() -> Matrix {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        let text = "[run]\nrounds = 3\nseed = 11\n[[workload]]\nname = 'root'\n[[workload]]\nname = 'file'\npath = '/file'\n\
                    [[target]]\nname = 'a'\ncommand = 'a'\n[[target]]\nname = 'b'\ncommand = 'b'\n";
        std::fs::write(&path, text).expect("a file");
        crate::matrix::read(&path, None).expect("a matrix without problems")
    }

    #[test]
    fn an_earlier_target_has_a_row_beside_its_own_in_every_round_where_it_offers_what_is_asked() {
        let mut matrix = matrix();
        let plan = Plan::new(&matrix, &Selection::default(), Overrides::default(), 1);
        let mut earlier = matrix.targets[0].clone();
        earlier.name = "a@v1".to_owned();
        earlier.workloads = Some(vec!["root".to_owned()]);
        matrix.targets.push(earlier);
        let plan = plan.expect("cells").joined(&matrix, &[(0, 2)], "--against v1".to_owned());
        let labels: Vec<String> = plan.cells.iter().map(|cell| cell.label(&matrix)).collect();
        assert_eq!(labels, ["a", "a@v1", "b", "a", "b"]);
        assert_eq!(plan.not_offered.len(), 1);
        assert_eq!((plan.trials.len(), plan.further.len(), plan.is_partial), (15, 0, true));
        for round in 1..=3 {
            let of_round = plan.trials.iter().filter(|trial| trial.round == round);
            let earlier = of_round.filter(|trial| trial.cell.target == 2);
            assert_eq!(earlier.count(), 1);
        }
        assert_eq!(plan.overrides, ["--against v1"]);
    }
}
