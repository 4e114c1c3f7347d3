//! Projections against closed forms and direct solutions.

use crate::support::Chain;
use mb_algebra::{Dense, Scatter, Sparse, Triplets, c64, sparse};
use mb_response::{How, Method, Plant, Projection, Response, SweepOptions, Unproved, sweep};

/// A number between 0 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

/// A multiple of 2^-24 nearby: sums and products of such numbers are the entries of the matrices without an error, so that the
/// closed form is that of the matrices as given.
fn coarse(x: f64) -> f64 {
    (x * 2.0_f64.powi(24)).round() / 2.0_f64.powi(24)
}

/// The chain with every mass cut in two halves, held together by a row of any size, every third one twice.
fn halved(chain: &Chain, seed: &mut u64) -> Plant {
    let n = chain.masses.len();
    let whole = chain.plant(n - 1, n - 1);
    let share: Vec<f64> = (0..n).map(|_| coarse(random(seed))).collect();
    let place = |i: usize, k: usize| if k == 0 { i } else { n + i };
    let spread = |a: &Sparse| {
        let mut out = Triplets::new(2 * n, 2 * n);
        for (value, (i, j)) in a {
            // Which half a spring acts on does not matter.
            let (k, l) = ((i + j) % 2, (i + j) % 2);
            out.add(place(i, k), place(j, l), *value);
        }
        out.to_sparse()
    };
    let masses: Vec<f64> =
        (0..2 * n).map(|i| chain.masses[i % n] * if i < n { share[i] } else { 1.0 - share[i % n] }).collect();
    let rows = n + n.div_ceil(3);
    let mut phi = Triplets::new(rows, 2 * n);
    for (row, i) in (0..n).chain((0..n).step_by(3)).enumerate() {
        let size = 10_f64.powf(4.0 * random(seed) - 2.0);
        phi.add(row, i, size);
        phi.add(row, n + i, -size);
    }
    let mut pencil = whole.pencil.clone();
    pencil.m = sparse::diagonal(&masses);
    pencil.k = spread(&whole.pencil.k);
    pencil.c = spread(&whole.pencil.c);
    pencil.phi_q = phi.to_sparse();
    let f = Dense::from_fn(2 * n, 1, |i, _| f64::from(u8::from(i == n - 1)));
    let y = Dense::from_fn(1, 2 * n, |_, j| f64::from(u8::from(j == 2 * n - 1)));
    Plant { loss: chain.loss, ..Plant::displacement(pencil, f, y) }
}

fn chain(n: usize, seed: &mut u64) -> Chain {
    let mut chain = Chain::bar(n);
    chain.masses.iter_mut().for_each(|m| *m = coarse(*m * (0.5 + random(seed))));
    chain.springs.iter_mut().for_each(|k| *k = coarse(*k * (0.3 + 2.0 * random(seed))));
    chain
}

/// Holds the projection of a chain driven at its end against the closed form; frequencies at which its bound is a `small` share of that.
fn within(found: &Projection<'_>, chain: &Chain, omegas: &[f64], small: f64) -> usize {
    let is_small = |w: &&f64| {
        let sample = found.bounded(**w).unwrap();
        let exact = chain.driving_point(**w);
        let (error, bound) = ((sample.value[(0, 0)] - exact).norm(), sample.bound[(0, 0)]);
        assert!(error <= bound + 1e-13 * exact.norm(), "{w}: {error:e} {bound:e} of {:e}", exact.norm());
        bound <= small * exact.norm()
    };
    omegas.iter().filter(is_small).count()
}

#[test]
fn errors_stay_inside_of_bounds_that_are_small() {
    let mut seed = 7;
    for case in 0..12 {
        let n = 40 + 5 * case;
        let mut chain = chain(n, &mut seed);
        match case % 4 {
            1 => chain.dampers = chain.springs.iter().map(|k| coarse(1e-3 * k)).collect(),
            2 => chain.dampers = (0..n).map(|_| coarse(0.02 * random(&mut seed))).collect(),
            3 => chain.loss = 0.02,
            _ => {}
        }
        let plant = if case % 3 == 0 { chain.plant(n - 1, n - 1) } else { halved(&chain, &mut seed) };
        let response = Response::new(plant).unwrap();
        let omegas: Vec<f64> = (0..100).map(|k| 0.02 + 0.2 * f64::from(k)).collect();
        let found = Projection::new(&response, &omegas).unwrap();
        assert!(found.factorizations() <= 5 && found.met(), "{case}: {}", found.factorizations());
        let small = within(&found, &chain, &omegas, 1e-8);
        assert!(small > 90, "{case}: {small}");
    }
}

