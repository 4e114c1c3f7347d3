//! From a description to a model.
//!
//! In this order: parameters; families; names; positions at the start; coordinates; elements;
//! outputs. Each table is checked on its own, so that one run reports every faulty table.

mod beams;
mod bushings;
mod couplings;
mod erls;
mod expand;
mod frames;
mod joints;
mod lengths;
mod links;
mod loads;
mod meshes;
mod outputs;
mod parts;
mod passive;
mod rolling;
mod rotors;
mod scope;
mod sections;
mod solids;
mod spots;
mod start;

use super::error::{ModelError, Path, Problem, Problems};
use super::nearest::nearest;
use super::{Fault, ModelSpec, Value};
use crate::coordinates::BlockId;
use crate::element::{Data, ElasticAxis, Element};
use crate::erls::{ErlsData, ErlsLink};
use crate::law::TimeLaw;
use crate::link::{FlexibleLink, LinkData};
use crate::model::{Model, Wiring};
use beams::BeamPart;
use expand::{Entries, Entry, Head};
use frames::Link;
use lengths::Lengths;
use meshes::MeshPart;
use passive::Closure;
use scope::{Scope, check_name};
use solids::SolidPart;
use std::collections::{BTreeMap, HashMap, HashSet};

type Outcome<T> = Result<T, Box<Problem>>;

/// Evaluates the parameters alone.
pub(super) fn parameter_values(spec: &ModelSpec) -> Result<BTreeMap<String, f64>, ModelError> {
    let mut problems = Problems::default();
    let scope = Scope::new(spec, &BTreeMap::new(), &mut problems);
    problems.check()?;
    Ok(scope.into_parameters())
}

/// Makes the model in the scalar `P`.
pub(crate) fn build<P: Data>(spec: &ModelSpec, given: &BTreeMap<String, P>) -> Result<Model<P>, ModelError> {
    let mut problems = Problems::default();
    let scope = Scope::new(spec, given, &mut problems);
    problems.check()?;
    let gravity = problems.keep(gravity(spec, &scope));
    let entries = Entries::new(spec, &scope, &mut problems);
    let mut b = Builder {
        scope,
        names: HashMap::new(),
        points: Vec::new(),
        bodies: Vec::new(),
        solids: Vec::new(),
        own_solids: 0,
        beams: Vec::new(),
        meshes: Vec::new(),
        links: HashMap::new(),
        faulty: HashSet::new(),
        flexible: Vec::new(),
        erls: Vec::new(),
        closures: Vec::new(),
        angles: Vec::new(),
        inputs: HashMap::new(),
        lengths: Lengths::default(),
        rod_lengths: HashMap::new(),
        model: Model::new(spec.name.clone(), [P::zero(); 3]),
    };
    b.register_all(&entries, &mut problems);
    b.read_parts(&entries, &mut problems);
    b.read_solids(&entries, &mut problems);
    b.own_solids = b.solids.len();
    b.read_meshes(&entries, &spec.meshes, &mut problems);
    b.read_beams(&entries, &mut problems);
    b.read_links(&entries, &mut problems);
    b.read_erls(&entries, &mut problems);
    // Geometry made of wrong positions would only add wrong messages.
    b.lengths.sound = problems.is_empty();
    b.place_parts(&entries);
    b.place_solids(&entries);
    b.add_blocks(&entries);
    for (k, e) in entries.points.iter().enumerate() {
        b.point_mass(k, e);
    }
    for (k, e) in entries.bodies.iter().enumerate() {
        b.body(k, e);
    }
    for (k, e) in entries.spatial_bodies.iter().enumerate() {
        b.solid(k, e);
    }
    for (k, e) in entries.beams.iter().enumerate() {
        b.beam(k, e);
    }
    for (k, e) in entries.solids.iter().enumerate() {
        problems.keep(b.mesh(k, e));
    }
    each(&mut b, &entries.rods, &mut problems, Builder::rod);
    for (k, e) in entries.flexible_links.iter().enumerate() {
        b.flexible_link(k, e);
    }
    for (k, e) in entries.erls_links.iter().enumerate() {
        b.erls_link(k, e);
    }
    for (k, e) in entries.angles.iter().enumerate() {
        problems.keep(b.angle(k, e));
    }
    for e in &entries.joints {
        if problems.keep(b.joint(e)).is_none() {
            b.faulty.insert(e.name.clone());
        }
    }
    b.check_passive(&entries, &mut problems);
    each(&mut b, &entries.rollings, &mut problems, Builder::rolling);
    each(&mut b, &entries.knife_edges, &mut problems, Builder::knife_edge);
    each(&mut b, &entries.couplings, &mut problems, Builder::coupling);
    each(&mut b, &entries.drives, &mut problems, Builder::drive);
    each(&mut b, &entries.springs, &mut problems, Builder::spring);
    each(&mut b, &entries.bushings, &mut problems, Builder::bushing);
    each(&mut b, &entries.bearings, &mut problems, Builder::bearing);
    each(&mut b, &entries.torsion_springs, &mut problems, Builder::torsion_spring);
    each(&mut b, &entries.forces, &mut problems, Builder::force);
    each(&mut b, &entries.torques, &mut problems, Builder::torque);
    each(&mut b, &entries.surface_loads, &mut problems, Builder::surface_load);
    each(&mut b, &entries.steady_rotations, &mut problems, Builder::steady_rotation);
    problems.check()?;
    b.check_inertia(&entries, &mut problems);
    let rows = b.rows_by_owner(&entries);
    each(&mut b, &entries.outputs, &mut problems, |b, e| b.output(e, &rows));
    each(&mut b, &entries.steady_rotations, &mut problems, Builder::holds);
    if b.model.nv() == 0 {
        problems.keep::<()>(Err(Problem::new("", Path::default(), Fault::EmptyModel)));
    }
    problems.check()?;
    b.model.gravity = gravity.unwrap_or([P::zero(); 3]);
    Ok(b.model)
}

