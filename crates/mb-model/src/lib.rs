//! One description of a constrained multibody system: model file, elements, exact derivatives.
//!
//! ```
//! use mb_model::spec::{PointSpec, RodSpec};
//! use mb_model::{Model, ModelSpec};
//!
//! // A uniform rod of 1.5 m hangs from a pin; as a model file ...
//! let text = r#"
//!     units = "SI"
//!     name = "rod pendulum"
//!     gravity = [0.0, -9.81]
//!     parameters.L = 1.5
//!
//!     [[point]]
//!     name = "O"
//!     at = [0.0, 0.0]
//!     fixed = true
//!
//!     [[point]]
//!     name = "P"
//!     at = [0.0, "-L"]
//!
//!     [[rod]]
//!     name = "rod"
//!     ends = ["O", "P"]
//!     mass = 2.0
//!     length = "L"
//! "#;
//! let file = ModelSpec::from_toml(text)?;
//!
//! // ... and in Rust: each table is a plain struct with a small constructor.
//! let mut spec = ModelSpec::new("rod pendulum");
//! spec.gravity = vec![0.0.into(), (-9.81).into()];
//! spec.parameters.insert("L".into(), 1.5.into());
//! spec.points.push(PointSpec::fixed("O", [0.0, 0.0]));
//! spec.points.push(PointSpec::moving("P", (0.0, "-L")));
//! spec.rods.push(RodSpec { length: Some("L".into()), ..RodSpec::new("rod", ["O", "P"], 2.0) });
//! assert_eq!(spec, file);
//!
//! let model: Model = spec.build()?;
//! assert_eq!((model.nv(), model.nc()), (2, 1));
//! assert_eq!(model.row_name(0), "rod 'rod' (length)");
//!
//! // Half the weight of the rod hangs on P, and lambda takes it: 2 lambda (y_P - y_O) = -m g / 2.
//! let mut point = model.initial_point();
//! point.lambda = vec![9.81 / 3.0];
//! assert!(model.residual(&point).iter().all(|r| r.abs() < 1e-14));
//!
//! // Exact derivatives: M is m/3 on the moving end, K comes from the reaction alone.
//! let m = model.mass(&point).to_dense();
//! let k = model.stiffness(&point).to_dense();
//! assert!((m[(0, 0)] - 2.0 / 3.0).abs() < 1e-15);
//! assert!((k[(0, 0)] / m[(0, 0)] - 1.5 * 9.81 / 1.5).abs() < 1e-14); // 3 g / (2 L)
//!
//! // What is wrong with a file is said at its place.
//! let error = Model::from_toml(&text.replace("length =", "lenght =")).unwrap_err();
//! assert_eq!((error.line(), error.column()), (Some(20), Some(5)));
//! assert_eq!(error.problems()[0].to_string(), "rod 'rod': unknown key `lenght`");
//! assert_eq!(error.help().as_deref(), Some("did you mean `length`?"));
//! # Ok::<(), mb_model::ModelError>(())
//! ```
//!
//! - [`spec`]: what a model file may say; [`ModelSpec`] is the same in Rust.
//! - [`model`]: blocks of [`coordinates`], [`element`]s on them, [`sensor`]s.
//! - [`beam`]: beams in space, made of nodes and elements.
//! - [`solid`]: solids, made of meshes of hexahedra.
//! - [`link`]: flexible links, made of blocks and elements.
//! - [`system`]: residual, constraints and all their derivatives at a [`Point`].

pub mod beam;
pub mod coordinates;
mod data;
pub mod element;
pub mod law;
pub mod link;
pub mod model;
mod outline;
pub mod sensor;
pub mod solid;
mod source;
pub mod spec;
pub mod state;
pub mod system;

pub use beam::{BeamData, BeamMaterial, BeamNode, BeamSection, Shear};
pub use coordinates::{Block, BlockId, BlockKind, BodyCoordinates};
pub use element::{BrickFormulation, Data, Element, ElementLaw, MassForm, SolidMaterial};
pub use link::{FlexibleLink, LinkData, LinkStation};
pub use model::{Member, Model, Wiring};
pub use outline::{OutlinePlace, OutlineStroke, Stroke};
pub use sensor::Reaction;
pub use solid::{InsideOut, MeshError, MeshFault, PointsOnALine, SolidData, SolidMesh, WrongElement};
pub use source::{AnySource, ModelSource};
pub use spec::{ModelError, ModelSpec};
pub use state::Point;
