//! Undamped symmetric problems whose eigenvalues spread wider than double precision, in double-double precision.
//!
//! ```text
//! A = X^T K X,   B = X^T M X,   B = L L^T,   L^-1 A L^-T = V W V^T (Jacobi),   X <- X L^-T V
//! ```
//!
//! until A is diagonal and B the identity to the 32 digits of the arithmetic. A spring 1e16 times as stiff as another leaves the low modes
//! none of 16 digits; Jacobi's rotations err relative to the entries they meet, not to the largest (Demmel and Veselic, SIAM J. Matrix
//! Anal. Appl. 13, 1992), and A and B are formed anew from the matrices as given. What is claimed rests on these two alone:
//!
//! ```text
//! |A - W|_ij <= f_ij,   |B - I| <= h,   eta(tau) = max_i sum_j f_ij / sqrt((|w_i| + tau) (|w_j| + tau))
//! w_i - eta (|w_i| + tau) <= w <= w_i + eta (|w_i| + tau)   of A, for any tau;   w / (1 + h) .. w / (1 - h)   of A and B
//! ```
//!
//! f and h hold the rounding of the forms. With h < 1 the X are independent and M is positive definite (Sylvester), and the i-th value belongs
//! to the i-th eigenvalue (Weyl; Veselic and Slapnicar, Linear Algebra Appl. 195, 1993): whatever the vectors, a bound that holds is left,
//! and two that are not orthogonal in M and in K show in it. Sizes: k x k.

mod matrix;

use mb_algebra::{Dense, c64, norms};

use super::raw::{Kind, Raw};
use crate::numeric::double_double::number::{DoubleDouble, UNIT};
use crate::numeric::equilibrated;
use crate::tuning;
use matrix::Square;

/// Quotient of extreme w from which on double precision leaves the lowest no digits, but for a few.
const WIDE: f64 = 1.0 / tuning::MANY_ROUNDINGS;

/// Whether a spectrum, as found in double precision, spreads so far that rounding of its largest values reaches the lowest ones.
pub(super) fn is_wide(w: impl Iterator<Item = f64>) -> bool {
    let (low, high) =
        w.map(f64::abs).fold((f64::INFINITY, 0.0_f64), |(low, high), w| (low.min(w), high.max(w)));
    high > WIDE * low
}

/// All modes of K x = w M x for matrices as given, with proved bounds; none where M is not positive definite.
///
/// `zeros`: how many of the values count as zero, those of smallest magnitude.
pub(super) fn solve(m: &Dense, k: &Dense, zeros: usize) -> Option<Vec<Raw>> {
    let (m, k) = (Square::symmetric(m), Square::symmetric(k));
    let mut x = Square::identity(m.size());
    let mut best: Option<(f64, Square, Proof)> = None;
    // Each round starts from the matrices as given and gains the digits that the one before has left.
    for _ in 0..tuning::FEW_STEPS {
        let (a, b) = (k.congruent(&x), m.congruent(&x));
        let factor = b.cholesky()?;
        let mut reduced = a.reduced(&factor);
        let turn = reduced.jacobi();
        x = x.times(&factor.solve_transpose(&turn));
        let proof = Proof::of(&m, &k, &x)?;
        let error = proof.relative();
        let gained = best.as_ref().is_none_or(|(before, ..)| error < *before);
        if gained {
            best = Some((error, x.clone(), proof));
        }
        if !gained || error <= tuning::TWICE * tuning::FEW_ROUNDINGS {
            break;
        }
    }
    let (_, x, proof) = best?;
    Some(proof.raws(&x, zeros))
}

/// Values with what is proved of them.
struct Proof {
    w: Vec<f64>,
    /// Distance from w to the eigenvalue of the same place in the order.
    bounds: Vec<f64>,
}

