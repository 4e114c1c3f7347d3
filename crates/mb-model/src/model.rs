//! The model: blocks of coordinates, elements on them, sensors; constant once built.

use crate::configuration_names::Held;
use crate::coordinates::{Block, BlockId, BlockKind, Coordinates};
use crate::element::{AngleOf, Attitude, Data, Element, Place};
use crate::sensor::{Component, Reading};
use crate::steady_rotation::SteadyRotation;

/// An element in a model: whose it is, which coordinates it sees, where its rows stand.
#[derive(Clone, Debug)]
pub struct Member<P: Data = f64> {
    /// What it belongs to in the user's words, such as `joint 'elbow'`.
    pub owner: String,
    /// The law.
    pub element: Element<P>,
    /// The coordinates and inputs it sees.
    pub wires: Wires,
    /// Its first constraint row; neighbours with the same one are terms of one sum.
    pub row: usize,
    /// Number of its constraint rows.
    pub rows: usize,
    /// How many of them, the last ones, are velocity rows.
    pub velocity_rows: usize,
}

/// What an element or a sensor sees of the model: blocks, inputs, and where they stand.
#[derive(Clone, Debug)]
pub struct Wires {
    /// The blocks, in local order.
    pub blocks: Vec<BlockId>,
    /// The inputs, in local order.
    pub inputs: Vec<usize>,
    /// Global configuration index of each local one.
    pub q_index: Vec<usize>,
    /// Global velocity index of each local one.
    pub v_index: Vec<usize>,
    /// True when q (+) d = q + d for all its blocks.
    pub linear: bool,
}

impl Wires {
    fn new(coordinates: &Coordinates, blocks: Vec<BlockId>, inputs: Vec<usize>) -> Self {
        let of = |f: fn(&Block) -> (usize, usize)| {
            blocks
                .iter()
                .flat_map(|b| {
                    let (start, n) = f(coordinates.block(*b));
                    start..start + n
                })
                .collect()
        };
        Self {
            q_index: of(|b| (b.q, b.kind.nq())),
            v_index: of(|b| (b.v, b.kind.nv())),
            linear: blocks.iter().all(|b| coordinates.block(*b).kind.is_linear()),
            blocks,
            inputs,
        }
    }
}

/// A named output.
#[derive(Clone, Debug)]
pub struct Sensor<P: Data = f64> {
    /// Name in the user's words.
    pub name: String,
    /// What is read.
    pub reading: Reading<P>,
    /// The coordinates the quantity sees.
    pub wires: Wires,
}

/// Which blocks an element sees, and the local indices of each.
///
/// Places and angles are asked for one by one; a block that is asked for twice is entered once.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    blocks: Vec<BlockId>,
    slots: Vec<(usize, usize)>,
    next: (usize, usize),
}

impl Wiring {
    /// First local indices (q, v) of `block`.
    pub fn slot(&mut self, id: BlockId, block: &Block) -> (usize, usize) {
        if let Some(k) = self.blocks.iter().position(|b| *b == id) {
            return self.slots[k];
        }
        let slot = self.next;
        self.blocks.push(id);
        self.slots.push(slot);
        self.next = (slot.0 + block.kind.nq(), slot.1 + block.kind.nv());
        slot
    }
    /// The blocks in local order.
    pub fn into_blocks(self) -> Vec<BlockId> {
        self.blocks
    }
}

/// A constrained mechanical system with its data in SI units.
///
/// Made by [`crate::ModelSpec::build`] from a description, or block by block with
/// [`Model::add_block`] and [`Model::add_element`]. It holds no state and no scratch: all
/// evaluations take a [`crate::Point`].
#[derive(Clone, Debug)]
pub struct Model<P: Data = f64> {
    /// Name of the model.
    pub name: String,
    /// Acceleration of gravity in m/s^2.
    pub gravity: [P; 3],
    coordinates: Coordinates,
    members: Vec<Member<P>>,
    sensors: Vec<Sensor<P>>,
    inputs: Vec<String>,
    rows: usize,
    initial: Vec<P>,
    initial_velocity: Vec<P>,
    steady_rotations: Vec<SteadyRotation<P>>,
}

