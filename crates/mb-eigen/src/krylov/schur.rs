//! Schur form of a small complex matrix, reordered; the workhorse of restarts.
//!
//! ```text
//! H = U S U^H,   S upper triangular
//! ```
//!
//! Householder reduction to Hessenberg form, single-shift QR iteration with Wilkinson's shift, plane rotations to
//! exchange neighbours (Golub and Van Loan, Matrix Computations, sections 7.4 to 7.6). Sizes: k x k with k the
//! dimension of a Krylov basis, at most a few hundred. Fails only when an eigenvalue needs more than 60 steps.

use faer::Mat;
use mb_algebra::{DenseC, c64, interrupt};

use super::scalar::{Scalar, product};
use crate::tuning;

const ZERO: c64 = c64::new(0.0, 0.0);
const ONE: c64 = c64::new(1.0, 0.0);

/// H = U S U^H.
#[derive(Clone, Debug)]
pub(crate) struct Schur {
    /// Upper triangular, k x k.
    pub(crate) s: DenseC,
    /// Unitary, k x k.
    pub(crate) u: DenseC,
}

/// [c s; -conj(s) c] with c real.
#[derive(Clone, Copy)]
struct Rotation {
    c: f64,
    s: c64,
}

impl Rotation {
    /// Rotation with (a, b) -> (r, 0).
    fn annihilate(a: c64, b: c64) -> Self {
        let size = a.norm().hypot(b.norm());
        if size == 0.0 || b == ZERO {
            return Self { c: 1.0, s: ZERO };
        }
        if a == ZERO {
            return Self { c: 0.0, s: b.conj() / b.norm() };
        }
        let phase = a / a.norm();
        Self { c: a.norm() / size, s: phase * b.conj() / size }
    }

    /// Rows i and i + 1 of columns `from..`.
    fn left(self, a: &mut DenseC, i: usize, from: usize) {
        for j in from..a.ncols() {
            let column = a.col_as_slice_mut(j);
            let (x, y) = (column[i], column[i + 1]);
            column[i] = x * self.c + self.s * y;
            column[i + 1] = y * self.c - self.s.conj() * x;
        }
    }

    /// Columns j and j + 1 of rows up to `rows`.
    fn right(self, a: &mut DenseC, j: usize, rows: usize) {
        let (left, right) = a.as_mut().subrows_mut(0, rows).split_at_col_mut(j + 1);
        for (x, y) in left.col_mut(j).iter_mut().zip(right.col_mut(0).iter_mut()) {
            (*x, *y) = (*x * self.c + *y * self.s.conj(), *y * self.c - *x * self.s);
        }
    }
}

impl Schur {
    /// Schur form of any square matrix; none when the iteration does not converge or entries are not finite.
    pub(crate) fn new<T: Scalar>(h: &Mat<T>) -> Option<Self> {
        let k = h.nrows();
        if (0..k).any(|j| h.col_as_slice(j).iter().any(|z| !z.complex().is_finite())) {
            return None;
        }
        // In the arithmetic of T, which costs real matrices a fourth of complex ones.
        let mut s = h.clone();
        let mut u = Mat::from_fn(k, k, |i, j| T::real(f64::from(u8::from(i == j))));
        hessenberg(&mut s, &mut u);
        let complex = |a: &Mat<T>| DenseC::from_fn(k, k, |i, j| a[(i, j)].complex());
        let mut out = Self { s: complex(&s), u: complex(&u) };
        out.iterate().then_some(out)
    }

    /// Size k.
    pub(crate) fn size(&self) -> usize {
        self.s.nrows()
    }

    /// Eigenvalue i.
    pub(crate) fn value(&self, i: usize) -> c64 {
        self.s[(i, i)]
    }

