//! What the program computed for a table, before it is judged.

use std::collections::BTreeMap;

use mb_gallery::Computed;

/// One answer: a value, or why there is none.
pub(crate) type Answer = Result<Computed, String>;

/// The answers to one table, by row, column and formulation.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    values: BTreeMap<(String, String, String), Answer>,
}

impl Answers {
    /// Stores the answer of a column that has one value for each row.
    pub(crate) fn put(&mut self, row: &str, column: &str, answer: Answer) {
        self.put_by(row, column, "", answer);
    }

    /// Stores the answer of one formulation.
    pub(crate) fn put_by(&mut self, row: &str, column: &str, by: &str, answer: Answer) {
        self.values.insert((row.to_owned(), column.to_owned(), by.to_owned()), answer);
    }

    /// The answer, if there is one.
    pub(crate) fn get(&self, row: &str, column: &str, by: &str) -> Option<&Answer> {
        self.values.get(&(row.to_owned(), column.to_owned(), by.to_owned()))
    }
}

/// A count as a computed value.
pub(crate) fn count(value: usize) -> Computed {
    Computed::Real(value as f64)
}
