//! Steady motions whose speeds or driving forces are unknown.
//!
//! Speeds s of some spins and inputs u are solved for with the configuration and the reactions, so that as many coordinates or outputs have
//! the values that are asked for:
//!
//! ```text
//! r(q, v, a, lambda, u) = 0,   Phi(q) = 0,   h(q, lambda) = h0,   v = sum s_j v_j(q),   a = S v
//! [ K      Phi_q^T ] [ dq      ]     [ r   ]            [ dr/dp ]
//! [ Phi_q  0       ] [ dlambda ] = - [ Phi ] - sum dp_j [ 0     ],   p = (s, u),   dr/ds = C dv/ds + M da/ds,   dr/du = -F
//! ```
//!
//! with K that of the linearization in the frame of the motion. At a given configuration v is linear in the speeds and a a quadratic form of them, so that
//! a difference to both sides is their derivative. A step along the motion changes nothing, so that one coordinate stays where it is, and the
//! equation along the motion, the balance of power, is met by itself or not at all. With one unknown more than there are values asked for it is that
//! unknown's equation: a torque that keeps a speed against drag, or the speed that a torque keeps.

use super::frames::rates;
use super::generator::Generator;
use super::search::{ARRIVED, Field, SteadySearch, fastest, has_arrived, pinned, within_a_turn};
use super::spin::{Spin, spinning};
use super::{FrameChoice, Looks};
use crate::error::LinearError;
use crate::linearize::in_frame;
use crate::point::{Instant, OperatingPoint};
use mb_algebra::{Dense, RankTolerance, Sparse, Svd, dense, norms, sparse};
use mb_constraints::{AssemblyOptions, Saddle, assemble, largest, minimum_norm_multipliers};
use mb_model::system::Blocks;
use mb_model::{Held, Model, Point};

/// What a steady motion is sought by, beside its configuration and reactions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sought {
    /// Which of the spins have unknown speeds; those that they have are the start.
    pub spins: Vec<usize>,
    /// Which inputs are unknown; those of the point are the start.
    pub inputs: Vec<usize>,
    /// What is to have which value.
    pub holds: Vec<(Held, f64)>,
}

impl Sought {
    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.spins.is_empty() && self.inputs.is_empty() && self.holds.is_empty()
    }
    /// What the model's own tables leave unknown and hold instead; the spins are those of [`Spin::of_model`].
    pub fn of_model(model: &Model) -> Self {
        let own = || model.steady_rotations().iter();
        Self {
            spins: own().enumerate().filter(|(_, r)| r.is_sought).map(|(i, _)| i).collect(),
            inputs: Vec::new(),
            holds: own().flat_map(|r| r.holds.iter().copied()).collect(),
        }
    }
    fn unknowns(&self) -> usize {
        self.spins.len() + self.inputs.len()
    }
}

/// Most Newton steps.
const MOST: usize = 60;

/// Products of two lists below this share of their sizes are nothing: at an extremum of a value that is met within [`ARRIVED`] of itself its
/// derivative is as small as the root of that, 3e-6, times a few.
const NOTHING: f64 = 1e-5;

/// Newton's state.
#[derive(Clone)]
struct At {
    spins: Vec<Spin>,
    point: Point,
    generator: Generator,
}

