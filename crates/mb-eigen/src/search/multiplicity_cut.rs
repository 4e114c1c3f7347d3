//! Multiple eigenvalues of which a request by number leaves modes out.

use mb_algebra::c64;

use crate::Finding;
use crate::finding::SparseFinding;

/// Distance, relative to |s|, within which modes count as those of one eigenvalue: 1e-6 of w = -s^2, as where modes are counted.
const SAME: f64 = 5e-7;

fn same(a: c64, b: c64) -> bool {
    (a - b).norm() <= SAME * a.norm().max(b.norm())
}

/// What there is to say of eigenvalues that are among those returned and among those left out; one s stands for each mode.
pub(crate) fn told(returned: &[c64], left_out: &[c64]) -> Vec<Finding> {
    let mut seen: Vec<c64> = Vec::new();
    for &s in left_out {
        if returned.iter().any(|other| same(s, *other)) && !seen.iter().any(|other| same(s, *other)) {
            seen.push(s);
        }
    }
    let count = |list: &[c64], s: c64| list.iter().filter(|other| same(s, **other)).count();
    let finding = |s: c64| {
        let returned = count(returned, s);
        let found = returned + count(left_out, s);
        SparseFinding::MultipleCut { re: s.re, im: s.im, found, returned }.into()
    };
    seen.into_iter().map(finding).collect()
}

/// The same of modes of undamped problems by w = -s^2, the first `count` of which are returned.
pub(crate) fn told_of_squares(w: &[f64], count: usize) -> Vec<Finding> {
    let s: Vec<c64> = w.iter().map(|&w| root(w)).collect();
    let (returned, left_out) = s.split_at(count.min(s.len()));
    told(returned, left_out)
}

/// s of a mode: on the upper half of the imaginary axis, or positive.
pub(crate) fn root(w: f64) -> c64 {
    let size = w.abs().sqrt();
    if w > 0.0 { c64::new(0.0, size) } else { c64::new(size, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_eigenvalues_on_both_sides_of_the_cut_are_named() {
        let w = [0.0, 0.0, 1.0, 4.0, 4.0 * (1.0 + 1e-9), 4.0, 9.0];
        let cut = |count: usize| -> Vec<(f64, f64, usize, usize)> {
            let told = told_of_squares(&w, count);
            let numbers = |finding: &Finding| match finding {
                Finding::Sparse { detail: SparseFinding::MultipleCut { re, im, found, returned } } => {
                    (*re, *im, *found, *returned)
                }
                other => unreachable!("{other}"),
            };
            told.iter().map(numbers).collect()
        };
        assert_eq!(cut(1), [(0.0, 0.0, 2, 1)]);
        assert_eq!((cut(2), cut(3)), (vec![], vec![]));
        assert_eq!(cut(4).len(), 1);
        assert_eq!((cut(4)[0].2, cut(4)[0].3), (3, 1));
        assert_eq!((cut(5)[0].2, cut(5)[0].3), (3, 2));
        assert_eq!((cut(6), cut(7), cut(9)), (vec![], vec![], vec![]));
        assert_eq!((root(4.0), root(-4.0)), (c64::new(0.0, 2.0), c64::new(2.0, 0.0)));
    }
}
