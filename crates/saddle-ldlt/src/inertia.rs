//! Inertia without factors: as many operations as a factorization, a fraction of its memory.
//!
//! Factors in single precision are asked first ([`super::inertia_single`]). Where they do not do, double precision decides: a Sturm
//! count needs the signs of D only, so each panel of L is forgotten as soon as its front is done. What a trial solution
//! shows of a whole factorization, the two ways to one number show here: for known vectors z and b = S z,
//!
//! ```text
//! z^T S z = z^T b = y^T D^-1 y,   L y = b
//! ```
//!
//! where y takes the forward substitution only. The difference, relative to |z|^T |S| |z|, is a lower bound of the
//! backward error of the factors; vectors of equal and of mixed signs look at it from two sides.

use std::sync::Arc;

use super::assembly::Source;
use super::ldl::refused;
use super::methods::near_singular;
use super::number::Number;
use super::numeric::Numeric;
use super::numeric_lu::NumericLu;
use super::pivots::Summary;
use super::refined_solve::System;
use super::symbolic::Symbolic;
use super::symmetric_storage::{Half, Stored};
use super::{Inertia, Method, SaddleAnalysis, delayed, inertia_single};
use mb_algebra::{AlgebraError, Sparse};

/// Vectors tried.
const TRIALS: usize = 2;

/// The inertia where this quick way finds it; `a` and `g` fit the analysis and are finite.
pub(super) fn quick(analysis: &Arc<SaddleAnalysis>, a: Half<f64>, g: Sparse) -> Option<Inertia> {
    quick_of(analysis, &System::new(Stored::Half(a), g, &analysis.g_cols, &analysis.g_rows))
}

/// The inertia, by delayed pivots where the quick way does not find it.
pub(super) fn full(analysis: &Arc<SaddleAnalysis>, a: Half<f64>, g: Sparse) -> Result<Inertia, AlgebraError> {
    let system = System::new(Stored::Half(a), g, &analysis.g_cols, &analysis.g_rows);
    let quick = analysis.options.first_method == Method::AugmentedLdl;
    if let Some(found) = quick.then(|| quick_of(analysis, &system)).flatten() {
        return Ok(found);
    }
    let numeric = with_delayed_pivots(analysis, &system)?;
    let found = &numeric.pivots.summary;
    let (negative, zero) = (found.negative, found.null.len() + found.singular.len());
    Ok(Inertia { positive: found.positive - negative, negative, zero })
}

/// D and L of S by delayed pivots.
fn with_delayed_pivots<T: Number>(
    analysis: &SaddleAnalysis,
    system: &System<T>,
) -> Result<Numeric<T>, AlgebraError> {
    let Stored::Half(a) = &system.a else { unreachable!("of symmetric matrices") };
    analysis.check_memory(size_of::<T>())?;
    // Delayed pivots need no g G^T G, which would mix rows of different magnitudes.
    let dropped = vec![false; system.constraints()];
    let source = Source { weight: 0.0, ..Source::of(analysis, &system.scaling, &dropped) };
    let made = delayed::factor(analysis, a, &source, analysis.options.threshold);
    let made = made.map_err(|stop| refused(stop, system.unknowns() + system.constraints()))?;
    Ok(made.numeric)
}

fn quick_of(analysis: &Arc<SaddleAnalysis>, system: &System<f64>) -> Option<Inertia> {
    let (n, m) = (system.unknowns(), system.constraints());
    if let Stored::Half(a) = &system.a
        && let Some(found) = inertia_single::inertia(analysis, system, a)
    {
        return Some(found);
    }
    certain(&eliminated(analysis, system)?.pivots.summary, n, m)
}

