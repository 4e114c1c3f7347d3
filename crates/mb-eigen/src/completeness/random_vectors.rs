//! That no mode below a point is missing, shown by random vectors and the corrections that found the modes.
//!
//! ```text
//! A = Q S^-1 M Q,   S = K - sigma M on {Phi_q x = 0},   Q = I - X X^T M,   X^T M X = I,   D = diag M,  M <= c D
//! ```
//!
//! X holds the j modes found. When A has no eigenvalue above t, S^-1 M has j of them at most (Courant and Fischer), whatever the
//! errors of X are: no more than j modes lie below w = sigma + 1 / t.
//!
//! A random vector has something of every eigenvector, and polynomials of A that are large beyond an interval [0, a] and small in
//! it (Chebyshev's T_k) would show what belongs to an eigenvalue above t > a. With h = D^(1/2) r, entries of r spread evenly over
//! -1..1, and v the eigenvector of an eigenvalue lambda of A,
//!
//! ```text
//! v^T M Q S^-1 h = (S^-1 M v)^T h,   |D^(1/2) S^-1 M v| >= lambda / sqrt(c),   |(S^-1 M v)^T h| >= d lambda / sqrt(c)
//! ```
//!
//! the last but for a chance of sqrt(2) d at most, by the largest density such a sum has (Ball, Proc. AMS 97, 1986). Eight vectors
//! that all stay shorter, in the inner product of M, than T_k(2 t / a - 1) d / sqrt(c) times powers of t leave (sqrt(2) d)^8.
//!
//! Solutions z = S^-1 f come from B ~ S^-1, of few digits. With the eigenvalues of F = I - B S between -phi and phi, an application
//! refined r - 1 times is wrong by F^r z, whose part along v is
//!
//! ```text
//! |v^T M F^r z| <= sqrt(lambda) phi^r |z|_S,   |z|_S^2 = z^T f
//! ```
//!
//! which is subtracted from what is granted. phi is bounded in the same way by powers of F on eight other vectors:
//! |F^k r| >= phi^k |u^T r| / |u| for its left eigenvector u.
//!
//! About fifteen applications to eight vectors take the place of a second factorization. Sizes: X n x j, vectors n x 8.

use faer::MatRef;
use mb_algebra::Dense;

use crate::krylov::davidson::Corrected;
use crate::krylov::scalar::{Scalar, start_block, subtract};
use crate::tuning;

/// What is to be shown: that there is no mode but these below a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    /// Shift, below all eigenvalues.
    pub(crate) sigma: f64,
    /// The modes, n x j, M-orthonormal.
    pub(crate) modes: MatRef<'a, f64>,
    /// The point, a value of w.
    pub(crate) below: f64,
    /// About the next w.
    pub(crate) next: f64,
    /// Diagonal of M, positive.
    pub(crate) mass: &'a [f64],
    /// c with M <= c D.
    pub(crate) spread: f64,
}

/// M X next to X.
struct Held<'a> {
    x: MatRef<'a, f64>,
    mx: Dense,
}

/// Applications of S^-1 to eight vectors.
struct Inverse<'a> {
    operator: &'a dyn Corrected,
    sigma: f64,
    /// Bound of the eigenvalues of F.
    phi: f64,
    /// Applications of the factors that are left.
    left: usize,
}

/// Vectors with M times them.
struct Block {
    u: Dense,
    mu: Dense,
}

