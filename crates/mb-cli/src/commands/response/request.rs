//! From the command line to what is asked of the response.

use crate::args::{AXES, QuantityArg, ResponseArgs};
use crate::failure::{Failure, RequestError};
use crate::flow::response::{Density, Drive, ResponseRequest};
use crate::point_file::LARGEST_NUMBER;
use crate::start::finite;
use mb_model::Model;
use mb_response::SweepOptions;
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::path::Path;

/// The request, with names looked up in the model.
pub(super) fn of(model: &Model, args: &ResponseArgs) -> Result<ResponseRequest, Failure> {
    let band_hz = band(args)?;
    once("--from", args.from.iter())?;
    once("--to", args.to.iter())?;
    once("--psd", args.psd.iter().map(|p| &p.name))?;
    let inputs = indices(&args.from, model.inputs(), |name, known| RequestError::NoSuchInput {
        option: "--from",
        name,
        known,
    })?;
    let names: Vec<String> = model.sensors().iter().map(|s| s.name.clone()).collect();
    let outputs =
        indices(&args.to, &names, |name, known| RequestError::NoSuchOutput { option: "--to", name, known })?;
    if outputs.is_empty() {
        return Err(RequestError::NothingToRespond { what: "output", option: "--to" }.into());
    }
    let drive = match (args.base, args.unbalance) {
        (Some(axis), _) => Drive::Base(axis.index()),
        (None, Some(amount)) if args.from.len() <= 2 => Drive::Unbalance { inputs, amount },
        (None, Some(_)) => {
            let value = args.from.len() as f64;
            return Err(RequestError::OutOfRange {
                option: "from",
                value,
                range: "given once or twice with --unbalance",
            }
            .into());
        }
        (None, None) if inputs.is_empty() => {
            return Err(RequestError::NothingToRespond { what: "input", option: "--from" }.into());
        }
        (None, None) => Drive::Inputs(inputs),
    };
    if let Drive::Base(axis) = drive
        && !moves_along(model, axis)
    {
        let others = (0..3).filter(|other| moves_along(model, *other)).map(|other| AXES[other]).collect();
        return Err(RequestError::NoSuchAxis { axis: AXES[axis], others }.into());
    }
    if !args.loss.is_finite() || args.loss < 0.0 {
        let range = "zero or a positive number";
        return Err(RequestError::OutOfRange { option: "loss", value: args.loss, range }.into());
    }
    let only = (!args.at_hz.is_empty()).then(|| {
        let mut list: Vec<f64> = args.at_hz.iter().map(|f| f * TAU).collect();
        list.sort_by(f64::total_cmp);
        list.dedup();
        list
    });
    let sweep = SweepOptions { points: args.points, logarithmic: args.log, only, ..SweepOptions::default() };
    let derivatives = match args.quantity {
        QuantityArg::Outputs | QuantityArg::Receptance => 0,
        QuantityArg::Mobility => 1,
        QuantityArg::Accelerance => 2,
    };
    let columns = match &drive {
        Drive::Inputs(list) => list.iter().map(|i| model.inputs()[*i].clone()).collect(),
        Drive::Base(_) => vec!["base".to_owned()],
        Drive::Unbalance { .. } => Vec::new(),
    };
    let densities = densities(args, &columns, model.inputs())?;
    Ok(ResponseRequest { drive, outputs, band_hz, loss: args.loss, derivatives, densities, sweep })
}

/// Indices of names; all of them where none is given.
fn indices(
    given: &[String],
    known: &[String],
    unknown: impl Fn(String, Vec<String>) -> RequestError,
) -> Result<Vec<usize>, RequestError> {
    if given.is_empty() {
        return Ok((0..known.len()).collect());
    }
    let place = |name: &String| {
        known.iter().position(|k| k == name).ok_or_else(|| unknown(name.clone(), known.to_vec()))
    };
    given.iter().map(place).collect()
}

/// Refuses a name that is given twice: two equal columns, or two densities of one input, are a slip.
fn once<'n>(option: &'static str, names: impl Iterator<Item = &'n String>) -> Result<(), RequestError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(RequestError::Twice { option, name: name.clone() });
        }
    }
    Ok(())
}

