//! The determinant of the modal problem as a function of s, and its null vectors.
//!
//! ```text
//! T(s) = [ D_N      s U_N ]     D = diag(d_i),   G = J + s U_F^T D_F^-1 U_F
//!        [ U_N^T    -G    ]
//! det Q(s) = +-det D_F(s) det T(s),   (log det Q)' = sum_F (2 s + c_i) / d_i + tr T^-1 T'
//! ```
//!
//! with c_i = a + b w_i and d_i = s^2 + c_i s + w_i the entries of D. N holds the modes whose own eigenvalues lie near
//! s: kept as unknowns, so that nothing is divided by a small number; F the others, eliminated (the Schur complement).
//! Null vectors: z_N and y from T, z_F = -s D_F^-1 U_F y. The sums over F of all eigenvalues at once are one matrix product. Sizes: U k x p, T of size p + |N|.

use mb_algebra::{Dense, c64, dense};

use super::proportional::Proportional;
use super::{Uncertified, starts};
use crate::numeric::vectors::ZERO;
use crate::tuning;

/// w, a and b, U and J with the products of the entries of each row of U.
pub(super) struct Function {
    own: Proportional,
    w: Vec<f64>,
    u: Dense,
    signs: Vec<f64>,
    /// k x p (p + 1) / 2: u_ia u_ib for a <= b.
    products: Dense,
}

/// The matrix T at one s with what the eliminated modes contribute.
struct Local {
    near: Vec<usize>,
    /// By columns, size p + |N|.
    t: Small,
    slope: Small,
    /// Sum over F of (2 s + c_i) / d_i.
    far: c64,
}

impl Function {
    pub(super) fn new(own: Proportional, w: Vec<f64>, u: Dense, signs: Vec<f64>) -> Self {
        let (k, p) = u.shape();
        let pairs: Vec<(usize, usize)> = (0..p).flat_map(|b| (0..=b).map(move |a| (a, b))).collect();
        let products = Dense::from_fn(k, pairs.len(), |i, j| u[(i, pairs[j].0)] * u[(i, pairs[j].1)]);
        Self { own, w, u, signs, products }
    }

    /// c_i = a + b w_i.
    fn own_damping(&self, i: usize) -> f64 {
        self.own.damping(self.w[i])
    }

    /// s^2 + a s and 1 + b s: what stands next to w_i and before it in d_i.
    fn terms(&self, s: c64) -> (c64, c64) {
        (s * (s + self.own.mass), s * self.own.stiffness + 1.0)
    }

    /// (log det Q)' at every s; none where Q is singular to the last digit.
    pub(super) fn logarithmic_slopes(&self, s: &[c64]) -> Vec<Option<c64>> {
        self.locals(s)
            .into_iter()
            .map(|local| {
                let trace = local.t.trace_of_quotient(local.slope)?;
                let sum = trace + local.far;
                sum.is_finite().then_some(sum)
            })
            .collect()
    }

    fn locals(&self, s: &[c64]) -> Vec<Local> {
        let (k, p) = self.u.shape();
        let mut near = vec![Vec::new(); s.len()];
        let mut far = vec![ZERO; s.len()];
        let mut weights = Dense::zeros(k, 4 * s.len());
        for (j, &s) in s.iter().enumerate() {
            let (free, factor) = self.terms(s);
            let (free_size, factor_size) = (free.norm(), factor.norm());
            for i in 0..k {
                let d = free + factor * self.w[i];
                // |(s^2 + a s) + (1 + b s) w| below this fraction of both terms is near.
                if d.norm_sqr() < (tuning::MINOR * (free_size + factor_size * self.w[i].abs())).powi(2) {
                    near[j].push(i);
                    continue;
                }
                let inverse = d.inv();
                let (value, slope) = (s * inverse, (self.w[i] - s * s) * inverse * inverse);
                far[j] += value * 2.0 + inverse * self.own_damping(i);
                for (part, v) in [value.re, value.im, slope.re, slope.im].into_iter().enumerate() {
                    weights[(i, 4 * j + part)] = v;
                }
            }
        }
        let sums = dense::mul_transpose(&self.products, &weights);
        let local = |(j, (near, far)): (usize, (Vec<usize>, c64))| {
            let g = near.len();
            let (mut t, mut slope) = (Small::zeros(g + p), Small::zeros(g + p));
            let mut pair = 0;
            for b in 0..p {
                for a in 0..=b {
                    let value = -c64::new(sums[(pair, 4 * j)], sums[(pair, 4 * j + 1)]);
                    let by_s = -c64::new(sums[(pair, 4 * j + 2)], sums[(pair, 4 * j + 3)]);
                    for (row, col) in [(g + a, g + b), (g + b, g + a)] {
                        *t.at(row, col) = value;
                        *slope.at(row, col) = by_s;
                    }
                    pair += 1;
                }
                *t.at(g + b, g + b) -= self.signs[b];
            }
            for (row, &i) in near.iter().enumerate() {
                *t.at(row, row) = distance(s[j], self.w[i], self.own_damping(i));
                *slope.at(row, row) = s[j] * 2.0 + self.own_damping(i);
                for a in 0..p {
                    let u = self.u[(i, a)];
                    *t.at(row, g + a) = s[j] * u;
                    *t.at(g + a, row) = c64::new(u, 0.0);
                    *slope.at(row, g + a) = c64::new(u, 0.0);
                }
            }
            Local { near, t, slope, far }
        };
        near.into_iter().zip(far).enumerate().map(local).collect()
    }

