//! H at one frequency.

use crate::support::Chain;
use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, c64, dense, sparse};
use mb_response::{Plant, Projection, Response, ResponseError};

#[test]
fn a_chain_has_the_response_of_its_continued_fraction() {
    let mut chain = Chain::bar(40);
    chain.dampers = (0..40).map(|i| 0.01 * f64::from(i % 3)).collect();
    for loss in [0.0, 0.04] {
        chain.loss = loss;
        let response = Response::new(chain.plant(39, 39)).unwrap();
        for k in 0..120 {
            let omega = 0.25 * f64::from(k);
            let found = response.direct(omega).unwrap();
            let exact = chain.driving_point(omega);
            let error = (found.value[(0, 0)] - exact).norm();
            // The closed form is rounded too.
            assert!(
                error <= found.bound[(0, 0)] + 1e-13 * exact.norm(),
                "{omega}: {error:e} {:e}",
                found.bound[(0, 0)]
            );
            assert!(
                found.bound[(0, 0)] <= 1e-9 * exact.norm().max(1e-3),
                "{omega}: {:e}",
                found.bound[(0, 0)]
            );
        }
    }
}

/// Two displacements of a shaft of mass m on springs k, seen from a frame that turns with w: circulating terms.
#[test]
fn unsymmetric_matrices_are_solved_as_they_are() {
    let (m, k, w, c) = (1.3, 50.0, 3.0, 0.7);
    let pencil = QuadraticPencil {
        m: sparse::diagonal(&[m, m]),
        c: mb_algebra::to_sparse(&dense::from_rows(&[&[c, -2.0 * m * w], &[2.0 * m * w, c]])),
        k: mb_algebra::to_sparse(&dense::from_rows(&[&[k - m * w * w, -c * w], &[c * w, k - m * w * w]])),
        phi_q: sparse::zeros(0, 2),
    };
    let unit = dense::identity(2);
    let response = Response::new(Plant::displacement(pencil, unit.clone(), unit)).unwrap();
    for omega in [0.0, 2.0, 5.0, 11.0] {
        // z = x + i y turns: m z'' + (c + 2 i m w) z' + (k - m w^2 + i c w) z = f.
        let transfer = |s: c64| {
            let i = c64::new(0.0, 1.0);
            (s * s * m + s * (c + 2.0 * m * w * i) + (k - m * w * w) + i * c * w).inv()
        };
        // H_xx = (Z(s) + conj Z(conj s)) / 2, H_yx = (Z(s) - conj Z(conj s)) / 2i.
        let s = c64::new(0.0, omega);
        let (a, b) = (transfer(s), transfer(s.conj()).conj());
        let found = response.direct(omega).unwrap();
        for (at, exact) in [
            ((0, 0), 0.5 * (a + b)),
            ((1, 0), (a - b) / c64::new(0.0, 2.0)),
            ((0, 1), (b - a) / c64::new(0.0, 2.0)),
        ] {
            let error = (found.value[at] - exact).norm();
            assert!(error <= found.bound[at] + 1e-15 && found.bound[at] < 1e-12, "{omega} {at:?} {error:e}");
        }
    }
}

