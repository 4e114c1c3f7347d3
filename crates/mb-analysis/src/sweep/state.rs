//! Which state the cases of a sweep take: rest, the steady motion with the model's own speeds, a periodic motion.

use super::Design;
use crate::site::{rotates, speeds_aside};
use mb_linear::Strategy;
use mb_model::Model;

/// The state that every case of a sweep takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Rest. The note says so where the model has speeds.
    Rest(Option<String>),
    /// The steady motion with the model's own speeds, since the sweep changes them (the parameters that do); rest in a case
    /// without speeds.
    OwnSpeeds(Vec<String>),
    /// The motion that the request or a table of the model asks for.
    Asked,
    /// The periodic motion of this period, s: a number or an expression of parameters.
    Periodic(String),
}

impl Taken {
    /// Decides before the first case, whose model is `first`, where no motion is asked for. A parameter changes the speeds
    /// where another of its values, all else as in the first case, gives others. `taken_by` says what takes speeds that are
    /// left aside; `build` makes the model of a case, none where it cannot be.
    pub fn of(
        design: &Design,
        first: &Model,
        strategy: Strategy,
        taken_by: &str,
        build: impl Fn(&[f64]) -> Option<Model>,
    ) -> Self {
        if rotates(first) {
            return Self::Asked;
        }
        let changes = |k: usize| {
            let mut values = design.points[0].clone();
            let other = design.points.iter().map(|p| p[k]).find(|x| x.total_cmp(&values[k]).is_ne());
            let Some(other) = other else { return false };
            values[k] = other;
            build(&values).is_some_and(|m| rotates(&m) || m.initial_velocity() != first.initial_velocity())
        };
        // A search for stable equilibria is one for rest.
        let by: Vec<String> = if strategy == Strategy::Automatic {
            (0..design.names.len()).filter(|k| changes(*k)).map(|k| design.names[k].clone()).collect()
        } else {
            Vec::new()
        };
        if by.is_empty() { Self::Rest(speeds_aside(first, taken_by)) } else { Self::OwnSpeeds(by) }
    }

    /// Whether a case takes the motion with the model's own speeds.
    pub fn moves(&self, model: &Model) -> bool {
        matches!(self, Self::OwnSpeeds(_)) && model.initial_velocity().iter().any(|v| *v != 0.0)
    }

    /// A word for documents.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Rest(_) => "rest",
            Self::OwnSpeeds(_) => "own speeds",
            Self::Asked => "motion asked for",
            Self::Periodic(_) => "periodic motion",
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
            Self::Periodic(period) => Some(format!(
                "every case is the periodic motion of {period} s; its modes are Floquet exponents, and a frequency f stands for f + k / T with any \
                 whole number k"
            )),
        }
    }
}
