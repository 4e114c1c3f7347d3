//! A problem without some of its eigenvalues: those of directions Z along which y = Z exp(J t) u is a motion for every u, whatever
//! the entries of the matrices have been rounded to,
//!
//! ```text
//! K Z + C Z J + M Z J^2 + Phi_q^T l = 0,   Phi_q Z = 0,   J = 0 or blocks [0 w; -w 0]
//! ```
//!
//! With T = [W Z], W unit vectors of the other coordinates, and x = W b + Z (s - J)^-1 p,
//!
//! ```text
//! T^T (s^2 M + s C + K) x + (Phi_q T)^T l = (s^2 M' + s C' + K') (b, p) + Phi'^T l
//! M' = T^T [M W  0],   C' = T^T [C W  M Z],   K' = T^T [K W  C Z + M Z J],   Phi' = [Phi_q W  0]
//! ```
//!
//! is a problem of the same form: the eigenvalues of J are gone, as many infinite ones have come, and nothing else has changed. A second
//! eigenvalue that shares a vector of Z, and eigenvalues near those of J, which nearly do, have vectors of their own there, so that
//! rounding moves them by its own size and not by a root of it. For J = 0 this is the elimination of ignorable coordinates: Routh, A
//! Treatise on the Stability of a Given State of Motion (1877).

use mb_algebra::{Dense, QuadraticPencil, c64, dense, norms};

use super::completed::Completed;
use crate::numeric::vectors::{self, ZERO, abs, inner};
use crate::{Class, Eigenpair, tuning};

/// A problem without some eigenvalues, and the way back to that with them.
pub(super) struct Apart {
    pub(super) pencil: QuadraticPencil,
    /// By how much entries of its M', C' and K' may be off.
    pub(super) off: [Dense; 3],
    pub(super) completed: Completed,
    /// M and C of the whole problem.
    rates: [Dense; 2],
    /// w of each two columns of Z; none where J = 0.
    pub(super) speeds: Vec<f64>,
    /// Columns of Z.
    pub(super) k: usize,
}

impl Apart {
    /// `off`: by how much entries of M, C and K may be off, n x n each; the first `rounded` columns of Z, and all of pairs, are rounded where
    /// they are no axes; the last `massless` coordinates are none of W's pivots. None where the directions depend on each other.
    pub(super) fn new(
        pencil: &QuadraticPencil,
        z: &Dense,
        speeds: &[f64],
        rounded: usize,
        massless: usize,
        off: &[Dense; 3],
    ) -> Option<Self> {
        let k = z.ncols();
        let completed = Completed::of(z, &pencil.m, massless)?;
        let w = completed.others_of_identity();
        let t = &completed.t;
        // Rounding of the sums, and of a direction that is no axis as well.
        let size = rounded_size(z, if speeds.is_empty() { rounded } else { k });
        let entries =
            |a: &Dense, off: &Dense| dense::add(tuning::SUM_ROUNDINGS, &vectors::magnitudes(a), 1.0, off);
        let [em, ec, ek] = [(&pencil.m, &off[0]), (&pencil.c, &off[1]), (&pencil.k, &off[2])]
            .map(|(a, off)| entries(a, off));
        let off = blocks(
            &vectors::magnitudes(t),
            &w,
            &size,
            &vectors::magnitudes(&in_turn(&size, speeds)),
            [&em, &ec, &ek],
        );
        let made = blocks(t, &w, z, &in_turn(z, speeds), [&pencil.m, &pencil.c, &pencil.k]);
        let [m, c, stiffness] = [0, 1, 2].map(|i: usize| exact_part(&made[i], &off[i]));
        let phi_q = dense::hstack(&[&dense::mul(&pencil.phi_q, &w), &Dense::zeros(pencil.phi_q.nrows(), k)]);
        let rates = [pencil.m.clone(), pencil.c.clone()];
        let pencil = QuadraticPencil { m, c, k: stiffness, phi_q };
        Some(Self { pencil, off, completed, rates, speeds: speeds.to_vec(), k })
    }

    /// The eigenpair in all coordinates: its right vector times the distance d of s to the nearest eigenvalue of J where that is
    /// finite, d W b + d Z (s - J)^-1 p.
    pub(super) fn back(&self, pair: &Eigenpair) -> Eigenpair {
        let (b, p) = pair.right.split_at(pair.right.len() - self.k);
        let mut out = pair.clone();
        let one = c64::new(1.0, 0.0);
        let (share, along, scale) = match pair.value() {
            Some(s) if !self.speeds.is_empty() => {
                let (share, along) = self.turned(s, p);
                (share, along, share)
            }
            Some(s) if abs(s) > 0.0 => (s, p.to_vec(), s),
            // A zero with a part of p shares its vector with one of Z and stands behind it.
            Some(_) if largest(p) > tuning::CBRT_EPS * largest(b) => {
                out.chain = 2;
                (ZERO, p.to_vec(), one)
            }
            _ => (one, vec![ZERO; self.k], one),
        };
        let both: Vec<c64> = b.iter().map(|b| b * share).chain(along).collect();
        let mut right = dense::matvec_complex(&self.completed.t, &both);
        let place = (0..right.len()).max_by(|i, j| abs(right[*i]).total_cmp(&abs(right[*j]))).unwrap_or(0);
        let before = right.get(place).copied().unwrap_or(ZERO);
        vectors::normalize(&mut right);
        let factor = if abs(before) > 0.0 { right[place] / before * scale } else { scale };
        let mut left = dense::matvec_complex(&self.completed.t, &pair.left);
        let [m, c] = &self.rates;
        let slope = pair.value().map(|s| inner(&left, &slope(m, c, s, &right)));
        let slope = slope.filter(|slope| abs(*slope) > 0.0 && pair.class == Class::Physical);
        let size = norms::two_complex(&left);
        let length = c64::new(if size > 0.0 { size.recip() } else { 1.0 }, 0.0);
        let unit = slope.map_or(length, |slope| slope.conj().inv());
        vectors::scale(&mut left, unit);
        out.multipliers = pair.multipliers.iter().map(|l| l * factor).collect();
        out.left_multipliers = pair.left_multipliers.iter().map(|l| l * unit).collect();
        (out.right, out.left) = (right.into(), left.into());
        out
    }

