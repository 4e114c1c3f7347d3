//! Bearings and steady rotations.

use super::bushings::Held;
use super::expand::Entry;
use super::frames::Ask;
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::coordinates::BlockId;
use crate::element::rotation::cross;
use crate::element::{Bushing, Data, Element};
use crate::model::Wiring;
use crate::spec::fault_rotor::RotorFault;
use crate::spec::nearest::nearest;
use crate::spec::{BearingSpec, Fault, PlaceRef, SteadyRotationSpec, Value};
use crate::steady_rotation::{Carried, SteadyRotation};

type Two<P> = [[P; 2]; 2];

/// Tables that a rotation may carry.
const CARRIED: [&str; 6] = ["point", "body", "spatial-body", "beam", "solid", "flexible-link"];

impl<P: Data> Builder<P> {
    pub(super) fn bearing(&mut self, e: &Entry<'_, BearingSpec>) -> Outcome<()> {
        let spec = e.spec;
        let Held { a, b } = self.held(e, &spec.a, &spec.b, "a bearing")?;
        let [stiffness, damping] = self.bearing_matrices(e)?;
        if let (Some(x), Some(axis)) = (&spec.x, &spec.axis) {
            let n = self.direction(e, "axis", "axis", &axis.components())?;
            let x = self.direction(e, "x", "x", &x.components())?;
            if cross(&x, &n).iter().map(|c| c.value() * c.value()).sum::<f64>() < 1e-12 {
                return Err(e.problem("x", Fault::Rotor(RotorFault::AlongAxis)));
            }
        } else if spec.x.is_some() {
            let kind = "a bearing with `x`".to_owned();
            return Err(e.problem("", Fault::KeyNeeded { key: "axis", kind }));
        }
        let ask = Ask {
            a: &spec.a,
            b: &spec.b,
            axis: spec.axis.as_ref(),
            x: spec.x.as_ref(),
            axis_a: None,
            needs_axis: false,
            pins: false,
            kind: "bearing",
        };
        let (a, b) = self.grips(e, (a, b), &ask)?;
        let mut wiring = Wiring::default();
        let (a, b) = (self.frame(&mut wiring, a), self.frame(&mut wiring, b));
        let whole = |two: Two<P>| -> [[P; 6]; 6] {
            let at = |i: usize, j: usize| if i < 2 && j < 2 { two[i][j] } else { P::zero() };
            std::array::from_fn(|i| std::array::from_fn(|j| at(i, j)))
        };
        let (stiffness, damping) = (whole(stiffness), whole(damping));
        let bushing = Bushing { a, b, stiffness, damping, preload: [P::zero(); 6] };
        self.add(e, Element::Bushing(Box::new(bushing)), wiring, Vec::new());
        Ok(())
    }
    /// Stiffness and damping: constant, or read from the table at the speed.
    fn bearing_matrices(&self, e: &Entry<'_, BearingSpec>) -> Outcome<[Two<P>; 2]> {
        let spec = e.spec;
        if spec.table.is_empty() {
            if spec.speed.is_some() {
                let kind = "a bearing with `speed`".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "table", kind }));
            }
            if spec.stiffness.is_none() && spec.damping.is_none() {
                let kind = "a bearing without `damping` or `table`".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "stiffness", kind }));
            }
            return Ok([
                self.two(e, "stiffness", spec.stiffness.as_ref())?,
                self.two(e, "damping", spec.damping.as_ref())?,
            ]);
        }
        for (second, there) in [("stiffness", spec.stiffness.is_some()), ("damping", spec.damping.is_some())]
        {
            if there {
                return Err(e.problem(second, Fault::Exclusive { first: "table", second }));
            }
        }
        let Some(speed) = &spec.speed else {
            let kind = "a bearing with `table`".to_owned();
            return Err(e.problem("", Fault::KeyNeeded { key: "speed", kind }));
        };
        let at = self.value(e, "speed", speed)?;
        let fault = |key: &str, fault| e.problem(key, Fault::Rotor(fault));
        if spec.table.len() < 2 {
            return Err(fault("table", RotorFault::OneRow));
        }
        let (mut speeds, mut rows): (Vec<P>, Vec<[Two<P>; 2]>) = (Vec::new(), Vec::new());
        for row in &spec.table {
            let x = self.value(e, "table", &row.speed)?;
            if let Some(before) = speeds.last().map(|b| b.value()).filter(|b| *b >= x.value()) {
                let speed = x.value();
                return Err(fault("table", RotorFault::NotRising { speed, before }));
            }
            speeds.push(x);
            rows.push([
                self.two(e, "table", row.stiffness.as_ref())?,
                self.two(e, "table", row.damping.as_ref())?,
            ]);
        }
        let (first, last) = (speeds[0].value(), speeds[speeds.len() - 1].value());
        if at.value() < first || at.value() > last {
            return Err(fault("speed", RotorFault::OutsideTable { speed: at.value(), first, last }));
        }
        let read = |which: usize, i: usize, j: usize| {
            let values: Vec<P> = rows.iter().map(|row| row[which][i][j]).collect();
            natural_spline(&speeds, &values, at)
        };
        Ok([0, 1].map(|w| std::array::from_fn(|i| std::array::from_fn(|j| read(w, i, j)))))
    }
    fn two(&self, e: &Entry<'_, BearingSpec>, key: &str, given: Option<&Two<Value>>) -> Outcome<Two<P>> {
        let mut out = [[P::zero(); 2]; 2];
        for (out, row) in out.iter_mut().zip(given.into_iter().flatten()) {
            for (out, value) in out.iter_mut().zip(row) {
                *out = self.value(e, key, value)?;
            }
        }
        Ok(out)
    }
    pub(super) fn steady_rotation(&mut self, e: &Entry<'_, SteadyRotationSpec>) -> Outcome<()> {
        let spec = e.spec;
        let sought = spec.sought_from();
        let speed = self.value(e, "speed", sought.as_ref().unwrap_or(&spec.speed))?;
        if sought.is_some() && speed.value() == 0.0 {
            return Err(e.problem("speed", Fault::Rotor(RotorFault::SoughtFromRest)));
        }
        let carries = match (&spec.joint, spec.bodies.is_empty()) {
            (Some(_), false) => {
                return Err(e.problem("bodies", Fault::Exclusive { first: "joint", second: "bodies" }));
            }
            (None, true) => {
                let kind = "a steady-rotation without `joint`".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "bodies", kind }));
            }
            (Some(joint), true) => {
                for (key, there) in [("axis", spec.axis.is_some()), ("through", spec.through.is_some())] {
                    if there {
                        let kind = "a steady-rotation with `joint`".to_owned();
                        return Err(e.problem(key, Fault::KeyNotFor { key, kind }));
                    }
                }
                let joint = self.filled(e, "joint", joint)?;
                if self.names.get(&joint).is_none_or(|n| n.table != "joint") {
                    return Err(e.problem("joint", self.unknown(&joint, &["joint"], "joint")));
                }
                Carried::Joint(joint)
            }
            (None, false) => self.carried_bodies(e)?,
        };
        self.model.add_steady_rotation(SteadyRotation {
            name: e.name.clone(),
            carries,
            speed,
            is_sought: sought.is_some(),
            holds: Vec::new(),
        });
        Ok(())
    }
    /// What a steady rotation holds, of the coordinates and outputs of the model.
    pub(super) fn holds(&mut self, e: &Entry<'_, SteadyRotationSpec>) -> Outcome<()> {
        let mut holds = Vec::new();
        for hold in &e.spec.hold {
            if !self.model.steady_rotations().iter().any(|r| r.is_sought) {
                return Err(e.problem("hold", Fault::Rotor(RotorFault::NothingSought)));
            }
            let name = self.filled(e, "hold", &hold.of)?;
            let value = self.value(e, "hold", &hold.value)?;
            let held = self.model.held(&name).ok_or_else(|| {
                let known = self.model.holdable();
                let nearest = nearest(&name, known.iter().map(String::as_str));
                e.problem("hold", Fault::Rotor(RotorFault::NothingToHold { name, nearest }))
            })?;
            holds.push((held, value));
        }
        self.model.hold_in_steady_rotation(&e.name, holds);
        Ok(())
    }
    fn carried_bodies(&self, e: &Entry<'_, SteadyRotationSpec>) -> Outcome<Carried<P>> {
        let spec = e.spec;
        let mut blocks: Vec<BlockId> = Vec::new();
        for name in &spec.bodies {
            let name = self.filled(e, "bodies", name)?;
            if self.names.get(&name).is_none_or(|n| !CARRIED.contains(&n.table)) {
                return Err(e.problem("bodies", self.unknown(&name, &CARRIED, "body")));
            }
            let before = blocks.len();
            for (i, block) in self.model.coordinates().blocks().iter().enumerate() {
                // Nodes are named after what they are nodes of, `shaft[3]`.
                let node = block.name.strip_prefix(&name).is_some_and(|rest| rest.starts_with(['[', '.']));
                if block.name == name || node {
                    blocks.push(BlockId(i));
                }
            }
            if blocks.len() == before {
                return Err(e.problem("bodies", Fault::NothingMoves));
            }
        }
        let axis = match &spec.axis {
            Some(axis) => self.direction(e, "axis", "axis", &axis.components())?.into(),
            None => [P::zero(), P::zero(), P::one()],
        };
        let through = match &spec.through {
            None => [P::zero(); 3],
            Some(PlaceRef::Name(name)) if name == "ground" => {
                return Err(e.problem("through", Fault::GroundIsNowhere));
            }
            Some(place) => {
                let spot: Spot<P> = self.definite(e, "through", place)?;
                self.position_of(spot)
            }
        };
        Ok(Carried::Blocks { axis, through, blocks })
    }
}

