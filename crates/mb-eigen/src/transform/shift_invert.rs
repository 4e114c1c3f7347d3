//! Shift-invert operators on displacements or displacements and velocities for problems of any kind.
//!
//! ```text
//! squared    C = 0:  (K + tau_0 M) x' + Phi_q^T l = -M x,                        tau = s^2
//! first      M = 0:  (K + s_0 C) x' + Phi_q^T l = -C x,                          tau = s
//! companion  (s_0^2 M + s_0 C + K) x' + Phi_q^T l = -(M v + (C + s_0 M) x),  v' = x + s_0 x',   tau = s
//! ```
//!
//! The companion form makes one new vector x' only: its Krylov basis is kept on two levels ([`crate::krylov::SecondOrder`]).
//!
//! T x = theta x with theta = 1 / (tau - tau_0). Multipliers are eliminated inside the solve, velocities satisfy Phi_q v = 0
//! by themselves; v is kept in units of a frequency gamma, v = gamma v~, so that both halves have one size. From T z = theta z
//! the multipliers of the eigenvalue are l / theta. Sizes: z of length n, or 2 n for the companion.

use std::sync::Arc;

use faer::{Mat, MatRef};
use mb_algebra::{Dense, DenseC, Lu, c64};

use super::factors::{Effort, ShiftSolve, by_parts};
use crate::EigenError;
use crate::krylov::scalar::{product, real_map};
use crate::krylov::{Operator, Scalar, SecondOrder};
use crate::numeric::equilibrated;
use crate::numeric::vectors::magnitudes;
use crate::problem::Problem;
use crate::tuning;

/// How the quadratic problem is made linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// tau = s^2.
    Squared,
    /// tau = s, no mass.
    First,
    /// tau = s, with velocities.
    Companion,
}

impl Form {
    /// The smallest form that holds all eigenvalues.
    pub(crate) fn of(problem: &Problem) -> Self {
        Self::with(!problem.m.is_zero(), !problem.undamped())
    }

    /// The same by whether there is any mass and any damping.
    pub(crate) fn with(mass: bool, damping: bool) -> Self {
        match (mass, damping) {
            (_, false) => Self::Squared,
            (false, true) => Self::First,
            (true, true) => Self::Companion,
        }
    }

    /// tau of a point s.
    pub(crate) fn tau(self, s: c64) -> c64 {
        if self == Self::Squared { s * s } else { s }
    }

    /// Radius in tau around a shift that holds all eigenvalues within r of a point.
    pub(crate) fn needed(self, shift: c64, point: c64, r: f64) -> f64 {
        if self == Self::Squared {
            r * (2.0 * point.norm() + r) + (point * point - shift).norm()
        } else {
            r + (point - shift).norm()
        }
    }

    /// Coefficients of M and C in the shifted matrix.
    pub(crate) fn coefficients(self, tau: c64) -> (c64, c64) {
        let zero = c64::new(0.0, 0.0);
        match self {
            Self::Squared => (tau, zero),
            Self::First => (zero, tau),
            Self::Companion => (tau * tau, tau),
        }
    }
}

/// Factors at one shift; real where the shift is.
#[derive(Clone)]
pub(crate) enum Solver {
    Real(Arc<dyn ShiftSolve<f64>>),
    Complex(Arc<dyn ShiftSolve<c64>>),
}

/// T at one shift, of the problem or of its transpose.
pub(crate) struct LinearForm<'a> {
    /// The problem, transposed where `transposed`.
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) form: Form,
    pub(crate) tau: c64,
    pub(crate) gamma: f64,
    pub(crate) solver: Solver,
    /// Whether the solver's matrix is to be transposed.
    pub(crate) transposed: bool,
}

