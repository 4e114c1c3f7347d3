//! The distributed engine: solved by a run of it or from a folder in which it has worked, a folder for a queue, an estimate.

use std::path::{Path, PathBuf};

use mb_algebra::{QuadraticPencil, Sparse};
use mb_analysis::engine::write_folder;
use mb_analysis::request::words;
use mb_analysis::{AnalysisError, part};
use mb_eigen::Spectrum as Pairs;
use mb_eigen::sparse::{Request, SparseOptions};
use mb_engine::{EngineError, Estimate, Launch, Problem, Source, Stream};
use mb_linear::OperatingPoint;
use mb_model::Model;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::options::{Settings, Wanted, read};
use crate::site::Site;
use crate::{eigs, errors, work};

/// Where its results come from, as `python/mb` writes it.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Engine {
    /// A run now: processes, and what starts them.
    Run { ranks: usize, launcher: Option<String> },
    /// A folder.
    Read(PathBuf),
}

impl From<Engine> for Source {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Run { ranks, launcher } => {
                let launcher = launcher.unwrap_or_else(|| mb_engine::LAUNCHER.to_owned());
                Self::Run(Launch { ranks, launcher })
            }
            Engine::Read(folder) => Self::Folder(folder),
        }
    }
}

/// Why there is no answer by the engine.
pub(crate) enum Failed {
    Analysis(AnalysisError),
    Engine(EngineError),
}

impl From<AnalysisError> for Failed {
    fn from(error: AnalysisError) -> Self {
        Self::Analysis(error)
    }
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl Failed {
    pub(crate) fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Analysis(e) => errors::analysis(py, e),
            Self::Engine(e) => errors::engine(py, e),
        }
    }
}

/// Eigenpairs of matrices.
pub(crate) fn of_matrices(
    pencil: &QuadraticPencil<Sparse>,
    request: &Request,
    options: &SparseOptions,
    engine: Engine,
) -> Result<Pairs, Failed> {
    let problem = Problem { pencil, parts: None, request, words: &words(request), options };
    Ok(problem.solve(&engine.into())?)
}

/// Eigenpairs of a linearized model.
pub(crate) fn of_model(
    model: &Model,
    at: &OperatingPoint,
    request: Request,
    options: &SparseOptions,
    engine: Engine,
) -> Result<mb_analysis::FormulationSpectrum, Failed> {
    part::of_model_elsewhere(model, at, request, options, |problem, request| {
        let part::PartProblem { pencil, parts, options, .. } = problem;
        let problem = Problem { pencil, parts: parts.as_ref(), request, words: &words(request), options };
        Ok(problem.solve(&engine.into())?)
    })
}

/// Unknowns with constraint rows; entries of a factor, operations, memory in bytes and seconds, where they are estimated.
type Needs = (usize, Option<[f64; 4]>);

/// Writes a folder where one is named, or estimates what a run needs.
fn prepared(problem: &Problem<'_>, ranks: usize, folder: Option<&str>) -> Result<Needs, Failed> {
    if let Some(folder) = folder {
        return Ok((problem.write(ranks, Path::new(folder))?, None));
    }
    let Estimate { size, entries, operations, memory, seconds, .. } = problem.estimate(ranks)?;
    Ok((size, Some([entries, operations, memory, seconds])))
}

/// A folder or an estimate for given matrices: K, M, C, the gyroscopic one, constraints.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python calls takes a list by value")]
pub(crate) fn engine_job(
    py: Python<'_>,
    matrices: [Option<Bound<'_, PyAny>>; 5],
    wanted: &str,
    settings: &str,
    ranks: usize,
    folder: Option<String>,
) -> PyResult<Needs> {
    let [k, others @ ..] = &matrices;
    let k = k.as_ref().ok_or_else(|| errors::internal(py, "no K"))?;
    let k = eigs::stiffness(py, "K", k)?;
    let settings = read::<Settings>(py, settings)?;
    let eigs::Given { pencil, .. } =
        eigs::pencil(py, k, others.each_ref().map(Option::as_ref), settings.declares_symmetry())?;
    let (request, options) = (read::<Wanted>(py, wanted)?.request(), settings.options());
    let done = work::run(py, move || {
        let (pencil, request, options) = (&pencil, &request, &options);
        let problem = Problem { pencil, parts: None, request, words: &words(request), options };
        prepared(&problem, ranks, folder.as_deref())
    })?;
    done.map_err(|e| e.raised(py))
}

/// A folder or an estimate for a linearized model.
#[pyfunction]
pub(crate) fn model_engine_job(
    py: Python<'_>,
    site: &Site,
    wanted: &str,
    settings: &str,
    ranks: usize,
    folder: Option<String>,
) -> PyResult<Needs> {
    let request = read::<Wanted>(py, wanted)?.request();
    let options = read::<Settings>(py, settings)?.options();
    let done = site.work(py, move |model, at, _| {
        let (request, words) = (&request, &words(&request));
        if let Some(folder) = &folder {
            let stream = Stream { request, words, options: &options, ranks, folder: Path::new(folder) };
            return Ok(write_folder(&stream, model, at).map(|unknowns| (unknowns, None)));
        }
        let part::PartProblem { pencil, parts, options, .. } = part::problem(model, at, &options)?;
        let options = &options;
        let problem = Problem { pencil: &pencil, parts: parts.as_ref(), request, words, options };
        Ok(prepared(&problem, ranks, None))
    })?;
    done.map_err(|e| e.raised(py))
}
