//! The command line: commands, options, their help.

mod engine;
mod files;
mod manual;
mod modes;
mod parametric;
mod periodic;
mod picture;
mod read;
mod report;
mod response;
mod sweep;
mod values;

pub use engine::{EngineArg, EngineArgs};
pub use manual::{CompletionsArgs, ManArgs, ShellArg};
pub use modes::{
    DriverArg, FormulationArgs, MatrixArgs, ModesArgs, ModesOutputArgs, PointArg, RequestArgs, SolverArgs,
    SymmetryArg,
};
pub use parametric::{CentreArgs, ParametricArgs, TrackArgs};
pub use periodic::{FloquetArgs, MotionSearchArgs, OrbitArgs};
pub use read::parse;
pub use report::{CurvesArgs, ReportArgs};
pub use response::{AXES, AxisArg, FigureArg, QuantityArg, ResponseArgs};
pub use sweep::{RangeArg, ShardArg, SweepArgs};
pub use values::{Assignment, BasisArg};

use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use values::{at_least_one, moment, positive};
use values::{of_usual_size, samples, seconds};

const EXAMPLES: &str = "\
Examples:
  mb generate rod-pendulum > pendulum.toml
  mb check pendulum.toml
  mb modes pendulum.toml
  mb modes pendulum.toml --formulation all --set L=0.5
  mb generate n-four-bar --set N=5 | mb modes - --json
  mb modes linkage.toml --plot pictures/
  mb modes --mass M.mtx --stiffness K.mtx --lowest 20

Exit codes: 0 the answer is right, 1 the model or the request is wrong, 2 the numerics failed.";

/// Vibration and stability of constrained multibody systems.
///
/// A model is a TOML file that a person can write by hand; `mb generate` prints some to start
/// from, `mb schema` the schema that editors complete it with.
#[derive(Debug, Parser)]
#[command(name = "mb", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// End after this many seconds with what there is; without it every search has a limit in proportion to the model
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Eigenvalues: frequencies, damping, class and error of every mode
    Modes(Box<ModesArgs>),
    /// Degrees of freedom, redundant constraints, free motions: is the model what you meant?
    Check(CheckArgs),
    /// Static equilibrium, its reactions and stability
    Equilibrium(EquilibriumArgs),
    /// Linear system with the model's inputs and outputs: E, A, B, C, D
    StateSpace(StateSpaceArgs),
    /// Frequency response of outputs to inputs: Bode, zeros, a moving base, unbalance, random inputs
    Response(Box<ResponseArgs>),
    /// Modes as polynomials of parameters, coordinates, speeds and inputs: sensitivities, reach, files
    Parametric(Box<ParametricArgs>),
    /// Modes followed along a path: frequency and damping with error bands, crossings, veering
    Track(Box<TrackArgs>),
    /// The modes of many cases: grids, lists, random designs; stability maps with their boundaries solved for
    Sweep(Box<SweepArgs>),
    /// Motion in time with the constraints held: violation, energy, time histories
    Simulate(Box<crate::commands::simulate::SimulateArgs>),
    /// Periodic motions of driven and free mechanisms, by shooting with exact derivatives
    Orbit(Box<OrbitArgs>),
    /// Floquet multipliers and exponents of a periodic motion
    Floquet(Box<FloquetArgs>),
    /// One self-contained page: drawing, animated modes, tables; a browser is all it needs
    Report(Box<ReportArgs>),
    /// Write the matrices of the linearized model: MatrixMarket, NPZ, MAT, PETSc
    Export(ExportArgs),
    /// Print a model file to start from
    Generate(GenerateArgs),
    /// Print the JSON Schema of the model file, for editors
    Schema,
    /// Print the script with which a shell completes command lines of this program
    Completions(CompletionsArgs),
    /// Write manual pages, one for each command
    Man(ManArgs),
}

impl Command {
    /// True when the answer, and so an error too, is asked for as JSON.
    pub fn json(&self) -> bool {
        match self {
            Self::Modes(a) => a.output.json,
            Self::Check(a) => a.json,
            Self::Equilibrium(a) => a.json,
            Self::StateSpace(a) => a.json,
            Self::Response(a) => a.json,
            Self::Parametric(a) => a.json,
            Self::Track(a) => a.json,
            Self::Sweep(a) => a.json,
            Self::Simulate(a) => a.json,
            Self::Orbit(a) => a.json,
            Self::Floquet(a) => a.json,
            Self::Report(a) => a.json,
            Self::Export(a) => a.json,
            Self::Generate(_) | Self::Schema | Self::Completions(_) | Self::Man(_) => false,
        }
    }
}

impl Command {
    /// Parameters of the model that are changed.
    pub fn set(&self) -> &[Assignment] {
        match self {
            Self::Modes(a) => &a.set,
            Self::Check(a) => &a.model.set,
            Self::Equilibrium(a) => &a.model.set,
            Self::StateSpace(a) => &a.model.set,
            Self::Response(a) => &a.model.set,
            Self::Parametric(a) => &a.model.set,
            Self::Track(a) => &a.model.set,
            Self::Sweep(a) => &a.model.set,
            Self::Simulate(a) => &a.model.set,
            Self::Orbit(a) => &a.model.set,
            Self::Floquet(a) => &a.model.set,
            Self::Report(a) => &a.model.set,
            Self::Export(a) => &a.model.set,
            Self::Generate(_) | Self::Schema | Self::Completions(_) | Self::Man(_) => &[],
        }
    }
}

