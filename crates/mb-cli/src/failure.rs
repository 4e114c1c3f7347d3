//! Everything that ends a command without an answer, with its exit code.

mod request;

pub use request::RequestError;

use crate::matrix_file::MatrixFileError;
use mb_algebra::matrix_market::MatrixMarketError;
use mb_analysis::parametric::{SeriesError, wrong_parametric};
use mb_analysis::periodic::OrbitError;
use mb_analysis::{AnalysisError, EQUILIBRIUM, MOTION, wrong_eigen, wrong_linear, wrong_response};
use mb_constraints::ConstraintError;
use mb_eigen::EigenError;
use mb_engine::EngineError;
use mb_linear::LinearError;
use mb_model::spec::ModelError;
use mb_parametric::ParametricError;
use mb_periodic::PeriodicError;
use mb_response::ResponseError;
use std::io::ErrorKind;

/// Exit code when the model or the request is wrong.
pub const WRONG: u8 = 1;
/// Exit code when the numerics failed.
pub const NUMERICS: u8 = 2;

/// What [`Failure::Unreadable`] speaks of.
pub const MODEL_FILE: &str = "model file";
/// The same for matrices.
pub const MATRIX_FILE: &str = "matrix file";

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
    /// A file cannot be written.
    #[error("The file `{path}` cannot be written: {source}.")]
    Unwritable {
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
    /// The driver of the distributed engine is not there.
    #[error("The distributed engine is not there: no `{program}` in {places}.")]
    NoEngine {
        /// The program.
        program: String,
        /// Where it was looked for.
        places: String,
    },
    /// The distributed engine did not come to an end.
    #[error("The engine, started by `{launcher}`, failed: {why}.{}", if log.is_empty() { String::new() } else { format!(" Its last lines: {log}") })]
    EngineRun {
        /// What starts it.
        launcher: String,
        /// What went wrong.
        why: String,
        /// The last lines it wrote.
        log: String,
    },
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
            OrbitError::Period { text, reason } => RequestError::BadPeriod { text, reason }.into(),
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
            SeriesError::RedundantRows { rows, redundant } => {
                RequestError::RedundantRows { rows, redundant }.into()
            }
        }
    }
}

fn code_of(wrong: bool) -> u8 {
    if wrong { WRONG } else { NUMERICS }
}

/// Whether an exchange with the engine failed for what was asked or given, and not for its numerics.
fn wrong_exchange(error: &EngineError) -> bool {
    match error {
        EngineError::Eigen(source) => wrong_eigen(source),
        EngineError::Engine { .. } => false,
        _ => true,
    }
}

