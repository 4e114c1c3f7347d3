//! Mean squares of outputs for random inputs: over the band by integration, over all frequencies by the Lyapunov equation.
//!
//! A derivative of the output is another output, y' = C A x + C B u, as long as C B vanishes: white noise that reaches an output
//! directly has an infinite variance in it. Undamped motions that no driven input reaches or the output does not see are taken out before
//! (`StateSpace::minimal`).

use super::poles::ROUNDING;
use super::{Density, Drive, MINIMAL_TOLERANCE, ResponseRequest, shape};
use crate::error::AnalysisError;
use mb_algebra::{Dense, GeneralEigen, c64, dense};
use mb_linear::StateSpace;
use mb_response::{
    Evaluator, MeanSquare, Response, ResponseError, Sample, Variance, mean_squares, white_noise,
};
use std::f64::consts::TAU;

/// Relative accuracy of mean squares.
const ACCURACY: f64 = 1e-8;
/// Entry of C B, relative to its terms, that is rounding.
const NOTHING: f64 = 1e-12;
/// Relative change of the transfer function that taking states out with [`MINIMAL_TOLERANCE`] is allowed.
const CHANGED: f64 = 2e-7;

/// Why a mean square over all frequencies may be unknown.
const ILL: &str = "some motions are damped by less than the rounding of the Lyapunov equation";

/// A mean square over all frequencies.
#[derive(Clone, Debug, PartialEq)]
pub enum AtAll {
    /// By the Lyapunov equation.
    Known(Variance),
    /// It is infinite, for this reason.
    Infinite(String),
    /// It is not computed, for this reason; then it is for no output.
    Unknown(&'static str),
}

impl AtAll {
    /// The value with its bound; none where it is infinite or not computed.
    pub fn value(&self) -> Option<Variance> {
        match self {
            Self::Known(v) => Some(*v),
            Self::Infinite(_) | Self::Unknown(_) => None,
        }
    }
    /// Why there is no value.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Known(_) => None,
            Self::Infinite(why) => Some(why),
            Self::Unknown(why) => Some(why),
        }
    }
}

/// Mean square of an output for random inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomOutput {
    /// Over the band, by integration.
    pub band: MeanSquare,
    /// Over all frequencies.
    pub all: AtAll,
    /// One-sided spectral density per Hz and the bound of its error at each sample with a finite response.
    pub density: Vec<[f64; 2]>,
}

/// The one-sided density of an output, sum over the inputs of |H|^2 S, and the bound of its error.
pub(super) fn density(sample: &Sample, output: usize, densities: &[Density], hz: f64) -> (f64, f64) {
    let parts = densities.iter().filter(|d| d.at(hz) > 0.0).map(|d| {
        let at = (output, d.column);
        let (h, bound, level) = (sample.value[at].norm(), sample.bound[at], d.at(hz));
        // What is within its bound of zero is zero within it.
        if h <= bound {
            (0.0, (h + bound) * (h + bound) * level)
        } else {
            (h * h * level, (2.0 * h + bound) * bound * level)
        }
    });
    parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

/// Names of what drives and of what is read.
pub(super) struct Names<'a> {
    pub(super) inputs: &'a [String],
    pub(super) outputs: &'a [String],
}

/// Mean squares over the band by integration, one for each output. `orders`: how often each is still to be differentiated; `infinite`: entries by undamped pole, rad/s.
pub(super) fn in_band(
    evaluator: &mut Evaluator<'_>,
    (request, orders): (&ResponseRequest, &[u32]),
    poles: &[c64],
    infinite: &[(f64, Vec<(usize, usize)>)],
    names: &Names<'_>,
) -> Result<Vec<MeanSquare>, AnalysisError> {
    if request.densities.is_empty() {
        return Ok(Vec::new());
    }
    let [from, to] = request.band_hz;
    for (omega, entries) in infinite.iter().filter(|(w, _)| *w >= from * TAU && *w <= to * TAU) {
        for (o, i) in entries {
            let driven = |d: &Density| {
                let near = [-1e-6, 0.0, 1e-6].map(|x| d.at((omega + x * to * TAU) / TAU));
                d.column == *i && near.iter().any(|x| *x > 0.0)
            };
            if request.densities.iter().any(driven) {
                let [input, output] = [&names.inputs[*i], &names.outputs[*o]].map(String::clone);
                return Err(ResponseError::Undamped { omega: *omega, output, input }.into());
            }
        }
    }
    let corners: Vec<f64> = request.densities.iter().flat_map(|d| &d.points).map(|p| p[0]).collect();
    // Undamped poles in the band that are left are none of these responses.
    let is_absent = |p: &c64| {
        let inside = p.im >= from * TAU && p.im <= to * TAU;
        inside && p.re == 0.0
    };
    let poles: Vec<c64> = poles.iter().copied().filter(|p| !is_absent(p)).collect();
    let mut densities = |hz: f64| {
        let omega = hz * TAU;
        let point = shape(evaluator.at(omega)?, request, orders);
        let sample = point.sample.or(point.partly).ok_or(ResponseError::Pole { omega })?;
        let of_output = |o: usize| {
            let sum = density(&sample, o, &request.densities, hz);
            if (sum.0 + sum.1).is_finite() { Ok(sum) } else { Err(ResponseError::Pole { omega }) }
        };
        (0..request.outputs.len()).map(of_output).collect()
    };
    Ok(mean_squares(&mut densities, request.band_hz, &corners, &poles, ACCURACY, names.outputs)?)
}

