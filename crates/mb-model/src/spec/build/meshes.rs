//! Solids: their meshes, nodes, holds, and loads on their faces.

use super::expand::{Entries, Entry, Table};
use super::links::{MAX_ELEMENTS, node_number};
use super::solids::{SolidPart, unturned};
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::coordinates::BlockId;
use crate::element::{
    BeamStation, BrickFormulation, Data, Element, Joint, JointFrame, Locked, MassForm, SolidMaterial,
};
use crate::law::TimeLaw;
use crate::model::Wiring;
use crate::solid::{SolidData, SolidMesh};
use crate::spec::error::Problems;
use crate::spec::nearest::nearest;
use crate::spec::{
    AxisSpec, BlockSpec, Fault, MeshFiles, SolidElementSpec, SolidFault, SolidMassSpec, SolidSpec,
    SurfaceLoadSpec,
};

/// Names of node sets and their frames.
type Frames = Vec<(String, usize)>;

/// A solid.
#[derive(Clone, Debug)]
pub(super) struct MeshPart<P> {
    data: SolidData<P>,
    mesh: SolidMesh<P>,
    /// Its nodes, once they are in the model.
    blocks: Vec<BlockId>,
    /// Nodes that are held, and along which axes.
    held: Vec<(usize, [bool; 3])>,
    /// Node sets with a frame: name, and the body among those in space.
    rigid: Frames,
    averaged: Frames,
}

