//! Bounds of eigenvalues that lie together, or whose left and right vectors are nearly orthogonal.
//!
//! A semisimple cluster is bounded by its forms: with G_ij = y_i^H ((s_i + s_j) M + C) x_j dominated by its diagonal, the eigenvalues lie within
//! the row sums of |y_i|^T (|r_j| + u g_j) / |G_ii| of the values found. That takes no factorization.
//!
//! Elsewhere left and right vectors belong to a Jordan chain, or nearly so, and are unreliable: a perturbation of size e moves the
//! eigenvalues of a chain of length k by e^(1/k). There the bound is the radius of a circle around the mean of the values such that
//!
//! ```text
//! on the circle no change of the entries by rounding makes the matrix singular      (sensitivity.rs)
//! the determinant turns once around zero for every value inside                     (winding.rs)
//! ```
//!
//! The first is what makes the second a count by computed determinants; together they say that as many eigenvalues lie inside as values,
//! whatever the chains are. The radius grows like e^(1/k) by itself, and values that the circle reaches join the cluster. Rouche's
//! theorem for determinants: Gohberg and Sigal, Math. USSR Sbornik 13 (1971), section 2.

use mb_algebra::{c64, interrupt};

use crate::completeness::winding::{self, Circle};
use crate::numeric::vectors::{abs, inner};
use crate::{EigenError, Eigenpair, tuning};

/// What the rule needs to know of one eigenpair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) s: c64,
    /// Bound of the eigenpair by itself.
    pub(crate) bound: f64,
    /// |y^H (2 s M + C) x| over its size ([`alignment`]).
    pub(crate) alignment: f64,
    /// First-order bound of the left vector, 2 |x|^T |Q(s)^H y| / |y^H (2 s M + C) x|: how far the eigenvalue it belongs to may be.
    pub(crate) astray: f64,
    /// A zero by structure: known, and not bounded here.
    pub(crate) fixed: bool,
    /// The conjugate and the opposite are eigenvalues too.
    pub(crate) mirror: bool,
    pub(crate) opposite: bool,
}

impl Estimate {
    /// Whether left and right vector belong to one simple eigenvalue, so that a bound of first order says something.
    fn is_sound(&self) -> bool {
        // Bound of a left vector, relative to |s|, up to which it belongs to the eigenvalue of the right one: three steps of inverse
        // iteration a hundredth of |s| away leave less of the vectors of other eigenvalues, and more within a chain.
        // |y^H (2 s M + C) x| over its size below which the vectors are those of a chain: that of two ends up at the square root of
        // rounding, times up to 1e4 where entries differ that much in size, longer ones below it.
        self.alignment > tuning::EPS_1_4 && self.astray <= tuning::CBRT_EPS * self.s.norm()
    }
}

/// |y^H (2 s M + C) x| over its size: near zero where left and right vector belong to a chain.
///
/// `of_m`, `of_c`: 2 |s| |y|^T |M| |x| and |y|^T |C| |x|; `damping`: |y^H C x|. Where the mass carries its share, entries of C that cancel, as
/// those of damping in proportion to a fine mesh's stiffness do, are no sign of a chain.
pub(crate) fn alignment(slope: f64, of_m: f64, of_c: f64, damping: f64) -> f64 {
    let size = of_m + if of_m >= 0.5 * damping { damping } else { of_c };
    if size > 0.0 { slope / size } else { 1.0 }
}

/// The products of one right vector.
pub(crate) struct Column {
    /// M x and C x.
    pub(crate) m: Vec<c64>,
    pub(crate) c: Vec<c64>,
    /// |r| + u g.
    pub(crate) rest: Vec<f64>,
}

/// Forms and determinants of a problem, dense or sparse.
pub(crate) trait Source {
    /// The products of the right vector of an eigenpair with eigenvalue s.
    fn column(&self, pair: &Eigenpair, s: c64) -> Column;
    /// Largest change of eigenvalue of S^-1 W at s, followed in some leading directions; none where S cannot be factored.
    fn sensitivity(&self, s: c64, directions: usize) -> Option<f64>;
    /// ln det S(s) up to multiples of 2 pi i; none where rounding leaves it in doubt.
    fn ln_determinant(&self, s: c64) -> Result<Option<c64>, EigenError>;
}

