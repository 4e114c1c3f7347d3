//! Events: a sensor that crosses a level stops the run.

use super::{Crossing, Event};
use crate::error::ConstraintError;
use crate::method::ForwardDynamics;
use mb_model::Point;

/// Steps of the search for the time of an event: bisection to the resolution of time.
const MOST_HALVINGS: usize = 60;

/// The events of a run and where their sensors stood.
#[derive(Debug)]
pub(super) struct Watch<'o> {
    events: &'o [Event],
    before: Vec<f64>,
}

impl<'o> Watch<'o> {
    /// Watches from the start on, at which `dynamics` was evaluated.
    pub(super) fn new(
        events: &'o [Event],
        dynamics: &ForwardDynamics<'_>,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Self {
        let before = if events.is_empty() { Vec::new() } else { distances(events, dynamics, t, q, v) };
        Self { events, before }
    }
    /// True when nothing is watched.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
    /// The first event between the times `from` and `to`, with its time; `state` gives the state
    /// in between.
    pub(super) fn first(
        &mut self,
        dynamics: &mut ForwardDynamics<'_>,
        from: f64,
        to: f64,
        y: &mut [f64],
        mut state: impl FnMut(f64, &mut [f64]),
    ) -> Result<Option<(f64, String)>, ConstraintError> {
        let nq = dynamics.model().nq();
        let mut values = |dynamics: &mut ForwardDynamics<'_>, t: f64| {
            state(t, y);
            let (q, v) = y.split_at(nq);
            dynamics.evaluate(t, q, v)?;
            Ok::<_, ConstraintError>(distances(self.events, dynamics, t, q, v))
        };
        let after = values(dynamics, to)?;
        let mut found: Option<(f64, String)> = None;
        for (k, event) in self.events.iter().enumerate() {
            if !crosses(event.crossing, self.before[k], after[k]) {
                continue;
            }
            let (mut low, mut high) = (from, to);
            for _ in 0..MOST_HALVINGS {
                let middle = f64::midpoint(low, high);
                if middle <= low || middle >= high {
                    break;
                }
                let value = values(dynamics, middle)?[k];
                if crosses(event.crossing, self.before[k], value) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            if found.as_ref().is_none_or(|f| high < f.0) {
                found = Some((high, event.name.clone()));
            }
        }
        self.before = after;
        Ok(found)
    }
}

/// Sensor minus level, for every event.
fn distances(events: &[Event], dynamics: &ForwardDynamics<'_>, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
    let point = Point {
        q: q.to_vec(),
        v: v.to_vec(),
        a: dynamics.acceleration().to_vec(),
        lambda: dynamics.multipliers().to_vec(),
        t,
        u: dynamics.inputs().to_vec(),
    };
    let outputs = dynamics.model().outputs(&point);
    events.iter().map(|e| outputs[e.sensor] - e.level).collect()
}

fn crosses(crossing: Crossing, before: f64, after: f64) -> bool {
    let (rises, falls) = (before < 0.0 && after >= 0.0, before > 0.0 && after <= 0.0);
    match crossing {
        Crossing::Rising => rises,
        Crossing::Falling => falls,
        Crossing::Either => rises || falls,
    }
}