/// Which model, and with which parameters.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// The model file (TOML), or `-` for the standard input
    pub model: String,
    /// Change a parameter of the model; a number or an expression of other parameters
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<Assignment>,
}

/// Where to linearize.
#[derive(Clone, Debug, Args)]
pub struct StartArgs {
    /// Start values: a coordinate such as `rod.angle=1.2` or `rod.angle=70deg` (may be
    /// repeated), or a JSON or TOML file with a configuration as `mb equilibrium --json` prints it.
    /// What is not given starts as the model says
    #[arg(long, value_name = "NAME=VALUE | FILE")]
    pub at: Vec<String>,
    /// Take the start as it is: verify that it is an equilibrium instead of solving for one
    #[arg(long)]
    pub no_solve: bool,
    /// How the equilibrium is found
    #[arg(long, value_enum, default_value_t = StrategyArg::Automatic)]
    pub strategy: StrategyArg,
    /// Time in s, for drives and loads that are functions of it
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS", value_parser = moment, allow_negative_numbers = true)]
    pub time: f64,
    /// Constant value of an input of the model; with --spin `NAME=?` is solved for, from zero or, with `?5`, from 5
    #[arg(long, value_name = "NAME=VALUE")]
    pub input: Vec<Assignment>,
}

/// A motion instead of an equilibrium.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "A motion instead of an equilibrium")]
pub struct MotionArgs {
    /// Linearize the motion that starts with the model's own speeds, or those of the file given with --at;
    /// accelerations and reactions are solved for. With --no-solve positions and speeds are only verified.
    /// The motion must be steady; the report names the frame in which it is
    #[arg(long, conflicts_with = "strategy")]
    pub moving: bool,
    /// Speed of a coordinate at the start, such as `crank.angle=6.28` (may be repeated); the others follow.
    /// Implies --moving
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "strategy")]
    pub velocity: Vec<Assignment>,
    /// Linearize this long after the start, where the motion has come by then; implies --moving
    #[arg(long, value_name = "SECONDS", value_parser = moment, conflicts_with = "strategy")]
    pub after: Option<f64>,
    /// Everything behind a joint turns about its axis with this speed in rad/s, such as `axle=50` (may be repeated, also for
    /// joints behind one another); the steady motion with these speeds is solved for. `axle=?` is an unknown speed, sought from
    /// 1 rad/s or, with `axle=?20`, from 20. Implies --moving
    #[arg(long, value_name = "JOINT=SPEED", conflicts_with_all = ["strategy", "velocity"])]
    pub spin: Vec<Assignment>,
    /// A coordinate or an output that has this value in the steady motion, such as `arm.angle=30deg` (may be repeated): one for
    /// each unknown speed or input, or one less where drag makes the balance of power an equation
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["strategy", "velocity", "no_solve", "after", "instant"])]
    pub hold: Vec<Assignment>,
    /// The frame to see a steady motion from: `ground`, or a body whose frame it turns with; without it the ground's
    /// where the linearization is constant in that, else a body's; implies --moving
    #[arg(long, value_name = "ground | BODY", conflicts_with = "strategy")]
    pub frame: Option<String>,
    /// Matrices of an instant of a motion that is not steady; their eigenvalues depend on the coordinates and are no
    /// rates of growth; implies --moving
    #[arg(long, conflicts_with_all = ["strategy", "frame"])]
    pub instant: bool,
}

impl MotionArgs {
    /// True when an option says what turns or what is held in a steady motion.
    pub fn seeks(&self) -> bool {
        !self.spin.is_empty() || !self.hold.is_empty()
    }
    /// True when an option asks for a point of a motion.
    pub fn given(&self) -> bool {
        let asked = self.frame.is_some() || self.instant || self.seeks();
        asked || self.moving || !self.velocity.is_empty() || self.after.is_some()
    }
}

/// Methods of the equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyArg {
    /// Newton, then load continuation, then ways downhill (relaxation, descent with inertia)
    Automatic,
    /// The nearest equilibrium, stable or not
    Newton,
    /// Slides downhill to a stable one, also from an unstable one
    Relaxation,
}

/// Families of linear systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormulationArg {
    /// Independent velocities only (MCS)
    #[value(alias = "mcs")]
    Minimal,
    /// All coordinates and multipliers, descriptor form (RCS)
    #[value(alias = "rcs")]
    Redundant,
    /// Constraints replaced by penalties (UCS)
    #[value(alias = "ucs")]
    Unconstrained,
    /// All three side by side
    All,
}

/// Blocks of the descriptor form moved from A to E.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TransferredArg {
    /// None
    None,
    /// The constraint Jacobian
    Jacobian,
    /// Its transpose
    Transpose,
    /// Both
    Both,
}

