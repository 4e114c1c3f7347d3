//! What scaling, row exchanges and shifts do to the results.
//!
//! Paper: [yang2012] Secs. 3, 4.
//!
//! [yang2012]: mb_eigen::direct

use mb_eigen::direct::{Factorization, Scaling};
use mb_gallery::Computed;

use super::conditions::{self, Side};
use super::system::{MODES, Measured, PERTURBATION, SHIFT, SHIFTS, System, Systems};
use super::{characteristic, identity};
use crate::answers::Answers;

const STATIC: Factorization = Factorization::Static { perturbation: PERTURBATION };
const EXCHANGES: Factorization = Factorization::Pivoted;

/// The answers to the table of claims.
pub(super) fn answers(systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    let mut put = |claim: &str, value: Measured<f64>| {
        answers.put(&format!("claim={claim}"), "value", value.map(Computed::Real));
    };
    let worst = |system: &Measured<System>, scaling, factorization, shifts: &[f64]| -> Measured<f64> {
        let system = system.as_ref().map_err(Clone::clone)?;
        let mut largest = 0.0_f64;
        for shift in shifts {
            largest = largest.max(system.worst(&system.procedure(scaling, factorization, *shift)?));
        }
        Ok(largest)
    };
    let (scaled, unscaled) = (Scaling::LargestEntry, Scaling::Unscaled);
    for (name, system) in [("cantilever", &systems.free), ("linkage", &systems.linkage)] {
        put(&format!("{name}, scaled, shifts 1 to 10"), worst(system, scaled, EXCHANGES, &SHIFTS));
        put(&format!("{name}, unscaled with row exchanges"), worst(system, unscaled, EXCHANGES, &[SHIFT]));
        put(&format!("{name}, unscaled with static pivoting"), worst(system, unscaled, STATIC, &[SHIFT]));
        put(&format!("{name}, scaled with static pivoting"), worst(system, scaled, STATIC, &[SHIFT]));
    }
    put("linkage, unscaled at shift 100", worst(&systems.linkage, unscaled, EXCHANGES, &[100.0]));
    put("linkage, scaled, shifts 30 and 100", worst(&systems.linkage, scaled, EXCHANGES, &[30.0, 100.0]));
    let of = |system: &Measured<System>, f: &dyn Fn(&System) -> Measured<f64>| {
        system.as_ref().map_err(Clone::clone).and_then(f)
    };
    let decades = |s: &System, a: f64, b: f64| -> Measured<f64> {
        Ok((conditions::at(s, a)? / conditions::at(s, b)?).log10())
    };
    put("decades for k from c/1e6 to c/1e5", of(&systems.free, &|s| decades(s, 1e-6, 1e-5)));
    put("decades for k from 100 c to 1000 c", of(&systems.free, &|s| decades(s, 1e3, 1e2)));
    for (name, side) in [("multipliers", Side::Multipliers), ("constraints", Side::Constraints)] {
        put(&format!("{name} alone over both"), of(&systems.free, &|s| conditions::one_sided(s, side)));
    }
    put("without gravity, unshifted over shifted", conditions::shift_gain());
    for (name, sign) in [("with its last sign turned", 1.0), ("as printed", -1.0)] {
        put(&format!("Eq. (4.2) {name}"), characteristic::distance(0.2796, sign));
    }
    put("double modes", of(&systems.free, &double_modes));
    put("inverse by blocks", identity::misfit(1e6, 1.0));
    put("inverse by blocks, scaled", identity::misfit(1e6, 1e3));
    put("power of c, unscaled", identity::power_of_c(|_| 1.0));
    put("power of c, k = c", identity::power_of_c(|c| c));
    put("linkage, unscaled with static pivoting, real parts", of(&systems.linkage, &real_parts));
    put("model 2, converged", super::solid::converged_error());
    answers
}

/// Largest |Re r| / |r| of the first Ritz values without scaling and with static pivoting.
fn real_parts(system: &System) -> Measured<f64> {
    let ritz = system.procedure(Scaling::Unscaled, STATIC, SHIFT)?;
    let first = ritz.iter().take(MODES);
    first.map(|r| r.re.abs() / r.norm()).max_by(f64::total_cmp).ok_or_else(|| "none converged".to_owned())
}

/// Largest difference of the two members of a bending mode, relative.
fn double_modes(system: &System) -> Measured<f64> {
    if system.modes.len() < MODES {
        return Err("fewer modes were found".to_owned());
    }
    let pairs = system.modes[..MODES].chunks(2);
    Ok(pairs.map(|p| (p[1].0 - p[0].0).abs() / p[0].0).fold(0.0, f64::max))
}
