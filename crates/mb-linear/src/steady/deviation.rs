//! By how much a linearization changes along the orbit of a steady motion: the certificate of steadiness.

use mb_algebra::{Dense, Scatter, Sparse, Triplets, c64, dense, to_dense};
use std::collections::BTreeMap;

/// The largest changes of the blocks of a linearization along an orbit, entry by entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// The largest, relative to the diagonals.
    pub relative: f64,
    /// Points of the orbit that were checked.
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
    /// The largest changes of several; none where one of them is not of all coordinates.
    pub(super) fn joined<'a>(all: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let all: Vec<&Self> = all.collect();
        let parts: Vec<&[Sparse; 3]> = all.iter().map(|d| d.of_entries()).collect::<Option<_>>()?;
        let first = parts.first()?;
        let blocks = std::array::from_fn(|k| entrywise_largest(&first[k], parts.iter().map(|p| &p[k])));
        let relative = all.iter().map(|d| d.relative).fold(0.0, f64::max);
        Some(Self::full(blocks, relative, all.iter().map(|d| d.points).sum()))
    }
    /// With the largest of further changes on top, entry by entry; as it is where it is not of all coordinates.
    pub(super) fn plus(&self, further: &[[Sparse; 3]], relative: f64) -> Self {
        let Some(own) = self.of_entries() else { return self.clone() };
        let blocks = std::array::from_fn(|k| {
            let more = entrywise_largest(&own[k], further.iter().map(|x| &x[k]));
            mb_algebra::sparse::add(1.0, &own[k], 1.0, &more)
        });
        Self::full(blocks, self.relative + relative, self.points)
    }
    /// Of M, C and K in all coordinates, where these were checked.
    pub(super) fn of_entries(&self) -> Option<&[Sparse; 3]> {
        match &self.changes {
            Changes::Full(blocks) => Some(blocks),
            Changes::Reduced { .. } => None,
        }
    }
    /// The largest changes of M, C and K, n x n each; those of reduced blocks spread over all coordinates, |R| dG |R|^T.
    pub fn in_all_coordinates(&self) -> [Dense; 3] {
        match &self.changes {
            Changes::Full(blocks) => std::array::from_fn(|k| to_dense(&blocks[k])),
            Changes::Reduced { basis, blocks } => {
                let size = Dense::from_fn(basis.nrows(), basis.ncols(), |i, j| basis[(i, j)].abs());
                let spread = |b: &Dense| dense::mul(&size, &dense::mul(b, &dense::transpose(&size)));
                std::array::from_fn(|k| spread(&blocks[k]))
            }
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

/// The largest magnitude of every entry of several matrices of the shape of `like`.
fn entrywise_largest<'a>(like: &Sparse, all: impl Iterator<Item = &'a Sparse>) -> Sparse {
    let mut entries: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (value, place) in all.flat_map(|x| x.iter()) {
        let largest = entries.entry(place).or_insert(0.0);
        *largest = largest.max(value.abs());
    }
    let mut out = Triplets::new(like.rows(), like.cols());
    for ((i, j), value) in entries {
        out.add(i, j, value);
    }
    out.to_sparse()
}
