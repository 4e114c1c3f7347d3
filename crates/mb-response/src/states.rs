//! The state space x' = A x + B u, y = C x + D u of minimal coordinates.
//!
//! ```text
//! x = R z,   z'' = M_r^-1 (F_r u - K_r z - C_r z'),   y = Y_q R z + Y_v R z' + Y_a R z'' + D u
//! ```

use crate::direct::Response;
use crate::error::ResponseError;
use crate::plant::Plant;
use mb_algebra::{Dense, GeneralEigen, Lu, RankQr, RankTolerance, c64, dense, norms, to_dense};

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
        if p.m.data().iter().all(|x| *x == 0.0) && plant.m() == 0 {
            return Ok(self.first_order());
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

    /// The same of C x' + K x = F u; none where C is singular or an output reads a second derivative.
    fn first_order(&self) -> Option<[Dense; 4]> {
        let (plant, p) = (&self.plant, &self.plant.pencil);
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

/// Eigenvalues of s^2 M + s C + (1 + i eta) K at positive frequencies, rad/s, dense; none where the reduced mass matrix is singular.
///
/// The structural damping that the response has is one of positive frequencies alone, so that only these poles mean something.
///
/// # Errors
/// Entries that are not finite; failures of the eigenanalysis.
pub fn lossy_poles(response: &Response) -> Result<Option<Vec<c64>>, ResponseError> {
    let (loss, plain) = (response.plant.loss, Plant { loss: 0.0, ..response.plant.clone() });
    let Some([a, ..]) = Response::new(plain)?.state_space()? else { return Ok(None) };
    let dof = a.nrows() / 2;
    // The imaginary part of A: -eta M^-1 K. With it [A_r, -A_i; A_i, A_r] has the eigenvalues of A_r + i A_i, with vectors
    // (v, -i v), and their conjugates, with vectors (v, i v).
    let imaginary =
        Dense::from_fn(2 * dof, 2 * dof, |i, j| if i >= dof && j < dof { loss * a[(i, j)] } else { 0.0 });
    let negative = dense::scale(-1.0, &imaginary);
    let both = dense::vstack(&[&dense::hstack(&[&a, &negative]), &dense::hstack(&[&imaginary, &a])]);
    let found = GeneralEigen::new(&both, false)?;
    let i = c64::new(0.0, 1.0);
    let own = |k: usize| {
        let v = found.right.col_as_slice(k);
        let (top, bottom) = v.split_at(2 * dof);
        let size = |turn: c64| top.iter().zip(bottom).map(|(x, y)| (turn * x + y).norm_sqr()).sum::<f64>();
        size(i) < size(-i)
    };
    let values = (0..found.values.len()).filter(|k| found.values[*k].im > 0.0 && own(*k));
    Ok(Some(values.map(|k| found.values[k]).collect()))
}