impl Proof {
    fn of(m: &Square, k: &Square, x: &Square) -> Option<Self> {
        let n = x.size();
        let (a, b) = (k.congruent(x), m.congruent(x));
        // Two sums of n products each, of numbers and of their magnitudes, whose own rounding the rest covers.
        let unit = (2 * n + 16) as f64 * UNIT;
        let [of_a, of_b] = [k, m].map(|of| of.magnitudes_congruent(x));
        let w: Vec<f64> = (0..n).map(|i| a.at(i, i).high).collect();
        let error = |sum: DoubleDouble, of: &Dense, i, j| sum.abs().high + unit * of[(i, j)];
        let off_a = Dense::from_fn(n, n, |i, j| {
            let exact = if i == j { w[i].into() } else { DoubleDouble::default() };
            error(a.at(i, j) - exact, &of_a, i, j)
        });
        let h = (0..n).map(|i| -> f64 {
            let one = |j| if i == j { DoubleDouble::ONE } else { DoubleDouble::default() };
            (0..n).map(|j| error(b.at(i, j) - one(j), &of_b, i, j)).sum()
        });
        let h = h.fold(0.0, f64::max) * (1.0 + tuning::SOLVE_ROUNDINGS);
        let finite = h < tuning::MAINLY && w.iter().all(|w| w.is_finite());
        if !finite {
            return None;
        }
        let eta = |tau: f64| {
            let size: Vec<f64> = w.iter().map(|w| (w.abs() + tau).sqrt()).collect();
            let sum = |i: usize| -> f64 { (0..n).map(|j| off_a[(i, j)] / size[j]).sum::<f64>() / size[i] };
            (0..n).map(sum).fold(0.0, f64::max)
        };
        let mut shifts: Vec<f64> = w.iter().map(|w| w.abs()).chain((0..n).map(|i| off_a[(i, i)])).collect();
        shifts.retain(|tau| *tau > 0.0);
        shifts.sort_by(f64::total_cmp);
        shifts.dedup();
        let shifts: Vec<(f64, f64)> = shifts.into_iter().map(|tau| (tau, eta(tau))).collect();
        let bound = |w: &f64| {
            let each = shifts.iter().filter(|(_, eta)| *eta < 1.0).map(|(tau, eta)| eta * (w.abs() + tau));
            let of_a = each.fold(f64::INFINITY, f64::min);
            // One more rounding of each sum.
            (of_a + h / (1.0 - h) * (w.abs() + of_a)) * (1.0 + tuning::SOLVE_ROUNDINGS)
        };
        let bounds = w.iter().map(bound).collect();
        Some(Self { w, bounds })
    }

    /// The largest bound relative to its value.
    fn relative(&self) -> f64 {
        let each = self.w.iter().zip(&self.bounds).map(|(w, bound)| bound / w.abs());
        each.fold(0.0, |most, error| if error.is_nan() { f64::INFINITY } else { most.max(error) })
    }

    /// Two eigenvalues for every w, with the bounds of s.
    fn raws(&self, x: &Square, zeros: usize) -> Vec<Raw> {
        let n = self.w.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|i, j| self.w[*i].abs().total_cmp(&self.w[*j].abs()));
        let mut out = Vec::with_capacity(2 * n);
        for (place, i) in order.into_iter().enumerate() {
            let (w, bound) = (self.w[i], self.bounds[i]);
            let shape: Vec<f64> = (0..n).map(|row| x.at(row, i).high).collect();
            if place < zeros {
                let known = Some((w.abs() + bound).sqrt());
                let raw = Raw { bound: known, ..Raw::structural(Kind::Zero, &shape, None, 2, 1.0) };
                out.extend([raw.clone(), raw]);
                continue;
            }
            let s = w.abs().sqrt();
            // Beyond zero eigenvalues leave the axis.
            let of_s = if bound < w.abs() { bound / s } else { s + (w.abs() + bound).sqrt() };
            let known = Some(of_s + tuning::FEW_ROUNDINGS * s);
            let shape = crate::numeric::vectors::complex(&shape);
            let of =
                |s: c64, mirror: bool| Raw { bound: known, ..Raw::finite(s, shape.clone(), None, mirror) };
            if w > 0.0 {
                out.push(of(c64::new(0.0, s), true));
            } else {
                out.extend([of(c64::new(s, 0.0), false), of(c64::new(-s, 0.0), false)]);
            }
        }
        out
    }
}

/// Whether a symmetric matrix as written is positive definite, whatever rounding did in a factorization in double-double precision:
/// vanishing.rs, with the unit of that arithmetic.
pub(super) fn is_definite(a: &Dense) -> bool {
    let n = a.nrows();
    if norms::max_abs(a) == 0.0 || (0..n).any(|i| a[(i, i)] <= 0.0) {
        return false;
    }
    let d: Vec<f64> = (0..n).map(|i| (-0.5 * a[(i, i)].log2()).round().exp2()).collect();
    let even = equilibrated::scaled(a, &d);
    let trace: f64 = (0..n).map(|i| even[(i, i)]).sum();
    // Operations of an entry in a row, and those of the trace and the subtraction.
    let moved = 2.0 * (n + 4) as f64 * UNIT * trace;
    Square::symmetric(&even).shifted(-moved).cholesky().is_some()
}