/// Builds every table of one kind.
fn each<'e, 's, P: Data, T>(
    b: &mut Builder<P>,
    entries: &'e [Entry<'s, T>],
    problems: &mut Problems,
    build: impl Fn(&mut Builder<P>, &'e Entry<'s, T>) -> Outcome<()>,
) {
    for e in entries {
        problems.keep(build(b, e));
    }
}

fn gravity<P: Data>(spec: &ModelSpec, scope: &Scope<P>) -> Outcome<[P; 3]> {
    let problem = |fault| Problem::new("", Path(vec!["gravity".into()]), fault);
    match spec.gravity.as_slice() {
        [] => Ok([P::zero(); 3]),
        [x, y, z @ ..] if z.len() < 2 => {
            let eval = |v| scope.eval(v, &[]).map_err(problem);
            Ok([eval(x)?, eval(y)?, z.first().map_or(Ok(P::zero()), eval)?])
        }
        other => Err(problem(Fault::GravityComponents { found: other.len() })),
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// Key of its table.
    table: &'static str,
    /// Its number among points, bodies, flexible links or angles.
    index: usize,
}

/// A point: where it starts, and its coordinates unless it is fixed.
#[derive(Clone, Copy, Debug)]
struct PointPart<P> {
    block: Option<BlockId>,
    fixed: bool,
    given: Option<[P; 2]>,
    start: [P; 2],
    velocity: [P; 2],
    mass: P,
    alpha: P,
}

/// A body: where it starts, and its coordinates unless it is fixed.
#[derive(Clone, Debug)]
struct BodyPart<P> {
    block: Option<BlockId>,
    fixed: bool,
    given: Option<[P; 2]>,
    given_angle: Option<P>,
    start: [P; 2],
    start_angle: P,
    /// True when the start was worked out from joints.
    guessed: bool,
    /// Velocity of the reference point and angular velocity at the start.
    velocity: [P; 3],
    mass: P,
    inertia: P,
    center_of_mass: [P; 2],
    alpha: P,
    markers: BTreeMap<String, [P; 2]>,
}

/// A flexible link.
#[derive(Clone, Debug)]
struct LinkPart<P> {
    /// Its frame among the bodies.
    body: usize,
    /// Its coordinates, once they are in the model.
    link: Option<FlexibleLink<P>>,
    data: LinkData<P>,
    /// Nodes and the coordinates that are zero.
    reference: Vec<(usize, ElasticAxis)>,
    /// Arc lengths of named places.
    markers: BTreeMap<String, P>,
    /// True when its table is wrong, so that it only stands for what it should be.
    faulty: bool,
}

/// An equivalent rigid link.
#[derive(Clone, Debug)]
struct ErlsPart<P> {
    /// Where its base is, when the ground carries it.
    base: [P; 2],
    /// Number of the link that carries it.
    parent: Option<usize>,
    /// Its angle at the start.
    angle: P,
    /// True where its base turns elastically against the rigid link.
    passive: bool,
    data: ErlsData<P>,
    /// Its coordinates, once they are in the model.
    link: Option<ErlsLink<P>>,
}

/// The model under construction.
struct Builder<P: Data> {
    scope: Scope<P>,
    names: HashMap<String, Named>,
    points: Vec<PointPart<P>>,
    bodies: Vec<BodyPart<P>>,
    /// Bodies in space, then rigid node sets of solids, then the nodes of beams.
    solids: Vec<SolidPart<P>>,
    /// Number of bodies in space among them.
    own_solids: usize,
    /// Beams; a node that stands for all of them for a faulty one.
    beams: Vec<Result<BeamPart<P>, usize>>,
    /// Solids; a body that stands for all places of a faulty one.
    meshes: Vec<Result<MeshPart<P>, usize>>,
    /// Joints in space by name.
    links: HashMap<String, Link<P>>,
    /// Names of joints whose tables are wrong: what refers to them is not judged.
    faulty: HashSet<String>,
    flexible: Vec<LinkPart<P>>,
    /// Equivalent rigid links; none for a faulty one.
    erls: Vec<Option<ErlsPart<P>>>,
    /// Joints that close loops of them.
    closures: Vec<Closure>,
    angles: Vec<BlockId>,
    inputs: HashMap<String, usize>,
    lengths: Lengths,
    /// Lengths of rods by the points at their ends, the lower number first.
    rod_lengths: HashMap<[usize; 2], P>,
    model: Model<P>,
}

impl<P: Data> Builder<P> {
    /// Takes the names of all things, so that later references find them.
    fn register_all(&mut self, entries: &Entries<'_>, problems: &mut Problems) {
        self.register(&entries.points, problems);
        self.register(&entries.bodies, problems);
        self.register(&entries.spatial_bodies, problems);
        self.register(&entries.beams, problems);
        self.register(&entries.solids, problems);
        self.register(&entries.flexible_links, problems);
        self.register(&entries.erls_links, problems);
        self.register(&entries.angles, problems);
        self.register(&entries.rods, problems);
        self.register(&entries.joints, problems);
        self.register(&entries.rollings, problems);
        self.register(&entries.knife_edges, problems);
        self.register(&entries.couplings, problems);
        self.register(&entries.drives, problems);
        self.register(&entries.springs, problems);
        self.register(&entries.bushings, problems);
        self.register(&entries.bearings, problems);
        self.register(&entries.torsion_springs, problems);
        self.register(&entries.forces, problems);
        self.register(&entries.torques, problems);
        self.register(&entries.surface_loads, problems);
        self.register(&entries.steady_rotations, problems);
        let mut outputs = HashSet::new();
        for e in &entries.outputs {
            let mut result = check_name(&e.name);
            if !outputs.insert(e.name.as_str()) {
                result = Err(Fault::DuplicateName { name: e.name.clone(), table: "output" });
            }
            problems.keep(result.map_err(|f| e.problem("name", f)));
        }
    }
    fn register<T>(&mut self, entries: &[Entry<'_, T>], problems: &mut Problems) {
        self.names.reserve(entries.len());
        for (index, e) in entries.iter().enumerate() {
            let mut result = check_name(&e.name);
            if let Some(old) = self.names.get(&e.name) {
                result = Err(Fault::DuplicateName { name: e.name.clone(), table: old.table });
            } else {
                self.names.insert(e.name.clone(), Named { table: e.table, index });
            }
            problems.keep(result.map_err(|f| e.problem("name", f)));
        }
    }
    /// The fault of a name that is not there, with the names that may be meant.
    fn unknown(&self, name: &str, tables: &[&str], wanted: &'static str) -> Fault {
        self.unknown_of(name, wanted, |_, n| tables.contains(&n.table))
    }
    /// The same, where more than the table says which names may be meant.
    fn unknown_of(&self, name: &str, wanted: &'static str, fits: impl Fn(&String, &Named) -> bool) -> Fault {
        /// Most names that a message lists.
        const FEW: usize = 8;
        /// Beyond this number a search costs more than the hint is worth.
        const MANY: usize = 20_000;
        let fault =
            |nearest, known| Fault::UnknownReference { name: name.to_owned(), wanted, nearest, known };
        if self.names.len() > MANY || !self.scope.may_search() {
            return fault(None, Vec::new());
        }
        let names = || self.names.iter().filter(|(name, n)| fits(name, n)).map(|(n, _)| n.as_str());
        let nearest = nearest(name, names());
        let mut known: Vec<_> = names().take(FEW + 1).map(str::to_owned).collect();
        if nearest.is_some() || known.len() > FEW {
            known.clear();
        }
        known.sort();
        fault(nearest, known)
    }

    /// The value of a key. Not inlined: nearly every line that builds calls it.
    #[inline(never)]
    fn value(&self, e: &Head, key: &str, value: &Value) -> Outcome<P> {
        self.scope.eval(value, e.loops()).map_err(|f| e.problem(key, f))
    }
    /// The value of a key, or zero.
    fn value_or_zero(&self, e: &Head, key: &str, value: Option<&Value>) -> Outcome<P> {
        value.map_or(Ok(P::zero()), |v| self.value(e, key, v))
    }
    /// The value of a key that cannot be negative, or zero.
    fn not_negative(&self, e: &Head, key: &str, quantity: &'static str, value: Option<&Value>) -> Outcome<P> {
        let x = self.value_or_zero(e, key, value)?;
        if x.value() < 0.0 {
            return Err(e.problem(key, Fault::Negative { quantity, value: x.value() }));
        }
        Ok(x)
    }
    /// The value of a key that must be positive.
    fn positive(&self, e: &Head, key: &str, quantity: &'static str, value: &Value) -> Outcome<P> {
        let x = self.value(e, key, value)?;
        if x.value() <= 0.0 {
            return Err(e.problem(key, Fault::NotPositive { quantity, value: x.value() }));
        }
        Ok(x)
    }
    /// The two values of a key.
    fn pair(&self, e: &Head, key: &str, pair: &[Value; 2]) -> Outcome<[P; 2]> {
        Ok([self.value(e, key, &pair[0])?, self.value(e, key, &pair[1])?])
    }
    /// The function of time of a key, or zero.
    fn law(&self, e: &Head, key: &str, value: Option<&Value>) -> Outcome<TimeLaw<P>> {
        let zero = || Ok(TimeLaw::constant(P::zero()));
        value.map_or_else(zero, |v| self.scope.law(v, e.loops()).map_err(|f| e.problem(key, f)))
    }
    /// A reference with its indices filled in.
    fn filled(&self, e: &Head, key: &str, text: &str) -> Outcome<String> {
        self.scope.fill(text, e.loops()).map(std::borrow::Cow::into_owned).map_err(|f| e.problem(key, f))
    }
    /// The index of an input, which is made when it is named for the first time.
    fn input(&mut self, e: &Head, name: Option<&String>) -> Outcome<Vec<usize>> {
        let Some(name) = name else { return Ok(Vec::new()) };
        let name = self.filled(e, "input", name)?;
        check_name(&name).map_err(|f| e.problem("input", f))?;
        if let Some(i) = self.inputs.get(&name) {
            return Ok(vec![*i]);
        }
        let i = self.model.add_input(name.clone());
        self.inputs.insert(name, i);
        Ok(vec![i])
    }
    fn add(&mut self, e: &Head, element: Element<P>, wiring: Wiring, inputs: Vec<usize>) {
        self.model.add_element(e.owner(), element, wiring.into_blocks(), inputs);
    }
}