impl<P: Data> Model<P> {
    /// A model without coordinates or elements.
    pub fn new(name: impl Into<String>, gravity: [P; 3]) -> Self {
        Self {
            name: name.into(),
            gravity,
            coordinates: Coordinates::default(),
            members: Vec::new(),
            sensors: Vec::new(),
            inputs: Vec::new(),
            rows: 0,
            initial: Vec::new(),
            initial_velocity: Vec::new(),
            steady_rotations: Vec::new(),
        }
    }
    /// Adds a block of coordinates with its initial configuration (nq numbers).
    ///
    /// # Panics
    /// When `initial` has not the size of the block.
    pub fn add_block(&mut self, name: impl Into<String>, kind: BlockKind, initial: &[P]) -> BlockId {
        assert_eq!(initial.len(), kind.nq(), "initial configuration of a block");
        self.initial.extend_from_slice(initial);
        self.initial_velocity.resize(self.initial_velocity.len() + kind.nv(), P::zero());
        self.coordinates.push(name, kind)
    }
    /// Sets the velocity of a block at the start of a motion (nv numbers); without it, zero.
    ///
    /// # Panics
    /// When `velocity` has not the size of the block.
    pub fn set_initial_velocity(&mut self, id: BlockId, velocity: &[P]) {
        let block = self.coordinates.block(id);
        self.initial_velocity[block.v..block.v + block.kind.nv()].copy_from_slice(velocity);
    }
    /// Adds a named input and returns its index.
    pub fn add_input(&mut self, name: impl Into<String>) -> usize {
        self.inputs.push(name.into());
        self.inputs.len() - 1
    }
    /// Adds an element on `blocks`; its constraint rows follow those already there.
    ///
    /// `inputs` has one index for each input of the element.
    ///
    /// # Panics
    /// When the number of inputs is not the element's.
    pub fn add_element(
        &mut self,
        owner: impl Into<String>,
        element: Element<P>,
        blocks: Vec<BlockId>,
        inputs: Vec<usize>,
    ) {
        assert_eq!(inputs.len(), element.inputs(), "inputs of an element");
        let member = Member {
            owner: owner.into(),
            row: self.rows,
            rows: element.rows(),
            velocity_rows: element.velocity_rows(),
            element,
            wires: Wires::new(&self.coordinates, blocks, inputs),
        };
        self.rows += member.rows;
        self.members.push(member);
    }
    /// Adds elements whose constraint functions are summed in the same rows: each row is the sum over all of them.
    ///
    /// Elements with many points stay cheap that way: none sees more than its own.
    ///
    /// # Panics
    /// When they have not all the same number of rows, or inputs.
    pub fn add_sum(&mut self, owner: &str, terms: impl IntoIterator<Item = (Element<P>, Vec<BlockId>)>) {
        let row = self.rows;
        for (element, blocks) in terms {
            self.rows = row;
            let before = self.members.last().filter(|m| m.row == row && m.rows > 0).map(|m| m.rows);
            assert!(before.is_none_or(|rows| rows == element.rows()), "terms with different numbers of rows");
            self.add_element(owner, element, blocks, Vec::new());
        }
    }
    /// Adds a rotation of the steady motion in which the model is analysed.
    pub fn add_steady_rotation(&mut self, rotation: SteadyRotation<P>) {
        self.steady_rotations.push(rotation);
    }
    /// What has which value in the motion of a steady rotation whose speed is unknown.
    pub(crate) fn hold_in_steady_rotation(&mut self, name: &str, holds: Vec<(Held, P)>) {
        if let Some(rotation) = self.steady_rotations.iter_mut().find(|r| r.name == name) {
            rotation.holds = holds;
        }
    }
    /// Adds a named output on `blocks`.
    pub fn add_sensor(&mut self, name: impl Into<String>, reading: Reading<P>, blocks: Vec<BlockId>) {
        let wires = Wires::new(&self.coordinates, blocks, Vec::new());
        self.sensors.push(Sensor { name: name.into(), reading, wires });
    }
    /// Adds a component of a joint's reaction as a named output.
    pub fn add_reaction_sensor(&mut self, name: impl Into<String>, component: Component) {
        let mut blocks: Vec<BlockId> = Vec::new();
        for k in &component.reaction.members {
            for id in &self.members[*k].wires.blocks {
                if !blocks.contains(id) {
                    blocks.push(*id);
                }
            }
        }
        self.add_sensor(name, Reading::Reaction(Box::new(component)), blocks);
    }

