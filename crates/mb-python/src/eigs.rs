//! Eigenvalues of given matrices.

use mb_algebra::{DescriptorPencil, QuadraticPencil, Sparse, sparse};
use mb_analysis::FormulationSpectrum;
use mb_eigen::Spectrum as Pairs;
use mb_eigen::sparse::{Request, solve, solve_descriptor};
use mb_engine::EngineError;
use pyo3::prelude::*;
use std::cell::RefCell;

use crate::arrays;
use crate::engine;
use crate::errors;
use crate::options::{Settings, Wanted, read};
use crate::spectrum::Spectrum;
use crate::work;

/// Eigenpairs of (s^2 M + s (C + G) + K) x + Phi_q^T l = 0, Phi_q x = 0.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the matrices of the equation, each by its name")]
pub(crate) fn eigs(
    py: Python<'_>,
    k: &Bound<'_, PyAny>,
    m: Option<&Bound<'_, PyAny>>,
    c: Option<&Bound<'_, PyAny>>,
    g: Option<&Bound<'_, PyAny>>,
    constraints: Option<&Bound<'_, PyAny>>,
    wanted: &str,
    settings: &str,
) -> PyResult<Spectrum> {
    let k = stiffness(py, "K", k)?;
    let (request, settings) = asked(py, wanted, settings)?;
    let Given { pencil, lost } = pencil(py, k, [m, c, g, constraints], settings.declares_symmetry())?;
    let (options, engine) = (settings.options(), settings.engine());
    let solved = match engine {
        Some(engine) => work::run(py, move || {
            let found = engine::of_matrices(&pencil, &request, &options, engine)?;
            Ok(of_given(found, &pencil, lost.as_ref()))
        })?,
        None => work::run_sized(py, pencil.k.rows(), move || {
            let found = solve(&pencil, &request, &options).map_err(EngineError::from)?;
            Ok(of_given(found, &pencil, lost.as_ref()))
        })?,
    };
    checked(py, solved.map_err(|e: engine::Failed| e.raised(py))?)
}

/// A request and settings with their JSON.
struct Asked {
    words: [String; 2],
    request: Request,
    settings: Settings,
}

