//! Directions that are known, completed to a basis of all coordinates.

use mb_algebra::{Dense, Lu, dense, norms};

use crate::numeric::vectors;
use crate::tuning;

/// T = [W Z] with the unit vectors W of the coordinates that pivots of Z leave. Z comes last, where no row of Phi_q T has entries: bases of
/// its null space have the unit vectors of these coordinates, which others would hide behind their rounding.
pub(super) struct Completed {
    pub(super) t: Dense,
    /// The coordinates of the pivots, one for each column of Z in its order.
    pub(super) taken: Vec<usize>,
    /// Those of W.
    pub(super) others: Vec<usize>,
}

impl Completed {
    /// Pivots without the last `rates` coordinates; none where the columns of Z depend on each other there.
    pub(super) fn of(z: &Dense, m: &Dense, rates: usize) -> Option<Self> {
        let taken = pivots(z, m, rates)?;
        let n = z.nrows();
        let others: Vec<usize> = (0..n).filter(|i| !taken.contains(i)).collect();
        let t = dense::hstack(&[&dense::select_columns(&dense::identity(n), &others), z]);
        Some(Self { t, taken, others })
    }
    /// Z.
    pub(super) fn directions(&self) -> Dense {
        vectors::column_range(&self.t, self.others.len(), self.t.ncols())
    }
    /// How much of each direction is in vectors; none where rows of the pivots are singular.
    pub(super) fn coefficients(&self) -> Option<Coefficients<'_>> {
        let lu = Lu::new(&dense::select_rows(&self.directions(), &self.taken)).ok()?;
        Some(Coefficients { taken: &self.taken, lu })
    }
    /// W.
    pub(super) fn others_of_identity(&self) -> Dense {
        vectors::column_range(&self.t, 0, self.others.len())
    }
}

/// How much of each direction Z is in a vector, by the coordinates of its pivots.
pub(super) struct Coefficients<'a> {
    taken: &'a [usize],
    lu: Lu,
}

impl Coefficients<'_> {
    pub(super) fn solve(&self, x: &[f64]) -> Vec<f64> {
        self.lu.solve(&self.taken.iter().map(|i| x[*i]).collect::<Vec<f64>>())
    }
}

/// A coordinate for each column, with its mass on the diagonal of `m`; none where columns depend on each other.
fn pivots(zeros: &Dense, m: &Dense, rates: usize) -> Option<Vec<usize>> {
    let (n, k) = zeros.shape();
    let mut rest = zeros.clone();
    let (mut taken, mut order) = (vec![false; n], Vec::new());
    for j in 0..k {
        let size = norms::max_abs_vec(zeros.col_as_slice(j));
        let free = || (0..n - rates).filter(|i| !taken[*i]);
        let largest = free().map(|i| rest[(i, j)].abs()).fold(0.0, f64::max);
        // Of coordinates that take part the heaviest: rounding counts as much as it moves with other modes.
        let takes_part = |i: &usize| rest[(*i, j)].abs() >= tuning::CLEAR * largest;
        let pivot = free().filter(takes_part).max_by(|a, b| m[(*a, *a)].total_cmp(&m[(*b, *b)]))?;
        let by = rest[(pivot, j)];
        if by.abs() <= tuning::SQRT_EPS * size {
            return None;
        }
        taken[pivot] = true;
        order.push(pivot);
        for c in j + 1..k {
            let factor = rest[(pivot, c)] / by;
            for i in 0..n {
                let part = factor * rest[(i, j)];
                rest[(i, c)] -= part;
            }
        }
    }
    Some(order)
}
