//! Peaks against closed forms.

use crate::support::Chain;
use mb_algebra::{Dense, c64};
use mb_response::{Evaluator, Peak, Plant, Response, SweepOptions, SweptPoint, grid, peaks};

/// Peaks of a chain from `from` to `to`, with |H| times omega^power.
fn found(chain: &Chain, at: usize, band: [f64; 2], poles: &[c64], power: i32) -> (Vec<Peak>, Vec<f64>) {
    sampled(chain, at, band, poles, power, 60)
}

/// The same from so many evenly spaced frequencies.
fn sampled(
    chain: &Chain,
    at: usize,
    band: [f64; 2],
    poles: &[c64],
    power: i32,
    points: usize,
) -> (Vec<Peak>, Vec<f64>) {
    let response = Response::new(chain.plant(at, at)).unwrap();
    let options = SweepOptions { points, ..SweepOptions::default() };
    let mut evaluator = Evaluator::new(&response, &options, poles);
    let shape = |mut point: SweptPoint| {
        if let Some(sample) = &mut point.sample {
            let factor = point.omega.powi(power);
            let change = if power > 0 { f64::from(power) * point.omega.powi(power - 1) } else { 0.0 };
            sample.slope[(0, 0)] = factor * sample.slope[(0, 0)] + change * sample.value[(0, 0)];
            sample.value[(0, 0)] *= factor;
            sample.bound[(0, 0)] *= factor;
        }
        point
    };
    let swept = evaluator.sweep(&grid(band, poles, &options)).unwrap();
    let points: Vec<SweptPoint> = swept.points.into_iter().map(shape).collect();
    let undamped: Vec<f64> = poles.iter().filter(|p| p.re == 0.0).map(|p| p.im).collect();
    let list = peaks(&points, &undamped, &mut |w| evaluator.at(w).map(shape)).unwrap();
    (list, points.iter().map(|p| p.omega).collect())
}

/// Of m x'' + c x' + k x = f: displacement is largest at w0 (1 - 2 zeta^2)^1/2 with 1 / (2 zeta k (1 - zeta^2)^1/2), velocity
/// at w0 with 1 / c, acceleration at w0 / (1 - 2 zeta^2)^1/2.
#[test]
fn the_peaks_of_an_oscillator_are_those_of_its_formulas() {
    for zeta in [1e-4, 0.02, 0.3, 0.6] {
        let (k, own) = (4.0_f64, 2.0);
        let c = 2.0 * zeta * k / own;
        let chain = Chain { masses: vec![1.0], springs: vec![k], dampers: vec![c], loss: 0.0 };
        let pole = c64::new(-zeta * own, own * (1.0_f64 - zeta * zeta).sqrt());
        let shift = (1.0_f64 - 2.0 * zeta * zeta).sqrt();
        let static_ratio = 1.0 / (2.0 * zeta * (1.0_f64 - zeta * zeta).sqrt());
        let cases = [(0, own * shift, static_ratio / k), (1, own, 1.0 / c), (2, own / shift, static_ratio)];
        for (power, omega, height) in cases {
            let (list, samples) = found(&chain, 0, [0.0, 6.0], &[pole], power);
            let [peak] = list[..] else { panic!("{zeta} {power}: {list:?}") };
            let (h, bound) = peak.value.unwrap();
            let half = 0.5 * (peak.within[1] - peak.within[0]);
            assert!(peak.within[0] < omega && omega < peak.within[1], "{zeta} {power}: {peak:?} {omega}");
            // |H| falls about as 1 - (d / width)^2 / 2, to be distinguished from its bound.
            let width = zeta * own * (own / omega).max((omega / own).powi(3));
            assert!(
                half <= 1.01e-7 * omega + 5.0 * width * (bound / height).sqrt(),
                "{zeta} {power}: {peak:?}"
            );
            assert!((peak.omega - omega).abs() <= half, "{zeta} {power}: {peak:?} {omega}");
            assert!((h.norm() - height).abs() <= 2.0 * bound + 1e-14 * height, "{zeta} {power}: {peak:?}");
            let nearest = samples.iter().map(|w| (w - omega).abs()).fold(f64::INFINITY, f64::min);
            assert!(nearest > half || power < 2 || zeta < 0.02, "{zeta} {power}: a sample is at the peak");
        }
    }
}

/// The continued fraction of the chain has as many local maxima on a fine grid, each in its interval.
#[test]
fn every_peak_of_a_chain_is_listed_once() {
    let n = 8;
    let chain = Chain { dampers: vec![0.03; n], ..Chain::bar(n) };
    let (list, _) = found(&chain, n - 1, [0.0, 20.0], &[], 0);
    let size = |w: f64| chain.driving_point(w).norm();
    let step = 20.0 / 2e5;
    let exact: Vec<f64> = (1..200_000)
        .map(|k| f64::from(k) * step)
        .filter(|w| size(*w) > size(w - step) && size(*w) >= size(w + step))
        .collect();
    assert!(exact.len() >= 5 && list.len() == exact.len(), "{exact:?} {list:?}");
    for (peak, w) in list.iter().zip(exact) {
        let [low, high] = peak.within;
        assert!((peak.omega - w).abs() <= step && high - low < 1e-4 * w, "{peak:?} {w}");
        assert!(size(peak.omega) > size(low) && size(peak.omega) > size(high), "{peak:?}");
    }
}

