//! The data of a race, a line for each solver on each case, and the page that sums it up: a row for each case.
//!
//! The page follows from the lines alone, so that a test can hold the page in the book against its data.

use std::fmt::Write;

use super::environment::Solver;
use super::{Entry, Race};

/// Columns of the data; times in seconds, memory in MiB.
const COLUMNS: [&str; 14] = [
    "case",
    "unknowns",
    "constraints",
    "sought",
    "solver",
    "time",
    "clock",
    "start",
    "memory",
    "residual",
    "error",
    "shift",
    "version",
    "failure",
];

/// Cases of the data that the page leaves out to be short; other sizes of the same families stand in it.
const IN_DATA_ONLY: [&str; 3] = ["c1e3", "g1e4", "h1e3"];

/// Begins the reason where a solver is not to be had.
const MISSING: &str = "missing: ";

/// One solver on one case, every value as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line([String; COLUMNS.len()]);

impl Line {
    fn new(entry: &Entry, race: &Race) -> Self {
        let d = &race.description;
        let what = match (d.point.is_empty(), d.count) {
            (true, 1) => "mode",
            (true, _) => "modes",
            (false, _) => "eigenvalues",
        };
        let sought = format!("{} {what}", d.count);
        let mut cells: [String; COLUMNS.len()] = Default::default();
        let named = [race.name.clone(), d.unknowns.to_string(), d.constraints.to_string(), sought];
        cells[..4].clone_from_slice(&named);
        entry.title().clone_into(&mut cells[4]);
        if let Some(run) = &entry.best {
            cells[5] = seconds(run.cpu_s);
            cells[6] = seconds(run.wall_s);
            cells[7] = format!("{:.2}", run.startup_s);
            cells[8] = format!("{:.0}", run.peak_mib);
            cells[9] = format!("{:.0e}", run.residual);
            cells[10] = entry.error(race).map_or_else(String::new, |error| format!("{error:.0e}"));
            cells[11] = match &d.point[..] {
                &[re, im] => format!("{re} + {im} i"),
                _ if entry.solver.takes_shift() => format!("{:.4}", entry.shift),
                _ => "own".to_owned(),
            };
            run.version.clone_into(&mut cells[12]);
        } else {
            let why = entry.failure.as_deref().unwrap_or("did not run");
            cells[13] = if entry.missing { format!("{MISSING}{why}") } else { why.to_owned() };
        }
        Self(cells.map(|cell| cell.replace([';', '|', '\n'], "/")))
    }

    fn cell(&self, column: &str) -> &str {
        COLUMNS.iter().position(|name| *name == column).map_or("", |at| &self.0[at])
    }

    /// Processor time; infinite where there was no answer.
    fn time(&self) -> f64 {
        self.cell("time").parse().unwrap_or(f64::INFINITY)
    }
}

/// The lines of all races.
pub(super) fn lines(races: &[Race]) -> Vec<Line> {
    races.iter().flat_map(|race| race.entries.iter().map(|entry| Line::new(entry, race))).collect()
}

/// The lines as semicolon-separated values.
pub(super) fn csv(lines: &[Line]) -> String {
    let mut out = COLUMNS.join(";") + "\n";
    for line in lines {
        out.push_str(&line.0.join(";"));
        out.push('\n');
    }
    out
}

