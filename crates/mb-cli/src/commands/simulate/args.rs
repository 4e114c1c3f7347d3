//! The command line of `mb simulate`.

use crate::args::{Assignment, ModelArgs, at_least_one, moment, positive};
use crate::picture::PictureFormat;
use clap::{Args, ValueEnum};
use mb_constraints::ConstraintMethod;
use mb_constraints::method::{
    AugmentedLagrangian, Baumgarte, CoordinatePartitioning, CorrectionTime, CorrectionWeight,
    DirectCorrection, Penalty,
};
use mb_constraints::simulate::{Crossing, StartPolicy};
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  mb simulate pendulum.toml --until 5 --output motion.csv
  mb simulate spatial-four-bar.toml --until 5 --method baumgarte --alpha 5 --beta 5
  mb simulate spatial-four-bar.toml --until 5 --compare --plot figures
  mb simulate pendulum.toml --at P.x=1.2 --until 10 --stop 'sway<0'
  mb simulate stiff.toml --until 60 --integrator generalized-alpha --step 1e-3";

/// Ways to hold the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodArg {
    /// Lagrange multipliers alone: the violation grows
    Standard,
    /// Feedback of the violation
    Baumgarte,
    /// Constraints as stiff springs, dampers and masses
    Penalty,
    /// Penalties iterated until they are exact
    AugmentedLagrangian,
    /// Positions and velocities moved back by the Moore-Penrose inverse
    DirectCorrection,
    /// Only independent coordinates integrated
    CoordinatePartitioning,
}

/// Integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IntegratorArg {
    /// Explicit, order 5(4), with error control
    DormandPrince,
    /// Implicit, order 2, for stiff or long runs; holds the positions itself
    GeneralizedAlpha,
}

/// What is done with an inconsistent start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StartArg {
    /// The nearest consistent positions and velocities
    Assemble,
    /// Refused, with the violated constraints
    Refuse,
    /// Taken as it is
    Keep,
}

/// A time constant, whose inverse is a number of the model's range.
fn not_negative(text: &str) -> Result<f64, String> {
    let usable = |x: &f64| (0.0..=1e100).contains(x);
    text.parse().ok().filter(usable).ok_or_else(|| "must be zero or a positive number".to_owned())
}

fn time_constant(text: &str) -> Result<f64, String> {
    let usable = |x: &f64| (1e-100..=1e100).contains(x);
    text.parse().ok().filter(usable).ok_or_else(|| "must be a number between 1e-100 and 1e100".to_owned())
}

/// An output that stops the run where it crosses a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Name of the output.
    pub output: String,
    /// The value as given.
    pub value: String,
    /// In which sense.
    pub crossing: Crossing,
}

impl FromStr for Stop {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let at = text.find(['=', '<', '>']).ok_or("write OUTPUT=VALUE, OUTPUT>VALUE or OUTPUT<VALUE")?;
        let crossing = match text.as_bytes()[at] {
            b'>' => Crossing::Rising,
            b'<' => Crossing::Falling,
            _ => Crossing::Either,
        };
        let (output, value) = (text[..at].trim(), text[at + 1..].trim());
        if output.is_empty() || value.is_empty() {
            return Err("write OUTPUT=VALUE, as in sway=0".to_owned());
        }
        Ok(Self { output: output.to_owned(), value: value.to_owned(), crossing })
    }
}

