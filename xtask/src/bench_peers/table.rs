//! The table of a race.

use std::fmt::Write;

use super::environment::Solver;
use super::{Entry, Race};

/// The page.
pub(super) fn markdown(races: &[Race]) -> String {
    let mut out = String::from(
        "# Peers\n\n\
         Written by `cargo xtask bench-peers`; nothing here is typed by hand. Generated problems, every solver on \
         the same matrices, in turn, each in a process of its own on one thread; the run of least processor time counts. \
         Times were taken on a two-core machine busy with other work: ratios of one run are what to keep. What stands behind \
         the differences is on the page [Peers explained](peers-explained.md).\n\n\
         - c: chain of bars joined by multipliers, held at both ends; g: the same with every mass tied to the ground, which \
         makes the lowest w a cluster; h: block of hexahedra clamped by multipliers (1e6: a slender one). Twenty lowest modes \
         of (K - w M) x + Phi_q^T l = 0, Phi_q x = 0.\n\
         - d: the block with its halves damped in proportion to stiffness, by two factors; y: the block spinning about the \
         axis of the clamp. Ten eigenvalues nearest to a complex point of (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0.\n\
         - The number in a name is that of the unknowns, multipliers included.\n\
         - Time: processor time from the matrices in memory to the answers; start: processor time before, interpreter and \
         imports. Memory: peak of the process from the matrices on. Residual: of the equations above, relative to their \
         terms.\n\
         - Error: largest relative difference of w from the closed solution of the chains, and of w or s from ours for blocks.\n\
         - Peers get constraints scaled by the mean diagonal of K (unscaled they lose six digits) and the shift, zero or, for \
         clusters, just below them, that suits them best; ours looks for its own. SciPy solves quadratic problems by the \
         inverse of their companion form with one factorization of size n + m, SLEPc by TOAR. Tolerance 1e-10 for all.\n\
         - Proved: a count by the inertia of other factors, or by the phase of the determinant along a contour, where that \
         is within the operations allowed by default, says that no eigenvalue is missing.\n",
    );
    for race in races {
        let d = &race.description;
        let _infallible = write!(
            out,
            "\n## {}: {} + {} unknowns, {} {}\n\n\
             Commit {}.\n\n\
             | solver | time s | of ours | clock s | start s | memory MiB | of ours | residual | error | shift |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
            race.name,
            d.unknowns,
            d.constraints,
            d.count,
            if d.point.is_empty() { "modes" } else { "eigenvalues" },
            race.commit
        );
        let ours =
            race.entries.iter().find(|entry| entry.solver == Solver::Ours).and_then(|e| e.best.as_ref());
        let (time, memory) = ours.map_or((f64::NAN, f64::NAN), |run| (run.cpu_s, run.peak_mib));
        for entry in &race.entries {
            out.push_str(&row(entry, race, time, memory));
        }
        for (solver, error) in race.disagreements() {
            let _infallible =
                writeln!(out, "\n{} differs from the reference by {error:.1e}.", solver.title());
        }
    }
    let mut versions: Vec<&str> = races
        .iter()
        .flat_map(|r| &r.entries)
        .filter_map(|e| e.best.as_ref())
        .map(|r| r.version.as_str())
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let _infallible = write!(out, "\nVersions: {}.\n", versions.join("; "));
    out
}

fn row(entry: &Entry, race: &Race, time: f64, memory: f64) -> String {
    let title = entry.title();
    let Some(run) = &entry.best else {
        let why = entry.failure.as_deref().unwrap_or("did not run").replace('|', "/");
        return format!("| {title} | failed: {why} | | | | | | | | |\n");
    };
    let shift = match &race.description.point[..] {
        &[re, im] => format!("{re} + {im} i"),
        _ if entry.solver.takes_shift() => format!("{:.4}", entry.shift),
        _ => "own".to_owned(),
    };
    let error = entry.error(race).map_or_else(String::new, |error| format!("{error:.0e}"));
    format!(
        "| {title} | {} | {:.2} | {} | {:.2} | {:.0} | {:.2} | {:.0e} | {error} | {shift} |\n",
        seconds(run.cpu_s),
        run.cpu_s / time,
        seconds(run.wall_s),
        run.startup_s,
        run.peak_mib,
        run.peak_mib / memory,
        run.residual,
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
    use super::seconds;

    #[test]
    fn times_keep_their_digits() {
        assert_eq!([seconds(0.0123), seconds(1.234), seconds(45.67)], ["0.0123", "1.23", "45.7"]);
    }
}
