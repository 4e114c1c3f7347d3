//! The inverse of K_ by blocks, with constraints scaled by k, and what follows from it for condition numbers.
//!
//! ```text
//! K = [cD11 cD12 G1; cD21 cD22 G2; G1^T G2^T 0],   N = G1^-1 D11 G1^-T
//! P = D22 + G2 N G2^T - D21 G1^-T G2^T - G2 G1^-1 D12,   Q = G1^-1 D12 - N G2^T,   R = D21 G1^-T - G2 N
//! ```
//!
//! Paper: [yang2012] Eqs. (3.3), (3.4), (3.6), (3.8), (3.9).
//!
//! [yang2012]: mb_eigen::direct

use mb_algebra::dense::{add, from_rows, hstack, identity, mul, scale, transpose, vstack, zeros};
use mb_algebra::{Dense, Lu, norms};

use super::system::Measured;

/// One system of three unknowns and two constraints, whose blocks are of size one.
struct Example {
    d: [[Dense; 2]; 2],
    g: [Dense; 2],
    g1_inverse: Dense,
    n: Dense,
    p: Dense,
    q: Dense,
    r: Dense,
}

fn inverse(a: &Dense) -> Measured<Dense> {
    Ok(Lu::new(a).map_err(|e| e.to_string())?.solve_mat(&identity(a.nrows())))
}

fn minus(a: &Dense, b: &Dense) -> Dense {
    add(1.0, a, -1.0, b)
}

impl Example {
    fn new() -> Measured<Self> {
        let d11 = from_rows(&[&[2.0, 0.3], &[0.3, 1.5]]);
        let d12 = from_rows(&[&[0.4, -0.2, 0.1], &[0.7, 0.5, -0.6]]);
        let d21 = transpose(&d12);
        let d22 = from_rows(&[&[3.0, 0.2, 0.1], &[0.2, 2.0, -0.4], &[0.1, -0.4, 1.0]]);
        let g1 = from_rows(&[&[1.0, 0.5], &[-0.3, 0.8]]);
        let g2 = from_rows(&[&[0.2, -0.7], &[0.9, 0.1], &[0.4, 0.6]]);
        let i1 = inverse(&g1)?;
        let (t1, t2) = (transpose(&i1), transpose(&g2));
        let n = mul(&mul(&i1, &d11), &t1);
        let p = add(1.0, &d22, 1.0, &mul(&mul(&g2, &n), &t2));
        let p = minus(&p, &mul(&mul(&d21, &t1), &t2));
        let p = minus(&p, &mul(&mul(&g2, &i1), &d12));
        let q = minus(&mul(&i1, &d12), &mul(&n, &t2));
        let r = minus(&mul(&d21, &t1), &mul(&g2, &n));
        Ok(Self { d: [[d11, d12], [d21, d22]], g: [g1, g2], g1_inverse: i1, n, p, q, r })
    }

    /// K_ with the stiffness c and the constraints and multipliers scaled by k.
    fn matrix(&self, c: f64, k: f64) -> Dense {
        let [[d11, d12], [d21, d22]] = &self.d;
        let [g1, g2] = [0, 1].map(|i| scale(k, &self.g[i]));
        vstack(&[
            &hstack(&[&scale(c, d11), &scale(c, d12), &g1]),
            &hstack(&[&scale(c, d21), &scale(c, d22), &g2]),
            &hstack(&[&transpose(&g1), &transpose(&g2), &zeros(2, 2)]),
        ])
    }

    /// Its inverse by (3.8), which is (3.4) for k = 1.
    fn formula(&self, c: f64, k: f64) -> Measured<Dense> {
        let (t1, p) = (transpose(&self.g1_inverse), inverse(&self.p)?);
        let (left, right) = (mul(&t1, &transpose(&self.g[1])), mul(&self.g[1], &self.g1_inverse));
        let f = c / k;
        let blocks = [
            [
                mul(&mul(&left, &p), &right),
                scale(-1.0, &mul(&left, &p)),
                scale(f, &add(1.0, &t1, 1.0, &mul(&mul(&left, &p), &self.r))),
            ],
            [scale(-1.0, &mul(&p, &right)), p.clone(), scale(-f, &mul(&p, &self.r))],
            [
                scale(f, &add(1.0, &self.g1_inverse, 1.0, &mul(&mul(&self.q, &p), &right))),
                scale(-f, &mul(&self.q, &p)),
                scale(f * f, &minus(&mul(&mul(&self.q, &p), &self.r), &self.n)),
            ],
        ];
        let rows: Vec<Dense> = blocks.iter().map(|[a, b, c]| hstack(&[a, b, c])).collect();
        Ok(scale(c.recip(), &vstack(&[&rows[0], &rows[1], &rows[2]])))
    }
}

/// Largest entry of K K^-1 - I with K^-1 by the formula.
pub(super) fn misfit(c: f64, k: f64) -> Measured<f64> {
    let example = Example::new()?;
    // In units in which both are of size one, so that rounding of the large blocks does not hide the small ones.
    let unit = |i: usize| if i < 5 { c.sqrt() } else { k / c.sqrt() };
    let product = mul(&example.matrix(c, k), &example.formula(c, k)?);
    let off =
        Dense::from_fn(7, 7, |i, j| (product[(i, j)] - f64::from(u8::from(i == j))) * unit(j) / unit(i));
    Ok(norms::max_abs(&off))
}

/// The power of c in the condition number of the infinity norm, between c = 1e5 and 1e7, for k as a function of c.
pub(super) fn power_of_c(k: fn(f64) -> f64) -> Measured<f64> {
    let example = Example::new()?;
    let condition = |c: f64| -> Measured<f64> {
        Ok(norms::inf(&example.matrix(c, k(c))) * norms::inf(&example.formula(c, k(c))?))
    };
    Ok((condition(1e7)? / condition(1e5)?).log10() / 2.0)
}

/// The factor of G2 G1^-1 in the matrix that the elimination of the appendix has on the right before P is taken out: the
/// rows that turn K_ into (0, cP, 0).
pub(super) fn sign_in_elimination() -> Measured<f64> {
    let (example, c) = (Example::new()?, 10.0);
    let wanted = hstack(&[&zeros(3, 2), &scale(c, &example.p), &zeros(3, 2)]);
    let rows = mul(&wanted, &inverse(&example.matrix(c, 1.0))?);
    let named = mul(&example.g[1], &example.g1_inverse);
    let (mut product, mut square) = (0.0, 0.0);
    for i in 0..3 {
        for j in 0..2 {
            product += rows[(i, j)] * named[(i, j)];
            square += named[(i, j)] * named[(i, j)];
        }
    }
    Ok(product / square)
}
