//! Ordering and symbolic factorization once for all saddle-point systems of an iteration.
//!
//! The stiffness of a model has the same pattern at each of Newton's steps but for entries that are zero at the start
//! (members still straight, multipliers still zero). So an analysis serves while the pattern of A lies within the one it
//! was made for and that of Phi_q is the same; else a new one is made.

use mb_algebra::{AlgebraError, Sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleOptions};
use std::sync::Arc;

/// The analysis of the last pattern that was new.
#[derive(Debug, Default)]
pub struct SaddlePatterns {
    last: Option<Analysed>,
    made: usize,
}

#[derive(Debug)]
struct Analysed {
    a: Pattern,
    phi_q: Pattern,
    analysis: Arc<SaddleAnalysis>,
}

/// Where a matrix by columns has entries, rows in half width: several patterns of large models fit together with the factors.
#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    rows: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
}

impl SaddlePatterns {
    /// How many analyses have been made.
    pub fn analyses(&self) -> usize {
        self.made
    }
    /// The analysis for A (symmetric pattern) and Phi_q, both by columns.
    pub(crate) fn analysis(
        &mut self,
        a: &Sparse,
        phi_q: &Sparse,
    ) -> Result<Arc<SaddleAnalysis>, AlgebraError> {
        if let Some(last) = self.last.as_ref().filter(|last| last.a.contains(a) && last.phi_q.is_of(phi_q)) {
            return Ok(Arc::clone(&last.analysis));
        }
        let analysis = Arc::new(SaddleAnalysis::new(a, phi_q, &SaddleOptions::default())?);
        self.made += 1;
        self.last =
            Some(Analysed { a: Pattern::of(a), phi_q: Pattern::of(phi_q), analysis: Arc::clone(&analysis) });
        Ok(analysis)
    }
}

impl Pattern {
    /// Numbers of rows beyond half width have no analysis in the first place.
    #[expect(clippy::cast_possible_truncation, reason = "the analysis has refused larger numbers")]
    fn of(m: &Sparse) -> Self {
        let indices = m.indices().iter().map(|i| *i as u32).collect();
        Self { rows: m.rows(), starts: m.indptr().into_raw_storage().to_vec(), indices }
    }
    fn is_of(&self, m: &Sparse) -> bool {
        self.starts == m.indptr().into_raw_storage()
            && self.rows == m.rows()
            && self.indices.iter().zip(m.indices()).all(|(a, b)| *a as usize == *b)
    }
    /// Whether all entries of `m` are among these.
    fn contains(&self, m: &Sparse) -> bool {
        let starts = m.indptr();
        let starts = starts.into_raw_storage();
        if (self.rows, self.starts.len()) != (m.rows(), starts.len()) {
            return false;
        }
        self.starts.windows(2).zip(starts.windows(2)).all(|(own, other)| {
            let mut own = self.indices[own[0]..own[1]].iter();
            m.indices()[other[0]..other[1]].iter().all(|row| own.any(|i| *i as usize == *row))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Scatter, Triplets};

    fn matrix(entries: &[(usize, usize)]) -> Sparse {
        let mut out = Triplets::new(3, 3);
        for (row, col) in entries.iter().chain(&[(0, 0), (1, 1), (2, 2)]) {
            out.add(*row, *col, 1.0 + (row + col) as f64);
        }
        out.to_sparse()
    }

    #[test]
    fn a_pattern_within_the_last_one_needs_no_analysis() {
        let mut row = Triplets::new(1, 3);
        row.add(0, 1, 1.0);
        let phi_q = row.to_sparse();
        row.add(0, 2, 1.0);
        let other = row.to_sparse();
        let (diagonal, wide) = (matrix(&[]), matrix(&[(0, 2), (2, 0)]));
        let mut patterns = SaddlePatterns::default();
        for (a, phi_q, made) in [
            (&diagonal, &phi_q, 1),
            (&diagonal, &phi_q, 1),
            (&wide, &phi_q, 2),
            (&diagonal, &phi_q, 2),
            (&wide, &phi_q, 2),
            (&wide, &other, 3),
            (&matrix(&[(0, 1), (1, 0)]), &other, 4),
        ] {
            assert!(patterns.analysis(a, phi_q).is_ok());
            assert_eq!(patterns.analyses(), made);
        }
    }
}
