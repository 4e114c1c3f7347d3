//! Error bars of every solver against roots known in closed form, and the examples whose answers are known.
//!
//! R^T B diag(D_1, D_2, ..) R with blocks D_i of integer coefficients and integer R, B of determinant one: the matrices
//! are exact and the roots those of the blocks. Coordinates held at zero by constraints come last in front of R, and B
//! leaves their equations alone.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{self, Request};
use mb_eigen::{Class, DenseOptions, Eigenpair, pairing, quadratic};
use proptest::prelude::*;

use crate::sparse::agreement::krylov;
use crate::systems;

/// M, C, K of one or two coordinates and their finite roots.
#[derive(Clone, Debug)]
struct Block {
    m: Vec<Vec<i32>>,
    c: Vec<Vec<i32>>,
    k: Vec<Vec<i32>>,
    roots: Vec<c64>,
}

fn z(re: f64, im: f64) -> c64 {
    c64::new(re, im)
}

/// Roots of m s^2 + c s + k without cancellation.
fn roots_of(m: f64, c: f64, k: f64) -> Vec<c64> {
    let discriminant = c * c - 4.0 * m * k;
    if discriminant < 0.0 {
        let s = z(-c / (2.0 * m), (-discriminant).sqrt() / (2.0 * m));
        return vec![s, s.conj()];
    }
    let q = -0.5 * (c + c.signum() * discriminant.sqrt());
    if q == 0.0 { vec![z(0.0, 0.0); 2] } else { vec![z(q / m, 0.0), z(k / q, 0.0)] }
}

fn single(m: i32, c: i32, k: i32) -> Block {
    let roots = if m > 0 {
        roots_of(f64::from(m), f64::from(c), f64::from(k))
    } else if c != 0 {
        vec![z(-f64::from(k) / f64::from(c), 0.0)]
    } else {
        Vec::new()
    };
    Block { m: vec![vec![m]], c: vec![vec![c]], k: vec![vec![k]], roots }
}

/// m s^2 + [0 g; -g 0] s + diag(a, b): m^2 w^2 + (m (a + b) + g^2) w + a b = 0 for w = s^2.
fn gyroscopic(m: i32, g: i32, a: i32, b: i32) -> Block {
    let (mass, rate) = (f64::from(m), f64::from(g));
    let (ka, kb) = (f64::from(a), f64::from(b));
    let squares = roots_of(mass * mass, mass * (ka + kb) + rate * rate, ka * kb);
    let roots = squares.iter().flat_map(|w| [w.sqrt(), -w.sqrt()]).collect();
    Block {
        m: vec![vec![m, 0], vec![0, m]],
        c: vec![vec![0, g], vec![-g, 0]],
        k: vec![vec![a, 0], vec![0, b]],
        roots,
    }
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        3 => (1..5, 0..6, 1..60).prop_map(|(m, c, k)| single(m, c, k)),
        // Without mass; free; damped to the ground; at the limit of oscillation.
        1 => (1..5, 1..30).prop_map(|(c, k)| single(0, c, k)),
        1 => (1..30).prop_map(|k| single(0, 0, k)),
        1 => (1..5).prop_map(|m| single(m, 0, 0)),
        1 => (1..5, 1..9).prop_map(|(m, c)| single(m, c, 0)),
        1 => (1..4, 1..5).prop_map(|(m, a)| single(m, 2 * m * a, m * a * a)),
        2 => (1..4, 1..5, 1..20, 1..20).prop_map(|(m, g, a, b)| gyroscopic(m, g, a, b)),
    ]
}

/// A product of elementary integer matrices.
fn unimodular(n: usize, used: usize, steps: &[(usize, usize, i32)]) -> Dense {
    let mut out = dense::identity(n);
    for &(i, j, factor) in steps {
        let (i, j) = (i % used, j % used);
        if i != j {
            for row in 0..n {
                let add = f64::from(factor) * out[(row, i)];
                out[(row, j)] += add;
            }
        }
    }
    out
}

type Steps = Vec<(usize, usize, i32)>;

fn steps(count: usize) -> impl Strategy<Value = Steps> {
    prop::collection::vec((0..8_usize, 0..8_usize, -2..3_i32), count)
}

