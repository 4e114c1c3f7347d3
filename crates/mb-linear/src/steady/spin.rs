//! Velocities of everything behind a joint that turns.
//!
//! The joint, and every other joint on the same axis, is cut; what hangs together with its moving side is carried as a rigid
//! body would be: p' = W x (p - c), w = A^T W. Of force elements those across an axis (bushings, torsional springs, motors) do
//! not hold bodies together, unless nothing else tells the two sides of the joint apart from each other.

use super::generator::{in_body, positions};
use crate::error::LinearError;
use mb_constraints::assemble_velocities;
use mb_model::{BlockKind, Element, Member, Model, Point};
use std::collections::BTreeSet;

/// A rotation that is asked for: the joint by name and its speed in rad/s.
#[derive(Clone, Debug, PartialEq)]
pub struct Spin {
    /// Name of the joint.
    pub joint: String,
    /// Speed of its side a against b about the joint's axis, rad/s.
    pub speed: f64,
}

/// A line that things turn about.
#[derive(Clone, Copy, Debug)]
struct Axis {
    through: [f64; 3],
    along: [f64; 3],
}

/// Angles in rad, and lengths relative to the distance of two joints, up to which axes are one.
const SAME_AXIS: f64 = 1e-6;

impl Axis {
    /// The axis of a joint at `q`; none where it leaves no rotation about exactly one axis.
    fn of(member: &Member, q: &[f64]) -> Option<Self> {
        let local: Vec<f64> = member.wires.q_index.iter().map(|i| q[*i]).collect();
        match &member.element {
            Element::Coincident(e) => {
                Some(Self { through: e.a.position(&local).into(), along: [0.0, 0.0, 1.0] })
            }
            Element::Joint(e) => {
                let free: Vec<usize> = (0..3).filter(|k| !e.locked.rotation[*k]).collect();
                let [k] = free.as_slice() else { return None };
                Some(Self {
                    through: e.b.place.position(&local).into(),
                    along: e.b.axis::<f64>(&local, *k).into(),
                })
            }
            _ => None,
        }
    }
    /// Whether a joint lies on this axis and lets bodies turn about it.
    fn has(&self, member: &Member, q: &[f64]) -> bool {
        let local: Vec<f64> = member.wires.q_index.iter().map(|i| q[*i]).collect();
        let on_line = |p: [f64; 3]| {
            let d: [f64; 3] = std::array::from_fn(|i| p[i] - self.through[i]);
            let off = cross(self.along, d);
            let size = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            size(off) <= SAME_AXIS * size(d).max(SAME_AXIS)
        };
        match &member.element {
            Element::Coincident(e) => on_line(e.a.position(&local).into()),
            Element::Joint(e) if e.locked.rotation == [false; 3] => {
                on_line(e.a.place.position(&local).into())
            }
            Element::Joint(_) => Self::of(member, q).is_some_and(|other| {
                let apart = cross(self.along, other.along);
                on_line(other.through) && apart.iter().all(|x| x.abs() <= SAME_AXIS)
            }),
            _ => false,
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// The rows that a body's angle keeps are no joints.
fn is_joint(owner: &str) -> bool {
    owner.starts_with("joint '")
}

/// Whether an element lets its bodies turn about an axis between them.
fn across(element: &Element) -> bool {
    matches!(
        element,
        Element::Bushing(_)
            | Element::HingeSpring(_)
            | Element::TorsionSpring(_)
            | Element::Motor(_)
            | Element::Moment(_)
            | Element::Torque(_)
            | Element::Drive(_)
    )
}

/// The velocities (nv) of spins at a configuration, and the indices of the velocities that they give; those of other
/// coordinates follow from the constraints.
///
/// # Errors
/// [`LinearError::BadSpin`] for a joint that does not exist, leaves no rotation about one axis, does not part the model in two,
/// or is driven at another speed.
pub fn spinning(model: &Model, at: &Point, spins: &[Spin]) -> Result<(Vec<f64>, Vec<usize>), LinearError> {
    let bad = |joint: &str, problem: String| LinearError::BadSpin { joint: joint.to_owned(), problem };
    let mut v = vec![0.0; model.nv()];
    let mut given = BTreeSet::new();
    for (k, spin) in spins.iter().enumerate() {
        let owner = format!("joint '{}'", spin.joint);
        if spins[..k].iter().any(|other| other.joint == spin.joint) {
            return Err(bad(&spin.joint, "is given two speeds".to_owned()));
        }
        let members: Vec<&Member> = model.members().iter().filter(|m| m.owner == owner).collect();
        if members.is_empty() {
            let known: BTreeSet<&str> =
                model.members().iter().map(|m| m.owner.as_str()).filter(|o| is_joint(o)).collect();
            let known: Vec<&str> = known.into_iter().map(|o| &o["joint ".len()..]).collect();
            return Err(bad(&spin.joint, format!("does not exist; there are: {}", known.join(", "))));
        }
        let (axis, joint) = members
            .iter()
            .find_map(|m| Some((Axis::of(m, &at.q)?, *m)))
            .filter(|_| !members.iter().any(|m| matches!(m.element, Element::RelativeAngle(_))))
            .ok_or_else(|| bad(&spin.joint, "leaves no rotation about one axis".to_owned()))?;
        let (side, sign) = moving_side(model, at, &axis, joint)
            .ok_or_else(|| bad(&spin.joint, "does not part the model in two that can turn".to_owned()))?;
        let rate = axis.along.map(|x| sign * x * spin.speed);
        for block in model.coordinates().blocks().iter().enumerate().filter(|(i, _)| side.contains(i)) {
            let block = block.1;
            let places = positions(block.kind);
            let mut arm = [0.0; 3];
            for i in 0..3 {
                arm[i] = if i < places { at.q[block.q + i] } else { 0.0 } - axis.through[i];
            }
            let carried = cross(rate, arm);
            for i in 0..places {
                v[block.v + i] += carried[i];
                given.insert(block.v + i);
            }
            let turns: &[f64] = match block.kind {
                BlockKind::Pose => &in_body(block, &at.q, rate),
                BlockKind::PlanarPose => &[rate[2]],
                _ => &[],
            };
            for (i, x) in turns.iter().enumerate() {
                v[block.v + places + i] += x;
                given.insert(block.v + places + i);
            }
        }
    }
    let given: Vec<usize> = given.into_iter().collect();
    let all = assemble_velocities(model, &at.q, &v, at.t)?;
    // Coordinates without a place of their own, such as angles of lines, follow.
    for i in (0..v.len()).filter(|i| !given.contains(i)) {
        v[i] = all[i];
    }
    check_drives(model, at, &v, spins)?;
    Ok((v, given))
}

/// Refuses speeds at which a drive does not turn.
fn check_drives(model: &Model, at: &Point, v: &[f64], spins: &[Spin]) -> Result<(), LinearError> {
    let rates = model.phi_dot(&at.q, v, at.t);
    let size = v.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    for m in model.members().iter().filter(|m| matches!(m.element, Element::Drive(_))) {
        let off = rates[m.row].abs();
        if off > 1e-9 * size.max(1.0) {
            let joint = spins.last().map_or_else(String::new, |s| s.joint.clone());
            let problem = format!("contradicts {}, which gives another speed (off by {off:.6})", m.owner);
            return Err(LinearError::BadSpin { joint, problem });
        }
    }
    Ok(())
}

/// The blocks that turn with side a of a joint, and 1; where that is the ground those of side b, and -1.
fn moving_side(model: &Model, at: &Point, axis: &Axis, joint: &Member) -> Option<(BTreeSet<usize>, f64)> {
    let [a, b] = joint.element.ends()?;
    let block = |place: &mb_model::element::Place| -> Option<usize> {
        let q = first_index(place)?;
        let index = joint.wires.q_index[q];
        model.coordinates().blocks().iter().position(|b| (b.q..b.q + b.kind.nq()).contains(&index))
    };
    let (first, second) = (block(&a), block(&b));
    let (seed, other, sign) = match (first, second) {
        (Some(a), b) => (a, b, 1.0),
        (None, Some(b)) => (b, None, -1.0),
        (None, None) => return None,
    };
    [false, true].into_iter().find_map(|cut_forces| {
        let side = connected(model, at, axis, seed, cut_forces);
        other.is_none_or(|o| !side.contains(&o)).then_some((side, sign))
    })
}

fn first_index(place: &mb_model::element::Place) -> Option<usize> {
    use mb_model::element::Place;
    match place {
        Place::Ground(_) => None,
        Place::PlanarPoint { q, .. }
        | Place::SpatialPoint { q, .. }
        | Place::OnPlanarBody { q, .. }
        | Place::OnBody { q, .. } => Some(*q),
        Place::OnLink { frame, .. } => Some(frame.q),
    }
}

/// The blocks that hang together with `seed` when the joints on the axis are cut.
fn connected(model: &Model, at: &Point, axis: &Axis, seed: usize, cut_forces: bool) -> BTreeSet<usize> {
    let cut: BTreeSet<&str> = model
        .members()
        .iter()
        .filter(|m| is_joint(&m.owner) && axis.has(m, &at.q))
        .map(|m| m.owner.as_str())
        .collect();
    let holds = |m: &Member| {
        let force = across(&m.element) || matches!(m.element, Element::Spring(_));
        !(cut.contains(m.owner.as_str()) || matches!(m.element, Element::Drive(_)) || cut_forces && force)
    };
    let mut side = BTreeSet::from([seed]);
    loop {
        let before = side.len();
        for m in model.members().iter().filter(|m| holds(m)) {
            if m.wires.blocks.iter().any(|b| side.contains(&b.0)) {
                side.extend(m.wires.blocks.iter().map(|b| b.0));
            }
        }
        if side.len() == before {
            return side;
        }
    }
}