/// Arguments of `mb simulate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line of its own")]
pub struct SimulateArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Time at the end, s
    #[arg(long, value_name = "SECONDS")]
    pub until: f64,
    /// Time between reports, s
    #[arg(long, default_value_t = 0.02, value_name = "SECONDS")]
    pub every: f64,
    /// Time at the start, s
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS", value_parser = moment, allow_negative_numbers = true)]
    pub time: f64,
    /// How the constraints are held
    #[arg(long, value_enum, default_value_t = MethodArg::DirectCorrection)]
    pub method: MethodArg,
    /// Run all methods side by side
    #[arg(long, conflicts_with_all = ["output", "method"])]
    pub compare: bool,
    /// The integrator
    #[arg(long, value_enum, default_value_t = IntegratorArg::DormandPrince, conflicts_with = "compare")]
    pub integrator: IntegratorArg,
    /// A fresh start of the integrator at every report
    #[arg(long)]
    pub restart: bool,
    /// Relative tolerance
    #[arg(long, default_value_t = 1e-6, value_name = "NUMBER")]
    pub rtol: f64,
    /// Absolute tolerance
    #[arg(long, default_value_t = 1e-9, value_name = "NUMBER")]
    pub atol: f64,
    /// Step of the implicit integrator, largest step of the explicit one, s
    #[arg(long, value_name = "SECONDS")]
    pub step: Option<f64>,
    /// Baumgarte: alpha, 1/s (5); penalty and augmented Lagrangian: the factor (1e7)
    #[arg(long, value_name = "NUMBER", conflicts_with = "compare")]
    pub alpha: Option<f64>,
    /// Baumgarte: beta, 1/s
    #[arg(long, default_value_t = 5.0, value_name = "NUMBER", value_parser = positive)]
    pub beta: f64,
    /// Baumgarte: critically damped with this time constant in place of alpha and beta, s
    #[arg(long, value_name = "SECONDS", value_parser = time_constant, conflicts_with_all = ["alpha", "beta"])]
    pub time_constant: Option<f64>,
    /// Penalty: frequency of the violation, rad/s
    #[arg(long, default_value_t = 10.0, value_name = "NUMBER", value_parser = positive)]
    pub omega: f64,
    /// Penalty: damping ratio of the violation
    #[arg(long, default_value_t = 1.0, value_name = "NUMBER", value_parser = not_negative)]
    pub mu: f64,
    /// Augmented Lagrangian: change of the accelerations, relative to them, at which it stops
    #[arg(long, default_value_t = 1e-7, value_name = "NUMBER", value_parser = positive)]
    pub iterate_to: f64,
    /// Augmented Lagrangian: most iterations of an evaluation
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = at_least_one)]
    pub most_iterations: usize,
    /// Direct correction: share of its length below which a constraint row counts as dependent
    #[arg(long, default_value_t = 1e-6, value_name = "NUMBER")]
    pub cutoff: f64,
    /// Direct correction: once a report instead of after every step
    #[arg(long)]
    pub correct_reports: bool,
    /// Direct correction: least motion of mass instead of least change of coordinates
    #[arg(long)]
    pub mass_weighted: bool,
    /// Start value of a coordinate, such as `rod.angle=1.2` (may be repeated), or a JSON file with a
    /// configuration
    #[arg(long, value_name = "NAME=VALUE | FILE")]
    pub at: Vec<String>,
    /// Start value of a velocity, such as `crank.angle=6.28` (may be repeated); the others follow
    #[arg(long, value_name = "NAME=VALUE")]
    pub velocity: Vec<Assignment>,
    /// What is done with a start that violates the constraints
    #[arg(long, value_enum, default_value_t = StartArg::Assemble)]
    pub start: StartArg,
    /// Constant value of an input of the model
    #[arg(long, value_name = "NAME=VALUE")]
    pub input: Vec<Assignment>,
    /// Stop when an output of the model crosses a value: `=` either way, `>` rising, `<` falling
    #[arg(long, value_name = "OUTPUT=VALUE | OUTPUT>VALUE | OUTPUT<VALUE")]
    pub stop: Vec<Stop>,
    /// Implicit integrator: hold the velocities to their constraints as well
    #[arg(long)]
    pub stabilized: bool,
    /// Forces and moments of all joints and rods among the columns of the file
    #[arg(long, requires = "output")]
    pub reactions: bool,
    /// Write the motion to a file: .csv, .json or .npz
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep the run in this file, and go on from there where it exists: after an end from outside the same command line gives
    /// the same bits. The run is integrated in parts of 100 reports, each with a fresh start of the integrator
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub checkpoint: Option<PathBuf>,
    /// Draw outputs over time, violation and energy into this folder
    #[arg(long, value_name = "FOLDER")]
    pub plot: Option<PathBuf>,
    /// Format of the pictures
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PictureFormat::Svg, requires = "plot")]
    pub plot_format: PictureFormat,
    /// The summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl SimulateArgs {
    /// The method with its parameters.
    pub fn constraint_method(&self, method: MethodArg) -> ConstraintMethod {
        let penalty = Penalty { alpha: self.alpha.unwrap_or(1e7), omega: self.omega, mu: self.mu };
        match method {
            MethodArg::Standard => ConstraintMethod::Standard,
            MethodArg::Baumgarte => {
                let given = Baumgarte { alpha: self.alpha.unwrap_or(5.0), beta: self.beta };
                ConstraintMethod::Baumgarte(self.time_constant.map_or(given, Baumgarte::critical))
            }
            MethodArg::Penalty => ConstraintMethod::Penalty(penalty),
            MethodArg::AugmentedLagrangian => ConstraintMethod::AugmentedLagrangian(AugmentedLagrangian {
                penalty,
                tolerance: self.iterate_to,
                max_iterations: self.most_iterations,
            }),
            MethodArg::DirectCorrection => {
                let when = if self.correct_reports {
                    CorrectionTime::EveryReport
                } else {
                    CorrectionTime::EveryStep
                };
                let weight =
                    if self.mass_weighted { CorrectionWeight::Mass } else { CorrectionWeight::Identity };
                let rest = DirectCorrection::default();
                ConstraintMethod::DirectCorrection(DirectCorrection {
                    when,
                    weight,
                    cutoff: self.cutoff,
                    ..rest
                })
            }
            MethodArg::CoordinatePartitioning => {
                ConstraintMethod::CoordinatePartitioning(CoordinatePartitioning::default())
            }
        }
    }
    /// What is done with an inconsistent start.
    pub fn policy(&self) -> StartPolicy {
        match self.start {
            StartArg::Assemble => StartPolicy::Assemble,
            StartArg::Refuse => StartPolicy::Refuse,
            StartArg::Keep => StartPolicy::Keep,
        }
    }
}
