//! `mb equilibrium`: configuration, reactions, stability; several equilibria distinguished.

use crate::Answer;
use crate::args::EquilibriumArgs;
use crate::failure::{Failure, NUMERICS, RequestError};
use crate::flow::{self, Settled, Several};
use crate::json;
use crate::names;
use crate::picture;
use crate::plot::{EquilibriumPlot, Picture};
use crate::progress::{self, Progress};
use crate::render::{Column, Style, Table, six, summary};
use crate::source::{Loaded, Text, load};
use mb_analysis::Start;
use mb_model::element::{Driven, Element};
use mb_model::system::Wrench;
use mb_model::{Model, Point};
use std::fmt::Write as _;

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics.
pub fn run(text: &Text, args: &EquilibriumArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    picture::check_file("--plot", args.plot.as_deref())?;
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    if args.find_all.is_some() {
        // Scattered starts go along a dense basis of the admissible motions.
        flow::check_size(model, flow::MOST_ROWS)?;
    }
    let rotates = flow::rotates(model);
    if rotates && (args.find_all.is_some() || args.load_path) {
        let what = if args.load_path { "--load-path" } else { "--find-all" };
        return Err(RequestError::Rotates { what }.into());
    }
    if rotates || !args.spin.is_empty() || !args.hold.is_empty() {
        return super::steady_motion::run(&loaded, args, style);
    }
    let mut start = crate::start::options(model, &args.start)?;
    start.watch = progress.watch();
    // What several searches have found is an answer when a signal ends them.
    let _stoppable = (args.load_path || args.find_all.is_some()).then(progress::stoppable);
    if args.load_path {
        return super::load_path::run(&loaded, &start, args, style);
    }
    let search = args.find_all.map(|starts| flow::equilibria(model, &start, starts)).transpose()?;
    let one = if search.is_none() { vec![flow::settle(model, &start)?] } else { Vec::new() };
    let found = search.as_ref().map_or(&one, |search| &search.found);
    // A search that was stopped is an answer with the exit code of numerics that did not come to an end.
    let ended = search.as_ref().and_then(|search| Some((search, search.stopped?)));
    let answer = |text| match ended {
        Some((search, why)) => Answer {
            complaint: format!(
                "The search ended early, after {} of {}: {}. What was found is kept.\n",
                search.tried,
                names::count(search.starts, "start", "starts"),
                super::parametric::ended(why)
            ),
            code: NUMERICS,
            ..Answer::right(text)
        },
        None => Answer::right(text),
    };
    let number = |i: usize| if found.len() > 1 { format!("{}. ", i + 1) } else { String::new() };
    let pictures = found.iter().enumerate().map(|(i, settled)| Picture {
        title: format!("{}equilibrium: {}", number(i), settled.stability),
        q: settled.equilibrium.q(),
        passed: Vec::new(),
    });
    let from = found.iter().find_map(|f| f.start.as_ref());
    draw(&loaded, args, from, "in equilibrium", pictures.collect())?;
    let rank = flow::rank(model, found[0].equilibrium.point())?;
    if args.json {
        let search = search.as_ref();
        return Ok(answer(json::equilibrium::document(&loaded, &rank, found, search, args.reactions)));
    }
    let mut out = summary::heading(&loaded, &rank, style);
    if let Some(search) = &search {
        out.push_str(&extent(search, style));
    }
    for (i, settled) in found.iter().enumerate() {
        if found.len() > 1 {
            let _ = writeln!(out, "\n{}", style.bold(&format!("{}.", i + 1)));
        }
        out.push_str(&details(model, settled, style));
        if args.reactions {
            out.push_str(&reactions(model, settled.equilibrium.point(), style));
        }
    }
    let mut notes = summary::start_notes(model, found[0].start.as_ref());
    notes.extend(summary::redundancy_notes(&rank));
    notes.extend(found.iter().flat_map(|e| summary::lost_contacts(model, e.equilibrium.point())));
    notes.extend(summary::speeds_aside(model));
    out.push_str(&summary::notes(&notes, style));
    Ok(answer(out))
}

/// Draws what was found from a start, where a picture is asked for.
pub(super) fn draw(
    loaded: &Loaded,
    args: &EquilibriumArgs,
    start: Option<&Start>,
    after_is: &str,
    pictures: Vec<Picture<'_>>,
) -> Result<(), Failure> {
    let Some(path) = &args.plot else { return Ok(()) };
    EquilibriumPlot {
        model: &loaded.model,
        before: start.map_or(loaded.model.initial(), |s| &s.q),
        before_is: before_is(args),
        after_is,
        pictures,
        source: loaded.file.clone(),
        scale: args.plot_scale,
        view: args.picture.view.clone(),
        names: args.picture.names,
    }
    .write(path)
}

