//! The direct method of yang2012 step by step, against the dense path and against its own theory.

use mb_algebra::{Dense, Lu, QuadraticPencil, Sparse, c64, dense, norms, to_sparse};
use mb_eigen::direct::{Augmented, DirectOptions, Factorization, Scaling, condition, solve};
use mb_eigen::sparse::SparseFinding;
use mb_eigen::{Class, Eigenpair, Finding};
use proptest::prelude::*;

use crate::sparse::agreement::{assert_certified, assert_contained, exact};
use crate::sparse::random::{KINDS, Kind, Numbers, problem};
use crate::systems;

#[test]
fn the_lowest_modes_of_every_kind() {
    for kind in KINDS {
        for (n, m, seed) in [(24, 4, 1), (40, 7, 2)] {
            let pencil = problem(kind, n, m, seed);
            let what = format!("{kind:?} n = {n}");
            let motion: Vec<Eigenpair> = exact(&pencil).motion().cloned().collect();
            let analysis = solve(&pencil, 5, &DirectOptions::default()).unwrap();
            let found = &analysis.spectrum;
            assert_certified(&found.eigenpairs, &what);
            assert_contained(&found.eigenpairs, &motion, &what);
            let size = |pair: &Eigenpair| pair.value().unwrap().norm();
            let largest = found.eigenpairs.iter().map(size).fold(0.0, f64::max) * (1.0 - 1e-7);
            let below = |pairs: &[Eigenpair]| pairs.iter().filter(|p| size(p) < largest).count();
            assert_eq!(below(&found.eigenpairs), below(&motion), "{what}: {:?}", found.findings);
            assert_eq!((analysis.order, analysis.infinite), (2 * (n + m), 4 * m), "{what}");
            let [before, after] = analysis.condition.unwrap();
            assert!(before.exact && after.exact, "{what}");
            // Near zero, K of a free body is nearly singular whatever the scaling.
            if !matches!(kind, Kind::FreeFree | Kind::FreeDamped) {
                assert!(before.value > 1e3 * after.value, "{what}: {before:?} {after:?}");
            }
        }
    }
}

#[test]
fn scaling_does_not_change_the_results() {
    let pencil = problem(Kind::Damped, 30, 5, 4);
    let run = |scaling| solve(&pencil, 4, &DirectOptions { scaling, ..DirectOptions::default() }).unwrap();
    let plain = run(Scaling::Unscaled);
    for scaling in [Scaling::LargestEntry, Scaling::InfinityNorm, Scaling::Given(1e3)] {
        let other = run(scaling);
        assert!(other.scaling > 1.0);
        for (a, b) in plain.spectrum.eigenpairs.iter().zip(&other.spectrum.eigenpairs) {
            let (s, t) = (a.value().unwrap(), b.value().unwrap());
            assert!((s - t).norm() <= a.error_bound + b.error_bound, "{scaling:?}: {s} {t}");
            let size = norms::two_complex(&a.multipliers);
            let apart = a.multipliers.iter().zip(&b.multipliers).map(|(a, b)| (a - b).norm());
            assert!(apart.fold(0.0, f64::max) < 1e-8 * size, "{scaling:?}: multipliers of {s}");
        }
    }
}

#[test]
fn four_infinite_eigenvalues_for_every_constraint() {
    for (kind, n, m) in [(Kind::Undamped, 12, 3), (Kind::Gyroscopic, 12, 2), (Kind::Unsymmetric, 12, 1)] {
        let steps = Augmented::new(&problem(kind, n, m, 3)).unwrap();
        for (k, shift) in [(1.0, 3.0), (1e4, 3.0), (1e4, 20.0)] {
            let counted = steps.scaled(k).shifted(shift).count_infinite().unwrap();
            assert_eq!(counted, Augmented::infinite_by_theory(m), "{kind:?} k = {k} a = {shift}");
        }
    }
}

/// c D = A, G and the blocks of A^-1 as (3.4) gives them, k = 1; m leading rows of G regular.
struct Blocks {
    c: f64,
    a: Dense,
    g: Dense,
    displacement: Dense,
    mixed: Dense,
    mixed_left: Dense,
    multiplier: Dense,
}

