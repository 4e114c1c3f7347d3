//! Modes of a model as one HTML page that plays them.

use std::f64::consts::TAU;

use mb_algebra::c64;
use mb_analysis::drawing::Drawing;
use mb_analysis::number::{six, tiny};
use mb_analysis::{FormulationSpectrum, Shares, history, rank_at, shares, tables};
use mb_eigen::Eigenpair;
use mb_eigen::modal::EnergyShares;
use mb_report::{Cell, Chart, Column, Report, Shape, Table};
use pyo3::prelude::*;

use crate::charts::Given;
use crate::motion::Motion;
use crate::options::read;
use crate::site::Site;
use crate::spectrum::{Spectrum, word};

/// Where the page says that more outputs are.
const FRAMES: &str = "the table of `run.to_frame()`";

/// The page: the drawing, the modes of the motion, the first `most` of them played, `curves` as JSON, a motion of at most `frames`
/// pictures, tables; facts and notes come from Python.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the parts of the page, each by its name")]
pub(crate) fn page(
    py: Python<'_>,
    site: &Site,
    spectrum: &Spectrum,
    title: String,
    facts: Vec<(String, String)>,
    statement: String,
    notes: Vec<String>,
    most: usize,
    curves: &str,
    motion: Option<&Motion>,
    frames: usize,
) -> PyResult<String> {
    let (found, leading, pairs) = (spectrum.found(), spectrum.leading(), spectrum.twins());
    let asked = read::<Vec<Given>>(py, curves)?.into_iter().map(Chart::from);
    let mut charts: Vec<Chart> = asked.collect();
    let motion = motion.map(Motion::trajectory);
    site.work_at(py, move |model, state| {
        let point = state.point();
        let parts = match state.state() {
            mb_analysis::State::Lasting(at) if matches!(state, mb_analysis::Site::Rest(_)) => {
                // Effective masses of damped or unsymmetric problems need left vectors, which were not asked for then.
                shares(model, &at, &found, true, true).or_else(|_| shares(model, &at, &found, true, false))?
            }
            _ => Shares::default(),
        };
        let drawing = Drawing::new(model, &point.q);
        let modes: Vec<Line<'_>> = leading
            .iter()
            .zip(&pairs)
            .enumerate()
            .map(|(number, (index, twin))| Line {
                number,
                index: *index,
                pair: &found.spectrum.eigenpairs[*index],
                twin: *twin,
            })
            .collect();
        let moving = modes.iter().filter(|m| m.pair.value().is_some()).take(most);
        let shapes = moving.map(|m| m.shape(model, &point.q, &drawing, parts.energy.as_ref())).collect();
        let number_of = |index: usize| leading.iter().position(|i| *i == index);
        let speeds = match state {
            mb_analysis::Site::Motion(_) => tables::speeds(model, point),
            mb_analysis::Site::Rest(_) => Table::default(),
        };
        let (tables, long) = tables::kept(
            [
                tables::energy(&parts, number_of),
                tables::participation(&parts, number_of),
                tables::joints(model, &rank_at(model, &point.q, point.t)?),
                tables::reactions(model, point),
                tables::outputs(model, point),
                tables::configuration(model, point),
                speeds,
            ],
            "the results have them",
        );
        let mut notes = notes;
        notes.extend(long);
        charts.extend(motion.iter().flat_map(|m| history::charts(model, m, FRAMES)));
        let report = Report {
            title,
            source: format!("{}; {}", model.name, found.name),
            program: concat!("mb-modes ", env!("CARGO_PKG_VERSION")).to_owned(),
            facts,
            modes: Some(table(&modes, &found)),
            statement,
            shapes,
            notes,
            motion: motion.as_ref().map(|m| history::frames(model, &drawing, m, frames)),
            charts,
            tables,
            scene: drawing.scene,
        };
        Ok(report.html())
    })
}

/// A row of the table.
struct Line<'a> {
    /// From 0, as Python counts.
    number: usize,
    index: usize,
    pair: &'a Eigenpair,
    /// Whether its conjugate belongs to it.
    twin: bool,
}

impl Line<'_> {
    /// The value, parts that drown in its error as zeros.
    fn value(&self) -> Option<c64> {
        let s = self.pair.value()?;
        let cut = self.pair.error_bound.min(1e-9 * s.norm());
        let part = |x: f64| if x.abs() <= cut { 0.0 } else { x };
        Some(c64::new(part(s.re), part(s.im)))
    }

    fn name(&self) -> String {
        match self.value() {
            None => format!("{}", self.number),
            Some(s) if s.im == 0.0 && s.re != 0.0 => format!("{}: {} 1/s", self.number, six(s.re)),
            Some(s) => format!("{}: {} Hz", self.number, six(s.im.abs() / TAU)),
        }
    }

    fn shape(
        &self,
        model: &mb_model::Model,
        q: &[f64],
        drawing: &Drawing,
        energy: Option<&EnergyShares>,
    ) -> Shape {
        let value = self.value().unwrap_or_default();
        let [real, imaginary] = drawing.displacements(model, q, self.pair.right.as_slice(), value.im != 0.0);
        let damping = if value.re != 0.0 && value.im != 0.0 {
            format!(", zeta = {}", six(-value.re / value.norm()))
        } else {
            String::new()
        };
        Shape {
            row: self.number,
            name: self.name(),
            sentence: format!("Mode {}{damping} ({}).", self.name(), word(self.pair.class)),
            value: [value.re, value.im],
            real,
            imaginary,
            strain: energy.map_or_else(Vec::new, |e| drawing.strain(e, self.index)),
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let (pair, seen) = (self.pair, self.value());
        let none = || Cell::Number(f64::NAN, "-".to_owned());
        let number = |x: Option<f64>| x.map_or_else(none, |x| Cell::Number(x, six(x)));
        let sign = if self.twin && seen.is_some_and(|s| s.im != 0.0) { "±" } else { "" };
        let error = pair.error_bound;
        vec![
            Cell::Number(self.number as f64, self.number.to_string()),
            number(seen.map(|s| s.re)),
            seen.map_or_else(none, |s| Cell::Number(s.im, format!("{sign}{}", six(s.im)))),
            number(pair.frequency_hz()),
            number(pair.natural_frequency_hz()),
            number(pair.damping_ratio().map(|z| if seen.is_some_and(|s| s.re == 0.0) { 0.0 } else { z })),
            Cell::Words(word(pair.class).to_owned()),
            Cell::Number(error, if error.is_finite() { tiny(error) } else { "-".to_owned() }),
        ]
    }
}

fn table(modes: &[Line<'_>], found: &FormulationSpectrum) -> Table {
    let heads = [
        ("mode", ""),
        ("re", "1/s"),
        ("im", "rad/s"),
        ("f_d", "Hz"),
        ("f_n", "Hz"),
        ("zeta", ""),
        ("kind", ""),
        ("error", "rad/s"),
    ];
    let whirls = !found.whirl.is_empty();
    let mut columns: Vec<Column> = heads.iter().map(|(name, unit)| Column::new(name, unit)).collect();
    columns.extend(whirls.then(tables::whirl_column));
    let row = |line: &Line<'_>| {
        let mut cells = line.cells();
        cells.extend(whirls.then(|| tables::whirl(found.whirl_of(line.index))));
        cells
    };
    Table { title: "Modes".to_owned(), note: String::new(), columns, rows: modes.iter().map(row).collect() }
}
