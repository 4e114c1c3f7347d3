//! The requests on problems of any kind, in terms of s.
//!
//! A search at tau_0 that has all tau within `reach` holds every eigenvalue within r of a point p when
//!
//! ```text
//! r + |p - s_0| <= reach,  or for tau = s^2:  r (2 |p| + r) + |p^2 - tau_0| <= reach
//! ```
//!
//! and asks for more until that holds for the eigenvalues wanted. There are no Sturm counts here: completeness rests on the
//! order in which a Krylov method finds theta, and is not called proved but where the eigenvalues are counted
//! ([`crate::completeness::contour`]).

use mb_algebra::c64;

use super::non_hermitian::{General, Shifted};
use super::selection;
use super::set::Set;
use crate::certify::zeros;
use crate::finding::SparseFinding;
use crate::null_space::deflate::Zeros;
use crate::numeric::vectors;
use crate::problem::uncertified::Uncertified;
use crate::transform::shift_invert::Form;
use crate::{EigenError, Finding, Shape, tuning};

/// An eigenvalue s made of column `column` of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) s: c64,
    column: usize,
}

/// What is wanted around a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) point: c64,
    pub(crate) count: usize,
    pub(crate) counting: Counting,
    /// Where zeros have not been sought: |s| up to which an eigenvalue may be one. With such a one among those wanted, the search ends
    /// without an answer.
    pub(crate) open: f64,
}

/// Whether conjugates stand for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// A conjugate pair, or +-s for tau = s^2 real, is one mode.
    Modes,
    /// Every eigenvalue counts.
    Eigenvalues,
}

impl Around {
    /// Where zeros have been sought, or need not be.
    pub(crate) fn new(point: c64, count: usize, counting: Counting) -> Self {
        Self { point, count, counting, open: 0.0 }
    }
}

