//! RCS: the linearized differential-algebraic system in descriptor form.
//!
//! ```text
//! E y' = A y + B u,   y = (dq, dv, dlambda)
//!
//!     [ I  0  0 ]        [  0    I       0     ]
//! E = [ 0  M  0 ]    A = [ -K   -C   -Phi_q^T  ]
//!     [ 0  0  0 ]        [ -Phi_q 0      0     ]
//! ```
//!
//! Moving Phi_q to E means Phi_q dq' = 0 instead of Phi_q dq = 0; moving Phi_q^T means that the
//! unknown is the integral of the multipliers (see [`Transferred`]; the pair comes from
//! [`mb_algebra::QuadraticPencil::to_descriptor`]). Either trades infinite eigenvalues for zeros.
//!
//! In motion the constraint of the rates differs from the rate of the constraint at frozen
//! coefficients; the blocks here are those of the instant (`LinearizedSystem::rates` has the rest).
//!
//! Paper: [gonzalez2017] Eqs. (7)-(10), (17).   Sizes: E, A are (2n+m) x (2n+m).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use crate::descriptor::DescriptorSystem;
use crate::linearize::LinearizedSystem;
pub use mb_algebra::Transferred;
use mb_model::{Model, Point};

/// The descriptor system with the model's inputs and outputs.
///
/// Outputs that read accelerations are expressed in the states and inputs through the equations
/// of motion, so that y = C x + D u holds for them too.
///
/// # Errors
/// Entries that are not finite.
pub fn descriptor(
    model: &Model,
    point: &Point,
    lin: &LinearizedSystem,
) -> Result<DescriptorSystem, crate::LinearError> {
    let pair = lin.pencil().to_descriptor(Transferred::default());
    DescriptorSystem::new(model, point, lin, pair.e, pair.a)
}
