//! What cannot stand as printed, each by a number that proves it.
//!
//! Paper: [yang2012] Table 1, Table 4, Eqs. (3.9), (4.2).
//!
//! [yang2012]: mb_eigen::direct

use mb_gallery::Computed;
use mb_gallery::models::BeamCantilever;

use super::system::{Measured, System};
use super::{characteristic, identity};
use crate::answers::Answers;

/// Half a unit of the last printed place of the first frequency under tension, 0.2796 Hz, relative.
const HALF_A_UNIT: f64 = 0.000_05 / PRINTED;
/// The first frequency under tension, Hz.
const PRINTED: f64 = 0.2796;

/// The answers to the table.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let mut put = |place: &str, value: Measured<f64>| {
        answers.put(&format!("place={place}"), "value", value.map(Computed::Real));
    };
    put("Tables 1 and 4, Young's modulus", power_of_the_metre());
    put("Eq. (3.9), k = 1", identity::power_of_c(|_| 1.0));
    put("Eq. (3.9), k = c", identity::power_of_c(|c| c));
    put("Eq. (4.2), last sign", last_sign());
    put("Appendix, third form", identity::sign_in_elimination());
    answers
}

/// The sign of r1 cos(r2 l) with which the equation has the printed frequency as a root.
fn last_sign() -> Measured<f64> {
    let mut found = Vec::new();
    for sign in [1.0, -1.0] {
        if characteristic::distance(PRINTED, sign)? < HALF_A_UNIT {
            found.push(sign);
        }
    }
    match found.as_slice() {
        [sign] => Ok(*sign),
        _ => Err(format!("{} signs give the printed frequency", found.len())),
    }
}

/// The power p of the metre in N/m^p: with ten units of length to a metre, the modulus that keeps the first frequency.
fn power_of_the_metre() -> Measured<f64> {
    let per_metre = 10.0_f64;
    let metres = BeamCantilever::default();
    let first = |beam: &BeamCantilever| System::new("cantilever", 0.0, beam.spec())?.hz(0);
    let units = BeamCantilever {
        length: metres.length * per_metre,
        side: metres.side * per_metre,
        density: metres.density / per_metre.powi(3),
        ..metres
    };
    // The frequency goes with the root of the modulus. A newton is ten of its units too, which the unit N/m^p counts apart.
    let needed = (first(&metres)? / first(&units)?).powi(2);
    Ok(1.0 - needed.log10() / per_metre.log10())
}
