//! Our side of the race against other eigensolvers: the cases, and one run of one of them.
//!
//! `race write h1e4 FOLDER` writes a case for the others; `race run h1e4 [unproved]` solves it in this process and prints
//! one line of JSON: version, processor time of the start and of the analysis, time by the clock, peak memory, w = -s^2 of
//! the lowest modes or real and imaginary parts of the s near a point, worst residual and constraint violation.
//! `cargo xtask bench-peers` calls both. `race band h1e4 HZ` finds all modes up to a frequency, in slices on as many cores as
//! `RAYON_NUM_THREADS` says.
#![expect(clippy::print_stdout, reason = "a program that reports")]

mod attached;
mod chain;
#[path = "../cases/mod.rs"]
#[expect(dead_code, reason = "the measuring program has more families")]
mod families;
mod frame;
mod npy;
mod problem;
mod tie;

use std::fs;
use std::path::Path;
use std::time::Instant;

use mb_algebra::c64;
use mb_eigen::Eigenpair;
use mb_eigen::sparse::{Completeness, Request, SparseOptions, solve};
use problem::Case;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let startup_s = busy_seconds();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["write", name, folder] => Ok(Case::named(name)?.write(Path::new(folder))?),
        ["run", name] => run(&Case::named(name)?, None, true, startup_s),
        ["run", name, "unproved"] => run(&Case::named(name)?, None, false, startup_s),
        ["band", name, hz] => {
            let band = Request::Band { from_hz: 0.0, to_hz: hz.parse()?, max_damping_ratio: None };
            run(&Case::named(name)?, Some(band), true, startup_s)
        }
        _ => Err("race write CASE FOLDER, race run CASE [unproved], or race band CASE HZ".into()),
    }
}

fn run(
    case: &Case,
    band: Option<Request>,
    prove_complete: bool,
    startup_s: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let pencil = case.pencil();
    // Where the system allows it, the peak is that of the analysis alone.
    let _refused = fs::write("/proc/self/clear_refs", "5");
    let (before, clock) = (busy_seconds(), Instant::now());
    let options = SparseOptions { prove_complete, ..SparseOptions::default() };
    let spectrum = solve(&pencil, &band.unwrap_or_else(|| case.request()), &options)?;
    let (cpu_s, wall_s) = (busy_seconds() - before, clock.elapsed().as_secs_f64());
    let peak_mib = peak_mib();
    let near = case.point();
    // Every slice of a band has a word of its own.
    let proved = spectrum.completeness().any(Completeness::is_complete) && !spectrum.falls_short();
    let pairs: Vec<&Eigenpair> =
        spectrum.motion().filter(|pair| near.is_some() || pair.alpha.im >= 0.0).collect();
    let largest = |of: &dyn Fn(&Eigenpair) -> f64| pairs.iter().map(|pair| of(pair)).fold(0.0, f64::max);
    let residual = largest(&|pair| pair.backward_error);
    let violation = largest(&|pair| pair.constraint_violation);
    // w = -s^2, hence |dw| / |w| = 2 |ds| / |s|.
    let by = if near.is_some() { 1.0 } else { 2.0 };
    let bar = largest(&|pair| pair.value().map_or(0.0, |s| by * pair.error_bound / s.norm()));
    let s: Vec<c64> = pairs.iter().filter_map(|pair| pair.value()).collect();
    let list =
        |of: &dyn Fn(c64) -> f64| s.iter().map(|s| format!("{:e}", of(*s))).collect::<Vec<_>>().join(", ");
    let (values, imaginary) = match near {
        Some(_) => (list(&|s| s.re), list(&|s| s.im)),
        None => (list(&|s| -(s * s).re), String::new()),
    };
    println!(
        "{{\"version\": \"mb-eigen {}\", \"startup_s\": {startup_s:e}, \"cpu_s\": {cpu_s:e}, \"wall_s\": {wall_s:e}, \
         \"peak_mib\": {peak_mib:e}, \"residual\": {residual:e}, \"violation\": {violation:e}, \"bar\": {bar:e}, \
         \"proved\": {proved}, \"values\": [{values}], \"imaginary\": [{imaginary}]}}",
        env!("CARGO_PKG_VERSION"),
    );
    Ok(())
}

/// Time all threads of this process have spent on cores, where the system reports it (Linux).
fn busy_seconds() -> f64 {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 0.0 };
    let of = |folder: &Path| -> Option<f64> {
        let text = fs::read_to_string(folder.join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    let nanoseconds: f64 = tasks.flatten().filter_map(|task| of(&task.path())).sum();
    nanoseconds * 1e-9
}

/// Largest resident memory of this process in MiB, zero where the system does not report it.
fn peak_mib() -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
