//! Steps of work that asks for them one after another from within, in the same order in every run.

use mb_parametric::Journal;
use std::cell::RefCell;

/// The steps of a run, to be shared by what asks for them.
pub(crate) struct Steps<'a> {
    recall: &'a dyn Fn() -> Option<Vec<f64>>,
    keep: &'a dyn Fn(Vec<f64>),
}

/// How a step is written as numbers, and read from them where they are such.
pub(crate) struct Numbers<W, R> {
    pub(crate) written: W,
    pub(crate) read: R,
}

impl Steps<'_> {
    /// Does work with the steps of a journal.
    pub(crate) fn with<T>(journal: &mut dyn Journal, work: impl FnOnce(&Steps<'_>) -> T) -> T {
        let journal = RefCell::new(journal);
        work(&Steps {
            recall: &|| journal.borrow_mut().recall(),
            keep: &|numbers| journal.borrow_mut().keep(numbers),
        })
    }

    /// The step that is next, as it was kept or else computed, which is kept. `whole` says whether nothing from outside has cut it short;
    /// a step that failed by itself is kept as one that has no numbers and fails again.
    pub(crate) fn next<T, E>(
        &self,
        compute: impl FnOnce() -> Result<T, E>,
        as_numbers: Numbers<impl FnOnce(&T) -> Vec<f64>, impl FnOnce(&[f64]) -> Option<T>>,
        whole: impl FnOnce() -> bool,
    ) -> Result<T, E> {
        if let Some(numbers) = (self.recall)() {
            return (as_numbers.read)(&numbers).map_or_else(compute, Ok);
        }
        let found = compute();
        if whole() {
            (self.keep)(found.as_ref().map_or_else(|_| Vec::new(), as_numbers.written));
        }
        found
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Journal;
    use std::collections::VecDeque;

    /// Steps in memory.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Tape {
        earlier: VecDeque<Vec<f64>>,
        pub(crate) all: Vec<Vec<f64>>,
    }

    impl Tape {
        /// For a run that goes on from these steps.
        pub(crate) fn rewound(all: Vec<Vec<f64>>) -> Self {
            Self { earlier: all.clone().into(), all }
        }
        /// Steps that were not asked for.
        pub(crate) fn left(&self) -> usize {
            self.earlier.len()
        }
    }

    impl Journal for Tape {
        fn recall(&mut self) -> Option<Vec<f64>> {
            self.earlier.pop_front()
        }
        fn keep(&mut self, numbers: Vec<f64>) {
            self.all.push(numbers);
        }
    }
}
