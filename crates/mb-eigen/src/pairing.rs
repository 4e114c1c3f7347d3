//! Which eigenvalue of one spectrum is which of another.
//!
//! ```text
//! minimize sum over pairs of |s_a - s_b|   over all one-to-one assignments
//! ```
//!
//! Hungarian method with shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987), O(N^3) for N eigenvalues.
//! Sorting both lists and pairing by position goes wrong as soon as two eigenvalues swap; an assignment does not
//! depend on the order of the lists. Infinite eigenvalues are matched to infinite ones at no cost, and to finite ones
//! only where nothing else is left. [`crate::modal::match_modes`] adds the likeness of the shapes, or matches by it.

use mb_algebra::c64;

use crate::Eigenpair;
use crate::numeric::vectors::inner;

/// Pairs of indices (into a, into b) with the distance in rad/s; min(|a|, |b|) of them, ordered by the first index.
///
/// The distance between two infinite (or indeterminate) eigenvalues is 0, between such a one and a finite eigenvalue
/// infinite.
pub fn match_spectra(a: &[Eigenpair], b: &[Eigenpair]) -> Vec<(usize, usize, f64)> {
    let values = |pairs: &[Eigenpair]| pairs.iter().map(Eigenpair::value).collect::<Vec<_>>();
    assign(&values(a), &values(b))
}

/// The same for plain values, rad/s.
pub fn match_values(a: &[c64], b: &[c64]) -> Vec<(usize, usize, f64)> {
    let values = |list: &[c64]| list.iter().map(|s| s.is_finite().then_some(*s)).collect::<Vec<_>>();
    assign(&values(a), &values(b))
}

/// Modal assurance criterion |y^H x|^2 / (|x|^2 |y|^2): 1 for parallel vectors, 0 for orthogonal ones or a zero
/// vector. Allemang and Brown, 1982.
pub fn mac(x: &[c64], y: &[c64]) -> f64 {
    let (xx, yy) = (inner(x, x).re, inner(y, y).re);
    if xx > 0.0 && yy > 0.0 { (inner(y, x).norm_sqr() / (xx * yy)).min(1.0) } else { 0.0 }
}

fn distance(a: Option<c64>, b: Option<c64>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).norm(),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    }
}

fn assign(a: &[Option<c64>], b: &[Option<c64>]) -> Vec<(usize, usize, f64)> {
    if a.len() > b.len() {
        let mut out: Vec<_> = assign(b, a).into_iter().map(|(j, i, d)| (i, j, d)).collect();
        out.sort_by_key(|&(i, ..)| i);
        return out;
    }
    let finite = a.iter().flat_map(|&x| b.iter().map(move |&y| distance(x, y))).filter(|d| d.is_finite());
    // More than any assignment of finite pairs can cost.
    let forbidden = 1.0 + finite.fold(0.0, f64::max) * (a.len() as f64 + 1.0);
    let cost = |i: usize, j: usize| {
        let d = distance(a[i], b[j]);
        if d.is_finite() { d } else { forbidden }
    };
    let columns = hungarian(a.len(), b.len(), cost);
    columns.into_iter().enumerate().map(|(i, j)| (i, j, distance(a[i], b[j]))).collect()
}

/// Pairs (row, column) of an assignment of least cost, min(rows, columns) of them, ordered by the row.
pub(crate) fn assign_by(
    rows: usize,
    columns: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, usize)> {
    if rows <= columns {
        return hungarian(rows, columns, cost).into_iter().enumerate().collect();
    }
    let mut out: Vec<(usize, usize)> =
        hungarian(columns, rows, |i, j| cost(j, i)).into_iter().enumerate().map(|(j, i)| (i, j)).collect();
    out.sort_unstable();
    out
}

