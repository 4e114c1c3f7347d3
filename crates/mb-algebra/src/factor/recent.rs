//! Analyses of patterns that come again.
//!
//! Along the path of a parameter, in Newton's method and at the eigenvalues of one model, matrices of one pattern are factored
//! many times, by callers that do not know of each other. An analysis depends on the pattern alone, so the last few are kept for
//! all of them: what is found does not depend on who asked first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sprs::CsMat;

/// Patterns kept.
const PATTERNS: usize = 8;
/// Entries of all of them together.
const ENTRIES: usize = 4_000_000;

/// A pattern by columns with its analysis.
#[derive(Debug)]
struct Analysed<A> {
    starts: Vec<usize>,
    rows: Vec<usize>,
    analysis: Arc<A>,
}

/// The last analyses, the one used last in front.
#[derive(Debug)]
pub(super) struct Recent<A> {
    list: Mutex<VecDeque<Analysed<A>>>,
}

impl<A> Recent<A> {
    pub(super) const fn new() -> Self {
        Self { list: Mutex::new(VecDeque::new()) }
    }

    /// The analysis of the pattern of a square matrix stored by columns; made by `analyse` where it is none of the last ones.
    pub(super) fn of<T, E>(&self, a: &CsMat<T>, analyse: impl FnOnce() -> Result<A, E>) -> Result<Arc<A>, E> {
        let starts = a.proper_indptr();
        if let Some(known) = self.known(&starts, a.indices()) {
            return Ok(known);
        }
        let analysis = Arc::new(analyse()?);
        if a.nnz() <= ENTRIES {
            let (starts, rows) = (starts.into_owned(), a.indices().to_vec());
            self.keep(Analysed { starts, rows, analysis: Arc::clone(&analysis) });
        }
        Ok(analysis)
    }

    fn known(&self, starts: &[usize], rows: &[usize]) -> Option<Arc<A>> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let at = list.iter().position(|kept| kept.starts == starts && kept.rows == rows)?;
        let found = list.remove(at)?;
        let analysis = Arc::clone(&found.analysis);
        list.push_front(found);
        Some(analysis)
    }

    fn keep(&self, new: Analysed<A>) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push_front(new);
        list.truncate(PATTERNS);
        while list.len() > 1 && list.iter().map(|kept| kept.rows.len()).sum::<usize>() > ENTRIES {
            list.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scatter, Sparse, Triplets};

    fn with_entry(row: usize, value: f64) -> Sparse {
        let mut t = Triplets::new(40, 40);
        (0..40).for_each(|i| t.add(i, i, value));
        t.add(row, 0, value);
        t.to_sparse()
    }

    #[test]
    fn a_pattern_is_analysed_once_while_it_is_among_the_last() {
        let recent: Recent<usize> = Recent::new();
        let mut made = 0;
        let mut ask = |row: usize, value: f64| {
            let analysis = recent.of(&with_entry(row, value), || {
                made += 1;
                Ok::<_, ()>(row)
            });
            (*analysis.unwrap(), made)
        };
        assert_eq!(ask(1, 1.0), (1, 1));
        assert_eq!(ask(1, 2.0), (1, 1));
        for row in 2..=PATTERNS {
            assert_eq!(ask(row, 1.0), (row, row));
            // Used again, it stays among the last.
            assert_eq!(ask(1, 3.0), (1, row));
        }
        assert_eq!(ask(PATTERNS + 1, 1.0), (PATTERNS + 1, PATTERNS + 1));
        assert_eq!(ask(2, 1.0), (2, PATTERNS + 2));
        assert_eq!(ask(1, 1.0), (1, PATTERNS + 2));
    }

    #[test]
    fn a_failed_analysis_is_not_kept() {
        let recent: Recent<usize> = Recent::new();
        let a = with_entry(1, 1.0);
        assert_eq!(recent.of(&a, || Err("no memory")).unwrap_err(), "no memory");
        assert_eq!(*recent.of(&a, || Ok::<_, ()>(7)).unwrap(), 7);
    }
}
