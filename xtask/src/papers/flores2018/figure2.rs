//! Fig. 2: the violation over time, as numbers, data (CSV) and picture (SVG).
//!
//! Paper: [flores2018] Fig. 2.
//!
//! [flores2018]: ../../../../docs/references.bib

use std::fmt::Write;

use mb_constraints::simulate::Trajectory;
use mb_gallery::Computed;

use super::draw::{Line, Panel, panels};
use super::runs::{Case, EVERY, Lengths, Loop, METHODS, Measured, Study, energy};
use crate::answers::{Answers, count};

/// What is drawn in the place of an exact zero: the start.
const FLOOR: f64 = 1e-33;

/// Levels, energy and counts of the continuous runs, with those computed separately.
pub(super) fn answers(study: &mut Study) -> Answers {
    let mut answers = Answers::default();
    for (index, name) in METHODS.into_iter().enumerate() {
        let row = format!("method={name}");
        let mut put = |column: &str, f: &dyn Fn(&Trajectory) -> Computed| {
            answers.put(&row, column, study.of(case(index, Loop::Continuous), f));
        };
        put("max Phi'Phi", &|m| Computed::Real(m.violation().0));
        put("mean Phi'Phi", &|m| Computed::Real(m.violation().1));
        put("max dE/E0", &|m| Computed::Real(m.energy_drift() / energy(m)));
        put("evaluations", &|m| count(m.statistics.evaluations));
    }
    answers
}

fn case(method: usize, calls: Loop) -> Case {
    Case { lengths: Lengths::Adopted, method, calls, long: false }
}

/// Phi^T Phi at every report: time, then each method in the continuous and in the restarted loop.
pub(super) fn data(study: &mut Study) -> Measured<String> {
    let mut columns = Vec::new();
    let mut text = "time".to_owned();
    for (calls_name, calls) in Loop::ALL {
        for (index, name) in METHODS.into_iter().enumerate() {
            let _infallible = write!(text, ",\"{name}, {calls_name}\"");
            columns.push(study.of(case(index, calls), violation)?);
        }
    }
    text.push('\n');
    for i in 0..columns[0].len() {
        let _infallible = write!(text, "{:.2}", EVERY * i as f64);
        for column in &columns {
            let _infallible = write!(text, ",{:.3e}", column[i]);
        }
        text.push('\n');
    }
    Ok(text)
}

/// One panel for each method.
pub(super) fn picture(study: &mut Study) -> Measured<String> {
    let mut drawn = Vec::new();
    for (index, name) in METHODS.into_iter().enumerate() {
        let mut lines = Vec::new();
        for (calls_name, calls) in Loop::ALL {
            let values = study.of(case(index, calls), violation)?;
            let points =
                values.iter().enumerate().map(|(i, x)| (EVERY * i as f64, x.max(FLOOR).log10())).skip(1);
            lines.push(Line { name: calls_name, points: points.collect() });
        }
        drawn.push(Panel { title: name.to_owned(), lines });
    }
    Ok(panels("Constraint violation Phi'Phi (m\u{b2}) over time (s)", &drawn))
}

fn violation(motion: &Trajectory) -> Vec<f64> {
    motion.records.iter().map(|r| r.violation).collect()
}
