//! Multipliers many decades below the largest, whose digits the product of the matrices of all steps loses.
//!
//! ```text
//! D_k Q_k = Q_(k+1) R_k,   C = Q_0^T Q_N,   Q_0^T M Q_0 = C R_(N-1) .. R_1 R_0 = S
//! one sweep:   R_0 C = Z_1 R_0',   R_k Z_k = Z_(k+1) R_k',   C' = Z_N   (C^T S C = C' R_(N-1)' .. R_0')
//! mu = eigenvalues of C_bb (R_(N-1) .. R_0)_bb,   b the blocks that C does not couple
//! ```
//!
//! It is the periodic Schur form by orthogonal iteration: directions D that go along with the motion are made orthonormal at every step, and
//! sweeps of the cyclic QR iteration push what is left of C through the triangular factors until it couples no multipliers of different
//! size. What stays in C is the sign of a real multiplier, and the turn of a complex pair, which is a block of two. What couples
//! blocks still is in the errors.
//! Logarithms of the sizes are summed apart, so that nothing underflows. Steps that resolve the motion need not resolve what decays
//! within one of them, so that they are doubled until the logarithms stay.

use crate::arc::Frame;
use crate::error::PeriodicError;
use crate::floquet::condition;
use crate::orbit::{Orbit, OrbitOptions};
use crate::step::{Directions, Stepper};
use mb_algebra::{Dense, GeneralEigen, c64, dense, norms};
use std::ops::Range;

/// A multiplier by its logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decayed {
    /// ln(mu), principal branch.
    pub logarithm: c64,
    /// Estimate of its error: what the last round, with twice the steps, has changed in it.
    pub error: f64,
}

impl Decayed {
    /// mu, with nothing beside the real axis where it is real.
    pub fn value(&self) -> c64 {
        let (size, angle) = (self.logarithm.re.exp(), self.logarithm.im);
        if angle.abs() >= std::f64::consts::PI { c64::new(-size, 0.0) } else { c64::from_polar(size, angle) }
    }
}

/// Multipliers below this share of the norm of the monodromy matrix, or of one, are sought here.
const SMALL: f64 = 1e-5;
/// Natural logarithm of the spread of sizes in a block that costs few digits, and in a product of factors: three decades.
const GAP: f64 = 6.9;
/// Rounds before steps are doubled: each takes what parts the largest multipliers from the smallest off what is wrong.
const ROUNDS: usize = 2;
/// Change of a logarithm by doubling the steps that is small enough.
const SETTLED: f64 = 1e-9;
/// Entries of C below this do not join blocks; sweeps take them down to rounding.
const COUPLED: f64 = 1e-8;
/// Most sweeps: as many as part multipliers with the ratio 3/4 to [`COUPLED`], and most operations in all of them.
const SWEEPS: usize = 64;
const WORK: f64 = 2e10;

/// The multipliers of an orbit that have decayed, the largest first, with all smaller ones; none where directions vanish in a step.
///
/// # Errors
/// As [`Stepper::step`].
pub(crate) fn decayed(
    stepper: &mut Stepper<'_>,
    orbit: &Orbit,
    options: &OrbitOptions,
) -> Result<Vec<Decayed>, PeriodicError> {
    let whole = norms::frobenius(&orbit.monodromy).max(1.0);
    let small = |s: &c64| s.norm() < SMALL * whole;
    if !GeneralEigen::values(&orbit.monodromy)?.iter().any(small) {
        return Ok(Vec::new());
    }
    let mut way = Round { q: dense::identity(orbit.frame.size()) };
    for _ in 0..ROUNDS {
        if way.round(stepper, orbit, 1, options)?.is_none() {
            return Ok(Vec::new());
        }
    }
    let (mut last, mut finer): (Vec<Decayed>, usize) = (Vec::new(), 1);
    loop {
        let Some(logarithms) = way.round(stepper, orbit, finer, options)? else { return Ok(Vec::new()) };
        let mut found: Vec<Decayed> =
            logarithms.into_iter().filter(|d| d.logarithm.re < (SMALL * whole).ln()).collect();
        let more = 2 * finer * orbit.steps <= options.most_steps;
        if found.len() == last.len() {
            let changes: Vec<f64> =
                found.iter().zip(&last).map(|(a, b)| change(a.logarithm, b.logarithm)).collect();
            if !more || changes.iter().all(|c| *c <= SETTLED) {
                found.iter_mut().zip(changes).for_each(|(d, c)| d.error += c);
                return Ok(found);
            }
        } else if !more {
            return Ok(Vec::new());
        }
        last = found;
        finer *= 2;
    }
}

