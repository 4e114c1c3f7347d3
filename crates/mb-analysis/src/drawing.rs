//! A model as [`mb_report`] draws it: its strokes as nodes with surfaces, tubes and marks between them, its modes as displacements
//! of the nodes.

use crate::phase;
use mb_algebra::c64;
use mb_eigen::modal::EnergyShares;
use mb_model::{CIRCLE, Model, OutlinePlace, OutlineStroke, Stroke};
use mb_report::{Glyph, Mark, Scene, Tube};
use std::collections::HashMap;

/// Share of a motion out of phase below which nothing of it can be seen.
const IN_PHASE: f64 = 2e-3;

/// Displacement relative to the coordinates' times the size of the model that is rounding: nothing that is drawn moves.
const STILL: f64 = 1e-10;

/// A scene with the place of each of its nodes.
#[derive(Debug)]
pub struct Drawing {
    /// What is drawn.
    pub scene: Scene,
    /// Places of the nodes in the model.
    pub places: Vec<OutlinePlace>,
}

/// Displacements of the nodes in a mode: their real parts, m, and the imaginary ones, empty where all nodes move in phase.
pub type Displacements = [Vec<[f64; 3]>; 2];

impl Drawing {
    /// The model at the configuration `q`.
    pub fn new(model: &Model, q: &[f64]) -> Self {
        let scene = Scene { planar: model.is_planar(), ..Scene::default() };
        let mut out = Builder {
            model,
            q,
            probe: probe(model.nv()),
            known: HashMap::new(),
            owners: HashMap::new(),
            ground: Vec::new(),
            drawing: Self { scene, places: Vec::new() },
        };
        let strokes = model.outline();
        let places: Vec<Vec<_>> =
            strokes.iter().map(|s| s.places.iter().map(|p| model.place_at(p, q)).collect()).collect();
        for (stroke, lane) in strokes.iter().zip(lanes(&strokes, &places)) {
            out.add(stroke, lane);
        }
        out.drawing
    }

    /// What a mode shape does with the nodes at the configuration `q`, turned so that most of it is real; `oscillates` is false
    /// for real eigenvalues, whose modes have one phase.
    pub fn displacements(&self, model: &Model, q: &[f64], shape: &[c64], oscillates: bool) -> Displacements {
        let part = |of: fn(&c64) -> f64| shape.iter().map(of).collect::<Vec<f64>>();
        let (re, im) = (part(|z| z.re), part(|z| z.im));
        let step = |place| {
            let (a, b) = (model.place_step(place, q, &re), model.place_step(place, q, &im));
            [0, 1, 2].map(|k| c64::new(a[k], b[k]))
        };
        let mut steps: Vec<[c64; 3]> = self.places.iter().map(step).collect();
        let most = |list: &mut dyn Iterator<Item = c64>| list.fold(0.0, |m: f64, z| m.max(z.norm()));
        let moved = most(&mut steps.iter().flatten().copied());
        if moved <= STILL * self.reach() * most(&mut shape.iter().copied()) {
            return [vec![[0.0; 3]; steps.len()], Vec::new()];
        }
        let turn = phase::turn(steps.iter().flatten());
        steps.iter_mut().flatten().for_each(|z| *z *= turn);
        let of = |part: fn(&c64) -> f64| steps.iter().map(|d| d.each_ref().map(part)).collect();
        let complex = oscillates && phase::spread(steps.iter().flatten()) > IN_PHASE;
        [of(|z| z.re), if complex { of(|z| z.im) } else { Vec::new() }]
    }

    /// Largest side of the box around the nodes, m.
    fn reach(&self) -> f64 {
        let side = |k: usize| {
            let along = || self.scene.nodes.iter().map(|p| p[k]);
            along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
        };
        (0..3).map(side).fold(0.0, f64::max)
    }

    /// Share of the strain energy by owner in the mode of an eigenpair; empty where no part that is drawn has one.
    pub fn strain(&self, energy: &EnergyShares, pair: usize) -> Vec<f64> {
        let mode = energy.modes.iter().find(|m| m.eigenpair == pair).and_then(|m| m.strain.as_ref());
        let Some(strain) = mode else { return Vec::new() };
        let of = |owner: &String| {
            let group = energy.groups.iter().position(|g| g == quoted(owner));
            group.map_or(0.0, |g| strain[g].max(0.0))
        };
        let out: Vec<f64> = self.scene.owners.iter().map(of).collect();
        if out.iter().any(|share| *share > 0.0) { out } else { Vec::new() }
    }
}

/// Which strokes are springs and dampers.
const SIDE_BY_SIDE: [Stroke; 2] = [Stroke::Spring, Stroke::Damper];

