//! One problem in several forms: gauges, descriptor form, sparse storage, groups.

use crate::erls;
use crate::systems::{nearest, random_system, solve};
use mb_algebra::{
    Dense, DescriptorPencil, QuadraticPencil, Sparse, Transferred, c64, dense, sparse, to_sparse,
};
use mb_gallery::models::ErlsArm;
use mb_parametric::{
    Completeness, EigenpairSeries, ExpandOptions, Gauge, MatrixSeries, MultiIndexSet, PencilSeries,
    PolishOptions, SeriesSource, StartingEigenpair, expand, expand_all, expand_group, polish,
};
use proptest::prelude::*;

/// Largest difference of the coefficients of one degree relative to their size.
fn distance(a: &EigenpairSeries, b: &EigenpairSeries) -> f64 {
    let mut worst = 0.0_f64;
    for degree in 0..=a.order().min(b.order()) {
        let range = a.set().homogeneous(degree);
        let (x, y) = (&a.eigenvalue_coefficients()[range.clone()], &b.eigenvalue_coefficients()[range]);
        let size = x.iter().map(|c| c.norm()).fold(0.0, f64::max);
        let off = x.iter().zip(y).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
        worst = worst.max(off / size);
    }
    worst
}

/// E and A of (q, v, multipliers) as series.
fn descriptor_series(pencil: &PencilSeries) -> PencilSeries {
    let all = pencil.matrices();
    let zero = |a: &Dense| Dense::zeros(a.nrows(), a.ncols());
    let mut e = Vec::new();
    let mut a = Vec::new();
    for number in 0..pencil.set().len() {
        let term = QuadraticPencil {
            m: all.m.coefficients()[number].clone(),
            c: all.c.coefficients()[number].clone(),
            k: all.k.coefficients()[number].clone(),
            phi_q: all.phi_q.coefficients()[number].clone(),
        };
        let whole = term.to_descriptor(Transferred::default());
        // The identities belong to the constant term alone.
        let identity = if number == 0 {
            DescriptorPencil { e: zero(&whole.e), a: zero(&whole.a) }
        } else {
            let nothing = QuadraticPencil {
                m: zero(&term.m),
                c: zero(&term.c),
                k: zero(&term.k),
                phi_q: zero(&term.phi_q),
            };
            nothing.to_descriptor(Transferred::default())
        };
        e.push(dense::add(1.0, &whole.e, -1.0, &identity.e));
        a.push(dense::add(1.0, &whole.a, -1.0, &identity.a));
    }
    let series = DescriptorPencil {
        e: MatrixSeries::new(pencil.set().clone(), e).unwrap(),
        a: MatrixSeries::new(pencil.set().clone(), a).unwrap(),
    };
    PencilSeries::descriptor(series, pencil.completeness()).unwrap()
}

/// The same pencil in sparse storage.
fn sparse_series(pencil: &PencilSeries) -> PencilSeries<Sparse> {
    let convert = |series: &MatrixSeries| {
        let list = series.coefficients().iter().map(to_sparse).collect();
        MatrixSeries::new(pencil.set().clone(), list).unwrap()
    };
    let all = pencil.matrices();
    let matrices = QuadraticPencil {
        m: convert(&all.m),
        c: convert(&all.c),
        k: convert(&all.k),
        phi_q: convert(&all.phi_q),
    };
    PencilSeries::new(matrices, pencil.completeness()).unwrap()
}

fn left() -> ExpandOptions {
    ExpandOptions { left: true, ..ExpandOptions::default() }
}