    /// QR iteration on the Hessenberg matrix.
    fn iterate(&mut self) -> bool {
        let k = self.size();
        let scale = (0..k).map(|j| super::scalar::norm(self.s.col_as_slice(j))).fold(0.0, f64::max);
        let mut end = k;
        let mut steps = 0;
        while end > 1 {
            interrupt::check();
            let mut start = end - 1;
            while start > 0 {
                let below = self.s[(start, start - 1)].norm();
                let mut around = self.s[(start, start)].norm() + self.s[(start - 1, start - 1)].norm();
                // Small entries keep their digits where the matrix is graded; where they are what rounding of the largest ones leaves, each
                // sweep makes new ones.
                if around == 0.0 || steps > tuning::STEPS / 2 {
                    around = scale;
                }
                if below <= f64::EPSILON * around {
                    self.s[(start, start - 1)] = ZERO;
                    break;
                }
                start -= 1;
            }
            if start == end - 1 {
                end -= 1;
                steps = 0;
                continue;
            }
            steps += 1;
            if steps > tuning::STEPS {
                return false;
            }
            let shift = if steps % 11 == 10 {
                // An exceptional shift breaks a cycle.
                self.s[(end - 1, end - 1)] + self.s[(end - 1, end - 2)].norm() * 0.75
            } else {
                self.wilkinson(end)
            };
            self.sweep(start, end, shift);
        }
        true
    }

    /// Eigenvalue of the trailing 2 x 2 block nearest to its last entry.
    fn wilkinson(&self, end: usize) -> c64 {
        let (i, j) = (end - 2, end - 1);
        let (a, b, c, d) = (self.s[(i, i)], self.s[(i, j)], self.s[(j, i)], self.s[(j, j)]);
        let half = (a - d) * 0.5;
        let root = (half * half + b * c).sqrt();
        let far = if (half + root).norm() >= (half - root).norm() { half + root } else { half - root };
        if far == ZERO { d } else { d - b * c / far }
    }

    /// One implicit QR step on rows and columns start..end.
    fn sweep(&mut self, start: usize, end: usize, shift: c64) {
        let k = self.size();
        let (mut x, mut y) = (self.s[(start, start)] - shift, self.s[(start + 1, start)]);
        for i in start..end - 1 {
            let rotation = Rotation::annihilate(x, y);
            rotation.left(&mut self.s, i, i.saturating_sub(1).max(start));
            rotation.right(&mut self.s, i, (i + 3).min(end));
            rotation.right(&mut self.u, i, k);
            if i > start {
                self.s[(i + 1, i - 1)] = ZERO;
            }
            if i + 2 < end {
                (x, y) = (self.s[(i + 1, i)], self.s[(i + 2, i)]);
            }
        }
    }

    /// Exchanges the neighbours i and i + 1.
    fn swap(&mut self, i: usize) {
        let k = self.size();
        let (a, b, d) = (self.s[(i, i)], self.s[(i, i + 1)], self.s[(i + 1, i + 1)]);
        let rotation = Rotation::annihilate(b, d - a);
        rotation.left(&mut self.s, i, i);
        rotation.right(&mut self.s, i, i + 2);
        rotation.right(&mut self.u, i, k);
        self.s[(i + 1, i)] = ZERO;
        (self.s[(i, i)], self.s[(i + 1, i + 1)]) = (d, a);
    }

    /// Sorts the diagonal by `key`, smallest first.
    pub(crate) fn sort_by_key(&mut self, key: impl Fn(c64) -> f64) {
        let k = self.size();
        for done in 0..k {
            interrupt::check();
            let best = (done..k).min_by(|&i, &j| key(self.value(i)).total_cmp(&key(self.value(j))));
            for i in (done..best.unwrap_or(done)).rev() {
                self.swap(i);
            }
        }
    }

    /// For real H: moves every conjugate behind its partner; the lengths of the groups, one or two, in order.
    ///
    /// A value nearer to its own mirror image than to any other value's is real. Values sorted before stay so.
    pub(crate) fn pair_conjugates(&mut self) -> Vec<usize> {
        let k = self.size();
        let mut groups = Vec::with_capacity(k);
        let mut i = 0;
        while i < k {
            interrupt::check();
            let mirror = self.value(i).conj();
            let distance = |j: usize| (self.value(j) - mirror).norm();
            let partner = (i + 1..k).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            match partner {
                Some(j) if distance(j) < 2.0 * mirror.im.abs() => {
                    (i + 1..j).rev().for_each(|l| self.swap(l));
                    groups.push(2);
                    i += 2;
                }
                _ => {
                    groups.push(1);
                    i += 1;
                }
            }
        }
        groups
    }

