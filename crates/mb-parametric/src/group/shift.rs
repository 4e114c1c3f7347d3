//! How far the eigenvalues of a small matrix move when the matrix changes.
//!
//! ```text
//! S = Q (D + N) Q^H,   an eigenvalue of S + E lies within delta of one of S,
//! where   sum over j = 0..k-1 of |N|^j / delta^(j+1)  =  1 / |E|
//! ```
//!
//! with D diagonal and N strictly upper triangular (Henrici, Numer. Math. 4 (1962) 24). For a normal matrix, that of a
//! repeated eigenvalue that is not defective, delta = |E|; for a Jordan block it is the k-th root. Where the nearest other
//! value is far away, first order says |E| (1 + |N| / gap)^(k-1); the smaller one counts.

use mb_algebra::{DenseC, c64};

/// Most that value `j` of the triangular matrix `t` moves when the matrix changes by `change`; infinite for an infinite one.
pub(super) fn shift(t: &DenseC, j: usize, change: f64) -> f64 {
    let k = t.nrows();
    if k < 2 || change == 0.0 || !change.is_finite() {
        return change;
    }
    let upper = (0..k).flat_map(|col| (0..col).map(move |row| (row, col)));
    let n = upper.map(|at| t[at].norm_sqr()).sum::<f64>().sqrt();
    let gap =
        (0..k).filter(|&i| i != j).map(|i| (t[(i, i)] - t[(j, j)]).norm()).fold(f64::INFINITY, f64::min);
    let exponent = i32::try_from(k - 1).unwrap_or(i32::MAX);
    let first_order = if gap > 0.0 { change * (1.0 + n / gap).powi(exponent) } else { f64::INFINITY };
    henrici(n, k, change).min(first_order)
}

/// The delta of the module's formula, by bisection of its logarithm.
fn henrici(n: f64, k: usize, change: f64) -> f64 {
    let sum = |delta: f64| {
        let (mut term, mut sum) = (change / delta, 0.0);
        for _ in 0..k {
            sum += term;
            term *= n / delta;
        }
        sum
    };
    let count = k as f64;
    let root = (count * change / n.max(f64::MIN_POSITIVE)).powf(1.0 / count) * n;
    let (mut low, mut high) = (change, (count * change).max(root));
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if sum(middle) > 1.0 { low = middle } else { high = middle }
    }
    high
}

/// The largest distance of two lists of equal length when the nearest values are taken for each other, the closest two
/// first.
pub(crate) fn apart(a: &[c64], b: &[c64]) -> f64 {
    let mut open: Vec<(usize, usize)> =
        (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))).collect();
    let mut farthest = 0.0_f64;
    while let Some(&(i, j)) = open.iter().min_by(|x, y| {
        let distance = |&(i, j): &(usize, usize)| (a[i] - b[j]).norm();
        distance(x).total_cmp(&distance(y))
    }) {
        let distance = (a[i] - b[j]).norm();
        farthest = if distance.is_nan() { f64::INFINITY } else { farthest.max(distance) };
        open.retain(|&(m, n)| m != i && n != j);
    }
    farthest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangular(values: &[f64], above: f64) -> DenseC {
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => above,
            std::cmp::Ordering::Equal => values[i],
            std::cmp::Ordering::Greater => 0.0,
        };
        DenseC::from_fn(values.len(), values.len(), |i, j| c64::from(entry(i, j)))
    }

    #[test]
    fn repeated_values_move_as_the_change_and_defective_ones_as_its_root() {
        let e = 1e-8;
        assert!((shift(&triangular(&[2.0, 2.0], 0.0), 0, e) / e - 1.0).abs() < 1e-9);
        let jordan = shift(&triangular(&[2.0, 2.0], 1.0), 0, e);
        assert!((jordan / e.sqrt() - 1.0).abs() < 1e-3, "{jordan}");
        // Far apart: the condition number (1 + (N / gap)^2)^(1/2) is below 1 + N / gap.
        let apart = shift(&triangular(&[2.0, 3.0], 1.0), 0, e);
        assert!((apart / e - 2.0).abs() < 1e-6, "{apart}");
        assert!((shift(&triangular(&[2.0], 0.0), 0, e) - e).abs() < 1e-24);
        assert!(shift(&triangular(&[2.0, 2.0], 1.0), 0, f64::INFINITY).is_infinite());
    }

    #[test]
    fn the_bound_holds_for_a_matrix_that_can_be_solved() {
        // (2 - s)^2 = above * e below the diagonal.
        for above in [1e-6, 1e-3, 1.0, 30.0] {
            for e in [1e-12, 1e-6, 1e-2] {
                let exact = f64::sqrt(above * e);
                let bound = shift(&triangular(&[2.0, 2.0], above), 0, e);
                assert!(bound >= exact && bound <= exact + 2.0 * e, "{above} {e}: {exact} {bound}");
            }
        }
    }

    #[test]
    fn lists_are_compared_in_their_best_order() {
        let list = |x: &[f64]| x.iter().map(|x| c64::from(*x)).collect::<Vec<_>>();
        assert!((apart(&list(&[1.0, 2.0, 5.0]), &list(&[5.0, 1.25, 2.0])) - 0.25).abs() < 1e-15);
        assert!(apart(&[], &[]).abs() < 1e-15);
        assert!(apart(&list(&[1.0]), &list(&[f64::NAN])).is_infinite());
    }
}
