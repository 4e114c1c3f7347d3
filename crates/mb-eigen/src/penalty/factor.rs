//! The penalty factors that a mechanism's modes need, one for each constraint row.
//!
//! ```text
//! [ s^2 M + s C + K   Phi_q^T           ] [x]          p(s) = s^2 + 2 xi omega s + omega^2,   Xi = diag(alpha_i)
//! [ Phi_q             -(Xi p(s))^-1     ] [l] = 0
//!
//! first order, proportional damping:   |ds_k| / |s_k| = sum_i h_ki / (2 alpha_i),   h_ki = |l_ki|^2 / (|p| |s|^2 x^H M x)
//! rule:   alpha_i = c max(max_k h_ki / (2 relative), PER_MASS m_i),   1/m_i = sum_j Phi_ij^2 / M_jj
//! ```
//!
//! with the least c >= 1 for which no mode k moves by more than `relative`. [`gonzalez2017`](https://doi.org/10.1115/1.4035410),
//! Eqs. (11) and (18), in the unknowns x and l of the mechanism itself: a penalty is a constraint that gives way by
//! l_i / (alpha_i p). The formula is the derivative of a simple eigenvalue, w^H dP z over w^H P'(s) z, with x in place of the left
//! vector; h_ki is a mass, that of the bodies which the reaction of row i holds in mode k. m_i is the mass that the row
//! itself meets: where no mode presses on a row, a factor above m_i still separates its own eigenvalues from those of the
//! mechanism. Both follow a row that is written in other units, which one number for all rows cannot: rows that
//! hold the slope of a thin link hold far less mass than those of a hinge. Sizes: x n, l m, M n x n, Phi_q m x n.

use mb_algebra::{Sparse, c64, sparse};

use crate::Eigenpair;
use crate::tuning;

/// Least factor compared with the mass that a row meets: it moves what the row holds by 1e-6 of itself, a tenth of what the modes
/// may be off.
const PER_MASS: f64 = 1e6;

/// Violation's law: damping ratio xi and frequency omega (rad/s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViolationLaw {
    /// Damping ratio.
    pub xi: f64,
    /// Frequency, rad/s.
    pub omega: f64,
}

/// The factors alpha_i, powers of two, at which no finite eigenvalue of the mechanism moves by more than `relative` of itself, to first
/// order.
///
/// `pairs`: of the constrained problem, with multipliers; `m`: its mass matrix, n x n; `phi_q`: its constraint rows, m x n. An eigenvalue
/// nearer to zero than the smallest one that is no exact zero is measured by that one. The factor of a row has the unit of
/// M over that of the row squared.
pub fn least_factors(
    pairs: &[Eigenpair],
    m: &Sparse,
    phi_q: &Sparse,
    law: ViolationLaw,
    relative: f64,
) -> Vec<f64> {
    let held = masses_held(pairs, m, phi_q.rows(), law);
    let mut factors: Vec<f64> = masses_met(m, phi_q).into_iter().map(|mass| PER_MASS * mass).collect();
    for mode in &held {
        for (factor, h) in factors.iter_mut().zip(mode) {
            *factor = factor.max(h / (2.0 * relative));
        }
    }
    // A row that meets no mass and holds none is as good with any factor.
    let largest = factors.iter().copied().fold(0.0, f64::max);
    let any = if largest > 0.0 { largest } else { PER_MASS };
    factors.iter_mut().filter(|factor| **factor <= 0.0).for_each(|factor| *factor = any);
    let moved = |mode: &Vec<f64>| mode.iter().zip(&factors).map(|(h, alpha)| h / (2.0 * alpha)).sum::<f64>();
    let more = held.iter().map(moved).fold(0.0, f64::max) / relative;
    factors.iter().map(|alpha| (alpha * more.max(1.0)).log2().ceil().exp2()).collect()
}

/// h_ki by mode and row.
fn masses_held(pairs: &[Eigenpair], m: &Sparse, rows: usize, law: ViolationLaw) -> Vec<Vec<f64>> {
    let fits = |pair: &&Eigenpair| pair.right.len() == m.rows() && pair.multipliers.len() == rows;
    let moving = || pairs.iter().filter(|pair| pair.class.is_motion()).filter(fits);
    let square = |pair: &Eigenpair| pair.value().map_or(0.0, |s| s.norm_sqr());
    let floor = moving().map(square).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let of_pair = |pair: &Eigenpair| {
        let s = pair.value()?;
        let mx = sparse::matvec_complex(m, &pair.right);
        let mass: c64 = pair.right.iter().zip(&mx).map(|(x, y)| x.conj() * y).sum();
        // Near its own eigenvalue the violation follows without force; first order says nothing there.
        let p = (s * s + 2.0 * law.xi * law.omega * s + law.omega.powi(2)).norm();
        // Least |p| over omega^2 that counts: within omega / 10 of a double eigenvalue of the violation.
        let p = p.max(tuning::MINOR * law.omega.powi(2));
        let by = p * s.norm_sqr().max(floor) * mass.re;
        let held: Vec<f64> = pair.multipliers.iter().map(|l| l.norm_sqr() / by).collect();
        held.iter().all(|h| h.is_finite() && *h >= 0.0).then_some(held)
    };
    moving().filter_map(of_pair).collect()
}

