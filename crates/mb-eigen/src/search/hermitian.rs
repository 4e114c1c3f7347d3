//! Undamped symmetric problems: K x = w M x on {Phi_q x = 0}, s = +-i sqrt(w), M positive semi-definite.
//!
//! 1. Factor K - sigma M at a small sigma < 0; find the rigid modes ([`crate::null_space::symmetric`]) and a first estimate of the
//!    lowest other w; move sigma there when it is far off.
//! 2. Lanczos with the rigid modes taken out ([`crate::transform::shift_invert_symmetric`]); when the wanted w form a cluster far from sigma,
//!    move sigma to the cluster, which the first Ritz values show.
//! 3. One more application of the operator to the Ritz vectors removes what the infinite eigenvalues left in them
//!    and gives the multipliers; w from sigma + x^T M x' / x'^T M x' with x' = T x (Ericsson and Ruhe, Math. Comp.
//!    35, 1980), which never forms K x and so keeps the digits of the low modes of stiff systems.
//! 4. Sturm counts ([`crate::completeness::inertia`]) prove the result complete or send the search back for what is missing.

use mb_algebra::{AlgebraError, Dense, c64};

use super::early::Early;
use super::shift_to_cluster::cluster;
use super::tally::{Tally, moved};
use crate::certify::sparse::Aid;
use crate::completeness::inertia::Released;
use crate::error::only_here;
use crate::krylov::{KrylovDriver, Ritz, RitzReal, SymmetricOperator, Wanted};
use crate::null_space::symmetric;
use crate::null_space::symmetric::Zeros;
use crate::options::{Shift, SparseOptions};
use crate::problem::Problem;
use crate::problem::modes::Modes;
use crate::transform::factors::{Shifted, Solution};
use crate::transform::shift_invert_symmetric::{Known, ShiftInvert};
use crate::{EigenError, Finding, Method, tuning};

/// Where a factorization is tried again when a shift fails, relative to the shift; to one side only; and relative to |K| / |M|, where
/// all of these lie within what rounding of K does to an eigenvalue.
const STEPS_ASIDE: [f64; 4] = [-1e-7, -1e-4, 1e-4, -1e-2];
const STEPS_AWAY: [f64; 3] = [1e-7, 1e-4, 1e-2];
const STEPS_OUT: [f64; 3] = [1e-12, 1e-10, 1e-8];

/// One analysis.
pub(crate) struct Symmetric<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) options: &'a SparseOptions,
    pub(crate) driver: &'a dyn KrylovDriver,
    pub(crate) findings: Vec<Finding>,
    pub(crate) tally: Tally,
    /// What the refinement of modes with poor bounds can reuse.
    pub(crate) aid: Aid,
    /// The method that answers, which a search for the lowest modes may change.
    pub(crate) method: Method,
    /// Whether it was interrupted.
    pub(crate) early: Early,
    /// Modes of a damped problem that grow, where they have been counted.
    pub(crate) growing: Option<usize>,
    /// Columns by which blocks are wider, for a multiple eigenvalue.
    pub(crate) wider: usize,
}

/// Whether a search may choose another shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the shift given.
    Here,
    /// At the shift given first, then where the Ritz values are.
    Best,
}

/// Outcome of one search.
pub(crate) struct Search {
    pub(crate) modes: Modes,
    /// Whether there are no further modes.
    pub(crate) exhausted: bool,
}

impl<'a> Symmetric<'a> {
    pub(crate) fn new(
        problem: &'a Problem<'a>,
        options: &'a SparseOptions,
        driver: &'a dyn KrylovDriver,
    ) -> Self {
        Self {
            problem,
            options,
            driver,
            findings: Vec::new(),
            tally: Tally::default(),
            aid: Aid::Nothing,
            method: Method::Lanczos,
            early: Early::new(options),
            growing: None,
            wider: 0,
        }
    }

    /// Factors at a shift, or near it where the matrix is singular; a shift that moved is reported.
    pub(crate) fn factor(&mut self, sigma: f64) -> Result<Shifted, EigenError> {
        let shifted = self.factor_quietly(sigma)?;
        self.report_moved(sigma, shifted.sigma);
        Ok(shifted)
    }

