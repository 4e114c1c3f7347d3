//! What happens to modes along a path.

use super::expansion::Expansion;
use super::group_track::FollowedGroups;
use crate::number::six;
use mb_parametric::{Encounter, EncounterKind};
use std::f64::consts::TAU;

/// A step in which a mode keeps less than this share of itself is reported.
const DOUBTFUL: f64 = 0.5;

/// What happens on the way; modes by their numbers.
#[derive(Clone, Debug)]
pub enum Event {
    /// Two modes cross or veer.
    Encounter {
        /// Their numbers.
        modes: [usize; 2],
        /// Crossing or veering.
        kind: EncounterKind,
        /// Abscissa, between two samples as interpolated.
        at: f64,
        /// |s_a - s_b| / 2 pi there, Hz.
        gap_hz: f64,
        /// Share of the one's shape before in the other's after.
        exchange: f64,
    },
    /// Modes that coincide at a sample: what stands there was found near it.
    Coincidence {
        /// Abscissa.
        at: f64,
    },
    /// A mode keeps little of itself in a step.
    Doubtful {
        /// Its number.
        mode: usize,
        /// Abscissa after the step.
        at: f64,
        /// What it keeps.
        share: f64,
    },
    /// Modes of a group coincide at some samples.
    Together {
        /// Their numbers.
        group: Vec<usize>,
        /// Abscissas of the first and the last sample.
        from: f64,
        /// The last one.
        until: f64,
    },
    /// A group was not found: another mode coincides with one of it there, or its polynomials are too far off.
    Lost {
        /// Its numbers.
        group: Vec<usize>,
        /// Abscissas of the first and the last sample.
        from: f64,
        /// The last one.
        until: f64,
    },
    /// Modes of groups cannot be distinguished from one another, so that nothing is reported of what each of them does.
    Unknown {
        /// Their numbers.
        group: Vec<usize>,
    },
}

/// Encounters, coincidences, doubtful steps, and what groups do; `along` are the abscissas of the samples.
pub fn events(
    along: &[f64],
    expansion: &Expansion,
    exact: &mb_parametric::Track,
    followed: &FollowedGroups,
) -> Vec<Event> {
    let FollowedGroups { groups, members } = followed;
    let numbers = expansion.numbers();
    let of_groups = expansion.pieces[0].groups.iter().map(|group| &group.numbers);
    let all: Vec<usize> = numbers.iter().chain(of_groups.clone().flatten()).copied().collect();
    let told = |e: &Encounter| Event::Encounter {
        modes: e.modes.map(|k| all[k]),
        kind: e.kind,
        at: between(along, e.sample),
        gap_hz: e.gap / TAU,
        exchange: e.exchange,
    };
    // The single modes come first among the members.
    let mut out: Vec<Event> = members.as_ref().unwrap_or(exact).encounters.iter().map(told).collect();
    for (tracked, group) in groups.iter().zip(of_groups.clone()) {
        let samples = 0..along.len();
        for [from, until] in runs(samples.clone().map(|i| tracked.coincide(i))) {
            let [from, until] = [along[from], along[until]];
            out.push(Event::Together { group: group.clone(), from, until });
        }
        for [from, until] in runs(samples.map(|i| tracked.exact[i].is_none())) {
            let [from, until] = [along[from], along[until]];
            out.push(Event::Lost { group: group.clone(), from, until });
        }
        if members.is_none() {
            out.push(Event::Unknown { group: group.clone() });
        }
    }
    out.extend(exact.passed_beside.iter().map(|i| Event::Coincidence { at: along[*i] }));
    for (i, mac) in exact.mac.iter().enumerate() {
        for (k, number) in numbers.iter().enumerate().filter(|(k, _)| mac[(*k, *k)] < DOUBTFUL) {
            out.push(Event::Doubtful { mode: *number, at: along[i + 1], share: mac[(k, k)] });
        }
    }
    out
}

/// The abscissa at a sample, between two as on a straight line.
fn between(along: &[f64], sample: f64) -> f64 {
    let low = (0..along.len()).rev().find(|i| *i as f64 <= sample).unwrap_or(0);
    let high = (low + 1).min(along.len() - 1);
    along[low] + (sample - low as f64) * (along[high] - along[low])
}

/// First and last numbers of the stretches that are true.
fn runs(list: impl Iterator<Item = bool>) -> Vec<[usize; 2]> {
    let mut out: Vec<[usize; 2]> = Vec::new();
    for (i, _) in list.enumerate().filter(|(_, yes)| *yes) {
        match out.last_mut() {
            Some(last) if last[1] + 1 == i => last[1] = i,
            _ => out.push([i, i]),
        }
    }
    out
}

/// An event in words.
pub fn words(event: &Event, abscissa: &str) -> String {
    match event {
        Event::Encounter { modes: [a, b], kind: EncounterKind::Crossing, at, .. } => {
            format!("modes {a} and {b} cross at {abscissa} = {}, in damped frequency", six(*at))
        }
        Event::Encounter { modes: [a, b], kind: EncounterKind::Veering, at, gap_hz, exchange } => format!(
            "modes {a} and {b} veer at {abscissa} = {}: {} Hz apart, shapes exchanged to {:.0} %",
            six(*at),
            six(*gap_hz),
            100.0 * exchange.min(1.0)
        ),
        Event::Coincidence { at } => {
            format!("two modes coincide at {abscissa} = {}; their shapes there are those close by", six(*at))
        }
        Event::Doubtful { mode, at, share } => format!(
            "mode {mode} is followed in doubt at {abscissa} = {}: it keeps {:.0} % of itself in one step; take more samples",
            six(*at),
            100.0 * share
        ),
        Event::Together { group, from, until } => {
            format!("modes of group {} coincide at {abscissa} {}", sum(group), stretch(*from, *until))
        }
        Event::Lost { group, from, until } => format!(
            "group {} is lost at {abscissa} {}: either another mode coincides with one of it and belongs into the group, or the polynomials are too far off there; a higher --order or a shorter path decides which",
            sum(group),
            stretch(*from, *until)
        ),
        Event::Unknown { group } => format!(
            "the modes of group {} cannot be distinguished: whether they cross or veer is not known",
            sum(group)
        ),
    }
}

/// The name of a group.
fn sum(group: &[usize]) -> String {
    group.iter().map(ToString::to_string).collect::<Vec<_>>().join("+")
}

/// One abscissa or two.
fn stretch(from: f64, until: f64) -> String {
    if (until - from).abs() > 0.0 {
        format!("from {} to {}", six(from), six(until))
    } else {
        format!("= {}", six(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_begin_and_end_where_they_should() {
        let runs = |list: &[bool]| super::runs(list.iter().copied());
        assert_eq!(runs(&[true, true, false, true]), [[0, 1], [3, 3]]);
        assert!(runs(&[false, false]).is_empty());
        assert_eq!(
            (stretch(1.0, 1.0), stretch(1.0, 2.5)),
            ("= 1.00000".into(), "from 1.00000 to 2.50000".into())
        );
    }
}