/// ln |det S| + i arg det S up to multiples of 2 pi i, the real part alone of real matrices, where this quick way finds it: that of D,
/// for symmetric permutations change nothing, and neither does g G^T G, a multiple of the rows of G; the logarithms of the real scales
/// are taken back. An odd number of exchanges in LU turns it by half a circle. Of symmetric matrices delayed pivots have it where the quick
/// way loses a pivot.
pub(super) fn ln_determinant<T: Number>(analysis: &SaddleAnalysis, a: Stored<T>, g: Sparse) -> Option<T> {
    let mut sum = T::default();
    let (odd, scales) = determinant(analysis, a, g, |d| sum -= d.logarithm())?;
    let unscaled = sum - T::from_real(2.0 * scales);
    Some(if odd { unscaled + T::HALF_TURN } else { unscaled })
}

/// Calls with determinants whose product is 1 / det of the scaled S; whether exchanges change its sign, and the sum of the
/// logarithms of the scales.
fn determinant<T: Number>(
    analysis: &SaddleAnalysis,
    a: Stored<T>,
    g: Sparse,
    mut call: impl FnMut(T),
) -> Option<(bool, f64)> {
    let system = System::new(a, g, &analysis.g_cols, &analysis.g_rows);
    let scales = system.scaling.unknowns.iter().chain(&system.scaling.rows).map(|s| s.ln()).sum();
    if !matches!(system.a, Stored::Half(_)) {
        let numeric = eliminated_lu(analysis, &system)?;
        let (inverse, odd) = numeric.determinant();
        for d in inverse {
            call(*d);
        }
        return Some((odd, scales));
    }
    let is_regular = |numeric: &Numeric<T>| {
        numeric.pivots.summary.null.is_empty() && numeric.pivots.summary.singular.is_empty()
    };
    let quick = eliminated(analysis, &system).filter(is_regular);
    let delayed = || with_delayed_pivots(analysis, &system).ok().filter(is_regular);
    let numeric = quick.or_else(delayed)?;
    let mut pairs = numeric.pivots.pairs.iter().peekable();
    let mut k = 0;
    while k < numeric.pivots.inverse.len() {
        let mut own = numeric.pivots.inverse[k];
        k += 1;
        if let Some(&(_, e)) = pairs.next_if(|(at, _)| *at as usize + 1 == k) {
            own = own * numeric.pivots.inverse[k] - e * e;
            k += 1;
        }
        call(own);
    }
    Some((false, scales))
}

/// L, D and W of a matrix of any kind without L and W, where both substitutions agree with D.
fn eliminated_lu<T: Number>(analysis: &SaddleAnalysis, system: &System<T>) -> Option<NumericLu<T>> {
    let dropped = vec![false; system.constraints()];
    let source = Source::of(analysis, &system.scaling, &dropped);
    // z^T S z by the matrix and as (W^-1 S^T z)^T D^-1 (L^-1 P S z).
    let z: Vec<T> = (0..system.unknowns() + system.constraints()).flat_map(known).collect();
    let symbolic = &analysis.symbolic;
    let mut work = [T::default(); TRIALS];
    let [mut right, mut left] = [false, true].map(|transposed| {
        let b = right_hand_sides(analysis, system, &z, transposed);
        if !transposed {
            add_forms(&mut work, 1.0, &z, &b);
        }
        in_order(symbolic, &b)
    });
    let (lower, upper) = system.a.halves();
    let parts = [right.as_mut_slice(), left.as_mut_slice()];
    let numeric = NumericLu::without_factors(symbolic, [lower, upper], &source, parts, TRIALS).ok()?;
    numeric.divide(&mut right, TRIALS);
    add_forms(&mut work, -1.0, &left, &right);
    let odd = &numeric.summary;
    let regular = odd.weak.is_empty() && odd.singular.is_empty();
    (regular && are_small(&work, analysis, system)).then_some(numeric)
}

/// Scaled solutions with entries between 1 and 2.
fn known<T: Number>(i: usize) -> [T; TRIALS] {
    let size = 1.0 + (i % 7) as f64 / 8.0;
    let sign = if (i.wrapping_mul(0x9e37_79b9) >> 7).is_multiple_of(2) { 1.0 } else { -1.0 };
    [T::from_real(size), T::from_real(sign * size)]
}

