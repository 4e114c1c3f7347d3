//! Properties of random constrained pencils of every type.

use mb_algebra::{Dense, QuadraticPencil, c64, dense, norms};
use mb_eigen::descriptor::{DescriptorStructure, Transferred};
use mb_eigen::{Class, DenseOptions, Eigenpair, Spectrum, descriptor, pairing};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Undamped,
    Damped,
    Gyroscopic,
    Unsymmetric,
}

fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = Dense> {
    prop::collection::vec(-1.0..1.0_f64, rows * cols)
        .prop_map(move |v| Dense::from_fn(rows, cols, |i, j| v[i * cols + j]))
}

fn square(a: &Dense, shift: f64) -> Dense {
    let n = a.nrows();
    dense::add(1.0, &dense::mul_transpose(a, a), shift, &dense::identity(n))
}

fn pencil() -> impl Strategy<Value = QuadraticPencil> {
    let kind = prop_oneof![
        Just(Kind::Undamped),
        Just(Kind::Damped),
        Just(Kind::Gyroscopic),
        Just(Kind::Unsymmetric)
    ];
    (1..7_usize, kind)
        .prop_flat_map(|(n, kind)| (Just(kind), 0..n, matrix(n, n), matrix(n, n), matrix(n, n), matrix(n, n)))
        .prop_map(|(kind, m, a, b, c, phi)| {
            let t = dense::transpose;
            let mass = square(&a, 0.3);
            let symmetric = dense::add(1.0, &b, 1.0, &t(&b));
            let (damping, stiffness) = match kind {
                Kind::Undamped => (Dense::zeros(a.nrows(), a.nrows()), symmetric),
                Kind::Damped => (square(&c, 0.0), symmetric),
                Kind::Gyroscopic => (dense::add(1.0, &c, -1.0, &t(&c)), square(&b, 0.1)),
                Kind::Unsymmetric => (c, b),
            };
            let rows: Vec<usize> = (0..m).collect();
            QuadraticPencil { m: mass, c: damping, k: stiffness, phi_q: dense::select_rows(&phi, &rows) }
        })
        // A Jacobian that is nearly rank deficient by chance makes statements about ranks a matter of taste.
        .prop_filter("clear rank", |p| {
            let s = mb_algebra::Svd::new(&p.phi_q).unwrap().s;
            s.last().is_none_or(|&smallest| smallest > 0.05)
        })
}

fn solve(pencil: &QuadraticPencil) -> Spectrum {
    mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap()
}

/// (s^2 M + s C + K) x, or its adjoint on a left vector.
fn apply(p: &QuadraticPencil, s: c64, x: &[c64], adjoint: bool) -> Vec<c64> {
    let product = |a: &Dense| {
        if adjoint { dense::matvec_complex(&dense::transpose(a), x) } else { dense::matvec_complex(a, x) }
    };
    let s = if adjoint { s.conj() } else { s };
    let (m, c, k) = (product(&p.m), product(&p.c), product(&p.k));
    (0..x.len()).map(|i| s * (s * m[i] + c[i]) + k[i]).collect()
}

fn inner(y: &[c64], x: &[c64]) -> c64 {
    y.iter().zip(x).map(|(y, x)| y.conj() * x).sum()
}

