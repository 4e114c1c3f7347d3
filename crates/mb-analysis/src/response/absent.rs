//! Undamped poles of the system that the response does not have, and why: no input excites them, or no output sees them.

use mb_algebra::{DenseC, c64};
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
    /// Inputs that do not excite its motion, by column of the response.
    pub not_excited_by: Vec<usize>,
    /// Outputs that do not see its motion, by row.
    pub not_seen_in: Vec<usize>,
}

/// Entries of the response by their pole, rad/s.
type ByPole = Vec<(f64, Vec<(usize, usize)>)>;

/// What is missing at each undamped pole where an entry is finite. `infinite`: the entries that are not, by pole, rad/s.
pub(super) fn absent(
    plant: &Plant,
    spectrum: &Spectrum,
    infinite: &[(f64, Vec<(usize, usize)>)],
) -> Vec<AbsentPole> {
    let forces = DenseC::from_fn(plant.n(), plant.inputs(), |j, i| c64::new(plant.f[(j, i)], 0.0));
    of_columns(plant, &forces, spectrum, infinite)
}

/// The same for one sum of the inputs with `weights`. The entries that are infinite become those of the sum: it may leave a motion
/// alone that each input excites, as an unbalance does the backward whirl of a round shaft.
pub(super) fn absent_of_sum(
    plant: &Plant,
    weights: &[c64],
    spectrum: &Spectrum,
    infinite: &mut ByPole,
) -> Vec<AbsentPole> {
    let sum = |j: usize| weights.iter().enumerate().map(|(i, w)| w * plant.f[(j, i)]).sum::<c64>();
    let forces = DenseC::from_fn(plant.n(), 1, |j, _| sum(j));
    for (omega, entries) in infinite.iter_mut() {
        let pairs = pairs_at(plant, spectrum, *omega);
        if !pairs.is_empty() && pairs.iter().all(|pair| idle(plant, &forces, pair, 0)) {
            entries.clear();
        }
        for at in entries.iter_mut() {
            at.1 = 0;
        }
        entries.sort_unstable();
        entries.dedup();
    }
    of_columns(plant, &forces, spectrum, infinite)
}

fn of_columns(
    plant: &Plant,
    forces: &DenseC,
    spectrum: &Spectrum,
    infinite: &[(f64, Vec<(usize, usize)>)],
) -> Vec<AbsentPole> {
    let all = forces.shape().1 * plant.outputs();
    let poles = infinite.iter().filter(|(_, entries)| entries.len() < all);
    poles.map(|(omega, entries)| of_pole(plant, forces, spectrum, *omega, entries)).collect()
}

/// The eigenpairs that are one pole.
fn pairs_at<'a>(plant: &Plant, spectrum: &'a Spectrum, omega: f64) -> Vec<&'a Eigenpair> {
    let s = c64::new(0.0, omega);
    let at = |p: &&Eigenpair| {
        p.value().is_some_and(|v| (v - s).norm() <= SAME * omega) && p.right.len() == plant.n()
    };
    spectrum.motion().filter(at).collect()
}

/// Whether rounding is all that a sum of terms leaves.
fn nothing(terms: &mut dyn Iterator<Item = c64>) -> bool {
    let (sum, size) = terms.fold((c64::new(0.0, 0.0), 0.0), |(sum, size), x| (sum + x, size + x.norm()));
    sum.norm() <= NOTHING * size
}

/// Whether a column of forces does no work on a motion. Of conservative systems the left vector is the right one.
fn idle(plant: &Plant, forces: &DenseC, pair: &Eigenpair, i: usize) -> bool {
    let y: &[c64] = if pair.left.len() == plant.n() { &pair.left } else { &pair.right };
    nothing(&mut y.iter().enumerate().map(|(j, y)| y.conj() * forces[(j, i)]))
}

fn of_pole(
    plant: &Plant,
    forces: &DenseC,
    spectrum: &Spectrum,
    omega: f64,
    infinite: &[(usize, usize)],
) -> AbsentPole {
    let s = c64::new(0.0, omega);
    let pairs = pairs_at(plant, spectrum, omega);
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
        not_excited_by: (0..forces.shape().1)
            .filter(|i| known && !excited(*i) && pairs.iter().all(|p| idle(plant, forces, p, *i)))
            .collect(),
        not_seen_in: (0..plant.outputs())
            .filter(|o| known && !seen(*o) && pairs.iter().all(|p| unseen(p, *o)))
            .collect(),
    }
}
