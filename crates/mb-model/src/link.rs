//! Flexible planar links: one frame block, a block for each node, an element between neighbours.
//!
//! ```
//! use mb_model::element::ElasticAxis::{Rotation, X, Y};
//! use mb_model::element::{Coincident, Place};
//! use mb_model::{Element, LinkData, LinkStation, Model, Wiring};
//!
//! let mut model: Model = Model::new("cantilever", [0.0, -9.81, 0.0]);
//! let data = LinkData {
//!     length: 2.0,
//!     elements: 8,
//!     mass_per_length: 1.5,
//!     axial: 1e6,
//!     bending: 40.0,
//!     alpha: 0.0,
//!     beta: 0.0,
//!     geometric_stiffness: true,
//! };
//! let arm = model.add_link_blocks("arm", [0.0; 3], &data);
//! model.add_link_elements("arm", &arm, &data, &[(1, X), (1, Y), (1, Rotation)]);
//! assert_eq!((model.nv(), model.nc()), (3 + 3 * 9, 3));
//! assert_eq!(model.coordinate_name(6), "arm[2].ux");
//! assert_eq!(model.row_name(2), "arm (reference node 1 rotation)");
//!
//! // Joints attach to the frame, to a node, or anywhere along the link.
//! let mut wiring = Wiring::default();
//! let tip = arm.place(&model, &mut wiring, LinkStation::Arc(2.0));
//! let pin = Coincident { a: tip, b: Place::Ground([2.0, 0.0, 0.0]) };
//! model.add_element("pin", Element::Coincident(pin), wiring.into_blocks(), vec![]);
//! assert_eq!(model.phi(model.initial(), 0.0), [0.0; 5]);
//! ```

use crate::coordinates::{BlockId, BlockKind};
use crate::element::{
    AngleOf, Data, ElasticAxis, Element, Held, LinkElement, LinkPoint, Place, ReferenceConditions, Slot,
};
use crate::model::{Model, Wiring};

/// The law of a uniform flexible link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkData<P = f64> {
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
    /// Damping of the elastic velocities by their mass matrix, 1/s.
    pub alpha: P,
    /// Damping of the elastic velocities by the linear elastic stiffness, s.
    pub beta: P,
    /// True when the axial force acts on the bending stiffness.
    pub geometric_stiffness: bool,
}

impl<P: Data> LinkData<P> {
    /// Length of one element, m.
    fn step(&self) -> P {
        self.length.scale(1.0 / self.elements as f64)
    }
}

/// Where on a flexible link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkStation<P = f64> {
    /// The origin of its frame, which the reference conditions tie to the link.
    Frame,
    /// A node, counted from 1.
    Node(usize),
    /// At this arc length of the undeformed link, m.
    Arc(P),
}

/// The blocks of a flexible link in a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlexibleLink<P = f64> {
    /// Frame: x, y, angle.
    pub frame: BlockId,
    /// Block of the first node; the others follow.
    first: BlockId,
    /// Number of elements.
    elements: usize,
    /// Length of one element, m.
    step: P,
}

/// Difference to a node, as part of the element, below which a place is the node.
const AT_NODE: f64 = 1e-9;

impl<P: Data> FlexibleLink<P> {
    /// Number of nodes, one more than elements.
    pub fn nodes(&self) -> usize {
        self.elements + 1
    }
    /// Block of node `k`, counted from 1.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn node(&self, k: usize) -> BlockId {
        assert!((1..=self.nodes()).contains(&k), "node {k} of {}", self.nodes());
        BlockId(self.first.0 + k - 1)
    }
    /// Arc length of a station in the undeformed link, m.
    pub fn arc(&self, station: LinkStation<P>) -> P {
        match station {
            LinkStation::Frame => P::zero(),
            LinkStation::Node(k) => self.step.scale((k - 1) as f64),
            LinkStation::Arc(s) => s,
        }
    }
    /// A place of the link for an element with this wiring.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn place(&self, model: &Model<P>, wiring: &mut Wiring, station: LinkStation<P>) -> Place<P> {
        if station == LinkStation::Frame {
            return model.place(wiring, self.frame, [P::zero(); 2]);
        }
        Place::OnLink { frame: slot(model, wiring, self.frame), at: self.point(model, wiring, station) }
    }
    /// The angle of the section there: that of the frame plus the elastic rotation.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn angle(&self, model: &Model<P>, wiring: &mut Wiring, station: LinkStation<P>) -> AngleOf<P> {
        if station == LinkStation::Frame {
            return model.angle(wiring, self.frame);
        }
        AngleOf::OnLink { frame: slot(model, wiring, self.frame), at: self.point(model, wiring, station) }
    }
    /// The point in the axes of the frame; beyond the ends the last element goes on.
    fn point(&self, model: &Model<P>, wiring: &mut Wiring, station: LinkStation<P>) -> LinkPoint<P> {
        let mut node = |k: usize| LinkPoint::Node {
            node: slot(model, wiring, self.node(k)),
            station: self.arc(LinkStation::Node(k)),
        };
        let s = match station {
            LinkStation::Frame => return node(1),
            LinkStation::Node(k) => return node(k),
            LinkStation::Arc(s) => s,
        };
        // How many steps; derivatives by parameters distinguish a place from the node it starts at.
        let steps = s / self.step;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the nodes")]
        let nearest = steps.value().round().clamp(0.0, self.elements as f64) as usize;
        let off = steps - P::cst(nearest as f64);
        if off.value().abs() <= AT_NODE && off == P::cst(off.value()) {
            return node(nearest + 1);
        }
        let first = if off.value() < 0.0 { nearest.max(1) - 1 } else { nearest.min(self.elements - 1) };
        let nodes = [first + 1, first + 2].map(|k| slot(model, wiring, self.node(k)));
        let start = self.arc(LinkStation::Node(first + 1));
        LinkPoint::Span { nodes, start, length: self.step, xi: steps - P::cst(first as f64) }
    }
}

