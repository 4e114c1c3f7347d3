//! Solids: meshes of hexahedra, their material, and the elements made of them.
//!
//! ```
//! use mb_model::{Model, SolidData, SolidMaterial, SolidMesh};
//!
//! // A block of 2 x 1 x 1 elements whose face x = 0 is held.
//! let material = SolidMaterial { density: 7850.0, youngs_modulus: 2.1e11, poissons_ratio: 0.3 };
//! let mesh = SolidMesh::block([0.2, 0.1, 0.1], [2, 1, 1]);
//! let mut model: Model = Model::new("block", [0.0, 0.0, -9.81]);
//! let nodes = model.add_solid_nodes("block", &mesh);
//! model.add_solid_elements("solid 'block'", &SolidData::new(material), &mesh, &nodes)?;
//! for k in &mesh.sets["x-"] {
//!     model.hold_node(&format!("solid 'block' node {}", mesh.node_ids[*k]), nodes[*k], [true; 3]);
//! }
//! assert_eq!((model.nv(), model.nc()), (36, 12));
//! assert_eq!(model.row_name(4), "solid 'block' node 4 (y)");
//! assert_eq!(model.coordinate_name(35), "block[12].z");
//! // The unloaded block balances nothing but its weight.
//! let residual = model.residual(&model.initial_point());
//! let weight: f64 = residual.iter().skip(2).step_by(3).sum();
//! assert!((weight - 7850.0 * 0.002 * 9.81).abs() < 1e-9);
//! # Ok::<(), Box<mb_model::WrongElement>>(())
//! ```

mod file;
mod inside_out;
mod mesh;

pub use file::{MeshError, MeshFault};
pub use inside_out::InsideOut;
pub use mesh::SolidMesh;

use crate::coordinates::{BlockId, BlockKind};
use crate::element::face_load::areas;
use crate::element::{
    Attitude, BrickFormulation, BrickInertia, BrickShape, BrickStrain, Data, Element, FaceLoad, Joint,
    JointFrame, Locked, MassForm, Mean, Place, SolidMaterial, Traction, WrongBrick,
};
use crate::law::TimeLaw;
use crate::model::{Model, Wiring};
use rayon::prelude::*;
use std::sync::Arc;

/// The law of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidData<P = f64> {
    /// Material.
    pub material: SolidMaterial<P>,
    /// How strains are made.
    pub formulation: BrickFormulation,
    /// How mass is spread.
    pub mass: MassForm,
    /// Damping proportional to mass, 1/s.
    pub alpha: P,
    /// Damping proportional to stiffness, s.
    pub beta: P,
}

impl<P: Data> SolidData<P> {
    /// Without damping, free of locking, with consistent mass.
    pub fn new(material: SolidMaterial<P>) -> Self {
        let (formulation, mass) = (BrickFormulation::default(), MassForm::default());
        Self { material, formulation, mass, alpha: P::zero(), beta: P::zero() }
    }
}

/// An element of a mesh that is inside out, flat or folded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("element {element} is inside out, flat or folded: its Jacobian determinant is {:.3e} {}", wrong.jacobian, self.place())]
pub struct WrongElement {
    /// Its index in the mesh.
    pub index: usize,
    /// Its number.
    pub element: usize,
    /// The numbers of its nodes.
    pub nodes: [usize; 8],
    /// Where, and how wrong.
    pub wrong: WrongBrick,
}

impl WrongElement {
    fn place(&self) -> String {
        let [x, y, z] = self.wrong.at;
        match self.wrong.node {
            Some(k) => format!("at its node {}", self.nodes[k]),
            None => format!("at the point ({x:.3}, {y:.3}, {z:.3}) of its natural coordinates"),
        }
    }
}

/// Points that have no mean rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", if *points == 1 {
    "a single point has no rotation".to_owned()
} else {
    format!("the {points} points lie on a line, so that they have no mean rotation about it")
})]
pub struct PointsOnALine {
    /// Number of points.
    pub points: usize,
}

