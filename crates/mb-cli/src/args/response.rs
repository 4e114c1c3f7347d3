//! The command line of `mb response`.

use super::{Assignment, ModelArgs, MotionArgs, StartArgs, at_least_one, positive};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Times that outputs are differentiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum QuantityArg {
    /// The outputs as they are
    #[default]
    Outputs,
    /// The same: displacement for force, where outputs are displacements
    Receptance,
    /// Their first derivatives in time: velocity for force
    Mobility,
    /// Their second derivatives in time: acceleration for force
    Accelerance,
}

/// Kinds of figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FigureArg {
    /// Magnitude in dB and phase over the frequency
    #[default]
    Bode,
    /// Magnitude as it is and phase over the frequency
    Linear,
    /// Imaginary part over real part
    Nyquist,
}

/// Arguments of `mb response`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb response arm.toml --band 0 50\n  mb response arm.toml --from u1 --to tip-x --band 0.1 100 --log --plot bode.svg\n  mb response frame.toml --base x --to roof --band 0 30 --loss 0.03 -o response.csv\n  mb response arm.toml --from u1 --to tip-x --band 0 50 --zeros\n  mb response arm.toml --from u1 --to tip-x --band 0 50 --psd u1=0.2"
)]
pub struct ResponseArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// An input of the model (may be repeated); all of them where none is given
    #[arg(long, value_name = "INPUT")]
    pub from: Vec<String>,
    /// An output of the model (may be repeated); all of them where none is given
    #[arg(long, value_name = "OUTPUT")]
    pub to: Vec<String>,
    /// Lowest and highest frequency in Hz; with --at-hz it may be left out
    #[arg(long, num_args = 2, value_names = ["LO", "HI"], required_unless_present = "at_hz", allow_negative_numbers = true)]
    pub band: Vec<f64>,
    /// The base moves instead: per m/s^2 of its acceleration along an axis; outputs are relative to it
    #[arg(long, value_name = "x | y | z", conflicts_with_all = ["from", "unbalance"])]
    pub base: Option<AxisArg>,
    /// Mass times eccentricity in kg m of an unbalance that turns with the frequency: the force KGM omega^2 along the first
    /// input of --from, and a quarter of a turn later along the second
    #[arg(long, value_name = "KGM", value_parser = positive, requires = "from", allow_negative_numbers = true)]
    pub unbalance: Option<f64>,
    /// What is taken of the outputs
    #[arg(long, value_enum, default_value_t = QuantityArg::Outputs)]
    pub quantity: QuantityArg,
    /// Loss factor of structural damping: K (1 + i ETA) in place of K
    #[arg(long, value_name = "ETA", default_value_t = 0.0, allow_negative_numbers = true)]
    pub loss: f64,
    /// Evenly spaced frequencies, at most 100000; more are added at resonances and where the response changes fast
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = frequencies)]
    pub points: usize,
    /// Evenly spaced in the logarithm of the frequency
    #[arg(long)]
    pub log: bool,
    /// These frequencies in Hz alone, separated by commas; they are sorted, and each is taken once
    #[arg(long, value_name = "HZ,HZ,...", value_delimiter = ',', conflicts_with_all = ["points", "log"], allow_negative_numbers = true)]
    pub at_hz: Vec<f64>,
    /// Poles, zeros and gain of each response
    #[arg(long, conflicts_with = "unbalance")]
    pub zeros: bool,
    /// One-sided spectral density of an input (of `base` with --base) per Hz: a number, or a CSV file of lines HZ,DENSITY; the
    /// mean squares of the outputs follow. Inputs not named are at rest
    #[arg(
        long,
        value_name = "INPUT=VALUE | INPUT=FILE.csv",
        conflicts_with = "unbalance",
        requires = "band"
    )]
    pub psd: Vec<Assignment>,
    /// The response in a file: .csv, .json, .npz or .mat
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the response (.svg, .pdf or .png)
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// What is drawn
    #[arg(long, value_enum, default_value_t = FigureArg::Bode, requires = "plot")]
    pub figure: FigureArg,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// In motion.
    #[command(flatten)]
    pub motion: MotionArgs,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

/// A number of frequencies: each is solved for and kept with the values of all responses.
fn frequencies(text: &str) -> Result<usize, String> {
    const MOST: usize = 100_000;
    let n = at_least_one(text)?;
    if n <= MOST { Ok(n) } else { Err(format!("a response has at most {MOST} evenly spaced frequencies")) }
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AxisArg {
    /// Along x
    X,
    /// Along y
    Y,
    /// Along z
    Z,
}

impl AxisArg {
    /// 0, 1 or 2.
    pub const fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Z => 2,
        }
    }
    /// Its letter.
    pub const fn letter(self) -> &'static str {
        AXES[self.index()]
    }
}

/// Letters of the axes.
pub const AXES: [&str; 3] = ["x", "y", "z"];
