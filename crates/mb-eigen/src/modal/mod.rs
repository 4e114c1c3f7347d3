//! What modes mean: participation and effective mass, energy by body, likeness of shapes.
//!
//! ```
//! use mb_algebra::{QuadraticPencil, dense};
//! use mb_eigen::modal::{Direction, participation};
//! use mb_eigen::DenseOptions;
//!
//! // Two equal masses on springs between walls, shaken sideways: the mode in which both move alike takes it all.
//! let pencil = QuadraticPencil {
//!     m: dense::diagonal(&[3.0, 3.0]),
//!     c: dense::zeros(2, 2),
//!     k: dense::from_rows(&[&[2.0, -1.0], &[-1.0, 2.0]]),
//!     phi_q: dense::zeros(0, 2),
//! };
//! let spectrum = mb_eigen::dense::solve(&pencil, &DenseOptions::default())?;
//! let sideways = Direction { name: "x".to_owned(), vector: vec![1.0, 1.0] };
//! let result = participation(&pencil.to_sparse(), &spectrum.eigenpairs, &[sideways])?;
//! let masses: Vec<f64> = result.modes.iter().filter_map(|mode| mode.effective_mass[0]).collect();
//! assert!((masses[0] - 6.0).abs() < 1e-13 && masses[1].abs() < 1e-13);
//! assert!((result.directions[0].constrained - 6.0).abs() < 1e-13);
//! # Ok::<(), mb_eigen::EigenError>(())
//! ```
//!
//! Only matrices come in: a direction is the vector of displacements that a unit rigid motion gives the coordinates (an
//! influence vector), a body is a named [`Group`] of coordinates. Everything is free of the length and phase of the
//! vectors. Conventions, the same in all crates:
//!
//! | quantity | formula | unit |
//! | --- | --- | --- |
//! | eigenvalue | s, motion x e^(s t); a conjugate pair is one mode | rad/s |
//! | frequency, damped | \|Im s\| / (2 pi) | Hz |
//! | natural frequency | \|s\| / (2 pi) | Hz |
//! | damping ratio | -Re s / \|s\|; below 0 growing, 1 for a real decaying eigenvalue | |
//! | logarithmic decrement | 2 pi zeta / sqrt(1 - zeta^2) | |
//! | loss factor at resonance | 2 zeta | |
//! | time constant | -1 / Re s | s |
//! | right vector x | length one, largest entry real and positive | |
//! | left vector y | y^H (2 s M + C) x = 1; palomba2019, Eqs. (17), (18) | |
//!
//! [`crate::Eigenpair`] has the first four; the book's page "Conventions" says the same with reasons.

mod energy;
mod mac;
mod participation;

pub use energy::{EnergyShares, Group, ModeEnergy, energy_shares};
pub use mac::{MatchBy, ModeMatch, mac_matrix, match_modes};
pub use participation::{Direction, DirectionMass, ModeParticipation, Participation, participation};

use crate::Eigenpair;

/// Indices of the eigenpairs that stand for a mode each: eigenvalues of motion with Im s >= 0, of two equal zeros of a
/// chain the first.
///
/// Conjugates and the second member of a chain must directly follow their partner, as [`crate::Spectrum`] has them.
pub fn modes(pairs: &[Eigenpair]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut second = false;
    for (i, pair) in pairs.iter().enumerate() {
        if !pair.class.is_motion() || pair.alpha.im < 0.0 {
            continue;
        }
        let chained = pair.class == crate::Class::Rigid && pair.chain == 2;
        if chained && second {
            second = false;
            continue;
        }
        second = chained;
        out.push(i);
    }
    out
}