/// m_i by row; 0 where a row meets coordinates without mass alone.
fn masses_met(m: &Sparse, phi_q: &Sparse) -> Vec<f64> {
    let mut own = vec![0.0; m.rows()];
    for (value, (row, _)) in m.iter().filter(|(_, (row, col))| row == col) {
        own[row] += value;
    }
    let mut yields = vec![0.0; phi_q.rows()];
    for (value, (row, col)) in phi_q.iter().filter(|(_, (_, col))| own[*col] > 0.0) {
        yields[row] += value * value / own[col];
    }
    yields.into_iter().map(|y| if y > 0.0 { 1.0 / y } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DenseOptions;
    use crate::penalty::{PenaltyPencil, solve};
    use mb_algebra::{Dense, QuadraticPencil, dense, to_sparse};
    use proptest::prelude::*;

    /// Two masses on springs, tied together by one row.
    fn tied(masses: [f64; 2], springs: [f64; 2]) -> QuadraticPencil {
        QuadraticPencil {
            m: dense::diagonal(&masses),
            c: dense::zeros(2, 2),
            k: dense::diagonal(&springs),
            phi_q: dense::from_rows(&[&[1.0, -1.0]]),
        }
    }

    fn with_penalty(of: &QuadraticPencil, alpha: f64, law: ViolationLaw) -> PenaltyPencil {
        let square = dense::mul_transpose(&of.phi_q, &of.phi_q);
        let with = |a: &Dense, factor: f64| dense::add(1.0, a, alpha * factor, &square);
        PenaltyPencil {
            m: with(&of.m, 1.0),
            c: with(&of.c, 2.0 * law.xi * law.omega),
            k: with(&of.k, law.omega.powi(2)),
            phi_q: of.phi_q.clone(),
            xi: dense::diagonal(&[alpha]),
        }
    }

    proptest! {
        /// The factor found moves the eigenvalue by what was asked for, whatever the units of mass and stiffness.
        #[test]
        fn eigenvalues_move_by_as_much_as_was_asked_for(
            masses in prop::array::uniform2(1.0_f64..9.0),
            springs in prop::array::uniform2(1.0_f64..9.0),
            unit in -6..9_i32,
            stiff in -2..4_i32,
        ) {
            let unit = 10_f64.powi(unit);
            let of = tied(masses.map(|m| m * unit), springs.map(|k| k * unit * 10_f64.powi(stiff)));
            let (law, relative) = (ViolationLaw { xi: 1.0, omega: 10.0 }, 1e-5);
            let exact = crate::dense::solve(&of, &DenseOptions::default()).unwrap();
            let held = masses_held(&exact.eigenpairs, &to_sparse(&of.m), 1, law);
            let alpha = held.iter().map(|mode| mode[0]).fold(0.0, f64::max) / (2.0 * relative);
            // Equal ratios need no reaction: there is nothing to measure.
            prop_assume!(alpha > 1e-2 * unit / relative);
            let found = solve(&with_penalty(&of, alpha, law), &DenseOptions::default()).unwrap();
            let s = exact.motion_values()[0];
            let near = |pair: &&Eigenpair| (pair.value().unwrap() - s).norm();
            let closest = found.motion().min_by(|a, b| near(a).total_cmp(&near(b))).unwrap();
            let moved = near(&closest) / s.norm();
            prop_assert!((moved / relative - 1.0).abs() < 1e-2, "{moved:e} with {alpha:e}");
        }
    }

    #[test]
    fn rows_that_no_mode_presses_on_have_factors_of_the_mass_they_meet() {
        for unit in [1e-9, 1.0, 1e9] {
            let of = tied([unit, 3.0 * unit], [0.0, 0.0]);
            let exact = crate::dense::solve(&of, &DenseOptions::default()).unwrap();
            let law = ViolationLaw { xi: 1.0, omega: 10.0 };
            let [m, phi_q] = [&of.m, &of.phi_q].map(to_sparse);
            let factors = least_factors(&exact.eigenpairs, &m, &phi_q, law, 1e-5);
            // The reduced mass is 3/4 of the unit.
            let least = PER_MASS * 0.75 * unit;
            assert!(factors.len() == 1 && (least..=2.0 * least).contains(&factors[0]), "{factors:?}");
        }
    }

    proptest! {
        /// Rows in other units have factors in other units, and no mode moves by more than was asked for.
        #[test]
        fn every_mode_stays_within_what_was_asked_for_whatever_the_units_of_rows(
            masses in prop::array::uniform4(-4.0_f64..4.0),
            springs in prop::array::uniform4(-2.0_f64..4.0),
            units in prop::array::uniform2(-4..5_i32),
        ) {
            let by = units.map(|unit| 16_f64.powi(unit));
            let rows = |by: [f64; 2]| dense::from_rows(&[&[by[0], -by[0], 0.0, 0.0], &[0.0, by[1], -by[1], by[1]]]);
            let of = |by: [f64; 2]| QuadraticPencil {
                m: dense::diagonal(&masses.map(|m| 10_f64.powf(m))),
                c: dense::zeros(4, 4),
                k: dense::diagonal(&springs.map(|k| 10_f64.powf(k))),
                phi_q: rows(by),
            };
            let (law, relative) = (ViolationLaw { xi: 1.0, omega: 10.0 }, 1e-5);
            let chosen = |of: &QuadraticPencil| {
                let exact = crate::dense::solve(of, &DenseOptions::default()).unwrap();
                let factors =
                    least_factors(&exact.eigenpairs, &to_sparse(&of.m), &to_sparse(&of.phi_q), law, relative);
                (exact, factors)
            };
            let problem = of(by);
            let (exact, factors) = chosen(&problem);
            let (_, plain) = chosen(&of([1.0; 2]));
            for i in 0..2 {
                let ratio = factors[i] * by[i] * by[i] / plain[i];
                prop_assert!((0.49..2.01).contains(&ratio), "row {i}: {factors:?} and {plain:?}");
            }
            for mode in masses_held(&exact.eigenpairs, &to_sparse(&problem.m), 2, law) {
                let moved: f64 = mode.iter().zip(&factors).map(|(h, alpha)| h / (2.0 * alpha)).sum();
                prop_assert!(moved <= relative * (1.0 + 1e-12));
            }
        }
    }
}
