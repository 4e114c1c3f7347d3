//! Steps of a linear iteration mixed with those before, so that slow directions do not have to be waited for.
//!
//! ```text
//! x_(k+1) = x_k + f_k - sum_i g_i (dx_i + df_i),   g = argmin |f_k - sum_i g_i df_i|_W
//! ```
//!
//! f_k is what the iteration would add, dx_i and df_i the changes of x and f over the last steps, kept orthonormal in W. Anderson, J. ACM 12
//! (1965); in a linear iteration the same as GMRES restarted (Walker and Ni, SIAM J. Numer. Anal. 49, 2011). Sizes: x of length n with
//! m multipliers that follow, W diagonal.

use crate::tuning;

/// Changes kept.
const DEPTH: usize = 3;

/// What is added to a vector, and to its multipliers.
#[derive(Default)]
pub(super) struct Step {
    pub(super) x: Vec<f64>,
    pub(super) l: Vec<f64>,
}

impl Step {
    /// Other numbers in the place of these.
    pub(super) fn set(&mut self, x: impl Iterator<Item = f64>, l: impl Iterator<Item = f64>) {
        self.x.clear();
        self.x.extend(x);
        self.l.clear();
        self.l.extend(l);
    }

    /// Adds others times numbers, in one pass.
    fn add<const N: usize>(&mut self, by: [f64; N], others: [&Self; N]) {
        add(&mut self.x, by, others.map(|other| &other.x[..]));
        add(&mut self.l, by, others.map(|other| &other.l[..]));
    }

    /// Adds as many as there are; [`DEPTH`] and fewer in one pass.
    fn add_all<'a>(&mut self, by: &[f64], of: impl Fn(usize) -> &'a Self) {
        match *by {
            [] => {}
            [a] => self.add([a], [of(0)]),
            [a, b] => self.add([a, b], [of(0), of(1)]),
            [a, b, c] => self.add([a, b, c], [of(0), of(1), of(2)]),
            _ => by.iter().enumerate().for_each(|(k, by)| self.add([*by], [of(k)])),
        }
    }

    /// What leads from this one to another, in its place; added to a third one too.
    fn change_to(&mut self, other: &Self, third: &mut Self) {
        let parts = [(&mut self.x, &other.x, &mut third.x), (&mut self.l, &other.l, &mut third.l)];
        for (to, from, third) in parts {
            for ((to, from), third) in to.iter_mut().zip(from).zip(third) {
                *to = from - *to;
                *third += *to;
            }
        }
    }

    fn scale(&mut self, by: f64) {
        self.x.iter_mut().chain(&mut self.l).for_each(|v| *v *= by);
    }
}

/// Sums side by side: one after the other each would wait for the one before.
const LANES: usize = 8;

/// a^T b.
pub(super) fn real_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// to += sum of by_i from_i.
fn add<const N: usize>(to: &mut [f64], by: [f64; N], from: [&[f64]; N]) {
    let from = from.map(|from| &from[..to.len()]);
    for (i, to) in to.iter_mut().enumerate() {
        for k in 0..N {
            *to += by[k] * from[k][i];
        }
    }
}

/// a_i^T W b of several a, in one pass.
fn weighted<const N: usize>(a: [&[f64]; N], b: &[f64], w: &[f64]) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    let n = b.len().min(w.len());
    let (a, b, w) = (a.map(|a| &a[..n]), &b[..n], &w[..n]);
    let whole = n - n % LANES;
    for at in (0..whole).step_by(LANES) {
        let by: [f64; LANES] = std::array::from_fn(|k| w[at + k] * b[at + k]);
        for (sums, a) in sums.iter_mut().zip(&a) {
            (0..LANES).for_each(|k| sums[k] += a[at + k] * by[k]);
        }
    }
    std::array::from_fn(|i| {
        let rest: f64 = (whole..n).map(|k| a[i][k] * (w[k] * b[k])).sum();
        sums[i].iter().sum::<f64>() + rest
    })
}

/// The last steps of one iteration. Vectors no longer needed are reused: allocating each anew would take as long as
/// the sums.
#[derive(Default)]
pub(super) struct Mixing {
    /// f and what was added in the last step.
    last: Option<(Step, Step)>,
    /// df and dx + df, the former orthonormal.
    changes: Vec<(Step, Step)>,
    spare: Vec<Step>,
}

impl Mixing {
    /// Forgets all steps, not their memory.
    pub(super) fn restart(&mut self) {
        let steps = self.last.take().into_iter().chain(self.changes.drain(..));
        self.spare.extend(steps.flat_map(|(one, other)| [one, other]));
    }

