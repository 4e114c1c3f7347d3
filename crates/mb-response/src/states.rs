//! The state space x' = A x + B u, y = C x + D u of minimal coordinates.
//!
//! ```text
//! x = R z,   z'' = M_r^-1 (F_r u - K_r z - C_r z'),   y = Y_q R z + Y_v R z' + Y_a R z'' + D u
//! ```

use crate::direct::Response;
use crate::error::ResponseError;
use mb_algebra::{Dense, Lu, RankQr, RankTolerance, dense, norms, to_dense};

/// Reciprocal condition below which the reduced mass matrix counts as singular.
const SINGULAR: f64 = 1e-13;

impl Response {
    /// A, B, C and D with 2 (n - r) states, dense; none where the reduced mass matrix is singular or there is structural damping,
    /// which no differential equation has.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn state_space(&self) -> Result<Option<[Dense; 4]>, ResponseError> {
        let (plant, p) = (&self.plant, &self.plant.pencil);
        if plant.loss != 0.0 {
            return Ok(None);
        }
        if let Some(states) = self.first_order() {
            return Ok(Some(states));
        }
        let r = RankQr::new(&to_dense(&p.phi_q), RankTolerance::default())?.null_space();
        let reduced = |a: &mb_algebra::Sparse| dense::mul_transpose(&r, &dense::mul(&to_dense(a), &r));
        let dof = r.ncols();
        let Ok(mass) = Lu::new(&reduced(&p.m)) else { return Ok(None) };
        if mass.rcond() < SINGULAR {
            return Ok(None);
        }
        let by_z = dense::scale(-1.0, &mass.solve_mat(&reduced(&p.k)));
        let by_rate = dense::scale(-1.0, &mass.solve_mat(&reduced(&p.c)));
        let by_u = mass.solve_mat(&dense::mul_transpose(&r, &plant.f));
        let zero = Dense::zeros(dof, dof);
        let a = dense::vstack(&[
            &dense::hstack(&[&zero, &dense::identity(dof)]),
            &dense::hstack(&[&by_z, &by_rate]),
        ]);
        let b = dense::vstack(&[&Dense::zeros(dof, by_u.ncols()), &by_u]);
        let [q, v, acceleration] = [&plant.by_q, &plant.by_v, &plant.by_a].map(|y| dense::mul(y, &r));
        let c = dense::hstack(&[
            &(&q + &dense::mul(&acceleration, &by_z)),
            &(&v + &dense::mul(&acceleration, &by_rate)),
        ]);
        let d = &plant.feedthrough + &dense::mul(&acceleration, &by_u);
        Ok(Some([a, b, c, d]))
    }

    /// The same of C x' + K x = F u with as many states as x; none where the equations are of second order or have constraints, C is
    /// singular, or an output reads a second derivative.
    pub fn first_order(&self) -> Option<[Dense; 4]> {
        let (plant, p) = (&self.plant, &self.plant.pencil);
        if p.m.data().iter().any(|x| *x != 0.0) || plant.m() > 0 || plant.loss != 0.0 {
            return None;
        }
        let lu = Lu::new(&to_dense(&p.c)).ok().filter(|lu| lu.rcond() >= SINGULAR)?;
        if norms::max_abs(&plant.by_a) > 0.0 {
            return None;
        }
        let a = dense::scale(-1.0, &lu.solve_mat(&to_dense(&p.k)));
        let b = lu.solve_mat(&plant.f);
        let c = &plant.by_q + &dense::mul(&plant.by_v, &a);
        let d = &plant.feedthrough + &dense::mul(&plant.by_v, &b);
        Some([a, b, c, d])
    }
}
