//! Error bounds and claims of every solver against eigenvalues known in closed form, and the examples whose answers
//! are known.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{self, Request};
use mb_eigen::{Class, DenseOptions, Eigenpair, Finding, pairing};
use proptest::prelude::*;

use crate::sparse::agreement::krylov;
use crate::systems;

#[path = "../../examples/cases/exact/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the program of the stress draws larger ones and counts")]
pub(crate) mod exact;

use exact::asked::{Answer, Form, answers};
use exact::claims::{Reach, judge};
use exact::{Problem, blocks, chains, joined, penalties, resonant_penalties, small_lattices};

fn z(re: f64, im: f64) -> c64 {
    c64::new(re, im)
}

/// All that every solver answers lies within its bounds and is as complete as it says; what the dense one answers is complete.
fn assert_all_true(problem: &Problem, place: f64) -> Result<(), TestCaseError> {
    let answers = answers(problem, place);
    for answer in answers.iter().filter(|answer| answer.who == "dense") {
        let found = answer.found.as_ref().map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(judge(problem, answer, found).reach, Reach::Full, "{}", problem.kind);
    }
    assert_true(problem, answers)
}

fn assert_true(problem: &Problem, answers: impl IntoIterator<Item = Answer>) -> Result<(), TestCaseError> {
    for answer in answers {
        let what = format!("{}, {}", problem.kind, answer.who);
        let found = match &answer.found {
            Ok(found) => found,
            // Questions that may have no answer say so themselves; every other error fails.
            Err(_) if answer.may_refuse => continue,
            Err(error) => return Err(TestCaseError::fail(format!("{what}: {error}"))),
        };
        let verdict = judge(problem, &answer, found);
        if let Some(fault) = verdict.fault() {
            return Err(TestCaseError::fail(format!("{what}: {fault}")));
        }
    }
    Ok(())
}

/// Small problems of arbitrary entries, by the number that `stress determinants` gives them: springs 1e15 times as stiff as others, so that
/// the digits of the entries do not distinguish soft modes from rigid ones, which the answers then say.
#[test]
fn penalties_at_the_last_digit_of_the_entries_are_not_called_rigid_in_silence() {
    for number in [13, 73, 85, 109, 793, 2449] {
        let (problem, place) = exact::rational::numbered(number);
        assert_true(&problem, answers(&problem, place)).unwrap_or_else(|fault| panic!("{number}: {fault}"));
    }
}

/// Shifts among eigenvalues that the last digits of the matrices make finite, those of damping without mass, where all matrices nearby are
/// singular to rounding: what is asked for there is reported as not determined, and is no error.
#[test]
fn what_is_singular_to_rounding_around_a_shift_is_reported_as_not_determined() {
    for number in [858, 1422, 1902] {
        let (problem, place) = exact::rational::numbered(number);
        assert_true(&problem, answers(&problem, place)).unwrap_or_else(|fault| panic!("{number}: {fault}"));
    }
}

/// The same with any rows and columns in units of their own: small masses and entries of any size are no zeros, and stiff springs hide none;
/// left vectors from inverse iteration near a Jordan chain belong to no eigenvalue; real eigenvalues that are nearly one, or that a
/// shift far away leaves without digits.
#[test]
fn small_problems_of_arbitrary_entries_are_answered_with_truth() {
    let (units, hidden) = ([50, 81, 165, 189, 254, 398], [73, 253, 397]);
    let (chains, near) = ([159, 231, 279, 411, 423, 903], [38, 105, 137, 146, 609, 897]);
    for number in units.into_iter().chain(hidden).chain(chains).chain(near) {
        let (problem, place) = exact::rational::numbered(number);
        assert_true(&problem, answers(&problem, place)).unwrap_or_else(|fault| panic!("{number}: {fault}"));
    }
}

