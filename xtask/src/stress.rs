//! `cargo xtask stress`: random problems with known eigenvalues through every eigensolver, in release.
//!
//! Runs the example `stress` of `mb-eigen` (damped, gyroscopic, circulatory and free systems, lattices, penalties, descriptor systems,
//! constraints that depend on each other, massless coordinates, units of any size). Writes every row of its table to
//! `docs/book/src/stress.csv` and the sums by kind of problem to `docs/book/src/stress.md`; the page follows from the rows alone.
//! Passes when no eigenvalue lies outside its error bound, no answer is silently incomplete and no claim is false.

use std::fmt::Write;
use std::process::Command;

use clap::Args;

use crate::error::TaskError;
use crate::{Outcome, root};

const PAGE: &str = "docs/book/src/stress.md";
const DATA: &str = "docs/book/src/stress.csv";

/// What is counted, in the order of the example's columns.
const COLUMNS: [&str; 10] = [
    "answers",
    "eigenvalues",
    "proved complete",
    "short of memory",
    "errors reported",
    "incomplete and reported",
    "incomplete and unproved",
    "incomplete without a report",
    "false claims",
    "eigenvalue outside its error bound",
];
/// The request every problem is given once, so that its answers count the problems.
const EVERY: &str = "lowest";
/// Kinds that the page sums up whatever their damping; the data have each.
const FAMILIES: [&str; 3] = ["joined chains", "slender lattices", "penalties"];

/// Arguments of `stress`.
#[derive(Args)]
pub(crate) struct Stress {
    /// How many problems; each is solved in several ways.
    #[arg(long, default_value_t = 10_000)]
    problems: usize,
    /// Print the table instead of writing it.
    #[arg(long)]
    print: bool,
}

impl Stress {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        let root = root::workspace_root()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let run = ["run", "--release", "--quiet", "--package", "mb-eigen", "--example", "stress"];
        let mut command = Command::new(cargo);
        command.args(run).arg(self.problems.to_string()).current_dir(&root);
        let output = command
            .output()
            .map_err(|error| TaskError::Peer { who: "stress".to_owned(), why: error.to_string() })?;
        let table = String::from_utf8_lossy(&output.stdout);
        let passed = output.status.success();
        let rows = rows(&table, '|');
        if rows.is_empty() {
            let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(TaskError::Peer { who: "stress".to_owned(), why: words });
        }
        if self.print {
            return Ok(Outcome { text: table.into_owned(), passed });
        }
        let text = page(&rows);
        root::write(&root, DATA, &csv(&rows))?;
        root::write(&root, PAGE, &text)?;
        Ok(Outcome { text: format!("{text}\nwritten to {PAGE} and {DATA}\n"), passed })
    }
}

/// One kind of problem with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    problem: String,
    asked: String,
    counts: [u64; COLUMNS.len()],
}

/// The rows of a table whose cells are parted by a character; lines of another form are headings or remarks.
fn rows(table: &str, parted_by: char) -> Vec<Row> {
    let row = |line: &str| {
        let mut cells = line.trim_matches(parted_by).split(parted_by).map(str::trim);
        let (problem, asked) = (cells.next()?.to_owned(), cells.next()?.to_owned());
        let counts: Vec<u64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        Some(Row { problem, asked, counts: counts.try_into().ok()? })
    };
    table.lines().filter_map(row).collect()
}

/// All rows as semicolon-separated values: names of problems and requests contain commas.
fn csv(rows: &[Row]) -> String {
    let mut out = format!("problem;asked;{}\n", COLUMNS.join(";"));
    for row in rows {
        let counts = row.counts.map(|count| count.to_string()).join(";");
        let _infallible = writeln!(out, "{};{};{counts}", row.problem, row.asked);
    }
    out
}

/// Problems and sums of the rows of one kind, or of all.
fn sums<'r>(rows: impl Iterator<Item = &'r Row>) -> (u64, [u64; COLUMNS.len()]) {
    let mut problems = 0;
    let mut sums = [0; COLUMNS.len()];
    for row in rows {
        if row.asked == EVERY {
            problems += row.counts[0];
        }
        for (sum, count) in sums.iter_mut().zip(row.counts) {
            *sum += count;
        }
    }
    (problems, sums)
}

/// The kind of problem under which the page counts a row.
fn family(row: &Row) -> &str {
    FAMILIES.into_iter().find(|family| row.problem.ends_with(family)).unwrap_or(&row.problem)
}

