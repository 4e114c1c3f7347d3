//! The velocities of a steady motion as a function of the configuration, and the shares that each of several spins has in them.
//!
//! ```text
//! p' = W x (p - c),   w = A^T W + own,   W = sum W_k,   own = sum own_k
//! ```
//!
//! with W_k and own_k in proportion to the speed of spin k. Where the frame is that of a body, W_k is the angular velocity that spin k
//! alone gives this body; in the ground's frame it is zero.

use super::frames::rate_of;
use super::generator::{Generator, length, positions};
use super::search::Field;
use super::spin::{Spin, spinning};
use super::{Frame, SteadyMotion};
use mb_algebra::norms;
use mb_model::{Model, Point};

/// Differences up to this share of the largest velocity are rounding of the point.
const SAME: f64 = 1e-6;

/// Velocities in one frame, or the share of one spin in them.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyVelocities {
    /// Angular velocity of the frame, rad/s, ground's axes.
    pub rate: [f64; 3],
    /// A place of its axis, m.
    pub centre: [f64; 3],
    /// Whether the frame carries a block of coordinates; the others rest.
    pub carried: Vec<bool>,
    /// Velocities compared with those of the frame, nv numbers: of bodies in space in their own axes.
    pub own: Vec<f64>,
}

impl SteadyMotion {
    /// The velocities in the frame; none where parts are seen from frames of their own, or places move otherwise than the frame carries
    /// them.
    pub fn velocities(&self, model: &Model) -> Option<SteadyVelocities> {
        let (rate, point) = (self.frame().rate()?, self.point());
        let speed = norms::max_abs_vec(&point.v);
        let off = Generator::of_frame(model, point, rate).plus(-1.0, self.generator());
        if off.speeds().any(|x| x > SAME * speed) {
            return None;
        }
        let Field { rate, centre, carried, own } = Field::new(model, point, rate)?;
        Some(SteadyVelocities { rate, centre, carried, own })
    }

    /// The shares of `spins` in the velocities; none where these do not add up to them, or the frame is not in proportion to speeds.
    pub fn shares(&self, model: &Model, spins: &[Spin]) -> Option<Vec<SteadyVelocities>> {
        let whole = self.velocities(model)?;
        if spins.len() == 1 {
            return Some(vec![whole]);
        }
        let point = self.point();
        let speed = norms::max_abs_vec(&point.v);
        let mut sum = vec![0.0; model.nv()];
        let share = |spin: &Spin| {
            let v = spinning(model, point, std::slice::from_ref(spin)).ok()?.0;
            sum.iter_mut().zip(&v).for_each(|(sum, v)| *sum += v);
            let rate = match self.frame() {
                Frame::Ground => [0.0; 3],
                Frame::Body { name, .. } => {
                    rate_of(model, &Point { v: v.clone(), ..point.clone() }, name).ok()?
                }
                _ => return None,
            };
            let carried = whole.carried.clone();
            let field = Field { rate, centre: whole.centre, carried, own: vec![0.0; model.nv()] };
            let mut own: Vec<f64> =
                v.iter().zip(field.of_frame(model, &point.q)).map(|(v, frame)| v - frame).collect();
            for b in model.coordinates().blocks().iter().filter(|_| length(whole.rate) > 0.0) {
                let places = b.v..b.v + positions(b.kind);
                if own[places.clone()].iter().any(|x| x.abs() > SAME * speed) {
                    return None;
                }
                own[places].fill(0.0);
            }
            let Field { rate, centre, carried, .. } = field;
            Some(SteadyVelocities { rate, centre, carried, own })
        };
        let shares: Vec<SteadyVelocities> = spins.iter().map(share).collect::<Option<_>>()?;
        let adds_up = sum.iter().zip(&point.v).all(|(sum, v)| (sum - v).abs() <= SAME * speed);
        adds_up.then_some(shares)
    }
}
