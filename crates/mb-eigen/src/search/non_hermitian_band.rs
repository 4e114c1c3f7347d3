//! Bands of frequencies of problems of any kind: discs around the middle of the band, and of its parts where one disc holds too many.

use mb_algebra::{c64, side_by_side};

use super::non_hermitian::General;
use super::non_hermitian_requests::Counting;
use crate::certify::zeros;
use crate::finding::SparseFinding;
use crate::problem::uncertified::Uncertified;
use crate::sparse::choice::disc;
use crate::transform::shift_invert::Form;
use crate::{EigenError, Finding, tuning};

/// Radius of the disc of a part relative to that of the whole up to which two searches, whose work grows with the third power of the number
/// of eigenvalues, take less than one: 2^(-1/3), as far as these are as many as the radius is long.
const SMALLER: f64 = 0.79;

/// A piece of a band, rad/s.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: f64,
    to: f64,
    /// Damping ratio up to which all modes are sought.
    zeta: f64,
    /// Largest damping ratio that was asked for; without one, what is found beyond `zeta` stays.
    limit: Option<f64>,
    /// How far below and above modes are kept.
    margins: [f64; 2],
}

/// Whether a mode is in a band, rad/s, or nearer to it than the margins below and above.
pub(crate) fn is_in_band(s: c64, [from, to]: [f64; 2], limit: Option<f64>, [below, above]: [f64; 2]) -> bool {
    let damped = limit.is_none_or(|most| s.re.abs() <= most * s.norm() + below.max(above));
    s.im >= from - below && s.im <= to + above && damped
}

impl Piece {
    fn holds(&self, s: c64) -> bool {
        is_in_band(s, [self.from, self.to], self.limit, self.margins)
    }
}

impl General<'_> {
    /// Modes of a band of frequencies, rad/s, and those so near to it that their bounds may reach it.
    pub(crate) fn band(
        &mut self,
        from: f64,
        to: f64,
        max_damping_ratio: Option<f64>,
    ) -> Result<Vec<Uncertified>, EigenError> {
        // Damping ratio to which a band without a limit is searched.
        let zeta = max_damping_ratio.unwrap_or(tuning::BAND_DAMPING);
        let at_zero = self.start()?;
        self.report(&at_zero);
        // Its factors are not needed any more, and the pieces make their own.
        drop(at_zero);
        let mut uncertified = self.zero_eigenvalues();
        uncertified.retain(|zero| from <= 0.0 || from <= zeros::reach(self.problem, zero));
        // How far from a band, relative to its upper end, modes are kept until their bounds are known: where chains of eight modes end up
        // by rounding, its eighth eigenvalue.
        let (limit, margins) = (max_damping_ratio, [tuning::MINOR * to; 2]);
        let piece = Piece { from, to, zeta, limit, margins };
        uncertified.append(&mut self.band_pieces(piece)?);
        if max_damping_ratio.is_none() {
            self.findings.push(SparseFinding::BandCovered { damping_ratio: zeta }.into());
        }
        Ok(uncertified)
    }

    /// Modes of a piece: one disc, or two parts side by side.
    fn band_pieces(&mut self, piece: Piece) -> Result<Vec<Uncertified>, EigenError> {
        let Piece { from, to, zeta, .. } = piece;
        // Quotient of the ends of a band beyond which one shift does not serve both: frequencies apart by less are distinguished from
        // each other by thirteen digits of their distances from the shift.
        if from > 0.0 && to > (1.0 / tuning::SLIGHT) * from {
            return self.both_parts(piece, (from * to).sqrt());
        }
        let (middle, radius) = disc(from, to, zeta);
        // The parts of a piece that is narrow for its damping need discs as large as its own.
        let (_, of_part) = disc(0.5 * (from + to), to, zeta);
        let parts_help = of_part <= SMALLER * radius;
        let most = if self.form == Form::Companion { 2 } else { 1 } * self.problem.dof();
        let shifted = self.factor(self.form.tau(middle))?;
        let needed = self.form.needed(shifted.tau, middle, radius);
        let (mut ask, mut looks) = (12.min(most), tuning::FEW_STEPS);
        loop {
            let set = self.nearest(&shifted, ask)?;
            let short = set.tau.len() < ask && !set.exhausted;
            if set.reach > needed || short || ask == most {
                let told = self.count_inside(&set, shifted.tau, needed)?;
                let near = |tau: &c64| (tau - shifted.tau).norm() <= needed;
                if let Some(missing) = self.another_look(told.as_ref(), &set, near, &mut looks) {
                    ask = (ask + missing).min(most);
                    continue;
                }
                if set.reach <= needed {
                    let (found, wanted) = (set.tau.len(), ask);
                    self.report_shortfall(found, wanted, false);
                }
                self.findings.extend(told.map(Finding::from));
                let candidates = self.candidates(&set, Counting::Modes);
                let inside = candidates.iter().filter(|c| piece.holds(c.s));
                return Ok(inside.map(|c| self.approx(&set, *c, Counting::Modes)).collect());
            }
            if parts_help && ask >= tuning::MODES_AT_A_SHIFT {
                return self.both_parts(piece, 0.5 * (from + to));
            }
            ask = (2 * ask).min(most);
        }
    }

    /// The modes on both sides of a cut.
    fn both_parts(&mut self, piece: Piece, cut: f64) -> Result<Vec<Uncertified>, EigenError> {
        let (mut low, mut high) = (self.part(), self.part());
        // A mode on the cut is found from both sides.
        let edge = tuning::SQRT_EPS * piece.to;
        let lower = Piece { to: cut, margins: [piece.margins[0], edge], ..piece };
        let upper = Piece { from: cut, margins: [edge, piece.margins[1]], ..piece };
        let early = &self.early;
        let (a, b) =
            side_by_side(|| early.step(|| low.band_pieces(lower)), || early.step(|| high.band_pieces(upper)));
        self.findings.append(&mut low.findings);
        self.findings.append(&mut high.findings);
        let mut uncertified = a?.unwrap_or_default();
        let on_cut: Vec<c64> =
            uncertified.iter().map(|r| r.s).filter(|s| (s.im - cut).abs() <= 2.0 * edge).collect();
        let upper = b?.unwrap_or_default();
        uncertified
            .extend(upper.into_iter().filter(|r| !on_cut.iter().any(|s| (s - r.s).norm() <= 2.0 * edge)));
        Ok(uncertified)
    }
}
