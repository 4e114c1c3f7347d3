//! The command lines of `mb parametric` and `mb track`.

use super::{Assignment, ModelArgs, StrategyArg, at_least_one, moment, samples};
use clap::Args;
use std::path::PathBuf;

const NAMES: &str = "\
A variable is a parameter of the model file (k), a coordinate (crank.angle), a speed (speed:crank.angle) or an
input (motor or input:motor). Coordinates that are variables must be held by inputs: --hold motor.";

const PARAMETRIC_EXAMPLES: &str = "\
Examples:
  mb parametric linkage.toml --parameters k,m --order 4
  mb parametric linkage.toml --parameters k,m --accuracy 1e-4 --region k=900..1100 --region m=5%
  mb parametric arm.toml --about crank.angle=70deg --parameters crank.angle --hold motor --modes 1-3
  mb parametric linkage.toml --parameters k --evaluate k=950 --evaluate k=1200
  mb parametric linkage.toml --parameters k,m --tolerance k=5% --tolerance m=0.02
  mb parametric rotor.toml --parameters W,k --evaluate W=320
  mb parametric turntable.toml --spin axle=20 --parameters k
  mb parametric twins.toml --parameters k --group 1-2
  mb parametric twins.toml --parameters k,m --group 0.5% --accuracy 1e-4 --region k=10% --region m=10%
  mb parametric linkage.toml --parameters k,m --output modes.npz --output modes.json";

const TRACK_EXAMPLES: &str = "\
Examples:
  mb track linkage.toml --parameter k --from 500 --to 1500 --plot frequencies.svg
  mb track arm.toml --parameter crank.angle --from 20deg --to 80deg --hold motor --samples 31 --output modes.csv
  mb track arm.toml --path path.csv --order 4 --modes 1-3 --json
  mb track rotor.toml --parameter W --from 200 --to 400 --output modes.csv
  mb track rotor.toml --parameter W --from 0 --to 500 --campbell campbell.svg
  mb track blades.toml --parameter W --from 20 --to 60 --floquet 2*pi/W --plot exponents.svg
  mb track rotor.toml --parameter spin:axle --from 0 --to 500 --campbell --samples 100 --lowest 10

The file of --path has a line of names (variables, and `time` if it is to be the abscissa) and one line of numbers
for each sample.";

/// Where the model is expanded.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Where")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line of its own")]
pub struct CentreArgs {
    /// A value at the point of expansion, `k=900` or `crank.angle=70deg` (may be repeated), or a JSON or TOML file with a
    /// configuration as `mb equilibrium --json` prints it, and for a point of a motion its velocities, accelerations and inputs
    #[arg(long, value_name = "NAME=VALUE | FILE")]
    pub about: Vec<String>,
    /// Inputs that hold the coordinates among the variables, one for each; further ones hold the coordinates that --about
    /// gives, so that the pose stays while parameters move
    #[arg(long, value_name = "INPUT,...", value_delimiter = ',')]
    pub hold: Vec<String>,
    /// Nothing but the variables themselves moves: coordinates, reactions and inputs stay at
    /// their values at the point of expansion, instead of following the equilibrium
    #[arg(long)]
    pub frozen: bool,
    /// The steady motion that starts with the model's own speeds, or those of --about: its configuration follows the variables, and
    /// the eigenvalues are exponents in the frame that moves along, which the report names. A model with a [[steady-rotation]] is
    /// expanded in its motion without this option
    #[arg(long, conflicts_with_all = ["hold", "frozen", "instant", "strategy"])]
    pub moving: bool,
    /// Everything behind a joint turns about its axis with this speed in rad/s, such as `axle=50` (may be repeated); implies
    /// --moving. A speed that is a variable is written in terms of a parameter, in a [[steady-rotation]] of the model
    #[arg(long, value_name = "JOINT=SPEED", conflicts_with_all = ["hold", "frozen", "instant", "strategy"])]
    pub spin: Vec<Assignment>,
    /// The frame to see a steady motion from: `ground`, or a body whose frame it turns with; without it the ground's where the
    /// linearization is constant in that, else a body's; implies --moving
    #[arg(long, value_name = "ground | BODY", conflicts_with_all = ["hold", "frozen", "instant"])]
    pub frame: Option<String>,
    /// Matrices of an instant of a motion: needed with speeds or accelerations without --moving, whose eigenvalues are then those
    /// of frozen matrices and no rates of growth
    #[arg(long)]
    pub instant: bool,
    /// Take the configuration as it is: verify that it is an equilibrium instead of solving for one; a frozen point of a
    /// motion is taken as it stands
    #[arg(long, conflicts_with = "hold")]
    pub no_solve: bool,
    /// How the equilibrium is found
    #[arg(long, value_enum, default_value_t = StrategyArg::Automatic)]
    pub strategy: StrategyArg,
    /// Time in s, for drives and loads that are functions of it
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS", value_parser = moment, allow_negative_numbers = true)]
    pub time: f64,
}

