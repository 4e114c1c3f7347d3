//! What goes into a run of ARPACK and what comes out of it.

/// Sizes of a run, checked by [`super::ffi::Run::new`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Length of the vectors.
    pub(super) n: usize,
    /// Eigenvalues wanted.
    pub(super) nev: usize,
    /// Dimension of the basis.
    pub(super) ncv: usize,
    /// Residual relative to |theta|.
    pub(super) tolerance: f64,
    /// Restarts allowed, at least one.
    pub(super) iterations: usize,
}

/// What ARPACK asks of its caller; places in the work array, vectors have length n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// y = T x.
    Apply,
    /// y = T x where G x is known.
    ApplyKnown,
    /// y = G x.
    Metric,
    /// Nothing more.
    Done,
    /// Something no routine documents for these settings.
    Unknown(i32),
}

/// Values and vectors as ARPACK returns them.
pub(super) struct Raw<T> {
    /// Values; their real parts for real nonsymmetric operators.
    pub(super) values: Vec<T>,
    /// Imaginary parts for real nonsymmetric operators, else empty.
    pub(super) imaginary: Vec<f64>,
    /// Vectors by columns of length n.
    pub(super) vectors: Vec<T>,
    /// Code of the extraction.
    pub(super) info: i32,
}