/// Values that a search leaves inaccurate: a contour between them and a cluster 1e-8 of its radius away (3537), five equal eigenvalues and the
/// conjugate of one (3915), conjugate pairs that stand for one real eigenvalue each (3897, 7197, 7269, 7833), zeros by rounding of which some
/// are not asked for (6685), or whose second eigenvalue the digits do not determine either (7381); a value an eighth of its size off, with
/// values that are no eigenvalues around it (7389); as many of these, without conjugates, as eigenvalues are missing (8829); a left vector
/// that is worse than the right one (9681); rows and columns in units that hide damping from a rank decision by norm (1945).
#[test]
fn what_is_claimed_of_inaccurate_values_is_true() {
    for number in [1945, 3537, 3897, 3915, 6685, 7197, 7269, 7381, 7389, 7833, 8829, 9681] {
        let (problem, place) = exact::rational::numbered(number);
        assert_true(&problem, answers(&problem, place)).unwrap_or_else(|fault| panic!("{number}: {fault}"));
    }
}

/// Constraint rows that differ from combinations of others by 1e-4 to 1e-7 of their length: every request is answered, none with an error.
#[test]
fn rows_that_nearly_depend_on_each_other_are_answered_with_truth() {
    for number in [4, 724, 904, 1084, 1132, 1240, 2044, 2392] {
        let (problem, place) = exact::rational::numbered(number);
        assert_true(&problem, answers(&problem, place)).unwrap_or_else(|fault| panic!("{number}: {fault}"));
    }
}

/// Critically damped at -2 and at -3, seen from near the imaginary axis: rounding moves both of each by more than a share of their
/// distance from the real shift at which they are found anew.
#[test]
fn both_of_two_equal_real_eigenvalues_are_found_from_a_complex_shift() {
    let pencil = QuadraticPencil {
        m: dense::from_rows(&[&[6.0, 10.0], &[8.0, 14.0]]),
        c: dense::from_rows(&[&[36.0, 52.0], &[48.0, 72.0]]),
        k: dense::from_rows(&[&[54.0, 70.0], &[72.0, 96.0]]),
        phi_q: dense::zeros(0, 2),
    }
    .to_sparse();
    let exact = [-2.0, -2.0, -3.0, -3.0].map(|s| z(s, 0.0));
    for place in 1..40 {
        let s = z(0.0, 0.1 * f64::from(place));
        let found = sparse::solve(&pencil, &Request::NearPoint { s, count: 4 }, &krylov()).unwrap();
        let values: Vec<c64> = found.eigenpairs.iter().map(|pair| pair.value().unwrap()).collect();
        assert_eq!(values.len(), 4, "{s}: {:?}", found.findings);
        for (i, j, distance) in pairing::match_values(&values, &exact) {
            assert!(distance <= found.eigenpairs[i].error_bound, "{s}: {} for {}", values[i], exact[j]);
        }
    }
}

/// The same problems in every run; `cargo xtask stress` tries ten thousand others.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn answers_on_blocks_are_true(problem in blocks(), place in 0.0..1.0_f64) {
        assert_all_true(&problem, place)?;
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn answers_on_chains_are_true(problem in chains(), place in 0.0..1.0_f64) {
        assert_all_true(&problem, place)?;
    }

    #[test]
    fn answers_under_penalties_are_true(problem in penalties(), place in 0.0..1.0_f64) {
        assert_all_true(&problem, place)?;
    }

    #[test]
    fn answers_under_resonant_penalties_are_true(problem in resonant_penalties(), place in 0.0..1.0_f64) {
        let under_penalties = answers(&problem, place).into_iter().filter(|answer| answer.form == Form::Penalty);
        assert_true(&problem, under_penalties)?;
    }

    #[test]
    fn answers_on_joined_chains_are_true(problem in joined(), place in 0.0..1.0_f64) {
        assert_all_true(&problem, place)?;
    }

    #[test]
    fn answers_on_lattices_are_true(problem in small_lattices(), place in 0.0..1.0_f64) {
        assert_all_true(&problem, place)?;
    }
}