thread_local! {
    /// The last ones: loops ask for the same, and of small problems reading it takes a part of the time.
    static LAST: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// The request and the settings from their JSON.
fn asked(py: Python<'_>, wanted: &str, settings: &str) -> PyResult<(Request, Settings)> {
    let words = [wanted, settings];
    let known = |last: &Option<Asked>| {
        let last = last.as_ref().filter(|last| last.words == words)?;
        Some((last.request, last.settings.clone()))
    };
    if let Some(known) = LAST.with_borrow(known) {
        return Ok(known);
    }
    let (request, settings) = (read::<Wanted>(py, wanted)?.request(), read::<Settings>(py, settings)?);
    let kept = Asked { words: words.map(str::to_owned), request, settings: settings.clone() };
    LAST.set(Some(kept));
    Ok((request, settings))
}

/// Eigenpairs with bounds for the matrices that were given.
fn of_given(mut found: Pairs, pencil: &QuadraticPencil<Sparse>, lost: Option<&Sparse>) -> Pairs {
    if let Some(lost) = lost {
        found.widen_for_sum(pencil, lost);
    }
    found
}

/// Eigenpairs of E y' = A y.
#[pyfunction]
pub(crate) fn eigs_descriptor(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    e: Option<&Bound<'_, PyAny>>,
    wanted: &str,
    settings: &str,
) -> PyResult<Spectrum> {
    let a = stiffness(py, "A", a)?;
    let n = a.rows();
    let e = match e {
        Some(value) => {
            let e = arrays::sparse("E", value)?;
            fits(py, "E", &e, n, Some("A"))?;
            e
        }
        None => work::run_over(py, n, move || sparse::identity(n))?,
    };
    let (request, settings) = asked(py, wanted, settings)?;
    let options = settings.options();
    let pencil = DescriptorPencil { e, a };
    let solved = work::run_sized(py, n, move || solve_descriptor(&pencil, &request, &options))?;
    checked(py, solved.map_err(|e| errors::eigen(py, &e))?)
}

fn checked(py: Python<'_>, pairs: Pairs) -> PyResult<Spectrum> {
    Spectrum::new(FormulationSpectrum::new("matrices".into(), pairs)).checked(py)
}

/// A square matrix with rows.
pub(crate) fn stiffness(py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Sparse> {
    let k = arrays::sparse(name, value)?;
    if k.rows() == 0 {
        let message = format!("{name} has no rows: there is nothing to solve.");
        return Err(errors::argument(py, name, message, None));
    }
    fits(py, name, &k, k.rows(), None)?;
    Ok(k)
}

/// Matrices as they were given.
pub(crate) struct Given {
    pub(crate) pencil: QuadraticPencil<Sparse>,
    /// What C + G has lost by rounding; none where nothing.
    lost: Option<Sparse>,
}

/// The matrices of s^2 M + s (C + G) + K with constraints, those that are not given as they are then; `symmetric` says that they are
/// declared to be symmetric, which G is only where it is zero.
pub(crate) fn pencil(
    py: Python<'_>,
    k: Sparse,
    [m, c, g, constraints]: [Option<&Bound<'_, PyAny>>; 4],
    symmetric: bool,
) -> PyResult<Given> {
    let n = k.rows();
    let square = |name: &str, value: Option<&Bound<'_, PyAny>>| -> PyResult<Option<Sparse>> {
        let Some(value) = value else { return Ok(None) };
        let matrix = arrays::sparse(name, value)?;
        fits(py, name, &matrix, n, Some("K"))?;
        Ok(Some(matrix))
    };
    let m = square("M", m)?;
    let c = square("C", c)?;
    let g = square("gyroscopic", g)?.map(|g| skew(py, g)).transpose()?;
    if symmetric && g.as_ref().is_some_and(|g| g.data().iter().any(|x| *x != 0.0)) {
        let message = "gyroscopic is skew-symmetric, but symmetric=True declares all matrices symmetric: leave one of them out.";
        return Err(errors::argument(py, "gyroscopic", message.to_owned(), None));
    }
    let phi_q = match constraints {
        Some(value) => {
            let rows = arrays::sparse("constraints", value)?;
            constraint_columns(py, &rows, n)?;
            Some(rows)
        }
        None => None,
    };
    // The matrices that are made here are as long as the others: signals are looked at meanwhile.
    let entries = [&c, &g].into_iter().flatten().map(Sparse::nnz).sum::<usize>() + n;
    work::run_over(py, entries, move || {
        let (c, lost) = match (c, g) {
            (Some(c), Some(g)) => added(&c, &g),
            (Some(one), None) | (None, Some(one)) => (one, None),
            (None, None) => (sparse::zeros(n, n), None),
        };
        let m = m.unwrap_or_else(|| sparse::identity(n));
        let phi_q = phi_q.unwrap_or_else(|| sparse::zeros(0, n));
        Given { pencil: QuadraticPencil { m, c, k, phi_q }, lost }
    })
}

/// The rounded sum s of two matrices and what it has lost:
///
/// ```text
/// a + b = s + e,   b' = s - a,   e = (a - (s - b')) + (b - b')       (Knuth's sum of two, entry by entry)
/// ```
fn added(a: &Sparse, b: &Sparse) -> (Sparse, Option<Sparse>) {
    let less = |x: &Sparse, y: &Sparse| sparse::add(1.0, x, -1.0, y);
    let sum = sparse::add(1.0, a, 1.0, b);
    let second = less(&sum, a);
    let first = less(&sum, &second);
    let lost = sparse::add(1.0, &less(a, &first), 1.0, &less(b, &second));
    let any = lost.data().iter().any(|e| *e != 0.0);
    (sum, any.then_some(lost))
}

/// Checks that a matrix is n x n, as the `first` one is.
fn fits(py: Python<'_>, name: &str, matrix: &Sparse, n: usize, first: Option<&str>) -> PyResult<()> {
    let (rows, cols) = matrix.shape();
    if (rows, cols) == (n, n) {
        return Ok(());
    }
    let message = match first {
        Some(first) => {
            format!("{name} has shape ({rows}, {cols}), but {first} has shape ({n}, {n}); both must agree.")
        }
        None => format!("{name} has shape ({rows}, {cols}), but must be square."),
    };
    Err(errors::argument(py, name, message, None))
}

fn constraint_columns(py: Python<'_>, rows: &Sparse, n: usize) -> PyResult<()> {
    let (m, cols) = rows.shape();
    if cols == n {
        return Ok(());
    }
    let help = if m == n { " It looks transposed: pass constraints.T." } else { "" };
    let message = format!(
        "constraints has shape ({m}, {cols}), but needs one column for each of the {n} coordinates, one row for each \
         constraint equation.{help}"
    );
    Err(errors::argument(py, "constraints", message, None))
}

/// Rounding that assembled matrices may have, relative to the largest entry; that of the search for symmetry.
const SKEW: f64 = 1e-12;

/// Gives G back where G^T = -G.
fn skew(py: Python<'_>, g: Sparse) -> PyResult<Sparse> {
    let (g, bad) = work::run_over(py, g.nnz() + g.rows(), move || {
        let tolerance = SKEW * mb_algebra::norms::max_abs(&g);
        let both = sparse::add(1.0, &g, 1.0, &sparse::transpose(&g));
        let bad = both.iter().find(|(sum, _)| sum.abs() > tolerance).map(|(_, at)| at);
        (g, bad)
    })?;
    let Some((row, col)) = bad else { return Ok(g) };
    let at = |i: usize, j: usize| g.get(i, j).copied().unwrap_or(0.0);
    let message = format!(
        "gyroscopic must be skew-symmetric, but {} at [{row}, {col}] faces {} at [{col}, {row}]; damping belongs to C.",
        at(row, col),
        at(col, row)
    );
    Err(errors::argument(py, "gyroscopic", message, Some((row, col))))
}
