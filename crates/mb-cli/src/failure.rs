//! Everything that ends a command without an answer, with its exit code.

pub(crate) mod remedy;
mod request;
mod request_remedy;

pub use request::RequestError;

use crate::matrix_file::MatrixFileError;
use mb_algebra::matrix_market::MatrixMarketError;
use mb_analysis::parametric::{SeriesError, wrong_parametric};
use mb_analysis::periodic::OrbitError;
use mb_analysis::{AnalysisError, MOTION, wrong_eigen, wrong_linear, wrong_response};
use mb_constraints::ConstraintError;
use mb_eigen::EigenError;
use mb_engine::EngineError;
use mb_linear::LinearError;
use mb_model::spec::ModelError;
use mb_parametric::ParametricError;
use mb_periodic::PeriodicError;
use mb_response::ResponseError;

/// Exit code when the model or the request is wrong.
pub const WRONG: u8 = 1;
/// Exit code when the numerics failed.
pub const NUMERICS: u8 = 2;

/// What [`Failure::Unreadable`] speaks of.
pub const MODEL_FILE: &str = "model file";
/// The same for matrices.
pub const MATRIX_FILE: &str = "matrix file";

/// What is written.
pub const FILE: &str = "file";
/// The same of what holds several files.
pub const FOLDER: &str = "folder";
/// The same of the standard output.
pub const STREAM: &str = "stream";

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A file cannot be read.
    #[error("The {what} `{path}` cannot be read: {source}.")]
    Unreadable {
        /// `model file` or `matrix file`.
        what: &'static str,
        /// The path as given.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file, a folder or the standard output cannot be written.
    #[error("The {what} `{path}` cannot be written: {source}.")]
    Unwritable {
        /// `file`, `folder` or `stream`.
        what: &'static str,
        /// The path as given.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The model file is wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A matrix file is wrong.
    #[error("The matrix file `{path}` is wrong. {source}")]
    Matrix {
        /// The path as given.
        path: String,
        /// What is wrong, with line and column.
        source: MatrixMarketError,
    },
    /// A binary file of matrices is wrong.
    #[error("The matrix file `{path}` is wrong. {source}")]
    MatrixFile {
        /// The path as given.
        path: String,
        /// What is wrong.
        source: MatrixFileError,
    },
    /// A job of a sweep left no table.
    #[error("Part {part} of {parts} of the sweep, started by `{launcher}`, failed: {why}.{}", if log.is_empty() { String::new() } else { format!(" Its last lines: {log}") })]
    Job {
        /// Which, from 1.
        part: usize,
        /// Of how many.
        parts: usize,
        /// What starts it.
        launcher: String,
        /// What went wrong.
        why: String,
        /// The last lines it wrote.
        log: String,
    },
    /// The request does not fit the model.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The equilibrium or the linearization failed.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The expansion failed.
    #[error("{}{source}", mode.map_or_else(String::new, |n| format!("Mode {n}: ")))]
    Parametric {
        /// Number of the mode, as `mb modes` shows it, where it is one mode's.
        mode: Option<usize>,
        /// Why.
        source: ParametricError,
    },
    /// A mode could not be followed along a path.
    #[error(
        "Mode {mode} at {s:.6} rad/s could not be followed to {at}, however small the steps: it meets another mode there, or \
         the matrices change abruptly."
    )]
    Lost {
        /// Number of the mode, as `mb modes` shows it in the middle of the path.
        mode: usize,
        /// Its last eigenvalue, rad/s.
        s: mb_algebra::c64,
        /// Values of the variables that were not reached.
        at: String,
    },
    /// It was stopped from outside.
    #[error("The work ended before its end: {0}.")]
    Stopped(#[from] mb_algebra::Stopped),
    /// A periodic motion was not found.
    #[error(transparent)]
    Periodic(#[from] PeriodicError),
    /// The frequency response failed.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// The exchange with the distributed engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The eigenanalysis failed.
    #[error("{formulation}: {source}")]
    Eigen {
        /// Of which formulation.
        formulation: String,
        /// Why.
        source: EigenError,
    },
}

impl From<ParametricError> for Failure {
    fn from(source: ParametricError) -> Self {
        Self::Parametric { mode: None, source }
    }
}

impl From<OrbitError> for Failure {
    fn from(error: OrbitError) -> Self {
        match error {
            OrbitError::Analysis(source) => source.into(),
            OrbitError::Periodic(source) => source.into(),
            OrbitError::Period { text, reason } => {
                RequestError::BadPeriod { option: "--period", text, reason }.into()
            }
        }
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Linear(source) => Self::Linear(source),
            AnalysisError::Response(source) => Self::Response(source),
            AnalysisError::Eigen { formulation, source } => Self::Eigen { formulation, source },
            other => Self::Request(other.into()),
        }
    }
}

impl From<SeriesError> for Failure {
    fn from(error: SeriesError) -> Self {
        match error {
            SeriesError::Analysis(source) => source.into(),
            SeriesError::Model(source) => Self::Model(source),
            SeriesError::Parametric { mode, source } => Self::Parametric { mode, source },
            SeriesError::Lost { mode, s, at } => Self::Lost { mode, s, at },
            SeriesError::BadModes { list, why } => RequestError::BadModes { list, why }.into(),
            SeriesError::RankChanges { at, rows } => RequestError::RankChanges { at, rows }.into(),
            SeriesError::NoSteadySeries { reason } => RequestError::NoSteadySeries { reason }.into(),
            SeriesError::RedundantRows { rows, redundant } => {
                RequestError::RedundantRows { rows, redundant }.into()
            }
        }
    }
}

fn code_of(wrong: bool) -> u8 {
    if wrong { WRONG } else { NUMERICS }
}

