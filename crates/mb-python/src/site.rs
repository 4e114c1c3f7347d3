//! A verified equilibrium or point of a motion: its state, its linearization, its modes.

use std::sync::Arc;

use mb_algebra::{Dense, Sparse};
use mb_analysis::factor::{self, Penalties};
use mb_analysis::response::MINIMAL_TOLERANCE;
use mb_analysis::{
    AnalysisError, FormulationSpectrum, Site as Found, State, check_size, linear, moving, part, rank, shares,
    spectrum,
};
use mb_eigen::sparse::{Request, SparseOptions};
use mb_linear::{
    Formulation, OperatingPoint, Stability, StateSpace, descriptor, descriptor_of_instant, linearize_instant,
    linearize_sparse, output_maps,
};
use mb_model::Model;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{by_columns, vector};
use crate::options::{Form, FormWord, Settings, Wanted, read};
use crate::spectrum::Spectrum;
use crate::{engine, errors, work};

/// Where a model is linearized.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Site {
    model: Arc<Model>,
    found: Arc<Found>,
}

/// Name of a joint or rod, place, force, moment.
type ReactionAt = (String, [f64; 3], [f64; 3], [f64; 3]);

impl Site {
    pub(crate) fn new(model: Arc<Model>, found: Found) -> Self {
        Self { model, found: Arc::new(found) }
    }

    /// Does long work on the model at this point, which has to be one that lasts: rest or a steady motion.
    pub(crate) fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Model, &OperatingPoint, &Found) -> Result<T, AnalysisError> + Send + 'static,
    ) -> PyResult<T> {
        let State::Lasting(at) = self.found.state() else {
            let message = "this belongs to an equilibrium or a steady motion; an instant of another motion has modes() of \
                           the minimal formulation and state_space() alone.";
            return Err(errors::argument(py, "instant", message.to_owned(), None));
        };
        self.work_at(py, move |model, found| work(model, &at, found))
    }

    /// Does long work on the model.
    pub(crate) fn work_at<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Model, &Found) -> Result<T, AnalysisError> + Send + 'static,
    ) -> PyResult<T> {
        let (model, found) = (Arc::clone(&self.model), Arc::clone(&self.found));
        work::run(py, move || work(&model, &found))?.map_err(|e| errors::analysis(py, &e))
    }
}

