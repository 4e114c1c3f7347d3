//! The command line of `mb modes`: where the matrices come from, which eigenvalues, what is written.

use super::{BasisArg, EngineArgs, FormulationArg, MotionArgs, StartArgs, StrategyArg, TransferredArg};
use crate::args::{Assignment, at_least_one, positive};
use crate::failure::RequestError;
use crate::picture::PictureFormat;
use clap::{Args, ValueEnum};
use mb_eigen::sparse::Request;
use std::path::PathBuf;
use std::str::FromStr;

/// Options of the formulations.
#[derive(Clone, Debug, Args)]
pub struct FormulationArgs {
    /// The linear system to take the eigenvalues of
    #[arg(long, value_enum, default_value_t = FormulationArg::Minimal)]
    pub formulation: FormulationArg,
    /// Basis of the minimal formulation: qr, svd, gram-schmidt, zero-eigenvalue, selection,
    /// or selection=NAME,NAME to choose the independent coordinates
    /// [default: qr]
    #[arg(long, value_name = "METHOD")]
    pub basis: Option<BasisArg>,
    /// Blocks of the redundant formulation moved from A to E [default: none]
    #[arg(long, value_enum)]
    pub transferred: Option<TransferredArg>,
    /// Penalty factor of all rows in the unconstrained formulation; not given, each constraint row has one of its own
    /// that keeps the modes within 1e-5 of the mechanism's
    #[arg(long)]
    pub alpha: Option<f64>,
    /// Damping ratio of its constraint violation [default: 1]
    #[arg(long)]
    pub xi: Option<f64>,
    /// Frequency of its constraint violation, rad/s [default: 10]
    #[arg(long)]
    pub omega: Option<f64>,
}

impl FormulationArgs {
    /// The first option given that belongs to a formulation that is not asked for, and that formulation.
    pub fn astray(&self) -> Option<(&'static str, &'static str)> {
        use FormulationArg::{All, Minimal, Redundant, Unconstrained};
        let given = [
            ("--basis", self.basis.is_some(), Minimal, "minimal"),
            ("--transferred", self.transferred.is_some(), Redundant, "redundant"),
            ("--alpha", self.alpha.is_some(), Unconstrained, "unconstrained"),
            ("--xi", self.xi.is_some(), Unconstrained, "unconstrained"),
            ("--omega", self.omega.is_some(), Unconstrained, "unconstrained"),
        ];
        let asked = |of: FormulationArg| self.formulation == of || self.formulation == All;
        given
            .into_iter()
            .find_map(|(option, given, of, word)| (given && !asked(of)).then_some((option, word)))
    }
}

/// Matrices from files instead of a model.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Matrices instead of a model (MatrixMarket files)")]
pub struct MatrixArgs {
    /// Mass matrix M of (s^2 M + s C + K) x + G^T l = 0, G x = 0; files of matrices are MatrixMarket text, .npz or .npy of SciPy
    /// and numpy, .mat of MATLAB (version 5 to 7) or PETSc binary; FILE:NAME takes one of several in a file
    #[arg(long, value_name = "M", requires = "stiffness", conflicts_with = "model")]
    pub mass: Option<PathBuf>,
    /// Stiffness matrix K
    #[arg(long, value_name = "K", requires = "mass")]
    pub stiffness: Option<PathBuf>,
    /// Damping and gyroscopic matrix C
    #[arg(long, value_name = "C", requires = "mass")]
    pub damping: Option<PathBuf>,
    /// Constraint matrix G, one row for each constraint
    #[arg(long, value_name = "G", requires = "mass")]
    pub constraints: Option<PathBuf>,
    /// The pair E, A of E y' = A y
    #[arg(long, num_args = 2, value_names = ["E", "A"], conflicts_with_all = ["model", "mass"])]
    pub descriptor: Vec<PathBuf>,
}