    /// A point of a planar block as a place: the point itself, or `local` on a body.
    pub fn place(&self, wiring: &mut Wiring, id: BlockId, local: [P; 2]) -> Place<P> {
        let block = self.coordinates.block(id);
        let (q, v) = wiring.slot(id, block);
        match block.kind {
            BlockKind::PlanarPose => Place::OnPlanarBody { q, v, local },
            _ => Place::PlanarPoint { q, v },
        }
    }
    /// A point as a place: a point itself, or `local` in the axes of a body in space or in the plane.
    pub fn place_in_space(&self, wiring: &mut Wiring, id: BlockId, local: [P; 3]) -> Place<P> {
        let block = self.coordinates.block(id);
        if !matches!(block.kind, BlockKind::Pose | BlockKind::SpatialPoint) {
            return self.place(wiring, id, [local[0], local[1]]);
        }
        let (q, v) = wiring.slot(id, block);
        if block.kind == BlockKind::Pose {
            Place::OnBody { q, v, local }
        } else {
            Place::SpatialPoint { q, v }
        }
    }
    /// The orientation of a body in space or in the plane, or of an angle coordinate.
    pub fn attitude(&self, wiring: &mut Wiring, id: BlockId) -> Attitude<P> {
        let block = self.coordinates.block(id);
        if block.kind != BlockKind::Pose {
            return Attitude::Planar(self.angle(wiring, id));
        }
        let (q, v) = wiring.slot(id, block);
        Attitude::Spatial { q: q + 3, v: v + 3 }
    }
    /// The angle of a planar body or an angle coordinate.
    pub fn angle(&self, wiring: &mut Wiring, id: BlockId) -> AngleOf<P> {
        let block = self.coordinates.block(id);
        let (q, v) = wiring.slot(id, block);
        let shift = if block.kind == BlockKind::PlanarPose { 2 } else { 0 };
        AngleOf::Coordinate { q: q + shift, v: v + shift }
    }

    /// The coordinates.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }
    /// The elements in order of their rows.
    pub fn members(&self) -> &[Member<P>] {
        &self.members
    }
    /// The same coordinates with the forces of one owner alone: no constraints, no other elements.
    #[must_use]
    pub fn forces_of(&self, owner: &str) -> Self {
        let own = |m: &&Member<P>| m.rows == 0 && m.owner == owner;
        let members = self.members.iter().filter(own).map(|m| Member { row: 0, ..m.clone() });
        Self {
            name: self.name.clone(),
            gravity: self.gravity,
            coordinates: self.coordinates.clone(),
            members: members.collect(),
            sensors: Vec::new(),
            inputs: self.inputs.clone(),
            rows: 0,
            initial: self.initial.clone(),
            initial_velocity: self.initial_velocity.clone(),
            steady_rotations: Vec::new(),
        }
    }
    /// The elements, to change their data; rows and wiring stay.
    pub(crate) fn members_mut(&mut self) -> &mut [Member<P>] {
        &mut self.members
    }
    /// The outputs.
    pub fn sensors(&self) -> &[Sensor<P>] {
        &self.sensors
    }
    /// Names of the inputs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }
    /// Number of configuration numbers.
    pub fn nq(&self) -> usize {
        self.coordinates.nq()
    }
    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.coordinates.nv()
    }
    /// Number of constraint rows.
    pub fn nc(&self) -> usize {
        self.rows
    }
    /// For each constraint row whether it is a velocity row A(q, t) v + b(q, t) = 0, which restricts no configuration.
    pub fn velocity_rows(&self) -> Vec<bool> {
        let mut out = vec![false; self.rows];
        for m in self.members.iter().filter(|m| m.velocity_rows > 0) {
            out[m.row + m.rows - m.velocity_rows..m.row + m.rows].fill(true);
        }
        out
    }
    /// True when some constraint row is a velocity row.
    pub fn has_velocity_rows(&self) -> bool {
        self.members.iter().any(|m| m.velocity_rows > 0)
    }
    /// The initial configuration as described (it need not satisfy the constraints).
    pub fn initial(&self) -> &[P] {
        &self.initial
    }
    /// The initial velocities as described, nv numbers (they need not satisfy the constraints).
    pub fn initial_velocity(&self) -> &[P] {
        &self.initial_velocity
    }
    /// Rotations of the steady motion in which the model is analysed.
    pub fn steady_rotations(&self) -> &[SteadyRotation<P>] {
        &self.steady_rotations
    }
    /// Owner and axis of constraint row `i`, as `joint 'elbow' (x)`.
    pub fn row_name(&self, i: usize) -> String {
        self.members_of_row(i).next().map_or_else(
            || format!("constraint {i}"),
            |m| format!("{} ({})", m.owner, m.element.row_words(i - m.row)),
        )
    }
    /// The elements that constraint row `i` is a sum of: one, but for [`Self::add_sum`].
    pub fn members_of_row(&self, i: usize) -> impl Iterator<Item = &Member<P>> {
        let k = self.members.partition_point(|m| m.row + m.rows <= i);
        self.members[k..].iter().take_while(move |m| m.row <= i)
    }
    /// Block and axis of velocity `i`, as `crank.x`.
    pub fn coordinate_name(&self, i: usize) -> String {
        self.coordinates.name_of(i)
    }
    /// The initial configuration at rest, with multipliers and inputs zero.
    pub fn initial_point(&self) -> crate::Point<P> {
        crate::Point::at_rest(self.initial.clone(), vec![P::zero(); self.rows], self.nv(), self.inputs.len())
    }
}
