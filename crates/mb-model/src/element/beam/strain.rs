//! The elastic part of a geometrically exact beam element.
//!
//! ```text
//! delta V = integral of n . delta Gamma + m . delta kappa,   n = C_n (Gamma - Gamma_0), m = C_m (kappa - kappa_0)
//! delta Gamma = E^T (R_m^T delta r' + y x w_m) + Gamma x omega,   E = exp(theta),  omega = T delta theta
//! delta theta_i = T(theta_i)^-1 (w_i - E_i^T w_m),   w = virtual rotations in section axes
//! ```
//!
//! summed over the strain points of [`Interpolation`]; the element forces are these, written out, so that
//! one dual number gives exact stiffness. Damping proportional to stiffness adds beta C Gamma' and
//! beta C kappa' (rates in section axes), which no rigid motion makes.
//!
//! With [`AxialStrain::GreenLagrange`] the axial strain is (r' . r' - r_0' . r_0') / 2 in place of
//! G1 - G1_0: with [`Interpolation::Linear`] the element that gives the beam digits of Yang et al. 2012.

use super::super::rotation::{cross, dot, turned};
use super::super::{Data, Dependence, ElementLaw, JointFrame, Local, Place};
use super::kinematics::{
    BeamStation, Interpolation, MOST, Nodes, Section, combined, times, unspin, unspin_both,
};
use crate::outline::Stroke;
use mb_scalar::Lift;
use nalgebra::Vector3;

/// How the stretch of the centre line is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxialStrain {
    /// G1 - G1_0: the component of r' along the section's normal.
    #[default]
    Exact,
    /// (r' . r' - r_0' . r_0') / 2.
    GreenLagrange,
}

/// Stiffness of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamLaw<P = f64> {
    /// EA, then G times the shear areas along section axes 2 and 3, N.
    pub force: [P; 3],
    /// GJ, then EI about section axes 2 and 3, N m^2.
    pub moment: [P; 3],
    /// How stretch is measured.
    pub axial_strain: AxialStrain,
    /// Damping proportional to stiffness, s.
    pub beta: P,
}

/// A point where strains are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StrainPoint<P> {
    /// Length of the centre line it stands for, m.
    length: P,
    shape: [P; MOST],
    /// By arc length, 1/m.
    slope: [P; MOST],
    gamma: [P; 3],
    kappa: [P; 3],
}

/// The elastic forces of one beam element.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamStrain<P = f64> {
    shape: Interpolation,
    frames: Vec<JointFrame<P>>,
    law: BeamLaw<P>,
    points: Vec<StrainPoint<P>>,
}

