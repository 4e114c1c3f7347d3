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
//! In steady motion y counts from the frame that moves along, where all blocks are constant.
//!
//! Paper: [gonzalez2017] Eqs. (7)-(10), (17).   Sizes: E, A are (2n+m) x (2n+m).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

pub use mb_algebra::Transferred;
