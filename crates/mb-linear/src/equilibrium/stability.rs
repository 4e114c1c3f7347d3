//! Static stability: the sign of the stiffness along the admissible motions.
//!
//! ```text
//! K_r = R^T K R,   Phi_q R = 0
//! ```
//!
//! For forces with a potential an equilibrium is stable when K_r is positive definite; the
//! number of negative eigenvalues is the number of unstable directions. A small eigenvalue, such as that of a column just
//! below its buckling load, has a sign as long as it is clear of what rounding in K makes of it; only what is not counts as
//! a direction without stiffness.
//!
//! Large models are counted by the inertia of saddle-point factors instead: with columns of R of
//! length one, K_r has as many eigenvalues below c as [K - c I, Phi_q^T; Phi_q, 0] has negative ones
//! beyond its r by the constraints (Gould, Math. Prog. 32, 1985). Where K_r is regular beyond rounding one factorization with
//! c = 0 gives all signs, however far its stiffnesses lie apart.

use super::Equilibrium;
use crate::error::LinearError;
use crate::free_directions::{FreeAmong, FreeDirections, unheld_directions};
use mb_algebra::{
    AlgebraError, Dense, RankTolerance, Sparse, SymmetricEigen, dense, norms, sparse, to_dense,
};
use mb_constraints::{NullSpace, NullSpaceMethod, independent_rows};
use mb_model::Model;
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// Up to this many coordinates and rows in all K_r is formed as a dense matrix where its signs are not clear of rounding otherwise.
pub(super) const DENSE_UP_TO: usize = 1000;
/// Up to this many the dense matrix comes first: some ten million operations.
const SPARSE_FROM: usize = 120;

/// A stiffness below this share of the largest entry of K is checked more closely; of a large model it is zero.
const ZERO: f64 = 1e-10;

/// Shares of the largest entry of K below which a diagonal entry is not scaled up further.
const EVENED: f64 = 1e-4;

/// Rounding in an entry of K, relative to the largest of its row: that of the sums which the entry was made of, with room to spare.
const ENTRY: f64 = 1e2 * f64::EPSILON;

/// The closer check of zeros of a large model, relative to [`ZERO`].
const CLOSER_LOOK: f64 = 1e-4;

/// Steps of inverse iteration for the least stiffness; a factor of two does no harm.
const INVERSE_STEPS: usize = 4;

/// Asymmetry of K that is more than rounding and the rest of an equilibrium, relative to its largest entry; where forces are those of a potential.
const ASYMMETRY: f64 = 1e-9;

/// The same of an entry relative to the largest of its row and column, where loads follow bodies: thousands of roundings of a sum.
const ASYMMETRY_OF_ENTRY: f64 = 1e-12;

/// Stability of an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// K_r is positive definite.
    Stable,
    /// K_r has `directions` negative eigenvalues.
    Unstable {
        /// Number of unstable directions.
        directions: usize,
    },
    /// K_r has zero eigenvalues and no negative ones: a free motion, or a higher-order case.
    Neutral {
        /// Number of directions without stiffness.
        directions: usize,
    },
    /// K is not symmetric (follower loads), so its sign does not decide; the eigenvalues of
    /// the linearized system do. Also where K depends on which multipliers are taken, and where the factors of a large model leave the signs uncertain.
    Undecided,
}

impl std::fmt::Display for Stability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stable => f.write_str("stable"),
            Self::Unstable { directions: 1 } => f.write_str("unstable in 1 direction"),
            Self::Unstable { directions } => write!(f, "unstable in {directions} directions"),
            Self::Neutral { directions: 1 } => f.write_str("neutral in 1 direction"),
            Self::Neutral { directions } => write!(f, "neutral in {directions} directions"),
            Self::Undecided => {
                f.write_str("undecided by stiffness (loads without a potential, a singular configuration, or signs lost in rounding)")
            }
        }
    }
}

