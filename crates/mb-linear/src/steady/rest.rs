//! Shifts and turns of everything that an equilibrium under load leaves free, whatever the digits of K say.
//!
//! Coordinates are rounded, and stiff parts make forces of that which stand in the geometric stiffness: the free turn of a pendulum on a stiff
//! spring has a stiffness of rounding, which is far above that of the soft entries that it is the sum of. As in motion (`free`) a displacement
//!
//! ```text
//! y = t + W x p,   K y + Phi_q^T l = 0,   Phi_q y = 0
//! ```
//!
//! is free where the equations hold at displaced points too. Of a model without loads the entries of K show it.

use super::STEADY;
use super::displaced::Displaced;
use super::frames::in_plane;
use super::free::{Directions, factored, shift, slack, turn};
use super::search::Field;
use mb_algebra::{Dense, Sparse, Svd, dense, norms, sparse};
use mb_model::{Model, Point};

/// A displacement of everything, and the angular velocity that it belongs to.
struct Rigid {
    y: Vec<f64>,
    rate: [f64; 3],
}

/// Free shifts and turns of everything at an equilibrium, n x any and independent; `k` (n x n) and `phi_q` (m x n) are those of the point.
pub fn free_at_rest(model: &Model, point: &Point, k: &Sparse, phi_q: &Sparse) -> Dense {
    let n = model.nv();
    let given = || model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0);
    if model.has_velocity_rows() || given() {
        return Dense::zeros(n, 0);
    }
    let all = rigid(model, point);
    let size = norms::max_abs(k);
    let Some(combinations) = unheld(&all, k, phi_q) else { return Dense::zeros(n, 0) };
    // Forces at work alone: compared with what a stiff part would resist a millionth of a metre with, its whole weight is nothing.
    let Some(displaced) = Displaced::new(model, point, model.largest_force(point)) else {
        return Dense::zeros(n, 0);
    };
    let mut free = Directions::default();
    for c in combinations {
        let (mut y, mut rate) = (vec![0.0; n], [0.0; 3]);
        for (by, one) in c.iter().zip(&all) {
            y.iter_mut().zip(&one.y).for_each(|(y, x)| *y += by * x);
            rate.iter_mut().zip(one.rate).for_each(|(w, x)| *w += by * x);
        }
        if displaced.leads_on(&y, rate, slack(&y, size)) {
            free.take(y);
        }
    }
    free.columns(n)
}

/// Shifts along the axes and turns about them through the origin, those that move anything; the largest entry of each is one.
fn rigid(model: &Model, point: &Point) -> Vec<Rigid> {
    let axis = |i: usize| -> [f64; 3] { std::array::from_fn(|j| f64::from(u8::from(i == j))) };
    let shifts = (0..3).map(|i| Rigid { y: shift(model, axis(i)), rate: [0.0; 3] });
    let turns = (0..3).filter(|i| *i == 2 || !in_plane(model)).map(|i| {
        let rate = axis(i);
        Rigid { y: turn(model, point, &Field::about(model, rate), rate), rate }
    });
    let scaled = shifts.chain(turns).filter_map(|Rigid { y, rate }| {
        let size = norms::max_abs_vec(&y);
        (size > 0.0).then(|| Rigid { y: y.iter().map(|x| x / size).collect(), rate: rate.map(|w| w / size) })
    });
    scaled.collect()
}

/// Combinations of displacements that no force and no row holds: single ones first, which have no rounding of their own, then null directions.
fn unheld(all: &[Rigid], k: &Sparse, phi_q: &Sparse) -> Option<Vec<Vec<f64>>> {
    let sizes = [norms::max_abs(k), norms::max_abs(phi_q)].map(|x| if x > 0.0 { x } else { 1.0 });
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let factors = factored(phi_q)?;
    for one in all {
        let (_, held) = factors.solve(&sparse::matvec(k, &one.y));
        let rows = sparse::matvec(phi_q, &one.y);
        let both = held.iter().map(|x| x / sizes[0]).chain(rows.iter().map(|x| x / sizes[1]));
        // As many rows as columns at least.
        columns.push(both.chain(std::iter::repeat_n(0.0, all.len())).collect());
    }
    let svd = Svd::new(&dense::from_columns(columns.first()?.len(), &columns)).ok()?;
    let unit = |j: usize| (0..all.len()).map(|i| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    let mut out = Directions::default();
    for j in (0..all.len()).filter(|j| norms::max_abs_vec(&columns[*j]) <= STEADY) {
        out.take(unit(j));
    }
    // The least held first.
    for j in (0..all.len()).rev().filter(|j| svd.s[*j] <= STEADY) {
        out.take(dense::column(&svd.v, j));
    }
    Some(out.into_given())
}
