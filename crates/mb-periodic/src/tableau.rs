//! The coefficients of the Radau IIA methods, made from their defining conditions.
//!
//! ```text
//! c_1 .. c_s = 1   zeros of P_s(x) - P_{s-1}(x), x = 2 c - 1 (P: Legendre)
//! sum_j a_ij c_j^k = c_i^{k+1} / (k + 1),   k = 0 .. s - 1
//! ```
//!
//! Order 2 s - 1, damping that is complete at infinite frequency, and an end that is the last stage (Hairer and Wanner, Solving
//! Ordinary Differential Equations II, Sec. IV.5).

use mb_algebra::{AlgebraError, Dense, Lu};

/// Nodes and weights of s stages.
#[derive(Clone, Debug)]
pub struct Tableau {
    /// Nodes c in (0, 1], s numbers; the last is 1.
    pub c: Vec<f64>,
    /// Weights a, s x s; the last row is that of the end.
    pub a: Dense,
    /// A^2, s x s.
    pub a2: Dense,
    /// Values at the nodes of the next step of the polynomial through the nodes of this one, s x s.
    pub next: Dense,
}

/// P_s and P_{s-1} at x, with their derivatives.
fn legendre(s: usize, x: f64) -> [(f64, f64); 2] {
    let (mut last, mut p) = ((1.0, 0.0), (x, 1.0));
    for k in 2..=s {
        let k = k as f64;
        let value = ((2.0 * k - 1.0) * x * p.0 - (k - 1.0) * last.0) / k;
        let slope = ((2.0 * k - 1.0) * (p.0 + x * p.1) - (k - 1.0) * last.1) / k;
        (last, p) = (p, (value, slope));
    }
    [p, last]
}

impl Tableau {
    /// Radau IIA with `s` stages, 2 to 9.
    ///
    /// # Errors
    /// None that depend on data; those of a factorization.
    pub fn radau(s: usize) -> Result<Self, AlgebraError> {
        let mut c: Vec<f64> = Vec::with_capacity(s);
        // Newton's method from the right end on, the zeros found divided out.
        for _ in 0..s {
            let mut x = c.last().map_or(1.0, |last| last - 1e-3);
            for _ in 0..200 {
                let [(p, dp), (r, dr)] = legendre(s, x);
                let (f, df) = (p - r, dp - dr);
                let out: f64 = c.iter().map(|z| 1.0 / (x - z)).sum();
                let step = if f == 0.0 { 0.0 } else { f / (df - f * out) };
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            c.push(x);
        }
        c.reverse();
        for x in &mut c {
            *x = 0.5 * (1.0 + *x);
        }
        c[s - 1] = 1.0;
        // Moments in Legendre polynomials of 2 c - 1 are well conditioned: sum_j a_ij P_k(x_j) = integral of P_k to c_i.
        let value = |k: usize, x: f64| if k == 0 { 1.0 } else { legendre(k, x)[0].0 };
        let x: Vec<f64> = c.iter().map(|c| 2.0 * c - 1.0).collect();
        let moments = Dense::from_fn(s, s, |k, j| value(k, x[j]));
        let integral = |k: usize, x: f64| {
            if k == 0 {
                0.5 * (x + 1.0)
            } else {
                // (2 k + 1) P_k = P'_{k+1} - P'_{k-1}.
                0.5 * (value(k + 1, x) - value(k - 1, x)) / (2 * k + 1) as f64
            }
        };
        let lu = Lu::new(&moments)?;
        let rows = lu.solve_mat(&Dense::from_fn(s, s, |k, i| integral(k, x[i])));
        let a = Dense::from_fn(s, s, |i, j| rows[(j, i)]);
        let a2 = mb_algebra::dense::mul(&a, &a);
        let rows = lu.solve_mat(&Dense::from_fn(s, s, |k, i| value(k, x[i] + 2.0)));
        let next = Dense::from_fn(s, s, |i, j| rows[(j, i)]);
        Ok(Self { c, a, a2, next })
    }
    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.c.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two stages are known in closed form: c = 1/3, 1 and a = [5/12 -1/12; 3/4 1/4].
    #[test]
    fn two_stages_are_those_of_the_closed_form() {
        let t = Tableau::radau(2).unwrap();
        assert!((t.c[0] - 1.0 / 3.0).abs() < 1e-15);
        let known = [[5.0 / 12.0, -1.0 / 12.0], [3.0 / 4.0, 1.0 / 4.0]];
        for i in 0..2 {
            for j in 0..2 {
                assert!((t.a[(i, j)] - known[i][j]).abs() < 1e-15);
            }
        }
    }

    /// The weights of the end integrate powers up to 2 s - 2 exactly, those of the stages up to s - 1.
    #[test]
    fn powers_are_integrated_exactly() {
        for s in 2..=9 {
            let t = Tableau::radau(s).unwrap();
            for k in 0..2 * s - 1 {
                let power = i32::try_from(k).unwrap();
                for i in 0..s {
                    if i + 1 < s && k >= s {
                        continue;
                    }
                    let sum: f64 = (0..s).map(|j| t.a[(i, j)] * t.c[j].powi(power)).sum();
                    let exact = t.c[i].powi(power + 1) / f64::from(power + 1);
                    assert!((sum - exact).abs() < 1e-14, "{s} stages, row {i}, power {k}: {sum} {exact}");
                }
            }
        }
    }
}
