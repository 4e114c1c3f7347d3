//! Damped lattices, whose eigenvalues are many and multiple: all copies of one are found, and wide bands go to dense matrices.
//!
//! [`chains`] of masses have s^2 + c(w) s + w = 0 where dashpots share the vectors of M and K.

use mb_algebra::{Scatter, Triplets, c64, sparse as ops};
use mb_eigen::sparse::{Request, SparseExpert, SparseOptions, solve};
use mb_eigen::{Eigenpair, Method, Spectrum};

use super::chains;

const MASSES: usize = 24;
const COPIES: usize = 8;

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
    let pencil = chains(MASSES, COPIES, |m, k| ops::add(0.02, m, 0.002, &ops::mul(k, k)));
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
    let pencil = chains(MASSES, 6, |m, _| {
        let mut c = Triplets::new(m.rows(), m.rows());
        c.add(7, 7, 0.3);
        c.to_sparse()
    });
    let method = |from_hz: f64, to_hz: f64| {
        let band = Request::Band { from_hz, to_hz, max_damping_ratio: Some(0.1) };
        solve(&pencil, &band, &SparseOptions::default()).unwrap().method
    };
    assert_eq!((method(0.0, 0.3), method(0.0, 0.01)), (Some(Method::Dense), Some(Method::Toar)));
}
