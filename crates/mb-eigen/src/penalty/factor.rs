//! The penalty factor that a mechanism's modes need.
//!
//! ```text
//! [ s^2 M + s C + K   Phi_q^T        ] [x]           p(s) = s^2 + 2 xi omega s + omega^2,   Xi = alpha I
//! [ Phi_q             -1/(alpha p(s))] [l] = 0
//!
//! first order in 1/alpha, proportional damping:   |ds| / |s| = |l|^2 / (2 alpha |p(s)| |s|^2 x^H M x)
//! ```
//!
//! [`gonzalez2017`](https://doi.org/10.1115/1.4035410), Eqs. (11) and (18), in the unknowns x and l of the mechanism itself: a
//! penalty is a constraint that gives way by l / (alpha p). The formula is the derivative of a simple eigenvalue, w^H
//! dP z over w^H P'(s) z, with x in place of the left vector; |l|^2 / (|p| |s|^2 x^H M x) is a mass, that of the bodies which the
//! reactions of the mode hold. Sizes: x n, l m, M n x n.

use mb_algebra::{Sparse, c64, sparse};

use crate::Eigenpair;

/// Violation's law: damping ratio xi and frequency omega (rad/s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViolationLaw {
    /// Damping ratio.
    pub xi: f64,
    /// Frequency, rad/s.
    pub omega: f64,
}

/// The least alpha at which no finite eigenvalue of the mechanism moves by more than `relative` of itself, to first
/// order.
///
/// `pairs`: of the constrained problem, with multipliers; `m`: its mass matrix, n x n. An eigenvalue nearer to zero
/// than the smallest one that is no exact zero is measured by that one. 0 where nothing presses on the constraints.
/// The result has the unit of M for rows of Phi_q without one.
pub fn least_factor(pairs: &[Eigenpair], m: &Sparse, law: ViolationLaw, relative: f64) -> f64 {
    let moving = || pairs.iter().filter(|pair| pair.class.is_motion() && pair.right.len() == m.rows());
    let square = |pair: &Eigenpair| pair.value().map_or(0.0, |s| s.norm_sqr());
    let floor = moving().map(square).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let least = |pair: &Eigenpair| {
        let s = pair.value()?;
        let mx = sparse::matvec_complex(m, &pair.right);
        let mass: c64 = pair.right.iter().zip(&mx).map(|(x, y)| x.conj() * y).sum();
        let reactions: f64 = pair.multipliers.iter().map(c64::norm_sqr).sum();
        // Near its own eigenvalue the violation follows without force; first order says nothing there.
        let p = (s * s + 2.0 * law.xi * law.omega * s + law.omega.powi(2)).norm().max(law.omega.powi(2));
        let held = reactions / (p * s.norm_sqr().max(floor) * mass.re);
        (held.is_finite() && held > 0.0).then_some(held / (2.0 * relative))
    };
    moving().filter_map(least).fold(0.0, f64::max)
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
        fn roots_move_by_as_much_as_was_asked_for(
            masses in prop::array::uniform2(1.0_f64..9.0),
            springs in prop::array::uniform2(1.0_f64..9.0),
            unit in -6..9_i32,
            stiff in -2..4_i32,
        ) {
            let unit = 10_f64.powi(unit);
            let of = tied(masses.map(|m| m * unit), springs.map(|k| k * unit * 10_f64.powi(stiff)));
            let (law, relative) = (ViolationLaw { xi: 1.0, omega: 10.0 }, 1e-5);
            let exact = crate::dense::solve(&of, &DenseOptions::default()).unwrap();
            let alpha = least_factor(&exact.pairs, &to_sparse(&of.m), law, relative);
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
    fn free_motions_without_reactions_need_no_penalty() {
        let of = tied([1.0, 2.0], [0.0, 0.0]);
        let exact = crate::dense::solve(&of, &DenseOptions::default()).unwrap();
        let law = ViolationLaw { xi: 1.0, omega: 10.0 };
        assert!(least_factor(&exact.pairs, &to_sparse(&of.m), law, 1e-6) < f64::MIN_POSITIVE);
    }
}
