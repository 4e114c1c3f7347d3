//! The command line of `mb report`.

use super::modes::{
    FormulationArgs, MatrixArgs, ModesArgs, ModesOutputArgs, RequestArgs, SharesArgs, SolverArgs,
};
use super::{EngineArgs, FormulationArg, ModelArgs, MotionArgs, StartArgs, at_least_one, positive};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `mb report`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb report linkage.toml -o linkage.html\n  mb report linkage.toml -o linkage.html --formulation all --until 5\n  mb report frame.toml -o frame.html --band 0 200\n  mb report arm.toml -o arm.html --response motor tip --track k 500 1500\n  mb report frame.toml -o frame.html --response-with '--base x --to roof --band 0 30 --loss 0.03'\n\nThe page needs nothing but a browser: no program, no network."
)]
pub struct ReportArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The page to write
    #[arg(short, long, value_name = "FILE.html")]
    pub output: PathBuf,
    /// The formulation.
    #[command(flatten)]
    pub formulation: FormulationArgs,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// In motion.
    #[command(flatten)]
    pub motion: MotionArgs,
    /// Which eigenvalues.
    #[command(flatten)]
    pub request: RequestArgs,
    /// How.
    #[command(flatten)]
    pub solver: SolverArgs,
    /// Most modes that are animated
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub shapes: usize,
    /// Simulate the motion from the start until this time in s, and show it with the outputs over time
    #[arg(long, visible_alias = "simulate", value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Most frames of the motion
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = frames, requires = "until")]
    pub frames: usize,
    /// Curves.
    #[command(flatten)]
    pub curves: CurvesArgs,
    /// Say what was written as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// A number of frames: the page holds all nodes in each.
fn frames(text: &str) -> Result<usize, String> {
    const MOST: usize = 100_000;
    let n = at_least_one(text)?;
    if n <= MOST { Ok(n) } else { Err(format!("a page has at most {MOST} frames")) }
}

/// Curves of a page.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Curves (each may be repeated)")]
pub struct CurvesArgs {
    /// Frequency response of an output to an input, in --response-band, else in --band, else beyond the sixth frequency
    #[arg(long, num_args = 2, value_names = ["INPUT", "OUTPUT"], action = clap::ArgAction::Append)]
    pub response: Vec<String>,
    /// Lowest and highest frequency of the responses in Hz
    #[arg(long, num_args = 2, value_names = ["LO", "HI"], allow_negative_numbers = true)]
    pub response_band: Vec<f64>,
    /// Frequency response as `mb response` computes it with these options: a moving base, an unbalance, structural damping,
    /// rates, random inputs, zeros; without --band in that of --response
    #[arg(long, value_name = "OPTIONS", action = clap::ArgAction::Append, allow_hyphen_values = true)]
    pub response_with: Vec<String>,
    /// Modes along a variable from one value to another, as `mb track` follows them
    #[arg(long, num_args = 3, value_names = ["NAME", "FROM", "TO"], action = clap::ArgAction::Append, allow_negative_numbers = true)]
    pub track: Vec<String>,
    /// Campbell diagram over a speed from one value to another, as `mb track --campbell` computes it
    #[arg(long, num_args = 3, value_names = ["SPEED", "FROM", "TO"], action = clap::ArgAction::Append, allow_negative_numbers = true)]
    pub campbell: Vec<String>,
}

impl ReportArgs {
    /// Whether a page without modes shows all that is asked for.
    pub fn shows_motion_alone(&self) -> bool {
        let asked = &self.curves;
        let curves = [&asked.response, &asked.response_with, &asked.track, &asked.campbell];
        self.until.is_some() && curves.iter().all(|list| list.is_empty())
    }

    /// The arguments of `mb modes` for the modes of the page, of a model at rest or in motion.
    pub fn modes(&self, moves: bool) -> ModesArgs {
        // Shares are those of vibrations about a rest, by vectors that satisfy the constraints.
        let minimal = matches!(self.formulation.formulation, FormulationArg::Minimal | FormulationArg::All);
        let shares = minimal && !moves;
        ModesArgs {
            model: Some(self.model.model.clone()),
            set: self.model.set.clone(),
            formulation: self.formulation.clone(),
            start: self.start.clone(),
            motion: self.motion.clone(),
            matrices: MatrixArgs::default(),
            request: self.request.clone(),
            engine: EngineArgs::default(),
            solver: self.solver.clone(),
            output: ModesOutputArgs {
                shares: SharesArgs { energy: shares, participation: shares },
                ..ModesOutputArgs::default()
            },
        }
    }
}
