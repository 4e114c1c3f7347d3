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

/// From the first mass to the last one force and motion pass each damper, so that the zeros are -k_i / c_i of all but the first:
///
/// ```text
/// H(s) = prod_(i >= 1) (c_i s + k_i) / (prod m_i prod (s - p_k)),   gain = prod c_i / prod m_i
/// ```
#[test]
fn zeros_of_dampers_are_counted_however_far_they_lie_apart() {
    for (n, stiff, damper) in
        [(3, 1e6, 10.0), (6, 1e6, 10.0), (8, 1e6, 10.0), (10, 1e3, 0.7), (12, 4e4, 90.0), (14, 1e5, 3.0)]
    {
        let vary = |i: usize, by: usize| 1.0 + 0.1 * ((i * by) % 7) as f64;
        let chain = Chain {
            masses: (0..n).map(|i| vary(i, 3)).collect(),
            springs: (0..n).map(|i| stiff * vary(i, 5)).collect(),
            dampers: (0..n).map(|i| damper * vary(i, 2)).collect(),
            loss: 0.0,
        };
        let found = zeros(&Response::new(chain.plant(0, n - 1)).unwrap(), 0, 0).unwrap();
        if n > 8 {
            // Zeros close together, of a polynomial whose digits are lost: right, or said to be not determined.
            assert!(found.zeros.len() == n - 1 || !found.is_determined(), "{n}: {found:?}");
            continue;
        }
        assert_eq!((found.poles.len(), found.zeros.len()), (2 * n, n - 1), "{n}: {found:?}");
        let gain = chain.dampers[1..].iter().product::<f64>() / chain.masses.iter().product::<f64>();
        assert!((found.gain / gain - 1.0).abs() < 1e-9, "{n}: {} for {gain}", found.gain);
        assert!(found.is_determined(), "{n}: {found:?}");
        for i in 1..n {
            let exact = -chain.springs[i] / chain.dampers[i];
            let off = found.zeros.iter().map(|z| (z / exact - 1.0).norm()).fold(f64::INFINITY, f64::min);
            // Zeros close together are as sensitive as roots of a polynomial of degree n - 1.
            assert!(off < 1e-4, "{n}: {exact} in {:?}", found.zeros);
        }
    }
}

/// Without damping every zero between the ends is infinite: the gain is the product of the springs over that of the masses.
#[test]
fn a_chain_without_dampers_has_no_zeros_from_end_to_end() {
    let n = 14;
    let chain = Chain { masses: vec![2.0; n], springs: vec![5e3; n], dampers: vec![0.0; n], loss: 0.0 };
    let found = zeros(&Response::new(chain.plant(0, n - 1)).unwrap(), 0, 0).unwrap();
    assert_eq!((found.poles.len(), found.zeros.len()), (2 * n, 0), "{found:?}");
    let gain = (5e3_f64).powi(13) / (2.0_f64).powi(14);
    assert!((found.gain / gain - 1.0).abs() < 1e-9, "{} for {gain}", found.gain);
}

/// Of an acceleration next to its force there are as many zeros as poles, two of them at zero.
#[test]
fn accelerations_next_to_their_force_have_as_many_zeros_as_poles() {
    let chain = Chain {
        masses: vec![1.0, 2.0, 0.5],
        springs: vec![40.0, 70.0, 20.0],
        dampers: vec![0.1, 0.0, 0.3],
        loss: 0.0,
    };
    let mut plant = chain.plant(2, 2);
    std::mem::swap(&mut plant.by_q, &mut plant.by_a);
    let found = zeros(&Response::new(plant).unwrap(), 0, 0).unwrap();
    assert_eq!((found.poles.len(), found.zeros.len()), (6, 6), "{found:?}");
    assert_eq!(found.zeros.iter().filter(|z| z.norm() < 1e-6).count(), 2, "{found:?}");
    assert!((found.gain - 2.0).abs() < 1e-12 && found.relative_error < 1e-10, "{found:?}");
}