    fn report_moved(&mut self, from: f64, to: f64) {
        if (to - from).abs() > 0.0 {
            self.findings.push(moved(c64::new(-from, 0.0), c64::new(-to, 0.0)));
        }
    }

    /// The same without a word.
    pub(crate) fn factor_quietly(&mut self, sigma: f64) -> Result<Shifted, EigenError> {
        self.factor_at(&self.shifts(sigma, &STEPS_ASIDE, -1.0))
    }

    /// The same, and where the shift moves it moves up or down as asked.
    pub(crate) fn factor_away(&mut self, sigma: f64, up: bool) -> Result<Shifted, EigenError> {
        let sign = if up { 1.0 } else { -1.0 };
        self.factor_at(&self.shifts(sigma, &STEPS_AWAY.map(|step| sign * step), sign))
    }

    /// A shift and those tried in its place, the last of them on the side of `sign`.
    fn shifts(&self, sigma: f64, aside: &[f64], sign: f64) -> Vec<f64> {
        let unit = self.problem.frequency_squared();
        let scale = sigma.abs().max(tuning::EPS_3_4 * unit);
        let mut out = vec![sigma];
        out.extend(aside.iter().map(|step| sigma + step * scale));
        let furthest = out.iter().map(|other| (other - sigma).abs()).fold(0.0, f64::max);
        let far = STEPS_OUT.iter().map(|step| step * unit).filter(|step| *step > furthest);
        out.extend(far.map(|step| sigma + sign * step));
        out
    }

    /// Factors at the first of some shifts that has any.
    fn factor_at(&mut self, shifts: &[f64]) -> Result<Shifted, EigenError> {
        let mut last = None;
        for &sigma in shifts {
            self.tally.factorizations += 1;
            match self.problem.factor(-sigma, 0.0) {
                Ok(solver) => return Ok(Shifted { sigma, solver }),
                Err(error) => last = Some(only_here(error)?),
            }
        }
        let source = last.unwrap_or(AlgebraError::Singular { index: 0, pivot: 0.0 });
        let s = c64::new(-shifts.first().copied().unwrap_or(0.0), 0.0).sqrt();
        Err(EigenError::NoRegularShift { re: s.re, im: s.im, others: shifts.len() - 1, source })
    }

    /// The first shift near zero with the rigid modes, moved until it suits the lowest modes.
    pub(crate) fn start(&mut self, enough: usize) -> Result<(Shifted, Zeros), EigenError> {
        let scale = self.problem.frequency_squared();
        // What rounding leaves of a stiffness is no guess.
        // Nearest automatic shift, relative to |K| / |M|: below this rigid modes would not be distinguished from the others.
        let softest = self.problem.softest().filter(|w| *w > 10.0 * tuning::NEAREST_SHIFT * scale);
        let first = softest.map_or(tuning::FIRST_SHIFT * scale, |w| {
            (tuning::BEFORE_SOFTEST * w).min(tuning::FIRST_SHIFT * scale)
        });
        let mut sigma = -first.max(tuning::NEAREST_SHIFT * scale);
        let mut moves = 0;
        loop {
            let shifted = self.factor(sigma)?;
            let zeros = symmetric::find(
                self.problem,
                shifted.solver.as_ref(),
                shifted.sigma,
                self.options.expert.zero_tolerance,
                enough,
            )?;
            let Some(next) = zeros.next else { return Ok((shifted, zeros)) };
            let distance = shifted.sigma.abs();
            // What only the shift and the constraints hold would be free by far compared with what it is with them, and x what rounding
            // leaves of that.
            // Distance of a shift from zero, relative to the lowest w, below which it should hold nothing alone; K_ii / M_ii, relative to
            // that w, of a coordinate that it holds alone but for the constraints.
            // Times the automatic shift may move.
            let held = zeros.x.ncols() == 0 && moves < tuning::ATTEMPTS && distance < tuning::SLIGHT * next;
            if held && self.problem.has_softer(tuning::CBRT_EPS * next) {
                moves += 1;
                sigma = -tuning::BEFORE_SOFTEST * next;
                continue;
            }
            let floor = tuning::NEAREST_SHIFT * scale;
            // Without rigid modes there is nothing the shift must stay away from, and `next` is far too large where the
            // shift is: one long step saves another factorization.
            // Where the automatic shift moves to, relative to the estimate of the lowest w, without and with rigid modes.
            let closer = if zeros.x.ncols() == 0 { tuning::SLIGHT } else { tuning::BEFORE_SOFTEST };
            let better = (closer * next).max(floor);
            // Modes that are clear of zero, though not of the shift: the way to the fourth of them is longer than that to zero,
            // and a nearer shift would save no step.
            // Lowest w, relative to the distance of the shift from zero and to [`tuning::NEAREST_SHIFT`], that is certainly not zero.
            let clear = zeros.x.ncols() == 0
                && next > tuning::CLEAR * distance
                && next > (1.0 / tuning::SLIGHT) * floor;
            let fourth = zeros.ritz.get(3).is_some_and(|w| w.abs() >= distance);
            if distance <= tuning::PARTLY * next
                || (clear && fourth)
                || moves >= tuning::ATTEMPTS
                || better >= 0.5 * distance
            {
                return Ok((shifted, zeros));
            }
            moves += 1;
            sigma = -better;
        }
    }

