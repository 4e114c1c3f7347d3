//! All that a small problem has, asked of the Krylov paths: as many eigenvalues as exist and no more, where
//! constraints and missing masses leave few of them. Integer matrices whose eigenvalues the dense path confirms.

use mb_algebra::{QuadraticPencil, dense};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{Request, Structure, solve};
use mb_eigen::{Class, DenseOptions, Eigenpair, Spectrum};

use super::agreement::{assert_certified, assert_contained, krylov};

type Rows<'a> = &'a [&'a [f64]];

fn pencil(m: Rows<'_>, c: Rows<'_>, k: Rows<'_>, phi: Rows<'_>) -> QuadraticPencil {
    let n = m.len();
    let or_zero = |a: Rows<'_>| if a.is_empty() { dense::zeros(n, n) } else { dense::from_rows(a) };
    let phi_q = if phi.is_empty() { dense::zeros(0, n) } else { dense::from_rows(phi) };
    QuadraticPencil { m: dense::from_rows(m), c: or_zero(c), k: or_zero(k), phi_q }
}

/// Asked for more than there is, every path gives what the dense path gives.
fn assert_all_found(pencil: &QuadraticPencil, what: &str) {
    let all = mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap();
    let motion: Vec<Eigenpair> = all.motion().cloned().collect();
    let given = pencil.to_sparse();
    let rigid = |s: &Spectrum| s.of_class(Class::Rigid).count();
    for structure in [Structure::Detect, Structure::General] {
        for count in [motion.len(), 2 * pencil.m.nrows() + 3] {
            let options = mb_eigen::sparse::SparseOptions {
                expert: mb_eigen::sparse::SparseExpert { structure, ..krylov().expert },
                ..krylov()
            };
            let what = format!("{what}, {structure:?}, {count} asked for");
            let found = solve(&given, &Request::Lowest { count }, &options).unwrap();
            assert_eq!(
                found.eigenpairs.len(),
                motion.len(),
                "{what}: {:?} {:?}",
                found.motion_values(),
                found.findings
            );
            assert_certified(&found.eigenpairs, &what);
            assert_contained(&found.eigenpairs, &motion, &what);
            assert_eq!(rigid(&found), rigid(&all), "{what}");
            if count > motion.len() {
                assert_eq!(found.counts.expected.motion, motion.len(), "{what}");
            }
        }
    }
    let direct = direct::solve(&given, motion.len(), &DirectOptions::default()).unwrap().spectrum;
    assert_eq!(
        direct.eigenpairs.len(),
        motion.len(),
        "{what}, direct: {:?} {:?}",
        direct.motion_values(),
        direct.findings
    );
    assert_contained(&direct.eigenpairs, &motion, what);
}

#[test]
fn a_massless_unsymmetric_body_near_a_free_one() {
    let pencil = pencil(
        &[
            &[-6.0, 4.0, 0.0, 0.0, 0.0, 4.0],
            &[-8.0, 2.0, 0.0, 0.0, 0.0, 4.0],
            &[0.0, 0.0, 3.0, 0.0, 0.0, 0.0],
            &[16.0, -4.0, 0.0, 0.0, 0.0, -8.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[-20.0, 4.0, 0.0, 0.0, 0.0, 10.0],
        ],
        &[
            &[-14.0, 4.0, 0.0, -3.0, 0.0, 6.0],
            &[-4.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[6.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[-10.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ],
        &[
            &[-55.0, 24.0, 0.0, -12.0, 80.0, -118.0],
            &[-48.0, 12.0, 0.0, 0.0, -20.0, 64.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[88.0, -24.0, 0.0, 4.0, 0.0, -48.0],
            &[0.0, 0.0, 0.0, 0.0, 10.0, -20.0],
            &[-102.0, 24.0, 0.0, 0.0, -60.0, 171.0],
        ],
        &[&[-2.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
    );
    assert_all_found(&pencil, "a massless unsymmetric body next to a free one");
}

#[test]
fn nothing_but_mass() {
    let pencil = pencil(&[&[10.0, -2.0], &[-4.0, 1.0]], &[], &[], &[]);
    assert_all_found(&pencil, "nothing but mass");
}

#[test]
fn an_unsymmetric_mass_of_rank_one() {
    let pencil = pencil(&[&[20.0, -60.0], &[-52.0, 156.0]], &[], &[&[-16.0, 40.0], &[42.0, -105.0]], &[]);
    assert_all_found(&pencil, "an unsymmetric mass of rank one");
}

#[test]
fn a_free_body_whose_springs_are_held() {
    let pencil = pencil(
        &[&[1.0, 0.0, 0.0], &[0.0, 5.0, -2.0], &[0.0, -2.0, 2.0]],
        &[&[0.0, 0.0, 0.0], &[0.0, 1.0, -1.0], &[0.0, -1.0, 1.0]],
        &[&[0.0, 0.0, 0.0], &[0.0, 3.0, -3.0], &[0.0, -3.0, 3.0]],
        &[&[0.0, -1.0, 1.0]],
    );
    assert_all_found(&pencil, "a free body whose springs are held");
}

#[test]
fn a_free_mass_in_a_gyroscopic_frame() {
    let pencil = pencil(
        &[
            &[4.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0],
            &[0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 8.0],
            &[0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
            &[0.0, -6.0, 0.0, 0.0, 2.0, 0.0, -12.0],
            &[4.0, 0.0, 0.0, 0.0, 0.0, 6.0, 0.0],
            &[0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 14.0],
        ],
        &[
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0],
            &[0.0, -3.0, 0.0, 0.0, 0.0, 0.0, -6.0],
            &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, -6.0, 0.0, 8.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            &[0.0, 1.0, 6.0, 0.0, 0.0, 0.0, 1.0],
        ],
        &[
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 17.0],
            &[0.0, 0.0, 16.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 55.0, 0.0, 0.0, 0.0],
            &[0.0, -14.0, 0.0, 0.0, 8.0, 0.0, -28.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0],
            &[0.0, 17.0, 0.0, 0.0, 0.0, 0.0, 31.0],
        ],
        &[&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], &[0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0]],
    );
    assert_all_found(&pencil, "a free mass in a gyroscopic frame");
}

#[test]
fn three_zeros_of_two_kinds() {
    let pencil = pencil(
        &[
            &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 4.0, 0.0, 0.0, -4.0, 0.0, 0.0],
            &[0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0],
            &[0.0, -4.0, -6.0, 0.0, 5.0, -2.0, 0.0],
            &[0.0, 0.0, 12.0, 0.0, -2.0, 6.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0],
        ],
        &[
            &[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, -2.0, 4.0, -8.0, 0.0],
            &[0.0, 0.0, 0.0, 4.0, -8.0, 17.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ],
        &[
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 17.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, -34.0, 0.0, 35.0, -70.0, 0.0],
            &[0.0, 0.0, 68.0, 0.0, -70.0, 143.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0],
        ],
        &[&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
    );
    assert_all_found(&pencil, "three zeros of two kinds");
}

#[test]
fn one_free_direction_of_five() {
    let pencil = pencil(
        &[
            &[1.0, -2.0, 1.0, 0.0, 0.0, -2.0, -1.0],
            &[0.0, 5.0, -2.0, 0.0, 0.0, 0.0, 2.0],
            &[0.0, -2.0, 1.0, 0.0, 0.0, 0.0, -1.0],
            &[0.0, 4.0, -2.0, 1.0, 0.0, 0.0, 2.0],
            &[0.0, 0.0, 0.0, 0.0, 3.0, -6.0, 6.0],
            &[-2.0, 4.0, -2.0, 0.0, -6.0, 18.0, -12.0],
            &[0.0, 2.0, -1.0, 0.0, 6.0, -14.0, 17.0],
        ],
        &[
            &[0.0, 4.0, 0.0, 3.0, 0.0, 0.0, 0.0],
            &[-4.0, 0.0, 0.0, -6.0, 0.0, 8.0, 0.0],
            &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0],
            &[0.0, 6.0, -3.0, -6.0, 0.0, 0.0, 3.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, -8.0, 0.0, -6.0, 0.0, 1.0, -1.0],
            &[0.0, 0.0, 0.0, -3.0, 0.0, -1.0, 2.0],
        ],
        &[
            &[16.0, -18.0, 9.0, 0.0, 0.0, -32.0, -9.0],
            &[0.0, 39.0, -18.0, 0.0, 0.0, 0.0, 18.0],
            &[0.0, -18.0, 9.0, 0.0, 0.0, 0.0, -9.0],
            &[0.0, 36.0, -18.0, 10.0, 0.0, 0.0, 18.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[-32.0, 36.0, -18.0, 0.0, 0.0, 67.0, 15.0],
            &[0.0, 18.0, -9.0, 0.0, 0.0, -3.0, 15.0],
        ],
        &[&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0], &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
    );
    assert_all_found(&pencil, "one free direction of five");
}

#[test]
fn only_zeros_and_unsymmetric_springs() {
    let pencil = pencil(
        &[
            &[3.0, -3.0, -3.0, 0.0],
            &[-3.0, 13.0, -1.0, 10.0],
            &[-3.0, -1.0, 5.0, -4.0],
            &[0.0, 10.0, -4.0, 10.0],
        ],
        &[&[0.0, 0.0, 0.0, 0.0], &[0.0, 5.0, -2.0, 5.0], &[0.0, -2.0, 1.0, -2.0], &[0.0, 5.0, -2.0, 5.0]],
        &[
            &[0.0, -28.0, 0.0, 0.0],
            &[0.0, 71.0, -6.0, 15.0],
            &[0.0, 22.0, 3.0, -6.0],
            &[0.0, 15.0, -6.0, 15.0],
        ],
        &[&[0.0, -2.0, 1.0, -2.0], &[0.0, 1.0, 0.0, 1.0]],
    );
    assert_all_found(&pencil, "only zeros and unsymmetric springs");
}

#[test]
fn a_mass_of_rank_one_and_a_row_twice() {
    let pencil = pencil(
        &[&[4.0, 8.0, 0.0], &[8.0, 16.0, 0.0], &[0.0, 0.0, 2.0]],
        &[&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0], &[0.0, 0.0, 1.0]],
        &[&[0.0, 0.0, 0.0], &[0.0, 22.0, -22.0], &[0.0, -22.0, 25.0]],
        &[&[0.0, 0.0, 1.0], &[0.0, 0.0, -2.0]],
    );
    assert_all_found(&pencil, "a mass of rank one and a row twice");
}

#[test]
fn no_eigenvalue_at_all_with_redundant_rows() {
    let pencil = pencil(
        &[&[0.0, 0.0, 0.0], &[0.0, 2.0, 0.0], &[0.0, 0.0, 2.0]],
        &[&[0.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]],
        &[&[2.0, -2.0, 4.0], &[-2.0, 5.0, -4.0], &[4.0, -4.0, 11.0]],
        &[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, -2.0, 0.0]],
    );
    assert_all_found(&pencil, "no root at all with redundant rows");
}

#[test]
fn no_eigenvalue_at_all() {
    let pencil = pencil(
        &[&[0.0, 0.0, 0.0], &[0.0, 2.0, 0.0], &[0.0, 0.0, 2.0]],
        &[&[0.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]],
        &[&[15.0, 30.0, 0.0], &[30.0, 63.0, 0.0], &[0.0, 0.0, 3.0]],
        &[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]],
    );
    assert_all_found(&pencil, "no root at all");
}

#[test]
fn a_stiff_row_twice_and_a_free_mass() {
    let pencil = pencil(
        &[&[2.0, -4.0, 0.0], &[-4.0, 10.0, -4.0], &[0.0, -4.0, 10.0]],
        &[&[1.0, -2.0, 0.0], &[-2.0, 4.0, 0.0], &[0.0, 0.0, 1.0]],
        &[&[41.0, -82.0, 0.0], &[-82.0, 164.0, 0.0], &[0.0, 0.0, 3.0]],
        &[&[0.0, 0.0, 1.0], &[0.0, 0.0, -2.0]],
    );
    assert_all_found(&pencil, "a stiff row twice and a free mass");
}

#[test]
fn a_free_direction_between_held_ones_of_a_stiff_row() {
    let pencil = pencil(
        &[&[386.0, 162.0, 0.0], &[162.0, 68.0, 0.0], &[0.0, 0.0, 2.0]],
        &[&[144.0, 60.0, 0.0], &[60.0, 25.0, 0.0], &[0.0, 0.0, 1.0]],
        &[&[432.0, 180.0, 0.0], &[180.0, 75.0, 0.0], &[0.0, 0.0, 3.0]],
        &[&[12.0, 5.0, 0.0], &[0.0, 0.0, 1.0]],
    );
    assert_all_found(&pencil, "a free direction between held ones");
}

#[test]
fn few_modes_of_a_model_with_massless_nodes_are_reported_near_all_that_exist() {
    // A chain of masses 2 on springs 3, every third node without mass.
    let n = 12;
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 6.0,
        1 => -3.0,
        _ => 0.0,
    };
    let k: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let mass: Vec<f64> = (0..n).map(|i| if i % 3 == 2 { 0.0 } else { 2.0 }).collect();
    let given = QuadraticPencil {
        m: dense::diagonal(&mass),
        c: dense::zeros(n, n),
        k: dense::from_rows(&k.iter().map(Vec::as_slice).collect::<Vec<_>>()),
        phi_q: dense::zeros(0, n),
    };
    let found = solve(&given.to_sparse(), &Request::Lowest { count: 2 }, &krylov()).unwrap();
    assert_eq!(found.counts.expected.motion, 2 * (n - n / 3));
}
