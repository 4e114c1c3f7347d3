//! Beams in space: sections, materials, nodes, and the elements between them.
//!
//! ```
//! use mb_model::element::BeamStation;
//! use mb_model::{BeamData, BeamMaterial, BeamSection, Model};
//!
//! // A cantilever of two quadratic elements along x, its first node part of the ground.
//! let mut model: Model = Model::new("cantilever", [0.0, 0.0, -9.81]);
//! let material = BeamMaterial { density: 7850.0, youngs_modulus: 2.1e11, shear_modulus: 8.1e10 };
//! let section = BeamSection::rectangle(0.02, 0.01, material.poissons_ratio());
//! let data = BeamData::new(section, material);
//! let stations: Vec<BeamStation> = (0..5)
//!     .map(|k| BeamStation { at: [0.25 * f64::from(k), 0.0, 0.0], euler: [1.0, 0.0, 0.0, 0.0] })
//!     .collect();
//! let mut nodes = model.add_beam_nodes("boom", &stations);
//! nodes[0].block = None;
//! model.add_beam_elements("beam 'boom'", &data, &nodes);
//! assert_eq!(model.coordinate_name(6), "boom[2].x");
//! // The free end of the unloaded beam balances no force but its weight.
//! let weight: f64 = model.residual(&model.initial_point()).iter().skip(2).step_by(6).sum();
//! assert!(weight > 0.0);
//! ```
//!
//! The section axes of a node are those of its block: 1 along the beam, 2 (`width`) and 3 (`height`) across.

use crate::coordinates::{BlockId, BlockKind};
use crate::element::rotation::{conjugate, normalized, product};
use crate::element::{
    Attitude, AxialStrain, BeamInertia, BeamLaw, BeamStation, BeamStrain, Data, Element, Interpolation,
    JointFrame, Place,
};
use crate::model::{Model, Wiring};
use core::f64::consts::PI;
use mb_scalar::Real;

/// Numbers of a section about its centroid and principal axes.
///
/// The shear centre is taken to be the centroid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSection<P = f64> {
    /// Area A, m^2.
    pub area: P,
    /// Second moments of area about axes 2 and 3, m^4: integrals of z^2 and of y^2.
    pub second_moments: [P; 2],
    /// Torsion constant J, m^4.
    pub torsion: P,
    /// Parts of the area that carry shear along axes 2 and 3.
    pub shear_factors: [P; 2],
}

impl<P: Real> BeamSection<P> {
    /// A rectangle: `width` along axis 2, `height` along axis 3, m.
    ///
    /// Torsion by Saint-Venant's series, shear factors 10 (1 + nu)/(12 + 11 nu) (Cowper 1966).
    pub fn rectangle(width: P, height: P, nu: P) -> Self {
        let area = width * height;
        let k = (P::one() + nu).scale(10.0) / (P::cst(12.0) + nu.scale(11.0));
        Self {
            area,
            second_moments: [
                (area * height * height).scale(1.0 / 12.0),
                (area * width * width).scale(1.0 / 12.0),
            ],
            torsion: rectangle_torsion(width, height),
            shear_factors: [k; 2],
        }
    }
    /// A circle or a tube, radii in m.
    ///
    /// Shear factors by Cowper 1966: with m = inner/outer,
    /// 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2).
    pub fn tube(radius: P, inner: P, nu: P) -> Self {
        let (r2, i2) = (radius * radius, inner * inner);
        let area = (r2 - i2).scale(PI);
        let second = (r2 * r2 - i2 * i2).scale(PI / 4.0);
        let m2 = i2 / r2;
        let square = (P::one() + m2) * (P::one() + m2);
        let k = (P::one() + nu).scale(6.0) * square
            / ((P::cst(7.0) + nu.scale(6.0)) * square + (P::cst(20.0) + nu.scale(12.0)) * m2);
        Self { area, second_moments: [second; 2], torsion: second.scale(2.0), shear_factors: [k; 2] }
    }
    /// An I: flanges of `width` along axis 2, `height` over all along axis 3, and the two thicknesses, m.
    ///
    /// Thin-walled values: J = sum of b t^3 / 3, shear along the web by the web's area over all the height, along the
    /// flanges by 5/6 of theirs.
    pub fn i_beam(width: P, height: P, web: P, flange: P) -> Self {
        let clear = height - flange.scale(2.0);
        let area = (width * flange).scale(2.0) + clear * web;
        let cube = |x: P| x * x * x;
        let about_2 = (width * cube(height) - (width - web) * cube(clear)).scale(1.0 / 12.0);
        let about_3 = ((flange * cube(width)).scale(2.0) + clear * cube(web)).scale(1.0 / 12.0);
        Self {
            area,
            second_moments: [about_2, about_3],
            torsion: ((width * cube(flange)).scale(2.0) + clear * cube(web)).scale(1.0 / 3.0),
            shear_factors: [(width * flange).scale(10.0 / 6.0) / area, web * height / area],
        }
    }
}

