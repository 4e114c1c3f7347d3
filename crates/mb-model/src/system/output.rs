//! Outputs and their derivatives.

use super::energy::kinetic_of;
use super::sweep::{D1, D2, D3, Frame, Scratch, outer};
use crate::element::{Data, Tower};
use crate::model::{Model, Sensor};
use crate::sensor::{EnergyKind, Quantity, Reading};
use crate::state::Point;
use mb_algebra::{Scatter, Triplets};
use mb_scalar::{Dual, Real};

/// Derivatives of the outputs y(q, v, a, lambda).
#[derive(Clone, Debug)]
pub struct OutputMatrices<P = f64> {
    /// dy/dq along the tangent: outputs x nv.
    pub q: Triplets<P>,
    /// dy/dv: outputs x nv.
    pub v: Triplets<P>,
    /// dy/da: outputs x nv.
    pub a: Triplets<P>,
    /// dy/dlambda: outputs x nc.
    pub lambda: Triplets<P>,
}

impl<P: Data> Model<P> {
    /// The values of all sensors.
    pub fn outputs(&self, point: &Point<P>) -> Vec<P> {
        let times = two_times();
        self.sensors()
            .iter()
            .map(|s| match &s.reading {
                Reading::Value(_) | Reading::Rate(_) | Reading::Acceleration(_) => {
                    let wires = &s.wires;
                    let mut frame = Frame::<D2<P>>::default();
                    frame.gather(wires, point, self.gravity);
                    self.curve_value(s, &mut frame, times, |x| x.re.re, |x| x.re.eps, |x| x.eps.eps)
                }
                Reading::Multiplier(row) => point.lambda[*row],
                Reading::Reaction(c) => self.component(c, point),
                Reading::Energy(EnergyKind::Kinetic) => self.kinetic_energy(point),
                Reading::Energy(EnergyKind::Potential) => self.potential_energy(point),
                Reading::Energy(EnergyKind::Total) => {
                    self.kinetic_energy(point) + self.potential_energy(point)
                }
                Reading::Violation(row) => self.phi_row(*row, point),
            })
            .collect()
    }
    /// Derivatives of all sensors.
    pub fn output_matrices(&self, point: &Point<P>) -> OutputMatrices<P> {
        let (ny, n) = (self.sensors().len(), self.nv());
        let mut out = OutputMatrices {
            q: Triplets::new(ny, n),
            v: Triplets::new(ny, n),
            a: Triplets::new(ny, n),
            lambda: Triplets::new(ny, self.nc()),
        };
        let times: [D2<P>; 2] = two_times();
        for (row, s) in self.sensors().iter().enumerate() {
            match &s.reading {
                Reading::Value(_) | Reading::Rate(_) | Reading::Acceleration(_) => {}
                other => {
                    self.other_matrices(row, s, other, point, &mut out);
                    continue;
                }
            }
            let wires = &s.wires;
            let mut frame = Frame::<D3<P>>::default();
            for (j, col) in wires.v_index.iter().enumerate() {
                for target in 0..3 {
                    frame.gather(wires, point, self.gravity);
                    match target {
                        0 => frame.step(wires, self.coordinates(), j, outer()),
                        1 => frame.v[j] += outer(),
                        _ => frame.a[j] += outer(),
                    }
                    let x = self.curve_value(
                        s,
                        &mut frame,
                        [Dual::constant(times[0]), Dual::constant(times[1])],
                        |x| x.eps.re.re,
                        |x| x.eps.re.eps,
                        |x| x.eps.eps.eps,
                    );
                    let sink = match target {
                        0 => &mut out.q,
                        1 => &mut out.v,
                        _ => &mut out.a,
                    };
                    if x != P::zero() {
                        sink.add(row, *col, x);
                    }
                }
            }
        }
        out
    }
    /// The sensor's quantity along the motion, and the part of it that the reading asks for.
    ///
    /// `times` are the two infinitesimals that carry time: tau = e1 + e2 as in the constraints.
    fn curve_value<S: Tower<P>>(
        &self,
        sensor: &Sensor<P>,
        frame: &mut Frame<S>,
        times: [S; 2],
        value: impl Fn(S) -> P,
        rate: impl Fn(S) -> P,
        acceleration: impl Fn(S) -> P,
    ) -> P {
        let d: Vec<S> = frame
            .v
            .iter()
            .zip(&frame.a)
            .map(|(v, a)| *v * (times[0] + times[1]) + *a * times[0] * times[1])
            .collect();
        frame.step_all(&sensor.wires, self.coordinates(), &d);
        let of = |q: &Quantity<P>| q.eval(&frame.q);
        match &sensor.reading {
            Reading::Value(q) => value(of(q)),
            Reading::Rate(q) => rate(of(q)),
            Reading::Acceleration(q) => acceleration(of(q)),
            Reading::Multiplier(_) | Reading::Reaction(_) | Reading::Energy(_) | Reading::Violation(_) => {
                P::zero()
            }
        }
    }
    /// Phi of one row, or A v + b.
    fn phi_row(&self, row: usize, point: &Point<P>) -> P {
        let mut frame = Frame::<P>::default();
        let mut sum = P::zero();
        for m in self.members_of_row(row) {
            frame.gather_q(&m.wires, &point.q, point.t);
            if m.own_velocity_rows().contains(&row) {
                frame.set_velocities(m, |i| point.v[i]);
                frame.rates(m);
                sum += frame.out[row - m.own_velocity_rows().start];
                continue;
            }
            frame.phi(m);
            sum += frame.out[row - m.row];
        }
        sum
    }
    /// Derivatives of readings that are no quantity of the motion of a few blocks.
    fn other_matrices(
        &self,
        y: usize,
        sensor: &Sensor<P>,
        reading: &Reading<P>,
        point: &Point<P>,
        out: &mut OutputMatrices<P>,
    ) {
        match reading {
            Reading::Multiplier(l) => out.lambda.add(y, *l, P::one()),
            Reading::Reaction(c) => {
                self.sweep_reaction(c, point, None, |row, x| out.lambda.add(y, row, x.re));
                for col in &sensor.wires.v_index {
                    let mut sum = P::zero();
                    self.sweep_reaction(c, point, Some(*col), |row, x| sum += point.lambda[row] * x.eps);
                    if sum != P::zero() {
                        out.q.add(y, *col, sum);
                    }
                }
            }
            Reading::Energy(kind) => self.energy_matrices(y, *kind, point, out),
            Reading::Violation(row) => {
                let mut frame = Frame::<D1<P>>::default();
                for m in self.members_of_row(*row) {
                    if m.own_velocity_rows().contains(row) {
                        let mut s = Scratch::default();
                        let at = (&point.q[..], point.t);
                        let mut by_q = Only { row: *row, y, out: &mut out.q };
                        self.rates_q_of(&mut s, m, at, Some(&point.v), &mut by_q);
                        let mut by_v = Only { row: *row, y, out: &mut out.v };
                        Self::rates_v_of(&mut s, m, &(0..usize::MAX), at, &mut by_v);
                        continue;
                    }
                    for (j, col) in m.wires.v_index.iter().enumerate() {
                        frame.gather_q(&m.wires, &point.q, point.t);
                        frame.step(&m.wires, self.coordinates(), j, outer());
                        frame.phi(m);
                        out.q.add(y, *col, frame.out[*row - m.row].eps);
                    }
                }
            }
            Reading::Value(_) | Reading::Rate(_) | Reading::Acceleration(_) => {}
        }
    }
    fn energy_matrices(&self, y: usize, kind: EnergyKind, point: &Point<P>, out: &mut OutputMatrices<P>) {
        let mut frame = Frame::<D1<P>>::default();
        for m in self.members() {
            for (j, col) in m.wires.v_index.iter().enumerate() {
                let mut sum = P::zero();
                frame.gather(&m.wires, point, self.gravity);
                frame.step(&m.wires, self.coordinates(), j, outer());
                if kind != EnergyKind::Kinetic {
                    sum += m.element.potential(&frame.local()).eps;
                }
                if kind != EnergyKind::Potential && m.element.dependence().a {
                    sum += kinetic_of(m, &mut frame).eps;
                    frame.gather(&m.wires, point, self.gravity);
                    frame.v[j] += outer();
                    let rate = kinetic_of(m, &mut frame).eps;
                    if rate != P::zero() {
                        out.v.add(y, *col, rate);
                    }
                }
                if sum != P::zero() {
                    out.q.add(y, *col, sum);
                }
            }
        }
    }
}

/// Adds the entries of one row as those of an output.
struct Only<'a, P> {
    row: usize,
    y: usize,
    out: &'a mut Triplets<P>,
}

impl<P: Real> Scatter<P> for Only<'_, P> {
    fn add(&mut self, row: usize, col: usize, value: P) {
        if row == self.row {
            self.out.add(self.y, col, value);
        }
    }
}

/// The two infinitesimals of a tower of two levels.
fn two_times<P: Real>() -> [D2<P>; 2] {
    [
        Dual::constant(Dual::new(P::zero(), P::one())),
        Dual::new(Dual::constant(P::zero()), Dual::constant(P::one())),
    ]
}