/// Eigenvalues that may coalesce where no circle could be found: within k |p / p'| of any point lies a zero of a polynomial of degree k
/// (Laguerre), and the first-order bound is twice |p / p'|.
const COALESCING: f64 = 4.0;

/// A circle with at least as many eigenvalues as values.
struct Disc {
    centre: c64,
    radius: f64,
    /// The eigenpair whose value and conjugate stand for one real eigenvalue.
    real: Option<usize>,
}

/// A value as it stands in the plane.
#[derive(Clone, Copy)]
struct Position {
    s: c64,
    pair: usize,
    /// Whether it is the eigenpair's own value, not its conjugate or opposite.
    own: bool,
}

/// Bounds of all eigenpairs, and the eigenpairs whose value and conjugate stand for one real eigenvalue.
///
/// `semisimple`: eigenvalues are known to have as many vectors as their multiplicity, with condition one (undamped symmetric problems with
/// definite mass).
pub(crate) fn together(
    estimates: &[Estimate],
    pairs: &[Eigenpair],
    semisimple: bool,
    source: &dyn Source,
) -> (Vec<f64>, Vec<usize>) {
    let positions = positions(estimates);
    if semisimple {
        return (spread(estimates, &positions), Vec::new());
    }
    let mut bounds: Vec<f64> = estimates.iter().map(|e| e.bound).collect();
    let mut done = vec![false; estimates.len()];
    let mut real = Vec::new();
    for first in 0..estimates.len() {
        if done[first] || estimates[first].fixed || !estimates[first].bound.is_finite() {
            continue;
        }
        let group = linked(first, estimates, &positions);
        let alone = group.len() == 1;
        if alone && estimates[first].is_sound() {
            continue;
        }
        let members: Vec<usize> = group.iter().filter(|p| p.own).map(|p| p.pair).collect();
        let plain = group.iter().all(|p| p.own && !estimates[p.pair].fixed);
        if plain
            && !alone
            && let Some(found) = by_forms(&members, estimates, pairs, source)
        {
            for (i, bound) in members.iter().zip(found) {
                bounds[*i] = bound;
                done[*i] = true;
            }
            continue;
        }
        let discs: Vec<(c64, f64)> = group.iter().map(|p| (p.s, estimates[p.pair].bound)).collect();
        let first_order = group.iter().map(|p| estimates[p.pair].bound).fold(0.0, f64::max);
        let Some((group, circle)) = by_circle(group, &positions, first_order, source) else {
            // Whichever eigenvalue belongs to whichever of the values, all lie in the discs of all.
            let by = 0.5 * COALESCING.max(discs.len() as f64);
            for i in members {
                let reaches = discs.iter().map(|(s, bound)| (s - estimates[i].s).norm() + by * bound);
                bounds[i] = reaches.fold(0.0, f64::max);
                done[i] = true;
            }
            continue;
        };
        for p in group.iter().filter(|p| p.own && !estimates[p.pair].fixed) {
            bounds[p.pair] = circle.radius + (p.s - circle.centre).norm();
            done[p.pair] = true;
        }
        real.extend(circle.real);
    }
    (bounds, real)
}

