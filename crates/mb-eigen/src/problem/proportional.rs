//! Proportional damping, C = a M + b K: which modes of the undamped problem have an eigenvalue in a part of the plane.
//!
//! ```text
//! K x = w M x:   s^2 + (a + b w) s + w = 0,   (s^2 M + s C + K) x + Phi_q^T (1 + s b) l = 0   where (K - w M) x + Phi_q^T l = 0
//! ```
//!
//! How many of the two s of a mode lie in a part depends on w alone and changes where one of them crosses its border, or where a
//! conjugate pair becomes two real ones:
//!
//! ```text
//! circle |s - c| = r    s real      s = c_x +- sqrt(r^2 - c_y^2),   w = -(s^2 + a s) / (1 + b s)
//!                       s complex   (e w + f)^2 = 4 c_y^2 (w - (a + b w)^2 / 4),   e = 1 + b c_x,  f = a c_x + |c|^2 - r^2
//! line Im s = y         w - (a + b w)^2 / 4 = y^2;   y = 0 where pairs end
//! damping ratio z       (a + b w)^2 / 4 = z^2 w
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
        let [of_m, of_c, of_k] = sizes(problem);
        let (in_m, in_k) = (problem.m.norm, problem.k.norm.max(f64::MIN_POSITIVE));
        // Least squares of rows at unit size: (m, k) . (a, b) = c less what is known.
        let fitted = |known: &Self| {
            let mut sums = [0.0_f64; 5];
            each(problem, |(i, j), [m, c, k]| {
                let c = c - known.mass * m - known.stiffness * k;
                let (m, k) = (m / in_m, k / in_k);
                let terms = (of_m[i] * of_m[j] / in_m).max(of_k[i] * of_k[j] / in_k);
                let size = m.abs().max(k.abs()).max(terms);
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
            Self { mass: known.mass + a / in_m, stiffness: known.stiffness + b / in_k }
        };
        // Normal equations lose digits, which a second fit to what is left brings back.
        let found = fitted(&fitted(&Self { mass: 0.0, stiffness: 0.0 }));
        // What least squares left of zero is rounding of the other number.
        let simple = |by: &Self| {
            each(problem, |(i, j), [m, c, k]| {
                let (by_m, by_k) = (by.mass * m, by.stiffness * k);
                // Deviation of an entry of C from a M + b K up to which damping is proportional: rounding of the entries and of a and b,
                // some hundred times over, or of the sums that they are. The circle stays off the eigenvalues by far more.
                let own = tuning::SOLVE_ROUNDINGS * (c.abs() + by_m.abs() + by_k.abs());
                (c - by_m - by_k).abs() <= own.max(tuning::SUM_ROUNDINGS * of_c[i] * of_c[j])
            })
        };
        let candidates = [Self { stiffness: 0.0, ..found }, Self { mass: 0.0, ..found }, found];
        candidates.into_iter().find(|p| p.mass.is_finite() && p.stiffness.is_finite() && simple(p))
    }

    /// a = 0 leaves rigid modes without damping.
    pub(crate) fn of_mass(&self) -> f64 {
        self.mass
    }

    /// The two s of a mode.
    pub(crate) fn eigenvalues(&self, w: f64) -> [c64; 2] {
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

    /// Whether infinitely fast modes have no finite s.
    pub(crate) fn leaves_infinite(&self) -> bool {
        self.stiffness == 0.0
    }

    /// Whether damping feeds energy into some modes.
    pub(crate) fn may_grow(&self) -> bool {
        self.mass < 0.0 || self.stiffness < 0.0
    }

    /// 1 + s b, by which the multipliers of an undamped mode become those of its s.
    pub(crate) fn reaction(&self, s: c64) -> c64 {
        s * self.stiffness + 1.0
    }

    /// How far an s is moved by a change of its w.
    pub(crate) fn moved(&self, w: f64, s: c64, by: f64) -> f64 {
        let half = 0.5 * (self.mass + self.stiffness * w);
        // ds / dw = -(1 + b s) / (2 s + a + b w), and where that vanishes the square root of the change.
        let by = by * self.reaction(s).norm();
        by / (2.0 * (half * half - w).abs().sqrt()).max(by.sqrt()).max(f64::MIN_POSITIVE)
    }

    /// The s of a mode that count: one of a conjugate pair, or each.
    pub(crate) fn counted(&self, w: f64, each: bool) -> impl Iterator<Item = c64> {
        self.eigenvalues(w).into_iter().filter(move |s| each || s.im >= 0.0)
    }

    /// Distance of the nearer s of a mode from a point.
    pub(crate) fn distance(&self, w: f64, point: c64) -> f64 {
        self.eigenvalues(w).iter().map(|s| (s - point).norm()).fold(f64::INFINITY, f64::min)
    }

    /// About the w of a mode that would have an s nearest to a point.
    pub(crate) fn nearest_square(&self, point: c64) -> f64 {
        let exact = -(point * point + point * self.mass) / self.reaction(point);
        let starts = [exact.re, point.norm_sqr()].into_iter().filter(|w| w.is_finite());
        let sought = starts.map(|start| {
            let (mut w, mut step) = (start, tuning::MAINLY * start.abs());
            let mut nearest = self.distance(w, point);
            for _ in 0..tuning::STEPS {
                let better = [w - step, w + step].into_iter().find(|w| self.distance(*w, point) < nearest);
                match better {
                    Some(better) => (w, nearest) = (better, self.distance(better, point)),
                    None => step *= tuning::MAINLY,
                }
            }
            (w, nearest)
        });
        sought.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(w, _)| w)
    }

    /// The intervals of w, ascending, whose modes have an s in a part of the plane; `each`: both of a conjugate pair count.
    pub(crate) fn intervals(&self, part: &Part, each: bool) -> Vec<Interval> {
        let mut cuts = self.cuts(part);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        let ends = [cuts.first(), cuts.last()].map(|end| end.copied().unwrap_or(0.0));
        let span = (ends[1] - ends[0]).max(ends[0].abs()).max(ends[1].abs());
        let span = if span > 0.0 { span } else { 1.0 };
        // Points inside the first and the last interval, which have no end.
        let mut inside = vec![ends[0] - span];
        inside.extend(cuts.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
        if !cuts.is_empty() {
            inside.push(ends[1] + span);
        }
        cuts.insert(0, f64::NEG_INFINITY);
        cuts.push(f64::INFINITY);
        let held = |w: f64| self.counted(w, each).filter(|s| part.holds(*s)).count();
        let all = cuts.windows(2).zip(inside).map(|(ends, w)| Interval {
            from: ends[0],
            to: ends[1],
            each: held(w),
        });
        all.filter(|interval| interval.each > 0).collect()
    }

    /// All w at which the number of s in a part may change.
    fn cuts(&self, part: &Part) -> Vec<f64> {
        let (a, b) = (self.mass, self.stiffness);
        // (a + b w)^2 / 4 = z^2 w - y^2.
        let conic = |z: f64, y: f64| roots([0.25 * b * b, 0.5 * a * b - z * z, 0.25 * a * a + y * y]);
        let mut out = conic(1.0, 0.0).to_vec();
        match *part {
            Part::Disc { centre, radius } => out.extend(self.crossings(centre, radius)),
            Part::Beyond { radius } => out.extend(self.crossings(c64::new(0.0, 0.0), radius)),
            Part::Strip { from, to, most } => {
                out.extend([from, to].into_iter().flat_map(|y| conic(1.0, y)));
                out.extend(most.into_iter().flat_map(|z| conic(z, 0.0)));
            }
            Part::Growing => out.extend([0.0, -a / b]),
        }
        out.retain(|w| w.is_finite());
        out
    }

    /// All w at which an s may cross a circle.
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
        let discriminant = 4.0 * square * (4.0 * (square * (1.0 - a * b) - e * f) - across * across);
        out.extend(roots_by(discriminant, [two, one, zero]));
        out
    }
}

