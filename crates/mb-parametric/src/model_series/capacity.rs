//! The expansion in jets, for the smallest capacity that holds the set.

use super::PointRule;
use super::balance::{Balance, balance_centre};
use super::following::following_speeds;
use super::jacobian::Unknowns;
use super::{ModelSeries, PointSeries, Variable, steady, turning};
use crate::storage::Storage;
use crate::{Completeness, MatrixSeries, MultiIndexSet, ParametricError, PencilSeries};
use mb_algebra::{QuadraticPencil, Scatter, Triplets, interrupt};
use mb_model::{AnySource, Data, Model, Point};
use mb_scalar::Real;
use mb_scalar::jet::{DynJet, Monomials};
use std::collections::BTreeMap;

/// The largest set the expansion is compiled for: order 4 in eight parameters.
const LARGEST: usize = 495;

/// Stack of the threads that the largest numbers are computed on, bytes; what is not touched takes no memory.
const STACK: usize = 256 << 20;

/// What is expanded: the model about `centre` in `variables`, over `set`.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub(crate) centre: &'a Point,
    pub(crate) variables: &'a [Variable],
    pub(crate) set: &'a MultiIndexSet,
    pub(crate) rule: &'a PointRule,
    /// Coordinates whose speeds follow from constraints, chosen at the centre when none are given.
    pub(crate) following: Option<&'a [usize]>,
}

/// Chooses the capacity. Each one is a copy of the model's code, hence the short list: order 4 in four
/// variables; 4 in eight.
pub(crate) fn expand<A: Storage>(
    source: &dyn AnySource,
    request: &Request<'_>,
) -> Result<ModelSeries<A>, ParametricError> {
    match request.set.len() {
        0..=70 => run::<A, 70>(source, request),
        71..=LARGEST => with_room(|| run::<A, LARGEST>(source, request)),
        terms => Err(ParametricError::CapacityExceeded { terms, limit: LARGEST }),
    }
}

/// Runs work with numbers of several kilobytes on threads that have room for them: those of programs and tests have 2 MB.
fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads());
    let scope = interrupt::scope_here();
    match threads.stack_size(STACK).build() {
        Ok(pool) => pool.install(|| scope.enter(work)),
        Err(_) => work(),
    }
}

fn run<A: Storage, const CAP: usize>(
    source: &dyn AnySource,
    request: &Request<'_>,
) -> Result<ModelSeries<A>, ParametricError>
where
    DynJet<CAP>: Data,
{
    let Request { centre, variables, set, rule, following } = *request;
    let table = set.table();
    let plain = source.model_f64(&BTreeMap::new())?;
    let mut given = BTreeMap::new();
    for (k, variable) in variables.iter().enumerate() {
        if let Variable::Parameter(name) = variable {
            let value = source.value_of(name)?.unwrap_or_default();
            given.insert(name.clone(), DynJet::<CAP>::variable(table, k, value));
        }
    }
    interrupt::check();
    let model = <DynJet<CAP> as Data>::model_of(source, &given)?;
    interrupt::check();
    let mut centre = centre.clone();
    let balance = match rule.holds() {
        None => None,
        Some((fixed, holding)) => {
            let held = held_by(&plain, variables, fixed, holding)?;
            let following = match following {
                Some(given) => given.to_vec(),
                None if rule.steady().is_some() => Vec::new(),
                None => chosen_following(&plain, &centre, variables, fixed)?,
            };
            let unknowns = Unknowns::new(&plain, &held, holding, &following)?.in_motion(rule.steady());
            balance_centre(&plain, &mut centre, &unknowns)?;
            Some(Balance::at(&plain, &centre, unknowns)?)
        }
    };
    let mut moving = Moving::new(&centre, variables, table, plain.nv());
    if let Some(balance) = &balance {
        for degree in 1..=set.order() {
            let point = moving.point(&model, &centre, rule);
            balance.step(&model, &point, &mut moving, table, set.homogeneous(degree));
        }
    }
    let point = moving.point(&model, &centre, rule);
    if let (Some(balance), Some(steady)) = (&balance, rule.steady()) {
        interrupt::check();
        let (plain, model, point, moving) = (&plain, &model, &point, &moving);
        steady::Terms { plain, model, centre: &centre, point, moving, rule: steady, balance, set, table }
            .check(variables, &values_at(source, &centre, variables)?)?;
    }
    if rule.steady().is_some() {
        (moving.v, moving.a) = (point.v.clone(), point.a.clone());
    }
    interrupt::check();
    let blocks = model.block_triplets(&point);
    interrupt::check();
    let matrices = QuadraticPencil {
        m: collect::<A, CAP>(&blocks.m, set, table)?,
        c: collect(&blocks.c, set, table)?,
        k: collect(&blocks.k, set, table)?,
        phi_q: collect(&blocks.phi_q, set, table)?,
    };
    let matrices = turning::series(&model, &point, rule, matrices, set, table)?;
    refuse_idle(&plain, variables, set, &matrices)?;
    let pencil = PencilSeries::new(matrices, Completeness::Truncated)?;
    let largest = plain.largest_force(&centre).max(f64::MIN_POSITIVE);
    let imbalance = mb_algebra::norms::max_abs_vec(&plain.residual(&centre)) / largest;
    let point = moving.series(&plain, centre, set, table)?;
    Ok(ModelSeries { pencil, point, variables: variables.to_vec(), imbalance })
}

