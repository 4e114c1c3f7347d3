//! Which state the cases of a sweep take: rest, or the steady motion with the model's own speeds.

use crate::args::{MotionArgs, StrategyArg, SweepArgs};
use crate::failure::Failure;
use crate::flow;
use crate::render::summary;
use crate::source::Loaded;
use mb_analysis::sweep::Design;
use mb_model::Model;

/// The state that every case of a sweep takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Rest. The note says so where the model has speeds.
    Rest(Option<String>),
    /// The steady motion with the model's own speeds, since the sweep changes them (the parameters that do); rest in a case
    /// without speeds.
    OwnSpeeds(Vec<String>),
    /// The motion that an option or a table of the model asks for.
    Asked,
}

impl Taken {
    /// Decides before the first case, whose model is `first`. A parameter changes the speeds where another of its values, all
    /// else as in the first case, gives others.
    pub fn of(
        args: &SweepArgs,
        design: &Design,
        first: &Model,
        load: impl Fn(&[f64]) -> Result<Loaded, Failure>,
    ) -> Self {
        if args.motion.given() || flow::rotates(first) {
            return Self::Asked;
        }
        let changes = |k: usize| {
            let mut values = design.points[0].clone();
            let other = design.points.iter().map(|p| p[k]).find(|x| x.total_cmp(&values[k]).is_ne());
            let Some(other) = other else { return false };
            values[k] = other;
            let model = load(&values).map(|loaded| loaded.model);
            model.is_ok_and(|m| flow::rotates(&m) || m.initial_velocity() != first.initial_velocity())
        };
        // A search for stable equilibria is one for rest.
        let by: Vec<String> = if args.start.strategy == StrategyArg::Automatic {
            (0..design.names.len()).filter(|k| changes(*k)).map(|k| design.names[k].clone()).collect()
        } else {
            Vec::new()
        };
        if by.is_empty() {
            Self::Rest(summary::speeds_aside(first, "--moving takes them"))
        } else {
            Self::OwnSpeeds(by)
        }
    }

    /// The options of the motion for one case.
    pub(super) fn motion(&self, asked: &MotionArgs, model: &Model) -> MotionArgs {
        let moves = model.initial_velocity().iter().any(|v| *v != 0.0);
        MotionArgs { moving: asked.moving || (moves && matches!(self, Self::OwnSpeeds(_))), ..asked.clone() }
    }

    /// A word for documents.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Rest(_) => "rest",
            Self::OwnSpeeds(_) => "own speeds",
            Self::Asked => "motion asked for",
        }
    }

    /// What has to be said about it.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Rest(note) => note.clone(),
            Self::OwnSpeeds(by) => Some(format!(
                "{} changes the model's own speeds, so every case is the steady motion with them; rest where they are zero",
                by.join(" and ")
            )),
            Self::Asked => None,
        }
    }
}
