//! A planar arm of flexible links by the equivalent rigid-link system.
//!
//! Small elastic displacements of finite elements, in ground axes, on top of a chain of rigid
//! links whose absolute angles come last among the coordinates. The base of a link follows the
//! tip displacement of the link before but not its elastic rotation, which the motor there
//! holds. Terms of second order in the displacements are left out, as in the source.
//!
//! The matrices of two links with four and three elements are written out in the appendix.
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use mb_model::element::{AngleOf, Torque};
use mb_model::erls::{ErlsData, ErlsLink as LinkBlocks};
use mb_model::law::TimeLaw;
use mb_model::{BlockId, BlockKind, Data, Element, Model, ModelError, ModelSource, ModelSpec, Point, Wiring};
use std::collections::BTreeMap;

/// A link of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErlsLink {
    /// Length, m.
    pub length: f64,
    /// Number of finite elements.
    pub elements: usize,
}

/// An arm of flexible links in the plane.
///
/// Parameters by name: `L1`, `L2`, ... (m), `rho_l` (kg/m), `E` (N/m^2), `A` (m^2), `J` (m^4),
/// `alpha` (1/s), `beta` (s), `mE` (kg), `g` (m/s^2).
#[derive(Clone, Debug, PartialEq)]
pub struct ErlsArm {
    /// The links from the base.
    pub links: Vec<ErlsLink>,
    /// Mass per length, kg/m.
    pub line_density: f64,
    /// Young's modulus, N/m^2.
    pub modulus: f64,
    /// Area of the section, m^2.
    pub area: f64,
    /// Second moment of area, m^4.
    pub second_moment: f64,
    /// Damping: alpha of the mass (1/s) and beta of the stiffness (s), on elastic velocities.
    pub damping: [f64; 2],
    /// Mass at the tip, kg.
    pub payload: f64,
    /// Gravity along -y, m/s^2.
    pub gravity: f64,
}

impl ErlsArm {
    /// The paper's arm with the section and density that its operating point was computed with:
    /// a round aluminium bar of 30 mm (palomba2019, Table 2 unrounded).
    pub fn recovered() -> Self {
        let diameter: f64 = 0.03;
        let area = core::f64::consts::PI * diameter.powi(2) / 4.0;
        let (density, second_moment) = (2710.0, area * diameter.powi(2) / 16.0);
        Self { line_density: density * area, area, second_moment, ..Self::table_2() }
    }

    /// The paper's arm with the values it prints (palomba2019, Table 2).
    pub fn table_2() -> Self {
        Self {
            links: vec![ErlsLink { length: 0.6, elements: 4 }, ErlsLink { length: 0.45, elements: 3 }],
            line_density: 1.906,
            modulus: 69e9,
            area: 7.06e-4,
            second_moment: 3.97e-8,
            damping: [0.87, 4.5e-6],
            payload: 0.0,
            gravity: 9.81,
        }
    }

    /// Frequency that parts the modes of the paper's arm, rad/s: its rigid motion lies far below,
    /// its first elastic pair far above.
    pub const ELASTIC_FROM: f64 = 100.0;

    /// The paper's arm in motion, undeflected: angles, speeds and accelerations of its two joints
    /// near the printed operating point, to be brought to dynamic equilibrium.
    pub fn in_motion(&self) -> Point {
        let mut point = self.build::<f64>(&BTreeMap::new()).initial_point();
        let joints = [[1.26, 0.89, 0.68], [-1.09, -0.86, 0.84]];
        for (i, [q, v, a]) in (self.first_angle()..point.q.len()).zip(joints) {
            (point.q[i], point.v[i], point.a[i]) = (q, v, a);
        }
        point
    }

    /// The paper's arm as a model file, `models/erls-arm.toml`, with these data. Angles are `upper.angle` and `lower.angle`,
    /// the motors are the inputs `u1` and `u2`.
    ///
    /// # Errors
    /// For data that no link has.
    pub fn file(&self) -> Result<ModelSpec, ModelError> {
        self.in_file(crate::files::ERLS_ARM)
    }

    /// The paper's arm with its links in floating frames: `models/floating-arm.toml` with these data. Coordinates are those
    /// of the links' frames (`upper.angle`, `lower.angle`) and of their nodes; the motors are the inputs `u1` and `u2`. At rest
    /// it has the modes of this arm up to terms of second order in the deflections, but for damping by the mass (`alpha`),
    /// which there acts on velocities in the axes of each link. Payload is left out.
    ///
    /// # Errors
    /// For data that no link has.
    pub fn floating(&self) -> Result<ModelSpec, ModelError> {
        self.in_file(crate::files::FLOATING_ARM)
    }