/// Where springs and dampers between the same two places are drawn, by stroke: in so many halves of the distance of two of them to the
/// side of the line from the first place to the second; zero where nothing else lies there. `places`: those of each stroke, m.
pub fn lanes(strokes: &[OutlineStroke], places: &[Vec<[f64; 3]>]) -> Vec<i32> {
    // Places that agree to seven digits lie on each other in a drawing.
    #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
    let key = |p: &[f64; 3]| p.map(|x| (x as f32 + 0.0).to_bits());
    let mut groups: HashMap<[[u32; 3]; 2], Vec<(usize, i32)>> = HashMap::new();
    for (i, (stroke, places)) in strokes.iter().zip(places).enumerate() {
        if let [a, b] = &places[..]
            && SIDE_BY_SIDE.contains(&stroke.stroke)
            && key(a) != key(b)
        {
            let (a, b) = (key(a), key(b));
            // Sides are those of one direction, whichever way each goes.
            let (ends, sign) = if a <= b { ([a, b], 1) } else { ([b, a], -1) };
            groups.entry(ends).or_default().push((i, sign));
        }
    }
    let mut out = vec![0; strokes.len()];
    for group in groups.values() {
        let first = 1 - i32::try_from(group.len()).unwrap_or(1);
        for ((i, sign), lane) in group.iter().zip((first..).step_by(2)) {
            out[*i] = sign * lane;
        }
    }
    out
}

/// A step of all coordinates in which places that move differently do so: fixed numbers without order.
fn probe(n: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        // A linear congruential generator with Knuth's constants (MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    };
    (0..n).map(|_| next()).collect()
}

/// A position and its step along the probe, bit by bit.
type Key = [u64; 6];

struct Builder<'a> {
    model: &'a Model,
    q: &'a [f64],
    probe: Vec<f64>,
    known: HashMap<Key, usize>,
    owners: HashMap<String, usize>,
    ground: Vec<[f64; 3]>,
    drawing: Drawing,
}

impl Builder<'_> {
    fn add(&mut self, stroke: &OutlineStroke, lane: i32) {
        let owner = self.owner(part(&stroke.owner));
        let nodes: Vec<usize> = stroke.places.iter().map(|p| self.node(p)).collect();
        let scene = &mut self.drawing.scene;
        let mark = match stroke.stroke {
            Stroke::Faces => {
                scene.quads.extend(nodes.as_chunks::<4>().0.iter().map(|corners| (*corners, owner)));
                return;
            }
            Stroke::Body => {
                scene.add_body(owner, &nodes);
                return;
            }
            Stroke::Wheel => {
                if let [center, rim @ ..] = nodes.as_slice() {
                    rim.chunks_exact(CIRCLE).for_each(|circle| scene.add_disc(owner, *center, circle));
                }
                return;
            }
            Stroke::Bar | Stroke::Curve => {
                scene.tubes.push(Tube { owner, nodes });
                None
            }
            Stroke::Spring => Some(Mark::Spring),
            Stroke::Damper => Some(Mark::Damper),
            Stroke::Bushing => Some(Mark::Bushing),
            Stroke::Pin => Some(Mark::Pin),
            Stroke::Clamp if stroke.places.iter().take(2).any(OutlinePlace::is_ground) => Some(Mark::Wall),
            Stroke::Clamp => Some(Mark::Weld),
            Stroke::TorsionSpring => Some(Mark::Spiral),
            Stroke::TorsionDamper => Some(Mark::Vane),
            Stroke::Link => Some(Mark::Link),
            Stroke::Slider => Some(Mark::Slider),
            Stroke::Mass => Some(Mark::Mass),
            Stroke::Load => None,
        };
        if let Some(mark) = mark {
            let line = matches!(mark, Mark::Spring | Mark::Damper | Mark::Link);
            let nodes = match stroke.places.as_slice() {
                // Two places that are one: a zigzag of no length says nothing.
                [a, b] if line && self.at(a).iter().zip(self.at(b)).all(|(a, b)| (a - b).abs() == 0.0) => {
                    Vec::new()
                }
                [at, _, further @ ..] if stroke.stroke == Stroke::Clamp => {
                    [at].into_iter().chain(further).map(|p| self.node(p)).collect()
                }
                _ => self.nodes_of(stroke),
            };
            if !nodes.is_empty() {
                self.drawing.scene.glyphs.push(Glyph { mark, owner, nodes, lane });
            }
        }
        // Rails and walls are the ground themselves.
        match mark {
            Some(Mark::Wall) => {
                let held: Vec<_> = stroke.places.iter().take(2).map(|p| self.at(p)).collect();
                self.ground.extend(held);
            }
            Some(Mark::Slider) => {}
            _ => self.grounds(stroke, owner),
        }
    }

    /// Marks of the ground, each place once.
    fn grounds(&mut self, stroke: &OutlineStroke, owner: usize) {
        for place in stroke.places.iter().filter(|p| p.is_ground()) {
            let at = self.at(place);
            if !self.ground.contains(&at) {
                self.ground.push(at);
                let nodes = vec![self.node(place)];
                self.drawing.scene.glyphs.push(Glyph { mark: Mark::Ground, owner, nodes, lane: 0 });
            }
        }
    }

    fn nodes_of(&mut self, stroke: &OutlineStroke) -> Vec<usize> {
        stroke.places.iter().map(|p| self.node(p)).collect()
    }

    fn at(&self, place: &OutlinePlace) -> [f64; 3] {
        self.model.place_at(place, self.q)
    }

    /// The node of a place: one for all places that are where it is and move as it does.
    fn node(&mut self, place: &OutlinePlace) -> usize {
        let at = self.at(place);
        let step = self.model.place_step(place, self.q, &self.probe);
        let bits = |x: f64| (x + 0.0).to_bits();
        let key = [bits(at[0]), bits(at[1]), bits(at[2]), bits(step[0]), bits(step[1]), bits(step[2])];
        let Drawing { scene, places } = &mut self.drawing;
        *self.known.entry(key).or_insert_with(|| {
            scene.nodes.push(at);
            places.push(*place);
            places.len() - 1
        })
    }

    fn owner(&mut self, name: &str) -> usize {
        let owners = &mut self.drawing.scene.owners;
        *self.owners.entry(name.to_owned()).or_insert_with(|| {
            owners.push(name.to_owned());
            owners.len() - 1
        })
    }
}

