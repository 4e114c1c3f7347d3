//! Count of the eigenvalues in a circle where damping is proportional, C = a M + b K, by the inertia of the undamped problem.
//!
//! ```text
//! K x = w M x:   s^2 + (a + b w) s + w = 0
//! ```
//!
//! How many of the two s of a mode lie inside depends on w alone and changes where one of them crosses the circle |s - c| = r:
//!
//! ```text
//! s real      s = c_x +- sqrt(r^2 - c_y^2),   w = -(s^2 + a s) / (1 + b s)
//! s complex   (e w + f)^2 = 4 c_y^2 (w - (a + b w)^2 / 4),   e = 1 + b c_x,  f = a c_x + |c|^2 - r^2
//! ```
//!
//! Between two such w the modes are counted by Sylvester's law, with one real elimination for each. Golub and Van Loan, Matrix
//! Computations, section 8.1.5.

use mb_algebra::c64;

use super::Problem;
use super::matrix::Matrix;
use crate::tuning;

/// a, 1/s, and b, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proportional {
    mass: f64,
    stiffness: f64,
}

impl Proportional {
    /// Whether damping of both kinds takes energy out of every motion, where M and K are positive semidefinite.
    pub(crate) fn is_dissipative(self) -> bool {
        self.mass >= 0.0 && self.stiffness >= 0.0
    }

    /// a and b of a symmetric damped problem; none where damping is another.
    pub(crate) fn of(problem: &Problem<'_>) -> Option<Self> {
        if !problem.symmetric || problem.undamped() || problem.m.is_zero() {
            return None;
        }
        // Least squares of rows at unit size: (m, k) . (a, b) = c.
        let mut sums = [0.0_f64; 5];
        let (in_m, in_k) = (problem.m.norm, problem.k.norm.max(f64::MIN_POSITIVE));
        each(problem, |[m, c, k]| {
            let (m, k) = (m / in_m, k / in_k);
            let size = m.abs().max(k.abs());
            if size > 0.0 {
                let (m, k, c) = (m / size, k / size, c / size);
                for (sum, term) in sums.iter_mut().zip([m * m, m * k, k * k, m * c, k * c]) {
                    *sum += term;
                }
            }
            true
        });
        let [mm, mk, kk, mc, kc] = sums;
        let determinant = mm * kk - mk * mk;
        let (a, b) = if determinant > tuning::EPS_3_4 * mm * kk {
            ((mc * kk - kc * mk) / determinant, (kc * mm - mc * mk) / determinant)
        } else if mm >= kk {
            (mc / mm, 0.0)
        } else {
            (0.0, kc / kk)
        };
        let found = Self { mass: a / in_m, stiffness: b / in_k };
        // What least squares left of zero is rounding of the other number.
        let simple = |by: &Self| {
            each(problem, |[m, c, k]| {
                let (of_m, of_k) = (by.mass * m, by.stiffness * k);
                // Deviation of an entry of C from a M + b K, relative to its terms, up to which damping is proportional: rounding of the
                // entries and of a and b, some hundred times over. The circle stays off the eigenvalues by far more.
                (c - of_m - of_k).abs() <= tuning::SOLVE_ROUNDINGS * (c.abs() + of_m.abs() + of_k.abs())
            })
        };
        let candidates = [Self { stiffness: 0.0, ..found }, Self { mass: 0.0, ..found }, found];
        candidates.into_iter().find(|p| p.mass.is_finite() && p.stiffness.is_finite() && simple(p))
    }

    /// Eigenvalues with |s - centre| < radius; none where the inertia is uncertain, or infinitely fast modes would count.
    pub(crate) fn count_inside(&self, problem: &Problem<'_>, centre: c64, radius: f64) -> Option<usize> {
        let mut cuts = self.crossings(centre, radius);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        let inside = |w: f64| self.eigenvalues(w).iter().filter(|s| (*s - centre).norm() < radius).count();
        let (Some(first), Some(last)) = (cuts.first().copied(), cuts.last().copied()) else { return None };
        let span = (last - first).abs().max(first.abs()).max(last.abs()).max(f64::MIN_POSITIVE);
        if inside(first - span)
            + inside(last + span)
            + inside(first - tuning::GAP * span)
            + inside(last + tuning::GAP * span)
            > 0
        {
            return None;
        }
        let undamped = problem.without_damping();
        let below = |w: f64| undamped.quick_negative(-w);
        let mut counted = 0;
        let mut before = below(first)?;
        for pair in cuts.windows(2) {
            let after = below(pair[1])?;
            let each = inside(0.5 * (pair[0] + pair[1]));
            counted += each * after.checked_sub(before)?;
            before = after;
        }
        Some(counted)
    }

    /// The two s of a mode.
    fn eigenvalues(&self, w: f64) -> [c64; 2] {
        let half = 0.5 * (self.mass + self.stiffness * w);
        let discriminant = half * half - w;
        if discriminant < 0.0 {
            let s = c64::new(-half, (-discriminant).sqrt());
            return [s, s.conj()];
        }
        // Without cancellation.
        let far = -(half + half.signum() * discriminant.sqrt());
        let near = if far == 0.0 { 0.0 } else { w / far };
        [c64::new(far, 0.0), c64::new(near, 0.0)]
    }

