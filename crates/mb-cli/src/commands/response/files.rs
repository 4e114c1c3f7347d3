//! The response in files: columns of a table, arrays of NumPy and MATLAB.

use super::Found;
use crate::flow::response::AtAll;
use crate::history::Column;
use crate::npz::Array;
use mb_algebra::c64;
use mb_response::Sample;
use std::f64::consts::TAU;

/// Frequency, then real and imaginary part, magnitude, phase and bound of each response; densities of the outputs where inputs are random.
pub(super) fn columns(found: &Found) -> Vec<Column> {
    let mut out = vec![("frequency_hz".to_owned(), found.samples().map(|s| s.omega / TAU).collect())];
    for at in found.entries() {
        let name = found.name(at);
        let values = |of: &dyn Fn(&Sample) -> f64| found.samples().map(of).collect::<Vec<f64>>();
        out.push((format!("re {name}"), values(&|s| s.value[at].re)));
        out.push((format!("im {name}"), values(&|s| s.value[at].im)));
        out.push((format!("abs {name}"), values(&|s| s.value[at].norm())));
        out.push((format!("phase_deg {name}"), found.phases(at)));
        out.push((format!("bound {name}"), values(&|s| s.bound[at])));
    }
    for (name, random) in found.response.outputs.iter().zip(&found.response.random) {
        let of = |k: usize| random.density.iter().map(|d| d[k]).collect();
        out.push((format!("density {name}"), of(0)));
        out.push((format!("density bound {name}"), of(1)));
    }
    out
}

/// `frequency_hz` (n), `response` and `bound` (n x outputs x inputs), names, poles; peaks, zeros and mean squares where there are some.
///
/// Lists that differ in length between responses are one list with the numbers of output and input, from zero, beside it.
pub(super) fn arrays(found: &Found) -> Vec<Array> {
    let response = &found.response;
    let (ny, nu) = (response.outputs.len(), response.inputs.len());
    let n = found.samples().count();
    let entries = found.entries();
    let all = |s: &Sample| entries.iter().map(|at| s.value[*at]).collect::<Vec<c64>>();
    let bounds = |s: &Sample| entries.iter().map(|at| s.bound[*at]).collect::<Vec<f64>>();
    let poles: Vec<c64> = response.poles.spectrum.motion_values();
    let lost: Vec<f64> =
        response.sweep.points.iter().filter(|p| p.sample.is_none()).map(|p| p.omega / TAU).collect();
    let mut out = vec![
        Array::real("frequency_hz", &[n], found.samples().map(|s| s.omega / TAU).collect()),
        Array::complex("response", &[n, ny, nu], found.samples().flat_map(all).collect()),
        Array::real("bound", &[n, ny, nu], found.samples().flat_map(bounds).collect()),
        Array::words("inputs", response.inputs.clone()),
        Array::words("outputs", response.outputs.clone()),
        Array::words("input_units", response.input_units.clone()),
        Array::words("output_units", response.output_units.clone()),
        Array::complex("poles", &[poles.len()], poles),
        Array::real("infinite_at_hz", &[lost.len()], lost),
    ];
    if let Some(lossy) = &response.lossy_poles {
        out.push(Array::complex("lossy_poles", &[lossy.len()], lossy.clone()));
    }
    if found.request.sweep.only.is_none() {
        let peaks = &response.peaks;
        let infinite = c64::new(f64::INFINITY, 0.0);
        out.extend([
            Array::real("peak_hz", &[peaks.len()], peaks.iter().map(|p| p.omega / TAU).collect()),
            Array::complex(
                "peak_response",
                &[peaks.len()],
                peaks.iter().map(|p| p.value.map_or(infinite, |v| v.0)).collect(),
            ),
            places("peak_of", &peaks.iter().map(|p| p.entry).collect::<Vec<_>>()),
        ]);
    }
    if !found.zeros.is_empty() {
        out.extend(zeros(found, [ny, nu]));
    }
    if !response.random.is_empty() {
        let random = &response.random;
        let list = |name, of: &dyn Fn(&crate::flow::response::RandomOutput) -> f64| {
            Array::real(name, &[ny], random.iter().map(of).collect())
        };
        out.push(list("mean_square_in_band", &|r| r.band.value));
        out.push(list("error_in_band", &|r| r.band.error));
        for (k, name) in ["density", "density_bound"].into_iter().enumerate() {
            let at = |s: usize| random.iter().map(move |r| r.density[s][k]);
            out.push(Array::real(name, &[n, ny], (0..n).flat_map(at).collect()));
        }
        if random.iter().all(|r| !matches!(r.all, AtAll::Unknown(_))) {
            out.push(list("mean_square", &|r| r.all.value().map_or(f64::INFINITY, |v| v.value)));
            out.push(list("error_bound", &|r| r.all.value().map_or(f64::INFINITY, |v| v.bound)));
        }
    }
    out
}

/// Numbers of output and input, from zero, k x 2.
fn places(name: &'static str, list: &[(usize, usize)]) -> Array {
    let whole = |k: usize| i64::try_from(k).unwrap_or(i64::MAX);
    Array::whole(name, &[list.len(), 2], list.iter().flat_map(|(o, i)| [whole(*o), whole(*i)]).collect())
}

const ZERO: c64 = c64::new(0.0, 0.0);

/// `zeros`, `transfer_poles` and `cancelled` with the places of their responses, and `gain` (outputs x inputs), complex with
/// structural damping, zero where the response vanishes.
fn zeros(found: &Found, [ny, nu]: [usize; 2]) -> Vec<Array> {
    let known = || found.zeros.iter().filter_map(|(o, i, z)| z.as_ref().ok().map(|z| ((*o, *i), z)));
    let mut out = Vec::new();
    for (name, of) in
        [("zeros", "zeros_of"), ("transfer_poles", "transfer_poles_of"), ("cancelled", "cancelled_of")]
    {
        let list = |z: &mb_response::Zeros| match name {
            "zeros" => z.zeros.clone(),
            "transfer_poles" => z.poles.clone(),
            _ => z.cancelled.clone(),
        };
        let all: Vec<((usize, usize), c64)> =
            known().flat_map(|(at, z)| list(z).into_iter().map(move |s| (at, s))).collect();
        out.push(Array::complex(name, &[all.len()], all.iter().map(|(_, s)| *s).collect()));
        out.push(places(of, &all.iter().map(|(at, _)| *at).collect::<Vec<_>>()));
    }
    let gain = |at: (usize, usize)| known().find(|(place, _)| *place == at).map_or(ZERO, |(_, z)| z.gain);
    let gains: Vec<c64> = (0..ny).flat_map(|o| (0..nu).map(move |i| (o, i))).map(gain).collect();
    out.push(if found.request.loss > 0.0 {
        Array::complex("gain", &[ny, nu], gains)
    } else {
        Array::real("gain", &[ny, nu], gains.iter().map(|gain| gain.re).collect())
    });
    out
}
