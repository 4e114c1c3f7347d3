//! The eigenpairs of an analysis as arrays.

use std::sync::Arc;

use mb_algebra::c64;
use mb_analysis::FormulationSpectrum;
use mb_eigen::{Class, Eigenpair, Shape};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{by_columns, vector};
use crate::{arrays, errors, findings};

/// One mode: a conjugate pair, the double zero of a body that drifts, or another real eigenvalue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    /// Index of its (first) eigenpair.
    pub(crate) index: usize,
    /// Eigenvalues it stands for, 1 or 2.
    count: usize,
}

/// Eigenpairs, mode by mode; arrays are made when they are asked for.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Spectrum {
    found: Arc<FormulationSpectrum>,
    /// Modes of the motion, and behind them the others.
    modes: Vec<Mode>,
    motion: usize,
}

impl Spectrum {
    pub(crate) fn new(found: FormulationSpectrum) -> Self {
        let (mut modes, mut others) = modes_of(&found.spectrum.eigenpairs);
        let motion = modes.len();
        modes.append(&mut others);
        Self { found: Arc::new(found), modes, motion }
    }

    /// What the modes are made of, shared with longer work.
    pub(crate) fn found(&self) -> Arc<FormulationSpectrum> {
        Arc::clone(&self.found)
    }

    /// Indices of the eigenpairs of the modes of the motion.
    pub(crate) fn leading(&self) -> Vec<usize> {
        self.modes[..self.motion].iter().map(|mode| mode.index).collect()
    }

    /// Whether two eigenpairs belong to each of them.
    pub(crate) fn twins(&self) -> Vec<bool> {
        self.modes[..self.motion].iter().map(|mode| mode.count == 2).collect()
    }

    /// The same if every number of it is one.
    ///
    /// Error: `NumericsError` where entries of the matrices span so many decades that vectors overflow.
    pub(crate) fn checked(self, py: Python<'_>) -> PyResult<Self> {
        let finite = |shape: &Shape| match shape.real() {
            Some(numbers) => arrays::finite(numbers),
            None => {
                shape.as_slice().iter().fold(true, |so_far, z| so_far & z.re.is_finite() & z.im.is_finite())
            }
        };
        let whole = |pair: &Eigenpair| {
            let vectors = [&pair.right, &pair.left, &pair.multipliers];
            pair.alpha.is_finite() && !pair.error_bound.is_nan() && vectors.into_iter().all(finite)
        };
        // A conjugate has the numbers of its partner.
        let pairs = &self.found.spectrum.eigenpairs;
        let twin = |mode: &Mode| {
            mode.count < 2 || pairs[mode.index].alpha.im != 0.0 || whole(&pairs[mode.index + 1])
        };
        if self.modes.iter().all(|mode| whole(&pairs[mode.index]) && twin(mode)) {
            return Ok(self);
        }
        let message = "Eigenvectors overflow: the entries of the matrices span more decades than double precision holds. \
                       Scale the unknowns, so that entries of one row and column are of similar size.";
        Err(errors::numerics(py, "overflow", message.to_owned()))
    }

    fn chosen(&self, all: bool) -> impl Iterator<Item = (&Mode, &Eigenpair)> {
        let count = if all { self.modes.len() } else { self.motion };
        self.modes[..count].iter().map(|mode| (mode, &self.found.spectrum.eigenpairs[mode.index]))
    }

    fn numbers<'py>(
        &self,
        py: Python<'py>,
        all: bool,
        of: impl Fn(&Eigenpair) -> f64,
    ) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.chosen(all).map(|(_, pair)| of(pair)).collect())
    }

    fn columns<'py>(
        &self,
        py: Python<'py>,
        all: bool,
        of: impl Fn(&Eigenpair) -> &Shape,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shapes: Vec<&Shape> = self.chosen(all).map(|(_, pair)| of(pair)).collect();
        let rows = shapes.first().map_or(0, |shape| entries(shape));
        let size = (rows, shapes.len());
        if shapes.iter().any(|shape| entries(shape) != rows) {
            return Err(errors::internal(py, "vectors of different lengths"));
        }
        let real: Option<Vec<&[f64]>> = shapes.iter().map(|shape| shape.real()).collect();
        Ok(if let Some(real) = real {
            by_columns(py, size, real.concat())?.into_any()
        } else {
            let numbers: Vec<c64> = shapes.iter().flat_map(|shape| shape.as_slice()).copied().collect();
            if numbers.iter().all(|z| z.im == 0.0) {
                by_columns(py, size, numbers.iter().map(|z| z.re).collect())?.into_any()
            } else {
                by_columns(py, size, numbers)?.into_any()
            }
        })
    }
}

/// The modes among eigenpairs: those of the motion, and the others.
pub(crate) fn modes_of(pairs: &[Eigenpair]) -> (Vec<Mode>, Vec<Mode>) {
    let (mut motion, mut others) = (Vec::new(), Vec::new());
    let mut index = 0;
    while let Some(pair) = pairs.get(index) {
        let twin = pairs.get(index + 1).is_some_and(|next| together(pair, next));
        let mode = Mode { index, count: if twin { 2 } else { 1 } };
        if pair.class.is_motion() {
            motion.push(mode);
        } else {
            others.push(mode);
        }
        index += mode.count;
    }
    (motion, others)
}

