//! Parts of a model that a torque turns for ever, because nothing holds them about an axis.
//!
//! ```text
//! xi: the part turns as a whole about an axis fixed in what carries it;   Phi_q xi = 0,   f . xi = constant /= 0   for every configuration
//! ```
//!
//! f . xi = 0 at rest, as reactions do no work along xi: there is no equilibrium. The work is constant where all elements of the part see the same
//! when it turns as a whole, and what ties it to the rest are bearings with this axis, and torques. The weight and the forces on a part that is one rigid
//! body add a cos phi + b sin phi to it, in the angle phi of the turn, which leaves no zero where the torque is larger.
//! Elements of which that is not known leave the question open, for the search of an equilibrium to decide.

use super::strainless::root;
use crate::coordinates::{Block, BlockId, BlockKind};
use crate::element::rotation::{about, product, turned, turned_back};
use crate::element::{AngleOf, Attitude, Effort, Element, ForceFrame, JointFrame, Locked, Place};
use crate::model::{Member, Model};
use crate::state::Point;
use nalgebra::Vector3;

/// Distances relative to the size of the model, and sines of angles, that are rounding of axes.
const ALONG: f64 = 1e-9;
/// Share of the work of all forces in a part, added up without their signs, below which their sum is rounding.
const ROUNDING: f64 = 1e-9;
/// Elements that are looked at, over all torques: tenths of a second.
const WORK: usize = 20_000_000;

/// A part that turns, whatever its configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The torque, such as `torque 'drive'`.
    pub torque: String,
    /// Velocities of the part that turns at 1 rad/s, nv.
    pub motion: Vec<f64>,
    /// The moment about the axis that nothing balances, in the mean over a turn, N m.
    pub moment: f64,
}

/// What carries a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carrier {
    Ground,
    Body(usize),
}

/// A line in ground axes.
#[derive(Clone, Copy, Debug)]
struct Axis {
    through: Vector3<f64>,
    along: Vector3<f64>,
}

/// What an element does to a part that turns.
enum Does {
    /// It sees the same.
    Nothing,
    /// A bearing at a point, about an axis, or about every axis through it.
    Bears(Vector3<f64>, Option<Vector3<f64>>),
    /// A torque whose work is constant, about an axis.
    Twists(Vector3<f64>),
    /// A load of constant direction, or constant in the body it acts on.
    Loads,
    /// Anything else.
    Unknown,
}

impl Model<f64> {
    /// The first part that a torque turns for ever at the time and with the inputs of a point: then there is no equilibrium. That there is none does
    /// not say that there is an equilibrium.
    pub fn turns(&self, point: &Point) -> Option<Turn> {
        let torques = self.members().iter().filter(|m| strength(m, point) != 0.0);
        // Each looks at all elements a few times.
        let most = WORK / (1 + self.members().len());
        torques.take(most).find_map(|m| {
            let (sides, along) = self.torque_of(m, point)?;
            let [on, from] = sides;
            let tries = [(on, from), (from, on)];
            tries.into_iter().find_map(|(of, carrier)| match of {
                Carrier::Body(block) => self.turned_by(m, block, carrier, along, point),
                Carrier::Ground => None,
            })
        })
    }

    /// The bodies that a torque acts between and its direction, where it is one.
    fn torque_of(&self, m: &Member<f64>, point: &Point) -> Option<([Carrier; 2], Vector3<f64>)> {
        let at = local(m, point);
        match &m.element {
            Element::Torque(e) => Some(([self.of_angle(m, e.on)?, self.of_angle(m, e.from)?], Vector3::z())),
            Element::Motor(e) => match &e.effort {
                Effort::Torque(hinge) => {
                    let sides = [&hinge.a, &hinge.b].map(|frame| self.of_attitude(m, frame.attitude));
                    Some(([sides[0]?, sides[1]?], hinge.b.axis(&at, 2)))
                }
                Effort::Force(_) => None,
            },
            Element::Moment(e) if e.frame.is_ground() && e.from.is_ground() => {
                let direction = Vector3::from(e.direction);
                Some(([self.of_attitude(m, e.on)?, Carrier::Ground], direction.try_normalize(0.0)?))
            }
            _ => None,
        }
    }

