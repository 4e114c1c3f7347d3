//! Geometrically exact (Reissner-Simo) beams in space.
//!
//! A beam is a centre line r(s) with a section frame R(s); axis 1 is along the beam, axes 2 and 3
//! are those of the section. Its strains in section axes are
//!
//! ```text
//! Gamma = R^T r',   kappa = axial vector of R^T R'
//! V = integral of 1/2 EA (G1 - G1_0)^2 + 1/2 GA_2 (G2 - G2_0)^2 + 1/2 GA_3 (G3 - G3_0)^2
//!              + 1/2 GJ (k1 - k1_0)^2 + 1/2 EI_2 (k2 - k2_0)^2 + 1/2 EI_3 (k3 - k3_0)^2
//! ```
//!
//! where the index 0 is the natural shape, which may be curved and twisted. Displacements and
//! rotations may be as large as they like, strains are small. [`BeamStrain`] is the elastic part
//! of one finite element, [`BeamInertia`] its mass.
//!
//! Nodes are [`super::JointFrame`]s: bodies without mass of their own, frames on rigid bodies, or the ground.

mod inertia;
mod kinematics;
mod strain;

pub use inertia::BeamInertia;
pub use kinematics::{BeamStation, Interpolation};
pub use strain::{AxialStrain, BeamLaw, BeamStrain};