    /// All w at which an s may cross the circle.
    fn crossings(&self, centre: c64, radius: f64) -> Vec<f64> {
        let (a, b) = (self.mass, self.stiffness);
        let mut out = Vec::new();
        let height = radius * radius - centre.im * centre.im;
        if height >= 0.0 {
            for s in [centre.re - height.sqrt(), centre.re + height.sqrt()] {
                out.push(-(s * s + a * s) / (1.0 + b * s));
            }
        }
        let (e, f) = (1.0 + b * centre.re, a * centre.re + centre.norm_sqr() - radius * radius);
        let square = centre.im * centre.im;
        let [two, one, zero] = [
            e * e + square * b * b,
            2.0 * e * f - 4.0 * square + 2.0 * a * b * square,
            f * f + square * a * a,
        ];
        // one^2 - 4 two zero with the terms that cancel taken out: on the real axis it is zero, and rounding of it would move the
        // crossings by its square root.
        let across = e * a - f * b;
        let discriminant =
            (4.0 * square * (4.0 * (square * (1.0 - a * b) - e * f) - across * across)).max(0.0);
        let far = -0.5 * (one + one.signum() * discriminant.sqrt());
        out.extend([far / two, zero / far]);
        out.retain(|w| w.is_finite());
        out
    }
}

/// Whether a property holds for [M_ij, C_ij, K_ij] of all places where one of them has an entry.
fn each(problem: &Problem<'_>, mut holds: impl FnMut([f64; 3]) -> bool) -> bool {
    let [m, c, k] = [&problem.m, &problem.c, &problem.k].map(Matrix::sparse);
    for i in 0..problem.n {
        let rows = [m, c, k].map(|a| a.outer_view(i));
        let mut at = [0_usize; 3];
        loop {
            let next = |part: usize| {
                rows[part].as_ref().and_then(|row| row.indices().get(at[part]).copied()).unwrap_or(usize::MAX)
            };
            let j = (0..3).map(next).min().unwrap_or(usize::MAX);
            if j == usize::MAX {
                break;
            }
            let mut entry = [0.0; 3];
            let here: [bool; 3] = std::array::from_fn(|part| next(part) == j);
            for part in (0..3).filter(|part| here[*part]) {
                entry[part] = rows[part].as_ref().map_or(0.0, |row| row.data()[at[part]]);
                at[part] += 1;
            }
            if !holds(entry) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use mb_algebra::{QuadraticPencil, Scatter, Triplets, sparse};

    use super::*;
    use crate::options::SparseOptions;

    /// A chain of masses on springs, C = a M + b K.
    fn chain(n: usize, a: f64, b: f64) -> QuadraticPencil<mb_algebra::Sparse> {
        let mut k = Triplets::new(n, n);
        for i in 0..n {
            k.add(i, i, 2.1);
            if i > 0 {
                k.add(i, i - 1, -1.0);
                k.add(i - 1, i, -1.0);
            }
        }
        let (m, k) = (sparse::scale(0.7, &sparse::identity(n)), k.to_sparse());
        let c = sparse::add(a, &m, b, &k);
        QuadraticPencil { m, c, k, phi_q: sparse::zeros(0, n) }
    }

    #[test]
    fn circles_hold_as_many_eigenvalues_as_the_closed_form_says() {
        let n = 30;
        for (a, b) in [(0.3, 0.0), (0.0, 0.2), (1.9, 0.05), (0.4, 0.9)] {
            let pencil = chain(n, a, b);
            let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
            let found = Proportional::of(&problem).unwrap();
            let of_mode = |j: usize| {
                let w = (2.1 - 2.0 * (std::f64::consts::PI * j as f64 / (n + 1) as f64).cos()) / 0.7;
                found.eigenvalues(w)
            };
            let all: Vec<c64> = (1..=n).flat_map(of_mode).collect();
            let mut counted = 0;
            for (re, im, radius) in [(0.01, 0.0, 0.8), (0.0, 1.2, 0.7), (-0.4, 0.3, 0.35), (-1.0, 2.0, 1.9)] {
                let centre = c64::new(re, im);
                let exact = all.iter().filter(|s| (*s - centre).norm() < radius).count();
                let Some(count) = found.count_inside(&problem, centre, radius) else { continue };
                assert_eq!(count, exact, "{a} {b} {centre} {radius}");
                counted += 1;
            }
            assert!(counted >= 3, "{a} {b}: {counted}");
        }
    }

    /// 2 s^2 + 8 s + 8 = 2 (s + 2)^2: circles on the real axis around a double eigenvalue, some of them tiny.
    #[test]
    fn a_double_eigenvalue_is_counted_twice_in_circles_of_any_size() {
        let of = |value: f64| sparse::scale(value, &sparse::identity(1));
        let pencil = QuadraticPencil { m: of(2.0), c: of(8.0), k: of(8.0), phi_q: sparse::zeros(0, 1) };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let damping = Proportional::of(&problem).unwrap();
        for radius in [1.0, 1e-2, 1e-4, 2e-6] {
            for aside in [-0.3, 0.0, 0.1, 0.5] {
                let centre = c64::new(-2.0 + aside * radius, 0.0);
                assert_eq!(damping.count_inside(&problem, centre, radius), Some(2), "{radius} {aside}");
            }
        }
    }

    #[test]
    fn one_damper_more_is_not_proportional() {
        let mut pencil = chain(9, 0.1, 0.2);
        assert!(Proportional::of(&Problem::new(&pencil, &SparseOptions::default()).unwrap()).is_some());
        let mut more = Triplets::new(9, 9);
        more.add(4, 4, 1e-6);
        pencil.c = sparse::add(1.0, &pencil.c, 1.0, &more.to_sparse());
        assert!(Proportional::of(&Problem::new(&pencil, &SparseOptions::default()).unwrap()).is_none());
    }
}
