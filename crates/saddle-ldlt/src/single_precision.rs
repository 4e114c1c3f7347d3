//! The augmented L D L^T in single precision: half of the memory, for matrices whose factors would not fit otherwise.
//!
//! ```text
//! x <- x + (L D L^T)^-1 (b - S x),   L, D in single precision, all else in double
//! ```
//!
//! The residual shrinks by |S| |S^-1| 6e-8 and the growth of the factors in each step (Carson and Higham, SIAM J. Sci. Comput.
//! 40, 2018), so that blocks of a cubic shape take four to six steps and slender ones, of conditions beyond 1e7, do not converge:
//! the trial shows that, and the factorization is refused. Right-hand sides are brought to size one, for the range of numbers is
//! short too. Signs of D are not trusted, hence no inertia; dependent rows of G are refused, because finding them takes
//! double precision.

use std::sync::Arc;

use super::assembly::Source;
use super::block_passes::by_width;
use super::kernel::padded;
use super::numeric::Numeric;
use super::refined_solve::{ScaledSolve, System};
use super::symmetric_storage::Half;
use super::tuning;
use super::{SaddleAnalysis, SaddleError};
use mb_algebra::AlgebraError;

/// Steps of refinement allowed.
pub(super) const REFINEMENTS: usize = 12;

/// Factors of S [A + g G^T G, G^T; G, 0] S.
#[derive(Debug)]
pub(super) struct SingleLdl {
    analysis: Arc<SaddleAnalysis>,
    pub(super) numeric: Numeric<f32>,
}

impl SingleLdl {
    /// `a` is the A of `system`.
    pub(super) fn new(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<f64>,
        a: &Half<f64>,
    ) -> Result<Self, AlgebraError> {
        #[expect(clippy::cast_possible_truncation, reason = "that is the point")]
        let rounded = a.scaled_to(&system.scaling.unknowns, |value| value as f32);
        let mut scaling = system.scaling.clone();
        // A is scaled already; so are the entries of G.
        scaling.unknowns.fill(1.0);
        let dropped = vec![false; system.constraints()];
        let source = Source::of(analysis, &scaling, &dropped);
        let size = system.unknowns() + system.constraints();
        let made = Numeric::new(analysis, &rounded, &source);
        let numeric = made.map_err(|stop| super::ldl::refused(stop, size))?;
        match numeric.pivots.summary.null.first() {
            Some(&row) => Err(SaddleError::LostPivot { row: row as usize }.into()),
            None => Ok(Self { analysis: Arc::clone(analysis), numeric }),
        }
    }
}

impl SingleLdl {
    /// X = S_n (L D L^T)^-1 S_n F in the rows of the unknowns, with zeros for the others: columns of F and X, at most [`tuning::WIDTH`],
    /// each of the length of `scale`, the diagonal of S_n. They are scaled and rounded on their way into the order of
    /// elimination, which reads and writes each of them once.
    pub(super) fn rough(&self, scale: &[f64], f: &[&[f64]], x: &mut [&mut [f64]]) {
        by_width!(f.len(), w => self.rough_columns(scale, f, x, w));
    }

    #[inline(always)]
    fn rough_columns(&self, scale: &[f64], f: &[&[f64]], x: &mut [&mut [f64]], width: usize) {
        let symbolic = &self.analysis.symbolic;
        let (n, lanes) = (scale.len(), padded(width));
        let mut sizes = [0.0_f64; tuning::WIDTH];
        for (size, f) in sizes.iter_mut().zip(f) {
            *size = f.iter().zip(scale).fold(0.0, |size, (f, s)| size.max((f * s).abs()));
        }
        let mut ordered = vec![0.0_f32; symbolic.order.len() * lanes];
        for i in 0..n {
            let row = &mut ordered[symbolic.place[i] as usize * lanes..][..width];
            for k in 0..width {
                #[expect(clippy::cast_possible_truncation, reason = "that is the point")]
                let small = if sizes[k] > 0.0 { (f[k][i] * scale[i] / sizes[k]) as f32 } else { 0.0 };
                row[k] = small;
            }
        }
        let mut front = vec![0.0_f32; symbolic.max_rows * lanes];
        self.numeric.substitute(symbolic, &mut ordered, &mut front, lanes);
        for i in 0..n {
            let row = &ordered[symbolic.place[i] as usize * lanes..][..width];
            for k in 0..width {
                x[k][i] = f64::from(row[k]) * sizes[k] * scale[i];
            }
        }
    }

