//! Whether two eigenpairs are one eigenvalue found twice.
//!
//! ```text
//! y_i^H ((s_i + s_j) M + C) x_j = 0 for two eigenvalues,   y_i^H (2 s_i M + C) x_i = 1
//! ```
//!
//! Bounds that meet leave it open whether vectors that do not part are those of one eigenvalue or of two; the product
//! of both forms is small for two.

use mb_algebra::c64;

use crate::numeric::vectors::inner;
use crate::{Class, Eigenpair, tuning};

/// Whether `a` and `b` are one eigenvalue; those further apart than their bounds and `near` times |s| are not, nor are zeros. `products`: M x
/// and C x.
pub(super) fn one_eigenvalue(
    a: &Eigenpair,
    b: &Eigenpair,
    near: f64,
    products: impl Fn(&[c64]) -> [Vec<c64>; 2],
) -> bool {
    let (Some(s), Some(t)) = (a.value(), b.value()) else { return false };
    let zero = a.class == Class::Rigid || b.class == Class::Rigid;
    if zero || (s - t).norm() > a.error_bound + b.error_bound + near * s.norm() {
        return false;
    }
    let form = |y: &Eigenpair, x: &Eigenpair| {
        let [m, c] = products(&x.right);
        let slope: Vec<c64> = m.iter().zip(&c).map(|(m, c)| (s + t) * m + c).collect();
        inner(&y.left, &slope)
    };
    (form(a, b) * form(b, a)).norm() > tuning::CLEAR
}