impl<P: Data> Builder<P> {
    /// Reads all solids; their rigid sets stand among the bodies in space. A faulty one is kept as a placeholder.
    pub(super) fn read_meshes(&mut self, entries: &Entries<'_>, files: &MeshFiles, problems: &mut Problems) {
        for e in &entries.solids {
            let part = problems.keep(self.read_mesh(e, files)).ok_or_else(|| {
                let origin = BeamStation { at: [P::zero(); 3], euler: unturned() };
                self.solids.push(SolidPart::node(e.name.clone(), &origin));
                self.solids.len() - 1
            });
            self.meshes.push(part);
        }
    }
    fn read_mesh(&mut self, e: &Entry<'_, SolidSpec>, files: &MeshFiles) -> Outcome<MeshPart<P>> {
        let spec = e.spec;
        let wrong = |key: &str, fault: Box<SolidFault>| e.problem(key, Fault::Solid(fault));
        let data = self.solid_data(e)?;
        let mesh = match (&spec.block, &spec.mesh) {
            (Some(_), Some(_)) => {
                return Err(e.problem("mesh", Fault::Exclusive { first: "block", second: "mesh" }));
            }
            (None, None) => return Err(wrong("", Box::new(SolidFault::NoMesh))),
            (Some(block), None) => self.block_mesh(e, block)?,
            (None, Some(file)) => match files.get(file) {
                Some(Ok(mesh)) => mesh.lifted(),
                Some(Err(fault)) => return Err(wrong("mesh", fault.clone())),
                None => return Err(wrong("mesh", Box::new(SolidFault::MeshNotRead { file: file.clone() }))),
            },
        };
        let scale = match &spec.scale {
            Some(_) if spec.block.is_some() => {
                let kind = "a block".to_owned();
                return Err(e.problem("scale", Fault::KeyNotFor { key: "scale", kind }));
            }
            Some(scale) => self.positive(e, "scale", "scale", scale)?,
            None => P::one(),
        };
        let euler = spec.orientation.as_ref().map_or(Ok(unturned()), |o| self.turn(e, "orientation", o))?;
        let origin = spec.at.as_ref().map_or(Ok([P::zero(); 3]), |at| self.triple(e, "at", at))?;
        let mesh = mesh.moved(scale, euler, origin);
        let mut held = vec![[false; 3]; mesh.nodes.len()];
        for name in &spec.fixed {
            for k in nodes_of(&mesh, &e.name, name).map_err(|f| wrong("fixed", f))? {
                held[k] = [true; 3];
            }
        }
        for (name, axes) in &spec.held {
            for k in nodes_of(&mesh, &e.name, name).map_err(|f| wrong("held", f))? {
                for axis in axes {
                    held[k][match axis {
                        AxisSpec::X => 0,
                        AxisSpec::Y => 1,
                        AxisSpec::Z => 2,
                    }] = true;
                }
            }
        }
        let (mut rigid, mut averaged) = (Frames::new(), Frames::new());
        for (key, names) in [("rigid", &spec.rigid), ("averaged", &spec.averaged)] {
            for name in names {
                let Some(set) = mesh.sets.get(name) else {
                    let node = nodes_of(&mesh, &e.name, name);
                    let fault = node.map(|_| Box::new(SolidFault::NotASet { key, node: name.clone() }));
                    return Err(wrong(key, fault.unwrap_or_else(|unknown| unknown)));
                };
                if rigid.iter().chain(&averaged).any(|(other, _)| other == name) {
                    return Err(wrong(key, Box::new(SolidFault::TwoFrames { set: name.clone() })));
                }
                let station = BeamStation { at: center(&mesh, set), euler };
                self.solids.push(SolidPart::node(format!("{}.{name}", e.name), &station));
                let frames = if key == "rigid" { &mut rigid } else { &mut averaged };
                frames.push((name.clone(), self.solids.len() - 1));
            }
        }
        let held = held.into_iter().enumerate().filter(|(_, axes)| axes.contains(&true)).collect();
        Ok(MeshPart { data, mesh, blocks: Vec::new(), held, rigid, averaged })
    }
    fn block_mesh(&self, e: &Entry<'_, SolidSpec>, block: &BlockSpec) -> Outcome<SolidMesh<P>> {
        let (mut size, mut elements, mut product) = ([P::zero(); 3], [0; 3], 1_i64);
        for d in 0..3 {
            size[d] = self.positive(e, "block.size", "size", &block.size[d])?;
            let count = self.scope.whole(&block.elements[d], e.loops());
            let count = count.map_err(|f| e.problem("block.elements", f))?;
            let whole = usize::try_from(count).ok().filter(|_| (1..=MAX_ELEMENTS).contains(&count));
            let fault = Fault::ElementCount { count, most: MAX_ELEMENTS };
            elements[d] = whole.ok_or_else(|| e.problem("block.elements", fault))?;
            product = product.saturating_mul(count);
        }
        if product > MAX_ELEMENTS {
            let fault = SolidFault::TooManyElements { count: product, most: MAX_ELEMENTS };
            return Err(e.problem("block.elements", Fault::Solid(Box::new(fault))));
        }
        Ok(SolidMesh::block(size, elements))
    }
    fn solid_data(&self, e: &Entry<'_, SolidSpec>) -> Outcome<SolidData<P>> {
        let spec = e.spec;
        let poissons_ratio = self.value(e, "poissons_ratio", &spec.poissons_ratio)?;
        let value = poissons_ratio.value();
        if value <= -1.0 || value >= 0.5 {
            let fault = SolidFault::PoissonsRatio { value };
            return Err(e.problem("poissons_ratio", Fault::Solid(Box::new(fault))));
        }
        let material = SolidMaterial {
            density: self.positive(e, "density", "density", &spec.density)?,
            youngs_modulus: self.positive(e, "youngs_modulus", "Young's modulus", &spec.youngs_modulus)?,
            poissons_ratio,
        };
        let damping = spec.damping.as_ref();
        let (alpha, beta) = (damping.and_then(|d| d.alpha.as_ref()), damping.and_then(|d| d.beta.as_ref()));
        Ok(SolidData {
            material,
            formulation: match spec.element {
                SolidElementSpec::Enhanced => BrickFormulation::Enhanced,
                SolidElementSpec::Full => BrickFormulation::Full,
            },
            mass: match spec.mass {
                SolidMassSpec::Consistent => MassForm::Consistent,
                SolidMassSpec::Lumped => MassForm::Lumped,
            },
            alpha: self.not_negative(e, "damping.alpha", "damping", alpha)?,
            beta: self.not_negative(e, "damping.beta", "damping", beta)?,
        })
    }
    /// Adds the coordinates of the nodes of all solids.
    pub(super) fn add_mesh_blocks(&mut self, entries: &Entries<'_>) {
        for (part, e) in self.meshes.iter_mut().zip(&entries.solids) {
            if let Ok(part) = part {
                part.blocks = self.model.add_solid_nodes(&e.name, &part.mesh);
            }
        }
    }
    /// Adds the elements of a solid, then its holds.
    pub(super) fn mesh(&mut self, k: usize, e: &Entry<'_, SolidSpec>) -> Outcome<()> {
        // Out of the list for as long as its elements are added.
        let Ok(part) = std::mem::replace(&mut self.meshes[k], Err(0)) else { return Ok(()) };
        let added = self.model.add_solid_elements(&e.owner(), &part.data, &part.mesh, &part.blocks);
        let result = added.map_err(|wrong| {
            let key = if e.spec.mesh.is_some() { "mesh" } else { "block" };
            e.problem(key, Fault::Solid(Box::new(SolidFault::WrongElement(*wrong))))
        });
        let node = |k: usize| format!("{} node {}", e.owner(), part.mesh.node_ids[k]);
        for (k, axes) in &part.held {
            self.model.hold_node(&node(*k), part.blocks[*k], *axes);
        }
        for (set, body) in &part.rigid {
            for k in &part.mesh.sets[set] {
                self.tie_node(&format!("{} on {set}", node(*k)), part.blocks[*k], *body);
            }
        }
        let mut averaged = Ok(());
        for (set, body) in &part.averaged {
            let Some(frame) = self.solids[*body].block else { continue };
            let nodes = part.mesh.area_around(&part.mesh.sets[set]);
            let points: Vec<_> = nodes.into_iter().map(|(k, area)| (part.blocks[k], area)).collect();
            let tied = self.model.tie_in_the_mean(&format!("{} mean of {set}", e.owner()), frame, &points);
            averaged = averaged.and(tied.map_err(|error| {
                let fault = SolidFault::NoMean { set: set.clone(), error };
                e.problem("averaged", Fault::Solid(Box::new(fault)))
            }));
        }
        self.meshes[k] = Ok(part);
        result.and(averaged)
    }
    /// Ties a node to a body in space, both where they are at the start.
    fn tie_node(&mut self, owner: &str, node: BlockId, body: usize) {
        let part = &self.solids[body];
        let Some(id) = part.block else { return };
        let at = {
            let block = self.model.coordinates().block(node);
            [0, 1, 2].map(|k| self.model.initial()[block.q + k] - part.start[k])
        };
        let local = crate::element::rotation::turned_back(part.euler, &at.into()).into();
        let mut wiring = Wiring::default();
        let place = self.model.place_in_space(&mut wiring, node, [P::zero(); 3]);
        let on_body = self.model.place_in_space(&mut wiring, id, local);
        let attitude = self.model.attitude(&mut wiring, id);
        let frame = |place, attitude| JointFrame::new(place, attitude, unturned());
        let a = frame(place, crate::element::Attitude::GROUND);
        let joint = Joint { a, b: frame(on_body, attitude), locked: Locked::SPHERICAL };
        self.model.add_element(owner, Element::Joint(Box::new(joint)), wiring.into_blocks(), Vec::new());
    }

