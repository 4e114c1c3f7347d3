//! Reactions of joints as forces and moments, and their derivatives.
//!
//! ```text
//! u . F = -lambda^T Phi_q v_u,     u . M = -lambda^T Phi_q w_u
//! ```
//!
//! with v_u the velocities that move the body of the joint's place a by one unit along u and
//! nothing else, and w_u those that turn it by one unit about u through that place: virtual work.
//! No element says what its reaction is. Where a does not move, b's body is moved and the sign is
//! turned around; the moment stays about the place a.

use super::sweep::{D1, D2, Frame, inner, outer};
use crate::coordinates::BlockKind;
use crate::element::rotation::{cross, turned_back};
use crate::element::{AngleOf, Attitude, Data, Element, Place};
use crate::model::{Member, Model};
use crate::sensor::{Component, Reaction, ReactionAxes};
use crate::state::Point;
use nalgebra::Vector3;

/// The reaction of a joint on the body of its place a, in ground axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrench<P = f64> {
    /// The place a, m.
    pub at: [P; 3],
    /// Force, N.
    pub force: [P; 3],
    /// Moment about `at`, N m.
    pub moment: [P; 3],
}

impl<P: Data> Model<P> {
    /// The reactions of all joints and rods between places, in order of their rows. Driving
    /// constraints have none: their force is minus their multiplier.
    pub fn reactions(&self) -> Vec<Reaction> {
        let mut out: Vec<Reaction> = Vec::new();
        let mut k = 0;
        let members = self.members();
        while k < members.len() {
            let same = members[k..].iter().take_while(|m| m.owner == members[k].owner).count();
            let rows: Vec<usize> = (k..k + same).filter(|i| members[*i].rows > 0).collect();
            k += same;
            let Some((held, ends)) = rows.iter().find_map(|i| Some((*i, members[*i].element.ends()?))) else {
                continue;
            };
            let block = |place: &Place<P>| place.block_slot().and_then(|q| self.block_at(&members[held], q));
            let (a, b) = (block(&ends[0]), block(&ends[1]));
            let Some(body) = a.or(b) else { continue };
            let owner = members[held].owner.clone();
            out.push(Reaction { owner, members: rows, held, body, turned_around: a.is_none() });
        }
        out
    }
    /// Force and moment of a reaction at a point.
    pub fn wrench(&self, reaction: &Reaction, point: &Point<P>) -> Wrench<P> {
        let part = |moment: bool, axis: usize| {
            let reaction = reaction.clone();
            self.component(&Component { reaction, moment, axis, axes: ReactionAxes::Ground }, point)
        };
        let held = &self.members()[reaction.held];
        let mut frame = Frame::<P>::default();
        frame.gather_q(&held.wires, &point.q, point.t);
        let at = held.element.ends().map_or([P::zero(); 3], |ends| ends[0].position(&frame.q).into());
        Wrench { at, force: [0, 1, 2].map(|k| part(false, k)), moment: [0, 1, 2].map(|k| part(true, k)) }
    }
    /// The value of a component.
    pub(super) fn component(&self, c: &Component, point: &Point<P>) -> P {
        let mut sum = P::zero();
        self.sweep_reaction(c, point, None, |row, x| sum += point.lambda[row] * x.re);
        sum
    }
    /// Gives for each constraint row what a unit of its multiplier adds to the component, and the
    /// derivative of that along velocity `along`.
    pub(super) fn sweep_reaction(
        &self,
        c: &Component,
        point: &Point<P>,
        along: Option<usize>,
        mut each: impl FnMut(usize, D1<P>),
    ) {
        let mut frame = Frame::<D2<P>>::default();
        let held = &self.members()[c.reaction.held];
        self.take(&mut frame, held, point, along);
        let Some(test) = self.test_velocity(c, held, &frame.q) else { return };
        for k in &c.reaction.members {
            let m = &self.members()[*k];
            let Some(first) = self.local_of(m, c) else { continue };
            self.take(&mut frame, m, point, along);
            let kind = self.coordinates().block(c.reaction.body).kind;
            let d = test.map(|x| x * outer());
            kind.retract(&mut frame.q[first..first + kind.nq()], &d[..kind.nv()]);
            frame.phi(m);
            for (i, x) in frame.out.iter().enumerate().take(m.rows - m.velocity_rows) {
                each(m.row + i, if c.reaction.turned_around { x.eps } else { -x.eps });
            }
            if m.velocity_rows > 0 {
                self.take(&mut frame, m, point, along);
                let first = self.local_velocity_of(m, c);
                frame.set_velocities(m, |_| D2::constant(D1::constant(P::zero())));
                frame.v[first..first + kind.nv()].copy_from_slice(&d[..kind.nv()]);
                frame.rates(m);
                for (row, x) in m.own_velocity_rows().zip(&frame.out) {
                    each(row, if c.reaction.turned_around { x.eps } else { -x.eps });
                }
            }
        }
    }
    fn take(&self, frame: &mut Frame<D2<P>>, m: &Member<P>, point: &Point<P>, along: Option<usize>) {
        frame.gather_q(&m.wires, &point.q, point.t);
        if let Some(j) = along.and_then(|i| m.wires.v_index.iter().position(|v| *v == i)) {
            frame.step(&m.wires, self.coordinates(), j, inner());
        }
    }
    /// First local configuration index of the reaction's body in a member.
    fn local_of(&self, m: &Member<P>, c: &Component) -> Option<usize> {
        let mut first = 0;
        for id in &m.wires.blocks {
            if *id == c.reaction.body {
                return Some(first);
            }
            first += self.coordinates().block(*id).kind.nq();
        }
        None
    }
    /// First local velocity index of the reaction's body in a member that sees it.
    fn local_velocity_of(&self, m: &Member<P>, c: &Component) -> usize {
        let before = m.wires.blocks.iter().take_while(|id| **id != c.reaction.body);
        before.map(|id| self.coordinates().block(*id).kind.nv()).sum()
    }
    /// The block of a member whose local configuration starts at `q`.
    fn block_at(&self, m: &Member<P>, q: usize) -> Option<crate::BlockId> {
        let mut first = 0;
        for id in &m.wires.blocks {
            if first == q {
                return Some(*id);
            }
            first += self.coordinates().block(*id).kind.nq();
        }
        None
    }
    /// Velocities of the body that do unit work on the component; none where it has no such motion.
    fn test_velocity<S: crate::element::Tower<P>>(
        &self,
        c: &Component,
        held: &Member<P>,
        q: &[S],
    ) -> Option<[S; 6]> {
        let ends = held.element.ends()?;
        let first = self.local_of(held, c)?;
        let u = axis(&held.element, &ends[1], c, q);
        let kind = self.coordinates().block(c.reaction.body).kind;
        let at = &q[first..first + kind.nq()];
        let in_space = matches!(kind, BlockKind::Pose | BlockKind::SpatialPoint);
        let height = if in_space { at[2] } else { S::zero() };
        let arm = ends[0].position(q) - Vector3::new(at[0], at[1], height);
        let (shift, turn) = if c.moment { (cross(&arm, &u), u) } else { (u, Vector3::from([S::zero(); 3])) };
        let mut out = [S::zero(); 6];
        (out[0], out[1]) = (shift.x, shift.y);
        match kind {
            BlockKind::Pose => {
                let w = turned_back([at[3], at[4], at[5], at[6]], &turn);
                (out[2], out[3], out[4], out[5]) = (shift.z, w.x, w.y, w.z);
            }
            BlockKind::PlanarPose => out[2] = turn.z,
            // A point does not turn.
            BlockKind::PlanarPoint | BlockKind::SpatialPoint if c.moment => return None,
            BlockKind::PlanarPoint => {}
            BlockKind::SpatialPoint => out[2] = shift.z,
            BlockKind::Angle | BlockKind::ElasticNode | BlockKind::Displacement | BlockKind::Vector(_) => {
                return None;
            }
        }
        Some(out)
    }
}

