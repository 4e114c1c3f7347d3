//! Bushings.

use super::expand::{Entry, Head};
use super::frames::{Ask, in_space};
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::element::{Bushing, Data, Element};
use crate::model::Wiring;
use crate::spec::{BushingSpec, Fault, PlaceRef, Value};

/// Both places that a force across six motions acts between.
pub(super) struct Held<P> {
    pub(super) a: Spot<P>,
    pub(super) b: Spot<P>,
}

impl<P: Data> Builder<P> {
    /// The places of a bushing or a bearing; one of them is in space, and both turn.
    pub(super) fn held(&self, e: &Head, a: &PlaceRef, b: &PlaceRef, kind: &str) -> Outcome<Held<P>> {
        let a = self.definite(e, "a", a)?;
        let mut b = self.spot(e, "b", b)?;
        if b == Spot::Somewhere {
            if !self.start_is_given(a) {
                return Err(e.problem("b", self.unknown_start("b", a)));
            }
            b = Spot::Ground(self.position_of(a));
        }
        self.different(e, a, b)?;
        if !in_space(&[a, b]) {
            return Err(e.problem("", Fault::NeedsSpace { kind: kind.to_owned() }));
        }
        for (key, spot) in [("a", a), ("b", b)] {
            if matches!(spot, Spot::Point(i) if !self.points[i].fixed) {
                return Err(e.problem(key, Fault::NoOrientation { key, thing: self.thing(spot) }));
            }
        }
        Ok(Held { a, b })
    }
    pub(super) fn bushing(&mut self, e: &Entry<'_, BushingSpec>) -> Outcome<()> {
        let spec = e.spec;
        let Held { a, b } = self.held(e, &spec.a, &spec.b, "a bushing")?;
        let stiffness =
            self.six_by_six(e, ["stiffness", "stiffness_matrix"], (&spec.stiffness, &spec.stiffness_matrix))?;
        let damping =
            self.six_by_six(e, ["damping", "damping_matrix"], (&spec.damping, &spec.damping_matrix))?;
        if stiffness.is_none() && damping.is_none() {
            let kind = "a bushing without `damping`".to_owned();
            return Err(e.problem("", Fault::KeyNeeded { key: "stiffness", kind }));
        }
        let mut preload = [P::zero(); 6];
        if let Some(values) = &spec.preload {
            preload = self.six(e, "preload", values)?;
        }
        let ask = Ask {
            a: &spec.a,
            b: &spec.b,
            axis: spec.axis.as_ref(),
            x: None,
            axis_a: None,
            needs_axis: false,
            pins: false,
            kind: "bushing",
        };
        let (a, b) = self.grips(e, (a, b), &ask)?;
        let mut wiring = Wiring::default();
        let (a, b) = (self.frame(&mut wiring, a), self.frame(&mut wiring, b));
        let zero = [[P::zero(); 6]; 6];
        let (stiffness, damping) = (stiffness.unwrap_or(zero), damping.unwrap_or(zero));
        let bushing = Bushing { a, b, stiffness, damping, preload };
        self.add(e, Element::Bushing(Box::new(bushing)), wiring, Vec::new());
        Ok(())
    }
    fn six(&self, e: &Entry<'_, BushingSpec>, key: &str, values: &[Value; 6]) -> Outcome<[P; 6]> {
        let mut out = [P::zero(); 6];
        for (out, value) in out.iter_mut().zip(values) {
            *out = self.value(e, key, value)?;
        }
        Ok(out)
    }
    /// A matrix by its diagonal or in full.
    fn six_by_six(
        &self,
        e: &Entry<'_, BushingSpec>,
        [first, second]: [&'static str; 2],
        given: (&Option<[Value; 6]>, &Option<[[Value; 6]; 6]>),
    ) -> Outcome<Option<[[P; 6]; 6]>> {
        let mut out = [[P::zero(); 6]; 6];
        match given {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return Err(e.problem(second, Fault::Exclusive { first, second })),
            (Some(diagonal), None) => {
                for (i, x) in self.six(e, first, diagonal)?.into_iter().enumerate() {
                    out[i][i] = x;
                }
            }
            (None, Some(rows)) => {
                for (out, row) in out.iter_mut().zip(rows) {
                    *out = self.six(e, second, row)?;
                }
            }
        }
        Ok(Some(out))
    }
}
