//! The branch of steady motions that begins at rest, followed while all speeds grow together.
//!
//! ```text
//! r(q, lambda; s) = 0,   Phi(q) = 0,   speeds s times the given ones, 0 <= s <= 1
//! [ K(s)   Phi_q^T ] [ dq/ds      ]     [ dr/ds ]
//! [ Phi_q  0       ] [ dlambda/ds ] = - [ 0     ],   K(s) = K + C S + M S^2 in the frame of the motion
//! ```
//!
//! Each step starts where the step before has ended, and counts where the tangents at both of its ends agree with it (as along growing loads,
//! `equilibrium/path.rs`). A real eigenvalue of the linearization passes through zero where K(s) is singular on the null space of Phi_q:
//! the number of its negative directions changes there. The share s is enclosed by halving, between one with the number before and one with
//! that after.
//!
//! Where disturbances of the branch grow beyond, another one is sought that splits off: Newton's method from points displaced along the
//! directions that have lost their stiffness, to the side of the configuration as built. Only one whose number of negative directions is
//! that before the crossing is followed. Where steps become negligible the branch ends (a fold).

use super::FrameChoice;
use super::frames::rates;
use super::generator::length;
use super::search::{Field, SteadySearch, at_speed, pinned};
use crate::equilibrium::signs;
use crate::error::LinearError;
use crate::linearize::in_frame;
use crate::point::{Instant, OperatingPoint};
use mb_algebra::{GeneralEigen, RankTolerance, Sparse, dense, norms, to_dense};
use mb_constraints::{AssemblyOptions, NullSpace, NullSpaceMethod, Saddle, assemble};
use mb_model::system::Blocks;
use mb_model::{Model, Point};

/// Where a real eigenvalue of the motions of a branch passes through zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Share of the speeds.
    pub share: f64,
    /// Half the width of an enclosure of it.
    pub error: f64,
    /// Directions of negative stiffness just below; where the stiffness is not symmetric, one of an odd number and none of an even one.
    pub below: usize,
    /// The same just above.
    pub above: usize,
    /// True where the branch that splits off here is followed from here on.
    pub left: bool,
}

/// What a branch has passed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// By rising share.
    pub crossings: Vec<Crossing>,
    /// False where crossings could not be detected: the signs of the stiffness are lost in rounding.
    pub watched: bool,
    /// The share of the speeds at which it ends in a fold, and the width to which that was found; none where it reaches the whole speeds.
    pub ends: Option<[f64; 2]>,
}

impl Branch {
    /// Whether the branch followed at the end is one that has split off.
    pub fn has_split(&self) -> bool {
        self.crossings.iter().any(|c| c.left)
    }
}

/// Steps of the share: the first, and the largest.
const FIRST: f64 = 1.0 / 16.0;
const LARGEST: f64 = 1.0 / 4.0;
/// Steps below this are a fold; crossings are enclosed to this.
const SMALLEST: f64 = 1e-10;
/// Share of a step by which its tangents may be off.
const DISAGREEMENT: f64 = 0.5;
/// Steps of the configuration below this, relative to it, are rounding.
const NEGLIGIBLE: f64 = 1e-9;
/// Shares beyond a crossing at which another branch is sought.
const BEYOND: [f64; 4] = [0.003, 0.01, 0.03, 0.1];
/// Displacements from which it is sought: turns in rad, or lengths relative to the largest coordinate.
const ASIDE: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8];
/// Another branch is farther away than this, relative to the configuration.
const APART: f64 = 1e-6;
/// Up to so many coordinates and rows signs of an unsymmetric stiffness are counted.
const UNSYMMETRIC_UP_TO: usize = 300;
/// Inverse iterations for a direction that has lost its stiffness.
const INVERSE_STEPS: usize = 6;

