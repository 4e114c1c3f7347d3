//! What to do about a failure, where its message does not say.

use super::{FILE, FOLDER, Failure, MODEL_FILE, STREAM};
use crate::matrix_file::MatrixFileError;
use mb_algebra::Stopped;
use mb_analysis::{EQUILIBRIUM, MOTION};
use mb_constraints::ConstraintError;
use mb_eigen::EigenError;
use mb_engine::EngineError;
use mb_linear::LinearError;
use mb_linear::steady::Reason;
use mb_parametric::ParametricError;
use mb_periodic::PeriodicError;
use mb_response::ResponseError;
use std::io;
use std::io::ErrorKind;

impl Failure {
    /// What to do about it, where the message does not say.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Request(e) => e.help(),
            Self::Unreadable { what, source, .. } => unreadable(what, source).map(str::to_owned),
            Self::Unwritable { what, source, .. } => Some(unwritable(what, source).to_owned()),
            Self::Matrix { .. } => {
                Some("mend the file, or write it again, for example with `scipy.io.mmwrite`".to_owned())
            }
            Self::MatrixFile { source, .. } => matrix_file(source).map(str::to_owned),
            Self::Model(_) => None,
            Self::Linear(e) => linear(e).map(str::to_owned),
            Self::Parametric { source, mode } => parametric(source, *mode).map(str::to_owned),
            Self::Job { .. } => Some(
                "the cases that are solved are kept: the same command starts the parts that are missing"
                    .to_owned(),
            ),
            Self::Lost { .. } => Some("leave the mode out with --modes, or go round with --path".to_owned()),
            Self::Stopped(why) => limit(*why).map(str::to_owned),
            Self::Periodic(e) => periodic(e).map(str::to_owned),
            Self::Response(e) => response(e).map(str::to_owned),
            Self::Engine(e) => engine(e).map(str::to_owned),
            Self::Eigen { source, .. } => eigen(source).map(str::to_owned),
        }
    }
}

/// How a sentence about a failure goes on in an answer.
pub(crate) fn what_to_do(help: Option<String>) -> String {
    help.map_or_else(String::new, |help| format!(" What to do: {help}."))
}

/// What to do about work that was ended: nothing where somebody asked for it.
fn limit(why: Stopped) -> Option<&'static str> {
    matches!(why, Stopped::TimeUp { .. }).then_some("--time-limit SECONDS changes the limit")
}

/// For what rounding spoils.
const SCALE: &str = "`mb check` shows redundant rows and coordinates without mass; other units may help where the entries of the \
                     matrices differ by many powers of ten";

/// A file, folder or stream that cannot be written.
fn unwritable(what: &str, source: &io::Error) -> &'static str {
    let folder = what == FOLDER;
    match source.kind() {
        ErrorKind::NotFound if folder => "nothing can be created there: name a folder in another place",
        ErrorKind::NotFound => "name a file in a folder that exists, or create this one, if it can be, first",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem if folder => {
            "name a folder in a place where you may write, or change the rights of this one"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "name a file in a folder in which you may write, or change the rights of this one"
        }
        ErrorKind::IsADirectory => "a folder has this name: name a file, in it or elsewhere",
        ErrorKind::AlreadyExists if folder => "name a new folder, or remove what has this name",
        ErrorKind::NotADirectory => "a part of the path is a file: name a folder that exists",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "the disk is full: remove files from it, or name a place on another disk"
        }
        ErrorKind::FileTooLarge => {
            "the size of files is limited here (`ulimit -f`): raise the limit, or write less"
        }
        _ if what == STREAM => "let the output go to a terminal, a pipe or a file on a disk (`> FILE`)",
        _ if folder => "name a folder in another place",
        _ => "name a file in another folder",
    }
}