/// Arguments of `mb parametric`.
#[derive(Clone, Debug, Args)]
#[command(after_help = PARAMETRIC_EXAMPLES)]
pub struct ParametricArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The variables of the polynomials
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true, alias = "parameter", long_help = NAMES)]
    pub parameters: Vec<String>,
    /// Degree of the polynomials (4 when no accuracy is asked for)
    #[arg(long, value_name = "N", value_parser = degree, conflicts_with = "accuracy")]
    pub order: Option<usize>,
    /// Choose the lowest order, the fewest terms and as many centres as keep this relative error of the eigenvalues in the
    /// region
    #[arg(long, value_name = "NUMBER", requires = "region")]
    pub accuracy: Option<f64>,
    /// Where the polynomials are to be used: values such as `k=900..1100`, or `m=5%` to both sides
    #[arg(long, value_name = "NAME=LO..HI | NAME=P%", value_parser = region)]
    pub region: Vec<Assignment>,
    /// How far a variable may be off, `k=25` or `k=5%`: what that makes of frequency and damping, to first order
    #[arg(long, value_name = "NAME=VALUE | NAME=P%")]
    pub tolerance: Vec<Assignment>,
    /// Modes by number as `mb modes` shows them, `1,3-5` or `all`; the first six that oscillate when not given
    #[arg(long, value_name = "LIST")]
    pub modes: Option<String>,
    /// Modes to expand together because they are close, repeated or defective: by number, `2-3` (may be repeated), or those
    /// closer to each other than a share of their size, `0.5%`
    #[arg(long, value_name = "LIST | P%")]
    pub group: Vec<String>,
    /// Show the modes that the polynomials give at other values, `k=950` or `k=950,m=2` (may be repeated)
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub evaluate: Vec<String>,
    /// Where.
    #[command(flatten)]
    pub centre: CentreArgs,
    /// Keep the modes or centres that are finished in this file, and go on from there where it exists: after an end from outside the same
    /// command line gives the same bits
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Write the polynomials to a file: .npz or .json (may be repeated)
    #[arg(long, short, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Everything but the vectors at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mb track`.
