//! The swinging N-loop four-bar linkage against its exact motion: our side of
//! `benchmarks/peers/exudyn_four_bar.py`.
//!
//! ```text
//! cargo run --release -p benchmarks --example motion_race LOOPS SECONDS
//! ```
//!
//! One line of JSON for each integrator and accuracy: processor seconds of the run alone, largest
//! error of the first crank's tip at the end (m), evaluations.
#![expect(clippy::print_stdout, reason = "what a program says")]

use benchmarks::swinging_four_bar;
use mb_constraints::ConstraintMethod;
use mb_constraints::method::DirectCorrection;
use mb_constraints::simulate::{GeneralizedAlpha, Integrator, SimulationOptions, StepControl, simulate};
use std::error::Error;
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let loops: u32 = args.next().map_or(Ok(5), |x| x.parse())?;
    let until: f64 = args.next().map_or(Ok(10.0), |x| x.parse())?;
    let (bar, model) = swinging_four_bar(loops)?;
    let exact = bar.at(until).ok_or("no motion")?;
    let method = ConstraintMethod::DirectCorrection(DirectCorrection::default());
    let explicit = |relative: f64| {
        let control = StepControl { relative, absolute: 1e-2 * relative, max_step: None };
        Integrator::DormandPrince { method: method.clone(), control, restart: false }
    };
    let implicit = |steps: f64| {
        let step = until / steps;
        Integrator::GeneralizedAlpha(GeneralizedAlpha { step, ..GeneralizedAlpha::default() })
    };
    let mut runs: Vec<(String, Integrator)> =
        [1e-4, 1e-6, 1e-8, 1e-10].map(|r| (format!("dormand-prince {r:e}"), explicit(r))).to_vec();
    runs.extend([500.0, 1000.0, 4000.0].map(|n| (format!("generalized-alpha {n}"), implicit(n))));
    for (name, integrator) in runs {
        let options = SimulationOptions { until, every: until, integrator, ..Default::default() };
        let before = busy_seconds();
        let v = model.initial_velocity();
        let motion = simulate(&model, 0.0, model.initial(), v, &options, &mut |_| ControlFlow::Continue(()))?;
        let cpu = busy_seconds() - before;
        let tip = motion.q_at(motion.len() - 1);
        let error = (tip[0] - exact[0]).hypot(tip[1] - exact[1]);
        let evaluations = motion.statistics.evaluations;
        println!(
            "{{\"run\": \"{name}\", \"cpu_s\": {cpu:e}, \"error\": {error:e}, \"evaluations\": {evaluations}}}"
        );
    }
    Ok(())
}

/// Time this process has spent on cores, where the system reports it (Linux); else zero.
fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
