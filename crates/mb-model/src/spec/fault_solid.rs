//! What can be wrong with the description of a solid, in the user's words.

use crate::solid::{MeshError, PointsOnALine, WrongElement};

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
    /// A mesh file that is there and cannot be read.
    #[error("the mesh file `{file}` cannot be read: {why}")]
    MeshUnreadable {
        /// The file.
        file: String,
        /// Why.
        why: String,
        /// What to do about it, where the reason does not say so.
        help: Option<String>,
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
    /// A node set used as a place that no frame follows.
    #[error("the node set `{set}` of solid '{solid}' is not rigid or averaged, so that it is no place")]
    NoFrame {
        /// The solid.
        solid: String,
        /// The set.
        set: String,
    },
    /// A node set that is to be rigid and averaged, or twice the same.
    #[error("the node set `{set}` stands twice in the lists `rigid` and `averaged`")]
    TwoFrames {
        /// The set.
        set: String,
    },
    /// A single node where a set must stand.
    #[error("`{node}` is a single node; `{key}` takes node sets")]
    NotASet {
        /// The key.
        key: &'static str,
        /// The node.
        node: String,
    },
    /// A node set without a mean rotation.
    #[error("the node set `{set}` cannot be averaged: {error}")]
    NoMean {
        /// The set.
        set: String,
        /// Why.
        error: PointsOnALine,
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
            Self::MeshUnreadable { help, .. } => return help.clone(),
            Self::UnknownSet { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownSet { known, .. } => {
                format!("there are: {}, and nodes such as node12", known.join(", "))
            }
            Self::WhereOnSolid { solid } => {
                format!(
                    "write a node such as `{solid}.node12`, or a node set in the list `rigid` or `averaged` of the solid"
                )
            }
            Self::NoFrame { set, .. } => format!(
                "write `rigid = [\"{set}\"]` in the table of the solid, or `averaged` if it shall stay free to deform"
            ),
            Self::TwoFrames { .. } => "a set is one or the other".to_owned(),
            Self::NotASet { node, .. } => {
                format!(
                    "`{node}` takes springs, forces, spherical joints and outputs as it is; only turning needs a set"
                )
            }
            Self::NoMean { .. } => "take more nodes, or a joint at one node".to_owned(),
            Self::WrongElement(_) | Self::Mesh { .. } => return None,
            Self::PoissonsRatio { .. } => "a rubber has about 0.499".to_owned(),
            Self::NoFaces { .. } => "a load needs a set that holds all nodes of a face".to_owned(),
            Self::NoLoad => "a force in N over the whole, a traction in Pa, or a pressure in Pa".to_owned(),
            Self::TooManyElements { .. } => "look for numbers of elements that are lengths".to_owned(),
        })
    }
}