/// A file that cannot be read; what the program itself finds wrong with one is no error of the system and says what to do.
pub(crate) fn unreadable(what: &str, source: &io::Error) -> Option<&'static str> {
    let model = what == MODEL_FILE;
    Some(match source.kind() {
        ErrorKind::NotFound if model => {
            "`mb generate --list` shows models to start from; `-` reads the standard input"
        }
        ErrorKind::NotFound => "check the path: a relative one begins at the current folder",
        ErrorKind::IsADirectory if model => "give the path of a model file (TOML) in it",
        ErrorKind::IsADirectory => "give the path of a file in it",
        ErrorKind::InvalidData if model => {
            "a model is a text file (TOML); `mb modes` reads matrices with --mass, --stiffness and --constraints"
        }
        ErrorKind::InvalidData => "the file must be text in UTF-8: save it as such",
        ErrorKind::PermissionDenied => "change the rights of the file, or copy it to where you may read it",
        ErrorKind::FileTooLarge => "check that it is the file that is meant",
        ErrorKind::Other => return None,
        _ => "copy the file to another folder and name it there",
    })
}

fn matrix_file(error: &MatrixFileError) -> Option<&'static str> {
    Some(match error {
        MatrixFileError::Torn { .. } | MatrixFileError::Malformed { .. } => {
            "write the file again, or give the matrix as MatrixMarket text (`scipy.io.mmwrite`)"
        }
        MatrixFileError::NotReal { .. } => {
            "write the real part, or the complex problem as a real one of twice the size"
        }
        MatrixFileError::NotFinite { .. } => "mend the entry, and what computed it",
        MatrixFileError::SumNotFinite { .. } => "give each place once, or smaller entries in a larger unit",
        MatrixFileError::TooLarge { .. } => "check that it is the file that is meant",
        MatrixFileError::NoMatrix { .. } => "save a matrix of rows and columns, dense or sparse, in it",
        MatrixFileError::NoSuchMatrix { .. } => "write FILE:NAME with one of the names there are",
        MatrixFileError::NotRead { .. } | MatrixFileError::Several { .. } => return None,
    })
}

fn linear(error: &LinearError) -> Option<&'static str> {
    Some(match error {
        LinearError::NotOnMotion { expected: EQUILIBRIUM, .. } => {
            "leave out --no-solve to let the equilibrium be solved for from this start"
        }
        LinearError::NotOnMotion { expected: MOTION, .. } => {
            "leave out --no-solve to let positions and speeds be assembled, and claimed accelerations and multipliers to let \
             them be solved for"
        }
        LinearError::NotSteady(why) if matches!(why.reason, Reason::Rests) => {
            "leave out --moving: at rest `mb modes` has the eigenvalues of the equilibrium"
        }
        LinearError::NotSteady(_) => {
            "turn what is to turn as a whole (--spin JOINT=SPEED), or choose the configuration and speeds of a steady motion \
             (--at, --velocity); for a periodic motion `mb floquet --period` has the exponents; follow this one in time \
             (mb simulate); --instant shows the eigenvalues of the instant, which are no rates of growth"
        }
        LinearError::NoEquilibrium { pushed, stopped: Some(why), .. } if pushed.is_empty() => {
            return limit(*why);
        }
        LinearError::NoEquilibrium { .. } | LinearError::TurnedOver { .. } => {
            "try --strategy relaxation, start values with --at, or `mb equilibrium --find-all 24`"
        }
        LinearError::InsideOut { .. } => {
            "`mb equilibrium --load-path` increases the loads from zero and reports how much of them the model carries"
        }
        LinearError::NotSought { .. } => {
            "hold one coordinate or output (--hold NAME=VALUE, or `hold` of a [[steady-rotation]]) for each unknown speed or input (--spin \
             JOINT=?, `speed = \"?\"`, --input NAME=?), or one less \
             where drag acts on what turns"
        }
        LinearError::BadSpin { .. } => {
            "name a joint with one free rotation, as in --spin JOINT=SPEED, spin:JOINT for `mb track`, or in a [[steady-rotation]]"
        }
        LinearError::NoSuchBody { .. } => {
            "give --frame the name of a body, or `ground`; without it the frame is chosen"
        }
        LinearError::BadPenalty { .. } => "leave the factor out: one is chosen that fits the matrices",
        LinearError::WrongSize { .. } => "give one number for each coordinate, row or input of the model",
        LinearError::Constraint(error) => return constraint(error),
        LinearError::Algebra(_) => SCALE,
        LinearError::Stopped(why) => return limit(*why),
        _ => return None,
    })
}