#[test]
fn at_undamped_poles_a_peak_is_infinite_and_unseen_ones_are_none() {
    let chain = Chain::bar(2);
    // w^2 = 4 (3 -+ 5^1/2) / 2.
    let own = [-1.0, 1.0].map(|sign| 2.0 * (0.5 * (3.0 + sign * 5.0_f64.sqrt())).sqrt());
    let poles = own.map(|w| c64::new(0.0, w));
    let (list, _) = found(&chain, 1, [0.1, 5.0], &poles, 0);
    assert_eq!(list.len(), 2, "{list:?}");
    for (peak, w) in list.iter().zip(own) {
        assert!(peak.value.is_none() && (peak.omega - w).abs() < 1e-12, "{peak:?}");
    }
    // A pole of a motion that no input reaches, next to the peak of a damped oscillator.
    let damped = Chain { masses: vec![1.0], springs: vec![4.0], dampers: vec![0.04], loss: 0.0 };
    let (list, _) = found(&damped, 0, [0.1, 5.0], &[c64::new(-0.02, 2.0), c64::new(0.0, 2.001)], 0);
    let omega = (4.0_f64 - 2.0 * 0.02 * 0.02).sqrt();
    assert!(
        matches!(list[..], [Peak { value: Some(_), within: [a, b], .. }] if a < omega && omega < b),
        "{list:?}"
    );
}

/// Within less than the spacing of the samples of an end of the band no sample stands out, and there is a maximum all the same.
#[test]
fn a_maximum_next_to_an_end_of_the_band_is_a_peak() {
    let (zeta, own) = (0.3, 2.0);
    let chain = Chain { masses: vec![1.0], springs: vec![4.0], dampers: vec![2.0 * zeta * own], loss: 0.0 };
    let omega = own * (1.0_f64 - 2.0 * zeta * zeta).sqrt();
    for band in [[omega - 0.01, 6.0], [0.1, omega + 0.01]] {
        let (list, samples) = found(&chain, 0, band, &[], 0);
        assert!(samples[1] > omega || samples[samples.len() - 2] < omega);
        let [Peak { within: [low, high], .. }] = list[..] else { panic!("{band:?}: {list:?}") };
        assert!(low < omega && omega < high && high - low < 1e-5, "{band:?}: {list:?}");
    }
}

/// More peaks than anybody reads are all listed.
#[test]
fn no_peak_is_left_out() {
    let n = 30;
    let chain = Chain { dampers: vec![0.003; n], ..Chain::bar(n) };
    let poles: Vec<c64> = (1..=n)
        .map(|j| 2.0 * n as f64 * ((2 * j - 1) as f64 * std::f64::consts::PI / (4 * n + 2) as f64).sin())
        .map(|w| c64::new(-0.5 * 0.003 * w * w / n as f64, w))
        .collect();
    let (list, _) = found(&chain, n - 1, [0.1, 70.0], &poles, 0);
    assert!(list.len() > 20, "{}", list.len());
}

/// Maxima that hardly stand out are the same ones, however few samples there are: those of the continued fraction on a fine grid.
#[test]
fn flat_maxima_do_not_depend_on_the_samples() {
    let n = 10;
    let mut flat = 0;
    for case in 0..24 {
        let vary = |i: usize, by: usize| 0.4 + 0.2 * ((i * by + case) % 7) as f64;
        let chain = Chain {
            masses: (0..n).map(|i| vary(i, 3)).collect(),
            springs: (0..n).map(|i| 9.0 * vary(i, 5)).collect(),
            dampers: (0..n).map(|i| (0.1 + 0.03 * case as f64) * vary(i, 2)).collect(),
            loss: 0.0,
        };
        let size = |w: f64| chain.driving_point(w).norm();
        let (top, count) = (8.0, 40_000);
        let place = |k: usize| top * k as f64 / count as f64;
        let exact: Vec<f64> = (1..count)
            .map(place)
            .filter(|w| size(*w) > size(w - place(1)) && size(*w) >= size(w + place(1)))
            .collect();
        // How far the maximum stands above what lies between it and the next.
        flat += exact
            .windows(2)
            .filter(|w| {
                size(w[1])
                    < 1.02
                        * (0..50)
                            .map(|k| size(w[0] + (w[1] - w[0]) * f64::from(k) / 50.0))
                            .fold(f64::INFINITY, f64::min)
            })
            .count();
        for points in [12, 25, 50, 400] {
            let (list, _) = sampled(&chain, n - 1, [0.0, top], &[], 0, points);
            let found: Vec<f64> = list.iter().map(|p| p.omega).collect();
            let same = found.len() == exact.len()
                && found.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 2.0 * place(1));
            assert!(same, "{case} {points}: {found:?} {exact:?}");
        }
    }
    assert!(flat > 1, "{flat}");
}

/// However many entries share the values that a search may take, every peak is known to the same width: as many as can be told apart.
#[test]
fn peaks_of_many_entries_are_as_narrow_as_those_of_one() {
    let n = 6;
    let chain = Chain { dampers: vec![0.02; n], ..Chain::bar(n) };
    let mut plant = chain.plant(0, 0);
    plant = Plant::displacement(
        plant.pencil,
        Dense::from_fn(n, n, |i, j| f64::from(u8::from(i == j))),
        Dense::from_fn(n, n, |i, j| f64::from(u8::from(i == j))),
    );
    let response = Response::new(plant).unwrap();
    let options = SweepOptions { points: 40, ..SweepOptions::default() };
    let mut evaluator = Evaluator::new(&response, &options, &[]);
    let swept = evaluator.sweep(&grid([0.1, 14.0], &[], &options)).unwrap();
    let list = peaks(&swept.points, &[], &mut |w| evaluator.at(w)).unwrap();
    assert!(list.len() > 2 * n * n, "{}", list.len());
    for peak in &list {
        let [low, high] = peak.within;
        assert!(low < peak.omega && peak.omega < high && high - low < 1e-2 * peak.omega, "{peak:?}");
        let size = |w: f64| response.direct(w).unwrap().value[peak.entry].norm();
        assert!(size(peak.omega) > size(low) && size(peak.omega) > size(high), "{peak:?}");
    }
}