/// The coordinates whose speeds follow from constraints: none where nothing moves. Speeds that are variables, those
/// of coordinates that are variables, and `more` are kept.
///
/// Errors: the errors of [`following_speeds`]; [`ParametricError::SpeedFollows`].
pub(crate) fn chosen_following(
    plain: &Model,
    centre: &Point,
    variables: &[Variable],
    more: &[usize],
) -> Result<Vec<usize>, ParametricError> {
    let speed = |v: &Variable| if let Variable::Speed(i) = v { Some(*i) } else { None };
    let speeds: Vec<usize> = variables.iter().filter_map(speed).collect();
    let moving = !speeds.is_empty() || centre.v.iter().chain(&centre.a).any(|x| *x != 0.0);
    if plain.nc() == 0 || !moving {
        return Ok(Vec::new());
    }
    let coordinate = |v: &Variable| if let Variable::Coordinate(i) = v { Some(*i) } else { None };
    let mut kept = speeds.clone();
    kept.extend(variables.iter().filter_map(coordinate).chain(more.iter().copied()));
    let following = following_speeds(plain, centre, &kept)?;
    match speeds.iter().find(|i| following.contains(i)) {
        Some(i) => Err(ParametricError::SpeedFollows { variable: Variable::Speed(*i).name(plain) }),
        None => Ok(following),
    }
}

/// The coordinates that are variables and those that are `fixed`, which no input that is a variable itself can hold.
pub(super) fn held_by(
    plain: &Model,
    variables: &[Variable],
    fixed: &[usize],
    holding: &[usize],
) -> Result<Vec<usize>, ParametricError> {
    if let Some(i) = holding.iter().find(|i| variables.contains(&Variable::Input(**i))) {
        let variable = Variable::Input(*i).name(plain);
        return Err(ParametricError::RepeatedVariable { variable });
    }
    let coordinate = |v: &Variable| if let Variable::Coordinate(i) = v { Some(*i) } else { None };
    let mut held: Vec<usize> = variables.iter().filter_map(coordinate).collect();
    let more: Vec<usize> = fixed.iter().copied().filter(|i| !held.contains(i)).collect();
    held.extend(more);
    Ok(held)
}

/// The values of variables at a point; zero for coordinates, which count from there.
fn values_at(
    source: &dyn AnySource,
    centre: &Point,
    variables: &[Variable],
) -> Result<Vec<f64>, ParametricError> {
    let value = |variable: &Variable| {
        Ok(match variable {
            Variable::Parameter(name) => source.value_of(name)?.unwrap_or_default(),
            Variable::Coordinate(_) => 0.0,
            Variable::Speed(i) => centre.v[*i],
            Variable::Input(i) => centre.u[*i],
        })
    };
    variables.iter().map(value).collect()
}

/// The parts of an operating point that move, in jets.
pub(super) struct Moving<const CAP: usize> {
    /// Displacement along the tangent from the centre.
    pub(super) delta: Vec<DynJet<CAP>>,
    pub(super) v: Vec<DynJet<CAP>>,
    pub(super) a: Vec<DynJet<CAP>>,
    pub(super) lambda: Vec<DynJet<CAP>>,
    pub(super) u: Vec<DynJet<CAP>>,
}