    /// The distance d of s to the nearest eigenvalue of J, and d (s - J)^-1 p.
    fn turned(&self, s: c64, p: &[c64]) -> (c64, Vec<c64>) {
        let away = |w: &f64| [s - c64::new(0.0, *w), s + c64::new(0.0, *w)];
        let all = self.speeds.iter().flat_map(away);
        let share = all.min_by(|x, y| abs(*x).total_cmp(&abs(*y))).unwrap_or(s);
        let mut out = Vec::with_capacity(p.len());
        for (w, p) in self.speeds.iter().zip(p.as_chunks::<2>().0) {
            let [plus, minus] = away(w);
            // share / (plus minus), without the small factor where it is one of them.
            let by = if plus == share {
                minus.inv()
            } else if minus == share {
                plus.inv()
            } else {
                share / (plus * minus)
            };
            out.extend([by * (s * p[0] + p[1] * *w), by * (s * p[1] - p[0] * *w)]);
        }
        (share, out)
    }
}

/// (2 s M + C) x.
pub(super) fn slope(m: &Dense, c: &Dense, s: c64, x: &[c64]) -> Vec<c64> {
    let terms = dense::matvec_complex(m, x).into_iter().zip(dense::matvec_complex(c, x));
    terms.map(|(m, c)| s * m * 2.0 + c).collect()
}

/// The eigenpair, or that of `others` for the same eigenvalue where its bound is narrower; it is taken from them. Far from what was
/// taken apart the problem with it has less rounding of its own.
pub(super) fn narrower(pair: Eigenpair, others: &mut Vec<Eigenpair>) -> Eigenpair {
    let away = |other: &Eigenpair| match (pair.value(), other.value()) {
        (Some(a), Some(b)) => abs(a - b),
        _ => f64::INFINITY,
    };
    let nearest = (0..others.len()).min_by(|i, j| away(&others[*i]).total_cmp(&away(&others[*j])));
    let same = nearest.filter(|i| away(&others[*i]) <= pair.error_bound + others[*i].error_bound);
    match same.map(|i| others.swap_remove(i)) {
        Some(other) if other.error_bound < pair.error_bound => other,
        _ => pair,
    }
}

/// M', C' and K' of M, C and K; `turned` is Z J.
fn blocks(t: &Dense, w: &Dense, z: &Dense, turned: &Dense, [m, c, k]: [&Dense; 3]) -> [Dense; 3] {
    let block = |a: &Dense, of_p: &Dense| dense::mul_transpose(t, &dense::hstack(&[&dense::mul(a, w), of_p]));
    let force = &dense::mul(c, z) + &dense::mul(m, turned);
    [block(m, &Dense::zeros(z.nrows(), z.ncols())), block(c, &dense::mul(m, z)), block(k, &force)]
}

/// Z J.
fn in_turn(z: &Dense, speeds: &[f64]) -> Dense {
    Dense::from_fn(z.nrows(), z.ncols(), |i, j| match speeds.get(j / 2) {
        None => 0.0,
        Some(w) if j % 2 == 0 => -w * z[(i, j + 1)],
        Some(w) => w * z[(i, j - 1)],
    })
}

/// Whether a direction is one of coordinates, whose entries are exact.
pub(super) fn is_exact(direction: &[f64]) -> bool {
    direction.iter().all(|z| [0.0, 1.0].contains(&z.abs()))
}

/// Magnitudes of the entries of directions, of the first `rounded` with what their rounding is relative to: of one that is no axis, the
/// largest entry.
fn rounded_size(z: &Dense, rounded: usize) -> Dense {
    let is_rounded = |j: usize| j < rounded && !is_exact(z.col_as_slice(j));
    let of = |j: usize| if is_rounded(j) { norms::max_abs_vec(z.col_as_slice(j)) } else { 0.0 };
    let largest: Vec<f64> = (0..z.ncols()).map(of).collect();
    Dense::from_fn(z.nrows(), z.ncols(), |i, j| z[(i, j)].abs() + largest[j])
}

/// Entries without those that may be off by all of themselves: a momentum that is kept has rows of zeros.
fn exact_part(x: &Dense, off: &Dense) -> Dense {
    let entry = |i, j| if x[(i, j)].abs() <= off[(i, j)] { 0.0 } else { x[(i, j)] };
    Dense::from_fn(x.nrows(), x.ncols(), entry)
}

fn largest(x: &[c64]) -> f64 {
    x.iter().map(|x| abs(*x)).fold(0.0, f64::max)
}
