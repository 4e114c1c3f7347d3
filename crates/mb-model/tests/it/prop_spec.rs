//! Properties of the model file: round trips, and no panic whatever the text.

use super::spec_fixtures::fixtures;
use mb_model::law::{Function, Term};
use mb_model::spec::expression::{Leaf, parse};
use mb_model::spec::{
    AngleForm, AngleSpec, BodySpec, DampingSpec, ForceSpec, JointKind, JointSpec, PlaceRef, PointSpec,
    RepeatSpec, RodSpec, SpringSpec, Value, Vector,
};
use mb_model::{Model, ModelSpec};
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_]{0,6}".prop_filter("a function or pi", |n| Function::named(n).is_none())
}

fn term() -> impl Strategy<Value = Term<Leaf>> {
    let number = prop_oneof![
        (0_u32..1000).prop_map(f64::from),
        (0.0..1e3_f64),
        proptest::num::f64::POSITIVE | proptest::num::f64::ZERO,
    ];
    let leaf = prop_oneof![
        number.prop_map(|x| Term::Leaf(Leaf::Number(x.abs()))),
        name().prop_map(|n| Term::Leaf(Leaf::Name(n))),
    ];
    leaf.prop_recursive(6, 40, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        let function = proptest::sample::select(Function::NAMES.map(|(_, f)| f).to_vec());
        prop_oneof![
            inner.clone().prop_map(|a| Term::Negative(Box::new(a))),
            pair.clone().prop_map(|(a, b)| Term::Sum(a, b)),
            pair.clone().prop_map(|(a, b)| Term::Difference(a, b)),
            pair.clone().prop_map(|(a, b)| Term::Product(a, b)),
            pair.prop_map(|(a, b)| Term::Quotient(a, b)),
            (inner.clone(), -64..=64_i32).prop_map(|(a, n)| Term::Power(Box::new(a), n)),
            (function, proptest::collection::vec(inner, 3))
                .prop_map(|(f, list)| Term::Call(f, list.into_iter().take(f.arguments()).collect())),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        proptest::num::f64::NORMAL.prop_map(Value::Number),
        (-100..100_i32).prop_map(Value::from),
        term().prop_map(|t| Value::Expression(t.to_string())),
        "\\PC{0,8}".prop_map(Value::Expression),
    ]
}
fn pair() -> impl Strategy<Value = [Value; 2]> {
    [value(), value()]
}
fn place() -> impl Strategy<Value = PlaceRef> {
    prop_oneof![name().prop_map(PlaceRef::Name), pair().prop_map(PlaceRef::Ground)]
}

prop_compose! {
    fn point()(name in name(), at in proptest::option::of(pair()), fixed: bool,
        velocity in proptest::option::of(pair()), mass in proptest::option::of(value()),
        alpha in proptest::option::of(value())) -> PointSpec {
        PointSpec { name, at, velocity, fixed, mass, damping: alpha.map(|alpha| DampingSpec { alpha }) }
    }
}
prop_compose! {
    fn rod()(name in name(), a in name(), b in name(), mass in value(),
        length in proptest::option::of(value()), rigid: bool) -> RodSpec {
        RodSpec { length, rigid, ..RodSpec::new(name, [&a, &b], mass) }
    }
}
prop_compose! {
    fn body()(name in name(), mass in value(), inertia in value(), at in pair(), angle in value(),
        velocity in proptest::option::of(pair()), angular_velocity in proptest::option::of(value()),
        markers in proptest::collection::btree_map(name(), pair(), 0..3)) -> BodySpec {
        BodySpec { velocity, angular_velocity, markers, ..BodySpec::new(name, mass, inertia).starting(at, angle) }
    }
}
prop_compose! {
    fn joint()(name in name(), a in place(), b in place(), axis in proptest::option::of(pair()),
        kind in proptest::sample::select(vec![JointKind::Revolute, JointKind::PointOnLine])) -> JointSpec {
        JointSpec { axis: axis.map(Vector::Plane), ..JointSpec::new(kind, name, a, b) }
    }
}
prop_compose! {
    fn spring()(name in name(), a in place(), b in place(), k in value(), l in value(),
        damping in proptest::option::of(value())) -> SpringSpec {
        SpringSpec { damping, ..SpringSpec::new(name, a, b, k, l) }
    }
}
prop_compose! {
    fn spec()(
        title in "[a-z ]{1,12}x", description in proptest::option::of("\\PC{0,30}"),
        gravity in proptest::collection::vec(value(), 0..4),
        parameters in proptest::collection::btree_map(name(), value(), 0..5),
        points in proptest::collection::vec(point(), 0..4),
        rods in proptest::collection::vec(rod(), 0..3),
        bodies in proptest::collection::vec(body(), 0..3),
        joints in proptest::collection::vec(joint(), 0..3),
        springs in proptest::collection::vec(spring(), 0..3),
        line in (name(), place(), place()),
        force in (name(), place(), pair()),
        inner in proptest::collection::vec(point(), 0..2),
        range in (name(), value(), value()),
    ) -> ModelSpec {
        ModelSpec {
            name: title, description, gravity, parameters, points, rods, bodies, joints, springs,
            angles: vec![AngleSpec::new(line.0, line.1, line.2, AngleForm::Sine)],
            forces: vec![ForceSpec::dead(force.0, force.1, force.2)],
            repeats: vec![RepeatSpec {
                index: range.0, from: range.1, to: range.2, points: inner, ..RepeatSpec::default()
            }],
            ..ModelSpec::default()
        }
    }
}

/// A change of a text at a place given as a share of its length.
#[derive(Clone, Debug)]
enum Change {
    Remove(f64, usize),
    Insert(f64, String),
    Copy(f64, f64, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        ".{1,3}",
        proptest::sample::select(vec![
            "nan",
            "inf",
            "-1",
            "0",
            "1e308",
            "\"",
            "\n",
            "[[",
            "]]",
            "{i}",
            "{",
            "}",
            "ground",
            "[",
            "]",
            "=",
            "'''",
            "fixed = true\n",
            "[[repeat]]\n",
            "name = \"B\"\n",
            "\"1/0\"",
            "\"t\"",
            ".",
            "-",
            "[[point]]\nname=\"A\"\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop_oneof![
        (0.0..1.0, 0_usize..20).prop_map(|(a, n)| Change::Remove(a, n)),
        (0.0..1.0, piece).prop_map(|(a, p)| Change::Insert(a, p)),
        (0.0..1.0, 0.0..1.0, 0_usize..60).prop_map(|(a, b, n)| Change::Copy(a, b, n)),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    let place = |share: f64, chars: &[char]| (share * chars.len() as f64) as usize;
    for change in changes {
        match change {
            Change::Remove(a, n) => {
                let from = place(*a, &chars);
                let to = (from + n).min(chars.len());
                chars.drain(from..to);
            }
            Change::Insert(a, piece) => {
                let at = place(*a, &chars);
                chars.splice(at..at, piece.chars());
            }
            Change::Copy(a, b, n) => {
                let (from, at) = (place(*a, &chars), place(*b, &chars));
                let piece = chars[from..(from + n).min(chars.len())].to_vec();
                chars.splice(at..at, piece);
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_expression_reads_back_as_it_was_written(t in term()) {
        prop_assert_eq!(parse(&t.to_string()).unwrap(), t);
    }

    #[test]
    fn any_text_is_an_expression_or_has_its_fault_inside(text in "[-+*/^(). a-z0-9é]{0,24}") {
        if let Err(e) = parse(&text) {
            prop_assert!(e.offset <= text.len() && text.is_char_boundary(e.offset));
        }
    }

    #[test]
    fn a_description_survives_writing_and_reading(spec in spec()) {
        let text = spec.to_toml().unwrap();
        prop_assert_eq!(ModelSpec::from_toml(&text).unwrap(), spec);
    }

    /// Random descriptions are nearly always wrong; every problem has its place, and none panics.
    #[test]
    fn a_random_description_is_built_or_refused_with_places(spec in spec()) {
        let text = spec.to_toml().unwrap();
        if let Err(e) = Model::from_toml(&text) {
            prop_assert!(!e.problems().is_empty());
            for p in e.problems() {
                let at = p.position.as_ref().unwrap();
                prop_assert!(text.get(at.span.clone()).is_some() && at.line >= 1 && at.column >= 1);
            }
        }
    }

    #[test]
    fn a_spoiled_file_never_panics(pick in any::<proptest::sample::Index>(),
        changes in proptest::collection::vec(change(), 1..5)) {
        let files = fixtures();
        let text = changed(&files[pick.index(files.len())].1, &changes);
        match Model::from_toml(&text) {
            Ok(model) => prop_assert!(model.initial().iter().all(|x| x.is_finite())),
            Err(e) => {
                for p in e.problems() {
                    let at = p.position.as_ref().unwrap();
                    prop_assert!(text.get(at.span.clone()).is_some());
                }
            }
        }
    }
}
