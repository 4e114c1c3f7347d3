//! Krylov methods behind one trait, blind to where the operator comes from.
//!
//! All methods look for the eigenvalues theta of largest magnitude of an operator that is given by its action on
//! blocks of vectors. With a shift-invert operator these are the eigenvalues nearest to the shift.
//!
//! A [`KrylovDriver`] gets the operator and gives Ritz pairs; shifts, deflation, multipliers, counts and certificates are
//! the callers' and the same for every driver.
//!
//! [`BuiltIn`] holds thick-restart block Lanczos for symmetric operators in a (semi-definite) inner product and
//! block Krylov-Schur for all others, on two levels (`toar`) for quadratic problems. It is deterministic and re-entrant. Start vectors are taken through
//! the operator first: they then lie in its range, where multipliers and directions without mass follow their
//! unknowns (Nour-Omid, Parlett, Ericsson, Jensen, Math. Comp. 48, 1987).
//! [`ArpackNg`] is implicitly restarted Lanczos and Arnoldi of ARPACK-NG, where the machine has it.

mod arpack;
mod basis;
pub(crate) mod davidson;
pub(crate) mod gram_schmidt;
mod krylov_schur;
mod lanczos;
mod orthogonalize;
pub(crate) mod scalar;
pub(crate) mod schur;
pub(crate) mod tall_skinny;
mod toar;

use faer::{Mat, MatMut, MatRef};
use mb_algebra::{Dense, DenseC, c64};

use crate::EigenError;

pub use arpack::ArpackNg;
pub use scalar::Scalar;

/// An operator T that is symmetric in a semi-inner product, x^T G T y = (T x)^T G y, with G symmetric and positive
/// semi-definite; G is M for S^-1 M.
pub trait SymmetricOperator: Sync {
    /// Length of its vectors.
    fn size(&self) -> usize;
    /// T V for a block of columns V, of which G V is known.
    fn apply(&self, v: MatRef<'_, f64>, gv: MatRef<'_, f64>) -> Result<Dense, EigenError>;
    /// G V for a block of columns V.
    fn metric(&self, v: &Dense) -> Dense;
    /// As [`SymmetricOperator::apply`] into columns of an array that holds anything; for operators that need not ask for memory.
    fn apply_into(
        &self,
        v: MatRef<'_, f64>,
        gv: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), EigenError> {
        out.copy_from(self.apply(v, gv)?);
        Ok(())
    }
    /// As [`SymmetricOperator::metric`] into an array of the same shape that holds anything.
    fn metric_into(&self, v: MatRef<'_, f64>, out: &mut Dense) {
        *out = self.metric(&v.to_owned());
    }
}

/// Any linear operator on real or complex vectors.
pub trait Operator<T: Scalar>: Sync {
    /// Length of its vectors.
    fn size(&self) -> usize;
    /// T V for a block of columns V.
    fn apply(&self, v: &Mat<T>) -> Result<Mat<T>, EigenError>;
}

/// An operator T on pairs z = (x, v) that makes one new vector only:
///
/// ```text
/// w = A (x, v),   T (x, v) = (a_0 x + a_1 v + a_2 w, b_0 x + b_1 v + b_2 w)
/// ```
///
/// as the linear forms of quadratic problems do. As an [`Operator`] it takes vectors of length 2 n, x above v.
pub trait SecondOrder<T: Scalar>: Operator<T> {
    /// w for blocks of columns X and V, n x p each.
    fn direction(&self, x: &Mat<T>, v: &Mat<T>) -> Result<Mat<T>, EigenError>;
    /// a and b.
    fn halves(&self) -> [[T; 3]; 2];
    /// Z and D, 2 n x p: T stands for P T P with P = I - Z D^T, D^T Z = I; [`SecondOrder::direction`] leaves P out.
    fn left_out(&self) -> Option<(MatRef<'_, f64>, MatRef<'_, f64>)>;
}

