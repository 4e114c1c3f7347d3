//! `cargo xtask fuzz`: random models, expressions, matrices, binary files and starts through the program, in release.
//!
//! Runs the example `fuzz` of `mb-cli` for each target and adds what it counted to `docs/book/src/fuzz.csv`, from which the page
//! `docs/book/src/fuzz.md` follows. Runs are numbered; each call goes on where the one before ended. A find is printed with its
//! input and fails the task; it belongs in `crates/mb-cli/tests/fuzz/finds`, where a test repeats it from then on.

use std::fmt::Write;
use std::process::Command;

use clap::Args;

use crate::error::TaskError;
use crate::{Outcome, root};

const PAGE: &str = "docs/book/src/fuzz.md";
const DATA: &str = "docs/book/src/fuzz.csv";
const HEAD: &str = "target;runs;right answers;refused with a reason;numerics failed with a reason;finds\n";
/// Targets with what they are and their share of the time.
const TARGETS: [(&str, &str, f64); 5] = [
    ("expressions", "arithmetic expressions, read, written and evaluated", 0.05),
    ("matrices", "MatrixMarket files, read, and every fourth solved by `mb modes`", 0.1),
    ("files", "matrix files of NumPy, MATLAB and PETSc, read, and some of them solved by `mb modes`", 0.1),
    (
        "starts",
        "JSON starts of a small model, for `mb modes`, `equilibrium`, `check` and `state-space`",
        0.25,
    ),
    ("models", "model files through `mb check`, `equilibrium`, `modes`, `simulate` and `state-space`", 0.5),
];
/// The seed of the runs in the book.
const SEED: u64 = 1;

/// Arguments of `fuzz`.
#[derive(Args)]
pub(crate) struct Fuzz {
    /// How long, in minutes of the clock.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// One target alone.
    #[arg(long)]
    target: Option<String>,
    /// Most runs of each target, whatever time is left.
    #[arg(long)]
    runs: Option<u64>,
    /// Other runs than those of the book; what they count is only printed.
    #[arg(long)]
    seed: Option<u64>,
}

/// What was counted of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    target: String,
    /// Runs, right answers, refusals, failed numerics, finds.
    counts: [u64; 5],
}

impl Fuzz {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        let root = root::workspace_root()?;
        let mut known = rows(&root::read(&root, DATA)?);
        let (mut text, mut passed) = (String::new(), true);
        let chosen: Vec<_> =
            TARGETS.iter().filter(|(name, ..)| self.target.as_ref().is_none_or(|t| t == name)).collect();
        let shares: f64 = chosen.iter().map(|(_, _, share)| share).sum();
        for (name, _, share) in chosen {
            let begin = known.iter().find(|row| row.target == *name).map_or(0, |row| row.counts[0]);
            let seconds = (60.0 * self.minutes * share / shares).ceil();
            let (seed, from) = self.seed.map_or((SEED, begin), |seed| (seed, 0));
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let build = ["run", "--release", "--quiet", "--package", "mb-cli", "--example", "fuzz", "--"];
            let output = Command::new(cargo)
                .args(build)
                .args([seconds.to_string(), seed.to_string(), from.to_string(), (*name).to_owned()])
                .args(self.runs.map(|runs| runs.to_string()))
                .current_dir(&root)
                .output()
                .map_err(|error| TaskError::Peer { who: "fuzz".to_owned(), why: error.to_string() })?;
            let said = String::from_utf8_lossy(&output.stderr);
            let found = rows(&String::from_utf8_lossy(&output.stdout));
            let Some(row) = found.first() else {
                return Err(TaskError::Peer { who: "fuzz".to_owned(), why: said.trim().to_owned() });
            };
            passed &= output.status.success();
            let _infallible = write!(text, "{said}{}", line(row));
            match known.iter_mut().find(|known| known.target == row.target) {
                Some(known) => known.counts.iter_mut().zip(row.counts).for_each(|(a, b)| *a += b),
                None => known.push(row.clone()),
            }
        }
        if self.seed.is_none() && passed {
            root::write(&root, DATA, &csv(&known))?;
            root::write(&root, PAGE, &page(&known))?;
        }
        Ok(Outcome { text, passed })
    }
}

