//! Elements of solids that a configuration turns inside out.
//!
//! ```text
//! det F = det(g_1, g_2, g_3) / det(G_1, G_2, G_3)   at the 2 x 2 x 2 points, g_d = dx/dxi_d, G_d the same unstressed
//! ```
//!
//! The law of St. Venant and Kirchhoff knows squares of lengths only, so that a body pressed flat passes through itself
//! and comes to rest beyond, a mirror image of what it was: det F <= 0 distinguishes such a state from a body.

use crate::element::Element;
use crate::model::Model;
use mb_algebra::sorted::ascending;
use rayon::prelude::*;

/// An element of a solid that is inside out, or flat, in some configuration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "element {element} of {owner} is inside out: its volume is {ratio:.3} times the unstressed one near its node {nearest} (nodes {})",
    nodes.join(", ")
)]
pub struct InsideOut {
    /// Whose element, such as `solid 'block'`.
    pub owner: String,
    /// Its number in the mesh.
    pub element: usize,
    /// Names of its nodes, in the order of [`crate::SolidMesh`].
    pub nodes: Vec<String>,
    /// The node next to the integration point with the smallest det F.
    pub nearest: String,
    /// det F there, not positive.
    pub ratio: f64,
}

impl Model {
    /// The elements of solids that are inside out or flat in the configuration `q` (nq numbers), the worst one first.
    pub fn inside_out(&self, q: &[f64]) -> Vec<InsideOut> {
        let wrong = |member: &crate::Member| {
            let Element::BrickStrain(brick) = &member.element else { return None };
            let local: Vec<f64> = member.wires.q_index.iter().map(|i| q[*i]).collect();
            let (corner, ratio) = brick.smallest_volume_ratio(&local);
            // Not `>`, so that a NaN is reported too.
            if ratio > 0.0 {
                return None;
            }
            let name = |b: &crate::BlockId| self.coordinates().block(*b).name.clone();
            let nodes: Vec<String> = member.wires.blocks.iter().map(name).collect();
            let nearest = nodes[corner].clone();
            Some(InsideOut { owner: member.owner.clone(), element: brick.number, nodes, nearest, ratio })
        };
        let mut out: Vec<InsideOut> = self.members().par_iter().filter_map(wrong).collect();
        ascending(&mut out, |a| a.ratio);
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::{Model, SolidData, SolidMaterial, SolidMesh};

    #[test]
    fn an_element_pressed_through_itself_is_named() {
        let material = SolidMaterial { density: 1.0, youngs_modulus: 1.0, poissons_ratio: 0.3 };
        let mesh = SolidMesh::block([1.0, 1.0, 2.0], [1, 1, 2]);
        let mut model = Model::new("block", [0.0; 3]);
        let nodes = model.add_solid_nodes("block", &mesh);
        model.add_solid_elements("solid 'block'", &SolidData::new(material), &mesh, &nodes).unwrap();
        let mut q = model.initial().to_vec();
        // Rigid motions and large stretches keep the orientation.
        for at in q.chunks_exact_mut(3) {
            at.copy_from_slice(&[-3.0 * at[1] + 7.0, 2.0 * at[0], at[2]]);
        }
        assert_eq!(model.inside_out(&q), []);
        // The upper layer pushed below the middle one.
        for at in q.chunks_exact_mut(3).skip(8) {
            at[2] = 0.5;
        }
        let found = model.inside_out(&q);
        assert_eq!((found.len(), found[0].element, found[0].owner.as_str()), (1, 2, "solid 'block'"));
        // Half the height the other way, six times the area.
        assert!((found[0].ratio + 3.0).abs() < 1e-12, "{}", found[0].ratio);
        assert_eq!((found[0].nodes[0].as_str(), found[0].nodes[7].as_str()), ("block[5]", "block[11]"));
    }
}