/// Two masses tied to each other by x_0 = x_1, twice; the force in the tie.
#[test]
fn multipliers_are_those_of_minimum_norm() {
    let phi = mb_algebra::to_sparse(&dense::from_rows(&[&[1.0, -1.0], &[2.0, -2.0]]));
    let pencil = QuadraticPencil {
        m: sparse::diagonal(&[2.0, 3.0]),
        c: sparse::zeros(2, 2),
        k: sparse::diagonal(&[10.0, 0.0]),
        phi_q: phi,
    };
    let mut plant = Plant::displacement(pencil, dense::from_rows(&[&[1.0], &[0.0]]), Dense::zeros(3, 2));
    plant.by_lambda = dense::from_rows(&[&[1.0, 0.0], &[0.0, 1.0], &[0.0, 0.0]]);
    plant.by_a = dense::from_rows(&[&[0.0, 0.0], &[0.0, 0.0], &[0.0, 1.0]]);
    for loss in [0.0, 0.1] {
        plant.loss = loss;
        let response = Response::new(plant.clone()).unwrap();
        for omega in [0.5, 3.0] {
            let s = c64::new(0.0, omega);
            let x = (s * s * 5.0 + 10.0 * c64::new(1.0, loss)).inv();
            // The second mass is moved by -Phi_q^T l alone: its force is l_0 + 2 l_1, shared as 1 to 2.
            let tie = s * s * 3.0 * x / 5.0;
            let found = response.direct(omega).unwrap().value;
            for (o, exact) in [tie, 2.0 * tie, s * s * x].into_iter().enumerate() {
                assert!((found[(o, 0)] - exact).norm() < 1e-14, "{omega} {o}: {} {exact}", found[(o, 0)]);
            }
        }
    }
}

#[test]
fn a_pole_is_an_error_that_says_so() {
    let response = Response::new(Chain { springs: vec![4.0], ..Chain::bar(1) }.plant(0, 0)).unwrap();
    let found = response.direct(2.0);
    assert!(matches!(found, Err(ResponseError::Pole { omega }) if (omega - 2.0).abs() < 1e-15), "{found:?}");
    assert!(matches!(response.direct(f64::NAN), Err(ResponseError::BadFrequency { .. })));
    let mut wrong = Chain::bar(3).plant(0, 0);
    wrong.f = Dense::zeros(2, 1);
    assert!(matches!(Response::new(wrong), Err(ResponseError::Shape { matrix: "F", rows: 2, .. })));
}

/// Three oscillators in coordinates that are turned by an angle: a force on one of them moves another by rounding alone, however far from
/// all poles.
#[test]
fn what_vanishes_by_symmetry_is_zero_and_not_infinite() {
    let (cos, sin) = (0.3_f64.cos(), 0.3_f64.sin());
    let turn =
        dense::from_rows(&[&[cos, -sin, 0.0], &[sin * cos, cos * cos, -sin], &[sin * sin, sin * cos, cos]]);
    let turned = |d: [f64; 3]| {
        let scaled = Dense::from_fn(3, 3, |i, j| turn[(i, j)] * d[j]);
        mb_algebra::to_sparse(&dense::symmetric_part(&dense::mul(&scaled, &dense::transpose(&turn))))
    };
    let pencil = QuadraticPencil {
        m: turned([1.3; 3]),
        c: turned([0.1, 0.2, 0.3]),
        k: turned([50.0, 80.0, 110.0]),
        phi_q: sparse::zeros(0, 3),
    };
    let f = Dense::from_fn(3, 1, |i, _| turn[(i, 0)]);
    let y = Dense::from_fn(1, 3, |_, j| turn[(j, 2)]);
    let response = Response::new(Plant::displacement(pencil, f, y)).unwrap();
    for omega in [0.0, 1.0, 6.3, 20.0] {
        let found = response.direct(omega).unwrap();
        let (value, bound) = (found.value[(0, 0)].norm(), found.bound[(0, 0)]);
        assert!(value <= bound && bound < 1e-15, "{omega}: {value:e} {bound:e}");
    }
}

