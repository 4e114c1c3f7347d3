//! Where the analysis starts: start values, time, inputs.

use crate::args::{Assignment, CentreArgs, MotionArgs, StartArgs, StrategyArg};
use crate::failure::{Failure, RequestError};
use crate::flow::{MotionOptions, StartOptions, rotates};
use crate::names;
use crate::point_file::{LARGEST_NUMBER, PointFile};
use mb_linear::steady::Spin;
use mb_linear::{FrameChoice, Strategy};
use mb_model::{Held, Model};

/// Turns the options of the command line into those of the flow.
///
/// # Errors
/// [`RequestError`] for names that the model does not have and values that are not numbers.
pub fn options(model: &Model, args: &StartArgs) -> Result<StartOptions, Failure> {
    Ok(with_motion(model, args, &MotionArgs::default())?.0)
}

/// The same with a point of a motion, where the options or the file of `--at` ask for one.
///
/// # Errors
/// As [`options`].
pub fn with_motion(
    model: &Model,
    args: &StartArgs,
    motion: &MotionArgs,
) -> Result<(StartOptions, Option<MotionOptions>), Failure> {
    let known = names::configuration(model);
    let speeds = model.coordinates().names();
    let rows: Vec<String> = (0..model.nc()).map(|i| model.row_name(i)).collect();
    let mut given: Vec<(usize, f64)> = Vec::new();
    let mut point = MotionOptions::default();
    let (mut moves, mut time, mut inputs) = (motion.given(), args.time, Vec::new());
    for at in &args.at {
        let file = match at.parse::<Assignment>() {
            Ok(a) => {
                let value = finite("--at", &a.name, &a.value)?;
                PointFile { configuration: vec![(a.name, value)], ..PointFile::default() }
            }
            Err(_) => PointFile::read("--at", at)?,
        };
        put(&known, &file.configuration, "--at", &mut given)?;
        if let Some(velocities) = &file.velocities {
            moves = true;
            put(&speeds, velocities, "--at", &mut point.velocities)?;
            put(&speeds, &file.accelerations, "--at", &mut point.accelerations)?;
            put(&rows, &file.multipliers, "--at", &mut point.multipliers)?;
        }
        if args.time == 0.0 {
            time = file.time.unwrap_or(time);
        }
        inputs.extend(file.inputs.into_iter().map(|(name, value)| ("--at", name, value)));
    }
    for a in &motion.velocity {
        let value = finite("--velocity", &a.name, &a.value)?;
        put(&speeds, &[(a.name.clone(), value)], "--velocity", &mut point.velocities)?;
    }
    turning(model, motion, &mut point)?;
    point.after = motion.after.unwrap_or(0.0);
    point.instant = motion.instant;
    point.frame = FrameChoice::named(motion.frame.as_deref());
    let range = if !point.after.is_finite() || point.after < 0.0 {
        Some("a number of seconds, zero or positive")
    } else if point.after > 0.0 && !(1e-100..=LARGEST_NUMBER).contains(&point.after) {
        Some("zero or between 1e-100 and 1e100 s")
    } else if point.after > 0.0 && args.time + point.after <= args.time {
        Some("zero or large enough to change --time")
    } else {
        None
    };
    if let Some(range) = range {
        return Err(RequestError::OutOfRange { option: "after", value: point.after, range }.into());
    }
    let mut sought = Vec::new();
    for a in &args.input {
        // Only a steady motion is solved for with unknown inputs.
        let start = unknown(&a.value, "0").filter(|_| motion.moving || motion.seeks() || rotates(model));
        sought.extend(start.map(|_| a.name.clone()));
        inputs.push(("--input", a.name.clone(), finite("--input", &a.name, start.unwrap_or(&a.value))?));
    }
    let mut values = vec![0.0; model.inputs().len()];
    for (option, name, value) in inputs {
        let known = model.inputs();
        let i = known.iter().position(|k| *k == name).ok_or_else(|| RequestError::NoSuchInput {
            option,
            name,
            known: known.to_vec(),
        })?;
        values[i] = value;
        if sought.contains(&known[i]) && !point.sought.inputs.contains(&i) {
            point.sought.inputs.push(i);
        }
    }
    moves |= !point.sought.is_empty();
    let strategy = strategy(args.strategy);
    let start = StartOptions {
        given,
        solve: !args.no_solve,
        strategy,
        time,
        inputs: values,
        ..StartOptions::default()
    };
    Ok((start, moves.then_some(point)))
}

