//! Poles, zeros, gains.

use crate::support::Chain;
use mb_algebra::c64;
use mb_response::{Response, zeros};

#[test]
fn two_masses_have_the_zeros_of_the_one_held_fast() {
    // Force and displacement of the first mass: zeros are the poles of the second on its spring alone.
    let chain =
        Chain { masses: vec![2.0, 1.0], springs: vec![30.0, 8.0], dampers: vec![0.0, 0.4], loss: 0.0 };
    let response = Response::new(chain.plant(0, 0)).unwrap();
    let found = zeros(&response, 0, 0).unwrap();
    assert_eq!((found.poles.len(), found.zeros.len()), (4, 2));
    let exact = c64::new(-0.2, (8.0_f64 - 0.04).sqrt());
    assert!(
        found.zeros.iter().all(|z| (z - exact).norm().min((z - exact.conj()).norm()) < 1e-12),
        "{:?}",
        found.zeros
    );
    assert!((found.gain - 0.5).abs() < 1e-12, "{}", found.gain);
    // To the second mass: one zero of the damper alone.
    let response = Response::new(chain.plant(0, 1)).unwrap();
    let found = zeros(&response, 0, 0).unwrap();
    assert!(
        found.zeros.len() == 1 && (found.zeros[0] - c64::new(-20.0, 0.0)).norm() < 1e-11,
        "{:?}",
        found.zeros
    );
    assert!((found.gain - 0.4 / 2.0).abs() < 1e-12);
}

#[test]
fn a_mode_that_no_input_reaches_is_cancelled() {
    // Two equal oscillators side by side, of which one is driven and seen.
    let mut plant =
        Chain { masses: vec![1.0, 1.0], springs: vec![9.0, 0.0], dampers: vec![0.1, 0.0], loss: 0.0 }
            .plant(0, 0);
    plant.pencil.k = mb_algebra::sparse::diagonal(&[9.0, 16.0]);
    plant.pencil.c = mb_algebra::sparse::diagonal(&[0.1, 0.2]);
    let found = zeros(&Response::new(plant).unwrap(), 0, 0).unwrap();
    assert_eq!((found.poles.len(), found.zeros.len(), found.cancelled.len()), (2, 0, 2));
    assert!((found.gain - 1.0).abs() < 1e-12);
}

/// A light mass between the wall and a driven one makes a pole and a zero that differ by the ratio of their masses, far below the zero
/// -k / c of the damper that the force is passed on by. At its frequency both are needed for H.
#[test]
fn a_pole_and_a_zero_near_each_other_stay() {
    let chain = Chain {
        masses: vec![1e-6, 1.0, 1.0],
        springs: vec![5e-5, 5e-5, 30.0],
        dampers: vec![1e-9, 0.0, 3e-7],
        loss: 0.0,
    };
    let response = Response::new(chain.plant(1, 2)).unwrap();
    let found = zeros(&response, 0, 0).unwrap();
    assert_eq!((found.poles.len(), found.zeros.len(), found.cancelled.len()), (6, 3, 0), "{found:?}");
    for omega in [0.01, 1.0, 10.0, 10.0 + 1e-3, 30.0] {
        let s = c64::new(0.0, omega);
        let product = |list: &[c64]| list.iter().map(|r| s - r).product::<c64>();
        let h = product(&found.zeros) / product(&found.poles) * found.gain;
        let exact = response.direct(omega).unwrap().value[(0, 0)];
        assert!((h - exact).norm() < 1e-9 * exact.norm(), "{omega}: {h} {exact}");
    }
}