impl<const CAP: usize> Moving<CAP> {
    /// The centre, with the variables seeded.
    fn new(centre: &Point, variables: &[Variable], table: &'static Monomials, nv: usize) -> Self {
        let lift = |list: &[f64]| list.iter().map(|x| DynJet::cst(*x)).collect::<Vec<_>>();
        let mut moving = Self {
            delta: vec![DynJet::cst(0.0); nv],
            v: lift(&centre.v),
            a: lift(&centre.a),
            lambda: lift(&centre.lambda),
            u: lift(&centre.u),
        };
        for (k, variable) in variables.iter().enumerate() {
            let (list, i) = match variable {
                Variable::Parameter(_) => continue,
                Variable::Coordinate(i) => (&mut moving.delta, *i),
                Variable::Speed(i) => (&mut moving.v, *i),
                Variable::Input(i) => (&mut moving.u, *i),
            };
            list[i] = DynJet::variable(table, k, list[i].value());
        }
        moving
    }

    /// The operating point in jets.
    fn point(&self, model: &Model<DynJet<CAP>>, centre: &Point, rule: &PointRule) -> Point<DynJet<CAP>>
    where
        DynJet<CAP>: Data,
    {
        let lift = |list: &[f64]| list.iter().map(|x| DynJet::cst(*x)).collect::<Vec<_>>();
        let mut point = Point {
            q: model.coordinates().retract(&lift(&centre.q), &self.delta),
            v: self.v.clone(),
            a: self.a.clone(),
            lambda: self.lambda.clone(),
            t: DynJet::cst(centre.t),
            u: self.u.clone(),
        };
        if let Some(steady) = rule.steady() {
            steady.follow(model, &mut point);
        }
        point
    }

    fn series(
        &self,
        plain: &Model,
        centre: Point,
        set: &MultiIndexSet,
        table: &'static Monomials,
    ) -> Result<PointSeries, ParametricError> {
        let terms = |list: &[DynJet<CAP>]| -> Vec<Vec<f64>> {
            let columns: Vec<&[f64]> = list.iter().map(|x| x.coefficients(table)).collect();
            (0..set.len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect()
        };
        let parts = [&self.delta, &self.v, &self.a, &self.lambda, &self.u].map(|list| terms(list));
        let overflow = |i: usize| parts.iter().any(|list| list[i].iter().any(|x| !x.is_finite()));
        if let Some(i) = (0..set.len()).find(|&i| overflow(i)) {
            let degree = set.exponents(i).iter().map(|&e| usize::from(e)).sum();
            return Err(ParametricError::Overflow { degree });
        }
        Ok(PointSeries::new(set.clone(), plain.coordinates().clone(), centre, parts))
    }
}

/// Jets in triplets as a series of matrices.
pub(super) fn collect<A: Storage, const CAP: usize>(
    triplets: &Triplets<DynJet<CAP>>,
    set: &MultiIndexSet,
    table: &'static Monomials,
) -> Result<MatrixSeries<A>, ParametricError> {
    let mut terms: Vec<Triplets> =
        (0..set.len()).map(|_| Triplets::new(triplets.rows(), triplets.cols())).collect();
    for (row, col, jet) in triplets.iter() {
        for (term, x) in terms.iter_mut().zip(jet.coefficients(table)) {
            if *x != 0.0 {
                term.add(row, col, *x);
            }
        }
    }
    MatrixSeries::new(set.clone(), terms.iter().map(A::from_entries).collect())
}

/// Refuses a variable that changes nothing: its name was probably meant for another.
fn refuse_idle<A: Storage>(
    plain: &Model,
    variables: &[Variable],
    set: &MultiIndexSet,
    matrices: &QuadraticPencil<MatrixSeries<A>>,
) -> Result<(), ParametricError> {
    let all = [&matrices.m, &matrices.c, &matrices.k, &matrices.phi_q];
    for (k, variable) in variables.iter().enumerate() {
        let mut terms = (0..set.len()).filter(|&i| set.exponents(i)[k] > 0).peekable();
        let kept = terms.peek().is_some();
        let acts = terms.any(|i| all.iter().any(|a| mb_algebra::norms::max_abs(&a.coefficients()[i]) > 0.0));
        if kept && !acts {
            return Err(ParametricError::IdleVariable { variable: variable.name(plain) });
        }
    }
    Ok(())
}
