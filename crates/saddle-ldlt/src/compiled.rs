//! The work behind [`super::SaddleFactor`], by its numbers.
//!
//! What is generic is compiled in every crate that names it. These functions are not: for real and for complex numbers they are compiled once,
//! here, and the crates that factor have calls alone.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};

use super::SaddleAnalysis;
use super::fallback::Fallback;
use super::methods::Factored;
use super::symmetric_storage::Stored;
use mb_algebra::{AlgebraError, FactorMethod as Method, Sparse, c64};

/// Solutions X and L.
type Solutions<T> = (Mat<T>, Mat<T>);

/// Numbers whose factors are compiled here.
pub(super) trait Compiled: Fallback {
    /// As [`Factored::new`].
    fn factored(
        analysis: &Arc<SaddleAnalysis>,
        a: Stored<Self>,
        g: Sparse,
        first: Method,
    ) -> Result<Factored<Self>, AlgebraError>;
    /// As [`Factored::solve_one`].
    fn solve_one(by: &Factored<Self>, f: &[Self], g: &[Self])
    -> Result<(Vec<Self>, Vec<Self>), AlgebraError>;
    /// As [`Factored::solve_many`].
    fn solve_many(
        by: &Factored<Self>,
        f: &Mat<Self>,
        g: Option<&Mat<Self>>,
        transposed: bool,
    ) -> Result<Solutions<Self>, AlgebraError>;
    /// As [`Factored::solve_step`].
    fn solve_step(
        by: &Factored<Self>,
        right: (MatRef<'_, Self>, Option<MatRef<'_, Self>>),
        x: MatMut<'_, Self>,
        l: Option<MatMut<'_, Self>>,
    ) -> Result<(), AlgebraError>;
    /// As [`super::inertia::ln_determinant`].
    fn ln_determinant(analysis: &SaddleAnalysis, a: Stored<Self>, g: Sparse) -> Option<Self>;
}

macro_rules! compiled {
    ($($number:ty),*) => {$(
        impl Compiled for $number {
            fn factored(
                analysis: &Arc<SaddleAnalysis>,
                a: Stored<Self>,
                g: Sparse,
                first: Method,
            ) -> Result<Factored<Self>, AlgebraError> {
                Factored::new(analysis, a, g, first)
            }
            fn solve_one(by: &Factored<Self>, f: &[Self], g: &[Self]) -> Result<(Vec<Self>, Vec<Self>), AlgebraError> {
                by.solve_one(f, g)
            }
            fn solve_many(
                by: &Factored<Self>,
                f: &Mat<Self>,
                g: Option<&Mat<Self>>,
                transposed: bool,
            ) -> Result<Solutions<Self>, AlgebraError> {
                by.solve_many(f, g, transposed)
            }
            fn solve_step(
                by: &Factored<Self>,
                right: (MatRef<'_, Self>, Option<MatRef<'_, Self>>),
                x: MatMut<'_, Self>,
                l: Option<MatMut<'_, Self>>,
            ) -> Result<(), AlgebraError> {
                by.solve_step(right, x, l)
            }
            fn ln_determinant(analysis: &SaddleAnalysis, a: Stored<Self>, g: Sparse) -> Option<Self> {
                super::inertia::ln_determinant(analysis, a, g)
            }
        }
    )*};
}

compiled!(f64, c64);
