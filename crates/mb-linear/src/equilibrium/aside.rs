//! A step off an unstable equilibrium, down the side.
//!
//! Relaxation goes where forces push. At an unstable equilibrium, such as a column that stands exactly straight, none do, so
//! that it would stay; a configuration a little to the side along an unstable direction goes down from there.
//!
//! ```text
//! x^T K x < 0,  Phi_q x = 0:      q (+) h x,   h the first of some lengths that leaves a force to relax
//! ```
//!
//! x belongs to the most negative eigenvalue of K_r; in large models it is the most negative Ritz vector of some steps of
//! inverse iteration on the saddle-point matrix, and there is none when the factors fail or no Ritz value is negative.

use super::stability::{DENSE_UP_TO, analysis, reduced};
use super::units::Units;
use super::{Equilibrium, EquilibriumOptions, balanced, relative_residual};
use crate::error::LinearError;
use mb_algebra::{AlgebraError, Dense, SymmetricEigen, dense, sparse};
use mb_constraints::assemble;
use mb_model::{Model, Point};
use saddle_ldlt::SaddleFactor;

/// Largest coordinate of the steps tried, in extents of the model or rad. From where relaxation came back the next one begins with a longer step: what
/// pushes sideways may be little compared with what stiff parts push at first, so that it is taken for rest when these have given way.
const LENGTHS: [f64; 6] = [0.01, 0.03, 0.1, 0.3, 1.0, 2.0];
/// Residual, relative to the forces at work, of a place from which relaxation goes somewhere; it calls a tenth of this rest.
const UNREST: f64 = 1e-3;
/// Vectors and steps of inverse iteration in large models.
const BLOCK: usize = 8;
const STEPS: usize = 6;

/// A point near an unstable equilibrium from which relaxation leaves it, the further the more attempts were made; none where no
/// direction down is found.
pub(super) fn step_aside(
    model: &Model,
    from: &Equilibrium,
    options: &EquilibriumOptions,
    attempt: usize,
) -> Result<Option<Point>, LinearError> {
    let Some(direction) = downhill(model, from)? else { return Ok(None) };
    let units = Units::new(model, from.q());
    let largest = units.largest(&direction);
    for length in &LENGTHS[attempt.min(LENGTHS.len() - 1)..] {
        let step: Vec<f64> = direction.iter().map(|x| x * length / largest).collect();
        let moved = model.coordinates().retract(from.q(), &step);
        let Ok(there) = assemble(model, &moved, options.time, &options.assembly) else { break };
        let point = balanced(model, Point { q: there.q, ..from.point().clone() }, &units)?;
        if relative_residual(model, &point, &units) > UNREST {
            return Ok(Some(point));
        }
    }
    Ok(None)
}

/// x with x^T K x < 0 along the constraints.
fn downhill(model: &Model, at: &Equilibrium) -> Result<Option<Vec<f64>>, LinearError> {
    if model.nv() + model.nc() > DENSE_UP_TO {
        return Ok(downhill_of_many(model, at)?);
    }
    let (k, phi_q) = model.static_blocks(at.point());
    let Some(reduced) = reduced(&k, &phi_q, model.has_follower_forces(), |i| model.coordinate_name(i))?
    else {
        return Ok(None);
    };
    let x = dense::matvec(&reduced.basis, reduced.eigen.vectors.col_as_slice(0));
    let down = reduced.eigen.values.first().is_some_and(|value| *value < 0.0);
    Ok(down.then(|| x.iter().zip(&reduced.units).map(|(x, d)| x * d).collect()))
}

fn downhill_of_many(model: &Model, at: &Equilibrium) -> Result<Option<Vec<f64>>, AlgebraError> {
    let (k, phi_q) = model.static_blocks(at.point());
    let k = sparse::add(0.5, &k, 0.5, &sparse::transpose(&k));
    let n = k.rows();
    let factor = match SaddleFactor::new(&analysis(&k, &phi_q)?, &k, &phi_q) {
        Ok(factor) => factor,
        Err(AlgebraError::Saddle(_) | AlgebraError::ZeroPivot { .. }) => return Ok(None),
        Err(other) => return Err(other),
    };
    // Waves of different lengths and no symmetry.
    let mut x = Dense::from_fn(n, BLOCK, |i, j| ((j + 1) as f64 * (i as f64 + 0.3)).sin());
    for _ in 0..STEPS {
        let Ok((next, _)) = factor.solve_block(&x) else { return Ok(None) };
        let gram = SymmetricEigen::new(&dense::mul_transpose(&next, &next))?;
        let kept = gram.values.iter().filter(|v| **v > f64::EPSILON * gram.values[BLOCK - 1]).count();
        let span = Dense::from_fn(BLOCK, kept, |i, j| {
            let from = BLOCK - kept + j;
            gram.vectors[(i, from)] / gram.values[from].sqrt()
        });
        x = dense::mul(&next, &span);
        if kept < BLOCK {
            break;
        }
    }
    let columns: Vec<Vec<f64>> = (0..x.ncols()).map(|j| sparse::matvec(&k, x.col_as_slice(j))).collect();
    let ritz = SymmetricEigen::new(&dense::mul_transpose(&x, &dense::from_columns(n, &columns)))?;
    let down = ritz.values.first().is_some_and(|value| *value < 0.0);
    Ok(down.then(|| dense::matvec(&x, ritz.vectors.col_as_slice(0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::norms;

    /// Ten pendulums next to each other, of which the lightest stands on its head: both ways down are its fall.
    #[test]
    fn the_way_down_of_a_row_of_pendulums() {
        let bodies: Vec<String> = (0..10)
            .map(|i| {
                let (mass, angle) = if i == 6 { (0.25, 180) } else { (1.0 + f64::from(i), 0) };
                let y = if i == 6 { 0.5 } else { -0.5 };
                format!(
                    "[[body]]\nname = \"b{i}\"\nmass = {mass}\ninertia = 0.1\nat = [{i}, {y}]\nangle = \"deg({angle})\"\n\
                     markers = {{ top = [0.0, 0.5] }}\n\
                     [[joint]]\nname = \"j{i}\"\ntype = \"revolute\"\na = \"b{i}.top\"\nb = [{i}.0, 0.0]\n"
                )
            })
            .collect();
        let head = "units = \"SI\"\nname = \"row\"\ngravity = [0.0, -9.81]\n";
        let model = Model::from_toml(&(head.to_owned() + &bodies.concat())).expect("a model");
        let options = EquilibriumOptions { strategy: super::super::Strategy::Newton, ..Default::default() };
        let rest = Equilibrium::solve(&model, model.initial(), &options).expect("an equilibrium");
        let directions =
            [downhill(&model, &rest).expect("dense"), downhill_of_many(&model, &rest).expect("sparse")];
        for x in directions {
            let x = x.expect("a way down");
            let held = dense::matvec(&model.phi_q(rest.q(), 0.0).to_dense(), &x);
            let size = norms::max_abs_vec(&x);
            assert!(norms::max_abs_vec(&held) < 1e-12 * size, "{held:?}");
            // Its angle turns and the others keep still.
            assert!(x[20].abs() > 0.1 * size);
            assert!((0..30).filter(|i| i / 3 != 6).all(|i| x[i].abs() < 1e-3 * size), "{x:?}");
        }
    }
}
