//! `mb simulate`: motion in time, its violation and energy; all methods side by side.

mod args;
mod live;
mod report;

pub use args::{IntegratorArg, MethodArg, SimulateArgs, StartArg, Stop};

use crate::Answer;
use crate::args::{Assignment, ModelArgs, MotionArgs, StartArgs, StrategyArg};
use crate::failure::remedy::what_to_do;
use crate::failure::{Failure, RequestError};
use crate::history::{self, plot};
use crate::names;
use crate::outfile::Group;
use crate::picture::{self, PictureFormat};
use crate::progress::Progress;
use crate::render::{Style, six};
use crate::source::{Loaded, Text, load};
use crate::start::finite;
use clap::ValueEnum;
use live::Live;
use mb_algebra::Stopped;
use mb_analysis::checkpoint::{Checkpoint, Run as CheckpointRun};
use mb_constraints::ConstraintError;
use mb_constraints::simulate::{
    self, End, Event, GeneralizedAlpha, Integrator, SimulationOptions, StartPolicy, StepControl, Trajectory,
    consistent_start, simulate,
};
use mb_linear::LinearError;
use mb_model::Model;
use std::time::{Duration, Instant};

/// A run with what it took.
#[derive(Debug)]
pub struct Run {
    /// Name of the method.
    pub name: String,
    /// The motion.
    pub motion: Trajectory,
    /// Time it took, s.
    pub seconds: f64,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the start; a run that fails on the way is an
/// answer with the exit code of failed numerics, and its files hold what was computed.
pub fn run(text: &Text, args: &SimulateArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    if let Some(folder) = &args.plot {
        let remedy = "a motion has several pictures: give a folder, and --plot-format svg, pdf or png for their format";
        picture::check_folder(folder, remedy)?;
    }
    let loaded = load(text, &args.model)?;
    let format = args.output.as_deref().map(history::format_of).transpose()?;
    let (q, v, mut base) = start(&loaded, args)?;
    // Once for all methods, so that they begin alike and what was changed can be reported.
    let begin = consistent_start(&loaded.model, &q, &v, args.time, base.start, &base.hold)
        .map_err(LinearError::from)?;
    base.start = StartPolicy::Keep;
    let methods: &[MethodArg] = if args.compare { MethodArg::value_variants() } else { &[args.method] };
    let mut runs = Vec::new();
    let unknowns = u32::try_from(loaded.model.nv() + loaded.model.nc()).unwrap_or(u32::MAX);
    let live = Live::new(progress, LIMIT + LIMIT_FOR_EACH.saturating_mul(unknowns));
    let run = checkpoint_run(&loaded, args, (&begin.q, &begin.v));
    let mut journal = Checkpoint::open(args.checkpoint.as_deref(), &run)?;
    for method in methods {
        let options = SimulationOptions { integrator: integrator(args, *method), ..base.clone() };
        let name = options.integrator.method_name();
        let clock = Instant::now();
        let model = &loaded.model;
        let mut see = |p: &simulate::Progress| live.see(&name, p);
        let start = (&begin.q[..], &begin.v[..]);
        let motion = live.during(|| match &args.checkpoint {
            Some(_) => {
                mb_analysis::simulate_in_parts(&mut journal, model, args.time, start, &options, &mut see)
            }
            None => simulate(model, args.time, start.0, start.1, &options, &mut see),
        })?;
        let motion = motion.map_err(Failure::simulation)?;
        live.clear();
        let seconds = clock.elapsed().as_secs_f64();
        let interrupted = motion.end == End::Interrupted;
        runs.push(Run { name, motion, seconds });
        if interrupted {
            break;
        }
    }
    crate::guard::work_is_done();
    if let (Some(path), Some(format)) = (&args.output, format) {
        history::write(path, format, &loaded.model, &runs[0].motion, args.reactions)?;
    }
    if let Some(folder) = &args.plot {
        let mut group = Group::new(folder)?;
        for (name, svg) in plot::figures(&loaded.model, &runs) {
            args.plot_format.write_one(&mut group, name, &svg)?;
        }
        group.finish()?;
    }
    let text = if args.json {
        report::document(&loaded, (&q, &begin), &runs)
    } else {
        report::words(&loaded, args, (&q, &begin), &runs, style)
    };
    let failed = runs.iter().find_map(|r| match (&r.motion.end, live.stopped()) {
        (End::Failed(failure), _) => Some(format!("{}: {failure}{}\n", r.name, remedy(failure, &r.name))),
        (End::Interrupted, Some(why)) => {
            let reached = r.motion.times.last().copied().unwrap_or(args.time);
            let limit =
                if matches!(why, Stopped::TimeUp { .. }) { "; --time-limit SECONDS changes it" } else { "" };
            Some(format!(
                "{}: the run ended at t = {} s, before {} s: {why}{limit}. What was computed is kept.\n",
                r.name,
                six(reached),
                six(args.until)
            ))
        }
        _ => None,
    });
    let code = if failed.is_some() { crate::failure::NUMERICS } else { 0 };
    let finished = matches!(runs.last().map(|r| &r.motion.end), Some(End::Finished | End::Event(_)));
    journal.end(finished)?;
    Ok(Answer { text, complaint: failed.unwrap_or_default(), code })
}

/// What to do about a run that failed.
fn remedy(failure: &ConstraintError, integrator: &str) -> String {
    let help = match failure {
        ConstraintError::StepTooSmall { .. } if integrator == "generalized-alpha" => {
            Some("end the motion before that time (--until), or take other start values".to_owned())
        }
        other => Failure::simulation(other.clone()).help(),
    };
    what_to_do(help)
}

/// The run that a checkpoint belongs to: how it is shown matters not.
fn checkpoint_run(loaded: &Loaded, args: &SimulateArgs, start: (&[f64], &[f64])) -> CheckpointRun {
    let same = SimulateArgs {
        model: ModelArgs { model: String::new(), ..args.model.clone() },
        output: None,
        plot: None,
        plot_format: PictureFormat::Svg,
        json: false,
        reactions: false,
        checkpoint: None,
        ..args.clone()
    };
    CheckpointRun::new("simulate", &loaded.spec, &(same, start))
}

/// Time of a run that nobody limits: ten minutes, and a share for every coordinate and constraint row.
const LIMIT: Duration = Duration::from_secs(600);
const LIMIT_FOR_EACH: Duration = Duration::from_millis(200);

/// Start values and the options that all methods share.
fn start(loaded: &Loaded, args: &SimulateArgs) -> Result<(Vec<f64>, Vec<f64>, SimulationOptions), Failure> {
    let model = &loaded.model;
    let given = StartArgs {
        at: args.at.clone(),
        no_solve: true,
        strategy: StrategyArg::Automatic,
        time: args.time,
        input: args.input.clone(),
    };
    let (given, moving) = crate::start::with_motion(model, &given, &MotionArgs::default())?;
    let mut q = model.initial().to_vec();
    let mut hold = Vec::new();
    for (i, value) in &given.given {
        q[*i] = *value;
        hold.extend(names::velocity_index(model, *i));
    }
    let mut v = crate::flow::own_velocities(model, &q, args.time)?;
    // Speeds that a file of --at gives.
    for (i, value) in moving.iter().flat_map(|m| &m.velocities) {
        v[*i] = *value;
        hold.push(*i);
    }
    let known = model.coordinates().names();
    for Assignment { name, value } in &args.velocity {
        let value = finite("--velocity", name, value)?;
        let i = known.iter().position(|k| k == name).ok_or_else(|| RequestError::NoSuchCoordinate {
            option: "--velocity",
            name: name.clone(),
            known: known.clone(),
        })?;
        v[i] = value;
        hold.push(i);
    }
    let options = SimulationOptions {
        until: args.until,
        every: args.every,
        inputs: given.inputs,
        start: args.policy(),
        hold,
        events: events(model, &args.stop)?,
        ..SimulationOptions::default()
    };
    Ok((q, v, options))
}

fn events(model: &Model, stop: &[Stop]) -> Result<Vec<Event>, Failure> {
    let known: Vec<String> = model.sensors().iter().map(|s| s.name.clone()).collect();
    let mut out = Vec::new();
    for stop in stop {
        let name = stop.output.clone();
        let level = finite("--stop", &name, &stop.value)?;
        let sensor = known.iter().position(|k| *k == name).ok_or_else(|| RequestError::NoSuchOutput {
            option: "--stop",
            name: name.clone(),
            known: known.clone(),
        })?;
        out.push(Event { name, sensor, level, crossing: stop.crossing });
    }
    Ok(out)
}

fn integrator(args: &SimulateArgs, method: MethodArg) -> Integrator {
    match args.integrator {
        IntegratorArg::DormandPrince => Integrator::DormandPrince {
            method: args.constraint_method(method),
            control: StepControl { relative: args.rtol, absolute: args.atol, max_step: args.step },
            restart: args.restart,
        },
        IntegratorArg::GeneralizedAlpha => {
            let rest = GeneralizedAlpha::default();
            let step = args.step.unwrap_or(rest.step);
            Integrator::GeneralizedAlpha(GeneralizedAlpha { step, stabilized: args.stabilized, ..rest })
        }
    }
}