impl Failure {
    /// Of a simulation, with the program's own names of options.
    pub fn simulation(error: ConstraintError) -> Self {
        let (option, value, range) = match error {
            ConstraintError::SimulationOption { option, value, range } => (option, value, range),
            ConstraintError::MethodParameter { parameter, value, range, .. } => (parameter, value, range),
            other => return LinearError::from(other).into(),
        };
        let option = match option {
            "relative tolerance" => "rtol",
            "absolute tolerance" => "atol",
            "largest step" => "step",
            "tolerance" => "iterate-to",
            "max_iterations" => "most-iterations",
            other => other,
        };
        RequestError::OutOfRange { option, value, range }.into()
    }
    /// The same of the option that was given in the place of the one it names.
    #[must_use]
    pub fn with_option(mut self, given: &'static str) -> Self {
        if let Self::Request(
            RequestError::NoSuchParameter { option, .. }
            | RequestError::NoSuchVariable { option, .. }
            | RequestError::EmptyRange { option, .. }
            | RequestError::NotANumber { option, .. }
            | RequestError::BadPeriod { option, .. },
        ) = &mut self
        {
            *option = given;
        }
        self
    }
    /// 1 when the model or the request is wrong, 2 when the numerics failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Request(RequestError::Analysis(source)) => code_of(source.is_wrong_request()),
            Self::Unreadable { .. }
            | Self::Unwritable { .. }
            | Self::Model(_)
            | Self::Matrix { .. }
            | Self::MatrixFile { .. }
            | Self::Request(_) => WRONG,
            Self::Lost { .. } | Self::Stopped(_) | Self::Job { .. } => NUMERICS,
            Self::Eigen { source, .. } => code_of(wrong_eigen(source)),
            Self::Engine(source) => code_of(source.is_wrong_request(wrong_eigen)),
            Self::Parametric { source, .. } => code_of(wrong_parametric(source)),
            Self::Linear(source) => code_of(wrong_linear(source)),
            Self::Response(source) => code_of(wrong_response(source)),
            Self::Periodic(source) => code_of(source.is_wrong_request()),
        }
    }
    /// Line and column of the file it is about, from 1, where the failure itself knows them.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            Self::Matrix { source, .. } => Some((source.line(), source.column())),
            _ => None,
        }
    }
    /// The file it is about, where that is not the model.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Matrix { path, .. }
            | Self::MatrixFile { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Unwritable { path, .. }
            | Self::Engine(EngineError::Folder { path, .. } | EngineError::NoManifest { path, .. })
            | Self::Request(
                RequestError::Sizes { path, .. }
                | RequestError::NotSymmetric { path, .. }
                | RequestError::EntryOutOfRange { path, .. },
            ) => Some(path),
            _ => None,
        }
    }
    /// The thing of the model that the failure is about, as in messages.
    pub fn owner(&self) -> Option<&str> {
        if let Self::Request(RequestError::Moving { row, .. }) = self {
            return Some(row);
        }
        let Self::Linear(e) = self else { return None };
        match e {
            LinearError::NotOnMotion { equation, .. }
            | LinearError::NoEquilibrium { equation, .. }
            | LinearError::Falls { equation, .. } => Some(equation),
            LinearError::Turns { torque, .. } => Some(torque),
            LinearError::NoInertia { coordinate } => Some(coordinate),
            LinearError::InsideOut { worst, .. } => Some(&worst.owner),
            LinearError::TurnedOver { joint } => Some(joint),
            LinearError::Constraint(
                ConstraintError::NotAssembled { owner, .. }
                | ConstraintError::VelocitiesContradict { owner, .. }
                | ConstraintError::Overflows { owner, .. }
                | ConstraintError::NotFinite { owner },
            ) => Some(owner),
            _ => None,
        }
    }
    /// A stable word for the kind, for JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } | Self::Engine(EngineError::NoManifest { .. }) => "unreadable",
            Self::Unwritable { .. } | Self::Engine(EngineError::Folder { .. }) => "unwritable",
            Self::Matrix { .. } | Self::MatrixFile { .. } => "matrix",
            Self::Model(_) => "model",
            Self::Request(_) => "request",
            Self::Linear(LinearError::Constraint(ConstraintError::NotAssembled { .. })) => "assembly",
            Self::Linear(
                LinearError::NoEquilibrium { stopped: None, .. }
                | LinearError::Falls { .. }
                | LinearError::Turns { .. }
                | LinearError::InsideOut { .. }
                | LinearError::TurnedOver { .. },
            ) => "equilibrium",
            Self::Linear(LinearError::NotOnMotion { expected: MOTION, .. }) => "not_on_a_motion",
            Self::Linear(LinearError::NotOnMotion { .. }) => "not_an_equilibrium",
            Self::Linear(LinearError::NotSteady(_) | LinearError::NoSteadyMotion { .. }) => "not_steady",
            Self::Stopped(_)
            | Self::Periodic(PeriodicError::Stopped(_))
            | Self::Linear(
                LinearError::NoEquilibrium { stopped: Some(_), .. }
                | LinearError::Stopped(_)
                | LinearError::Constraint(ConstraintError::Stopped(_)),
            )
            | Self::Parametric { source: ParametricError::Stopped(_), .. } => "limit",
            Self::Linear(_) => "linearization",
            Self::Parametric { .. } | Self::Lost { .. } => "expansion",
            Self::Eigen { .. } => "eigenanalysis",
            Self::Response(_) => "response",
            Self::Engine(_) => "engine",
            Self::Periodic(_) => "periodic_motion",
            Self::Job { .. } => "job_failed",
        }
    }
}