#[pymethods]
impl Site {
    /// Configuration, velocities, accelerations, multipliers.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn state<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<f64>>,
    ) {
        let p = self.found.point();
        (
            vector(py, p.q.clone()),
            vector(py, p.v.clone()),
            vector(py, p.a.clone()),
            vector(py, p.lambda.clone()),
        )
    }

    /// Time, s, and inputs.
    fn when(&self) -> (f64, Vec<f64>) {
        let p = self.found.point();
        (p.t, p.u.clone())
    }

    /// Whether it is at rest.
    fn at_rest(&self) -> bool {
        matches!(*self.found, Found::Rest(_))
    }

    /// Whether it lasts: rest or a steady motion, not an instant of another one.
    fn lasts(&self) -> bool {
        matches!(self.found.state(), State::Lasting(_))
    }

    /// Stability in words, and as True, False or None; None for a point of a motion.
    fn stability(&self) -> Option<(String, Option<bool>)> {
        let Found::Rest(settled) = &*self.found else { return None };
        let verdict = match settled.stability {
            Stability::Stable => Some(true),
            Stability::Unstable { .. } => Some(false),
            _ => None,
        };
        Some((settled.stability.to_string(), verdict))
    }

    /// Largest residual, iterations and method.
    fn how(&self) -> (f64, usize, String) {
        match &*self.found {
            Found::Rest(s) => {
                (s.equilibrium.residual, s.equilibrium.iterations, s.equilibrium.found_by.to_owned())
            }
            Found::Motion(m) => (m.residual, 0, "given".to_owned()),
        }
    }

    /// The branch of a steady motion with given speeds: its name, crossings (share of the speeds, error, directions of negative stiffness
    /// below and above, whether the branch that splits off is followed) and notes.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn branch(&self) -> Option<(String, Vec<(f64, f64, usize, usize, bool)>, Vec<String>)> {
        let Found::Motion(moving) = &*self.found else { return None };
        let found = moving.branch.as_ref()?;
        let passed = found.branch().map_or(&[][..], |b| &b.crossings).iter();
        let crossings = passed.map(|c| (c.share, c.error, c.below, c.above, c.left)).collect();
        Some((found.name().to_owned(), crossings, mb_analysis::sentences::all(&found.notes())))
    }

    /// Speeds and inputs of a steady motion that were unknown, by name.
    fn solved(&self) -> Vec<(String, f64)> {
        match &*self.found {
            Found::Motion(moving) => moving.solved.iter().map(|s| (s.name.clone(), s.value)).collect(),
            Found::Rest(_) => Vec::new(),
        }
    }

    /// Given values that the constraints did not let stand, by name.
    fn not_kept(&self) -> Vec<String> {
        self.found.start().map_or_else(Vec::new, |start| start.not_kept.clone())
    }

    /// Values of the outputs.
    fn outputs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.model.outputs(self.found.point()))
    }

    /// Forces and moments of joints and rods on their body a.
    fn reactions(&self) -> Vec<ReactionAt> {
        let one = |r: mb_model::Reaction| {
            let wrench = self.model.wrench(&r, self.found.point());
            (r.owner, wrench.at, wrench.force, wrench.moment)
        };
        self.model.reactions().into_iter().map(one).collect()
    }

    /// Blocks M, C, K, Phi_q, F as arrays or parts of sparse matrices.
    fn blocks<'py>(&self, py: Python<'py>, sparse: bool) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        if sparse {
            let lin = self.work(py, |model, at, _| Ok(linearize_sparse(model, at)))?;
            let blocks = [("M", lin.m), ("C", lin.c), ("K", lin.k), ("G", lin.phi_q), ("F", lin.f)];
            for (name, block) in blocks {
                out.set_item(name, parts(py, &block))?;
            }
        } else {
            let lin = self.work(py, |model, at, _| linear(model, at))?;
            let blocks = [("M", &lin.m), ("C", &lin.c), ("K", &lin.k), ("G", &lin.phi_q), ("F", &lin.f)];
            for (name, block) in blocks {
                out.set_item(name, array(py, block)?)?;
            }
        }
        Ok(out)
    }

    /// C_out as parts of a sparse matrix.
    fn outputs_by_state<'py>(&self, py: Python<'py>) -> PyResult<ColumnParts<'py>> {
        let [inputs, outputs]: [Vec<usize>; 2] =
            [self.model.inputs().len(), self.model.sensors().len()].map(|n| (0..n).collect());
        let maps = self.work(py, move |model, at, _| Ok(output_maps(model, at, &inputs, &outputs)?))?;
        Ok(parts(py, &maps.side_by_side()))
    }

    /// Eigenpairs of one formulation, all or a part.
    fn modes(&self, py: Python<'_>, form: &str, wanted: &str, settings: &str) -> PyResult<Spectrum> {
        let form: Form = read(py, form)?;
        let request = read::<Wanted>(py, wanted)?.request();
        let settings: Settings = read(py, settings)?;
        let options = settings.options();
        if let Some(engine) = settings.engine() {
            let found = self.work(py, move |model, at, site| {
                let found = engine::of_model(model, at, request, &options, engine);
                Ok(found.map(|found| part::with_growing(found, site)))
            })?;
            return Spectrum::new(found.map_err(|e| e.raised(py))?).checked(py);
        }
        let found = match (self.found.state(), form.formulation, request) {
            (State::Instant(at), FormWord::Minimal, Request::All) => {
                self.work_at(py, move |model, _| moving::of_instant(model, &at, &form.basis()))?
            }
            _ => self.work(py, move |model, at, site| match request {
                Request::All => whole(model, at, &form),
                _ => some(model, at, site, &form, request, &options),
            })?,
        };
        Spectrum::new(found).checked(py)
    }

    /// Shares of kinetic energy, strain energy and dissipation by body: names, then groups x modes each.
    fn energy<'py>(
        &self,
        py: Python<'py>,
        spectrum: &Spectrum,
    ) -> PyResult<(Vec<String>, Bound<'py, PyDict>)> {
        let found = spectrum.found();
        let shares = self.work(py, move |model, at, _| shares(model, at, &found, true, false))?;
        let Some(energy) = shares.energy else { return Err(errors::internal(py, "no energy")) };
        let (groups, leading) = (energy.groups.len(), spectrum.leading());
        let out = PyDict::new(py);
        let columns = |of: fn(&mb_eigen::modal::ModeEnergy) -> &Option<Vec<f64>>| {
            let mut numbers = Vec::with_capacity(groups * leading.len());
            for index in &leading {
                let mode = energy.modes.iter().find(|m| m.eigenpair == *index);
                match mode.and_then(|m| of(m).as_ref()) {
                    Some(shares) => numbers.extend(shares),
                    None => numbers.extend(std::iter::repeat_n(f64::NAN, groups)),
                }
            }
            by_columns(py, (groups, leading.len()), numbers)
        };
        out.set_item("kinetic", columns(|m| &m.kinetic)?)?;
        out.set_item("strain", columns(|m| &m.strain)?)?;
        out.set_item("dissipation", columns(|m| &m.dissipation)?)?;
        Ok((energy.groups.clone(), out))
    }

    /// Effective masses: names, totals, what the constraints let move, sums over all eigenpairs, directions x modes.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn participation<'py>(
        &self,
        py: Python<'py>,
        spectrum: &Spectrum,
    ) -> PyResult<(Vec<String>, Vec<f64>, Vec<f64>, Vec<f64>, Bound<'py, PyAny>)> {
        let found = spectrum.found();
        let shares = self.work(py, move |model, at, _| shares(model, at, &found, false, true))?;
        let Some(all) = shares.participation else { return Err(errors::internal(py, "no participation")) };
        let leading = spectrum.leading();
        let mut numbers = Vec::new();
        for index in &leading {
            let mode = all.modes.iter().find(|m| m.eigenpair == *index);
            for d in 0..all.directions.len() {
                numbers.push(mode.and_then(|m| m.effective_mass[d]).unwrap_or(f64::NAN));
            }
        }
        Ok((
            all.directions.iter().map(|d| d.name.clone()).collect(),
            all.directions.iter().map(|d| d.total).collect(),
            all.directions.iter().map(|d| d.constrained).collect(),
            all.sums(),
            by_columns(py, (all.directions.len(), leading.len()), numbers)?.into_any(),
        ))
    }

    /// The linear system with inputs and outputs, in the form `descriptor`, `reduced` or `minimal`.
    fn state_space<'py>(&self, py: Python<'py>, form: &str) -> PyResult<Bound<'py, PyDict>> {
        let form = form.to_owned();
        let (e, reduced) = self.work_at(py, move |model, found| {
            let full = match found.state() {
                State::Lasting(at) => descriptor(model, &at, &linear(model, &at)?)?,
                State::Instant(at) => {
                    check_size(model, mb_analysis::MOST_ROWS)?;
                    descriptor_of_instant(model, &at, &linearize_instant(model, &at))?
                }
            };
            Ok(match form.as_str() {
                "descriptor" => {
                    let (a, b, c, d) = (full.a, full.b, full.c, full.d);
                    let (states, inputs, outputs) = (full.states, full.inputs, full.outputs);
                    (Some(full.e), StateSpace { a, b, c, d, states, inputs, outputs })
                }
                "reduced" => (None, full.to_state_space()?),
                _ => (None, full.to_state_space()?.minimal(MINIMAL_TOLERANCE)?),
            })
        })?;
        let out = PyDict::new(py);
        if let Some(e) = &e {
            out.set_item("E", array(py, e)?)?;
        }
        for (name, block) in [("A", &reduced.a), ("B", &reduced.b), ("C", &reduced.c), ("D", &reduced.d)] {
            out.set_item(name, array(py, block)?)?;
        }
        out.set_item("states", reduced.states)?;
        out.set_item("inputs", reduced.inputs)?;
        out.set_item("outputs", reduced.outputs)?;
        Ok(out)
    }
}

