//! What a simulation is asked for.

use super::start::StartPolicy;
use super::{GeneralizedAlpha, StepControl};
use crate::error::ConstraintError;
use crate::method::{ConstraintMethod, DirectCorrection};

/// How the motion is integrated.
#[derive(Clone, Debug, PartialEq)]
pub enum Integrator {
    /// Explicit, with error control; the constraints are held by a method.
    DormandPrince {
        /// How the constraints are held.
        method: ConstraintMethod,
        /// Tolerances.
        control: StepControl,
        /// True for a fresh start at every report, false for one continuous run.
        restart: bool,
    },
    /// Implicit, with the constraints on the positions; for stiff or long runs.
    GeneralizedAlpha(GeneralizedAlpha),
}

impl Integrator {
    /// The explicit integrator in one continuous run with default tolerances.
    pub fn explicit(method: ConstraintMethod) -> Self {
        Self::DormandPrince { method, control: StepControl::default(), restart: false }
    }
    /// Name of what holds the constraints.
    pub fn method_name(&self) -> String {
        match self {
            Self::DormandPrince { method, .. } => method.to_string(),
            Self::GeneralizedAlpha(_) => "generalized-alpha".to_owned(),
        }
    }
}

/// Sense in which a sensor crosses a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Crossing {
    /// From below.
    Rising,
    /// From above.
    Falling,
    /// Either.
    #[default]
    Either,
}

/// An event that stops the run: a sensor crosses a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Name, for the report.
    pub name: String,
    /// Index of the sensor.
    pub sensor: usize,
    /// The level, in the sensor's unit.
    pub level: f64,
    /// In which sense.
    pub crossing: Crossing,
}

/// Options of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationOptions {
    /// Time at the end, s.
    pub until: f64,
    /// Time between reports, s.
    pub every: f64,
    /// How the motion is integrated.
    pub integrator: Integrator,
    /// Constant inputs of the model; zero when the list is empty.
    pub inputs: Vec<f64>,
    /// What is done with an inconsistent start.
    pub start: StartPolicy,
    /// Velocities that keep the value given at the start where they can.
    pub hold: Vec<usize>,
    /// Events that stop the run.
    pub events: Vec<Event>,
    /// Departure of the energy from its balance, relative to the energy that could be in motion, at which the run
    /// is stopped as unstable; never for an infinite number.
    pub energy_limit: f64,
}

impl Default for SimulationOptions {
    /// One second, reports every 0.02 s, direct correction, stop at half the energy in motion.
    fn default() -> Self {
        Self {
            until: 1.0,
            every: 0.02,
            integrator: Integrator::explicit(ConstraintMethod::DirectCorrection(DirectCorrection::default())),
            inputs: Vec::new(),
            start: StartPolicy::Assemble,
            hold: Vec::new(),
            events: Vec::new(),
            energy_limit: 0.5,
        }
    }
}

/// Shortest step, relative to the time from start to end.
const SHORTEST_STEP: f64 = 1e-12;
/// Most reports of one run, and most numbers in all of them (8 GB): each is kept in memory.
const MOST_REPORTS: f64 = 5e7;
const MOST_NUMBERS: f64 = 1e9;
/// Lengths of a run in s: the range of the numbers of a model, whose products neither overflow nor vanish.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl SimulationOptions {
    /// Checks the options for a start at `t` of a model with so many numbers in a report.
    pub(super) fn check(&self, t: f64, numbers: usize) -> Result<(), ConstraintError> {
        let require = |option: &'static str, value: f64, holds: bool, range: &'static str| {
            if value.is_finite() && holds {
                return Ok(());
            }
            Err(ConstraintError::SimulationOption { option, value, range })
        };
        require("until", self.until, self.until > t, "after the start")?;
        let length = self.until - t;
        require(
            "until",
            self.until,
            LENGTHS.contains(&length),
            "between 1e-100 and 1e100 s after the start",
        )?;
        require("every", self.every, self.every > 0.0, "positive")?;
        let reports = length / self.every;
        require("every", self.every, reports <= MOST_REPORTS, "large enough for at most 5e7 reports")?;
        let fits = reports * numbers as f64 <= MOST_NUMBERS;
        require("every", self.every, fits, "large enough for at most 1e9 numbers (8 GB) in all reports")?;
        // Shorter ones are lost in the rounding of the time.
        let lasts = |step: f64| step >= SHORTEST_STEP * length;
        let short = "at least 1e-12 of the time from start to end";
        match &self.integrator {
            Integrator::DormandPrince { control, .. } => {
                let r = control.relative;
                require("relative tolerance", r, r >= 1e-14, "1e-14 or more")?;
                require("absolute tolerance", control.absolute, control.absolute > 0.0, "positive")?;
                let most = control.max_step.unwrap_or(1.0);
                require("largest step", most, most > 0.0, "positive")?;
                require("largest step", most, control.max_step.is_none_or(lasts), short)
            }
            Integrator::GeneralizedAlpha(g) => {
                require("step", g.step, g.step > 0.0, "positive")?;
                require("step", g.step, lasts(g.step), short)?;
                let r = g.spectral_radius;
                require("spectral radius", r, (0.0..=1.0).contains(&r), "between 0 and 1")?;
                require("tolerance", g.tolerance, g.tolerance > 0.0, "positive")
            }
        }
    }
    /// Times of the reports after a start at `t`.
    pub(super) fn reports(&self, t: f64) -> ReportTimes {
        ReportTimes::new(t, self.every, self.until)
    }
}

/// Times of the reports: the start, every step, the end. They are computed when they are asked for: there may be millions.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportTimes {
    start: f64,
    every: f64,
    until: f64,
    len: usize,
}

impl ReportTimes {
    fn new(start: f64, every: f64, until: f64) -> Self {
        // The last one is not doubled by a rounding of the division.
        let inside = |k: f64| start + k * every < until - 1e-9 * every;
        let mut steps = ((until - start) / every).floor().max(0.0);
        while steps > 0.0 && !inside(steps) {
            steps -= 1.0;
        }
        while inside(steps + 1.0) {
            steps += 1.0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative, at most 5e7"
        )]
        let len = steps as usize + 2;
        Self { start, every, until, len }
    }
    /// Their number, two at least.
    pub(super) fn len(&self) -> usize {
        self.len
    }
    /// One of them, s; the end from there on.
    pub(super) fn at(&self, k: usize) -> f64 {
        if k + 1 < self.len { self.start + k as f64 * self.every } else { self.until }
    }
    /// The first.
    pub(super) fn start(&self) -> f64 {
        self.start
    }
    /// The last.
    pub(super) fn end(&self) -> f64 {
        self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_every_step_and_the_end_once() {
        for (start, every, until) in [
            (0.0, 0.1, 1.0),
            (0.0, 0.3, 1.0),
            (2.0, 5.0, 3.0),
            (1e6, 0.01, 1e6 + 0.07),
            (-1.0, 1.0 / 3.0, 1.0),
        ] {
            let times = ReportTimes::new(start, every, until);
            let mut expected = vec![start];
            let inside = |k: usize| start + k as f64 * every < until - 1e-9 * every;
            expected.extend((1..).take_while(|k| inside(*k)).map(|k| start + k as f64 * every));
            expected.push(until);
            let found: Vec<f64> = (0..times.len()).map(|k| times.at(k)).collect();
            assert_eq!(found, expected);
            assert_eq!((times.start(), times.end()), (start, until));
        }
    }
}
