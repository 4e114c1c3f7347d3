//! Multipliers many decades below the largest, whose digits the product of the matrices of all steps loses.
//!
//! ```text
//! D_k Q_k = Q_(k+1) R_k,   Q_0 = Q_N a period earlier,   mu = eigenvalues of the diagonal blocks of R_(N-1) .. R_1 R_0
//! ```
//!
//! It is the periodic Schur form by orthogonal iteration, once round in a step of it: directions D that go along with the motion are made
//! orthonormal at every step, and what is upper triangular stays so in the product, whose blocks are the products of their own blocks.
//! A block has the multipliers that no gap of some decades parts from each other; the iteration takes such a gap off what is wrong with every
//! round. Logarithms of the sizes are summed apart, so that nothing underflows. Steps that resolve the motion need not resolve what decays
//! within one of them, so that they are doubled until the logarithms stay.

use crate::arc::Frame;
use crate::error::PeriodicError;
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

/// Multipliers below this share of the norm of the monodromy matrix, or of one, are sought here.
const SMALL: f64 = 1e-5;
/// Natural logarithm of the least gap between blocks, three decades.
const GAP: f64 = 6.9;
/// Rounds before steps are doubled: each takes a gap off what is wrong.
const ROUNDS: usize = 4;
/// Change of a logarithm by doubling the steps that is small enough.
const SETTLED: f64 = 1e-9;

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
    let mut way = Round { q: dense::identity(orbit.frame.size()), blocks: Vec::new() };
    for _ in 0..ROUNDS {
        if way.round(stepper, orbit, 1, options)?.is_none() {
            return Ok(Vec::new());
        }
    }
    let (mut last, mut finer): (Vec<c64>, usize) = (Vec::new(), 1);
    loop {
        let Some(logarithms) = way.round(stepper, orbit, finer, options)? else { return Ok(Vec::new()) };
        let found: Vec<c64> = logarithms.into_iter().filter(|l| l.re < (SMALL * whole).ln()).collect();
        if found.len() == last.len() {
            let changes: Vec<f64> = found.iter().zip(&last).map(|(a, b)| change(*a, *b)).collect();
            let settled = changes.iter().all(|c| *c <= SETTLED);
            if settled || 2 * finer * orbit.steps > options.most_steps {
                let rounding = 4.0 * f64::EPSILON * (finer * orbit.steps) as f64;
                let all = found.into_iter().zip(changes);
                let all = all.map(|(logarithm, change)| Decayed { logarithm, error: change + rounding });
                return Ok(all.collect());
            }
        } else if 2 * finer * orbit.steps > options.most_steps {
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
    /// Columns of the blocks.
    blocks: Vec<Range<usize>>,
}

/// The product of the blocks on one place of the diagonal, with the logarithm of what it has been divided by.
struct Block {
    columns: Range<usize>,
    product: Dense,
    logarithm: f64,
}

impl Round {
    /// Once round in so many steps for each of the orbit's: logarithms of all multipliers, the largest first, of the blocks of the round
    /// before; none where directions vanish.
    fn round(
        &mut self,
        stepper: &mut Stepper<'_>,
        orbit: &Orbit,
        finer: usize,
        options: &OrbitOptions,
    ) -> Result<Option<Vec<c64>>, PeriodicError> {
        let size = self.q.ncols();
        let begin = orbit.frame.directions();
        let of = |x: &Dense| dense::mul(x, &self.q);
        let mut directions = Directions { x: of(&begin.x), v: of(&begin.v), parameter: false };
        let block = |columns: &Range<usize>| Block {
            product: dense::identity(columns.len()),
            columns: columns.clone(),
            logarithm: 0.0,
        };
        let mut blocks: Vec<Block> = self.blocks.iter().map(block).collect();
        let mut sizes = vec![0.0; size];
        let mut take = |r: &Dense| -> bool {
            sizes.iter_mut().enumerate().for_each(|(j, s)| *s += r[(j, j)].ln());
            for b in &mut blocks {
                b.take(r);
            }
            (0..size).all(|j| r[(j, j)] > 0.0 && r[(j, j)].is_finite())
        };
        let rate = orbit.frame.rate;
        if !take(&orthonormal(&mut directions, rate)) {
            return Ok(None);
        }
        for (from, to) in orbit.states.iter().zip(orbit.states.iter().skip(1)) {
            options.watch.look()?;
            let h = (to.t - from.t) / finer as f64;
            let mut state = from.clone();
            for _ in 0..finer {
                state = stepper.step(&state, h, Some(&mut directions))?;
                if !take(&orthonormal(&mut directions, rate)) {
                    return Ok(None);
                }
            }
        }
        let end: Frame = if orbit.ignorable.ncols() == 0 {
            orbit.frame.clone()
        } else {
            orbit.frame.turned(stepper.dynamics.model, &orbit.displacement)
        };
        let none = Dense::zeros(0, size);
        let mut closed = Directions { x: end.coordinates_of(&directions), v: none, parameter: false };
        if !take(&orthonormal(&mut closed, 1.0)) {
            return Ok(None);
        }
        self.q = closed.x;
        let mut out = Vec::new();
        for b in &blocks {
            let values = GeneralEigen::values(&b.product)?;
            out.extend(values.iter().map(|s| s.ln() + b.logarithm));
        }
        out.sort_by(|a, b| b.re.total_cmp(&a.re).then(b.im.total_cmp(&a.im)));
        self.blocks = parted(&sizes);
        Ok(Some(out))
    }
}

impl Block {
    fn take(&mut self, r: &Dense) {
        let (from, n) = (self.columns.start, self.columns.len());
        let own = Dense::from_fn(n, n, |i, j| r[(from + i, from + j)]);
        self.product = dense::mul(&own, &self.product);
        let largest = norms::max_abs(&self.product);
        if largest > 0.0 && largest.is_finite() {
            self.product = dense::scale(largest.recip(), &self.product);
            self.logarithm += largest.ln();
        }
    }
}

/// The columns of blocks with a gap between all logarithms before and all behind.
fn parted(sizes: &[f64]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut begin = 0;
    for end in 1..=sizes.len() {
        let least = sizes[begin..end].iter().copied().fold(f64::INFINITY, f64::min);
        let most = sizes[end..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least - most > GAP {
            out.push(begin..end);
            begin = end;
        }
    }
    out
}

/// Makes the columns [x; v / rate] orthonormal, in their order, and gives R, upper triangular (Gram and Schmidt, twice).
fn orthonormal(directions: &mut Directions, rate: f64) -> Dense {
    let n = directions.x.nrows();
    let all = dense::vstack(&[&directions.x, &dense::scale(rate.recip(), &directions.v)]);
    let size = all.ncols();
    let mut r = Dense::zeros(size, size);
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(size);
    for j in 0..size {
        let mut x = dense::column(&all, j);
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
    directions.x = Dense::from_fn(n, size, |i, j| done[j][i]);
    directions.v = Dense::from_fn(directions.v.nrows(), size, |i, j| rate * done[j][n + i]);
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_parted_where_all_before_are_larger_than_all_behind() {
        assert_eq!(parted(&[0.0, -1.0, -10.0, -20.0, -18.0]), [0..2, 2..3, 3..5]);
        assert_eq!(parted(&[-10.0, 0.0, -30.0]), [0..2, 2..3]);
        assert!(parted(&[]).is_empty());
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
