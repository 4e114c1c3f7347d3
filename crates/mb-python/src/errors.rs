//! The exceptions of the package, which `python/mb/_errors.py` defines.

use mb_analysis::AnalysisError;
use mb_analysis::checkpoint::{CheckpointError, NotThisRun};
use mb_analysis::parametric::{SeriesError, UnknownVariable};
use mb_constraints::ConstraintError;
use mb_eigen::EigenError;
use mb_engine::EngineError;
use mb_linear::LinearError;
use mb_model::ModelError;
use mb_parametric::ParametricError;
use mb_periodic::PeriodicError;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

fn raise(py: Python<'_>, class: &str, message: String, fields: &[(&str, Py<PyAny>)]) -> PyErr {
    let made = || -> PyResult<Bound<'_, PyAny>> {
        let given = PyDict::new(py);
        for (name, value) in fields {
            given.set_item(name, value)?;
        }
        py.import("mb._errors")?.getattr(class)?.call((message,), Some(&given))
    };
    made().map_or_else(|e| e, PyErr::from_value)
}

fn object<'py>(py: Python<'py>, value: impl IntoPyObjectExt<'py>) -> Py<PyAny> {
    value.into_py_any(py).unwrap_or_else(|_| py.None())
}

/// `mb.ArgumentError`: an argument that cannot be used, with the position in it where there is one.
pub(crate) fn argument(py: Python<'_>, name: &str, message: String, at: Option<(usize, usize)>) -> PyErr {
    raise(py, "ArgumentError", message, &[("argument", object(py, name)), ("position", object(py, at))])
}

/// A file that the steps of a run cannot be kept in.
pub(crate) fn checkpoint(py: Python<'_>, error: CheckpointError) -> PyErr {
    match error {
        CheckpointError::NotThisRun { path, reason } => {
            let path = path.display();
            let message = match reason {
                NotThisRun::NoFile => format!("checkpoint: {path} is no file."),
                NotThisRun::TooLarge => format!("checkpoint: {path} is too large."),
                NotThisRun::InUse => format!("checkpoint: another run writes to {path}."),
                NotThisRun::NoCheckpoint => {
                    format!("checkpoint: {path} is no checkpoint of this package; it is left as it is.")
                }
                other => {
                    let what = match other {
                        NotThisRun::Version => "with another version of the package",
                        NotThisRun::Analysis => "of another analysis",
                        NotThisRun::Model => "of another model",
                        _ => "with other arguments",
                    };
                    format!("checkpoint: {path} belongs to another run, {what}; it is left as it is.")
                }
            };
            argument(py, "checkpoint", message, None)
        }
        CheckpointError::Unwritable { path, source } => {
            let (file, words) = (path.display().to_string(), source.to_string());
            match source.raw_os_error() {
                // As Python's own errors of files: the number, which makes the class, the words without it, the file.
                Some(number) => {
                    let words = words.split(" (os error").next().unwrap_or_default().to_owned();
                    PyOSError::new_err((number, words, file))
                }
                None => PyOSError::new_err(format!("{file}: {words}")),
            }
        }
    }
}

/// `mb.InternalError`: a fault of the package.
pub(crate) fn internal(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("Internal error: {what}. This is a fault of mb; please report it.");
    raise(py, "InternalError", message, &[])
}

/// `mb.NumericsError`: no answer although the input may be right.
pub(crate) fn numerics(py: Python<'_>, kind: &str, message: String) -> PyErr {
    raise(py, "NumericsError", message, &[("kind", object(py, kind))])
}

/// The Python name of a matrix in the equation.
fn argument_of(matrix: &str) -> &str {
    match matrix {
        "Phi_q" | "G" => "constraints",
        other => other,
    }
}