/// The natural cubic spline through (x, y) at a place inside of them.
///
/// With h_i = x_{i+1} - x_i and s_i = (y_{i+1} - y_i) / h_i the second derivatives m obey
///
/// ```text
/// h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}),   m_0 = m_n = 0
/// ```
fn natural_spline<P: Data>(x: &[P], y: &[P], at: P) -> P {
    let n = x.len() - 1;
    let h: Vec<P> = (0..n).map(|i| x[i + 1] - x[i]).collect();
    let s: Vec<P> = (0..n).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    // Elimination downwards: m_i = right_i - upper_i m_{i+1}.
    let (mut upper, mut right) = (vec![P::zero(); n + 1], vec![P::zero(); n + 1]);
    for i in 1..n {
        let pivot = P::cst(2.0) * (h[i - 1] + h[i]) - h[i - 1] * upper[i - 1];
        upper[i] = h[i] / pivot;
        right[i] = (P::cst(6.0) * (s[i] - s[i - 1]) - h[i - 1] * right[i - 1]) / pivot;
    }
    let mut m = vec![P::zero(); n + 1];
    for i in (1..n).rev() {
        m[i] = right[i] - upper[i] * m[i + 1];
    }
    let i = (0..n).rev().find(|i| x[*i].value() <= at.value()).unwrap_or(0);
    let (left, d) = (x[i + 1] - at, at - x[i]);
    let bend = (m[i] * left * left * left + m[i + 1] * d * d * d) / (P::cst(6.0) * h[i]);
    let straight = |m: P, y: P, part: P| (y / h[i] - m * h[i] / P::cst(6.0)) * part;
    bend + straight(m[i], y[i], left) + straight(m[i + 1], y[i + 1], d)
}

