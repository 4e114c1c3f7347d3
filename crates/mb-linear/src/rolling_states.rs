//! Linear systems with inputs and outputs of models with velocity rows A v + b = 0.
//!
//! ```text
//! M x'' + C x' + K x + Phi_q^T l + A^T m = F u,   Phi_q x = 0,   A x' + B x = 0
//! x = R z,   z' = S w + T z,   A R S = 0,   A R T = -B R
//! (R S)^T [M R (S w' + T S w + T T z) + C R (S w + T z) + K R z - F u] = 0
//! ```
//!
//! The states are independent coordinates z, as many as position rows leave, and independent speeds w, fewer by the rank of the velocity
//! rows: 2 (n - m) - k states. Both are chosen by pivoting, so that they have names; R and S are the identity on them, and T is zero on
//! the speeds.

use crate::descriptor::{DescriptorSystem, OutputMaps, StateSpace, numbered};
use crate::error::LinearError;
use crate::instant::ConstraintRates;
use crate::point::OperatingPoint;
use crate::steady::SteadyMotion;
use crate::velocity_rows::Unreduced;
use mb_algebra::{Dense, Lu, QuadraticPencil, RankTolerance, Svd, dense, norms};
use mb_constraints::{ConstraintError, NullSpace, NullSpaceMethod};
use mb_model::Model;
use mb_model::system::Blocks;

/// The descriptor system at rest or in steady motion, with forces F (n x inputs); the rows of constraints stand in the order of the model.
///
/// # Errors
/// Entries that are not finite.
pub(crate) fn descriptor(
    model: &Model,
    at: &OperatingPoint,
    maps: OutputMaps,
    forces: &Dense,
) -> Result<DescriptorSystem, LinearError> {
    let point = at.point();
    let whole = Unreduced::new(model, point, at.steady().map(SteadyMotion::generator));
    let Unreduced { blocks: Blocks { m, c, k, phi_q: positions }, a, b, .. } = whole;
    let velocity = model.velocity_rows();
    let (n, rows) = (m.nrows(), velocity.len());
    // The number of each row among those of its kind.
    let (mut numbers, mut count) = (Vec::with_capacity(rows), [0, 0]);
    for kind in velocity.iter().map(|v| usize::from(*v)) {
        numbers.push(count[kind]);
        count[kind] += 1;
    }
    let phi_q =
        Dense::from_fn(
            rows,
            n,
            |i, j| if velocity[i] { a[(numbers[i], j)] } else { positions[(numbers[i], j)] },
        );
    let rates = Dense::from_fn(rows, n, |i, j| if velocity[i] { b[(numbers[i], j)] } else { 0.0 });
    // A x'' + B x' = 0: what the second rates of position rows have in their place.
    let none = || Dense::zeros(rows, n);
    let second = ConstraintRates { phi_dot_q: none(), phi_ddot_q: none(), phi_ddot_v: rates.clone() };
    let blocks = QuadraticPencil { m, c, k, phi_q };
    let OutputMaps { by_q, by_v, by_a, by_lambda } = maps;
    let mut out = DescriptorSystem::new(model, &blocks, forces, Some(second), [by_q, by_v, by_a, by_lambda])?;
    for i in (0..rows).filter(|i| velocity[*i]) {
        for j in 0..n {
            out.a[(2 * n + i, j)] = -rates[(i, j)];
            out.a[(2 * n + i, n + j)] = -blocks.phi_q[(i, j)];
        }
    }
    Ok(out.with_velocity_rows(velocity))
}