/// An eigenanalysis that failed.
pub(crate) fn eigen(py: Python<'_>, error: &EigenError) -> PyErr {
    let message = error.to_string();
    match *error {
        EigenError::Shape { matrix, .. } => argument(py, argument_of(matrix), message, None),
        EigenError::Empty => argument(py, "K", message, None),
        EigenError::NonFinite { matrix, row, col, .. }
        | EigenError::NotSymmetric { matrix, row, col, .. } => {
            argument(py, argument_of(matrix), message, Some((row, col)))
        }
        EigenError::BadSetting { setting, .. } => argument(py, setting_of(setting), message, None),
        EigenError::TooLarge { .. } => argument(py, "all", message, None),
        EigenError::NoArpack { .. } => argument(py, "solver", message, None),
        EigenError::NotForEngine { .. } => argument(py, "engine", message, None),
        EigenError::OutOfMemory { .. } => numerics(py, "out_of_memory", message),
        EigenError::NoRegularShift { .. } => numerics(py, "no_regular_shift", message),
        EigenError::NoLargest { .. } => numerics(py, "no_largest", message),
        EigenError::NotConverged { .. } => numerics(py, "not_converged", message),
        EigenError::IndefiniteMetric => numerics(py, "indefinite_metric", message),
        EigenError::NoLeftVector { .. } => numerics(py, "no_left_vector", message),
        EigenError::Algebra { .. } => numerics(py, "algebra", message),
        _ => numerics(py, "eigenanalysis", message),
    }
}

/// The distributed engine, or a folder of it, gave no answer.
pub(crate) fn engine(py: Python<'_>, error: &EngineError) -> PyErr {
    let message = error.to_string();
    match error {
        EngineError::Eigen(e) => eigen(py, e),
        EngineError::Folder { .. } => argument(py, "folder", message, None),
        EngineError::NoDriver { .. } => {
            let help = "`cargo xtask setup --engine` in a clone installs SLEPc where it can and builds it; the environment variable \
                        MB_ENGINE_DIR names its folder.";
            argument(py, "engine", format!("{message} {help}"), None)
        }
        EngineError::Run { .. } => {
            let help = "launcher= has to start other programs on as many ranks.";
            numerics(py, "engine", format!("{message} {help}"))
        }
        EngineError::Engine { .. } | EngineError::Io(_) => numerics(py, "engine", message),
        _ => argument(py, "engine_read", message, None),
    }
}

/// `mb.ModelError` of a description, with every problem and its place.
pub(crate) fn model(py: Python<'_>, error: &ModelError, file: Option<String>) -> PyErr {
    let problems = PyList::empty(py);
    let mut lines = Vec::new();
    for problem in error.problems() {
        let one = PyDict::new(py);
        let (line, column) = problem.position.as_ref().map(|at| (at.line, at.column)).unzip();
        // Nothing of this fails but for memory.
        let _ = one.set_item("subject", &problem.subject);
        let _ = one.set_item("message", problem.to_string());
        let _ = one.set_item("path", problem.path.to_string());
        let _ = one.set_item("line", line);
        let _ = one.set_item("column", column);
        let _ = one.set_item("help", problem.help());
        let _ = problems.append(one);
        let place = match (&file, line, column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
            _ => String::new(),
        };
        let key = if place.is_empty() {
            unnamed_key(&problem.path.to_string(), &problem.to_string())
        } else {
            String::new()
        };
        let help = problem.help().map_or_else(String::new, |help| format!(" ({help})"));
        lines.push(format!("{place}{problem}{key}{help}"));
    }
    let fields = [("problems", problems.into_any().unbind()), ("file", object(py, file))];
    raise(py, "ModelError", lines.join("\n"), &fields)
}

/// The key that a problem lies in, in words, where the message has no word of it: a model built from code shows no line of a file.
fn unnamed_key(path: &str, message: &str) -> String {
    let named = |word: &str| message.contains(word) || message.contains(&word.replace('_', " "));
    match path.split_once('.') {
        Some((_, key)) if !key.split('.').next_back().is_some_and(named) => format!(" (key `{key}`)"),
        _ => String::new(),
    }
}

/// An analysis of a model that failed: `mb.ModelError` where model or request are wrong, `mb.NumericsError` otherwise.
pub(crate) fn analysis(py: Python<'_>, error: &AnalysisError) -> PyErr {
    let message = error.to_string();
    match error {
        AnalysisError::Eigen { source, .. } => eigen(py, source),
        AnalysisError::Linear(e @ (LinearError::NotSteady(_) | LinearError::NotOnMotion { .. })) => {
            numerics(py, kind_of(e), message)
        }
        _ if error.is_wrong_request() => raise(py, "ModelError", message, &[]),
        AnalysisError::Linear(e) => numerics(py, kind_of(e), message),
        _ => numerics(py, "analysis", message),
    }
}