/// A skew part E of K at the limit of what counts as symmetric: the projection leaves it out of its matrices, its bound covers
/// what it changes, z^T E x to first order with the deflections x and z under the input and the output.
#[test]
fn bounds_cover_skew_parts_of_nearly_symmetric_matrices() {
    let (n, [i, j], skew) = (80, [10, 60], 2.0_f64.powi(-34));
    let chain = Chain { loss: 0.02, ..Chain::bar(n) };
    let plain = chain.plant(n - 1, 3);
    let mut given = plain.clone();
    let mut k = Triplets::new(n, n);
    for (value, (row, col)) in &plain.pencil.k {
        k.add(row, col, *value);
    }
    k.add(i, j, skew);
    k.add(j, i, -skew);
    given.pencil.k = k.to_sparse();
    let mut deflections = plain.clone();
    deflections.f = Dense::from_fn(n, 2, |row, col| f64::from(u8::from(row == [n - 1, 3][col])));
    deflections.by_q = Dense::from_fn(2, n, |row, col| f64::from(u8::from(col == [i, j][row])));
    (deflections.by_v, deflections.by_a) = (Dense::zeros(2, n), Dense::zeros(2, n));
    (deflections.by_lambda, deflections.feedthrough) = (Dense::zeros(2, 0), Dense::zeros(2, 2));
    let [plain, given, deflections] = [plain, given, deflections].map(|p| Response::new(p).unwrap());
    let omegas: Vec<f64> = (1..60).map(|k| 0.15 * f64::from(k)).collect();
    let [symmetric, found] = [&plain, &given].map(|r| Projection::new(r, &omegas).unwrap());
    let mut seen = 0;
    for w in &omegas {
        let d = deflections.direct(*w).unwrap().value;
        let eta = mb_algebra::c64::new(1.0, chain.loss);
        let change = (eta * skew * (d[(0, 1)] * d[(1, 0)] - d[(1, 1)] * d[(0, 0)])).norm();
        let [without, with] = [&symmetric, &found].map(|p| p.bounded(*w).unwrap().bound[(0, 0)]);
        assert!(
            with >= change && with <= 1.01 * without + 2.1 * change,
            "{w}: {with:e} {without:e} {change:e}"
        );
        seen += usize::from(change > 2.0 * without);
    }
    assert!(seen > 10, "{seen}");
}

/// Near a pole of an undamped chain, n masses 1/n on springs n: 2 n sin(pi (2 j - 1) / (4 n + 2)).
#[test]
fn bounds_hold_beside_undamped_poles_and_end_on_them() {
    let n = 80;
    let chain = Chain::bar(n);
    let response = Response::new(halved(&chain, &mut 3)).unwrap();
    let found = Projection::new(&response, &[0.0, 12.0]).unwrap();
    for j in 1..4 {
        let count = f64::from(u8::try_from(n).unwrap());
        let pole =
            2.0 * count * (std::f64::consts::PI * (2.0 * f64::from(j) - 1.0) / (4.0 * count + 2.0)).sin();
        for away in [1e-2, 1e-4, 1e-6, 1e-8] {
            for w in [pole * (1.0 + away), pole * (1.0 - away)] {
                let Some(sample) = found.bounded(w) else { continue };
                let exact = chain.driving_point(w);
                let error = (sample.value[(0, 0)] - exact).norm();
                // The frequency of the closed form is rounded: relative error 1e-15 / away.
                assert!(
                    error <= sample.bound[(0, 0)] + 2e-14 / away * exact.norm(),
                    "{w} {away:e}: {error:e}"
                );
                assert!(away < 1e-5 || sample.bound[(0, 0)] < 1e-5 * exact.norm(), "{w} {away:e}");
            }
        }
        if let Some(sample) = found.bounded(pole) {
            assert!(
                sample.bound[(0, 0)] > 1e-3 * sample.value[(0, 0)].norm()
                    || sample.value[(0, 0)].norm() > 1e9
            );
        }
    }
}