/// Whether at most `most` applications of the factors to eight vectors each show the claim to be true: the chance that it is not
/// all the same.
pub(crate) fn none_missing(operator: &dyn Corrected, claim: &Claim<'_>, most: usize) -> Option<f64> {
    let Claim { sigma, modes, below, next, mass, spread } = *claim;
    let gap = (next - sigma) / (below - sigma) - 1.0;
    let known = gap > 0.0 && gap.is_finite() && spread.is_finite() && mass.iter().all(|m| *m > 0.0);
    // T_k(cosh eta) = cosh(k eta).
    // Part of the distance to the next eigenvalue by which a lies beyond it.
    let (t, a) = ((below - sigma).recip(), (1.0 + tuning::SPARE * gap) / (next - sigma));
    let eta = (2.0 * t / a - 1.0).acosh();
    // Length, relative to what is granted, that vectors may be expected to have at first.
    // d: the share of its usual size that is taken for granted of a random component.
    let steps = ((2.0 * (1.0 / tuning::MINOR) / tuning::SPARE).ln() / eta).ceil();
    // Before anything is done: what it takes when all goes well.
    // Applications in addition to those of the polynomial, as far as they can be foreseen.
    if !known || eta.is_nan() || steps + (2 * tuning::FEW_STEPS + 1) as f64 > most as f64 {
        return None;
    }
    let mut inverse = Inverse { operator, sigma, phi: f64::INFINITY, left: most };
    // phi above which applications are too poor.
    inverse.phi = inverse.contraction(mass).filter(|phi| *phi <= tuning::CLEAR)?;
    let held = Held { x: modes, mx: operator.metric(&modes.to_owned()) };
    let filter = Filter { t, a, eta, granted: tuning::SPARE / spread.sqrt() };
    let short = filter.stays_short(&mut inverse, &held, mass)?;
    // One chance for phi, one for the vectors.
    short.then(|| 2.0 * (std::f64::consts::SQRT_2 * tuning::SPARE).powi(8))
}

impl Inverse<'_> {
    /// (K - sigma M) Z.
    fn shifted(&self, z: &Dense) -> Dense {
        let (mut s, m) = (self.operator.stiffness(z), self.operator.metric(z));
        change(&mut s, &m, |s, m| s - self.sigma * m);
        s
    }

    /// B F; none where no application is left.
    fn rough(&mut self, f: &Dense) -> Option<Dense> {
        self.left = self.left.checked_sub(1)?;
        Some(self.operator.correction(f))
    }

    /// phi from powers of F. Lengths are those of D^(1/2) Z.
    fn contraction(&mut self, mass: &[f64]) -> Option<f64> {
        // Random vectors.
        let mut z = start_block::<f64>(mass.len(), tuning::WIDTH, 0x3f);
        weigh(&mut z, mass, |x, m| x / m.sqrt());
        self.operator.allow(&mut z);
        let mut phi = f64::INFINITY;
        // Steps of F at most.
        for k in 1..=tuning::FEW_STEPS {
            let s = self.shifted(&z);
            change(&mut z, &self.rough(&s)?, |z, d| z - d);
            let square = |j: usize| z.col_as_slice(j).iter().zip(mass).map(|(x, m)| m * x * x).sum::<f64>();
            let longest = (0..tuning::WIDTH).map(|j| square(j).sqrt()).fold(0.0, largest);
            phi = (longest / tuning::SPARE).powf((k as f64).recip());
            if phi <= tuning::SLIGHT {
                break;
            }
        }
        Some(phi)
    }

    /// Q S^-1 F / by, with M times it, and what may be missing of a component along an eigenvector of an eigenvalue t or more.
    fn without(&mut self, held: &Held<'_>, f: &Dense, t: f64, by: f64, allowed: f64) -> Option<(Block, f64)> {
        let mut u = self.rough(f)?;
        let energy = (0..f.ncols()).map(|j| dot(&u, f, j)).fold(0.0, largest);
        let mut lost = self.phi * (t * energy / (1.0 - self.phi)).sqrt() / by;
        // Refinements of an application at most.
        for _ in 0..tuning::FEW_STEPS {
            if lost <= allowed {
                break;
            }
            let mut left = self.shifted(&u);
            change(&mut left, f, |s, f| f - s);
            change(&mut u, &self.rough(&left)?, |u, d| u + d);
            lost *= self.phi;
        }
        let mut mu = self.operator.metric(&u);
        let c = f64::adjoint_product(held.x, mu.as_ref());
        subtract(&mut u, held.x, c.as_ref());
        subtract(&mut mu, held.mx.as_ref(), c.as_ref());
        for a in [&mut u, &mut mu] {
            (0..a.ncols()).for_each(|j| a.col_as_slice_mut(j).iter_mut().for_each(|x| *x /= by));
        }
        Some((Block { u, mu }, lost))
    }
}

