//! Steps of a linear iteration mixed with those before, so that slow directions do not have to be waited for.
//!
//! ```text
//! x_(k+1) = x_k + f_k - sum_i g_i (dx_i + df_i),   g = argmin |f_k - sum_i g_i df_i|_W
//! ```
//!
//! f_k is what the iteration would add, dx_i and df_i the changes of x and f over the last steps, kept orthonormal in W. Anderson, J. ACM 12
//! (1965); in a linear iteration the same as GMRES restarted (Walker and Ni, SIAM J. Numer. Anal. 49, 2011). Sizes: x of length n with
//! m multipliers that follow, W diagonal.

/// Changes kept.
const DEPTH: usize = 3;
/// A change of f that is nearly a mixture of those kept tells nothing.
const NEW: f64 = 1e-3;

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

    /// Adds another one times a number.
    fn add(&mut self, by: f64, other: &Self) {
        let pairs = [(&mut self.x, &other.x), (&mut self.l, &other.l)];
        for (to, from) in pairs {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += by * from);
        }
    }

    /// What leads from this one to another, in its place.
    fn change_to(&mut self, other: &Self) {
        let pairs = [(&mut self.x, &other.x), (&mut self.l, &other.l)];
        for (to, from) in pairs {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from - *to);
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

/// a^T W b.
fn weighted(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let (w, w_rest) = w.as_chunks::<LANES>();
    for ((a, b), w) in a.iter().zip(b).zip(w) {
        (0..LANES).for_each(|k| sums[k] += w[k] * a[k] * b[k]);
    }
    let rest = a_rest.iter().zip(b_rest).zip(w_rest).map(|((a, b), w)| w * a * b);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// The last steps of one iteration. Vectors that are of no more use serve again: memory fetched anew for each would take as long as
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

    /// What to add in place of `f`; `weight` is the diagonal of W.
    pub(super) fn mix(&mut self, f: Step, weight: &[f64]) -> &Step {
        let inner = |a: &Step, b: &Step| weighted(&a.x, &b.x, weight);
        if let Some((mut df, mut both)) = self.last.take() {
            df.change_to(&f);
            both.add(1.0, &df);
            let size = inner(&df, &df);
            for (known, with) in &self.changes {
                let share = inner(known, &df);
                df.add(-share, known);
                both.add(-share, with);
            }
            let left = inner(&df, &df);
            if left > NEW * NEW * size {
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
        for (known, with) in &self.changes {
            step.add(-inner(known, &f), with);
        }
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
            assert!((weighted(&a, &b, &w) - with).abs() < 1e-14, "{n}");
        }
    }
}
