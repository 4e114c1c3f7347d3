//! Processor times of linearizations in steady motion, compared with those of the same model at rest.
//!
//! `steady_times MODEL...`: models of files with `[[steady-rotation]]`. For each the least time of several runs, in ms, of the linearization
//! with dense and with sparse blocks, in motion and at the same configuration without speeds; the ratios; and what the proof that the motion
//! is steady takes. One thread, whose time on a processor is read from `/proc` (Linux).

#![expect(clippy::print_stdout, reason = "an example that reports")]

use mb_linear::steady::{Spin, spinning, steady_near};
use mb_linear::{FrameChoice, Instant, OperatingPoint, linearize, linearize_sparse};
use mb_model::{Model, Point};
use std::hint::black_box;

/// Runs of which the least counts.
const RUNS: usize = 5;

/// Time of this thread on a processor, ms.
fn processor_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-6
}

/// The clock ticks every few ms: a run repeats the work for this long, ms.
const RUN_MS: f64 = 40.0;

fn least(mut work: impl FnMut()) -> f64 {
    let mut one = || {
        let (start, mut count) = (processor_ms(), 0.0);
        loop {
            work();
            count += 1.0;
            let spent = processor_ms() - start;
            if spent.is_nan() || spent >= RUN_MS {
                return spent / count;
            }
        }
    };
    (0..RUNS).map(|_| one()).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:28}{:>6}{:>32}{:>32}{:>10}{:>10}",
        "model", "n+m", "dense: rest, motion, ratio", "sparse", "proof", "search"
    );
    for path in std::env::args().skip(1) {
        let model = Model::from_toml(&std::fs::read_to_string(&path)?)?;
        let start = model.initial_point();
        let (v, _) = spinning(&model, &start, &Spin::of_model(&model))?;
        let start = Point { v, ..start };
        let search = || steady_near(&model, &start, &FrameChoice::Automatic);
        let Some(found) = search()? else { return Err("no frame has these velocities".into()) };
        let searched = least(|| drop(black_box(search())));
        let moving = found.at;
        let at = Instant::declared(&model, moving.point().clone(), 1e-8)?;
        let proof =
            least(|| drop(black_box(OperatingPoint::of_instant(&model, &at, &FrameChoice::Automatic))));
        // What a linearization at rest costs does not depend on whether the forces are in balance.
        let none = vec![0.0; model.nv()];
        let still = Point { v: none.clone(), a: none, ..moving.point().clone() };
        let rest = OperatingPoint::declared(&model, still, f64::INFINITY)?;
        let dense = [&rest, &moving].map(|at| least(|| drop(black_box(linearize(&model, at)))));
        let sparse = [&rest, &moving].map(|at| least(|| drop(black_box(linearize_sparse(&model, at)))));
        let name = std::path::Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        print!("{name:28}{:>6}", model.nv() + model.nc());
        for [a, b] in [dense, sparse] {
            print!("{a:>12.3}{b:>12.3}{:>8.2}", b / a);
        }
        println!("{proof:>10.2}{searched:>10.2}");
    }
    Ok(())
}
