//! The command lines of `mb orbit` and `mb floquet`.

use super::{Assignment, ModelArgs, RangeArg, at_least_one, moment, of_usual_size, positive};
use crate::failure::RequestError;
use clap::Args;
use std::path::PathBuf;

/// Which periodic motion, and how it is computed.
#[derive(Clone, Debug, Args)]
pub struct MotionSearchArgs {
    /// Period in s: a number or an expression of the model's parameters, such as "2*pi/W"
    #[arg(long, value_name = "SECONDS", conflicts_with = "guess")]
    pub period: Option<String>,
    /// About the period in s, of a model that does not depend on time; without it, when the motion first comes back
    #[arg(long, value_name = "SECONDS", value_parser = of_usual_size)]
    pub guess: Option<f64>,
    /// Start value of a coordinate, such as `rod.angle=1.2` (may be repeated), or a file with a point of a motion, as
    /// `mb orbit --json` prints it
    #[arg(long, value_name = "NAME=VALUE | FILE")]
    pub at: Vec<String>,
    /// Start value of a velocity, such as `crank.angle=6.28` (may be repeated)
    #[arg(long, value_name = "NAME=VALUE")]
    pub velocity: Vec<Assignment>,
    /// A coordinate that keeps its value at the start; it chooses one of a family of periodic motions (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub hold: Vec<String>,
    /// Follow the motion this long first, so that what is damped comes near to its periodic motion
    #[arg(long, value_name = "SECONDS", value_parser = of_usual_size)]
    pub settle: Option<f64>,
    /// Time at the start, s
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS", value_parser = moment, allow_negative_numbers = true)]
    pub time: f64,
    /// Constant value of an input of the model
    #[arg(long, value_name = "NAME=VALUE")]
    pub input: Vec<Assignment>,
    /// Parts of the period that are integrated apart: more for motions that are very unstable
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = at_least_one)]
    pub parts: usize,
    /// Steps of the period to begin with; they are doubled until the multipliers are settled
    #[arg(long, default_value_t = 32, value_name = "N", value_parser = at_least_one)]
    pub steps: usize,
    /// Most steps of the period
    #[arg(long, default_value_t = 8192, value_name = "N", value_parser = steps)]
    pub most_steps: usize,
    /// Change of the monodromy matrix by doubling the steps, relative to its norm, at which they are enough
    #[arg(long, default_value_t = 1e-12, value_name = "NUMBER", value_parser = positive)]
    pub tolerance: f64,
}

fn steps(text: &str) -> Result<usize, String> {
    const MOST: usize = 100_000_000;
    let n = at_least_one(text)?;
    if n <= MOST { Ok(n) } else { Err(format!("a period has at most {MOST} steps")) }
}

impl MotionSearchArgs {
    /// Refuses more steps to begin with, or in parts of two steps at least, than there are at most.
    ///
    /// # Errors
    /// [`RequestError::OutOfRange`].
    pub fn check(&self) -> Result<(), RequestError> {
        let asked = [("steps", self.steps), ("parts", self.parts.saturating_mul(2))];
        let Some((option, _)) = asked.into_iter().find(|(_, steps)| *steps > self.most_steps) else {
            return Ok(());
        };
        let (value, range) = match option {
            "steps" => (self.steps, "at most --most-steps"),
            _ => (self.parts, "at most half of --most-steps: a part has two steps at least"),
        };
        Err(RequestError::OutOfRange { option, value: value as f64, range })
    }
}

/// Arguments of `mb orbit`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb orbit shaken.toml --period \"2*pi/W\"\n  mb orbit pendulum.toml --hold rod.angle\n  mb orbit shaken.toml --period \"2*pi/W\" -o orbit.json\n  mb floquet shaken.toml --orbit orbit.json\n  mb orbit pushed.toml --period \"2*pi/W\" --follow W=3.3..2.2:20"
)]
pub struct OrbitArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The motion.
    #[command(flatten)]
    pub search: MotionSearchArgs,
    /// Follow the motion over a parameter, in about COUNT steps, through folds; bifurcations are solved for
    #[arg(long, value_name = "NAME=FROM..TO:COUNT", allow_hyphen_values = true)]
    pub follow: Option<RangeArg>,
    /// The motion in a file, which `mb floquet --orbit` and the option --at of all commands read; with --follow what `--json` prints,
    /// also where the branch ends early
    #[arg(short, long, value_name = "FILE.json")]
    pub output: Option<PathBuf>,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mb floquet`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb floquet shaken.toml --period \"2*pi/W\"\n  mb floquet shaken.toml --orbit orbit.json --json\n  mb floquet pendulum.toml --hold rod.angle"
)]
pub struct FloquetArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The motion.
    #[command(flatten)]
    pub search: MotionSearchArgs,
    /// The motion as `mb orbit` wrote it; without it, the motion is computed first
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["guess", "settle"])]
    pub orbit: Option<PathBuf>,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}