    /// Up to `count` modes nearest to the shift besides those known. Fewer when there are no more, or not all converge.
    ///
    /// Where the first bases show the wanted w to form a cluster far from the shift, the shift moves there.
    pub(crate) fn nearest(
        &mut self,
        shifted: &mut Shifted,
        known: &Known,
        count: usize,
        start: Option<&Dense>,
        place: Place,
    ) -> Result<Search, EigenError> {
        let movable = place == Place::Best && self.options.expert.shift == Shift::Automatic && count > 2;
        let patience =
            // Restarts before the Ritz values are asked for a better shift.
            if movable { self.options.expert.restarts.min(tuning::FEW_STEPS) } else { self.options.expert.restarts };
        let mut ritz = self.search(shifted, known, count, start, patience)?;
        // How often the shift may move off an eigenvalue.
        for _ in 0..tuning::FEW_STEPS {
            let Some(sigma) = off_eigenvalue(shifted.sigma, &ritz, count, place) else { break };
            let before = shifted.sigma;
            *shifted = self.factor_quietly(sigma)?;
            self.report_moved(before, shifted.sigma);
            ritz = self.search(shifted, known, count, start, patience)?;
        }
        for _ in 0..tuning::ATTEMPTS {
            if ritz.exhausted || ritz.values.len() >= count || !movable {
                break;
            }
            let Some(sigma) = cluster(shifted.sigma, &ritz.estimates, count) else {
                ritz = self.search(shifted, known, count, start, self.options.expert.restarts)?;
                break;
            };
            *shifted = self.factor(sigma)?;
            ritz = self.search(shifted, known, count, None, patience)?;
        }
        // Where the inertia shows that nothing lies below the shift, a negative theta is rounding.
        let sigma = shifted.sigma;
        let none_below = shifted.solver.negative() == Some(0);
        // What is known, and what has no mass, has theta = 0.
        ritz.keep(|theta| theta.is_normal() && (*theta > 0.0 || !none_below));
        let mut modes = self.polish(shifted, known, &ritz.values, ritz.vectors)?;
        if none_below && modes.w.iter().any(|w| *w < sigma) {
            let above: Vec<usize> = (0..modes.w.len()).filter(|&j| modes.w[j] >= sigma).collect();
            modes.select(&above);
        }
        // On an eigenvalue nothing is left of the others; of those that surely exist none may be said to be none.
        let exhausted = ritz.exhausted && known.x.ncols() + modes.w.len() >= self.problem.surely();
        Ok(Search { modes, exhausted })
    }

