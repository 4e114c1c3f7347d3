//! Small matrices of double-double numbers: products, Cholesky factors, Jacobi's rotations.

use mb_algebra::Dense;

use crate::numeric::double_double::number::DoubleDouble;
use crate::tuning;

/// An entry this small beside the root of its two diagonal entries leaves them their double precision, and the sums of a row too.
const ROTATED: f64 = f64::EPSILON * tuning::SQRT_EPS;

/// A square matrix by columns.
#[derive(Clone, Debug)]
pub(super) struct Square {
    size: usize,
    entries: Vec<DoubleDouble>,
}

impl Square {
    fn from_fn(size: usize, entry: impl Fn(usize, usize) -> DoubleDouble) -> Self {
        let entries = (0..size).flat_map(|j| (0..size).map(move |i| (i, j)));
        Self { size, entries: entries.map(|(i, j)| entry(i, j)).collect() }
    }

    pub(super) fn identity(size: usize) -> Self {
        Self::from_fn(size, |i, j| f64::from(u8::from(i == j)).into())
    }

    /// A matrix as given, the upper half for both.
    pub(super) fn symmetric(a: &Dense) -> Self {
        Self::from_fn(a.nrows(), |i, j| a[(i.min(j), i.max(j))].into())
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn at(&self, i: usize, j: usize) -> DoubleDouble {
        self.entries[j * self.size + i]
    }

    fn set(&mut self, i: usize, j: usize, value: DoubleDouble) {
        self.entries[j * self.size + i] = value;
    }

    fn column(&self, j: usize) -> &[DoubleDouble] {
        &self.entries[j * self.size..(j + 1) * self.size]
    }

    /// A + c I.
    pub(super) fn shifted(mut self, c: f64) -> Self {
        for i in 0..self.size {
            self.set(i, i, self.at(i, i) + c.into());
        }
        self
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut out = Self::from_fn(self.size, |_, _| DoubleDouble::default());
        for j in 0..self.size {
            let to = &mut out.entries[j * self.size..(j + 1) * self.size];
            for (l, by) in other.column(j).iter().enumerate().filter(|(_, by)| by.high != 0.0) {
                to.iter_mut().zip(self.column(l)).for_each(|(to, a)| *to = *to + *a * *by);
            }
        }
        out
    }

    /// X^T A X for a symmetric A.
    pub(super) fn congruent(&self, x: &Self) -> Self {
        let product = self.times(x);
        let mut out = Self::from_fn(self.size, |_, _| DoubleDouble::default());
        for j in 0..self.size {
            for i in 0..=j {
                let terms = x.column(i).iter().zip(product.column(j));
                let form = terms.fold(DoubleDouble::default(), |sum, (x, y)| sum + *x * *y);
                out.set(i, j, form);
                out.set(j, i, form);
            }
        }
        out
    }

    /// |X|^T |A| |X|.
    pub(super) fn magnitudes_congruent(&self, x: &Self) -> Dense {
        let size = |a: &Self| Dense::from_fn(a.size, a.size, |i, j| a.at(i, j).high.abs());
        let x = size(x);
        mb_algebra::dense::mul_transpose(&x, &mb_algebra::dense::mul(&size(self), &x))
    }

    /// L with L L^T = A; none where A is not positive definite.
    pub(super) fn cholesky(&self) -> Option<Self> {
        let n = self.size;
        let mut out = self.clone();
        for j in 0..n {
            for i in 0..j {
                out.set(i, j, DoubleDouble::default());
            }
            let pivot = out.at(j, j);
            if !(pivot.high > 0.0 && pivot.high.is_finite()) {
                return None;
            }
            let root = pivot.sqrt();
            out.set(j, j, root);
            for i in j + 1..n {
                out.set(i, j, out.at(i, j) / root);
            }
            for l in j + 1..n {
                let by = out.at(l, j);
                if by.high == 0.0 {
                    continue;
                }
                for i in l..n {
                    out.set(i, l, out.at(i, l) - out.at(i, j) * by);
                }
            }
        }
        Some(out)
    }

    /// L^-1 A for a lower L.
    fn solve_lower(&self, a: &Self) -> Self {
        let n = self.size;
        let mut out = a.clone();
        for j in 0..n {
            for l in 0..n {
                let by = out.at(l, j);
                if by.high == 0.0 {
                    continue;
                }
                let by = by / self.at(l, l);
                out.set(l, j, by);
                for i in l + 1..n {
                    out.set(i, j, out.at(i, j) - self.at(i, l) * by);
                }
            }
        }
        out
    }

    /// L^-T A for a lower L.
    pub(super) fn solve_transpose(&self, a: &Self) -> Self {
        let n = self.size;
        let mut out = a.clone();
        for j in 0..n {
            for l in (0..n).rev() {
                let below =
                    (l + 1..n).fold(DoubleDouble::default(), |sum, i| sum + self.at(i, l) * out.at(i, j));
                out.set(l, j, (out.at(l, j) - below) / self.at(l, l));
            }
        }
        out
    }

    /// L^-1 A L^-T.
    pub(super) fn reduced(&self, factor: &Self) -> Self {
        let half = factor.solve_lower(self);
        let half = Self::from_fn(self.size, |i, j| half.at(j, i));
        let whole = factor.solve_lower(&half);
        Self::from_fn(self.size, |i, j| whole.at(i.min(j), i.max(j)))
    }

    /// Makes a symmetric matrix diagonal by rotations; their product.
    pub(super) fn jacobi(&mut self) -> Self {
        let n = self.size;
        let mut turn = Self::identity(n);
        // Quadratic convergence; where values lie together by groups a few sweeps more.
        for _ in 0..2 * tuning::SWEEPS {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|i, j| self.at(*j, *j).high.abs().total_cmp(&self.at(*i, *i).high.abs()));
            let mut rotated = false;
            for (place, &p) in order.iter().enumerate() {
                for &q in &order[place + 1..] {
                    let size = (self.at(p, p).high.abs().sqrt()) * (self.at(q, q).high.abs().sqrt());
                    if self.at(p, q).high.abs() > ROTATED * size {
                        self.rotate(p, q, &mut turn);
                        rotated = true;
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        turn
    }

    /// The rotation of p and q that makes their entry zero.
    fn rotate(&mut self, p: usize, q: usize, turn: &mut Self) {
        let (one, two) = (DoubleDouble::ONE, DoubleDouble::from(2.0));
        let off = self.at(p, q);
        let cot = (self.at(q, q) - self.at(p, p)) / (two * off);
        // Beyond this the square is out of range, and its one is nothing.
        let t = if cot.high.abs() > 1.0 / UNDERFLOW {
            one / (two * cot)
        } else {
            let t = one / (cot.abs() + (one + cot * cot).sqrt());
            if cot.high < 0.0 { -t } else { t }
        };
        let c = one / (one + t * t).sqrt();
        let s = t * c;
        self.set(p, p, self.at(p, p) - t * off);
        self.set(q, q, self.at(q, q) + t * off);
        self.set(p, q, DoubleDouble::default());
        self.set(q, p, DoubleDouble::default());
        for i in (0..self.size).filter(|i| *i != p && *i != q) {
            let (x, y) = (self.at(i, p), self.at(i, q));
            if x.high == 0.0 && y.high == 0.0 {
                continue;
            }
            let (x, y) = (c * x - s * y, s * x + c * y);
            self.set(i, p, x);
            self.set(p, i, x);
            self.set(i, q, y);
            self.set(q, i, y);
        }
        for i in 0..self.size {
            let (x, y) = (turn.at(i, p), turn.at(i, q));
            turn.set(i, p, c * x - s * y);
            turn.set(i, q, s * x + c * y);
        }
    }
}

/// Numbers with this inverse have squares in range.
const UNDERFLOW: f64 = 1e-100;