impl<P: Data> Model<P> {
    /// Adds the nodes of a mesh as points in space, called `name[1]`, `name[2]`, ... by their numbers.
    pub fn add_solid_nodes(&mut self, name: &str, mesh: &SolidMesh<P>) -> Vec<BlockId> {
        let nodes = mesh.node_ids.iter().zip(&mesh.nodes);
        nodes.map(|(id, at)| self.add_block(format!("{name}[{id}]"), BlockKind::SpatialPoint, at)).collect()
    }
    /// Adds the elements of a mesh between `nodes`, as [`Self::add_solid_nodes`] gives them.
    ///
    /// # Errors
    /// The first element that is inside out, flat or folded; then nothing is added.
    pub fn add_solid_elements(
        &mut self,
        owner: &str,
        data: &SolidData<P>,
        mesh: &SolidMesh<P>,
        nodes: &[BlockId],
    ) -> Result<(), Box<WrongElement>> {
        let shape = |index: usize| {
            let corners = mesh.elements[index];
            let shape = BrickShape::new(&corners.map(|k| mesh.nodes[k]), &data.material, data.formulation);
            shape.map(Arc::new).map_err(|wrong| {
                let nodes = corners.map(|k| mesh.node_ids[k]);
                Box::new(WrongElement { index, element: mesh.element_ids[index], nodes, wrong })
            })
        };
        let count = mesh.elements.len();
        let shapes: Vec<_> = if mesh.congruent && count > 0 {
            vec![shape(0)?; count]
        } else {
            let made: Vec<_> = (0..count).into_par_iter().map(shape).collect();
            made.into_iter().collect::<Result<_, _>>()?
        };
        let mut outside = vec![[false; 6]; count];
        for (element, face) in mesh.outer_faces() {
            outside[element][face] = true;
        }
        let numbers = mesh.element_ids.iter().copied();
        for (((corners, shape), outside), number) in
            mesh.elements.iter().zip(shapes).zip(outside).zip(numbers)
        {
            let blocks = corners.map(|k| nodes[k]).to_vec();
            let strain = BrickStrain { shape: Arc::clone(&shape), beta: data.beta, number, outside };
            self.add_element(owner, Element::BrickStrain(strain), blocks.clone(), Vec::new());
            let inertia = BrickInertia { shape, form: data.mass, alpha: data.alpha };
            self.add_element(owner, Element::BrickInertia(inertia), blocks, Vec::new());
        }
        Ok(())
    }
    /// Holds a point in space where it is at the start, along some of the axes of the ground: one row each.
    pub fn hold_node(&mut self, owner: &str, node: BlockId, axes: [bool; 3]) {
        let block = self.coordinates().block(node);
        let at = [0, 1, 2].map(|k| self.initial()[block.q + k]);
        let mut wiring = Wiring::default();
        let place = self.place_in_space(&mut wiring, node, [P::zero(); 3]);
        let unturned = [P::one(), P::zero(), P::zero(), P::zero()];
        let frame = |place| JointFrame::new(place, Attitude::GROUND, unturned);
        let locked = Locked { translation: axes, rotation: [false; 3] };
        let joint = Joint { a: frame(place), b: frame(Place::Ground(at)), locked };
        self.add_element(owner, Element::Joint(Box::new(joint)), wiring.into_blocks(), Vec::new());
    }
    /// Ties a frame (a pose) to points in space in the mean: six rows, and the points stay free to move against each other.
    ///
    /// The frame is at the mean of the points weighted as given (in proportion to the area around each, say) and turned
    /// as they are turned in the mean, see [`crate::element::MeanTie`]; both from where they are at the start.
    ///
    /// # Errors
    /// Points on a line, or fewer than three: they have no mean rotation. Then nothing is added.
    pub fn tie_in_the_mean(
        &mut self,
        owner: &str,
        frame: BlockId,
        points: &[(BlockId, P)],
    ) -> Result<(), PointsOnALine> {
        let start = |id: BlockId| &self.initial()[self.coordinates().block(id).q..];
        let positions: Vec<[P; 3]> =
            points.iter().map(|(id, _)| start(*id)).map(|x| [x[0], x[1], x[2]]).collect();
        let weights: Vec<P> = points.iter().map(|(_, weight)| *weight).collect();
        let euler = start(frame);
        let mean = Mean::new(&positions, &weights, [euler[3], euler[4], euler[5], euler[6]])
            .ok_or(PointsOnALine { points: points.len() })?;
        let terms: Vec<_> = points
            .iter()
            .enumerate()
            .map(|(k, (id, _))| {
                let mut wiring = Wiring::default();
                let (q, _) = wiring.slot(frame, self.coordinates().block(frame));
                let place = self.place_in_space(&mut wiring, *id, [P::zero(); 3]);
                (Element::MeanTie(Box::new(mean.tie(k, q, place))), wiring.into_blocks())
            })
            .collect();
        self.add_sum(owner, terms);
        Ok(())
    }
    /// Adds a load on faces of a mesh, each with the indices of its four nodes in order seen from outside; `direction`
    /// is the force per unstressed area and unit of magnitude (Pa) in the ground, none for a pressure.
    ///
    /// `input` adds to the magnitude.
    pub fn add_face_load(
        &mut self,
        owner: &str,
        (mesh, nodes): (&SolidMesh<P>, &[BlockId]),
        faces: &[[usize; 4]],
        direction: Option<[P; 3]>,
        magnitude: &TimeLaw<P>,
        input: Option<usize>,
    ) {
        for face in faces {
            let traction = direction.map_or(Traction::Pressure, |direction| Traction::Dead {
                direction,
                areas: areas(&face.map(|k| mesh.nodes[k])),
            });
            let load = FaceLoad { traction, magnitude: magnitude.clone(), has_input: input.is_some() };
            let blocks = face.map(|k| nodes[k]).to_vec();
            self.add_element(owner, Element::FaceLoad(Box::new(load)), blocks, input.into_iter().collect());
        }
    }
}
