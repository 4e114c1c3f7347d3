//! Damped lattices, whose eigenvalues are many and multiple: all copies of one are found, and wide bands go to dense matrices.
//!
//! Masses of 1 kg on springs of 1 N/m in a chain, `COPIES` of them side by side: w_j = 4 sin^2(j pi / (2 (N + 1))), each `COPIES` times, and
//! s^2 + c(w) s + w = 0 where dashpots share the vectors of M and K.

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse as ops};
use mb_eigen::sparse::{Request, SparseExpert, SparseOptions, solve};
use mb_eigen::{Eigenpair, Method, Spectrum};

const MASSES: usize = 24;
const COPIES: usize = 8;

/// Copies of a chain with the damping that `damping` makes of M and K.
fn copies(damping: impl Fn(&Sparse, &Sparse) -> Sparse) -> QuadraticPencil<Sparse> {
    let n = MASSES * COPIES;
    let mut k = Triplets::new(n, n);
    for i in 0..n {
        k.add(i, i, 2.0);
        if i % MASSES + 1 < MASSES {
            k.add(i, i + 1, -1.0);
            k.add(i + 1, i, -1.0);
        }
    }
    let (m, k) = (ops::identity(n), k.to_sparse());
    QuadraticPencil { c: damping(&m, &k), m, k, phi_q: ops::zeros(0, n) }
}

/// The eigenvalues with Im s >= 0, `damping` as a function of w.
fn exact(damping: impl Fn(f64) -> f64) -> Vec<c64> {
    let each = |j: usize| {
        let w = 4.0 * (j as f64 * std::f64::consts::FRAC_PI_2 / (MASSES + 1) as f64).sin().powi(2);
        let half = 0.5 * damping(w);
        let root = (half * half - w).abs().sqrt();
        if half * half < w {
            vec![c64::new(-half, root)]
        } else {
            vec![c64::new(-half - root, 0.0), c64::new(-half + root, 0.0)]
        }
    };
    (1..=MASSES).flat_map(|j| (0..COPIES).flat_map(move |_| each(j))).collect()
}

fn values(found: &Spectrum) -> Vec<c64> {
    found.motion().filter_map(Eigenpair::value).filter(|s| s.im >= 0.0).collect()
}

/// The eigenvalues found are those that come first by a key.
fn assert_first(found: &Spectrum, all: &[c64], key: impl Fn(c64) -> f64, what: &str) {
    let keys = |list: &[c64]| {
        let mut keys: Vec<f64> = list.iter().map(|s| key(*s)).collect();
        keys.sort_by(f64::total_cmp);
        keys
    };
    let (own, all) = (keys(&values(found)), keys(all));
    for (own, exact) in own.iter().zip(&all) {
        assert!((own - exact).abs() < 1e-9, "{what}: {own} for {exact}");
    }
    assert!(!found.falls_short(), "{what}: {:?}", found.findings);
}

/// Dashpots that share the vectors of M and K and are no sum of them. Blocks have two columns, and nothing is counted: what shows that copies
/// are missing is how often an eigenvalue came.
#[test]
fn eight_copies_of_a_damped_chain_are_found_without_a_count() {
    let pencil = copies(|m, k| ops::add(0.02, m, 0.002, &ops::mul(k, k)));
    let all = exact(|w| 0.02 + 0.002 * w * w);
    let options =
        SparseOptions::from(SparseExpert { dense_limit: 0, count_operations: 0.0, ..Default::default() });
    for count in [13, 20] {
        let found = solve(&pencil, &Request::Lowest { count }, &options).unwrap();
        assert_eq!(values(&found).len(), count);
        assert_first(&found, &all, c64::norm, &format!("{count} lowest"));
        let found = solve(&pencil, &Request::Largest { count }, &options).unwrap();
        assert_first(&found, &all, |s| -s.norm(), &format!("{count} largest"));
    }
}

/// A band about which a search would need as many eigenvalues as there are goes to dense matrices, and one with a few modes does not.
#[test]
fn bands_of_many_modes_go_to_dense_matrices() {
    let mut pencil = copies(|m, _| ops::scale(0.0, m));
    let keep = 6 * MASSES;
    let part = |a: &Sparse| {
        let mut out = Triplets::new(keep, keep);
        for (v, (i, j)) in a {
            if i < keep && j < keep {
                out.add(i, j, *v);
            }
        }
        out.to_sparse()
    };
    let mut c = Triplets::new(keep, keep);
    c.add(7, 7, 0.3);
    pencil = QuadraticPencil {
        m: part(&pencil.m),
        c: c.to_sparse(),
        k: part(&pencil.k),
        phi_q: ops::zeros(0, keep),
    };
    let method = |from_hz: f64, to_hz: f64| {
        let band = Request::Band { from_hz, to_hz, max_damping_ratio: Some(0.1) };
        solve(&pencil, &band, &SparseOptions::default()).unwrap().method
    };
    assert_eq!((method(0.0, 0.3), method(0.0, 0.01)), (Some(Method::Dense), Some(Method::Toar)));
}