    /// Positive and negative eigenvalues of L D L^T.
    pub(super) fn signs(&self) -> (usize, usize) {
        let found = &self.numeric.pivots.summary;
        (found.positive - found.negative, found.negative)
    }
}

impl ScaledSolve<f64> for SingleLdl {
    fn solve(&self, system: &System<f64>, b: &mut [f64], width: usize, _transposed: bool) -> bool {
        let analysis = &*self.analysis;
        let symbolic = &analysis.symbolic;
        super::ldl::augment(analysis, system, b, width, |_| false);
        let mut sizes = vec![0.0_f64; width];
        for row in b.chunks_exact(width) {
            sizes.iter_mut().zip(row).for_each(|(size, b)| *size = size.max(b.abs()));
        }
        let mut ordered: Vec<f32> = Vec::new();
        let mut front = vec![0.0_f32; symbolic.max_rows * tuning::WIDTH];
        let mut from = 0;
        while from < width {
            let part = tuning::WIDTH.min(width - from);
            let lanes = padded(part);
            ordered.clear();
            ordered.resize(symbolic.order.len() * lanes, 0.0);
            let sizes = &sizes[from..from + part];
            for (row, &u) in ordered.chunks_exact_mut(lanes).zip(&symbolic.order) {
                let at = u as usize * width + from;
                for ((to, b), size) in row.iter_mut().zip(&b[at..at + part]).zip(sizes) {
                    #[expect(clippy::cast_possible_truncation, reason = "that is the point")]
                    let small = if *size > 0.0 { (b / size) as f32 } else { 0.0 };
                    *to = small;
                }
            }
            self.numeric.substitute(symbolic, &mut ordered, &mut front, lanes);
            for (row, &u) in ordered.chunks_exact(lanes).zip(&symbolic.order) {
                let at = u as usize * width + from;
                for ((b, x), size) in b[at..at + part].iter_mut().zip(row).zip(sizes) {
                    *b = f64::from(*x) * size;
                }
            }
            from += part;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Method, SaddleAnalysis, SaddleError, SaddleFactor, SaddleOptions, samples};
    use mb_algebra::AlgebraError;

    #[test]
    fn where_memory_is_short_factors_in_single_precision_give_double_accuracy() {
        for stiffness in [1.0, 1e20, 1e-20] {
            let (a, g) = samples::plate(30, stiffness, 1e-3 * stiffness);
            let whole = SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap();
            let needed = whole.estimate().bytes;
            let limited = |bytes: u64| {
                let options = SaddleOptions { memory_limit: Some(bytes), ..SaddleOptions::default() };
                SaddleFactor::new(&Arc::new(SaddleAnalysis::new(&a, &g, &options).unwrap()), &a, &g)
            };
            let double = SaddleFactor::new(&Arc::new(whole), &a, &g).unwrap();
            let single = limited(needed * 3 / 4).unwrap();
            assert_eq!(single.report().method, Method::SingleLdl);
            assert!(single.inertia().is_none());
            assert!(matches!(
                single.report().failed[..],
                [(Method::AugmentedLdl, AlgebraError::Saddle(SaddleError::OutOfMemory { .. }))]
            ));
            let f: Vec<f64> = (0..900).map(|i| f64::from(i % 11) - 4.0).collect();
            let g_side: Vec<f64> = (0..30).map(|i| f64::from(i % 3) / stiffness).collect();
            let (x, l) = double.solve(&f, &g_side).unwrap();
            let (y, m) = single.solve(&f, &g_side).unwrap();
            let size = mb_algebra::norms::two(&x);
            let apart = x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            assert!(apart < 1e-11 * size, "{:e}", apart / size);
            let apart = l.iter().zip(&m).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            assert!(apart < 1e-11 * mb_algebra::norms::two(&l), "{apart:e}");
            // Too little for that as well.
            let refused = limited(needed / 4).unwrap_err();
            assert!(matches!(refused, AlgebraError::Saddle(SaddleError::OutOfMemory { .. })), "{refused}");
        }
    }
}