/// Two by two by two nodes of two masses each on springs along the axes, free, C = 80 K; the second layer is cut into halves that
/// constraints tie: w = (2 k_x i + 2 k_y (j + l)) / m for i, j, l of 0 and 1.
fn cut_cube() -> Problem {
    let parts =
        [(1.0, [1.0, 3.0]), (2.0, [2.0, 16.0])].map(|(m, k)| (m, k.map(|k: f64| k * 2_f64.powi(-18))));
    let unit = [1.0, 4.0, 1.0, -2.0, 32.0];
    let [mut m, mut k] = [0; 2].map(|_| Dense::zeros(24, 24));
    let mut phi_q = Dense::zeros(8, 24);
    let mut exact = Vec::new();
    for (part, (mass, [along, across])) in parts.into_iter().enumerate() {
        let at = |layer: usize, node: usize| 8 * layer + 2 * node + part;
        for node in 0..4 {
            let mut spring = |p: usize, q: usize, v: f64| {
                for (i, j, v) in [(p, p, v), (q, q, v), (p, q, -v), (q, p, -v)] {
                    k[(i, j)] += v;
                }
            };
            spring(at(0, node), at(1, node), along);
            for (layer, share) in [(0, 1.0), (1, 0.5), (2, 0.5)] {
                m[(at(layer, node), at(layer, node))] = share * mass;
                for other in [node ^ 1, node ^ 2].into_iter().filter(|other| *other > node) {
                    spring(at(layer, node), at(layer, other), share * across);
                }
            }
            let row = 2 * node + part;
            phi_q[(row, at(1, node))] = unit[row % 5];
            phi_q[(row, at(2, node))] = -unit[row % 5];
        }
        for (i, j) in [0.0, 1.0].into_iter().flat_map(|i| [0.0, 1.0, 1.0, 2.0].map(|j| (i, j))) {
            let w: f64 = 2.0 * (along * i + across * j) / mass;
            let im = (w - (40.0 * w).powi(2)).sqrt();
            exact.extend([im, -im].map(|im| (z(-40.0 * w, im), 1e-15 * im.abs())));
        }
    }
    let pencil = QuadraticPencil { m, c: dense::scale(80.0, &k), k, phi_q }.to_sparse();
    Problem { pencil, exact, kind: "damped lattices", rank: 8, penalty: None }
}

/// Chains at infinity of three, which the companion form of twice the size made four: one level of rank decisions more, which
/// some ways of hiding the pair did not survive.
#[test]
fn a_hidden_mechanism_with_many_constraints_has_no_eigenvalues_in_excess() {
    let problem = cut_cube();
    // Places draw how the pair is hidden.
    for place in [0.0, 0.25, 0.5, 0.75] {
        assert_all_true(&problem, place).unwrap();
        let hidden =
            answers(&problem, place).into_iter().find(|answer| answer.who == "hidden descriptor, everything");
        let found = hidden.unwrap().found.unwrap();
        let inaccurate = |finding: &Finding| matches!(finding, Finding::PoorAccuracy { .. });
        let counted = found.findings.iter().all(inaccurate);
        assert!(found.eigenpairs.len() == 32 && counted, "{place}: {:?}", found.findings);
    }
}

/// Both eigenvalues of a critically damped mass that two coordinates share lie on `exact`, within their bounds.
fn assert_critical(pencil: &QuadraticPencil, exact: f64) -> Result<(), TestCaseError> {
    for options in [krylov(), sparse::SparseOptions::default()] {
        let found = sparse::solve(&pencil.to_sparse(), &Request::Lowest { count: 2 }, &options).unwrap();
        prop_assert_eq!(found.eigenpairs.len(), 2);
        let [first, second] = [0, 1].map(|j| found.eigenpairs[j].value().unwrap());
        // Rounding parts them along the axis or across it; of a conjugate pair the one above comes first.
        prop_assert!(first.im >= 0.0 && second.im <= 0.0, "{first} {second}");
        for (pair, s) in found.eigenpairs.iter().zip([first, second]) {
            let bound = pair.error_bound;
            prop_assert!((s - exact).norm() <= bound, "{s} of {exact}, bound {bound:e}");
        }
    }
    Ok(())
}

