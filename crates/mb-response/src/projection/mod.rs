//! H at many frequencies from few factorizations, with a bound of its error.
//!
//! With M, K_s and C_s the symmetric parts of the matrices the problem is projected onto a space V that holds the modes below a value Lambda beyond the band and
//! the deflections X^-1 F, X^-1 M X^-1 F, ... under the inputs and outputs, X = K + sigma M. With x = V y and z = V w of the
//! projected problem and its adjoint
//!
//! ```text
//! |H - (W^T V y + D)| <= |d|_* |r|_* / beta + rounding,   r = F - P x - Phi_q^T l,   d = W - P z - Phi_q^T mu
//! ```
//!
//! because r and d vanish on V, so that only the part outside the modes counts, which no resonance of the band reaches
//! (`coercive.rs`). Norms are those of X^-1 on the admissible motions (`space.rs`). They come from the Gram matrix of
//! images of which the part in V is taken away before, so that nothing cancels. The rounding has the form that a direct
//! solution has, the residual of the constraints with the multipliers included, with |A V| in place of |A| |V|
//! (`reduced.rs`, `../accurate.rs`). The counted number of modes,
//! and that X is positive definite, come from inertia.
//!
//! Where damping takes energy out of every motion, the modes need not be known: the form of P stays off zero by what the damping takes
//! (`definite.rs`), and the space is spanned by solutions x and z at the frequencies where bounds are largest.
//!
//! Of what is skew, K_k leaves the real part of the form as it is, and C_k takes from it what is shown of it (`turning.rs`): V holds so many
//! modes of M and K_s that this is less than what is left beyond them. Stiffness that is negative by far, and an unsymmetric M, have no
//! such bound: [`Unproved`].

mod coercive;
mod definite;
mod modes;
mod parts;
mod reduced;
mod space;
mod turning;

use crate::direct::{Response, Sample};
use coercive::Block;
use definite::Damping;
use mb_algebra::sorted::descending;
use mb_algebra::{AlgebraError, Dense, LuComplex, SymmetricEigen, c64, dense, interrupt};
use parts::Parts;
use reduced::{Evaluated, Reduced};
use space::{Space, times};
use std::fmt;
use std::sync::Arc;
use turning::Turning;

/// Vectors of the space.
const MOST_VECTORS: usize = 320;
/// Columns of inputs and outputs together.
const MOST_COLUMNS: usize = 24;
/// Loss factor at the highest frequency from which on damping is tried before modes.
pub(crate) const HEAVY: f64 = 0.05;
/// Steps of the inverse iteration from which the damping is estimated.
const STEPS: usize = 4;
/// Rounds of enrichment.
const ROUNDS: usize = 12;
/// Frequencies examined in a round.
const LOOKED_AT: usize = 120;
/// Share of d up to which a larger block is tried for a better beta.
const MOST_OF_D: f64 = 0.5;
/// Error of the projection allowed, relative to |H|.
const TOLERANCE: f64 = 1e-8;
/// The same relative to the largest |H| of the band, for antiresonances.
const FLOOR: f64 = 1e-11;

/// Multiples of the highest omega^2 that sigma takes until X is positive definite, where something is skew.
const SHIFTS: [f64; 3] = [1.0, 4.0, 16.0];

/// Why a projection has no bound, so that frequencies are solved for one by one.
#[derive(Clone, Debug, PartialEq)]
pub enum Unproved {
    /// A matrix is not symmetric that has to be.
    Unsymmetric {
        /// The matrix.
        what: &'static str,
    },
    /// No bound of gyroscopic terms by the mass was found.
    Turning,
    /// K is too far from positive definite on the admissible motions.
    Stiffness,
    /// More modes in the band, or inputs and outputs, than a projection is made for.
    Many {
        /// What there are many of.
        what: &'static str,
        /// How many are taken.
        most: usize,
    },
    /// Damping takes nothing out of some motion.
    Damping,
    /// The modes found are not as many as counted.
    Count,
    /// The space grew to its limit.
    Vectors,
    /// A factorization or a solution failed.
    Algebra(AlgebraError),
}

