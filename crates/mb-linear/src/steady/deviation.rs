//! By how much a linearization changes along the orbit of a steady motion: the certificate of steadiness.

use mb_algebra::{Dense, Sparse, c64, dense};

/// The largest changes of the blocks of a linearization along an orbit, entry by entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// The largest, relative to the diagonals.
    pub relative: f64,
    /// Points of the orbit that were looked at.
    pub points: usize,
    changes: Changes,
}

#[derive(Clone, Debug, PartialEq)]
enum Changes {
    /// Of G2, G1, G0 in an orthonormal basis of the admissible displacements.
    Reduced { basis: Dense, blocks: Box<[Dense; 3]> },
    /// Of M, C and K in all coordinates.
    Full(Box<[Sparse; 3]>),
}

impl Deviation {
    pub(super) fn reduced(basis: Dense, blocks: [Dense; 3], relative: f64, points: usize) -> Self {
        Self { relative, points, changes: Changes::Reduced { basis, blocks: Box::new(blocks) } }
    }
    pub(super) fn full(blocks: [Sparse; 3], relative: f64, points: usize) -> Self {
        Self { relative, points, changes: Changes::Full(Box::new(blocks)) }
    }
    /// Of M, C and K in all coordinates, where these were looked at.
    pub(super) fn of_entries(&self) -> Option<&[Sparse; 3]> {
        match &self.changes {
            Changes::Full(blocks) => Some(blocks),
            Changes::Reduced { .. } => None,
        }
    }
    /// |y|^T (|s|^2 |dM| + |s| |dC| + |dK|) |x|: what the changes move the eigenvalue of the vectors `x` and `y` (n numbers,
    /// y^H (2 s M + C) x = 1) by, to first order.
    pub fn of_eigenvalue(&self, s: c64, x: &[c64], y: &[c64]) -> f64 {
        let s = s.norm();
        let (x, y, products): (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) = match &self.changes {
            Changes::Reduced { basis, blocks } => {
                let part = |x: &[c64]| -> Vec<f64> {
                    let one = |j: usize| (0..x.len()).map(|i| x[i] * basis[(i, j)]).sum::<c64>().norm();
                    (0..basis.ncols()).map(one).collect()
                };
                let x = part(x);
                let products = blocks.iter().map(|b| dense::matvec(b, &x)).collect();
                (x, part(y), products)
            }
            Changes::Full(blocks) => {
                let size = |x: &[c64]| -> Vec<f64> { x.iter().map(|x| x.norm()).collect() };
                let x = size(x);
                let products = blocks.iter().map(|b| mb_algebra::sparse::matvec(b, &x)).collect();
                (x, size(y), products)
            }
        };
        debug_assert_eq!(x.len(), products[0].len());
        let weights = [s * s, s, 1.0];
        let form = |(product, weight): (&Vec<f64>, f64)| weight * dense::dot(product, &y);
        products.iter().zip(weights).map(form).sum()
    }
}
