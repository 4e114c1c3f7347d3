//! Velocities of everything that is said to turn: behind a joint, or by name.
//!
//! The joint, and every other joint on the same axis, is cut; what hangs together with its moving side is carried as a rigid
//! body would be: p' = W x (p - c), w = A^T W. Of force elements those across an axis (bushings, torsional springs, motors) do
//! not hold bodies together, unless nothing else distinguishes the two sides of the joint.

use super::generator::{in_body, in_ground, length, positions};
use crate::error::LinearError;
use mb_constraints::assemble_velocities;
use mb_model::{BlockKind, Carried, Element, Member, Model, Point};
use std::collections::BTreeSet;

/// A rotation that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Spin {
    /// What turns: everything behind a joint (side a against side b about the joint's axis), or blocks about an axis.
    pub carries: Carried,
    /// Speed, rad/s.
    pub speed: f64,
}

impl Spin {
    /// Everything behind the joint of this name turns.
    pub fn behind(joint: impl Into<String>, speed: f64) -> Self {
        Self { carries: Carried::Joint(joint.into()), speed }
    }
    /// The rotations that the model's own tables name.
    pub fn of_model(model: &Model) -> Vec<Self> {
        let own = model.steady_rotations().iter();
        own.map(|r| Self { carries: r.carries.clone(), speed: r.speed }).collect()
    }
    /// The joint, or the first of the bodies: for messages.
    pub fn name(&self, model: &Model) -> String {
        match &self.carries {
            Carried::Joint(joint) => format!("joint '{joint}'"),
            Carried::Blocks { blocks, .. } => {
                let first = blocks.first().map_or("", |b| model.coordinates().block(*b).name.as_str());
                format!("rotation of '{first}'")
            }
        }
    }
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

/// Blocks of coordinates that turn with a rate (rad/s, ground's axes) about an axis through a place.
struct Turn {
    blocks: BTreeSet<usize>,
    rate: [f64; 3],
    through: [f64; 3],
}

/// The velocities (nv) of spins at a configuration, and the indices of the velocities that they give; those of other
/// coordinates follow from the constraints.
///
/// # Errors
/// [`LinearError::BadSpin`] for a joint that does not exist, leaves no rotation about one axis, does not part the model in two,
/// or for speeds that contradict a drive or another constraint.
pub fn spinning(model: &Model, at: &Point, spins: &[Spin]) -> Result<(Vec<f64>, Vec<usize>), LinearError> {
    let mut v = vec![0.0; model.nv()];
    let mut given = BTreeSet::new();
    let mut own = Vec::with_capacity(spins.len());
    for (k, spin) in spins.iter().enumerate() {
        let mut alone = vec![0.0; model.nv()];
        if spins[..k].iter().any(|other| other.carries == spin.carries) {
            return Err(bad(spin.name(model), "is given two speeds".to_owned()));
        }
        let Turn { blocks, rate, through } = match &spin.carries {
            Carried::Joint(joint) => behind(model, at, joint, spin.speed)?,
            Carried::Blocks { axis, through, blocks } => Turn {
                blocks: blocks.iter().map(|b| b.0).collect(),
                rate: axis.map(|x| x * spin.speed),
                through: *through,
            },
        };
        for i in blocks {
            let block = &model.coordinates().blocks()[i];
            let places = positions(block.kind);
            let mut arm = [0.0; 3];
            for i in 0..3 {
                // Displacements count from a place that turns along.
                let centre = if block.kind == BlockKind::Displacement { 0.0 } else { through[i] };
                arm[i] = if i < places { at.q[block.q + i] } else { 0.0 } - centre;
            }
            let carried = cross(rate, arm);
            for i in 0..places {
                alone[block.v + i] += carried[i];
                given.insert(block.v + i);
            }
            let turns: &[f64] = match block.kind {
                BlockKind::Pose => &in_body(block, &at.q, rate),
                BlockKind::PlanarPose => &[rate[2]],
                _ => &[],
            };
            for (i, x) in turns.iter().enumerate() {
                alone[block.v + places + i] += x;
                given.insert(block.v + places + i);
            }
        }
        v.iter_mut().zip(&alone).for_each(|(v, x)| *v += x);
        own.push(alone);
    }
    let given: Vec<usize> = given.into_iter().collect();
    if given.len() < model.nv() {
        let all = assemble_velocities(model, &at.q, &v, at.t)?;
        // Coordinates without a place of their own, such as angles of lines, follow; so does what no spin carries.
        for i in (0..v.len()).filter(|i| given.binary_search(i).is_err()) {
            v[i] = all[i];
        }
    }
    check_constraints(model, at, &v, spins, &own)?;
    Ok((v, given))
}

fn bad(who: String, problem: String) -> LinearError {
    LinearError::BadSpin { who, problem }
}

/// What turns behind a joint.
fn behind(model: &Model, at: &Point, joint: &str, speed: f64) -> Result<Turn, LinearError> {
    let owner = format!("joint '{joint}'");
    let members: Vec<&Member> = model.members().iter().filter(|m| m.owner == owner).collect();
    if members.is_empty() {
        let known: BTreeSet<&str> =
            model.members().iter().map(|m| m.owner.as_str()).filter(|o| is_joint(o)).collect();
        let known: Vec<&str> = known.into_iter().map(|o| &o["joint ".len()..]).collect();
        let there = match known[..] {
            [] => "the model has no joints".to_owned(),
            _ => format!("there are: {}", known.join(", ")),
        };
        return Err(bad(owner, format!("does not exist; {there}")));
    }
    let (axis, joint) = members
        .iter()
        .find_map(|m| Some((Axis::of(m, &at.q)?, *m)))
        .filter(|_| !members.iter().any(|m| matches!(m.element, Element::RelativeAngle(_))))
        .ok_or_else(|| bad(owner.clone(), "leaves no rotation about one axis".to_owned()))?;
    let (blocks, sign) = moving_side(model, at, &axis, joint)
        .ok_or_else(|| bad(owner.clone(), "does not part the model in two that can turn".to_owned()))?;
    Ok(Turn { blocks, rate: axis.along.map(|x| sign * x * speed), through: axis.through })
}

/// Refuses speeds at which a constraint does not hold: that of a drive, or of a joint that they would break.
///
/// Of several spins the one is named whose own velocities, `own`, have the largest share in the rate of that constraint.
fn check_constraints(
    model: &Model,
    at: &Point,
    v: &[f64],
    spins: &[Spin],
    own: &[Vec<f64>],
) -> Result<(), LinearError> {
    let rates = model.phi_dot(&at.q, v, at.t);
    let size = v.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let Some((row, off)) = mb_constraints::largest(&rates) else { return Ok(()) };
    if off <= BROKEN * size.max(1.0) {
        return Ok(());
    }
    let phi_q = model.phi_q(&at.q, at.t).to_sparse();
    let share = |alone: &Vec<f64>| mb_algebra::sparse::matvec(&phi_q, alone)[row].abs();
    let most = spins.iter().zip(own.iter().map(share)).max_by(|a, b| a.1.total_cmp(&b.1));
    let who = most.map_or_else(String::new, |(s, _)| s.name(model));
    let drive = model.members_of_row(row).find(|m| matches!(m.element, Element::Drive(_)));
    let problem = match drive {
        Some(m) => format!("contradicts {}, which gives another speed", m.owner),
        None => format!("contradicts {}, which would part by {off:.6} a second", model.row_name(row)),
    };
    Err(bad(who, problem))
}

/// Rates of constraints up to which they hold, compared with the largest speed.
const BROKEN: f64 = 1e-9;

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

/// The largest angular velocity of a body or of an angle, rad/s.
pub fn fastest_turn(model: &Model, point: &Point) -> f64 {
    let turn = |b: &mb_model::Block| match b.kind {
        BlockKind::Angle => point.v[b.v].abs(),
        _ => length(in_ground(b, point)),
    };
    model.coordinates().blocks().iter().map(turn).fold(0.0, f64::max)
}
