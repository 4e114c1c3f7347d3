//! Schur form of small complex matrices.
//!
//! ```text
//! S = Q T Q^H,   Q unitary, T upper triangular
//! ```
//!
//! by QR steps with Wilkinson's shift on the whole matrix and deflation at the bottom (Golub and
//! Van Loan, Matrix Computations, section 7.5 for the real case). For groups of a few eigenvalues:
//! k^3 work for each step, no reduction to Hessenberg form.

use mb_algebra::{DenseC, c64};

/// QR steps allowed for each eigenvalue.
const STEPS: usize = 60;

/// Q and T; none when the iteration does not settle.
pub(super) fn schur(s: &DenseC) -> Option<(DenseC, DenseC)> {
    let k = s.nrows();
    let mut t = s.clone();
    let mut q = DenseC::from_fn(k, k, |i, j| if i == j { c64::ONE } else { c64::ZERO });
    let size = (0..k).map(|j| t.col_as_slice(j).iter().map(c64::norm_sqr).sum::<f64>()).sum::<f64>().sqrt();
    if !size.is_finite() {
        return None;
    }
    let mut active = k;
    let mut steps = 0;
    while active > 1 {
        let last = active - 1;
        let off: f64 = (0..last).map(|j| t[(last, j)].norm()).sum();
        if off <= f64::EPSILON * size {
            for j in 0..last {
                t[(last, j)] = c64::ZERO;
            }
            (active, steps) = (last, 0);
            continue;
        }
        if steps == STEPS {
            return None;
        }
        steps += 1;
        let shift = if steps % 11 == 10 { t[(last, last)] + off } else { wilkinson(&t, last) };
        qr_step(&mut t, &mut q, active, shift);
    }
    Some((q, t))
}

/// The eigenvalue of the trailing 2 x 2 block nearest to its last entry.
fn wilkinson(t: &DenseC, last: usize) -> c64 {
    let (a, b) = (t[(last - 1, last - 1)], t[(last - 1, last)]);
    let (c, d) = (t[(last, last - 1)], t[(last, last)]);
    let half = (a - d) * 0.5;
    let root = (half * half + b * c).sqrt();
    let mean = (a + d) * 0.5;
    let (x, y) = (mean + root, mean - root);
    if (x - d).norm() < (y - d).norm() { x } else { y }
}

/// T <- R G + shift I with G R the factors of the leading block of T - shift I, by rotations.
fn qr_step(t: &mut DenseC, q: &mut DenseC, active: usize, shift: c64) {
    let k = t.nrows();
    for i in 0..active {
        t[(i, i)] -= shift;
    }
    let mut rotations = Vec::new();
    for j in 0..active {
        for i in (j + 1..active).rev() {
            let (x, y) = (t[(i - 1, j)], t[(i, j)]);
            let r = x.norm().hypot(y.norm());
            if y.norm() == 0.0 || r == 0.0 {
                continue;
            }
            let (c, s) = (x / r, y / r);
            for m in 0..k {
                let (x, y) = (t[(i - 1, m)], t[(i, m)]);
                t[(i - 1, m)] = c.conj() * x + s.conj() * y;
                t[(i, m)] = c * y - s * x;
            }
            rotations.push((i, c, s));
        }
    }
    for (i, c, s) in rotations {
        for matrix in [&mut *t, &mut *q] {
            for m in 0..k {
                let (x, y) = (matrix[(m, i - 1)], matrix[(m, i)]);
                matrix[(m, i - 1)] = x * c + y * s;
                matrix[(m, i)] = y * c.conj() - x * s.conj();
            }
        }
    }
    for i in 0..active {
        t[(i, i)] += shift;
    }
}

/// Eigenvalues with vectors y, S y = s y of unit size, from the Schur form; vectors of a defective
/// eigenvalue come out parallel.
pub(super) fn eigenpairs(s: &DenseC) -> Option<Vec<(c64, Vec<c64>)>> {
    let (q, t) = schur(s)?;
    let k = t.nrows();
    let size = (0..k).map(|i| t[(i, i)].norm()).fold(f64::MIN_POSITIVE, f64::max);
    let pair = |j: usize| {
        let mut y = vec![c64::ZERO; k];
        y[j] = c64::ONE;
        for i in (0..j).rev() {
            let sum: c64 = (i + 1..=j).map(|m| t[(i, m)] * y[m]).sum();
            let mut pivot = t[(i, i)] - t[(j, j)];
            if pivot.norm() < f64::EPSILON * size {
                pivot = c64::from(f64::EPSILON * size);
            }
            y[i] = -sum / pivot;
        }
        let mut vector: Vec<c64> = (0..k).map(|i| (0..k).map(|m| q[(i, m)] * y[m]).sum()).collect();
        let length = mb_algebra::norms::two_complex(&vector);
        for x in &mut vector {
            *x /= length;
        }
        (t[(j, j)], vector)
    };
    Some((0..k).map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::dense::mul_complex;

    fn entry(i: usize, j: usize) -> c64 {
        c64::cis(1.3 * (i * i) as f64 + 2.1 * j as f64) * (1.0 + 0.3 * i as f64)
    }

    #[test]
    fn the_form_is_triangular_and_similar() {
        let jordan = |i: usize, j: usize| match j.wrapping_sub(i) {
            0 => c64::new(2.0, 1.0),
            1 => c64::ONE,
            _ => c64::ZERO,
        };
        for k in 1..6 {
            for s in [DenseC::from_fn(k, k, entry), DenseC::from_fn(k, k, jordan), DenseC::zeros(k, k)] {
                let (q, t) = schur(&s).unwrap();
                let adjoint = DenseC::from_fn(k, k, |i, j| q[(j, i)].conj());
                let back = mul_complex(&mul_complex(&q, &t), &adjoint);
                let unit = mul_complex(&adjoint, &q);
                for i in 0..k {
                    for j in 0..k {
                        assert!((back[(i, j)] - s[(i, j)]).norm() < 1e-13, "{k} {i} {j}");
                        let one = f64::from(u8::from(i == j));
                        assert!((unit[(i, j)] - one).norm() < 1e-14);
                        assert!(i <= j || t[(i, j)].norm() < 1e-14, "{k} {i} {j} {}", t[(i, j)]);
                    }
                }
                for (value, y) in eigenpairs(&s).unwrap() {
                    let image: Vec<c64> = (0..k).map(|i| (0..k).map(|m| s[(i, m)] * y[m]).sum()).collect();
                    let off = image.iter().zip(&y).map(|(a, b)| (a - value * b).norm()).fold(0.0, f64::max);
                    assert!(off < 1e-13, "{k}: {off}");
                }
            }
        }
    }
}