/// A heavy damper at one place, free ends, outputs of all kinds, several inputs and a moving base, against direct solutions.
#[test]
fn free_and_unevenly_damped_plants_agree_with_direct_solutions() {
    let mut seed = 11;
    for case in 0..8 {
        let n = 90;
        let mut chain = chain(n, &mut seed);
        chain.dampers[30 + case] = 10_f64.powi(i32::try_from(case).unwrap() - 4);
        if case % 2 == 0 {
            // Without a wall: a rigid mode.
            chain.springs[0] = 0.0;
        }
        let mut plant = halved(&chain, &mut seed);
        let (size, m) = (plant.n(), plant.m());
        let base: Vec<f64> = sparse::matvec(&plant.pencil.m, &vec![-1.0; size]);
        plant.f = Dense::from_fn(size, 2, |i, j| if j == 0 { base[i] } else { f64::from(u8::from(i == 40)) });
        plant.by_q = Dense::from_fn(3, size, |o, j| f64::from(u8::from(o == 0 && j == 20)));
        plant.by_v = Dense::from_fn(3, size, |o, j| f64::from(u8::from(o == 1 && j == 60)));
        plant.by_a = Dense::from_fn(3, size, |o, j| f64::from(u8::from(o == 1 && j == 5)));
        plant.by_lambda = Dense::from_fn(3, m, |o, j| f64::from(u8::from(o == 2 && j == 10)));
        plant.feedthrough = Dense::zeros(3, 2);
        plant.loss = if case == 5 { 0.03 } else { 0.0 };
        let response = Response::new(plant).unwrap();
        let omegas: Vec<f64> = (0..60).map(|k| 0.11 + 0.17 * f64::from(k)).collect();
        let found = Projection::new(&response, &omegas).unwrap();
        let mut bounded = 0;
        for w in &omegas {
            let direct = response.direct(*w).unwrap();
            let Some(sample) = found.bounded(*w) else { continue };
            bounded += 1;
            for at in (0..3).flat_map(|o| [(o, 0), (o, 1)]) {
                let error = (sample.value[at] - direct.value[at]).norm();
                assert!(
                    error <= sample.bound[at] + direct.bound[at],
                    "{case} {w} {at:?}: {error:e} of {:e}, bound {:e}",
                    direct.value[at].norm(),
                    sample.bound[at]
                );
            }
        }
        assert!(bounded >= 50, "{case}: {bounded}");
    }
}

/// Frames of n x n masses on springs to their neighbours have double modes, which no single start finds.
#[test]
fn double_modes_are_counted_and_found() {
    let n = 14;
    let at = |i: usize, j: usize| i * n + j;
    let mut k = Triplets::new(n * n, n * n);
    for i in 0..n {
        for j in 0..n {
            k.add(at(i, j), at(i, j), 4.0);
            for (a, b) in [(i + 1, j), (i, j + 1)] {
                if a < n && b < n {
                    k.add(at(i, j), at(a, b), -1.0);
                    k.add(at(a, b), at(i, j), -1.0);
                }
            }
        }
    }
    let mut plant = Chain::bar(n * n).plant(3, 40);
    plant.pencil.m = sparse::identity(n * n);
    plant.pencil.k = k.to_sparse();
    let response = Response::new(plant).unwrap();
    let omegas: Vec<f64> = (0..50).map(|k| 0.013 + 0.02 * f64::from(k)).collect();
    let found = Projection::new(&response, &omegas).unwrap();
    // omega^2 = 4 - 2 cos(pi a / (n + 1)) - 2 cos(pi b / (n + 1)).
    let step = std::f64::consts::PI / f64::from(u8::try_from(n + 1).unwrap());
    let cosine = |a: usize| 2.0 * (step * a as f64).cos();
    let all: Vec<f64> = (1..=n).flat_map(|a| (1..=n).map(move |b| 4.0 - cosine(a) - cosine(b))).collect();
    let below = |x: f64| all.iter().filter(|l| **l < x).count();
    let highest = 0.993_f64 * 0.993;
    assert!(
        found.modes() >= below(1.8 * highest) && found.modes() <= below(4.9 * highest),
        "{}",
        found.modes()
    );
    for w in &omegas {
        let direct = response.direct(*w).unwrap();
        let sample = found.bounded(*w).unwrap();
        let error = (sample.value[(0, 0)] - direct.value[(0, 0)]).norm();
        assert!(error <= sample.bound[(0, 0)] + direct.bound[(0, 0)], "{w}");
        assert!(sample.bound[(0, 0)] <= 1e-6 * direct.value[(0, 0)].norm().max(1e-3), "{w}");
    }
}

