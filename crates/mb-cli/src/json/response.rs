//! The document of `mb response`.

use super::parts::{ModelView, SiteView};
use super::{Head, text};
use crate::commands::response::Found;
use mb_algebra::c64;
use mb_response::{How, Peak, Sample, Sweep};
use serde::Serialize;
use std::f64::consts::TAU;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    #[serde(flatten)]
    site: SiteView,
    loss: f64,
    frequency_hz: Vec<f64>,
    infinite_at_hz: Vec<f64>,
    absent_poles: Vec<AbsentView>,
    responses: Vec<ResponseView>,
    notes: Vec<String>,
    method: MethodView,
    poles: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lossy_poles: Option<Vec<[f64; 2]>>,
    all_poles: bool,
    growing: Option<f64>,
}

#[derive(Serialize)]
struct ResponseView {
    output: String,
    input: String,
    output_unit: String,
    input_unit: String,
    value: Vec<[f64; 2]>,
    phase_deg: Vec<f64>,
    error_bound: Vec<f64>,
    peaks: Vec<PeakView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zeros: Option<ZerosView>,
}

#[derive(Serialize)]
struct PeakView {
    frequency_hz: f64,
    within_hz: [f64; 2],
    value: Option<[f64; 2]>,
    error_bound: Option<f64>,
}

impl PeakView {
    fn new(peak: &Peak) -> Self {
        Self {
            frequency_hz: peak.omega / TAU,
            within_hz: peak.within.map(|w| w / TAU),
            value: peak.value.map(|(h, _)| [h.re, h.im]),
            error_bound: peak.value.map(|(_, bound)| bound),
        }
    }
}

#[derive(Serialize)]
struct ZerosView {
    poles: Vec<[f64; 2]>,
    zeros: Vec<[f64; 2]>,
    cancelled: Vec<[f64; 2]>,
    gain: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gain_imaginary: Option<f64>,
    relative_error: Option<f64>,
}

#[derive(Serialize)]
struct MethodView {
    name: &'static str,
    factorizations: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direct: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl MethodView {
    fn new(sweep: &Sweep) -> Self {
        let factorizations = sweep.factorizations;
        let plain =
            Self { name: "direct", factorizations, modes: None, vectors: None, direct: None, why: None };
        match &sweep.how {
            How::Direct => plain,
            How::Unproved { why } => Self { why: Some(why.clone()), ..plain },
            How::Projection { modes, vectors, direct } => Self {
                name: "projection",
                modes: Some(*modes),
                vectors: Some(*vectors),
                direct: Some(*direct),
                ..plain
            },
        }
    }
}

#[derive(Serialize)]
struct RandomView {
    output: String,
    mean_square_in_band: f64,
    error_in_band: f64,
    density: Vec<f64>,
    density_bound: Vec<f64>,
    mean_square: Option<f64>,
    error_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// An undamped pole that responses do not have.
#[derive(Serialize)]
struct AbsentView {
    frequency_hz: f64,
    not_excited_by: Vec<String>,
    not_seen_in: Vec<String>,
}

#[derive(Serialize)]
struct WithRandom {
    #[serde(flatten)]
    document: Document,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    random: Vec<RandomView>,
}

fn pairs(list: &[c64]) -> Vec<[f64; 2]> {
    list.iter().map(|z| [z.re, z.im]).collect()
}

/// The document.
pub fn document(found: &Found) -> String {
    let (response, sweep) = (&found.response, &found.response.sweep);
    let poles: Vec<c64> = response.poles.spectrum.motion().filter_map(mb_eigen::Eigenpair::value).collect();
    let responses = found.entries().into_iter().map(|at| {
        let values = |of: &dyn Fn(&Sample) -> f64| found.samples().map(of).collect::<Vec<f64>>();
        let zeros = found.zeros.iter().find(|(o, i, _)| (*o, *i) == at).map(|(_, _, zeros)| match zeros {
            Ok(z) => ZerosView {
                poles: pairs(&z.poles),
                zeros: pairs(&z.zeros),
                cancelled: pairs(&z.cancelled),
                gain: Some(z.gain.re),
                gain_imaginary: (found.request.loss > 0.0).then_some(z.gain.im),
                relative_error: Some(z.relative_error),
            },
            Err(_) => ZerosView {
                poles: Vec::new(),
                zeros: Vec::new(),
                cancelled: Vec::new(),
                gain: None,
                gain_imaginary: None,
                relative_error: None,
            },
        });
        ResponseView {
            output: response.outputs[at.0].clone(),
            input: response.inputs[at.1].clone(),
            output_unit: response.output_units[at.0].clone(),
            input_unit: response.input_units[at.1].clone(),
            value: found.samples().map(|s| [s.value[at].re, s.value[at].im]).collect(),
            phase_deg: found.phases(at),
            error_bound: values(&|s| s.bound[at]),
            peaks: found.peaks(at).map(PeakView::new).collect(),
            zeros,
        }
    });
    let lost = sweep.points.iter().filter(|p| p.sample.is_none());
    let random = response.outputs.iter().zip(&response.random).map(|(output, random)| RandomView {
        output: output.clone(),
        mean_square_in_band: random.band.value,
        error_in_band: random.band.error,
        density: random.density.iter().map(|d| d[0]).collect(),
        density_bound: random.density.iter().map(|d| d[1]).collect(),
        mean_square: random.all.value().map(|v| v.value),
        error_bound: random.all.value().map(|v| v.bound),
        why: random.all.why().map(str::to_owned),
    });
    let absent = response.absent.iter().map(|p| AbsentView {
        frequency_hz: p.omega / TAU,
        not_excited_by: p.not_excited_by.iter().map(|i| response.inputs[*i].clone()).collect(),
        not_seen_in: p.not_seen_in.iter().map(|o| response.outputs[*o].clone()).collect(),
    });
    let document = Document {
        head: Head::of("response"),
        model: ModelView::new(&found.loaded, &found.rank),
        site: SiteView::new(&found.loaded, &found.site),
        loss: found.request.loss,
        frequency_hz: found.samples().map(|s| s.omega / TAU).collect(),
        infinite_at_hz: lost.map(|p| p.omega / TAU).collect(),
        absent_poles: absent.collect(),
        responses: responses.collect(),
        notes: mb_analysis::sentences::all(&found.notes()),
        method: MethodView::new(sweep),
        poles: pairs(&poles),
        lossy_poles: response.lossy_poles.as_deref().map(pairs),
        all_poles: response.all_poles,
        growing: response.growing(),
    };
    text(&WithRandom { document, random: random.collect() })
}
