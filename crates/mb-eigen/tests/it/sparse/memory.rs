//! Short memory: factors in single precision where double ones do not fit, a refusal beyond.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};
use mb_eigen::sparse::{Request, SparseFinding, SparseOptions, solve};
use mb_eigen::{EigenError, Finding};
use saddle_ldlt::{SaddleAnalysis, SaddleOptions};

use super::agreement::proved_in_interval;

/// Unit masses on a grid of side^3 with unit springs, one face held by multipliers: w = sum over the axes of
/// 2 - 2 cos of multiples of pi, known in closed form.
fn grid(side: usize) -> (QuadraticPencil<Sparse>, Vec<f64>) {
    let n = side * side * side;
    let mut k = Triplets::new(n, n);
    for i in 0..n {
        let at = [i % side, i / side % side, i / (side * side)];
        for (axis, step) in [1, side, side * side].into_iter().enumerate() {
            if at[axis] + 1 < side {
                for (p, q, v) in
                    [(i, i, 1.0), (i + step, i + step, 1.0), (i, i + step, -1.0), (i + step, i, -1.0)]
                {
                    k.add(p, q, v);
                }
            }
        }
    }
    let face = side * side;
    let mut phi_q = Triplets::new(face, n);
    (0..face).for_each(|r| phi_q.add(r, r, 1.0));
    let one = |angle: f64| 4.0 * (0.5 * angle).sin().powi(2);
    let pi = std::f64::consts::PI;
    let free: Vec<f64> = (0..side).map(|j| one(pi * j as f64 / side as f64)).collect();
    // Held at one end, free at the other: side - 1 masses.
    let held: Vec<f64> = (1..side).map(|j| one(pi * (2 * j - 1) as f64 / (2 * side - 1) as f64)).collect();
    let mut w: Vec<f64> = held
        .iter()
        .flat_map(|c| free.iter().flat_map(|a| free.iter().map(move |b| a + b)).map(move |ab| ab + c))
        .collect();
    w.sort_by(f64::total_cmp);
    let pencil = QuadraticPencil {
        m: sparse::identity(n),
        c: sparse::zeros(n, n),
        k: k.to_sparse(),
        phi_q: phi_q.to_sparse(),
    };
    (pencil, w)
}

#[test]
fn factors_in_single_precision_give_the_same_answers_with_proof() {
    let (pencil, exact) = grid(15);
    let analysis = SaddleAnalysis::new(&pencil.k, &pencil.phi_q, &SaddleOptions::default()).unwrap();
    let bytes = analysis.estimate().bytes;
    let ask = |memory_limit: u64| {
        let options = SparseOptions { memory_limit: Some(memory_limit), ..SparseOptions::default() };
        solve(&pencil, &Request::Lowest { count: 3 }, &options)
    };
    let found = ask(bytes * 9 / 10).unwrap();
    let single = |f: &Finding| {
        matches!(f, Finding::Sparse { detail: SparseFinding::FactorizationFellBack { used, .. } }
            if used.contains("single precision"))
    };
    assert!(found.findings.iter().any(single), "{:?}", found.findings);
    assert!(proved_in_interval(&found), "{:?}", found.findings);
    let upper: Vec<_> = found.motion().filter(|pair| pair.alpha.im >= 0.0).collect();
    assert_eq!(upper.len(), 3);
    for (pair, w) in upper.iter().zip(&exact) {
        let s = pair.value().unwrap();
        assert!(
            (s.im - w.sqrt()).abs() <= pair.error_bound + 1e-13,
            "{s} for {w}, bound {:e}",
            pair.error_bound
        );
        assert!(pair.error_bound < 1e-9, "{:e}", pair.error_bound);
    }
    let refused = ask(bytes / 3).unwrap_err();
    let memory = matches!(refused, EigenError::OutOfMemory { .. }) || refused.to_string().contains("memory");
    assert!(memory, "{refused}");
}
