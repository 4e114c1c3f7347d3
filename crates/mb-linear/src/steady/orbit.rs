//! The proof that a motion is steady: it is the orbit of a generator, and its linearization is the same all along.
//!
//! At times t of the orbit in closed form, with Y = exp(S t) R, the following must be those of t = 0:
//!
//! ```text
//! M a + Phi_q^T lambda - f = 0,   Phi = Phi' = Phi'' = 0,   Phi_q Y = 0
//! G2 = Y^T M Y,   G1 = Y^T (C~ + 2 M S) Y,   G0 = Y^T (K~ + C~ S + M S^2) Y
//! ```
//!
//! Nothing here is a derivative by time: equations and matrices are evaluated at other points. Along the orbit they are
//! functions of angles that grow with the speeds of the motion and of the frame. A trigonometric polynomial with h harmonics
//! that differs from its value at zero has no more than 2 h zeros in a turn; sixteen phases of each speed, no two the
//! same (a point has a phase of every speed, see `scale`), leave none unseen up to half as many harmonics, and functions that are no polynomials have no reason to vanish at
//! irregular phases. Where no element has a function of place from outside ([`Model::has_functions_of_place`]), all that
//! turns are products of two rotations, of two harmonics, and analytic functions of them: five phases are enough, unless more than four
//! springs may stand in a ring, whose lower harmonics cancel. Given functions of time are judged by their form ([`Model::unsteady_laws`]).

use super::change::Change;
use super::elements::Elements;
use super::generator::Generator;
use super::scale::{self, Scale};
use super::{Deviation, STEADY, Unsteady, body_of};
use crate::error::LinearError;
use crate::point::Instant;
use crate::turning::Turning;
use mb_algebra::{Dense, dense, norms};
use mb_constraints::minimum_norm_multipliers;
use mb_model::{Model, Point};

/// Largest changes of the reduced blocks G2, G1 and G0, entry by entry (d x d each), relative to the diagonals, and over how
/// many points.
struct Changed {
    blocks: [Dense; 3],
    relative: f64,
    points: usize,
}

/// What the checks along an orbit compare with.
pub(super) struct Orbit<'a> {
    pub(super) model: &'a Model,
    pub(super) at: &'a Instant,
    pub(super) change: &'a Change,
    pub(super) r: &'a Dense,
    pub(super) scale: &'a Scale,
}