/// The state space of such a system; `velocity` says of every row whether it is one of velocities.
///
/// # Errors
/// [`LinearError::NoInertia`] where motions that the rows leave have no mass.
pub(crate) fn state_space(system: &DescriptorSystem, velocity: &[bool]) -> Result<StateSpace, LinearError> {
    let m = velocity.len();
    let n = (system.e.nrows() - m) / 2;
    let block = |from: &Dense, row: usize, col: usize, rows: usize, cols: usize, sign: f64| {
        Dense::from_fn(rows, cols, |i, j| sign * from[(row + i, col + j)])
    };
    let mass = block(&system.e, n, n, n, n, 1.0);
    let [k, c] = [0, n].map(|col| block(&system.a, n, col, n, n, -1.0));
    let jacobian = dense::transpose(&block(&system.a, n, 2 * n, n, m, -1.0));
    let f = block(&system.b, n, 0, n, system.b.ncols(), 1.0);
    let of_kind = |kind: bool| (0..m).filter(|i| velocity[*i] == kind).collect::<Vec<_>>();
    let b = dense::select_rows(&block(&system.a, 2 * n, 0, m, n, -1.0), &of_kind(true));
    let names = &system.states;
    let first = basis(&dense::select_rows(&jacobian, &of_kind(false)), |i| names[i].clone())?;
    let r = &first.r;
    let d = r.ncols();
    let own = |i: usize| first.independent.as_ref().map_or(i, |chosen| chosen[i]);
    let second =
        basis(&dense::mul(&dense::select_rows(&jacobian, &of_kind(true)), r), |i| names[own(i)].clone())?;
    let s = &second.r;
    let t = dense::scale(-1.0, &second.particular_mat(&dense::mul(&b, r)));
    let speeds = s.ncols();
    let states = match (&first.independent, &second.independent) {
        (Some(z), Some(w)) => {
            z.iter().map(|i| names[*i].clone()).chain(w.iter().map(|i| names[n + z[*i]].clone())).collect()
        }
        _ => numbered(d + speeds),
    };
    let (rs, rt) = (dense::mul(r, s), dense::mul(r, &t));
    let on = |x: &Dense| dense::mul_transpose(&rs, x);
    let no_inertia = || {
        let worst = mb_constraints::largest(&dense::column(&rs, speeds - 1)).map_or(0, |(i, _)| i);
        LinearError::NoInertia { coordinate: names[worst].clone() }
    };
    let lu = Lu::new(&on(&dense::mul(&mass, &rs))).map_err(|_| no_inertia())?;
    if lu.rcond() < 1e-14 {
        return Err(no_inertia());
    }
    // Forces of z and of w where w' = 0, without those of multipliers.
    let of_z = &dense::mul(&k, r) + &(&dense::mul(&c, &rt) + &dense::mul(&mass, &dense::mul(&rt, &t)));
    let of_w = &dense::mul(&c, &rs) + &dense::mul(&mass, &dense::mul(&rt, s));
    let [by_z, by_w] = [&of_z, &of_w].map(|x| dense::scale(-1.0, &lu.solve_mat(&on(x))));
    let by_u = lu.solve_mat(&on(&f));
    let a = dense::vstack(&[&dense::hstack(&[&t, s]), &dense::hstack(&[&by_z, &by_w])]);
    let b = dense::vstack(&[&Dense::zeros(d, f.ncols()), &by_u]);
    let outputs = system.c.nrows();
    let [y_q, y_v] = [0, n].map(|col| block(&system.c, 0, col, outputs, n, 1.0));
    let y_l = block(&system.c, 0, 2 * n, outputs, m, 1.0);
    let mut y = dense::hstack(&[&(&dense::mul(&y_q, r) + &dense::mul(&y_v, &rt)), &dense::mul(&y_v, &rs)]);
    let mut through = system.d.clone();
    if norms::max_abs(&y_l) > 0.0 {
        // The shortest multipliers of what forces and accelerations leave.
        let svd = Svd::new(&dense::transpose(&jacobian))?;
        let multipliers = |forces: &Dense| {
            let one = |j| svd.min_norm_solve(&dense::column(forces, j), RankTolerance::default());
            dense::mul(&y_l, &dense::from_columns(m, &(0..forces.ncols()).map(one).collect::<Vec<_>>()))
        };
        let of_mass = dense::mul(&mass, &rs);
        let left = |of: &Dense, by: &Dense| dense::scale(-1.0, &(of + &dense::mul(&of_mass, by)));
        y = &y + &dense::hstack(&[&multipliers(&left(&of_z, &by_z)), &multipliers(&left(&of_w, &by_w))]);
        through = &through + &multipliers(&(&f - &dense::mul(&of_mass, &by_u)));
    }
    let (inputs, outputs) = (system.inputs.clone(), system.outputs.clone());
    Ok(StateSpace { a, b, c: y, d: through, states, inputs, outputs })
}

/// Independent coordinates by name where some can be chosen, combinations of all otherwise.
fn basis(rows: &Dense, name: impl Fn(usize) -> String) -> Result<NullSpace, LinearError> {
    let by = |method| NullSpace::new(rows, &method, RankTolerance::default(), &name);
    match by(NullSpaceMethod::CoordinateSelection(None)) {
        Err(ConstraintError::SelectionFails { .. }) => Ok(by(NullSpaceMethod::Qr)?),
        other => Ok(other?),
    }
}
