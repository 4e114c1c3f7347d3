//! Lowest modes proved complete by random vectors and the factors that found them ([`super::random_vectors`]).
//!
//! A count by inertia takes factors of its own. Where they are dear compared with solutions, as those of large solids are, and the gap
//! behind the modes is not too narrow, a dozen solutions more with the same factors show the same.

use mb_algebra::Sparse;

use super::random_vectors::{Claim, none_missing};
use crate::finding::{Completeness, Proof, Region};
use crate::problem::modes::Modes;
use crate::search::hermitian::Symmetric;
use crate::search::mixed_precision::Allowed;
use crate::tuning;

/// Operations for each entry of the factors that eight solutions take.
const OPERATIONS: f64 = 32.0;

impl Symmetric<'_> {
    /// Whether random vectors show that no mode is missing up to a point beyond the first `count`, which is reported
    /// then. `beyond`: about where the mode after the known ones is, as far as that is known. The shift must lie below
    /// all modes.
    pub(crate) fn witnessed(
        &mut self,
        allowed: &Allowed<'_>,
        sigma: f64,
        modes: &Modes,
        count: usize,
        beyond: Option<f64>,
    ) -> bool {
        let problem = self.problem;
        // Behind the modes asked for, or behind the next one, where the wider gap is.
        let ends = [(count, modes.w.get(count).copied()), (count + 1, beyond)];
        let gap = |from: f64, to: f64| (to - from) / (from - sigma);
        let ends = ends.into_iter().filter(|(end, _)| *end > 0 && *end <= modes.w.len());
        let ends = ends.filter_map(|(end, next)| Some((end, modes.w[end - 1], next?)));
        let Some((end, last, next)) = ends.max_by(|a, b| gap(a.1, a.2).total_cmp(&gap(b.1, b.2))) else {
            return false;
        };
        // Time of an operation of a solution with its products of matrices and vectors, in those of a factorization.
        let cost = tuning::TWICE * OPERATIONS * problem.factor_entries() as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let most = (problem.factor_operations() / cost) as usize;
        let mass: Vec<f64> =
            (0..problem.n).map(|i| problem.m.sparse().get(i, i).copied().unwrap_or(0.0)).collect();
        // Where the claim ends between the last mode and the next one.
        let to = last + tuning::CLEAR * (next - last);
        let claim = Claim {
            sigma,
            modes: modes.x.as_ref().subcols(0, end),
            below: to,
            next,
            mass: &mass,
            spread: spread(problem.m.sparse(), &mass),
        };
        let Some(chance) = none_missing(allowed, &claim, most).filter(|_| allowed.definite()) else {
            return false;
        };
        let by = Proof::RandomVectors { chance };
        let region = Region::Interval { from: sigma, to };
        self.findings.push(Completeness { region, found: end, counted: end, by }.into());
        true
    }
}

/// c with M <= c D: the largest row of D^-1 |M|.
fn spread(m: &Sparse, mass: &[f64]) -> f64 {
    let rows = m.outer_iterator().zip(mass);
    rows.map(|(line, d)| line.data().iter().map(|v| v.abs()).sum::<f64>() / d).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, sparse};

    use super::{Allowed, Claim, none_missing, spread};
    use crate::options::SparseOptions;
    use crate::problem::Problem;
    use crate::request::Request;
    use crate::sparse::solve;

    /// A lattice of masses with springs, one end held by multipliers, masses shared with neighbours along the first axis.
    fn lattice([nx, ny, nz]: [usize; 3]) -> QuadraticPencil<Sparse> {
        let n = nx * ny * nz;
        let (mut m, mut k) = (Triplets::new(n, n), Triplets::new(n, n));
        for i in 0..n {
            m.add(i, i, 0.1);
            let place = [(i % nx, nx, 1, 1.0), (i / nx % ny, ny, nx, 1.7), (i / (nx * ny), nz, nx * ny, 2.3)];
            for (axis, (at, size, step, stiff)) in place.into_iter().enumerate() {
                if at + 1 < size {
                    let j = i + step;
                    for (p, q, v) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                        k.add(p, q, stiff * v);
                        if axis == 0 {
                            m.add(p, q, 0.3 * f64::abs(v));
                        }
                    }
                }
            }
        }
        let mut phi_q = Triplets::new(ny * nz, n);
        (0..ny * nz).for_each(|r| phi_q.add(r, r * nx, 1.0 + r as f64));
        QuadraticPencil {
            m: m.to_sparse(),
            c: sparse::zeros(n, n),
            k: k.to_sparse(),
            phi_q: phi_q.to_sparse(),
        }
    }

    #[test]
    fn modes_of_a_lattice_are_shown_to_be_all_and_no_less() {
        let pencil = lattice([12, 7, 6]);
        let options = SparseOptions::default();
        let found = solve(&pencil, &Request::Lowest { count: 16 }, &options).unwrap();
        let upper: Vec<_> = found.motion().filter(|pair| pair.alpha.im >= 0.0).collect();
        let w: Vec<f64> = upper.iter().map(|pair| pair.value().unwrap().im.powi(2)).collect();
        let problem = Problem::new(&pencil, &options).unwrap();
        let sigma = -1e-3 * w[0];
        let solver = problem.factor_short(-sigma).unwrap();
        let allowed = Allowed::new(&problem, &solver).unwrap();
        assert!(allowed.definite());
        let mass: Vec<f64> = (0..problem.n).map(|i| *pencil.m.get(i, i).unwrap()).collect();
        let c = spread(&pencil.m, &mass);
        assert!(c > 1.5 && c < 2.1, "{c}");
        let column = |i: usize| -> Vec<f64> {
            let x = upper[i].right.real().unwrap();
            let mx = problem.m.mul(&Dense::from_fn(x.len(), 1, |i, _| x[i]));
            let mass: f64 = x.iter().zip(mx.col_as_slice(0)).map(|(x, mx)| x * mx).sum();
            x.iter().map(|x| x / mass.sqrt()).collect()
        };
        let mut shown = 0;
        for end in 8..15 {
            let below = w[end - 1] + 0.1 * (w[end] - w[end - 1]);
            let claimed = |left_out: Option<usize>| {
                let kept: Vec<Vec<f64>> = (0..end).filter(|i| Some(*i) != left_out).map(column).collect();
                let modes = Dense::from_fn(problem.n, kept.len(), |i, j| kept[j][i]);
                let claim =
                    Claim { sigma, modes: modes.as_ref(), below, next: w[end], mass: &mass, spread: c };
                none_missing(&allowed, &claim, 60).is_some()
            };
            assert!((0..end).all(|i| !claimed(Some(i))), "{end}");
            shown += usize::from(claimed(None));
        }
        // The others have too narrow a gap.
        assert!(shown >= 4, "{shown}");
    }
}