fn constraint(error: &ConstraintError) -> Option<&'static str> {
    Some(match error {
        ConstraintError::NotAssembled { .. } => {
            "check the lengths and places it connects, or give start values nearer to an assembled position"
        }
        ConstraintError::VelocitiesContradict { .. } => {
            "give fewer speeds (--velocity) and let the others follow, or change the laws of the drives"
        }
        ConstraintError::InconsistentStart { .. } => {
            "--start assemble moves the start onto the constraints; or give values that satisfy them (--at, --velocity)"
        }
        ConstraintError::Locked { .. } => {
            "remove a joint or a rod, or give a joint a drive; `mb check` shows which rows are redundant"
        }
        ConstraintError::Algebra(_) => SCALE,
        ConstraintError::Stopped(why) => return limit(*why),
        ConstraintError::StepTooSmall { .. } => {
            "end the motion before that time, or integrate it implicitly (`mb simulate --integrator generalized-alpha`)"
        }
        _ => return None,
    })
}

fn parametric(error: &ParametricError, mode: Option<usize>) -> Option<&'static str> {
    Some(match error {
        ParametricError::HoldingInputs { .. } => {
            "name an input with --hold for each coordinate that is a variable, and for each that --about gives: \
             `--about NAME=VALUE` holds a pose; or use --frozen to leave the equilibrium"
        }
        ParametricError::NotBalanced { singular: false, .. } => {
            "keep to values on this side of that point: an equilibrium may end there; `mb equilibrium --set NAME=VALUE` says what is there"
        }
        ParametricError::NotBalanced { .. } => {
            "hold what moves freely by a joint or a weak spring, name inputs with --hold that can balance the model, or use --frozen to \
             leave the equilibrium"
        }
        ParametricError::AccuracyNotReached { .. } => {
            "no expansion reaches further than the nearest point where two modes meet: ask for less, for a smaller region, or \
             for fewer variables or modes"
        }
        ParametricError::NotSimple { .. } if mode.is_some() => {
            "take it together with those it meets by --group, leave it out with --modes, or expand elsewhere with --about"
        }
        ParametricError::GroupNotSeparate { .. } => {
            "take all modes that are close into the group: --group 2-4, or --group 1%"
        }
        ParametricError::IdleVariable { .. } => "leave it out, or use it in the model",
        ParametricError::NotSteady { .. } => {
            "expand in other variables, or about values on one side of what makes the model unsymmetric; --frame names another frame to \
             see the motion from, `mb track --campbell` solves anew at each speed"
        }
        ParametricError::VelocityRows { .. } => {
            "`mb track --campbell` follows the modes over a speed, with an eigenvalue problem at each value"
        }
        ParametricError::NotConverged { .. }
        | ParametricError::BadStart
        | ParametricError::GaugeVanishes { .. } => {
            "expand elsewhere with --about, or leave the mode out with --modes"
        }
        ParametricError::OrderNotExpanded { .. } => "ask for a lower order, or expand further with --order",
        ParametricError::EmptyRegion { .. } => "give the smaller value first: --region NAME=LO..HI",
        ParametricError::MovingConstraints { .. } => {
            "give every speed by --velocity, or expand about a state of rest"
        }
        ParametricError::UnknownVariable { .. } => "`mb check` lists the parameters, coordinates and inputs",
        ParametricError::RepeatedVariable { .. } => "name it once",
        ParametricError::Algebra(_) => SCALE,
        ParametricError::Stopped(why) => return limit(*why),
        _ => return None,
    })
}

