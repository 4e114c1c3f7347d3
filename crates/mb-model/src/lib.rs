//! One description of a constrained multibody system: model file, elements, exact derivatives.

pub mod coordinates;
pub mod element;
pub mod law;
pub mod model;
pub mod sensor;
pub mod spec;
pub mod state;
pub mod system;

pub use coordinates::{BlockId, BlockKind};
pub use element::{Data, Element, ElementLaw};
pub use model::{Member, Model, Wiring};
pub use spec::{ModelError, ModelSpec};
pub use state::Point;
