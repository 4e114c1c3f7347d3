//! The singular equilibrium: one loop, no springs, gravity along +x, everything on the x-axis.
//!
//! Paper: [gonzalez2017] Sec. 5.1, Fig. 4.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::RankTolerance;
use mb_constraints::{ConstraintError, NullSpaceMethod, constraint_rank};
use mb_eigen::descriptor::Transferred;
use mb_gallery::models::singular_four_bar;
use mb_linear::formulation::minimal::{minimal, minimal_reselecting};
use mb_linear::formulation::unconstrained::penalty_equilibrium;
use mb_linear::{Equilibrium, EquilibriumOptions, LinearError, OperatingPoint, linearize};
use mb_model::Model;

use super::super::results::{Eigenvalue, Measured, Singular};
use super::spectra::{self, words};
use super::{linkage, penalty};

/// Model, index of the angle, and the verified equilibrium.
fn prepare() -> Measured<(Model, usize, OperatingPoint)> {
    let (spec, _) = singular_four_bar().map_err(words)?;
    let model = spec.build().map_err(words)?;
    let phi = linkage::angle_index(&model)?;
    let found = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).map_err(words)?;
    Ok((model, phi, OperatingPoint::from(&found)))
}

/// Everything the tables ask of the singular equilibrium.
pub(super) fn measure() -> Singular {
    let prepared = match prepare() {
        Ok(prepared) => prepared,
        Err(why) => {
            return Singular {
                phi: Err(why.clone()),
                rank_lost: Err(why.clone()),
                eigenpairs: [Err(why.clone()), Err(why.clone()), Err(why.clone())],
                angle_alone_accepted: Err(why.clone()),
                velocities: Err(why),
            };
        }
    };
    let (model, phi, at) = &prepared;
    let lin = linearize(model, at);
    let angle = NullSpaceMethod::CoordinateSelection(Some(vec![*phi]));
    let rank = constraint_rank(model, &at.point().q, at.point().t, RankTolerance::default()).map_err(words);
    let reselected = minimal_reselecting(model, &lin, &angle).map_err(words);
    let penalty_at = penalty_equilibrium(model, at.point(), &penalty()).map_err(words);
    Singular {
        phi: Ok(at.point().q[*phi]),
        rank_lost: rank.map(|r| r.rows - r.rank()),
        eigenpairs: [
            reselected
                .clone()
                .and_then(|(system, _)| spectra::of_minimal(&system))
                .and_then(|s| two_pairs(&s)),
            spectra::rcs(model, at, Transferred::default()).and_then(|s| two_pairs(&s)),
            penalty_at.and_then(|p| spectra::ucs(model, &p, &penalty())).and_then(|s| two_pairs(&s)),
        ],
        angle_alone_accepted: match minimal(model, &lin, &angle) {
            Ok(_) => Ok(true),
            Err(LinearError::Constraint(ConstraintError::SelectionFails { .. })) => Ok(false),
            Err(other) => Err(words(other)),
        },
        velocities: reselected.map(|(system, _)| system.dof()),
    }
}

fn two_pairs(spectrum: &mb_eigen::Spectrum) -> Measured<[Eigenvalue; 2]> {
    match spectra::pairs(spectrum).as_slice() {
        &[first, second] => Ok([first, second]),
        others => Err(format!("{} physical pairs where there are two", others.len())),
    }
}