fn band(args: &ResponseArgs) -> Result<[f64; 2], RequestError> {
    let bad = |option, value, range| Err(RequestError::OutOfRange { option, value, range });
    let [from, to] = args.band[..] else {
        // The frequencies asked for, from zero on.
        let highest = args.at_hz.iter().copied().fold(0.0_f64, f64::max);
        if let Some(value) = args.at_hz.iter().copied().find(|f| !(0.0..=LARGEST_NUMBER).contains(f)) {
            let range = "a frequency of at least 0 Hz and at most 1e100 Hz";
            return Err(RequestError::OutOfRange { option: "at-hz", value, range });
        }
        return Ok([0.0, if highest > 0.0 { highest } else { 1.0 }]);
    };
    if !(from.is_finite() && from >= 0.0) {
        return bad("band LO", from, "a frequency of at least 0 Hz");
    }
    if !(to.is_finite() && to > from) {
        return bad("band HI", to, "a frequency above LO");
    }
    if to > LARGEST_NUMBER {
        return bad("band HI", to, "at most 1e100 Hz");
    }
    if args.log && from == 0.0 {
        return bad("band LO", from, "positive with --log");
    }
    if let Some(value) = args.at_hz.iter().copied().find(|f| !(*f >= from && *f <= to)) {
        return Err(RequestError::OutOfRange { option: "at-hz", value, range: "inside of --band" });
    }
    Ok([from, to])
}

fn densities(args: &ResponseArgs, columns: &[String], inputs: &[String]) -> Result<Vec<Density>, Failure> {
    let mut out = Vec::new();
    for given in &args.psd {
        let column = columns.iter().position(|c| *c == given.name).ok_or_else(|| {
            let name = given.name.clone();
            if inputs.contains(&name) {
                RequestError::NotDriven {
                    name,
                    option: if args.base.is_some() { "--base" } else { "--from" },
                }
            } else {
                RequestError::NoSuchInput { option: "--psd", name, known: columns.to_vec() }
            }
        })?;
        let points = if Path::new(&given.value).extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
            table(&given.value)?
        } else {
            vec![[0.0, finite("--psd", &given.name, &given.value)?]]
        };
        if points.iter().any(|p| p[1] < 0.0) {
            let (given, why) = (given.to_string(), "a density is zero or positive".to_owned());
            return Err(RequestError::BadOptions { option: "--psd", given, why }.into());
        }
        out.push(Density { column, points });
    }
    Ok(out)
}

/// Lines HZ,DENSITY; a first line that begins with a letter or a quote is one of names, and lines that begin with # are remarks.
fn table(path: &str) -> Result<Vec<[f64; 2]>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| Failure::Unreadable {
        what: "density file",
        path: path.to_owned(),
        source,
    })?;
    let bad = |line: usize, why: &str| {
        let reason = format!("line {}: {why}", line + 1);
        Failure::from(RequestError::BadConfiguration { option: "--psd", path: path.to_owned(), reason })
    };
    let mut out: Vec<[f64; 2]> = Vec::new();
    let mut begun = false;
    for (k, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let heads = !begun && line.starts_with(|c: char| c.is_alphabetic() || c == '"');
        begun = true;
        if heads {
            continue;
        }
        let number = |cell: &str| cell.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let pair = line.split_once(',').and_then(|(f, s)| Some([number(f)?, number(s)?]));
        let Some(pair) = pair else {
            return Err(bad(k, "two numbers with a comma between are needed, HZ,DENSITY"));
        };
        if pair[1] < 0.0 {
            return Err(bad(k, "a density is zero or positive"));
        }
        if out.last().is_some_and(|last| pair[0] <= last[0]) {
            return Err(bad(k, "frequencies must increase"));
        }
        out.push(pair);
    }
    if out.len() < 2 { Err(bad(0, "at least two lines of numbers are needed")) } else { Ok(out) }
}

/// Whether an acceleration of the base along an axis pushes anything.
fn moves_along(model: &Model, axis: usize) -> bool {
    model.unit_weight(&model.initial_point(), axis).iter().any(|f| *f != 0.0)
}
