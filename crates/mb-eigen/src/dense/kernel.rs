//! Directions in which a reduced matrix vanishes: found first, so that zeros are exact and not rounding.
//!
//! ```text
//! N: L_0^T A R_0 N = 0,   L: L^T L_0^T A R_0 = 0
//! ```
//!
//! A is K (zero eigenvalues, rigid and mechanism modes) or M (infinite eigenvalues), n x n; R_0, L_0 (n x k) span
//! the directions looked at. All is done on the equilibrated reduced matrix (equilibrated.rs). A symmetric one whose
//! Cholesky factorization proves it positive definite has no null directions (vanishing.rs). Otherwise candidates come from
//! pivoted QR; a bordered system compresses A onto them with the accuracy of elimination (Golub and Van Loan, section
//! 5.5; Govaerts, Numerical Methods for Bifurcations of Dynamical Equilibria, section 3.2). A candidate x is accepted when
//! every component of L_0^T A R_0 x is within what rounding of the entries leaves of it (vanishing.rs), on the matrix as given: a
//! soft spring next to a stiff one, a small mass next to a large one and a slender beam are not lost. Candidates and their products are
//! held in double-double precision, so that the entries as written decide and not the rounding of a product: springs
//! next to others 1e14 times as stiff are no zeros.

mod candidates;

use mb_algebra::{Dense, RankQr, RankTolerance, dense, interrupt, norms};

use candidates::{Candidates, candidates, compress, smallest_singular_value};

use crate::EigenError;
use crate::error::at;
use crate::numeric::double_double::TwoVectors;
use crate::numeric::vectors::{self, magnitudes};
use crate::numeric::{equilibrated, vanishing};
use crate::tuning;

/// How much more the rounding of bases R_0 and L_0 leaves of L_0^T A R_0 x than that of the entries of A; bases that select
/// coordinates have none.
const OF_BASES: f64 = 30.0;

/// Right and left null directions of a reduced matrix, with orthonormal columns.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// k x p.
    pub(crate) right: Dense,
    /// k x p.
    pub(crate) left: Dense,
    /// |A x| / (|A| |x|) of the best candidate refused, when it is close to the tolerance.
    pub(crate) nearly: Option<f64>,
    /// The same of the worst candidate accepted.
    pub(crate) worst: f64,
    /// How many of those accepted the entries as written do not make null directions, but changes of their last digits would.
    pub(crate) open: usize,
}

/// The matrix as given with its magnitudes, and the directions looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    pub(crate) a: &'a Dense,
    /// R_0, L_0; absent means the identity.
    pub(crate) lift: Option<&'a Dense>,
    pub(crate) lift_left: Option<&'a Dense>,
}

impl Kernel {
    /// No directions among k.
    pub(crate) fn empty(k: usize) -> Self {
        Self { right: Dense::zeros(k, 0), left: Dense::zeros(k, 0), nearly: None, worst: 0.0, open: 0 }
    }

    /// Number of directions.
    pub(crate) fn dim(&self) -> usize {
        self.right.ncols()
    }

    /// Finds the null directions of `reduced` = L_0^T A R_0, k x k.
    pub(crate) fn find(reduced: &Dense, given: Given<'_>, tolerance: f64) -> Result<Self, EigenError> {
        Self::find_most(reduced, given, tolerance, None)
    }

    /// The same of a matrix that is known to have no more than `most`.
    pub(crate) fn find_most(
        reduced: &Dense,
        given: Given<'_>,
        tolerance: f64,
        most: Option<usize>,
    ) -> Result<Self, EigenError> {
        let k = reduced.nrows();
        if k == 0 || most == Some(0) {
            return Ok(Self::empty(k));
        }
        let (cleaned, noise) = given.cleaned(reduced, tolerance);
        if norms::max_abs(&cleaned) == 0.0 {
            let all = dense::identity(k);
            return Ok(Self { right: all.clone(), left: all, ..Self::empty(0) });
        }
        let even = Even::new(&cleaned);
        let scale = norms::frobenius(&even.a);
        if smallest_singular_value(&even.a) > tuning::EPS_2_3 * scale {
            return Ok(Self::empty(k));
        }
        let doubt = noise.map_or(0.0, |[e, f]| {
            let size = |by: &[f64], noise: &[f64]| {
                norms::two(&by.iter().zip(noise).map(|(d, e)| d * e).collect::<Vec<_>>())
            };
            size(&even.rows, &e) * size(&even.columns, &f)
        });
        if vanishing::is_definite(&even.a, doubt) {
            return Ok(Self::empty(k));
        }
        let (v, u) = candidates(&even.a, scale)?;
        if v.ncols() == 0 || v.ncols() != u.ncols() {
            return Ok(Self::empty(k));
        }
        let candidates = compress(&even.a, &v, &u, |z, transposed| given.rest(&even, z, transposed))?;
        given.accept(&even, &candidates, tolerance, most)
    }
}

