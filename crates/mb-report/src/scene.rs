//! What is drawn: nodes, and surfaces, tubes and marks between them.

use crate::hull::{edges, hull};

/// How a mark looks; its size is that of the drawing, whatever the size of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// A circle: places held together.
    Pin,
    /// A wall: a place clamped in the ground, then one that it is across from where there is one.
    Wall,
    /// A square: places clamped to each other, as a wall.
    Weld,
    /// A spiral about a place.
    Spiral,
    /// A vane in an open ring about a place.
    Vane,
    /// A block on a line: a place, then two places of the line where it has them.
    Slider,
    /// A zigzag between two places.
    Spring,
    /// A cylinder with a piston between two places.
    Damper,
    /// Two rings about the middle of two places, which may be one: springs in all relative motions.
    Bushing,
    /// A thin line between two places.
    Link,
    /// A concentrated mass.
    Mass,
    /// A place held by the ground.
    Ground,
}

/// A mark at nodes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Glyph {
    /// How it looks.
    pub mark: Mark,
    /// Whose it is: index in [`Scene::owners`].
    pub owner: usize,
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// Of a mark between two places that others lie on: how far to the side of the line from the first to the second, in halves of the
    /// distance of two of them.
    #[serde(skip_serializing_if = "is_none")]
    pub lane: i32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none(lane: &i32) -> bool {
    *lane == 0
}

/// A tube through nodes: a beam, a link, a bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tube {
    /// Whose it is: index in [`Scene::owners`].
    pub owner: usize,
    /// Its nodes in order; a smooth curve goes through more than two.
    pub nodes: Vec<usize>,
}

/// The model at its operating point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Whether everything lies in the plane of x and y.
    pub planar: bool,
    /// Positions, m.
    pub nodes: Vec<[f64; 3]>,
    /// Names of the parts, such as `rod 'OP'`.
    pub owners: Vec<String>,
    /// Outer faces of solids: four corners in order round the face, and the owner.
    pub quads: Vec<([usize; 4], usize)>,
    /// Triangles of rigid bodies, and the owner.
    pub triangles: Vec<([usize; 3], usize)>,
    /// Edges of rigid bodies.
    pub edges: Vec<[usize; 2]>,
    /// Beams, links, bars.
    pub tubes: Vec<Tube>,
    /// Joints, springs, dampers, masses, the ground.
    pub glyphs: Vec<Glyph>,
}

/// How a mode moves the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Row of the table of modes.
    pub row: usize,
    /// Its name in the list, such as `3: 12.5 Hz`.
    pub name: String,
    /// What it is, in a sentence.
    pub sentence: String,
    /// Eigenvalue: real and imaginary part, rad/s.
    pub value: [f64; 2],
    /// Displacements of the nodes, real parts; of any size.
    pub real: Vec<[f64; 3]>,
    /// Imaginary parts, as many; empty when all nodes move in phase.
    pub imaginary: Vec<[f64; 3]>,
    /// Share of the strain energy by owner; empty when it is not known.
    pub strain: Vec<f64>,
}

/// A motion in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Times of the frames, s, increasing.
    pub times: Vec<f64>,
    /// Positions of all nodes at each time, m.
    pub frames: Vec<Vec<[f64; 3]>>,
}

impl Scene {
    /// Adds a rigid body by the nodes of its points: the surface around them, a tube where they lie on a line, a mass where
    /// they are one point.
    pub fn add_body(&mut self, owner: usize, nodes: &[usize]) {
        let points: Vec<[f64; 3]> = nodes.iter().map(|n| self.nodes[*n]).collect();
        let surface = hull(&points);
        self.triangles.extend(surface.iter().map(|t| (t.map(|i| nodes[i]), owner)));
        self.edges.extend(edges(&points, &surface).iter().map(|e| e.map(|i| nodes[i])));
        if !surface.is_empty() {
            return;
        }
        let apart = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        let far = |from: [f64; 3]| {
            let order = |a: &usize, b: &usize| apart(points[*a], from).total_cmp(&apart(points[*b], from));
            (0..points.len()).max_by(order)
        };
        let one = points.first().and_then(|p| far(*p));
        let other = one.and_then(|i| far(points[i]));
        match (one, other) {
            (Some(i), Some(j)) if apart(points[i], points[j]) > 0.0 => {
                self.tubes.push(Tube { owner, nodes: vec![nodes[i], nodes[j]] });
            }
            (Some(i), _) => {
                self.glyphs.push(Glyph { mark: Mark::Mass, owner, nodes: vec![nodes[i]], lane: 0 });
            }
            _ => {}
        }
    }
    /// Adds a disc by the nodes of its centre and of its rim, in order round it, with three spokes, which show how it turns.
    pub fn add_disc(&mut self, owner: usize, center: usize, rim: &[usize]) {
        let sides = || rim.iter().zip(rim.iter().cycle().skip(1)).map(|(a, b)| [*a, *b]);
        self.triangles.extend(sides().map(|[a, b]| ([center, a, b], owner)));
        self.edges.extend(sides());
        let spokes = (0..3).filter_map(|k| rim.get(k * rim.len() / 3));
        self.edges.extend(spokes.map(|at| [center, *at]));
    }
    /// Centre of the box around the nodes and half of its largest side, over the frames of a motion too.
    pub(crate) fn frame(&self, motion: Option<&Motion>) -> ([f64; 3], f64) {
        let moved = motion.into_iter().flat_map(|m| m.frames.iter().flatten());
        let start = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let [low, high] = self.nodes.iter().chain(moved).fold(start, |[low, high], p| {
            [[0, 1, 2].map(|k| low[k].min(p[k])), [0, 1, 2].map(|k| high[k].max(p[k]))]
        });
        if low.iter().chain(&high).any(|x| !x.is_finite()) {
            return ([0.0; 3], 1.0);
        }
        let half = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k])).into_iter().fold(0.0, f64::max);
        ([0, 1, 2].map(|k| 0.5 * (low[k] + high[k])), if half > 0.0 { half } else { 1.0 })
    }
}

impl Shape {
    /// Largest displacement of a node: the root of the sum of the squares of both parts.
    pub(crate) fn largest(&self) -> f64 {
        let square = |p: Option<&[f64; 3]>| p.map_or(0.0, |p| p.iter().map(|x| x * x).sum::<f64>());
        let node = |i: usize| square(self.real.get(i)) + square(self.imaginary.get(i));
        (0..self.real.len()).map(node).fold(0.0, f64::max).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_has_its_rim_and_three_spokes() {
        let mut scene = Scene::default();
        let rim: Vec<usize> = (1..=24).collect();
        scene.add_disc(3, 0, &rim);
        assert!(
            scene.triangles.len() == 24 && scene.triangles.iter().all(|(t, owner)| t[0] == 0 && *owner == 3)
        );
        assert!(scene.triangles.contains(&([0, 24, 1], 3)), "the rim is closed");
        let spokes: Vec<_> = scene.edges.iter().filter(|e| e[0] == 0).collect();
        assert!(scene.edges.len() == 27 && spokes == [&[0, 1], &[0, 9], &[0, 17]], "{spokes:?}");
        scene.add_disc(3, 0, &[]);
        assert_eq!(scene.triangles.len(), 24);
    }
}
