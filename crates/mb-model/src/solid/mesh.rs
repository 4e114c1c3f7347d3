//! Meshes of hexahedra: nodes, elements, and named sets of nodes.

use crate::element::Data;
use crate::element::brick::FACES;
use crate::element::face_load::areas;
use crate::element::rotation::turned;
use mb_scalar::Real;
use nalgebra::Vector3;
use std::collections::{BTreeMap, HashMap};

/// A mesh of 8-node hexahedra.
///
/// The nodes of an element go round one face and then round the opposite one, both anticlockwise seen from the first
/// face into the element: (-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), then the same at zeta = 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidMesh<P = f64> {
    /// Numbers of the nodes.
    pub node_ids: Vec<usize>,
    /// Positions of the nodes, m.
    pub nodes: Vec<[P; 3]>,
    /// Numbers of the elements.
    pub element_ids: Vec<usize>,
    /// Indices of the nodes of every element.
    pub elements: Vec<[usize; 8]>,
    /// Indices of the nodes of named sets, in increasing order.
    pub sets: BTreeMap<String, Vec<usize>>,
    /// True when all elements are one shape moved about without turning against each other.
    pub congruent: bool,
}

impl<P: Data> SolidMesh<P> {
    /// A block from the origin to `size` (m) with so many elements along x, y and z.
    ///
    /// Nodes are numbered from 1, x first, then y, then z; so are the elements. The faces are the sets `x-`, `x+`, `y-`,
    /// `y+`, `z-`, `z+`; the whole is `all`.
    pub fn block(size: [P; 3], elements: [usize; 3]) -> Self {
        let [nx, ny, nz] = elements.map(|n| n + 1);
        let index = |i: usize, j: usize, k: usize| i + nx * (j + ny * k);
        let mut out = Self { congruent: true, ..Self::default() };
        let part = |d: usize, i: usize| size[d].scale(i as f64 / elements[d] as f64);
        for (k, j, i) in each([nz, ny, nx]) {
            out.nodes.push([part(0, i), part(1, j), part(2, k)]);
            let here = index(i, j, k);
            for (d, i, n) in [(0, i, nx), (1, j, ny), (2, k, nz)] {
                let axis = ["x", "y", "z"][d];
                for (end, sign) in [(0, "-"), (n - 1, "+")] {
                    if i == end {
                        out.sets.entry(format!("{axis}{sign}")).or_default().push(here);
                    }
                }
            }
        }
        for (k, j, i) in each([nz - 1, ny - 1, nx - 1]) {
            let round = |k| [index(i, j, k), index(i + 1, j, k), index(i + 1, j + 1, k), index(i, j + 1, k)];
            let ([a, b, c, d], [e, f, g, h]) = (round(k), round(k + 1));
            out.elements.push([a, b, c, d, e, f, g, h]);
        }
        out.sets.insert("all".to_owned(), (0..out.nodes.len()).collect());
        out.node_ids = (1..=out.nodes.len()).collect();
        out.element_ids = (1..=out.elements.len()).collect();
        out
    }
    /// The mesh times `scale`, then turned by Euler parameters, then shifted by `origin` (m).
    #[must_use]
    pub fn moved(mut self, scale: P, euler: [P; 4], origin: [P; 3]) -> Self {
        for x in &mut self.nodes {
            let at = turned(euler, &Vector3::from(x.map(|x| x * scale)));
            *x = [at.x + origin[0], at.y + origin[1], at.z + origin[2]];
        }
        self
    }
    /// The faces that belong to one element only: its index, and the face (xi = -1, 1, eta = -1, 1, zeta = -1, 1).
    pub fn outer_faces(&self) -> Vec<(usize, usize)> {
        let mut seen: HashMap<[usize; 4], usize> = HashMap::with_capacity(4 * self.elements.len());
        let key = |corners: &[usize; 8], face: &[usize; 4]| {
            let mut key = face.map(|k| corners[k]);
            key.sort_unstable();
            key
        };
        for corners in &self.elements {
            for face in &FACES {
                *seen.entry(key(corners, face)).or_default() += 1;
            }
        }
        let mut out = Vec::new();
        for (e, corners) in self.elements.iter().enumerate() {
            out.extend((0..6).filter(|f| seen[&key(corners, &FACES[*f])] == 1).map(|f| (e, f)));
        }
        out
    }
    /// The outer faces with all four nodes in a set: indices of their nodes, anticlockwise seen from outside.
    pub fn faces_of(&self, set: &[usize]) -> Vec<[usize; 4]> {
        let mut inside = vec![false; self.nodes.len()];
        for k in set {
            inside[*k] = true;
        }
        let corners = self.outer_faces().into_iter().map(|(e, f)| FACES[f].map(|k| self.elements[e][k]));
        corners.filter(|face| face.iter().all(|k| inside[*k])).collect()
    }
    /// The nodes of a set with the area around each, m^2: what a unit of traction on its faces does to them. Nodes on
    /// none of its faces are left out; where it has no face all its nodes count as one.
    pub fn area_around(&self, set: &[usize]) -> Vec<(usize, P)> {
        let mut out = BTreeMap::new();
        for face in self.faces_of(set) {
            for (k, area) in face.into_iter().zip(areas(&face.map(|k| self.nodes[k]))) {
                *out.entry(k).or_insert_with(P::zero) += area;
            }
        }
        if out.is_empty() {
            out.extend(set.iter().map(|k| (*k, P::one())));
        }
        out.into_iter().collect()
    }
    /// Area of a face in m^2.
    pub fn area(&self, face: &[usize; 4]) -> P {
        let [a, b, c, d] = areas(&face.map(|k| self.nodes[k]));
        a + b + c + d
    }
}

impl SolidMesh<f64> {
    /// The mesh in another scalar, its positions constants.
    pub fn lifted<P: Real>(&self) -> SolidMesh<P> {
        SolidMesh {
            node_ids: self.node_ids.clone(),
            nodes: self.nodes.iter().map(|x| x.map(P::cst)).collect(),
            element_ids: self.element_ids.clone(),
            elements: self.elements.clone(),
            sets: self.sets.clone(),
            congruent: self.congruent,
        }
    }
}

/// All triples below the given ends, the last running fastest.
fn each([a, b, c]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_bounded_by_its_faces() {
        let mesh = SolidMesh::<f64>::block([2.0, 3.0, 4.0], [2, 3, 1]);
        assert_eq!((mesh.nodes.len(), mesh.elements.len()), (24, 6));
        assert_eq!(mesh.outer_faces().len(), 2 * (2 * 3 + 2 + 3));
        let area = |set: &str| mesh.faces_of(&mesh.sets[set]).iter().map(|f| mesh.area(f)).sum::<f64>();
        for (set, expected) in
            [("x-", 12.0), ("x+", 12.0), ("y-", 8.0), ("y+", 8.0), ("z-", 6.0), ("z+", 6.0)]
        {
            assert!((area(set) - expected).abs() < 1e-13, "{set}");
        }
        assert!((area("all") - 52.0).abs() < 1e-12);
        let far = mesh.nodes[23];
        assert!((far[0] - 2.0).abs() + (far[1] - 3.0).abs() + (far[2] - 4.0).abs() < 1e-15);
    }
}