/// A reduced matrix with rows and columns of one size, `rows` A `columns`.
struct Even {
    a: Dense,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Even {
    fn new(reduced: &Dense) -> Self {
        let [rows, columns] = equilibrated::of_both_sides(reduced);
        Self { a: equilibrated::scaled_apart(reduced, &rows, &columns), rows, columns }
    }
}

impl Given<'_> {
    /// The reduced matrix without entries that are rounding, and bounds e_i f_j of that of the product; none where nothing was rounded.
    ///
    /// ```text
    /// |L^T A R|_ij <= e_i f_j,   tol (|L|^T |A| |R|)_ij   or   (8 u)^2 |A|
    /// ```
    ///
    /// is what the product, the making of each entry of A, and the rounding of L and R themselves leave; tol is the `tolerance` of null
    /// directions, 16 u where the entries of A are as good as their sums. With A_pq <= 1 / (d_p d_q) the terms of an entry are at most (sum_p |L_pi| / d_p) (sum_q |R_qj| / d_q).
    pub(super) fn cleaned(&self, reduced: &Dense, tolerance: f64) -> (Dense, Option<[Vec<f64>; 2]>) {
        let Some(right) = self.lift.filter(|_| self.rounds()) else { return (reduced.clone(), None) };
        let left = self.lift_left.unwrap_or(right);
        let [rows, columns] = equilibrated::of_both_sides(self.a);
        let sums = |lift: &Dense, d: &[f64]| -> Vec<f64> {
            vectors::columns(lift).map(|x| x.iter().zip(d).map(|(x, d)| x.abs() / d).sum()).collect()
        };
        // Rounding of an entry of L_0^T A R_0, relative to the bound of its terms: one product and one sum each way.
        let e: Vec<f64> = sums(left, &rows).into_iter().map(|sum| sum * tuning::FEW_ROUNDINGS).collect();
        let f = sums(right, &columns);
        // Where rows of A hold nothing but rounding, their factors push those of other rows down and the estimate up.
        // Share of the largest entry of A above which no entry of L_0^T A R_0 is taken for rounding: a million roundings.
        let most = tuning::EPS_2_3 * norms::max_abs(self.a);
        let terms =
            dense::mul_transpose(&magnitudes(left), &dense::mul(&magnitudes(self.a), &magnitudes(right)));
        let of_bases = self.second_order();
        let kept = |i: usize, j: usize| {
            let product = (e[i] * f[j]).min(most);
            let noise = product.max(tolerance * terms[(i, j)]).max(of_bases);
            if reduced[(i, j)].abs() <= noise { 0.0 } else { reduced[(i, j)] }
        };
        (Dense::from_fn(reduced.nrows(), reduced.ncols(), kept), Some([e, f]))
    }

    /// (8 u)^2 |A|: what the rounding of bases with columns of length one leaves of a form that is zero.
    fn second_order(&self) -> f64 {
        if self.rounds() { tuning::SUM_ROUNDINGS.powi(2) / 4.0 * norms::frobenius(self.a) } else { 0.0 }
    }

    /// Whether bases with rounding of their own mix coordinates.
    fn rounds(&self) -> bool {
        [self.lift, self.lift_left].into_iter().flatten().any(|basis| !selects(basis))
    }