/// The axis of a component in ground axes.
fn axis<P: Data, S: crate::element::Tower<P>>(
    element: &Element<P>,
    b: &Place<P>,
    c: &Component,
    q: &[S],
) -> Vector3<S> {
    let mut unit = Vector3::from([S::zero(); 3]);
    unit[c.axis] = S::one();
    if c.axes == ReactionAxes::Ground {
        return unit;
    }
    match element {
        Element::Joint(joint) => return joint.b.axis(q, c.axis),
        // x along the line, y across.
        Element::OnLine(line) if c.axis < 2 => {
            let [x, y] = line.axis.map(S::lift);
            let along = Vector3::new(x, y, S::zero());
            let across = Vector3::new(-y, x, S::zero());
            let attitude = Attitude::Planar(line.frame);
            return attitude.turned(q, if c.axis == 0 { &along } else { &across });
        }
        // x from a to b; across it there is no reaction.
        Element::Distance(line) => {
            let d = line.b.position(q) - line.a.position(q);
            let length = if c.axis == 0 { (d.x * d.x + d.y * d.y + d.z * d.z).sqrt() } else { S::one() };
            return if c.axis == 0 { d / length } else { Vector3::from([S::zero(); 3]) };
        }
        _ => {}
    }
    let attitude = match *b {
        Place::OnPlanarBody { q, v, .. } => Attitude::Planar(AngleOf::Coordinate { q: q + 2, v: v + 2 }),
        Place::OnLink { frame, at } => Attitude::Planar(AngleOf::OnLink { frame, at }),
        Place::OnBody { q, v, .. } => Attitude::Spatial { q: q + 3, v: v + 3 },
        Place::Ground(_) | Place::PlanarPoint { .. } | Place::SpatialPoint { .. } => Attitude::GROUND,
    };
    attitude.turned(q, &unit)
}