    /// Moves a shift that lies on an eigenvalue whose modes are known: taking them out of a solution, in which they outweigh all others
    /// by the reciprocal of rounding, leaves of them what would pass for one more.
    pub(crate) fn leave_known(&mut self, shifted: &mut Shifted, w: &[f64]) -> Result<(), EigenError> {
        let sigma = shifted.sigma;
        // A shift this close, relative, to modes that are known lies on them, one that has moved aside from them by the least step too.
        if w.iter().any(|w| (w - sigma).abs() <= tuning::CBRT_EPS * sigma.abs()) {
            // A shift that is asked for moves by this fraction of itself at most, and one that may move by the other.
            *shifted = self.factor_quietly(sigma - tuning::EPS_1_4 * sigma.abs())?;
            self.report_moved(sigma, shifted.sigma);
        }
        Ok(())
    }

    fn search(
        &mut self,
        shifted: &Shifted,
        known: &Known,
        count: usize,
        start: Option<&Dense>,
        restarts: usize,
    ) -> Result<RitzReal, EigenError> {
        // Beyond the finite eigenvalues there is nothing but rounding.
        let much = 2 * (count + known.x.ncols()) >= self.problem.surely();
        let room = (self.problem.most_eigenvalues(much) / 2).saturating_sub(known.x.ncols());
        if room == 0 {
            return Ok(Ritz::none(self.problem.n));
        }
        let operator = ShiftInvert { problem: self.problem, solver: shifted.solver.as_ref(), known };
        let mut found =
            self.lanczos(&operator, count.min(room), start, restarts, self.options.expert.tolerance)?;
        found.exhausted |= found.values.len() >= room;
        Ok(found)
    }

    /// Runs of the driver, counted; the basis is doubled while too few eigenpairs converge.
    pub(crate) fn lanczos(
        &mut self,
        operator: &dyn SymmetricOperator,
        count: usize,
        start: Option<&Dense>,
        restarts: usize,
        tolerance: f64,
    ) -> Result<RitzReal, EigenError> {
        let mut wanted = Wanted {
            count,
            tolerance,
            block: self.options.expert.block.unwrap_or_else(|| self.block_size(count)) + self.wider,
            subspace: self.options.expert.subspace,
            restarts,
            salt: 0,
        };
        if self.problem.check_basis(wanted.dimension(self.problem.n), self.problem.n).is_err() {
            wanted.subspace = wanted.subspace.or_else(|| Some(wanted.frugal()));
        }
        loop {
            let basis = wanted.dimension(self.problem.n);
            self.problem.check_basis(basis, self.problem.n)?;
            self.tally.largest_basis = self.tally.largest_basis.max(basis);
            wanted.salt = self.tally.searches as u64;
            self.tally.searches += 1;
            let mut ritz = self.driver.symmetric(operator, start, &wanted)?;
            self.findings.extend(self.tally.ran(&mut ritz));
            // A search that was cut short on purpose comes back with what it has.
            let last = restarts < self.options.expert.restarts || basis == self.problem.n;
            let enough = ritz.exhausted || ritz.values.len() >= count;
            if enough || last || !wanted.enlarge(self.options.expert.subspace, self.problem.n) {
                return Ok(ritz);
            }
        }
    }

    /// Columns solved at once: eight right-hand sides share the traffic of a factor, while narrow blocks need fewer solves and a
    /// smaller basis, whose products are what counts where the factor is hardly larger than a few vectors.
    pub(crate) fn block_size(&self, count: usize) -> usize {
        let by_size = match self.problem.n {
            0..=2_000 => 2,
            _ if self.problem.has_light_factors() => 4,
            _ => 8,
        };
        by_size.min(count.max(1))
    }

