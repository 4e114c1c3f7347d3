//! Many eigenvalues at many points.

use super::EigenpairSeries;
use crate::ParametricError;
use mb_algebra::c64;
use rayon::prelude::*;

/// Points from which on they are shared out over the cores.
const PARALLEL_FROM: usize = 512;

/// The eigenvalues of all series at all points, `values[point][series]`, all terms summed. Series
/// over the same terms share the values of the monomials; many points are shared out over the cores
/// available, with the same answers as on one.
///
/// Errors: a point of another length than the number of parameters, or not finite.
pub fn eigenvalues_at<P: AsRef<[f64]> + Sync>(
    series: &[EigenpairSeries],
    points: &[P],
) -> Result<Vec<Vec<c64>>, ParametricError> {
    let shared = series.windows(2).all(|pair| pair[0].set.has_terms_of(&pair[1].set));
    let one = |monomials: &mut Vec<f64>, point: &P| {
        let mut out = Vec::with_capacity(series.len());
        for (number, mode) in series.iter().enumerate() {
            if number == 0 || !shared {
                mode.set.monomials_into(point.as_ref(), monomials)?;
            }
            out.push(mode.eigenvalue_from(monomials));
        }
        Ok(out)
    };
    if points.len() < PARALLEL_FROM {
        let mut monomials = Vec::new();
        return points.iter().map(|point| one(&mut monomials, point)).collect();
    }
    points.par_iter().map_init(Vec::new, one).collect()
}