/// The distance of logarithms, whose imaginary parts count to whole turns.
fn change(a: c64, b: c64) -> f64 {
    let turn = (a.im - b.im).rem_euclid(std::f64::consts::TAU);
    (a.re - b.re).hypot(turn.min(std::f64::consts::TAU - turn))
}

/// Where the iteration is.
struct Round {
    /// Orthonormal directions in the coordinates of states at the start.
    q: Dense,
}

impl Round {
    /// Once round in so many steps for each of the orbit's: logarithms of all multipliers with their rounding, the largest first; none where
    /// directions vanish.
    fn round(
        &mut self,
        stepper: &mut Stepper<'_>,
        orbit: &Orbit,
        finer: usize,
        options: &OrbitOptions,
    ) -> Result<Option<Vec<Decayed>>, PeriodicError> {
        let size = self.q.ncols();
        let begin = orbit.frame.directions();
        let of = |x: &Dense| dense::mul(x, &self.q);
        let mut directions = Directions { x: of(&begin.x), v: of(&begin.v), parameter: false };
        let mut factored = Factored::new(size);
        let rate = orbit.frame.rate;
        if !factored.take(orthonormal(&mut directions, rate)) {
            return Ok(None);
        }
        for (from, to) in orbit.states.iter().zip(orbit.states.iter().skip(1)) {
            options.watch.look()?;
            let h = (to.t - from.t) / finer as f64;
            let mut state = from.clone();
            for _ in 0..finer {
                state = stepper.step(&state, h, Some(&mut directions))?;
                if !factored.take(orthonormal(&mut directions, rate)) {
                    return Ok(None);
                }
            }
        }
        let end: Frame = if orbit.ignorable.ncols() == 0 {
            orbit.frame.clone()
        } else {
            orbit.frame.turned(stepper.dynamics.model, &orbit.displacement)
        };
        let (closed, r) = gram_schmidt(&end.coordinates_of(&directions));
        if !factored.take(r) {
            return Ok(None);
        }
        factored.closing = dense::mul_transpose(&self.q, &closed);
        let Some(turned) = factored.part(options)? else { return Ok(None) };
        self.q = gram_schmidt(&dense::mul(&self.q, &turned)).0;
        factored.logarithms().map(Some)
    }
}

/// An orthogonal matrix times upper triangular ones, C R_(N-1) .. R_0, and the logarithm of a common factor.
struct Factored {
    /// C.
    closing: Dense,
    /// R_k, the first first; neighbours are multiplied where that costs no digits.
    factors: Vec<Dense>,
    logarithm: f64,
    /// How many there were before.
    taken: usize,
}