#[test]
fn the_arm_has_the_same_coefficients_in_every_gauge_and_form() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm));
    let set = MultiIndexSet::total(4, 3).unwrap();
    let pencil = source.series(&[0.0; 4], &set).unwrap();
    let starts = erls::elastic(&source);
    let bordered: Vec<_> =
        expand_all(&pencil, &starts, &set, &left()).into_iter().map(Result::unwrap).collect();
    let pseudo = ExpandOptions { gauge: Gauge::PseudoInverse, ..ExpandOptions::default() };
    let sparse_pencil = sparse_series(&pencil);
    let descriptor = descriptor_series(&pencil);
    for (start, one) in starts.iter().zip(&bordered) {
        assert!(distance(one, &expand(&pencil, start, &set, &pseudo).unwrap()) < 1e-9);
        assert!(distance(one, &expand(&sparse_pencil, start, &set, &left()).unwrap()) < 1e-9);
        let state: Vec<c64> =
            start.vector.iter().copied().chain(start.vector.iter().map(|x| x * start.s)).collect();
        let state = StartingEigenpair { s: start.s, vector: state };
        let whole = expand(&descriptor, &state, &set, &left()).unwrap();
        assert!(distance(one, &whole) < 1e-9, "{}", distance(one, &whole));
        // The group of one is the pair.
        let group = expand_group(&pencil, &[start.s], &set).unwrap();
        for (number, mean) in group.mean_coefficients().iter().enumerate() {
            let s = one.eigenvalue_coefficients()[number];
            let degree = set.exponents(number).iter().map(|&e| usize::from(e)).sum();
            let range = set.homogeneous(degree);
            let size = one.eigenvalue_coefficients()[range].iter().map(|c| c.norm()).fold(0.0, f64::max);
            assert!((s - mean).norm() < 1e-9 * size, "{number}: {s} {mean}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Constrained, damped, unsymmetric systems: all forms agree, left vectors too.
    #[test]
    fn forms_of_a_constrained_system_agree(pencil in random_system()) {
        let Some(start) = solve(&pencil.evaluate(&[0.0, 0.0]).unwrap())
            .into_iter()
            .filter(|pair| pair.s.im > 0.5)
            .max_by(|a, b| a.s.im.total_cmp(&b.s.im))
        else {
            return Err(TestCaseError::reject("no oscillation"));
        };
        let set = MultiIndexSet::total(2, 4).unwrap();
        let one = expand(&pencil, &start, &set, &left()).unwrap();
        let pseudo = ExpandOptions { gauge: Gauge::PseudoInverse, ..left() };
        prop_assert!(distance(&one, &expand(&pencil, &start, &set, &pseudo).unwrap()) < 1e-9);
        let thin = expand(&sparse_series(&pencil), &start, &set, &left()).unwrap();
        prop_assert!(distance(&one, &thin) < 1e-9);
        // Vectors and left vectors are in the same gauge.
        for number in 0..set.len() {
            for (a, b) in [
                (one.vector_coefficients(), thin.vector_coefficients()),
                (one.multiplier_coefficients(), thin.multiplier_coefficients()),
                (one.left_coefficients(), thin.left_coefficients()),
            ] {
                let size = a[number].iter().map(|x| x.norm()).fold(1e-3, f64::max);
                for (x, y) in a[number].iter().zip(&b[number]) {
                    prop_assert!((x - y).norm() < 1e-8 * size, "{}: {} {}", number, x, y);
                }
            }
        }
        // The descriptor problem, to the right and to the left.
        let whole = descriptor_series(&pencil);
        let centre = whole.evaluate(&[0.0, 0.0]).unwrap();
        let pair = polish(&pencil.evaluate(&[0.0, 0.0]).unwrap(), &start, &PolishOptions::default()).unwrap();
        let speeds = pair.vector.iter().map(|x| x * pair.s);
        let vector = pair.vector.iter().copied().chain(speeds).chain(pair.multipliers.clone()).collect();
        let state = StartingEigenpair { s: pair.s, vector };
        let found = expand(&whole, &state, &set, &left()).unwrap();
        prop_assert!(distance(&one, &found) < 1e-8, "{}", distance(&one, &found));
        let at = found.evaluate(&[0.01, -0.01], 4).unwrap();
        let check = found.check(&at, &whole.evaluate(&[0.01, -0.01]).unwrap()).unwrap();
        // What order 4 leaves begins with the fifth power of the distance over the radius of convergence.
        let share = at.share.unwrap();
        let left_over = share.powi(5) / (1.0 - share) + 1e-13;
        prop_assert!(check.backward_error < left_over, "{:e} of {left_over:e}", check.backward_error);
        let shape = found.left_coefficients();
        let z = &shape[0];
        let image: Vec<c64> = (0..z.len())
            .map(|j| (0..z.len()).map(|i| z[i] * (found.eigenvalue_coefficients()[0] * centre.c[(i, j)] + centre.k[(i, j)])).sum())
            .collect();
        let size = z.iter().map(|x| x.norm()).fold(0.0, f64::max);
        prop_assert!(image.iter().all(|x: &c64| x.norm() < 1e-9 * size * 100.0));
    }

    /// A group of two modes has the values of its modes at every point nearby.
    #[test]
    fn a_group_contains_its_modes(pencil in random_system()) {
        let centre = pencil.evaluate(&[0.0, 0.0]).unwrap();
        let mut values: Vec<c64> = solve(&centre).into_iter().map(|p| p.s).filter(|s| s.im > 0.3).collect();
        values.sort_by(|a, b| b.im.total_cmp(&a.im));
        prop_assume!(values.len() >= 3);
        let others = values[2];
        prop_assume!((values[1] - others).norm() > 0.5);
        values.truncate(2);
        let set = MultiIndexSet::total(2, 6).unwrap();
        let group = expand_group(&pencil, &values, &set).unwrap();
        for d in [[0.0, 0.0], [0.02, -0.01]] {
            let at = group.evaluate(&d, 6).unwrap();
            let matrices = pencil.evaluate(&d).unwrap();
            for s in &at.values {
                let exact = nearest(&matrices, *s);
                prop_assert!((s - exact).norm() < 1e-6, "{:?} {} {}", d, s, exact);
            }
            prop_assert!(group.backward_error(&at, &matrices) < 1e-6);
        }
    }
}

/// A chain of masses on springs of 1 N/m, fixed at both ends, with proportional damping; the
/// stiffness of the first spring and the mass in the middle vary.
fn chain(n: usize) -> PencilSeries<Sparse> {
    let set = MultiIndexSet::total(2, 1).unwrap();
    let mut k = mb_algebra::Triplets::new(n, n);
    let mut first = mb_algebra::Triplets::new(n, n);
    let mut middle = mb_algebra::Triplets::new(n, n);
    let mut add = |i: usize, j: usize, x: f64| mb_algebra::Scatter::add(&mut k, i, j, x);
    for i in 0..n {
        add(i, i, 2.0);
        if i > 0 {
            add(i, i - 1, -1.0);
            add(i - 1, i, -1.0);
        }
    }
    mb_algebra::Scatter::add(&mut first, 0, 0, 1.0);
    mb_algebra::Scatter::add(&mut middle, n / 2, n / 2, 1.0);
    let (k, m) = (k.to_sparse(), sparse::identity(n));
    let damping = sparse::add(1e-5, &m, 0.002, &k);
    let at = |sigma: [u8; 2]| sigma;
    let series = |terms: &[([u8; 2], &Sparse)], rows: usize| {
        let list: Vec<(&[u8], &Sparse)> = terms.iter().map(|(s, a)| (s.as_slice(), *a)).collect();
        MatrixSeries::from_terms(set.clone(), rows, n, &list).unwrap()
    };
    let matrices = QuadraticPencil {
        m: series(&[(at([0, 0]), &m), (at([0, 1]), &middle.to_sparse())], n),
        c: series(&[(at([0, 0]), &damping)], n),
        k: series(&[(at([0, 0]), &k), (at([1, 0]), &first.to_sparse())], n),
        phi_q: series(&[], 0),
    };
    PencilSeries::new(matrices, Completeness::Polynomial).unwrap()
}

#[test]
fn a_large_chain_is_expanded_by_its_sparse_factors() {
    let n = 3000;
    let pencil = chain(n);
    let set = MultiIndexSet::total(2, 4).unwrap();
    for mode in [1_u32, 2, 7] {
        // Frequencies of the uniform chain.
        let angle = f64::from(mode) * std::f64::consts::PI / (n as f64 + 1.0);
        let w2 = 2.0 - 2.0 * angle.cos();
        let vector: Vec<c64> = (1..=n).map(|i| c64::from((angle * i as f64).sin())).collect();
        let start = StartingEigenpair { s: c64::new(0.0, w2.sqrt()), vector };
        let one = expand(&pencil, &start, &set, &ExpandOptions::default()).unwrap();
        let half = 0.5 * (1e-5 + 0.002 * w2);
        let exact = c64::new(-half, (w2 - half * half).sqrt());
        assert!((one.eigenvalue_coefficients()[0] - exact).norm() < 1e-10 * exact.norm());
        // A softer first spring and a heavier mass in the middle, against Newton's method there.
        let d = [-0.02, 0.5];
        let at = one.evaluate(&d, 4).unwrap();
        let start = StartingEigenpair { s: at.s, vector: at.vector.clone() };
        let moved = polish(&pencil.evaluate(&d).unwrap(), &start, &PolishOptions::default()).unwrap();
        assert!((at.s - moved.s).norm() < 1e-8 * exact.norm(), "{} {}", at.s, moved.s);
        assert!((at.s - exact).norm() > 1e-6 * exact.norm());
    }
}

/// Two oscillators of stiffness 4, joined by [x, y; z, -x] for the parameters (x, y, z).
fn doubled(coupling: f64) -> PencilSeries {
    let unit = |k: usize| (0..3).map(|j| u8::from(j == k)).collect::<Vec<u8>>();
    let zero = vec![0_u8; 3];
    let entry = |i: usize, j: usize| Dense::from_fn(3, 3, |a, b| f64::from(u8::from(a == i && b == j)));
    let centre = dense::from_rows(&[[4.0, coupling, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 25.0]]);
    let terms = QuadraticPencil {
        m: vec![(zero.clone(), dense::identity(3))],
        c: vec![(zero.clone(), Dense::zeros(3, 3))],
        k: vec![
            (zero, centre),
            (unit(0), dense::add(1.0, &entry(0, 0), -1.0, &entry(1, 1))),
            (unit(1), entry(0, 1)),
            (unit(2), entry(1, 0)),
        ],
        phi_q: crate::systems::free(3, 3),
    };
    crate::systems::polynomial(3, 1, &terms)
}

#[test]
fn repeated_and_defective_eigenvalues_have_a_series_together() {
    let set = MultiIndexSet::total(3, 10).unwrap();
    let two = c64::new(0.0, 2.0);
    for coupling in [0.0, 1.0] {
        let pencil = doubled(coupling);
        // None of its own ...
        let start = StartingEigenpair { s: two, vector: vec![c64::ONE, c64::ZERO, c64::ZERO] };
        assert!(expand(&pencil, &start, &set, &ExpandOptions::default()).is_err());
        // ... but together: w^2 = 4 +- sqrt(x^2 + (coupling + y) z).
        let group = expand_group(&pencil, &[two, two], &set).unwrap();
        for d in [[0.0, 0.0, 0.0], [0.1, 0.05, 0.02], [0.0, 0.1, -0.1], [0.05, 0.0, 0.0]] {
            let at = group.evaluate(&d, 10).unwrap();
            let root = c64::from(d[0] * d[0] + (coupling + d[1]) * d[2]).sqrt();
            let exact = [4.0 + root, 4.0 - root].map(|w2| (-w2).sqrt());
            for s in exact {
                let s = if s.im < 0.0 { -s } else { s };
                let off = at.values.iter().map(|v| (v - s).norm()).fold(f64::INFINITY, f64::min);
                let defective = coupling != 0.0 && root.norm() == 0.0;
                let tolerance = if defective { 1e-7 } else { 1e-9 };
                assert!(off < tolerance, "{coupling} {d:?}: {s} {:?}", at.values);
            }
            let matrices = pencil.evaluate(&d).unwrap();
            assert!(group.backward_error(&at, &matrices) < 1e-8, "{coupling} {d:?}");
            let mean: c64 = exact.iter().map(|s| if s.im < 0.0 { -*s } else { *s }).sum::<c64>() / 2.0;
            assert!((at.mean - mean).norm() < 1e-9, "{} {mean}", at.mean);
        }
        // Errors are reported: at low order they are of the size of the true ones or larger.
        let d = [0.3, 0.1, 0.4];
        let root = (d[0] * d[0] + (coupling + d[1]) * d[2]).sqrt();
        let at = group.evaluate(&d, 2).unwrap();
        for (value, error) in at.values.iter().zip(&at.errors) {
            let exact = [4.0 + root, 4.0 - root].map(|w2| c64::new(0.0, w2.sqrt()));
            let off = exact.iter().map(|s| (s - value).norm()).fold(f64::INFINITY, f64::min);
            assert!(*error > 0.3 * off && *error < 30.0 * off, "{error} {off}");
        }
        // Half of a double eigenvalue is no group.
        assert!(expand_group(&pencil, &[two], &set).is_err());
    }
}

#[test]
fn a_free_body_has_a_group_at_zero() {
    // One free mass next to one on a spring 9 + x that also pulls at the first by x.
    let terms = QuadraticPencil {
        m: vec![(vec![0], dense::identity(2))],
        c: vec![(vec![0], Dense::zeros(2, 2))],
        k: vec![
            (vec![0], dense::diagonal(&[0.0, 9.0])),
            (vec![1], dense::from_rows(&[[1.0, -1.0], [-1.0, 1.0]])),
        ],
        phi_q: crate::systems::free(2, 1),
    };
    let pencil = crate::systems::polynomial(1, 1, &terms);
    let set = MultiIndexSet::total(1, 8).unwrap();
    let group = expand_group(&pencil, &[c64::ZERO, c64::ZERO], &set).unwrap();
    for x in [0.0, 0.3, -0.2_f64] {
        // w^4 - (9 + 2 x) w^2 + 9 x = 0.
        let w2 = 0.5 * (9.0 + 2.0 * x - ((9.0 + 2.0 * x).powi(2) - 36.0 * x).sqrt());
        let exact = c64::from(-w2).sqrt();
        let at = group.evaluate(&[x], 8).unwrap();
        for s in [exact, -exact] {
            let off = at.values.iter().map(|v| (v - s).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-6, "{x}: {s} {:?}", at.values);
        }
    }
}
