//! Description of a model: what a model file says, and the model made from it.
//!
//! A file is TOML with `units = "SI"`, a `name`, and tables:
//!
//! ```toml
//! units = "SI"
//! name = "rod pendulum"
//! gravity = [0.0, -9.81]
//!
//! [parameters]
//! L = 1.5
//!
//! [[point]]
//! name = "O"
//! at = [0.0, 0.0]
//! fixed = true
//!
//! [[point]]
//! name = "P"
//! at = [0.0, "-L"]
//!
//! [[rod]]
//! name = "OP"
//! ends = ["O", "P"]
//! mass = 2.0
//! length = "L"
//! ```
//!
//! - A **value** is a number or an [expression] of parameters in quotes.
//! - A **place** is a point, a body (its reference point), `body.marker`, a flexible link (the
//!   origin of its frame), `link.start`, `link.end`, `link.node3`, `link.marker`, a node of a beam by the same words, a node of a solid (`block.node12`), a rigid
//!   node set of one (`block.z+`), or coordinates `[x, y]` or `[x, y, z]` in the ground. In joints, `ground` is the place of the ground where the other end
//!   is at the start.
//! - **Names** of points, rods, bodies, beams, solids, flexible links, angles, joints, rolling wheels, knife edges, couplings, springs, bearings, forces, torques, loads, drives, steady rotations and
//!   equivalent rigid links are
//!   distinct; outputs and inputs have names of their own.
//! - `[[repeat]]` writes a family: `index`, `from`, `to` (inclusive), and tables in whose
//!   values the index may stand, and in whose names and references it stands in braces:
//!   `B{i}`, `B{i-1}`. Parameters may stand there too: `B{N}`.
//! - **Space.** Bodies are in the plane z = 0 (`body`) or in space (`spatial-body`), freely mixed.
//!   A joint with an end on a body in space is a joint in space: it locks motions of a frame of a
//!   against a frame of b whose z-axis is `axis`. A frame named as `body.frame` brings its own
//!   axes; one that is not named coincides with the other at the start.
//! - **Coordinates** are in this order: moving points, moving bodies, those in space, rigid node sets of solids, nodes of
//!   beams, nodes of solids, flexible links, angles, equivalent rigid links (those on the ground first), each in the order of the file, families after what stands alone. Constraint rows:
//!   solids, rods, flexible links, angles, joints, rolling wheels, knife edges, couplings, drives, in the same order.
//! - **Start.** Positions at the start need not satisfy the constraints. A point without `at`
//!   starts where its rods and joints allow: on the intersection of two circles about
//!   neighbours that are placed already (the left one, seen from the first to the second),
//!   else at the rod's length from one neighbour. A body without `at` or `angle` is put where
//!   its joints to placed neighbours coincide; its angle is zero unless two joints give it.
//!
//! The description can be written in Rust as well, see [`ModelSpec`].

mod beam;
mod build;
mod builder;
mod coupling;
mod erls;
mod error;
pub mod expression;
mod fault;
mod fault_coupling;
mod fault_expression;
mod fault_help;
mod fault_rolling;
mod fault_rotor;
mod fault_solid;
mod flexible;
mod legible;
mod locate;
mod nearest;
mod read;
mod rolling;
mod rotor;
mod schema;
mod section;
mod solid;
mod spatial;
mod speeds;
mod tables;
mod value;

pub use beam::{AxialStrainSpec, BeamElementSpec, BeamSpec, ShearSpec};
pub use builder::Pair;
pub use coupling::{CouplingSpec, CouplingTermSpec};
pub use erls::ErlsLinkSpec;
pub use error::{ModelError, Path, Position, Problem, Step};
pub use fault::{Fault, NameFault};
pub use fault_coupling::CouplingFault;
pub use fault_rolling::RollingFault;
pub use fault_rotor::RotorFault;
pub use fault_solid::SolidFault;
pub use flexible::{ElasticDampingSpec, FlexibleLinkSpec, ReferenceSpec};
pub use legible::{is_obeyed, legible};
pub use nearest::nearest;
pub use rolling::{KnifeEdgeSpec, RollingSpec};
pub use rotor::{BearingRowSpec, BearingSpec, HoldSpec, SteadyRotationSpec};
pub use schema::json_schema;
pub use section::SectionSpec;
pub use solid::{AxisSpec, BlockSpec, SolidElementSpec, SolidMassSpec, SolidSpec, SurfaceLoadSpec};
pub use spatial::{BodyFrameSpec, BushingSpec, MotionSpec, OrientationSpec, SpatialBodySpec};
pub use tables::{
    AngleForm, AngleSpec, BodySpec, DampingSpec, DriveSpec, ForceSpec, FrameSpec, JointKind, JointSpec,
    OutputQuantity, OutputSpec, PointSpec, QuantitySpec, ReactionFrame, RodSpec, SpringSpec, TorqueSpec,
    TorsionSpringSpec, Units,
};
pub use value::{PlaceRef, Value, Vector};