impl Factored {
    fn new(size: usize) -> Self {
        Self { closing: dense::identity(size), factors: Vec::new(), logarithm: 0.0, taken: 0 }
    }
    /// One more triangular factor; false where it is singular or not finite.
    fn take(&mut self, r: Dense) -> bool {
        let regular = |r: &Dense| (0..r.nrows()).all(|j| r[(j, j)] > 0.0 && r[(j, j)].is_finite());
        if !regular(&r) {
            return false;
        }
        self.taken += 1;
        let joined = self.factors.last().map(|before| dense::mul(&r, before));
        let mut factor = match joined.filter(|r| regular(r) && spread(&diagonal(r)) <= GAP) {
            Some(joined) => {
                self.factors.pop();
                joined
            }
            None => r,
        };
        let largest = norms::max_abs(&factor);
        if !largest.is_finite() {
            return false;
        }
        factor = dense::scale(largest.recip(), &factor);
        self.logarithm += largest.ln();
        self.factors.push(factor);
        true
    }
    /// Logarithms of the diagonal of the triangular product, but for the common factor.
    fn sizes(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.closing.nrows()];
        for r in &self.factors {
            out.iter_mut().zip(diagonal(r)).for_each(|(s, d)| *s += d);
        }
        out
    }
    /// The columns of blocks that C does not couple.
    fn blocks(&self) -> Vec<Range<usize>> {
        let c = &self.closing;
        let (size, mut begin, mut out) = (c.nrows(), 0, Vec::new());
        for end in 1..=size {
            let couples = (end..size).any(|i| (0..end).any(|j| c[(i, j)].abs() > COUPLED));
            if !couples {
                out.push(begin..end);
                begin = end;
            }
        }
        out
    }
    /// The largest entry of C that couples one block to another.
    fn coupling(&self) -> f64 {
        let (c, mut out) = (&self.closing, 0.0_f64);
        for b in self.blocks() {
            for j in b.clone() {
                out = (b.end..c.nrows()).map(|i| c[(i, j)].abs()).fold(out, f64::max);
            }
        }
        out
    }
    /// Sweeps until the sizes in every block are alike, or no more sweeps are allowed: the directions in which that is so; none where
    /// factors become singular.
    fn part(&mut self, options: &OrbitOptions) -> Result<Option<Dense>, PeriodicError> {
        let size = self.closing.nrows();
        let mut turned = dense::identity(size);
        let (mut work, mut before) = (0.0, f64::INFINITY);
        for _ in 0..SWEEPS {
            options.watch.look()?;
            let sizes = self.sizes();
            work += 4.0 * (size as f64).powi(3) * self.factors.len() as f64;
            let parted = self.blocks().into_iter().all(|b| spread(&sizes[b]) <= GAP);
            // What still couples blocks decays with every sweep, until it is rounding.
            let coupling = self.coupling();
            if work > WORK || (parted && (coupling <= f64::EPSILON || coupling > 0.5 * before)) {
                break;
            }
            before = if parted { coupling } else { f64::INFINITY };
            turned = dense::mul(&turned, &self.closing);
            for r in &mut self.factors {
                let (z, next) = gram_schmidt(&dense::mul(r, &self.closing));
                if diagonal(&next).iter().any(|d| !d.is_finite()) {
                    return Ok(None);
                }
                (self.closing, *r) = (z, next);
            }
        }
        Ok(Some(turned))
    }
    /// Logarithms of the eigenvalues of all blocks with what rounding changes in them, the largest first.
    fn logarithms(&self) -> Result<Vec<Decayed>, PeriodicError> {
        let unit = 4.0 * f64::EPSILON * self.taken as f64 + self.coupling();
        let mut out = Vec::new();
        for b in self.blocks() {
            let part = |a: &Dense| Dense::from_fn(b.len(), b.len(), |i, j| a[(b.start + i, b.start + j)]);
            let (mut product, mut logarithm) = (dense::identity(b.len()), self.logarithm);
            for r in self.factors.iter().map(part).chain([part(&self.closing)]) {
                product = dense::mul(&r, &product);
                let largest = norms::max_abs(&product);
                if largest > 0.0 && largest.is_finite() {
                    product = dense::scale(largest.recip(), &product);
                    logarithm += largest.ln();
                }
            }
            let eigen = GeneralEigen::new(&product, true)?;
            let noise = unit * norms::frobenius(&product);
            for (j, s) in eigen.values.iter().enumerate() {
                // A real one has no side of the axis.
                let s = if s.im == 0.0 { c64::new(s.re, 0.0) } else { *s };
                // To first order, and as much as a double one changes.
                let off = (condition(&eigen, j) * noise).min((norms::frobenius(&product) * noise).sqrt());
                out.push(Decayed { logarithm: s.ln() + logarithm, error: unit + off / s.norm() });
            }
        }
        out.sort_by(|a, b| {
            let order = b.logarithm.re.total_cmp(&a.logarithm.re);
            order.then(b.logarithm.im.total_cmp(&a.logarithm.im))
        });
        Ok(out)
    }
}

/// Logarithms of the entries on the diagonal.
fn diagonal(r: &Dense) -> Vec<f64> {
    (0..r.nrows()).map(|j| r[(j, j)].ln()).collect()
}

/// The largest less the smallest of some numbers; zero of none.
fn spread(x: &[f64]) -> f64 {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = x.iter().copied().fold(f64::INFINITY, f64::min);
    (most - least).max(0.0)
}

/// Makes the columns [x; v / rate] orthonormal, in their order, and gives R, upper triangular.
fn orthonormal(directions: &mut Directions, rate: f64) -> Dense {
    let n = directions.x.nrows();
    let all = dense::vstack(&[&directions.x, &dense::scale(rate.recip(), &directions.v)]);
    let (q, r) = gram_schmidt(&all);
    let velocities = directions.v.nrows();
    directions.x = Dense::from_fn(n, q.ncols(), |i, j| q[(i, j)]);
    directions.v = Dense::from_fn(velocities, q.ncols(), |i, j| rate * q[(n + i, j)]);
    r
}