impl<P: Data> BeamStrain<P> {
    /// The element between section frames (two or three, as `shape` has nodes), without stress where they are as in
    /// `natural`.
    ///
    /// # Panics
    /// When the numbers of frames and stations are not those of the nodes.
    pub fn new(
        shape: Interpolation,
        frames: Vec<JointFrame<P>>,
        natural: &[BeamStation<P>],
        law: BeamLaw<P>,
    ) -> Self {
        let count = shape.nodes();
        assert!(frames.len() == count && natural.len() == count, "nodes of a beam element");
        let nodes = natural_nodes(shape, natural);
        let points = shape
            .strain_points()
            .iter()
            .map(|(x, weight)| {
                let (n, slope, length) = by_arc(shape, &nodes, *x);
                let section = Section::new(&nodes, &n, &slope, count);
                StrainPoint {
                    length: length.scale(*weight),
                    shape: n,
                    slope,
                    gamma: section.gamma.into(),
                    kappa: section.kappa.into(),
                }
            })
            .collect();
        Self { shape, frames, law, points }
    }
    /// True when it dissipates.
    pub fn is_damped(&self) -> bool {
        self.law.beta != P::zero()
    }
    /// True when a node is the ground's.
    pub(crate) fn is_on_ground(&self) -> bool {
        self.frames.iter().any(|frame| matches!(frame.place, Place::Ground(_)))
    }
    /// True when no strain is without stiffness.
    pub(crate) fn resists_all_strains(&self) -> bool {
        self.law.force.iter().chain(&self.law.moment).all(|stiffness| stiffness.value() > 0.0)
    }
    fn count(&self) -> usize {
        self.frames.len()
    }
    fn nodes<S: Lift<P>>(&self, q: &[S]) -> Nodes<S> {
        let zero = Vector3::from([S::zero(); 3]);
        let (mut x, mut euler) = ([zero; MOST], [[S::zero(); 4]; MOST]);
        for (i, frame) in self.frames.iter().enumerate() {
            x[i] = frame.place.position(q);
            euler[i] = frame.euler(q);
        }
        Nodes::new(self.shape, x, euler)
    }
    /// Strains Gamma and kappa less those of the natural shape, at the strain points in order along the element.
    pub fn strains<S: Lift<P>>(&self, q: &[S]) -> Vec<[Vector3<S>; 2]> {
        let nodes = self.nodes(q);
        let strain = |p: &StrainPoint<P>| {
            let section = Section::new(&nodes, &p.shape, &p.slope, self.count());
            [section.gamma - lifted(p.gamma), section.kappa - lifted(p.kappa)]
        };
        self.points.iter().map(strain).collect()
    }
    /// Velocities of the nodes, rates of their rotations against the reference node, and its own spin.
    fn rates<S: Lift<P>>(&self, nodes: &Nodes<S>, at: &Local<'_, S>) -> Rates<S> {
        let zero = Vector3::from([S::zero(); 3]);
        let m = self.shape.reference();
        let spin = self.frames[m].own_spin(at.v);
        let (mut x, mut theta) = ([zero; MOST], [zero; MOST]);
        for (i, frame) in self.frames.iter().enumerate() {
            x[i] = frame.place.velocity(at.q, at.v);
            if i != m {
                // w_i - E_i^T w_m is T u for the u that the transposed inverse pairs with.
                let w = frame.own_spin(at.v);
                theta[i] = unspin(&nodes.theta[i], &w, 1.0) - unspin(&nodes.theta[i], &spin, -1.0);
            }
        }
        Rates { x, theta, spin }
    }
    /// Stresses n and m of a section, damping included.
    fn stress<S: Lift<P>>(
        &self,
        point: &StrainPoint<P>,
        section: &Section<S>,
        rates: Option<[Vector3<S>; 2]>,
    ) -> [Vector3<S>; 2] {
        let law = &self.law;
        let mut gamma = section.gamma - lifted(point.gamma);
        let mut kappa = section.kappa - lifted(point.kappa);
        if law.axial_strain == AxialStrain::GreenLagrange {
            gamma.x = green(section, point);
        }
        if let Some([gamma_t, kappa_t]) = rates {
            let axial = match law.axial_strain {
                AxialStrain::Exact => gamma_t.x,
                AxialStrain::GreenLagrange => dot(&section.gamma, &gamma_t),
            };
            gamma += times(&Vector3::new(axial, gamma_t.y, gamma_t.z), law.beta);
            kappa += times(&kappa_t, law.beta);
        }
        let by_axis =
            |c: &[P; 3], v: Vector3<S>| Vector3::new(v.x.times(c[0]), v.y.times(c[1]), v.z.times(c[2]));
        let (mut n, m) = (by_axis(&law.force, gamma), by_axis(&law.moment, kappa));
        if law.axial_strain == AxialStrain::GreenLagrange {
            let axial = n.x;
            n.x = S::zero();
            n += section.gamma * axial;
        }
        [n, m]
    }
}

/// (r' . r' - r_0' . r_0') / 2.
fn green<P: Data, S: Lift<P>>(section: &Section<S>, point: &StrainPoint<P>) -> S {
    let natural: Vector3<S> = lifted(point.gamma);
    (dot(&section.gamma, &section.gamma) - dot(&natural, &natural)).scale(0.5)
}

fn lifted<P: Copy, S: Lift<P>>(v: [P; 3]) -> Vector3<S> {
    super::super::rotation::lifted(v)
}

/// The nodes in the natural shape.
fn natural_nodes<P: Data>(shape: Interpolation, natural: &[BeamStation<P>]) -> Nodes<P> {
    let zero = Vector3::from([P::zero(); 3]);
    let (mut x, mut euler) = ([zero; MOST], [[P::zero(); 4]; MOST]);
    for (i, station) in natural.iter().enumerate() {
        (x[i], euler[i]) = (Vector3::from(station.at), station.euler);
    }
    Nodes::new(shape, x, euler)
}

/// Shape functions at x on (-1, 1), their derivatives by arc length, and d(arc length)/dx.
fn by_arc<P: Data>(shape: Interpolation, nodes: &Nodes<P>, x: f64) -> ([P; MOST], [P; MOST], P) {
    let (n, dn) = shape.shape(x);
    let (n, dn) = (n.map(P::cst), dn.map(P::cst));
    let along: Vector3<P> = combined(&dn, &nodes.x, shape.nodes());
    let length = dot(&along, &along).sqrt();
    (n, dn.map(|d| d / length), length)
}