/// Column of every row in an assignment of least cost; rows <= columns.
fn hungarian(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    // Potentials u, v with cost >= u + v; one row at a time enters by a shortest path of reduced costs.
    let (mut u, mut v) = (vec![0.0; rows], vec![0.0; columns]);
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for start in 0..rows {
        let mut reach = vec![f64::INFINITY; columns];
        let mut from: Vec<Option<usize>> = vec![None; columns];
        let mut done = vec![false; columns];
        let (mut row, mut column) = (start, None);
        loop {
            let (mut next, mut least) = (None, f64::INFINITY);
            for j in (0..columns).filter(|&j| !done[j]) {
                let reduced = cost(row, j) - u[row] - v[j];
                if reduced < reach[j] {
                    reach[j] = reduced;
                    from[j] = column;
                }
                if reach[j] < least || next.is_none() {
                    least = reach[j];
                    next = Some(j);
                }
            }
            // rows <= columns: a free column is always left.
            let Some(j) = next else { break };
            u[start] += least;
            for k in 0..columns {
                if done[k] {
                    v[k] -= least;
                    if let Some(i) = row_of[k] {
                        u[i] += least;
                    }
                } else {
                    reach[k] -= least;
                }
            }
            done[j] = true;
            column = Some(j);
            match row_of[j] {
                Some(i) => row = i,
                None => break,
            }
        }
        // Walk back along the path.
        while let Some(j) = column {
            column = from[j];
            row_of[j] = column.map_or(Some(start), |previous| row_of[previous]);
        }
    }
    let mut out = vec![0; rows];
    for (j, row) in row_of.into_iter().enumerate() {
        if let Some(i) = row {
            out[i] = j;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(values: &[f64]) -> Vec<c64> {
        crate::numeric::vectors::complex(values)
    }

    #[test]
    fn crossed_eigenvalues_are_matched_by_total_distance() {
        let (a, b) = (real(&[0.0, 1.0, 10.0]), real(&[10.1, 0.9, 0.2]));
        let matched = match_values(&a, &b);
        let indices: Vec<_> = matched.iter().map(|&(i, j, _)| (i, j)).collect();
        assert_eq!(indices, [(0, 2), (1, 1), (2, 0)]);
        assert!((matched.iter().map(|m| m.2).sum::<f64>() - 0.4).abs() < 1e-14);
    }

    #[test]
    fn greedy_choice_is_not_taken() {
        // Nearest first would pair 1.0 with 1.1 and leave 0.0 with 3.0.
        let matched = match_values(&real(&[0.0, 1.0]), &real(&[1.1, 3.0]));
        assert_eq!(matched.iter().map(|&(i, j, _)| (i, j)).collect::<Vec<_>>(), [(0, 0), (1, 1)]);
    }

    #[test]
    fn a_shorter_list_leaves_eigenvalues_unmatched() {
        let (long, short) = (real(&[5.0, 0.0, 1.0]), real(&[0.9]));
        assert_eq!(match_values(&long, &short).iter().map(|m| (m.0, m.1)).collect::<Vec<_>>(), [(2, 0)]);
        assert_eq!(match_values(&short, &long).iter().map(|m| (m.0, m.1)).collect::<Vec<_>>(), [(0, 2)]);
        assert!(match_values(&[], &long).is_empty());
    }

    #[test]
    fn infinite_eigenvalues_go_together() {
        let infinite = c64::new(f64::INFINITY, 0.0);
        let matched = match_values(&[infinite, c64::new(1e9, 0.0)], &[c64::new(0.0, 0.0), infinite]);
        assert_eq!(matched[0], (0, 1, 0.0));
        assert_eq!((matched[1].0, matched[1].1), (1, 0));
    }

    #[test]
    fn mac_knows_parallel_and_orthogonal() {
        let (x, y) = ([c64::new(1.0, 1.0), c64::new(0.0, 2.0)], [c64::new(0.0, 2.0), c64::new(-2.0, 2.0)]);
        let turned: Vec<c64> = x.iter().map(|z| z * c64::new(0.3, -0.7)).collect();
        assert!((mac(&x, &turned) - 1.0).abs() < 1e-15);
        let orthogonal = [c64::new(0.0, 2.0), c64::new(-1.0, 1.0)];
        assert!(mac(&x, &y) <= 1.0 && mac(&[x[0], x[1]], &[orthogonal[0].conj(), orthogonal[1]]) <= 1.0);
        assert!(
            mac(&[c64::new(1.0, 0.0), c64::new(0.0, 0.0)], &[c64::new(0.0, 0.0), c64::new(1.0, 0.0)]) < 1e-30
        );
        assert!(mac(&x, &[c64::new(0.0, 0.0); 2]) < 1e-30);
    }
}
