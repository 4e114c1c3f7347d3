//! What is said of requests on problems with proportional damping: counts of undamped modes, shortfalls, growing modes.

use mb_algebra::c64;

use super::Asked;
use crate::finding::{Completeness, Region, SparseFinding};
use crate::problem::modes::Modes;
use crate::problem::proportional::{Interval, Part, Proportional};
use crate::search::hermitian::Symmetric;
use crate::{EigenError, Finding, tuning};

impl Symmetric<'_> {
    /// What was said of undamped modes in terms of the damped ones.
    pub(super) fn tell(&mut self, asked: Asked<'_>, modes: &Modes) {
        let converged =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Converged { .. } });
        let short = self.findings.iter().find(|finding| converged(finding)).cloned();
        self.findings.retain(|finding| {
            let Finding::Sparse { detail } = finding else { return true };
            !matches!(
                detail,
                SparseFinding::GrowingNotShown { .. }
                    | SparseFinding::EmptyBand { .. }
                    | SparseFinding::FewerExist { .. }
                    | SparseFinding::Converged { .. }
            )
        });
        // A multiple w is a multiple pair; zeros stay what they are.
        for finding in &mut self.findings {
            let Finding::Sparse { detail: SparseFinding::MultipleCut { re, im, .. } } = finding else {
                continue;
            };
            let w = -(c64::new(*re, *im) * c64::new(*re, *im)).re;
            if w != 0.0
                && let Some(s) = asked.values(w, false).into_iter().find(|s| s.im >= 0.0)
            {
                (*re, *im) = (s.re, s.im);
            }
        }
        let fastest = modes.w.iter().map(|w| w.abs()).fold(0.0, f64::max) * (1.0 + tuning::CBRT_EPS);
        for finding in &mut self.findings {
            let Finding::Sparse { detail: SparseFinding::Completeness(count) } = finding else { continue };
            count.region = match count.region {
                Region::Interval { from, to } => Region::Undamped { from, to },
                Region::Above { limit } => Region::Undamped { from: limit, to: fastest },
                other => other,
            };
        }
        let Some(wanted) = asked.request.count() else { return };
        let values = |(j, w): (usize, &f64)| asked.values(*w, j < modes.rigid).len();
        let exist: usize = modes.w.iter().enumerate().map(values).sum();
        if exist < wanted {
            let dof = self.problem.dof();
            let fewer = || SparseFinding::FewerExist { wanted, exist, dof }.into();
            self.findings.push(short.unwrap_or_else(fewer));
        }
    }

    /// Growing modes by what was said of the undamped ones, each of which has one growing eigenvalue.
    pub(super) fn growing_told(&self, modes: &Modes) -> usize {
        let told = self.findings.iter().find_map(|finding| match finding {
            Finding::Sparse { detail: SparseFinding::GrowingNotShown { counted, .. } } => Some(*counted),
            _ => None,
        });
        told.unwrap_or_else(|| modes.w.iter().filter(|w| **w < 0.0).count())
    }

    /// Growing eigenvalues, one of each conjugate pair; as many as there are at least.
    pub(super) fn growing_counted(&mut self, by: &Proportional) -> Result<Option<usize>, EigenError> {
        // What counts as zero, relative to |K| / |M|: a hundred times what rounding of K makes of a rigid mode.
        let edge = tuning::SOLVE_ROUNDINGS * self.problem.frequency_squared();
        let (Some((_, low)), Some((_, high))) = (self.below(-edge)?, self.below(edge)?) else {
            return Ok(None);
        };
        // Of a rigid one the other eigenvalue is -a.
        let mut counted = if by.of_mass() < 0.0 { high.saturating_sub(low) } else { 0 };
        for Interval { from, to, each } in by.intervals(&Part::Growing, false) {
            let (from, to) = if to <= 0.0 { (from, to.min(-edge)) } else { (from.max(edge), to) };
            if from >= to {
                continue;
            }
            let start = if from == f64::NEG_INFINITY { Some(0) } else { self.below(from)?.map(|(_, n)| n) };
            let end = if to == f64::INFINITY {
                // Infinitely fast ones are not counted.
                self.fastest()?.map(|_| self.problem.dof())
            } else {
                self.below(to)?.map(|(_, n)| n)
            };
            if let (Some(start), Some(end)) = (start, end) {
                counted += each * end.saturating_sub(start);
            }
        }
        Ok(Some(counted))
    }
}

/// The w of which a count says that all modes are known.
pub(super) fn covered_by(count: &Completeness) -> Vec<[f64; 2]> {
    match count.region {
        _ if !count.is_complete() => Vec::new(),
        Region::Interval { from, to } => vec![[from, to]],
        Region::Above { limit } => vec![[f64::NEG_INFINITY, -limit], [limit, f64::INFINITY]],
        _ => Vec::new(),
    }
}

/// Whether a finding speaks of a search that is to be made anew.
pub(super) fn is_of_search(finding: &Finding) -> bool {
    let Finding::Sparse { detail } = finding else { return false };
    matches!(
        detail,
        SparseFinding::Completeness(_)
            | SparseFinding::Unproved { .. }
            | SparseFinding::Shift { .. }
            | SparseFinding::Converged { .. }
            | SparseFinding::FewerExist { .. }
    )
}