/// J = h w^3 (1/3 - 64/pi^5 (w/h) sum over odd n of tanh(n pi h / 2 w) / n^5) for w <= h.
///
/// The sum of 1/n^5 over odd n is 31/32 zeta(5); what is left converges like exp(-n pi).
fn rectangle_torsion<P: Real>(width: P, height: P) -> P {
    const ZETA_5: f64 = 1.036_927_755_143_37;
    let (w, h) = if width.value() <= height.value() { (width, height) } else { (height, width) };
    let mut sum = P::cst(31.0 / 32.0 * ZETA_5);
    for n in [1.0, 3.0, 5.0, 7.0, 9.0, 11.0] {
        // tanh x - 1 = -2 / (exp(2 x) + 1)
        let e = (h / w).scale(-n * PI).exp();
        sum -= (e / (P::one() + e)).scale(2.0 / f64::powi(n, 5));
    }
    h * w * w * w * (P::cst(1.0 / 3.0) - (w / h) * sum.scale(64.0 / f64::powi(PI, 5)))
}

/// An isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamMaterial<P = f64> {
    /// Density, kg/m^3.
    pub density: P,
    /// Young's modulus E, Pa.
    pub youngs_modulus: P,
    /// Shear modulus G, Pa.
    pub shear_modulus: P,
}

impl<P: Real> BeamMaterial<P> {
    /// nu = E/(2 G) - 1.
    pub fn poissons_ratio(&self) -> P {
        self.youngs_modulus / self.shear_modulus.scale(2.0) - P::one()
    }
}

/// Whether sections shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shear {
    /// By the shear factors of the section (Timoshenko).
    #[default]
    Flexible,
    /// Hardly: sections stay perpendicular to the centre line (Euler and Bernoulli, with rotary inertia).
    ///
    /// Elements of two nodes and length h have the shear stiffness 12 EI / h^2, with which their stiffness is that of
    /// Euler and Bernoulli (MacNeal, Comput. Struct. 8, 1978: the residual bending flexibility). Elements of three nodes in
    /// a beam of length L have a penalty, the smaller of 1e6 EI / h^2 and 1e8 EI / L^2, or the stiffness of the section
    /// where that is larger. A vibration of wave number k is off by (k L)^2 / 2e8, or by (k h)^2 / 2e6 with less than ten
    /// elements. The penalty does not grow with the mesh any further because rounding of the entries, which it enlarges,
    /// moves soft vibrations more than that.
    Rigid,
}

/// Shear stiffness of [`Shear::Rigid`] in terms of EI / h^2: of two nodes, and of three nodes at most.
const OF_TWO_NODES: f64 = 12.0;
const RIGID: f64 = 1e6;

/// Shear stiffness of [`Shear::Rigid`] in terms of EI / L^2: with 20 to 400 elements rounding moves the first frequency of a
/// cantilever by less than 2e-5 of itself, the penalty by 2e-8.
const RIGID_OVER_ALL: f64 = 1e8;