/// A part of the plane of s.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// |s - centre| < radius.
    Disc { centre: c64, radius: f64 },
    /// |s| > radius.
    Beyond { radius: f64 },
    /// Im s between two numbers, and -Re s no more than `most` |s|.
    Strip { from: f64, to: f64, most: Option<f64> },
    /// Re s > 0.
    Growing,
}

impl Part {
    fn holds(&self, s: c64) -> bool {
        match *self {
            Self::Disc { centre, radius } => (s - centre).norm() < radius,
            Self::Beyond { radius } => s.norm() > radius,
            Self::Strip { from, to, most } => {
                s.im > from && s.im < to && most.is_none_or(|most| -s.re <= most * s.norm())
            }
            Self::Growing => s.re > 0.0,
        }
    }
}

/// An interval of w, infinite ones included, each mode of which has so many s in a part of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) each: usize,
}

/// Real parts of the roots of two w^2 + one w + zero: those of a complex pair are no crossing, and cut nothing.
fn roots([two, one, zero]: [f64; 3]) -> [f64; 2] {
    roots_by(one * one - 4.0 * two * zero, [two, one, zero])
}

/// The same with one^2 - 4 two zero known.
fn roots_by(discriminant: f64, [two, one, zero]: [f64; 3]) -> [f64; 2] {
    let far = -0.5 * (one + one.signum() * discriminant.max(0.0).sqrt());
    [far / two, zero / far]
}

