//! Proportional damping a M + b K that most entries of C agree on.
//!
//! Structural damping is often given so for a part of the coordinates: the elastic ones of a flexible link, not those of
//! its floating frame, nor the rows a penalty was added to. Entries of M, C and K in the coordinates of the model show a
//! and b: candidates come from single entries and from pairs of them, and that on which most entries agree wins.
//! Whether what is left over has low rank is for the caller to find out.

use mb_algebra::{Dense, norms};

use crate::tuning;

/// Entries candidates are made from.
const SEEDS: usize = 24;
/// Entries that vote.
const VOTERS: usize = 4000;

/// C = a M + b K.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Proportional {
    /// a, 1/s.
    pub(super) mass: f64,
    /// b, s.
    pub(super) stiffness: f64,
}

/// One place in M, C and K.
#[derive(Clone, Copy, Debug)]
struct Entry {
    m: f64,
    c: f64,
    k: f64,
}

impl Proportional {
    /// a + b w of a mode.
    pub(super) fn damping(&self, w: f64) -> f64 {
        self.mass + self.stiffness * w
    }

    /// The candidate that at least half of the entries agree with.
    pub(super) fn find(m: &Dense, c: &Dense, k: &Dense) -> Option<Self> {
        let entries = entries(m, c, k);
        let damped: Vec<Entry> = entries.iter().filter(|e| e.c != 0.0).copied().collect();
        let seeds: Vec<Entry> = thinned(&damped, SEEDS);
        let voters: Vec<Entry> = thinned(&entries, VOTERS);
        let single = seeds.iter().flat_map(|e| {
            [Self { mass: 0.0, stiffness: e.c / e.k }, Self { mass: e.c / e.m, stiffness: 0.0 }]
        });
        let double = seeds.windows(2).filter_map(|pair| Self::of_pair(pair[0], pair[1]));
        let mut best: Option<(usize, Self)> = None;
        // The simplest of equally good ones: it comes first.
        for candidate in single.chain(double).filter(|p| p.mass.is_finite() && p.stiffness.is_finite()) {
            let votes = voters.iter().filter(|e| candidate.agrees(e)).count();
            if best.is_none_or(|(most, _)| votes > most) {
                best = Some((votes, candidate));
            }
        }
        let (votes, found) = best?;
        (votes > 0 && 2 * votes >= voters.len()).then(|| found.refined(&voters))
    }

    /// Both numbers from two entries.
    fn of_pair(x: Entry, y: Entry) -> Option<Self> {
        let (left, right) = (x.m * y.k, y.m * x.k);
        let determinant = left - right;
        if determinant.abs() <= tuning::CBRT_EPS * (left.abs() + right.abs()) {
            return None;
        }
        let (mass, stiffness) = (x.c * y.k - y.c * x.k, x.m * y.c - y.m * x.c);
        Some(Self { mass: mass / determinant, stiffness: stiffness / determinant })
    }

    fn agrees(&self, e: &Entry) -> bool {
        let (by_mass, by_stiffness) = (self.mass * e.m, self.stiffness * e.k);
        let terms = by_mass.abs() + by_stiffness.abs() + e.c.abs();
        // Relative deviation up to which an entry agrees with a candidate.
        (e.c - by_mass - by_stiffness).abs() <= tuning::SQRT_EPS * terms
    }

    /// To rounding: b from the entry where K damps most, a from the one where M has the largest part.
    fn refined(mut self, voters: &[Entry]) -> Self {
        let largest = |key: &dyn Fn(&Entry) -> f64| {
            voters.iter().filter(|e| self.agrees(e)).copied().max_by(|x, y| key(x).total_cmp(&key(y)))
        };
        let stiff = largest(&|e| (self.stiffness * e.k).abs());
        let heavy = largest(&|e| (self.mass * e.m).abs() / e.c.abs());
        if let Some(e) = stiff.filter(|e| self.stiffness != 0.0 && e.k != 0.0) {
            self.stiffness = (e.c - self.mass * e.m) / e.k;
        }
        if let Some(e) = heavy.filter(|e| self.mass != 0.0 && e.m != 0.0) {
            self.mass = (e.c - self.stiffness * e.k) / e.m;
        }
        self
    }
}

/// The places of the lower triangle where there is damping, mass or stiffness: that M or K leave no damping somewhere
/// shows as much as that they do.
fn entries(m: &Dense, c: &Dense, k: &Dense) -> Vec<Entry> {
    // Entries below this fraction of the largest one of their matrix are zero.
    let least = [m, c, k].map(|a| tuning::FEW_ROUNDINGS * norms::max_abs(a));
    let mut out = Vec::new();
    for j in 0..c.ncols() {
        for i in j..c.nrows() {
            let values = [m[(i, j)], c[(i, j)], k[(i, j)]];
            let cut = |part: usize| if values[part].abs() > least[part] { values[part] } else { 0.0 };
            let [m, c, k] = [cut(0), cut(1), cut(2)];
            if m != 0.0 || c != 0.0 || k != 0.0 {
                out.push(Entry { m, c, k });
            }
        }
    }
    out
}

/// At most `count` entries, spread evenly; by an odd step, since entries on and near a diagonal often alternate.
fn thinned(entries: &[Entry], count: usize) -> Vec<Entry> {
    let step = entries.len().div_ceil(count).max(1) | 1;
    entries.iter().step_by(step).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::dense;

    #[test]
    fn numbers_are_found_near_entries_that_disagree() {
        let n = 30;
        let near = |i: usize, j: usize, own: f64, other: f64| match i.abs_diff(j) {
            0 => own * (1.0 + i as f64),
            1 => other,
            _ => 0.0,
        };
        let m = Dense::from_fn(n, n, |i, j| near(i, j, 2.0, 0.5));
        let k = Dense::from_fn(n, n, |i, j| near(i, j, 3e6, -1e6));
        for (mass, stiffness) in [(0.0, 1e-3), (0.7, 0.0), (20.0, 1e-4)] {
            let mut c = dense::add(mass, &m, stiffness, &k);
            for i in 0..6 {
                c[(i, i)] += 1e4;
                c[(i, n - 1)] += 3.0;
                c[(n - 1, i)] += 3.0;
            }
            let found = Proportional::find(&m, &c, &k).expect("most entries agree");
            assert!((found.mass - mass).abs() <= 1e-12 * mass.max(1e-3), "{found:?}");
            assert!((found.stiffness - stiffness).abs() <= 1e-14 * stiffness, "{found:?}");
        }
        let c = Dense::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) * (1.0 + ((i * i) % 7) as f64));
        assert_eq!(Proportional::find(&m, &c, &k), None);
    }
}