/// The page.
pub(super) fn markdown(lines: &[Line]) -> String {
    let mut out = String::from(
        "# Peers\n\n\
         Written by `cargo xtask bench-peers`; nothing here is typed by hand. `mb` against SciPy (ARPACK with SuperLU), PARDISO (of \
         Intel's MKL, with ARPACK) and SLEPc (Krylov-Schur or TOAR with MUMPS) on the same generated matrices. [Peers \
         explained](peers-explained.md) says why the figures are what they are. Every run of every solver, on three more cases too, \
         is in [peers.csv](peers.csv).\n\n\
         Times are processor seconds from the matrices in memory to the answers, without the start of the interpreter; the \
         solvers run in turn, each in its own process on one thread, and the fastest run counts. Memory is the peak of the \
         process in MiB. The machine has two cores and did other work: compare the numbers of one row. SciPy stands with the faster \
         of two column orders. The best peer is the fastest one that answered; below one it was faster than `mb`.\n\n\
         | case | unknowns, constraints | sought | proved complete | mb s | SciPy s | PARDISO s | SLEPc s | best peer / mb | mb MiB | \
         SciPy MiB | PARDISO MiB | SLEPc MiB | residual of mb | largest difference |\n\
         | --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut names: Vec<&str> = lines.iter().map(|line| line.cell("case")).collect();
    names.dedup();
    for name in names.into_iter().filter(|name| !IN_DATA_ONLY.contains(name)) {
        let case: Vec<&Line> = lines.iter().filter(|line| line.cell("case") == name).collect();
        out.push_str(&row(name, &case));
    }
    out.push_str(
        "\n\
         - A name is a family and about how many unknowns and multipliers it has; x1 asks for one mode.\n\
         - Lowest modes of (K - w M) x + Phi_q^T l = 0, Phi_q x = 0. c: chain of bars joined by constraints, held at both ends; g: the \
         same with every mass tied to the ground, so that the lowest w form a cluster; h: block of hexahedra, clamped by constraints \
         (h1e6: a slender one); s: slender block; p: plate of three layers; f: plane frame whose members are joined by pins off the \
         nodes; t: two blocks with meshes that do not match, tied by a mortar; r: block with 100 constraints over all coordinates; \
         q: block with 1,000 constraints over 30 coordinates each.\n\
         - Eigenvalues nearest to a complex point of (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0. d: the block, its halves with \
         different proportional damping; b: the block with 20 dashpots; y: the block spinning about the axis of its clamp; u: the \
         block with circulatory forces, K is not symmetric. PARDISO takes no part: pypardiso has no complex numbers.\n\
         - Proved complete: a count by inertia, by random vectors, or by the phase of the determinant along a contour shows \
         that no eigenvalue is missing. The count along a contour is left out where it exceeds the operations allowed by default.\n\
         - Residual: of the equations above, relative to their terms. Largest difference: of all eigenvalues of all solvers, \
         relative, from the closed form for chains and from those of mb for the others.\n\
         - SciPy, PARDISO and SLEPc get constraints scaled by the mean diagonal of K and the shift that suits them best, zero or just \
         below the cluster; mb finds its own. SciPy solves quadratic problems by the inverse of their companion form with one \
         factorization of size n + m. The tolerance is 1e-10 for all.\n",
    );
    let mut versions: Vec<&str> =
        lines.iter().map(|line| line.cell("version")).filter(|v| !v.is_empty()).collect();
    versions.sort_unstable();
    versions.dedup();
    let _infallible = write!(out, "\nVersions: {}.\n", versions.join("; "));
    out
}

/// The row of one case: our proved (or first) run, the faster of SciPy's orders, the other peers.
fn row(name: &str, case: &[&Line]) -> String {
    let by = |solvers: &[Solver]| {
        let titles: Vec<&str> = solvers.iter().map(|solver| solver.title()).collect();
        let of = case.iter().filter(|line| titles.contains(&line.cell("solver")));
        of.min_by(|a, b| a.time().total_cmp(&b.time())).copied()
    };
    let proved = by(&[Solver::Ours]);
    let ours = proved.or_else(|| case.iter().find(|line| line.cell("solver") == Entry::TOO_LARGE).copied());
    let peers = [by(&[Solver::SciPy, Solver::SciPySymmetric]), by(&[Solver::Pardiso]), by(&[Solver::Slepc])];
    let shown = |line: Option<&Line>, column: &str| match line {
        None => "not run".to_owned(),
        Some(line) if line.cell("failure").starts_with(MISSING) => "missing".to_owned(),
        Some(line) if line.time().is_infinite() => "failed".to_owned(),
        Some(line) => line.cell(column).to_owned(),
    };
    let best = peers.iter().flatten().map(|line| line.time()).fold(f64::INFINITY, f64::min);
    let ratio = best / ours.map_or(f64::INFINITY, Line::time);
    let ratio = if ratio.is_finite() { format!("{ratio:.2}") } else { String::new() };
    let all = |column: &str| {
        let cells: Vec<String> = [ours, peers[0], peers[1], peers[2]].map(|line| shown(line, column)).into();
        cells.join(" | ")
    };
    let difference =
        case.iter().filter_map(|line| line.cell("error").parse::<f64>().ok()).fold(0.0, f64::max);
    let first = |column: &str| case.first().map_or("", |line| line.cell(column));
    let [unknowns, constraints, sought] = ["unknowns", "constraints", "sought"].map(first);
    let is_proved = if proved.is_some() { "yes" } else { "no" };
    let (times, memory, residual) = (all("time"), all("memory"), shown(ours, "residual"));
    format!(
        "| {name} | {unknowns}, {constraints} | {sought} | {is_proved} | {times} | {ratio} | {memory} | {residual} | {difference:.0e} |\n"
    )
}

/// Three digits.
fn seconds(time: f64) -> String {
    if time < 0.1 {
        format!("{time:.4}")
    } else if time < 10.0 {
        format!("{time:.2}")
    } else {
        format!("{time:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DATA, FILE};
    use super::*;
    use crate::root;

    /// The lines of data written by `csv`.
    fn read(data: &str) -> Vec<Line> {
        let cells = |line: &str| -> Option<[String; COLUMNS.len()]> {
            line.split(';').map(str::to_owned).collect::<Vec<_>>().try_into().ok()
        };
        data.lines().skip(1).map(|line| Line(cells(line).expect("a cell for each column"))).collect()
    }

    #[test]
    fn the_page_in_the_book_follows_from_its_data() {
        let root = root::workspace_root().unwrap();
        let data = root::read(&root, DATA).unwrap();
        let lines = read(&data);
        assert_eq!(csv(&lines), data);
        assert_eq!(markdown(&lines), root::read(&root, FILE).unwrap());
    }

    #[test]
    fn times_keep_their_digits() {
        assert_eq!([seconds(0.0123), seconds(1.234), seconds(45.67)], ["0.0123", "1.23", "45.7"]);
    }
}