/// The polynomials, and what of a component is granted: d / sqrt(c).
struct Filter {
    t: f64,
    a: f64,
    eta: f64,
    granted: f64,
}

impl Filter {
    /// Whether all random vectors come to be shorter than an eigenvalue of A above t would have made one of them; none where too
    /// few applications are left.
    fn stays_short(&self, inverse: &mut Inverse<'_>, held: &Held<'_>, mass: &[f64]) -> Option<bool> {
        let Self { t, a, eta, granted } = *self;
        // Part of what is granted that errors of all applications may take away.
        let floor = (1.0 - tuning::MAINLY) * granted;
        let mut h = start_block::<f64>(mass.len(), tuning::WIDTH, 0xa7);
        weigh(&mut h, mass, |x, m| x * m.sqrt());
        // Twice A before any polynomial, so that far modes count less; over t each time, which leaves what is granted.
        // Part of what is granted that errors of one application may take away.
        let (first, lost) = inverse.without(held, &h, t, t, tuning::SPARE * granted)?;
        let mut sure = granted - lost;
        let (mut before, lost) = inverse.without(held, &first.mu, t, t, tuning::SPARE * granted)?;
        sure -= lost;
        drop((first, h));
        // T_1 = 2 A / a - 1, T_(k+1) = 2 (2 A / a - 1) T_k - T_(k-1). At step m the error of step k has grown by
        // U_(m-k-1) <= e^(-k eta) T_m / sinh eta, more or less for other eigenvalues above t as they are farther or nearer.
        let (mut now, lost) =
            inverse.without(held, &before.mu, t, 0.5 * a, tuning::SPARE * granted * eta.sinh())?;
        change(&mut now.u, &before.u, |next, u| next - u);
        change(&mut now.mu, &before.mu, |next, u| next - u);
        sure -= lost / eta.sinh();
        for k in 1_u32.. {
            if sure.is_nan() || sure < floor {
                return Some(false);
            }
            let longest =
                (0..tuning::WIDTH).map(|j| dot(&now.u, &now.mu, j).max(0.0).sqrt()).fold(0.0, largest);
            if longest < (f64::from(k) * eta).cosh() * sure {
                return Some(true);
            }
            let grown = (-f64::from(k) * eta).exp() / eta.sinh();
            let (mut next, lost) =
                inverse.without(held, &now.mu, t, tuning::PARTLY * a, tuning::SPARE * granted / grown)?;
            sure -= lost * grown;
            for (next, now, before) in [(&mut next.u, &now.u, &before.u), (&mut next.mu, &now.mu, &before.mu)]
            {
                change(next, now, |next, now| next - 2.0 * now);
                change(next, before, |next, before| next - before);
            }
            (before, now) = (now, next);
        }
        None
    }
}

/// Product of two columns.
fn dot(u: &Dense, f: &Dense, j: usize) -> f64 {
    u.col_as_slice(j).iter().zip(f.col_as_slice(j)).map(|(u, f)| u * f).sum()
}

/// The larger one; what is no number stays.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Every entry from its own value and the other's.
fn change(to: &mut Dense, by: &Dense, made: impl Fn(f64, f64) -> f64) {
    for j in 0..to.ncols() {
        to.col_as_slice_mut(j).iter_mut().zip(by.col_as_slice(j)).for_each(|(x, y)| *x = made(*x, *y));
    }
}