    /// Right eigenvectors of H for the first `count` diagonal entries, columns of length one, k x count.
    pub(crate) fn vectors(&self, count: usize) -> DenseC {
        let k = self.size();
        let scale = (0..k).map(|j| super::scalar::norm(self.s.col_as_slice(j))).fold(0.0, f64::max);
        let tiny = f64::EPSILON * scale.max(f64::MIN_POSITIVE);
        let mut y = DenseC::zeros(k, count);
        for j in 0..count {
            let value = self.value(j);
            y[(j, j)] = ONE;
            for i in (0..j).rev() {
                let mut sum = ZERO;
                for l in i + 1..=j {
                    sum += self.s[(i, l)] * y[(l, j)];
                }
                let pivot = self.s[(i, i)] - value;
                y[(i, j)] = -sum / if pivot.norm() < tiny { c64::new(tiny, 0.0) } else { pivot };
            }
            let size = super::scalar::norm(y.col_as_slice(j));
            y.col_as_slice_mut(j).iter_mut().for_each(|z| *z /= size);
        }
        product(self.u.as_ref(), y.as_ref())
    }

    /// A basis of the first `count` Schur vectors in the arithmetic of T, k x count, orthonormal.
    ///
    /// For real H the selection must hold both members of every conjugate pair; the span is then that of real
    /// vectors, and [Re U, Im U] has `count` singular values one and the others zero.
    pub(crate) fn basis<T: Scalar>(&self, count: usize) -> Mat<T> {
        let k = self.size();
        if !T::REAL {
            return Mat::from_fn(k, count, |i, j| T::from_complex(self.u[(i, j)]));
        }
        let mut rest: Vec<Vec<f64>> = (0..count)
            .flat_map(|j| {
                let column = self.u.col_as_slice(j);
                [column.iter().map(|z| z.re).collect(), column.iter().map(|z| z.im).collect()]
            })
            .collect();
        let mut out = Mat::<T>::zeros(k, count);
        // Gram-Schmidt with the longest remaining column first.
        for to in 0..count {
            let longest = (0..rest.len()).max_by(|&a, &b| norm(&rest[a]).total_cmp(&norm(&rest[b])));
            let mut x = rest.swap_remove(longest.unwrap_or(0));
            for _ in 0..2 {
                for j in 0..to {
                    let q = out.col_as_slice(j);
                    let c: f64 = q.iter().zip(&x).map(|(q, x)| q.complex().re * x).sum();
                    x.iter_mut().zip(q).for_each(|(x, q)| *x -= c * q.complex().re);
                }
            }
            let size = norm(&x).max(f64::MIN_POSITIVE);
            for x in &mut x {
                *x /= size;
            }
            for other in &mut rest {
                let c: f64 = x.iter().zip(other.iter()).map(|(x, o)| x * o).sum();
                other.iter_mut().zip(&x).for_each(|(o, x)| *o -= c * x);
            }
            out.col_as_slice_mut(to).iter_mut().zip(&x).for_each(|(o, x)| *o = T::real(*x));
        }
        out
    }
}

fn norm(x: &[f64]) -> f64 {
    super::scalar::norm(x)
}