    fn accept(
        &self,
        even: &Even,
        candidates: &Candidates,
        tolerance: f64,
        most: Option<usize>,
    ) -> Result<Kernel, EigenError> {
        let k = even.a.nrows();
        let rounded = self.rounds();
        let tolerance = if rounded { OF_BASES * tolerance } else { tolerance };
        let written_nothing =
            if rounded { vanishing::NOTHING_DOUBLED } else { tuning::SQRT_EPS * f64::EPSILON };
        let mut nearly = None;
        let (mut accepted, mut worst, mut open) = (0, 0.0_f64, 0);
        for (x, y) in candidates.right.iter().zip(&candidates.left).take(most.unwrap_or(k)) {
            let nothing = [tuning::SUM_ROUNDINGS, written_nothing];
            let (right, left) =
                (self.departure(even, x, false, nothing), self.departure(even, y, true, nothing));
            // A change of the entries that makes x a null vector makes the matrix singular, whatever is left of y: of what is zero in y, as the
            // displacements are next to a constant pressure, each digit counts.
            let [relative, written] = [right[0].max(left[0]), right[1].min(left[1])];
            // Change of the entries as written, relative to themselves, up to which they may hide a zero: four units in the last place,
            // as sums of elements leave them. What needs more is a soft mode of a slender or thin structure.
            if relative > tolerance || (!rounded && most.is_none() && written > tuning::FEW_ROUNDINGS) {
                // A refused candidate within this factor of the tolerance deserves a word.
                nearly = (relative <= (1.0 / tuning::MINOR) * tolerance).then_some(relative.max(written));
                break;
            }
            worst = worst.max(written);
            open += usize::from(written > 0.0);
            accepted += 1;
        }
        // Orthonormal where the coordinates are of one size, of length one in those given.
        let orthonormal = |list: &[TwoVectors], d: &[f64]| -> Result<Dense, EigenError> {
            if accepted == 0 {
                return Ok(Dense::zeros(k, 0));
            }
            let kept = Dense::from_fn(accepted, k, |i, j| list[i].high[j]);
            let qr = RankQr::new(&kept, RankTolerance { relative: 0.0 });
            let basis = qr.map_err(at("Orthonormalizing null directions"))?.row_space();
            let mut out = Dense::from_fn(k, accepted, |i, j| d[i] * basis[(i, j)]);
            for j in 0..accepted {
                let by = norms::two(out.col_as_slice(j)).recip();
                out.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= by);
            }
            Ok(out)
        };
        Ok(Kernel {
            right: orthonormal(&candidates.right, &even.columns)?,
            left: orthonormal(&candidates.left, &even.rows)?,
            nearly,
            worst,
            open,
        })
    }

    /// The lift of one side and that of the other.
    fn sides(&self, transposed: bool) -> (Option<&Dense>, Option<&Dense>) {
        let left = self.lift_left.or(self.lift);
        if transposed { (left, self.lift) } else { (self.lift, left) }
    }

    /// What D_l L_0^T A R_0 D_r z is, or the same with A^T, on the matrix as given.
    fn rest(&self, even: &Even, z: &TwoVectors, transposed: bool) -> Vec<f64> {
        interrupt::check();
        let (own, other) = if transposed { (&even.rows, &even.columns) } else { (&even.columns, &even.rows) };
        let (lift, test) = self.sides(transposed);
        let mut x = z.clone().scaled(own);
        if let Some(r) = lift {
            x = x.product(r, false);
        }
        let mut rest = x.product(self.a, transposed);
        if let Some(r) = test {
            rest = rest.product(r, true);
        }
        rest.scaled(other).high
    }

    /// How far that is from zero, for each of two amounts that are nothing: vanishing.rs.
    fn departure(&self, even: &Even, z: &TwoVectors, transposed: bool, nothing: [f64; 2]) -> [f64; 2] {
        let (own, other) = if transposed { (&even.rows, &even.columns) } else { (&even.columns, &even.rows) };
        let (lift, test) = self.sides(transposed);
        // Where x is a sum of columns that cancel, each leaves the rounding of its own.
        let absolute: Vec<f64> = z.high.iter().zip(own).map(|(z, d)| (z * d).abs()).collect();
        let magnitude = lift.map_or_else(|| absolute.clone(), |r| dense::matvec(&magnitudes(r), &absolute));
        let terms = apply(&magnitudes(self.a), &magnitude, transposed);
        let terms = test.map_or_else(|| terms.clone(), |r| dense::matvec_transpose(&magnitudes(r), &terms));
        let terms: Vec<f64> = terms.iter().zip(other).map(|(v, d)| v * d).collect();
        let rows = vec![norms::max_abs_vec(&z.high); z.high.len()];
        let least = self.second_order() * norms::max_abs_vec(&absolute);
        let mut rest = self.rest(even, z, transposed);
        for (rest, d) in rest.iter_mut().zip(other) {
            if rest.abs() <= least * d {
                *rest = 0.0;
            }
        }
        nothing.map(|nothing| vanishing::departure(&rest, &terms, &rows, nothing))
    }
}

