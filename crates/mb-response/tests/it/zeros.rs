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
