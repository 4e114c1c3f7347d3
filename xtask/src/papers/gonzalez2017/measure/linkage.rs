//! The N-loop linkage at its equilibrium: angle, eigenvalue by each family, elapsed times, classes.
//!
//! Paper: [gonzalez2017] Secs. 4.1, 5.1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_constraints::NullSpaceMethod;
use mb_eigen::Spectrum;
use mb_eigen::descriptor::Transferred;
use mb_gallery::models::FourBar;
use mb_linear::formulation::unconstrained::{PenaltyPoint, penalty_equilibrium};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint};
use mb_model::Model;

use super::super::results::{Classes, Counted, Eigenvalue, Family, Linkage, Measured};
use super::penalty;
use super::spectra::{self, words};
use crate::papers::timing::timed;

/// A linkage with its two equilibria: of the constrained and of the penalty system.
pub(crate) struct Prepared {
    pub(crate) model: Model,
    /// Index of the angle among the coordinates.
    pub(crate) phi: usize,
    pub(crate) at: OperatingPoint,
    pub(crate) penalty_at: PenaltyPoint,
}

/// Index of the angle among the coordinates.
pub(super) fn angle_index(model: &Model) -> Measured<usize> {
    let names = model.coordinates().names();
    let phi = names.iter().position(|name| name.split('.').next() == Some("phi"));
    phi.ok_or_else(|| format!("the model `{}` has no coordinate `phi`", model.name))
}

/// Builds the linkage and solves for both equilibria, from the start of the model file.
pub(crate) fn prepare(bar: &FourBar) -> Measured<Prepared> {
    let model = bar.spec().and_then(|spec| spec.build()).map_err(words)?;
    let phi = angle_index(&model)?;
    let found = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).map_err(words)?;
    let penalty_at = penalty_equilibrium(&model, found.point(), &penalty()).map_err(words)?;
    Ok(Prepared { at: OperatingPoint::from(&found), model, phi, penalty_at })
}

/// The eigenvalue of the one degree of freedom, from its energy: no code in common with the formulations.
fn closed_form(bar: &FourBar) -> Measured<Eigenvalue> {
    let phi = bar.equilibrium().ok_or("the closed form has no equilibrium")?;
    let upper = bar.eigenvalues(phi)[0];
    Ok(Eigenvalue { re: upper.re, im: upper.im.abs() })
}

impl Prepared {
    /// MCS with the angle as the independent coordinate, as in the paper.
    pub(super) fn mcs(&self) -> Measured<Spectrum> {
        let angle = NullSpaceMethod::CoordinateSelection(Some(vec![self.phi]));
        spectra::mcs(&self.model, &self.at, &angle)
    }

    pub(super) fn rcs(&self, transferred: Transferred) -> Measured<Spectrum> {
        spectra::rcs(&self.model, &self.at, transferred)
    }

    pub(super) fn ucs(&self) -> Measured<Spectrum> {
        spectra::ucs(&self.model, &self.penalty_at, &penalty())
    }
}

/// Equilibria, eigenvalues and times of one linkage.
pub(super) fn measure(bar: &FourBar) -> Linkage {
    let (loops, damped, closed_form) = (bar.loops, bar.damping > 0.0, closed_form(bar));
    let prepared = match prepare(bar) {
        Ok(prepared) => prepared,
        Err(why) => {
            let failed = || Family { s: Err(why.clone()), elapsed_ms: Err(why.clone()) };
            return Linkage {
                loops,
                damped,
                coordinates: Err(why.clone()),
                phi: Err(why.clone()),
                penalty_phi: Err(why.clone()),
                families: [failed(), failed(), failed()],
                closed_form,
            };
        }
    };
    let phi = prepared.phi;
    Linkage {
        loops,
        damped,
        coordinates: Ok(prepared.model.nq()),
        phi: Ok(prepared.at.point().q[phi]),
        penalty_phi: Ok(prepared.penalty_at.point.q[phi]),
        families: [
            family(|| prepared.mcs()),
            family(|| prepared.rcs(Transferred::default())),
            family(|| prepared.ucs()),
        ],
        closed_form,
    }
}

fn family(work: impl FnMut() -> Measured<Spectrum>) -> Family {
    match timed(work) {
        Ok((spectrum, elapsed_ms)) => Family { s: one_pair(&spectrum), elapsed_ms: Ok(elapsed_ms) },
        Err(why) => Family { s: Err(why.clone()), elapsed_ms: Err(why) },
    }
}

/// The one physical pair of a linkage.
fn one_pair(spectrum: &Spectrum) -> Measured<Eigenvalue> {
    match spectra::pairs(spectrum).as_slice() {
        [s] => Ok(*s),
        others => Err(format!("{} physical pairs where there is one", others.len())),
    }
}

/// Eigenvalues of each formulation by class.
pub(super) fn count(bar: &FourBar) -> Vec<Counted> {
    let (loops, prepared) = (bar.loops, prepare(bar));
    let counted = |formulation: &'static str, solve: &dyn Fn(&Prepared) -> Measured<Spectrum>| {
        let classes =
            prepared.as_ref().map_err(Clone::clone).and_then(solve).map(|spectrum| classes(&spectrum));
        Counted { formulation, loops, classes }
    };
    let transferred = |phi_q, phi_q_t| Transferred { phi_q, phi_q_t };
    vec![
        counted("MCS", &Prepared::mcs),
        counted("RCS", &|p| p.rcs(transferred(false, false))),
        counted("RCS, Jacobian in E", &|p| p.rcs(transferred(true, false))),
        counted("RCS, transpose in E", &|p| p.rcs(transferred(false, true))),
        counted("RCS, both in E", &|p| p.rcs(transferred(true, true))),
        counted("UCS", &Prepared::ucs),
    ]
}

fn classes(spectrum: &Spectrum) -> Classes {
    let found = &spectrum.counts.found;
    Classes {
        physical: found.motion(),
        infinite: found.infinite,
        zero: found.spurious_transferred,
        penalty: found.spurious_penalty,
    }
}
