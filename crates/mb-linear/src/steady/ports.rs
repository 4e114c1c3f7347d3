//! Inputs and outputs of a steady motion: constant in its frame, or refused by name.
//!
//! With x = exp(S t) y the input matrix acts as exp(S t)^T F(t), and the outputs read
//!
//! ```text
//! dy_out = Y_a E y'' + (Y_v E + 2 Y_a E S) y' + (Y_q E + Y_v E S + Y_a E S^2) y + Y_l dlambda,   E = exp(S t)
//! ```

use super::SteadyMotion;
use crate::descriptor::output_blocks;
use crate::error::LinearError;
use crate::linearize::inputs;
use mb_algebra::{Dense, Lu, dense, norms, sparse};
use mb_constraints::minimum_norm_multipliers;
use mb_model::{Model, Point};

/// Change of a row relative to its largest entry up to which it is constant, as for the equations.
const CONSTANT: f64 = 1e-7;

/// Reciprocal condition from which on rows are independent.
const INDEPENDENT: f64 = 1e-10;

/// Share of the largest entry of a matrix that is rounding of sums of a few dozen terms.
const ROUNDING: f64 = 1e-14;

/// What outputs that read `by_lambda` of the multipliers of rows P E read of those of the rows P_0,
///
/// ```text
/// P E = R P_0,   (P E)^T dl = P_0^T dl_0  with  dl = R^-T dl_0,   Y_l dl = (R^-1 Y_l^T)^T dl_0
/// ```
///
/// none where rows depend on each other, or are no combinations of those.
fn multipliers_back(rows: &Dense, moved: &Dense, by_lambda: &Dense) -> Option<Dense> {
    let size = norms::max_abs(rows);
    let gram = dense::mul(rows, &dense::transpose(rows));
    let lu = Lu::new(&gram).ok().filter(|lu| lu.rcond() > INDEPENDENT)?;
    // R^T = (P_0 P_0^T)^-1 P_0 (P E)^T.
    let r = dense::transpose(&lu.solve_mat(&dense::mul(rows, &dense::transpose(moved))));
    if norms::max_abs(&(&dense::mul(&r, rows) - moved)) > CONSTANT * size {
        return None;
    }
    let back = Lu::new(&r).ok().filter(|lu| lu.rcond() > INDEPENDENT)?;
    Some(dense::transpose(&back.solve_mat(&dense::transpose(by_lambda))))
}

impl SteadyMotion {
    /// Shows that these inputs and outputs, by index, have constant matrices in the frame of the motion.
    ///
    /// # Errors
    /// [`LinearError::NotConstant`] with the name of the first that has not.
    pub fn check_inputs_and_outputs(
        &self,
        model: &Model,
        inputs: &[usize],
        outputs: &[usize],
    ) -> Result<(), LinearError> {
        if inputs.is_empty() && outputs.is_empty() {
            return Ok(());
        }
        let fail = |what, name: &str| LinearError::NotConstant {
            what,
            name: name.to_owned(),
            frame: self.frame.to_string(),
        };
        let unit = dense::identity(model.nv());
        let (f, y) = self.ports(model, &self.point, &unit);
        let rows = model.phi_q(&self.point.q, self.point.t).to_dense();
        // Of two lists of numbers in the same place, and what is rounding there.
        let differ = |a: &[f64], b: &[f64], rounding: f64| {
            let change = a.iter().zip(b).fold(0.0_f64, |x, (a, b)| x.max((a - b).abs()));
            let size = norms::max_abs_vec(a).max(norms::max_abs_vec(b));
            change > CONSTANT * size && change > rounding
        };
        for time in &self.times {
            let mut there = self.generator.along(&self.point, *time);
            there.lambda = vec![0.0; model.nc()];
            let free: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
            let phi_q = model.phi_q(&there.q, there.t).to_sparse();
            there.lambda = minimum_norm_multipliers(&phi_q, &free)?.0;
            let carried = self.generator.carried(*time, &unit);
            let (f_there, y_there) = self.ports(model, &there, &carried);
            let rounding = ROUNDING * norms::max_abs(&f);
            for &j in inputs {
                if differ(&dense::column(&f, j), &dense::column(&f_there, j), rounding) {
                    return Err(fail("input", &model.inputs()[j]));
                }
            }
            let moved = dense::mul(&mb_algebra::to_dense(&phi_q), &carried);
            let rows_turn = norms::max_abs(&(&moved - &rows)) > CONSTANT * norms::max_abs(&rows);
            let read = &y_there[3];
            let back = if rows_turn { multipliers_back(&rows, &moved, read) } else { Some(read.clone()) };
            let y_there = [&y_there[0], &y_there[1], &y_there[2], back.as_ref().unwrap_or(read)];
            for (order, (now, first)) in y_there.into_iter().zip(&y).enumerate() {
                for (i, sensor) in outputs.iter().map(|i| (*i, &model.sensors()[*i])) {
                    // What a point on the axis of a rotation reads of it is the remainder of terms that cancel.
                    let rounding = ROUNDING * norms::max_abs(first).max(self.terms(&y, order, i));
                    let (now, first) = (dense::row(now, i), dense::row(first, i));
                    // Multipliers of rows that turn in an unknown way are others from instant to instant.
                    let turns = order == 3 && back.is_none() && norms::max_abs_vec(&first) > 0.0;
                    if turns || differ(&first, &now, rounding) {
                        return Err(fail("output", &sensor.name));
                    }
                }
            }
        }
        Ok(())
    }
    /// Size of the terms of a row of [`SteadyMotion::ports`], of y, y', y'' and the multipliers by `order`: Y_v S and Y_a S^2 beside Y_q, 2 Y_a S
    /// beside Y_v.
    fn terms(&self, ports: &[Dense; 4], order: usize, row: usize) -> f64 {
        let rate = norms::max_abs_vec(self.generator.sparse().data());
        let size = |k: usize| norms::max_abs_vec(&dense::row(&ports[k], row));
        match order {
            0 => size(0).max(rate * size(1)).max(rate * rate * size(2)),
            1 => size(1).max(2.0 * rate * size(2)),
            _ => size(order),
        }
    }

    /// Shows that a direction of displacements is the same at all times in the frame of the motion, as those of a base have to be: S r = 0.
    ///
    /// `what` names it; `r` has the length of the velocities.
    ///
    /// # Errors
    /// [`LinearError::NotConstant`] with that name.
    pub fn check_direction(&self, what: &str, r: &[f64]) -> Result<(), LinearError> {
        let s = self.generator.sparse();
        let size = norms::max_abs_vec(s.data()) * norms::max_abs_vec(r);
        if norms::max_abs_vec(&sparse::matvec(&s, r)) <= CONSTANT * size {
            return Ok(());
        }
        let frame = self.frame.to_string();
        Err(LinearError::NotConstant { what: "input", name: what.to_owned(), frame })
    }

    /// E^T F, and what the outputs read of y, y', y'' and the multipliers.
    fn ports(&self, model: &Model, point: &Point, carried: &Dense) -> (Dense, [Dense; 4]) {
        let s = self.generator.sparse();
        let [y_q, y_v, y_a, y_l] = output_blocks(model, point);
        let [q, v, a] = [y_q, y_v, y_a].map(|y| dense::mul(&y, carried));
        let by_q =
            dense::add_mul_sparse(dense::add_mul_sparse(q, 1.0, &v, &s), 1.0, &a, &sparse::mul(&s, &s));
        let by_v = dense::add_mul_sparse(v, 2.0, &a, &s);
        (dense::mul_transpose(carried, &inputs(model, point)), [by_q, by_v, a, y_l])
    }
}