/// The chain twice, as the deflections x and y of a rotor: gyroscopic terms `turning` between them on each mass, and what the rate `spin`
/// of the rotor makes of its own dampers. H from a force on the last x to the last x and y.
///
/// ```text
/// M x'' + C x' + G y' + K x + spin C y = f,   M y'' + C y' - G x' + K y - spin C x = 0
/// z = x + i y, w = x - i y:  M z'' + (C - i G) z' + (K - i spin C) z = f, and the conjugate coefficients for w
/// ```
fn rotor(chain: &Chain, turning: &[f64], spin: f64) -> Plant {
    let n = chain.masses.len();
    let p = chain.pencil();
    let g = sparse::diagonal(turning);
    let both = |own: &Sparse, cross: &Sparse| {
        let less = sparse::scale(-1.0, cross);
        sparse::blocks(&[&[Some(own), Some(cross)], &[Some(&less), Some(own)]], &[n, n], &[n, n])
    };
    let none = sparse::zeros(n, n);
    let pencil = mb_algebra::QuadraticPencil {
        m: both(&p.m, &none),
        c: both(&p.c, &g),
        k: both(&p.k, &sparse::scale(spin, &p.c)),
        phi_q: sparse::zeros(0, 2 * n),
    };
    let f = Dense::from_fn(2 * n, 1, |i, _| f64::from(u8::from(i == n - 1)));
    let y = Dense::from_fn(2, 2 * n, |o, j| f64::from(u8::from(j == (o + 1) * n - 1)));
    Plant::displacement(pencil, f, y)
}

/// H of [`rotor`] by two continued fractions.
fn whirling(chain: &Chain, turning: &[f64], spin: f64, omega: f64) -> [c64; 2] {
    let s = c64::new(0.0, omega);
    let of = |sign: f64| {
        let mut stiffness: Option<c64> = None;
        for i in 0..chain.masses.len() {
            let g = chain.springs[i] + (s - c64::new(0.0, sign * spin)) * chain.dampers[i];
            let before = stiffness.map_or(g, |d| g * d / (g + d));
            stiffness = Some(s * s * chain.masses[i] - c64::new(0.0, sign) * s * turning[i] + before);
        }
        stiffness.unwrap().inv()
    };
    let [z, w] = [of(1.0), of(-1.0)];
    [0.5 * (z + w), (z - w) / c64::new(0.0, 2.0)]
}

/// Rotors with gyroscopic terms of a few masses or of all, slow and fast, and with the damping of the rotor itself, whose stiffness is
/// not symmetric, stable and not: bounds hold, are small, and few factorizations are made.
#[test]
fn bounds_of_gyroscopic_and_unsymmetric_systems_hold() {
    let mut seed = 5;
    for case in 0..12 {
        let n = 50 + 5 * case;
        let mut chain = chain(n, &mut seed);
        let rate = [0.5, 4.0, 15.0, 60.0][case % 4];
        let turning: Vec<f64> = (0..n)
            .map(|i| if case % 3 == 0 && i % 20 != 7 { 0.0 } else { coarse(rate * chain.masses[i]) })
            .collect();
        if case >= 4 {
            chain.dampers = chain.springs.iter().map(|k| coarse(2e-4 * k)).collect();
        }
        let spin = if case >= 8 { coarse(rate) } else { 0.0 };
        let response = Response::new(rotor(&chain, &turning, spin)).unwrap();
        let omegas: Vec<f64> = (0..50).map(|k| 0.02 + 0.4 * f64::from(k)).collect();
        let found = Projection::new(&response, &omegas).unwrap();
        let mut small = 0;
        for w in &omegas {
            let exact = whirling(&chain, &turning, spin, *w);
            let sample = found.bounded(*w);
            small += usize::from(found.at(*w).is_some());
            for (o, exact) in exact.iter().enumerate() {
                if let Some(sample) = &sample {
                    let (error, bound) = ((sample.value[(o, 0)] - exact).norm(), sample.bound[(o, 0)]);
                    let rounding = 1e-12 * exact.norm();
                    assert!(error <= bound + rounding, "{case} {w} {o}: {error:e} {bound:e} {exact}");
                }
            }
        }
        assert!(small > 45 && found.factorizations() <= 12, "{case}: {small} {}", found.factorizations());
    }
}

