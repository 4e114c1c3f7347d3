//! Left vectors of complex symmetric problems.
//!
//! ```text
//! Q(s) = Q(s)^T:   y = conj(x);   at coincident roots   Y = conj(X S^-1),   S = X^T (2 s M + C) X
//! ```
//!
//! The eigensolver may return any basis X of the space of coincident roots, even one with x^T (2 s M + C) x = 0; Y pairs
//! with it. A singular S is a defective root and left alone. Sizes: X k x g for g coincident roots.

use mb_algebra::{DenseC, LuComplex, c64, dense, norms};

use super::companion::Matrices;
use super::raw::Raw;

/// Distance in scaled units below which roots count as coincident.
const COINCIDENT: f64 = 1e-10;

/// Growth of S^-1 over its size for independent vectors from which on coincident roots count as defective.
const DEPENDENT: f64 = 1e5;

/// Left vectors of a symmetric problem with M = I: y = conj(x), which an absent one stands for.
pub(crate) fn conjugate_lefts(problem: &Matrices, raws: &mut [Raw], rights: &[Vec<c64>]) {
    let values: Vec<c64> = raws.iter().map(Raw::value).collect();
    let mut seen = vec![false; raws.len()];
    for i in 0..raws.len() {
        let close = |j: usize| (values[i] - values[j]).norm() <= COINCIDENT * values[i].norm().max(1.0);
        let group: Vec<usize> = (i..raws.len()).filter(|&j| !seen[j] && close(j)).collect();
        if group.len() < 2 {
            continue;
        }
        for &j in &group {
            seen[j] = true;
        }
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
            let mut unit = crate::constraints::zeros(group.len());
            unit[column] = c64::new(1.0, 0.0);
            let weights = lu.solve(&unit);
            let growth = norms::two_complex(&weights) * size;
            if growth.is_nan() || growth > DEPENDENT {
                continue;
            }
            let y: Vec<c64> = (0..problem.size())
                .map(|row| group.iter().zip(&weights).map(|(&k, w)| rights[k][row] * w).sum::<c64>().conj())
                .collect();
            raws[j].left = Some(y);
        }
    }
}