/// Square roots of the sizes of the sums that M, C and K have on the diagonal: an entry is a sum whose terms may cancel, of the size
/// sqrt(d_i d_j), and has the rounding of that. A coordinate without mass and damping, as the frame that follows a face in the mean, has what
/// stiffness there is from its neighbours.
fn sizes(problem: &Problem<'_>) -> [Vec<f64>; 3] {
    let [mut m, mut c, mut k] = [&problem.m, &problem.c, &problem.k].map(|a| -> Vec<f64> {
        let a = a.sparse();
        (0..problem.n).map(|i| a.get(i, i).map_or(0.0, |x| x.abs().sqrt())).collect()
    });
    for i in (0..problem.n).filter(|&i| m[i] == 0.0 && c[i] == 0.0).collect::<Vec<_>>() {
        let row = problem.k.sparse().outer_view(i);
        let neighbours = row.map_or_else(Vec::new, |row| row.indices().to_vec());
        for size in [&mut m, &mut c, &mut k] {
            size[i] = neighbours.iter().map(|j| size[*j]).fold(size[i], f64::max);
        }
    }
    [m, c, k]
}

/// Whether a property holds for [M_ij, C_ij, K_ij] of all places where one of them has an entry.
fn each(problem: &Problem<'_>, mut holds: impl FnMut((usize, usize), [f64; 3]) -> bool) -> bool {
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
            if !holds((i, j), entry) {
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

    fn damping_of(pencil: &QuadraticPencil<mb_algebra::Sparse>) -> Option<Proportional> {
        Proportional::of(&Problem::new(pencil, &SparseOptions::default()).unwrap())
    }

    /// Light, strong and negative damping; parts of every kind, some of them without any eigenvalue.
    #[test]
    fn intervals_hold_the_modes_with_an_eigenvalue_in_a_part_and_no_others() {
        let disc = |re: f64, im: f64, radius: f64| Part::Disc { centre: c64::new(re, im), radius };
        let parts = [
            disc(0.01, 0.0, 0.8),
            disc(0.0, 1.2, 0.7),
            disc(-0.4, 0.3, 0.35),
            disc(-1.0, 2.0, 1.9),
            disc(-3.0, 0.0, 1.1),
            Part::Beyond { radius: 1.3 },
            Part::Strip { from: 0.0, to: 1.4, most: None },
            Part::Strip { from: 0.7, to: 2.4, most: Some(0.2) },
            Part::Growing,
        ];
        for (a, b) in [(0.3, 0.0), (0.0, 0.2), (1.9, 0.05), (0.4, 0.9), (3.0, 0.5), (-0.2, 0.1), (0.3, -0.2)]
        {
            let damping = Proportional { mass: a, stiffness: b };
            for part in &parts {
                for each in [false, true] {
                    let intervals = damping.intervals(part, each);
                    for j in -300..900 {
                        let w = f64::from(j) / 97.0 + 1e-3;
                        let counted = damping.counted(w, each).filter(|s| part.holds(*s)).count();
                        let inside = intervals.iter().find(|interval| interval.from < w && w < interval.to);
                        assert_eq!(
                            inside.map_or(0, |interval| interval.each),
                            counted,
                            "{a} {b} {part:?} {w}"
                        );
                    }
                }
            }
        }
    }

    /// 2 s^2 + 8 s + 8 = 2 (s + 2)^2: discs on the real axis around a double eigenvalue, some of them tiny.
    #[test]
    fn a_double_eigenvalue_lies_in_discs_of_any_size() {
        let of = |value: f64| sparse::scale(value, &sparse::identity(1));
        let pencil = QuadraticPencil { m: of(2.0), c: of(8.0), k: of(8.0), phi_q: sparse::zeros(0, 1) };
        let damping = damping_of(&pencil).unwrap();
        for radius in [1.0, 1e-2, 1e-4, 2e-6] {
            for aside in [-0.3, 0.0, 0.1, 0.5] {
                let part = Part::Disc { centre: c64::new(-2.0 + aside * radius, 0.0), radius };
                let near = damping.intervals(&part, true);
                assert!(near.iter().any(|i| i.from <= 4.0 && 4.0 <= i.to && i.each == 2), "{radius} {aside}");
            }
        }
    }

    #[test]
    fn the_mode_nearest_to_its_own_eigenvalue_is_itself() {
        for (a, b) in [(0.3, 0.0), (0.0, 0.2), (1.9, 0.05), (3.0, 0.5)] {
            let damping = Proportional { mass: a, stiffness: b };
            for j in 1..60 {
                let w = f64::from(j) / 7.0;
                for s in damping.eigenvalues(w) {
                    let found = damping.nearest_square(s);
                    assert!(damping.distance(found, s) <= 1e-9, "{a} {b} {w}: {found}");
                }
            }
        }
    }

    #[test]
    fn one_damper_more_is_not_proportional() {
        let mut pencil = chain(9, 0.1, 0.2);
        assert!(damping_of(&pencil).is_some());
        let mut more = Triplets::new(9, 9);
        more.add(4, 4, 1e-6);
        pencil.c = sparse::add(1.0, &pencil.c, 1.0, &more.to_sparse());
        assert!(damping_of(&pencil).is_none());
    }

    /// What cancels in the sums of elements leaves rounding; a coordinate without mass and damping that a row ties to the last mass has
    /// rounding of its neighbour alone. A damper where there are sums of this size is another damping all the same.
    #[test]
    fn rounding_of_sums_is_no_other_damping() {
        let n = 9;
        let plain = chain(n, 0.0, 0.2);
        let wider = |a: &mb_algebra::Sparse, more: &[(usize, usize, f64)]| {
            let mut out = Triplets::new(n + 1, n + 1);
            for (x, (i, j)) in a {
                out.add(i, j, *x);
            }
            for (i, j, x) in more {
                out.add(*i, *j, *x);
                if i != j {
                    out.add(*j, *i, *x);
                }
            }
            out.to_sparse()
        };
        let rounding = 2.0 * f64::EPSILON;
        let mut row = Triplets::new(1, n + 1);
        row.add(0, n, 1.0);
        row.add(0, n - 1, -1.0);
        let pencil = QuadraticPencil {
            m: wider(&plain.m, &[]),
            c: wider(&plain.c, &[(0, 5, 0.2 * rounding)]),
            k: wider(&plain.k, &[(1, 6, rounding), (n - 1, n, rounding), (n, n, 1e-3 * rounding)]),
            phi_q: row.to_sparse(),
        };
        let found = damping_of(&pencil).unwrap();
        assert!(found.mass == 0.0 && (found.stiffness - 0.2).abs() < 1e-14, "{found:?}");
        for place in [0, n] {
            let more = wider(&sparse::scale(0.0, &plain.c), &[(place, place, 1e-12)]);
            let other = QuadraticPencil { c: sparse::add(1.0, &pencil.c, 1.0, &more), ..pencil.clone() };
            assert!(damping_of(&other).is_none(), "{place}");
        }
    }
}
