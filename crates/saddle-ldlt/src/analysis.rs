//! Ordering and symbolic factorization, once for a pattern.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::available::memory_for;
use super::graph::{Quotient, is_symmetric};
use super::pattern::Csr;
use super::symbolic::Symbolic;
use super::{FactorEstimate, Method, SaddleError, SaddleOptions, ordering};
use mb_algebra::check_square;
use mb_algebra::convert::csc;
use mb_algebra::{AlgebraError, Sparse};

/// Order and structure of the factors of [A, G^T; G, 0] for one pattern of A and one of G.
///
/// Reused for any values, and by several threads.
#[derive(Clone, Debug)]
pub struct SaddleAnalysis {
    pub(super) options: SaddleOptions,
    pub(super) unknowns: usize,
    pub(super) g_cols: Csr,
    pub(super) g_rows: Csr,
    pub(super) augmented: Vec<bool>,
    pub(super) symbolic: Symbolic,
    nested_dissection: bool,
    /// Entries of the lower triangle of S.
    pub(super) entries: usize,
    /// Whether a count in single precision has failed ([`super::inertia_single`]).
    pub(super) short_fails: Arc<AtomicBool>,
}

impl SaddleAnalysis {
    /// Analyses the pattern of A (n x n, the union over all shifts; values do not matter) and of G (m x n).
    ///
    /// An unsymmetric pattern is completed. Errors: shapes that do not fit, more than 2^31 unknowns.
    pub fn new(pattern: &Sparse, phi_q: &Sparse, options: &SaddleOptions) -> Result<Self, AlgebraError> {
        let n = check_square("Saddle-point factorization", pattern.rows(), pattern.cols())?;
        check_columns(n, phi_q)?;
        let size = n + phi_q.rows();
        if size > i32::MAX as usize {
            return Err(SaddleError::TooManyEntries { entries: size }.into());
        }
        let mut a = Csr::of(&csc(pattern));
        if !is_symmetric(&a) {
            a = a.symmetrized();
        }
        let g_cols = Csr::of(&csc(phi_q));
        let g_rows = g_cols.transposed(phi_q.rows());
        let augmented: Vec<bool> =
            (0..g_rows.len()).map(|r| g_rows.row(r).len() <= options.augment_up_to).collect();
        let quotient = Quotient::new(&a, &g_cols, &g_rows, &augmented);
        let entries = a.entries().midpoint(n) + g_cols.entries();
        drop(a);
        let (symbolic, nested_dissection) = ordering::order(&quotient, &augmented, options.ordering)?;
        Ok(Self {
            options: options.clone(),
            unknowns: n,
            g_cols,
            g_rows,
            augmented,
            symbolic,
            nested_dissection,
            entries,
            short_fails: Arc::default(),
        })
    }

    /// Number of unknowns n.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// Number of constraints m.
    pub fn constraints(&self) -> usize {
        self.g_rows.len()
    }

    /// The options given.
    pub fn options(&self) -> &SaddleOptions {
        &self.options
    }

    /// What a factorization of this pattern costs.
    pub fn estimate(&self) -> FactorEstimate {
        let s = &self.symbolic;
        FactorEstimate {
            flops: s.flops,
            factor_nonzeros: s.panel_entries,
            bytes: self.bytes(size_of::<f64>()),
            method: Method::AugmentedLdl,
            nested_dissection: self.nested_dissection,
            supernodes: s.supernodes.len(),
        }
    }

    /// Peak of memory for numbers of `width` bytes.
    pub(super) fn bytes(&self, width: usize) -> u64 {
        let s = &self.symbolic;
        let numbers = s.work_entries + 4 * s.order.len();
        (numbers * width + 16 * s.order.len()) as u64
    }

    /// Refuses a factorization that does not fit in memory.
    pub(super) fn check_memory(&self, width: usize) -> Result<(), AlgebraError> {
        let needed_bytes = self.bytes(width);
        let Some(available_bytes) = memory_for(needed_bytes, self.options.memory_limit) else {
            return Ok(());
        };
        if needed_bytes <= available_bytes {
            return Ok(());
        }
        Err(SaddleError::OutOfMemory {
            unknowns: self.symbolic.order.len(),
            factor_nonzeros: self.symbolic.panel_entries,
            needed_bytes,
            available_bytes,
        }
        .into())
    }
}

pub(super) fn check_columns(n: usize, phi_q: &Sparse) -> Result<(), AlgebraError> {
    if phi_q.cols() == n {
        return Ok(());
    }
    Err(AlgebraError::ShapeMismatch {
        operation: "Saddle-point factorization",
        expected_rows: phi_q.rows(),
        expected_cols: n,
        rows: phi_q.rows(),
        cols: phi_q.cols(),
    })
}
