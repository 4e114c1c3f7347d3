//! Names of the numbers of the configuration, and what of it can be held at a value.

use crate::coordinates::{BlockKind, Coordinates};
use crate::element::Data;
use crate::model::Model;

/// What can be held at a value: something of the configuration that changes by a velocity, or an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A number of the configuration that changes by a velocity of the same meaning.
    Coordinate {
        /// Index in q.
        q: usize,
        /// Index in v.
        v: usize,
    },
    /// An output of the model.
    Output(usize),
}

impl Coordinates {
    /// Names of the configuration numbers, nq of them: `crank.x`.
    ///
    /// They are those of the velocities, except for spatial poses with their Euler parameters.
    pub fn configuration_names(&self) -> Vec<String> {
        let one = |b: &crate::Block, i: usize| match (b.kind, i) {
            (BlockKind::Pose, 3..) => format!("{}.e{}", b.name, i - 3),
            _ => format!("{}.{}", b.name, b.kind.axis(i)),
        };
        self.blocks().iter().flat_map(|b| (0..b.kind.nq()).map(move |i| one(b, i))).collect()
    }
    /// Index of the velocity of configuration number `i`, where it has one; Euler parameters have none of their own.
    pub fn velocity_index(&self, i: usize) -> Option<usize> {
        let block = self.blocks().iter().rev().find(|b| b.q <= i)?;
        let within = i - block.q;
        (within < block.kind.nv() && (block.kind.is_linear() || within < 3)).then_some(block.v + within)
    }
}

impl<P: Data> Model<P> {
    /// What can be held at a value by this name: a coordinate of the configuration with a velocity, or an output.
    pub fn held(&self, name: &str) -> Option<Held> {
        let coordinates = self.coordinates();
        let q = coordinates.configuration_names().iter().position(|k| k == name);
        let coordinate = q.and_then(|q| Some(Held::Coordinate { q, v: coordinates.velocity_index(q)? }));
        coordinate.or_else(|| self.sensors().iter().position(|s| s.name == name).map(Held::Output))
    }
    /// The names of all that can be held.
    pub fn holdable(&self) -> Vec<String> {
        let coordinates = self.coordinates();
        let names = coordinates.configuration_names().into_iter().enumerate();
        let coordinates =
            names.filter(|(q, _)| coordinates.velocity_index(*q).is_some()).map(|(_, name)| name);
        coordinates.chain(self.sensors().iter().map(|s| s.name.clone())).collect()
    }
}