fn periodic(error: &PeriodicError) -> Option<&'static str> {
    Some(match error {
        PeriodicError::NotAPeriod { .. } => {
            "--period takes an expression of the model's parameters, such as \"2*pi/W\""
        }
        PeriodicError::PeriodNeeded { .. } => {
            "give the period by --period, as a number or an expression of parameters such as \"2*pi/W\""
        }
        PeriodicError::AtRest => {
            "give a start in motion (--at, --velocity); `mb modes` has the modes about the rest"
        }
        PeriodicError::NoReturn { .. } => {
            "give a guess of the period by --guess SECONDS, or a start nearer to the motion"
        }
        PeriodicError::NotFound { .. } => {
            "give a start nearer to the motion (--at, --velocity), let it settle first (--settle SECONDS), or use more --parts"
        }
        PeriodicError::StepFails { .. } => "use more steps: --steps N",
        PeriodicError::Singular { .. } => {
            "choose a motion that stays clear of this configuration, or take the redundant row out of the model"
        }
        PeriodicError::Parameter { .. } => "leave this value out of the range, or change the model there",
        PeriodicError::TooLarge { .. } => "take a coarser model, or follow the motion in time (mb simulate)",
        PeriodicError::At { source, .. } => return periodic(source),
        PeriodicError::Constraint(error) => return constraint(error),
        PeriodicError::Algebra(_) => SCALE,
        PeriodicError::Stopped(why) => return limit(*why),
        _ => return None,
    })
}

fn response(error: &ResponseError) -> Option<&'static str> {
    Some(match error {
        ResponseError::LossOfRolling => "leave --loss out, and give the model dampers",
        ResponseError::NoForce { .. } => "name inputs of forces at the place of the unbalance in --from",
        ResponseError::BadFrequency { .. } => "give finite frequencies in Hz",
        ResponseError::NoBound { .. } => "leave the frequency out, or give the model damping",
        ResponseError::Unstable { .. } => {
            "give the model damping, hold what moves freely, or take the response at frequencies (--band) without --psd"
        }
        ResponseError::Undamped { .. } => {
            "give that motion damping, end the band (--band) off the pole, or take an input or output that it has no part in"
        }
        ResponseError::Unsettled { .. } => "end the band where the density is small",
        ResponseError::TooLargeForZeros { .. } => "leave --zeros out, or take a coarser model",
        ResponseError::NoZeros => "choose another input or output (--from, --to), or leave --zeros out",
        ResponseError::Algebra(_) => SCALE,
        ResponseError::Eigen(error) => return eigen(error),
        _ => return None,
    })
}

fn engine(error: &EngineError) -> Option<&'static str> {
    Some(match error {
        EngineError::Malformed { .. } => {
            "write the folder again with --engine-write, or run the engine in it again"
        }
        EngineError::Changed { .. } => "write the folder again with --engine-write",
        EngineError::OtherPackage { .. } => {
            "repeat the command that wrote it, with --engine-read in place of --engine-write"
        }
        EngineError::NoDriver { .. } => {
            "`cargo xtask setup --engine` installs SLEPc where it can and builds it; MB_ENGINE_DIR names another folder"
        }
        EngineError::Run { .. } => {
            "check that the launcher runs other programs on as many ranks; --engine-write keeps the folder, in which a run can be \
             repeated"
        }
        EngineError::Folder { source, .. } => unwritable(FOLDER, source),
        EngineError::NoManifest { source, .. } => return unreadable(FILE, source),
        EngineError::Io(error) => unwritable(FILE, error),
        EngineError::Eigen(error) => return eigen(error),
        EngineError::Engine { .. } => {
            "run the engine again with more memory or other options, or leave the engine out: `mb` has a solver of its own"
        }
        _ => return None,
    })
}

fn eigen(error: &EigenError) -> Option<&'static str> {
    Some(match error {
        EigenError::OutOfMemory { .. } => {
            "--memory GIB sets the limit, which otherwise is the memory of the system"
        }
        EigenError::NoRegularShift { .. } => {
            "`mb check` names redundant rows and coordinates without mass: take the rows out, give each direction mass or \
             stiffness, or ask for modes near another frequency (--near)"
        }
        EigenError::NonFinite { .. } => "check the values of the model that enter the matrix",
        EigenError::NotForEngine { .. } => {
            "--lowest, --near, --near-point and --band ask for what it answers"
        }
        EigenError::EngineAnswer { .. } => "run the engine again in a folder of its own",
        EigenError::NoThread { .. } => "end other programs, or leave --solver arpack out",
        EigenError::NotConverged { .. } | EigenError::Algebra { .. } => SCALE,
        _ => return None,
    })
}