/// The steady motion near `start` (configuration, time, inputs) that has the values asked for, with its spins; its inputs are those of its
/// point.
///
/// # Errors
/// [`LinearError::NotSought`] where unknowns and conditions do not match in number, or where an unknown is not determined by them, by name;
/// [`LinearError::BadSpin`], [`LinearError::NoSteadyMotion`], [`LinearError::NotSteady`].
pub fn steady_sought(
    model: &Model,
    start: &Point,
    spins: &[Spin],
    sought: &Sought,
    frame: &FrameChoice,
) -> Result<(SteadySearch, Vec<Spin>), LinearError> {
    let (p, k) = (sought.unknowns(), sought.holds.len());
    if p != k && p != k + 1 {
        let values = if k == 1 { "value is" } else { "values are" };
        let problem = format!(
            "{k} {values} held, so {k} or {} of the speeds and inputs have to be unknown, and {p} {}",
            k + 1,
            if p == 1 { "is" } else { "are" }
        );
        return Err(LinearError::NotSought { problem });
    }
    let seek = Seek { model, sought, released: p == k + 1 };
    let mut at = seek.at(&start.q, start.u.clone(), spins.to_vec(), None, start)?;
    let mut arrival: Option<(At, f64)> = None;
    for iteration in 0..MOST {
        let residual = model.residual(&at.point);
        let off = seek.off(&at.point);
        let left = norms::max_abs_vec(&residual);
        let arrived = has_arrived(model, &at.point, &residual) && seek.holds(&off);
        if let Some((before, least)) = arrival {
            let there = if arrived && left <= least { at } else { before };
            return seek.shown(start, there, frame, iteration);
        }
        arrival = arrived.then(|| (at.clone(), left));
        at = seek.step(&at, &residual, &off, arrived)?;
    }
    let residual = model.residual(&at.point);
    let (i, residual) = largest(&residual).unwrap_or((0, 0.0));
    Err(LinearError::NoSteadyMotion {
        equation: model.coordinate_name(i),
        iterations: MOST,
        residual,
        power: None,
    })
}

/// What a factorization gives for a right-hand side: dq and dlambda.
type Solved = (Vec<f64>, Vec<f64>);

/// Conditions on the unknowns: rows of equal size, columns over the sizes of what the unknowns do.
struct Small {
    matrix: Dense,
    right: Vec<f64>,
    sizes: Vec<f64>,
}

struct Seek<'a> {
    model: &'a Model,
    sought: &'a Sought,
    /// Whether the balance of power is an equation of its own.
    released: bool,
}

