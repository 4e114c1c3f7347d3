//! ARPACK-NG: implicitly restarted Lanczos and Arnoldi by reverse communication.
//!
//! ```text
//! dsaupd   T symmetric in the inner product of G (mode 3):  T V = V H + r e^T,  V^T G V = I
//! dnaupd, znaupd   any real or complex T (mode 1):          T V = V H + r e^T,  V^H V = I
//! ```
//!
//! Lehoucq, Sorensen, Yang, ARPACK Users' Guide, SIAM 1998. The operator is that of the built-in driver (displacements or
//! displacements and velocities, deflated), and so are the requests for more, polishing, counts and certificates after it.
//!
//! - T is multiplied by a power of two that brings its largest theta near one: ARPACK's test of convergence takes
//!   theta below eps^(2/3) as if they were that large.
//! - The start vector is taken through T first, so that the basis lies in its range; values at rounding level show that the
//!   range is spanned and are left out.
//! - One run at a time in the process ([`ffi`]). Each runs on a thread of its own: a caller that waits inside
//!   a thread pool may be given another search, and that one must find the lock's owner at work, not beneath itself.
//! - One vector at a time: repeated eigenvalues come in through rounding or a further search; Sturm counts show them
//!   where they exist.
//! - ARPACK gives at most n - 1 (symmetric) or n - 2 eigenpairs of an operator of size n, and fails (-9999) when the range is
//!   smaller than its basis. There, in problems of a handful of unknowns, the built-in driver answers and says so.

mod codes;
mod exchange;
mod ffi;
mod library;

use faer::{Mat, MatRef};
use mb_algebra::sorted::descending;
use mb_algebra::{Dense, DenseC, c64};

use self::exchange::{Ask, Raw, Sizes};
use self::ffi::{Complex, Family, Real, Run, Symmetric};
use self::library::Library;
use super::scalar::{norm, start_block};
use super::{
    BuiltIn, KrylovDriver, Operator, Remark, Ritz, RitzComplex, RitzReal, Scalar, SymmetricOperator, Wanted,
};
use crate::EigenError;
use crate::tuning;

/// Smallest default dimension of the basis.
const BASIS: usize = 20;

/// ARPACK-NG of the system.
#[derive(Clone, Copy, Debug)]
pub struct ArpackNg {
    library: &'static Library,
}

impl ArpackNg {
    /// Loads the library.
    ///
    /// Errors: [`EigenError::NoArpack`].
    pub fn load() -> Result<Self, EigenError> {
        Library::get().map(|library| Self { library })
    }
}

impl KrylovDriver for ArpackNg {
    fn name(&self) -> &'static str {
        "ARPACK-NG"
    }

    fn symmetric(
        &self,
        operator: &dyn SymmetricOperator,
        start: Option<&Dense>,
        wanted: &Wanted,
    ) -> Result<RitzReal, EigenError> {
        let n = operator.size();
        let built_in = || BuiltIn.symmetric(operator, start, wanted).map(instead);
        if n <= Symmetric::ROOM {
            return built_in();
        }
        let first = match start {
            // A vector with a share of every direction the caller knows.
            Some(start) if start.ncols() > 0 => {
                Dense::from_fn(n, 1, |i, _| start.as_ref().row(i).iter().sum::<f64>())
            }
            _ => start_block(n, 1, wanted.salt),
        };
        let found = alone(|| {
            let apply = |x: MatRef<'_, f64>, gx: Option<MatRef<'_, f64>>| match gx {
                Some(gx) => operator.apply(x, gx),
                None => operator.apply(x, operator.metric(&x.to_owned()).as_ref()),
            };
            let metric = |x: MatRef<'_, f64>| operator.metric(&x.to_owned());
            search::<Symmetric>(self.library, &first, &apply, Some(&metric), wanted)
        })??;
        let Some(found) = found else { return built_in() };
        let values = &found.raw.values;
        let (order, zeros) = order(values, found.converged, wanted.count);
        Ok(Ritz {
            values: order.iter().map(|&j| values[j] / found.scale).collect(),
            vectors: Dense::from_fn(n, order.len(), |i, j| found.raw.vectors[order[j] * n + i]),
            estimates: found.estimates.iter().map(|z| z.re).collect(),
            exhausted: found.nothing || zeros,
            applications: found.applications,
            restarts: found.restarts,
            remarks: found.remarks,
        })
    }

    fn real(&self, operator: &dyn Operator<f64>, wanted: &Wanted) -> Result<RitzComplex, EigenError> {
        let n = operator.size();
        let built_in = || BuiltIn.real(operator, wanted).map(instead);
        if n < wanted.count + Real::ROOM || n <= Real::ROOM {
            return built_in();
        }
        let found = alone(|| {
            let apply = |x: MatRef<'_, f64>, _: Option<MatRef<'_, f64>>| operator.apply(&x.to_owned());
            search::<Real>(self.library, &start_block(n, 1, wanted.salt), &apply, None, wanted)
        })??;
        let Some(found) = found else { return built_in() };
        let raw = &found.raw;
        let values: Vec<c64> =
            raw.values.iter().zip(&raw.imaginary).map(|(re, im)| c64::new(*re, *im)).collect();
        let column = |j: usize| &raw.vectors[j * n..(j + 1) * n];
        // Of a conjugate pair the first column is the real part, the second the imaginary one.
        let entry = |i: usize, j: usize| {
            if values[j].im > 0.0 {
                c64::new(column(j)[i], column(j + 1)[i])
            } else if values[j].im < 0.0 {
                c64::new(column(j - 1)[i], -column(j)[i])
            } else {
                c64::new(column(j)[i], 0.0)
            }
        };
        Ok(complex(&found, n, &values, entry, wanted))
    }

    fn complex(&self, operator: &dyn Operator<c64>, wanted: &Wanted) -> Result<RitzComplex, EigenError> {
        let n = operator.size();
        let built_in = || BuiltIn.complex(operator, wanted).map(instead);
        if n < wanted.count + Complex::ROOM || n <= Complex::ROOM {
            return built_in();
        }
        let found = alone(|| {
            let apply = |x: MatRef<'_, c64>, _: Option<MatRef<'_, c64>>| operator.apply(&x.to_owned());
            search::<Complex>(self.library, &start_block(n, 1, wanted.salt), &apply, None, wanted)
        })??;
        let Some(found) = found else { return built_in() };
        let entry = |i: usize, j: usize| found.raw.vectors[j * n + i];
        Ok(complex(&found, n, &found.raw.values, entry, wanted))
    }
}

