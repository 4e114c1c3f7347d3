//! `mb equilibrium --spin`: the configuration and reactions of a steady motion, and whether it is stable.

use super::equilibrium::{draw, forces};
use crate::Answer;
use crate::args::{EquilibriumArgs, MotionArgs};
use crate::failure::{Failure, RequestError};
use crate::flow::{self, Site, State};
use crate::json;
use crate::plot::Picture;
use crate::render::{Style, six, summary};
use crate::source::Loaded;
use mb_analysis::FromRest;
use mb_constraints::NullSpaceMethod;
use mb_linear::Formulation;
use std::fmt::Write as _;

/// A steady motion with the growth of its fastest growing disturbance.
#[derive(Debug)]
pub struct Steady {
    /// The motion.
    pub site: Site,
    /// Largest real part of its eigenvalues and the error bound of that, 1/s; none where there are no modes.
    pub growth: Option<(f64, f64)>,
}

impl Steady {
    /// The branch that the motion is on.
    pub fn branch(&self) -> Option<&FromRest> {
        match &self.site {
            Site::Motion(moving) => moving.branch.as_ref(),
            Site::Rest(_) => None,
        }
    }
    /// Stability in a word: an eigenvalue whose sign its error bound leaves open does not count as growing.
    pub fn stability(&self) -> &'static str {
        match self.growth {
            Some((re, bound)) if re > bound => "unstable",
            Some((re, bound)) if re < -bound => "stable",
            _ => "no growth beyond the error bounds",
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the spins, or no steady motion with them.
pub fn run(loaded: &Loaded, args: &EquilibriumArgs, style: Style) -> Result<Answer, Failure> {
    let model = &loaded.model;
    let (spin, hold) = (args.spin.clone(), args.hold.clone());
    let motion = MotionArgs { spin, hold, moving: true, ..MotionArgs::default() };
    let (start, motion) = crate::start::with_motion(model, &args.start, &motion)?;
    let motion = motion.map(|motion| flow::MotionOptions { branch: true, ..motion });
    let site = flow::site(model, &start, motion.as_ref())?;
    let rank = flow::rank(model, site.point())?;
    let State::Lasting(at) = site.state() else {
        return Err(RequestError::NotOfAnInstant { option: "--spin" }.into());
    };
    let result = flow::spectrum(model, &at, &Formulation::Minimal(NullSpaceMethod::Qr))?;
    let growth = mb_analysis::largest_growth(&result.spectrum);
    let found = Steady { site, growth };
    let picture = Picture {
        title: format!("steady motion: {}", found.stability()),
        q: &found.site.point().q,
        passed: Vec::new(),
    };
    draw(loaded, args, found.site.start(), "in steady motion", vec![picture])?;
    if args.json {
        return Ok(Answer::right(json::equilibrium::steady(loaded, &rank, &found)));
    }
    let mut out = summary::heading(loaded, &rank, style);
    out.push_str(&summary::site_line(&found.site, style));
    let largest = found.growth.map_or_else(String::new, |(re, bound)| {
        let re = if re.abs() <= bound { 0.0 } else { re };
        format!(
            ": the largest real part of an eigenvalue is {} 1/s, error bound {}",
            six(re),
            crate::render::tiny(bound)
        )
    });
    let branch = found.branch();
    let _ = writeln!(out, "{}{largest}", found.stability());
    if let Some(branch) = branch {
        let _ = writeln!(out, "branch: {}", branch.name());
    }
    out.push_str(&summary::configuration(model, &found.site.point().q, style));
    out.push_str(&summary::speeds(model, &found.site.point().v, style));
    out.push_str(&forces(model, found.site.point(), style));
    let mut notes = branch.map_or_else(Vec::new, FromRest::notes);
    notes.extend(summary::start_notes(model, found.site.start()));
    notes.extend(summary::redundancy_notes(&rank));
    notes.extend(summary::steadiness(&found.site));
    notes.extend(summary::lost_contacts(model, found.site.point()));
    out.push_str(&summary::notes(&notes, style));
    Ok(Answer::right(out))
}