#[test]
fn without_a_proof_frequencies_are_solved_one_by_one() {
    let mut plant = Chain::bar(30).plant(29, 29);
    let mut uneven = Triplets::new(30, 30);
    for (value, (i, j)) in &plant.pencil.m {
        uneven.add(i, j, *value);
    }
    uneven.add(3, 4, 1e-3);
    plant.pencil.m = uneven.to_sparse();
    let response = Response::new(plant).unwrap();
    assert!(matches!(Projection::new(&response, &[1.0]), Err(Unproved::Unsymmetric { .. })));
    let options = SweepOptions { points: 30, method: Method::Projection, ..SweepOptions::default() };
    let found = sweep(&response, [0.1, 3.0], &[], &options).unwrap();
    assert!(matches!(&found.how, How::Unproved { why } if why.contains("symmetric")), "{:?}", found.how);
    assert_eq!(found.factorizations, found.points.len());

    // A spring that pushes: the motion grows.
    let mut chain = Chain::bar(30);
    chain.springs[29] = -60.0;
    let response = Response::new(chain.plant(29, 29)).unwrap();
    assert!(matches!(Projection::new(&response, &[1.0]), Err(Unproved::Stiffness)));
}

#[test]
fn two_thousand_frequencies_take_at_most_ten_factorizations() {
    let n = 200;
    let chain = Chain { dampers: vec![0.5 / n as f64; n], ..Chain::bar(n) };
    let response = Response::new(chain.plant(n - 1, n - 1)).unwrap();
    let only: Vec<f64> = (0..2000).map(|k| 0.01 * f64::from(k)).collect();
    let options = SweepOptions { only: Some(only), method: Method::Projection, ..SweepOptions::default() };
    let found = sweep(&response, [0.0, 20.0], &[], &options).unwrap();
    assert!(found.factorizations <= 10, "{} {:?}", found.factorizations, found.how);
    for point in &found.points {
        let (sample, exact) = (point.sample.as_ref().unwrap(), chain.driving_point(point.omega));
        let error = (sample.value[(0, 0)] - exact).norm();
        assert!(error <= sample.bound[(0, 0)] + 1e-12 * exact.norm(), "{} {error:e}", point.omega);
        assert!(
            sample.bound[(0, 0)] <= 3e-8 * exact.norm(),
            "{}: {:e}",
            point.omega,
            sample.bound[(0, 0)] / exact.norm()
        );
    }
}

/// Stiffness-proportional damping, uniform or of two sizes, with ratios above one in the band, or structural damping: no mode is sought,
/// a few solutions span the space, and bounds hold against the continued fraction.
#[test]
fn heavily_damped_bands_take_few_factorizations_and_bounds_hold() {
    let n = 300;
    for case in 0..3 {
        let mut chain = Chain::bar(n);
        match case {
            0 => chain.dampers = chain.springs.iter().map(|k| coarse(0.01 * k)).collect(),
            1 => chain.dampers = (0..n).map(|i| if i < 100 { 6.0 } else { 1.5 }).collect(),
            _ => chain.loss = 0.3,
        }
        let response = Response::new(chain.plant(n - 1, n - 1)).unwrap();
        // Some sixty modes lie below.
        let omegas: Vec<f64> = (0..400).map(|k| 0.05 + 0.5 * f64::from(k)).collect();
        let found = Projection::new(&response, &omegas).unwrap();
        assert!(found.factorizations() <= 40 && found.modes() == 0, "{case}: {}", found.factorizations());
        let small = within(&found, &chain, &omegas, 2e-8);
        assert!(small > 350, "{case}: {small} with {} vectors", found.vectors());
    }
}
