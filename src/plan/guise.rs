//! Guises: one cell as several rows, to see what differs between them although nothing of the target does.
//!
//! Rows of one cell in several guises go through the same rounds as rows of several targets do, and are compared as those
//! are. A guise is a variant of the target's by another name: it changes how the target is measured, and nothing of it.

use super::{Cell, Plan, trials};
use crate::matrix::{Matrix, Target};

/// How a target is measured in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guise {
    /// As always.
    #[default]
    Itself,
    /// Once more, as always, under another name.
    Again,
    /// Without the sampler: nobody looks at its tree while the window is open.
    Unsampled,
}

impl Guise {
    /// Whether the sampler looks at it within the window.
    pub fn is_sampled(self) -> bool {
        match self {
            Self::Itself | Self::Again => true,
            Self::Unsampled => false,
        }
    }

    /// The variant that stands for it in the name of its row.
    pub fn variant(self, of: &Target) -> Option<String> {
        let own = match self {
            Self::Itself => return of.variant.clone(),
            Self::Again => "again",
            Self::Unsampled => "sampler-off",
        };
        Some(of.variant.as_ref().map_or(own.to_owned(), |variant| format!("{variant}+{own}")))
    }
}

impl Cell {
    /// The name of its row: the target's, with its variant and its guise.
    pub fn label(&self, matrix: &Matrix) -> String {
        let target = &matrix.targets[self.target];
        match self.guise.variant(target) {
            Some(variant) => format!("{}+{variant}", target.name),
            None => target.name.clone(),
        }
    }
}

impl Plan {
    /// The same rounds for the first cell alone, once in each guise. It is less than the matrix asks for.
    ///
    /// # Panics
    /// If the plan has no cell.
    #[must_use]
    pub fn in_guises(mut self, matrix: &Matrix, guises: &[Guise]) -> Self {
        let first = self.cells[0];
        self.cells = guises.iter().map(|&guise| Cell { guise, ..first }).collect();
        self.not_offered.clear();
        let rounds = matrix.run.rounds as usize;
        self.trials = trials(matrix, &self.cells, self.seed);
        self.further = self.trials.split_off(self.cells.len() * rounds);
        self.is_partial = true;
        self.estimate = self.trials.iter().map(|it| super::duration_of(matrix, it.cell)).sum();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Overrides, Selection};

    fn matrix(rest: &str) -> Matrix {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        let text = format!(
            "[run]\nrounds = 9\nseed = 11\n[[load]]\nname = 'c1'\nconnections = 1\n\
             [[load]]\nname = 'c8'\nconnections = 8\n{rest}[[target]]\nname = 'b'\ncommand = 'b'\n"
        );
        std::fs::write(&path, text).expect("a file");
        crate::matrix::read(&path, None).expect("a matrix without problems")
    }

    fn plan(matrix: &Matrix) -> Plan {
        let whole = Plan::new(matrix, &Selection::default(), Overrides::default(), 1);
        whole.expect("cells").in_guises(matrix, &[Guise::Itself, Guise::Unsampled])
    }

    #[test]
    fn the_first_cell_is_measured_once_a_round_in_each_guise_and_in_an_order_that_changes() {
        let matrix = matrix("[[target]]\nname = 'a'\ncommand = 'a'\n");
        let plan = plan(&matrix);
        let labels: Vec<String> = plan.cells.iter().map(|cell| cell.label(&matrix)).collect();
        assert_eq!(labels, ["a", "a+sampler-off"]);
        assert_eq!((plan.tables().len(), plan.trials.len(), plan.is_partial), (1, 18, true));
        let first = |round: u32| {
            let of_round: Vec<Guise> = plan
                .trials
                .iter()
                .filter(|trial| trial.round == round)
                .map(|trial| trial.cell.guise)
                .collect();
            assert!(matches!(
                of_round[..],
                [Guise::Itself, Guise::Unsampled] | [Guise::Unsampled, Guise::Itself]
            ));
            of_round[0]
        };
        let firsts: Vec<Guise> = (1..=9).map(first).collect();
        assert!(firsts.contains(&Guise::Itself) && firsts.contains(&Guise::Unsampled));
        assert_eq!(plan.estimate, super::super::duration_of(&matrix, plan.cells[0]) * 18);
    }

    #[test]
    fn a_guise_of_a_variant_keeps_its_name() {
        let matrix = matrix(
            "[[target]]\nname = 'a'\ncommand = 'a'\nvariants = ['one']\n[target.variant.one]\nenv = { N = '1' }\n",
        );
        let at = matrix.targets.iter().position(|target| target.variant.is_some());
        let target = at.expect("a variant");
        let cell = Cell { workload: 0, load: 0, target, guise: Guise::Unsampled };
        assert_eq!(cell.label(&matrix), "a+one+sampler-off");
        assert_eq!(Cell { guise: Guise::Itself, ..cell }.label(&matrix), "a+one");
    }
}
