//! Families: every table of a description with the indices it stands under.

use super::scope::{Loops, Scope};
use crate::element::Data;
use crate::spec::error::{Path, Problem, Problems, Step};
use crate::spec::{
    AngleSpec, BeamSpec, BearingSpec, BodySpec, BushingSpec, CouplingSpec, DriveSpec, ErlsLinkSpec, Fault,
    FlexibleLinkSpec, ForceSpec, JointSpec, KnifeEdgeSpec, ModelSpec, OutputSpec, PointSpec, RepeatSpec,
    RodSpec, RollingSpec, SolidSpec, SpatialBodySpec, SpringSpec, SteadyRotationSpec, SurfaceLoadSpec,
    TorqueSpec, TorsionSpringSpec, Value,
};
use std::ops::Deref;
use std::rc::Rc;

/// Most members of all families together; beyond it a slip of the pen is likelier than a model.
const MAX_MEMBERS: usize = 2_000_000;

/// A table of a description.
pub(super) trait Table {
    /// Its key in a file.
    const KEY: &'static str;
    /// Its name as written, braces included.
    fn name(&self) -> &str;
}

macro_rules! tables {
    ($($spec:ident $key:literal),* $(,)?) => {$(
        impl Table for $spec {
            const KEY: &'static str = $key;
            fn name(&self) -> &str {
                &self.name
            }
        }
    )*};
}
tables! {
    PointSpec "point", RodSpec "rod", BodySpec "body", SpatialBodySpec "spatial-body",
    BeamSpec "beam", SolidSpec "solid", FlexibleLinkSpec "flexible-link", ErlsLinkSpec "erls-link", AngleSpec "angle", JointSpec "joint", RollingSpec "rolling", KnifeEdgeSpec "knife-edge", CouplingSpec "coupling", SpringSpec "spring",
    BushingSpec "bushing", BearingSpec "bearing", TorsionSpringSpec "torsion-spring", ForceSpec "force", TorqueSpec "torque",
    SurfaceLoadSpec "surface-load", DriveSpec "drive", OutputSpec "output",
    SteadyRotationSpec "steady-rotation",
}

/// Where a table stands: the families around it and the values of their indices.
#[derive(Debug, Default)]
pub(super) struct Frame {
    path: Rc<[Step]>,
    pub(super) loops: Vec<(String, f64)>,
}

/// Whose a value is: the table with its name filled in. What reads values takes this, so that it is compiled once and not for each
/// kind of table.
#[derive(Debug)]
pub(super) struct Head {
    /// Key of the table in a file.
    pub(super) table: &'static str,
    pub(super) name: String,
    index: usize,
    frame: Rc<Frame>,
}

impl Head {
    fn new<P: Data>(
        table: &'static str,
        name: &str,
        index: usize,
        frame: &Rc<Frame>,
        scope: &Scope<P>,
    ) -> Result<Self, Box<Problem>> {
        let head = |name: &str| Self { table, name: name.to_owned(), index, frame: Rc::clone(frame) };
        match scope.fill(name, &frame.loops) {
            Ok(name) => Ok(head(&name)),
            Err(fault) => Err(head(name).problem("name", fault)),
        }
    }
    /// Whose it is in messages, such as `joint 'elbow'`.
    pub(super) fn owner(&self) -> String {
        format!("{} '{}'", self.table, self.name)
    }
    /// The indices it stands under.
    pub(super) fn loops(&self) -> &Loops {
        &self.frame.loops
    }
    /// A problem with one of its keys; an empty key means the whole table.
    #[cold]
    #[inline(never)]
    pub(super) fn problem(&self, key: &str, fault: Fault) -> Box<Problem> {
        let mut steps = self.frame.path.to_vec();
        steps.extend([Step::from(self.table), Step::Index(self.index)]);
        steps.extend(key.split('.').filter(|k| !k.is_empty()).map(Step::from));
        Problem::new(self.owner(), Path(steps), fault)
    }
}