impl From<AlgebraError> for Unproved {
    fn from(e: AlgebraError) -> Self {
        Self::Algebra(e)
    }
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsymmetric { what } => write!(f, "{what} is not symmetric"),
            Self::Turning => write!(f, "gyroscopic terms act on motions without mass"),
            Self::Stiffness => write!(f, "the stiffness is not positive"),
            Self::Many { what, most } => write!(f, "there are more than {most} {what}"),
            Self::Damping => write!(f, "some motions are not damped"),
            Self::Count => write!(f, "the modes found are not as many as counted"),
            Self::Vectors => write!(f, "the error did not fall to its tolerance"),
            Self::Algebra(e) => write!(f, "{e}"),
        }
    }
}

/// The projected problem.
#[derive(Debug)]
pub struct Projection<'a> {
    space: Space<'a>,
    reduced: Reduced,
    blocks: Vec<Block>,
    modes: usize,
    /// mu.
    outside: f64,
    damping: Damping,
    turning: Turning,
    /// Highest frequency, rad/s.
    highest: f64,
    met: bool,
}

impl<'a> Projection<'a> {
    /// The space for these frequencies (rad/s).
    ///
    /// # Errors
    /// [`Unproved`] where no bound is known.
    pub fn new(response: &'a Response, omegas: &[f64]) -> Result<Self, Unproved> {
        let parts = Arc::new(Parts::new(response)?);
        let highest = omegas.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        if !(highest > 0.0 && highest.is_finite()) {
            return Err(Unproved::Count);
        }
        let (columns, outputs) = reduced::columns(response);
        if columns.ncols() > MOST_COLUMNS {
            return Err(Unproved::Many { what: "inputs and outputs", most: MOST_COLUMNS });
        }
        let mut space = shifted(response, &parts, highest, &columns)?;
        let Definite { modes, outside, damping, turning } = definite(&mut space, highest, &columns)?;
        space.couple()?;
        let reduced = Reduced::new(&space, columns, outputs);
        let (blocks, met) = (Vec::new(), false);
        let mut out = Self { space, reduced, blocks, modes, outside, damping, turning, highest, met };
        out.blocks = out.new_blocks()?;
        out.enrich(omegas)?;
        Ok(out)
    }

    /// Vectors of the space.
    pub fn vectors(&self) -> usize {
        self.space.v.ncols()
    }
    /// Modes counted in and near the band, all of them in the space.
    pub fn modes(&self) -> usize {
        self.modes
    }
    /// Factorizations that were made, those of counts included.
    pub fn factorizations(&self) -> usize {
        self.space.factorizations
    }
    /// Whether the frequencies looked at meet the tolerance.
    pub fn met(&self) -> bool {
        self.met
    }

    /// H at omega (rad/s) with a bound of its error, whatever its size; none where there is no bound, as at an undamped pole.
    pub fn bounded(&self, omega: f64) -> Option<Sample> {
        self.evaluate(omega)?.sample()
    }

    /// As [`Projection::bounded`]; none where the error of the projection exceeds both its tolerance and the rounding.
    pub fn at(&self, omega: f64) -> Option<Sample> {
        let e = self.evaluate(omega)?;
        let met = self.excess(&e).is_none_or(|(ratio, _, _)| ratio <= 1.0);
        if met { e.sample() } else { None }
    }

    fn evaluate(&self, omega: f64) -> Option<Evaluated> {
        interrupt::check();
        if omega.abs() > self.highest {
            return None;
        }
        let s = c64::new(0.0, omega);
        let (sigma, loss) = (self.space.sigma, self.space.response.plant.loss);
        let of_m = s * s - c64::new(1.0, loss) * sigma;
        let matrix = self.reduced.matrix(&self.space, s);
        let (d, u) = self.damping.distance(omega, sigma, loss, self.outside)?;
        let d = d - self.turning.taken(omega, self.outside);
        if d <= 0.0 {
            return None;
        }
        let lu = LuComplex::new(&matrix).ok()?;
        let right = self.space.factors(s, of_m, false);
        let left = self.space.parts.is_skew().then(|| self.space.factors(s, of_m, true));
        let mut beta: Option<f64> = None;
        for block in &self.blocks {
            // The modes alone are a small block, and give most of d where the damping hardly couples them to the rest.
            if beta.is_none_or(|beta| beta < MOST_OF_D * d) {
                let found = block.beta((&right, left.as_deref()), (&matrix, &lu), (d, u));
                beta = found.into_iter().chain(beta).reduce(f64::max);
            }
        }
        self.reduced.evaluate(&self.space, omega, (&matrix, &lu), beta)
    }

