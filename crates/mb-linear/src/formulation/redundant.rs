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
//! unknown is the integral of the multipliers. Either trades infinite eigenvalues for zeros.
//!
//! In motion the constraint of the rates differs from the rate of the constraint at frozen
//! coefficients; the blocks here are those of the instant (`LinearizedSystem::rates` has the rest).
//!
//! Paper: [gonzalez2017] Eqs. (7)-(10), (17).   Sizes: E, A are (2n+m) x (2n+m).

use crate::descriptor::DescriptorSystem;
use crate::linearize::LinearizedSystem;
use mb_algebra::Dense;
use mb_model::{Model, Point};

/// Which blocks of A are moved to E.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Transferred {
    /// Phi_q: constraints on the rates.
    pub phi_q: bool,
    /// Phi_q^T: integrated multipliers.
    pub phi_q_t: bool,
}

impl Transferred {
    /// All four variants.
    pub const ALL: [Self; 4] = [
        Self { phi_q: false, phi_q_t: false },
        Self { phi_q: true, phi_q_t: false },
        Self { phi_q: false, phi_q_t: true },
        Self { phi_q: true, phi_q_t: true },
    ];
}

impl std::fmt::Display for Transferred {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match (self.phi_q, self.phi_q_t) {
            (false, false) => "descriptor",
            (true, false) => "jacobian-in-e",
            (false, true) => "transpose-in-e",
            (true, true) => "both-in-e",
        })
    }
}

/// E and A of the descriptor form.
pub fn descriptor_pair(lin: &LinearizedSystem, transferred: Transferred) -> (Dense, Dense) {
    let (n, m) = (lin.n(), lin.constraints());
    let size = 2 * n + m;
    let (mut e, mut a) = (Dense::zeros(size, size), Dense::zeros(size, size));
    for i in 0..n {
        e[(i, i)] = 1.0;
        a[(i, n + i)] = 1.0;
        for j in 0..n {
            e[(n + i, n + j)] = lin.m[(i, j)];
            a[(n + i, j)] = -lin.k[(i, j)];
            a[(n + i, n + j)] = -lin.c[(i, j)];
        }
    }
    for i in 0..m {
        for j in 0..n {
            let phi = lin.phi_q[(i, j)];
            if transferred.phi_q {
                e[(2 * n + i, j)] = phi;
            } else {
                a[(2 * n + i, j)] = -phi;
            }
            if transferred.phi_q_t {
                e[(n + j, 2 * n + i)] = phi;
            } else {
                a[(n + j, 2 * n + i)] = -phi;
            }
        }
    }
    (e, a)
}

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
    let (e, a) = descriptor_pair(lin, Transferred::default());
    DescriptorSystem::new(model, point, lin, e, a)
}