impl Seek<'_> {
    /// Velocities and accelerations of spins at a configuration.
    fn moving(&self, point: &Point, spins: &[Spin]) -> Result<(Vec<f64>, Vec<f64>, Generator), LinearError> {
        let v = spinning(self.model, point, spins)?.0;
        let there = Point { v, ..point.clone() };
        for rate in rates(self.model, &there) {
            if let Some(field) = Field::new(self.model, &there, rate) {
                let s = field.generator(self.model, &there, 1.0);
                let a = s.times(&there.v);
                return Ok((there.v, a, s));
            }
        }
        let who = spins.first().map_or_else(String::new, |s| s.name(self.model));
        Err(LinearError::BadSpin { who, problem: "has no frame that carries these speeds".to_owned() })
    }
    fn at(
        &self,
        q: &[f64],
        u: Vec<f64>,
        spins: Vec<Spin>,
        lambda: Option<Vec<f64>>,
        start: &Point,
    ) -> Result<At, LinearError> {
        let model = self.model;
        let q = assemble(model, q, start.t, &AssemblyOptions::default())?.q;
        let mut point = Point { q, u, lambda: vec![0.0; model.nc()], ..start.clone() };
        let (v, a, generator) = self.moving(&point, &spins)?;
        (point.v, point.a) = (v, a);
        point.lambda = if let Some(lambda) = lambda {
            lambda
        } else {
            let free: Vec<f64> = model.residual(&point).iter().map(|x| -x).collect();
            minimum_norm_multipliers(&model.phi_q(&point.q, point.t).to_sparse(), &free)?.0
        };
        Ok(At { spins, point, generator })
    }
    /// What the values asked for are off by.
    fn off(&self, point: &Point) -> Vec<f64> {
        let outputs = self.model.outputs(point);
        let now = |held: &Held| match held {
            Held::Coordinate { q, .. } => point.q[*q],
            Held::Output(i) => outputs[*i],
        };
        self.sought.holds.iter().map(|(held, value)| value - now(held)).collect()
    }
    fn holds(&self, off: &[f64]) -> bool {
        let values = self.sought.holds.iter().map(|(_, value)| 1.0 + value.abs());
        off.iter().zip(values).all(|(off, size)| off.abs() <= ARRIVED * size)
    }
    /// Newton's step; `last` where it is one of polishing, at which the unknowns have to be determined.
    fn step(&self, at: &At, residual: &[f64], off: &[f64], last: bool) -> Result<At, LinearError> {
        let (model, point) = (self.model, &at.point);
        let Blocks { m, c, k, phi_q } = model.blocks(point);
        let k = in_frame(model, point, &at.generator, [&m, &c, &k])[1].clone();
        let saddle = Saddle::sparse(&pinned(model, &k, &point.v), &phi_q)?;
        let minus = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| -x).collect() };
        let nothing = vec![0.0; model.nc()];
        let own = saddle.solve(&minus(residual), &minus(&model.phi(&point.q, point.t)));
        let by = self.derivatives(at, [&m, &c])?;
        let columns: Vec<Solved> = by.iter().map(|by| saddle.solve(&minus(by), &nothing)).collect();
        let conditions = self.rows(point);
        let small = Self::small(point, &conditions, &own, (&by, &columns), (off, last));
        let dp = self.unknowns(at, small, last)?;
        let (mut dq, mut dl) = own;
        for ((q, l), p) in columns.iter().zip(&dp) {
            dq.iter_mut().zip(q).for_each(|(x, y)| *x += p * y);
            dl.iter_mut().zip(l).for_each(|(x, y)| *x += p * y);
        }
        let part = within_a_turn(model, &dq);
        let along =
            |x: &[f64], d: &[f64]| -> Vec<f64> { x.iter().zip(d).map(|(x, d)| x + part * d).collect() };
        let q = model.coordinates().retract(&point.q, &dq.iter().map(|d| part * d).collect::<Vec<_>>());
        let (mut spins, mut u) = (at.spins.clone(), point.u.clone());
        let count = self.sought.spins.len();
        for (i, d) in self.sought.spins.iter().zip(&dp) {
            // A speed that passes zero comes to the mirrored motion or to rest.
            let speed = spins[*i].speed + part * d;
            spins[*i].speed = if speed * spins[*i].speed > 0.0 { speed } else { 0.5 * spins[*i].speed };
        }
        for (i, d) in self.sought.inputs.iter().zip(&dp[count..]) {
            u[*i] += part * d;
        }
        self.at(&q, u, spins, Some(along(&point.lambda, &dl)), point)
    }
    /// dr/dp, one list of nv numbers for each unknown.
    fn derivatives(&self, at: &At, [m, c]: [&Sparse; 2]) -> Result<Vec<Vec<f64>>, LinearError> {
        let mut out = Vec::new();
        for i in &self.sought.spins {
            // At half and at one and a half times the speed, where something turns in the same sense.
            let h = 0.5 * at.spins[*i].speed;
            let there = |h: f64| {
                let mut spins = at.spins.clone();
                spins[*i].speed += h;
                self.moving(&at.point, &spins)
            };
            let ((v, a, _), (w, b, _)) = (there(h)?, there(-h)?);
            let slope = |x: &[f64], y: &[f64]| -> Vec<f64> {
                x.iter().zip(y).map(|(x, y)| (x - y) / (2.0 * h)).collect()
            };
            let of_v = sparse::matvec(c, &slope(&v, &w));
            let of_a = sparse::matvec(m, &slope(&a, &b));
            out.push(of_v.iter().zip(of_a).map(|(x, y)| x + y).collect());
        }
        if !self.sought.inputs.is_empty() {
            let f = self.model.input_matrix(&at.point).to_dense();
            out.extend(self.sought.inputs.iter().map(|i| dense::column(&f, *i).iter().map(|x| -x).collect()));
        }
        Ok(out)
    }
    /// The derivatives of what is held by q and lambda; the coordinate that stays where it is comes last, where it is an equation.
    fn rows(&self, point: &Point) -> Vec<[Vec<f64>; 2]> {
        let model = self.model;
        let of = model.output_matrices(point);
        let (y_q, y_l) = (of.q.to_dense(), of.lambda.to_dense());
        let unit = |i: usize| [(0..model.nv()).map(|j| f64::from(j == i)).collect(), vec![0.0; model.nc()]];
        let one = |(held, _): &(Held, f64)| match held {
            Held::Coordinate { v, .. } => unit(*v),
            Held::Output(i) => [dense::row(&y_q, *i), dense::row(&y_l, *i)],
        };
        let stays = fastest(model, &point.v).filter(|_| self.released).map(unit);
        self.sought.holds.iter().map(one).chain(stays).collect()
    }
    /// The conditions on the unknowns alone.
    fn small(
        point: &Point,
        rows: &[[Vec<f64>; 2]],
        own: &Solved,
        (by, columns): (&[Vec<f64>], &[Solved]),
        (off, last): (&[f64], bool),
    ) -> Small {
        let along = |row: &[Vec<f64>; 2], x: &Solved| dense::dot(&row[0], &x.0) + dense::dot(&row[1], &x.1);
        let sizes: Vec<f64> = columns.iter().map(|(q, l)| norms::two(q).hypot(norms::two(l))).collect();
        let (mut matrix, mut right) = (Dense::zeros(rows.len(), columns.len()), vec![0.0; rows.len()]);
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let held = i < off.len();
                // What stays in place does so where the power v^T (r + dr/dp dp) is zero: the spring there would hide a small one.
                let whole = |a: &[f64], b: &[f64]| norms::two(a) * norms::two(b);
                let (value, whole) = if held {
                    let size = whole(&row[0], &column.0) + whole(&row[1], &column.1);
                    (along(row, column), size)
                } else {
                    (dense::dot(&point.v, &by[j]), whole(&point.v, &by[j]))
                };
                // On the way a small slope is a slope.
                if value.abs() > if last { NOTHING * whole } else { 0.0 } {
                    matrix[(i, j)] = along(row, column) / sizes[j];
                }
            }
            right[i] = off.get(i).copied().unwrap_or(0.0) - along(row, own);
            let largest = norms::max_abs_vec(&dense::row(&matrix, i));
            if largest > 0.0 {
                (0..columns.len()).for_each(|j| matrix[(i, j)] /= largest);
                right[i] /= largest;
            }
        }
        Small { matrix, right, sizes }
    }
    /// dp; `last` where the unknowns have to be determined.
    fn unknowns(&self, at: &At, small: Small, last: bool) -> Result<Vec<f64>, LinearError> {
        let Small { matrix, right, sizes } = small;
        let tolerance = RankTolerance::default();
        let svd = Svd::new(&matrix)?;
        if last && svd.rank(tolerance).rank < sizes.len() {
            return Err(self.undetermined(at, &svd.null_space(tolerance)));
        }
        let scaled = svd.min_norm_solve(&right, tolerance);
        Ok(scaled.iter().zip(&sizes).map(|(x, size)| if *size > 0.0 { x / size } else { 0.0 }).collect())
    }
    /// Names the unknown that may be anything.
    fn undetermined(&self, at: &At, free: &Dense) -> LinearError {
        let i = if free.ncols() == 0 { 0 } else { largest(&dense::column(free, 0)).map_or(0, |(i, _)| i) };
        let who = if let Some(spin) = self.sought.spins.get(i) {
            format!("speed of {}", at.spins[*spin].name(self.model))
        } else {
            let input = self.sought.inputs[i - self.sought.spins.len()];
            format!("value of input '{}'", self.model.inputs()[input])
        };
        let why = if self.released && self.sought.holds.is_empty() {
            "no force along the motion depends on it"
        } else {
            "what is held does not change with it to first order in the configuration found"
        };
        LinearError::NotSought { problem: format!("The {who} is not determined: {why}") }
    }
    /// The motion found, shown to be steady.
    fn shown(
        &self,
        start: &Point,
        at: At,
        frame: &FrameChoice,
        iterations: usize,
    ) -> Result<(SteadySearch, Vec<Spin>), LinearError> {
        let moved: Vec<f64> = at.point.q.iter().zip(&start.q).map(|(a, b)| a - b).collect();
        let instant = Instant::declared(self.model, at.point, 1e-9)?;
        let found = OperatingPoint::looked_at(self.model, &instant, frame, Looks::Shown.phases())?;
        Ok((SteadySearch { at: found, iterations, moved: norms::two(&moved) }, at.spins))
    }
}
