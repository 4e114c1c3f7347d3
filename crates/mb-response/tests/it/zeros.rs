//! Poles, zeros, gains.

use crate::support::Chain;
use mb_algebra::{Dense, QuadraticPencil, Sparse, c64, sparse, to_dense};
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
    assert!((found.gain - 0.5).norm() < 1e-12, "{}", found.gain);
    // To the second mass: one zero of the damper alone.
    let response = Response::new(chain.plant(0, 1)).unwrap();
    let found = zeros(&response, 0, 0).unwrap();
    assert!(
        found.zeros.len() == 1 && (found.zeros[0] - c64::new(-20.0, 0.0)).norm() < 1e-11,
        "{:?}",
        found.zeros
    );
    assert!((found.gain - 0.4 / 2.0).norm() < 1e-12);
}

/// Without dampers the poles and zeros of two masses are those of the lossless ones times (1 + i eta)^(1/2), and the gain of an
/// acceleration of the mass held by the second spring alone has the factor of that spring, K (1 + i eta).
#[test]
fn structural_damping_turns_poles_zeros_and_gain() {
    let eta = 0.3;
    let chain = Chain { masses: vec![2.0, 1.0], springs: vec![30.0, 8.0], dampers: vec![0.0; 2], loss: eta };
    let turn = c64::new(1.0, eta).sqrt();
    let found = zeros(&Response::new(chain.plant(0, 0)).unwrap(), 0, 0).unwrap();
    assert_eq!((found.poles.len(), found.zeros.len()), (4, 2));
    // s^4 m1 m2 + s^2 ((k1 + k2) m2 + k2 m1) + k1 k2 = 0 without loss.
    let half: f64 = (38.0 + 16.0) / 4.0;
    let root = (half * half - 30.0 * 8.0 / 2.0).sqrt();
    let squares = [half - root, half + root];
    for (list, exact) in [(&found.poles, &squares[..]), (&found.zeros, &[8.0][..])] {
        for want in exact.iter().flat_map(|x| [1.0, -1.0].map(|sign| turn * c64::new(0.0, sign * x.sqrt()))) {
            assert!(list.iter().any(|s| (s - want).norm() < 1e-12 * want.norm()), "{want} in {list:?}");
        }
    }
    assert!((found.gain - 0.5).norm() < 1e-12 && found.is_determined(), "{found:?}");
    // To the second mass: no zero, and the gain of the spring between them.
    let found = zeros(&Response::new(chain.plant(0, 1)).unwrap(), 0, 0).unwrap();
    let gain = c64::new(1.0, eta) * 8.0 / 2.0;
    assert!(found.zeros.is_empty() && (found.gain - gain).norm() < 1e-12 * gain.norm(), "{found:?}");
}

