//! Names of the methods by which a spectrum is computed.

use std::fmt;

use serde::Serialize;

use crate::transform::shift_invert::Form;

/// The method that computed a spectrum. Storage, symmetry, damping, size and request decide it when a problem is set up; a problem whose
/// mass turns out indefinite, or that is singular near every shift tried, passes on to the next method, and this is the one that answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// All eigenvalues of dense matrices on the null space of the constraints: symmetric QR, QZ or the secular equation ([`crate::dense`]).
    Dense,
    /// Block Lanczos on (K - sigma M)^-1 M: Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15 (1994).
    Lanczos,
    /// The same in fewer coordinates, where many are tied to each other by constraints of two terms.
    CondensedLanczos,
    /// Davidson's method with a factorization in single precision as the preconditioner.
    Davidson,
    /// Krylov-Schur on the shifted inverse of an undamped or massless problem: Stewart, SIAM J. Matrix Anal. Appl. 23 (2001).
    KrylovSchur,
    /// Two-level orthogonal Arnoldi on the quadratic problem: Lu, Su, Bai, SIAM J. Matrix Anal. Appl. 37 (2016).
    Toar,
    /// The steps of yang2012 with the saddle-point matrix ([`crate::direct`]).
    Direct,
    /// Inverse iteration on the penalty form from the eigenpairs of the constrained one ([`crate::penalty`]).
    InverseIteration,
    /// SLEPc, whose eigenpairs are classed, bounded and counted here ([`crate::engine`]).
    Slepc,
}

impl Method {
    /// The Krylov method of a form.
    pub(crate) fn of(form: Form) -> Self {
        match form {
            Form::Squared | Form::First => Self::KrylovSchur,
            Form::Companion => Self::Toar,
        }
    }

    /// The name in documents and tables: `dense`, `lanczos`, `condensed-lanczos`, `davidson`, `krylov-schur`, `toar`, `direct`,
    /// `inverse-iteration` or `slepc`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Lanczos => "lanczos",
            Self::CondensedLanczos => "condensed-lanczos",
            Self::Davidson => "davidson",
            Self::KrylovSchur => "krylov-schur",
            Self::Toar => "toar",
            Self::Direct => "direct",
            Self::InverseIteration => "inverse-iteration",
            Self::Slepc => "slepc",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