/// A table, and whose its values are.
#[derive(Debug)]
pub(super) struct Entry<'s, T> {
    pub(super) spec: &'s T,
    head: Head,
}

impl<T> Deref for Entry<'_, T> {
    type Target = Head;
    fn deref(&self) -> &Head {
        &self.head
    }
}

/// Every table of a description, in the order of the coordinates and rows it makes.
#[derive(Debug, Default)]
pub(super) struct Entries<'s> {
    pub(super) points: Vec<Entry<'s, PointSpec>>,
    pub(super) rods: Vec<Entry<'s, RodSpec>>,
    pub(super) bodies: Vec<Entry<'s, BodySpec>>,
    pub(super) spatial_bodies: Vec<Entry<'s, SpatialBodySpec>>,
    pub(super) beams: Vec<Entry<'s, BeamSpec>>,
    pub(super) solids: Vec<Entry<'s, SolidSpec>>,
    pub(super) flexible_links: Vec<Entry<'s, FlexibleLinkSpec>>,
    pub(super) erls_links: Vec<Entry<'s, ErlsLinkSpec>>,
    pub(super) angles: Vec<Entry<'s, AngleSpec>>,
    pub(super) joints: Vec<Entry<'s, JointSpec>>,
    pub(super) rollings: Vec<Entry<'s, RollingSpec>>,
    pub(super) knife_edges: Vec<Entry<'s, KnifeEdgeSpec>>,
    pub(super) couplings: Vec<Entry<'s, CouplingSpec>>,
    pub(super) springs: Vec<Entry<'s, SpringSpec>>,
    pub(super) bushings: Vec<Entry<'s, BushingSpec>>,
    pub(super) bearings: Vec<Entry<'s, BearingSpec>>,
    pub(super) torsion_springs: Vec<Entry<'s, TorsionSpringSpec>>,
    pub(super) forces: Vec<Entry<'s, ForceSpec>>,
    pub(super) torques: Vec<Entry<'s, TorqueSpec>>,
    pub(super) surface_loads: Vec<Entry<'s, SurfaceLoadSpec>>,
    pub(super) drives: Vec<Entry<'s, DriveSpec>>,
    pub(super) outputs: Vec<Entry<'s, OutputSpec>>,
    pub(super) steady_rotations: Vec<Entry<'s, SteadyRotationSpec>>,
    members: usize,
}

/// Adds the tables of a description or a family under one frame.
macro_rules! add_tables {
    ($entries:expr, $from:expr, $frame:expr, $scope:expr, $problems:expr) => {{
        add(&mut $entries.points, &$from.points, $frame, $scope, $problems);
        add(&mut $entries.rods, &$from.rods, $frame, $scope, $problems);
        add(&mut $entries.bodies, &$from.bodies, $frame, $scope, $problems);
        add(&mut $entries.spatial_bodies, &$from.spatial_bodies, $frame, $scope, $problems);
        add(&mut $entries.beams, &$from.beams, $frame, $scope, $problems);
        add(&mut $entries.solids, &$from.solids, $frame, $scope, $problems);
        add(&mut $entries.erls_links, &$from.erls_links, $frame, $scope, $problems);
        add(&mut $entries.flexible_links, &$from.flexible_links, $frame, $scope, $problems);
        add(&mut $entries.angles, &$from.angles, $frame, $scope, $problems);
        add(&mut $entries.joints, &$from.joints, $frame, $scope, $problems);
        add(&mut $entries.rollings, &$from.rollings, $frame, $scope, $problems);
        add(&mut $entries.knife_edges, &$from.knife_edges, $frame, $scope, $problems);
        add(&mut $entries.couplings, &$from.couplings, $frame, $scope, $problems);
        add(&mut $entries.springs, &$from.springs, $frame, $scope, $problems);
        add(&mut $entries.bushings, &$from.bushings, $frame, $scope, $problems);
        add(&mut $entries.bearings, &$from.bearings, $frame, $scope, $problems);
        add(&mut $entries.torsion_springs, &$from.torsion_springs, $frame, $scope, $problems);
        add(&mut $entries.forces, &$from.forces, $frame, $scope, $problems);
        add(&mut $entries.torques, &$from.torques, $frame, $scope, $problems);
        add(&mut $entries.surface_loads, &$from.surface_loads, $frame, $scope, $problems);
        add(&mut $entries.drives, &$from.drives, $frame, $scope, $problems);
        add(&mut $entries.outputs, &$from.outputs, $frame, $scope, $problems);
        add(&mut $entries.steady_rotations, &$from.steady_rotations, $frame, $scope, $problems);
    }};
}

