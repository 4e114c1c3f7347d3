//! Flexible planar link in a floating frame of reference: one finite element, and the
//! reference conditions that tie the frame to the link.
//!
//! A link has the coordinates x, y, theta of its frame and (ux, uy, rotation) of each node. A
//! point at the arc length s of the undeformed link is at
//!
//! ```text
//! r = r0 + A(theta) p,   p = (s + u, w),   u = L e_x,   w = H e_y
//! ```
//!
//! with linear u and cubic w between the nodes of an element (`element/hermite.rs`). Since L
//! interpolates s exactly, p = N e with e_x = (s_a + ux_a, s_b + ux_b), and every integral over
//! the element is one of the five constant matrices of the interpolation. In the axes of the
//! frame the acceleration of the mass at s, less gravity, is
//!
//! ```text
//! A^T (r0'' - g) + N e'' + 2 theta' k x N e' + theta'' k x N e - theta'^2 N e
//! ```
//!
//! and its virtual work gives the residual: the consistent mass matrix of the deflected field,
//! quadratic in the elastic coordinates, and all velocity terms. Rotary inertia of the section
//! is left out (slender beam). Elastic energy of an element of length h:
//!
//! ```text
//! U = EA h strain^2 / 2 + EI/2 int w''^2,
//! strain = (ux_b - ux_a)/h + g/(2 h) int w'^2,     g = 1 with geometric stiffness, else 0
//! ```
//!
//! The mean of the quadratic strain over the element (not its local value, which linear u
//! cannot balance) gives the stiffness of the axial force without locking.
//!
//! Paper: [gonzalez2017] Sec. 4.2 (without geometric stiffness). Sizes: 9 coordinates.
//!
//! Fails for nothing; but the elastic rotation against the frame must stay small (some tenths
//! of a radian), since w' stands for an angle.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

#![expect(clippy::inline_always, reason = "what is compiled for a processor must be in one piece")]

use super::hermite::{
    BEND_BEND, CUBIC, CUBIC_CUBIC, LINEAR, LINEAR_CUBIC, LINEAR_LINEAR, SLOPE_SLOPE, add_times,
    add_transpose_times, dot,
};
use super::{ConstantForm, Data, Dependence, ElementLaw, LinkPoint, Local, Place, Slot};
use crate::outline::Stroke;
use mb_scalar::{Lift, Real};

/// One finite element of a flexible link: its blocks are the frame of the link (x, y, theta)
/// and its two nodes (ux, uy, rotation), in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkElement<P = f64> {
    /// Arc length of its first node, m.
    pub start: P,
    /// Length h, m.
    pub length: P,
    /// Mass per length, kg/m.
    pub mass_per_length: P,
    /// Axial stiffness EA, N.
    pub axial: P,
    /// Bending stiffness EI, N m^2.
    pub bending: P,
    /// Damping by the mass matrix of the elastic coordinates, 1/s: the force -alpha M_ff e'.
    pub alpha: P,
    /// Damping by the linear elastic stiffness, s: the force -beta K_ff e'.
    pub beta: P,
    /// True when the axial force stiffens (tension) or softens (compression) the bending.
    pub geometric_stiffness: bool,
}

/// Values along x (two nodes) and across (deflection and h times rotation at two nodes).
#[derive(Clone, Copy)]
struct Field<S> {
    x: [S; 2],
    y: [S; 4],
}

