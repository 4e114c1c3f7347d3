//! The runs that tables and figures share: two linkages, five methods, two loops, each made once.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use mb_constraints::ConstraintMethod;
use mb_constraints::method::{CorrectionTime, DirectCorrection};
use mb_constraints::simulate::{End, Integrator, SimulationOptions, StepControl, Trajectory, simulate};
use mb_gallery::models::SpatialFourBar;
use mb_model::Model;

/// A result, or in words why there is none.
pub(super) type Measured<T> = Result<T, String>;

/// The paper's methods as the tables name them, in the order of [`ConstraintMethod::all`].
pub(super) const METHODS: [&str; 5] =
    ["standard", "Baumgarte", "penalty", "augmented Lagrangian", "direct correction"];

/// Final time of Table 2, s.
pub(super) const UNTIL: f64 = 5.0;
/// Reporting step of Table 2, s.
pub(super) const EVERY: f64 = 0.02;
/// Tolerances far below those of Table 2, for what is compared to many digits.
pub(super) const TIGHT: StepControl = StepControl { relative: 1e-12, absolute: 1e-14, max_step: None };

/// Which lengths the linkage has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lengths {
    /// Ten times the printed ones.
    Adopted,
    /// As printed.
    Printed,
}

impl Lengths {
    /// Both, with their names in the tables.
    pub(super) const ALL: [(&str, Self); 2] = [("adopted", Self::Adopted), ("printed", Self::Printed)];

    /// The linkage.
    pub(super) fn linkage(self) -> SpatialFourBar {
        match self {
            Self::Adopted => SpatialFourBar::default(),
            Self::Printed => SpatialFourBar::printed(),
        }
    }
}

/// How the integrator is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loop {
    /// One run; direct corrections after every step.
    Continuous,
    /// A fresh start at every report, which is the paper's likely loop; direct corrections there.
    Restarted,
}

impl Loop {
    /// Both, with their names in the tables.
    pub(super) const ALL: [(&str, Self); 2] =
        [("continuous", Self::Continuous), ("restarted", Self::Restarted)];
}

/// A method by its place in [`METHODS`], as the loop uses it.
pub(super) fn method(index: usize, calls: Loop) -> ConstraintMethod {
    let method = ConstraintMethod::all()[index].clone();
    match (method, calls) {
        (ConstraintMethod::DirectCorrection(c), Loop::Restarted) => {
            let when = CorrectionTime::EveryReport;
            ConstraintMethod::DirectCorrection(DirectCorrection { when, ..c })
        }
        (method, _) => method,
    }
}

/// An error in its own words.
pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Builds a linkage.
pub(super) fn model(linkage: &SpatialFourBar) -> Measured<Model> {
    linkage.spec().and_then(|spec| spec.build()).map_err(words)
}

/// One motion from the model's own start; a run that does not reach its end is an error.
pub(super) fn motion(model: &Model, options: &SimulationOptions) -> Measured<Trajectory> {
    let mut on = |_: &_| ControlFlow::Continue(());
    let motion =
        simulate(model, 0.0, model.initial(), model.initial_velocity(), options, &mut on).map_err(words)?;
    match &motion.end {
        End::Finished => Ok(motion),
        End::Failed(why) => Err(words(why)),
        other => Err(format!("{other:?}")),
    }
}

/// Options of a run of the explicit integrator.
pub(super) fn options(
    until: f64,
    every: f64,
    method: ConstraintMethod,
    control: StepControl,
) -> SimulationOptions {
    let integrator = Integrator::DormandPrince { method, control, restart: false };
    SimulationOptions { until, every, integrator, ..SimulationOptions::default() }
}

/// A run of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    /// Lengths of the linkage.
    pub(super) lengths: Lengths,
    /// Place in [`METHODS`].
    pub(super) method: usize,
    /// How the integrator is called.
    pub(super) calls: Loop,
    /// True for ten times the paper's final time.
    pub(super) long: bool,
}

impl Case {
    /// Final time, s.
    pub(super) fn until(self) -> f64 {
        if self.long { 10.0 * UNTIL } else { UNTIL }
    }

    fn run(self) -> Measured<Trajectory> {
        let model = model(&self.lengths.linkage())?;
        let method = method(self.method, self.calls);
        let mut options = options(self.until(), EVERY, method, StepControl::default());
        if let Integrator::DormandPrince { restart, .. } = &mut options.integrator {
            *restart = self.calls == Loop::Restarted;
        }
        motion(&model, &options)
    }
}

/// The runs made so far.
#[derive(Default)]
pub(super) struct Study {
    runs: BTreeMap<Case, Measured<Trajectory>>,
}

impl Study {
    /// A run, made when it is asked for first.
    pub(super) fn run(&mut self, case: Case) -> &Measured<Trajectory> {
        self.runs.entry(case).or_insert_with(|| case.run())
    }

    /// What a function makes of a run.
    pub(super) fn of<T>(&mut self, case: Case, f: impl FnOnce(&Trajectory) -> T) -> Measured<T> {
        self.run(case).as_ref().map(f).map_err(Clone::clone)
    }
}

/// Shortest of three elapsed times of a run, s.
pub(super) fn elapsed(case: Case) -> Measured<f64> {
    let mut shortest = f64::INFINITY;
    for _ in 0..3 {
        let clock = Instant::now();
        std::hint::black_box(case.run()?);
        shortest = shortest.min(clock.elapsed().as_secs_f64());
    }
    Ok(shortest)
}

/// Energy at the start, J: kinetic, weight and spring, with the pivot O at height zero.
pub(super) fn energy(motion: &Trajectory) -> f64 {
    motion.records[0].kinetic + motion.records[0].potential
}

/// The largest of a list, NaN where there is one.
pub(super) fn largest(list: impl IntoIterator<Item = f64>) -> f64 {
    list.into_iter().max_by(f64::total_cmp).unwrap_or(f64::NAN)
}