impl MatrixArgs {
    /// True when matrices are given.
    pub fn given(&self) -> bool {
        self.mass.is_some() || !self.descriptor.is_empty()
    }
}

/// A point of the complex plane, RE,IM in rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointArg(pub mb_algebra::c64);

impl FromStr for PointArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parse = |part: &str| part.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let (re, im) = text.split_once(',').unwrap_or((text, "0"));
        match (parse(re), parse(im)) {
            (Some(re), Some(im)) => Ok(Self(mb_algebra::c64::new(re, im))),
            _ => Err("write RE,IM in rad/s, as in -1.5,20".to_owned()),
        }
    }
}

/// Which eigenvalues are wanted; one of these, or none for a choice by size.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which eigenvalues")]
pub struct RequestArgs {
    /// The N modes of lowest frequency, rigid ones included
    #[arg(long, value_name = "N", value_parser = at_least_one, group = "request")]
    pub lowest: Option<usize>,
    /// The modes nearest to a frequency in Hz, --count of them
    #[arg(long, value_name = "HZ", group = "request", allow_negative_numbers = true)]
    pub near: Option<f64>,
    /// The eigenvalues nearest to a point of the complex plane in rad/s, --count of them
    #[arg(long, value_name = "RE,IM", group = "request", allow_hyphen_values = true)]
    pub near_point: Option<PointArg>,
    /// How many --near and --near-point give
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one, requires = "request",
        conflicts_with_all = ["lowest", "band", "largest", "all"])]
    pub count: usize,
    /// All modes of a frequency band in Hz
    #[arg(long, num_args = 2, value_names = ["LO", "HI"], group = "request", allow_negative_numbers = true)]
    pub band: Vec<f64>,
    /// Of --band, only modes with at most this damping ratio; without it all up to 0.3 are sought, and others shown where found
    #[arg(long, value_name = "ZETA", requires = "band", allow_negative_numbers = true)]
    pub max_damping: Option<f64>,
    /// The N modes of highest frequency, for the time step of an explicit integration
    #[arg(long, value_name = "N", value_parser = at_least_one, group = "request")]
    pub largest: Option<usize>,
    /// Every eigenvalue by dense matrices, spurious, infinite and indeterminate ones too
    #[arg(long, group = "request")]
    pub all: bool,
}

impl RequestArgs {
    /// The part of the spectrum that the distributed engine is asked for.
    ///
    /// # Errors
    /// [`RequestError::NothingForEngine`] where no part is asked for.
    pub fn for_engine(&self, option: &'static str) -> Result<Request, RequestError> {
        self.part().ok_or(RequestError::NothingForEngine { option })
    }
    /// The option that asks for a part.
    pub fn option(&self) -> &'static str {
        match self.part() {
            Some(Request::Lowest { .. }) => "--lowest",
            Some(Request::NearFrequency { .. }) => "--near",
            Some(Request::NearPoint { .. }) => "--near-point",
            Some(Request::Band { .. }) => "--band",
            Some(Request::Largest { .. }) => "--largest",
            _ => "--all",
        }
    }
    /// Checks the numbers of the request.
    ///
    /// # Errors
    /// The option with what it must be.
    pub fn check(&self) -> Result<(), RequestError> {
        let frequency = |option, value: f64, least: f64, range| {
            let right = value.is_finite() && value >= least;
            if right { Ok(()) } else { Err(RequestError::OutOfRange { option, value, range }) }
        };
        let positive = "a frequency in Hz, not negative";
        frequency("near", self.near.unwrap_or(0.0), 0.0, positive)?;
        if let [from, to] = *self.band.as_slice() {
            frequency("band LO", from, 0.0, positive)?;
            frequency("band HI", to, from, "a frequency in Hz, not below LO")?;
        }
        match self.max_damping {
            Some(value) if !(0.0..1.0).contains(&value) => Err(RequestError::OutOfRange {
                option: "max-damping",
                value,
                range: "at least 0 and below 1",
            }),
            _ => Ok(()),
        }
    }
    /// The request; none when everything is wanted or nothing is said.
    pub fn part(&self) -> Option<Request> {
        let count = self.count;
        if let Some(count) = self.lowest {
            return Some(Request::Lowest { count });
        }
        if let Some(hz) = self.near {
            return Some(Request::NearFrequency { hz, count });
        }
        if let Some(PointArg(s)) = self.near_point {
            return Some(Request::NearPoint { s, count });
        }
        if let Some(count) = self.largest {
            return Some(Request::Largest { count });
        }
        if let [from_hz, to_hz] = *self.band.as_slice() {
            return Some(Request::Band { from_hz, to_hz, max_damping_ratio: self.max_damping });
        }
        None
    }
}

