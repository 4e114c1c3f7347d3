//! One description of a constrained multibody system: model file, elements, exact derivatives.
//!
#![doc = include_str!("../README.md")]
//!
//! - [`spec`]: what a model file may say; [`ModelSpec`] is the same in Rust.
//! - [`model`]: blocks of [`coordinates`], [`element`]s on them, [`sensor`]s.
//! - [`beam`]: beams in space, made of nodes and elements.
//! - [`solid`]: solids, made of meshes of hexahedra.
//! - [`link`]: flexible links, made of blocks and elements.
//! - [`erls`]: equivalent rigid links, the same with displacements from an ideal rigid mechanism.
//! - [`system`]: residual, constraints and all their derivatives at a [`Point`].

pub mod beam;
mod configuration_names;
pub mod coordinates;
mod data;
pub mod element;
pub mod erls;
mod extent;
mod input_units;
pub mod law;
pub mod link;
pub mod model;
mod outline;
pub mod sensor;
pub mod solid;
mod source;
pub mod spec;
pub mod state;
mod steady_rotation;
pub mod system;

pub use beam::{BeamData, BeamMaterial, BeamNode, BeamSection, Shear};
pub use configuration_names::Held;
pub use coordinates::{Block, BlockId, BlockKind, BodyCoordinates};
pub use element::{BrickFormulation, Data, Element, ElementLaw, MassForm, SolidMaterial};
pub use erls::{ErlsBase, ErlsData, ErlsLink};
pub use link::{FlexibleLink, LinkData, LinkStation};
pub use model::{Member, Model, Wiring};
pub use outline::{CIRCLE, OutlinePlace, OutlineStroke, Spot, Stroke};
pub use sensor::Reaction;
pub use solid::{InsideOut, MeshError, MeshFault, PointsOnALine, SolidData, SolidMesh, WrongElement};
pub use source::{AnySource, ModelSource};
pub use spec::{ModelError, ModelSpec};
pub use state::Point;
pub use steady_rotation::{Carried, SteadyRotation};
