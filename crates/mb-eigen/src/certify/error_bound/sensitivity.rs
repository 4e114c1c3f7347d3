//! What rounding of all entries could do to the matrix at a point.
//!
//! ```text
//! S = [Q(s) Phi^T; Phi 0],  E of its pattern,  |E| <= W:   S + E is regular where the spectral radius of |S^-1| W is below one
//! |S^-1| ~ sum_i |z_i| |u_i|^T,   z_i = S^-1 u_i,  u_i the leading left singular vectors:   the spectral radius is that of
//! T_ij = |u_i|^T W |z_j|
//! ```
//!
//! Near eigenvalues the inverse is large in few directions, one for each Jordan chain, which two steps of subspace iteration give to
//! several digits. W holds u G, G = |s|^2 |M| + |s| |C| + |K|, and u |Phi|. What elimination fills in is rounding as well: of size
//! d_i d_j, d_i = sqrt(u G_ii), which adds |D u_i| |D z_j| to T_ij. What it did in fact is measured: a second solve with the residuals
//! of z_i changes them by about |S^-1 E| for its error E, and the radius is taken to be no smaller. Higham, Accuracy and Stability of Numerical Algorithms,
//! section 7.2. Sizes: Q n x n, Phi r x n, u_i, z_i with multipliers n + r.

use mb_algebra::{DenseC, c64, norms};

use crate::numeric::vectors;
use crate::numeric::vectors::{ZERO, abs};

/// x and multipliers of a block of solutions.
pub(crate) struct Solved {
    /// n x p.
    pub(crate) x: DenseC,
    /// r x p.
    pub(crate) l: DenseC,
}

/// The matrix at one point, factored.
pub(crate) trait Factored {
    /// Number of unknowns n.
    fn size(&self) -> usize;
    /// Solves S (x, l) = (f, 0), with the adjoint matrix on demand; none where that fails.
    fn solve(&self, f: &DenseC, adjoint: bool) -> Option<Solved>;
    /// W (|x|, |l|), displacements before multipliers.
    fn rounding(&self, x: &[f64], l: &[f64]) -> [Vec<f64>; 2];
    /// d_i.
    fn sizes(&self) -> Vec<f64>;
    /// f - Q x - Phi^T l.
    fn residual(&self, f: &DenseC, solved: &Solved) -> DenseC;
}

/// The largest change of the solutions z of S z = (f, 0) by one more solve, relative to them.
///
/// What elimination did to S is seen in it: where S is singular to rounding the solutions are those of another matrix, and of an
/// eigenvalue of higher order the matrix computed stays far more regular than S.
fn correction(at: &dyn Factored, f: &DenseC, z: &Solved) -> Option<f64> {
    let change = at.solve(&at.residual(f, z), false)?.x;
    let size = |a: &DenseC, j: usize| norms::two_complex(a.col_as_slice(j));
    let relative = (0..f.ncols()).map(|j| size(&change, j) / size(&z.x, j).max(f64::MIN_POSITIVE));
    Some(relative.fold(0.0, f64::max))
}

/// The spectral radius of |S^-1| W from `directions` leading directions; none where solves fail.
pub(crate) fn sensitivity(at: &dyn Factored, directions: usize) -> Option<f64> {
    let (n, p) = (at.size(), directions.min(at.size()));
    // A start without symmetry, so that it is not orthogonal to symmetric or alternating vectors.
    let start = DenseC::from_fn(n, p, |i, j| {
        let k = i + 31 * j + 1;
        c64::new(1.0 + ((k * k * 7 + 3 * k) % 11) as f64 / 7.0, ((k * k * 5 + k) % 13) as f64 / 9.0 - 0.5)
    });
    let z = at.solve(&start, false)?;
    // Solutions lie in the n - r directions that the constraints leave; a vector beyond them would be rounding.
    let p = p.min(n.saturating_sub(z.l.nrows()).max(1));
    let first = |a: &DenseC| DenseC::from_fn(a.nrows(), p, |i, j| a[(i, j)]);
    let mut z = Solved { x: first(&z.x), l: first(&z.l) };
    orthonormalize(&mut z);
    let mut u = at.solve(&z.x, true)?;
    orthonormalize(&mut u);
    let z = at.solve(&u.x, false)?;
    let sizes = |a: &DenseC, j: usize| -> Vec<f64> { a.col_as_slice(j).iter().map(|z| abs(*z)).collect() };
    let scale = at.sizes();
    let scaled = |a: &DenseC, j: usize| -> f64 {
        let entries = a.col_as_slice(j).iter().zip(&scale);
        entries.map(|(z, d)| z.norm_sqr() * d * d).sum::<f64>().sqrt()
    };
    let mut rows = vec![0.0_f64; p];
    let mut columns = vec![0.0_f64; p];
    for j in 0..p {
        let [forces, violations] = at.rounding(&sizes(&z.x, j), &sizes(&z.l, j));
        for i in 0..p {
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let entries = dot(&sizes(&u.x, i), &forces) + dot(&sizes(&u.l, i), &violations);
            let t = entries + scaled(&u.x, i) * scaled(&z.x, j);
            rows[i] += t;
            columns[j] += t;
        }
    }
    // The spectral radius of a matrix without negative entries is at most its largest row and column sum.
    let largest = |sums: &[f64]| sums.iter().copied().fold(0.0, f64::max);
    let found = largest(&rows).min(largest(&columns)).max(correction(at, &u.x, &z)?);
    found.is_finite().then_some(found)
}

/// Makes the x orthonormal in their order, multipliers along.
fn orthonormalize(block: &mut Solved) {
    for j in 0..block.x.ncols() {
        // Twice is enough (Parlett, The Symmetric Eigenvalue Problem, section 6.9).
        for _ in 0..2 {
            for i in 0..j {
                let by = vectors::inner(block.x.col_as_slice(i), block.x.col_as_slice(j));
                for part in [&mut block.x, &mut block.l] {
                    let before = part.col_as_slice(i).to_vec();
                    part.col_as_slice_mut(j).iter_mut().zip(before).for_each(|(to, from)| *to -= from * by);
                }
            }
            let size = norms::two_complex(block.x.col_as_slice(j));
            let by = if size > 0.0 { c64::new(size.recip(), 0.0) } else { ZERO };
            vectors::scale(block.x.col_as_slice_mut(j), by);
            vectors::scale(block.l.col_as_slice_mut(j), by);
        }
    }
}