#[cfg(test)]
mod tests {
    use super::natural_spline;

    /// A natural spline reproduces straight lines, meets its knots, and is within h^4 of a smooth function inside.
    #[test]
    fn splines_meet_knots_and_follow_smooth_functions() {
        let x: Vec<f64> = (0..21).map(|i| 0.1 * f64::from(i)).collect();
        let line: Vec<f64> = x.iter().map(|x| 3.0 - 2.0 * x).collect();
        let sine: Vec<f64> = x.iter().map(|x| (std::f64::consts::PI * x).sin()).collect();
        for at in [0.0, 0.05, 0.73, 1.0, 1.999, 2.0] {
            assert!((natural_spline(&x, &line, at) - (3.0 - 2.0 * at)).abs() < 1e-14);
            // sin(pi x) has no second derivative at both ends, as the spline.
            let off = natural_spline(&x, &sine, at) - (std::f64::consts::PI * at).sin();
            assert!(off.abs() < 5.0 / 384.0 * (0.1 * std::f64::consts::PI).powi(4), "{at}: {off:e}");
        }
        for (x_i, y_i) in x.iter().zip(&sine) {
            assert!((natural_spline(&x, &sine, *x_i) - y_i).abs() < 1e-15);
        }
        assert!((natural_spline(&[0.0, 2.0], &[1.0, 5.0], 0.5) - 2.0).abs() < 1e-15);
    }
}
