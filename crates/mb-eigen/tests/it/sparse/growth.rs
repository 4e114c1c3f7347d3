//! What is said of growing modes that are not among those returned, beyond the size at which they are counted one by one.

use mb_algebra::{QuadraticPencil, Scatter, Triplets};
use mb_eigen::Finding;
use mb_eigen::sparse::{Request, SparseExpert, SparseFinding, SparseOptions, solve};

/// More unknowns than all eigenvalues are computed of to count.
const N: usize = 240;

/// A chain of unit masses with springs of 100 between neighbours and `ground` at each, and further entries of C and K.
fn chain(
    ground: f64,
    c: &[(usize, usize, f64)],
    k: &[(usize, usize, f64)],
) -> QuadraticPencil<mb_algebra::Sparse> {
    let (mut of_m, mut of_c, mut of_k) = (Triplets::new(N, N), Triplets::new(N, N), Triplets::new(N, N));
    for i in 0..N {
        of_m.add(i, i, 1.0);
        of_k.add(i, i, ground + if i == 0 || i + 1 == N { 100.0 } else { 200.0 });
        if i + 1 < N {
            of_k.add(i, i + 1, -100.0);
            of_k.add(i + 1, i, -100.0);
        }
    }
    for &(i, j, v) in c {
        of_c.add(i, j, v);
    }
    for &(i, j, v) in k {
        of_k.add(i, j, v);
    }
    let phi_q = Triplets::new(0, N).to_sparse();
    QuadraticPencil { m: of_m.to_sparse(), c: of_c.to_sparse(), k: of_k.to_sparse(), phi_q }
}

/// What the findings say of growth.
fn told(pencil: &QuadraticPencil<mb_algebra::Sparse>, request: Request) -> Vec<SparseFinding> {
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    let found = solve(pencil, &request, &options).unwrap();
    assert!(!found.eigenpairs.is_empty());
    let growth = |finding| match finding {
        Finding::Sparse {
            detail: detail @ (SparseFinding::GrowthUnknown { .. } | SparseFinding::GrowingNotShown { .. }),
        } => Some(detail),
        _ => None,
    };
    found.findings.into_iter().filter_map(growth).collect()
}

const LOWEST: Request = Request::Lowest { count: 4 };
/// A damper between coordinates that move against each other in unequal parts: c (1, 2)^T (1, 2), without a dominant diagonal.
const LEVER: [(usize, usize, f64); 4] = [(20, 20, 0.3), (20, 70, 0.6), (70, 20, 0.6), (70, 70, 1.2)];
const GYROSCOPIC: [(usize, usize, f64); 2] = [(20, 21, 5.0), (21, 20, -5.0)];
/// Takes a support away and pushes: one negative eigenvalue of K.
const PUSH: [(usize, usize, f64); 1] = [(80, 80, -150.0)];

#[test]
fn nothing_is_said_where_nothing_can_grow() {
    for c in
        [&LEVER[..], &GYROSCOPIC, &[LEVER[0], LEVER[1], LEVER[2], LEVER[3], GYROSCOPIC[0], GYROSCOPIC[1]]]
    {
        assert_eq!(told(&chain(4.0, c, &[]), LOWEST), []);
    }
}

#[test]
fn what_feeds_energy_is_named() {
    let unknown = |c: &[_], k: &[_], part: &str| {
        let found = told(&chain(4.0, c, k), LOWEST);
        let [SparseFinding::GrowthUnknown { reason, .. }] = &found[..] else { panic!("{found:?}") };
        assert!(reason.contains(part), "{reason}");
    };
    unknown(&[(50, 50, -0.2), (90, 90, 3.0)], &[], "damping");
    unknown(&[(90, 90, 3.0)], &[(30, 60, 1.0)], "stiffness matrix is not symmetric");
    unknown(&GYROSCOPIC, &PUSH, "gyroscopic");
}

#[test]
fn negative_eigenvalues_of_k_beside_dampers_are_as_many_growing_modes() {
    let pushed = chain(4.0, &LEVER, &PUSH);
    assert_eq!(
        told(&pushed, Request::Largest { count: 2 }),
        [SparseFinding::GrowingNotShown { counted: 1, shown: 0 }]
    );
    // The growing one is real, about 7 / s: among those nearest to it nothing is left to say.
    assert_eq!(told(&pushed, Request::NearFrequency { hz: 0.0, count: N / 2 }), []);
}
