//! The linearized systems of the tables and their modes by the direct method, with and without scaling.
//!
//! Paper: [yang2012] Secs. 4.1, 4.2.
//!
//! [yang2012]: mb_eigen::direct

use std::f64::consts::TAU;

use mb_algebra::{QuadraticPencil, Sparse, c64};
use mb_eigen::direct::{DirectAnalysis, DirectOptions, Factorization, Scaling, solve};
use mb_eigen::sparse::Solver;
use mb_eigen::{DenseOptions, Spectrum};
use mb_gallery::Computed;
use mb_gallery::models::{BeamCantilever, BeamFourBar};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize_sparse};
use mb_model::spec::AxialStrainSpec;
use mb_model::{Model, ModelError, ModelSpec};

use crate::answers::Answers;
use crate::solvers::{Comparison, SOLVERS, SolverValue};

/// Modes that the tables print.
pub(super) const MODES: usize = 6;
/// The shift of the tables, rad/s.
pub(super) const SHIFT: f64 = 3.0;
/// The shifts that are compared, rad/s: the paper's are between the first and the last.
pub(super) const SHIFTS: [f64; 3] = [1.0, SHIFT, 10.0];
/// Part of the largest entry below which a factorization without row exchanges replaces a pivot.
pub(super) const PERTURBATION: f64 = 1e-13;