/// Adds the forms y^T z times a sign.
fn add_forms<T: Number>(sums: &mut [T; TRIALS], sign: f64, y: &[T], z: &[T]) {
    for (y, z) in y.chunks_exact(TRIALS).zip(z.chunks_exact(TRIALS)) {
        (0..TRIALS).for_each(|k| sums[k] += (y[k] * z[k]).scaled(sign));
    }
}

/// Whether differences of forms are rounding.
fn are_small<T: Number>(differences: &[T], analysis: &SaddleAnalysis, system: &System<T>) -> bool {
    let size = system.sum_of_magnitudes();
    differences.iter().all(|difference| difference.size() <= analysis.options.tolerance * size)
}

/// Right-hand sides in the order of elimination.
fn in_order<T: Number>(symbolic: &Symbolic, b: &[T]) -> Vec<T> {
    let mut out: Vec<T> = Vec::with_capacity(b.len());
    for &u in &symbolic.order {
        out.extend_from_slice(&b[u as usize * TRIALS..(u as usize + 1) * TRIALS]);
    }
    out
}

/// D of S, where the forward substitution agrees with it.
fn eliminated<T: Number>(analysis: &SaddleAnalysis, system: &System<T>) -> Option<Numeric<T>> {
    let (n, m) = (system.unknowns(), system.constraints());
    let dropped = vec![false; m];
    let Stored::Half(a) = &system.a else { return None };
    let source = Source::of(analysis, &system.scaling, &dropped);
    // Scaled solutions, and the right-hand sides of the augmented system.
    let z: Vec<T> = (0..n + m).flat_map(known).collect();
    let b = right_hand_sides(analysis, system, &z, false);
    let mut work = [T::default(); TRIALS];
    add_forms(&mut work, 1.0, &z, &b);
    let symbolic = &analysis.symbolic;
    let mut y = in_order(symbolic, &b);
    drop((z, b));
    // A memory or a pattern at fault shows again, with its name, in a whole factorization.
    let Ok(numeric) = Numeric::without_factors(symbolic, a, &source, &mut y, TRIALS) else { return None };
    let mut divided = y.clone();
    numeric.divide(&mut divided, TRIALS);
    add_forms(&mut work, -1.0, &y, &divided);
    are_small(&work, analysis, system).then_some(numeric)
}

/// The inertia of A + g G^T G with G, of pivots that are all beyond doubt.
fn certain(summary: &Summary, n: usize, m: usize) -> Option<Inertia> {
    let doubtful = summary.doubtful.iter().any(|(u, _)| *u as usize >= n);
    if !summary.null.is_empty() || doubtful || near_singular(summary, n).next().is_some() {
        return None;
    }
    let inertia =
        Inertia { positive: summary.positive - summary.negative, negative: summary.negative, zero: 0 };
    (inertia.positive >= m && inertia.negative >= m).then_some(inertia)
}

/// S z with A + g G^T G in place of A, all scaled; A^T in place of A when `transposed`.
fn right_hand_sides<T: Number>(
    analysis: &SaddleAnalysis,
    system: &System<T>,
    z: &[T],
    transposed: bool,
) -> Vec<T> {
    let (n, s) = (system.unknowns(), &system.scaling);
    let mut unscaled = z.to_vec();
    for (row, scale) in unscaled.chunks_exact_mut(TRIALS).zip(s.unknowns.iter().chain(&s.rows)) {
        for x in row {
            *x = x.scaled(*scale);
        }
    }
    let mut b = vec![T::default(); z.len()];
    let (x, l) = unscaled.split_at(n * TRIALS);
    let (f, g) = b.split_at_mut(n * TRIALS);
    system.subtract(x, l, f, g, TRIALS, transposed);
    for (row, scale) in b.chunks_exact_mut(TRIALS).zip(s.unknowns.iter().chain(&s.rows)) {
        for x in row {
            *x = x.scaled(-scale);
        }
    }
    super::ldl::augment(analysis, system, &mut b, TRIALS, |_| false);
    b
}