/// What the configuration is from which an equilibrium is sought.
pub(super) fn before_is(args: &EquilibriumArgs) -> &'static str {
    if args.start.at.is_empty() || args.start.no_solve { "as built" } else { "the start given" }
}

/// How far a search for several equilibria came.
fn extent(search: &Several, style: Style) -> String {
    let what = names::count(search.found.len(), "equilibrium", "equilibria");
    match &search.stopped {
        None => format!("{what} found; a search proves what it lists, not that there are no others\n"),
        Some(why) => {
            let starts = names::count(search.starts, "start", "starts");
            let cut = format!("the search ended early: {} of {starts} were tried, {why}", search.tried);
            format!("{what} found; {}\n", style.bold(&cut))
        }
    }
}

fn details(model: &Model, settled: &Settled, style: Style) -> String {
    let point = settled.equilibrium.point();
    let mut out = summary::equilibrium_line(settled, style);
    out.push_str(&summary::configuration(model, &point.q, style));
    out.push_str(&forces(model, point, style));
    out
}

/// Forces and moments of joints and rods on the body of their first place, at that place and in ground axes.
fn reactions(model: &Model, point: &Point, style: Style) -> String {
    let found: Vec<(String, Wrench<f64>)> =
        model.reactions().into_iter().map(|r| (r.owner.clone(), model.wrench(&r, point))).collect();
    if found.is_empty() {
        return "\nno joint or rod, and so no reaction\n".to_owned();
    }
    let names = ["force x", "force y", "force z", "moment x", "moment y", "moment z"];
    let units = ["N", "N", "N", "N m", "N m", "N m"];
    let mut columns = vec![Column::words("reaction of")];
    columns.extend(names.into_iter().zip(units).map(|(name, unit)| Column::number(name, unit)));
    let mut table = Table::new(columns);
    for (owner, wrench) in &found {
        let (force, moment) = (summary::rounding(&wrench.force), summary::rounding(&wrench.moment));
        let values =
            wrench.force.iter().map(|x| six(force(*x))).chain(wrench.moment.iter().map(|x| six(moment(*x))));
        table.row(std::iter::once(owner.clone()).chain(values).collect());
    }
    let words = "on the body of the first place (a), at that place, along the axes of the ground";
    format!("\n{}{}\n", table.render(style), style.dim(words))
}

/// Multipliers and outputs.
pub(super) fn forces(model: &Model, point: &Point, style: Style) -> String {
    let mut out = String::new();
    if model.nc() > 0 {
        let mut table =
            Table::new(vec![Column::words("multiplier of"), Column::number("value", ""), Column::words("")]);
        let noise = summary::rounding(&point.lambda);
        for (i, lambda) in point.lambda.iter().enumerate() {
            table.row(vec![model.row_name(i), six(noise(*lambda)), style.dim(multiplier_unit(model, i))]);
        }
        out.push('\n');
        out.push_str(&table.render(style));
    }
    if !model.sensors().is_empty() {
        let mut table = Table::new(vec![Column::words("output"), Column::number("value", "")]);
        let values = model.outputs(point);
        let noise = summary::rounding(&values);
        for (sensor, value) in model.sensors().iter().zip(&values) {
            table.row(vec![sensor.name.clone(), six(noise(*value))]);
        }
        out.push('\n');
        out.push_str(&table.render(style));
    }
    out
}

/// Unit of a multiplier: work divided by the unit of its row.
fn multiplier_unit(model: &Model, row: usize) -> &'static str {
    let member = model.members_of_row(row).next();
    match member.map(|m| &m.element) {
        // Phi = |d|^2 - l^2: half the force per length.
        Some(Element::Distance(_)) => "N/m",
        Some(Element::Coincident(_) | Element::OnLine(_) | Element::AngleOfLine(_)) => "N",
        Some(Element::RelativeAngle(_)) => "N m",
        Some(element @ (Element::Joint(_) | Element::MeanTie(_))) => {
            let within = row - member.map_or(0, |m| m.row);
            if element.row_axis(within).starts_with("rotation") { "N m" } else { "N" }
        }
        Some(Element::Drive(d)) => match d.quantity {
            Driven::Angle { .. } | Driven::Rotation(_) => "N m",
            Driven::Coordinate { .. } | Driven::Displacement(_) => "N",
            Driven::Distance { .. } => "N/m",
        },
        _ => "",
    }
}