/// The steady motion on the branch that begins at the point of rest `rest`, whose velocities are those of the whole speeds at its
/// configuration; where the branch ends before, none with what was passed.
///
/// `built`: the configuration (nq numbers) whose side is preferred where branches split; `grows` decides of a motion whether disturbances
/// grow, where it can. The outer none: no frame has the velocities.
///
/// # Errors
/// No steady motion even at a small share of the speeds; [`LinearError::NotSteady`] of the motion found; memory.
pub fn steady_from_rest(
    model: &Model,
    rest: &Point,
    frame: &FrameChoice,
    built: &[f64],
    grows: &dyn Fn(&OperatingPoint) -> Option<bool>,
) -> Result<Option<(Option<SteadySearch>, Branch)>, LinearError> {
    if model.has_velocity_rows() {
        return Ok(None);
    }
    let (mut reached, mut failure, mut ended) = (None, None, None);
    for rate in rates(model, rest) {
        let Some(field) = Field::new(model, rest, rate) else { continue };
        let walk = Walk { model, rest, field: &field, frame, built, grows };
        match walk.run() {
            Ok((Some(found), branch)) => {
                // What rests on the axis belongs to several frames; directions are those of the one in which the motion is steady.
                let own = found.at.steady().and_then(|motion| motion.frame().rate());
                let off = own.map(|own| (0..3).map(|i| (own[i] - rate[i]).abs()).fold(0.0, f64::max));
                if off.is_some_and(|off| off <= APART * length(rate)) {
                    return Ok(Some((Some(found), branch)));
                }
                reached = reached.or(Some((found, Branch { watched: false, ..branch })));
            }
            Ok((None, branch)) => ended = ended.or(Some(branch)),
            Err(LinearError::Algebra(e)) => return Err(LinearError::Algebra(e)),
            Err(other) => failure = failure.or(Some(other)),
        }
    }
    match (reached, ended, failure) {
        (Some((found, branch)), ..) if !branch.has_split() => {
            Ok(Some((Some(found), Branch { crossings: Vec::new(), ..branch })))
        }
        (_, Some(branch), _) => Ok(Some((None, branch))),
        (_, None, Some(failure)) => Err(failure),
        (_, None, None) => Ok(None),
    }
}

/// A motion on the branch.
#[derive(Clone)]
struct Stop {
    share: f64,
    point: Point,
}

/// Numbers of directions with negative and without stiffness.
type Signs = [usize; 2];

struct Walk<'a> {
    model: &'a Model,
    rest: &'a Point,
    field: &'a Field,
    frame: &'a FrameChoice,
    built: &'a [f64],
    grows: &'a dyn Fn(&OperatingPoint) -> Option<bool>,
}