    /// The block that a local configuration number belongs to.
    fn holder(&self, m: &Member<f64>, q: usize) -> Option<usize> {
        let global = *m.wires.q_index.get(q)?;
        self.coordinates().blocks().partition_point(|block| block.q <= global).checked_sub(1)
    }

    fn of_angle(&self, m: &Member<f64>, angle: AngleOf) -> Option<Carrier> {
        match angle {
            AngleOf::Ground => Some(Carrier::Ground),
            AngleOf::Coordinate { q, .. } => self.holder(m, q).map(Carrier::Body),
            AngleOf::OnLink { frame, .. } => self.holder(m, frame.q).map(Carrier::Body),
            AngleOf::Section { .. } => None,
        }
    }

    fn of_attitude(&self, m: &Member<f64>, attitude: Attitude) -> Option<Carrier> {
        match attitude {
            Attitude::Planar(angle) => self.of_angle(m, angle),
            Attitude::Spatial { q, .. } => self.holder(m, q).map(Carrier::Body),
        }
    }

    /// The part of a body without its bearings in a carrier, where that turns for ever about a direction.
    fn turned_by(
        &self,
        torque: &Member<f64>,
        body: usize,
        carrier: Carrier,
        along: Vector3<f64>,
        point: &Point,
    ) -> Option<Turn> {
        let part = self.part_of(body, carrier);
        let inside = |id: &BlockId| part[id.0];
        if let Carrier::Body(b) = carrier
            && part[b]
        {
            return None;
        }
        let blocks: Vec<&Block> =
            self.coordinates().blocks().iter().zip(&part).filter(|(_, p)| **p).map(|(b, _)| b).collect();
        let rigid = carrier == Carrier::Ground && blocks.len() == 1;
        let size = 1.0 + point.q.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let (mut through, mut hinged, mut loaded) = (None, false, false);
        for m in self.members().iter().filter(|m| m.wires.blocks.iter().any(inside)) {
            let whole = m.wires.blocks.iter().all(inside);
            match self.does(m, whole, &along, carrier, point) {
                Does::Nothing => {}
                Does::Twists(about) if about.cross(&along).norm() <= ALONG => {}
                Does::Bears(at, about) if about.is_none_or(|a| a.cross(&along).norm() <= ALONG) => {
                    let off = through.map_or(0.0, |known: Vector3<f64>| (at - known).cross(&along).norm());
                    if off > ALONG * size {
                        return None;
                    }
                    (through, hinged) = (through.or(Some(at)), hinged || about.is_some());
                }
                Does::Loads if rigid => loaded = true,
                _ => return None,
            }
        }
        // On a ball joint a load may come nearer to the axis or further from it, and the axis of a motor may turn.
        hinged |= through.is_some() && blocks.iter().all(|block| block.kind == BlockKind::PlanarPose);
        if !hinged && (loaded || matches!(torque.element, Element::Motor(_))) {
            return None;
        }
        let axis = Axis { through: through.unwrap_or_else(Vector3::zeros), along };
        let motion = motion(&blocks, &axis, point, self.nv())?;
        let (moment, size) = self.work(point, &motion);
        let (moment, swing) = if loaded { self.over_a_turn(&blocks, &axis, point)? } else { (moment, 0.0) };
        (moment.abs() > swing * (1.0 + ROUNDING) + ROUNDING * size).then(|| Turn {
            torque: torque.owner.clone(),
            motion,
            moment,
        })
    }

    /// The blocks that are tied to one by anything but torques and its bearings in the carrier.
    fn part_of(&self, body: usize, carrier: Carrier) -> Vec<bool> {
        let count = self.coordinates().blocks().len();
        let mut parent: Vec<usize> = (0..count).collect();
        for m in self.members() {
            let bearing = match carrier {
                Carrier::Body(b) => {
                    let of = &m.wires.blocks;
                    is_bearing(&m.element)
                        && of.len() == 2
                        && of.contains(&BlockId(b))
                        && of.contains(&BlockId(body))
                }
                Carrier::Ground => false,
            };
            if bearing || matches!(m.element, Element::Torque(_) | Element::Motor(_)) {
                continue;
            }
            for pair in m.wires.blocks.windows(2) {
                let (a, b) = (root(&mut parent, pair[0].0), root(&mut parent, pair[1].0));
                parent[a.max(b)] = a.min(b);
            }
        }
        let own = root(&mut parent, body);
        (0..count).map(|i| root(&mut parent, i) == own).collect()
    }