/// Decides whether an equilibrium is stable, from the reduced stiffness or, for large models, from inertias.
///
/// # Errors
/// Entries that are not finite; memory.
pub fn stability(model: &Model, equilibrium: &Equilibrium) -> Result<Stability, LinearError> {
    // Without loads no direction loses energy, and what the entries of K hide the geometry may show.
    let known = FreeDirections::at_rest(model, equilibrium.point()).and_then(|free| free.all());
    let Some(FreeAmong { most, exact, .. }) = known else { return by_stiffness(model, equilibrium) };
    if exact || most == 0 {
        return Ok(of_counts(0, most));
    }
    Ok(match by_stiffness(model, equilibrium)? {
        Stability::Unstable { directions } | Stability::Neutral { directions } => {
            of_counts(0, most.min(directions))
        }
        found @ (Stability::Stable | Stability::Undecided) => found,
    })
}

/// The same from the entries of K.
fn by_stiffness(model: &Model, equilibrium: &Equilibrium) -> Result<Stability, LinearError> {
    let (k, phi_q) = model.static_blocks(equilibrium.point());
    // Directions Z that no entry of K meets are counted by themselves. K has its other signs where Z^T x = 0, too.
    let unheld = unheld_directions(&k, &phi_q).filter(|z| z.cols() > 0);
    let free = unheld.as_ref().map_or(0, Sparse::cols);
    let phi_q = match unheld.map(|z| sparse::transpose(&z)) {
        Some(z) => {
            sparse::blocks(&[&[Some(&phi_q)], &[Some(&z)]], &[phi_q.rows(), z.rows()], &[phi_q.cols()])
        }
        None => phi_q,
    };
    let signs = signs(&k, &phi_q, model.has_follower_forces(), |i| model.coordinate_name(i))?;
    Ok(signs.map_or(Stability::Undecided, |[negative, zero]| of_counts(negative, zero + free)))
}

/// Numbers of directions with negative and without stiffness on the null space of Phi_q; none where K (n x n) is not symmetric, or where
/// the factors of a large model leave signs uncertain. `follows`: whether loads follow bodies, so that K is symmetric only if its entries are
/// but for their rounding; `name` names coordinates in errors.
pub(crate) fn signs(
    k: &Sparse,
    phi_q: &Sparse,
    follows: bool,
    name: impl Fn(usize) -> String,
) -> Result<Option<[usize; 2]>, LinearError> {
    if phi_q.rows() > k.rows() {
        let independent = sparse::select_rows(phi_q, &independent_rows(phi_q)?);
        return signs(k, &independent, follows, name);
    }
    let size = k.rows() + phi_q.rows();
    if size > SPARSE_FROM {
        let symmetric = sparse::is_symmetric(k, ASYMMETRY).is_ok() && !(follows && is_skewed(k, None));
        let k = sparse::add(0.5, k, 0.5, &sparse::transpose(k));
        if symmetric && let Some(negative) = regular_signs(&k, phi_q)? {
            return Ok(Some([negative, 0]));
        }
        if size > DENSE_UP_TO {
            return if symmetric { by_shifts(&k, phi_q) } else { Ok(None) };
        }
    }
    let Some(Reduced { k, largest, units, basis, eigen }) = reduced(k, phi_q, follows, name)? else {
        return Ok(None);
    };
    let cut = ZERO * norms::max_abs(&k);
    let (mut negative, mut zero) = (0, 0);
    for (i, value) in eigen.values.iter().enumerate() {
        let sign = if value.abs() > cut {
            value.signum()
        } else {
            let x = dense::matvec(&basis, eigen.vectors.col_as_slice(i));
            sign_of(&k, &x, &units, largest)
        };
        negative += usize::from(sign < 0.0);
        zero += usize::from(sign == 0.0);
    }
    Ok(Some([negative, zero]))
}

