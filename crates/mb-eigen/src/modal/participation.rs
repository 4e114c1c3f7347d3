//! Participation factors and effective modal masses.
//!
//! ```text
//! undamped, symmetric:  G = x^T M r / x^T M x,     m = (x^T M r)^2 / x^T M x
//! any other:            G = 2 s y^H M r,           m = 2 Re( s (r^T M x) (y^H M r) )        y^H (2 s M + C) x = 1
//! real eigenvalue:      half of either
//! double zero:          G = y^H M r / y^H M x,     m = (r^T M x) (y^H M r) / y^H M x
//! ```
//!
//! The general form is the contribution of an eigenvalue to M^-1: from the partial fractions of (s^2 M + s C + K)^-1
//! on the admissible motions, sum of s x y^H = M^-1 there (Lancaster, Lambda-Matrices and Vibrating Systems, section
//! 4.3, gives the sums). So the effective masses of all eigenvalues add up to the mass the constraints let move,
//!
//! ```text
//! r^T M P r,   P r = a,   [M Phi_q^T; Phi_q 0] (a, l) = (M r, 0)
//! ```
//!
//! whatever the damping; r^T M r where the direction itself is admissible. An m may be negative where vectors are
//! complex. Not reported (none) for defective eigenvalues. Sizes: r, x, y of length n.

use std::borrow::Cow;
use std::sync::Arc;

use mb_algebra::{AlgebraError, QuadraticPencil, Sparse, c64, norms, sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleError, SaddleFactor, SaddleOptions};

use crate::error::at;
use crate::numeric::vectors::{complex, conjugate, inner};
use crate::{Class, EigenError, Eigenpair, tuning};

/// A rigid motion of everything: what a unit of it moves the coordinates by.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// For reports.
    pub name: String,
    /// r, n.
    pub vector: Vec<f64>,
}

/// The mass behind a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionMass {
    /// Name given.
    pub name: String,
    /// r^T M r.
    pub total: f64,
    /// r^T M P r: what the constraints let move; the effective masses of all eigenvalues add up to it.
    pub constrained: f64,
}

/// What a mode has of every direction.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeParticipation {
    /// Index of its eigenpair.
    pub eigenpair: usize,
    /// G for the vector x of length one, by direction; none where the eigenvalue is defective.
    pub factor: Vec<Option<c64>>,
    /// m by direction, in the unit of r^T M r; none where the eigenvalue is defective.
    pub effective_mass: Vec<Option<f64>>,
}

/// Participation of all modes in all directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Participation {
    /// As given.
    pub directions: Vec<DirectionMass>,
    /// One for every mode.
    pub modes: Vec<ModeParticipation>,
}

impl Participation {
    /// Sum of the effective masses reported, by direction; compare with [`DirectionMass::constrained`] to see how much of it
    /// the modes found carry.
    pub fn sums(&self) -> Vec<f64> {
        (0..self.directions.len())
            .map(|d| self.modes.iter().filter_map(|mode| mode.effective_mass[d]).sum())
            .collect()
    }
}

/// Participation factors and effective masses of the modes among `pairs`.
///
/// `pencil`: M, C, K n x n, Phi_q m x n, whose eigenvalues the eigenpairs are. Eigenpairs without left vectors
/// ([`crate::sparse::SparseOptions::left_vectors`]) do where M and K are symmetric and C is zero. Errors: directions of wrong
/// length, left vectors that are needed and missing, a mass matrix that is indefinite beyond use, memory.
pub fn participation(
    pencil: &QuadraticPencil<Sparse>,
    pairs: &[Eigenpair],
    directions: &[Direction],
) -> Result<Participation, EigenError> {
    let n = pencil.m.rows();
    for direction in directions {
        if direction.vector.len() != n {
            let (name, length) = (direction.name.clone(), direction.vector.len());
            return Err(EigenError::DirectionLength { name, length, size: n });
        }
    }
    let momenta: Vec<Vec<f64>> =
        directions.iter().map(|direction| sparse::matvec(&pencil.m, &direction.vector)).collect();
    let moved = admissible(pencil, &momenta)?;
    let masses = directions.iter().zip(&momenta).zip(&moved);
    let masses = masses.map(|((direction, momentum), moved)| DirectionMass {
        name: direction.name.clone(),
        total: mb_algebra::dense::dot(&direction.vector, momentum),
        constrained: mb_algebra::dense::dot(moved, momentum),
    });
    // M may be unsymmetric: r^T M from the left.
    let transposed = sparse::transpose(&pencil.m);
    let from_left: Vec<Vec<c64>> =
        directions.iter().map(|direction| complex(&sparse::matvec(&transposed, &direction.vector))).collect();
    let from_right: Vec<Vec<c64>> = momenta.iter().map(|m| complex(m)).collect();
    let lefts = Lefts::new(pencil);
    let modes = super::modes(pairs)
        .into_iter()
        .map(|index| {
            let y = lefts.of(index, &pairs[index])?;
            let weights = Weights::of(pencil, &pairs[index], &y);
            let (mut factor, mut effective_mass) = (Vec::new(), Vec::new());
            for (left, right) in from_left.iter().zip(&from_right) {
                let excited = inner(&y, right);
                let carried = inner(left, &pairs[index].right);
                factor.push(weights.map(|w| w.factor * excited));
                effective_mass.push(weights.map(|w| (w.mass * carried * excited).re));
            }
            Ok(ModeParticipation { eigenpair: index, factor, effective_mass })
        })
        .collect::<Result<Vec<_>, EigenError>>()?;
    Ok(Participation { directions: masses.collect(), modes })
}