impl Failure {
    /// Of a simulation, with the program's own names of options.
    pub fn simulation(error: ConstraintError) -> Self {
        let ConstraintError::SimulationOption { option, value, range } = error else {
            return LinearError::from(error).into();
        };
        let option = match option {
            "relative tolerance" => "rtol",
            "absolute tolerance" => "atol",
            "largest step" => "step",
            other => other,
        };
        RequestError::OutOfRange { option, value, range }.into()
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
            | Self::Request(_)
            | Self::NoEngine { .. } => WRONG,
            Self::EngineRun { .. } | Self::Lost { .. } | Self::Stopped(_) => NUMERICS,
            Self::Eigen { source, .. } => code_of(wrong_eigen(source)),
            Self::Engine(source) => code_of(wrong_exchange(source)),
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
            LinearError::NotOnMotion { equation, .. } | LinearError::NoEquilibrium { equation, .. } => {
                Some(equation)
            }
            LinearError::NoInertia { coordinate } => Some(coordinate),
            LinearError::InsideOut { worst, .. } => Some(&worst.owner),
            LinearError::Constraint(
                ConstraintError::NotAssembled { owner, .. }
                | ConstraintError::VelocitiesContradict { owner, .. }
                | ConstraintError::NotFinite { owner },
            ) => Some(owner),
            _ => None,
        }
    }
    /// A stable word for the kind, for JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::Unwritable { .. } => "unwritable",
            Self::Matrix { .. } | Self::MatrixFile { .. } => "matrix",
            Self::Model(_) => "model",
            Self::Request(_) => "request",
            Self::Linear(LinearError::Constraint(ConstraintError::NotAssembled { .. })) => "assembly",
            Self::Linear(LinearError::NoEquilibrium { .. } | LinearError::InsideOut { .. }) => "equilibrium",
            Self::Linear(LinearError::NotOnMotion { expected: MOTION, .. }) => "not_on_a_motion",
            Self::Linear(LinearError::NotOnMotion { .. }) => "not_an_equilibrium",
            Self::Linear(LinearError::NotSteady(_) | LinearError::NoSteadyMotion { .. }) => "not_steady",
            Self::Stopped(_)
            | Self::Periodic(PeriodicError::Stopped(_))
            | Self::Linear(LinearError::Stopped(_) | LinearError::Constraint(ConstraintError::Stopped(_)))
            | Self::Parametric { source: ParametricError::Stopped(_), .. } => "limit",
            Self::Linear(_) => "linearization",
            Self::Parametric { .. } | Self::Lost { .. } => "expansion",
            Self::Eigen { .. } => "eigenanalysis",
            Self::Response(_) => "response",
            Self::Engine(_) | Self::NoEngine { .. } | Self::EngineRun { .. } => "engine",
            Self::Periodic(_) => "periodic_motion",
        }
    }
    /// What to do about it, where the message does not say.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Request(e) => return e.help(),
            Self::Linear(LinearError::NotOnMotion { expected: EQUILIBRIUM, .. }) => {
                "leave out --no-solve to let the equilibrium be solved for from this start".to_owned()
            }
            Self::Linear(LinearError::NotOnMotion { expected: MOTION, .. }) => {
                "leave out --no-solve to let positions and speeds be assembled, and claimed accelerations and multipliers \
                 to let them be solved for"
                    .to_owned()
            }
            Self::Linear(LinearError::NotSteady(_)) => {
                "turn what is to turn as a whole (--spin JOINT=SPEED), or choose the configuration and speeds of a steady \
                 motion (--at, --velocity); for a periodic motion `mb floquet --period` has the exponents; follow this one in \
                 time (mb simulate); --instant shows the eigenvalues of the instant, which are no rates of growth"
                    .to_owned()
            }
            Self::Linear(LinearError::NoEquilibrium { .. }) => {
                "try --strategy relaxation, start values with --at, or `mb equilibrium --find-all 24`".to_owned()
            }
            Self::Eigen { source: EigenError::OutOfMemory { .. }, .. } => {
                "--memory GIB sets the limit, which otherwise is the memory of the system".to_owned()
            }
            Self::Linear(LinearError::InsideOut { .. }) => {
                "`mb equilibrium --load-path` increases the loads from zero and reports how much of them the model carries".to_owned()
            }
            Self::Linear(LinearError::Constraint(ConstraintError::NotAssembled { .. })) => {
                "check the lengths and places it connects, or give start values nearer to an assembled position"
                    .to_owned()
            }
            Self::Parametric { source: ParametricError::HoldingInputs { .. }, .. } => {
                "name an input with --hold for each coordinate that is a variable, and for each that --about gives: \
                 `--about NAME=VALUE` holds a pose; or use --frozen to leave the equilibrium"
                    .to_owned()
            }
            Self::Parametric { source: ParametricError::AccuracyNotReached { .. }, .. } => {
                "no expansion reaches further than the nearest point where two modes meet: ask for less, for a smaller \
                 region, or for fewer variables or modes"
                    .to_owned()
            }
            Self::Parametric { source: ParametricError::NotSimple { .. }, mode: Some(_) } => {
                "take it together with those it meets by --group, leave it out with --modes, or expand elsewhere with --about"
                    .to_owned()
            }
            Self::Parametric { source: ParametricError::GroupNotSeparate { .. }, .. } => {
                "take all modes that are close into the group: --group 2-4, or --group 1%".to_owned()
            }
            Self::Stopped(_)
            | Self::Periodic(PeriodicError::Stopped(_))
            | Self::Parametric { source: ParametricError::Stopped(_), .. } => {
                "--time-limit SECONDS changes the limit".to_owned()
            }
            Self::NoEngine { .. } => "`cargo xtask setup --engine` installs SLEPc where it can and builds it; MB_ENGINE_DIR names \
                                      another folder"
                .to_owned(),
            Self::EngineRun { .. } => "look whether the launcher runs other programs on as many ranks; --engine-write keeps the \
                                       folder, in which a run can be repeated"
                .to_owned(),
            Self::Periodic(PeriodicError::NotAPeriod { .. }) => {
                "--period takes an expression of the model's parameters, such as \"2*pi/W\"".to_owned()
            }
            Self::Periodic(PeriodicError::PeriodNeeded { .. }) => {
                "give the period by --period, as a number or an expression of parameters such as \"2*pi/W\"".to_owned()
            }
            Self::Periodic(PeriodicError::AtRest) => {
                "give a start in motion (--at, --velocity), or look at the rest with `mb modes`".to_owned()
            }
            Self::Periodic(PeriodicError::NoReturn { .. }) => {
                "give a guess of the period by --guess SECONDS, or a start nearer to the motion".to_owned()
            }
            Self::Periodic(PeriodicError::NotFound { .. }) => {
                "give a start nearer to the motion (--at, --velocity), let it settle first (--settle SECONDS), or use more --parts"
                    .to_owned()
            }
            Self::Periodic(PeriodicError::StepFails { .. }) => "use more steps: --steps N".to_owned(),
            Self::Lost { .. } => "leave the mode out with --modes, or go round with --path".to_owned(),
            Self::Parametric { source: ParametricError::IdleVariable { .. }, .. } => {
                "leave it out, or use it in the model".to_owned()
            }
            Self::Parametric { source: ParametricError::VelocityRows { .. }, .. } => {
                "`mb track --campbell` follows the modes over a speed, with an eigenvalue problem at each value".to_owned()
            }
            Self::Unreadable { what: MODEL_FILE, source, .. } => match source.kind() {
                ErrorKind::NotFound => {
                    "`mb generate --list` shows models to start from; `-` reads the standard input".to_owned()
                }
                ErrorKind::IsADirectory => "give the path of a model file (TOML) in it".to_owned(),
                ErrorKind::InvalidData => {
                    "a model is a text file (TOML); `mb modes` reads matrices with --mass, --stiffness and --constraints"
                        .to_owned()
                }
                _ => return None,
            },
            _ => return None,
        })
    }
}
