//! The command line of `mb sweep`.

use super::{ModelArgs, MotionArgs, StartArgs, at_least_one};
use clap::Args;
use mb_analysis::sweep::Range;
use std::path::PathBuf;
use std::str::FromStr;

/// NAME=FROM..TO:COUNT, or without a count NAME=FROM..TO.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeArg {
    /// Name and ends; the count is zero where none is given.
    pub range: Range,
}

impl FromStr for RangeArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write NAME=FROM..TO:COUNT, as in k=500..1500:21".to_owned();
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (ends, count) = match rest.split_once(':') {
            Some((ends, count)) => (ends, at_least_one(count.trim())?),
            None => (rest, 0),
        };
        let (from, to) = ends.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong);
        if name.trim().is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            range: Range { name: name.trim().to_owned(), from: number(from)?, to: number(to)?, count },
        })
    }
}

/// I/N: the I-th of N parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardArg {
    /// Which, from 1.
    pub part: usize,
    /// Of how many.
    pub of: usize,
}

impl FromStr for ShardArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            _ => Err("write I/N with I from 1 to N, as in 3/8".to_owned()),
        }
    }
}

/// Arguments of `mb sweep`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb sweep linkage.toml --grid k=500..1500:21 --grid c=0..10:11 -o cases.csv --map stability.svg\n  mb sweep blades.toml --grid W=20..60:41 --grid c=0..2:9 --floquet 2*pi/W --map chart.svg\n  mb sweep linkage.toml --latin 200 --range k=500..1500 --range c=0..10 -o cases.npz\n  mb sweep linkage.toml --grid k=500..1500:2001 --shard 3/8 -o part3.csv\n  mb sweep linkage.toml --grid k=500..1500:2001 --resume part1.csv --resume part2.csv -o cases.csv\n  mb sweep linkage.toml --grid k=500..1500:2001 --jobs 8 --launcher \"srun -n 1\" -o cases.csv"
)]
pub struct SweepArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Values of a parameter at equal distances, both ends included; repeated, all combinations, the last running fastest
    #[arg(long, value_name = "NAME=FROM..TO:COUNT", group = "design")]
    pub grid: Vec<RangeArg>,
    /// Cases from a CSV file: a line of parameter names, then a line of numbers for each case
    #[arg(long, value_name = "FILE.csv", group = "design")]
    pub list: Option<PathBuf>,
    /// This many cases drawn evenly from the ranges
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "range", group = "design")]
    pub random: Option<usize>,
    /// This many cases as a Latin hypercube: every range in N equal parts, a case in each
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "range", group = "design")]
    pub latin: Option<usize>,
    /// The range of a parameter for --random and --latin (may be repeated)
    #[arg(long, value_name = "NAME=FROM..TO")]
    pub range: Vec<RangeArg>,
    /// Seed of --random and --latin: the same cases for the same number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where.
    #[command(flatten)]
    pub start: StartArgs,
    /// In motion.
    #[command(flatten)]
    pub motion: MotionArgs,
    /// Floquet exponents of the periodic motion of this period in place of modes, s: a number or an expression of parameters such as
    /// `2*pi/W`; it starts at --at and --velocity
    #[arg(long, value_name = "PERIOD", conflicts_with_all = ["spin", "frame", "after", "instant", "moving", "no_solve"])]
    pub floquet: Option<String>,
    /// Number of modes in the table, those of lowest frequency
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = at_least_one)]
    pub lowest: usize,
    /// Cases side by side; as many as the system has processors when not given. With --launcher the number of jobs
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<usize>,
    /// Solve the cases by jobs of a queue, of which these words start one, such as `srun -n 1` or `sbatch --wait --wrap={command}`: the
    /// command of the job is appended, or stands in place of {command}; {part} and {parts} are its number and how many there are. The same
    /// command goes on where jobs were killed
    #[arg(long, value_name = "WORDS", requires_all = ["jobs", "output"], conflicts_with = "shard")]
    pub launcher: Option<String>,
    /// Only every N-th case, beginning with the I-th: a part of a sweep for one job of a batch queue
    #[arg(long, value_name = "I/N")]
    pub shard: Option<ShardArg>,
    /// Take cases that are done from a table or the journal of an earlier run (may be repeated)
    #[arg(long, value_name = "FILE.csv")]
    pub resume: Vec<PathBuf>,
    /// Write the table: .csv, .npz or .json. While the sweep runs, its cases stand in FILE.journal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw stability over a grid of one or two parameters, with the boundaries solved for (.svg, .pdf or .png)
    #[arg(long, value_name = "FILE.svg", requires = "grid")]
    pub map: Option<PathBuf>,
    /// Everything at full precision as JSON (see docs/json-output.md)
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_shards_are_read() {
        let range = "k = -1.5..2e3:21".parse::<RangeArg>().map(|r| r.range);
        assert_eq!(range, Ok(Range { name: "k".to_owned(), from: -1.5, to: 2e3, count: 21 }));
        assert_eq!("c=0..1".parse::<RangeArg>().map(|r| r.range.count), Ok(0));
        assert!(
            ["k", "k=1", "k=a..b:3", "k=0..1:0", "=0..1:2", "k=0..inf:3"]
                .iter()
                .all(|t| t.parse::<RangeArg>().is_err())
        );
        assert_eq!("3/8".parse(), Ok(ShardArg { part: 3, of: 8 }));
        assert!(["0/3", "4/3", "3", "a/b"].iter().all(|t| t.parse::<ShardArg>().is_err()));
    }
}