impl<S: Real> Field<S> {
    /// The local numbers of both nodes, rotations times h.
    #[inline(always)]
    fn of<P: Copy>(z: &[S], h: P) -> Self
    where
        S: Lift<P>,
    {
        Self { x: [z[3], z[6]], y: [z[4], z[5].times(h), z[7], z[8].times(h)] }
    }
    #[inline(always)]
    fn zero() -> Self {
        Self { x: [S::zero(); 2], y: [S::zero(); 4] }
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.x.iter().chain(&self.y).all(|z| *z == S::zero())
    }
    /// Adds `factor` times another one.
    #[inline(always)]
    fn add_scaled(&mut self, factor: S, other: &Self) {
        for (a, b) in self.x.iter_mut().zip(&other.x) {
            *a += factor * *b;
        }
        for (a, b) in self.y.iter_mut().zip(&other.y) {
            *a += factor * *b;
        }
    }
    /// Adds integrals of L times the axial part of another one and of H times its cross part.
    #[inline(always)]
    fn add_own_integrals(&mut self, of: &Self) {
        add_times(&LINEAR_LINEAR, &of.x, &mut self.x);
        add_times(&CUBIC_CUBIC, &of.y, &mut self.y);
    }
    /// Adds integrals of L times the cross part of another one and of H times its axial part.
    #[inline(always)]
    fn add_mixed_integrals(&mut self, of: &Self) {
        add_times(&LINEAR_CUBIC, &of.y, &mut self.x);
        add_transpose_times(&LINEAR_CUBIC, &of.x, &mut self.y);
    }
    /// Adds the constant `factor` times this to the rows of the nodes.
    #[inline(always)]
    fn push<P: Data>(&self, factor: P, h: P, out: &mut [S])
    where
        S: Lift<P>,
    {
        out[3] += self.x[0].times(factor);
        out[6] += self.x[1].times(factor);
        push_across(&self.y, factor, h, out);
    }
}

/// Adds the constant `factor` times values across to the rows of the nodes.
#[inline(always)]
fn push_across<P: Data, S: Lift<P>>(y: &[S; 4], factor: P, h: P, out: &mut [S]) {
    out[4] += y[0].times(factor);
    out[5] += y[1].times(factor * h);
    out[7] += y[2].times(factor);
    out[8] += y[3].times(factor * h);
}

impl LinkElement {
    /// The stiffness of bending, EI / h^3 with rotations in units of 1 / h.
    pub(crate) fn bending_form(&self) -> ConstantForm {
        let h = self.length;
        ConstantForm {
            at: [4, 5, 7, 8],
            unit: [1.0, h, 1.0, h],
            matrix: &BEND_BEND,
            factor: self.bending / (h * h * h),
        }
    }
}

impl<P: Data> LinkElement<P> {
    /// M a - f, in one piece with what sweeps it.
    #[inline(always)]
    pub(crate) fn forces<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        self.inertia(at, out);
        self.elasticity(at.q, at.v, out);
    }
    /// The same without stiffness in bending, which is `bending_form`; for derivatives by the configuration.
    pub(crate) fn softened(&self) -> Self {
        Self { bending: P::zero(), ..*self }
    }
    /// Position field e, less what the frame adds.
    #[inline(always)]
    fn position<S: Lift<P>>(&self, q: &[S]) -> Field<S> {
        let mut e = Field::of(q, self.length);
        e.x[0] += S::lift(self.start);
        e.x[1] += S::lift(self.start + self.length);
        e
    }
    /// Adds the virtual work of inertia and gravity: all that knows accelerations.
    #[inline(always)]
    pub(crate) fn inertia<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let h = self.length;
        let e = self.position(at.q);
        let (sin, cos) = at.q[2].sin_cos();
        let (spin, turn) = (at.v[2], at.a[2]);
        let mass = self.mass_per_length * h;
        let (ax, ay) = (at.a[0] - at.gravity[0], at.a[1] - at.gravity[1]);
        // In the axes of the frame: the part common to the whole element ...
        let common = [cos * ax + sin * ay, cos * ay - sin * ax];
        // ... the part that keeps its direction in N, e'' - theta'^2 e, ...
        let mut straight = Field::of(at.a, h);
        // ... and the one that k x turns, 2 theta' e' + theta'' e.
        let mut turned = Field::zero();
        if spin != S::zero() {
            straight.add_scaled(-(spin * spin), &e);
            turned.add_scaled(spin.scale(2.0), &Field::of(at.v, h));
        }
        if turn != S::zero() {
            turned.add_scaled(turn, &e);
        }
        // Moments of the x- and y-parts of the acceleration: `along` has L w_x and H w_y,
        // `across` has L w_y and H w_x.
        let mut along = Field { x: LINEAR.map(|m| common[0].scale(m)), y: CUBIC.map(|m| common[1].scale(m)) };
        let mut across =
            Field { x: LINEAR.map(|m| common[1].scale(m)), y: CUBIC.map(|m| common[0].scale(m)) };
        if !straight.is_zero() {
            along.add_own_integrals(&straight);
            across.add_mixed_integrals(&straight);
        }
        if !turned.is_zero() {
            // k x (u, w) = (-w, u)
            for w in &mut turned.y {
                *w = -*w;
            }
            along.add_mixed_integrals(&turned);
            across.add_own_integrals(&turned);
        }
        // L sums to one, so its two moments sum to the force.
        let force = [along.x[0] + along.x[1], across.x[0] + across.x[1]];
        out[0] += (cos * force[0] - sin * force[1]).times(mass);
        out[1] += (sin * force[0] + cos * force[1]).times(mass);
        out[2] += (dot(&e.x, &across.x) - dot(&e.y, &across.y)).times(mass);
        along.push(mass, h, out);
    }
    /// Adds the gradient of the elastic energy and the damping.
    #[inline(always)]
    fn elasticity<S: Lift<P>>(&self, q: &[S], v: &[S], out: &mut [S]) {
        let h = self.length;
        let e = Field::of(q, h);
        let (axial, bending) = (self.axial / h, self.bending / (h * h * h));
        let mut stretch = e.x[1] - e.x[0];
        if self.geometric_stiffness {
            let mut slope = [S::zero(); 4];
            add_times(&SLOPE_SLOPE, &e.y, &mut slope);
            // int w'^2 dx is e_y^T G e_y / h.
            stretch += dot(&e.y, &slope).times(h.recip().scale(0.5));
            let factor = stretch.times(axial / h);
            push_across(&slope.map(|s| factor * s), P::one(), h, out);
        }
        let pull = stretch.times(axial);
        out[3] -= pull;
        out[6] += pull;
        if self.bending != P::zero() {
            let mut bend = [S::zero(); 4];
            add_times(&BEND_BEND, &e.y, &mut bend);
            push_across(&bend, bending, h, out);
        }
        if self.beta == P::zero() && self.alpha == P::zero() {
            return;
        }
        let rate = Field::of(v, h);
        if self.beta != P::zero() {
            let pull = (rate.x[1] - rate.x[0]).times(self.beta * axial);
            out[3] -= pull;
            out[6] += pull;
            let mut bend = [S::zero(); 4];
            add_times(&BEND_BEND, &rate.y, &mut bend);
            push_across(&bend, self.beta * bending, h, out);
        }
        if self.alpha != P::zero() {
            let mut own = Field::zero();
            own.add_own_integrals(&rate);
            own.push(self.alpha * self.mass_per_length * h, h, out);
        }
    }
}

