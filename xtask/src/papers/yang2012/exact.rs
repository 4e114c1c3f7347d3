//! Frequencies to more digits than printed, against values computed separately.
//!
//! Paper: [yang2012] Secs. 4.1, 4.2.
//!
//! [yang2012]: mb_eigen::direct

use mb_gallery::models::BeamCantilever;
use mb_gallery::{Computed, Table};

use super::system::{MODES, Measured, System, Systems, with_exact_stretch};
use crate::answers::Answers;

/// Frequencies of the continuum, the cantilever and the linkage.
pub(super) fn answers(table: &Table, systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    let [_, linkage] = with_exact_stretch(0.0);
    let [free, _] = with_exact_stretch(0.0);
    let [tense, _] = with_exact_stretch(1e10);
    let continuum = |tension| BeamCantilever { tension, ..BeamCantilever::default() }.continuum_hz(MODES / 2);
    let (still, pulled) = (continuum(0.0), continuum(1e10));
    for row in &table.rows {
        let mut parts = row.label.split(',').filter_map(|p| p.split_once('=').map(|(_, v)| v));
        let (Some(system), Some(mode)) = (parts.next(), parts.next().and_then(|m| m.parse::<usize>().ok()))
        else {
            continue;
        };
        let of =
            |s: &Measured<System>, mode: usize| s.as_ref().map_err(Clone::clone).and_then(|s| s.hz(mode));
        let root = |list: &[f64]| list.get(mode - 1).copied().ok_or_else(|| "no such eigenvalue".to_owned());
        // Of the cantilever's pairs the first counts.
        let value = match system {
            "continuum" => root(&still),
            "continuum under tension" => root(&pulled),
            "cantilever" => of(&free, 2 * (mode - 1)),
            "cantilever under tension" => of(&tense, 2 * (mode - 1)),
            "cantilever under tension and Green-Lagrange stretch" => of(&systems.tense, 2 * (mode - 1)),
            "linkage" => of(&linkage, mode - 1),
            _ => continue,
        };
        answers.put(&row.label, "frequency", value.map(Computed::Real));
    }
    answers
}
