//! Bodies in space: reading, placing, coordinates and inertia.

use super::expand::{Entries, Entry, Head};
use super::spots::Spot;
use super::{Builder, Outcome, check_name};
use crate::coordinates::{BlockId, BlockKind};
use crate::element::rotation::{about, cross, dot, from_columns, normalized, product, turned, turned_back};
use crate::element::{BeamStation, Data, Element, SpatialBody};
use crate::model::Wiring;
use crate::spec::error::Problems;
use crate::spec::{Fault, JointKind, OrientationSpec, SpatialBodySpec, Value};
use nalgebra::{Matrix3, Vector3};
use std::collections::{BTreeMap, HashMap};

/// Euler parameters of no rotation.
pub(super) fn unturned<P: Data>() -> [P; 4] {
    [P::one(), P::zero(), P::zero(), P::zero()]
}

/// Largest cosine of the angle of two axes that counts as a right angle: numbers of a file have
/// few digits.
const PERPENDICULAR: f64 = 1e-4;

/// Relative excess of a principal moment over the sum of the others that counts as rounding.
const TRIANGLE: f64 = 1e-9;

/// A place of a body in space and the one it coincides with.
type Tie<P> = (Spot<P>, Spot<P>);

/// A place of a body in space, and its axes where it has some.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<P> {
    pub(super) at: [P; 3],
    pub(super) axes: Option<[P; 4]>,
}

/// A body in space: where it starts, and its coordinates unless it is fixed.
#[derive(Clone, Debug)]
pub(super) struct SolidPart<P> {
    pub(super) block: Option<BlockId>,
    pub(super) fixed: bool,
    pub(super) start: [P; 3],
    /// Orientation at the start.
    pub(super) euler: [P; 4],
    /// True when the start was worked out from joints, or is not known.
    pub(super) guessed: bool,
    /// Name of its coordinates.
    name: String,
    velocity: [P; 6],
    mass: P,
    inertia: [[P; 3]; 3],
    center_of_mass: [P; 3],
    alpha: P,
    /// Markers and frames by name.
    pub(super) marks: BTreeMap<String, Mark<P>>,
}

impl<P: Data> Builder<P> {
    /// Reads all bodies in space; a faulty one is kept as a placeholder.
    pub(super) fn read_solids(&mut self, entries: &Entries<'_>, problems: &mut Problems) {
        for e in &entries.spatial_bodies {
            let zero = [P::zero(); 3];
            let (point, frame) = (Mark { at: zero, axes: None }, Mark { at: zero, axes: Some(unturned()) });
            let points = e.spec.markers.keys().map(|k| (k.clone(), point));
            let frames = e.spec.frames.keys().map(|k| (k.clone(), frame));
            let part = problems.keep(self.read_solid(e)).unwrap_or_else(|| SolidPart {
                block: None,
                fixed: e.spec.fixed,
                start: zero,
                euler: unturned(),
                guessed: false,
                name: e.name.clone(),
                velocity: [P::zero(); 6],
                mass: P::zero(),
                inertia: [zero; 3],
                center_of_mass: zero,
                alpha: P::zero(),
                marks: points.chain(frames).collect(),
            });
            self.solids.push(part);
        }
    }
    fn read_solid(&self, e: &Entry<'_, SpatialBodySpec>) -> Outcome<SolidPart<P>> {
        let spec = e.spec;
        let zero = [P::zero(); 3];
        let triple = |key: &str, v: Option<&[Value; 3]>| v.map(|v| self.triple(e, key, v)).transpose();
        let mass = match &spec.mass {
            Some(mass) => self.positive(e, "mass", "mass", mass)?,
            None if spec.fixed => P::zero(),
            None => return Err(e.problem("", Fault::BodyNeeds { key: "mass" })),
        };
        if spec.inertia.is_none() && !spec.fixed {
            return Err(e.problem("", Fault::BodyNeeds { key: "inertia" }));
        }
        let moments = triple("inertia", spec.inertia.as_ref())?.unwrap_or(zero);
        let products = triple("products_of_inertia", spec.products_of_inertia.as_ref())?.unwrap_or(zero);
        let inertia = [
            [moments[0], products[0], products[1]],
            [products[0], moments[1], products[2]],
            [products[1], products[2], moments[2]],
        ];
        check_inertia_tensor(&inertia).map_err(|f| e.problem("inertia", f))?;
        let mut marks = BTreeMap::new();
        for (name, at) in &spec.markers {
            let key = format!("markers.{name}");
            check_name(name).map_err(|f| e.problem(&key, f))?;
            marks.insert(name.clone(), Mark { at: self.triple(e, &key, at)?, axes: None });
        }
        for (name, frame) in &spec.frames {
            let key = format!("frames.{name}");
            check_name(name).map_err(|f| e.problem(&key, f))?;
            let at = triple(&format!("{key}.at"), frame.at.as_ref())?.unwrap_or(zero);
            let axes = Some(self.turn(e, &format!("{key}.orientation"), &frame.orientation)?);
            if marks.insert(name.clone(), Mark { at, axes }).is_some() {
                return Err(e.problem(&key, Fault::DuplicateName { name: name.clone(), table: "marker" }));
            }
        }
        let given = triple("at", spec.at.as_ref())?;
        let euler = match &spec.orientation {
            Some(o) => self.turn(e, "orientation", o)?,
            None => unturned(),
        };
        let v = triple("velocity", spec.velocity.as_ref())?.unwrap_or(zero);
        let w = triple("angular_velocity", spec.angular_velocity.as_ref())?.unwrap_or(zero);
        let w = turned_back(euler, &Vector3::from(w));
        if spec.fixed && [v[0], v[1], v[2], w.x, w.y, w.z].iter().any(|x| *x != P::zero()) {
            let kind = "a fixed body".to_owned();
            return Err(e.problem("", Fault::KeyNotFor { key: "velocity", kind }));
        }
        Ok(SolidPart {
            block: None,
            fixed: spec.fixed,
            start: given.unwrap_or(zero),
            euler,
            guessed: given.is_none() && !spec.fixed,
            name: e.name.clone(),
            velocity: [v[0], v[1], v[2], w.x, w.y, w.z],
            mass,
            inertia,
            center_of_mass: triple("center_of_mass", spec.center_of_mass.as_ref())?.unwrap_or(zero),
            alpha: self.alpha(e, spec.damping.as_ref())?,
            marks,
        })
    }