/// K_r in even units.
pub(super) struct Reduced {
    /// D K D.
    k: Dense,
    /// The largest entry of K as it was.
    largest: f64,
    /// D.
    pub(super) units: Vec<f64>,
    /// R with Phi_q D R = 0.
    pub(super) basis: Dense,
    /// Of K_r = R^T D K D R, in increasing order.
    pub(super) eigen: SymmetricEigen,
}

/// The reduced stiffness with its eigenvalues; none when it is not symmetric.
pub(super) fn reduced(
    k: &Sparse,
    phi_q: &Sparse,
    follows: bool,
    name: impl Fn(usize) -> String,
) -> Result<Option<Reduced>, LinearError> {
    let given = to_dense(k);
    let units = even_units(&given);
    let (even, phi_q) = scaled(&given, &to_dense(phi_q), &units);
    let basis = NullSpace::new(&phi_q, &NullSpaceMethod::Qr, RankTolerance::default(), name)?.r;
    if follows && is_skewed(k, Some((&units, &basis))) {
        return Ok(None);
    }
    let k = even;
    let k_r = dense::mul_transpose(&basis, &dense::mul(&k, &basis));
    if dense::is_symmetric(&k_r, ASYMMETRY).is_err() {
        return Ok(None);
    }
    let eigen = SymmetricEigen::new(&dense::symmetric_part(&k_r))?;
    Ok(Some(Reduced { k, largest: norms::max_abs(&given), units, basis, eigen }))
}

/// Whether K - K^T is more than rounding of the entries of K, as it is or on the basis R of directions in units D:
///
/// ```text
/// |R^T D (K - K^T) D R|_ij > (|R|^T D E D |R|)_ij for some i, j,   E_kl = 1e-12 (largest of row k and column l) where K_kl or K_lk is an entry
/// ```
fn is_skewed(k: &Sparse, on: Option<(&[f64], &Dense)>) -> bool {
    let skew = sparse::add(1.0, k, -1.0, &sparse::transpose(k));
    let mut largest = vec![0.0_f64; k.rows()];
    for (v, (i, j)) in k {
        largest[i] = largest[i].max(v.abs());
        largest[j] = largest[j].max(v.abs());
    }
    let rounding = |i: usize, j: usize| ASYMMETRY_OF_ENTRY * largest[i].max(largest[j]);
    let Some((units, basis)) = on else {
        return skew.iter().any(|(v, (i, j))| v.abs() > rounding(i, j));
    };
    let (n, d) = (k.rows(), basis.ncols());
    let (mut of_skew, mut of_rounding) = (Dense::zeros(n, d), Dense::zeros(n, d));
    for (v, (i, j)) in &skew {
        let both = units[i] * units[j];
        for l in 0..d {
            of_skew[(i, l)] += both * v * basis[(j, l)];
            of_rounding[(i, l)] += both * rounding(i, j) * basis[(j, l)].abs();
        }
    }
    let sizes = Dense::from_fn(n, d, |i, j| basis[(i, j)].abs());
    let (found, most) = (dense::mul_transpose(basis, &of_skew), dense::mul_transpose(&sizes, &of_rounding));
    (0..d).any(|j| (0..d).any(|i| found[(i, j)].abs() > most[(i, j)]))
}

