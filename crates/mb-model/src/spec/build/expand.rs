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
        if problems.keep(counted(&spec.repeats, scope)).is_none() {
            return entries;
        }
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
        let Some(range) = problems.keep(Range::new(repeat, k, outer, scope)) else { return };
        for n in 0..range.count {
            let frame = Rc::new(range.frame(repeat, n, outer));
            add_tables!(self, repeat, &frame, scope, problems);
            for (k, inner) in repeat.repeats.iter().enumerate() {
                self.expand(inner, k, &frame, scope, problems);
            }
        }
    }
}

/// The values of an index.
struct Range {
    path: Rc<[Step]>,
    from: f64,
    step: f64,
    count: usize,
}

impl Range {
    /// Those of family `k` of the families in a frame.
    fn new<P: Data>(
        repeat: &RepeatSpec,
        k: usize,
        outer: &Frame,
        scope: &Scope<P>,
    ) -> Result<Self, Box<Problem>> {
        let mut steps = outer.path.to_vec();
        steps.extend([Step::from("repeat"), Step::Index(k)]);
        let path: Rc<[Step]> = steps.into();
        let problem = |key: &str, fault: Fault| at_key(repeat, &path, key, fault);
        scope.check_index(&repeat.index, &outer.loops).map_err(|f| problem("index", f))?;
        let whole = |key: &str, value: &Value| scope.whole(value, &outer.loops).map_err(|f| problem(key, f));
        let (from, to) = (whole("from", &repeat.from)?, whole("to", &repeat.to)?);
        let step = repeat.step.as_ref().map_or(Ok(1), |s| whole("step", s))?;
        if step == 0 {
            return Err(problem("step", Fault::NotPositive { quantity: "size of the step", value: 0.0 }));
        }
        let span = (to - from) * step.signum();
        let count = if span < 0 { 0 } else { usize::try_from(span / step.abs() + 1).unwrap_or(usize::MAX) };
        Ok(Self { path, from: from as f64, step: step as f64, count })
    }
    /// Where the tables of its member `n` stand.
    fn frame(&self, repeat: &RepeatSpec, n: usize, outer: &Frame) -> Frame {
        let mut loops = outer.loops.clone();
        loops.push((repeat.index.clone(), self.from + self.step * n as f64));
        Frame { path: Rc::clone(&self.path), loops }
    }
}

fn at_key(repeat: &RepeatSpec, path: &[Step], key: &str, fault: Fault) -> Box<Problem> {
    let mut path = path.to_vec();
    path.push(key.into());
    Problem::new(format!("repeat over '{}'", repeat.index), Path(path), fault)
}

/// Refuses families with too many members in all, before any is made. What is wrong with their ranges is told when they are.
fn counted<P: Data>(repeats: &[RepeatSpec], scope: &Scope<P>) -> Result<(), Box<Problem>> {
    let mut total = 0_usize;
    for (k, repeat) in repeats.iter().enumerate() {
        let outer = Frame::default();
        total = total.saturating_add(members(repeat, k, &outer, scope, MAX_MEMBERS - total));
        if total > MAX_MEMBERS {
            let path = [Step::from("repeat"), Step::Index(k)];
            return Err(at_key(repeat, &path, "to", Fault::TooMany { count: total, most: MAX_MEMBERS }));
        }
    }
    Ok(())
}

/// Members of a family and of the families inside it; once there are more than `most`, those seen until then at least.
fn members<P: Data>(repeat: &RepeatSpec, k: usize, outer: &Frame, scope: &Scope<P>, most: usize) -> usize {
    let Ok(range) = Range::new(repeat, k, outer, scope) else { return 0 };
    let of_one = |n: usize, most: usize| {
        let frame = range.frame(repeat, n, outer);
        let inner = repeat.repeats.iter().enumerate();
        inner.fold(0_usize, |sum, (k, r)| sum.saturating_add(members(r, k, &frame, scope, most)))
    };
    if !repeat.repeats.iter().any(|inner| uses(inner, &repeat.index)) {
        let inner = if range.count == 0 { 0 } else { of_one(0, most) };
        return range.count.saturating_mul(inner.saturating_add(1));
    }
    let mut total = range.count;
    for n in 0..range.count {
        if total > most {
            break;
        }
        total = total.saturating_add(of_one(n, most - total));
    }
    total
}

/// Whether the range of a family, or of one inside it, may depend on an index.
fn uses(repeat: &RepeatSpec, index: &str) -> bool {
    let named = |value: &Value| matches!(value, Value::Expression(text) if text.contains(index));
    let own = [&repeat.from, &repeat.to].into_iter().chain(&repeat.step);
    own.into_iter().any(named) || repeat.repeats.iter().any(|inner| uses(inner, index))
}

#[cfg(test)]
mod tests {
    use crate::ModelSpec;
    use std::fmt::Write as _;

    /// What building a model of nested families says.
    fn refused(ranges: &[(&str, &str)]) -> String {
        let mut text = "units = \"SI\"\nname = \"nested\"\n".to_owned();
        let mut key = "repeat".to_owned();
        for (i, (from, to)) in ranges.iter().enumerate() {
            let _ = write!(text, "[[{key}]]\nindex = \"i{i}\"\nfrom = {from}\nto = {to}\n");
            key += ".repeat";
        }
        let table = key.replacen(".repeat", "", 1);
        let _ = write!(text, "[[{table}.point]]\nname = \"p{{i0}}\"\nat = [0, 0]\n");
        ModelSpec::from_toml(&text).expect("a description").build().expect_err("too many").to_string()
    }

    #[test]
    fn nested_families_are_counted_before_they_are_made() {
        // 1000 + 1000^2 + ... + 1000^6.
        let told = refused(&[("1", "1000"); 6]);
        let all: usize = (1..=6).map(|k| 1000_usize.pow(k)).sum();
        assert!(told.contains(&format!("{all} members")) && told.contains("repeat over 'i0'"), "{told}");
        assert_eq!(told.matches("members").count(), 1, "{told}");
        // A triangle of 3000 * 3001 / 2 below its 3000 rows.
        assert!(refused(&[("1", "3000"), ("1", "\"i0\"")]).contains(" members; the most is 2000000"));
        assert!(refused(&[("1", "100000000"); 6]).contains(&usize::MAX.to_string()));
    }
}