fn part(a: &Dense, rows: (usize, usize), cols: (usize, usize)) -> Dense {
    Dense::from_fn(rows.1 - rows.0, cols.1 - cols.0, |i, j| a[(rows.0 + i, cols.0 + j)])
}

fn blocks(a: Dense, g: Dense) -> Blocks {
    let (n, m) = g.shape();
    let c = norms::inf(&a);
    let d = dense::scale(c.recip(), &a);
    let (d11, d12) = (part(&d, (0, m), (0, m)), part(&d, (0, m), (m, n)));
    let (d21, d22) = (part(&d, (m, n), (0, m)), part(&d, (m, n), (m, n)));
    let (g1, g2) = (part(&g, (0, m), (0, m)), part(&g, (m, n), (0, m)));
    let (mul, t) = (dense::mul, dense::transpose);
    let minus = |a: &Dense, b: &Dense| dense::add(1.0, a, -1.0, b);
    let plus = |a: &Dense, b: &Dense| dense::add(1.0, a, 1.0, b);
    let g1i = Lu::new(&g1).unwrap().solve_mat(&dense::identity(m));
    let g1it = t(&g1i);
    let nn = mul(&g1i, &mul(&d11, &g1it));
    let p = minus(
        &minus(&plus(&d22, &mul(&g2, &mul(&nn, &t(&g2)))), &mul(&d21, &mul(&g1it, &t(&g2)))),
        &mul(&g2, &mul(&g1i, &d12)),
    );
    let q = minus(&mul(&g1i, &d12), &mul(&nn, &t(&g2)));
    let r = minus(&mul(&d21, &g1it), &mul(&g2, &nn));
    let pi = Lu::new(&p).unwrap().solve_mat(&dense::identity(n - m));
    let right = mul(&g1it, &t(&g2));
    let left = mul(&g2, &g1i);
    let displacement = dense::scale(
        c.recip(),
        &dense::vstack(&[
            &dense::hstack(&[&mul(&right, &mul(&pi, &left)), &dense::scale(-1.0, &mul(&right, &pi))]),
            &dense::hstack(&[&dense::scale(-1.0, &mul(&pi, &left)), &pi]),
        ]),
    );
    let pr = mul(&pi, &r);
    let mixed =
        dense::vstack(&[&plus(&g1it, &dense::scale(1.0, &mul(&right, &pr))), &dense::scale(-1.0, &pr)]);
    let qp = mul(&q, &pi);
    let mixed_left = dense::hstack(&[&plus(&g1i, &mul(&qp, &left)), &dense::scale(-1.0, &qp)]);
    let multiplier = dense::scale(c, &minus(&mul(&qp, &r), &nn));
    Blocks { c, a, g, displacement, mixed, mixed_left, multiplier }
}

