//! How the blocks of the linearization change along a motion.
//!
//! ```text
//! dX/dt = X_q v + X_v a + X_a a' + X_lambda lambda' + X_t,    X = M, C, K
//! ```
//!
//! One more dual level than the blocks themselves: the point moves along (v, a, a', lambda', 1) in the innermost
//! infinitesimal before a column is seeded, so that the derivatives are exact. The change of Phi_q needs no sweep of its
//! own: it is d(Phi')/dq ([`Model::phi_dot_q`]) with the terms of turning bodies (`mb-linear`, `turning.rs`).

use super::linearized::Blocks;
use super::sweep::{D1, D2, D3, Frame, Scratch, inner, outer};
use crate::element::{Data, Element, ForceFrame};
use crate::law::TimeLaw;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Scatter, Triplets};
use mb_scalar::Dual;

impl<P: Data> Model<P> {
    /// dM/dt, dC/dt and dK/dt (nv x nv) at a point of a motion whose accelerations change by `a_rate` (nv) and multipliers
    /// by `lambda_rate` (nc) per second. `phi_q` of the answer has no entries.
    pub fn block_rates(&self, point: &Point<P>, a_rate: &[P], lambda_rate: &[P]) -> Blocks<Triplets<P>> {
        let (n, m) = (self.nv(), self.nc());
        let square = || Triplets::new(n, n);
        let mut out = Blocks { m: square(), c: square(), k: square(), phi_q: Triplets::new(m, n) };
        let mut s = Scratch::default();
        for member in self.members() {
            self.residual_rates(&mut s.d2, member, point, a_rate, &mut out);
            self.reaction_rates(&mut s.d3, member, point, lambda_rate, &mut out.k);
        }
        out
    }
    /// Partial derivative of Phi'' by time at constant q, v and a: nc numbers.
    pub fn phi_ddot_t(&self, point: &Point<P>) -> Vec<P> {
        let mut s = Scratch::default();
        let mut out = vec![P::zero(); self.nc()];
        // tau + tau^2 / 2 of the curve, as for Phi'', in the two inner levels.
        let along = |v: P, a: P| D3::constant(Dual::new(Dual::new(P::zero(), v), Dual::new(v, a)));
        for m in self.members().iter().filter(|m| m.rows > 0) {
            self.rates_ddot_t(&mut s, m, point, &mut out);
            let f = &mut s.d3;
            f.gather_q(&m.wires, &point.q, point.t);
            let curve: Vec<_> = m.wires.v_index.iter().map(|i| along(point.v[*i], point.a[*i])).collect();
            f.step_all(&m.wires, self.coordinates(), &curve);
            f.t += outer();
            f.t += along(P::one(), P::zero());
            f.phi(m);
            for (i, x) in f.out.iter().enumerate() {
                out[m.row + i] += x.eps.eps.eps;
            }
        }
        out
    }
    /// The owners of elements that are given functions of time, with what stops them from being the same at all times: a
    /// drive whose law is not affine in time, a load that is not constant.
    pub fn unsteady_laws(&self) -> Vec<(&str, &'static str)> {
        let one = |m: &'_ Member<P>| -> Option<&'static str> {
            let drive = |law: &TimeLaw<P>| law.degree().is_none_or(|d| d > 1);
            let load = |law: &TimeLaw<P>| law.degree() != Some(0);
            match &m.element {
                Element::Drive(e) if drive(&e.law) => Some("its law is not affine in time"),
                Element::Force(e) if load(&e.magnitude) => Some("it depends on time"),
                Element::Torque(e) if load(&e.magnitude) => Some("it depends on time"),
                Element::Motor(e) if load(&e.magnitude) => Some("it depends on time"),
                Element::Moment(e) if load(&e.magnitude) => Some("it depends on time"),
                Element::FaceLoad(e) if load(&e.magnitude) => Some("it depends on time"),
                _ => None,
            }
        };
        self.members().iter().filter_map(|m| Some((m.owner.as_str(), one(m)?))).collect()
    }
    /// The owners of surfaces given as profiles that are not straight by their form, along which a wheel goes, with its speed there, m/s: what comes
    /// is not what has been, wherever points of the way are looked at.
    pub fn uneven_ways(&self, point: &Point<P>) -> Vec<(&str, f64)> {
        let mut scratch = Scratch::<P>::default();
        let mut one = |m: &'_ Member<P>| -> f64 {
            let Element::Rolling(e) = &m.element else { return 0.0 };
            let frame = &mut scratch.value;
            frame.gather(&m.wires, point, self.gravity);
            e.along_profile(&frame.q, &frame.v)
        };
        let ways = self.members().iter().map(|m| (m.owner.as_str(), one(m)));
        ways.filter(|(_, speed)| *speed > 0.0).collect()
    }
    /// The owners of joints that turn about one axis which is opposite in both of their frames: the rows are met, but no motion leads there.
    pub fn turned_over(&self, point: &Point<P>) -> Vec<&str> {
        let mut scratch = Scratch::<P>::default();
        let mut one = |m: &'_ Member<P>| -> bool {
            let Element::Joint(e) = &m.element else { return false };
            let frame = &mut scratch.value;
            frame.gather(&m.wires, point, self.gravity);
            e.is_turned_over(&frame.q)
        };
        self.members().iter().filter(|m| one(m)).map(|m| m.owner.as_str()).collect()
    }
    /// Whether elements have functions of place from outside, which may be the same at many places and not at others: a surface given
    /// as a profile, a law of an element of someone else's.
    pub fn has_functions_of_place(&self) -> bool {
        self.members().iter().any(|m| match &m.element {
            Element::Rolling(e) => e.profile.is_some(),
            Element::Custom(_) => true,
            _ => false,
        })
    }

    /// Whether forces may turn with bodies: follower forces and pressures, moments on bodies in space, laws of an element of someone else's. They can
    /// do work in a cycle, so that a stiffness matrix that is a little unsymmetric is no rounded one.
    pub fn has_follower_forces(&self) -> bool {
        self.members().iter().any(|m| match &m.element {
            Element::Force(e) => e.frame != ForceFrame::Ground,
            Element::Moment(_) | Element::FaceLoad(_) | Element::Custom(_) => true,
            _ => false,
        })
    }
    /// Number of elements whose forces are functions of a length.
    pub fn lengths(&self) -> usize {
        self.members().iter().filter(|m| matches!(m.element, Element::Spring(_))).count()
    }

    /// Puts the element's coordinates into the frame, moving along the motion in the inner level.
    fn moving_frame(&self, f: &mut Frame<D2<P>>, m: &Member<P>, point: &Point<P>, a_rate: &[P]) {
        f.gather(&m.wires, point, self.gravity);
        let moved = |x: P| inner::<P>() * D2::constant(D1::constant(x));
        let along: Vec<_> = m.wires.v_index.iter().map(|i| moved(point.v[*i])).collect();
        f.step_all(&m.wires, self.coordinates(), &along);
        for (k, i) in m.wires.v_index.iter().enumerate() {
            f.v[k] += moved(point.a[*i]);
            f.a[k] += moved(a_rate[*i]);
        }
        f.t += inner();
    }
    fn residual_rates(
        &self,
        f: &mut Frame<D2<P>>,
        m: &Member<P>,
        point: &Point<P>,
        a_rate: &[P],
        out: &mut Blocks<Triplets<P>>,
    ) {
        let depends = m.element.dependence();
        if !(depends.a || depends.v || depends.q) {
            return;
        }
        let add = |f: &Frame<D2<P>>, col: usize, to: &mut Triplets<P>| {
            for (row, x) in m.wires.v_index.iter().zip(&f.out) {
                if x.eps.eps != P::zero() {
                    to.add(*row, col, x.eps.eps);
                }
            }
        };
        self.moving_frame(f, m, point, a_rate);
        for (j, col) in m.wires.v_index.iter().enumerate() {
            if depends.a {
                let at = f.a[j];
                f.a[j] += outer();
                f.residual(m);
                f.a[j] = at;
                add(f, *col, &mut out.m);
            }
            if depends.v {
                let at = f.v[j];
                f.v[j] += outer();
                f.residual(m);
                f.v[j] = at;
                add(f, *col, &mut out.c);
            }
        }
        for (j, col) in m.wires.v_index.iter().enumerate().filter(|_| depends.q) {
            if j > 0 {
                self.moving_frame(f, m, point, a_rate);
            }
            f.step(&m.wires, self.coordinates(), j, outer());
            f.residual(m);
            add(f, *col, &mut out.k);
        }
    }
    fn reaction_rates(
        &self,
        f: &mut Frame<D3<P>>,
        m: &Member<P>,
        point: &Point<P>,
        lambda_rate: &[P],
        out: &mut Triplets<P>,
    ) {
        let own = m.row..m.row + m.rows;
        let (lambda, rate) = (&point.lambda[own.clone()], &lambda_rate[own]);
        if lambda.iter().chain(rate).all(|l| *l == P::zero()) {
            return;
        }
        let innermost = || D3::constant(D2::constant(D1::new(P::zero(), P::one())));
        let moved = |x: P| innermost() * D3::constant(D2::constant(D1::constant(x)));
        let along: Vec<_> = m.wires.v_index.iter().map(|i| moved(point.v[*i])).collect();
        for (j, col) in m.wires.v_index.iter().enumerate() {
            for (i, row) in m.wires.v_index.iter().enumerate() {
                f.gather_q(&m.wires, &point.q, point.t);
                f.t += innermost();
                f.step_all(&m.wires, self.coordinates(), &along);
                f.step(&m.wires, self.coordinates(), j, outer());
                f.step(&m.wires, self.coordinates(), i, inner());
                f.phi(m);
                let mut k = P::zero();
                for ((l, rate), x) in lambda.iter().zip(rate).zip(&f.out) {
                    k += *l * x.eps.eps.eps + *rate * x.eps.eps.re;
                }
                if m.velocity_rows > 0 {
                    k += velocity_rows_rate(f, m, i, lambda, rate);
                }
                if k != P::zero() {
                    out.add(*row, *col, k);
                }
            }
        }
    }
}

/// The rate of d(A^T mu)/dq for local row `i`, in a frame that moves along the motion in the innermost level and along a column
/// in the outer one.
fn velocity_rows_rate<P: Data>(f: &mut Frame<D3<P>>, m: &Member<P>, i: usize, lambda: &[P], rate: &[P]) -> P {
    // The configuration was stepped along row i in the inner level, which these rows are to see in the velocity instead.
    for x in &mut f.q {
        x.re.eps = D1::constant(P::zero());
        x.eps.eps = D1::constant(P::zero());
    }
    f.set_velocities(m, |_| D3::constant(D2::constant(D1::constant(P::zero()))));
    f.v[i] = inner();
    f.rates(m);
    let first = m.rows - m.velocity_rows;
    let mut k = P::zero();
    for ((l, rate), x) in lambda[first..].iter().zip(&rate[first..]).zip(&f.out) {
        k += *l * x.eps.eps.eps + *rate * x.eps.eps.re;
    }
    k
}
