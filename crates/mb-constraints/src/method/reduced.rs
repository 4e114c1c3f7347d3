//! Accelerations by the independent coordinates alone.
//!
//! ```text
//! Phi_q = [D Phi_i] P,   X = D^-1 Phi_i,   R = [I; -X],   S = [0; D^-1 gamma]
//! R^T M R a_i = R^T (f - M S),   a = R a_i + S,   D^T lambda = (f - M a)_d
//! ```
//!
//! D is m x m and invertible; k = n - m coordinates are independent. Costs one LU of D and k + 2
//! solves with it, where the general way factors M and all of Phi_q.

use super::forward::Work;
use super::square::Square;
use mb_model::system::MotionTerms;

/// Pivot of R^T M R relative to its largest entry, below which a coordinate moves no mass.
const MASSLESS: f64 = 1e-13;

/// Room for the reduced equations.
#[derive(Debug)]
pub(super) struct Reduced {
    /// Independent coordinates.
    free: Vec<usize>,
    /// [X, D^-1 gamma] by columns, m x (k + 1).
    x: Vec<f64>,
    /// One column of M R.
    column: Vec<f64>,
    mass: Square,
    small: Vec<f64>,
}

impl Reduced {
    /// Room for n velocities and m rows.
    pub(super) fn new(n: usize, m: usize) -> Self {
        let k = n.saturating_sub(m);
        Self {
            free: Vec::with_capacity(k),
            x: vec![0.0; m * (k + 1)],
            column: vec![0.0; n],
            mass: Square::new(k),
            small: vec![0.0; k],
        }
    }
    /// Takes the m coordinates that depend on the others.
    pub(super) fn take(&mut self, n: usize, dependent: &[usize]) {
        self.free.clear();
        self.free.extend((0..n).filter(|j| !dependent.contains(j)));
    }
    /// Accelerations and multipliers into `work`, with the factor of D; false where R^T M R is
    /// singular.
    pub(super) fn accelerations(
        &mut self,
        terms: &MotionTerms,
        dependent: &[usize],
        d: &Square,
        work: &mut Work,
    ) -> bool {
        let (n, m, k) = (terms.n, terms.m, self.free.len());
        let Self { free, x, column, mass, small } = self;
        for (j, x) in free.iter().zip(x.chunks_exact_mut(m.max(1))) {
            x.copy_from_slice(&terms.phi_q[j * m..(j + 1) * m]);
        }
        x[m * k..].copy_from_slice(&terms.gamma);
        d.solve(x);
        // S, then f - M S.
        work.a.fill(0.0);
        for (j, s) in dependent.iter().zip(&x[m * k..]) {
            work.a[*j] = *s;
        }
        work.next.copy_from_slice(&terms.force);
        subtract_product(&terms.mass, &work.a, &mut work.next);
        for c in 0..k {
            column.copy_from_slice(&terms.mass[free[c] * n..(free[c] + 1) * n]);
            let own = &x[c * m..(c + 1) * m];
            for (j, x) in dependent.iter().zip(own) {
                if *x != 0.0 {
                    add(column, -x, &terms.mass[j * n..(j + 1) * n]);
                }
            }
            for r in 0..k {
                let below: f64 =
                    dependent.iter().zip(&x[r * m..(r + 1) * m]).map(|(j, x)| column[*j] * x).sum();
                mass.input()[c * k + r] = column[free[r]] - below;
            }
            small[c] =
                work.next[free[c]] - dependent.iter().zip(own).map(|(j, x)| work.next[*j] * x).sum::<f64>();
        }
        if !mass.factor(MASSLESS) {
            return false;
        }
        mass.solve(small);
        for (c, a) in small.iter().enumerate() {
            work.a[free[c]] = *a;
            for (j, x) in dependent.iter().zip(&x[c * m..(c + 1) * m]) {
                work.a[*j] -= a * x;
            }
        }
        work.next.copy_from_slice(&terms.force);
        subtract_product(&terms.mass, &work.a, &mut work.next);
        for (l, j) in work.lambda.iter_mut().zip(dependent) {
            *l = work.next[*j];
        }
        d.solve_transpose(&mut work.lambda);
        true
    }
}

/// y -= A x for a square A by columns.
fn subtract_product(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (column, x) in a.chunks_exact(y.len().max(1)).zip(x) {
        if *x != 0.0 {
            add(y, -x, column);
        }
    }
}

/// y += s x.
fn add(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}
