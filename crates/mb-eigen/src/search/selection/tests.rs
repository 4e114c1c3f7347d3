//! Tests of `selection.rs`.

use super::*;

#[test]
fn only_eigenvalues_on_both_sides_of_the_cut_are_named() {
    let w = [0.0, 0.0, 1.0, 4.0, 4.0 * (1.0 + 1e-9), 4.0, 9.0];
    let cut = |count: usize| -> Vec<(f64, f64, usize, usize)> {
        let told = reported_of_squares(&w, count);
        let numbers = |finding: &Finding| match finding {
            Finding::Sparse { detail: SparseFinding::MultipleCut { re, im, found, returned } } => {
                (*re, *im, *found, *returned)
            }
            other => unreachable!("{other}"),
        };
        told.iter().map(numbers).collect()
    };
    assert_eq!(cut(1), [(0.0, 0.0, 2, 1)]);
    assert_eq!((cut(2), cut(3)), (vec![], vec![]));
    assert_eq!(cut(4).len(), 1);
    assert_eq!((cut(4)[0].2, cut(4)[0].3), (3, 1));
    assert_eq!((cut(5)[0].2, cut(5)[0].3), (3, 2));
    assert_eq!((cut(6), cut(7), cut(9)), (vec![], vec![], vec![]));
    assert_eq!(
        (Uncertified::of_square(4.0), Uncertified::of_square(-4.0)),
        (c64::new(0.0, 2.0), c64::new(2.0, 0.0))
    );
}

fn pair(s: c64, error_bound: f64) -> Eigenpair {
    let vector = crate::Shape::of_real(vec![1.0]);
    Eigenpair {
        alpha: s,
        beta: 1.0,
        left: vector.clone(),
        right: vector,
        multipliers: crate::Shape::default(),
        left_multipliers: crate::Shape::default(),
        class: Class::Physical,
        chain: 1,
        backward_error: 0.0,
        constraint_violation: 0.0,
        condition: 1.0,
        error_bound,
        penalty_share: None,
    }
}

fn spectrum(values: &[(f64, f64)], findings: Vec<Finding>) -> Spectrum {
    let pairs = values.iter().map(|(s, error)| pair(c64::new(-s, 0.0), *error)).collect();
    Spectrum::partial(crate::Method::Lanczos, pairs, crate::Counts::default(), findings)
}

/// Opposite eigenvalues of one mode stand behind all that are as large; modes are taken whole.
#[test]
fn multiple_growing_modes_keep_their_partners() {
    let certified = [1.0, 1.0, -1.0, -1.0, 2.0, 2.0 + 1e-15, -2.0, -2.0 - 1e-15, 3.0, -3.0];
    let values: Vec<(f64, f64)> = certified.iter().map(|s| (-s, 1e-14)).collect();
    for (count, returned, cut) in [(1, 2, 1), (2, 4, 0), (3, 6, 1), (4, 8, 0), (5, 10, 0)] {
        let mut spectrum = spectrum(&values, Vec::new());
        assert_eq!(keep_asked(&mut spectrum, &Request::Lowest { count }, true), Some(count));
        let sum: c64 = spectrum.eigenpairs.iter().filter_map(Eigenpair::value).sum();
        assert_eq!((spectrum.eigenpairs.len(), spectrum.findings.len()), (returned, cut), "{count}");
        assert!(sum.norm() < 1e-14, "{count}: {sum}");
    }
}

fn is_open(spectrum: &Spectrum) -> bool {
    let unproved = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Unproved { .. } });
    spectrum.leaves_open() || spectrum.findings.iter().any(unproved)
}

#[test]
fn values_about_as_near_as_the_last_one_are_kept_until_they_are_certified() {
    let mut found = vec![3.0, 1.0, 2.0, 2.05, 2.5];
    about_first(&mut found, 2, |s| *s, |_| 0.1);
    assert_eq!(found, [1.0, 2.0, 2.05]);
    about_first(&mut found, 0, |s| *s, |_| 0.1);
    assert_eq!(found.len(), 3);
}

#[test]
fn which_modes_are_nearest_is_open_where_bounds_reach_across_the_cut() {
    let request = Request::Lowest { count: 2 };
    for (error, open) in [(1e-9, false), (0.3, false), (0.6, true)] {
        let mut found = spectrum(&[(1.0, 1e-9), (2.0, error), (2.5, 1e-9)], Vec::new());
        keep(&mut found, &request, false);
        assert_eq!(found.eigenpairs.len(), 2);
        assert_eq!(is_open(&found), open, "{error}");
    }
    // A multiple eigenvalue is cut, whatever rounding parts its values by.
    let mut found = spectrum(&[(1.0, 1e-9), (2.0, 1e-7), (2.0 + 1e-8, 1e-7)], Vec::new());
    keep(&mut found, &request, false);
    let cut = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::MultipleCut { .. } });
    assert!(found.findings.iter().any(cut) && !is_open(&found), "{:?}", found.findings);
}

/// Two real values whose bounds meet may be a conjugate pair with a frequency in the band; a single one is none.
#[test]
fn real_values_that_may_be_a_pair_leave_a_band_open() {
    let band = |from_hz: f64| Request::Band { from_hz, to_hz: 1.0 + from_hz, max_damping_ratio: None };
    for (values, from_hz, open) in [
        ([(0.1, 1e-9), (0.2, 1e-9)], 0.0, false),
        ([(0.1, 10.0), (0.2, 10.0)], 0.0, true),
        ([(0.1, 10.0), (90.0, 10.0)], 0.0, false),
        ([(0.1, 10.0), (0.2, 10.0)], 2.0, false),
    ] {
        let mut found = spectrum(&values, Vec::new());
        keep(&mut found, &band(from_hz), false);
        let empty = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::EmptyBand { .. } });
        assert_eq!((is_open(&found), found.findings.iter().any(empty)), (open, !open), "{values:?}");
    }
}

#[test]
fn zeros_by_rounding_that_are_left_out_may_be_nearer_eigenvalues() {
    for (by_rounding, open) in [(false, false), (true, true)] {
        let said = Finding::ZeroByRounding { directions: 3, relative: 1e-15 };
        let mut found =
            spectrum(&[(0.0, 5.0), (0.0, 4.0), (0.0, 3.0)], Vec::from_iter(by_rounding.then_some(said)));
        found.eigenpairs.iter_mut().for_each(|pair| pair.class = Class::Rigid);
        keep(&mut found, &Request::Lowest { count: 2 }, false);
        let cut = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::MultipleCut { .. } });
        assert_eq!((is_open(&found), found.findings.iter().any(cut)), (open, !open), "{:?}", found.findings);
    }
}

#[test]
fn a_count_of_values_that_are_no_eigenvalues_proves_nothing() {
    use crate::finding::{Proof, Region};
    let region = Region::Inside { re: 0.0, im: 0.0, radius: 3.0, squared: false };
    let count = Completeness { region, found: 3, counted: 3, by: Proof::DeterminantPhase };
    let dropped = SparseFinding::Dropped { eigenvalues: 1, backward_error: 1e-3 };
    for (lowest, short) in [(2, false), (3, true)] {
        let findings = vec![count.into(), dropped.clone().into()];
        let mut found = spectrum(&[(1.0, 1e-9), (2.0, 1e-9)], findings);
        keep(&mut found, &Request::Lowest { count: lowest }, false);
        assert_eq!(found.completeness().count(), 0);
        assert_eq!((found.falls_short(), is_open(&found)), (short, !short));
    }
}
