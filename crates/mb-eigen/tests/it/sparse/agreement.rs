//! The Krylov path finds what the dense path finds.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64};
use mb_eigen::sparse::{Region, Request, SparseExpert, SparseOptions, solve};
use mb_eigen::{Class, DenseOptions, Eigenpair, Spectrum};

use super::random::{KINDS, Kind, problem};

/// Options that never go the dense way.
pub(crate) fn krylov() -> SparseOptions {
    SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() })
}

pub(crate) fn exact(pencil: &QuadraticPencil<Sparse>) -> Spectrum {
    mb_eigen::dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap()
}

/// Whether the modes of some interval of s^2 are proved to be complete.
pub(crate) fn proved_in_interval(spectrum: &Spectrum) -> bool {
    spectrum
        .completeness()
        .any(|count| matches!(count.region, Region::Interval { .. }) && count.is_complete())
}

fn values<'a>(pairs: impl Iterator<Item = &'a Eigenpair>) -> Vec<c64> {
    pairs.filter_map(Eigenpair::value).collect()
}

/// Every value of `found` lies on one of `all` within both bounds, each used once; the largest distance over |s|.
pub(crate) fn assert_contained(found: &[Eigenpair], all: &[Eigenpair], what: &str) {
    let mut free: Vec<usize> = (0..all.len()).filter(|&j| all[j].value().is_some()).collect();
    for pair in found {
        let s = pair.value().unwrap();
        let at = (0..free.len())
            .min_by(|&a, &b| {
                let d = |j: usize| (all[free[j]].value().unwrap() - s).norm();
                d(a).total_cmp(&d(b))
            })
            .unwrap_or_else(|| panic!("{what}: more eigenvalues than exist"));
        let other = &all[free.swap_remove(at)];
        let distance = (other.value().unwrap() - s).norm();
        let bound = pair.error_bound + other.error_bound;
        assert!(
            distance <= bound.min(1e-6 * s.norm().max(1.0)) + 1e-12 * s.norm(),
            "{what}: {s} is {distance:e} from {}, bounds {:e} {:e}",
            other.value().unwrap(),
            pair.error_bound,
            other.error_bound
        );
        assert_eq!(pair.class, other.class, "{what}: {s}");
    }
}

/// Residuals, constraint violation and biorthonormality of what was found.
pub(crate) fn assert_certified(found: &[Eigenpair], what: &str) {
    for pair in found {
        let s = pair.value().unwrap();
        assert!(pair.backward_error < 1e-11, "{what}: {s} backward {:e}", pair.backward_error);
        assert!(pair.constraint_violation < 1e-12, "{what}: {s} {:e}", pair.constraint_violation);
    }
}

#[test]
fn the_lowest_modes_of_every_kind() {
    for kind in KINDS {
        for (n, m, seed) in [(24, 4, 1), (40, 7, 2), (61, 12, 3)] {
            let pencil = problem(kind, n, m, seed);
            let what = format!("{kind:?} n = {n}");
            let all = exact(&pencil);
            let count = 6;
            let found = solve(&pencil, &Request::Lowest { count }, &krylov()).unwrap();
            assert_certified(&found.eigenpairs, &what);
            let motion: Vec<Eigenpair> = all.motion().cloned().collect();
            assert_contained(&found.eigenpairs, &motion, &what);
            // Nothing lower was left out.
            let largest = values(found.eigenpairs.iter()).iter().map(|s| s.norm()).fold(0.0, f64::max);
            let lower = values(motion.iter()).iter().filter(|s| s.norm() < largest * (1.0 - 1e-7)).count();
            let inside =
                values(found.eigenpairs.iter()).iter().filter(|s| s.norm() < largest * (1.0 - 1e-7)).count();
            assert_eq!(inside, lower, "{what}: {:?}", found.findings);
            let rigid = |s: &Spectrum| s.of_class(Class::Rigid).count();
            assert_eq!(rigid(&found), rigid(&all), "{what}");
            if matches!(kind, Kind::FreeFree | Kind::FreeDamped) {
                assert!(rigid(&found) > 0, "{what}");
            }
        }
    }
}

#[test]
fn what_constraints_hold_alone_keeps_to_them() {
    // A hanging chain: the ends of links move as their angles say, and only angles are held by stiffness. Near zero the
    // displacements would be free but for the constraints.
    let (links, length, mass, gravity) = (14, 0.5, 0.2, 9.81);
    let n = 2 * links;
    let (mut m, mut k) = (Triplets::new(n, n), Triplets::new(n, n));
    let mut phi_q = Triplets::new(links, n);
    for i in 0..links {
        let (place, angle) = (2 * i, 2 * i + 1);
        m.add(place, place, mass);
        m.add(angle, angle, 1e-5 * mass * length * length);
        // The tension is the weight of what hangs below.
        k.add(angle, angle, mass * gravity * length * (links - i) as f64);
        phi_q.add(i, place, 1.0);
        phi_q.add(i, angle, -length);
        if i > 0 {
            phi_q.add(i, place - 2, -1.0);
        }
    }
    let c = mb_algebra::sparse::zeros(n, n);
    let pencil = QuadraticPencil { m: m.to_sparse(), c, k: k.to_sparse(), phi_q: phi_q.to_sparse() };
    let found = solve(&pencil, &Request::Lowest { count: 3 }, &krylov()).unwrap();
    let whole = solve(&pencil, &Request::All, &SparseOptions::default()).unwrap();
    let slowest: Vec<&Eigenpair> =
        whole.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0).take(3).collect();
    let few: Vec<&Eigenpair> = found.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0).collect();
    assert_eq!(few.len(), 3);
    for (pair, exact) in few.iter().zip(slowest) {
        let (s, other) = (pair.value().unwrap(), exact.value().unwrap());
        assert!(pair.constraint_violation < 1e-13, "{:e}", pair.constraint_violation);
        assert!(pair.error_bound < 1e-10 * s.norm(), "{:e} of {:e}", pair.error_bound, s.norm());
        assert!((s - other).norm() <= pair.error_bound + exact.error_bound);
    }
}
