//! Small constructors, for descriptions written in Rust.
//!
//! Every table is a plain struct: a constructor takes what must be there, the rest stands in
//! `Struct { key: .., ..Struct::new(..) }`, and the compiler knows every key.

use super::{
    AngleForm, AngleSpec, BodySpec, DriveSpec, ForceSpec, JointKind, JointSpec, OutputQuantity, OutputSpec,
    PlaceRef, PointSpec, QuantitySpec, RodSpec, SpringSpec, TorqueSpec, TorsionSpringSpec, Value, Vector,
};

/// Two values, x and y: `[0.0, 1.0]`, `["a", "b"]`, or mixed as `(0.0, "-L")`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair(pub [Value; 2]);

impl<V: Into<Value>> From<[V; 2]> for Pair {
    fn from(pair: [V; 2]) -> Self {
        Self(pair.map(Into::into))
    }
}
impl<X: Into<Value>, Y: Into<Value>> From<(X, Y)> for Pair {
    fn from((x, y): (X, Y)) -> Self {
        Self([x.into(), y.into()])
    }
}

impl PointSpec {
    /// A point of the ground.
    pub fn fixed(name: impl Into<String>, at: impl Into<Pair>) -> Self {
        Self { fixed: true, ..Self::moving(name, at) }
    }
    /// A point with coordinates of its own that starts at `at`.
    pub fn moving(name: impl Into<String>, at: impl Into<Pair>) -> Self {
        Self { name: name.into(), at: Some(at.into().0), ..Self::default() }
    }
}

impl RodSpec {
    /// A rigid uniform rod between two points.
    pub fn new(name: impl Into<String>, ends: [&str; 2], mass: impl Into<Value>) -> Self {
        Self { name: name.into(), ends: ends.map(str::to_owned), mass: mass.into(), ..Self::default() }
    }
}

impl BodySpec {
    /// A rigid body; `inertia` is about the centre of mass, which is the reference point unless
    /// `center_of_mass` says otherwise.
    pub fn new(name: impl Into<String>, mass: impl Into<Value>, inertia: impl Into<Value>) -> Self {
        Self { name: name.into(), mass: Some(mass.into()), inertia: Some(inertia.into()), ..Self::default() }
    }
    /// Adds a named point in body axes.
    #[must_use]
    pub fn with_marker(mut self, name: impl Into<String>, at: impl Into<Pair>) -> Self {
        self.markers.insert(name.into(), at.into().0);
        self
    }
    /// Sets position and angle at the start.
    #[must_use]
    pub fn starting(mut self, at: impl Into<Pair>, angle: impl Into<Value>) -> Self {
        self.at = Some(at.into().0);
        self.angle = Some(angle.into());
        self
    }
}

impl AngleSpec {
    /// The angle of the line between two places.
    pub fn new(
        name: impl Into<String>,
        from: impl Into<PlaceRef>,
        to: impl Into<PlaceRef>,
        form: AngleForm,
    ) -> Self {
        Self { name: name.into(), from: from.into(), to: to.into(), form, ..Self::default() }
    }
}

impl JointSpec {
    /// A joint between two places. Lines need `axis` as well.
    pub fn new(
        kind: JointKind,
        name: impl Into<String>,
        a: impl Into<PlaceRef>,
        b: impl Into<PlaceRef>,
    ) -> Self {
        Self { kind, name: name.into(), a: a.into(), b: b.into(), ..Self::default() }
    }
    /// A joint in space about or along `axis`, given in the axes of b's body.
    pub fn about(
        kind: JointKind,
        name: impl Into<String>,
        a: impl Into<PlaceRef>,
        b: impl Into<PlaceRef>,
        axis: impl Into<Vector>,
    ) -> Self {
        Self { axis: Some(axis.into()), ..Self::new(kind, name, a, b) }
    }
    /// A pin.
    pub fn revolute(name: impl Into<String>, a: impl Into<PlaceRef>, b: impl Into<PlaceRef>) -> Self {
        Self::new(JointKind::Revolute, name, a, b)
    }
}

impl SpringSpec {
    /// A spring without damping.
    pub fn new(
        name: impl Into<String>,
        a: impl Into<PlaceRef>,
        b: impl Into<PlaceRef>,
        stiffness: impl Into<Value>,
        natural_length: impl Into<Value>,
    ) -> Self {
        Self {
            name: name.into(),
            a: a.into(),
            b: b.into(),
            stiffness: Some(stiffness.into()),
            natural_length: Some(natural_length.into()),
            damping: None,
        }
    }
}

impl TorsionSpringSpec {
    /// A torsional spring, at rest where both angles are equal.
    pub fn new(
        name: impl Into<String>,
        a: impl Into<String>,
        b: impl Into<String>,
        stiffness: impl Into<Value>,
    ) -> Self {
        Self {
            name: name.into(),
            a: a.into(),
            b: b.into(),
            stiffness: Some(stiffness.into()),
            ..Self::default()
        }
    }
}

impl ForceSpec {
    /// A constant dead force.
    pub fn dead(name: impl Into<String>, at: impl Into<PlaceRef>, vector: impl Into<Vector>) -> Self {
        Self { name: name.into(), at: at.into(), vector: Some(vector.into()), ..Self::default() }
    }
    /// A force along `direction` whose magnitude is an input.
    pub fn input(
        name: impl Into<String>,
        at: impl Into<PlaceRef>,
        direction: impl Into<Vector>,
        input: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            at: at.into(),
            direction: Some(direction.into()),
            input: Some(input.into()),
            ..Self::default()
        }
    }
}

impl TorqueSpec {
    /// A torque against the ground; the magnitude may be a function of time t.
    pub fn new(name: impl Into<String>, on: impl Into<String>, magnitude: impl Into<Value>) -> Self {
        Self { name: name.into(), on: on.into(), magnitude: Some(magnitude.into()), ..Self::default() }
    }
}

impl DriveSpec {
    /// A quantity that follows a function of time t.
    pub fn new(
        name: impl Into<String>,
        quantity: QuantitySpec,
        of: impl Into<String>,
        law: impl Into<Value>,
    ) -> Self {
        Self { name: name.into(), quantity, of: of.into(), from: None, law: law.into() }
    }
}

impl OutputSpec {
    /// An output of a quantity itself.
    pub fn new(name: impl Into<String>, quantity: OutputQuantity, of: impl Into<String>) -> Self {
        Self { name: name.into(), quantity, of: of.into(), ..Self::default() }
    }
}