    fn in_file(&self, text: &str) -> Result<ModelSpec, ModelError> {
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in self.parameters() {
            if spec.parameters.contains_key(&name) {
                spec.set_parameter(&name, value)?;
            }
        }
        Ok(spec)
    }

    /// Number of the first joint angle among the coordinates; the others follow.
    pub fn first_angle(&self) -> usize {
        3 * self.links.iter().map(|link| link.elements).sum::<usize>()
    }

    /// The values of all parameters by name.
    pub fn parameters(&self) -> BTreeMap<String, f64> {
        let mut all: BTreeMap<String, f64> =
            self.links.iter().enumerate().map(|(i, link)| (format!("L{}", i + 1), link.length)).collect();
        let rest = [
            ("rho_l", self.line_density),
            ("E", self.modulus),
            ("A", self.area),
            ("J", self.second_moment),
            ("alpha", self.damping[0]),
            ("beta", self.damping[1]),
            ("mE", self.payload),
            ("g", self.gravity),
        ];
        all.extend(rest.map(|(name, value)| (name.to_owned(), value)));
        all
    }

    /// The model with some parameters given in the scalar `P`; its initial point is the straight
    /// arm along x without deflection. Coordinates stand as in the source: all nodes, then the angles.
    pub fn build<P: Data>(&self, given: &BTreeMap<String, P>) -> Model<P> {
        let own = self.parameters();
        let value = |name: &str| given.get(name).copied().unwrap_or_else(|| P::cst(own[name]));
        let mut model = Model::new("flexible arm", [P::zero(), -value("g"), P::zero()]);
        let nodes = self.add_nodes(&mut model);
        let angles: Vec<BlockId> = (1..=self.links.len())
            .map(|i| model.add_block(format!("q{i}"), BlockKind::Angle, &[P::zero()]))
            .collect();
        let lengths: Vec<P> = (1..=self.links.len()).map(|i| value(&format!("L{i}"))).collect();
        let mut below: Option<LinkBlocks<P>> = None;
        for (i, nodes) in nodes.into_iter().enumerate() {
            let link = LinkBlocks {
                data: ErlsData {
                    length: lengths[i],
                    elements: self.links[i].elements,
                    mass_per_length: value("rho_l"),
                    axial: value("E") * value("A"),
                    bending: value("E") * value("J"),
                    alpha: value("alpha"),
                    beta: value("beta"),
                    payload: (i + 1 == self.links.len()).then(|| value("mE")),
                },
                base: [P::zero(); 2],
                below: angles[..i].iter().copied().zip(lengths.iter().copied()).collect(),
                angle: angles[i],
                tip_below: below.as_ref().and_then(|b| b.nodes.last().copied()),
                base_rotation: None,
                nodes,
            };
            model.add_erls_elements(format!("link {}", i + 1), &link);
            let mut wiring = Wiring::default();
            let on = model.angle(&mut wiring, link.angle);
            let from = below.map_or(AngleOf::Ground, |b| b.section(&model, &mut wiring, b.nodes.len() + 1));
            let motor = Torque { on, from, magnitude: TimeLaw::constant(P::zero()), has_input: true };
            let input = model.add_input(format!("u{}", i + 1));
            let owner = format!("motor {}", i + 1);
            model.add_element(owner, Element::Torque(motor), wiring.into_blocks(), vec![input]);
            below = Some(link);
        }
        model
    }

    /// Displacements of the nodes of every link: x, y, rotation each.
    fn add_nodes<P: Data>(&self, model: &mut Model<P>) -> Vec<Vec<BlockId>> {
        let mut node = |link: usize, number: usize| {
            let name = format!("link {link} node {number}");
            model.add_block(name, BlockKind::Displacement, &[P::zero(); 3])
        };
        (1..=self.links.len())
            .map(|i| (1..=self.links[i - 1].elements).map(|e| node(i, e)).collect())
            .collect()
    }
}

impl ModelSource for ErlsArm {
    fn model<P: Data>(&self, given: &BTreeMap<String, P>) -> Result<Model<P>, ModelError> {
        Ok(self.build(given))
    }
    fn parameter(&self, name: &str) -> Result<Option<f64>, ModelError> {
        Ok(self.parameters().get(name).copied())
    }
}
