//! Solids: the 8-node hexahedron for large displacements.
//!
//! Nodes are points in space; strains are those of Green and Lagrange, stresses follow from them by the law of
//! St. Venant and Kirchhoff,
//!
//! ```text
//! E = 1/2 (F^T F - I),   S = lambda tr(E) I + 2 mu E,   V = integral of 1/2 S : E dV_0
//! ```
//!
//! so that rigid motions, however large, make no stress, and the stiffness about a loaded state holds the stress
//! stiffness. Strains should stay small: under strong compression (a third of the length) this law softens and fails.
//!
//! In the element's natural coordinates the components of E at the 2 x 2 x 2 integration points are 36 different
//! numbers e, each quadratic in the positions, and
//!
//! ```text
//! V = 1/2 e^T H e,   force = (de/dx)^T H e
//! ```
//!
//! with a constant H. Formulations differ in H alone ([`BrickFormulation`]), see `elastic.rs`.

mod component;
mod elastic;
mod inertia;
pub(super) mod natural;
mod strain;

pub use elastic::{BrickFormulation, BrickShape, MassForm, SolidMaterial, WrongBrick};
pub use inertia::BrickInertia;
pub use strain::BrickStrain;

pub(crate) use component::{Across, Along, NODES};
pub(crate) use elastic::check;
pub(crate) use natural::FACES;
