//! Projections: the bound holds at every one of many frequencies, and few factorizations are needed.

use crate::support::Chain;
use mb_algebra::sparse;
use mb_response::{Interpolant, InterpolantOptions, Plant, Response, Space, Unproved};

/// Frequencies from 0 to `top`, without those on poles.
fn frequencies(count: u32, top: f64) -> Vec<f64> {
    (0..count).map(|k| top * (f64::from(k) + 0.37) / f64::from(count)).collect()
}

/// Holds a projection against direct solutions; the largest bound and the largest error, relative to |H|.
fn judged(plant: Plant, top: f64, options: &InterpolantOptions) -> (f64, f64, usize) {
    let response = Response::new(plant).unwrap();
    let omegas = frequencies(2000, top);
    let found = Interpolant::new(&response, &omegas, options).unwrap().unwrap();
    assert!(found.factorizations() <= 10, "{}", found.factorizations());
    let (mut widest, mut worst) = (0.0_f64, 0.0_f64);
    for omega in omegas {
        let (a, b) = (found.at(omega).unwrap(), response.direct(omega).unwrap());
        for o in 0..a.value.nrows() {
            for i in 0..a.value.ncols() {
                let error = (a.value[(o, i)] - b.value[(o, i)]).norm();
                let allowed = a.bound[(o, i)] + b.bound[(o, i)];
                assert!(
                    error <= allowed,
                    "{omega} {o}: error {error:e}, bound {allowed:e}, {} {}",
                    a.value[(o, i)],
                    b.value[(o, i)]
                );
                widest = widest.max(a.bound[(o, i)] / b.value[(o, i)].norm());
                worst = worst.max(error / b.value[(o, i)].norm());
            }
        }
    }
    (widest, worst, found.vectors())
}

#[test]
fn the_bound_holds_at_two_thousand_frequencies_whatever_the_damping() {
    let n = 60;
    let damped = |law: &dyn Fn(usize) -> f64| Chain { dampers: (0..n).map(law).collect(), ..Chain::bar(n) };
    let top = 16.0;
    for (name, chain) in [
        ("undamped", Chain::bar(n)),
        ("proportional", damped(&|_| 0.1)),
        ("one damper in the middle", damped(&|i| if i == n / 2 { 0.5 } else { 0.0 })),
        ("a strong damper at the wall", damped(&|i| if i == 0 { 60.0 } else { 0.0 })),
        ("structural", Chain { loss: 0.05, ..Chain::bar(n) }),
    ] {
        let (widest, worst, vectors) = judged(chain.plant(n - 1, n / 3), top, &InterpolantOptions::default());
        // At zeros of H the bound is relative to the largest |H|.
        assert!(
            widest < 1e-5 && worst <= widest,
            "{name}: bound {widest:e}, error {worst:e}, {vectors} vectors"
        );
        assert!(vectors < 50, "{name}: {vectors}");
    }
}

#[test]
fn rigid_motions_and_outputs_of_every_kind() {
    let n = 50;
    let mut chain = Chain::bar(n);
    chain.springs[0] = 0.0;
    chain.dampers[20] = 0.3;
    let mut plant = chain.plant(10, 30);
    let row = |k: usize| mb_algebra::Dense::from_fn(3, n, move |o, j| f64::from(u8::from(o == k && j == 35)));
    (plant.by_q, plant.by_v, plant.by_a) = (row(0), row(1), row(2));
    plant.by_lambda = mb_algebra::Dense::zeros(3, 0);
    plant.feedthrough = mb_algebra::Dense::zeros(3, 1);
    let (widest, worst, _) = judged(plant, 20.0, &InterpolantOptions::default());
    assert!(widest < 1e-4 && worst <= widest, "{widest:e} {worst:e}");
}

#[test]
fn a_sum_of_modes_is_off_by_less_than_its_bound_says() {
    let chain = Chain { loss: 0.02, ..Chain::bar(60) };
    let options = InterpolantOptions { space: Space::Modes, ..InterpolantOptions::default() };
    let (modes, error, vectors) = judged(chain.plant(59, 59), 8.0, &options);
    assert!(vectors < 10 && modes > 1e-2 && error > 1e-3, "{modes:e} {error:e} {vectors}");
    let options = InterpolantOptions { space: Space::ModesAndStatic, ..options };
    let (with_static, smaller, _) = judged(chain.plant(59, 59), 8.0, &options);
    assert!(smaller < 0.2 * error && with_static < modes, "{with_static:e} {smaller:e}");
}

#[test]
fn what_cannot_be_proved_is_said() {
    let omegas = frequencies(10, 5.0);
    let of = |plant: Plant| {
        let response = Response::new(plant).unwrap();
        Interpolant::new(&response, &omegas, &InterpolantOptions::default()).unwrap().err()
    };
    let mut gyroscopic = Chain::bar(6).plant(0, 0);
    let turning = mb_algebra::dense::from_rows(&[&[0.0, 1.0], &[-1.0, 0.0]]);
    let corner = mb_algebra::Dense::from_fn(6, 6, |i, j| if i < 2 && j < 2 { turning[(i, j)] } else { 0.0 });
    gyroscopic.pencil.c = sparse::add(1.0, &gyroscopic.pencil.c, 1.0, &mb_algebra::to_sparse(&corner));
    assert_eq!(of(gyroscopic), Some(Unproved::NotSymmetric));
    let mut tied = Chain::bar(6).plant(0, 0);
    tied.pencil.phi_q =
        mb_algebra::to_sparse(&mb_algebra::dense::from_rows(&[&[1.0, 0.0, 0.0, 0.0, 0.0, -1.0]]));
    tied.by_lambda = mb_algebra::Dense::zeros(1, 1);
    assert_eq!(of(tied), Some(Unproved::Constrained));
    let mut negative = Chain::bar(6).plant(0, 0);
    negative.pencil.m = sparse::diagonal(&[1.0, 1.0, -1.0, 1.0, 1.0, 1.0]);
    assert_eq!(of(negative), Some(Unproved::Indefinite));
}
