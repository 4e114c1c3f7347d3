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
        weighted(s, &self.forces(&self.size(x)), &self.size(y))
    }
    /// What the changes move eigenvalues s by that others help to, given as (s, x, y) as in [`Self::of_eigenvalue`], to first order:
    ///
    /// ```text
    /// sum_(j != i) (e_ij e_ji)^(1/2),   e_ij = |y_i|^T (|s_i|^2 |dM| + |s_i| |dC| + |dK|) |x_j|
    /// ```
    ///
    /// Changes go round with combinations of the speeds of the motion. Where two eigenvalues differ by i times such a combination they meet
    /// as double ones do, which one change parts by itself and not by its square; elsewhere it is less.
    pub fn of_couplings(&self, pairs: &[(c64, &[c64], &[c64])]) -> Vec<f64> {
        let parts: Vec<_> =
            pairs.iter().map(|(s, x, y)| (*s, self.forces(&self.size(x)), self.size(y))).collect();
        let coupling = |i: usize, j: usize| weighted(parts[i].0, &parts[j].1, &parts[i].2);
        let one = |i: usize| -> f64 {
            let others = (0..parts.len()).filter(|j| *j != i);
            others.map(|j| (coupling(i, j) * coupling(j, i)).sqrt()).sum()
        };
        (0..parts.len()).map(one).collect()
    }
    /// Sizes of the components of a vector of n numbers in the coordinates of the changes.
    fn size(&self, x: &[c64]) -> Vec<f64> {
        match &self.changes {
            Changes::Reduced { basis, .. } => {
                let one = |j: usize| (0..x.len()).map(|i| x[i] * basis[(i, j)]).sum::<c64>().norm();
                (0..basis.ncols()).map(one).collect()
            }
            Changes::Full(_) => x.iter().map(|x| x.norm()).collect(),
        }
    }
    /// |dM|, |dC| and |dK| times sizes.
    fn forces(&self, size: &[f64]) -> [Vec<f64>; 3] {
        match &self.changes {
            Changes::Reduced { blocks, .. } => std::array::from_fn(|k| dense::matvec(&blocks[k], size)),
            Changes::Full(blocks) => std::array::from_fn(|k| mb_algebra::sparse::matvec(&blocks[k], size)),
        }
    }
}

/// y^T (|s|^2 f_M + |s| f_C + f_K).
fn weighted(s: c64, forces: &[Vec<f64>; 3], y: &[f64]) -> f64 {
    let s = s.norm();
    forces.iter().zip([s * s, s, 1.0]).map(|(force, weight)| weight * dense::dot(force, y)).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::to_sparse;

    /// Two equal masses on equal springs k, joined by a spring e that turns: s^2 = -(k +- e), so that s moves by e / (2 k^(1/2)) to first order.
    #[test]
    fn a_change_parts_equal_eigenvalues_by_itself() {
        let (k, e) = (9.0_f64, 1e-6);
        let nothing = Dense::zeros(2, 2);
        let stiffness = Dense::from_fn(2, 2, |i, j| if i == j { 0.0 } else { e });
        let blocks = [&nothing, &nothing, &stiffness].map(to_sparse);
        let deviation = Deviation::full(blocks, e / k, 1);
        let s = c64::new(0.0, k.sqrt());
        let unit = |i: usize, size: c64| -> Vec<c64> {
            (0..2).map(|j| if i == j { size } else { c64::ZERO }).collect()
        };
        let vectors = [0, 1].map(|i| [unit(i, c64::ONE), unit(i, (2.0 * s).inv().conj())]);
        let pairs: Vec<_> = vectors.iter().map(|[x, y]| (s, &x[..], &y[..])).collect();
        let exact = (k + e).sqrt() - k.sqrt();
        for (pair, moved) in pairs.iter().zip(deviation.of_couplings(&pairs)) {
            assert!(deviation.of_eigenvalue(s, pair.1, pair.2) == 0.0);
            assert!((moved - exact).abs() <= e * exact, "{moved} {exact}");
        }
    }
}
