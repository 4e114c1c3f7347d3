//! What the scaling of a problem and the engine's task depend on, from lines of M, C and K as they come.
//!
//! Lines are the outer vectors of the storage: rows, or columns where these are the rows too. Everything adds up line by line, so that the
//! matrices need not be there at once, and is the same to the last bit however the lines come.

use mb_algebra::Sparse;

use crate::problem;
use crate::transform::shift_invert::Form;

/// An outline of M, C and K, n x n each, in this order.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// Which are symmetric.
    pub(crate) symmetric: [bool; 3],
    /// Largest sum of magnitudes in a line.
    sizes: [f64; 3],
    diagonals: [Vec<f64>; 3],
    /// Lines without any mass.
    pub(crate) massless: usize,
    /// Whether M has the entries of its diagonal, all of them, and no others.
    pub(crate) mass_is_diagonal: bool,
}

impl Outline {
    /// Of whole matrices.
    pub(crate) fn of(matrices: [&Sparse; 3], symmetric: [bool; 3]) -> Self {
        let mut out = Self::new(matrices[0].rows());
        out.add(0, matrices);
        Self { symmetric, ..out }
    }

    /// Of matrices of size n whose lines are still to come.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            symmetric: [true; 3],
            sizes: [0.0; 3],
            diagonals: std::array::from_fn(|_| vec![0.0; n]),
            massless: 0,
            mass_is_diagonal: true,
        }
    }

    /// Adds lines, the first of them number `first`.
    pub(crate) fn add(&mut self, first: usize, matrices: [&Sparse; 3]) {
        for (which, matrix) in matrices.into_iter().enumerate() {
            for (i, line) in (first..).zip(matrix.outer_iterator()) {
                let sum: f64 = line.data().iter().map(|v| v.abs()).sum();
                self.sizes[which] = self.sizes[which].max(sum);
                self.diagonals[which][i] = line.get(i).copied().unwrap_or(0.0);
                if which == 0 {
                    self.massless += usize::from(sum == 0.0);
                    self.mass_is_diagonal &= line.indices() == [i];
                }
            }
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.diagonals[0].len()
    }

    /// The diagonal entries of M, C and K in a line.
    pub(crate) fn diagonal(&self, i: usize) -> [f64; 3] {
        self.diagonals.each_ref().map(|d| d[i])
    }

    pub(crate) fn has_negative_mass(&self) -> bool {
        self.diagonals[0].iter().any(|m| *m < 0.0)
    }

    /// The smallest form that holds all eigenvalues.
    pub(crate) fn form(&self) -> Form {
        Form::with(self.sizes[0] > 0.0, self.sizes[1] > 0.0)
    }

    /// The square of the unit of frequency that makes M and K equally large.
    pub(crate) fn frequency_squared(&self) -> f64 {
        problem::frequency_squared(self.sizes)
    }

    /// The smallest positive K_ii / M_ii.
    pub(crate) fn softest(&self) -> Option<f64> {
        problem::softest((0..self.n()).map(|i| (self.diagonals[2][i], self.diagonals[0][i])))
    }
}
