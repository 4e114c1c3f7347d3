//! Inertia from factors in single precision: half of the time of a count, and what makes it as certain as one.
//!
//! The signs of D in P = L D L^T are those of P to the last one, however short the numbers of L and D are (Sylvester's law).
//! They are those of S as well when no matrix between P and S is singular. With F = I - P^-1 S, the matrix by which a step of
//! refinement multiplies an error,
//!
//! ```text
//! P + t (S - P) = P (I - t F),  0 <= t <= 1,   is singular for some t  exactly when F has a real eigenvalue >= 1
//! ```
//!
//! For such an eigenvalue and its left vector w, |F^k z| >= |w^T z| / |w|. Of a random z with independent entries, even in
//! -1..1, the right side is below d with a probability of at most sqrt(2) d, by the largest density such a sum has (Ball, Proc. AMS
//! 97, 1986). Eight such vectors that F^k all shrinks to |F^k z| <= 0.1 |z| / sqrt(N), with |z| near sqrt(N / 3),
//! leave 0.082^8, some 2e-9, for the chance that the signs differ. One to three steps do; where they do not, the count is
//! made in double precision. Sizes: S N x N, N = n + m; half of the memory of factors in double precision.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::refined_solve::{ScaledSolve, System};
use super::single_precision::SingleLdl;
use super::symmetric_storage::Half;
use super::tuning;
use super::{Inertia, SaddleAnalysis};

/// Operations of a factorization from which on short numbers are tried.
const WORTH: f64 = 1e8;
/// Length, relative to the first one and times sqrt(N), that they all must come down to.
const SMALL: f64 = 0.1;
/// Steps at most, and how much each must shrink the longest vector.
const STEPS: usize = 10;
const SHRINKS: f64 = 0.5;

/// The inertia of S where factors in single precision determine it; `a` is the A of `system`.
///
/// What fails once for an analysis is not tried again: other shifts of the same matrices would fail too.
pub(super) fn inertia(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<f64>,
    a: &Half<f64>,
) -> Option<Inertia> {
    let worth = analysis.symbolic.flops >= WORTH && !analysis.short_fails.load(Ordering::Relaxed);
    if !worth || analysis.check_memory(size_of::<f32>()).is_err() {
        return None;
    }
    let found = SingleLdl::new(analysis, system, a).ok().and_then(|factors| of_factors(system, &factors));
    if found.is_none() {
        analysis.short_fails.store(true, Ordering::Relaxed);
    }
    found
}

/// The inertia of S from factors made, where they determine it.
pub(super) fn of_factors(system: &System<f64>, factors: &SingleLdl) -> Option<Inertia> {
    let (positive, negative) = factors.signs();
    let m = system.constraints();
    let plausible = positive >= m && negative >= m && positive + negative == system.unknowns() + m;
    (plausible && shrinks(system, factors)).then_some(Inertia { positive, negative, zero: 0 })
}

/// Whether a few steps of refinement make random vectors as short as they must be.
fn shrinks(system: &System<f64>, solver: &dyn ScaledSolve<f64>) -> bool {
    let (n, m) = (system.unknowns(), system.constraints());
    let scale = || system.scaling.unknowns.iter().chain(&system.scaling.rows);
    // Vectors taken through the refinement.
    let mut z: Vec<f64> = (0..(n + m) * tuning::WIDTH).map(random).collect();
    let first = lengths(&z);
    let enough = SMALL / ((n + m) as f64).sqrt();
    let mut before = 1.0;
    let (mut unscaled, mut b) = (z.clone(), z.clone());
    for _ in 0..STEPS {
        for ((row, z), s) in
            unscaled.chunks_exact_mut(tuning::WIDTH).zip(z.chunks_exact(tuning::WIDTH)).zip(scale())
        {
            row.iter_mut().zip(z).for_each(|(x, z)| *x = z * s);
        }
        b.fill(0.0);
        let ((x, l), (f, g)) = (unscaled.split_at(n * tuning::WIDTH), b.split_at_mut(n * tuning::WIDTH));
        system.subtract(x, l, f, g, tuning::WIDTH, false);
        for (row, s) in b.chunks_exact_mut(tuning::WIDTH).zip(scale()) {
            for b in row {
                *b *= s;
            }
        }
        if !solver.solve(system, &mut b, tuning::WIDTH, false) {
            return false;
        }
        z.iter_mut().zip(&b).for_each(|(z, b)| *z += b);
        let longest = lengths(&z).iter().zip(&first).map(|(now, first)| now / first).fold(0.0, f64::max);
        if longest <= enough {
            return true;
        }
        // A length that is no number is no shorter either.
        if longest.is_nan() || longest > SHRINKS * before {
            return false;
        }
        before = longest;
    }
    false
}