    /// The three values of a key.
    pub(super) fn triple(&self, e: &Head, key: &str, v: &[Value; 3]) -> Outcome<[P; 3]> {
        Ok([self.value(e, key, &v[0])?, self.value(e, key, &v[1])?, self.value(e, key, &v[2])?])
    }
    /// A direction in space scaled to length one.
    pub(super) fn direction(
        &self,
        e: &Head,
        key: &str,
        name: &'static str,
        v: &[Value; 3],
    ) -> Outcome<Vector3<P>> {
        let d = Vector3::from(self.triple(e, key, v)?);
        unit(d).ok_or_else(|| e.problem(key, Fault::ZeroDirection { key: name }))
    }
    /// An orientation as Euler parameters of length one.
    pub(super) fn turn(&self, e: &Head, key: &str, spec: &OrientationSpec) -> Outcome<[P; 4]> {
        let at = |part: &str| format!("{key}.{part}");
        let axes = [(&spec.x, "x", "x-axis"), (&spec.y, "y", "y-axis"), (&spec.z, "z", "z-axis")];
        let given: Vec<usize> = (0..3).filter(|k| axes[*k].0.is_some()).collect();
        match (&spec.axis, &spec.angle, &spec.euler_parameters, &spec.cardan, given.as_slice()) {
            (Some(axis), Some(angle), None, None, []) => {
                let axis = self.direction(e, &at("axis"), "axis", axis)?;
                Ok(about(axis.into(), self.value(e, &at("angle"), angle)?))
            }
            (None, None, Some(p), None, []) => {
                let mut out = [P::zero(); 4];
                for (out, value) in out.iter_mut().zip(p) {
                    *out = self.value(e, &at("euler_parameters"), value)?;
                }
                if out.iter().all(|x| x.value() == 0.0) {
                    let fault = Fault::ZeroDirection { key: "list of Euler parameters" };
                    return Err(e.problem(&at("euler_parameters"), fault));
                }
                Ok(normalized(out))
            }
            (None, None, None, Some(angles), []) => {
                let [a, b, c] = self.triple(e, &at("cardan"), angles)?;
                let axis = |k: usize| [0, 1, 2].map(|i| if i == k { P::one() } else { P::zero() });
                Ok(product(product(about(axis(0), a), about(axis(1), b)), about(axis(2), c)))
            }
            (None, None, None, None, [i, j]) => {
                let mut found = [Vector3::from([P::zero(); 3]); 3];
                for k in [*i, *j] {
                    if let (Some(v), part, name) = axes[k] {
                        found[k] = self.direction(e, &at(part), name, v)?;
                    }
                }
                let (i, j) = (*i, *j);
                let cosine = dot(&found[i], &found[j]);
                if cosine.value().abs() > PERPENDICULAR {
                    let degrees = readable(cosine.value().clamp(-1.0, 1.0).acos().to_degrees());
                    let fault = Fault::NotPerpendicular { first: axes[i].2, second: axes[j].2, degrees };
                    return Err(e.problem(key, fault));
                }
                // The first one counts; the second is turned into its plane.
                let second = found[j] - found[i] * cosine;
                found[j] = unit(second).unwrap_or(second);
                let k = 3 - i - j;
                found[k] = cross(&found[(k + 1) % 3], &found[(k + 2) % 3]);
                Ok(from_columns(found))
            }
            _ => Err(e.problem(key, Fault::Orientation)),
        }
    }