    /// Null vectors z of Q(s), of length one; none where one is not finite.
    pub(super) fn vectors(&self, s: &[c64]) -> Option<Vec<Vec<c64>>> {
        let (k, p) = self.u.shape();
        let mut out = Vec::with_capacity(s.len());
        for (local, &s) in self.locals(s).into_iter().zip(s) {
            let g = local.near.len();
            let (free, factor) = self.terms(s);
            let null = local.t.null_vector();
            let mut z: Vec<c64> = (0..k)
                .map(|i| {
                    let force: c64 = (0..p).map(|a| null[g + a] * self.u[(i, a)]).sum();
                    -force * s / (free + factor * self.w[i])
                })
                .collect();
            for (&i, &value) in local.near.iter().zip(&null) {
                z[i] = value;
            }
            crate::numeric::vectors::normalize(&mut z);
            if !z.iter().all(|z| z.is_finite()) {
                return None;
            }
            out.push(z);
        }
        Some(out)
    }

    /// Whether the eigenvalues are as many as they must be, with sum s = -tr C and sum 1 / s = -tr K^-1 C.
    pub(super) fn sums_agree(&self, uncertified: &[Uncertified]) -> bool {
        let (k, p) = self.u.shape();
        let damping = |i: usize| -> f64 {
            self.own_damping(i) + (0..p).map(|a| self.signs[a] * self.u[(i, a)].powi(2)).sum::<f64>()
        };
        let (mut count, mut sum, mut inverse) = (0, [0.0; 2], [0.0; 2]);
        for approx in uncertified {
            let both = if approx.s.im > 0.0 { 2 } else { 1 };
            count += both;
            let by = f64::from(u8::from(both == 2)) + 1.0;
            sum[0] += by * approx.s.re;
            sum[1] += by * approx.s.norm();
            inverse[0] += by * approx.s.inv().re;
            inverse[1] += by * approx.s.inv().norm();
        }
        let (mut demanded, mut size) = ([0.0; 2], [0.0; 2]);
        for i in 0..k {
            let c = damping(i);
            for (part, c) in [c, c / self.w[i]].into_iter().enumerate() {
                demanded[part] -= c;
                size[part] += c.abs();
            }
        }
        let agree = |part: usize, [value, terms]: [f64; 2]| {
            // Relative error allowed in the sums of the eigenvalues.
            (value - demanded[part]).abs() <= tuning::SQRT_EPS * size[part] + tuning::SOLVE_ROUNDINGS * terms
        };
        count == 2 * k && agree(0, sum) && agree(1, inverse)
    }
}

/// s^2 + c s + w without cancellation.
fn distance(s: c64, w: f64, c: f64) -> c64 {
    let [one, other] = starts::poles(w, c);
    (s - one) * (s - other)
}

/// A small complex matrix by rows.
struct Small {
    size: usize,
    entries: Vec<c64>,
}

impl Small {
    fn zeros(size: usize) -> Self {
        Self { size, entries: vec![ZERO; size * size] }
    }

    fn at(&mut self, row: usize, col: usize) -> &mut c64 {
        &mut self.entries[row * self.size + col]
    }

    /// tr A^-1 B; none where A is singular.
    fn trace_of_quotient(self, mut b: Self) -> Option<c64> {
        let n = self.size;
        let mut a = self;
        for k in 0..n {
            let row = a.pivot(k);
            if a.entries[row * n + k] == ZERO {
                return None;
            }
            a.swap_rows(k, row);
            b.swap_rows(k, row);
            let inverse = a.entries[k * n + k].inv();
            for i in k + 1..n {
                let factor = a.entries[i * n + k] * inverse;
                if factor != ZERO {
                    a.subtract(i, k, factor, k + 1);
                    b.subtract(i, k, factor, 0);
                }
            }
        }
        // Back substitution; of row i of the quotient only the diagonal entry counts, but the rows above need all.
        let mut trace = ZERO;
        for k in (0..n).rev() {
            let inverse = a.entries[k * n + k].inv();
            b.entries[k * n..(k + 1) * n].iter_mut().for_each(|v| *v *= inverse);
            trace += b.entries[k * n + k];
            for i in 0..k {
                let factor = a.entries[i * n + k];
                if factor != ZERO {
                    b.subtract(i, k, factor, 0);
                }
            }
        }
        Some(trace)
    }

