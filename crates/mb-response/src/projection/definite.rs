//! How far from zero the form of P is, by what damping takes out of every motion.
//!
//! ```text
//! x* P x = k - w^2 m + i (w c + eta k)      k, m, c: the forms x* K x, x* M x, x* C x;  |x|_X^2 = k + sigma m = 1
//! 0 <= m <= mu,  c >= c_K k + c_M m         a = w c_K + eta
//! m = 0: (1, a)      m = mu: (1 - (sigma + w^2) mu, a (1 - sigma mu) + w c_M mu)
//! ```
//!
//! The form lies on the segment between these two points of the plane or above it. With the point d u of the segment that is nearest to zero,
//! |u| = 1, therefore Re conj(u) x* P x >= d |x|_X^2, and no frequency of a damped band comes near a singular P. mu = tau + rho off the modes
//! that were counted (`coercive.rs`); where none was, mu = 1 / (lambda + sigma) with K >= lambda M. That, and C >= c_K K + c_M M, is
//! shown by the inertia of K - lambda M and of C - c_K K - c_M M on the admissible motions.

use super::Unproved;
use super::space::{Space, times};
use mb_algebra::{Dense, SymmetricEigen, c64, dense};
use std::sync::Arc;

/// Shares of the c_K seen in the space that are tried, and of what then is left for c_M.
const SHARES: [[f64; 2]; 4] = [[0.9, 0.5], [0.9, 0.0], [0.4, 0.0], [0.0, 0.5]];
/// Shares of the lowest value seen in the space below which no mode is sought.
const BELOW: [f64; 3] = [0.8, 0.2, 0.01];
/// Size over sigma of a lambda that free motions have, and of a c_M over c_K sigma, by which rounding does not decide their sign.
const FREE: f64 = 1e-9;
/// Halvings of a number that is sought in the space.
const HALVINGS: u32 = 40;

/// c_K and c_M.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Damping {
    of_stiffness: f64,
    of_mass: f64,
}

impl Damping {
    /// About the largest c_K that the damping of the motions in the space allows, with a share of it taken the largest c_M.
    fn seen(space: &Space<'_>, [of_k, of_m]: [f64; 2]) -> Result<Self, Unproved> {
        let m = dense::symmetric_part(&dense::mul_transpose(&space.xv, &space.of_m.g));
        let k = &dense::identity(m.nrows()) - &dense::scale(space.sigma, &m);
        let of_c = times(&space.parts.symmetric.c, &space.v);
        let c = dense::symmetric_part(&dense::mul_transpose(&space.v, &of_c));
        let of_stiffness = of_k * largest(&c, &k)?;
        let rest = &c - &dense::scale(of_stiffness, &k);
        Ok(Self { of_stiffness, of_mass: of_m * largest(&rest, &m)? })
    }

    /// The least loss factor seen in the space at omega, rad/s.
    pub(super) fn expected(space: &Space<'_>, omega: f64) -> Result<f64, Unproved> {
        let loss = space.response.plant.loss;
        if space.is_undamped() {
            return Ok(loss);
        }
        let seen = Self::seen(space, SHARES[0])?;
        Ok(loss + omega * seen.of_stiffness + seen.of_mass / omega)
    }

    /// What is shown of all motions, from what is seen in the space.
    pub(super) fn proved(space: &mut Space<'_>) -> Result<Self, Unproved> {
        if space.is_undamped() {
            return Ok(Self::default());
        }
        for shares in SHARES {
            let mut of = Self::seen(space, shares)?;
            if of == Self::default() {
                continue;
            }
            if of.of_mass == 0.0 {
                of.of_mass = -FREE * space.sigma * of.of_stiffness;
            }
            let parts = Arc::clone(&space.parts);
            let p = &parts.symmetric;
            if space.is_definite(&[(1.0, &p.c), (-of.of_stiffness, &p.k), (-of.of_mass, &p.m)])? {
                return Ok(of);
            }
        }
        Ok(Self::default())
    }

    /// d and u at omega (rad/s) for m up to `outside`; `loss` is eta. d is none where the form may vanish.
    pub(super) fn distance(self, omega: f64, sigma: f64, loss: f64, outside: f64) -> Option<(f64, c64)> {
        let a = omega.abs() * self.of_stiffness + loss;
        let first = c64::new(1.0, a);
        let last = c64::new(
            1.0 - (sigma + omega * omega) * outside,
            a * (1.0 - sigma * outside) + omega.abs() * self.of_mass * outside,
        );
        let along = last - first;
        let share = if along.norm_sqr() > 0.0 { -(first * along.conj()).re / along.norm_sqr() } else { 0.0 };
        let nearest = first + along * share.clamp(0.0, 1.0);
        // The form may lie above the segment, so that only directions that do not look down are safe.
        let nearest = if nearest.im > 0.0 { nearest } else { c64::new(first.re.min(last.re), 0.0) };
        let d = nearest.norm();
        (d > 0.0 && (nearest.im > 0.0 || nearest.re > 0.0)).then(|| (d, nearest / d))
    }
}

/// A lambda below which no mode lies, counted.
pub(super) fn lowest(space: &mut Space<'_>) -> Result<f64, Unproved> {
    let form = dense::symmetric_part(&dense::mul_transpose(&space.xv, &space.of_m.g));
    let highest = SymmetricEigen::new(&form)?.values.last().copied().unwrap_or(0.0);
    let lowest = 1.0 / highest - space.sigma;
    let shares = BELOW.iter().map(|share| share * lowest).filter(|lambda| *lambda > FREE * space.sigma);
    for lambda in shares.chain([-FREE * space.sigma]).collect::<Vec<_>>() {
        if space.count_below(lambda) == Ok(0) {
            return Ok(lambda);
        }
    }
    Err(Unproved::Stiffness)
}

/// About the largest c with A - c B positive semidefinite; zero where none is.
fn largest(a: &Dense, b: &Dense) -> Result<f64, Unproved> {
    let trace = |a: &Dense| (0..a.nrows()).map(|i| a[(i, i)]).sum::<f64>();
    let holds = |c: f64| -> Result<bool, Unproved> {
        let eigen = SymmetricEigen::new(&(a - &dense::scale(c, b)))?;
        let [least, most] = [eigen.values.first(), eigen.values.last()].map(|x| x.copied().unwrap_or(0.0));
        Ok(least >= -1e-12 * most.abs().max(trace(a).abs()))
    };
    let highest = trace(a) / trace(b);
    if !(highest > 0.0 && highest.is_finite()) {
        return Ok(0.0);
    }
    let (mut low, mut high) = (0.0, highest);
    for _ in 0..HALVINGS {
        // In the logarithm once a bound from below is known.
        let middle = if low > 0.0 { (low * high).sqrt() } else { 0.25 * high };
        if holds(middle)? {
            low = middle;
        } else {
            high = middle;
        }
        if low > 0.9 * high {
            break;
        }
    }
    Ok(low)
}