/// Every entry from its own value and the mass of its coordinate.
fn weigh(z: &mut Dense, mass: &[f64], by: impl Fn(f64, f64) -> f64) {
    for j in 0..z.ncols() {
        z.col_as_slice_mut(j).iter_mut().zip(mass).for_each(|(x, m)| *x = by(*x, *m));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::krylov::davidson::tests::Diagonal;

    const SIGMA: f64 = -0.1;

    impl Diagonal {
        /// The first `count` modes but those `left_out`.
        fn modes(&self, count: usize, left_out: &[usize]) -> Dense {
            let kept: Vec<usize> = (0..count).filter(|i| !left_out.contains(i)).collect();
            Dense::from_fn(self.w.len(), kept.len(), |i, j| {
                if i == kept[j] { self.m[i].sqrt().recip() } else { 0.0 }
            })
        }

        /// Whether `count` modes less those left out are shown to be all, up to a tenth of the gap behind them.
        fn shown(&self, count: usize, left_out: &[usize]) -> Option<f64> {
            let modes = self.modes(count, left_out);
            let (last, next) = (self.w[count - 1], self.w[count]);
            let below = last + 0.1 * (next - last);
            let claim =
                Claim { sigma: SIGMA, modes: modes.as_ref(), below, next, mass: &self.m, spread: 1.0 };
            none_missing(self, &claim, 500)
        }
    }

    /// Modes with a gap behind the first ones, in which there are neighbours and equal values; masses over some decades.
    fn spectrum(inside: &[f64], gap: f64, n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut w: Vec<f64> = inside.to_vec();
        w.sort_by(f64::total_cmp);
        let last = w.last().copied().unwrap_or(1.0);
        w.extend((0..n).map(|i| last * (1.0 + gap) * (1.0 + i as f64 / 20.0).powf(0.7)));
        let m = (0..w.len()).map(|i| [0.01, 0.1, 1.0, 10.0, 100.0][i * 7 % 5]).collect();
        (w, m)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn what_is_all_is_shown_and_what_is_not_is_not(
            inside in prop::collection::vec(0.2..10.0_f64, 1..12),
            gap in 0.05..1.0_f64,
            error in prop_oneof![Just(0.0), 1e-6..0.01_f64],
            noise in prop_oneof![Just(0.0), Just(1e-5)],
            double in any::<bool>(),
            missing in any::<prop::sample::Index>(),
        ) {
            let mut inside = inside;
            if double {
                inside.push(inside[0]);
            }
            let (w, m) = spectrum(&inside, gap, 400);
            let operator = Diagonal { w, m, sigma: SIGMA, error, noise };
            let count = inside.len();
            let chance = operator.shown(count, &[]);
            prop_assert!(chance.is_some_and(|chance| chance < 2e-9), "{chance:?}");
            prop_assert!(operator.shown(count, &[missing.index(count)]).is_none());
            // The mode behind the gap, taken for one below it.
            prop_assert!(operator.shown(count + 1, &[count - 1]).is_none());
        }
    }

    #[test]
    fn nothing_is_shown_by_poor_inverses_or_without_a_gap() {
        let (w, m) = spectrum(&[1.0, 2.0, 2.0, 3.0], 0.3, 300);
        let operator =
            |error: f64, noise: f64| Diagonal { w: w.clone(), m: m.clone(), sigma: SIGMA, error, noise };
        assert!(operator(1e-3, 0.0).shown(4, &[]).is_some());
        assert!(operator(0.6, 0.0).shown(4, &[]).is_none());
        assert!(operator(0.0, 0.6).shown(4, &[]).is_none());
        assert!(operator(f64::NAN, 0.0).shown(4, &[]).is_none());
        // Between the two of 2.
        assert!(operator(0.0, 0.0).shown(2, &[]).is_none());
    }

    #[test]
    fn applications_are_as_many_as_allowed_at_most() {
        let (w, m) = spectrum(&[1.0, 2.0, 3.0], 0.5, 300);
        let operator = Diagonal { w, m, sigma: SIGMA, error: 1e-4, noise: 0.0 };
        let modes = operator.modes(3, &[]);
        let claim = Claim {
            sigma: SIGMA,
            modes: modes.as_ref(),
            below: 3.1,
            next: 4.5,
            mass: &operator.m,
            spread: 1.0,
        };
        let found: Vec<bool> = (0..40).map(|most| none_missing(&operator, &claim, most).is_some()).collect();
        let first = found.iter().position(|shown| *shown).unwrap();
        assert!((8..25).contains(&first) && found[first..].iter().all(|shown| *shown), "{found:?}");
    }
}
