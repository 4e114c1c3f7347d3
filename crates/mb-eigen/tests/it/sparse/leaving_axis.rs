//! Undamped problems with an unsymmetric K: eigenvalues off the axis are counted, and measured from a point as all others are.

use mb_algebra::{QuadraticPencil, c64, dense};
use mb_eigen::Finding;
use mb_eigen::sparse::{Request, SparseExpert, SparseFinding, SparseOptions, solve};

/// K = T^T K_0 T with w = 1.2^2, 2 + i, 2 - i and, of every further coordinate, 9: s = +-1.2 i, +-(0.34 - 1.46 i), +-(0.34 + 1.46 i), +-3 i.
fn follower(n: usize) -> QuadraticPencil<mb_algebra::Sparse> {
    let mut k = dense::scale(9.0, &dense::identity(n));
    (k[(0, 0)], k[(1, 1)], k[(2, 2)], k[(1, 2)], k[(2, 1)]) = (1.2 * 1.2, 2.0, 2.0, 1.0, -1.0);
    let t = mb_algebra::Dense::from_fn(n, n, |i, j| if i == j || j == i + 1 { 1.0 } else { 0.0 });
    let m = dense::mul_transpose(&t, &t);
    let k = dense::mul_transpose(&t, &dense::mul(&k, &t));
    QuadraticPencil { m, c: dense::zeros(n, n), k, phi_q: dense::zeros(0, n) }.to_sparse()
}

const FLUTTER: c64 = c64::new(2.0, 1.0);

#[test]
fn growing_modes_that_were_not_asked_for_are_told_of() {
    for n in [5, 12, 60] {
        for dense_limit in [0, SparseExpert::default().dense_limit] {
            let options = SparseOptions::from(SparseExpert { dense_limit, ..Default::default() });
            let hz = 3.0 / std::f64::consts::TAU;
            for request in [
                Request::Lowest { count: 1 },
                Request::Largest { count: 1 },
                Request::NearFrequency { hz, count: 1 },
                Request::Band { from_hz: 0.9 * hz, to_hz: 1.1 * hz, max_damping_ratio: None },
            ] {
                let found = solve(&follower(n), &request, &options).unwrap();
                assert!(!found.eigenpairs.is_empty());
                let told = found.findings.iter().any(|finding| {
                    matches!(
                        finding,
                        Finding::Sparse { detail: SparseFinding::GrowingNotShown { counted: 1, shown: 0 } }
                    )
                });
                assert!(told, "{n} {dense_limit} {request:?}: {:?}", found.findings);
            }
        }
    }
}

#[test]
fn what_is_near_a_frequency_is_near_in_the_plane() {
    let hz = 1.4 / std::f64::consts::TAU;
    let growing = (-FLUTTER).sqrt();
    for n in [5, 12] {
        for count in [1, 2] {
            let found = solve(&follower(n), &Request::NearFrequency { hz, count }, &SparseOptions::default())
                .unwrap();
            let has = |s: c64| {
                found.nearest(s).and_then(mb_eigen::Eigenpair::value).is_some_and(|t| (t - s).norm() < 1e-12)
            };
            assert!(has(c64::new(0.0, 1.2)), "{n} {count}: {:?}", found.motion_values());
            let off = [growing, -growing, growing.conj(), -growing.conj()].into_iter().any(has);
            assert_eq!(off, count == 2, "{n} {count}: {:?}", found.motion_values());
        }
    }
}