/// Mean squares over all frequencies, where all densities are constant.
pub(super) fn at_all(
    response: &Response,
    request: &ResponseRequest,
    poles: &[c64],
    small: bool,
    names: &Names<'_>,
) -> Result<Vec<AtAll>, AnalysisError> {
    if request.densities.is_empty() {
        return Ok(Vec::new());
    }
    let none = |why| Ok(vec![AtAll::Unknown(why); request.outputs.len()]);
    if !request.densities.iter().all(Density::is_white) {
        return none("a density is not constant");
    }
    if request.loss != 0.0 {
        return none("structural damping is no differential equation");
    }
    if !small {
        return none("the model is large");
    }
    if matches!(request.drive, Drive::Unbalance { .. }) {
        return none("the unbalance grows with the frequency");
    }
    let Some([a, b, mut c, mut d]) = response.state_space()? else {
        return none("the mass matrix is singular");
    };
    let count = b.ncols();
    // Two-sided densities are half of the one-sided ones.
    let level =
        |i: usize| request.densities.iter().filter(|x| x.column == i).map(|x| 0.5 * x.points[0][1]).sum();
    let levels: Vec<f64> = (0..count).map(level).collect();
    let driven: Vec<usize> = (0..count).filter(|i| levels[*i] > 0.0).collect();
    let mut reached: Vec<Option<usize>> = vec![None; c.nrows()];
    for step in 0..=request.derivatives {
        for (o, reached) in reached.iter_mut().enumerate() {
            *reached = reached.or_else(|| driven.iter().copied().find(|i| d[(o, *i)] != 0.0));
        }
        if step < request.derivatives {
            d = Dense::from_fn(c.nrows(), count, |o, i| {
                let terms = || (0..c.ncols()).map(|k| c[(o, k)] * b[(k, i)]);
                let (sum, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                if sum.abs() > NOTHING * size { sum } else { 0.0 }
            });
            c = dense::mul(&c, &a);
        }
    }
    let b = dense::select_columns(&b, &driven);
    let intensity = dense::diagonal(&driven.iter().map(|i| levels[*i]).collect::<Vec<_>>());
    let eigenvalues = GeneralEigen::values(&a).map_err(ResponseError::Algebra)?;
    // What dense eigenvalues do not show of a damping the poles know, which have error bounds.
    let nearest = |s: c64| poles.iter().min_by(|a, b| (*a - s).norm().total_cmp(&(*b - s).norm()));
    let settles = |list: &[c64]| {
        list.iter().all(|s| s.re < -ROUNDING * s.norm() || nearest(*s).is_some_and(|pole| pole.re < 0.0))
    };
    let damped = settles(&eigenvalues);
    let mut out = Vec::new();
    for (o, reached) in reached.into_iter().enumerate() {
        if let Some(i) = reached {
            let why = format!("white noise of {} reaches {} directly", names.inputs[i], names.outputs[o]);
            out.push(AtAll::Infinite(why));
            continue;
        }
        let row = dense::from_rows(&[dense::row(&c, o)]);
        if damped {
            let found = match white_noise(&a, &b, &row, &intensity) {
                Err(ResponseError::NoDigits) => return none(ILL),
                found => found?,
            };
            out.extend(found.into_iter().map(AtAll::Known));
            continue;
        }
        let whole = StateSpace {
            a: a.clone(),
            b: b.clone(),
            c: row,
            d: Dense::zeros(1, driven.len()),
            states: (0..a.nrows()).map(|k| k.to_string()).collect(),
            inputs: driven.iter().map(|i| names.inputs[*i].clone()).collect(),
            outputs: vec![names.outputs[o].clone()],
        };
        let Ok(part) = whole.minimal(MINIMAL_TOLERANCE) else {
            return none("undamped motions cannot be told from those that are driven and seen");
        };
        if part.a.nrows() > 0 && !settles(&GeneralEigen::values(&part.a).map_err(ResponseError::Algebra)?) {
            out.push(AtAll::Infinite(format!("{} has an undamped pole that is excited", names.outputs[o])));
            continue;
        }
        let found = match white_noise(&part.a, &part.b, &part.c, &intensity) {
            Err(ResponseError::NoDigits) => return none(ILL),
            found => found?,
        };
        let changed = |v: Variance| Variance { bound: v.bound + 2.0 * CHANGED * v.value, ..v };
        out.extend(found.into_iter().map(|v| AtAll::Known(changed(v))));
    }
    Ok(out)
}
