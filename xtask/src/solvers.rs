//! The Krylov solvers side by side on the papers' systems: for the terminal and the JSON report only.
//!
//! The committed pages and the record of verdicts do not depend on what is installed, so that `--check` passes with and
//! without ARPACK-NG. A disagreement beyond both error bounds fails wherever it is seen.

use std::fmt::Write;

use mb_eigen::sparse::Solver;
use serde::Serialize;

/// The solvers, with the names a reader knows.
pub(crate) const SOLVERS: [(&str, Solver); 2] =
    [("built-in Krylov", Solver::BuiltIn), ("ARPACK-NG", Solver::Arpack)];

/// An eigenvalue with its error bound, rad/s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct SolverValue {
    pub(crate) re: f64,
    pub(crate) im: f64,
    pub(crate) error_bound: f64,
}

/// One system by all solvers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Comparison {
    /// What was solved.
    pub(crate) system: String,
    /// By the dense method, by the built-in Krylov solver, by ARPACK-NG; none where the machine lacks it.
    pub(crate) dense: Result<SolverValue, String>,
    pub(crate) krylov: Vec<(&'static str, Result<SolverValue, String>)>,
}

impl Comparison {
    /// Largest distance of two eigenvalues beyond the sum of their error bounds; none when all agree.
    fn disagreement(&self) -> Option<String> {
        let all =
            || std::iter::once(("dense", &self.dense)).chain(self.krylov.iter().map(|(name, r)| (*name, r)));
        for (name, value) in all() {
            if let Err(why) = value {
                return Some(format!("{}: {name}: {why}", self.system));
            }
        }
        let values: Vec<(&str, SolverValue)> =
            all().filter_map(|(name, value)| value.as_ref().ok().map(|r| (name, *r))).collect();
        for (i, (one, a)) in values.iter().enumerate() {
            for (other, b) in &values[i + 1..] {
                let distance = (a.re - b.re).hypot(a.im - b.im);
                if distance.is_nan() || distance > a.error_bound + b.error_bound {
                    return Some(format!(
                        "{}: {one} and {other} differ by {distance:.1e} rad/s, their error bounds are {:.1e} and {:.1e}",
                        self.system, a.error_bound, b.error_bound
                    ));
                }
            }
        }
        None
    }
}

/// What is wrong.
pub(crate) fn complaints(comparisons: &[Comparison]) -> Vec<String> {
    comparisons.iter().filter_map(Comparison::disagreement).collect()
}

/// The comparison for the terminal.
pub(crate) fn text(comparisons: &[Comparison]) -> String {
    let mut out = String::new();
    let Some(first) = comparisons.first() else { return out };
    let width = comparisons.iter().map(|c| c.system.chars().count()).max().unwrap_or(0);
    let mut line = |cells: &[String]| {
        let (head, rest) = cells.split_first().map_or(("", cells), |(head, rest)| (head.as_str(), rest));
        let _infallible = write!(out, "  {head:<width$}");
        for cell in rest {
            let _infallible = write!(out, "  {cell:>26}");
        }
        out.push('\n');
    };
    let names = first.krylov.iter().map(|(name, _)| (*name).to_owned());
    let head: Vec<String> = ["solver".to_owned(), "dense".to_owned()].into_iter().chain(names).collect();
    line(&head);
    let shown = |value: &Result<SolverValue, String>| match value {
        Ok(value) => format!("{:.6e}{:+.10}i", value.re, value.im),
        Err(_) => "failed".to_owned(),
    };
    for comparison in comparisons {
        let mut cells = vec![comparison.system.clone(), shown(&comparison.dense)];
        cells.extend(comparison.krylov.iter().map(|(_, value)| shown(value)));
        line(&cells);
    }
    if first.krylov.len() < SOLVERS.len() {
        out.push_str("  ARPACK-NG is not on this machine; `cargo xtask setup` installs it.\n");
    }
    format!("\nSolvers on the redundant coordinates, s_1 in rad/s:\n{out}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(arpack: f64) -> Comparison {
        let value = |im| Ok(SolverValue { re: 0.0, im, error_bound: 0.25 });
        Comparison {
            system: "two masses".to_owned(),
            dense: value(2.0),
            krylov: vec![("built-in Krylov", value(2.25)), ("ARPACK-NG", value(arpack))],
        }
    }

    #[test]
    fn eigenvalues_beyond_both_bounds_disagree() {
        assert!(complaints(&[comparison(2.5)]).is_empty());
        let complaints = complaints(&[comparison(3.0)]);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains("dense and ARPACK-NG differ by 1.0e0"), "{complaints:?}");
    }

    #[test]
    fn a_root_that_could_not_be_found_is_reported() {
        let mut failed = comparison(2.0);
        failed.krylov[0].1 = Err("no reason".to_owned());
        assert!(complaints(&[failed.clone()])[0].contains("built-in Krylov: no reason"));
        assert!(text(&[failed]).contains("failed"));
    }

    #[test]
    fn without_arpack_the_column_is_missing_and_the_way_to_it_reported() {
        let mut plain = comparison(2.0);
        plain.krylov.truncate(1);
        let shown = text(&[plain]);
        assert!(shown.contains("cargo xtask setup") && !shown.contains("+2.0000000000i  0"), "{shown}");
        assert!(text(&[comparison(2.0)]).lines().any(|line| line.trim_end().ends_with("ARPACK-NG")));
        assert!(text(&[]).is_empty());
    }
}
