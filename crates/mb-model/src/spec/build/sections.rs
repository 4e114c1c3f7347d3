//! Sections of beams by their shapes or numbers.

use super::expand::Entry;
use super::{Builder, Outcome};
use crate::beam::BeamSection;
use crate::element::Data;
use crate::spec::{BeamSpec, Fault, Value};

/// Shear factor of a section that is given by numbers alone.
const SHEAR: f64 = 5.0 / 6.0;

impl<P: Data> Builder<P> {
    /// The numbers of a beam's section; `nu` is Poisson's ratio.
    pub(super) fn beam_section(&self, e: &Entry<'_, BeamSpec>, nu: P) -> Outcome<BeamSection<P>> {
        let s = &e.spec.section;
        if s.second_moment.is_some() {
            let fault = Fault::KeyNotFor { key: "second_moment", kind: "the section of a beam".to_owned() };
            return Err(e.problem("section.second_moment", fault));
        }
        let needs = |key: &'static str, kind: &str| {
            e.problem("section", Fault::KeyNeeded { key, kind: kind.to_owned() })
        };
        let there: [(&'static str, bool); 7] = [
            ("radius", s.radius.is_some()),
            ("inner_radius", s.inner_radius.is_some()),
            ("width", s.width.is_some()),
            ("height", s.height.is_some()),
            ("web", s.web.is_some()),
            ("flange", s.flange.is_some()),
            ("area", s.area.is_some() || s.second_moments.is_some()),
        ];
        let groups: [(&str, &[usize]); 3] =
            [("a circular section", &[0, 1]), ("a rectangular section", &[2, 3, 4, 5]), ("a section", &[6])];
        let Some((kind, own)) = groups.iter().find(|(_, own)| own.iter().any(|i| there[*i].1)) else {
            return Err(needs("radius", "a section"));
        };
        if let Some(other) = (0..there.len()).find(|i| there[*i].1 && !own.contains(i)) {
            let first = own.iter().copied().find(|i| there[*i].1).unwrap_or(own[0]);
            let fault = Fault::Exclusive { first: there[first].0, second: there[other].0 };
            return Err(e.problem("section", fault));
        }
        let positive = |key: &'static str, quantity: &'static str, value: &Option<Value>| {
            let value = value.as_ref().ok_or_else(|| needs(key, kind))?;
            self.positive(e, &format!("section.{key}"), quantity, value)
        };
        let mut section = match own[0] {
            0 => {
                let r = positive("radius", "radius", &s.radius)?;
                let inner =
                    self.not_negative(e, "section.inner_radius", "inner radius", s.inner_radius.as_ref())?;
                thick(e, "section.inner_radius", "thickness (radius less inner radius)", r - inner)?;
                BeamSection::tube(r, inner, nu)
            }
            2 => {
                let (w, h) =
                    (positive("width", "width", &s.width)?, positive("height", "height", &s.height)?);
                if s.web.is_none() && s.flange.is_none() {
                    BeamSection::rectangle(w, h, nu)
                } else {
                    let web = positive("web", "thickness of the web", &s.web)?;
                    let flange = positive("flange", "thickness of the flanges", &s.flange)?;
                    let clear = h - flange.scale(2.0);
                    thick(e, "section.flange", "height between the flanges", clear)?;
                    thick(e, "section.web", "width of the flanges next to the web", w - web)?;
                    BeamSection::i_beam(w, h, web, flange)
                }
            }
            _ => {
                let area = positive("area", "area", &s.area)?;
                let Some([second, third]) = &s.second_moments else {
                    return Err(needs("second_moments", kind));
                };
                let torsion = positive("torsion", "torsion constant", &s.torsion)?;
                let moment =
                    |v: &Value| self.positive(e, "section.second_moments", "second moment of area", v);
                let second_moments = [moment(second)?, moment(third)?];
                BeamSection { area, second_moments, torsion, shear_factors: [P::cst(SHEAR); 2] }
            }
        };
        if let Some(torsion) = &s.torsion {
            section.torsion = self.positive(e, "section.torsion", "torsion constant", torsion)?;
        }
        if let Some(factors) = &s.shear_factors {
            for (out, value) in section.shear_factors.iter_mut().zip(factors) {
                *out = self.positive(e, "section.shear_factors", "shear factor", value)?;
            }
        }
        Ok(section)
    }
}

/// Refuses a difference of lengths that is not positive.
fn thick<P: Data>(e: &Entry<'_, BeamSpec>, key: &str, quantity: &'static str, x: P) -> Outcome<()> {
    if x.value() > 0.0 {
        return Ok(());
    }
    Err(e.problem(key, Fault::NotPositive { quantity, value: x.value() }))
}