pub(crate) use build::build;

use crate::element::Data;
use crate::model::Model;
use crate::solid::SolidMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Mesh files by the names that a description has for them, or what is wrong with them.
pub type MeshFiles = BTreeMap<String, Result<Arc<SolidMesh>, Box<SolidFault>>>;

/// The description of a model, as it stands in a model file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// The system of units.
    pub units: Units,
    /// Name of the model.
    pub name: String,
    /// What the model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Acceleration of gravity [x, y] or [x, y, z], m/s^2. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gravity: Vec<Value>,
    /// Named numbers, which may stand wherever a number stands, and be expressions of each other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// Points.
    #[serde(default, rename = "point", skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointSpec>,
    /// Rods.
    #[serde(default, rename = "rod", skip_serializing_if = "Vec::is_empty")]
    pub rods: Vec<RodSpec>,
    /// Rigid bodies.
    #[serde(default, rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodySpec>,
    /// Rigid bodies in space.
    #[serde(default, rename = "spatial-body", skip_serializing_if = "Vec::is_empty")]
    pub spatial_bodies: Vec<SpatialBodySpec>,
    /// Beams in space.
    #[serde(default, rename = "beam", skip_serializing_if = "Vec::is_empty")]
    pub beams: Vec<BeamSpec>,
    /// Solids.
    #[serde(default, rename = "solid", skip_serializing_if = "Vec::is_empty")]
    pub solids: Vec<SolidSpec>,
    /// Flexible links.
    #[serde(default, rename = "flexible-link", skip_serializing_if = "Vec::is_empty")]
    pub flexible_links: Vec<FlexibleLinkSpec>,
    /// Equivalent rigid links.
    #[serde(default, rename = "erls-link", skip_serializing_if = "Vec::is_empty")]
    pub erls_links: Vec<ErlsLinkSpec>,
    /// Angle coordinates.
    #[serde(default, rename = "angle", skip_serializing_if = "Vec::is_empty")]
    pub angles: Vec<AngleSpec>,
    /// Joints.
    #[serde(default, rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointSpec>,
    /// Wheels and balls that roll without slip.
    #[serde(default, rename = "rolling", skip_serializing_if = "Vec::is_empty")]
    pub rollings: Vec<RollingSpec>,
    /// Knife edges.
    #[serde(default, rename = "knife-edge", skip_serializing_if = "Vec::is_empty")]
    pub knife_edges: Vec<KnifeEdgeSpec>,
    /// Couplings of motions: gears, racks, belts.
    #[serde(default, rename = "coupling", skip_serializing_if = "Vec::is_empty")]
    pub couplings: Vec<CouplingSpec>,
    /// Springs and dampers.
    #[serde(default, rename = "spring", skip_serializing_if = "Vec::is_empty")]
    pub springs: Vec<SpringSpec>,
    /// Bushings between frames in space.
    #[serde(default, rename = "bushing", skip_serializing_if = "Vec::is_empty")]
    pub bushings: Vec<BushingSpec>,
    /// Bearings between frames in space.
    #[serde(default, rename = "bearing", skip_serializing_if = "Vec::is_empty")]
    pub bearings: Vec<BearingSpec>,
    /// Torsional springs and dampers.
    #[serde(default, rename = "torsion-spring", skip_serializing_if = "Vec::is_empty")]
    pub torsion_springs: Vec<TorsionSpringSpec>,
    /// Forces.
    #[serde(default, rename = "force", skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceSpec>,
    /// Torques.
    #[serde(default, rename = "torque", skip_serializing_if = "Vec::is_empty")]
    pub torques: Vec<TorqueSpec>,
    /// Loads on faces of solids.
    #[serde(default, rename = "surface-load", skip_serializing_if = "Vec::is_empty")]
    pub surface_loads: Vec<SurfaceLoadSpec>,
    /// Driving constraints.
    #[serde(default, rename = "drive", skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DriveSpec>,
    /// Outputs.
    #[serde(default, rename = "output", skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputSpec>,
    /// Rotations of the steady motion in which the model is analysed.
    #[serde(default, rename = "steady-rotation", skip_serializing_if = "Vec::is_empty")]
    pub steady_rotations: Vec<SteadyRotationSpec>,
    /// Families.
    #[serde(default, rename = "repeat", skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<RepeatSpec>,
    /// Mesh files that were read, see [`ModelSpec::attach_mesh`].
    #[serde(skip)]
    pub meshes: MeshFiles,
}