fn slot<P: Data>(model: &Model<P>, wiring: &mut Wiring, id: BlockId) -> Slot {
    let (q, v) = wiring.slot(id, model.coordinates().block(id));
    Slot { q, v }
}

impl<P: Data> Model<P> {
    /// Adds the coordinates of a flexible link, undeformed, with its frame at `start` (x, y,
    /// angle). The block of node k is called `name[k]`.
    ///
    /// # Panics
    /// When the link has no element.
    pub fn add_link_blocks(
        &mut self,
        name: impl Into<String>,
        start: [P; 3],
        data: &LinkData<P>,
    ) -> FlexibleLink<P> {
        assert!(data.elements > 0, "elements of a flexible link");
        let name = name.into();
        let frame = self.add_block(name.clone(), BlockKind::PlanarPose, &start);
        let zero = [P::zero(); 3];
        let first = self.add_block(format!("{name}[1]"), BlockKind::ElasticNode, &zero);
        for k in 2..=data.elements + 1 {
            self.add_block(format!("{name}[{k}]"), BlockKind::ElasticNode, &zero);
        }
        FlexibleLink { frame, first, elements: data.elements, step: data.step() }
    }
    /// Adds the elements of a flexible link, and the conditions that tie its frame to it: nodes
    /// (counted from 1) with the elastic coordinate that is kept at zero.
    ///
    /// # Panics
    /// When a condition names a node that is not there.
    pub fn add_link_elements(
        &mut self,
        owner: impl Into<String>,
        link: &FlexibleLink<P>,
        data: &LinkData<P>,
        reference: &[(usize, ElasticAxis)],
    ) {
        let owner = owner.into();
        for k in 1..=link.elements {
            let element = LinkElement {
                start: link.arc(LinkStation::Node(k)),
                length: link.step,
                mass_per_length: data.mass_per_length,
                axial: data.axial,
                bending: data.bending,
                alpha: data.alpha,
                beta: data.beta,
                geometric_stiffness: data.geometric_stiffness,
            };
            let blocks = vec![link.frame, link.node(k), link.node(k + 1)];
            self.add_element(owner.clone(), Element::Link(element), blocks, Vec::new());
        }
        if reference.is_empty() {
            return;
        }
        let mut wiring = Wiring::default();
        let held = reference
            .iter()
            .map(|(node, axis)| Held {
                slot: slot(self, &mut wiring, link.node(*node)).q,
                node: *node,
                axis: *axis,
            })
            .collect();
        let element = Element::ReferenceConditions(ReferenceConditions { held });
        self.add_element(owner, element, wiring.into_blocks(), Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(elements: usize) -> (Model, FlexibleLink) {
        let mut model = Model::new("link", [0.0; 3]);
        let data = LinkData {
            length: 3.0,
            elements,
            mass_per_length: 2.0,
            axial: 1.0,
            bending: 1.0,
            alpha: 0.0,
            beta: 0.0,
            geometric_stiffness: true,
        };
        let link = model.add_link_blocks("link", [0.5, -0.2, 0.3], &data);
        (model, link)
    }

    #[test]
    fn places_at_nodes_see_one_node_and_places_between_see_two() {
        let (model, link) = link(6);
        for (s, blocks) in [(0.0, 2), (0.5, 2), (0.7, 3), (2.99, 3), (3.0, 2), (3.0 + 1e-12, 2)] {
            let mut wiring = Wiring::default();
            let place = link.place(&model, &mut wiring, LinkStation::Arc(s));
            let seen = wiring.into_blocks();
            assert_eq!(seen.len(), blocks, "{s}");
            // Undeformed, a place is where its arc length says.
            let q: Vec<f64> = seen
                .iter()
                .flat_map(|b| {
                    let block = model.coordinates().block(*b);
                    model.initial()[block.q..block.q + 3].to_vec()
                })
                .collect();
            let p = place.position(&q);
            let (sin, cos) = 0.3_f64.sin_cos();
            assert!((p.x - 0.5 - s * cos).abs() < 1e-9 && (p.y + 0.2 - s * sin).abs() < 1e-9, "{s}");
        }
    }

    #[test]
    fn one_element_has_two_nodes() {
        let (model, link) = link(1);
        assert_eq!((link.nodes(), model.nv()), (2, 9));
        let mut wiring = Wiring::default();
        let angle = link.angle(&model, &mut wiring, LinkStation::Arc(1.0));
        assert!(matches!(angle, AngleOf::OnLink { at: LinkPoint::Span { .. }, .. }));
    }
}