    /// The work of the applied forces along a motion, and the sum of its terms without signs.
    fn work(&self, point: &Point, motion: &[f64]) -> (f64, f64) {
        let residual = self.applied_residual(point);
        let terms = residual.iter().zip(motion).map(|(r, v)| -r * v);
        terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
    }

    /// Mean and amplitude of the work on one rigid body that turns: a + b cos phi + c sin phi by three angles.
    fn over_a_turn(&self, blocks: &[&Block], axis: &Axis, point: &Point) -> Option<(f64, f64)> {
        let thirds = [0.0, 1.0, 2.0].map(|k| {
            let mut there = point.clone();
            for block in blocks {
                turn(block, axis, k * std::f64::consts::TAU / 3.0, &mut there.q);
            }
            motion(blocks, axis, &there, self.nv()).map(|motion| self.work(&there, &motion).0)
        });
        let [a, b, c] = [thirds[0]?, thirds[1]?, thirds[2]?];
        let mean = (a + b + c) / 3.0;
        // The squares of three equally spaced values add up to 3/2 of that of the amplitude.
        let square = [a, b, c].iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() * (2.0 / 3.0);
        Some((mean, square.sqrt()))
    }

    /// What an element does to the part. `whole`: it sees nothing outside but perhaps the ground.
    fn does(
        &self,
        m: &Member<f64>,
        whole: bool,
        along: &Vector3<f64>,
        carrier: Carrier,
        point: &Point,
    ) -> Does {
        let inside = |ground: bool| if whole && !ground { Does::Nothing } else { Does::Unknown };
        let of_ground = |place: Place| matches!(place, Place::Ground(_));
        let in_ground = |frame: &JointFrame| of_ground(frame.place) || frame.attitude.is_ground();
        let at = local(m, point);
        match &m.element {
            Element::PointMass(_)
            | Element::PlanarBody(_)
            | Element::SpatialBody(_)
            | Element::BeamInertia(_)
            | Element::BrickInertia(_)
            | Element::Link(_) => {
                // The axis of a carrier that moves may point anywhere.
                let g = Vector3::from(self.gravity);
                let across = g.cross(along).norm() > ALONG * g.norm() || carrier != Carrier::Ground;
                if g.norm() > 0.0 && across { Does::Loads } else { Does::Nothing }
            }
            Element::BrickStrain(_) | Element::ReferenceConditions(_) => inside(false),
            Element::BeamStrain(e) => inside(e.is_on_ground()),
            Element::Rod(e) => inside(e.ends.into_iter().any(of_ground)),
            // A damper.
            Element::Spring(e) if e.stiffness == 0.0 => Does::Nothing,
            Element::TorsionSpring(e) if e.stiffness == 0.0 => Does::Nothing,
            Element::HingeSpring(e) if e.stiffness == 0.0 => Does::Nothing,
            Element::Spring(e) => inside(of_ground(e.a) || of_ground(e.b)),
            Element::Distance(e) => inside(of_ground(e.a) || of_ground(e.b)),
            Element::OnLine(e) => {
                inside(of_ground(e.base) || of_ground(e.point) || e.frame == AngleOf::Ground)
            }
            Element::TorsionSpring(e) => inside(e.a == AngleOf::Ground || e.b == AngleOf::Ground),
            Element::RelativeAngle(e) => inside(e.a == AngleOf::Ground || e.b == AngleOf::Ground),
            Element::MeanTie(e) => inside(e.is_on_ground()),
            Element::HingeSpring(e) => inside(in_ground(&e.hinge.a) || in_ground(&e.hinge.b)),
            Element::Bushing(e) => inside(in_ground(&e.a) || in_ground(&e.b)),
            Element::Coincident(e) if whole && !of_ground(e.a) && !of_ground(e.b) => Does::Nothing,
            Element::Coincident(e) => Does::Bears(e.a.position(&at), None),
            Element::Joint(e) if whole && !in_ground(&e.a) && !in_ground(&e.b) => Does::Nothing,
            Element::Joint(e) => match e.locked {
                Locked::REVOLUTE | Locked::CYLINDRICAL => {
                    Does::Bears(e.b.place.position(&at), Some(e.b.axis(&at, 2)))
                }
                Locked::SPHERICAL => Does::Bears(e.b.place.position(&at), None),
                _ => Does::Unknown,
            },
            Element::Torque(_) => Does::Twists(Vector3::z()),
            Element::Motor(e) => match &e.effort {
                Effort::Torque(hinge) if whole && !in_ground(&hinge.a) && !in_ground(&hinge.b) => {
                    Does::Nothing
                }
                Effort::Torque(hinge) => Does::Twists(hinge.b.axis(&at, 2)),
                Effort::Force(slide) => inside(in_ground(&slide.a) || in_ground(&slide.b)),
            },
            Element::Moment(e) if e.frame.is_ground() && carrier == Carrier::Ground => Does::Twists(*along),
            Element::Force(e) => match e.frame {
                ForceFrame::Ground => Does::Loads,
                ForceFrame::Follower(_) if whole => Does::Loads,
                ForceFrame::Follower(_) => Does::Unknown,
            },
            _ => Does::Unknown,
        }
    }
}

