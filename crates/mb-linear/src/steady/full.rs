//! The proof that a motion is steady on all coordinates, by sparse matrices, in time linear in the elements.
//!
//! With E = exp(S t) the following hold at times t of the orbit, for the model's own derivatives of the residual:
//!
//! ```text
//! E^T M(t) E = M(0),   E^T C(t) E = C(0),   E^T K(t) E = K(0),   Phi_q(t) E = a combination of rows of Phi_q(0)
//! ```
//!
//! S is constant and commutes with E, and angular velocities are carried by E too, so that C~, K~ and all terms of the frame
//! are then the same. This is more than constant matrices on the admissible displacements ask for (`orbit`); where it does
//! not hold, those decide, in models that dense matrices can hold. The elements one by one (`elements`) have to be the same as well, each
//! within its own size.

use super::elements::Elements;
use super::generator::Generator;
use super::rows::{Group, carried, groups};
use super::scale::{self, Scale};
use super::tiles::{Tiled, Tiling};
use super::{Deviation, STEADY, Unsteady, body_of};
use crate::error::LinearError;
use mb_algebra::{Sparse, norms};
use mb_model::system::LinearizedBlocks;
use mb_model::{Model, Point};

/// What the checks along an orbit compare with.
pub(super) struct FullOrbit<'a> {
    pub(super) model: &'a Model,
    pub(super) point: &'a Point,
    pub(super) scale: &'a Scale,
    phases: u32,
    blocks: LinearizedBlocks,
    rows: Vec<Group>,
    /// Coordinates that no constraint row holds.
    free: Vec<bool>,
    forces: f64,
}

/// Why the linearization is not constant on all coordinates in a frame.
pub(super) struct Refused {
    pub(super) why: Unsteady,
    /// Whether it is not constant on the admissible displacements either: the velocities are not carried, constraints break, or what changes
    /// lies in coordinates that no constraint row holds, by more than another basis could hide.
    pub(super) certain: bool,
}

impl<'a> FullOrbit<'a> {
    pub(super) fn new(
        model: &'a Model,
        point: &'a Point,
        blocks: LinearizedBlocks,
        scale: &'a Scale,
        phases: u32,
        forces: f64,
    ) -> Result<Self, LinearError> {
        let phi_q = blocks.phi_q.to_csr();
        let rows = groups(model, &phi_q)?;
        let mut free = vec![true; model.nv()];
        phi_q.indices().iter().for_each(|column| free[*column] = false);
        Ok(Self { model, point, scale, phases, blocks, rows, free, forces })
    }
    /// The deviation along the orbit of `s`.
    ///
    /// # Errors
    /// The first equation that does not hold, or body whose equations are not the same.
    pub(super) fn check(&self, s: &Generator) -> Result<Result<Deviation, Refused>, LinearError> {
        let refused = |why, certain| Ok(Err(Refused { why, certain }));
        // What changes on a basis is a mean of changes of coordinates.
        let decisive = STEADY * self.model.nv() as f64;
        if let Err(why) = super::carried_by(self.model, self.point, self.scale, s) {
            return refused(why, true);
        }
        let tiling = Tiling::new(s);
        let own = |b: &LinearizedBlocks| [b.m.clone(), b.c.clone(), b.k.clone()];
        let first = own(&self.blocks).map(|x| tiling.tiled(&x, None));
        let mut largest: [Tiled; 3] =
            std::array::from_fn(|k| tiling.tiled(&mb_algebra::sparse::zeros(0, 0), Some(&first[k])));
        let (mut relative, mut points) = (0.0_f64, 0);
        for time in scale::times(self.scale, s, self.phases) {
            let mut there = s.along(self.point, time);
            let rotations = s.tile_rotations(time);
            if let Err(why) = super::constraints_hold(self.model, &there, self.scale.speed, time) {
                return refused(why, true);
            }
            if self.model.nc() > 0 {
                let phi_q: Sparse = self.model.phi_q(&there.q, there.t).to_sparse().to_csr();
                let found = carried(&self.rows, &tiling, &phi_q, &rotations, &self.point.lambda, STEADY)?;
                match found {
                    Ok(lambda) => there.lambda = lambda,
                    Err((row, share)) => {
                        return refused(Unsteady::breaks(self.model.row_name(row), share, time), false);
                    }
                }
            }
            let residual = self.model.residual(&there);
            let worst = norms::max_abs_vec(&residual);
            if worst.is_nan() || worst > STEADY * self.forces {
                let i = mb_constraints::largest(&residual).map_or(0, |(i, _)| i);
                let share = worst / self.forces;
                let certain = self.free[i] && share > decisive;
                return refused(Unsteady::changes(body_of(self.model, i), share, time), certain);
            }
            let blocks = self.model.blocks(&there);
            for (order, x) in [&blocks.m, &blocks.c, &blocks.k].into_iter().enumerate() {
                let mut x = tiling.tiled(x, Some(&first[order]));
                Tiling::turned(&mut x, &rotations);
                let unit = self.scale.unit(order);
                let (i, share) =
                    tiling.compare(&first[order], &x, unit, &self.scale.full, &mut largest[order]);
                if share.is_nan() || share > STEADY {
                    let of_free = |i: usize| if self.free[i] { self.scale.full[i] } else { f64::INFINITY };
                    let sizes: Vec<f64> = (0..self.free.len()).map(of_free).collect();
                    let (_, free) = tiling.compare(&first[order], &x, unit, &sizes, &mut largest[order]);
                    let why = Unsteady::changes(body_of(self.model, i), share, time);
                    return refused(why, free > decisive);
                }
                relative = relative.max(share);
            }
            points += 1;
        }
        if self.phases >= scale::PHASES
            && let Some(uneven) = Elements::along(self.model, self.point, self.scale, s).on_all()
        {
            let certain = self.free[uneven.coordinate] && uneven.share > decisive;
            return refused(uneven.refusal(self.model), certain);
        }
        let unseen = self.scale.unseen();
        let changes = largest.map(|x| tiling.sparse(&x).map(|v| unseen * v));
        Ok(Ok(Deviation::full(changes, unseen * relative, points)))
    }
}
