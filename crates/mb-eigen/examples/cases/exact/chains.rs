//! Chains of masses in two planes.

use mb_algebra::{QuadraticPencil, Scatter, Triplets, c64};
use proptest::prelude::*;

use super::{Problem, quadratic_eigenvalues};

/// What acts on a chain in addition to its springs.
#[derive(Clone, Copy, Debug)]
struct Forces {
    mass: f64,
    stiffness: f64,
    /// a, b, W, c.
    damping: [f64; 2],
    spin: f64,
    circulation: f64,
}

/// Chains in two planes, up to a hundred unknowns, in any units.
pub(crate) fn chains() -> impl Strategy<Value = Problem> {
    let scale = |power: std::ops::Range<i32>| power.prop_map(|power| f64::from(power).exp2());
    // Multiples of 1/64 of a unit of frequency stay exact when they are multiplied with small integers and powers of two.
    let part = |most: i32| prop_oneof![1 => Just(0.0), 1 => (0..most).prop_map(|k| f64::from(k) / 64.0)];
    let forces = (scale(-10..11), scale(-20..31), part(64), part(16), part(64), part(32));
    (3..24_usize, forces, 1..5_i32, any::<bool>()).prop_map(|(masses, forces, stiff, redundant)| {
        let (mass, square, a, b, spin, circulation) = forces;
        // The unit of frequency, a power of two.
        let unit = (square.log2() / 2.0).floor().exp2();
        let forces = Forces {
            mass,
            stiffness: mass * unit * unit * f64::from(stiff),
            damping: [a * unit, b / unit],
            spin: spin * unit,
            circulation: circulation * unit * unit,
        };
        chain(masses, &forces, redundant)
    })
}

fn chain(masses: usize, forces: &Forces, redundant: bool) -> Problem {
    let Forces { mass, stiffness, damping: [a, b], spin, circulation } = *forces;
    let plane = masses + 2;
    let n = 2 * plane;
    let [mut m, mut c, mut k] = [0; 3].map(|_| Triplets::new(n, n));
    let mut phi = Triplets::new(if redundant { 5 } else { 4 }, n);
    for side in 0..2 {
        let other = 1 - side;
        let sign = if side == 0 { -1.0 } else { 1.0 };
        for i in 0..plane {
            let at = |side: usize, i: usize| side * plane + i;
            m.add(at(side, i), at(side, i), mass);
            c.add(at(side, i), at(side, i), a * mass);
            c.add(at(side, i), at(other, i), sign * 2.0 * spin * mass);
            k.add(at(side, i), at(other, i), sign * circulation * mass);
            if i + 1 < plane {
                for (p, q, v) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
                    k.add(at(side, p), at(side, q), v * stiffness);
                    c.add(at(side, p), at(side, q), v * b * stiffness);
                }
            }
        }
        phi.add(2 * side, side * plane, 1.0);
        phi.add(2 * side + 1, side * plane + plane - 1, 3.0);
    }
    if redundant {
        phi.add(4, 0, 2.0);
        phi.add(4, plane - 1, -1.0);
    }
    let mut exact = Vec::with_capacity(4 * masses);
    for j in 1..=masses {
        let sine = (j as f64 * std::f64::consts::FRAC_PI_2 / (masses + 1) as f64).sin();
        let square = 4.0 * stiffness / mass * sine * sine;
        let linear = c64::new(a + b * square, 2.0 * spin);
        for (s, error) in quadratic_eigenvalues(linear, c64::new(square, circulation)) {
            exact.extend([(s, error), (s.conj(), error)]);
        }
    }
    let pencil =
        QuadraticPencil { m: m.to_sparse(), c: c.to_sparse(), k: k.to_sparse(), phi_q: phi.to_sparse() };
    let kind = match (circulation == 0.0, spin == 0.0, a == 0.0 && b == 0.0) {
        (false, ..) => "chains with circulatory forces",
        (_, false, _) => "gyroscopic chains",
        (_, _, false) => "damped chains",
        _ => "undamped chains",
    };
    Problem { pencil, exact, kind, rank: 4, penalty: None }
}
