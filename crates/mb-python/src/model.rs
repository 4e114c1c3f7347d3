//! Models: made from the text of a model file, asked for their names and matrices.

#![expect(
    clippy::unused_self,
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    reason = "signatures are those that Python calls: arguments by value, tuples that are taken apart"
)]

use std::collections::HashMap;
use std::sync::Arc;

use mb_algebra::interrupt::Watch;
use mb_analysis::{along_loads, equilibria, names, own_velocities, rank_at, site};
use mb_linear::PathEnd;
use mb_model::spec::{ModelSpec, Value, nearest};
use mb_model::{Model as Mechanism, Stroke};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::vector;
use crate::options::{Place, read};
use crate::site::Site;
use crate::{errors, work};

/// A model that has been checked.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Model {
    spec: Arc<ModelSpec>,
    model: Arc<Mechanism>,
}

/// A number, or an expression of parameters.
#[derive(FromPyObject)]
enum Given {
    Number(f64),
    Expression(String),
}

/// Names of the mesh files that a model file asks for.
#[pyfunction]
pub(crate) fn mesh_files(py: Python<'_>, text: String, file: Option<String>) -> PyResult<Vec<String>> {
    let spec = work::run(py, move || ModelSpec::from_toml(&text))?;
    Ok(spec.map_err(|e| errors::model(py, &e, file))?.mesh_files())
}