    /// The largest error of the projection over what is allowed, with its output and input; infinite where beta is not known.
    fn excess(&self, e: &Evaluated) -> Option<(f64, usize, usize)> {
        let entries = (0..e.value.ncols()).flat_map(|i| (0..e.value.nrows()).map(move |o| (o, i)));
        entries
            .map(|(o, i)| {
                let allowed = (TOLERANCE * e.value[(o, i)].norm())
                    .max(FLOOR * self.reduced.largest[(o, i)])
                    .max(0.5 * e.rounding[(o, i)]);
                let ratio = match e.beta {
                    None => f64::INFINITY,
                    Some(beta) if e.product[(o, i)] > 0.0 => e.product[(o, i)] / (beta * allowed),
                    Some(_) => 0.0,
                };
                (ratio, o, i)
            })
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The modes alone, and all of the space, which is looked at where the modes do not do.
    fn new_blocks(&self) -> Result<Vec<Block>, Unproved> {
        let mut sizes = vec![self.modes];
        if !self.space.couplings.is_empty() {
            sizes.push(self.space.v.ncols());
        }
        sizes.into_iter().map(|size| Block::new(&self.space, size)).collect()
    }

    /// Real and imaginary part of x and z at omega, which the modes of the band are not there to make up for.
    fn solutions(&mut self, omega: f64, (o, i): (usize, usize)) -> Result<Vec<Vec<f64>>, Unproved> {
        self.space.factorizations += 1;
        let [x, z] = self.space.response.solutions(c64::new(0.0, omega))?;
        let columns = [x.col_as_slice(i), z.col_as_slice(o)];
        let parts = columns
            .iter()
            .flat_map(|a| [a.iter().map(|a| a.re).collect::<Vec<f64>>(), a.iter().map(|a| a.im).collect()]);
        Ok(parts.collect())
    }

    /// Adds the residuals where bounds are largest, or without modes the solutions, until all meet the tolerance.
    fn enrich(&mut self, omegas: &[f64]) -> Result<(), Unproved> {
        let step = omegas.len().div_ceil(LOOKED_AT).max(1);
        let chosen: Vec<f64> = omegas.iter().copied().step_by(step).chain([self.highest]).collect();
        let (mut worst_before, mut missed_before) = (f64::INFINITY, usize::MAX);
        for _ in 0..ROUNDS {
            let known = |e: &Evaluated| e.beta.is_some() || e.nearest.is_some();
            let found: Vec<Evaluated> =
                chosen.iter().filter_map(|w| self.evaluate(*w)).filter(known).collect();
            for e in &found {
                self.reduced.see(&e.value);
            }
            let mut missed: Vec<(f64, usize, usize, usize)> = found
                .iter()
                .enumerate()
                .filter_map(|(k, e)| {
                    self.excess(e).filter(|x| x.0 > 1.0).map(|(ratio, o, i)| (ratio, k, o, i))
                })
                .collect();
            descending(&mut missed, |a| a.0);
            let Some(first) = missed.first() else {
                self.met = !found.is_empty();
                return Ok(());
            };
            if first.0 > 0.9 * worst_before && missed.len() >= missed_before {
                return Ok(());
            }
            (worst_before, missed_before) = (first.0, missed.len());
            let mut taken: Vec<usize> = Vec::new();
            let mut candidates: Vec<Vec<f64>> = Vec::new();
            for (_, k, o, i) in missed {
                if taken.len() < 4 && taken.iter().all(|t| t.abs_diff(k) > chosen.len() / 12) {
                    taken.push(k);
                    if self.modes > 0 {
                        let own = [&found[k].inputs[i], &found[k].outputs[o]];
                        for coefficients in own.into_iter().chain(found[k].nearest.iter().flatten()) {
                            candidates.extend(self.reduced.combination(coefficients));
                        }
                    } else {
                        candidates.extend(self.solutions(found[k].omega, (o, i))?);
                    }
                }
            }
            if self.space.v.ncols() + candidates.len() > MOST_VECTORS {
                return Ok(());
            }
            let block = dense::from_columns(self.space.v.nrows(), &candidates);
            if self.space.add(&block)? == 0 {
                return Ok(());
            }
            self.reduced.renew(&self.space);
            self.blocks = self.new_blocks()?;
        }
        Ok(())
    }
}

/// The space in X with a sigma that makes it positive definite.
fn shifted<'a>(
    response: &'a Response,
    parts: &Arc<Parts<'a>>,
    highest: f64,
    columns: &Dense,
) -> Result<Space<'a>, Unproved> {
    let tried = if parts.is_skew() { SHIFTS.len() } else { 1 };
    let mut made = 0;
    for shift in &SHIFTS[..tried] {
        match Space::new(response, parts, shift * highest * highest, columns) {
            Err(Unproved::Stiffness) => made += 1,
            found => {
                let mut space = found?;
                space.factorizations += made;
                return Ok(space);
            }
        }
    }
    Err(Unproved::Stiffness)
}