fn entries(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0, count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The inverse of (3.8), block by block, and the condition number it bounds, (3.9).
    #[test]
    fn the_inverse_and_the_condition_number_of_the_theory(
        (n, m, a, g) in (2..7_usize)
            .prop_flat_map(|n| (Just(n), 1..n))
            .prop_flat_map(|(n, m)| (Just(n), Just(m), entries(n * n), entries(n * m))),
        size in 0.0..9.0,
        symmetric in any::<bool>(),
    ) {
        let size = f64::powf(10.0, size);
        let a = Dense::from_fn(n, n, |i, j| {
            let (i, j) = if symmetric { (i.min(j), i.max(j)) } else { (i, j) };
            size * (a[i * n + j] + if i == j { 3.0 } else { 0.0 })
        });
        let g = Dense::from_fn(n, m, |i, j| g[i * m + j] + if i == j { 3.0 } else { 0.0 });
        let b = blocks(a, g);
        let (norm, dense_norm) = (norms::inf::<Dense>, |x: &Dense| norms::inf(x));
        prop_assert!((norm(&b.a) - b.c).abs() <= 1e-15 * b.c);
        let pencil = QuadraticPencil {
            m: dense::identity(n),
            c: dense::zeros(n, n),
            k: b.a.clone(),
            phi_q: dense::transpose(&b.g),
        }
        .to_sparse();
        let mut best = (0.0, f64::INFINITY);
        for exponent in -3..=3 {
            let k = b.c * f64::powi(10.0, exponent);
            let matrix = dense::vstack(&[
                &dense::hstack(&[&b.a, &dense::scale(k, &b.g)]),
                &dense::hstack(&[&dense::scale(k, &dense::transpose(&b.g)), &dense::zeros(m, m)]),
            ]);
            let inverse = dense::vstack(&[
                &dense::hstack(&[&b.displacement, &dense::scale(k.recip(), &b.mixed)]),
                &dense::hstack(&[&dense::scale(k.recip(), &b.mixed_left), &dense::scale((k * k).recip(), &b.multiplier)]),
            ]);
            let product = dense::mul(&matrix, &inverse);
            let rest = dense::add(1.0, &product, -1.0, &dense::identity(n + m));
            let cond = dense_norm(&matrix) * dense_norm(&inverse);
            prop_assert!(norm(&rest) <= 1e-14 * cond, "k = {k:e}: {:e}", norm(&rest));
            // (3.9) with its constants: O(max(k, c)) times O(max(1 / c, 1 / k, c / k^2)).
            let bound = (b.c + k * norm(&b.g).max(norm(&dense::transpose(&b.g))))
                * (norm(&b.displacement)
                    + norm(&b.mixed).max(norm(&b.mixed_left)) / k
                    + norm(&b.multiplier) / (k * k));
            prop_assert!(cond <= 4.0 * bound);
            // The 2-norm differs from the infinity norm by the size of the matrix at most.
            let [_, scaled] = condition(&pencil, k, 0.0).unwrap();
            let factor = (n + m) as f64;
            prop_assert!(scaled.exact && scaled.value <= factor * cond * (1.0 + 1e-9) && scaled.value >= cond / factor * (1.0 - 1e-9));
            if scaled.value < best.1 {
                best = (k, scaled.value);
            }
        }
        // k about c is best, to a power of ten or two.
        prop_assert!(best.0 >= 1e-2 * b.c && best.0 <= 1e2 * b.c, "best k = {:e} c", best.0 / b.c);
    }
}

/// A cantilever of springs of 1e12 N/m with its first mass held by a constraint in metres.
fn stiff_chain(n: usize) -> QuadraticPencil<Sparse> {
    let chain = systems::chain(n, 1.0, 1e12, false);
    let phi_q = Dense::from_fn(1, n, |_, j| if j == 0 { 1.0 } else { 0.0 });
    QuadraticPencil { phi_q, ..chain }.to_sparse()
}

#[test]
fn static_pivoting_needs_the_scaling_and_exchanges_do_not() {
    let n = 12;
    let pencil = stiff_chain(n);
    // Fixed at one end, free at the other: 2 sqrt(k / m) sin(pi / (2 (2 n - 1))).
    let first = 2e6 * (std::f64::consts::FRAC_PI_2 / (2 * n - 1) as f64).sin();
    let error = |scaling, factorization| {
        let options = DirectOptions {
            scaling,
            factorization,
            shift: Some(5.0),
            refinements: 0,
            deflate_zeros: false,
            ..DirectOptions::default()
        };
        let analysis = solve(&pencil, 1, &options).unwrap();
        let nearest = analysis.ritz.iter().map(|r| (r - c64::new(0.0, first)).norm() / first);
        (nearest.fold(f64::INFINITY, f64::min), analysis)
    };
    let fixed = Factorization::Static { perturbation: 1e-13 };
    let (right, scaled) = error(Scaling::LargestEntry, fixed);
    assert!(right < 1e-6, "{right:e}");
    assert_eq!(scaled.replaced_pivots, 0);
    let (wrong, unscaled) = error(Scaling::Unscaled, fixed);
    assert!(wrong > 0.1 && unscaled.replaced_pivots > 0, "{wrong:e} {}", unscaled.replaced_pivots);
    // What the paper reports as unscaled results has no place among certified ones.
    assert!(
        unscaled.dropped > 0 && unscaled.spectrum.eigenpairs.is_empty(),
        "{:?}",
        unscaled.spectrum.findings
    );
    let (pivoted, _) = error(Scaling::Unscaled, Factorization::Pivoted);
    assert!(pivoted < 1e-6, "{pivoted:e}");
}