/// What a driver is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// How many eigenvalues of largest magnitude.
    pub count: usize,
    /// Residual of a converged eigenpair, relative to |theta|.
    pub tolerance: f64,
    /// Columns the operator is applied to at once; a driver for single vectors ignores it.
    pub block: usize,
    /// Largest dimension of the basis; none for a default by count and block.
    pub subspace: Option<usize>,
    /// Restarts before the driver gives up.
    pub restarts: usize,
    /// Distinguishes start blocks, so that a second search does not repeat the first.
    pub salt: u64,
}

/// Eigenpairs of an operator, largest |theta| first.
#[derive(Clone, Debug)]
pub struct Ritz<V, M> {
    /// theta of the converged eigenpairs.
    pub values: Vec<V>,
    /// Their vectors as columns.
    pub vectors: M,
    /// All Ritz values of the last basis, converged or not; empty where a driver does not report them.
    pub estimates: Vec<V>,
    /// Whether the whole range of the operator was spanned: there are no further nonzero theta.
    pub exhausted: bool,
    /// Columns the operator was applied to.
    pub applications: usize,
    /// Restarts made.
    pub restarts: usize,
    /// What the driver has to say in addition to that.
    pub remarks: Vec<Remark>,
}

/// What a driver reports of a run that is no failure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// An information code of ARPACK-NG.
    Arpack {
        /// Routine that returned it.
        routine: &'static str,
        /// The code.
        info: i32,
        /// What it means.
        meaning: &'static str,
        /// Eigenpairs that converged.
        converged: usize,
        /// Eigenpairs that were wanted.
        wanted: usize,
    },
    /// The built-in driver answered in place of another.
    BuiltInInstead {
        /// What the other cannot do.
        reason: &'static str,
    },
}

impl<V: Copy, T: scalar::Scalar> Ritz<V, Mat<T>> {
    /// Leaves out the eigenpairs whose theta is not wanted; whether there were any.
    pub(crate) fn keep(&mut self, wanted: impl Fn(&V) -> bool) -> bool {
        let kept: Vec<usize> = (0..self.values.len()).filter(|&j| wanted(&self.values[j])).collect();
        let others = kept.len() < self.values.len();
        if others {
            self.vectors = scalar::pick(&self.vectors, &kept);
            self.values = kept.iter().map(|&j| self.values[j]).collect();
        }
        others
    }
}

impl RitzReal {
    /// The answer for an operator on vectors of length n that is zero.
    pub(crate) fn none(n: usize) -> Self {
        Self {
            values: Vec::new(),
            vectors: Dense::zeros(n, 0),
            estimates: Vec::new(),
            exhausted: true,
            applications: 0,
            restarts: 0,
            remarks: Vec::new(),
        }
    }
}

/// Eigenpairs of a symmetric operator.
pub type RitzReal = Ritz<f64, Dense>;
/// Eigenpairs of any operator.
pub type RitzComplex = Ritz<c64, DenseC>;

/// A Krylov eigensolver. Eigenpairs that did not converge are left out; their absence is no error.
pub trait KrylovDriver: Sync {
    /// Name for reports.
    fn name(&self) -> &'static str;
    /// Eigenpairs of a symmetric operator; vectors M-orthonormal.
    ///
    /// `start`: directions rich in wanted vectors, where the caller has some.
    fn symmetric(
        &self,
        operator: &dyn SymmetricOperator,
        start: Option<&Dense>,
        wanted: &Wanted,
    ) -> Result<RitzReal, EigenError>;
    /// Eigenpairs of a real operator; conjugates are adjacent and both present.
    fn real(&self, operator: &dyn Operator<f64>, wanted: &Wanted) -> Result<RitzComplex, EigenError>;
    /// Eigenpairs of a complex operator.
    fn complex(&self, operator: &dyn Operator<c64>, wanted: &Wanted) -> Result<RitzComplex, EigenError>;
    /// As [`KrylovDriver::real`] for an operator on pairs; a driver that has nothing better takes them as vectors of
    /// length 2 n.
    fn real_pairs(
        &self,
        operator: &dyn SecondOrder<f64>,
        wanted: &Wanted,
    ) -> Result<RitzComplex, EigenError> {
        self.real(operator, wanted)
    }
    /// As [`KrylovDriver::complex`] for an operator on pairs.
    fn complex_pairs(
        &self,
        operator: &dyn SecondOrder<c64>,
        wanted: &Wanted,
    ) -> Result<RitzComplex, EigenError> {
        self.complex(operator, wanted)
    }
}

