//! The motion of the linkage by its one coordinate, and by the general library, digit by digit.
//!
//! ```text
//! M(theta) theta'' + M'(theta) theta'^2 / 2 + V'(theta) = 0
//! ```
//!
//! from the closure and the energies ([`SpatialFourBar`]), integrated by classical Runge-Kutta steps with Richardson's
//! extrapolation: nothing of it is shared with the constrained equations.

use std::f64::consts::TAU;

use mb_constraints::ConstraintMethod;
use mb_constraints::method::{Baumgarte, CoordinatePartitioning, DirectCorrection};
use mb_constraints::simulate::Trajectory;
use mb_gallery::Computed;
use mb_gallery::models::SpatialFourBar;

use super::runs::{Lengths, Measured, TIGHT, energy, model, motion, options};
use crate::answers::Answers;

/// Steps of a second of the closed form; twice as many for the extrapolation.
const STEPS: usize = 20_000;
/// Times at which angles are given, s.
const TIMES: [usize; 3] = [1, 2, 5];

/// Columns of the table besides the closed form.
fn methods() -> [(&'static str, ConstraintMethod); 3] {
    [
        ("partitioning", ConstraintMethod::CoordinatePartitioning(CoordinatePartitioning::default())),
        ("direct correction", ConstraintMethod::DirectCorrection(DirectCorrection::default())),
        ("Baumgarte", ConstraintMethod::Baumgarte(Baumgarte::default())),
    ]
}

/// Energy at the start and angles at [`TIMES`], with the speed at the last.
struct Numbers {
    energy: f64,
    angles: [f64; TIMES.len()],
    speed: f64,
}

/// The answers to the table of exact values.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let bar = Lengths::Adopted.linkage();
    put(&mut answers, "closed form", &closed_form(&bar));
    for (name, method) in methods() {
        put(&mut answers, name, &constrained(&bar, method));
    }
    answers
}

fn put(answers: &mut Answers, by: &str, numbers: &Measured<Numbers>) {
    let mut one = |quantity: &str, pick: &dyn Fn(&Numbers) -> f64| {
        let value = numbers.as_ref().map(|n| Computed::Real(pick(n))).map_err(Clone::clone);
        answers.put_by(&format!("quantity={quantity}"), "value", by, value);
    };
    one("E0, J", &|n| n.energy);
    for (k, t) in TIMES.into_iter().enumerate() {
        one(&format!("theta({t}), rad"), &|n| n.angles[k]);
    }
    one("theta'(5), rad/s", &|n| n.speed);
}

fn closed_form(bar: &SpatialFourBar) -> Measured<Numbers> {
    let coarse = steps(bar, STEPS).ok_or("the linkage does not close")?;
    let fine = steps(bar, 2 * STEPS).ok_or("the linkage does not close")?;
    let better = |c: f64, f: f64| f + (f - c) / 15.0;
    let angles = [0, 1, 2].map(|k| better(coarse[k].0, fine[k].0));
    let last = TIMES.len() - 1;
    Ok(Numbers {
        energy: bar.energy(0.0, bar.speed).ok_or("the linkage does not close")?,
        angles,
        speed: better(coarse[last].1, fine[last].1),
    })
}

/// Angle and speed at [`TIMES`].
fn steps(bar: &SpatialFourBar, per_second: usize) -> Option<Vec<(f64, f64)>> {
    let h = 1.0 / per_second as f64;
    let (mut x, mut w) = (0.0, bar.speed);
    let mut out = Vec::new();
    for k in 1..=TIMES[TIMES.len() - 1] * per_second {
        let a = |x: f64, w: f64| bar.acceleration(x, w);
        let l1 = a(x, w)?;
        let (k2, l2) = (w + 0.5 * h * l1, a(x + 0.5 * h * w, w + 0.5 * h * l1)?);
        let (k3, l3) = (w + 0.5 * h * l2, a(x + 0.5 * h * k2, w + 0.5 * h * l2)?);
        let (k4, l4) = (w + h * l3, a(x + h * k3, w + h * l3)?);
        x += h / 6.0 * (w + 2.0 * k2 + 2.0 * k3 + k4);
        w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        if TIMES.iter().any(|t| t * per_second == k) {
            out.push((x, w));
        }
    }
    Some(out)
}

/// The constrained equations at tight tolerance, read off the crank.
fn constrained(bar: &SpatialFourBar, method: ConstraintMethod) -> Measured<Numbers> {
    let model = model(bar)?;
    let every = 0.05;
    let found = motion(&model, &options(5.0, every, method, TIGHT))?;
    let angles = turned(&found);
    let at = |t: usize| angles[20 * t];
    // The crank turns about the x-axis, in its body as in the ground.
    Ok(Numbers { energy: energy(&found), angles: TIMES.map(at), speed: found.v_at(found.len() - 1)[3] })
}

/// The crank's angle at every report, counted up over whole turns: its middle is at half its length times
/// (0, -sin theta, cos theta).
pub(super) fn turned(motion: &Trajectory) -> Vec<f64> {
    let mut total = 0.0;
    let mut last = 0.0;
    (0..motion.len())
        .map(|i| {
            let q = motion.q_at(i);
            let angle = (-q[1]).atan2(q[2]);
            let step = angle - last;
            total += step - (step / TAU).round() * TAU;
            last = angle;
            total
        })
        .collect()
}