/// An unknown without mass and stiffness that follows the first mass by a constraint, as the mean of a face does, and an entry
/// of K that nothing faces: 1e-14 of nothing, which changes no digit.
#[test]
fn a_weak_entry_without_its_mirror_image_is_no_asymmetry() {
    let n = 6;
    let chain = Chain { dampers: vec![0.02; n], ..Chain::bar(n) };
    let plant = chain.plant(n - 1, n - 1);
    let wider = |a: &Sparse, more: &[(usize, usize, f64)]| {
        let mut out = Triplets::new(n + 1, n + 1);
        for (x, (i, j)) in a {
            out.add(i, j, *x);
        }
        for (i, j, x) in more {
            out.add(*i, *j, *x);
        }
        out.to_sparse()
    };
    let mut phi = Triplets::new(1, n + 1);
    phi.add(0, 0, 1.0);
    phi.add(0, n, -1.0);
    let p = &plant.pencil;
    let pencil = QuadraticPencil {
        m: wider(&p.m, &[]),
        c: wider(&p.c, &[]),
        k: wider(&p.k, &[(n, 1, 1e-14), (n, n, 1e-26)]),
        phi_q: phi.to_sparse(),
    };
    let unit = |i: usize, j: usize| f64::from(u8::from(i.max(j) == n - 1));
    let f = Dense::from_fn(n + 1, 1, unit);
    let response = Response::new(Plant::displacement(pencil, f, Dense::from_fn(1, n + 1, unit))).unwrap();
    let omegas: Vec<f64> = (1..40).map(|k| 0.1 * f64::from(k)).collect();
    let projection = Projection::new(&response, &omegas).unwrap();
    for omega in omegas {
        let exact = chain.driving_point(omega);
        for sample in [response.direct(omega).unwrap(), projection.bounded(omega).unwrap()] {
            let (error, bound) = ((sample.value[(0, 0)] - exact).norm(), sample.bound[(0, 0)]);
            assert!(
                error <= bound + 1e-13 * exact.norm() && bound < 1e-6 * exact.norm(),
                "{omega} {error:e} {bound:e}"
            );
        }
    }
}

/// Bending in finite differences: K = L^T L with second differences L, whose inverse is known in whole numbers. Condition n^4.
#[test]
fn a_stiff_system_is_refined_to_the_rounding_of_its_output() {
    let n = 1500;
    let mut l = Triplets::new(n, n);
    for i in 0..n {
        l.add(i, i, 1.0);
        if i > 0 {
            l.add(i, i - 1, -2.0);
        }
        if i > 1 {
            l.add(i, i - 2, 1.0);
        }
    }
    let l = l.to_sparse();
    let k = (&sparse::transpose(&l) * &l).to_csc();
    let phi_q = sparse::zeros(0, n);
    // Statics: a unit load at the tip deflects it by 1 + 4 + ... + n^2.
    let count = n as f64;
    let deflection = count * (count + 1.0) * (2.0 * count + 1.0) / 6.0;
    // At omega^2 = 1/64 the load that gives x_i = i (i + 1), by its products with M = 1 and K; both are exact.
    let omega = 0.125_f64;
    let shape: Vec<f64> = (0..n).map(|i| (i * (i + 1)) as f64).collect();
    let bent = sparse::matvec(&k, &shape);
    let load: Vec<f64> = bent.iter().zip(&shape).map(|(k, x)| k - omega * omega * x).collect();
    let lossy: Vec<f64> = bent.iter().map(|k| 0.25 * k).collect();
    let f = Dense::from_fn(n, 3, |i, j| [f64::from(u8::from(i == n - 1)), load[i], lossy[i]][j]);
    let y = Dense::from_fn(1, n, |_, j| f64::from(u8::from(j == n - 1)));
    let pencil =
        QuadraticPencil { m: sparse::diagonal(&vec![1.0; n]), c: sparse::zeros(n, n), k: k.clone(), phi_q };
    let close = |found: c64, exact: f64, bound: f64| {
        let error = (found - exact).norm();
        assert!(error <= bound && bound < 1e-13 * exact, "{found} {exact} {error:e} {bound:e}");
    };
    let still = Response::new(Plant::displacement(pencil.clone(), f.clone(), y.clone())).unwrap();
    let (rest, moving) = (still.direct(0.0).unwrap(), still.direct(omega).unwrap());
    close(rest.value[(0, 0)], deflection, rest.bound[(0, 0)]);
    close(moving.value[(0, 1)], shape[n - 1], moving.bound[(0, 1)]);
    // (K (1 + i / 4) - omega^2) x = load + i lossy.
    let plant = Plant { loss: 0.25, ..Plant::displacement(pencil.clone(), f.clone(), y.clone()) };
    let lossy = Response::new(plant).unwrap().direct(omega).unwrap();
    let sum = lossy.value[(0, 1)] + c64::new(0.0, 1.0) * lossy.value[(0, 2)];
    close(sum, shape[n - 1], lossy.bound[(0, 1)] + lossy.bound[(0, 2)]);
    // A skew C that does not act on x makes the matrices unsymmetric; two rows, one of them twice, hold what x does not move.
    let mut wider = Triplets::new(n + 3, n + 3);
    for (value, (i, j)) in &k {
        wider.add(i, j, *value);
    }
    let mut turning = Triplets::new(n + 3, n + 3);
    turning.add(n, n + 1, 3.0);
    turning.add(n + 1, n, -3.0);
    let mut rows = Triplets::new(3, n + 3);
    rows.add(0, n, 1.0);
    rows.add(1, n + 1, 1.0);
    rows.add(1, n + 2, -1.0);
    rows.add(2, n + 1, 2.0);
    rows.add(2, n + 2, -2.0);
    let pencil = QuadraticPencil {
        m: sparse::diagonal(&vec![1.0; n + 3]),
        c: turning.to_sparse(),
        k: wider.to_sparse(),
        phi_q: rows.to_sparse(),
    };
    let f = Dense::from_fn(n + 3, 1, |i, _| if i < n { load[i] } else { 0.0 });
    let y = Dense::from_fn(1, n + 3, |_, j| f64::from(u8::from(j == n - 1)));
    let found = Response::new(Plant::displacement(pencil, f, y)).unwrap().direct(omega).unwrap();
    close(found.value[(0, 0)], shape[n - 1], found.bound[(0, 0)]);
}

