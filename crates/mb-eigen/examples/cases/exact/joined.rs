//! Chains whose masses come in two halves that constraints tie together.

use std::cmp::Ordering;

use mb_algebra::{QuadraticPencil, Scatter, Triplets};
use proptest::prelude::*;

use super::{Problem, chains};

/// Chains of which every coordinate x_i is two, x_i = +-x_(n+i).
pub(crate) fn joined() -> impl Strategy<Value = Problem> {
    (chains(), any::<u64>()).prop_map(|(problem, turned)| halved(&problem, turned))
}

/// A problem with two coordinates for each, tied by rows; a bit of `turned` says that they move against each other.
fn halved(problem: &Problem, turned: u64) -> Problem {
    let n = problem.pencil.m.rows();
    let sign = |i: usize| if turned >> (i % 64) & 1 == 1 { -1.0 } else { 1.0 };
    let [m, c, k] = [&problem.pencil.m, &problem.pencil.c, &problem.pencil.k].map(|a| {
        let mut out = Triplets::new(2 * n, 2 * n);
        for (&v, (i, j)) in a {
            // Half of each mass, and springs between one of the first ones and one of the second.
            match i.cmp(&j) {
                Ordering::Equal => {
                    out.add(i, i, 0.5 * v);
                    out.add(n + i, n + i, 0.5 * v);
                }
                Ordering::Less => out.add(i, n + j, sign(j) * v),
                Ordering::Greater => out.add(n + i, j, sign(i) * v),
            }
        }
        out.to_sparse()
    });
    let held = problem.pencil.phi_q.rows();
    let mut phi_q = Triplets::new(held + n, 2 * n);
    for (&v, (i, j)) in &problem.pencil.phi_q {
        phi_q.add(i, j, v);
    }
    for i in 0..n {
        let size = 1.0 + (i % 5) as f64;
        phi_q.add(held + i, i, size);
        phi_q.add(held + i, n + i, -sign(i) * size);
    }
    let kind = match problem.kind {
        "undamped chains" => "undamped joined chains",
        "damped chains" => "damped joined chains",
        _ => "other joined chains",
    };
    let pencil = QuadraticPencil { m, c, k, phi_q: phi_q.to_sparse() };
    Problem { pencil, exact: problem.exact.clone(), kind, rank: problem.rank + n, penalty: None }
}
