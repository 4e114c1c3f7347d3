//! How a periodic motion closes: one period later, whole turns further, and of what rolls somewhere else.

use crate::arc::Frame;
use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::geometry::difference;
use crate::group::Displacement;
use crate::orbit::Search;
use crate::symmetry::Symmetries;
use mb_algebra::{Dense, RankTolerance, Svd, dense, norms};
use mb_model::{BlockKind, Model};
use std::f64::consts::TAU;

impl Search<'_, '_> {
    /// [`close`] of the last part.
    pub(crate) fn close(
        &mut self,
        frame: &Frame,
        end: &State,
    ) -> Result<(Frame, Vec<f64>, Dense), PeriodicError> {
        let begin = shifted(self.model, &self.nodes[0], &self.turns, self.period);
        close(&self.stepper.dynamics, self.symmetries.as_ref(), &mut self.displacement, (frame, &begin), end)
    }
}

/// Moves the displacement so that the end misses the first state, so moved, by nothing ignorable: the frame there, what is
/// missed still, and an orthonormal basis of the ignorable directions. `begin`: the first state a period later, with its frame.
pub(crate) fn close(
    dynamics: &Dynamics<'_>,
    symmetries: Option<&Symmetries>,
    displacement: &mut Displacement,
    begin: (&Frame, &State),
    end: &State,
) -> Result<(Frame, Vec<f64>, Dense), PeriodicError> {
    let (model, (frame, begin)) = (dynamics.model, begin);
    let Some(symmetries) = symmetries.filter(|s| s.count() > 0) else {
        let gap = frame.gap(dynamics, end, &displacement.moved(model, begin));
        return Ok((frame.clone(), gap, Dense::zeros(frame.size(), 0)));
    };
    let mut last = f64::INFINITY;
    loop {
        let turned = frame.turned(model, displacement);
        let closing = displacement.moved(model, begin);
        let gap = turned.gap(dynamics, end, &closing);
        let svd = Svd::new(&symmetries.directions(model, &turned, &closing))?;
        let c = svd.min_norm_solve(&gap, RankTolerance::default());
        let size = norms::max_abs_vec(&c);
        if size <= 1e-13 || size.is_nan() || size > 0.9 * last {
            let basis = svd.range(RankTolerance::default());
            return Ok((turned, without(&basis, &gap), basis));
        }
        last = size;
        displacement.then(model, &symmetries.small(model, &c));
    }
}

/// A vector less its part in the span of orthonormal columns.
pub(crate) fn without(basis: &Dense, x: &[f64]) -> Vec<f64> {
    let along = dense::matvec(basis, &dense::matvec_transpose(basis, x));
    x.iter().zip(along).map(|(x, a)| x - a).collect()
}

/// The whole turns that angles made from one state to another, by velocity index.
pub(crate) fn whole_turns(model: &Model, end: &State, start: &State) -> Vec<i32> {
    let d = difference(model, &end.q, &start.q);
    let mut out = vec![0; model.nv()];
    for b in model.coordinates().blocks() {
        if matches!(b.kind, BlockKind::PlanarPose | BlockKind::Angle) {
            for i in (0..b.kind.nv()).filter(|i| b.kind.turns(*i)) {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "whole turns of a motion that was integrated"
                )]
                let turns = (d[b.v + i] / TAU).round() as i32;
                out[b.v + i] = turns;
            }
        }
    }
    out
}

/// A matrix of one frame in another one of nearly the same state.
pub(crate) fn in_frame(a: &Dense, from: &Frame, to: &Frame) -> Dense {
    let (d, size) = (from.dof(), from.size());
    let turn = dense::mul_transpose(&to.r, &from.r);
    let velocities = dense::mul_transpose(&to.velocities, &from.velocities);
    let whole = Dense::from_fn(size, size, |i, j| match (i < d, j < d) {
        (true, true) => turn[(i, j)],
        (false, false) => velocities[(i - d, j - d)],
        _ => 0.0,
    });
    dense::mul(&dense::mul(&whole, a), &dense::transpose(&whole))
}

/// A state one period later, turned by whole turns.
pub(crate) fn shifted(model: &Model, state: &State, turns: &[i32], period: f64) -> State {
    let mut out = state.clone();
    for b in model.coordinates().blocks().iter().filter(|b| b.kind.is_linear()) {
        for i in 0..b.kind.nv() {
            out.q[b.q + i] += TAU * f64::from(turns[b.v + i]);
        }
    }
    out.t += period;
    out
}
