//! Which body moves, deforms and dissipates in a mode.
//!
//! ```text
//! share of group g = Re sum over i in g of conj(x_i) (A x)_i / Re x^H A x,    A = M, K, C
//! ```
//!
//! Kinetic energy with M, strain with K (which holds the stiffness of constraint reactions), dissipation with C. A term
//! that couples two bodies is shared equally for symmetric A. Shares sum to one; single ones may be negative, where
//! reactions destabilize or a coupling draws energy. None where the whole is rounding: no strain in a rigid mode, no
//! dissipation without damping or with a gyroscopic C alone. Sizes: x of length n.

use mb_algebra::{QuadraticPencil, Sparse, c64, sparse};
use serde::{Deserialize, Serialize};

use crate::{EigenError, Eigenpair, tuning};

/// A body: a name and the coordinates it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// For reports.
    pub name: String,
    /// Indices from 0; no coordinate may be in two groups.
    pub coordinates: Vec<usize>,
}

/// Shares of one mode, one number for each name of [`EnergyShares::groups`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeEnergy {
    /// Index of its eigenpair.
    pub eigenpair: usize,
    /// Of the kinetic energy.
    pub kinetic: Option<Vec<f64>>,
    /// Of the strain energy.
    pub strain: Option<Vec<f64>>,
    /// Of the power dissipated.
    pub dissipation: Option<Vec<f64>>,
}

/// Shares of all modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyShares {
    /// Names as given; "(rest)" at the end when coordinates are left that no group has.
    pub groups: Vec<String>,
    /// One for every mode.
    pub modes: Vec<ModeEnergy>,
}

/// Energy of the modes among `pairs` by group of coordinates.
///
/// `pencil`: M, C, K n x n. Errors: a coordinate that does not exist or is in two groups.
pub fn energy_shares(
    pencil: &QuadraticPencil<Sparse>,
    pairs: &[Eigenpair],
    groups: &[Group],
) -> Result<EnergyShares, EigenError> {
    let n = pencil.m.rows();
    let mut owner: Vec<Option<usize>> = vec![None; n];
    for (g, group) in groups.iter().enumerate() {
        for &coordinate in &group.coordinates {
            let Some(place) = owner.get_mut(coordinate) else {
                let group = group.name.clone();
                return Err(EigenError::GroupOutOfRange { group, coordinate, size: n });
            };
            if let Some(first) = place.replace(g) {
                let (first, second) = (groups[first].name.clone(), group.name.clone());
                return Err(EigenError::GroupsOverlap { first, second, coordinate });
            }
        }
    }
    let mut names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    if owner.contains(&None) {
        names.push("(rest)".to_owned());
    }
    let shares = |a: &Sparse, x: &[c64]| -> Option<Vec<f64>> {
        let image = sparse::matvec_complex(a, x);
        let mut sums = vec![0.0; names.len()];
        let mut terms = 0.0;
        for (i, (x, image)) in x.iter().zip(&image).enumerate() {
            sums[owner[i].unwrap_or(groups.len())] += (x.conj() * image).re;
        }
        for (value, (row, col)) in a {
            terms += value.abs() * x[row].norm() * x[col].norm();
        }
        let total: f64 = sums.iter().sum();
        // Part of its terms below which a total is rounding.
        (total.abs() > tuning::EPS_3_4 * terms).then(|| sums.iter().map(|sum| sum / total).collect())
    };
    let modes = super::modes(pairs)
        .into_iter()
        .map(|pair| {
            let x = &pairs[pair].right;
            ModeEnergy {
                eigenpair: pair,
                kinetic: shares(&pencil.m, x),
                strain: shares(&pencil.k, x),
                dissipation: shares(&pencil.c, x),
            }
        })
        .collect();
    Ok(EnergyShares { groups: names, modes })
}