    /// Two steps of inverse iteration for the smallest singular direction.
    fn null_vector(mut self) -> Vec<c64> {
        let n = self.size;
        let largest = self.entries.iter().map(c64::norm_sqr).fold(0.0, f64::max).sqrt();
        let mut order: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let row = self.pivot(k);
            self.swap_rows(k, row);
            order.swap(k, row);
            let floor = f64::EPSILON * f64::EPSILON * largest;
            if self.entries[k * n + k].norm() <= floor {
                self.entries[k * n + k] = c64::new(floor.max(f64::MIN_POSITIVE), 0.0);
            }
            let inverse = self.entries[k * n + k].inv();
            for i in k + 1..n {
                let factor = self.entries[i * n + k] * inverse;
                self.subtract(i, k, factor, k + 1);
                self.entries[i * n + k] = factor;
            }
        }
        // The start that L maps from: no direction is left out by symmetry.
        let mut x: Vec<c64> =
            (0..n).map(|i| c64::new(1.0 + tuning::CLEAR * ((i * 7) % 5) as f64, 0.0)).collect();
        for step in 0..2 {
            if step > 0 {
                x = order.iter().map(|&i| x[i]).collect();
                for i in 0..n {
                    let sum: c64 = (0..i).map(|j| self.entries[i * n + j] * x[j]).sum();
                    x[i] -= sum;
                }
            }
            for i in (0..n).rev() {
                let sum: c64 = (i + 1..n).map(|j| self.entries[i * n + j] * x[j]).sum();
                x[i] = (x[i] - sum) / self.entries[i * n + i];
            }
            let size = x.iter().map(|v| v.norm()).fold(0.0, f64::max);
            for v in &mut x {
                *v /= size;
            }
        }
        x
    }

    /// Row of the largest entry of column k from the diagonal on.
    fn pivot(&self, k: usize) -> usize {
        let size = |i: &usize| self.entries[i * self.size + k].norm_sqr();
        (k..self.size).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(k)
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        if a != b {
            for j in 0..self.size {
                self.entries.swap(a * self.size + j, b * self.size + j);
            }
        }
    }

    /// Row `target` minus `factor` times row `source`, from column `from` on.
    fn subtract(&mut self, target: usize, source: usize, factor: c64, from: usize) {
        let n = self.size;
        for j in from..n {
            let v = self.entries[source * n + j];
            self.entries[target * n + j] -= factor * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Function {
        let w = vec![1.0, 4.0, 9.0, 10.0];
        let u = Dense::from_fn(4, 2, |i, j| 0.3 + 0.2 * i as f64 - 0.4 * (j * i) as f64);
        Function::new(Proportional { mass: 0.02, stiffness: 0.01 }, w, u, vec![1.0, -1.0])
    }

    /// Q(s) z.
    fn apply(f: &Function, s: c64, z: &[c64]) -> Vec<c64> {
        let (k, p) = f.u.shape();
        let rate = |a: usize| (0..k).map(|i| z[i] * f.u[(i, a)]).sum::<c64>() * f.signs[a];
        let rates: Vec<c64> = (0..p).map(rate).collect();
        (0..k)
            .map(|i| {
                (s * (s + f.own_damping(i)) + f.w[i]) * z[i]
                    + s * (0..p).map(|a| rates[a] * f.u[(i, a)]).sum::<c64>()
            })
            .collect()
    }

    #[test]
    fn slopes_do_not_depend_on_which_modes_are_eliminated() {
        let f = sample();
        // The logarithmic derivative by differences of log det, where no mode is near and where one or two are.
        for s in [c64::new(-0.3, 0.4), c64::new(-1e-3, 2.0), c64::new(-0.01, 3.08)] {
            let det = |s: c64| {
                let columns: Vec<Vec<c64>> = (0..4)
                    .map(|j| {
                        apply(
                            &f,
                            s,
                            &(0..4).map(|i| c64::new(f64::from(u8::from(i == j)), 0.0)).collect::<Vec<_>>(),
                        )
                    })
                    .collect();
                let matrix = mb_algebra::DenseC::from_fn(4, 4, |i, j| columns[j][i]);
                determinant(&matrix)
            };
            let h = 1e-5;
            let difference = (det(s + h) - det(s - h)) / (2.0 * h) / det(s);
            let slope = f.logarithmic_slopes(&[s])[0].unwrap();
            assert!((slope - difference).norm() < 1e-6 * slope.norm(), "{slope} {difference}");
        }
    }

    /// By expansion along the first column.
    fn determinant(a: &mb_algebra::DenseC) -> c64 {
        let n = a.nrows();
        if n == 1 {
            return a[(0, 0)];
        }
        (0..n)
            .map(|r| {
                let minor = mb_algebra::DenseC::from_fn(n - 1, n - 1, |i, j| {
                    a[(if i < r { i } else { i + 1 }, j + 1)]
                });
                let sign = if r % 2 == 0 { 1.0 } else { -1.0 };
                a[(r, 0)] * determinant(&minor) * sign
            })
            .sum()
    }

    #[test]
    fn null_vectors_annihilate_the_problem_at_its_eigenvalues() {
        let f = sample();
        let mut s = c64::new(-0.1, 2.0);
        for _ in 0..30 {
            if let Some(slope) = f.logarithmic_slopes(&[s])[0] {
                s -= slope.inv();
            }
        }
        let z = &f.vectors(&[s]).unwrap()[0];
        assert!(apply(&f, s, z).iter().all(|v| v.norm() < 1e-13));
    }
}