impl<P: Data> ElementLaw<P> for LinkElement<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        // Five points show a cubic.
        let at = |xi: f64| Place::OnLink {
            frame: Slot { q: 0, v: 0 },
            at: LinkPoint::Span {
                nodes: [Slot { q: 3, v: 3 }, Slot { q: 6, v: 6 }],
                start: self.start,
                length: self.length,
                xi: P::cst(xi),
            },
        };
        Some((Stroke::Curve, [0.0, 0.25, 0.5, 0.75, 1.0].map(at).to_vec()))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: true, a: true, u: false }
    }
    fn undamped(&self) -> bool {
        self.alpha == P::zero() && self.beta == P::zero()
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        self.forces(at, out);
    }
}

/// An elastic coordinate of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElasticAxis {
    /// Displacement along the undeformed link.
    X,
    /// Displacement across it.
    Y,
    /// Rotation of the section.
    Rotation,
}

impl ElasticAxis {
    /// Its word in names of rows and in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Rotation => "rotation",
        }
    }
    /// Its number among the coordinates of a node.
    pub fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Rotation => 2,
        }
    }
}

/// One reference condition: an elastic coordinate that the frame keeps at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// First local configuration index of the node.
    pub slot: usize,
    /// Number of the node, counted from 1.
    pub node: usize,
    /// Which of its coordinates.
    pub axis: ElasticAxis,
}

/// The reference conditions of a link: Phi_i = an elastic coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceConditions {
    /// The elastic coordinates that are zero.
    pub held: Vec<Held>,
}

impl<P: Data> ElementLaw<P> for ReferenceConditions {
    fn rows(&self) -> usize {
        self.held.len()
    }
    fn row_axis(&self, i: usize) -> String {
        format!("reference node {} {}", self.held[i].node, self.held[i].axis.name())
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        for (out, held) in out.iter_mut().zip(&self.held) {
            *out = at.q[held.slot + held.axis.index()];
        }
    }
}
