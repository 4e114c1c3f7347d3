//! Telling physical from penalty eigenvalues.
//!
//! ```text
//! share = |x^H P x| / (|x^H P x| + |x^H (M_p - P) x|),   P = Phi_q^T Xi Phi_q
//! ```
//!
//! the part of the penalty terms in the kinetic energy of x: near 0 for motion of the mechanism, near 1 for motion
//! against the penalty forces. In the double pendulum of gonzalez2017 it separates the groups by 2e-4 against 0.9998,
//! far better than the violation |Phi_q x| itself. Fails where an eigenvalue of the mechanism lies among the penalty eigenvalues (near
//! -omega) and the vectors mix: both shares then leave the ends of the scale, and the finding says so.
//!
//! A violation that drags a body far heavier than what its own row presses on has less than half of its kinetic energy in the penalty.
//! Where theory's number of physical eigenvalues is apart from the others by a wide gap of share / (1 - share), the gap decides.
//! Sizes: x n.

use mb_algebra::{c64, dense};

use super::PenaltyPencil;
use crate::dense::constraint_basis::ConstraintBasis;
use crate::numeric::operator::Operator;
use crate::numeric::vectors::{Block, ZERO};
use crate::{Class, Eigenpair, Finding, SpuriousOrigin, tuning};

/// Sets the class of every finite eigenvalue by its share; adds a finding when the groups overlap.
pub(crate) fn classify(
    pencil: &PenaltyPencil,
    constraints: &ConstraintBasis,
    pairs: &mut [Eigenpair],
    findings: &mut Vec<Finding>,
) {
    measure(pencil, constraints, pairs);
    let most = largest_share(pairs, 2 * (pencil.m.nrows() - constraints.rank()));
    let (mut largest_physical, mut smallest_spurious) = (None::<f64>, None::<f64>);
    for pair in pairs.iter_mut().filter(|pair| pair.class.is_motion()) {
        let Some(share) = pair.penalty_share else { continue };
        if share > most {
            smallest_spurious = Some(smallest_spurious.map_or(share, |s| s.min(share)));
            pair.class = Class::Spurious { origin: SpuriousOrigin::Penalty };
        } else {
            largest_physical = Some(largest_physical.map_or(share, |s| s.max(share)));
        }
    }
    // Shares between this and one minus this are no clear verdict.
    if largest_physical.is_some_and(|s| s > tuning::CLEAR)
        || smallest_spurious.is_some_and(|s| s < 1.0 - tuning::CLEAR)
    {
        findings.push(Finding::PenaltyOverlap { largest_physical, smallest_spurious });
    }
}

/// The share up to which an eigenvalue is the mechanism's: 0.5, or within the gap behind as many as theory counts.
fn largest_share(pairs: &[Eigenpair], physical: usize) -> f64 {
    let moving = pairs.iter().filter(|pair| pair.class.is_motion());
    let mut shares: Vec<f64> = moving.filter_map(|pair| pair.penalty_share).collect();
    shares.sort_by(f64::total_cmp);
    let odds = |share: f64| share / (1.0 - share).max(f64::EPSILON);
    match (physical.checked_sub(1).and_then(|k| shares.get(k)), shares.get(physical)) {
        // Ratio of share / (1 - share) that is a gap.
        (Some(&last), Some(&next)) if odds(next) > (1.0 / tuning::MINOR) * odds(last) => {
            let between = (odds(last).max(f64::EPSILON) * odds(next)).sqrt();
            if last <= 0.5 && next > 0.5 { 0.5 } else { between / (1.0 + between) }
        }
        _ => 0.5,
    }
}

/// Sets the violation of the constraints and the share of the penalty.
pub(crate) fn measure(pencil: &PenaltyPencil, constraints: &ConstraintBasis, pairs: &mut [Eigenpair]) {
    let n = pencil.m.nrows();
    // Conjugates follow their partners and share their figures.
    let first: Vec<usize> = (0..pairs.len()).filter(|&j| pairs[j].alpha.im >= 0.0).collect();
    let columns: Vec<Vec<c64>> = first.iter().map(|&j| pairs[j].right.to_vec()).collect();
    let x = Block::new(n, &columns);
    let penalty = x.through(|x| {
        let violations = dense::mul(&pencil.phi_q, x);
        dense::mul_transpose(&pencil.phi_q, &dense::mul(&pencil.xi, &violations))
    });
    let mass = Operator::new(&pencil.m);
    let total = x.through(|x| mass.apply(x));
    let violations = constraints.unit_rows().map(|phi| x.apply(phi));
    for (column, &j) in first.iter().enumerate() {
        let mut with_penalty = ZERO;
        let mut without = ZERO;
        for i in 0..n {
            let conjugate = x.get(i, column).conj();
            with_penalty += conjugate * penalty.get(i, column);
            without += conjugate * (total.get(i, column) - penalty.get(i, column));
        }
        let sum = with_penalty.norm() + without.norm();
        let share = (sum > 0.0).then(|| with_penalty.norm() / sum);
        let violation = violations.as_ref().map_or(0.0, |violations| {
            let square: f64 = (0..constraints.m()).map(|i| violations.get(i, column).norm_sqr()).sum();
            if square > 0.0 { square.sqrt() / constraints.unit_norm() } else { 0.0 }
        });
        let members = if pairs[j].alpha.im > 0.0 { 2 } else { 1 };
        for pair in pairs.iter_mut().skip(j).take(members) {
            pair.penalty_share = share;
            pair.constraint_violation = violation;
        }
    }
}
