//! Left vectors of coincident eigenvalues.
//!
//! ```text
//! Q(s) = Q(s)^T:   y = conj(x);   at coincident eigenvalues   Y = conj(X S^-1),   S = X^T (2 s M + C) X
//! any Q(s):        Y <- Y G^-H,   G_ij = y_i^H ((s_i + s_j) M + C) x_j
//! ```
//!
//! The eigensolver may return any bases of the left and right space of coincident eigenvalues, even such that
//! y^H (2 s M + C) x = 0 for an eigenpair; afterwards they belong together (palomba2019, Eqs. (17), (18)). A singular S or G is
//! a defective eigenvalue and left alone. Sizes: X, Y k x g for g coincident eigenvalues.

use mb_algebra::{DenseC, LuComplex, c64, dense, norms};

use super::companion::Matrices;
use super::raw::{Kind, Raw};
use crate::numeric::vectors;
use crate::tuning;

/// Groups of at least two coincident eigenvalues.
fn coincident(values: &[c64]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; values.len()];
    let mut out = Vec::new();
    for i in 0..values.len() {
        // Distance in scaled units below which eigenvalues count as coincident.
        let close = |j: usize| (values[i] - values[j]).norm() <= tuning::EPS_2_3 * values[i].norm().max(1.0);
        let group: Vec<usize> = (i..values.len()).filter(|&j| !seen[j] && close(j)).collect();
        for &j in &group {
            seen[j] = true;
        }
        if group.len() > 1 {
            out.push(group);
        }
    }
    out
}

/// Makes given left vectors of coincident finite eigenvalues biorthonormal to the right ones, `rights`.
pub(crate) fn biorthonormal_lefts(problem: &Matrices, raws: &mut [Raw], rights: &[Vec<c64>]) {
    let finite: Vec<usize> =
        (0..raws.len()).filter(|&j| raws[j].kind == Kind::Ordinary && raws[j].beta > 0.0).collect();
    let values: Vec<c64> = finite.iter().map(|&j| raws[j].value()).collect();
    for group in coincident(&values) {
        let group: Vec<usize> = group.into_iter().map(|j| finite[j]).collect();
        let lefts: Option<Vec<Vec<c64>>> = group.iter().map(|&j| raws[j].left.clone()).collect();
        let Some(mut lefts) = lefts else { continue };
        for y in &mut lefts {
            vectors::normalize(y);
        }
        let s: Vec<c64> = group.iter().map(|&j| raws[j].value()).collect();
        let lengths: Vec<f64> = group.iter().map(|&j| norms::two_complex(&rights[j])).collect();
        let products: Vec<[Vec<c64>; 2]> = group
            .iter()
            .map(|&j| [&problem.m, &problem.c].map(|a| dense::matvec_complex(a, &rights[j])))
            .collect();
        let form = |i: usize, j: usize| {
            let [m, c] = &products[j];
            ((s[i] + s[j]) * vectors::inner(&lefts[i], m) + vectors::inner(&lefts[i], c)) / lengths[j]
        };
        let Ok(lu) = LuComplex::new(&DenseC::from_fn(group.len(), group.len(), form)) else { continue };
        let size = 2.0 * s[0].norm() * norms::frobenius(&problem.m) + norms::frobenius(&problem.c);
        for (column, &j) in group.iter().enumerate() {
            let mut unit = super::constraint_basis::zeros(group.len());
            unit[column] = c64::new(1.0, 0.0);
            // A row of G^-1.
            let weights = lu.solve_transpose(&unit);
            let growth = norms::two_complex(&weights) * size;
            if growth.is_nan() || growth > tuning::GAP {
                continue;
            }
            let entry = |row: usize| lefts.iter().zip(&weights).map(|(y, w)| y[row] * w.conj()).sum();
            raws[j].left = Some((0..problem.size()).map(entry).collect());
        }
    }
}

/// Left vectors of a symmetric problem with M = I: y = conj(x), which an absent one stands for.
pub(crate) fn conjugate_lefts(problem: &Matrices, raws: &mut [Raw], rights: &[Vec<c64>]) {
    let values: Vec<c64> = raws.iter().map(Raw::value).collect();
    for group in coincident(&values) {
        let i = group[0];
        let slopes: Vec<Vec<c64>> = group
            .iter()
            .map(|&j| {
                let damping = dense::matvec_complex(&problem.c, &rights[j]);
                damping.iter().zip(&rights[j]).map(|(c, x)| c + x * values[i] * 2.0).collect()
            })
            .collect();
        let form = |a: usize, b: usize| rights[group[a]].iter().zip(&slopes[b]).map(|(x, q)| x * q).sum();
        let gram = DenseC::from_fn(group.len(), group.len(), form);
        let Ok(lu) = LuComplex::new(&gram) else { continue };
        let size = 2.0 * values[i].norm() + norms::frobenius(&problem.c);
        for (column, &j) in group.iter().enumerate() {
            let mut unit = super::constraint_basis::zeros(group.len());
            unit[column] = c64::new(1.0, 0.0);
            let weights = lu.solve(&unit);
            let growth = norms::two_complex(&weights) * size;
            if growth.is_nan() || growth > tuning::GAP {
                continue;
            }
            let y: Vec<c64> = (0..problem.size())
                .map(|row| group.iter().zip(&weights).map(|(&k, w)| rights[k][row] * w).sum::<c64>().conj())
                .collect();
            raws[j].left = Some(y);
        }
    }
}