/// How a thing is drawn, its places at the start, and whose it is.
type DrawnStroke = (String, &'static str, Vec<[f64; 3]>);

impl Model {
    pub(crate) fn mechanism(&self) -> Arc<Mechanism> {
        Arc::clone(&self.model)
    }

    pub(crate) fn spec(&self) -> Arc<ModelSpec> {
        Arc::clone(&self.spec)
    }

    /// A vector of the right length.
    fn sized(
        &self,
        py: Python<'_>,
        name: &str,
        x: &PyReadonlyArray1<'_, f64>,
        n: usize,
    ) -> PyResult<Vec<f64>> {
        let x = x.as_array().to_vec();
        if x.len() == n {
            return Ok(x);
        }
        let message = format!("{name} has {} numbers, but the model needs {n}.", x.len());
        Err(errors::argument(py, name, message, None))
    }
}

#[pymethods]
impl Model {
    /// Makes the model of a text, with some parameters changed; `located` gives lines of the text in errors.
    #[new]
    fn new(
        py: Python<'_>,
        text: String,
        file: Option<String>,
        parameters: HashMap<String, Given>,
        meshes: HashMap<String, String>,
    ) -> PyResult<Self> {
        let made = work::run(py, move || {
            let mut spec = ModelSpec::from_toml(&text)?;
            for (name, content) in meshes {
                spec.attach_mesh(name, &content);
            }
            for (name, value) in parameters {
                let value = match value {
                    Given::Number(x) => Value::Number(x),
                    Given::Expression(text) => Value::Expression(text),
                };
                spec.set_parameter(&name, value)?;
            }
            let model = spec.build().map_err(|e| e.located(&text))?;
            Ok(Self { spec: Arc::new(spec), model: Arc::new(model) })
        })?;
        made.map_err(|e| errors::model(py, &e, file))
    }

    /// The description as a model file, parameters as they are now.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.spec();
        work::run(py, move || spec.to_toml())?.map_err(|e| errors::internal(py, &e.to_string()))
    }

    /// The tables of the description as JSON.
    fn tables(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.spec();
        work::run(py, move || serde_json::to_string(&*spec))?
            .map_err(|e| errors::internal(py, &e.to_string()))
    }

    /// Values of all parameters.
    fn parameters(&self, py: Python<'_>) -> PyResult<HashMap<String, f64>> {
        let values = self.spec.parameter_values().map_err(|e| errors::model(py, &e, None))?;
        Ok(values.into_iter().collect())
    }

    /// Configuration numbers, velocities, constraint rows.
    fn sizes(&self) -> (usize, usize, usize) {
        (self.model.nq(), self.model.nv(), self.model.nc())
    }

    /// Names of configuration numbers, velocities, constraint rows, inputs, outputs.
    fn names(&self) -> (Vec<String>, Vec<String>, Vec<String>, Vec<String>, Vec<String>) {
        let model = &self.model;
        let rows = (0..model.nc()).map(|i| model.row_name(i)).collect();
        let outputs = model.sensors().iter().map(|s| s.name.clone()).collect();
        (names::configuration(model), model.coordinates().names(), rows, model.inputs().to_vec(), outputs)
    }

    /// Units of the outputs.
    fn output_units(&self) -> Vec<&'static str> {
        self.model.sensors().iter().map(|s| s.reading.unit()).collect()
    }

    fn initial<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.model.initial().to_vec())
    }

    /// Velocities that a motion starts with at a configuration and a time: those of steady rotations where there are some.
    fn own_velocity<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray1<'_, f64>,
        t: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = self.sized(py, "q", &q, self.model.nq())?;
        let v = own_velocities(&self.model, &q, t);
        Ok(vector(py, v.map_err(|e| errors::analysis(py, &e))?))
    }

    /// The equilibrium, or the point of a motion where one is asked for.
    fn site(&self, py: Python<'_>, place: &str) -> PyResult<Site> {
        let place: Place = read(py, place)?;
        let (start, motion, model) = (place.start(), place.motion(), self.mechanism());
        let held = self.mechanism();
        let found = work::run(py, move || site(&model, &start, motion.as_ref()))?;
        found.map(|site| Site::new(held, site)).map_err(|e| errors::analysis(py, &e))
    }

    /// Equilibria from scattered starts, stable ones first, and how far a search came that ended early.
    fn equilibria(
        &self,
        py: Python<'_>,
        place: &str,
        starts: usize,
    ) -> PyResult<(Vec<Site>, Option<String>)> {
        let place: Place = read(py, place)?;
        let (start, model) = (place.start(), self.mechanism());
        let found = work::run(py, move || equilibria(&model, &start, starts))?;
        let found = found.map_err(|e| errors::analysis(py, &e))?;
        let rest = |settled| Site::new(self.mechanism(), mb_analysis::Site::Rest(Box::new(settled)));
        let early =
            found.stopped.map(|why| format!("{} of {} starts were tried, {why}", found.tried, found.starts));
        Ok((found.found.into_iter().map(rest).collect(), early))
    }

    /// Load factors, configurations and stabilities along growing loads, and how the path ends: the words, the factor, and the interval of
    /// buckling where it is wider than the resolution.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn load_path(
        &self,
        py: Python<'_>,
        place: &str,
    ) -> PyResult<(Vec<(f64, Vec<f64>, String)>, String, f64, Option<(f64, f64)>)> {
        let place: Place = read(py, place)?;
        let (mut start, model, watch) = (place.start(), self.mechanism(), Watch::new());
        start.watch = watch.clone();
        let path = work::run_under(py, &watch, move || along_loads(&model, &start), |_| Ok(()))?;
        let path = path.map_err(|e| errors::analysis(py, &e))?;
        let steps =
            path.steps.iter().map(|s| (s.factor, s.equilibrium.q().to_vec(), s.stability.to_string()));
        let between = match path.end {
            PathEnd::Buckling { between, .. } => between.map(|[from, to]| (from, to)),
            _ => None,
        };
        let (end, factor) = match path.end {
            PathEnd::FullLoad => ("full load", 1.0),
            PathEnd::Buckling { factor, .. } => ("buckling", factor),
            PathEnd::LimitPoint { factor, .. } => ("limit point", factor),
            _ => ("stopped", path.steps.last().map_or(0.0, |s| s.factor)),
        };
        Ok((steps.collect(), end.to_owned(), factor, between))
    }

    /// Rank of the constraints at a configuration, the smallest pivot kept and the largest one dropped, and the redundant rows with those
    /// they depend on.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn rank(
        &self,
        py: Python<'_>,
        q: PyReadonlyArray1<'_, f64>,
        t: f64,
    ) -> PyResult<(usize, [Option<f64>; 2], Vec<(usize, String, Vec<String>)>)> {
        let q = self.sized(py, "q", &q, self.model.nq())?;
        let model = self.mechanism();
        let rank = work::run(py, move || rank_at(&model, &q, t))?.map_err(|e| errors::analysis(py, &e))?;
        let redundant =
            rank.redundant.iter().map(|r| (r.row, r.name.clone(), r.depends_on.clone())).collect();
        Ok((rank.rank(), [rank.decision.smallest_kept, rank.decision.largest_dropped], redundant))
    }

    /// q (+) d: the configuration after a step along the tangent.
    fn moved<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray1<'_, f64>,
        d: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = self.sized(py, "q", &q, self.model.nq())?;
        let d = self.sized(py, "d", &d, self.model.nv())?;
        Ok(vector(py, self.model.coordinates().retract(&q, &d)))
    }

    /// What to draw at a configuration.
    fn outline(&self, py: Python<'_>, q: PyReadonlyArray1<'_, f64>) -> PyResult<Vec<DrawnStroke>> {
        let q = self.sized(py, "q", &q, self.model.nq())?;
        let drawn = self.model.outline().into_iter().map(|stroke| {
            let places = stroke.places.iter().map(|place| self.model.place_at(place, &q)).collect();
            (stroke.owner, word(stroke.stroke), places)
        });
        Ok(drawn.collect())
    }

    /// True when no body moves in space.
    fn is_planar(&self) -> bool {
        self.model.is_planar()
    }
}

/// The name that may have been meant by one that does not exist.
#[pyfunction]
pub(crate) fn meant(name: &str, known: Vec<String>) -> Option<String> {
    nearest(name, known.iter().map(String::as_str))
}

fn word(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Bar => "bar",
        Stroke::Body => "body",
        Stroke::Curve => "curve",
        Stroke::Faces => "faces",
        Stroke::Spring => "spring",
        Stroke::Damper => "damper",
        Stroke::Bushing => "bushing",
        Stroke::Pin => "pin",
        Stroke::Clamp => "clamp",
        Stroke::TorsionSpring => "torsion-spring",
        Stroke::TorsionDamper => "torsion-damper",
        Stroke::Link => "link",
        Stroke::Slider => "slider",
        Stroke::Wheel => "wheel",
        Stroke::Mass => "mass",
        Stroke::Load => "load",
    }
}
