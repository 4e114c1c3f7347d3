//! What the text says of Figs. 3-5 and of its two sets of numbers, as inequalities.
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use mb_algebra::c64;
use mb_gallery::{Computed, Table};

use super::figures::{Errors, Figures, Measures, largest};
use super::{arm, operating_point, setup};
use crate::answers::{Answer, Answers, count};

/// One of the paper's three metrics.
type Pick = fn(&Errors) -> &Vec<f64>;

/// Frequency, damping and MAC.
const METRICS: [Pick; 3] = [Errors::frequency_of, Errors::damping_of, Errors::mac_of];

/// The answers to the table of claims.
pub(super) fn answers(figures: &Figures) -> Answers {
    let mut answers = Answers::default();
    let mut put = |claim: &str, answer: Answer| answers.put(&format!("claim={claim}"), "value", answer);
    let measured =
        |f: &dyn Fn(&Measures) -> f64| figures.0.as_ref().map(|m| Computed::Real(f(m))).map_err(Clone::clone);
    put("frequency error of order 4", measured(&|m| over_pairs(&m.literal[3], |e| &e.frequency)));
    put("damping error of order 4", measured(&|m| over_pairs(&m.literal[3], |e| &e.damping)));
    put("loss of MAC at order 4", measured(&|m| over_pairs(&m.literal[3], |e| &e.mac)));
    put(
        "frequency error over its change",
        measured(&|m| share_of_change(m, Errors::frequency_of, c64::norm)),
    );
    put(
        "damping error over its change",
        measured(&|m| share_of_change(m, Errors::damping_of, damping_ratio)),
    );
    put(
        "higher order over lower",
        measured(&|m| largest(&m.literal.windows(2).flat_map(gains).collect::<Vec<_>>())),
    );
    let tails = |m: &Measures, pick: Pick| {
        m.literal[3].iter().map(|errors| tail_share(pick(errors))).fold(f64::MAX, f64::min)
    };
    put("largest error in the tails", measured(&|m| tails(m, Errors::frequency_of)));
    put("largest error in the tails, damping", measured(&|m| tails(m, Errors::damping_of)));
    put("largest error in the tails, MAC", measured(&|m| tails(m, Errors::mac_of)));
    let anywhere = |m: &Measures| METRICS.map(|f| over_pairs(&m.literal[3], f));
    put("largest error anywhere", measured(&|m| largest(&anywhere(m))));
    put("reduction of the computation time", reduction());
    put("balanced, frequency error of order 4", measured(&|m| over_pairs(&m.balanced[3], |e| &e.frequency)));
    put("balanced, damping error of order 4", measured(&|m| over_pairs(&m.balanced[3], |e| &e.damping)));
    put(
        "literal against the motion, order 5",
        measured(&|m| over_pairs(&m.literal_in_motion[4], |e| &e.frequency)),
    );
    put("static, frequency error of order 4", measured(&|m| over_pairs(&m.at_rest[3], |e| &e.frequency)));
    put("static, damping error of order 4", measured(&|m| over_pairs(&m.at_rest[3], |e| &e.damping)));
    put("terms of the reduced set", measured(&|m| m.reduced_terms as f64));
    put("reduced set, frequency error", measured(&|m| over_pairs(&m.reduced, |e| &e.frequency)));
    put("reduced set, damping error", measured(&|m| over_pairs(&m.reduced, |e| &e.damping)));
    put("Table 2 at the printed operating point", table_2_misfit());
    let eigenvalues = setup::eigenvalues();
    put("number of eigenvalues", eigenvalues.clone().map(|list| count(list.len())));
    put("unpaired eigenvalues", eigenvalues.map(|list| Computed::Real(setup::unpaired(&list))));
    put("vertical speed of the tip at the operating point", setup::vertical_speed().map(Computed::Real));
    answers
}

/// Percent of the first printed time that the second one saves.
fn reduction() -> Answer {
    let table = Table::load("palomba2019/timing").map_err(|e| e.to_string())?;
    let time = |work: &str| -> Result<f64, String> {
        let printed = table.number(&format!("work={work}"), "time").ok_or("the time is not there")?;
        Ok(printed.re().value())
    };
    Ok(Computed::Real(100.0 * (1.0 - time("polynomials at 51 points")? / time("51 eigenproblems")?)))
}

/// The largest error of three pairs.
fn over_pairs(row: &[Errors; 3], pick: Pick) -> f64 {
    let all: Vec<f64> = row.iter().map(|errors| largest(pick(errors))).collect();
    largest(&all)
}

/// Largest error of order 4 over the change of the quantity along the path relative to its mean; the worst of three pairs.
fn share_of_change(measures: &Measures, pick: Pick, of: fn(c64) -> f64) -> f64 {
    let shares: Vec<f64> = (0..3)
        .map(|pair| {
            let curve: Vec<f64> = measures.exact.iter().map(|sample| of(sample[pair])).collect();
            let (low, high) = curve.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
            largest(pick(&measures.literal[3][pair])) * 0.5 * (high + low) / (high - low)
        })
        .collect();
    largest(&shares)
}

/// Largest errors of an order over those of the order before, by pair and metric.
fn gains(orders: &[[Errors; 3]]) -> Vec<f64> {
    let ratio = |pair: usize, pick: Pick| largest(pick(&orders[1][pair])) / largest(pick(&orders[0][pair]));
    (0..3).flat_map(|pair| METRICS.map(|pick| ratio(pair, pick))).collect()
}

fn damping_ratio(s: c64) -> f64 {
    -s.re / s.norm()
}

/// Largest error in the first and last quarter of the path, relative to the largest between.
fn tail_share(list: &[f64]) -> f64 {
    let quarter = list.len() / 4;
    let tails = largest(&list[..quarter]).max(largest(&list[list.len() - quarter..]));
    tails / largest(&list[quarter..list.len() - quarter])
}

/// The worst equation with the rounded parameters, in units of what the digits leave open.
fn table_2_misfit() -> Answer {
    let table = Table::load("palomba2019/operating-point").map_err(|e| e.to_string())?;
    let [_, (_, arm)] = arm::sets();
    Ok(Computed::Real(largest(&operating_point::misfits(&table, &arm)?)))
}