/// Lengths of the vectors kept row by row.
fn lengths(z: &[f64]) -> [f64; tuning::WIDTH] {
    let mut squares = [0.0_f64; tuning::WIDTH];
    for row in z.chunks_exact(tuning::WIDTH) {
        squares.iter_mut().zip(row).for_each(|(sum, z)| *sum += z * z);
    }
    // NaN would be lost in a maximum.
    squares.map(|square| if square.is_finite() { square.sqrt() } else { f64::INFINITY })
}

/// Number `i` of a sequence spread evenly over -1..1 (Steele, Lea, Flood, OOPSLA 2014).
fn random(i: usize) -> f64 {
    let mut x = (i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use super::{inertia, random};
    use crate::refined_solve::System;
    use crate::symmetric_storage::{Half, Stored};
    use crate::{Inertia, SaddleAnalysis, SaddleOptions, samples};

    /// w = 4 (sin^2 + sin^2 + sin^2) below the shift: free ends along two axes, one end held along the third.
    fn exact(side: usize, shift: f64) -> usize {
        let pi = std::f64::consts::PI;
        let free = |k: usize| 4.0 * (0.5 * pi * k as f64 / side as f64).sin().powi(2);
        let held = |k: usize| 4.0 * (0.5 * pi * (k as f64 + 0.5) / (side as f64 - 0.5)).sin().powi(2);
        let mut count = 0;
        for i in 0..side - 1 {
            for (j, k) in (0..side).flat_map(|j| (0..side).map(move |k| (j, k))) {
                count += usize::from(held(i) + free(j) + free(k) < shift);
            }
        }
        count
    }

    fn counted(side: usize, shift: f64) -> (Option<Inertia>, bool) {
        let (a, g) = samples::cube(side, -shift);
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        assert!(analysis.symbolic.flops >= super::WORTH, "{:e}", analysis.symbolic.flops);
        let half = Half::of_sum(a.cols(), &[(1.0, &a)], &analysis.symbolic.place, |f, x| f * x);
        let system = System::new(Stored::Half(half), g, &analysis.g_cols, &analysis.g_rows);
        let Stored::Half(half) = &system.a else { unreachable!("as made") };
        let found = inertia(&analysis, &system, half);
        (found, analysis.short_fails.load(Ordering::Relaxed))
    }

    #[test]
    fn short_numbers_count_as_the_formula_does() {
        let side = 20;
        for shift in [0.02, 0.5, 3.1] {
            let (found, failed) = counted(side, shift);
            let (n, m) = (side * side * side, side * side);
            let negative = exact(side, shift) + m;
            assert_eq!(found, Some(Inertia { positive: n + m - negative, negative, zero: 0 }));
            assert!(!failed);
        }
    }

    #[test]
    fn a_shift_too_near_to_an_eigenvalue_is_left_to_double_precision() {
        let side = 20;
        let pi = std::f64::consts::PI;
        let w = 4.0 * (0.25 * pi / (side as f64 - 0.5)).sin().powi(2);
        // The distance is a fraction of what single precision makes of numbers of size one.
        assert_eq!(counted(side, w * (1.0 + 1e-9)), (None, true));
    }

    #[test]
    fn random_numbers_are_spread_evenly() {
        let numbers: Vec<f64> = (0..10_000).map(random).collect();
        let mean = numbers.iter().sum::<f64>() / 1e4;
        let square = numbers.iter().map(|x| x * x).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.02, "{mean} {square}");
        assert!(numbers.iter().all(|x| x.abs() <= 1.0));
    }
}