/// All eigenpairs of a formulation by dense matrices; a penalty factor that is not given is chosen.
fn whole(model: &Model, at: &OperatingPoint, form: &Form) -> Result<FormulationSpectrum, AnalysisError> {
    match form.formulation {
        FormWord::Minimal => spectrum(model, at, &Formulation::Minimal(form.basis())),
        FormWord::Redundant => spectrum(model, at, &Formulation::Redundant(form.transferred())),
        FormWord::Unconstrained => {
            check_size(model, mb_analysis::MOST_ROWS_WITH_SPURIOUS)?;
            let penalties: Penalties = form.penalties();
            let choose = || Ok::<_, AnalysisError>(factor::for_whole(model, at, penalties.law));
            spectrum(model, at, &Formulation::Unconstrained(penalties.or(choose)?))
        }
    }
}

/// Part of a spectrum by sparse matrices.
fn some(
    model: &Model,
    at: &OperatingPoint,
    site: &Found,
    form: &Form,
    request: Request,
    options: &SparseOptions,
) -> Result<FormulationSpectrum, AnalysisError> {
    let found = match (form.formulation, request) {
        (FormWord::Unconstrained, Request::Lowest { count }) => {
            part::of_penalty(model, at, &form.penalties(), count, options)?
        }
        // What makes a mode of the mechanism one of the penalty system is known of the lowest ones alone, else of the whole spectrum.
        (FormWord::Unconstrained, _) => {
            let mut all = whole(model, at, form)?;
            all.keep_asked(&request, rank(model, at.point())?.degrees_of_freedom());
            all
        }
        _ => part::of_model(model, at, request, options)?,
    };
    Ok(part::with_growing(found, site))
}

fn array<'py>(py: Python<'py>, a: &Dense) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<f64> = (0..a.ncols()).flat_map(|j| a.col_as_slice(j).iter().copied()).collect();
    Ok(by_columns(py, (a.nrows(), a.ncols()), numbers)?.into_any())
}

/// Rows, columns, starts, indices and values by columns.
type ColumnParts<'py> =
    (usize, usize, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

fn parts<'py>(py: Python<'py>, a: &Sparse) -> ColumnParts<'py> {
    let a = if a.is_csc() { a.clone() } else { a.to_csc() };
    #[expect(clippy::cast_possible_wrap, reason = "indices of matrices in memory are below 2^63")]
    let whole = |indices: &[usize]| vector(py, indices.iter().map(|i| *i as i64).collect());
    (a.rows(), a.cols(), whole(&a.proper_indptr()), whole(a.indices()), vector(py, a.data().to_vec()))
}
