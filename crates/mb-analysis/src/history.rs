//! A motion in time: frames of the drawing, outputs, violation and energy.

use crate::drawing::Drawing;
use mb_constraints::simulate::Trajectory;
use mb_model::Model;
use mb_report::{Chart, Curve, Motion, Panel};

/// Most outputs that are drawn; each has a panel.
const CURVES: usize = 6;

/// At most `most` frames, evenly among the reports.
pub fn frames(model: &Model, drawing: &Drawing, motion: &Trajectory, most: usize) -> Motion {
    let count = motion.len().min(most.max(2));
    let index = |k: usize| if count > 1 { k * (motion.len() - 1) / (count - 1) } else { 0 };
    let chosen: Vec<usize> = (0..count).map(index).collect();
    let nodes = |i: &usize| drawing.places.iter().map(|p| model.place_at(p, motion.q_at(*i))).collect();
    Motion {
        times: chosen.iter().map(|i| motion.times[*i]).collect(),
        frames: chosen.iter().map(nodes).collect(),
    }
}

/// Outputs over time, then violation and energy; `elsewhere` has the outputs that are left out.
pub fn charts(model: &Model, motion: &Trajectory, elsewhere: &str) -> Vec<Chart> {
    let time = || motion.times.clone();
    let outputs = motion.outputs(model);
    let curve = |k: usize, name: &str| Curve {
        name: name.to_owned(),
        colour: 0,
        x: time(),
        y: outputs.iter().map(|row| row[k]).collect(),
        ..Curve::default()
    };
    let panels: Vec<Panel> = model
        .sensors()
        .iter()
        .enumerate()
        .take(CURVES)
        .map(|(k, sensor)| Panel {
            ordinate: match sensor.reading.unit() {
                "" => sensor.name.clone(),
                unit => format!("{}, {unit}", sensor.name),
            },
            logarithmic: false,
            curves: vec![curve(k, &sensor.name)],
        })
        .collect();
    let chart = |title: &str, note: String, panels| Chart {
        title: title.to_owned(),
        note,
        abscissa: "time, s".to_owned(),
        panels,
        ..Chart::default()
    };
    let record = |name: &str, colour: usize, of: &dyn Fn(&mb_constraints::simulate::Record) -> f64| Curve {
        name: name.to_owned(),
        colour,
        x: time(),
        y: motion.records.iter().map(of).collect(),
        ..Curve::default()
    };
    let mut out = Vec::new();
    if !panels.is_empty() {
        let count = model.sensors().len();
        let note = if count > CURVES {
            format!("The first {CURVES} of {count} outputs; {elsewhere} has all of them.")
        } else {
            String::new()
        };
        out.push(chart("Outputs over time", note, panels));
    }
    let violation = Panel {
        ordinate: "violation Phi'Phi".to_owned(),
        logarithmic: true,
        curves: vec![record("violation", 0, &|r| r.violation)],
    };
    let energy = Panel {
        ordinate: "energy, J".to_owned(),
        logarithmic: false,
        curves: vec![
            record("kinetic", 0, &|r| r.kinetic),
            record("potential", 1, &|r| r.potential),
            record("departure from the balance", 2, &|r| r.drift),
        ],
    };
    out.push(chart("Violation and energy over time", String::new(), vec![violation, energy]));
    out
}