/// The steady motion that options of an expansion ask for; none where they do not.
///
/// # Errors
/// [`RequestError`] for speeds that are no numbers.
pub fn steady(model: &Model, args: &CentreArgs) -> Result<Option<MotionOptions>, Failure> {
    let (spin, frame) = (args.spin.clone(), args.frame.clone());
    let mut options =
        MotionOptions { frame: FrameChoice::named(frame.as_deref()), ..MotionOptions::default() };
    let motion = MotionArgs { spin, frame, moving: args.moving, ..MotionArgs::default() };
    turning(model, &motion, &mut options)?;
    Ok(motion.given().then_some(options))
}

/// What turns with which speed, and what is held instead of an unknown one.
fn turning(model: &Model, motion: &MotionArgs, point: &mut MotionOptions) -> Result<(), Failure> {
    for a in &motion.spin {
        let sought = unknown(&a.value, "1");
        if sought.is_some() {
            point.sought.spins.push(point.spins.len());
        }
        let speed = finite("--spin", &a.name, sought.unwrap_or(&a.value))?;
        if sought.is_some() && speed == 0.0 {
            let (option, range) =
                ("spin", "sought from another speed than zero, as in `?1`: at rest nothing depends on it");
            return Err(RequestError::OutOfRange { option, value: speed, range }.into());
        }
        point.spins.push(Spin::behind(a.name.clone(), speed));
    }
    for a in &motion.hold {
        let value = finite("--hold", &a.name, &a.value)?;
        point.sought.holds.push((held(model, &a.name)?, value));
    }
    Ok(())
}

/// Where an unknown is sought from: what follows the question mark, or `usual`.
fn unknown<'a>(value: &'a str, usual: &'a str) -> Option<&'a str> {
    let start = value.strip_prefix('?')?.trim();
    Some(if start.is_empty() { usual } else { start })
}

/// The coordinate or output that is to have a value.
fn held(model: &Model, name: &str) -> Result<Held, RequestError> {
    model
        .held(name)
        .ok_or_else(|| RequestError::NothingToHold { name: name.to_owned(), known: model.holdable() })
}

/// Puts values by name into a list by index, the last one for each.
fn put(
    known: &[String],
    values: &[(String, f64)],
    option: &'static str,
    into: &mut Vec<(usize, f64)>,
) -> Result<(), RequestError> {
    for (name, value) in values {
        let i = known.iter().position(|k| k == name).ok_or_else(|| RequestError::NoSuchCoordinate {
            option,
            name: name.clone(),
            known: known.to_vec(),
        })?;
        into.retain(|(k, _)| *k != i);
        into.push((i, *value));
    }
    Ok(())
}

/// The method that an option names.
pub fn strategy(arg: StrategyArg) -> Strategy {
    match arg {
        StrategyArg::Automatic => Strategy::Automatic,
        StrategyArg::Newton => Strategy::Newton,
        StrategyArg::Relaxation => Strategy::Relaxation,
    }
}

/// A finite number, or degrees as in `70deg`, given for a name with an option.
///
/// # Errors
/// [`RequestError::NotANumber`].
pub fn finite(option: &'static str, name: &str, value: &str) -> Result<f64, RequestError> {
    number(value).ok_or_else(|| RequestError::NotANumber {
        option,
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

/// A finite number, or degrees as in `70deg`.
fn number(text: &str) -> Option<f64> {
    let value = match text.strip_suffix("deg") {
        Some(degrees) => degrees.trim_end().parse::<f64>().ok()?.to_radians(),
        None => text.parse::<f64>().ok()?,
    };
    (value.abs() <= LARGEST_NUMBER).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_degrees() {
        assert_eq!(number("1e-3"), Some(1e-3));
        assert_eq!(number("-180deg"), Some(-std::f64::consts::PI));
        assert_eq!(number("90 deg"), Some(std::f64::consts::FRAC_PI_2));
        assert_eq!((number("nan"), number("inf"), number("L")), (None, None, None));
    }
}