impl Orbit<'_> {
    /// The deviation along the orbit of `s`.
    ///
    /// # Errors
    /// The first equation that does not hold, or body whose equations are not the same.
    pub(super) fn check(&self, s: &Generator) -> Result<Result<Deviation, Unsteady>, LinearError> {
        let point = self.at.point();
        if let Err(unsteady) = super::carried_by(self.model, point, self.scale, s) {
            return Ok(Err(unsteady));
        }
        let start = reduced(&self.change.now, s, self.r);
        let none = || Dense::zeros(self.r.ncols(), self.r.ncols());
        let mut out = Changed { blocks: [none(), none(), none()], relative: 0.0, points: 0 };
        let forces = self.at.forces();
        for time in scale::times(self.scale, s, scale::PHASES) {
            let there = s.along(point, time);
            let there = match self.equations(there, time, forces)? {
                Ok(there) => there,
                Err(unsteady) => return Ok(Err(unsteady)),
            };
            let y = s.carried(time, self.r);
            let (blocks, phi_q) = blocks(self.model, &there);
            if let Err(unsteady) = self.displacements(&phi_q, &y, time) {
                return Ok(Err(unsteady));
            }
            let found = reduced(&blocks, s, &y);
            if let Some(unsteady) = self.compare(&start, &found, time, &mut out) {
                return Ok(Err(unsteady));
            }
            out.points += 1;
        }
        if let Some(unsteady) = self.elements(s) {
            return Ok(Err(unsteady));
        }
        let unseen = self.scale.unseen();
        let blocks = out.blocks.map(|x| dense::scale(unseen, &x));
        Ok(Ok(Deviation::reduced(self.r.clone(), blocks, unseen * out.relative, out.points)))
    }
    /// An element that changes within its own size, where constraints do not hide that: on coordinates that none of them holds, or on the basis.
    fn elements(&self, s: &Generator) -> Option<Unsteady> {
        let point = self.at.point();
        let elements = Elements::along(self.model, point, self.scale, s);
        let uneven = elements.on_all()?;
        let free = dense::column(&self.change.phi_q, uneven.coordinate).iter().all(|x| *x == 0.0);
        let found = if free { Some(uneven) } else { elements.on_basis(point, s, self.r) };
        found.map(|uneven| uneven.refusal(self.model))
    }
    /// The point with its multipliers, where equations of motion and constraints hold there.
    fn equations(
        &self,
        mut there: Point,
        time: f64,
        forces: f64,
    ) -> Result<Result<Point, Unsteady>, LinearError> {
        let model = self.model;
        there.lambda = vec![0.0; model.nc()];
        let free: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
        let phi_q = model.phi_q(&there.q, there.t).to_sparse();
        let (lambda, rest) = minimum_norm_multipliers(&phi_q, &free)?;
        there.lambda = lambda;
        if let Some((i, worst)) = mb_constraints::largest(&rest)
            && (worst.is_nan() || worst > STEADY * forces)
        {
            return Ok(Err(Unsteady::changes(body_of(model, i), worst / forces, time)));
        }
        if let Err(unsteady) = super::constraints_hold(model, &there, self.scale.speed, time) {
            return Ok(Err(unsteady));
        }
        Ok(Ok(there))
    }
    fn displacements(&self, phi_q: &Dense, y: &Dense, time: f64) -> Result<(), Unsteady> {
        let rows = dense::mul(phi_q, y);
        for i in 0..rows.nrows() {
            let size = norms::two(&dense::row(phi_q, i));
            let worst = norms::max_abs_vec(&dense::row(&rows, i));
            if worst.is_nan() || worst > STEADY * size {
                return Err(Unsteady::breaks(self.model.row_name(i), worst / size, time));
            }
        }
        Ok(())
    }
    fn compare(
        &self,
        start: &[Dense; 3],
        found: &[Dense; 3],
        time: f64,
        out: &mut Changed,
    ) -> Option<Unsteady> {
        let mut worst = (0, 0.0);
        for order in 0..3 {
            let unit = self.scale.unit(order);
            for j in 0..self.r.ncols() {
                for i in 0..self.r.ncols() {
                    let off = (found[order][(i, j)] - start[order][(i, j)]).abs();
                    let largest = &mut out.blocks[order][(i, j)];
                    *largest = largest.max(off);
                    let share = off * unit / (self.scale.reduced[i] * self.scale.reduced[j]);
                    // A NaN is taken too.
                    if share > worst.1 || share.is_nan() {
                        worst = (i, share);
                    }
                }
            }
        }
        out.relative = out.relative.max(worst.1);
        if worst.1 <= STEADY {
            return None;
        }
        let column = dense::column(self.r, worst.0);
        let i = mb_constraints::largest(&column).map_or(0, |(i, _)| i);
        Some(Unsteady::changes(body_of(self.model, i), worst.1, time))
    }
}

/// M, C~, K~ and Phi_q.
fn blocks(model: &Model, point: &Point) -> ([Dense; 3], Dense) {
    let mb_model::system::Blocks { m, mut c, mut k, phi_q } = model.dense_blocks(point);
    if let Some(turning) = Turning::new(model, point) {
        (c, k) = turning.applied(&m, c, k);
    }
    ([m, c, k], phi_q)
}

/// G2, G1, G0 on the columns of `y`.
pub(super) fn reduced([m, c, k]: &[Dense; 3], s: &Generator, y: &Dense) -> [Dense; 3] {
    let s = s.sparse();
    let times_s = |x: &Dense| dense::add_sparse_mul(Dense::zeros(x.nrows(), x.ncols()), 1.0, &s, x);
    let sy = times_s(y);
    let ssy = times_s(&sy);
    let my = dense::mul(m, y);
    let first = &dense::mul(c, y) + &dense::scale(2.0, &dense::mul(m, &sy));
    let none = &(&dense::mul(k, y) + &dense::mul(c, &sy)) + &dense::mul(m, &ssy);
    [my, first, none].map(|x| dense::mul_transpose(y, &x))
}
