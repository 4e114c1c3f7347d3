//! What can be wrong with the description of a solid, in the user's words.

use crate::solid::{MeshError, WrongElement};

/// A fault of a solid or of a load on its faces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolidFault {
    /// Neither a block nor a mesh.
    #[error("there is neither a `block` nor a `mesh`")]
    NoMesh,
    /// A mesh file with an error.
    #[error("mesh file `{file}`, {error}")]
    Mesh {
        /// The file.
        file: String,
        /// What is wrong, with the line.
        error: MeshError,
    },
    /// A mesh file that nobody has read.
    #[error("the mesh file `{file}` is not there")]
    MeshNotRead {
        /// The file.
        file: String,
    },
    /// An element inside out, flat or folded.
    #[error("{0}")]
    WrongElement(WrongElement),
    /// A Poisson's ratio that no isotropic compressible solid has.
    #[error("Poisson's ratio is {value}; it lies above -1 and below 0.5")]
    PoissonsRatio {
        /// The value.
        value: f64,
    },
    /// A set or node that the mesh does not have.
    #[error("solid '{solid}' has neither a node set nor a node `{name}`")]
    UnknownSet {
        /// The solid.
        solid: String,
        /// The name.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
        /// All sets.
        known: Vec<String>,
    },
    /// A solid where a place of it is needed.
    #[error("solid '{solid}' has no place of its own")]
    WhereOnSolid {
        /// The solid.
        solid: String,
    },
    /// A node set used as a place that does not move as a rigid body.
    #[error("the node set `{set}` of solid '{solid}' is not rigid, so that it is no place")]
    NotRigid {
        /// The solid.
        solid: String,
        /// The set.
        set: String,
    },
    /// A node set between whose nodes there is no outer face.
    #[error("no outer face of solid '{solid}' has all its nodes in `{set}`")]
    NoFaces {
        /// The solid.
        solid: String,
        /// The set.
        set: String,
    },
    /// A load without a load.
    #[error("there is none of `force`, `traction` and `pressure`")]
    NoLoad,
    /// Too many elements.
    #[error("the block has {count} elements; at most {most} are possible")]
    TooManyElements {
        /// The number.
        count: i64,
        /// The limit.
        most: i64,
    },
}

impl SolidFault {
    /// What to do about it.
    pub(super) fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoMesh => {
                "write `block = { size = [..], elements = [..] }` or `mesh = \"file\"`".to_owned()
            }
            Self::MeshNotRead { .. } => "its name is as seen from the model file".to_owned(),
            Self::UnknownSet { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownSet { known, .. } => {
                format!("there are: {}, and nodes such as node12", known.join(", "))
            }
            Self::WhereOnSolid { solid } => {
                format!(
                    "write a node such as `{solid}.node12`, or a node set that is in the list `rigid` of the solid"
                )
            }
            Self::NotRigid { set, .. } => format!("write `rigid = [\"{set}\"]` in the table of the solid"),
            Self::WrongElement(_) | Self::Mesh { .. } => return None,
            Self::PoissonsRatio { .. } => "a rubber has about 0.499".to_owned(),
            Self::NoFaces { .. } => "a load needs a set that holds all nodes of a face".to_owned(),
            Self::NoLoad => "a force in N over the whole, a traction in Pa, or a pressure in Pa".to_owned(),
            Self::TooManyElements { .. } => "look for numbers of elements that are lengths".to_owned(),
        })
    }
}