/// A family of tables, written once and repeated for every value of an index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepeatSpec {
    /// Name of the index.
    pub index: String,
    /// First value, a whole number.
    pub from: Value,
    /// Last value, inclusive.
    pub to: Value,
    /// Step. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Value>,
    /// Points.
    #[serde(default, rename = "point", skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointSpec>,
    /// Rods.
    #[serde(default, rename = "rod", skip_serializing_if = "Vec::is_empty")]
    pub rods: Vec<RodSpec>,
    /// Rigid bodies.
    #[serde(default, rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodySpec>,
    /// Rigid bodies in space.
    #[serde(default, rename = "spatial-body", skip_serializing_if = "Vec::is_empty")]
    pub spatial_bodies: Vec<SpatialBodySpec>,
    /// Beams in space.
    #[serde(default, rename = "beam", skip_serializing_if = "Vec::is_empty")]
    pub beams: Vec<BeamSpec>,
    /// Solids.
    #[serde(default, rename = "solid", skip_serializing_if = "Vec::is_empty")]
    pub solids: Vec<SolidSpec>,
    /// Flexible links.
    #[serde(default, rename = "flexible-link", skip_serializing_if = "Vec::is_empty")]
    pub flexible_links: Vec<FlexibleLinkSpec>,
    /// Equivalent rigid links.
    #[serde(default, rename = "erls-link", skip_serializing_if = "Vec::is_empty")]
    pub erls_links: Vec<ErlsLinkSpec>,
    /// Angle coordinates.
    #[serde(default, rename = "angle", skip_serializing_if = "Vec::is_empty")]
    pub angles: Vec<AngleSpec>,
    /// Joints.
    #[serde(default, rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointSpec>,
    /// Wheels and balls that roll without slip.
    #[serde(default, rename = "rolling", skip_serializing_if = "Vec::is_empty")]
    pub rollings: Vec<RollingSpec>,
    /// Knife edges.
    #[serde(default, rename = "knife-edge", skip_serializing_if = "Vec::is_empty")]
    pub knife_edges: Vec<KnifeEdgeSpec>,
    /// Couplings of motions: gears, racks, belts.
    #[serde(default, rename = "coupling", skip_serializing_if = "Vec::is_empty")]
    pub couplings: Vec<CouplingSpec>,
    /// Springs and dampers.
    #[serde(default, rename = "spring", skip_serializing_if = "Vec::is_empty")]
    pub springs: Vec<SpringSpec>,
    /// Bushings between frames in space.
    #[serde(default, rename = "bushing", skip_serializing_if = "Vec::is_empty")]
    pub bushings: Vec<BushingSpec>,
    /// Bearings between frames in space.
    #[serde(default, rename = "bearing", skip_serializing_if = "Vec::is_empty")]
    pub bearings: Vec<BearingSpec>,
    /// Torsional springs and dampers.
    #[serde(default, rename = "torsion-spring", skip_serializing_if = "Vec::is_empty")]
    pub torsion_springs: Vec<TorsionSpringSpec>,
    /// Forces.
    #[serde(default, rename = "force", skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceSpec>,
    /// Torques.
    #[serde(default, rename = "torque", skip_serializing_if = "Vec::is_empty")]
    pub torques: Vec<TorqueSpec>,
    /// Loads on faces of solids.
    #[serde(default, rename = "surface-load", skip_serializing_if = "Vec::is_empty")]
    pub surface_loads: Vec<SurfaceLoadSpec>,
    /// Driving constraints.
    #[serde(default, rename = "drive", skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DriveSpec>,
    /// Outputs.
    #[serde(default, rename = "output", skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputSpec>,
    /// Rotations of the steady motion in which the model is analysed.
    #[serde(default, rename = "steady-rotation", skip_serializing_if = "Vec::is_empty")]
    pub steady_rotations: Vec<SteadyRotationSpec>,
    /// Families inside this one.
    #[serde(default, rename = "repeat", skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<RepeatSpec>,
}

