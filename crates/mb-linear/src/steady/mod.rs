//! Steady motions: what in motion has exponents.
//!
//! A disturbance x of a motion obeys equations whose coefficients change with the motion, as a rule. Their eigenvalues at one
//! instant are no exponents: those of matrices that merely turn stay the same and are still not the rates at which anything
//! grows. A motion is steady (a relative equilibrium) when one constant generator S carries it and its linearization along:
//!
//! ```text
//! x = exp(S t) y,   M y'' + (C + 2 M S) y' + (K + C S + M S^2) y + Phi_q^T l = 0,   Phi_q y = 0
//! ```
//!
//! with constant matrices, whose eigenvalues are the exponents in the frame that moves with S. [`steady`] looks for S: the
//! ground's frame where that is admissible, else the one of a body, else the frame that exact derivatives by time ask for
//! (`conditions`). Whichever it is, the whole orbit shows it (`orbit`); the first derivative at one instant proves nothing.
//!
//! In frames that turn with different speeds the same exponents differ by i times combinations of these speeds.

mod change;
mod conditions;
mod generator;
mod orbit;
mod ports;
mod scale;
mod search;
mod spin;
mod verdict;
mod whirl;

pub use generator::Generator;
pub use orbit::Deviation;
pub use search::{SteadySearch, steady_near};
pub use spin::{Spin, spinning};
pub use verdict::{Frame, Reason, Unsteady};
pub use whirl::Whirl;

use crate::error::LinearError;
use crate::point::Instant;
use change::Change;
use conditions::Conditions;
use generator::{in_ground, length};
use mb_algebra::{Dense, RankTolerance};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_model::{BlockKind, Model, Point};
use orbit::Orbit;
use scale::Scale;

/// A point of a motion that is steady, with the frame in which its linearization is constant.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyMotion {
    point: Point,
    generator: Generator,
    frame: Frame,
    basis: Dense,
    deviation: Deviation,
    /// Times in s at which the orbit was looked at.
    times: Vec<f64>,
}

impl SteadyMotion {
    /// (q, v, a, lambda, u, t).
    pub fn point(&self) -> &Point {
        &self.point
    }
    /// S.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }
    /// The frame in words.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }
    /// An orthonormal basis R of the admissible displacements, n x d, in which the deviation is given.
    pub fn basis(&self) -> &Dense {
        &self.basis
    }
    /// By how much the linearization changes along the orbit: the certificate of steadiness.
    pub fn deviation(&self) -> &Deviation {
        &self.deviation
    }
}

/// Which frame is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FrameChoice {
    /// The ground's where it is admissible, else that of the first body whose is, else any.
    #[default]
    Automatic,
    /// That of the ground.
    Ground,
    /// That of a body, by name.
    Body(String),
}

/// Most velocities of a model whose blocks may each have a frame of their own.
const BLOCKS_UP_TO: usize = 120;

/// The steady motion through a point, or why there is none.
///
/// # Errors
/// [`LinearError::NotSteady`] names the body whose equations change, or the equation that does not hold, along the orbit of
/// the best frame; [`LinearError::NoSuchBody`]; entries that are not finite.
pub fn steady(model: &Model, at: &Instant, frame: &FrameChoice) -> Result<SteadyMotion, LinearError> {
    if let Some((owner, why)) = model.unsteady_laws().first() {
        let reason = Reason::GivenInTime { owner: (*owner).to_owned(), why };
        return Err(LinearError::NotSteady(Box::new(Unsteady { reason })));
    }
    let point = at.point();
    if point.v.iter().all(|v| *v == 0.0) {
        let body = mb_constraints::largest(&point.a).map_or_else(String::new, |(i, _)| body_of(model, i));
        return Err(LinearError::NotSteady(Box::new(Unsteady { reason: Reason::Starts { body } })));
    }
    let change = Change::new(model, at)?;
    let basis = NullSpace::new(&change.phi_q, &NullSpaceMethod::Qr, RankTolerance::default(), |i| {
        model.coordinate_name(i)
    })?;
    let scale = Scale::new(model, point, &change.now, &basis.r);
    let search = Search { model, at, change: &change, r: &basis.r, scale: &scale };
    let (generator, deviation) = search.run(frame)?;
    let times = scale::times(&scale, &generator);
    let frame = Frame::of(model, point, &generator);
    Ok(SteadyMotion { point: point.clone(), generator, frame, basis: basis.r, deviation, times })
}

