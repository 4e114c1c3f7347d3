//! Couplings of motions.

use super::expand::Entry;
use super::{Builder, Outcome};
use crate::element::{Coupling, Data, Element, Quantity};
use crate::model::Wiring;
use crate::spec::fault_coupling::CouplingFault;
use crate::spec::{CouplingSpec, Fault};

/// The largest whole number in a ratio of factors: teeth of a train of gears, multiplied.
const LARGEST: f64 = 1e6;
/// Relative difference between a ratio of factors and that of whole numbers: decimals are written with at most 16 digits.
const SAME: f64 = 1e-14;

impl<P: Data> Builder<P> {
    pub(super) fn coupling(&mut self, e: &Entry<'_, CouplingSpec>) -> Outcome<()> {
        let fault = |fault| e.problem("terms", Fault::Coupling(fault));
        if e.spec.terms.len() < 2 {
            return Err(fault(CouplingFault::Few { found: e.spec.terms.len() }));
        }
        let mut wiring = Wiring::default();
        let mut terms: Vec<(P, Quantity<P>)> = Vec::with_capacity(e.spec.terms.len());
        let mut rotations: Vec<(f64, &str)> = Vec::new();
        for term in &e.spec.terms {
            let factor = self.value(e, "terms", &term.factor)?;
            if factor.value() == 0.0 {
                return Err(fault(CouplingFault::Zero { of: term.of.clone() }));
            }
            let read = self.quantity(e, term.quantity, &term.of, term.from.as_ref(), &mut wiring)?;
            let Some((quantity, _)) = read else { return Ok(()) };
            if matches!(quantity, Quantity::Rotation(_)) {
                rotations.push((factor.value(), &term.of));
            }
            terms.push((factor, quantity));
        }
        let step = step(&rotations).map_err(fault)?;
        // The coordinates at the start, one block after the other as the elements see them.
        let mut start: Vec<P> = Vec::new();
        for id in wiring.clone().into_blocks() {
            let block = self.model.coordinates().block(id);
            start.extend(&self.model.initial()[block.q..block.q + block.kind.nq()]);
        }
        let sum = terms.iter().fold(P::zero(), |sum, (factor, x)| sum + x.eval(&start) * *factor);
        self.add(e, Element::Coupling(Coupling { terms, sum, step }), wiring, Vec::new());
        Ok(())
    }
}

/// The largest number of which all factors are whole multiples; zero for none.
fn step(rotations: &[(f64, &str)]) -> Result<f64, CouplingFault> {
    let Some(&(first, name)) = rotations.first() else { return Ok(0.0) };
    let mut common = 1.0;
    for &(factor, of) in &rotations[1..] {
        match denominator((factor / first).abs()) {
            Some(q) if common / gcd(common, q) * q <= LARGEST => common = common / gcd(common, q) * q,
            _ => {
                return Err(CouplingFault::NoRatio {
                    of: name.to_owned(),
                    other: of.to_owned(),
                    factor: first,
                    other_factor: factor,
                    most: LARGEST,
                });
            }
        }
    }
    // All are whole multiples of first / common, and may have more in common.
    let unit = first.abs() / common;
    Ok(rotations.iter().map(|(factor, _)| (factor.abs() / unit).round()).fold(0.0, gcd) * unit)
}

/// The denominator of the simplest fraction that is `x` >= 0, by its continued fraction.
fn denominator(x: f64) -> Option<f64> {
    let (mut before, mut now, mut rest) = ((1.0, 0.0), (x.floor(), 1.0), x - x.floor());
    while (now.0 / now.1 - x).abs() > SAME * x {
        let inverse = 1.0 / rest;
        let part = inverse.floor();
        let next: (f64, f64) = (part * now.0 + before.0, part * now.1 + before.1);
        if next.0.max(next.1) > LARGEST || !inverse.is_finite() {
            return None;
        }
        (before, now, rest) = (now, next, inverse - part);
    }
    Some(now.1)
}

/// Greatest common divisor of whole numbers.
fn gcd(a: f64, b: f64) -> f64 {
    if b == 0.0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_whole_multiples_of_their_step() {
        for (factors, expected) in [
            (&[20.0, 60.0][..], 20.0),
            (&[20.0, -35.0], 5.0),
            (&[0.05, -0.12], 0.01),
            (&[1.0, 1.0, -2.0], 1.0),
            (&[0.3, 0.7, 0.45], 0.05),
            (&[17.0], 17.0),
        ] {
            let named: Vec<(f64, &str)> = factors.iter().map(|x| (*x, "x")).collect();
            let found = step(&named).unwrap();
            assert!((found - expected).abs() < 1e-12 * expected, "{factors:?}: {found}");
        }
        assert!(step(&[]).unwrap().abs() < f64::MIN_POSITIVE);
        assert!(matches!(step(&[(1.0, "a"), (2.0_f64.sqrt(), "b")]), Err(CouplingFault::NoRatio { .. })));
    }
}