/// Whether symmetry may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SymmetryArg {
    /// Look at the matrices
    #[default]
    Detect,
    /// M, C and K are symmetric; an entry that is not is an error
    Symmetric,
    /// Treat them as unsymmetric whatever they are
    None,
}

/// The Krylov method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DriverArg {
    /// The one of this program, always there
    #[default]
    BuiltIn,
    /// ARPACK-NG, where the machine has it
    Arpack,
}

/// How parts of a spectrum are computed.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "How parts of a spectrum are computed")]
pub struct SolverArgs {
    /// The Krylov method
    #[arg(long, value_enum, default_value_t = DriverArg::BuiltIn)]
    pub solver: DriverArg,
    /// Whether M, C and K are symmetric
    #[arg(long, value_enum, default_value_t = SymmetryArg::Detect)]
    pub symmetry: SymmetryArg,
    /// Where the operator is inverted, in rad/s, instead of an automatic choice
    #[arg(long, value_name = "RE,IM", allow_hyphen_values = true)]
    pub shift: Option<PointArg>,
    /// Memory in GiB that factors and vectors may take, by estimates made before; by default what the system has
    #[arg(long, value_name = "GIB", value_parser = positive)]
    pub memory: Option<f64>,
}

impl SolverArgs {
    /// Checks the method against the request: `part` where a part of the spectrum is computed.
    ///
    /// # Errors
    /// [`RequestError::SolverOfPart`].
    pub fn check(&self, part: bool) -> Result<(), RequestError> {
        if part || self.solver == DriverArg::BuiltIn { Ok(()) } else { Err(RequestError::SolverOfPart) }
    }
}

const MODES_EXAMPLES: &str = "\
Examples:
  mb modes pendulum.toml
  mb modes linkage.toml --set N=20 --formulation all
  mb modes linkage.toml --basis selection=phi.angle
  mb modes pendulum.toml --at OP.angle=90deg --no-solve
  mb modes top.toml --moving
  mb modes rotor.toml --velocity 'rotor.rotation z=300' --frame ground
  mb modes turntable.toml --spin axle=20
  mb modes linkage.toml --velocity crank.angle=6.28 --after 0.25 --instant
  mb modes linkage.toml --formulation redundant --transferred both --all
  mb modes linkage.toml --json | jq '.formulations[0].eigenpairs[] | {re, im}'
  mb modes linkage.toml --plot modes.svg
  mb modes --mass M.mtx --stiffness K.mtx --constraints G.mtx --lowest 20 --shapes x.csv
  mb modes --mass M.mtx --stiffness K.mtx --damping C.mtx --band 5 50 --max-damping 0.1
  mb modes --descriptor E.mtx A.mtx --near-point -1.5,20 --count 4
  mb modes block.toml --lowest 20 --engine slepc --ranks 8
  mb modes block.toml --lowest 20 --engine-write job --ranks 64

A model of up to 1000 coordinates and constraint rows is analysed by dense matrices and all its modes are
reported; of a larger one, and of matrices of more than 400 rows, the 20 lowest, unless the options say otherwise.";