/// Arguments of `mb check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  mb check linkage.toml\n  mb check linkage.toml --set N=20 --json")]
pub struct CheckArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mb equilibrium`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb equilibrium pendulum.toml --find-all 24\n  mb equilibrium frame.toml --reactions\n  mb equilibrium frame.toml --plot loaded.svg\n  mb equilibrium governor.toml --spin 'axle=?' --hold arm.z=-0.4\n  mb equilibrium linkage.toml --json > there.json\n  mb modes linkage.toml --at there.json --no-solve"
)]
pub struct EquilibriumArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Where from.
    #[command(flatten)]
    pub start: StartArgs,
    /// Search from this many scattered starts and list every equilibrium found
    #[arg(long, value_name = "STARTS", conflicts_with = "no_solve", value_parser = at_least_one)]
    pub find_all: Option<usize>,
    /// Let gravity and all loads grow from zero; report the load factor at which the equilibrium buckles or ends
    #[arg(long, conflicts_with_all = ["find_all", "no_solve"])]
    pub load_path: bool,
    /// Everything behind a joint turns about its axis with this speed in rad/s, such as `axle=50` (may be repeated): the
    /// steady motion with these speeds in place of a rest. `axle=?` is an unknown speed, sought from 1 rad/s or, with `axle=?20`,
    /// from 20
    #[arg(long, value_name = "JOINT=SPEED", conflicts_with_all = ["find_all", "load_path"])]
    pub spin: Vec<Assignment>,
    /// A coordinate or an output that has this value in the steady motion, such as `arm.angle=30deg` (may be repeated): one for
    /// each unknown speed or input, or one less where drag makes the balance of power an equation
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["find_all", "load_path", "no_solve"])]
    pub hold: Vec<Assignment>,
    /// Forces and moments of every joint and rod, with all components, in ground axes
    #[arg(long, conflicts_with_all = ["load_path", "spin"])]
    pub reactions: bool,
    /// Draw the equilibrium or steady motion over the model as it is built; with --find-all each one, with --load-path the way there (.svg, .pdf or .png)
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<std::path::PathBuf>,
    /// Draw displacements this many times as large; 1 draws them as they are. Small ones are enlarged unless a number is given
    #[arg(long, value_name = "FACTOR", requires = "plot", value_parser = positive)]
    pub plot_scale: Option<f64>,
    /// How it is drawn.
    #[command(flatten)]
    pub picture: picture::PictureArgs,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// Forms of the linear system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// E x' = A x + B u with all coordinates and multipliers
    Descriptor,
    /// x' = A x + B u with the independent coordinates and their rates
    Reduced,
    /// The reduced system without states that no input reaches or no output sees
    Minimal,
}

/// Arguments of `mb state-space`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb state-space cart.toml --form reduced\n  mb state-space cart.toml --minimal --json\n  mb state-space cart.toml --form reduced -o cart.mat\n  mb state-space crank.toml --velocity crank.angle=20 --form reduced"
)]
pub struct StateSpaceArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// In motion.
    #[command(flatten)]
    pub motion: MotionArgs,
    /// The form of the system
    #[arg(long, value_enum, default_value_t = FormArg::Descriptor)]
    pub form: FormArg,
    /// Short for --form minimal
    #[arg(long, conflicts_with = "form")]
    pub minimal: bool,
    /// The system in a file, with names, units and operating point: .mat, .npz or .json
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// Formats of matrix files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MatrixFormatArg {
    /// MatrixMarket text, one file for each matrix: `scipy.io.mmread`, `mb modes --mass`
    #[default]
    Mtx,
    /// One archive for each matrix: `scipy.sparse.load_npz`
    Npz,
    /// One file for all, matrices.mat: `load` of MATLAB and Octave, `scipy.io.loadmat`
    Mat,
    /// PETSc binary, one file for each matrix: `MatLoad`
    Petsc,
}

/// Arguments of `mb export`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb export linkage.toml --out matrices\n  mb export linkage.toml --out matrices --format mat\n  mb modes --mass matrices/M.mtx --stiffness matrices/K.mtx --constraints matrices/Phi_q.mtx"
)]
pub struct ExportArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// In motion.
    #[command(flatten)]
    pub motion: MotionArgs,
    /// The folder for M, C, K and Phi_q, the input matrix B and the output matrices C_out (of x, x', x'' and the multipliers in
    /// turn) and D; it is made when it is not there
    #[arg(long, value_name = "FOLDER")]
    pub out: std::path::PathBuf,
    /// The format of the files
    #[arg(long, value_enum, default_value_t = MatrixFormatArg::Mtx)]
    pub format: MatrixFormatArg,
    /// What was written as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mb generate`.
#[derive(Clone, Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  mb generate --list\n  mb generate n-four-bar --set N=5 > linkage.toml"
)]
pub struct GenerateArgs {
    /// Name of the model
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// List the models
    #[arg(long, conflicts_with_all = ["name", "set"])]
    pub list: bool,
    /// Change a parameter of the model in the printed file
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<Assignment>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