fn rows(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut cells = line.split(';');
        let target = cells.next()?.to_owned();
        let counts: Vec<u64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        Some(Row { target, counts: counts.try_into().ok()? })
    };
    text.lines().filter_map(row).collect()
}

fn line(row: &Row) -> String {
    let counts: Vec<String> = row.counts.iter().map(u64::to_string).collect();
    format!("{};{}\n", row.target, counts.join(";"))
}

fn csv(rows: &[Row]) -> String {
    HEAD.to_owned() + &rows.iter().map(line).collect::<String>()
}

fn page(rows: &[Row]) -> String {
    let mut sums = [0_u64; 5];
    let mut table = "| random input | runs | right answers | refused with a reason | numerics failed with a reason | finds |\n\
                     | --- | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for row in rows {
        sums.iter_mut().zip(row.counts).for_each(|(a, b)| *a += b);
        let what = TARGETS.iter().find(|(name, ..)| *name == row.target).map_or("", |(_, what, _)| what);
        let counts: Vec<String> = row.counts.iter().map(u64::to_string).collect();
        let _infallible = writeln!(table, "| {what} | {} |", counts.join(" | "));
    }
    let of = |target: &str| rows.iter().find(|row| row.target == target).map_or(0, |row| row.counts[0]);
    let totals: Vec<String> = sums.iter().map(u64::to_string).collect();
    let _infallible = writeln!(table, "| all | {} |", totals.join(" | "));
    format!(
        "# Fuzzing\n\n\
         Written by `cargo xtask fuzz`; nothing here is typed by hand.\n\n\
         {} random inputs were given to the program, in one process; {} of them are finds, which break one of the rules below. \
         Expressions go through their reader alone; the other {} inputs are files, of which those of models and starts, {}, each go \
         through a command, unless the model is built of more than 2000 coordinates and rows.\n\n\
         {table}\n\
         ## How inputs are made\n\n\
         Models come from the gallery and from the folder `crates/mb-cli/tests/fuzz/models`. Numbers, words, keys and tables are \
         changed, removed, doubled, exchanged, or taken from another model; numbers become expressions or numbers at the edge of \
         what a double holds; words become text that a terminal, a browser or a spreadsheet would execute. Every twelfth input is \
         cut and spliced as bare text. Expressions grow from the grammar, and matrices from the format, before they are cut and \
         spliced. Binary matrix files are those of other programs and of this one, with bits, sizes, indices and parts changed, half \
         of them with right checksums. A run is a target, a seed and a number, and gives the same input on every machine. The runs of the table have the \
         seed {SEED} and the numbers from 0 on.\n\n\
         ## The rules\n\n\
         No panic. No run that takes more than 20 s of a processor, with searches that are given 2 s each. An exit code of 0, 1 or 2; with 1 no answer, \
         and with 1 or 2 a message that says something, can be read, and holds no character that a terminal interprets. JSON that reads \
         back, in which a number is missing only where the description of the document says so. An expression that is written \
         reads back as itself.\n\n\
         The tests repeat every find of the past and the first runs of each target. More runs, added to the table, and others \
         of one target, which are only counted:\n\n\
         ```sh\n\
         cargo xtask fuzz --minutes 10\n\
         cargo xtask fuzz --minutes 10 --target models --runs 1000 --seed 2\n\
         ```\n",
        sums[0],
        sums[4],
        sums[0] - of("expressions"),
        of("models") + of("starts")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_book_follows_from_its_data() {
        let root = root::workspace_root().unwrap();
        let data = root::read(&root, DATA).unwrap();
        let rows = rows(&data);
        assert_eq!(csv(&rows), data);
        assert_eq!(page(&rows), root::read(&root, PAGE).unwrap());
    }
}
