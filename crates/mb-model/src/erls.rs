//! Equivalent rigid links: an angle, a block for each node, an element between neighbours.
//!
//! ```
//! use mb_model::erls::{ErlsBase, ErlsData};
//! use mb_model::Model;
//!
//! let mut model: Model = Model::new("arm", [0.0, -9.81, 0.0]);
//! let data = ErlsData {
//!     length: 0.6,
//!     elements: 4,
//!     mass_per_length: 1.9,
//!     axial: 4.9e7,
//!     bending: 2.7e3,
//!     alpha: 0.87,
//!     beta: 4.5e-6,
//!     payload: None,
//! };
//! let upper = model.add_erls_blocks("upper", ErlsBase::Ground([0.0; 2]), 1.2, false, &data);
//! let tip = ErlsData { length: 0.45, elements: 3, payload: Some(0.5), ..data };
//! let lower = model.add_erls_blocks("lower", ErlsBase::Link(&upper), -1.1, false, &tip);
//! model.add_erls_elements("upper", &upper);
//! model.add_erls_elements("lower", &lower);
//! // Two angles and three numbers for each node beyond the bases, without constraints.
//! assert_eq!((model.nv(), model.nc()), (2 + 3 * 7, 0));
//! assert_eq!(model.coordinate_name(1), "upper[2].ux");
//! ```
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use crate::coordinates::{BlockId, BlockKind};
use crate::element::{
    AngleOf, Chain, Data, Element, Erls, ErlsBeam, ErlsNode, ErlsPayload, ErlsPlace, RigidLink,
};
use crate::model::{Model, Wiring};

/// The law of an equivalent rigid link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErlsData<P = f64> {
    /// Length, m.
    pub length: P,
    /// Number of finite elements, all of the same length; at least one.
    pub elements: usize,
    /// Mass per length rho A, kg/m.
    pub mass_per_length: P,
    /// Axial stiffness EA, N.
    pub axial: P,
    /// Bending stiffness EI, N m^2.
    pub bending: P,
    /// Damping of the elastic velocities by the mass, that of the payload included, 1/s.
    pub alpha: P,
    /// Damping of the elastic velocities by the stiffness, s.
    pub beta: P,
    /// Mass at the end, kg, where there is one.
    pub payload: Option<P>,
}

/// What carries the base of a link.
#[derive(Clone, Copy, Debug)]
pub enum ErlsBase<'a, P = f64> {
    /// A point of the ground, m.
    Ground([P; 2]),
    /// The end of another link.
    Link(&'a ErlsLink<P>),
}

/// The blocks of a link in a model. Nodes count from 1, which is the base.
#[derive(Clone, Debug, PartialEq)]
pub struct ErlsLink<P = f64> {
    /// Its law.
    pub data: ErlsData<P>,
    /// Where the first link of the chain starts, m.
    pub base: [P; 2],
    /// Angle and length of the links below it, from the ground.
    pub below: Vec<(BlockId, P)>,
    /// Its own absolute angle.
    pub angle: BlockId,
    /// Last node of the link below, whose displacement the base has; none on the ground.
    pub tip_below: Option<BlockId>,
    /// Elastic rotation of the base of a passive link, whose angle a loop gives.
    pub base_rotation: Option<BlockId>,
    /// The nodes beyond the base, one for each element.
    pub nodes: Vec<BlockId>,
}