    /// Puts bodies without a position where a joint to something placed makes places coincide,
    /// with the orientation they have.
    pub(super) fn place_solids(&mut self, entries: &Entries<'_>) {
        if !self.solids.iter().any(|s| s.guessed) {
            return;
        }
        let mut ties: HashMap<usize, Vec<Tie<P>>> = HashMap::new();
        let mut queue = Vec::new();
        for e in &entries.joints {
            if e.spec.kind == JointKind::Distance {
                continue;
            }
            let (Ok(a), Ok(b)) = (self.definite(e, "a", &e.spec.a), self.definite(e, "b", &e.spec.b)) else {
                continue;
            };
            for (own, other) in [(a, b), (b, a)] {
                if let Spot::Solid(i, _) = own {
                    ties.entry(i).or_default().push((own, other));
                    if self.solids[i].guessed && self.start_is_given(other) {
                        queue.push((own, other));
                    }
                }
            }
        }
        let mut placed: Vec<bool> = self.solids.iter().map(|s| !s.guessed).collect();
        let mut next = 0;
        while let Some((own, other)) = queue.get(next).copied() {
            next += 1;
            let Spot::Solid(i, local) = own else { continue };
            if placed[i] {
                continue;
            }
            placed[i] = true;
            let to = self.position_of(other);
            let arm = turned(self.solids[i].euler, &Vector3::from(local));
            self.solids[i].start = [to[0] - arm.x, to[1] - arm.y, to[2] - arm.z];
            for (_, other) in ties.get(&i).into_iter().flatten() {
                let Spot::Solid(j, _) = other else { continue };
                if placed[*j] {
                    continue;
                }
                for (own, back) in ties.get(j).into_iter().flatten() {
                    if matches!(back, Spot::Solid(k, _) if *k == i) {
                        queue.push((*own, *back));
                    }
                }
            }
        }
    }

    /// Adds the coordinates of the bodies in space that move, nodes of beams included.
    pub(super) fn add_solid_blocks(&mut self) {
        for s in &mut self.solids {
            if !s.fixed {
                let ([x, y, z], [a, b, c, d]) = (s.start, s.euler);
                let id = self.model.add_block(s.name.clone(), BlockKind::Pose, &[x, y, z, a, b, c, d]);
                self.model.set_initial_velocity(id, &s.velocity);
                s.block = Some(id);
            }
        }
    }
    pub(super) fn solid(&mut self, k: usize, e: &Entry<'_, SpatialBodySpec>) {
        let part = &self.solids[k];
        let Some(id) = part.block else { return };
        let mut wiring = Wiring::default();
        let (q, v) = wiring.slot(id, self.model.coordinates().block(id));
        let element = Element::SpatialBody(Box::new(SpatialBody {
            q,
            v,
            mass: part.mass,
            inertia: part.inertia,
            center_of_mass: part.center_of_mass,
            alpha: part.alpha,
        }));
        self.add(e, element, wiring, Vec::new());
    }
}

impl<P: Data> SolidPart<P> {
    /// A node of a beam: a body without mass of its own.
    pub(super) fn node(name: String, station: &BeamStation<P>) -> Self {
        Self {
            block: None,
            fixed: false,
            start: station.at,
            euler: station.euler,
            guessed: false,
            name,
            velocity: [P::zero(); 6],
            mass: P::zero(),
            inertia: [[P::zero(); 3]; 3],
            center_of_mass: [P::zero(); 3],
            alpha: P::zero(),
            marks: BTreeMap::new(),
        }
    }
}

/// A vector scaled to length one; none for zero.
pub(super) fn unit<P: Data>(d: Vector3<P>) -> Option<Vector3<P>> {
    let length = dot(&d, &d).sqrt();
    (length.value() > 0.0).then(|| d / length)
}

/// A number for a message: six digits.
fn readable(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// A body with second moments S of its mass has J = tr(S) I - S, hence S = tr(J)/2 I - J, which
/// no mass makes negative: no principal moment exceeds the sum of the two others.
fn check_inertia_tensor<P: Data>(inertia: &[[P; 3]; 3]) -> Result<(), Fault> {
    let j = Matrix3::from_fn(|i, k| inertia[i][k].value());
    let mut principal: [f64; 3] = j.symmetric_eigenvalues().into();
    principal.sort_by(f64::total_cmp);
    if principal[0] < -TRIANGLE * principal[2].abs() {
        return Err(Fault::Negative {
            quantity: "smallest principal moment of inertia",
            value: principal[0],
        });
    }
    if principal[2] > (principal[0] + principal[1]) * (1.0 + TRIANGLE) {
        return Err(Fault::ImpossibleInertia { principal: principal.map(readable) });
    }
    Ok(())
}