fn page(rows: &[Row]) -> String {
    let (problems, all) = sums(rows.iter());
    let [answers, eigenvalues, proved, memory, errors, reported, unproved, silent, untrue, outside] = all;
    let mut table = format!("| kind of problem | problems | {} |\n| --- |", COLUMNS.join(" | "));
    table.push_str(&" ---: |".repeat(COLUMNS.len() + 1));
    table.push('\n');
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if !kinds.contains(&family(row)) {
            kinds.push(family(row));
        }
    }
    for kind in kinds {
        let (problems, sums) = sums(rows.iter().filter(|row| family(row) == kind));
        let sums = sums.map(|sum| sum.to_string()).join(" | ");
        let _infallible = writeln!(table, "| {kind} | {problems} | {sums} |");
    }
    let totals = all.map(|sum| sum.to_string()).join(" | ");
    let _infallible = writeln!(table, "| all | {problems} | {totals} |");
    format!(
        "# Randomized tests\n\n\
         Written by `cargo xtask stress`. All rows, by kind of problem and request, are in [stress.csv](stress.csv).\n\n\
         {problems} random problems, whose eigenvalues are known in closed form, gave {answers} answers with {eigenvalues} \
         eigenvalues. {outside} answers have an eigenvalue outside its error bound, {silent} are incomplete without a report, \
         {untrue} contain a claim that is not true. {proved} answers are proved complete. {errors} requests ended with an error, \
         {reported} answers are incomplete and report it, {unproved} are incomplete and report that completeness is not proved; \
         {memory} requests that were limited to little memory were refused with the memory they need.\n\n\
         ## What is tested\n\n\
         Each problem goes to the dense solver, the direct method and the sparse solver, with every kind of request. The interval \
         around each returned eigenvalue must contain an exact eigenvalue of its own, with multiplicity. Every statement of a \
         result is compared with the exact eigenvalues: the count in an interval or a circle, that no more eigenvalues exist, \
         that a multiple eigenvalue was cut by the number asked for, that a band is empty, which eigenvalues are zero. A failure \
         is an incomplete answer that does not say so, a statement that is not true, or an eigenvalue outside its error bound.\n\n\
         ## The table\n\n\
         {table}\n\
         ## The problems\n\n\
         - Blocks: systems of one or two coordinates (oscillating, overdamped, critically damped, massless, free, gyroscopic), \
         mixed by integer matrices of determinant one. Some are unsymmetric, some have redundant constraints; multiple and \
         defective eigenvalues are frequent.\n\
         - Chains: two planes of up to 23 masses between constrained anchors, in units of any size, with proportional damping, \
         gyroscopic or circulatory forces. Joined chains consist of half masses that constraints join.\n\
         - Lattices: solids in two and three dimensions as sums of Kronecker products, with one to three coordinates a node, \
         ends constrained, on springs or free. Cubes and square rods have double and triple eigenvalues; slender lattices have \
         a lowest w of 1e-8 |K| / |M| and less.\n\
         - Penalties: masses tied or held by penalties of up to 1e11 instead of constraints, with proportional damping.\n\n\
         The sparse solver is kept from its dense path, which it would take for most of these. Descriptor systems are given with \
         recognizable structure and hidden, with rows and states permuted and scaled by 1e-3 to 1e3. Shifts, ends of bands, \
         points and frequencies are also put exactly on eigenvalues.\n\n\
         ## Run it\n\n\
         ```sh\n\
         cargo xtask stress --problems 100 --print\n\
         ```\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_book_follows_from_its_data() {
        let root = root::workspace_root().unwrap();
        let data = root::read(&root, DATA).unwrap();
        let rows = rows(&data, ';');
        assert_eq!(csv(&rows), data);
        assert_eq!(page(&rows), root::read(&root, PAGE).unwrap());
    }

    #[test]
    fn the_table_of_the_example_is_read_without_its_words() {
        let table = "problem 3: something | 4\n| problem | asked | answers |\n| --- | --- | ---: |\n\
                     | a, b | lowest | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 |\n\n1 problem, 2 answers\n";
        let row =
            Row { problem: "a, b".into(), asked: "lowest".into(), counts: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] };
        let rows = rows(table, '|');
        assert_eq!(sums(rows.iter()), (1, row.counts));
        assert_eq!(rows, [row]);
    }
}