impl ModelSpec {
    /// An empty description in SI units, without gravity.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
    /// Reads a model file. Keys, types, units and name are checked here, the rest by
    /// [`ModelSpec::build`].
    pub fn from_toml(text: &str) -> Result<Self, ModelError> {
        let spec: Self = read::read(text)?;
        if spec.name.trim().is_empty() {
            let path = Path(vec!["name".into()]);
            return Err(ModelError::from(Problem::new("", path, Fault::MissingName)).located(text));
        }
        Ok(spec)
    }
    /// The description as a model file.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
    /// Names of the mesh files that solids ask for, each once, as the description writes them.
    pub fn mesh_files(&self) -> Vec<String> {
        fn collect<'s>(solids: &'s [SolidSpec], repeats: &'s [RepeatSpec], out: &mut Vec<&'s String>) {
            out.extend(solids.iter().filter_map(|s| s.mesh.as_ref()));
            for repeat in repeats {
                collect(&repeat.solids, &repeat.repeats, out);
            }
        }
        let mut out = Vec::new();
        collect(&self.solids, &self.repeats, &mut out);
        out.sort_unstable();
        out.dedup();
        out.into_iter().cloned().collect()
    }
    /// Reads the text of a mesh file. What is wrong with it is said by [`ModelSpec::build`].
    pub fn attach_mesh(&mut self, file: impl Into<String>, text: &str) {
        let file = file.into();
        let wrong = |error| Box::new(SolidFault::Mesh { file: file.clone(), error });
        let mesh = SolidMesh::parse(text).map(Arc::new).map_err(wrong);
        self.meshes.insert(file, mesh);
    }
    /// Says why a mesh file cannot be read, and what to do about it; [`ModelSpec::build`] says so with the solid.
    pub fn refuse_mesh(&mut self, file: impl Into<String>, why: impl Into<String>, help: Option<String>) {
        let (file, why) = (file.into(), why.into());
        let fault = SolidFault::MeshUnreadable { file: file.clone(), why, help };
        self.meshes.insert(file, Err(Box::new(fault)));
    }
    /// Changes the value of a parameter that the description has.
    pub fn set_parameter(&mut self, name: &str, value: impl Into<Value>) -> Result<(), ModelError> {
        if let Some(old) = self.parameters.get_mut(name) {
            *old = value.into();
            return Ok(());
        }
        let nearest = nearest(name, self.parameters.keys().map(String::as_str));
        let fault = Fault::NoSuchParameter { name: name.to_owned(), nearest };
        Err(Problem::new("", Path::default(), fault).into())
    }
    /// Whether a parameter stands in velocities and in speeds of steady rotations alone, also by way of other parameters: the models
    /// of all its values are then the same functions of the state.
    ///
    /// Names that are spelt as the parameter count as it, so that the answer may be no where it could be yes.
    pub fn only_sets_speeds(&self, name: &str) -> bool {
        speeds::only_sets_speeds(self, name)
    }
    /// The values of all parameters.
    ///
    /// # Errors
    /// Expressions that cannot be evaluated, by parameter.
    pub fn parameter_values(&self) -> Result<BTreeMap<String, f64>, ModelError> {
        build::parameter_values(self)
    }
    /// Makes the model: names are resolved, families expanded, physics is checked.
    ///
    /// Every problem of the description is reported, not only the first.
    pub fn build(&self) -> Result<Model, ModelError> {
        f64::build(self, &BTreeMap::new())
    }
    /// Makes the model in the scalar `P`, with some parameters given in that scalar and all
    /// others evaluated from the description.
    ///
    /// Everything made of a given parameter carries its derivatives: masses, lengths, positions
    /// at the start.
    pub fn build_with<P: Data>(&self, given: &BTreeMap<String, P>) -> Result<Model<P>, ModelError> {
        P::build(self, given)
    }
}

impl Model {
    /// Reads and makes a model; every problem has its line.
    pub fn from_toml(text: &str) -> Result<Self, ModelError> {
        ModelSpec::from_toml(text)?.build().map_err(|e| e.located(text))
    }
}