/// Integrals of N_i N_j and of N_i over the centre line of an element, m.
pub(super) fn mass_shape<P: Data>(
    shape: Interpolation,
    natural: &[BeamStation<P>],
) -> ([[P; MOST]; MOST], [P; MOST]) {
    let nodes = natural_nodes(shape, natural);
    let (mut pairs, mut single) = ([[P::zero(); MOST]; MOST], [P::zero(); MOST]);
    for (x, weight) in Interpolation::mass_points() {
        let (n, _, length) = by_arc(shape, &nodes, *x);
        let length = length.scale(*weight);
        for i in 0..shape.nodes() {
            single[i] += length * n[i];
            for j in 0..shape.nodes() {
                pairs[i][j] += length * n[i] * n[j];
            }
        }
    }
    (pairs, single)
}

/// Rates of an element's nodes.
struct Rates<S> {
    x: [Vector3<S>; MOST],
    theta: [Vector3<S>; MOST],
    spin: Vector3<S>,
}

impl<S: mb_scalar::Real> Rates<S> {
    /// Gamma' and kappa' of a section.
    fn strains<P: Data>(
        &self,
        nodes: &Nodes<S>,
        s: &Section<S>,
        point: &StrainPoint<P>,
        count: usize,
    ) -> [Vector3<S>; 2]
    where
        S: Lift<P>,
    {
        let r = super::super::rotation::turned_back(nodes.axes, &combined(&point.slope, &self.x, count));
        let (theta, theta_s) =
            (combined(&point.shape, &self.theta, count), combined(&point.slope, &self.theta, count));
        let omega = s.spin(&theta);
        let gamma = s.seen(&(r + cross(&s.y, &self.spin))) + cross(&s.gamma, &omega);
        // Along theta, m . kappa changes by its gradient for every m.
        let mut kappa = s.spin(&theta_s);
        for k in 0..3 {
            let mut unit = Vector3::from([S::zero(); 3]);
            unit[k] = S::one();
            kappa[k] += dot(&s.bend_gradient(&unit), &theta);
        }
        [gamma, kappa]
    }
}

impl<P: Data> ElementLaw<P> for BeamStrain<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Curve, self.frames.iter().map(|f| f.place).collect()))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: self.is_damped(), a: false, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (count, m) = (self.count(), self.shape.reference());
        let nodes = self.nodes(at.q);
        let rates = self.is_damped().then(|| self.rates(&nodes, at));
        let zero = Vector3::from([S::zero(); 3]);
        let (mut force, mut turn, mut own) = ([zero; MOST], [zero; MOST], zero);
        for point in &self.points {
            let section = Section::new(&nodes, &point.shape, &point.slope, count);
            let rate = rates.as_ref().map(|r| r.strains(&nodes, &section, point, count));
            let [n, bend] = self.stress(point, &section, rate);
            let n_m = section.out(&n);
            own += times(&cross(&n_m, &section.y), point.length);
            let n_ground = turned(nodes.axes, &n_m);
            let by_theta = section.spin_transposed(&cross(&n, &section.gamma)) + section.bend_gradient(&bend);
            let by_slope = section.spin_transposed(&bend);
            for i in 0..count {
                let slope = point.length * point.slope[i];
                force[i] += times(&n_ground, slope);
                if i != m {
                    turn[i] += times(&by_theta, point.length * point.shape[i]) + times(&by_slope, slope);
                }
            }
        }
        for (i, frame) in self.frames.iter().enumerate() {
            frame.place.push(at.q, force[i], out);
            if i != m {
                let [inverse, transposed] = unspin_both(&nodes.theta[i], &turn[i]);
                frame.own_twist(&transposed, out);
                own -= inverse;
            }
        }
        self.frames[m].own_twist(&own, out);
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let nodes = self.nodes(at.q);
        let mut sum = S::zero();
        for point in &self.points {
            let section = Section::new(&nodes, &point.shape, &point.slope, self.count());
            let mut gamma = section.gamma - lifted(point.gamma);
            let kappa = section.kappa - lifted(point.kappa);
            if self.law.axial_strain == AxialStrain::GreenLagrange {
                gamma.x = green(&section, point);
            }
            let mut density = S::zero();
            for k in 0..3 {
                density += S::lift(self.law.force[k]) * gamma[k] * gamma[k]
                    + S::lift(self.law.moment[k]) * kappa[k] * kappa[k];
            }
            sum += density * S::lift(point.length.scale(0.5));
        }
        sum
    }
}