/// Householder reduction, U accumulated.
fn hessenberg<T: Scalar>(a: &mut Mat<T>, u: &mut Mat<T>) {
    let k = a.nrows();
    for j in 0..k.saturating_sub(2) {
        let mut v = Mat::from_fn(k - j - 1, 1, |i, _| a[(j + 1 + i, j)]);
        let (first, tail) = (v[(0, 0)], super::scalar::norm(&v.col_as_slice(0)[1..]));
        if tail == 0.0 {
            continue;
        }
        let length = first.square().sqrt();
        let phase = if length == 0.0 { T::real(1.0) } else { first.times(length.recip()) };
        v[(0, 0)] = first + phase.times(length.hypot(tail));
        let factor = 2.0 / super::scalar::norm(v.col_as_slice(0)).powi(2);
        // (I - f v v^H) A (I - f v v^H).
        let shares = T::adjoint_product(v.as_ref(), a.as_ref().subcols(j, k - j).subrows(j + 1, k - j - 1));
        for col in j..k {
            let by = shares[(0, col - j)].times(factor);
            let column = &mut a.col_as_slice_mut(col)[j + 1..];
            column.iter_mut().zip(v.col_as_slice(0)).for_each(|(x, v)| *x -= *v * by);
        }
        for matrix in [&mut *a, &mut *u] {
            let dots = product(matrix.as_ref().subcols(j + 1, k - j - 1), v.as_ref());
            for (l, v) in v.col_as_slice(0).iter().enumerate() {
                let by = v.conjugate().times(factor);
                let column = matrix.col_as_slice_mut(j + 1 + l);
                column.iter_mut().zip(dots.col_as_slice(0)).for_each(|(x, d)| *x -= *d * by);
            }
        }
        a.col_as_slice_mut(j)[j + 2..].fill(T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::krylov::scalar::start_block;
    use mb_algebra::{Dense, norms};

    fn residual(h: &DenseC, schur: &Schur) -> f64 {
        let left = product(h.as_ref(), schur.u.as_ref());
        let right = product(schur.u.as_ref(), schur.s.as_ref());
        norms::max_abs(&DenseC::from_fn(h.nrows(), h.nrows(), |i, j| left[(i, j)] - right[(i, j)]))
    }

    #[test]
    fn what_rounding_leaves_of_zeros_does_not_keep_the_iteration_from_its_end() {
        // U diag(theta, 0) U^H with U from the Schur form of a random matrix.
        let k = 240;
        let random = start_block::<f64>(k, k, 3);
        let u = Schur::new(&random).unwrap().u;
        for seen in [40, 120] {
            let part = u.as_ref().subcols(0, seen);
            let h = product(part, part.adjoint().to_owned().as_ref());
            let theta = c64::new(-5.6e-3, 0.1058);
            let h = DenseC::from_fn(k, k, |i, j| theta * h[(i, j)]);
            let schur = Schur::new(&h).unwrap();
            assert!(residual(&h, &schur) < 1e-13);
            let shown = (0..k).filter(|&i| (schur.value(i) - theta).norm() < 1e-13).count();
            assert_eq!(shown, seen);
        }
    }

    #[test]
    fn random_matrices_keep_their_form_when_sorted() {
        for k in [1, 2, 3, 8, 40] {
            let h: DenseC = DenseC::from_fn(k, k, |i, j| {
                let (re, im) = (start_block::<f64>(k, k, 1), start_block::<f64>(k, k, 2));
                c64::new(re[(i, j)], im[(i, j)])
            });
            let mut schur = Schur::new(&h).unwrap();
            assert!(residual(&h, &schur) < 1e-13 * k as f64);
            schur.sort_by_key(|z| -z.norm());
            assert!(residual(&h, &schur) < 1e-13 * k as f64);
            let sizes: Vec<f64> = (0..k).map(|i| schur.value(i).norm()).collect();
            assert!(sizes.windows(2).all(|w| w[0] >= w[1]), "{sizes:?}");
            let y = schur.vectors(k);
            for j in 0..k {
                let hy = product(h.as_ref(), y.as_ref().subcols(j, 1));
                let rest =
                    (0..k).map(|i| (hy[(i, 0)] - schur.value(j) * y[(i, j)]).norm()).fold(0.0, f64::max);
                assert!(rest < 1e-12, "k = {k}: {rest:e}");
            }
        }
    }

    #[test]
    fn a_real_selection_has_a_real_basis() {
        let k = 12;
        let h: Dense = start_block(k, k, 7);
        let mut schur = Schur::new(&h).unwrap();
        schur.sort_by_key(|z| -z.norm());
        let mut count = 5;
        if (schur.value(count - 1) - schur.value(count).conj()).norm() < 1e-9 {
            count += 1;
        }
        let q: Dense = schur.basis(count);
        // The span is invariant: H Q = Q (Q^T H Q).
        let hq = product(h.as_ref(), q.as_ref());
        let inner = f64::adjoint_product(q.as_ref(), hq.as_ref());
        let mut rest = hq;
        crate::krylov::scalar::subtract(&mut rest, q.as_ref(), inner.as_ref());
        assert!(norms::max_abs(&rest) < 1e-12);
    }

    #[test]
    fn defective_and_zero_matrices_are_no_trouble() {
        let jordan = Dense::from_fn(6, 6, |i, j| if j == i + 1 { 1.0 } else { 0.0 });
        let schur = Schur::new(&jordan).unwrap();
        assert!((0..6).all(|i| schur.value(i).norm() < 1e-12));
        assert!(Schur::new(&Dense::zeros(4, 4)).is_some());
        let bad = Dense::from_fn(2, 2, |_, _| f64::NAN);
        assert!(Schur::new(&bad).is_none());
    }
}