/// A symmetric 2 x 2 matrix whose entries sum to `whole`.
fn sums_to(whole: i32, [a, off]: [i32; 2]) -> Dense {
    let [a, off, rest] = [a, off, whole - a - 2 * off].map(f64::from);
    dense::from_rows(&[&[a, off], &[off, rest]])
}

proptest! {
    /// Entries are integers: no rounding of theirs parts the eigenvalues.
    #[test]
    fn a_critically_damped_mode_is_two_real_eigenvalues_or_a_pair_from_above_the_axis(
        (m, k) in (1..5_i32, 1..5_i32),
        parts in prop::array::uniform3(prop::array::uniform2(-20..20_i32)),
    ) {
        let (mass, damping, stiffness) = (m * m, 2 * m * k, k * k);
        let pencil = QuadraticPencil {
            m: sums_to(mass, parts[0]),
            c: sums_to(damping, parts[1]),
            k: sums_to(stiffness, parts[2]),
            phi_q: dense::from_rows(&[&[1.0, -1.0]]),
        };
        assert_critical(&pencil, -f64::from(k) / f64::from(m))?;
    }
}

#[test]
fn steps_from_an_undamped_mode_to_a_critically_damped_one_do_not_cross_the_axis() {
    let pencil = QuadraticPencil {
        m: sums_to(1, [3, -4]),
        c: sums_to(4, [5, -9]),
        k: sums_to(4, [7, -11]),
        phi_q: dense::from_rows(&[&[1.0, -1.0]]),
    };
    assert_critical(&pencil, -2.0).unwrap();
}

/// By the dense path, the sparse one and the direct method.
fn by_every_solver(pencil: &QuadraticPencil, count: usize) -> Vec<Vec<Eigenpair>> {
    let all = mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap();
    let given = pencil.to_sparse();
    vec![
        all.motion().cloned().collect(),
        sparse::solve(&given, &Request::Lowest { count }, &krylov()).unwrap().eigenpairs,
        direct::solve(&given, count, &DirectOptions::default()).unwrap().spectrum.eigenpairs,
    ]
}

fn assert_eigenvalues(pencil: &QuadraticPencil, count: usize, exact: &[c64], what: &str) {
    for pairs in by_every_solver(pencil, count) {
        assert_eq!(pairs.len(), exact.len(), "{what}");
        let values: Vec<c64> = pairs.iter().map(|pair| pair.value().unwrap()).collect();
        for (i, j, distance) in pairing::match_values(&values, exact) {
            let allowed = pairs[i].error_bound + 1e-13 * exact[j].norm();
            assert!(
                distance <= allowed,
                "{what}: {} for {}, bound {:e}",
                values[i],
                exact[j],
                pairs[i].error_bound
            );
        }
    }
}

#[test]
fn a_free_chain_has_its_rigid_mode_and_its_frequencies() {
    let n = 8;
    let exact: Vec<c64> = systems::chain_frequencies(n, 2.0, 50.0, false)
        .iter()
        .flat_map(|w| [z(0.0, *w), z(0.0, -w)])
        .collect();
    let pencil = systems::chain(n, 2.0, 50.0, false);
    assert_eigenvalues(&pencil, n, &exact, "free-free");
    for pairs in by_every_solver(&pencil, n) {
        assert_eq!(pairs.iter().filter(|pair| pair.class == Class::Rigid).count(), 2);
    }
}

#[test]
fn a_massless_joint_adds_no_eigenvalues() {
    // Two masses on three equal springs with a massless point in the middle of the second one.
    let (m, k) = (2.0, 18.0);
    let pencil = QuadraticPencil {
        m: dense::diagonal(&[m, 0.0, m]),
        c: dense::zeros(3, 3),
        k: dense::from_rows(&[
            &[3.0 * k, -2.0 * k, 0.0],
            &[-2.0 * k, 4.0 * k, -2.0 * k],
            &[0.0, -2.0 * k, 3.0 * k],
        ]),
        phi_q: dense::zeros(0, 3),
    };
    // Condensed: k and 3 k over m.
    let exact: Vec<c64> =
        [k / m, 3.0 * k / m].iter().flat_map(|w: &f64| [z(0.0, w.sqrt()), z(0.0, -w.sqrt())]).collect();
    assert_eigenvalues(&pencil, 3, &exact, "massless");
}

