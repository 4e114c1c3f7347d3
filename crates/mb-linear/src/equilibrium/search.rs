//! Several equilibria distinguished: a search from scattered starts.
//!
//! Starts are the initial configuration moved along random admissible directions and assembled
//! again; equal configurations (angles modulo a full turn) are merged. A search finds what its
//! starts lead to: it proves that what it lists are equilibria, not that there are no others.

use super::{Equilibrium, EquilibriumOptions, Stability, Strategy, Units, stability};
use crate::error::LinearError;
use mb_algebra::{Dense, RankTolerance, Stopped, Watch, dense};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_model::{BlockKind, Model};

/// Options of [`find_equilibria`].
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// Number of starts besides the initial configuration.
    pub starts: usize,
    /// Length of the random steps, in extents of the model or rad.
    pub reach: f64,
    /// Seed of the random steps; equal seeds give equal answers.
    pub seed: u64,
    /// How each start is solved.
    pub solve: EquilibriumOptions,
}

impl Default for SearchOptions {
    /// 24 starts within pi of the initial configuration, half of them by relaxation.
    fn default() -> Self {
        Self { starts: 24, reach: core::f64::consts::PI, seed: 1, solve: EquilibriumOptions::default() }
    }
}

/// What a search from scattered starts gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Scattered {
    /// Equilibria, each once, stable ones first.
    pub found: Vec<(Equilibrium, Stability)>,
    /// Starts that were tried to their end, besides the initial configuration.
    pub tried: usize,
    /// Why the others were not; none where all were tried.
    pub stopped: Option<Stopped>,
}

/// Largest difference of the coordinates of one equilibrium found twice, in extents or rad.
const SAME: f64 = 1e-6;

/// Budgets of one equilibrium that the whole search may take where nobody limits it.
const BUDGETS: u32 = 5;

/// Equilibria found from scattered starts; what was found before a limit of time or a signal is an answer.
///
/// # Errors
/// That of the initial configuration when no start at all leads to an equilibrium.
pub fn find_equilibria(model: &Model, options: &SearchOptions) -> Result<Scattered, LinearError> {
    let whole = options.solve.watch.clone().or_within(BUDGETS * super::budget(model));
    let mut found: Vec<(Equilibrium, Stability)> = Vec::new();
    let mut random = Random(options.seed.max(1));
    let first = Equilibrium::solve(model, model.initial(), &options.solve);
    let mut take = |e: Equilibrium| -> Result<(), LinearError> {
        if found.iter().all(|(other, _)| !same(model, e.q(), other.q())) {
            let s = stability(model, &e)?;
            found.push((e, s));
        }
        Ok(())
    };
    match &first {
        Ok(e) => take(e.clone())?,
        // There is none in any configuration: no start can lead to one.
        Err(why @ (LinearError::Falls { .. } | LinearError::Turns { .. })) => return Err(why.clone()),
        Err(_) => {}
    }
    let origin =
        mb_constraints::assemble(model, model.initial(), options.solve.time, &options.solve.assembly)?.q;
    let mut tried = 0;
    let mut stopped = None;
    for k in 0..options.starts {
        if let Err(why) = whole.look() {
            stopped = Some(why);
            break;
        }
        let start = scattered(model, &origin, options, &whole, &mut random)?;
        let strategy = if k % 2 == 0 { Strategy::Newton } else { Strategy::Relaxation };
        let solve = EquilibriumOptions { strategy, ..options.solve.clone() };
        if let Ok(e) = Equilibrium::solve(model, &start, &solve) {
            take(e)?;
        } else if let Err(why) = whole.look() {
            stopped = Some(why);
            break;
        }
        tried += 1;
    }
    if found.is_empty() {
        first?;
    }
    found.sort_by_key(|(_, s)| *s != Stability::Stable);
    Ok(Scattered { found, tried, stopped })
}

/// A walk along the constraint surface in a random admissible direction.
fn scattered(
    model: &Model,
    origin: &[f64],
    options: &SearchOptions,
    whole: &Watch,
    random: &mut Random,
) -> Result<Vec<f64>, LinearError> {
    const PIECES: usize = 8;
    let units = Units::new(model, origin);
    let unit = units.each();
    let mut q = origin.to_vec();
    let mut direction: Vec<f64> = (0..model.nv()).map(|_| random.symmetric()).collect();
    let length = options.reach * random.symmetric().abs() / PIECES as f64;
    for _ in 0..PIECES {
        // Whoever asked looks again.
        if whole.look().is_err() {
            break;
        }
        // In units in which a length and an angle are of one size.
        let phi_q = model.phi_q(&q, options.solve.time).to_dense();
        let phi_q = Dense::from_fn(phi_q.nrows(), phi_q.ncols(), |i, j| phi_q[(i, j)] * unit[j]);
        let basis = NullSpace::new(&phi_q, &NullSpaceMethod::Qr, RankTolerance::default(), |i| {
            model.coordinate_name(i)
        })?;
        direction = dense::matvec(&basis.r, &dense::matvec_transpose(&basis.r, &direction));
        let largest = mb_algebra::norms::max_abs_vec(&direction);
        if largest == 0.0 {
            break;
        }
        for x in &mut direction {
            *x *= length / largest;
        }
        let step: Vec<f64> = direction.iter().zip(unit).map(|(x, u)| x * u).collect();
        let moved = model.coordinates().retract(&q, &step);
        match mb_constraints::assemble(model, &moved, options.solve.time, &options.solve.assembly) {
            Ok(there) => q = there.q,
            Err(_) => break,
        }
    }
    Ok(q)
}

/// Equal up to 1e-6 of the extent or 1e-6 rad, angles modulo a full turn, Euler parameters up to their sign.
fn same(model: &Model, a: &[f64], b: &[f64]) -> bool {
    let units = Units::new(model, a);
    let turn = core::f64::consts::TAU;
    model.coordinates().blocks().iter().all(|block| {
        if block.kind == BlockKind::Pose {
            let near = |range: std::ops::Range<usize>, sign: f64, unit: f64| {
                range.map(|i| block.q + i).all(|i| (a[i] - sign * b[i]).abs() < SAME * unit)
            };
            let length = units.each()[block.v];
            return near(0..3, 1.0, length) && (near(3..7, 1.0, 1.0) || near(3..7, -1.0, 1.0));
        }
        (0..block.kind.nq()).all(|i| {
            let difference = a[block.q + i] - b[block.q + i];
            let angle = matches!((block.kind, i), (BlockKind::Angle, 0) | (BlockKind::PlanarPose, 2));
            let difference = if angle { difference - turn * (difference / turn).round() } else { difference };
            difference.abs() < SAME * units.each()[block.v + i]
        })
    })
}

/// A small reproducible generator (xorshift64*): the search must not depend on the clock.
struct Random(u64);

impl Random {
    /// Uniform in [-1, 1).
    fn symmetric(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        2.0 * (bits as f64 / (1_u64 << 53) as f64) - 1.0
    }
}
