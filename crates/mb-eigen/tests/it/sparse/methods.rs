//! Each kind of problem is answered by its method, and the result names it.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets};
use mb_eigen::sparse::{Request, SparseExpert, SparseOptions, solve};
use mb_eigen::{DenseOptions, Method};

use super::super::systems::chain;

const N: usize = 120;

/// A chain of masses between walls, its damper, and rows that tie every second mass to the one before.
fn problem(masses: bool, damper: f64, tied: bool) -> QuadraticPencil<Sparse> {
    let mut pencil = chain(N, 2.0, 50.0, true).to_sparse();
    let mut c = Triplets::new(N, N);
    c.add(3, 3, damper);
    pencil.c = c.to_sparse();
    if !masses {
        pencil.m = Triplets::new(N, N).to_sparse();
    }
    if tied {
        let mut phi_q = Triplets::new(N / 2, N);
        for row in 0..N / 2 {
            phi_q.add(row, 2 * row, 1.0);
            phi_q.add(row, 2 * row + 1, -1.0);
        }
        pencil.phi_q = phi_q.to_sparse();
    }
    pencil
}

#[test]
fn the_result_names_its_method() {
    let few = Request::Lowest { count: 3 };
    let cases = [
        (problem(true, 0.0, false), few, Method::Lanczos),
        (problem(true, 0.0, true), few, Method::CondensedLanczos),
        (problem(true, 0.3, false), few, Method::Toar),
        (problem(false, 0.3, false), few, Method::KrylovSchur),
        (problem(true, 0.3, true), Request::All, Method::Dense),
    ];
    for (pencil, request, method) in cases {
        let found = solve(&pencil, &request, &SparseOptions::default()).unwrap();
        assert_eq!(found.method, Some(method), "{request:?}: {:?}", found.findings);
    }
    let single = SparseOptions::from(SparseExpert { single_from: 0.0, ..SparseExpert::default() });
    let long = chain(4 * N, 2.0, 50.0, true).to_sparse();
    let found = solve(&long, &Request::Lowest { count: 1 }, &single).unwrap();
    assert_eq!(found.method, Some(Method::Davidson), "{:?}", found.findings);
    let all = mb_eigen::dense::solve(&chain(4, 1.0, 1.0, true), &DenseOptions::default()).unwrap();
    assert_eq!(all.method, Some(Method::Dense));
    let held = QuadraticPencil { phi_q: mb_algebra::sparse::identity(N), ..problem(true, 0.0, false) };
    assert_eq!(solve(&held, &few, &SparseOptions::default()).unwrap().method, None);
}