/// Ritz values by the name of the factorization.
pub(super) type Unscaled = [(&'static str, Measured<Vec<c64>>); 2];

/// A quantity, or why there is none.
pub(super) type Measured<T> = Result<T, String>;

/// A linearized system.
pub(super) struct System {
    /// For people.
    pub(super) name: &'static str,
    /// Tension of a cantilever, N.
    pub(super) tension: f64,
    pub(super) model: Model,
    /// The equilibrium's configuration.
    pub(super) q: Vec<f64>,
    pub(super) pencil: QuadraticPencil<Sparse>,
    /// max |K^|.
    pub(super) c: f64,
    /// The lowest modes by the scaled method, rad/s, with their error bounds.
    pub(super) modes: Vec<(f64, f64)>,
    /// Their shapes.
    pub(super) shapes: Vec<Vec<c64>>,
}

/// The three systems of the tables.
pub(super) struct Systems {
    pub(super) free: Measured<System>,
    pub(super) tense: Measured<System>,
    pub(super) linkage: Measured<System>,
}

impl Systems {
    /// Builds, balances and linearizes all three.
    pub(super) fn measure() -> Self {
        Self { free: cantilever(0.0), tense: cantilever(1e10), linkage: linkage() }
    }
    /// All of them with the words of the tables.
    pub(super) fn all(&self) -> [(&'static str, &Measured<System>); 3] {
        [("Table 2", &self.free), ("Table 3", &self.tense), ("Table 5", &self.linkage)]
    }
}

/// The cantilever of Tables 2 and 3 under its tension, N.
pub(super) fn cantilever(tension: f64) -> Measured<System> {
    let name = if tension == 0.0 { "cantilever" } else { "cantilever, F = 1e10 N" };
    System::new(name, tension, BeamCantilever { tension, ..BeamCantilever::default() }.spec())
}

/// The linkage of Table 5.
pub(super) fn linkage() -> Measured<System> {
    System::new("four-bar linkage", 0.0, BeamFourBar::default().spec())
}

/// The cantilever and the linkage with the exact measure of stretch.
pub(super) fn with_exact_stretch(tension: f64) -> [Measured<System>; 2] {
    let cantilever =
        BeamCantilever { tension, axial_strain: AxialStrainSpec::Exact, ..BeamCantilever::default() };
    let linkage = BeamFourBar { axial_strain: AxialStrainSpec::Exact, ..BeamFourBar::default() };
    [System::new("cantilever", tension, cantilever.spec()), System::new("linkage", 0.0, linkage.spec())]
}

impl System {
    pub(super) fn new(
        name: &'static str,
        tension: f64,
        spec: Result<ModelSpec, ModelError>,
    ) -> Measured<Self> {
        let model = spec.and_then(|s| s.build()).map_err(|e| e.to_string())?;
        let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default())
            .map_err(|e| e.to_string())?;
        let pencil = linearize_sparse(&model, &OperatingPoint::from(&rest)).pencil();
        let c = Scaling::LargestEntry.factor(&pencil, 0.0).map_err(|e| e.to_string())?;
        let q = rest.q().to_vec();
        let mut out = Self { name, tension, model, q, pencil, c, modes: Vec::new(), shapes: Vec::new() };
        let analysis = out.direct(&DirectOptions { condition: false, ..DirectOptions::default() })?;
        let mut pairs: Vec<_> = analysis
            .spectrum
            .motion()
            .filter_map(|p| Some((p.value()?.im, p)))
            .filter(|p| p.0 >= 0.0)
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        out.modes = pairs.iter().map(|(w, pair)| (*w, pair.error_bound)).collect();
        out.shapes = pairs.iter().map(|(_, pair)| pair.right.to_vec()).collect();
        Ok(out)
    }
    /// Modes by the direct method.
    pub(super) fn direct(&self, options: &DirectOptions) -> Measured<DirectAnalysis> {
        solve(&self.pencil, MODES, options).map_err(|e| e.to_string())
    }
    /// The paper's procedure to the letter: one solve with the factors and no correction, zeros left in; Ritz values in rad/s
    /// with a positive imaginary part or none, ascending.
    pub(super) fn procedure(
        &self,
        scaling: Scaling,
        factorization: Factorization,
        shift: f64,
    ) -> Measured<Vec<c64>> {
        let options = DirectOptions {
            scaling,
            factorization,
            shift: Some(shift),
            refinements: 0,
            deflate_zeros: false,
            condition: false,
            ..DirectOptions::default()
        };
        let mut ritz: Vec<c64> = self.direct(&options)?.ritz.into_iter().filter(|r| r.im >= 0.0).collect();
        ritz.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
        Ok(ritz)
    }
    /// Frequency of a mode, Hz.
    pub(super) fn hz(&self, mode: usize) -> Measured<f64> {
        self.modes.get(mode).map(|(w, _)| w / TAU).ok_or_else(|| "fewer modes were found".to_owned())
    }
    /// Largest distance of the lowest modes from the nearest Ritz value, relative to the mode.
    pub(super) fn worst(&self, ritz: &[c64]) -> f64 {
        let miss = |w: f64| {
            let near = ritz.iter().map(|r| (r - c64::new(0.0, w)).norm()).fold(f64::INFINITY, f64::min);
            near / w
        };
        // What is not found at all is as far off as it is large.
        self.modes.iter().take(MODES).map(|(w, _)| miss(*w).min(1.0)).fold(0.0, f64::max)
    }
}

/// Puts what the unscaled procedure gives for a mode, with row exchanges and with static pivoting, as a value in Hz.
pub(super) fn put_unscaled(answers: &mut Answers, row: &str, quantity: &str, raw: &Unscaled, mode: usize) {
    for (by, ritz) in raw {
        let value = ritz.as_ref().map_err(Clone::clone).map(|list| match list.get(mode) {
            Some(r) => Computed::Complex { re: r.re / TAU, im: r.im / TAU },
            None => Computed::Word("none converged".to_owned()),
        });
        answers.put_by(row, quantity, by, value);
    }
}

/// The unscaled procedure by both factorizations.
pub(super) fn unscaled(system: &Measured<System>) -> Unscaled {
    let by = |factorization| {
        let system = system.as_ref().map_err(Clone::clone)?;
        system.procedure(Scaling::Unscaled, factorization, SHIFT)
    };
    [
        ("row exchanges", by(Factorization::Pivoted)),
        ("static pivoting", by(Factorization::Static { perturbation: PERTURBATION })),
    ]
}

/// The systems by the dense method and by every sparse solver of this build.
pub(super) fn comparisons() -> Vec<Comparison> {
    let systems = Systems::measure();
    systems
        .all()
        .into_iter()
        .map(|(_, system)| {
            let dense = system.as_ref().map_err(Clone::clone).and_then(|s| {
                mb_eigen::dense::solve(&s.pencil.to_dense(), &DenseOptions::default())
                    .map_err(|e| e.to_string())
                    .and_then(|spectrum| lowest(&spectrum))
            });
            let by = |solver: Solver| {
                let system = system.as_ref().map_err(Clone::clone)?;
                let options = DirectOptions { solver, condition: false, ..DirectOptions::default() };
                lowest(&system.direct(&options)?.spectrum)
            };
            Comparison {
                system: system.as_ref().map_or_else(|_| "beams".to_owned(), |s| s.name.to_owned()),
                dense,
                krylov: SOLVERS
                    .into_iter()
                    .filter(|(_, solver)| solver.driver().is_ok())
                    .map(|(name, solver)| (name, by(solver)))
                    .collect(),
            }
        })
        .collect()
}

/// The slowest oscillation.
fn lowest(spectrum: &Spectrum) -> Measured<SolverValue> {
    let eigenvalue = |pair: &mb_eigen::Eigenpair| {
        let s = pair.value().filter(|s| s.im > 0.0)?;
        Some(SolverValue { re: s.re, im: s.im, error_bound: pair.error_bound })
    };
    let found = spectrum.motion().filter_map(eigenvalue).min_by(|a, b| a.im.total_cmp(&b.im));
    found.ok_or_else(|| "no oscillating mode".to_owned())
}