impl LinearForm<'_> {
    /// Length of the vectors.
    pub(crate) fn length(&self) -> usize {
        if self.form == Form::Companion { 2 * self.problem.n } else { self.problem.n }
    }

    /// T Z and the multipliers.
    fn apply_with<T: Solves>(&self, z: &Mat<T>, effort: Effort) -> Result<(Mat<T>, Mat<T>), EigenError> {
        let (problem, n, p) = (self.problem, self.problem.n, z.ncols());
        match self.form {
            Form::Squared => T::solve(self, &minus(problem.m.mul(z)), effort),
            Form::First => T::solve(self, &minus(problem.c.mul(z)), effort),
            Form::Companion => {
                let half = |at: usize| z.as_ref().subrows(at * n, n).to_owned();
                let (x, v) = (half(0), half(1));
                let (next, l) = T::solve(self, &self.force(&x, &v), effort)?;
                let by = self.combination::<T>();
                let mut out = Mat::zeros(2 * n, p);
                for j in 0..p {
                    let parts = || x.col_as_slice(j).iter().zip(v.col_as_slice(j)).zip(next.col_as_slice(j));
                    let (top, low) = out.col_as_slice_mut(j).split_at_mut(n);
                    for (out, by) in [(top, by[0]), (low, by[1])] {
                        out.iter_mut()
                            .zip(parts())
                            .for_each(|(out, ((x, v), w))| *out = by[0] * *x + by[1] * *v + by[2] * *w);
                    }
                }
                Ok((out, l))
            }
        }
    }

    /// -(M (v + s_0 x) + C x) of the companion form.
    fn force<T: Scalar>(&self, x: &Mat<T>, v: &Mat<T>) -> Mat<T> {
        let (problem, shift) = (self.problem, T::from_complex(self.tau));
        let momentum =
            Mat::from_fn(problem.n, x.ncols(), |i, j| v[(i, j)].times(self.gamma) + shift * x[(i, j)]);
        let mut f = problem.m.mul(&momentum);
        f += problem.c.mul(x);
        minus(f)
    }

    /// x' and v' of the companion form in terms of x, v and the solution.
    fn combination<T: Scalar>(&self) -> [[T; 3]; 2] {
        let (zero, by) = (T::default(), self.gamma.recip());
        [[zero, zero, T::real(1.0)], [T::real(by), zero, T::from_complex(self.tau).times(by)]]
    }

    /// T Z with multipliers for complex vectors, whatever the factors are; refined.
    pub(crate) fn apply_refined(&self, z: &DenseC) -> Result<(DenseC, DenseC), EigenError> {
        self.apply_with(z, Effort::Final)
    }
}

/// Numbers of right-hand sides that the factors of a form are asked to solve for.
pub(crate) trait Solves: Scalar {
    /// x and multipliers of [`LinearForm::solver`].
    fn solve(
        form: &LinearForm<'_>,
        f: &Mat<Self>,
        effort: Effort,
    ) -> Result<(Mat<Self>, Mat<Self>), EigenError>;
}

impl Solves for f64 {
    /// The shift is real.
    fn solve(form: &LinearForm<'_>, f: &Dense, effort: Effort) -> Result<(Dense, Dense), EigenError> {
        let Solver::Real(solver) = &form.solver else {
            return Err(EigenError::BadSetting {
                setting: "The imaginary part of the shift of a real operator",
                value: form.tau.im,
                needed: "zero",
            });
        };
        let solution = solver.solve(f, form.transposed, effort)?;
        Ok((solution.x, solution.l))
    }
}

impl Solves for c64 {
    /// Whatever the factors are.
    fn solve(form: &LinearForm<'_>, f: &DenseC, effort: Effort) -> Result<(DenseC, DenseC), EigenError> {
        match &form.solver {
            Solver::Complex(solver) => {
                let solution = solver.solve(f, form.transposed, effort)?;
                Ok((solution.x, solution.l))
            }
            Solver::Real(_) => by_parts(f, |parts| f64::solve(form, parts, effort)),
        }
    }
}

/// -F.
fn minus<T: Scalar>(mut f: Mat<T>) -> Mat<T> {
    for j in 0..f.ncols() {
        f.col_as_slice_mut(j).iter_mut().for_each(|v| *v = -*v);
    }
    f
}

impl<T: Solves> Operator<T> for LinearForm<'_> {
    fn size(&self) -> usize {
        self.length()
    }

    fn apply(&self, v: &Mat<T>) -> Result<Mat<T>, EigenError> {
        Ok(self.apply_with(v, Effort::Krylov)?.0)
    }
}

