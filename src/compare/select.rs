//! Which rows of a comparison are wanted. All were looked at together: what is shown changes no verdict.

use super::{Comparison, Row, Table};
use crate::matrix::choice::{Choice, NoRow};

impl Comparison {
    /// Leaves the rows that are wanted.
    ///
    /// # Errors
    /// If there is none, with the names there are of the first kind that nothing matches.
    pub fn select(mut self, choice: &Choice) -> Result<Self, NoRow> {
        let name = |table: &Table, row: &Row| {
            [row.target.clone(), table.workload.clone(), table.load.clone()]
        };
        let names =
            self.tables.iter().flat_map(|table| table.rows.iter().map(|row| name(table, row)));
        let wanted = choice.of(names.collect(), "comparison", <[String; 3]>::each_ref)?;
        for table in &mut self.tables {
            let rows = std::mem::take(&mut table.rows);
            let is_wanted = |row: &Row| wanted.contains(&name(table, row));
            table.rows = rows.into_iter().filter(is_wanted).collect();
        }
        self.tables.retain(|table| !table.rows.is_empty());
        Ok(self)
    }
}