/// Block Lanczos and block Krylov-Schur of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl KrylovDriver for BuiltIn {
    fn name(&self) -> &'static str {
        "built-in block Lanczos and Krylov-Schur"
    }

    fn symmetric(
        &self,
        operator: &dyn SymmetricOperator,
        start: Option<&Dense>,
        wanted: &Wanted,
    ) -> Result<RitzReal, EigenError> {
        lanczos::solve(operator, start, wanted)
    }

    fn real(&self, operator: &dyn Operator<f64>, wanted: &Wanted) -> Result<RitzComplex, EigenError> {
        flat(operator, wanted)
    }

    fn complex(&self, operator: &dyn Operator<c64>, wanted: &Wanted) -> Result<RitzComplex, EigenError> {
        flat(operator, wanted)
    }

    fn real_pairs(
        &self,
        operator: &dyn SecondOrder<f64>,
        wanted: &Wanted,
    ) -> Result<RitzComplex, EigenError> {
        two_level(operator, wanted)
    }

    fn complex_pairs(
        &self,
        operator: &dyn SecondOrder<c64>,
        wanted: &Wanted,
    ) -> Result<RitzComplex, EigenError> {
        two_level(operator, wanted)
    }
}

fn flat<T: Scalar>(operator: &dyn Operator<T>, wanted: &Wanted) -> Result<RitzComplex, EigenError> {
    let columns = krylov_schur::columns::<T>(wanted, operator.size());
    krylov_schur::solve(&mut basis::Flat::new(operator, columns), wanted)
}

fn two_level<T: Scalar>(operator: &dyn SecondOrder<T>, wanted: &Wanted) -> Result<RitzComplex, EigenError> {
    let columns = krylov_schur::columns::<T>(wanted, operator.size());
    krylov_schur::solve(&mut toar::TwoLevel::new(operator, columns, wanted.block)?, wanted)
}

/// Columns in addition to twice what is wanted, and twice as many again at most, that narrow blocks take until all converge.
const NARROW: usize = 48;

impl Wanted {
    /// Largest basis for vectors of length n.
    pub(crate) fn dimension(&self, n: usize) -> usize {
        // Room for six blocks in addition to twice what is wanted, for narrow ones more: with less, restarts throw away half of the
        // solves. A basis that spans nearly all directions of a small problem would hold rounding errors.
        let usual = if n > 1000 {
            self.frugal().max(2 * self.count + NARROW.min(2 * self.count))
        } else {
            let least = (2 * self.count + self.block).max(self.count + 4 * self.block).max(16);
            least.max((2 * self.count + 6 * self.block).min(2 * n / 3))
        };
        self.subspace.unwrap_or(usual).max(self.count + 2 * self.block).min(n)
    }

    /// The basis of a large problem where memory is short: six blocks in addition to twice what is wanted.
    pub(crate) fn frugal(&self) -> usize {
        2 * self.count + 6 * self.block
    }

    /// Twice the basis for a search that did not converge, up to four times the first one; false when that is used up.
    pub(crate) fn enlarge(&mut self, first: Option<usize>, n: usize) -> bool {
        let limit = 4 * Self { subspace: first, ..*self }.dimension(n);
        let next = 2 * self.dimension(n);
        self.subspace = Some(next);
        next <= limit
    }
}