/// Magnitude of a torque or moment, zero for anything else.
fn strength(m: &Member<f64>, point: &Point) -> f64 {
    let law = match &m.element {
        Element::Torque(e) => &e.magnitude,
        Element::Motor(e) => &e.magnitude,
        Element::Moment(e) => &e.magnitude,
        _ => return 0.0,
    };
    law.eval(point.t) + m.wires.inputs.iter().map(|i| point.u[*i]).sum::<f64>()
}

/// The local configuration of an element.
fn local(m: &Member<f64>, point: &Point) -> Vec<f64> {
    m.wires.q_index.iter().map(|i| point.q[*i]).collect()
}

/// Whether an element lets one body turn in another and nothing else.
fn is_bearing(element: &Element<f64>) -> bool {
    match element {
        Element::Coincident(_) => true,
        Element::Joint(e) => matches!(e.locked, Locked::REVOLUTE | Locked::CYLINDRICAL | Locked::SPHERICAL),
        _ => false,
    }
}

/// The velocities of blocks that turn as one about an axis at 1 rad/s; none for coordinates of which that is not known.
fn motion(blocks: &[&Block], axis: &Axis, point: &Point, nv: usize) -> Option<Vec<f64>> {
    let mut out = vec![0.0; nv];
    for block in blocks {
        let q = &point.q[block.q..block.q + block.kind.nq()];
        let v = &mut out[block.v..block.v + block.kind.nv()];
        let positions = block.kind.positions();
        let place = Vector3::from_fn(|k, _| if k < positions { q[k] } else { axis.through[k] });
        let velocity = axis.along.cross(&(place - axis.through));
        v.iter_mut().zip(velocity.iter()).take(positions).for_each(|(v, rate)| *v = *rate);
        match block.kind {
            BlockKind::PlanarPoint | BlockKind::SpatialPoint | BlockKind::ElasticNode => {}
            BlockKind::PlanarPose => v[2] = axis.along.z,
            BlockKind::Pose => {
                let spin = turned_back([q[3], q[4], q[5], q[6]], &axis.along);
                v[3..6].iter_mut().zip(spin.iter()).for_each(|(v, spin)| *v = *spin);
            }
            // An angle may be counted from the ground or from another body.
            BlockKind::Angle | BlockKind::Displacement | BlockKind::Vector(_) => return None,
        }
    }
    Some(out)
}

/// Turns a block about an axis.
fn turn(block: &Block, axis: &Axis, angle: f64, q: &mut [f64]) {
    let q = &mut q[block.q..block.q + block.kind.nq()];
    let by = about(axis.along.into(), angle);
    let positions = block.kind.positions();
    let place = Vector3::from_fn(|k, _| if k < positions { q[k] } else { axis.through[k] });
    let moved = axis.through + turned(by, &(place - axis.through));
    q.iter_mut().zip(moved.iter()).take(positions).for_each(|(q, x)| *q = *x);
    match block.kind {
        BlockKind::PlanarPose => q[2] += angle * axis.along.z,
        BlockKind::Pose => {
            let euler = product(by, [q[3], q[4], q[5], q[6]]);
            q[3..7].copy_from_slice(&euler);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