/// Eigenpairs of any operator, scaled back and in order.
fn complex<T: Scalar>(
    found: &Found<T>,
    n: usize,
    values: &[c64],
    entry: impl Fn(usize, usize) -> c64,
    wanted: &Wanted,
) -> RitzComplex {
    let count = if T::REAL { wanted.count + 1 } else { wanted.count };
    let (mut order, zeros) = order(values, found.converged, count);
    // A conjugate parted from its partner goes.
    if T::REAL && order.last().is_some_and(|&j| values[j].im > 0.0) {
        order.pop();
    }
    let mut vectors = DenseC::from_fn(n, order.len(), |i, j| entry(i, order[j]));
    for j in 0..order.len() {
        let size = norm(vectors.col_as_slice(j)).max(f64::MIN_POSITIVE);
        vectors.col_as_slice_mut(j).iter_mut().for_each(|z| *z /= size);
    }
    Ritz {
        values: order.iter().map(|&j| values[j] / found.scale).collect(),
        vectors,
        estimates: found.estimates.clone(),
        exhausted: found.nothing || zeros,
        applications: found.applications,
        restarts: found.restarts,
        remarks: found.remarks.clone(),
    }
}

/// Converged values that are not zero, largest magnitude first and conjugates together, at most `count`; and whether
/// zeros were among them.
fn order<T: Scalar>(values: &[T], converged: usize, count: usize) -> (Vec<usize>, bool) {
    let present = converged.min(values.len());
    let size = |j: usize| values[j].complex().norm();
    let largest = (0..present).map(size).filter(|s| s.is_finite()).fold(0.0, f64::max);
    let mut order: Vec<usize> =
        // theta below this fraction of the largest one is zero up to rounding.
        (0..present).filter(|&j| size(j).is_finite() && size(j) > tuning::SOLVE_ROUNDINGS * largest).collect();
    let exhausted = order.len() < present;
    // Conjugates have exactly the same size and stand in order already.
    descending(&mut order, |&a| size(a));
    order.truncate(count);
    (order, exhausted)
}

/// The built-in driver's answer, marked.
fn instead<V, M>(mut ritz: Ritz<V, M>) -> Ritz<V, M> {
    let reason = "ARPACK-NG needs an operator whose range is larger than its basis and two more than the eigenpairs wanted";
    ritz.remarks.push(Remark::BuiltInInstead { reason });
    ritz
}

/// Runs on a thread of its own, which is also the only one of its thread pool.
fn alone<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, EigenError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| EigenError::NoThread { reason: error.to_string() })?;
    Ok(pool.install(work))
}

/// Outcome of a run; theta are those of `scale` times T.
struct Found<T> {
    raw: Raw<T>,
    scale: f64,
    /// Whether T is zero.
    nothing: bool,
    converged: usize,
    estimates: Vec<c64>,
    applications: usize,
    restarts: usize,
    remarks: Vec<Remark>,
}