/// Where left vectors come from.
struct Lefts<'a> {
    pencil: &'a QuadraticPencil<Sparse>,
    /// Whether they are those of the right ones.
    mirrored: bool,
}

impl<'a> Lefts<'a> {
    fn new(pencil: &'a QuadraticPencil<Sparse>) -> Self {
        // Asymmetry that rounding of assembly leaves, relative to the largest entry.
        let symmetric = |a: &Sparse| sparse::is_symmetric(a, tuning::EPS_3_4).is_ok();
        let mirrored = norms::max_abs(&pencil.c) == 0.0 && symmetric(&pencil.m) && symmetric(&pencil.k);
        Self { pencil, mirrored }
    }

    /// y of an eigenpair; its own, or x* over 2 s x^T M x.
    fn of(&self, index: usize, pair: &'a Eigenpair) -> Result<Cow<'a, [c64]>, EigenError> {
        if !pair.left.is_empty() {
            return Ok(Cow::Borrowed(&pair.left));
        }
        if !self.mirrored {
            return Err(EigenError::NoLeftVector { pair: index });
        }
        let y = conjugate(&pair.right);
        let (Some(s), 1) = (pair.value(), pair.chain) else { return Ok(Cow::Owned(y)) };
        let slope = s * inner(&y, &sparse::matvec_complex(&self.pencil.m, &pair.right)) * 2.0;
        let by = slope.conj().inv();
        Ok(Cow::Owned(if by.is_finite() { y.iter().map(|y| y * by).collect() } else { y }))
    }
}

/// What y^H M r, and its product with r^T M x, are multiplied by.
#[derive(Clone, Copy)]
struct Weights {
    factor: c64,
    mass: c64,
}

impl Weights {
    fn of(pencil: &QuadraticPencil<Sparse>, pair: &Eigenpair, left: &[c64]) -> Option<Self> {
        let s = pair.value()?;
        if pair.class == Class::Rigid && pair.chain == 2 {
            let damping = norms::two_complex(&sparse::matvec_complex(&pencil.c, &pair.right));
            // C x relative to |C| |x| up to which a chain at zero counts as that of a free body.
            if damping > tuning::EPS_2_3 * norms::frobenius(&pencil.c) {
                return None;
            }
            let modal = inner(left, &sparse::matvec_complex(&pencil.m, &pair.right));
            let by = modal.inv();
            return by.is_finite().then_some(Self { factor: by, mass: by });
        }
        if !pair.condition.is_finite() {
            return None;
        }
        let times = if pair.alpha.im == 0.0 { 1.0 } else { 2.0 };
        Some(Self { factor: s * times, mass: s * times })
    }
}

/// P r for every M r: the admissible motion nearest to r in the mass norm.
fn admissible(pencil: &QuadraticPencil<Sparse>, momenta: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, EigenError> {
    if momenta.is_empty() {
        return Ok(Vec::new());
    }
    let step = at("Mass the constraints let move");
    let solve = |mass: &Sparse| -> Result<Vec<Vec<f64>>, AlgebraError> {
        let analysis = Arc::new(SaddleAnalysis::new(mass, &pencil.phi_q, &SaddleOptions::default())?);
        let factor = SaddleFactor::new(&analysis, mass, &pencil.phi_q)?;
        let zero = vec![0.0; pencil.phi_q.rows()];
        momenta.iter().map(|f| factor.solve(f, &zero).map(|(x, _)| x)).collect()
    };
    let failed = match solve(&pencil.m) {
        Ok(moved) => return Ok(moved),
        Err(error) => error,
    };
    if matches!(failed, AlgebraError::Saddle(SaddleError::OutOfMemory { .. })) {
        return Err(step(failed));
    }
    // Directions without mass take no part: any faint mass decides where they go.
    // Mass added on the diagonal, relative, where directions without mass make M singular.
    let faint = vec![tuning::SOLVE_ROUNDINGS * norms::max_abs(&pencil.m); pencil.m.rows()];
    solve(&sparse::add(1.0, &pencil.m, 1.0, &sparse::diagonal(&faint))).map_err(step)
}
