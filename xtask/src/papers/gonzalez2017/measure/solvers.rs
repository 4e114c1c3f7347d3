//! The eigenvalue of the linkages by the sparse Krylov solvers, on the redundant coordinates with their multipliers.
//!
//! Paper: [gonzalez2017] Secs. 3.2, 4.1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_eigen::sparse::{self, Request, Solver, SparseExpert, SparseOptions};
use mb_eigen::{DenseOptions, EigenError, Spectrum};
use mb_linear::linearize;

use super::linkage::{self, Prepared};
use super::spectra::words;
use super::{LOOPS, four_bar};
use crate::solvers::{Comparison, SOLVERS, SolverValue};

/// Every linkage, with and without dampers, by every solver of this machine.
pub(crate) fn comparisons() -> Vec<Comparison> {
    let cases = [false, true].into_iter().flat_map(|damped| LOOPS.map(|loops| (loops, damped)));
    cases
        .map(|(loops, damped)| {
            let prepared = linkage::prepare(&four_bar(loops, damped));
            let solve = |work: &dyn Fn(&Prepared) -> Result<Spectrum, EigenError>| {
                let spectrum =
                    prepared.as_ref().map_err(Clone::clone).and_then(|p| work(p).map_err(words))?;
                one_root(&spectrum)
            };
            let dampers = if damped { ", dampers" } else { "" };
            Comparison {
                system: format!("linkage N = {loops}{dampers}"),
                dense: solve(&|p| {
                    mb_eigen::dense::solve(&linearize(&p.model, &p.at).pencil(), &DenseOptions::default())
                }),
                krylov: SOLVERS
                    .into_iter()
                    .filter(|(_, solver)| solver.driver().is_ok())
                    .map(|(name, solver)| (name, solve(&|p| by(p, solver))))
                    .collect(),
            }
        })
        .collect()
}

fn by(prepared: &Prepared, solver: Solver) -> Result<Spectrum, EigenError> {
    let pencil = linearize(&prepared.model, &prepared.at).pencil().to_sparse();
    // Small as they are, the linkages are to go through the Krylov solver.
    let options = SparseOptions::from(SparseExpert { solver, dense_limit: 0, ..Default::default() });
    sparse::solve(&pencil, &Request::Lowest { count: 1 }, &options)
}

/// The one oscillation.
fn one_root(spectrum: &Spectrum) -> Result<SolverValue, String> {
    let pair = spectrum.motion().find(|pair| pair.alpha.im > 0.0).ok_or("no oscillating mode")?;
    let s = pair.value().ok_or("the mode has no finite eigenvalue")?;
    Ok(SolverValue { re: s.re, im: s.im, error_bound: pair.error_bound })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ARPACK-NG takes part where the machine has it.
    #[test]
    fn all_solvers_of_this_machine_agree_on_every_linkage() {
        let comparisons = comparisons();
        assert_eq!(comparisons.len(), 2 * LOOPS.len());
        assert_eq!(crate::solvers::complaints(&comparisons), Vec::<String>::new());
        let solvers = if Solver::Arpack.driver().is_ok() { 2 } else { 1 };
        assert!(comparisons.iter().all(|c| c.krylov.len() == solvers));
    }
}