fn add<'s, T: Table, P: Data>(
    out: &mut Vec<Entry<'s, T>>,
    tables: &'s [T],
    frame: &Rc<Frame>,
    scope: &Scope<P>,
    problems: &mut Problems,
) {
    out.reserve(tables.len());
    for (index, spec) in tables.iter().enumerate() {
        if let Some(head) = problems.keep(Head::new(T::KEY, spec.name(), index, frame, scope)) {
            out.push(Entry { spec, head });
        }
    }
}

impl<'s> Entries<'s> {
    /// Expands a description.
    pub(super) fn new<P: Data>(spec: &'s ModelSpec, scope: &Scope<P>, problems: &mut Problems) -> Self {
        let mut entries = Self::default();
        let frame = Rc::new(Frame::default());
        add_tables!(entries, spec, &frame, scope, problems);
        for (k, repeat) in spec.repeats.iter().enumerate() {
            entries.expand(repeat, k, &frame, scope, problems);
        }
        entries
    }
    fn expand<P: Data>(
        &mut self,
        repeat: &'s RepeatSpec,
        k: usize,
        outer: &Frame,
        scope: &Scope<P>,
        problems: &mut Problems,
    ) {
        let mut steps = outer.path.to_vec();
        steps.extend([Step::from("repeat"), Step::Index(k)]);
        let path: Rc<[Step]> = steps.into();
        let Some((from, count, step)) = problems.keep(range(repeat, &path, outer, scope, self.members))
        else {
            return;
        };
        self.members += count;
        for n in 0..count {
            let mut loops = outer.loops.clone();
            loops.push((repeat.index.clone(), from + step * n as f64));
            let frame = Rc::new(Frame { path: Rc::clone(&path), loops });
            add_tables!(self, repeat, &frame, scope, problems);
            for (k, inner) in repeat.repeats.iter().enumerate() {
                self.expand(inner, k, &frame, scope, problems);
            }
        }
    }
}

/// First value, number of values, and step of an index.
fn range<P: Data>(
    repeat: &RepeatSpec,
    path: &Rc<[Step]>,
    outer: &Frame,
    scope: &Scope<P>,
    members: usize,
) -> Result<(f64, usize, f64), Box<Problem>> {
    let problem = |key: &str, fault: Fault| {
        let mut path = path.to_vec();
        path.push(key.into());
        Problem::new(format!("repeat over '{}'", repeat.index), Path(path), fault)
    };
    scope.check_index(&repeat.index, &outer.loops).map_err(|f| problem("index", f))?;
    let whole = |key: &str, value: &Value| scope.whole(value, &outer.loops).map_err(|f| problem(key, f));
    let (from, to) = (whole("from", &repeat.from)?, whole("to", &repeat.to)?);
    let step = repeat.step.as_ref().map_or(Ok(1), |s| whole("step", s))?;
    if step == 0 {
        return Err(problem("step", Fault::NotPositive { quantity: "size of the step", value: 0.0 }));
    }
    let span = (to - from) * step.signum();
    let count = if span < 0 { 0 } else { usize::try_from(span / step.abs() + 1).unwrap_or(usize::MAX) };
    let total = members.saturating_add(count);
    if total > MAX_MEMBERS {
        return Err(problem("to", Fault::TooMany { count: total, most: MAX_MEMBERS }));
    }
    Ok((from as f64, count, step as f64))
}
