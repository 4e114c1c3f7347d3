//! Signs of stiffnesses that rounding hides, from eigenvalues with error bounds.
//!
//! ```text
//! (s^2 D + K) x + Phi_q^T l = 0,   Phi_q x = 0,   D > 0 diagonal
//! ```
//!
//! K has as many negative, zero and positive directions as there are s^2 above, at and below zero (Sylvester), whatever D is. The
//! eigenvalues are those of K in its exact parts where these are known, so that their bounds hold for the model.

use crate::determined::dependent;
use mb_algebra::{QuadraticPencil, Scatter, Sparse, StiffnessParts, Triplets, norms, sparse};
use mb_eigen::sparse::{Request, SparseExpert, SparseFinding, SparseOptions, solve_in_parts};
use mb_eigen::{Class, Eigenpair, Finding, Spectrum};
use mb_linear::steady::free_at_rest;
use mb_linear::{
    Equilibrium, OperatingPoint, Stability, least_free_directions, linearize_sparse, most_free_directions,
    unheld_directions,
};
use mb_model::Model;

/// Asymmetry of K that is rounding and the rest of an equilibrium, relative to its largest entry.
const ASYMMETRY: f64 = 1e-9;
/// Entries of D are not below this share of the largest.
const LEAST: f64 = 1e-8;
/// Directions up to which eigenvalues are asked for: a search for more takes longer than the equilibrium.
const MOST: usize = 20;
/// Rounding in an entry of K that is known as one sum, relative to the largest of its row.
const ENTRY: f64 = 1e2 * f64::EPSILON;

/// The stability of an equilibrium under forces with a potential whose stability by the entries of K is `found`: undecided where K depends
/// on which multipliers are taken, and looked into where K leaves a sign open or finds a direction without stiffness which the geometry does
/// not show to be free.
pub(crate) fn judged(model: &Model, equilibrium: &Equilibrium, found: Stability) -> Stability {
    if !matches!(dependent(model, &OperatingPoint::from(equilibrium)), Ok(None)) {
        return Stability::Undecided;
    }
    let zeros = match found {
        Stability::Neutral { directions } if directions > MOST => return found,
        Stability::Neutral { directions } => directions,
        Stability::Undecided => 1,
        Stability::Stable | Stability::Unstable { .. } => return found,
    };
    let at = OperatingPoint::from(equilibrium);
    let neutral = found != Stability::Undecided;
    if model.has_velocity_rows()
        || model.has_follower_forces()
        || (neutral && least_free_directions(model, &at) >= zeros)
    {
        return found;
    }
    let lin = linearize_sparse(model, &at);
    if sparse::is_symmetric(&lin.k, ASYMMETRY).is_err() {
        return found;
    }
    let unheld = unheld_directions(&lin.k, &lin.phi_q).map_or(0, |z| z.cols());
    let shown = free_at_rest(model, at.point(), &lin.k, &lin.phi_q).ncols().max(unheld);
    if neutral && shown >= zeros {
        return found;
    }
    let k = symmetric(&lin.k);
    let parts = lin
        .k_parts
        .as_ref()
        .map(|parts| StiffnessParts { exact: parts.exact.clone(), rounded: symmetric(&parts.rounded) });
    let n = k.rows();
    let expert = SparseExpert {
        most_zeros: most_free_directions(model, &at),
        symmetry_tolerance: ASYMMETRY,
        ..SparseExpert::default()
    };
    let none = mb_algebra::sparse::zeros(n, n);
    let pencil = QuadraticPencil { m: weights(&k), c: none, k, phi_q: lin.phi_q };
    let request = Request::Lowest { count: zeros + 1 };
    match solve_in_parts(&pencil, parts.as_ref(), &request, &SparseOptions::from(expert)) {
        Ok(spectrum) => decided(&spectrum, parts.is_none().then_some(&pencil.k), shown, found),
        Err(_) => Stability::Undecided,
    }
}

fn symmetric(k: &Sparse) -> Sparse {
    sparse::add(0.5, k, 0.5, &sparse::transpose(k))
}

/// D: the diagonal of |K|, positive.
fn weights(k: &Sparse) -> Sparse {
    let n = k.rows();
    let diagonal: Vec<f64> = (0..n).map(|i| k.get(i, i).map_or(0.0, |v| v.abs())).collect();
    let largest = norms::max_abs_vec(&diagonal);
    let least = if largest > 0.0 { LEAST * largest } else { 1.0 };
    let mut out = Triplets::new(n, n);
    diagonal.iter().enumerate().for_each(|(i, d)| out.add(i, i, d.max(least)));
    out.to_sparse()
}

/// What the lowest eigenpairs say; `rounded`: K where only its rounded entries are known; `shown`: directions that are known to be free.
fn decided(spectrum: &Spectrum, rounded: Option<&Sparse>, shown: usize, found: Stability) -> Stability {
    let (mut negative, mut open) = (0, false);
    for pair in spectrum.of_class(Class::Physical) {
        let Some(s) = pair.value() else { continue };
        if pair.error_bound.is_nan()
            || s.norm() <= pair.error_bound
            || rounded.is_some_and(|k| is_lost(k, pair))
        {
            open = true;
        } else if s.re > s.im.abs() {
            negative += 1;
        }
    }
    let mut by_rounding = 0;
    for finding in &spectrum.findings {
        match finding {
            Finding::ZeroByRounding { directions, .. } => by_rounding += directions,
            Finding::Sparse { detail: SparseFinding::GrowingNotShown { counted, .. } } => {
                negative = negative.max(*counted);
            }
            _ => {}
        }
    }
    let chains = |pair: &Eigenpair| if pair.chain == 2 { 1 } else { 2 };
    let zero = spectrum.of_class(Class::Rigid).map(chains).sum::<usize>() / 2;
    open |= by_rounding > shown || spectrum.falls_short();
    match (negative, zero) {
        (1.., _) => Stability::Unstable { directions: negative },
        _ if open || found == Stability::Undecided => Stability::Undecided,
        (0, 0) => Stability::Stable,
        (0, directions) => Stability::Neutral { directions },
    }
}

/// Whether rounding of the entries of K may make the sign of x^T K x:
///
/// ```text
/// |x^T K x| <= 100 u sqrt(sum_i (x_i^2 max_j |K_ij|)^2)
/// ```
fn is_lost(k: &Sparse, pair: &Eigenpair) -> bool {
    let (mut form, mut squares) = (0.0, 0.0);
    for (i, row) in k.outer_iterator().enumerate() {
        let x = pair.right[i];
        let mut largest = 0.0_f64;
        for (j, v) in row.iter() {
            form += (x.conj() * pair.right[j]).re * v;
            largest = largest.max(v.abs());
        }
        squares += (x.norm_sqr() * largest).powi(2);
    }
    form.abs() <= ENTRY * squares.sqrt()
}