#[test]
fn a_system_without_stiffness_has_its_rigid_modes() {
    let pencil = QuadraticPencil {
        m: dense::diagonal(&[1.0, 2.0, 3.0]),
        c: dense::zeros(3, 3),
        k: dense::zeros(3, 3),
        phi_q: dense::from_rows(&[&[1.0, -1.0, 0.0]]),
    };
    let analysis = solve(&pencil.to_sparse(), 2, &DirectOptions::default()).unwrap();
    assert!(analysis.shift > 0.0 && analysis.scaling > 0.0);
    assert_eq!(analysis.spectrum.of_class(Class::Rigid).count(), 4, "{:?}", analysis.spectrum.findings);
    assert_certified(&analysis.spectrum.eigenpairs, "no stiffness");
}

#[test]
fn a_shift_on_an_eigenvalue_is_moved_and_said() {
    // Upright pendulum: +-sqrt(g / L); and a free body at the shift zero.
    let upright = systems::pendulum(1.0, 0.5, 9.81, true).to_sparse();
    let root = (9.81_f64 / 0.5).sqrt();
    let free = systems::trolley(2.0, 1.0, 0.5, 9.81).to_sparse();
    for (pencil, shift) in [(upright, root), (free, 0.0)] {
        let options = DirectOptions { shift: Some(shift), ..DirectOptions::default() };
        let analysis = solve(&pencil, 2, &options).unwrap();
        let moved = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::ShiftMoved { from_re, .. } } if (from_re - shift).abs() < 1e-12);
        assert!(analysis.spectrum.findings.iter().any(moved), "{:?}", analysis.spectrum.findings);
        let motion: Vec<Eigenpair> = exact(&pencil).motion().cloned().collect();
        assert_contained(&analysis.spectrum.eigenpairs, &motion, "moved");
        assert_eq!(analysis.spectrum.eigenpairs.len(), motion.len());
    }
}

#[test]
fn redundant_rows_are_named_and_more_than_exist_is_said() {
    let mut pencil = systems::pendulum(1.0, 0.5, 9.81, false);
    let row = dense::row(&pencil.phi_q, 0);
    pencil.phi_q = dense::from_rows(&[row.clone(), row.iter().map(|v| -3.0 * v).collect()]);
    let analysis = solve(&pencil.to_sparse(), 7, &DirectOptions::default()).unwrap();
    let findings = &analysis.spectrum.findings;
    assert!(
        findings.iter().any(|f| matches!(f, Finding::RedundantConstraints { rank: 1, constraints: 2, .. }))
    );
    let fewer = |f: &Finding| {
        matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { wanted: 7, exist: 1, dof: 1 } })
    };
    assert!(findings.iter().any(fewer), "{findings:?}");
    assert_certified(&analysis.spectrum.eigenpairs, "redundant");
    assert_eq!((analysis.order, analysis.infinite), (6, 4));
}

#[test]
fn large_matrices_get_estimates_of_the_condition() {
    let n = 400;
    let mut numbers = Numbers::new(9);
    let diagonal: Vec<f64> = (0..n).map(|_| 2e6 + 1e6 * numbers.next()).collect();
    let phi = Dense::from_fn(1, n, |_, j| if j == 7 { 1.0 } else { 0.0 });
    let pencil = QuadraticPencil {
        m: mb_algebra::sparse::identity(n),
        c: mb_algebra::sparse::zeros(n, n),
        k: mb_algebra::sparse::diagonal(&diagonal),
        phi_q: to_sparse(&phi),
    };
    // A diagonal matrix and one 2 x 2 block: singular values in closed form.
    let values = |k: f64| {
        let (half, root) = (0.5 * diagonal[7], (0.25 * diagonal[7] * diagonal[7] + k * k).sqrt());
        let rest = diagonal.iter().enumerate().filter(|(j, _)| *j != 7).map(|(_, d)| *d);
        let all: Vec<f64> = rest.chain([half + root, k * k / (half + root)]).collect();
        all.iter().copied().fold(0.0, f64::max) / all.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let k = 3e6;
    let [before, after] = condition(&pencil, k, 0.0).unwrap();
    for (found, exact) in [(before, values(1.0)), (after, values(k))] {
        assert!(
            !found.exact && found.value <= exact * (1.0 + 1e-9) && found.value > 0.9 * exact,
            "{found:?} {exact:e}"
        );
    }
}