/// What keeps P from being singular.
struct Definite {
    modes: usize,
    /// mu.
    outside: f64,
    damping: Damping,
    turning: Turning,
}

/// The modes in and near the band, all in the space, or what damping takes out of every motion.
fn definite(space: &mut Space<'_>, highest: f64, columns: &Dense) -> Result<Definite, Unproved> {
    let mut seed = 1;
    start(space, &mut seed)?;
    let by_modes = |space: &mut Space<'_>, turning: Turning| {
        // As far from w^2 as in the symmetric case, with what C_k takes and a larger sigma asks for.
        let more = turning.rate() * highest + 0.3 * (space.sigma - highest * highest).max(0.0);
        let (modes, outside) = modes::filled(space, (highest * highest + more).sqrt(), seed)?;
        Ok(Definite { modes, outside, damping: Damping::default(), turning })
    };
    if space.parts.is_skew() {
        let turning = Turning::proved(space, highest)?;
        return by_modes(space, turning);
    }
    let none = Turning::default();
    let by_damping = |space: &mut Space<'_>| {
        let (modes, outside, damping) = by_damping(space, columns)?;
        Ok(Definite { modes, outside, damping, turning: none })
    };
    if Damping::expected(space, highest)? >= HEAVY {
        return by_damping(space).or_else(|_: Unproved| by_modes(space, none));
    }
    by_modes(space, none).or_else(|why| {
        space.clear();
        start(space, &mut 1)?;
        by_damping(space).map_err(|_| why)
    })
}

/// The deflections under the inputs and outputs, and random motions, which reach what neither do.
fn start(space: &mut Space<'_>, seed: &mut u64) -> Result<(), Unproved> {
    let given = space.given.g.clone();
    space.add(&given)?;
    let random = Dense::from_fn(given.nrows(), 4, |_, _| random(seed));
    let moved = space.images(&times(&space.parts.symmetric.m, &random))?;
    space.add(&moved.g)?;
    Ok(())
}

/// Without any mode: mu of all motions, and the damping.
fn by_damping(space: &mut Space<'_>, columns: &Dense) -> Result<(usize, f64, Damping), Unproved> {
    let mut used = 0;
    for _ in 0..STEPS {
        let newest: Vec<usize> = (used..space.v.ncols()).collect();
        used = space.v.ncols();
        let next = dense::select_columns(&space.of_m.g, &newest);
        space.add(&next)?;
    }
    let damping = Damping::proved(space)?;
    if damping == Damping::default() && space.response.plant.loss <= 0.0 {
        return Err(Unproved::Damping);
    }
    let lowest = definite::lowest(space)?;
    if lowest > 0.0 {
        // In the norm of K + lambda M the lowest resonances are as far from singular as they are damped.
        let made = space.factorizations;
        let parts = Arc::clone(&space.parts);
        *space = Space::new(space.response, &parts, lowest, columns)?;
        space.factorizations += made;
        let given = space.given.g.clone();
        space.add(&given)?;
    }
    Ok((0, 1.0 / (lowest + space.sigma), damping))
}

/// A number between -1 and 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits")]
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// L with L L^T the positive semidefinite `gram`, and the norm of what it leaves out.
fn rank_factor(gram: &Dense, left_out: f64) -> Result<(Dense, f64), Unproved> {
    let eigen = SymmetricEigen::new(gram)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0).max(0.0);
    // Below the rounding of the largest nothing is known.
    let limit = largest * left_out.max(1e-15);
    let kept: Vec<usize> = (0..eigen.values.len()).filter(|j| eigen.values[*j] > limit).collect();
    let factor = Dense::from_fn(gram.nrows(), kept.len(), |i, c| {
        eigen.vectors[(i, kept[c])] * eigen.values[kept[c]].sqrt()
    });
    Ok((factor, (limit * gram.nrows() as f64).sqrt()))
}
