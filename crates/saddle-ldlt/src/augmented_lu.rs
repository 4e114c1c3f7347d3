//! The augmented LU as a solver of the scaled system, for A of any kind.

use std::sync::Arc;

use super::SaddleAnalysis;
use super::assembly::Source;
use super::ldl::{augment, ordered, refused};
use super::number::Number;
use super::numeric_lu::NumericLu;
use super::refined_solve::{ScaledSolve, System};
use mb_algebra::AlgebraError;

/// Factors of S [A + g G^T G, G^T; G, 0] S without the rows of G in `dropped`.
#[derive(Clone, Debug)]
pub(super) struct AugmentedLu<T> {
    analysis: Arc<SaddleAnalysis>,
    dropped: Vec<bool>,
    pub(super) numeric: NumericLu<T>,
}

impl<T: Number> AugmentedLu<T> {
    pub(super) fn new(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<T>,
        dropped: &[bool],
    ) -> Result<Self, AlgebraError> {
        let source = Source::of(analysis, &system.scaling, dropped);
        let (lower, upper) = system.a.halves();
        let made = NumericLu::new(&analysis.symbolic, [lower, upper], &source);
        let numeric = made.map_err(|stop| refused(stop, system.unknowns() + system.constraints()))?;
        Ok(Self { analysis: Arc::clone(analysis), dropped: dropped.to_vec(), numeric })
    }
}

impl<T: Number> ScaledSolve<T> for AugmentedLu<T> {
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize, transposed: bool) -> bool {
        let analysis = &*self.analysis;
        augment(analysis, system, b, width, |r| self.dropped[r]);
        ordered(&analysis.symbolic.order, system, b, width, |x, lanes| {
            self.numeric.substitute(&analysis.symbolic, x, lanes, transposed);
        });
        let multipliers = b[system.unknowns() * width..].chunks_exact_mut(width);
        for (row, _) in multipliers.zip(&self.dropped).filter(|(_, dropped)| **dropped) {
            row.fill(T::default());
        }
        true
    }
}