/// Rows that say the same thing in other units but for rounding, of a size between what a pivot notices and what it does not, are one, and what
/// reads their share of a reaction is named.
#[test]
fn rows_that_depend_on_each_other_but_for_rounding_are_one() {
    for off in (30..50).map(|k| 2.0_f64.powi(-k)) {
        for unit in [1e-3, 1.0, 3e3] {
            let phi = dense::from_rows(&[
                &[1.0, -1.0, 0.0],
                &[unit, -unit * (1.0 + off), 0.0],
                &[0.3 * off, 1.0, -1.0],
            ]);
            let pencil = QuadraticPencil {
                m: sparse::diagonal(&[2.0, 3.0, 1.0]),
                c: sparse::zeros(3, 3),
                k: sparse::diagonal(&[10.0, 0.0, 0.0]),
                phi_q: mb_algebra::to_sparse(&phi),
            };
            let f = dense::from_rows(&[&[1.0], &[0.0], &[0.0]]);
            let mut plant = Plant::displacement(pencil, f, Dense::zeros(3, 3));
            plant.by_lambda =
                dense::from_rows(&[&[1.0, unit, 0.0], &[unit, -1.0, 0.0], &[0.0, 0.0, 1.0]]);
            let response = Response::new(plant).unwrap();
            // Beyond the tolerance of the rank both hold, and nothing moves.
            if off * 0.5 > 1e-10 {
                assert!(response.undetermined_outputs().is_empty(), "{off:e} {unit}");
                continue;
            }
            assert_eq!(response.undetermined_outputs(), [1], "{off:e} {unit}");
            assert!(!response.constraint_findings().is_empty());
            let omega = 1.5;
            let x = (10.0_f64 - 6.0 * omega * omega).recip();
            // The second and third mass are moved by the tie, whose force is the whole of both rows; the third by the last row.
            let exact = [-4.0 * omega * omega * x, 0.0, -omega * omega * x];
            let found = response.direct(omega).unwrap();
            for (o, exact) in exact.into_iter().enumerate() {
                let error = (found.value[(o, 0)] - exact).norm();
                // The rows left out differ from the others by that much.
                assert!(
                    error < (1e-12 + 30.0 * off) * (1.0 + unit) * x.abs(),
                    "{off:e} {unit} {o}: {error:e}"
                );
            }
        }
    }
}