impl<P: Data> ErlsLink<P> {
    /// The chain and the places of the numbers of node `k`, for an element with this wiring.
    fn chain(&self, model: &Model<P>, wiring: &mut Wiring) -> Chain<P> {
        let own = (self.angle, self.data.length);
        let links = self.below.iter().chain([&own]);
        let link = |&(id, length): &(BlockId, P)| RigidLink { angle: index(model, wiring, id), length };
        Chain { base: self.base, links: links.map(link).collect() }
    }
    fn node(&self, k: usize, model: &Model<P>, wiring: &mut Wiring) -> ErlsNode {
        let mut first = |id: BlockId| index(model, wiring, id);
        match k {
            0 | 1 => ErlsNode {
                displacement: self.tip_below.map(&mut first),
                rotation: self.base_rotation.map(first),
            },
            k => ErlsNode::whole(first(self.nodes[k - 2])),
        }
    }
    /// Node `k` as a place for an element with this wiring.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn place(&self, model: &Model<P>, wiring: &mut Wiring, k: usize) -> ErlsPlace<P> {
        let chain = self.chain(model, wiring);
        let displacement = self.node(k, model, wiring).displacement;
        let station = self.data.length.scale((k.max(1) - 1) as f64 / self.data.elements as f64);
        ErlsPlace { chain, station, displacement }
    }
    /// The angle of the section at node `k`: that of the rigid link plus the elastic rotation.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn section(&self, model: &Model<P>, wiring: &mut Wiring, k: usize) -> AngleOf<P> {
        let AngleOf::Coordinate { q, v } = model.angle(wiring, self.angle) else {
            return AngleOf::Ground;
        };
        match self.node(k, model, wiring).rotation {
            Some(rotation) => AngleOf::Section { angle: (q, v), rotation: (rotation, rotation) },
            None => AngleOf::Coordinate { q, v },
        }
    }
}

/// First local index of a block; the same for q and v, since all blocks before it are linear.
fn index<P: Data>(model: &Model<P>, wiring: &mut Wiring, id: BlockId) -> usize {
    wiring.slot(id, model.coordinates().block(id)).0
}

impl<P: Data> Model<P> {
    /// Adds the coordinates of a link, undeformed: its angle, with `passive` the elastic rotation of its base, and its nodes
    /// beyond the base. The block of node k is called `name[k]`. Links are passive where a loop gives their angle; elsewhere
    /// the angle and the rotation of the base describe one turn twice.
    ///
    /// # Panics
    /// When the link has no element.
    pub fn add_erls_blocks(
        &mut self,
        name: &str,
        base: ErlsBase<'_, P>,
        angle: P,
        passive: bool,
        data: &ErlsData<P>,
    ) -> ErlsLink<P> {
        assert!(data.elements > 0, "elements of a link");
        let zero = P::zero();
        let angle = self.add_block(name, BlockKind::Angle, &[angle]);
        let base_rotation = passive.then(|| self.add_block(format!("{name}[1]"), BlockKind::Angle, &[zero]));
        let nodes = (2..=data.elements + 1)
            .map(|k| self.add_block(format!("{name}[{k}]"), BlockKind::Displacement, &[zero; 3]))
            .collect();
        let (base, below, tip_below) = match base {
            ErlsBase::Ground(at) => (at, Vec::new(), None),
            ErlsBase::Link(link) => {
                let mut below = link.below.clone();
                below.push((link.angle, link.data.length));
                (link.base, below, link.nodes.last().copied())
            }
        };
        ErlsLink { data: *data, base, below, angle, tip_below, base_rotation, nodes }
    }
    /// Adds the elements of a link, and its payload where it has one.
    pub fn add_erls_elements(&mut self, owner: impl Into<String>, link: &ErlsLink<P>) {
        let owner = owner.into();
        let data = &link.data;
        let step = data.length.scale(1.0 / data.elements as f64);
        for k in 1..=data.elements {
            let mut wiring = Wiring::default();
            let beam = ErlsBeam {
                chain: link.chain(self, &mut wiring),
                nodes: [k, k + 1].map(|k| link.node(k, self, &mut wiring)),
                start: step.scale((k - 1) as f64),
                length: step,
                mass_per_length: data.mass_per_length,
                axial: data.axial,
                bending: data.bending,
                alpha: data.alpha,
                beta: data.beta,
            };
            let element = Element::Erls(Box::new(Erls::Beam(beam)));
            self.add_element(owner.clone(), element, wiring.into_blocks(), Vec::new());
        }
        if let Some(mass) = data.payload {
            let mut wiring = Wiring::default();
            let place = link.place(self, &mut wiring, data.elements + 1);
            let payload = ErlsPayload { place, mass, alpha: data.alpha };
            let element = Element::Erls(Box::new(Erls::Payload(payload)));
            self.add_element(owner, element, wiring.into_blocks(), Vec::new());
        }
    }
}