    /// Purifies Ritz vectors and takes w and multipliers from the solve, some columns at a time; those purified take the place of
    /// the others.
    fn polish(&self, shifted: &Shifted, known: &Known, theta: &[f64], x: Dense) -> Result<Modes, EigenError> {
        let (problem, count) = (self.problem, theta.len());
        let mut out =
            Modes { w: Vec::with_capacity(count), x, l: Dense::zeros(problem.rows.rank, count), rigid: 0 };
        // Columns purified at a time, as many as a solution takes at once; half of them where that saves more memory than time is lost.
        let few = self.block_size(tuning::WIDTH).max(tuning::WIDTH / 2);
        let most = if count <= tuning::WIDTH { count } else { few };
        let zeros = |rows: usize| Dense::zeros(rows, most);
        let (mut f, mut mx) = (zeros(problem.n), zeros(problem.n));
        let mut better = Solution { x: zeros(problem.n), l: zeros(problem.rows.rank) };
        for first in (0..count).step_by(most.max(1)) {
            let width = most.min(count - first);
            // Of the last ones there are fewer.
            for array in [&mut f, &mut mx, &mut better.x] {
                array.truncate(problem.n, width);
            }
            better.l.truncate(problem.rows.rank, width);
            problem.m.mul_into(out.x.as_ref().subcols(first, width), f.as_mut());
            for (j, theta) in theta[first..first + width].iter().enumerate() {
                f.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= theta);
            }
            // Certificates give the accuracy of each eigenpair.
            shifted.solver.solve_into(f.as_ref(), better.x.as_mut(), better.l.as_mut())?;
            let mut mass = |x: &Dense| -> Vec<f64> {
                problem.m.mul_into(x.as_ref(), mx.as_mut());
                let columns = crate::numeric::vectors::columns(x).zip(crate::numeric::vectors::columns(&mx));
                columns.map(|(x, mx)| x.iter().zip(mx).map(|(x, mx)| x * mx).sum()).collect()
            };
            let before = if known.x.ncols() > 0 { mass(&better.x) } else { vec![0.0; width] };
            known.project(&mut better.x);
            let masses = mass(&better.x);
            for j in 0..width {
                // A vector inside the span of the known modes is what rounding made of an operator without further modes.
                // Square of the length, relative, below which what a projection leaves of a vector is rounding.
                if masses[j].is_nan() || masses[j] <= (tuning::EPS_3_4 * tuning::EPS_3_4) * before[j] {
                    continue;
                }
                let at = out.w.len();
                let pairs = f.col_as_slice(j).iter().zip(better.x.col_as_slice(j));
                let work: f64 = pairs.map(|(f, x)| f * x).sum();
                out.w.push(shifted.sigma + work / masses[j]);
                let by = masses[j].sqrt().recip();
                for (to, from) in [(&mut out.x, &better.x), (&mut out.l, &better.l)] {
                    if to.nrows() > 0 {
                        let scaled = from.col_as_slice(j).iter().map(|x| x * by);
                        to.col_as_slice_mut(at).iter_mut().zip(scaled).for_each(|(to, x)| *to = x);
                    }
                }
            }
        }
        out.x.truncate(problem.n, out.w.len());
        out.l.truncate(problem.rows.rank, out.w.len());
        Ok(out)
    }

    /// What was done, for the result.
    pub(crate) fn report(&mut self, place: &Released) {
        self.findings.extend(self.tally.at_shift(c64::new(-place.sigma, 0.0), &place.work()));
    }

    /// Says why there are fewer modes than asked for.
    pub(crate) fn report_shortfall(&mut self, found: usize, wanted: usize, exhausted: bool) {
        self.findings.extend(self.tally.shortfall(found, wanted, exhausted, self.problem.dof()));
    }
}

/// A shift near an eigenvalue on which `sigma` lies, though its matrix could be factored: of the theta of other modes nothing but
/// the rounding of its own is left there. At a hundredth of the way to the next one they are of a size. That way is known no better
/// than the theta of the next one, which may be nothing but rounding: the shift stays near. Where all modes wanted are seen there is no need: those
/// far away are always small compared with one that is near.
fn off_eigenvalue(sigma: f64, ritz: &RitzReal, count: usize, place: Place) -> Option<f64> {
    let theta = if ritz.estimates.is_empty() { &ritz.values } else { &ritz.estimates };
    let largest = theta.first()?.abs();
    let mut wanted = theta.iter().take(count).map(|t| t.abs());
    let next = wanted.find(|t| t * tuning::GAP < largest && *t > 0.0)?;
    let most = sigma.abs() * if place == Place::Here { tuning::EPS_1_4 } else { tuning::MINOR };
    // A shift within this fraction of itself from an eigenvalue lies on it, where its theta exceeds others by so much; and how often it
    // may move for that.
    (largest * sigma.abs() * tuning::SLIGHT > 1.0).then(|| sigma - (tuning::MINOR / next).min(most))
}
