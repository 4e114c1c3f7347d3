//! Bands of frequencies.

use crate::support::Chain;
use mb_algebra::{QuadraticPencil, Scatter, Triplets, Watch, c64, dense, sparse, to_sparse};
use mb_response::{Evaluator, How, Plant, Response, SweepOptions, sweep};
use std::f64::consts::PI;

/// Frequencies of the chain of n masses 1/n on springs n, the last end free: 2 n sin((2 j - 1) pi / (4 n + 2)).
fn frequencies(n: usize) -> Vec<f64> {
    let count = n as f64;
    (1..=n).map(|j| 2.0 * count * ((2.0 * j as f64 - 1.0) * PI / (4.0 * count + 2.0)).sin()).collect()
}

#[test]
fn no_resonance_is_stepped_over_however_narrow() {
    let n = 20;
    let eta = 1e-6;
    let chain = Chain { loss: eta, ..Chain::bar(n) };
    let response = Response::new(chain.plant(n - 1, n - 1)).unwrap();
    let own = frequencies(n);
    let poles: Vec<c64> = own.iter().map(|w| c64::new(-0.5 * eta * w, *w)).collect();
    let options = SweepOptions { points: 50, ..SweepOptions::default() };
    let found = sweep(&response, [0.0, 20.0], &poles, &options).unwrap();
    for w in own.iter().filter(|w| **w < 19.9) {
        let near = found.points.iter().filter(|p| (p.omega - w).abs() < 1e-3 * w);
        let peak = near.map(|p| p.sample.as_ref().unwrap().value[(0, 0)].norm()).fold(0.0, f64::max);
        let exact = chain.driving_point(*w).norm();
        assert!(peak > 0.99 * exact, "{w}: {peak:e} of {exact:e}");
    }
    assert!(!found.ran_out && found.points.windows(2).all(|p| p[0].omega < p[1].omega));
}

#[test]
fn between_samples_the_response_is_nearly_straight() {
    let n = 12;
    let chain = Chain { dampers: vec![0.05; n], ..Chain::bar(n) };
    let response = Response::new(chain.plant(n - 1, n - 1)).unwrap();
    let found =
        sweep(&response, [0.0, 12.0], &[], &SweepOptions { points: 40, ..SweepOptions::default() }).unwrap();
    for pair in found.points.windows(2) {
        let middle = chain.driving_point(0.5 * (pair[0].omega + pair[1].omega));
        let [a, b] = [0, 1].map(|k| pair[k].sample.as_ref().unwrap().value[(0, 0)]);
        assert!((0.5 * (a + b) - middle).norm() < 0.1 * middle.norm(), "{}", pair[0].omega);
    }
}

/// In the complex plane H is as far from the chord between two samples as nobody sees: a thousandth of the largest |H|, the loops of
/// resonances being arcs of seven degrees.
#[test]
fn loops_of_resonances_are_round() {
    let n = 3;
    let chain = Chain { dampers: vec![0.1; n], ..Chain::bar(n) };
    let response = Response::new(chain.plant(n - 1, n - 1)).unwrap();
    let found = sweep(&response, [0.0, 8.0], &[], &SweepOptions::default()).unwrap();
    let value = |k: usize| found.points[k].sample.as_ref().unwrap().value[(0, 0)];
    let largest = (0..found.points.len()).map(|k| value(k).norm()).fold(0.0, f64::max);
    for k in 1..found.points.len() {
        let middle = chain.driving_point(0.5 * (found.points[k - 1].omega + found.points[k].omega));
        let (a, along) = (value(k - 1), value(k) - value(k - 1));
        let across = ((middle - a) * along.conj()).im.abs() / along.norm();
        assert!(across < 1.5e-3 * largest, "{}: {across:e} of {largest:e}", found.points[k].omega);
    }
    assert!(found.points.len() < 700, "{}", found.points.len());
}

#[test]
fn an_undamped_pole_on_a_sample_has_no_value() {
    let response = Response::new(Chain { springs: vec![4.0], ..Chain::bar(1) }.plant(0, 0)).unwrap();
    let only = Some(vec![1.0, 2.0, 3.0]);
    let found = sweep(&response, [0.0, 4.0], &[], &SweepOptions { only, ..SweepOptions::default() }).unwrap();
    let values: Vec<bool> = found.points.iter().map(|p| p.sample.is_some()).collect();
    assert_eq!(values, [true, false, true]);
}