/// The part that a stroke belongs to: elements of a solid or beam are named after it, `solid 'block' element 12`.
fn part(owner: &str) -> &str {
    owner.match_indices('\'').nth(1).map_or(owner, |(i, _)| &owner[..=i])
}

/// The name within the quotes.
fn quoted(owner: &str) -> &str {
    owner.split('\'').nth(1).unwrap_or(owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_what_they_belong_to() {
        assert_eq!(part("solid 'block' node 12"), "solid 'block'");
        assert_eq!((part("rod 'OP'"), quoted("rod 'OP'")), ("rod 'OP'", "OP"));
    }

    /// A damped spring with a damper that goes the other way beside it, one spring apart, and a spring of no length.
    const STRUT: &str = r#"
    units = "SI"
    name = "strut"
    point = [{ name = "P", at = [0, 1], mass = 1 }]
    spring = [
        { name = "damped", a = "P", b = [0, 0], stiffness = 10, natural_length = 1, damping = 2 },
        { name = "damper", a = [0, 0], b = "P", stiffness = 0, natural_length = 1, damping = 1 },
        { name = "apart", a = "P", b = [1, 1], stiffness = 1, natural_length = 1 },
    ]
    "#;

    #[test]
    fn springs_and_dampers_between_the_same_places_lie_side_by_side() {
        let model = Model::from_toml(STRUT).unwrap();
        let drawing = Drawing::new(&model, model.initial());
        let marks = drawing.scene.glyphs.iter().filter(|g| matches!(g.mark, Mark::Spring | Mark::Damper));
        let sides: Vec<(Mark, i32)> = marks
            .map(|g| {
                // Upwards or downwards: a side of the line from below is the other one from above.
                let up = drawing.scene.nodes[g.nodes[1]][1] > drawing.scene.nodes[g.nodes[0]][1];
                (g.mark, if up { g.lane } else { -g.lane })
            })
            .collect();
        let mut found: Vec<i32> = sides[..3].iter().map(|(_, side)| *side).collect();
        found.sort_unstable();
        assert_eq!(found, [-2, 0, 2], "{sides:?}");
        assert_eq!(sides.iter().filter(|(mark, _)| *mark == Mark::Damper).count(), 2);
        assert_eq!(sides[3], (Mark::Spring, 0));
    }

    /// A slide is as long as what slides on it, not as the unit of length, and no part of the body that carries it.
    #[test]
    fn the_axis_of_a_slide_has_no_size() {
        let text = r#"
        units = "SI"
        name = "slider of 20 mm"
        body = [
            { name = "base", mass = 0.01, inertia = 1e-6, at = [0, 0], markers = { l = [-0.01, 0], r = [0.01, 0] } },
            { name = "car", mass = 0.001, inertia = 1e-7, at = [0, 0.01] },
        ]
        point = [{ name = "bead", at = [0.01, 0.01], mass = 0.001 }]
        joint = [
            { name = "g", type = "prismatic", a = "car", b = "base", axis = [0, 1] },
            { name = "l", type = "point-on-line", a = "bead", b = "base.r", axis = [0, 1] },
            { name = "p", type = "revolute", a = "base.l", b = "ground" },
        ]
        "#;
        let model = Model::from_toml(text).unwrap();
        let drawing = Drawing::new(&model, model.initial());
        assert!(drawing.reach() < 0.025, "{}", drawing.reach());
        let sliders = drawing.scene.glyphs.iter().filter(|g| g.mark == Mark::Slider);
        for glyph in sliders {
            let [_, base, end] = glyph.nodes[..] else { panic!("{glyph:?}") };
            let [base, end] = [base, end].map(|n| drawing.scene.nodes[n]);
            assert!(
                end[1] > base[1] && end[1] < base[1] + 0.002 && (end[0] - base[0]).abs() < 1e-12,
                "{base:?} {end:?}"
            );
            let apart = |n: &usize| (drawing.scene.nodes[*n][1] - end[1]).abs();
            assert!(drawing.scene.triangles.iter().flat_map(|(t, _)| t).all(|n| apart(n) > 1e-9));
        }
    }
}