/// The law of a uniform beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamData<P = f64> {
    /// Section.
    pub section: BeamSection<P>,
    /// Material.
    pub material: BeamMaterial<P>,
    /// Damping proportional to mass, 1/s.
    pub alpha: P,
    /// Damping proportional to stiffness, s.
    pub beta: P,
    /// Shape functions.
    pub interpolation: Interpolation,
    /// How stretch is measured.
    pub axial_strain: AxialStrain,
    /// Whether sections shear.
    pub shear: Shear,
}

impl<P: Data> BeamData<P> {
    /// Without damping, of quadratic elements, with the exact stretch.
    pub fn new(section: BeamSection<P>, material: BeamMaterial<P>) -> Self {
        Self {
            section,
            material,
            alpha: P::zero(),
            beta: P::zero(),
            interpolation: Interpolation::default(),
            axial_strain: AxialStrain::default(),
            shear: Shear::default(),
        }
    }
    /// Stiffness of the section in an element of this length in a beam of length `whole`, m.
    pub fn law_of_element(&self, length: P, whole: P) -> BeamLaw<P> {
        let mut law = self.law();
        if self.shear == Shear::Rigid {
            // Shear along 2 goes with bending about 3.
            for (shear, bending) in [(1, 2), (2, 1)] {
                let bending = law.moment[bending];
                let of_element = |times: f64| bending.scale(times) / (length * length);
                let over_all = bending.scale(RIGID_OVER_ALL) / (whole * whole);
                law.force[shear] = match self.interpolation {
                    Interpolation::Linear => of_element(OF_TWO_NODES),
                    Interpolation::Quadratic => {
                        let of_element = of_element(RIGID);
                        let rigid = if over_all.value() < of_element.value() { over_all } else { of_element };
                        if rigid.value() > law.force[shear].value() { rigid } else { law.force[shear] }
                    }
                };
            }
        }
        law
    }
    /// Stiffness of the section, by its shear factors.
    pub fn law(&self) -> BeamLaw<P> {
        let (s, e, g) = (&self.section, self.material.youngs_modulus, self.material.shear_modulus);
        BeamLaw {
            force: [e * s.area, g * s.area * s.shear_factors[0], g * s.area * s.shear_factors[1]],
            moment: [g * s.torsion, e * s.second_moments[0], e * s.second_moments[1]],
            axial_strain: self.axial_strain,
            beta: self.beta,
        }
    }
    /// Mass per length, kg/m.
    pub fn mass_per_length(&self) -> P {
        self.material.density * self.section.area
    }
    /// Moments of inertia per length about the section axes, kg m: polar, then the two principal ones.
    pub fn inertia_per_length(&self) -> [P; 3] {
        let [a, b] = self.section.second_moments.map(|i| self.material.density * i);
        [a + b, a, b]
    }
}

/// A node of a beam: what it is fixed to, and its natural position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamNode<P = f64> {
    /// The body, or the beam's own block; none for the ground.
    pub block: Option<BlockId>,
    /// Place in the axes of that body, m; not used in the ground.
    pub local: [P; 3],
    /// Orientation of that body at the natural shape, Euler parameters; not used in the ground.
    pub body: [P; 4],
    /// Section of the natural shape.
    pub station: BeamStation<P>,
}

impl<P: Data> BeamNode<P> {
    /// The frame of the section for an element with this wiring.
    fn frame(&self, model: &Model<P>, wiring: &mut Wiring) -> JointFrame<P> {
        let own = self.station.euler;
        match self.block {
            None => JointFrame::new(Place::Ground(self.station.at), Attitude::GROUND, own),
            Some(id) => {
                let place = model.place_in_space(wiring, id, self.local);
                let axes = if self.body == own {
                    unturned()
                } else {
                    normalized(product(conjugate(self.body), own))
                };
                JointFrame::new(place, model.attitude(wiring, id), axes)
            }
        }
    }
}