/// A bead in a turning slot, m r'' + k r - g v = 0, I v' + g r' = u with v = x': at rest the equations in r and x have the solution r = 0,
/// but r = g u / (s I (m s^2 + k) + s g^2) grows without bound towards it.
#[test]
fn a_pole_at_zero_that_the_equations_at_rest_do_not_show_is_one() {
    let (m, k, g, inertia) = (1.0, 4.0, 3.0, 2.0);
    let pencil = QuadraticPencil {
        m: sparse::diagonal(&[m, inertia]),
        c: to_sparse(&dense::from_rows(&[&[0.0, -g], &[g, 0.0]])),
        k: sparse::diagonal(&[k, 0.0]),
        phi_q: sparse::zeros(0, 2),
    };
    let plant =
        Plant::displacement(pencil, dense::from_rows(&[&[0.0], &[1.0]]), dense::from_rows(&[&[1.0, 0.0]]));
    let response = Response::new(plant).unwrap();
    let options = SweepOptions::default();
    let own = (k / m + g * g / (m * inertia)).sqrt();
    let poles = [c64::new(0.0, 0.0), c64::new(0.0, own)];
    let mut evaluator = Evaluator::new(&response, &options, &poles);
    assert!(evaluator.at(0.0).unwrap().sample.is_none());
    let w = 1e-3;
    let found = evaluator.at(w).unwrap().sample.unwrap().value[(0, 0)];
    let s = c64::new(0.0, w);
    let exact = g / (s * (inertia * (m * s * s + k) + g * g));
    assert!((found - exact).norm() < 1e-12 * exact.norm(), "{found} {exact}");
}

/// A free mass beside a mass on a spring, and a force along the row that holds it: the response is zero, what is solved for is rounding,
/// and no sample is lost to a pole that is elsewhere or none of it.
#[test]
fn where_no_pole_lies_a_response_that_vanishes_has_a_value() {
    let angle = 0.3_f64;
    let (sine, cosine) = angle.sin_cos();
    let mut row = Triplets::new(1, 3);
    row.add(0, 0, cosine);
    row.add(0, 1, sine);
    let pencil = QuadraticPencil {
        m: sparse::diagonal(&[1.0, 1.7, 2.0]),
        c: sparse::diagonal(&[0.0; 3]),
        k: sparse::diagonal(&[0.0, 0.0, 50.0]),
        phi_q: row.to_sparse(),
    };
    let f = dense::from_rows(&[&[cosine], &[sine], &[0.0]]);
    let plant = Plant::displacement(pencil, f, dense::from_rows(&[&[1.0, 0.7, 0.0], &[0.0, 0.0, 1.0]]));
    let response = Response::new(plant).unwrap();
    let (options, poles) = (SweepOptions::default(), [c64::new(0.0, 0.0), c64::new(0.0, 5.0)]);
    let found = sweep(&response, [0.1, 20.0], &poles, &options).unwrap();
    assert!(found.points.iter().any(|p| response.direct(p.omega).is_err()));
    for point in &found.points {
        let sample = point.sample.as_ref().unwrap_or_else(|| panic!("no value at {}", point.omega));
        assert!((0..2).all(|o| sample.value[(o, 0)].norm() <= sample.bound[(o, 0)]), "{sample:?}");
    }
}