impl Walk<'_> {
    fn run(&self) -> Result<(Option<SteadySearch>, Branch), LinearError> {
        let mut iterations = 0;
        let mut here = self.solve(0.0, &self.rest.q, None, &mut iterations)?;
        let mut known = self.signs(&here)?.map(|signs| (here.clone(), signs));
        let mut branch = Branch { watched: known.is_some(), ..Branch::default() };
        let mut step = FIRST;
        while here.share < 1.0 {
            let share = (here.share + step).min(1.0);
            let Some(next) = self.step(&here, share, &mut iterations)? else {
                step *= 0.5;
                if step < SMALLEST {
                    branch.ends = Some([here.share, step]);
                    return Ok((None, branch));
                }
                continue;
            };
            step = (2.0 * step).min(LARGEST);
            here = next;
            let Some(now) = self.signs(&here)? else { continue };
            let Some((last, before)) = known.take() else {
                known = Some((here.clone(), now));
                continue;
            };
            if now == before {
                known = Some((here.clone(), now));
            } else if now[1] != before[1] {
                // Here itself something is without stiffness: what comes next decides.
                known = Some((last, before));
            } else {
                let (crossing, beyond, now) = self.enclose(&last, before, here, now, &mut iterations)?;
                let (crossing, there) = self.split(crossing, &beyond, &mut iterations)?;
                branch.crossings.push(crossing);
                here = there;
                let signs = if crossing.left { before } else { now };
                known = Some((here.clone(), signs));
                step = FIRST;
            }
        }
        // At the end itself something without stiffness, or signs that rounding hides, leave the last step open.
        branch.watched &= known.is_some_and(|(last, _)| last.share >= 1.0);
        let Point { q, lambda, .. } = here.point;
        let point = self.field.point(self.model, self.rest, q, lambda, 1.0);
        let moved: Vec<f64> = point.q.iter().zip(self.built).map(|(a, b)| a - b).collect();
        let at =
            OperatingPoint::of_instant(self.model, &Instant::declared(self.model, point, 1e-9)?, self.frame)?;
        Ok((Some(SteadySearch { at, iterations, moved: norms::two(&moved) }), branch))
    }
    /// The motion at a share of the speeds that Newton's method finds from a configuration.
    fn solve(
        &self,
        share: f64,
        q: &[f64],
        lambda: Option<Vec<f64>>,
        iterations: &mut usize,
    ) -> Result<Stop, LinearError> {
        let (point, used) = at_speed(self.model, self.rest, self.field, q.to_vec(), lambda, share)?;
        *iterations += used;
        Ok(Stop { share, point })
    }
    /// The next motion; none where there is none that the tangents lead to.
    fn step(&self, from: &Stop, share: f64, iterations: &mut usize) -> Result<Option<Stop>, LinearError> {
        match self.solve(share, &from.point.q, Some(from.point.lambda.clone()), iterations) {
            Ok(next) => Ok(self.is_continuous(from, &next)?.then_some(next)),
            Err(LinearError::NoSteadyMotion { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }
    /// K(s), with a spring on what turns freely, and Phi_q.
    fn stiffness(&self, at: &Stop) -> (Sparse, Sparse) {
        let Blocks { m, c, k, phi_q } = self.model.blocks(&at.point);
        let s = self.field.generator(self.model, &at.point, at.share);
        let [_, k] = in_frame(self.model, &at.point, &s, [&m, &c, &k]);
        (pinned(self.model, &k, &self.rest.v), phi_q)
    }
    fn is_continuous(&self, a: &Stop, b: &Stop) -> Result<bool, LinearError> {
        let step = distance(&a.point.q, &b.point.q);
        if step <= NEGLIGIBLE * (1.0 + norms::two(&b.point.q)) {
            return Ok(true);
        }
        for (from, to) in [(a, b), (b, a)] {
            let (k, phi_q) = self.stiffness(from);
            let Point { q, lambda, .. } = from.point.clone();
            let there = self.field.point(self.model, self.rest, q, lambda, to.share);
            let rest: Vec<f64> = self.model.residual(&there).iter().map(|r| -r).collect();
            let (dq, _) = Saddle::sparse(&k, &phi_q)?.solve(&rest, &vec![0.0; self.model.nc()]);
            let off = distance(&self.model.coordinates().retract(&from.point.q, &dq), &to.point.q);
            // Not `<=`, so that a NaN is a disagreement.
            if off.is_nan() || off > DISAGREEMENT * step {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// The signs of K(s) on the null space of Phi_q; of an unsymmetric one whether the number of real negative eigenvalues is odd, as the
    /// sign of the determinant decides.
    fn signs(&self, at: &Stop) -> Result<Option<Signs>, LinearError> {
        let (k, phi_q) = self.stiffness(at);
        let name = |i| self.model.coordinate_name(i);
        if let Some(signs) = signs(&k, &phi_q, self.model.has_follower_forces(), name)? {
            return Ok(Some(signs));
        }
        if k.rows() + phi_q.rows() > UNSYMMETRIC_UP_TO {
            return Ok(None);
        }
        let basis =
            NullSpace::new(&to_dense(&phi_q), &NullSpaceMethod::Qr, RankTolerance::default(), name)?.r;
        let values = GeneralEigen::values(&dense::mul_transpose(&basis, &dense::mul(&to_dense(&k), &basis)))?;
        let cut = 1e-12 * values.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let negative = values.iter().filter(|z| z.im == 0.0 && z.re < -cut).count();
        Ok(Some([negative % 2, values.iter().filter(|z| z.norm() <= cut).count()]))
    }
    /// The first crossing between two motions, the motion just beyond it, and the signs there.
    fn enclose(
        &self,
        last: &Stop,
        before: Signs,
        here: Stop,
        now: Signs,
        iterations: &mut usize,
    ) -> Result<(Crossing, Stop, Signs), LinearError> {
        let (mut quiet, mut open, mut beyond, mut after) = (last.clone(), here.share, here, now);
        while open - quiet.share > SMALLEST {
            let middle = 0.5 * (quiet.share + open);
            let Some(there) = self.step(&quiet, middle, iterations)? else { break };
            match self.signs(&there)? {
                Some(signs) if signs == before => quiet = there,
                Some(signs) if signs[1] == before[1] => {
                    (open, beyond, after) = (there.share, there, signs);
                }
                _ => open = there.share,
            }
        }
        // Between, rounding hides the sign.
        while beyond.share - open > SMALLEST {
            let middle = 0.5 * (open + beyond.share);
            let Some(there) = self.step(&quiet, middle, iterations)? else { break };
            match self.signs(&there)? {
                Some(signs) if signs == after => beyond = there,
                _ => open = middle,
            }
        }
        let (share, error) =
            (0.5 * (quiet.share + beyond.share), 0.5 * (beyond.share - quiet.share) + f64::EPSILON);
        let crossing = Crossing { share, error, below: before[0], above: after[0], left: false };
        Ok((crossing, beyond, after))
    }
    /// Takes the branch that splits off where disturbances of this one grow: the crossing and the motion to go on from.
    fn split(
        &self,
        crossing: Crossing,
        beyond: &Stop,
        iterations: &mut usize,
    ) -> Result<(Crossing, Stop), LinearError> {
        if crossing.above <= crossing.below {
            return Ok((crossing, beyond.clone()));
        }
        for by in BEYOND {
            let share = (beyond.share + by).min(1.0);
            let Some(main) = self.step(beyond, share, iterations)? else { continue };
            if !self.surely_grows(&main, crossing) {
                break;
            }
            let direction = self.lost(&main)?;
            // All on the side of the configuration as built first.
            for (sign, size) in [1.0, -1.0].into_iter().flat_map(|sign| ASIDE.map(|size| (sign, size))) {
                let step: Vec<f64> = direction.iter().map(|x| sign * size * x).collect();
                let from = self.model.coordinates().retract(&main.point.q, &step);
                // On the constraints and with multipliers of its own: those of the branch would lead back to it.
                let Ok(from) = assemble(self.model, &from, self.rest.t, &AssemblyOptions::default()) else {
                    continue;
                };
                let Ok(other) = self.solve(share, &from.q, None, iterations) else { continue };
                let size = 1.0 + norms::two(&main.point.q);
                let apart = distance(&other.point.q, &main.point.q) > APART * size;
                // From small displacements Newton's method may overshoot to the other side.
                let way = self.between(&main.point.q, &other.point.q);
                let aside = sign * dense::dot(&way, &direction) > 0.0;
                if apart && aside && self.signs(&other)?.is_some_and(|signs| signs[0] == crossing.below) {
                    return Ok((Crossing { left: true, ..crossing }, other));
                }
            }
        }
        Ok((crossing, beyond.clone()))
    }
    /// Whether disturbances of a motion grow: as is said, or because the sign of the determinant of K says that of a real eigenvalue.
    fn surely_grows(&self, at: &Stop, crossing: Crossing) -> bool {
        let motion = Instant::declared(self.model, at.point.clone(), 1e-9)
            .and_then(|i| OperatingPoint::looked_at(self.model, &i, self.frame, 3));
        let odd = crossing.above % 2 == 1;
        motion.ok().and_then(|at| (self.grows)(&at)).unwrap_or(odd)
    }
    /// A direction that has lost its stiffness, nearest to where the configuration as built lies: the largest turn 1 rad, or the largest
    /// displacement the size of the largest coordinate.
    fn lost(&self, at: &Stop) -> Result<Vec<f64>, LinearError> {
        let (k, phi_q) = self.stiffness(at);
        let saddle = Saddle::sparse(&k, &phi_q)?;
        let none = vec![0.0; self.model.nc()];
        let mut x = self.between(&at.point.q, self.built);
        if norms::two(&x) <= APART {
            // Built on the branch: no side is preferred.
            x = (0..self.model.nv()).map(|i| 1.0 + ((7 * i * i + 3 * i) % 11) as f64 / 7.0).collect();
        }
        let reference = x.clone();
        for _ in 0..INVERSE_STEPS {
            x = saddle.solve(&x, &none).0;
            let size = norms::two(&x);
            for x in &mut x {
                *x /= size;
            }
        }
        let turn = self.model.coordinates().largest_turn(&x);
        let size = if turn > 1e-3 * norms::max_abs_vec(&x) {
            turn
        } else {
            norms::max_abs_vec(&x) / norms::max_abs_vec(&at.point.q).max(f64::MIN_POSITIVE)
        };
        let side = if dense::dot(&x, &reference) < 0.0 { -1.0 } else { 1.0 };
        Ok(x.iter().map(|x| side * x / size).collect())
    }
    /// About d with q (+) d = to: nv numbers.
    fn between(&self, q: &[f64], to: &[f64]) -> Vec<f64> {
        let mut d = vec![0.0; self.model.nv()];
        for b in self.model.coordinates().blocks() {
            let linear = if b.kind.is_linear() { b.kind.nv() } else { 3 };
            for i in 0..linear {
                d[b.v + i] = to[b.q + i] - q[b.q + i];
            }
            if !b.kind.is_linear() {
                // Twice the vector part of conj(e) e', the sine of half the turn.
                let (p, r) = (&q[b.q + 3..b.q + 7], &to[b.q + 3..b.q + 7]);
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let turn = p[j + 1] * r[k + 1] - p[k + 1] * r[j + 1];
                    d[b.v + 3 + i] = 2.0 * (p[0] * r[i + 1] - r[0] * p[i + 1] - turn);
                }
            }
        }
        d
    }
}

/// Euler parameters of neighbouring motions have the same sign: Newton's method does not change it.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    norms::two(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>())
}