/// Values with their conjugates and opposites.
///
/// The matrices are real: the conjugate of a value found is an eigenvalue whether or not it was asked for, and belongs to the cluster of
/// those there. Values that stand for themselves may be each other's conjugates, and then are not there twice.
fn positions(estimates: &[Estimate]) -> Vec<Position> {
    let mut out = Vec::with_capacity(2 * estimates.len());
    for (pair, e) in estimates.iter().enumerate() {
        out.push(Position { s: e.s, pair, own: true });
        if e.mirror {
            out.push(Position { s: e.s.conj(), pair, own: false });
        }
        if e.opposite {
            out.push(Position { s: -e.s, pair, own: false });
        }
    }
    let alone: Vec<usize> = (0..estimates.len())
        .filter(|i| !(estimates[*i].mirror || estimates[*i].opposite) && estimates[*i].s.im != 0.0)
        .collect();
    let mut conjugates = alone.clone();
    for &i in &alone {
        let off = |j: &usize| (estimates[*j].s.conj() - estimates[i].s).norm();
        let across = |j: &usize| estimates[*j].s.im * estimates[i].s.im < 0.0;
        let nearest = (0..conjugates.len())
            .filter(|at| across(&conjugates[*at]))
            .min_by(|a, b| off(&conjugates[*a]).total_cmp(&off(&conjugates[*b])));
        // As near as those of one cluster may be.
        if let Some(at) = nearest.filter(|at| off(&conjugates[*at]) <= tuning::SLIGHT * estimates[i].s.norm())
        {
            conjugates.swap_remove(at);
        }
    }
    out.extend(conjugates.into_iter().map(|pair| Position { s: estimates[pair].s.conj(), pair, own: false }));
    out
}

/// Of semisimple eigenvalues, those whose bounds reach another one get the width of that cluster: one of two bounds that meet may hold
/// the eigenvalue of the other. Its own bound counts, not the other's: a sure value next to an uncertain one stays sure.
fn spread(estimates: &[Estimate], positions: &[Position]) -> Vec<f64> {
    let one = |(i, e): (usize, &Estimate)| {
        if e.fixed || !e.bound.is_finite() {
            return e.bound;
        }
        let others = positions.iter().filter(|p| !(estimates[p.pair].fixed || p.own && p.pair == i));
        // Values whose distance is at most this many bounds belong together: the bounds are of first order, and first order ends where
        // the distance to the next eigenvalue is a few of them.
        let reached = others
            .map(|p| (p.s - e.s).norm())
            .filter(|distance| *distance <= (1.0 / tuning::CLEAR) * e.bound);
        reached.map(|distance| 2.0 * distance).fold(e.bound, f64::max)
    };
    estimates.iter().enumerate().map(one).collect()
}

/// The values that belong to the cluster of an eigenpair.
fn linked(first: usize, estimates: &[Estimate], positions: &[Position]) -> Vec<Position> {
    let reach = |p: &Position| {
        let e = &estimates[p.pair];
        // The bound of an eigenpair with nearly orthogonal vectors is first order beyond where that holds.
        let own = if e.fixed || !e.bound.is_finite() { 0.0 } else { (1.0 / tuning::CLEAR) * e.bound };
        // Eigenpairs whose vectors are inaccurate: the fourth root of rounding, where chains of four end up, with a factor of ten.
        let apart = tuning::SLIGHT * e.s.norm();
        let limit = if e.alignment > tuning::EPS_1_4 { f64::INFINITY } else { apart };
        // Values closer than this fraction of their size belong together whatever their bounds say: the square root of rounding, where
        // chains of two end up.
        own.min(limit).max(((1.0 / tuning::CLEAR) * e.astray).min(apart)).max(tuning::SQRT_EPS * e.s.norm())
    };
    let mut open: Vec<Position> = positions.to_vec();
    let Some(start) = open.iter().position(|p| p.own && p.pair == first) else { return Vec::new() };
    let mut group = vec![open.swap_remove(start)];
    let mut next = 0;
    while next < group.len() {
        let p = group[next];
        open.retain(|other| {
            let near = (other.s - p.s).norm() <= reach(&p).max(reach(other));
            if near {
                group.push(*other);
            }
            !near
        });
        next += 1;
    }
    group
}