/// A handful of factorizations for any size at which a space of vectors is smaller than the system, with uniform dampers and with one alone.
#[test]
fn few_factorizations_are_made_at_every_size() {
    for n in [100, 300, 1000] {
        for uniform in [true, false] {
            let mut chain =
                Chain { dampers: vec![if uniform { 0.3 / n as f64 } else { 0.0 }; n], ..Chain::bar(n) };
            // Where no mode of the band has its largest displacement, so that it damps all of them.
            chain.dampers[28 * n / 100] = 2.0;
            let response = Response::new(chain.plant(n - 1, n - 1)).unwrap();
            let poles: Vec<c64> =
                frequencies(n).into_iter().take(4).map(|w| c64::new(-0.01 * w, w)).collect();
            let found = sweep(&response, [0.0, 12.0], &poles, &SweepOptions::default()).unwrap();
            assert!(
                matches!(found.how, How::Projection { .. }) && found.factorizations <= 10,
                "{n}: {:?}",
                found.how
            );
            assert!(found.points.len() > 400 && !found.ran_out, "{n}: {}", found.points.len());
            for sample in found.points.iter().filter_map(|p| p.sample.as_ref()) {
                let exact = chain.driving_point(sample.omega);
                let error = (sample.value[(0, 0)] - exact).norm();
                assert!(
                    error <= sample.bound[(0, 0)] + 1e-12 * exact.norm(),
                    "{n} {}: {error:e}",
                    sample.omega
                );
            }
        }
    }
    let small = Response::new(Chain { dampers: vec![0.02; 20], ..Chain::bar(20) }.plant(19, 19)).unwrap();
    assert_eq!(sweep(&small, [0.0, 12.0], &[], &SweepOptions::default()).unwrap().how, How::Direct);
}

#[test]
fn frequencies_that_run_out_are_said() {
    let chain = Chain { dampers: vec![0.02; 12], ..Chain::bar(12) };
    let response = Response::new(chain.plant(11, 11)).unwrap();
    let swept = |most: usize| {
        let options = SweepOptions { points: 30, most: Some(most), ..SweepOptions::default() };
        sweep(&response, [0.0, 20.0], &[], &options).unwrap()
    };
    let [few, enough] = [40, 4000].map(swept);
    assert!(few.ran_out && few.points.len() == 40, "{}", few.points.len());
    assert!(!enough.ran_out && enough.points.len() < 4000, "{}", enough.points.len());
    let most = [10, 400, 900, 70_000].map(|points| SweepOptions::most_for(points, 0, 1));
    assert_eq!(most, [4_000, 4_000, 9_000, 100_000]);
    // Within memory, whatever the entries.
    assert_eq!(SweepOptions::most_for(400, 60, 200), 20_000);
}

/// Undamped resonances and antiresonances of every entry are drawn to the end.
#[test]
fn frequencies_of_an_undamped_chain_with_many_entries_suffice() {
    let n = 60;
    let chain = Chain::bar(n);
    let mut plant = chain.plant(n - 1, n - 1);
    let one = |k: usize, list: &[usize], j: usize| f64::from(u8::from(list[k] == j));
    plant.f = mb_algebra::Dense::from_fn(n, 2, |j, k| one(k, &[n - 1, 20], j));
    plant.by_q = mb_algebra::Dense::from_fn(4, n, |o, j| one(o, &[59, 40, 20, 5], j));
    (plant.by_v, plant.by_a) = (dense::scale(0.0, &plant.by_q), dense::scale(0.0, &plant.by_q));
    (plant.by_lambda, plant.feedthrough) = (mb_algebra::Dense::zeros(4, 0), mb_algebra::Dense::zeros(4, 2));
    let response = Response::new(plant).unwrap();
    let poles: Vec<c64> = frequencies(n).into_iter().map(|w| c64::new(0.0, w)).collect();
    let found = sweep(&response, [0.0, 2.1 * n as f64], &poles, &SweepOptions::default()).unwrap();
    assert!(!found.ran_out, "{}", found.points.len());
}

/// Work that is ended keeps the frequencies it has reached, the same as those of the whole.
#[test]
fn an_ended_sweep_keeps_what_it_has() {
    let chain = Chain::bar(6);
    let response = Response::new(chain.plant(5, 5)).unwrap();
    let omegas: Vec<f64> = (1..60).map(|k| 0.05 * f64::from(k)).collect();
    let options = SweepOptions { only: Some(omegas), ..SweepOptions::default() };
    let swept = || sweep(&response, [0.0, 3.0], &[], &options).unwrap();
    let whole = swept();
    for steps in [60, 150, 300] {
        let part = Watch::after(steps).scope(swept).unwrap();
        let reached = part.points.len();
        assert!(part.stopped.is_some() && reached > 1 && reached < whole.points.len(), "{steps}: {reached}");
        assert_eq!(part.points, whole.points[..reached]);
    }
}