#[test]
fn a_whirling_rotor_splits_into_two_frequencies() {
    // A mass on equal springs seen from a frame that turns with W: s = +-i (w +- W).
    let (w, turn) = (5.0, 2.0);
    let pencil = QuadraticPencil {
        m: dense::identity(2),
        c: dense::from_rows(&[&[0.0, -2.0 * turn], &[2.0 * turn, 0.0]]),
        k: dense::scale(w * w - turn * turn, &dense::identity(2)),
        phi_q: dense::zeros(0, 2),
    };
    let exact: Vec<c64> = [w - turn, w + turn].iter().flat_map(|w| [z(0.0, *w), z(0.0, -w)]).collect();
    assert_eigenvalues(&pencil, 2, &exact, "gyroscopic");
}

#[test]
fn the_follower_load_makes_the_double_pendulum_flutter_where_it_should() {
    // Ziegler's column: two rods of length 1, masses 2 and 1, hinges of stiffness 1, follower load P. Flutter between
    // P = 7/2 - sqrt 2 and 7/2 + sqrt 2 (Ziegler 1952).
    let column = |load: f64| QuadraticPencil {
        m: dense::from_rows(&[&[3.0, 1.0], &[1.0, 1.0]]),
        c: dense::zeros(2, 2),
        k: dense::from_rows(&[&[2.0 - load, load - 1.0], &[-1.0, 1.0]]),
        phi_q: dense::zeros(0, 2),
    };
    let critical = 3.5 - 2.0_f64.sqrt();
    for load in [0.0, 0.95 * critical, 1.05 * critical, 3.0] {
        // det: 2 w^2 + (7 - 2 P) w + 1 = 0 for w = s^2.
        let squares = {
            let discriminant = z((7.0 - 2.0 * load).powi(2) - 8.0, 0.0).sqrt();
            [(discriminant - (7.0 - 2.0 * load)) / 4.0, -(discriminant + (7.0 - 2.0 * load)) / 4.0]
        };
        let exact: Vec<c64> = squares.iter().flat_map(|w| [w.sqrt(), -w.sqrt()]).collect();
        let pencil = column(load);
        assert_eigenvalues(&pencil, 4, &exact, "follower");
        let growing = by_every_solver(&pencil, 4);
        for pairs in growing {
            let unstable = pairs.iter().any(|pair| pair.value().unwrap().re > pair.error_bound);
            assert_eq!(unstable, load > critical, "P = {load}");
        }
    }
}

/// Zeros in a chain of two and one more near a simple eigenvalue, K = 0: det(s^2 M + s C) = s^3 (s + 1). C has as
/// many entries as rows, all in one column, which a product once took for a diagonal: the left vector, (1, 1), and
/// with it the bound were wrong.
#[test]
fn an_eigenvalue_near_zeros_has_its_own_left_vector() {
    let sparse = |rows: [[f64; 2]; 2]| mb_algebra::to_sparse(&dense::from_rows(&rows));
    let pencil = QuadraticPencil {
        m: sparse([[1.0, -3.0], [-1.0, 4.0]]),
        c: sparse([[0.0, -2.0], [0.0, 3.0]]),
        k: sparse([[0.0, 0.0], [0.0, 0.0]]),
        phi_q: mb_algebra::sparse::zeros(0, 2),
    };
    for count in 3..=4 {
        let found = direct::solve(&pencil, count, &DirectOptions::default()).unwrap();
        let root = found.spectrum.eigenpairs.iter().find(|p| p.value().is_some_and(|s| s.re < -0.5)).unwrap();
        let far = (root.value().unwrap() + 1.0).norm();
        assert!(far <= root.error_bound && root.error_bound < 1e-10, "{far:e} {:e}", root.error_bound);
        let [a, b] = [root.left[0], root.left[1]];
        assert!((a - b).norm() < 1e-6 * a.norm(), "{a} {b}");
    }
}
