//! Local sweeps: an element's coordinates in dual numbers, one seeded direction at a time.

use crate::coordinates::Coordinates;
use crate::element::{Data, Local, Tower};
use crate::model::{Member, Wires};
use crate::state::Point;
use mb_scalar::{Dual, Real};

/// First derivative level over element data `P`.
pub(super) type D1<P> = Dual<P>;
/// Second derivative level.
pub(super) type D2<P> = Dual<Dual<P>>;
/// Third derivative level.
pub(super) type D3<P> = Dual<Dual<Dual<P>>>;

/// An element's coordinates in the scalar `S`, and room for its answer.
#[derive(Debug, Default)]
pub(super) struct Frame<S> {
    pub(super) q: Vec<S>,
    pub(super) v: Vec<S>,
    pub(super) a: Vec<S>,
    pub(super) u: Vec<S>,
    pub(super) t: S,
    pub(super) gravity: [S; 3],
    pub(super) out: Vec<S>,
}

/// Frames for every level; contents never outlive one element.
#[derive(Debug, Default)]
pub(super) struct Scratch<P> {
    pub(super) value: Frame<P>,
    pub(super) d1: Frame<D1<P>>,
    pub(super) d2: Frame<D2<P>>,
    pub(super) d3: Frame<D3<P>>,
}

impl<S: Real> Frame<S> {
    /// Takes the element's coordinates out of `point`, as constants.
    pub(super) fn gather<P: Data>(&mut self, wires: &Wires, point: &Point<P>, gravity: [P; 3])
    where
        S: Tower<P>,
    {
        self.gather_q(wires, &point.q, point.t);
        let lift = |out: &mut Vec<S>, from: &[P], index: &[usize]| {
            out.clear();
            out.extend(index.iter().map(|i| S::lift(from[*i])));
        };
        lift(&mut self.v, &point.v, &wires.v_index);
        lift(&mut self.a, &point.a, &wires.v_index);
        lift(&mut self.u, &point.u, &wires.inputs);
        self.gravity = gravity.map(S::lift);
    }
    /// As [`Self::gather`] from plain numbers, with accelerations zero.
    pub(super) fn take(&mut self, wires: &Wires, q: &[f64], v: &[f64], t: f64, u: &[f64], gravity: [f64; 3])
    where
        S: Tower<f64>,
    {
        self.gather_q(wires, q, t);
        self.v.clear();
        self.v.extend(wires.v_index.iter().map(|i| S::lift(v[*i])));
        self.a.clear();
        self.a.resize(wires.v_index.len(), S::zero());
        self.u.clear();
        self.u.extend(wires.inputs.iter().map(|i| S::lift(u[*i])));
        self.gravity = gravity.map(S::lift);
    }
    /// Takes only the configuration and time, which is all a constraint function reads.
    pub(super) fn gather_q<P: Data>(&mut self, wires: &Wires, q: &[P], t: P)
    where
        S: Tower<P>,
    {
        self.q.clear();
        self.q.extend(wires.q_index.iter().map(|i| S::lift(q[*i])));
        self.t = S::lift(t);
    }
    /// Evaluates the residual M a - f into `out`.
    pub(super) fn residual<P: Data>(&mut self, member: &Member<P>)
    where
        S: Tower<P>,
    {
        self.out.clear();
        self.out.resize(member.wires.v_index.len(), S::zero());
        let at = Local { q: &self.q, v: &self.v, a: &self.a, t: self.t, u: &self.u, gravity: self.gravity };
        member.element.residual(&at, &mut self.out);
    }
    /// Evaluates Phi into `out`.
    pub(super) fn phi<P: Data>(&mut self, member: &Member<P>)
    where
        S: Tower<P>,
    {
        self.out.clear();
        self.out.resize(member.rows, S::zero());
        let at = Local { q: &self.q, v: &[], a: &[], t: self.t, u: &[], gravity: [S::zero(); 3] };
        member.element.phi(&at, &mut self.out);
    }
    /// Gives every configuration number its rate along the frame's own velocities.
    ///
    /// `value` reads the value of a number, `set` stores the rate in it.
    pub(super) fn follow<P: Data>(
        &mut self,
        wires: &Wires,
        coordinates: &Coordinates,
        value: impl Fn(S) -> P,
        set: impl Fn(&mut S, P),
    ) {
        let (mut q, mut v) = (0, 0);
        let (mut at, mut rate, mut velocity) = ([P::zero(); 7], [P::zero(); 7], [P::zero(); 6]);
        for id in &wires.blocks {
            let kind = coordinates.block(*id).kind;
            let (nq, nv) = (kind.nq(), kind.nv());
            if kind.is_linear() {
                for i in 0..nq {
                    let x = value(self.v[v + i]);
                    set(&mut self.q[q + i], x);
                }
            } else {
                for i in 0..nq {
                    at[i] = value(self.q[q + i]);
                }
                for i in 0..nv {
                    velocity[i] = value(self.v[v + i]);
                }
                kind.rate(&at[..nq], &velocity[..nv], &mut rate[..nq]);
                for i in 0..nq {
                    set(&mut self.q[q + i], rate[i]);
                }
            }
            q += nq;
            v += nv;
        }
    }
    /// q (+) step along local tangent direction `j`, of an infinitesimal step.
    pub(super) fn step(&mut self, wires: &Wires, coordinates: &Coordinates, j: usize, step: S) {
        if wires.linear {
            self.q[j] += step;
            return;
        }
        let (mut q, mut v) = (0, 0);
        for id in &wires.blocks {
            let kind = coordinates.block(*id).kind;
            if j < v + kind.nv() {
                if kind.is_linear() {
                    self.q[q + j - v] += step;
                    return;
                }
                kind.step(&mut self.q[q..q + kind.nq()], j - v, step);
                return;
            }
            q += kind.nq();
            v += kind.nv();
        }
    }
    /// q (+) d for a whole local tangent vector.
    pub(super) fn step_all(&mut self, wires: &Wires, coordinates: &Coordinates, d: &[S]) {
        let (mut q, mut v) = (0, 0);
        for id in &wires.blocks {
            let kind = coordinates.block(*id).kind;
            kind.retract(&mut self.q[q..q + kind.nq()], &d[v..v + kind.nv()]);
            q += kind.nq();
            v += kind.nv();
        }
    }
}

/// The infinitesimal of the outermost level.
pub(super) fn outer<S: Real>() -> Dual<S> {
    Dual::new(S::zero(), S::one())
}
/// The infinitesimal of the level below the outermost.
pub(super) fn inner<S: Real>() -> Dual<Dual<S>> {
    Dual::constant(Dual::new(S::zero(), S::one()))
}