/// With dampers beside structural damping: chains whose product of poles and zeros is compared with a continued fraction.
#[test]
fn zeros_of_lossy_chains_give_their_continued_fraction() {
    for n in [1_usize, 2, 5, 12, 30] {
        let mut chain = Chain { loss: 0.05, ..uneven(n, 1e3, 0.2) };
        chain.springs[0] = 40.0;
        let found = zeros(&Response::new(chain.plant(n - 1, n - 1)).unwrap(), 0, 0).unwrap();
        assert_eq!((found.poles.len(), found.zeros.len()), (2 * n, 2 * n - 2), "{n}");
        for omega in [0.3, 2.0, 7.0, 40.0] {
            let s = c64::new(0.0, omega);
            let over = |list: &[c64]| list.iter().map(|root| (s - root).ln()).sum::<c64>();
            let product = found.gain * (over(&found.zeros) - over(&found.poles)).exp();
            let exact = chain.driving_point(omega);
            let off = (product / exact - 1.0).norm();
            assert!(off < 1e-9, "{n} at {omega}: {off:e}");
        }
    }
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
    assert!((found.gain - 1.0).norm() < 1e-12);
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

/// Masses, springs and dampers that differ.
fn uneven(n: usize, stiff: f64, damper: f64) -> Chain {
    let vary = |i: usize, by: usize| 1.0 + 0.1 * ((i * by) % 7) as f64;
    Chain {
        masses: (0..n).map(|i| vary(i, 3)).collect(),
        springs: (0..n).map(|i| stiff * vary(i, 5)).collect(),
        dampers: (0..n).map(|i| damper * vary(i, 2)).collect(),
        loss: 0.0,
    }
}

/// From the first mass to the last one force and motion pass each damper, so that the zeros are -k_i / c_i of all but the first, some of
/// them several times:
///
/// ```text
/// H(s) = prod_(i >= 1) (c_i s + k_i) / (prod m_i prod (s - p_k)),   gain = prod c_i / prod m_i
/// ```
#[test]
fn zeros_of_dampers_are_counted_however_many_and_close_they_are() {
    for (n, stiff, damper) in
        [(3, 1e6, 10.0), (8, 1e6, 10.0), (10, 1e3, 0.7), (20, 4e4, 90.0), (40, 1e5, 3.0)]
    {
        let chain = uneven(n, stiff, damper);
        let found = zeros(&Response::new(chain.plant(0, n - 1)).unwrap(), 0, 0).unwrap();
        assert_eq!((found.poles.len(), found.zeros.len()), (2 * n, n - 1), "{n}: {found:?}");
        assert!(found.is_determined(), "{n}: {found:?}");
        let gain = chain.dampers[1..].iter().product::<f64>() / chain.masses.iter().product::<f64>();
        assert!((found.gain / gain - 1.0).norm() < 1e-9, "{n}: {} for {gain}", found.gain);
        let mut exact: Vec<f64> = (1..n).map(|i| -chain.springs[i] / chain.dampers[i]).collect();
        let mut real: Vec<f64> = found.zeros.iter().map(|z| z.re).collect();
        exact.sort_by(f64::total_cmp);
        real.sort_by(f64::total_cmp);
        let off = real.iter().zip(&exact).map(|(z, exact)| (z / exact - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12 && found.zeros.iter().all(|z| z.im == 0.0), "{n}: {off:e} {:?}", found.zeros);
    }
}

/// Between two masses of a chain the zeros are those of the dampers between them and the poles of what is left and right of both, held fast.
#[test]
fn zeros_between_two_masses_are_those_of_the_parts() {
    for (n, input, output) in [(10, 2, 6), (20, 11, 4), (40, 17, 22)] {
        let chain = uneven(n, 5e4, 20.0);
        let found = zeros(&Response::new(chain.plant(input, output)).unwrap(), 0, 0).unwrap();
        let (first, last) = (input.min(output), input.max(output));
        assert_eq!(
            found.zeros.len() + found.cancelled.len(),
            2 * (first + n - 1 - last) + last - first,
            "{n}"
        );
        assert!(found.is_determined(), "{n}: {found:?}");
        let part = |from: usize, to: usize| {
            let cut = |list: &[f64], more: usize| list[from..to + more].to_vec();
            Chain {
                masses: cut(&chain.masses, 0),
                springs: cut(&chain.springs, 0),
                dampers: cut(&chain.dampers, 0),
                loss: 0.0,
            }
        };
        // The left part ends at a spring that is held, the right one begins with one.
        let (mut left, right) = (part(0, first).pencil(), part(last + 1, n).pencil());
        let ends = |x: f64| {
            sparse::diagonal(&(0..first).map(|i| if i + 1 == first { x } else { 0.0 }).collect::<Vec<_>>())
        };
        left.k = sparse::add(1.0, &left.k, 1.0, &ends(chain.springs[first]));
        left.c = sparse::add(1.0, &left.c, 1.0, &ends(chain.dampers[first]));
        let own = |pencil: &QuadraticPencil<Sparse>| {
            let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(to_dense);
            let phi_q = Dense::zeros(0, m.ncols());
            let pencil = QuadraticPencil { m, c, k, phi_q };
            mb_eigen::dense::solve(&pencil, &mb_eigen::DenseOptions::default()).unwrap().motion_values()
        };
        let between = (first + 1..=last).map(|i| c64::new(-chain.springs[i] / chain.dampers[i], 0.0));
        let exact: Vec<c64> = [own(&left), own(&right)].concat().into_iter().chain(between).collect();
        for z in found.zeros.iter().chain(&found.cancelled) {
            let off = exact.iter().map(|s| (z / s - 1.0).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-9, "{n}: {z} is none of {exact:?}");
        }
    }
}

/// Of n equal masses m on springs k and dampers b k, force and displacement at the last one, the zeros are the poles of the others between
/// two walls: s^2 + b w_j^2 s + w_j^2 = 0, w_j = 2 (k / m)^1/2 sin(j pi / (2 n)).
#[test]
fn zeros_at_the_end_of_an_even_chain_have_their_closed_form() {
    for n in [10, 20, 40] {
        let (m, k, b) = (0.5, 2e4, 1e-3);
        let chain = Chain { masses: vec![m; n], springs: vec![k; n], dampers: vec![b * k; n], loss: 0.0 };
        let found = zeros(&Response::new(chain.plant(n - 1, n - 1)).unwrap(), 0, 0).unwrap();
        assert!(found.is_determined() && found.zeros.len() == 2 * (n - 1), "{n}: {found:?}");
        for j in 1..n {
            let w = 2.0 * (k / m).sqrt() * (j as f64 * std::f64::consts::PI / (2 * n) as f64).sin();
            let root = c64::new(0.25 * (b * w * w).powi(2) - w * w, 0.0).sqrt();
            for exact in [-root, root].map(|root| root - 0.5 * b * w * w) {
                let off = found.zeros.iter().map(|z| (z / exact - 1.0).norm()).fold(f64::INFINITY, f64::min);
                assert!(off < 1e-9, "{n}: {exact} is missing: {off:e}");
            }
        }
        assert!((found.gain * m - 1.0).norm() < 1e-9, "{n}: {}", found.gain);
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
    assert!((found.gain / gain - 1.0).norm() < 1e-9, "{} for {gain}", found.gain);
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
    assert!((found.gain - 2.0).norm() < 1e-12 && found.relative_error < 1e-10, "{found:?}");
}