/// Entries of a vector, without making its complex numbers.
fn entries(shape: &Shape) -> usize {
    shape.real().map_or_else(|| shape.as_slice().len(), <[f64]>::len)
}

/// Whether two neighbours are one mode: conjugates, or the two zeros of one chain.
fn together(pair: &Eigenpair, next: &Eigenpair) -> bool {
    let conjugate = pair.alpha.im > 0.0 && next.alpha == pair.alpha.conj();
    let drifts = |p: &Eigenpair| p.class == Class::Rigid && p.chain == 2;
    pair.class == next.class && (conjugate || (drifts(pair) && drifts(next) && pair.right == next.right))
}

/// The class in a word.
pub(crate) fn word(class: Class) -> &'static str {
    match class {
        Class::Physical => "physical",
        Class::Rigid => "rigid",
        Class::Spurious { .. } => "spurious",
        Class::Infinite => "infinite",
        Class::Indeterminate => "indeterminate",
    }
}

#[pymethods]
impl Spectrum {
    /// Number of modes.
    fn modes(&self, all: bool) -> usize {
        if all { self.modes.len() } else { self.motion }
    }

    /// Eigenvalues s, rad/s, one for each mode; NaN where s is not finite.
    fn s<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<c64>> {
        let nan = c64::new(f64::NAN, f64::NAN);
        vector(py, self.chosen(all).map(|(_, pair)| pair.value().unwrap_or(nan)).collect())
    }

    /// Eigenvalues each mode stands for.
    fn multiplicity<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<i64>> {
        vector(py, self.chosen(all).map(|(mode, _)| if mode.count == 2 { 2 } else { 1 }).collect())
    }

    /// Error bounds, rad/s.
    fn error<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, all, |pair| pair.error_bound)
    }

    /// Damping ratios; NaN at zero.
    fn zeta<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, all, |pair| pair.damping_ratio().unwrap_or(f64::NAN))
    }

    fn backward_error<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, all, |pair| pair.backward_error)
    }

    fn condition<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, all, |pair| pair.condition)
    }

    /// Length of the Jordan chain of each eigenvalue as far as it is known: 1 where it is semisimple.
    fn chain<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<i64>> {
        vector(py, self.chosen(all).map(|(_, pair)| i64::try_from(pair.chain).unwrap_or(i64::MAX)).collect())
    }

    /// Whether the error bound leaves digits of each eigenvalue.
    fn determined<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<bool>> {
        vector(py, self.chosen(all).map(|(_, pair)| pair.is_determined()).collect())
    }

    fn constraint_violation<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, all, |pair| pair.constraint_violation)
    }

    /// Classes, one word for each mode.
    fn kind(&self, all: bool) -> Vec<&'static str> {
        self.chosen(all).map(|(_, pair)| word(pair.class)).collect()
    }

    /// Right vectors, coordinates x modes.
    fn shapes<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, all, |pair| &pair.right)
    }

    /// Left vectors, coordinates x modes.
    fn left<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, all, |pair| &pair.left)
    }

    /// Multipliers, constraint rows x modes.
    fn multipliers<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, all, |pair| &pair.multipliers)
    }

    /// Multipliers of the left vectors, constraint rows x modes.
    fn left_multipliers<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, all, |pair| &pair.left_multipliers)
    }

    /// Shares of the penalty's energy in the modes of a penalty form; NaN in others.
    fn penalty_share<'py>(&self, py: Python<'py>, all: bool) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, all, |pair| pair.penalty_share.unwrap_or(f64::NAN))
    }

    /// All finite eigenvalues of the motion, conjugates included, rad/s.
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<c64>> {
        vector(py, self.found.spectrum.motion_values())
    }

    /// Name of the formulation, penalty factor and largest violation of the constraints where there are some.
    fn formulation(&self) -> (String, Option<f64>, Option<f64>) {
        (self.found.name.clone(), self.found.penalty_factor, self.found.penalty_violation)
    }

    /// Whether all eigenvalues asked for are there: True, False, or None where nothing shows it.
    fn complete(&self) -> Option<bool> {
        findings::complete(&self.found.spectrum)
    }

    /// What computed the eigenvalues; None where no coordinate is free.
    fn method(&self) -> Option<&'static str> {
        self.found.spectrum.method.map(mb_eigen::Method::name)
    }

    /// Findings in words.
    fn notes(&self) -> Vec<String> {
        self.found.spectrum.findings.iter().map(ToString::to_string).collect()
    }

    /// Those that are warnings.
    fn warnings(&self) -> Vec<String> {
        let findings = self.found.spectrum.findings.iter();
        findings.filter(|f| findings::warns(f)).map(ToString::to_string).collect()
    }

    /// Findings and counts as JSON.
    fn data(&self, py: Python<'_>) -> PyResult<String> {
        let spectrum = &self.found.spectrum;
        serde_json::to_string(&(&spectrum.findings, &spectrum.counts))
            .map_err(|e| errors::internal(py, &e.to_string()))
    }
}