impl General<'_> {
    /// Widens the blocks of the searches to come where a count says that eigenvalues are missing and looks are left, or where there is no
    /// count and an eigenvalue came as often as blocks have columns: members of multiple eigenvalues that blocks were too narrow for. How
    /// many more to ask for; none for no other look.
    ///
    /// In exact arithmetic a Krylov space of a random block shows of a p-fold eigenvalue as many members as the block has columns, but p at
    /// most: one that comes less often than that is there in full. Members of eigenvalues that are not `near` are not missed.
    pub(crate) fn another_look(
        &mut self,
        told: Option<&SparseFinding>,
        set: &Set,
        near: impl Fn(&c64) -> bool,
        looks: &mut usize,
    ) -> Option<usize> {
        if let Some(SparseFinding::Completeness(count)) = told {
            // Columns a block grows by at most.
            let missing = count.missing().min(tuning::MODES_AT_A_SHIFT);
            if missing == 0 || *looks == 0 {
                return None;
            }
            *looks -= 1;
            self.wider += missing;
            return Some(missing);
        }
        let (width, members) = (self.block_of(set.tau.len()), set.most_members(near));
        let narrow = self.counts && members >= width && width < set.tau.len();
        narrow.then(|| {
            // Half as many columns again as members were seen; they come before others, in the place of which none need be asked for.
            self.wider += (members + members.div_ceil(2)).saturating_sub(width).max(1);
            0
        })
    }

    /// The modes of smallest |s|.
    pub(crate) fn lowest(&mut self, count: usize) -> Result<Vec<Uncertified>, EigenError> {
        let zero = c64::new(0.0, 0.0);
        if self.knows_lowest(count)? {
            return Ok(self.zeros_alone(zero, count, Counting::Modes));
        }
        let mut shifted = self.start()?;
        if let Some(tau) = self.given_shift() {
            // Two sets of factors at a time would take the memory of both.
            drop(shifted);
            shifted = self.factor(tau)?;
        }
        let uncertified = self.around(&shifted, Around::new(zero, count, Counting::Modes))?;
        self.report(&shifted);
        Ok(uncertified)
    }

    /// The zeros that are known, which are the lowest: nothing is searched for.
    fn zeros_alone(&self, shift: c64, count: usize, counting: Counting) -> Vec<Uncertified> {
        let nothing = Set::of_values(self.problem.n, &[]);
        self.chosen(&nothing, shift, &[], c64::new(0.0, 0.0), count, counting)
    }

    /// The modes or the eigenvalues nearest to a point.
    pub(crate) fn near(
        &mut self,
        s: c64,
        count: usize,
        counting: Counting,
    ) -> Result<Vec<Uncertified>, EigenError> {
        let wanted = Around::new(s, count, counting);
        let tau = self.given_shift().unwrap_or_else(|| self.shift_beside(s));
        // A shift further from zero than this, in units of the frequency that makes |M| and |K| equal, is tried before the zeros are
        // sought.
        let beside_zero = tuning::CBRT_EPS * self.gamma;
        if tau.norm() > self.form.tau(c64::new(beside_zero, 0.0)).norm() {
            let shifted = self.factor(tau)?;
            let uncertified = self.around(&shifted, Around { open: beside_zero, ..wanted })?;
            self.report(&shifted);
            drop(shifted);
            // Zeros further off than all eigenvalues wanted need not be known.
            let reach = uncertified.iter().map(|approx| (approx.s - s).norm()).fold(0.0, f64::max);
            // How far the eigenvalues wanted may reach towards zero, as a fraction of the way.
            if self.early.ended() || (uncertified.len() >= count && reach < (1.0 - tuning::CLEAR) * s.norm())
            {
                return Ok(uncertified);
            }
            drop(self.start()?);
            if self.zeros.is_none() && !uncertified.is_empty() {
                return Ok(uncertified);
            }
            // With them taken out of the operator: rounding parts the zeros of a chain.
            self.findings.clear();
            let shifted = self.factor(tau)?;
            let uncertified = self.around(&shifted, wanted)?;
            self.report(&shifted);
            return Ok(uncertified);
        }
        let shifted = self.start()?;
        let uncertified = self.around(&shifted, wanted)?;
        self.report(&shifted);
        Ok(uncertified)
    }

    /// The shift from which the eigenvalues nearest to a point are sought.
    ///
    /// Undamped problems have tau = s^2 real where nothing circulates: around a real shift those are found real, in real arithmetic. With s
    /// on the imaginary axis they are at least |Re p| from the point, and |Im p^2| = 2 |Re p| |Im p|, so that the search around Re p^2 reaches at
    /// most about twice as far.
    fn shift_beside(&self, s: c64) -> c64 {
        let tau = self.form.tau(s);
        let beside_axis = self.form == Form::Squared && tau.im.abs() <= tuning::CLEAR * tau.norm();
        if beside_axis { c64::new(tau.re, 0.0) } else { tau }
    }

    /// The `count` modes or eigenvalues nearest to a point, rigid ones included.
    fn around(&mut self, shifted: &Shifted, wanted: Around) -> Result<Vec<Uncertified>, EigenError> {
        self.around_with(shifted.tau, wanted, |run, ask| run.nearest(shifted, ask))
    }

    /// The same with the search given: the `ask` tau nearest to the shift.
    pub(crate) fn around_with(
        &mut self,
        shift: c64,
        wanted: Around,
        mut nearest: impl FnMut(&mut Self, usize) -> Result<Set, EigenError>,
    ) -> Result<Vec<Uncertified>, EigenError> {
        let Around { point, count, counting, open } = wanted;
        let zeros = self.zero_eigenvalues();
        let per_mode = if counting == Counting::Modes && self.form != Form::Squared { 2 } else { 1 };
        // Beyond the finite eigenvalues a search finds rounding of the infinite ones.
        let degree = if self.form == Form::Squared { 2 } else { 1 };
        let known: usize = zeros.iter().map(|zero| zero.chain).sum();
        let much = 2 * (per_mode * count + 1) >= self.problem.surely();
        let most = self.problem.most_eigenvalues(much).saturating_sub(known) / degree;
        let at_zero: usize =
            zeros.iter().map(|zero| if counting == Counting::Eigenvalues { zero.chain } else { 1 }).sum();
        if point.norm() == 0.0 && at_zero >= count {
            return Ok(self.zeros_alone(shift, count, counting));
        }
        let mut ask = (per_mode * count + 1).min(most);
        // Searches with wider blocks for eigenvalues that a count misses.
        let (mut round, mut looks) = (0, tuning::FEW_STEPS);
        let early = self.early.clone();
        let mut last: Option<Set> = None;
        loop {
            round += 1;
            let set =
                if last.is_none() { Some(nearest(self, ask)?) } else { early.step(|| nearest(self, ask))? };
            // Of an interrupted search the one before is the answer.
            let Some(set) = set.or_else(|| last.take()) else { return Ok(Vec::new()) };
            let candidates = self.candidates(&set, counting);
            let mut distances: Vec<f64> = candidates.iter().map(|c| (c.s - point).norm()).collect();
            distances.extend(zeros.iter().flat_map(|zero| {
                let times = if counting == Counting::Eigenvalues { zero.chain } else { 1 };
                std::iter::repeat_n(point.norm(), times)
            }));
            distances.sort_by(f64::total_cmp);
            let covered = count == 0
                || distances.get(count - 1).is_some_and(|r| self.form.needed(shift, point, *r) <= set.reach);
            // Rounds of asking for more until the wanted eigenvalues are surely there.
            let ended = early.ended() || round == tuning::ROUNDS;
            if covered || set.exhausted || ended || set.tau.len() < ask || ask == most {
                let found = distances.len();
                let furthest = distances.get(count.min(found).wrapping_sub(1)).copied();
                let within = furthest.map_or(0.0, |r| self.form.needed(shift, point, r));
                let zero = |c: &Candidate| {
                    c.s.norm() <= open && furthest.is_some_and(|r| (c.s - point).norm() <= r + open)
                };
                if open > 0.0 && !early.ended() && candidates.iter().any(zero) {
                    return Ok(Vec::new());
                }
                let told = match furthest {
                    Some(_) if self.counts => self.count_inside(&set, shift, within)?,
                    _ => None,
                };
                // Eigenvalues that rounding may put on the border are near too.
                let near = |tau: &c64| (tau - shift).norm() <= (1.0 + tuning::CBRT_EPS) * within;
                if ask < most
                    && !early.ended()
                    && let Some(missing) = self.another_look(told.as_ref(), &set, near, &mut looks)
                {
                    ask = (ask + per_mode * missing).min(most);
                    last = Some(set);
                    continue;
                }
                // A search that ends before as many eigenvalues are there as exist has lost some.
                if set.exhausted && found < count {
                    self.problem.most_eigenvalues(true);
                }
                // Of a conjugate pair only one may be found, or one as a zero: then the modes found are not all that exist.
                let shown = known + candidates.iter().map(|c| self.shown_by(*c, counting)).sum::<usize>();
                let lost = self.problem.counted_eigenvalues().is_some_and(|all| shown != all);
                let all = (set.exhausted || ask == most) && set.without_left == 0;
                self.report_shortfall(found, count, all && !lost);
                self.findings.extend(told.map(Finding::from));
                return Ok(self.chosen(&set, shift, &candidates, point, count, counting));
            }
            ask = (ask + ask / 2 + 2).min(most);
            last = Some(set);
        }
    }

    /// How many eigenvalues a candidate stands for.
    fn shown_by(&self, candidate: Candidate, counting: Counting) -> usize {
        let one = counting == Counting::Eigenvalues || (candidate.s.im == 0.0 && self.form != Form::Squared);
        if one { 1 } else { 2 }
    }

    /// Eigenvalues that a set gives.
    pub(crate) fn candidates(&self, set: &Set, counting: Counting) -> Vec<Candidate> {
        let mut out = Vec::new();
        for (column, &tau) in set.tau.iter().enumerate() {
            let uncertified = if self.form == Form::Squared {
                let mut s = tau.sqrt();
                if tau.im == 0.0 {
                    s = if tau.re < 0.0 { c64::new(0.0, s.im.abs()) } else { c64::new(s.re.abs(), 0.0) };
                }
                vec![s, -s]
            } else {
                vec![tau]
            };
            for mut s in uncertified {
                // Imaginary part below this fraction of |s|, or of the frequency that makes |M| and |K| equal, counts as rounding in
                // complex arithmetic; no conjugate partner is made of a single zero.
                if s.im.abs() <= (tuning::SQRT_EPS * s.norm()).max(f64::EPSILON * self.gamma) {
                    s.im = 0.0;
                }
                let counted = match counting {
                    Counting::Eigenvalues => true,
                    // Of +-s real the positive one stands for both.
                    Counting::Modes => {
                        s.im > 0.0 || (s.im == 0.0 && (self.form != Form::Squared || s.re > 0.0))
                    }
                };
                if counted {
                    out.push(Candidate { s, column });
                }
            }
        }
        out
    }

    /// The nearest candidates and zeros as eigenvalues, and those that may turn out to be as near.
    fn chosen(
        &self,
        set: &Set,
        shift: c64,
        candidates: &[Candidate],
        point: c64,
        count: usize,
        counting: Counting,
    ) -> Vec<Uncertified> {
        let zeros = self.zero_eigenvalues();
        let mut order: Vec<(f64, Option<Candidate>)> =
            candidates.iter().map(|c| ((c.s - point).norm(), Some(*c))).collect();
        order.extend(zeros.iter().map(|_| (point.norm(), None)));
        let open = zeros.iter().map(|zero| zeros::reach(self.problem, zero)).fold(0.0, f64::max);
        let margin = |(_, c): &(f64, Option<Candidate>)| c.map_or(open, |c| self.margin(set, shift, c));
        selection::about_first(&mut order, count, |(far, _)| *far, margin);
        let rigid = order.iter().filter(|(_, c)| c.is_none()).count();
        let mut uncertified: Vec<Uncertified> = zeros.into_iter().take(rigid).collect();
        uncertified.extend(order.iter().filter_map(|(_, c)| c.map(|c| self.approx(set, c, counting))));
        uncertified
    }

    /// How far from its place an eigenvalue may be found: digits of tau are those of its distance from the shift.
    fn margin(&self, set: &Set, shift: c64, candidate: Candidate) -> f64 {
        // Error of a tau relative to its distance from the shift that is allowed for before it is certified: of far values next to each
        // other the condition takes most of the digits.
        let off = tuning::SLIGHT * (set.tau[candidate.column] - shift).norm();
        if self.form == Form::Squared { off / (2.0 * candidate.s.norm()).max(off.sqrt()) } else { off }
    }

    /// A candidate with its vectors, after Newton's step on the two-sided Rayleigh quotient.
    pub(crate) fn approx(&self, set: &Set, candidate: Candidate, counting: Counting) -> Uncertified {
        let Candidate { s, column } = candidate;
        let rows = &self.problem.rows;
        let pick = |a: &mb_algebra::DenseC| mb_algebra::DenseC::from_fn(a.nrows(), 1, |i, _| a[(i, column)]);
        let right = set.x.col_as_slice(column).to_vec();
        let multipliers = rows.multipliers(&pick(&set.l)).col_as_slice(0).to_vec();
        let left = set.left.as_ref().map(|(y, mu)| {
            (y.col_as_slice(column).to_vec(), rows.multipliers(&pick(mu)).col_as_slice(0).to_vec())
        });
        let s = self.rayleigh(s, &right, left.as_ref().map(|(y, _)| y.as_slice()));
        let modes = counting == Counting::Modes;
        Uncertified {
            left: left.map(|(y, mu)| (y.into(), mu.into())),
            mirror: modes && s.im > 0.0,
            opposite: modes && s.im == 0.0 && self.form == Form::Squared,
            ..Uncertified::simple(s, right.into(), multipliers.into())
        }
    }

    /// Newton's step on y^H (s^2 M + s C + K) x; left out where it is large or y and x are nearly orthogonal.
    fn rayleigh(&self, s: c64, x: &[c64], y: Option<&[c64]>) -> c64 {
        let conjugate;
        let y = if let Some(y) = y {
            y
        } else {
            conjugate = vectors::conjugate(x);
            &conjugate
        };
        let column = mb_algebra::DenseC::from_fn(x.len(), 1, |i, _| x[i]);
        let form = |a: &crate::problem::matrix::Matrix| {
            if a.is_zero() { c64::new(0.0, 0.0) } else { vectors::inner(y, a.mul(&column).col_as_slice(0)) }
        };
        let (m, c, k) = (form(&self.problem.m), form(&self.problem.c), form(&self.problem.k));
        let slope = s * m * 2.0 + c;
        let terms = s.norm() * m.norm() * 2.0 + c.norm();
        let step = ((s * m + c) * s + k) / slope;
        // The terms of the quotient cancel down to this: beyond it the value of the solve is the better one.
        let rounding =
            f64::EPSILON * (s.norm_sqr() * m.norm() + s.norm() * c.norm() + k.norm()) / slope.norm();
        let useful = step.is_finite()
            && slope.norm() >= tuning::SLIGHT * terms
            && step.norm() <= tuning::CBRT_EPS * s.norm();
        if !useful || step.norm() <= 4.0 * rounding {
            return s;
        }
        let mut better = s - step;
        if s.im == 0.0 {
            better.im = 0.0;
        }
        if s.re == 0.0 {
            better.re = 0.0;
        }
        // An eigenvalue does not become its conjugate, which stands next to it.
        if s.im * better.im > 0.0 || s.im == 0.0 { better } else { s }
    }

    /// The zeros found, as eigenvalues; one eigenvalue stands for both of a chain of two. None where they could not be
    /// taken out of the operator: the search finds them.
    pub(crate) fn zero_eigenvalues(&self) -> Vec<Uncertified> {
        let Some(Zeros { own: zeros, projectors: Some(_), .. }) = &self.zeros else { return Vec::new() };
        let rows = &self.problem.rows;
        let symmetric = self.problem.m.symmetric && self.problem.c.symmetric && self.problem.k.symmetric;
        let mut out = Vec::new();
        for (sides, chain) in [(&zeros.simple, 1), (&zeros.double, 2)] {
            let multipliers = [rows.multipliers(&sides[0].l), rows.multipliers(&sides[1].l)];
            for j in 0..sides[0].x.ncols() {
                let vector = |side: usize| {
                    (
                        Shape::of_real(sides[side].x.col_as_slice(j).to_vec()),
                        Shape::of_real(multipliers[side].col_as_slice(j).to_vec()),
                    )
                };
                let (right, l) = vector(0);
                let lengths = mb_algebra::norms::two(sides[0].x.col_as_slice(j))
                    * mb_algebra::norms::two(sides[1].x.col_as_slice(j));
                out.push(Uncertified {
                    left: (!symmetric || chain == 1).then(|| vector(1)),
                    rigid: true,
                    chain,
                    curvature: if chain == 2 { zeros.curvatures[j] / lengths } else { 0.0 },
                    ..Uncertified::simple(c64::new(0.0, 0.0), right, l)
                });
            }
        }
        out
    }
}
