//! The calls into ARPACK-NG; all `unsafe` code of the crate stands here and in [`super::library`].
//!
//! ARPACK keeps state of its own between the calls of one reverse communication, so that two runs at a time spoil each
//! other, whatever their kind. A [`Run`] therefore owns the lock of the process from its first call to its last;
//! nothing of this module can be called without it. Array lengths are set in [`Run::new`] and cannot change.
#![expect(unsafe_code, reason = "ARPACK-NG has a C interface")]

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mb_algebra::c64;

use super::exchange::{Ask, Raw, Sizes};
use super::library::Library;
use crate::krylov::Scalar;

/// One run at a time in the whole process.
static LOCK: Mutex<()> = Mutex::new(());

/// LM: largest magnitude.
const LARGEST: &std::ffi::CStr = c"LM";
/// All Ritz vectors.
const ALL: &std::ffi::CStr = c"A";

/// One of the three families of routines.
pub(super) trait Family {
    /// Numbers of the vectors.
    type Number: Scalar;
    /// Names of the iteration and of the extraction.
    const ROUTINES: [&'static str; 2];
    /// Smallest ncv - nev.
    const ROOM: usize;
    /// B of the inner product, I or G, and the mode.
    const INNER: (&'static std::ffi::CStr, c_int);
    /// Length of WORKL.
    fn workspace(ncv: usize) -> usize;
    /// One step of the iteration.
    fn step(run: &mut Run<Self>)
    where
        Self: Sized;
    /// Values and vectors after the last step.
    fn extract(run: &mut Run<Self>) -> Raw<Self::Number>
    where
        Self: Sized;
}

/// dsaupd, dseupd in mode 3: T symmetric in the inner product of G.
pub(super) struct Symmetric;
/// dnaupd, dneupd in mode 1.
pub(super) struct Real;
/// znaupd, zneupd in mode 1.
pub(super) struct Complex;

/// One reverse communication from start to end.
pub(super) struct Run<F: Family> {
    library: &'static Library,
    ido: c_int,
    n: c_int,
    nev: c_int,
    ncv: c_int,
    tolerance: f64,
    /// n.
    resid: Vec<F::Number>,
    /// n x ncv.
    v: Vec<F::Number>,
    /// 3 n.
    workd: Vec<F::Number>,
    /// As the family says.
    workl: Vec<F::Number>,
    workl_length: c_int,
    /// ncv; for complex operators only.
    rwork: Vec<f64>,
    iparam: [c_int; 11],
    /// The symmetric routines use eleven of them.
    ipntr: [c_int; 14],
    info: c_int,
    _lock: MutexGuard<'static, ()>,
}

impl<F: Family> Run<F> {
    /// Waits for the lock and prepares a run from a start vector. None when sizes are out of range: needed are
    /// 0 < nev, nev + room <= ncv <= n, and all arrays countable by a C int.
    pub(super) fn new(library: &'static Library, sizes: &Sizes, start: &[F::Number]) -> Option<Self> {
        let Sizes { n, nev, ncv, tolerance, iterations } = *sizes;
        let length = F::workspace(ncv);
        if nev == 0 || nev + F::ROOM > ncv || ncv > n || start.len() != n || iterations == 0 {
            return None;
        }
        let int = |size: usize| c_int::try_from(size).ok();
        let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let zeros = |count: usize| vec![F::Number::default(); count];
        let mut iparam = [0; 11];
        // Exact shifts, restarts, block size one, mode.
        iparam[0] = 1;
        iparam[2] = int(iterations)?;
        iparam[3] = 1;
        iparam[6] = F::INNER.1;
        Some(Self {
            library,
            ido: 0,
            n: int(n)?,
            nev: int(nev)?,
            ncv: int(ncv)?,
            tolerance,
            resid: start.to_vec(),
            v: zeros(n * ncv),
            workd: zeros(int(3 * n).map(|_| 3 * n)?),
            workl: zeros(length),
            workl_length: int(length)?,
            rwork: vec![0.0; ncv],
            iparam,
            ipntr: [0; 14],
            // The start vector is given.
            info: 1,
            _lock: lock,
        })
    }

    /// Goes on to the next request.
    pub(super) fn step(&mut self) -> Ask {
        F::step(self);
        match self.ido {
            -1 => Ask::Apply,
            1 => Ask::ApplyKnown,
            2 => Ask::Metric,
            99 => Ask::Done,
            other => Ask::Unknown(other),
        }
    }

    /// x of the present request.
    pub(super) fn operand(&self) -> &[F::Number] {
        self.vector(0)
    }

    /// G x where it is known, in the inner product of G.
    pub(super) fn metric_of_operand(&self) -> &[F::Number] {
        self.vector(2)
    }

    /// n, nev, ncv.
    fn sizes(&self) -> (usize, usize, usize) {
        (self.resid.len(), usize::try_from(self.nev).unwrap_or(0), self.rwork.len())
    }

    fn vector(&self, pointer: usize) -> &[F::Number] {
        let n = self.resid.len();
        let from = place(self.ipntr[pointer]).min(2 * n);
        &self.workd[from..from + n]
    }

    /// Sets y of the present request.
    pub(super) fn set_result(&mut self, y: &[F::Number]) {
        let n = self.resid.len();
        let from = place(self.ipntr[1]).min(2 * n);
        self.workd[from..from + n].copy_from_slice(y);
    }

    /// Code of the last step.
    pub(super) fn info(&self) -> i32 {
        self.info
    }

    /// Eigenpairs wanted.
    pub(super) fn wanted(&self) -> usize {
        self.sizes().1
    }

    /// Restarts made.
    pub(super) fn iterations(&self) -> usize {
        usize::try_from(self.iparam[2]).unwrap_or(0)
    }

    /// Eigenpairs that converged; the dimension of the basis when info is -9999.
    pub(super) fn converged(&self) -> usize {
        usize::try_from(self.iparam[4]).unwrap_or(0)
    }

    /// All Ritz values of the last basis.
    pub(super) fn estimates(&self) -> Vec<c64> {
        let ncv = self.rwork.len();
        let part = |pointer: usize| {
            let from = place(self.ipntr[pointer]);
            self.workl.get(from..from + ncv).unwrap_or_default()
        };
        let real = part(5);
        // The real nonsymmetric routines keep imaginary parts in an array of their own.
        if F::Number::REAL && F::ROUTINES[0] == Real::ROUTINES[0] {
            let pairs = real.iter().zip(part(6));
            pairs.map(|(re, im)| c64::new(re.complex().re, im.complex().re)).collect()
        } else {
            real.iter().map(|z| z.complex()).collect()
        }
    }
}

/// Fortran's place, from 1, as an index from 0.
fn place(pointer: c_int) -> usize {
    usize::try_from(pointer).unwrap_or(1).saturating_sub(1)
}

/// A call of a routine of `$run` with the arguments that all routines share, in their order, between those in front and those before the
/// information code.
macro_rules! call {
    ($run:ident.$routine:ident($($first:expr),*; $($last:expr),*)) => {
        ($run.library.$routine)(
            $($first,)*
            Self::INNER.0.as_ptr(),
            $run.n,
            LARGEST.as_ptr(),
            $run.nev,
            $run.tolerance,
            $run.resid.as_mut_ptr(),
            $run.ncv,
            $run.v.as_mut_ptr(),
            $run.n,
            $run.iparam.as_mut_ptr(),
            $run.ipntr.as_mut_ptr(),
            $run.workd.as_mut_ptr(),
            $run.workl.as_mut_ptr(),
            $run.workl_length,
            $($last),*
        )
    };
}

impl Family for Symmetric {
    type Number = f64;
    const ROUTINES: [&'static str; 2] = ["dsaupd", "dseupd"];
    const ROOM: usize = 1;
    const INNER: (&'static std::ffi::CStr, c_int) = (c"G", 3);

    fn workspace(ncv: usize) -> usize {
        ncv * (ncv + 8)
    }

    fn step(run: &mut Run<Self>) {
        // SAFETY: the arrays have the lengths dsaupd's documentation asks for (n, n ncv, 11, 11, 3 n, ncv (ncv + 8)), live
        // as long as `run`, and belong to it alone; its lock keeps others out of ARPACK's own state.
        unsafe { call!(run.dsaupd(&raw mut run.ido; &raw mut run.info)) };
    }

    fn extract(run: &mut Run<Self>) -> Raw<f64> {
        let (n, nev, ncv) = run.sizes();
        let mut values = vec![0.0; nev + 1];
        let mut vectors = vec![0.0; n * (nev + 1)];
        let select = vec![0; ncv];
        let mut info = 0;
        // SAFETY: as in `step`, of which this is the continuation with the same arguments; d has at least nev entries, z
        // is n x nev, select has ncv. sigma = 0 makes d = 1 / theta.
        unsafe {
            call!(run.dseupd(
                1, ALL.as_ptr(), select.as_ptr(), values.as_mut_ptr(), vectors.as_mut_ptr(), run.n, 0.0;
                &raw mut info
            ));
        }
        let values = values.iter().map(|d| d.recip()).collect();
        Raw { values, imaginary: Vec::new(), vectors, info }
    }
}

impl Family for Real {
    type Number = f64;
    const ROUTINES: [&'static str; 2] = ["dnaupd", "dneupd"];
    const ROOM: usize = 2;
    const INNER: (&'static std::ffi::CStr, c_int) = (c"I", 1);

    fn workspace(ncv: usize) -> usize {
        3 * ncv * (ncv + 2)
    }

    fn step(run: &mut Run<Self>) {
        // SAFETY: the arrays have the lengths dnaupd's documentation asks for (n, n ncv, 11, 14, 3 n, 3 ncv (ncv + 2)), live
        // as long as `run`, and belong to it alone; its lock keeps others out of ARPACK's own state.
        unsafe { call!(run.dnaupd(&raw mut run.ido; &raw mut run.info)) };
    }

    fn extract(run: &mut Run<Self>) -> Raw<f64> {
        let (n, nev, ncv) = run.sizes();
        // A conjugate pair at the end may make them one more.
        let (mut values, mut imaginary) = (vec![0.0; nev + 1], vec![0.0; nev + 1]);
        let mut vectors = vec![0.0; n * (nev + 1)];
        let select = vec![0; ncv];
        let mut workev = vec![0.0; 3 * ncv];
        let mut info = 0;
        // SAFETY: as in `step`, of which this is the continuation with the same arguments; dr and di have nev + 1 entries,
        // z is n x (nev + 1), select has ncv, workev 3 ncv.
        unsafe {
            call!(run.dneupd(
                1, ALL.as_ptr(), select.as_ptr(), values.as_mut_ptr(), imaginary.as_mut_ptr(),
                vectors.as_mut_ptr(), run.n, 0.0, 0.0, workev.as_mut_ptr();
                &raw mut info
            ));
        }
        Raw { values, imaginary, vectors, info }
    }
}

impl Family for Complex {
    type Number = c64;
    const ROUTINES: [&'static str; 2] = ["znaupd", "zneupd"];
    const ROOM: usize = 2;
    const INNER: (&'static std::ffi::CStr, c_int) = (c"I", 1);

    fn workspace(ncv: usize) -> usize {
        ncv * (3 * ncv + 5)
    }

    fn step(run: &mut Run<Self>) {
        // SAFETY: the arrays have the lengths znaupd's documentation asks for (n, n ncv, 11, 14, 3 n, ncv (3 ncv + 5), ncv),
        // live as long as `run`, and belong to it alone; its lock keeps others out of ARPACK's own state. c64 is two f64,
        // real part first, as C's double complex.
        unsafe { call!(run.znaupd(&raw mut run.ido; run.rwork.as_mut_ptr(), &raw mut run.info)) };
    }

    fn extract(run: &mut Run<Self>) -> Raw<c64> {
        let (n, nev, ncv) = run.sizes();
        let mut values = vec![c64::default(); nev + 1];
        let mut vectors = vec![c64::default(); n * (nev + 1)];
        let select = vec![0; ncv];
        let mut workev = vec![c64::default(); 3 * ncv];
        let mut info = 0;
        // SAFETY: as in `step`, of which this is the continuation with the same arguments; d has nev + 1 entries, z is
        // n x (nev + 1), select has ncv, workev 3 ncv (2 are asked for).
        unsafe {
            call!(run.zneupd(
                1, ALL.as_ptr(), select.as_ptr(), values.as_mut_ptr(), vectors.as_mut_ptr(), run.n,
                c64::default(), workev.as_mut_ptr();
                run.rwork.as_mut_ptr(), &raw mut info
            ));
        }
        Raw { values, imaginary: Vec::new(), vectors, info }
    }
}