/// The problem and its finite roots.
fn assembled(
    blocks: &[Block],
    right: &Steps,
    left: &Steps,
    held: usize,
    redundant: bool,
) -> (QuadraticPencil, Vec<c64>) {
    let free: usize = blocks.iter().map(|b| b.m.len()).sum();
    let n = free + held;
    let (r, b) = (unimodular(n, n, right), unimodular(n, free, left));
    let through = |part: fn(&Block) -> &Vec<Vec<i32>>, rest: f64| {
        let mut d = Dense::zeros(n, n);
        let mut at = 0;
        for block in blocks {
            let values = part(block);
            for (i, row) in values.iter().enumerate() {
                for (j, v) in row.iter().enumerate() {
                    d[(at + i, at + j)] = f64::from(*v);
                }
            }
            at += values.len();
        }
        (free..n).for_each(|i| d[(i, i)] = rest);
        dense::mul_transpose(&r, &dense::mul(&b, &dense::mul(&d, &r)))
    };
    let select = Dense::from_fn(held, n, |i, j| if j == free + i { 1.0 } else { 0.0 });
    let mut phi_q = dense::mul(&select, &r);
    if redundant && held > 0 {
        phi_q = dense::vstack(&[&phi_q, &dense::scale(-2.0, &dense::select_rows(&phi_q, &[0]))]);
    }
    let pencil = QuadraticPencil {
        m: through(|b| &b.m, 2.0),
        c: through(|b| &b.c, 1.0),
        k: through(|b| &b.k, 3.0),
        phi_q,
    };
    (pencil, blocks.iter().flat_map(|b| b.roots.clone()).collect())
}

/// Every root found lies within its bar of an exact root, each used once.
fn assert_covered(found: &[Eigenpair], exact: &[c64], what: &str) -> Result<(), TestCaseError> {
    let values: Vec<c64> = found.iter().map(|pair| pair.value().unwrap()).collect();
    prop_assert!(values.len() <= exact.len(), "{what}: {} of {}", values.len(), exact.len());
    for (i, j, distance) in pairing::match_values(&values, exact) {
        let allowed = found[i].error_bar + 4.0 * f64::EPSILON * exact[j].norm();
        prop_assert!(
            distance <= allowed,
            "{what}: {} is {distance:e} from {}, bar {:e}, condition {:e}",
            values[i],
            exact[j],
            found[i].error_bar,
            found[i].condition
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bars_cover_exact_roots_for_every_solver(
        blocks in prop::collection::vec(block(), 1..5),
        right in steps(5),
        left in steps(3),
        unsymmetric in any::<bool>(),
        held in 0..3_usize,
        redundant in any::<bool>(),
    ) {
        let left = if unsymmetric { left } else { Steps::new() };
        let (pencil, exact) = assembled(&blocks, &right, &left, held, redundant);
        let all = quadratic::solve(&pencil, &DenseOptions::default()).unwrap();
        let motion: Vec<Eigenpair> = all.motion().cloned().collect();
        prop_assert_eq!(motion.len(), exact.len(), "{:?}", all.findings);
        assert_covered(&motion, &exact, "dense")?;
        let sparse_form = pencil.to_sparse();
        let count = exact.len();
        let lowest = sparse::solve(&sparse_form, &Request::Lowest { count }, &krylov()).unwrap();
        assert_covered(&lowest.pairs, &exact, "sparse")?;
        let direct = direct::solve(&sparse_form, count, &DirectOptions::default()).unwrap();
        assert_covered(&direct.spectrum.pairs, &exact, "direct")?;
    }
}

/// By the dense path, the sparse one and the direct method.
fn by_every_solver(pencil: &QuadraticPencil, count: usize) -> Vec<Vec<Eigenpair>> {
    let all = quadratic::solve(pencil, &DenseOptions::default()).unwrap();
    let given = pencil.to_sparse();
    vec![
        all.motion().cloned().collect(),
        sparse::solve(&given, &Request::Lowest { count }, &krylov()).unwrap().pairs,
        direct::solve(&given, count, &DirectOptions::default()).unwrap().spectrum.pairs,
    ]
}

fn assert_roots(pencil: &QuadraticPencil, count: usize, exact: &[c64], what: &str) {
    for pairs in by_every_solver(pencil, count) {
        assert_eq!(pairs.len(), exact.len(), "{what}");
        let values: Vec<c64> = pairs.iter().map(|pair| pair.value().unwrap()).collect();
        for (i, j, distance) in pairing::match_values(&values, exact) {
            let allowed = pairs[i].error_bar + 1e-13 * exact[j].norm();
            assert!(
                distance <= allowed,
                "{what}: {} for {}, bar {:e}",
                values[i],
                exact[j],
                pairs[i].error_bar
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
    assert_roots(&pencil, n, &exact, "free-free");
    for pairs in by_every_solver(&pencil, n) {
        assert_eq!(pairs.iter().filter(|pair| pair.class == Class::Rigid).count(), 2);
    }
}

#[test]
fn a_massless_joint_adds_no_roots() {
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
    assert_roots(&pencil, 3, &exact, "massless");
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
    assert_roots(&pencil, 2, &exact, "gyroscopic");
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
        assert_roots(&pencil, 4, &exact, "follower");
        let growing = by_every_solver(&pencil, 4);
        for pairs in growing {
            let unstable = pairs.iter().any(|pair| pair.value().unwrap().re > pair.error_bar);
            assert_eq!(unstable, load > critical, "P = {load}");
        }
    }
}
