//! The inverse of K_ by blocks.
//!
//! ```text
//! K = [cD11 cD12 G1; cD21 cD22 G2; G1^T G2^T 0],   N = G1^-1 D11 G1^-T
//! P = D22 + G2 N G2^T - D21 G1^-T G2^T - G2 G1^-1 D12,   Q = G1^-1 D12 - N G2^T,   R = D21 G1^-T - G2 N
//! ```
//!
//! Paper: [yang2012] Eqs. (3.3), (3.4).
//!
//! [yang2012]: mb_eigen::direct

use mb_algebra::dense::{add, from_rows, hstack, identity, mul, scale, transpose, vstack, zeros};
use mb_algebra::{Dense, Lu, norms};

use super::system::Measured;

/// Largest entry of K K^-1 - I for one system of three and two unknowns with c as given, K^-1 by the formula.
pub(super) fn misfit(c: f64) -> Measured<f64> {
    let d11 = from_rows(&[&[2.0, 0.3], &[0.3, 1.5]]);
    let d12 = from_rows(&[&[0.4, -0.2, 0.1], &[0.7, 0.5, -0.6]]);
    let d21 = transpose(&d12);
    let d22 = from_rows(&[&[3.0, 0.2, 0.1], &[0.2, 2.0, -0.4], &[0.1, -0.4, 1.0]]);
    let g1 = from_rows(&[&[1.0, 0.5], &[-0.3, 0.8]]);
    let g2 = from_rows(&[&[0.2, -0.7], &[0.9, 0.1], &[0.4, 0.6]]);
    let inverse = |a: &Dense| -> Measured<Dense> {
        Ok(Lu::new(a).map_err(|e| e.to_string())?.solve_mat(&identity(a.nrows())))
    };
    let i1 = inverse(&g1)?;
    let (t1, t2) = (transpose(&i1), transpose(&g2));
    let minus = |a: &Dense, b: &Dense| add(1.0, a, -1.0, b);
    let n = mul(&mul(&i1, &d11), &t1);
    let p = add(1.0, &d22, 1.0, &mul(&mul(&g2, &n), &t2));
    let p = minus(&p, &mul(&mul(&d21, &t1), &t2));
    let p = inverse(&minus(&p, &mul(&mul(&g2, &i1), &d12)))?;
    let q = minus(&mul(&i1, &d12), &mul(&n, &t2));
    let r = minus(&mul(&d21, &t1), &mul(&g2, &n));
    let (left, right) = (mul(&t1, &t2), mul(&g2, &i1));
    let blocks = [
        [
            mul(&mul(&left, &p), &right),
            scale(-1.0, &mul(&left, &p)),
            scale(c, &add(1.0, &t1, 1.0, &mul(&mul(&left, &p), &r))),
        ],
        [scale(-1.0, &mul(&p, &right)), p.clone(), scale(-c, &mul(&p, &r))],
        [
            scale(c, &add(1.0, &i1, 1.0, &mul(&mul(&q, &p), &right))),
            scale(-c, &mul(&q, &p)),
            scale(c * c, &minus(&mul(&mul(&q, &p), &r), &n)),
        ],
    ];
    let rows: Vec<Dense> = blocks.iter().map(|[a, b, c]| hstack(&[a, b, c])).collect();
    let formula = scale(c.recip(), &vstack(&[&rows[0], &rows[1], &rows[2]]));
    let matrix = vstack(&[
        &hstack(&[&scale(c, &d11), &scale(c, &d12), &g1]),
        &hstack(&[&scale(c, &d21), &scale(c, &d22), &g2]),
        &hstack(&[&transpose(&g1), &t2, &zeros(2, 2)]),
    ]);
    // In units in which both are of size one, so that rounding of the large blocks does not hide the small ones.
    let unit = |i: usize| if i < 5 { c.sqrt() } else { c.sqrt().recip() };
    let product = mul(&matrix, &formula);
    let off =
        Dense::from_fn(7, 7, |i, j| (product[(i, j)] - f64::from(u8::from(i == j))) * unit(j) / unit(i));
    Ok(norms::max_abs(&off))
}
