//! What is said of a response in words: the one source for text, JSON, report and Python.

use super::{AbsentPole, AtAll, Density, Drive, RandomOutput};
use crate::number::{six, tiny};
use mb_eigen::Finding;
use mb_response::{How, Response, Sample, Sweep};
use std::f64::consts::TAU;

/// `1 mode`, `2 modes`.
fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// One sentence on frequencies, method and bound, without its stop.
pub fn method(sweep: &Sweep) -> String {
    let ratio = |s: &Sample| {
        let entries = (0..s.value.ncols()).flat_map(|i| (0..s.value.nrows()).map(move |o| (o, i)));
        // What is zero within its bound has no digit to compare with.
        let seen = entries.filter(|at| s.value[*at].norm() > s.bound[*at]);
        seen.map(|at| s.bound[at] / s.value[at].norm()).reduce(f64::max)
    };
    let samples = || sweep.points.iter().filter_map(|p| p.sample.as_ref());
    let bounds = match samples().filter_map(ratio).reduce(f64::max) {
        Some(worst) => format!("error bounds at most {} of the value", tiny(worst)),
        // Bounds relative to a value need one that is not zero.
        None if samples().next().is_none() => "no value, each lies on an undamped pole".to_owned(),
        None => "every value is zero within its bound".to_owned(),
    };
    let how = match &sweep.how {
        How::Direct => "each solved for itself".to_owned(),
        How::Unproved { why } => format!("each solved for itself (no error bound of a projection: {why})"),
        How::Projection { modes, vectors, direct } => {
            let rest =
                if *direct > 0 { format!(", {direct} of them solved for itself") } else { String::new() };
            let by = match modes {
                0 => "bounded by damping".to_owned(),
                _ => format!("with {}", count(*modes, "mode", "modes")),
            };
            format!(
                "by projection on {vectors} vectors {by}{rest}; {}",
                count(sweep.factorizations, "factorization", "factorizations")
            )
        }
    };
    format!("{}, {how}; {bounds}", count(sweep.points.len(), "frequency", "frequencies"))
}

/// What is known of the stability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// The largest real part that is surely positive, 1/s.
    pub growing: Option<f64>,
    /// All poles are known.
    pub all_poles: bool,
    /// They are those with the structural damping.
    pub with_loss: bool,
}

/// What a reader of the response has to know: stability, frequencies without a value, what it is relative to, its damping.
///
/// `drive`: none for given matrices; `loss`: eta.
pub fn notes(sweep: &Sweep, stability: &Stability, drive: Option<&Drive>, loss: f64) -> Vec<String> {
    let mut out = Vec::new();
    let without = if stability.with_loss { "" } else { " without its structural damping" };
    if let Some(real) = stability.growing {
        out.push(format!(
            "the system{without} is unstable (an eigenvalue has the real part {} 1/s): no motion settles to this response",
            six(real)
        ));
    } else if !stability.all_poles {
        out.push(format!("stability{without} was not checked outside the band"));
    }
    let lost = sweep.points.iter().filter(|p| p.sample.is_none()).map(|p| six(p.omega / TAU));
    let lost: Vec<String> = lost.collect();
    if !lost.is_empty() {
        out.push(format!(
            "no value at {} Hz: an undamped pole lies there, and what it is excited by and seen in is infinite",
            lost.join(", ")
        ));
    }
    if let Some(why) = sweep.stopped {
        let reached = sweep.points.last().map_or(0.0, |p| p.omega / TAU);
        out.push(format!(
            "the response ends early, at {} Hz, without its peaks: {why}; --time-limit SECONDS changes a limit",
            six(reached)
        ));
    }
    if sweep.ran_out {
        out.push(format!(
            "{} frequencies, as many as are taken, do not show all of the response: peaks may be missed; a narrower band or more points \
             evenly spaced (`--points`, with ten times as many in all) show more",
            sweep.points.len()
        ));
    }
    if let Some(Drive::Base(_)) = drive {
        out.push("outputs are relative to the moving base".to_owned());
    }
    if loss > 0.0 {
        let k = if drive.is_some() { ", weight and reactions in K included" } else { "" };
        out.push(format!("structural damping K (1 + {} i){k}", six(loss)));
    }
    out
}

/// Frequencies that a sentence names at most.
const NAMED: usize = 5;

/// One sentence for all undamped poles that are absent for the same reason.
pub fn absent(poles: &[AbsentPole], inputs: &[String], outputs: &[String]) -> Vec<String> {
    let names = |list: &[usize], of: &[String]| {
        list.iter().filter_map(|k| of.get(*k)).map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    let reason = |p: &AbsentPole| {
        let parts = [
            ("not excited by", names(&p.not_excited_by, inputs)),
            ("not seen in", names(&p.not_seen_in, outputs)),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(words, list)| format!("{words} {list}"))
            .collect();
        if parts.is_empty() {
            "excited and seen in motions that have nothing in common".to_owned()
        } else {
            parts.join(" and ")
        }
    };
    let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
    for pole in poles {
        let why = reason(pole);
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, list)) => list.push(pole.omega / TAU),
            None => groups.push((why, vec![pole.omega / TAU])),
        }
    }
    let sentence = |(why, list): (String, Vec<f64>)| {
        let shown: Vec<String> = list.iter().take(NAMED).map(|f| six(*f)).collect();
        let more = list.len().saturating_sub(NAMED);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (poles, are, they) =
            if list.len() == 1 { ("pole", "is", "it is") } else { ("poles", "are", "they are") };
        format!(
            "the undamped {poles} at {} Hz{rest} {are} {why}: {they} no {poles} of those responses",
            shown.join(", ")
        )
    };
    groups.into_iter().map(sentence).collect()
}