fn kind_of(error: &LinearError) -> &'static str {
    match error {
        LinearError::NoEquilibrium { .. } | LinearError::Falls { .. } | LinearError::Turns { .. } => {
            "no_equilibrium"
        }
        LinearError::InsideOut { .. } => "inside_out",
        LinearError::TurnedOver { .. } => "turned_over",
        LinearError::Driven { .. } => "driven",
        LinearError::NotOnMotion { .. } => "not_on_motion",
        LinearError::NotSteady(_) | LinearError::NoSteadyMotion { .. } => "not_steady",
        LinearError::Constraint(ConstraintError::StepTooSmall { .. }) => "step_too_small",
        LinearError::Constraint(ConstraintError::Unstable { .. }) => "unstable_run",
        _ => "linearization",
    }
}

/// A periodic motion that was not found.
pub(crate) fn periodic(py: Python<'_>, error: &PeriodicError) -> PyErr {
    let message = error.to_string();
    match error {
        PeriodicError::NotAPeriod { .. } => argument(py, "period", message, None),
        PeriodicError::PeriodNeeded { .. } => {
            let message =
                format!("{message} Give it as period=, a number in s or an expression of parameters.");
            argument(py, "period", message, None)
        }
        PeriodicError::NoReturn { .. } => {
            let message = format!("{message} guess= says about how long it is, s.");
            numerics(py, "no_return", message)
        }
        PeriodicError::StepFails { .. } => numerics(py, "step_fails", message),
        PeriodicError::Singular { .. } => numerics(py, "singular_configuration", message),
        PeriodicError::NotFound { .. } => numerics(py, "no_periodic_motion", message),
        PeriodicError::Steady | PeriodicError::Parameter { .. } => raise(py, "ModelError", message, &[]),
        PeriodicError::Constraint(e) => analysis(py, &e.clone().into()),
        _ if error.is_wrong_request() => raise(py, "ModelError", message, &[]),
        _ => numerics(py, "periodic_motion", message),
    }
}

/// Polynomials or a path that failed.
pub(crate) fn series(py: Python<'_>, error: &SeriesError) -> PyErr {
    let message = error.to_string();
    match error {
        SeriesError::Analysis(e) => analysis(py, e),
        SeriesError::Model(e) => model(py, e, None),
        SeriesError::BadModes { .. } => argument(py, "modes", message, None),
        SeriesError::RedundantRows { redundant, .. } => {
            let help = format!("leave these out of the model: {}", redundant.join(", "));
            raise(py, "ModelError", format!("{message} ({help})"), &[("help", object(py, help))])
        }
        _ if error.is_wrong_request() => raise(py, "ModelError", message, &[]),
        SeriesError::Lost { .. } => numerics(py, "lost", message),
        SeriesError::Parametric { source, .. } => numerics(py, kind_of_expansion(source), message),
        SeriesError::RankChanges { .. } | SeriesError::NoSteadySeries { .. } => {
            numerics(py, "expansion", message)
        }
    }
}

fn kind_of_expansion(error: &ParametricError) -> &'static str {
    match error {
        ParametricError::NotSimple { .. } => "not_simple",
        ParametricError::GroupNotSeparate { .. } => "group_not_separate",
        ParametricError::AccuracyNotReached { .. } => "accuracy_not_reached",
        ParametricError::NotBalanced { .. } => "no_equilibrium",
        _ => "expansion",
    }
}

/// `mb.ModelError` of a request that does not fit, with what to do about it.
pub(crate) fn request(py: Python<'_>, message: String, help: &str) -> PyErr {
    raise(py, "ModelError", message, &[("help", object(py, help))])
}

/// A name that the model does not have.
pub(crate) fn unknown(py: Python<'_>, argument: &str, name: &UnknownVariable) -> PyErr {
    let help = match &name.nearest {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("there are: {}", name.known.join(", ")),
    };
    let message =
        format!("{argument}: the model has no parameter, coordinate or input '{}'; {help}", name.name);
    raise(py, "ModelError", message, &[("help", object(py, help))])
}

fn setting_of(setting: &str) -> &str {
    match setting.split('.').next() {
        Some("NearFrequency" | "NearPoint") => "near",
        Some("Band") => "band",
        _ => setting,
    }
}