/// The sign of x^T K x, zero where rounding may be what it is; K and x, of length one, in even units D, `largest` the largest entry of K as
/// it was.
///
/// ```text
/// |x^T K x| <= 100 u sqrt(sum_i (x_i^2 max_j |K_ij|)^2) + 8 u largest sqrt(sum_i (d_i x_i)^4) + 16 u max |x| sum_i |K x|_i + (8 u)^2 max |K|
/// ```
///
/// Entries are rounded each for itself, as the sums that they were made of, so that their parts add up as squares. Coordinates are rounded,
/// and stiff parts make forces of that which stand in the stiffness of soft ones. So is x, and what stands in the directions that the rows hold is of
/// second order.
fn sign_of(k: &Dense, x: &[f64], units: &[f64], largest: f64) -> f64 {
    let force = dense::matvec(k, x);
    let stiffness = dense::dot(x, &force);
    let mut rows = vec![0.0_f64; x.len()];
    for j in 0..k.ncols() {
        rows.iter_mut().zip(k.col_as_slice(j)).for_each(|(row, k)| *row = row.max(k.abs()));
    }
    let squares: f64 = x.iter().zip(&rows).map(|(x, row)| (x * x * row).powi(2)).sum();
    let fourth: f64 = x.iter().zip(units).map(|(x, d)| (x * d).powi(4)).sum();
    let of_x = norms::max_abs_vec(x) * force.iter().map(|f| f.abs()).sum::<f64>();
    let second = (8.0 * f64::EPSILON).powi(2) * norms::max_abs(k);
    let of_places = 8.0 * f64::EPSILON * largest * fourth.sqrt();
    let noise = ENTRY * squares.sqrt() + of_places + 16.0 * f64::EPSILON * of_x + second;
    if stiffness.abs() > noise { stiffness.signum() } else { 0.0 }
}

/// D of D K D and Phi_q D, from the diagonal of K: signs stay (Sylvester), and displacements weigh as much as rotations.
///
/// Without it the stiffness of a column near its buckling load, small against that of rotations measured in other units,
/// counts as zero too early. D keeps within [`EVENED`], so that rounding in a large entry is not blown up in a soft one.
fn even_units(k: &Dense) -> Vec<f64> {
    let largest = norms::max_abs(k);
    if largest == 0.0 {
        return vec![1.0; k.nrows()];
    }
    (0..k.nrows()).map(|i| (k[(i, i)].abs() / largest).max(EVENED).sqrt().recip()).collect()
}

fn scaled(k: &Dense, phi_q: &Dense, d: &[f64]) -> (Dense, Dense) {
    (
        Dense::from_fn(k.nrows(), k.ncols(), |i, j| d[i] * k[(i, j)] * d[j]),
        Dense::from_fn(phi_q.nrows(), phi_q.ncols(), |i, j| phi_q[(i, j)] * d[j]),
    )
}

fn of_counts(negative: usize, zero: usize) -> Stability {
    match (negative, zero) {
        (0, 0) => Stability::Stable,
        (0, directions) => Stability::Neutral { directions },
        (directions, _) => Stability::Unstable { directions },
    }
}