/// Length of the line through the stations, m.
fn length<P: Data>(stations: &[BeamStation<P>]) -> P {
    let step = |pair: &[BeamStation<P>]| {
        let d = [0, 1, 2].map(|i| pair[1].at[i] - pair[0].at[i]);
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    };
    stations.windows(2).map(step).fold(P::zero(), |sum, x| sum + x)
}

/// Euler parameters of no rotation.
fn unturned<P: Data>() -> [P; 4] {
    [P::one(), P::zero(), P::zero(), P::zero()]
}

impl<P: Data> Model<P> {
    /// Adds a body without mass for every station, called `name[1]`, `name[2]`, ..., with the section axes.
    pub fn add_beam_nodes(&mut self, name: &str, stations: &[BeamStation<P>]) -> Vec<BeamNode<P>> {
        let add = |(k, station): (usize, &BeamStation<P>)| {
            let ([x, y, z], [a, b, c, d]) = (station.at, station.euler);
            let block = self.add_block(format!("{name}[{}]", k + 1), BlockKind::Pose, &[x, y, z, a, b, c, d]);
            BeamNode { block: Some(block), local: [P::zero(); 3], body: station.euler, station: *station }
        };
        stations.iter().enumerate().map(add).collect()
    }
    /// Adds the elements of a beam through its nodes: as many as they are enough for, each with two nodes or three.
    ///
    /// # Panics
    /// When the number of nodes is not a whole number of elements.
    pub fn add_beam_elements(&mut self, owner: &str, data: &BeamData<P>, nodes: &[BeamNode<P>]) {
        let step = data.interpolation.nodes() - 1;
        assert!(nodes.len() > step && (nodes.len() - 1).is_multiple_of(step), "nodes of a beam");
        let (mass, moments) = (data.mass_per_length(), data.inertia_per_length());
        let stations: Vec<_> = nodes.iter().map(|n| n.station).collect();
        let whole = length(&stations);
        for first in (0..nodes.len() - 1).step_by(step) {
            let nodes = &nodes[first..=first + step];
            let mut wiring = Wiring::default();
            let frames: Vec<_> = nodes.iter().map(|n| n.frame(self, &mut wiring)).collect();
            let natural: Vec<_> = nodes.iter().map(|n| n.station).collect();
            let blocks = wiring.into_blocks();
            let shape = data.interpolation;
            let law = data.law_of_element(length(&natural), whole);
            let inertia = BeamInertia::new(shape, frames.clone(), &natural, mass, moments, data.alpha);
            let strain = BeamStrain::new(shape, frames, &natural, law);
            self.add_element(owner, Element::BeamStrain(Box::new(strain)), blocks.clone(), Vec::new());
            self.add_element(owner, Element::BeamInertia(Box::new(inertia)), blocks, Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torsion_of_rectangles() {
        // Timoshenko's table: J / (h w^3) of a square, of 2:1, and of a strip.
        for (ratio, factor) in [(1.0, 0.1406), (2.0, 0.2287), (10.0, 0.3123)] {
            let j = rectangle_torsion(ratio, 1.0) / ratio;
            assert!((j - factor).abs() < 6e-5, "{ratio}: {j}");
            assert!((rectangle_torsion(1.0, ratio) - ratio * j).abs() < 1e-15);
        }
    }

    #[test]
    fn sections_agree_where_they_are_the_same() {
        // An I whose web is as wide as its flanges is a rectangle; a thin tube has 1/2 of its area for shear at nu = 0.
        let (i, r) = (BeamSection::i_beam(2.0, 3.0, 2.0, 0.5), BeamSection::rectangle(2.0, 3.0, 0.0));
        assert!((i.area - r.area).abs() < 1e-15);
        for k in 0..2 {
            assert!((i.second_moments[k] - r.second_moments[k]).abs() < 1e-14);
        }
        let tube = BeamSection::tube(1.0, 0.9999, 0.0);
        assert!((tube.shear_factors[0] - 0.5).abs() < 1e-4);
        assert!((BeamSection::tube(1.0, 0.0, 0.0).shear_factors[0] - 6.0 / 7.0).abs() < 1e-15);
    }
}