/// Whether a basis takes some of the coordinates, each as it is, so that it has no rounding of its own.
fn selects(basis: &Dense) -> bool {
    vectors::columns(basis).all(|x| x.iter().filter(|v| **v != 0.0).count() == 1)
}

/// A x or A^T x.
fn apply(a: &Dense, x: &[f64], transposed: bool) -> Vec<f64> {
    if transposed { dense::matvec_transpose(a, x) } else { dense::matvec(a, x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(a: &Dense) -> Kernel {
        Kernel::find(a, Given { a, lift: None, lift_left: None }, 1e-12).unwrap()
    }

    /// Free chain of k masses; every spring but the first has stiffness one.
    fn chain(k: usize, first: f64) -> Dense {
        let mut out = Dense::zeros(k, k);
        for i in 0..k - 1 {
            let stiffness = if i == 0 { first } else { 1.0 };
            out[(i, i)] += stiffness;
            out[(i + 1, i + 1)] += stiffness;
            out[(i, i + 1)] -= stiffness;
            out[(i + 1, i)] -= stiffness;
        }
        out
    }

    #[test]
    fn a_free_chain_has_one_uniform_direction() {
        for first in [1.0, 1e9, 1e-7] {
            let kernel = find(&chain(6, first));
            assert_eq!(kernel.dim(), 1, "{first}");
            let x = kernel.right.col_as_slice(0);
            assert!(x.iter().all(|v| (v / x[0] - 1.0).abs() < 1e-8), "{x:?}");
        }
    }

    #[test]
    fn an_untouched_coordinate_near_a_chain_is_found_with_it() {
        let inner = chain(5, 1e6);
        let a = Dense::from_fn(6, 6, |i, j| if i > 0 && j > 0 { inner[(i - 1, j - 1)] } else { 0.0 });
        assert_eq!(find(&a).dim(), 2);
    }

    #[test]
    fn a_dense_basis_does_not_hide_a_zero_behind_stiff_springs() {
        // Two springs of very different stiffness; the direction (1, 1, 1) is free in any orthonormal coordinates.
        let a = dense::from_rows(&[&[1e9, -1e9, 0.0], &[-1e9, 1e9 + 1.0, -1.0], &[0.0, -1.0, 1.0]]);
        let turn = dense::from_rows(&[&[2.0, -2.0, 1.0], &[1.0, 2.0, 2.0], &[2.0, 1.0, -2.0]]);
        let turn = dense::scale(1.0 / 3.0, &turn);
        let reduced = dense::mul_transpose(&turn, &dense::mul(&a, &turn));
        let kernel =
            Kernel::find(&reduced, Given { a: &a, lift: Some(&turn), lift_left: None }, 1e-12).unwrap();
        assert_eq!(kernel.dim(), 1);
    }

    #[test]
    fn a_soft_ground_spring_is_no_zero() {
        let mut a = chain(6, 1e6);
        a[(5, 5)] += 1e-3;
        assert_eq!(find(&a).dim(), 0);
    }

    #[test]
    fn left_and_right_directions_of_an_unsymmetric_matrix() {
        // Rank one: x = (1, -1, 0), (0, 0, 1); y orthogonal to (1, 2, 3).
        let a = dense::from_rows(&[&[1.0, 1.0, 0.0], &[2.0, 2.0, 0.0], &[3.0, 3.0, 0.0]]);
        let kernel = find(&a);
        assert_eq!(kernel.dim(), 2);
        assert!(norms::max_abs(&dense::mul(&a, &kernel.right)) < 1e-14);
        assert!(norms::max_abs(&dense::mul_transpose(&kernel.left, &a)) < 1e-14);
    }

    #[test]
    fn a_regular_matrix_has_none() {
        assert_eq!(find(&dense::diagonal(&[1.0, -2.0, 1e-6])).dim(), 0);
        assert_eq!(find(&dense::zeros(3, 3)).dim(), 3);
        assert_eq!(find(&dense::zeros(0, 0)).dim(), 0);
    }

    #[test]
    fn a_direction_near_the_tolerance_is_reported() {
        let kernel = find(&dense::from_rows(&[&[1.0, -1.0], &[1.0, -1.0 - 1e-10]]));
        assert!(kernel.dim() == 0 && kernel.nearly.is_some());
        // Of a symmetric matrix that is proved definite nothing is near.
        let kernel = find(&dense::from_rows(&[&[1.0, -1.0], &[-1.0, 1.0 + 1e-10]]));
        assert!(kernel.dim() == 0 && kernel.nearly.is_none());
    }
}