/// Bounds of a semisimple cluster by its forms; none where left and right vectors do not belong together one by one.
fn by_forms(
    members: &[usize],
    estimates: &[Estimate],
    pairs: &[Eigenpair],
    source: &dyn Source,
) -> Option<Vec<f64>> {
    if members.iter().any(|&i| pairs[i].left.length() == 0) {
        return None;
    }
    let columns: Vec<Column> = members.iter().map(|&j| source.column(&pairs[j], estimates[j].s)).collect();
    let mut widths = Vec::with_capacity(members.len());
    for &i in members {
        let y: &[c64] = &pairs[i].left;
        let (mut diagonal, mut others, mut rest) = (0.0, 0.0, 0.0);
        for (&j, column) in members.iter().zip(&columns) {
            let form = (estimates[i].s + estimates[j].s) * inner(y, &column.m) + inner(y, &column.c);
            if i == j {
                diagonal = form.norm();
            } else {
                others += form.norm();
                rest += y.iter().zip(&column.rest).map(|(y, r)| abs(*y) * r).sum::<f64>();
            }
        }
        // Largest row sum of a form's other entries over its diagonal; a NaN is not dominant.
        let dominant = others <= tuning::MAINLY * diagonal && diagonal > 0.0;
        if !(dominant && estimates[i].is_sound()) {
            return None;
        }
        // A row of Gershgorin's: what stands on the diagonal is the bound of the eigenpair by itself.
        widths.push((estimates[i].bound * diagonal + rest) / (diagonal - others));
    }
    let width = widths.iter().copied().fold(0.0, f64::max);
    let of = |&i: &usize| {
        let near = members.iter().map(|&j| (estimates[i].s - estimates[j].s).norm());
        width + near.filter(|distance| *distance <= (1.0 / tuning::CLEAR) * width).fold(0.0, f64::max)
    };
    let bounds: Vec<f64> = members.iter().map(of).collect();
    bounds.iter().all(|bound| bound.is_finite()).then_some(bounds)
}

/// The circle that holds the eigenvalues of a cluster, with all values it takes in; `first_order`: their largest bound by themselves.
fn by_circle(
    mut group: Vec<Position>,
    positions: &[Position],
    first_order: f64,
    source: &dyn Source,
) -> Option<(Vec<Position>, Disc)> {
    let (mut centre, mut radius) = smallest(&group);
    // Radii tried for one cluster: from rounding to all of the spectrum.
    for _ in 0..tuning::STEPS {
        interrupt::check();
        // Leading directions of the inverse that are followed: Jordan chains side by side.
        let directions = group.len().min(tuning::FEW_STEPS);
        let found = source.sensitivity(centre + c64::from_polar(radius, 0.7), directions);
        let Some(found) = found else {
            radius *= 3.0;
            continue;
        };
        // The search for the radius ends where the sensitivity is below this.
        if found > tuning::PARTLY {
            // The inverse falls like radius^-k within a cluster of chains of length k.
            let by = (1.1 * found / tuning::PARTLY).powf(1.0 / group.len() as f64);
            radius *= by.clamp(1.1, 1.0 / tuning::MINOR);
            let before = group.len();
            take_in(&mut group, positions, centre, radius);
            if group.len() > before {
                let smallest = smallest(&group);
                (centre, radius) = (smallest.0, smallest.1.max(radius));
            }
            continue;
        }
        let before = group.len();
        take_in(&mut group, positions, centre, radius);
        if group.len() > before {
            let smallest = smallest(&group);
            (centre, radius) = (smallest.0, smallest.1.max(radius));
            continue;
        }
        let sure = [2.3, 3.9, 5.4].iter().all(|angle| {
            let at = centre + c64::from_polar(radius, *angle);
            // Half of what could make the matrix singular, so that the determinant keeps its phase to a fraction of a turn.
            source.sensitivity(at, directions).is_some_and(|found| found <= tuning::MAINLY)
        });
        let known: Vec<c64> =
            // Values further than this many radii from the centre turn the phase slowly and are not divided out.
            positions.iter().map(|p| p.s).filter(|s| (s - centre).norm() <= (1.0 / tuning::CLEAR) * radius).collect();
        let circle = Circle { centre, radius, known, rest: 0 };
        let turns =
            // Determinants along one circle.
            if sure { winding::turns(&circle, tuning::POINTS, |s| source.ln_determinant(s)).ok()? } else { None };
        let Some(turns) = turns else {
            radius *= tuning::TWICE;
            continue;
        };
        let counted = group.len() as f64 + turns.round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of eigenvalues"
        )]
        let counted = counted.max(0.0) as usize;
        let real = match group.as_slice() {
            // A single eigenvalue in a circle around a real centre is its own conjugate.
            [p, q] if p.pair == q.pair && counted == 1 && centre.im == 0.0 => Some(p.pair),
            _ => None,
        };
        // Values that rounding has moved off further than the circle reaches.
        if counted < group.len() && real.is_none() {
            // Fewer eigenvalues than values: beyond first order the next may be a small multiple away, and values taken in may be none.
            radius *= if radius < first_order { 1.0 / tuning::CLEAR } else { tuning::TWICE };
            continue;
        }
        return Some((group, Disc { centre, radius, real }));
    }
    None
}

