//! Scalars that element data can be given in, and the code that is compiled for each of them.
//!
//! Elements and the model file are written once over the scalar. Rust compiles such code again in
//! every crate that calls it, and elements in jets are most of the code of the program. Therefore
//! the list of data scalars is closed, and the functions of [`Data`] are where they are compiled:
//! in this crate, once, for whoever calls them.

use crate::element::{Element, ElementLaw, Local, each_law, each_rolling};
use crate::model::Model;
use crate::source::AnySource;
use crate::spec::{ModelError, ModelSpec};
use mb_scalar::jet::DynJet;
use mb_scalar::{Dual, Lift, Real};
use std::collections::BTreeMap;

/// A scalar that element data can be given in: `f64`, or a [`DynJet`] of at most 70 or 495 terms when
/// a parameter is expanded. The list is closed.
///
/// `residual_0` to `residual_3` add M a - f of an element to `out` in the data scalar and in one to
/// three levels of dual numbers over it; `phi_`, `rates_` and `potential_` likewise.
#[expect(missing_docs, reason = "one function per level, each the method of Element of that name")]
pub trait Data: Real + Lift<Self> + closed::Closed {
    /// Steps of Newton's method from a value that give all derivatives in this scalar and three levels of dual numbers over it: each doubles the
    /// order that is exact and adds one.
    const DOUBLINGS: usize;
    /// Makes a model of its description in this scalar.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn build(spec: &ModelSpec, given: &BTreeMap<String, Self>) -> Result<Model<Self>, ModelError>;
    /// The model of a source behind a trait object, in this scalar.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn model_of(source: &dyn AnySource, given: &BTreeMap<String, Self>) -> Result<Model<Self>, ModelError>;
    fn residual_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]);
    fn residual_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>, out: &mut [Dual<Self>]);
    fn residual_2(e: &Element<Self>, at: &Local<'_, D2<Self>>, out: &mut [D2<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::residual(e, at, out), c => c.residual_2(at, out));
    }
    fn residual_3(e: &Element<Self>, at: &Local<'_, D3<Self>>, out: &mut [D3<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::residual(e, at, out), c => c.residual_3(at, out));
    }
    fn phi_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]);
    fn phi_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>, out: &mut [Dual<Self>]);
    fn phi_2(e: &Element<Self>, at: &Local<'_, D2<Self>>, out: &mut [D2<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::phi(e, at, out), c => c.phi_2(at, out));
    }
    fn phi_3(e: &Element<Self>, at: &Local<'_, D3<Self>>, out: &mut [D3<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::phi(e, at, out), c => c.phi_3(at, out));
    }
    fn rates_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]) {
        each_rolling!(e, e => ElementLaw::<Self>::rates(&**e, at, out), c => c.rates_0(at, out));
    }
    fn rates_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>, out: &mut [Dual<Self>]) {
        each_rolling!(e, e => ElementLaw::<Self>::rates(&**e, at, out), c => c.rates_1(at, out));
    }
    fn rates_2(e: &Element<Self>, at: &Local<'_, D2<Self>>, out: &mut [D2<Self>]) {
        each_rolling!(e, e => ElementLaw::<Self>::rates(&**e, at, out), c => c.rates_2(at, out));
    }
    fn rates_3(e: &Element<Self>, at: &Local<'_, D3<Self>>, out: &mut [D3<Self>]) {
        each_rolling!(e, e => ElementLaw::<Self>::rates(&**e, at, out), c => c.rates_3(at, out));
    }
    fn potential_0(e: &Element<Self>, at: &Local<'_, Self>) -> Self {
        each_law!(e, e => ElementLaw::<Self>::potential(e, at), c => c.potential_0(at))
    }
    fn potential_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>) -> Dual<Self> {
        each_law!(e, e => ElementLaw::<Self>::potential(e, at), c => c.potential_1(at))
    }
    fn potential_2(e: &Element<Self>, at: &Local<'_, D2<Self>>) -> D2<Self> {
        each_law!(e, e => ElementLaw::<Self>::potential(e, at), c => c.potential_2(at))
    }
    fn potential_3(e: &Element<Self>, at: &Local<'_, D3<Self>>) -> D3<Self> {
        each_law!(e, e => ElementLaw::<Self>::potential(e, at), c => c.potential_3(at))
    }
}