    /// The place of a reference on solid `k`.
    pub(super) fn solid_spot(&self, k: usize, name: &str, place: Option<&str>) -> Result<Spot<P>, Fault> {
        let fault = |fault: SolidFault| Err(Fault::Solid(Box::new(fault)));
        let part = match &self.meshes[k] {
            Ok(part) => part,
            Err(body) => return Ok(Spot::Solid(*body, [P::zero(); 3])),
        };
        let Some(text) = place else { return fault(SolidFault::WhereOnSolid { solid: name.to_owned() }) };
        if let Some((_, body)) = part.rigid.iter().chain(&part.averaged).find(|(set, _)| set == text) {
            return Ok(Spot::Solid(*body, [P::zero(); 3]));
        }
        if part.mesh.sets.contains_key(text) {
            return fault(SolidFault::NoFrame { solid: name.to_owned(), set: text.to_owned() });
        }
        match nodes_of(&part.mesh, name, text) {
            Ok(nodes) => Ok(Spot::Node(k, nodes[0])),
            Err(error) => Err(Fault::Solid(error)),
        }
    }
    /// The coordinates of node `node` of solid `k`.
    pub(super) fn node_block(&self, k: usize, node: usize) -> Option<BlockId> {
        self.meshes[k].as_ref().ok().and_then(|part| part.blocks.get(node).copied())
    }
    /// Where node `node` of solid `k` is at the start.
    pub(super) fn node_start(&self, k: usize, node: usize) -> [P; 3] {
        self.meshes[k].as_ref().map_or([P::zero(); 3], |part| part.mesh.nodes[node])
    }