/// The same from the signs of saddle-point factors on both sides of zero, of a symmetric K.
fn by_shifts(k: &Sparse, phi_q: &Sparse) -> Result<Option<[usize; 2]>, LinearError> {
    let identity = sparse::identity(k.rows());
    let cut = ZERO * norms::max_abs(k);
    if cut == 0.0 {
        let rank = SaddleFactor::new(&analysis(&identity, phi_q)?, &identity, phi_q)?;
        let free = rank.inertia().map(|i| k.rows() + i.zero - phi_q.rows());
        return Ok(free.map(|free| [0, free]));
    }
    let pattern = analysis(&sparse::add(1.0, k, 1.0, &identity), phi_q)?;
    // Eigenvalues of K_r below c.
    let below = |c: f64| -> Result<Option<usize>, AlgebraError> {
        let shifted = sparse::add(1.0, k, -c, &identity);
        match SaddleFactor::new(&pattern, &shifted, phi_q) {
            Ok(factor) => Ok(factor.inertia().map(|i| (i.negative + i.zero).saturating_sub(phi_q.rows()))),
            Err(AlgebraError::Saddle(_) | AlgebraError::ZeroPivot { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    };
    let zeros = |cut: f64| -> Result<Option<(usize, usize)>, AlgebraError> {
        let (negative, up_to_zero) = (below(-cut)?, below(cut)?);
        Ok(negative.zip(up_to_zero).map(|(negative, up)| (negative, up.saturating_sub(negative))))
    };
    let Some((negative, zero)) = zeros(cut)? else { return Ok(None) };
    // Zeros stay what they are under a closer look; a slender structure only has stiffnesses many decades apart.
    let same = zero == 0 || zeros(CLOSER_LOOK * cut)? == Some((negative, zero));
    Ok(same.then_some([negative, zero]))
}

/// Negative directions of a regular K_r, from factors of K itself; none where its least stiffness is not clear of rounding.
///
/// Entries of K are rounded each for itself, so that what they do to a direction spread over n coordinates is
/// u |K| / sqrt n, far below u |K|. The least stiffness comes from steps of inverse iteration, as 1 / |K_r^-1|.
fn regular_signs(k: &Sparse, phi_q: &Sparse) -> Result<Option<usize>, LinearError> {
    let (n, largest) = (k.rows(), norms::max_abs(k));
    let made = SaddleFactor::new(&analysis(k, phi_q)?, k, phi_q);
    let factor = match made {
        Ok(factor) if factor.report().near_singular.is_empty() => factor,
        Ok(_) | Err(AlgebraError::Saddle(_) | AlgebraError::ZeroPivot { .. }) => return Ok(None),
        Err(other) => return Err(other.into()),
    };
    let Some(inertia) = factor.inertia() else { return Ok(None) };
    // No symmetry of a structure is one of these vectors.
    let mut x = Dense::from_fn(n, 2, |i, j| 1.0 + ((i * i * (7 + 6 * j) + 3 * i) % 11) as f64 / 7.0);
    let mut least = f64::INFINITY;
    for _ in 0..INVERSE_STEPS {
        for j in 0..2 {
            let by = norms::two(x.col_as_slice(j)).recip();
            x.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= by);
        }
        let Ok((next, _)) = factor.solve_block(&x) else { return Ok(None) };
        x = next;
        for j in 0..2 {
            least = least.min(norms::two(x.col_as_slice(j)).recip());
        }
    }
    let clear = 8.0 * f64::EPSILON * largest / (n as f64).sqrt();
    let negative = (inertia.negative + inertia.zero).checked_sub(phi_q.rows());
    Ok(negative.filter(|_| least > clear))
}

pub(super) fn analysis(a: &Sparse, phi_q: &Sparse) -> Result<Arc<SaddleAnalysis>, AlgebraError> {
    SaddleAnalysis::new(a, phi_q, &SaddleOptions::default()).map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::to_sparse;

    #[test]
    fn signs_of_a_constrained_stiffness_by_inertia() {
        // x_0 = x_1 leaves (1, 1, 0) / sqrt 2 and the third axis; the rows say so twice.
        let phi_q = to_sparse(&dense::from_rows(&[&[1.0, -1.0, 0.0], &[-2.0, 2.0, 0.0]]));
        let k = |a: f64, b: f64, c: f64| to_sparse(&dense::diagonal(&[a, b, c]));
        let found = |k: Sparse| {
            let regular = regular_signs(&k, &phi_q).expect("finite").map(|negative| of_counts(negative, 0));
            let [negative, zero] = by_shifts(&k, &phi_q).expect("finite").expect("certain");
            let shifted = of_counts(negative, zero);
            assert!(regular.is_none_or(|found| found == shifted), "{regular:?}, {shifted:?}");
            shifted
        };
        assert_eq!(found(k(1.0, 1.0, 2.0)), Stability::Stable);
        assert_eq!(found(k(1.0, -3.0, 2.0)), Stability::Unstable { directions: 1 });
        assert_eq!(found(k(1.0, -3.0, -2.0)), Stability::Unstable { directions: 2 });
        assert_eq!(found(k(1.0, -1.0, 2.0)), Stability::Neutral { directions: 1 });
        assert_eq!(found(to_sparse(&Dense::zeros(3, 3))), Stability::Neutral { directions: 2 });
    }
}