type D2<P> = Dual<Dual<P>>;
type D3<P> = Dual<Dual<Dual<P>>>;

mod closed {
    use mb_scalar::jet::DynJet;
    pub trait Closed {}
    impl Closed for f64 {}
    impl Closed for DynJet<70> {}
    impl Closed for DynJet<495> {}
}

/// The functions that every data scalar has: the model file, and elements in one level of dual numbers.
macro_rules! common {
    ($model_of:ident) => {
        fn build(spec: &ModelSpec, given: &BTreeMap<String, Self>) -> Result<Model<Self>, ModelError> {
            crate::spec::build(spec, given)
        }
        fn model_of(
            source: &dyn AnySource,
            given: &BTreeMap<String, Self>,
        ) -> Result<Model<Self>, ModelError> {
            source.$model_of(given)
        }
        fn residual_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>, out: &mut [Dual<Self>]) {
            each_law!(e, e => ElementLaw::<Self>::residual(e, at, out), c => c.residual_1(at, out));
        }
        fn phi_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>, out: &mut [Dual<Self>]) {
            each_law!(e, e => ElementLaw::<Self>::phi(e, at, out), c => c.phi_1(at, out));
        }
    };
}

impl Data for f64 {
    const DOUBLINGS: usize = 2;
    common!(model_f64);
    fn residual_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]) {
        each_law!(e, e => ElementLaw::<Self>::residual(e, at, out), c => c.residual_0(at, out));
    }
    fn residual_2(e: &Element<Self>, at: &Local<'_, D2<Self>>, out: &mut [D2<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::residual(e, at, out), c => c.residual_2(at, out));
    }
    fn residual_3(e: &Element<Self>, at: &Local<'_, D3<Self>>, out: &mut [D3<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::residual(e, at, out), c => c.residual_3(at, out));
    }
    fn phi_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]) {
        each_law!(e, e => ElementLaw::<Self>::phi(e, at, out), c => c.phi_0(at, out));
    }
    fn phi_2(e: &Element<Self>, at: &Local<'_, D2<Self>>, out: &mut [D2<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::phi(e, at, out), c => c.phi_2(at, out));
    }
    fn phi_3(e: &Element<Self>, at: &Local<'_, D3<Self>>, out: &mut [D3<Self>]) {
        each_law!(e, e => ElementLaw::<Self>::phi(e, at, out), c => c.phi_3(at, out));
    }
    fn potential_0(e: &Element<Self>, at: &Local<'_, Self>) -> Self {
        each_law!(e, e => ElementLaw::<Self>::potential(e, at), c => c.potential_0(at))
    }
    fn potential_1(e: &Element<Self>, at: &Local<'_, Dual<Self>>) -> Dual<Self> {
        each_law!(e, e => ElementLaw::<Self>::potential(e, at), c => c.potential_1(at))
    }
}

/// Jets have one level only: values are the real parts of dual numbers without derivatives, whose products with
/// the constant zero cost one pass over the coefficients. A level less is a third of the code of jets.
macro_rules! jet {
    ($scalar:ty, $model_of:ident) => {
        impl Data for $scalar {
            const DOUBLINGS: usize = 4;
            common!($model_of);
            fn residual_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]) {
                by_duals(at, out, |at, out| Self::residual_1(e, at, out));
            }
            fn phi_0(e: &Element<Self>, at: &Local<'_, Self>, out: &mut [Self]) {
                by_duals(at, out, |at, out| Self::phi_1(e, at, out));
            }
        }
    };
}
jet!(DynJet<70>, model_70);
jet!(DynJet<495>, model_495);

/// Calls `law` with dual numbers in place of `at` and `out`, and keeps the values.
fn by_duals<P: Real>(
    at: &Local<'_, P>,
    out: &mut [P],
    law: impl FnOnce(&Local<'_, Dual<P>>, &mut [Dual<P>]),
) {
    let lift = |list: &[P]| list.iter().map(|x| Dual::constant(*x)).collect::<Vec<_>>();
    let [q, v, a, u] = [at.q, at.v, at.a, at.u].map(lift);
    let mut found = lift(out);
    let gravity = at.gravity.map(Dual::constant);
    law(&Local { q: &q, v: &v, a: &a, t: Dual::constant(at.t), u: &u, gravity }, &mut found);
    for (x, found) in out.iter_mut().zip(found) {
        *x = found.re;
    }
}