/// Everything the search for a frame looks at.
struct Search<'a> {
    model: &'a Model,
    at: &'a Instant,
    change: &'a Change,
    r: &'a Dense,
    scale: &'a Scale,
}

impl Search<'_> {
    fn run(&self, wanted: &FrameChoice) -> Result<(Generator, Deviation), LinearError> {
        let point = self.at.point();
        let orbit =
            Orbit { model: self.model, at: self.at, change: self.change, r: self.r, scale: self.scale };
        let of_rate = |rate| Generator::of_frame(self.model, point, rate);
        let named = |rate| -> Result<(Generator, Deviation), LinearError> {
            let s = of_rate(rate);
            let found = orbit.check(&s)?.map_err(|why| LinearError::NotSteady(Box::new(why)))?;
            Ok((s, found))
        };
        match wanted {
            FrameChoice::Ground => return named([0.0; 3]),
            FrameChoice::Body(name) => return named(self.rate_of(name)?),
            FrameChoice::Automatic => {}
        }
        for rate in self.named_rates() {
            let s = of_rate(rate);
            if let Ok(deviation) = orbit.check(&s)? {
                return Ok((s, deviation));
            }
        }
        let conditions = Conditions { change: self.change, point, r: self.r, scale: self.scale };
        let ground = of_rate([0.0; 3]);
        // One frame for all first; then one for each block.
        let whole = self.axes().map(|axis| of_rate(axis).plus(-1.0, &ground));
        let mut spans = vec![whole.collect::<Vec<_>>()];
        if self.model.nv() <= BLOCKS_UP_TO {
            spans.push(Generator::units(self.model));
        }
        let mut last = None;
        for units in spans.iter().filter(|u| !u.is_empty()) {
            let s = conditions.nearest(&ground, units)?;
            match orbit.check(&s)? {
                Ok(deviation) => return Ok((s, deviation)),
                Err(why) => last = last.or(Some((s, why))),
            }
        }
        let why = match last {
            Some((s, why)) => why.or_faster(conditions.fastest(self.model, &s)),
            None => Unsteady::changes(String::new(), 0.0, 0.0),
        };
        Err(LinearError::NotSteady(Box::new(why)))
    }
    /// Axes that a frame may turn about: z alone in the plane.
    fn axes(&self) -> impl Iterator<Item = [f64; 3]> + use<> {
        let in_space = |k: BlockKind| matches!(k, BlockKind::Pose | BlockKind::SpatialPoint);
        let space = self.model.coordinates().blocks().iter().any(|b| in_space(b.kind));
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        axes.into_iter().take(if space { 3 } else { 1 })
    }
    /// Angular velocities of the ground and of the bodies, each once.
    fn named_rates(&self) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]];
        for block in self.model.coordinates().blocks() {
            let rate = in_ground(block, self.at.point());
            let off = |a: &[f64; 3]| length([a[0] - rate[0], a[1] - rate[1], a[2] - rate[2]]);
            if out.iter().all(|a| off(a) > 1e-9 * self.scale.speed) {
                out.push(rate);
            }
        }
        out
    }
    fn rate_of(&self, name: &str) -> Result<[f64; 3], LinearError> {
        let turns = |k: BlockKind| matches!(k, BlockKind::Pose | BlockKind::PlanarPose);
        let blocks = self.model.coordinates().blocks();
        let bodies = || blocks.iter().filter(|b| turns(b.kind));
        match bodies().find(|b| b.name == name) {
            Some(block) => Ok(in_ground(block, self.at.point())),
            None => Err(LinearError::NoSuchBody {
                name: name.to_owned(),
                known: bodies().map(|b| b.name.clone()).collect(),
            }),
        }
    }
}

/// The body that velocity `i` belongs to.
fn body_of(model: &Model, i: usize) -> String {
    let bodies = model.coordinates().bodies();
    bodies.into_iter().find(|b| b.velocities.contains(&i)).map_or_else(String::new, |b| b.name)
}