/// Centre of values and a first radius: twice their spread, and a few roundings.
fn smallest(group: &[Position]) -> (c64, f64) {
    let sum: c64 = group.iter().map(|p| p.s).sum();
    let mut centre = sum / group.len() as f64;
    // A group with its conjugates stands around a real centre.
    if group.iter().all(|p| group.iter().any(|other| other.s == p.s.conj())) {
        centre.im = 0.0;
    }
    let spread = group.iter().map(|p| (p.s - centre).norm()).fold(0.0, f64::max);
    (centre, (2.0 * spread).max(tuning::MANY_ROUNDINGS * centre.norm()).max(f64::MIN_POSITIVE.sqrt()))
}

/// Adds the values that a circle reaches.
fn take_in(group: &mut Vec<Position>, positions: &[Position], centre: c64, radius: f64) {
    for p in positions {
        // A circle that comes this near, in radii, to a value outside takes it in.
        let inside = (p.s - centre).norm() <= tuning::TWICE * radius;
        let there = group.iter().any(|q| q.pair == p.pair && q.own == p.own && q.s == p.s);
        if inside && !there {
            group.push(*p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix that cannot be factored anywhere.
    struct Singular;

    impl Source for Singular {
        fn column(&self, _: &Eigenpair, _: c64) -> Column {
            Column { m: Vec::new(), c: Vec::new(), rest: Vec::new() }
        }

        fn sensitivity(&self, _: c64, _: usize) -> Option<f64> {
            None
        }

        fn ln_determinant(&self, _: c64) -> Result<Option<c64>, EigenError> {
            Ok(None)
        }
    }

    #[test]
    fn conjugates_that_were_not_asked_for_stand_with_a_cluster() {
        let estimate = |s: c64| Estimate {
            s,
            bound: 0.0,
            alignment: 0.0,
            astray: 0.0,
            fixed: false,
            mirror: false,
            opposite: false,
        };
        let off = |k: i32| c64::new(1e-8 * f64::from(k), 2.0 - 1e-8 * f64::from(k * k));
        // Three of a cluster, the conjugate of the second one, and a pair elsewhere.
        let far = c64::new(1.0, 7.0);
        let values = [off(0), off(1), off(2), off(1).conj(), far, far.conj()];
        let all = positions(&values.map(estimate));
        let below: Vec<c64> = all.iter().map(|p| p.s).filter(|s| s.im < 0.0).collect();
        assert_eq!((all.len(), below.len()), (8, 4));
        for s in values {
            assert!(below.contains(&s) || below.contains(&s.conj()));
        }
    }

    #[test]
    fn without_a_circle_every_bound_reaches_all_eigenvalues_of_the_cluster() {
        let values = [(c64::new(1.0, 0.0), 1e-9), (c64::new(1.0 + 2e-9, 1e-9), 1e-11)];
        let estimate = |(s, bound): &(c64, f64)| Estimate {
            s: *s,
            bound: *bound,
            alignment: 0.0,
            astray: 0.0,
            fixed: false,
            mirror: s.im > 0.0,
            opposite: false,
        };
        let estimates: Vec<Estimate> = values.iter().map(estimate).collect();
        let (bounds, real) = together(&estimates, &[], false, &Singular);
        assert!(real.is_empty());
        for ((s, _), bound) in values.iter().zip(bounds) {
            let furthest = values.iter().map(|(t, own)| (t - s).norm() + own).fold(0.0, f64::max);
            assert!(bound >= furthest && bound < 10.0 * furthest, "{s}: {bound:e}");
        }
    }
}