#[derive(Clone, Debug, Args)]
#[command(after_help = TRACK_EXAMPLES)]
pub struct TrackArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The variable of a straight path
    #[arg(long, value_name = "NAME", requires_all = ["from", "to"], required_unless_present = "path", long_help = NAMES)]
    pub parameter: Option<String>,
    /// Its value at the start
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, requires = "parameter")]
    pub from: Option<String>,
    /// Its value at the end
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, requires = "parameter")]
    pub to: Option<String>,
    /// Samples of the straight path
    #[arg(long, value_name = "N", default_value_t = 51, value_parser = samples)]
    pub samples: usize,
    /// A path in several variables: a CSV file
    #[arg(long, value_name = "FILE.csv", conflicts_with = "parameter")]
    pub path: Option<PathBuf>,
    /// Degree of the polynomials that predict the modes
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = degree)]
    pub order: usize,
    /// Modes by number as `mb modes` shows them in the middle of the path, `1,3-5` or `all`; the first six that
    /// oscillate when not given
    #[arg(long, value_name = "LIST")]
    pub modes: Option<String>,
    /// Modes to follow together because they are close, repeated or defective: by number, `2-3` (may be repeated), or those
    /// closer to each other in the middle than a share of their size, `0.5%`
    #[arg(long, value_name = "LIST | P%")]
    pub group: Vec<String>,
    /// Where.
    #[command(flatten)]
    pub centre: CentreArgs,
    /// Draw frequency and damping along the path: polynomials with their error band, exact samples next to it (.svg, .pdf or .png)
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Campbell diagram: follow the steady motion and its modes over a speed, which is a parameter of steady rotations
    /// or velocities, `spin:JOINT` or `speed:COORDINATE`; critical speeds and ranges of growth are solved for. With a
    /// file (.svg, .pdf or .png) it is drawn
    #[arg(long, value_name = "FILE.svg", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["path", "group", "modes", "order", "about", "hold", "frozen", "moving", "spin", "instant", "no_solve", "plot"])]
    pub campbell: Option<PathBuf>,
    /// Configuration near which the steady motion at the end of the range of a Campbell diagram lies, as in `mb modes`: a coordinate
    /// such as `arm.angle=70deg` (may be repeated), or a file of `mb equilibrium --json`. Without it the diagram is of the motions that
    /// growing speeds lead to from rest
    #[arg(long, value_name = "NAME=VALUE | FILE", requires = "campbell")]
    pub at: Vec<String>,
    /// Modes of a Campbell diagram: those of lowest frequency at either end
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_one, requires = "campbell")]
    pub lowest: usize,
    /// Lines of so many per revolution in a Campbell diagram
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2,3", requires = "campbell")]
    pub lines: Vec<f64>,
    /// Floquet exponents in place of modes: follow the periodic motion of this period, s, a number or an expression of parameters such as
    /// `2*pi/W`, and solve for the ends of the ranges in which disturbances grow; --plot draws frequencies and real parts
    #[arg(long, value_name = "PERIOD", allow_hyphen_values = true, conflicts_with_all = ["path", "group", "modes", "order", "hold", "frozen", "moving", "spin", "frame", "instant", "no_solve", "campbell"])]
    pub floquet: Option<String>,
    /// Keep the samples that were reached in this file, and go on from there where it exists: after an end from outside the same command
    /// line gives the same bits
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Write the modes along the path to a file: .csv, .json or .npz
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

impl ParametricArgs {
    /// What the numbers of a run depend on besides the model itself.
    pub fn options(&self) -> String {
        let model = ModelArgs { model: String::new(), ..self.model.clone() };
        let same = Self { model, checkpoint: None, output: Vec::new(), json: false, ..self.clone() };
        // These are checked when all modes are there.
        format!("{:?}", Self { tolerance: Vec::new(), evaluate: Vec::new(), ..same })
    }
}

impl TrackArgs {
    /// What the numbers of a run depend on besides the model itself.
    pub fn options(&self) -> String {
        let model = ModelArgs { model: String::new(), ..self.model.clone() };
        let campbell = self.campbell.as_ref().map(|_| PathBuf::new());
        let same = Self { model, campbell, checkpoint: None, output: None, ..self.clone() };
        format!("{:?}", Self { plot: None, json: false, ..same })
    }
}

fn region(text: &str) -> Result<Assignment, String> {
    text.parse().map_err(|_: String| "write NAME=LO..HI or NAME=P%, as in k=900..1100 or k=5%".to_owned())
}

/// Highest degree of polynomials.
const HIGHEST_DEGREE: usize = 1000;

/// The degree of polynomials.
fn degree(text: &str) -> Result<usize, String> {
    match at_least_one(text)? {
        order if order <= HIGHEST_DEGREE => Ok(order),
        _ => Err(format!("polynomials have at most degree {HIGHEST_DEGREE}")),
    }
}
