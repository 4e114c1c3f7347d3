//! Displaced points: whether the equations hold there as they do at the point of a motion or of rest itself.

use super::generator::Generator;
use super::scale::GOLDEN;
use mb_algebra::{Sparse, norms};
use mb_constraints::MinimumNorm;
use mb_model::{Model, Point};
use std::borrow::Cow;
use std::cell::RefCell;

/// Share of the largest force and of the largest entry of K up to which what is left is rounding.
pub(super) const ROUNDING: f64 = 1e-11;

/// So many times what is left at the point itself may be left at displaced ones.
pub(super) const LEFT: f64 = 4.0;

/// Share of the forces at work from which on what is left says nothing of rounding: a weight would pass for it.
const DOUBTFUL: f64 = 1e-3;

/// Displaced points that are checked.
const PHASES: u32 = 5;

/// The point that others are compared with.
pub(super) struct Displaced<'a> {
    model: &'a Model,
    point: &'a Point,
    /// The size of the forces at work.
    forces: f64,
    /// As [`Displaced::left`] has it of the point itself.
    own: [f64; 3],
    /// The rows of the constraints that were factored last: shifts leave them as they are.
    rows: RefCell<MinimumNorm<'static>>,
}

impl<'a> Displaced<'a> {
    /// None where the multipliers cannot be solved for.
    pub(super) fn new(model: &'a Model, point: &'a Point, forces: f64) -> Option<Self> {
        let rows = RefCell::new(MinimumNorm::new(Cow::Owned(rows_at(model, point))).ok()?);
        let mut displaced = Self { model, point, forces, own: [0.0; 3], rows };
        displaced.own = displaced.left(point)?;
        Some(displaced)
    }
    /// The force that is left at the point itself.
    pub(super) const fn force(&self) -> f64 {
        self.own[0]
    }
    /// Whether the equations hold after displacements of any size along `y`, the velocities of a motion in which positions turn with
    /// the rate given; `slack`: force that may be left for each unit of displacement.
    pub(super) fn leads_on(&self, y: &[f64], rate: [f64; 3], slack: f64) -> bool {
        let Self { model, point, forces, own, .. } = *self;
        let carried = Point { v: y.to_vec(), ..point.clone() };
        let s = Generator::of_frame(model, &carried, rate);
        let fastest = s.speeds().fold(0.0, f64::max);
        let speed = if fastest > 0.0 { fastest } else { 1.0 };
        let allowed = [ROUNDING * forces + LEFT * own[0], ROUNDING + LEFT * own[1], ROUNDING + LEFT * own[2]];
        for phase in 1..=PHASES {
            let time = std::f64::consts::TAU * GOLDEN * f64::from(phase) / speed;
            let mut there = Point { q: s.along(&carried, time).q, ..point.clone() };
            there.v = s.carried_vector(time, &point.v);
            there.a = s.carried_vector(time, &point.a);
            let Some(left) = self.left(&there) else { return false };
            let rounded = (slack * time).min(DOUBTFUL * forces);
            let allowed = [allowed[0] + rounded, allowed[1], allowed[2]];
            if left.iter().zip(&allowed).any(|(left, allowed)| left.is_nan() || left > allowed) {
                return false;
            }
        }
        true
    }
    /// Whether the equations hold in the same configuration at other speeds, v and a times c and c^2: forces of inertia are of second degree in the
    /// speed, so that three speeds show it of all.
    pub(super) fn holds_at_any_speed(&self) -> bool {
        let Self { point, forces, own, .. } = *self;
        let scaled = |x: &[f64], c: f64| x.iter().map(|x| c * x).collect::<Vec<f64>>();
        [0.5, 1.5].into_iter().all(|c| {
            let there = Point { v: scaled(&point.v, c), a: scaled(&point.a, c * c), ..point.clone() };
            let allowed =
                [ROUNDING * forces + LEFT * own[0], ROUNDING + LEFT * own[1], ROUNDING + LEFT * own[2]];
            self.left(&there).is_some_and(|left| left.iter().zip(allowed).all(|(left, most)| *left <= most))
        })
    }
    /// What is left of the forces at a point whatever the multipliers, of the constraints, and of their rates compared with the speed.
    fn left(&self, there: &Point) -> Option<[f64; 3]> {
        let Self { model, point, .. } = *self;
        let there = Point { lambda: vec![0.0; model.nc()], ..there.clone() };
        let missing: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
        let rows = rows_at(model, &there);
        if *self.rows.borrow().rows() != rows {
            *self.rows.borrow_mut() = MinimumNorm::new(Cow::Owned(rows)).ok()?;
        }
        let (_, rest) = self.rows.borrow().solve(&missing);
        let rates = norms::max_abs_vec(&model.phi_dot(&there.q, &there.v, there.t));
        let speed = norms::max_abs_vec(&point.v).max(1.0);
        Some([norms::max_abs_vec(&rest), norms::max_abs_vec(&model.phi(&there.q, there.t)), rates / speed])
    }
}

fn rows_at(model: &Model, point: &Point) -> Sparse {
    model.phi_q(&point.q, point.t).to_sparse()
}