/// Arguments of `mb modes`.
#[derive(Clone, Debug, Args)]
#[command(after_help = MODES_EXAMPLES)]
pub struct ModesArgs {
    /// The model file (TOML), or `-` for the standard input
    #[arg(required_unless_present_any = ["mass", "stiffness", "descriptor"])]
    pub model: Option<String>,
    /// Change a parameter of the model; a number or an expression of other parameters
    #[arg(long, value_name = "NAME=VALUE", requires = "model")]
    pub set: Vec<Assignment>,
    /// The formulation.
    #[command(flatten)]
    pub formulation: FormulationArgs,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// In motion.
    #[command(flatten)]
    pub motion: MotionArgs,
    /// Matrices.
    #[command(flatten)]
    pub matrices: MatrixArgs,
    /// Which eigenvalues.
    #[command(flatten)]
    pub request: RequestArgs,
    /// How.
    #[command(flatten)]
    pub solver: SolverArgs,
    /// On many machines.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// What is written.
    #[command(flatten)]
    pub output: ModesOutputArgs,
}

impl ModesArgs {
    /// The first option given that has no meaning for matrices.
    pub fn of_a_model(&self) -> Option<&'static str> {
        let (start, motion, output) = (&self.start, &self.motion, &self.output);
        let formulation = &self.formulation;
        let given = [
            ("--set", !self.set.is_empty()),
            ("--at", !start.at.is_empty()),
            ("--no-solve", start.no_solve),
            ("--strategy", start.strategy != StrategyArg::Automatic),
            ("--time", start.time != 0.0),
            ("--input", !start.input.is_empty()),
            ("--velocity", !motion.velocity.is_empty()),
            ("--after", motion.after.is_some()),
            ("--spin", !motion.spin.is_empty()),
            ("--frame", motion.frame.is_some()),
            ("--instant", motion.instant),
            ("--moving", motion.moving),
            ("--formulation", formulation.formulation != FormulationArg::Minimal),
            ("--basis", formulation.basis.is_some()),
            ("--transferred", formulation.transferred.is_some()),
            ("--alpha", formulation.alpha.is_some()),
            ("--xi", formulation.xi.is_some()),
            ("--omega", formulation.omega.is_some()),
            ("--energy", output.shares.energy),
            ("--participation", output.shares.participation),
            ("--plot", output.plot.is_some()),
        ];
        given.into_iter().find_map(|(option, given)| given.then_some(option))
    }
}

/// Energy and mass of the modes.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "What is shown and written")]
pub struct SharesArgs {
    /// Show which body moves, deforms and dissipates in each mode
    #[arg(long, requires = "model")]
    pub energy: bool,
    /// Show the effective mass of each mode in the directions x, y and z
    #[arg(long, requires = "model")]
    pub participation: bool,
}

/// What `mb modes` shows and writes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What is shown and written")]
pub struct ModesOutputArgs {
    /// Show the mode shapes by coordinate
    #[arg(long)]
    pub vectors: bool,
    /// Show and write the left eigenvectors too
    #[arg(long)]
    pub left: bool,
    /// Energy and mass of the modes.
    #[command(flatten)]
    pub shares: SharesArgs,
    /// Write the mode shapes to a file: .mtx (MatrixMarket), .csv or .json
    #[arg(long, value_name = "FILE")]
    pub shapes: Option<PathBuf>,
    /// Draw the mode shapes over the model at rest: a sheet (FILE.svg, FILE.pdf, FILE.png), or a folder
    /// with a file for each mode
    #[arg(long, value_name = "FILE.svg | FOLDER", requires = "model")]
    pub plot: Option<PathBuf>,
    /// Format of the files of such a folder; that of a sheet follows from its name
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PictureFormat::Svg, requires = "plot")]
    pub plot_format: PictureFormat,
    /// Most modes that --plot draws
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = at_least_one, requires = "plot")]
    pub plot_modes: usize,
    /// How it is drawn.
    #[command(flatten)]
    pub picture: super::picture::PictureArgs,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}