/// Projector along the invariant subspace of the zeros: z - Z (V^T Z)^-1 V^T z with real Z and V = B^T W, W the left
/// deflating subspace.
#[derive(Clone, Debug)]
pub(crate) struct Projector {
    z: Dense,
    /// V (V^T Z)^-T.
    dual: Dense,
}

impl Projector {
    /// None when Z and V are not dual to each other, which longer chains cause.
    pub(crate) fn new(z: Dense, v: &Dense) -> Option<Self> {
        let gram = f64::adjoint_product(v.as_ref(), z.as_ref());
        // Of the sizes of their terms: where damping is small next to the masses the columns of V are large, and those of Z do not meet that.
        let terms = f64::adjoint_product(magnitudes(v).as_ref(), magnitudes(&z).as_ref());
        let [by_v, by_z] = equilibrated::of_both_sides(&terms);
        let p = z.ncols();
        // (V^T Z)^T in even columns; its inverse from the right turns V to the dual basis.
        let scaled = Dense::from_fn(p, p, |i, j| gram[(j, i)] * by_v[j] * by_z[i]);
        let lu = Lu::new(&scaled).ok().filter(|lu| p == 0 || lu.rcond() > tuning::EPS_3_4)?;
        let inverse = lu.solve_mat(&mb_algebra::dense::identity(p));
        let turn = Dense::from_fn(p, p, |i, j| by_v[i] * inverse[(i, j)] * by_z[j]);
        Some(Self { dual: product(v.as_ref(), turn.as_ref()), z })
    }

    /// Z and its dual basis.
    fn parts(&self) -> (MatRef<'_, f64>, MatRef<'_, f64>) {
        (self.z.as_ref(), self.dual.as_ref())
    }

    pub(crate) fn apply<T: Scalar>(&self, w: &mut Mat<T>) {
        for _ in 0..2 {
            let shares = real_map(w.as_ref(), |w| f64::adjoint_product(self.dual.as_ref(), w.as_ref()));
            *w -= real_map(shares.as_ref(), |shares| product(self.z.as_ref(), shares.as_ref()));
        }
    }
}

/// T without the zeros: P T P. It commutes with P, so that its other eigenvectors are those of T; and the input is free of
/// rigid motion, which T would blow up.
pub(crate) struct Deflated<'a> {
    pub(crate) inner: &'a LinearForm<'a>,
    pub(crate) projector: Option<&'a Projector>,
}

impl Deflated<'_> {
    fn project<T: Scalar>(&self, w: &mut Mat<T>) {
        if let Some(projector) = self.projector {
            projector.apply(w);
        }
    }

    /// P T P Z with the multipliers of T P Z, refined.
    pub(crate) fn apply_refined(&self, z: &DenseC) -> Result<(DenseC, DenseC), EigenError> {
        let mut z = z.clone();
        self.project(&mut z);
        let (mut w, l) = self.inner.apply_refined(&z)?;
        self.project(&mut w);
        Ok((w, l))
    }
}

impl<T: Solves> Operator<T> for Deflated<'_> {
    fn size(&self) -> usize {
        self.inner.length()
    }

    fn apply(&self, v: &Mat<T>) -> Result<Mat<T>, EigenError> {
        let mut v = v.clone();
        self.project(&mut v);
        let mut w = self.inner.apply(&v)?;
        self.project(&mut w);
        Ok(w)
    }
}

impl<T: Solves> SecondOrder<T> for Deflated<'_> {
    fn direction(&self, x: &Mat<T>, v: &Mat<T>) -> Result<Mat<T>, EigenError> {
        Ok(T::solve(self.inner, &self.inner.force(x, v), Effort::Krylov)?.0)
    }

    fn halves(&self) -> [[T; 3]; 2] {
        self.inner.combination()
    }

    fn left_out(&self) -> Option<(MatRef<'_, f64>, MatRef<'_, f64>)> {
        self.projector.map(Projector::parts)
    }
}