/// Outputs that read what nothing determines, and a rank of the constraints that is uncertain.
pub fn constraints(response: &Response, outputs: &[String]) -> Vec<String> {
    let uncertain = |f: &&Finding| matches!(f, Finding::UncertainConstraintRank { .. });
    let mut out: Vec<String> =
        response.constraint_findings().iter().filter(uncertain).map(ToString::to_string).collect();
    let shared = response.undetermined_outputs();
    let names: Vec<&str> = shared.iter().filter_map(|o| outputs.get(*o)).map(String::as_str).collect();
    if !names.is_empty() {
        // The names do not begin the sentence: a capital would change them.
        let (output, read, is) = match names.len() {
            1 => ("output", "reads", "it is"),
            _ => ("outputs", "read", "they are"),
        };
        out.push(format!(
            "the {output} {} {read} how redundant constraints share a reaction, which nothing determines: {is} the share of the shortest multipliers",
            names.join(", ")
        ));
    }
    out
}

/// Densities that are not given over the whole band, by the name of their input.
pub fn densities(densities: &[Density], inputs: &[String], [from, to]: [f64; 2]) -> Vec<String> {
    let of = |d: &Density| {
        let [first, last] = [d.points.first()?[0], d.points.last()?[0]];
        let covers = d.is_white() || (first <= from && last >= to);
        let name = inputs.get(d.column)?;
        let [first, last] = [first, last].map(six);
        (!covers).then(|| {
            format!(
                "the density of {name} is given from {first} to {last} Hz; in the rest of the band it counts as zero"
            )
        })
    };
    densities.iter().filter_map(of).collect()
}

/// Outputs whose mean square in the band is rounding, and why mean squares over all frequencies are missing, once for each reason.
pub fn mean_squares(outputs: &[String], random: &[RandomOutput]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (output, random) in outputs.iter().zip(random) {
        if random.band.value <= random.band.error && random.band.error > 0.0 {
            let most = tiny(random.band.value + random.band.error);
            out.push(format!(
                "the response of {output} is below its error bound: its mean square in the band is zero within {most}"
            ));
        }
    }
    for (output, random) in outputs.iter().zip(random) {
        let sentence = match &random.all {
            AtAll::Known(_) => continue,
            AtAll::Infinite(why) => {
                format!("the mean square of {output} over all frequencies is infinite: {why}")
            }
            AtAll::Unknown(why) => format!("mean squares over all frequencies are not computed: {why}"),
        };
        if !out.contains(&sentence) {
            out.push(sentence);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Density, Stability, densities, method, notes};
    use mb_algebra::{Dense, DenseC, c64};
    use mb_response::{How, Sample, Sweep, SweptPoint};

    /// Samples of one entry at 1 rad/s, each a value with its bound, or none at an undamped pole.
    fn sweep(entries: &[Option<(f64, f64)>]) -> Sweep {
        let sample = |(value, bound): (f64, f64)| Sample {
            omega: 1.0,
            value: DenseC::from_fn(1, 1, |_, _| c64::new(value, 0.0)),
            bound: Dense::from_fn(1, 1, |_, _| bound),
            slope: DenseC::zeros(1, 1),
        };
        let point = |e: &Option<(f64, f64)>| {
            e.map_or_else(|| SweptPoint::infinite(1.0), |e| SweptPoint::new(sample(e)))
        };
        let points = entries.iter().map(point);
        Sweep { points: points.collect(), factorizations: 0, how: How::Direct, ran_out: false, stopped: None }
    }

    #[test]
    fn bounds_are_relative_to_values_that_are_there() {
        let line = |entries: &[_]| method(&sweep(entries));
        let direct = ", each solved for itself; ";
        assert_eq!(
            line(&[Some((2.0, 0.5)), Some((4.0, 0.5)), None]),
            format!("3 frequencies{direct}error bounds at most 2.5e-1 of the value")
        );
        assert_eq!(line(&[None]), format!("1 frequency{direct}no value, each lies on an undamped pole"));
        for nothing in [(0.0, 0.0), (1e-17, 3e-17)] {
            assert_eq!(
                line(&[Some(nothing)]),
                format!("1 frequency{direct}every value is zero within its bound")
            );
        }
    }

    #[test]
    fn frequencies_that_ran_out_are_a_note() {
        let stable = Stability { growing: None, all_poles: true, with_loss: true };
        let mut swept = sweep(&[Some((2.0, 0.5)), Some((4.0, 0.5))]);
        assert!(notes(&swept, &stable, None, 0.0).is_empty());
        swept.ran_out = true;
        let [note] = &notes(&swept, &stable, None, 0.0)[..] else { panic!() };
        assert!(
            note.starts_with("2 frequencies, as many as are taken,") && note.contains("`--points`"),
            "{note}"
        );
    }

    #[test]
    fn a_density_that_ends_in_the_band_is_named() {
        let of = |points: &[[f64; 2]]| {
            let list = [Density { column: 0, points: points.to_vec() }];
            densities(&list, &["F".to_owned()], [1.0, 5.0])
        };
        assert!(of(&[[0.0, 3.0]]).is_empty() && of(&[[1.0, 3.0], [5.0, 2.0]]).is_empty());
        let ends = "the density of F is given from 2 to 9 Hz; in the rest of the band it counts as zero";
        assert_eq!(of(&[[2.0, 3.0], [9.0, 2.0]]).join("").replace(".00000", ""), ends);
    }
}