/// x, and G x where it is known, to T x.
type Apply<'a, T> = dyn Fn(MatRef<'_, T>, Option<MatRef<'_, T>>) -> Result<Mat<T>, EigenError> + Sync + 'a;
/// x to G x.
type Metric<'a, T> = dyn Fn(MatRef<'_, T>) -> Mat<T> + Sync + 'a;

/// One run; none where the range of T is smaller than the basis, which ARPACK fills up with vectors from outside.
fn search<F: Family>(
    library: &'static Library,
    start: &Mat<F::Number>,
    apply: &Apply<'_, F::Number>,
    metric: Option<&Metric<'_, F::Number>>,
    wanted: &Wanted,
) -> Result<Option<Found<F::Number>>, EigenError> {
    let n = start.nrows();
    let mut start = apply(start.as_ref(), None)?;
    let next = apply(start.as_ref(), None)?;
    let (before, after) = (norm(start.col_as_slice(0)), norm(next.col_as_slice(0)));
    let ratio = before / after;
    if before == 0.0 || !(ratio.is_normal() && ratio.recip().is_normal()) {
        // T x = 0 for a vector with a share in every direction: there are no theta but zero.
        return Ok(Some(Found::nothing()));
    }
    let scale = ratio.log2().round().exp2();
    let by = before.recip();
    start.col_as_slice_mut(0).iter_mut().for_each(|v| *v = v.times(by));

    let nev = wanted.count.clamp(1, n - F::ROOM);
    let usual = (2 * nev + 1).max(BASIS);
    let sizes = Sizes {
        n,
        nev,
        ncv: wanted.subspace.unwrap_or(usual).max(nev + F::ROOM).min(n),
        tolerance: wanted.tolerance,
        iterations: wanted.restarts.max(1),
    };
    let run = Run::<F>::new(library, &sizes, start.col_as_slice(0)).ok_or(EigenError::BadSetting {
        setting: "The number of unknowns times the subspace of ARPACK-NG",
        value: sizes.n as f64 * sizes.ncv as f64,
        needed: "such that all arrays are countable by a C int",
    })?;
    let found = iterate(run, apply, metric, scale)?;
    let spanned = matches!(found.remarks.last(), Some(Remark::Arpack { info: -9999, .. }));
    Ok((!spanned).then_some(Found { applications: found.applications + 2, ..found }))
}

/// The reverse communication of one run.
fn iterate<F: Family>(
    mut run: Run<F>,
    apply: &Apply<'_, F::Number>,
    metric: Option<&Metric<'_, F::Number>>,
    scale: f64,
) -> Result<Found<F::Number>, EigenError> {
    let [iteration, extraction] = F::ROUTINES;
    let mut applications = 0;
    loop {
        let ask = run.step();
        let x = column(run.operand());
        let y = match (ask, metric) {
            (Ask::Done, _) => break,
            (Ask::Unknown(_), _) => return Err(codes::error(iteration, run.info())),
            (Ask::Metric, Some(metric)) => metric(x.as_ref()),
            (Ask::Metric, None) => x,
            (Ask::Apply | Ask::ApplyKnown, _) => {
                applications += 1;
                let gx =
                    (ask == Ask::ApplyKnown && metric.is_some()).then(|| column(run.metric_of_operand()));
                let mut y = apply(x.as_ref(), gx.as_ref().map(Mat::as_ref))?;
                y.col_as_slice_mut(0).iter_mut().for_each(|v| *v = v.times(scale));
                y
            }
        };
        run.set_result(y.col_as_slice(0));
    }
    let (info, wanted) = (run.info(), run.wanted());
    let remark = codes::remark(iteration, info, run.converged(), wanted);
    if info != 0 && remark.is_none() {
        return Err(codes::error(iteration, info));
    }
    let (converged, restarts) = (run.converged(), run.iterations());
    let mut found = Found {
        converged,
        estimates: run.estimates().iter().map(|z| z / scale).collect(),
        applications,
        restarts,
        scale,
        nothing: false,
        remarks: remark.into_iter().collect(),
        ..Found::nothing()
    };
    descending(&mut found.estimates, |z| z.norm());
    if info == -9999 || converged == 0 {
        return Ok(found);
    }
    found.raw = F::extract(&mut run);
    if found.raw.info != 0 {
        return Err(codes::error(extraction, found.raw.info));
    }
    Ok(found)
}

impl<T> Found<T> {
    /// T is zero.
    fn nothing() -> Self {
        Self {
            raw: Raw { values: Vec::new(), imaginary: Vec::new(), vectors: Vec::new(), info: 0 },
            scale: 1.0,
            nothing: true,
            converged: 0,
            estimates: Vec::new(),
            applications: 0,
            restarts: 0,
            remarks: Vec::new(),
        }
    }
}

fn column<T: Scalar>(x: &[T]) -> Mat<T> {
    Mat::from_fn(x.len(), 1, |i, _| x[i])
}