    /// Memory for the next f.
    pub(super) fn blank(&mut self) -> Step {
        self.spare.pop().unwrap_or_default()
    }

    /// The shares of the changes of f in a vector, with the opposite sign.
    fn shares(&self, of: &Step, weight: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.changes.len());
        let (threes, rest) = self.changes.as_chunks::<DEPTH>();
        for [a, b, c] in threes {
            out.extend(weighted([&a.0.x, &b.0.x, &c.0.x], &of.x, weight).map(|share| -share));
        }
        match rest {
            [a] => out.extend(weighted([&a.0.x], &of.x, weight).map(|share| -share)),
            [a, b] => out.extend(weighted([&a.0.x, &b.0.x], &of.x, weight).map(|share| -share)),
            _ => {}
        }
        out
    }

    /// What to add in place of `f`; `weight` is the diagonal of W.
    pub(super) fn mix(&mut self, f: Step, weight: &[f64]) -> &Step {
        let inner = |a: &Step, b: &Step| weighted([&a.x], &b.x, weight)[0];
        if let Some((mut df, mut both)) = self.last.take() {
            df.change_to(&f, &mut both);
            let size = inner(&df, &df);
            // What rounding leaves of known changes is far below [`tuning::SLIGHT`].
            let shares = self.shares(&df, weight);
            df.add_all(&shares, |k| &self.changes[k].0);
            both.add_all(&shares, |k| &self.changes[k].1);
            let left = inner(&df, &df);
            // A change of f that is nearly a mixture of those kept adds nothing.
            if left > tuning::SLIGHT * tuning::SLIGHT * size {
                df.scale(left.sqrt().recip());
                both.scale(left.sqrt().recip());
                if self.changes.len() == DEPTH {
                    let (first, with) = self.changes.remove(0);
                    self.spare.extend([first, with]);
                }
                self.changes.push((df, both));
            } else {
                self.spare.extend([df, both]);
            }
        }
        let mut step = self.blank();
        step.set(f.x.iter().copied(), f.l.iter().copied());
        step.add_all(&self.shares(&f, weight), |k| &self.changes[k].1);
        &self.last.insert((f, step)).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_slow_directions_as_are_kept_are_gone_at_once() {
        // x_(k+1) = x_k - B x_k to zero, with three slow directions among five.
        let rates = [0.02, 0.05, 1.0, 1.0, 1.9];
        let weight = [1.0, 2.0, 0.5, 1.0, 3.0];
        let mut mixing = Mixing::default();
        let mut x = vec![1.0, -2.0, 3.0, 0.5, 1.5];
        for _ in 0..5 {
            let f = x.iter().zip(rates).map(|(x, b)| -b * x).collect();
            let step = mixing.mix(Step { x: f, l: Vec::new() }, &weight);
            x.iter_mut().zip(&step.x).for_each(|(x, s)| *x += s);
        }
        assert!(x.iter().all(|x| x.abs() < 1e-12), "{x:?}");
        // Afterwards the first step is plain again, in the memory of those before.
        mixing.restart();
        let mut f = mixing.blank();
        assert!(f.x.capacity() >= 5);
        f.set([1.0, 2.0].into_iter(), [3.0].into_iter());
        let step = mixing.mix(f, &weight);
        assert_eq!((&step.x[..], &step.l[..]), (&[1.0, 2.0][..], &[3.0][..]));
    }

    #[test]
    fn sums_side_by_side_are_those_one_after_the_other() {
        for n in [0, 1, 7, 8, 9, 30] {
            let of = |by: f64| (0..n).map(|i| (by * f64::from(i)).sin()).collect::<Vec<f64>>();
            let (a, b, w) = (of(0.7), of(1.3), of(0.2));
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let with: f64 = a.iter().zip(&b).zip(&w).map(|((a, b), w)| a * b * w).sum();
            assert!((real_dot(&a, &b) - plain).abs() < 1e-14, "{n}");
            assert!((weighted([&a], &b, &w)[0] - with).abs() < 1e-14, "{n}");
            let three = weighted([&b, &a, &w], &b, &w);
            assert!((three[1] - with).abs() < 1e-14, "{n}");
            // One pass for several is one for each.
            let (mut once, mut each) = (a.clone(), a.clone());
            add(&mut once, [2.0, -0.5], [&b, &w]);
            add(&mut each, [2.0], [&b]);
            add(&mut each, [-0.5], [&w]);
            assert_eq!(once, each);
        }
    }
}