    /// Adds a load on faces.
    pub(super) fn surface_load(&mut self, e: &Entry<'_, SurfaceLoadSpec>) -> Outcome<()> {
        let spec = e.spec;
        let wrong = |key: &str, fault: Box<SolidFault>| e.problem(key, Fault::Solid(fault));
        let text = self.filled(e, "on", &spec.on)?;
        let (base, set) = text.split_once('.').map_or((text.as_str(), None), |(b, s)| (b, Some(s)));
        let named = self.names.get(base).copied();
        let index = match named {
            Some(n) if n.table == SolidSpec::KEY => n.index,
            Some(n) => {
                let (found, wanted) = (n.table, "node set of a solid");
                return Err(e.problem("on", Fault::WrongReference { name: text, found, wanted }));
            }
            None => {
                let fault = self.unknown(base, &[SolidSpec::KEY], "solid");
                return Err(e.problem("on", fault));
            }
        };
        let Some(set) = set else {
            return Err(wrong("on", Box::new(SolidFault::WhereOnSolid { solid: base.to_owned() })));
        };
        let Ok(part) = &self.meshes[index] else { return Ok(()) };
        let Some(nodes) = part.mesh.sets.get(set) else {
            return Err(wrong("on", Box::new(unknown_set(&part.mesh, base, set))));
        };
        let faces = part.mesh.faces_of(nodes);
        if faces.is_empty() {
            return Err(wrong(
                "on",
                Box::new(SolidFault::NoFaces { solid: base.to_owned(), set: set.to_owned() }),
            ));
        }
        let given = [
            ("force", spec.force.is_some()),
            ("traction", spec.traction.is_some()),
            ("pressure", spec.pressure.is_some()),
        ];
        let mut there = given.iter().filter(|(_, there)| *there).map(|(key, _)| *key);
        match (there.next(), there.next()) {
            (None, _) => return Err(wrong("", Box::new(SolidFault::NoLoad))),
            (Some(first), Some(second)) => return Err(e.problem(second, Fault::Exclusive { first, second })),
            _ => {}
        }
        let (direction, magnitude) = if spec.pressure.is_some() {
            if spec.factor.is_some() {
                let kind = "a pressure, which may itself be a function of time".to_owned();
                return Err(e.problem("factor", Fault::KeyNotFor { key: "factor", kind }));
            }
            (None, self.law(e, "pressure", spec.pressure.as_ref())?)
        } else {
            let magnitude = match (&spec.factor, &spec.input) {
                (None, None) => TimeLaw::constant(P::one()),
                (factor, _) => self.law(e, "factor", factor.as_ref())?,
            };
            let mut direction = match (&spec.force, &spec.traction) {
                (Some(force), _) => self.triple(e, "force", &force.components())?,
                (None, Some(traction)) => self.triple(e, "traction", &traction.components())?,
                (None, None) => [P::zero(); 3],
            };
            if spec.force.is_some() {
                let mut area = P::zero();
                for face in &faces {
                    area += part.mesh.area(face);
                }
                direction = direction.map(|f| f / area);
            }
            (Some(direction), magnitude)
        };
        let input = self.input(e, spec.input.as_ref())?.first().copied();
        if let Ok(part) = &self.meshes[index] {
            let (mesh, blocks) = (&part.mesh, part.blocks.as_slice());
            self.model.add_face_load(&e.owner(), (mesh, blocks), &faces, direction, &magnitude, input);
        }
        Ok(())
    }
}

/// The nodes of a set, or the one node of a name such as `node12`.
fn nodes_of<P: Data>(mesh: &SolidMesh<P>, solid: &str, name: &str) -> Result<Vec<usize>, Box<SolidFault>> {
    if let Some(set) = mesh.sets.get(name).filter(|set| !set.is_empty()) {
        return Ok(set.clone());
    }
    let node = node_number(name).and_then(|id| mesh.node_ids.iter().position(|n| *n == id));
    node.map(|k| vec![k]).ok_or_else(|| Box::new(unknown_set(mesh, solid, name)))
}

fn unknown_set<P: Data>(mesh: &SolidMesh<P>, solid: &str, name: &str) -> SolidFault {
    let known: Vec<String> = mesh.sets.keys().cloned().collect();
    let nearest = nearest(name, known.iter().map(String::as_str));
    SolidFault::UnknownSet { solid: solid.to_owned(), name: name.to_owned(), nearest, known }
}

/// The centre of the area of a set's faces, or of its nodes where it has none.
fn center<P: Data>(mesh: &SolidMesh<P>, set: &[usize]) -> [P; 3] {
    let (mut sum, mut total) = ([P::zero(); 3], P::zero());
    for (k, weight) in mesh.area_around(set) {
        total += weight;
        for (sum, x) in sum.iter_mut().zip(mesh.nodes[k]) {
            *sum += x * weight;
        }
    }
    sum.map(|x| x / total)
}
