//! Why there is no equilibrium, in the words of mechanics: loads that push along a motion that nothing holds.
//!
//! The free motions are those of the model without its loads, at the start or at what was found: a pendulum that is pushed sideways has an equilibrium
//! elsewhere, so that a push is the reason of a failure and no proof of one.

use crate::error::LinearError;
use mb_algebra::norms;
use mb_algebra::sorted::descending;
use mb_constraints::pushed_free_motion;
use mb_model::system::Turn;
use mb_model::{Model, Point};
use std::collections::HashMap;

/// Velocities below this share of the largest are not named, and most that are.
const NAMED: f64 = 0.1;
const MOST: usize = 6;
/// Residual relative to the largest load from which on it may be a load that nothing balances.
const UNBALANCED: f64 = 1e-4;

/// The velocities that the loads push and nothing holds, with their amplitudes; empty where the loads push along no free motion.
pub(super) fn words(model: &Model, start: &Point) -> String {
    let forces: Vec<f64> = model.applied_residual(start).iter().map(|r| -r).collect();
    along(&model.under_loads(0.0), start, &forces)
}

/// Refuses a model with parts that fall, or that a torque turns, whatever their configuration.
pub(super) fn refuse_runaways(model: &Model, start: &Point) -> Result<(), LinearError> {
    let mut motion = vec![0.0; model.nv()];
    for fall in model.falls(start) {
        let size = norms::two(&fall.force);
        for block in fall.blocks.iter().map(|id| model.coordinates().block(*id)) {
            for (k, force) in fall.force.iter().enumerate().take(block.kind.positions()) {
                motion[block.v + k] = force / size;
            }
        }
    }
    if let Some(i) = motion.iter().position(|v| v.abs() > NAMED) {
        return Err(LinearError::Falls { pushed: named(model, &motion), equation: model.coordinate_name(i) });
    }
    match model.turns(start) {
        Some(Turn { torque, motion, moment }) => {
            Err(LinearError::Turns { torque, pushed: named(model, &motion), moment })
        }
        None => Ok(()),
    }
}

/// What the loads push and nothing holds at a point whose residual is small against the forces that stiff members could exert; empty where it
/// is small against the loads themselves, or where the loads push along no free motion.
pub(super) fn unbalanced(model: &Model, point: &Point, residual: f64) -> String {
    if residual == 0.0 {
        return String::new();
    }
    let loads = model.applied_loads(point);
    let largest = norms::max_abs_vec(&loads);
    if largest == 0.0 || residual <= UNBALANCED * largest {
        return String::new();
    }
    along(&model.under_loads(0.0), point, &loads)
}

/// The velocities of the free motion of a model without loads that `forces` push along.
fn along(model: &Model, at: &Point, forces: &[f64]) -> String {
    let (k, phi_q) = model.static_blocks(&Point { lambda: vec![0.0; model.nc()], ..at.clone() });
    pushed_free_motion(&k, &phi_q, forces).map_or_else(String::new, |motion| named(model, &motion))
}

/// Velocities by name with their amplitudes, the largest first; those of little size are left out.
fn named(model: &Model, motion: &[f64]) -> String {
    let mut moved: Vec<(String, f64)> = Vec::new();
    let mut place: HashMap<String, usize> = HashMap::new();
    for (i, amplitude) in motion.iter().enumerate().filter(|(_, a)| a.abs() > NAMED) {
        let name = model.coordinate_name(i);
        // Of the nodes of a beam, `beam[3].x`, the one that moves most stands for all.
        let name = match (name.split_once('['), name.rsplit_once('.')) {
            (Some((beam, _)), Some((_, axis))) => format!("{beam}.{axis}"),
            _ => name,
        };
        let at = *place.entry(name.clone()).or_insert(moved.len());
        match moved.get_mut(at) {
            Some((_, most)) => *most = most.max(amplitude.abs()),
            None => moved.push((name, amplitude.abs())),
        }
    }
    descending(&mut moved, |a| a.1);
    let more = moved.len().saturating_sub(MOST);
    let named: Vec<String> = moved.iter().take(MOST).map(|(name, a)| format!("{name} ({a:.2})")).collect();
    if more > 0 { format!("{} and {more} more", named.join(", ")) } else { named.join(", ") }
}