/// The two spectra agree within their bounds.
fn assert_same(a: &Spectrum, b: &Spectrum) -> Result<(), TestCaseError> {
    let (a, b): (Vec<Eigenpair>, Vec<Eigenpair>) =
        (a.motion().cloned().collect(), b.motion().cloned().collect());
    prop_assert_eq!(a.len(), b.len());
    for (i, j, distance) in pairing::match_spectra(&a, &b) {
        // Both problems were formed in floating point: some roundings of the entries.
        let data = 1e-13
            * (a[i].condition.min(1e8) + b[j].condition.min(1e8))
            * (1.0 + a[i].value().unwrap().norm_sqr());
        let allowed = a[i].error_bound + b[j].error_bound + data;
        prop_assert!(
            distance <= allowed,
            "{} {}: {distance:e} > {allowed:e}",
            a[i].value().unwrap(),
            b[j].value().unwrap()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn both_vectors_satisfy_the_equations(p in pencil()) {
        let spectrum = solve(&p);
        let (m, n) = p.phi_q.shape();
        prop_assert_eq!(spectrum.counts.found.motion(), 2 * (n - m));
        prop_assert!(spectrum.counts.mismatches().is_empty());
        for pair in &spectrum.eigenpairs {
            prop_assert!(pair.backward_error < 1e-13, "{:e}", pair.backward_error);
            prop_assert!(pair.constraint_violation < 1e-13);
            let s = pair.value().unwrap();
            for (x, l, adjoint) in [(&pair.right, &pair.multipliers, false), (&pair.left, &pair.left_multipliers, true)] {
                let mut rest = apply(&p, s, x, adjoint);
                for j in 0..n {
                    rest[j] += (0..m).map(|i| l[i] * p.phi_q[(i, j)]).sum::<c64>();
                }
                let size = (1.0 + s.norm_sqr()) * norms::two_complex(x)
                    * (norms::frobenius(&p.m) + norms::frobenius(&p.c) + norms::frobenius(&p.k));
                prop_assert!(norms::two_complex(&rest) < 1e-11 * size, "{adjoint} {:e}", norms::two_complex(&rest) / size);
                let held = norms::two_complex(&dense::matvec_complex(&p.phi_q, x));
                prop_assert!(held < 1e-12 * norms::two_complex(x));
            }
        }
    }

    #[test]
    fn vectors_are_biorthonormal(p in pencil()) {
        // y_i^H ((s_i + s_j) M + C) x_j = 1 for i = j, 0 otherwise: palomba2019, Eqs. (17)-(18), by the relations (16).
        let spectrum = solve(&p);
        for a in spectrum.eigenpairs.iter().filter(|pair| pair.condition < 1e6) {
            for b in spectrum.eigenpairs.iter().filter(|pair| pair.condition < 1e6) {
                let (s, t) = (a.value().unwrap(), b.value().unwrap());
                let sum = s + t;
                let (mx, cx) = (dense::matvec_complex(&p.m, &b.right), dense::matvec_complex(&p.c, &b.right));
                let product: Vec<c64> = mx.iter().zip(&cx).map(|(m, c)| sum * m + c).collect();
                let form = inner(&a.left, &product);
                let expected = if std::ptr::eq(a, b) { 1.0 } else { 0.0 };
                let gap = if std::ptr::eq(a, b) { 1.0 } else { (s - t).norm() };
                let size = norms::two_complex(&a.left) * (1.0 + sum.norm()) * 10.0;
                prop_assert!((form - expected).norm() <= 1e-11 * size * a.condition.max(b.condition) / gap.min(1.0),
                    "{s} {t}: {form}");
            }
        }
    }

    #[test]
    fn row_scales_row_mixtures_and_permutations_change_nothing(
        p in pencil(),
        scales in prop::collection::vec(-4.0..4.0_f64, 6),
        mixture in matrix(6, 6),
        offset in 0..6_usize,
    ) {
        let (m, n) = p.phi_q.shape();
        let before = solve(&p);
        let scaled = Dense::from_fn(m, n, |i, j| p.phi_q[(i, j)] * 10_f64.powf(scales[i]));
        assert_same(&before, &solve(&QuadraticPencil { phi_q: scaled, ..p.clone() }))?;
        // A well-conditioned change of the multiplier basis.
        let change = Dense::from_fn(m, m, |i, j| 0.3 * mixture[(i, j)] + if i == j { 2.0 } else { 0.0 });
        assert_same(&before, &solve(&QuadraticPencil { phi_q: dense::mul(&change, &p.phi_q), ..p.clone() }))?;
        let place = |i: usize| (i + offset) % n;
        let permuted = |a: &Dense| Dense::from_fn(n, n, |i, j| a[(place(i), place(j))]);
        let moved = QuadraticPencil {
            m: permuted(&p.m),
            c: permuted(&p.c),
            k: permuted(&p.k),
            phi_q: Dense::from_fn(m, n, |i, j| p.phi_q[(m - 1 - i, place(j))]),
        };
        let after = solve(&moved);
        assert_same(&before, &after)?;
        // Vectors move along (where they are determined).
        for (i, j, _) in pairing::match_spectra(&before.eigenpairs, &after.eigenpairs) {
            let back: Vec<c64> = (0..n).map(|row| before.eigenpairs[i].right[place(row)]).collect();
            if before.eigenpairs[i].condition < 1e4 {
                prop_assert!(pairing::mac(&back, &after.eigenpairs[j].right) > 1.0 - 1e-8);
            }
        }
    }

    #[test]
    fn redundant_rows_change_nothing_but_the_report(p in pencil(), weights in matrix(2, 6)) {
        let (m, n) = p.phi_q.shape();
        prop_assume!(m > 0);
        let extra = Dense::from_fn(2, n, |i, j| (0..m).map(|r| (weights[(i, r)] + 1.5) * p.phi_q[(r, j)]).sum());
        let redundant = QuadraticPencil { phi_q: dense::vstack(&[&p.phi_q, &extra]), ..p.clone() };
        let (before, after) = (solve(&p), solve(&redundant));
        assert_same(&before, &after)?;
        prop_assert_eq!(after.counts.rank, m);
        // Minimum norm: the multipliers lie in the range of Phi_q.
        let null = mb_algebra::RankQr::new(&dense::transpose(&redundant.phi_q), mb_algebra::RankTolerance::default())
            .unwrap().null_space();
        for pair in &after.eigenpairs {
            let idle = norms::two_complex(&dense::matvec_complex(&dense::transpose(&null), &pair.multipliers));
            prop_assert!(idle <= 1e-10 * (1.0 + norms::two_complex(&pair.multipliers)));
        }
    }

    #[test]
    fn a_given_null_space_gives_the_same_eigenvalues(p in pencil(), mixture in matrix(6, 6)) {
        let (m, n) = p.phi_q.shape();
        let null = mb_algebra::RankQr::new(&p.phi_q, mb_algebra::RankTolerance::default()).unwrap().null_space();
        let change = Dense::from_fn(n - m, n - m, |i, j| 0.3 * mixture[(i, j)] + if i == j { 2.0 } else { 0.0 });
        let basis = dense::mul(&null, &change);
        let given = mb_eigen::dense::solve_with_null_space(&p, &basis, &DenseOptions::default()).unwrap();
        assert_same(&solve(&p), &given)?;
    }

    #[test]
    fn descriptor_forms_agree_with_elimination(p in pencil()) {
        prop_assume!(p.m.nrows() < 5);
        let (m, n) = p.phi_q.shape();
        let reference = solve(&p);
        for transferred in Transferred::ALL {
            let structure = DescriptorStructure { pencil: p.clone(), transferred };
            let ours = descriptor::solve(&structure, &DenseOptions::default()).unwrap();
            prop_assert_eq!(ours.eigenpairs.len(), 2 * n + m);
            prop_assert!(ours.counts.mismatches().is_empty());
            prop_assert!(ours.eigenpairs.iter().all(|pair| pair.backward_error < 1e-12));
            let qz = descriptor::solve_qz(&structure.to_pencil().unwrap(), n, m, &DenseOptions::default()).unwrap();
            prop_assert_eq!(qz.eigenpairs.len(), 2 * n + m);
            let found = qz.motion_values();
            prop_assert_eq!(found.len(), reference.motion_values().len(), "{:?}", qz.findings);
            for (i, _, distance) in pairing::match_values(&reference.motion_values(), &found) {
                let pair = reference.motion().nth(i).unwrap();
                let s = pair.value().unwrap().norm();
                if pair.condition < 1e4 && s > 0.05 {
                    prop_assert!(distance < 1e-6 * (1.0 + s) * pair.condition, "{transferred:?} {s} {distance:e}");
                }
            }
        }
    }

    #[test]
    fn matching_is_a_bijection_and_knows_no_order(
        a in prop::collection::vec((-9.0..9.0_f64, -9.0..9.0_f64), 0..9),
        b in prop::collection::vec((-9.0..9.0_f64, -9.0..9.0_f64), 0..9),
        turn in 0..9_usize,
    ) {
        let complex = |v: &[(f64, f64)]| v.iter().map(|&(re, im)| c64::new(re, im)).collect::<Vec<_>>();
        let (a, b) = (complex(&a), complex(&b));
        let matched = pairing::match_values(&a, &b);
        prop_assert_eq!(matched.len(), a.len().min(b.len()));
        for side in 0..2 {
            let mut used: Vec<usize> = matched.iter().map(|m| if side == 0 { m.0 } else { m.1 }).collect();
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used.len(), matched.len());
        }
        let total = |m: &[(usize, usize, f64)]| m.iter().map(|m| m.2).sum::<f64>();
        let mut rotated = b.clone();
        if !rotated.is_empty() {
            rotated.rotate_left(turn % b.len());
        }
        let mut reversed = a.clone();
        reversed.reverse();
        let cost = total(&matched);
        prop_assert!((total(&pairing::match_values(&reversed, &rotated)) - cost).abs() < 1e-12 * (1.0 + cost));
        prop_assert!((total(&pairing::match_values(&b, &a)) - cost).abs() < 1e-12 * (1.0 + cost));
        // No exchange of two partners is cheaper.
        for x in &matched {
            for y in &matched {
                let exchanged = (a[x.0] - b[y.1]).norm() + (a[y.0] - b[x.1]).norm();
                prop_assert!(x.2 + y.2 <= exchanged + 1e-12);
            }
        }
    }

    #[test]
    fn conjugates_are_neighbours_and_classes_are_in_order(p in pencil()) {
        let spectrum = solve(&p);
        let pairs = &spectrum.eigenpairs;
        for (j, pair) in pairs.iter().enumerate() {
            if pair.alpha.im > 0.0 {
                prop_assert_eq!(pairs[j + 1].alpha, pair.alpha.conj());
            }
            prop_assert!((pair.alpha.norm_sqr() + pair.beta * pair.beta - 1.0).abs() < 1e-14 && pair.beta >= 0.0);
            prop_assert!((norms::two_complex(&pair.right) - 1.0).abs() < 1e-14);
            let largest = pair.right.iter().map(|z| z.norm()).fold(0.0, f64::max);
            prop_assert!(pair.right.iter().any(|z| z.re > 0.99 * largest && z.im.abs() <= 1e-15));
        }
        let rigid = pairs.iter().position(|pair| pair.class == Class::Physical).unwrap_or(0);
        prop_assert!(pairs[rigid..].iter().all(|pair| pair.class == Class::Physical));
    }

    #[test]
    fn singular_input_of_any_kind_gives_a_full_and_finite_answer(
        n in 1..5_usize,
        entries in prop::collection::vec(-1..2_i32, 64),
        m in 0..3_usize,
    ) {
        let block = |at: usize, rows: usize| {
            Dense::from_fn(rows, n, |i, j| f64::from(entries[(16 * at + 4 * i + j) % 64]))
        };
        let p = QuadraticPencil { m: block(0, n), c: block(1, n), k: block(2, n), phi_q: block(3, m) };
        let spectrum = solve(&p);
        prop_assert_eq!(spectrum.eigenpairs.len(), 2 * (n - spectrum.counts.rank));
        for pair in &spectrum.eigenpairs {
            let numbers = [pair.backward_error, pair.constraint_violation, pair.beta, pair.alpha.re, pair.alpha.im];
            prop_assert!(numbers.iter().all(|v| v.is_finite()), "{pair:?}");
            prop_assert!(!pair.condition.is_nan() && !pair.error_bound.is_nan());
            prop_assert!(pair.right.iter().chain(&pair.multipliers).chain(&pair.left).all(|z| z.is_finite()));
        }
    }
}
