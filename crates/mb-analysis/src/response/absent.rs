//! Undamped poles of the system that the response does not have, and why: no input excites them, or no output sees them.

use mb_algebra::c64;
use mb_eigen::{Eigenpair, Spectrum};
use mb_response::Plant;

/// Work of the forces on a motion, or what an output reads of it, over the sum of its terms: what rounding leaves.
const NOTHING: f64 = 1e-9;
/// Relative distance of eigenvalues that are one pole.
const SAME: f64 = 1e-7;

/// An undamped pole that some responses do not have.
#[derive(Clone, Debug, PartialEq)]
pub struct AbsentPole {
    /// omega, rad/s.
    pub omega: f64,
    /// Inputs that do not excite its motion, by column.
    pub not_excited_by: Vec<usize>,
    /// Outputs that do not see its motion, by row.
    pub not_seen_in: Vec<usize>,
}

/// What is missing at each undamped pole where an entry is finite. `infinite`: the entries that are not, by pole, rad/s.
pub fn absent(
    plant: &Plant,
    spectrum: &Spectrum,
    infinite: &[(f64, Vec<(usize, usize)>)],
) -> Vec<AbsentPole> {
    let all = plant.inputs() * plant.outputs();
    let poles = infinite.iter().filter(|(_, entries)| entries.len() < all);
    poles.map(|(omega, entries)| of_pole(plant, spectrum, *omega, entries)).collect()
}

fn of_pole(plant: &Plant, spectrum: &Spectrum, omega: f64, infinite: &[(usize, usize)]) -> AbsentPole {
    let s = c64::new(0.0, omega);
    let at = |p: &&Eigenpair| {
        p.value().is_some_and(|v| (v - s).norm() <= SAME * omega) && p.right.len() == plant.n()
    };
    let pairs: Vec<&Eigenpair> = spectrum.motion().filter(at).collect();
    let nothing = |terms: &mut dyn Iterator<Item = c64>| {
        let (sum, size) = terms.fold((c64::new(0.0, 0.0), 0.0), |(sum, size), x| (sum + x, size + x.norm()));
        sum.norm() <= NOTHING * size
    };
    let idle = |pair: &Eigenpair, i: usize| {
        // Of conservative systems the left vector is the right one.
        let y: &[c64] = if pair.left.len() == plant.n() { &pair.left } else { &pair.right };
        nothing(&mut y.iter().enumerate().map(|(j, y)| y.conj() * plant.f[(j, i)]))
    };
    let unseen =
        |pair: &Eigenpair, o: usize| {
            nothing(
                &mut pair.right.iter().enumerate().map(|(j, x)| {
                    x * (plant.by_q[(o, j)] + s * plant.by_v[(o, j)] + s * s * plant.by_a[(o, j)])
                }),
            )
        };
    // An entry that is infinite has its pole, whatever the vectors say.
    let excited = |i: usize| infinite.iter().any(|at| at.1 == i);
    let seen = |o: usize| infinite.iter().any(|at| at.0 == o);
    let known = !pairs.is_empty();
    AbsentPole {
        omega,
        not_excited_by: (0..plant.inputs())
            .filter(|i| known && !excited(*i) && pairs.iter().all(|p| idle(p, *i)))
            .collect(),
        not_seen_in: (0..plant.outputs())
            .filter(|o| known && !seen(*o) && pairs.iter().all(|p| unseen(p, *o)))
            .collect(),
    }
}
