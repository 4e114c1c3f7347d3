//! A motion in parts, so that it can go on after an end from outside with the same bits.
//!
//! Each part covers the same number of reports and begins afresh from the configuration and velocities at its first one, so that
//! what comes after a part depends on these alone. A run that was ended goes on from its last whole part exactly as it would have
//! gone on by itself.

use mb_constraints::ConstraintError;
use mb_constraints::simulate::{
    self, End, Progress, Record, SimulationOptions, StartPolicy, Statistics, Trajectory,
};
use mb_model::Model;
use mb_parametric::Journal;
use mb_parametric::journal::{Reader, Writer};
use std::ops::ControlFlow;

/// Reports of a part.
const REPORTS: usize = 100;

/// Simulates in parts, from the last one that the journal has, which keeps every part that is whole.
///
/// # Errors
/// The errors of [`simulate::simulate`].
pub fn simulate_in_parts(
    journal: &mut dyn Journal,
    model: &Model,
    t: f64,
    (q, v): (&[f64], &[f64]),
    options: &SimulationOptions,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Trajectory, ConstraintError> {
    let mut motion = Trajectory::empty(model, &options.inputs);
    loop {
        let from = motion.len().checked_sub(1);
        let begin = from.map_or(t, |i| motion.times[i]);
        let (q, v) = match from {
            Some(i) => (motion.q_at(i).to_vec(), motion.v_at(i).to_vec()),
            None => (q.to_vec(), v.to_vec()),
        };
        let start = if from.is_some() { StartPolicy::Keep } else { options.start };
        // Counted from the start of the run, so that parts end at the same doubles however often it was ended.
        let reports = from.unwrap_or(0) + REPORTS;
        let end = t + reports as f64 * options.every;
        let last = end >= options.until - 0.5 * options.every;
        let known = journal.recall().and_then(|numbers| read(&numbers, model, &options.inputs));
        if let Some(next) = known {
            motion.append(next);
            continue;
        }
        let until = if last { options.until } else { end };
        let part = SimulationOptions { until, start, ..options.clone() };
        let mut see = |p: &Progress| observer(&Progress { until: options.until, ..*p });
        let next = simulate::simulate(model, begin, &q, &v, &part, &mut see)?;
        let whole = next.end == End::Finished;
        // A part that was ended is answered, and computed again.
        if whole && !last {
            journal.keep(written(&next));
        }
        motion.append(next);
        if !whole || last {
            return Ok(motion);
        }
    }
}

/// A part from its numbers.
fn read(numbers: &[f64], model: &Model, inputs: &[f64]) -> Option<Trajectory> {
    let mut from = Reader::new(numbers);
    let mut motion = Trajectory::empty(model, inputs);
    let mut counts = [0; 7];
    for count in &mut counts {
        *count = from.count()?;
    }
    motion.times = from.list()?;
    (motion.q, motion.v, motion.a, motion.lambda) = (from.list()?, from.list()?, from.list()?, from.list()?);
    let records = from.list()?;
    motion.records = records
        .chunks_exact(6)
        .map(|r| Record {
            violation: r[0],
            velocity_violation: r[1],
            kinetic: r[2],
            potential: r[3],
            work: r[4],
            drift: r[5],
        })
        .collect();
    let [steps, rejected, evaluations, capped, corrections, most_iterations, factorizations] = counts;
    motion.statistics =
        Statistics { steps, rejected, evaluations, capped, corrections, most_iterations, factorizations };
    let lists = [(&motion.q, model.nq()), (&motion.v, model.nv()), (&motion.a, model.nv())];
    let fits = lists.iter().all(|(list, each)| list.len() == motion.times.len() * each);
    (fits && motion.records.len() == motion.times.len()).then_some(motion)
}

/// The numbers of a part.
fn written(motion: &Trajectory) -> Vec<f64> {
    let s = &motion.statistics;
    let counts =
        [s.steps, s.rejected, s.evaluations, s.capped, s.corrections, s.most_iterations, s.factorizations];
    let of = |r: &Record| [r.violation, r.velocity_violation, r.kinetic, r.potential, r.work, r.drift];
    let mut out = Writer::default();
    for count in counts {
        out.count(count);
    }
    for list in [&motion.times, &motion.q, &motion.v, &motion.a, &motion.lambda] {
        out.list(list);
    }
    out.list(&motion.records.iter().flat_map(of).collect::<Vec<f64>>());
    out.done()
}