/// Orthonormal columns Q and R, upper triangular with a positive diagonal, of a matrix Q R (Gram and Schmidt, twice): unlike reflections it
/// keeps the digits of what is many decades below the rest.
fn gram_schmidt(all: &Dense) -> (Dense, Dense) {
    let size = all.ncols();
    let mut r = Dense::zeros(size, size);
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(size);
    for j in 0..size {
        let mut x = dense::column(all, j);
        for _ in 0..2 {
            for (i, q) in done.iter().enumerate() {
                let along = dense::dot(q, &x);
                x.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
                r[(i, j)] += along;
            }
        }
        let length = norms::two(&x);
        r[(j, j)] = length;
        for x in &mut x {
            *x /= length;
        }
        done.push(x);
    }
    (Dense::from_fn(all.nrows(), size, |i, j| done[j][i]), r)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C R for a rotation by an angle, scaled, beside a small negative number: the pair keeps its argument, the number its sign.
    #[test]
    fn pairs_keep_their_argument_and_real_ones_their_sign() {
        let (angle, size, small) = (2.5_f64, 1e-4, -1e-30);
        let (c, s) = (size * angle.cos(), size * angle.sin());
        // In the order largest last, so that sweeps have to turn it round.
        let whole = dense::from_rows(&[&[small, 0.0, 0.0], &[0.3, c, -s], &[0.2, s, c]]);
        let (q, r) = gram_schmidt(&whole);
        let mut factored = Factored::new(3);
        assert!(factored.take(r));
        factored.closing = q;
        let turned = factored.part(&OrbitOptions::default()).unwrap().unwrap();
        let found = factored.logarithms().unwrap();
        let expected = [c64::new(size.ln(), angle), c64::new(size.ln(), -angle)];
        for (found, expected) in found.iter().zip(expected) {
            assert!(change(found.logarithm, expected) < 1e-10, "{found:?}");
        }
        // What was taken is rounded against the largest.
        assert_eq!(turned.nrows(), 3);
        assert_eq!(found.len(), 3);
    }

    /// A small coupling counts as much as the triangular factors are off normal, so that it is taken to rounding: the small multiplier is the
    /// determinant over the large one, which is the trace but for what is far below it.
    #[test]
    fn small_couplings_beside_large_entries_are_swept_out() {
        let (off, small) = (1e-9_f64, 1e-9);
        let mut factored = Factored::new(2);
        assert!(factored.take(dense::from_rows(&[&[1.0, 1e4], &[0.0, small]])));
        factored.closing = dense::from_rows(&[&[off.cos(), -off.sin()], &[off.sin(), off.cos()]]);
        let trace = off.cos() + off.sin() * 1e4 + off.cos() * small;
        let large = trace - small / trace;
        factored.part(&OrbitOptions::default()).unwrap().unwrap();
        let found = factored.logarithms().unwrap();
        assert!((found[0].logarithm.re - large.ln()).abs() < 1e-14, "{found:?}");
        assert!((found[1].logarithm.re - (small / large).ln()).abs() < 1e-12, "{found:?}");
    }

    /// Two factors, each with a small negative multiplier of its own: the product is positive, and one of them alone negative.
    #[test]
    fn signs_of_small_real_ones_are_those_of_the_product() {
        for (turn, sign) in [(1.0, 0.0), (-1.0, std::f64::consts::PI)] {
            let mut factored = Factored::new(2);
            for _ in 0..20 {
                assert!(factored.take(dense::from_rows(&[&[1.0, 0.7], &[0.0, 1e-9]])));
            }
            factored.closing = dense::from_rows(&[&[1.0, 0.0], &[0.0, turn]]);
            factored.part(&OrbitOptions::default()).unwrap().unwrap();
            let found = factored.logarithms().unwrap();
            assert!((found[1].logarithm.im - sign).abs() < 1e-15);
            assert!((found[1].logarithm.re - 20.0 * 1e-9_f64.ln()).abs() < 1e-11);
        }
    }

    #[test]
    fn directions_become_orthonormal_in_their_order() {
        let x = dense::from_rows(&[&[3.0, 1.0], &[0.0, 2.0]]);
        let v = dense::from_rows(&[&[8.0, 2.0]]);
        let mut directions = Directions { x: x.clone(), v: v.clone(), parameter: false };
        let r = orthonormal(&mut directions, 2.0);
        let back = (dense::mul(&directions.x, &r), dense::mul(&directions.v, &r));
        assert!(norms::max_abs(&(&back.0 - &x)) < 1e-15 && norms::max_abs(&(&back.1 - &v)) < 1e-14);
        assert_eq!((r[(1, 0)], r[(0, 0)]), (0.0, 5.0));
    }
}
