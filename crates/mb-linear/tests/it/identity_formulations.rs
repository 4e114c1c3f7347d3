//! The three families agree on random mechanisms, and no answer depends on how it was asked.

use mb_algebra::{c64, dense, norms};
use mb_constraints::NullSpaceMethod;
use mb_eigen::descriptor::{self, DescriptorStructure};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::{Class, DenseOptions, Spectrum, pairing};
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::redundant::Transferred;
use mb_linear::formulation::unconstrained::{Factor, Penalty, penalty_equilibrium, unconstrained};
use mb_linear::{
    Equilibrium, EquilibriumOptions, LinearizedSystem, OperatingPoint, Stability, linearize, stability,
};
use mb_model::element::{
    AngleOf, Coincident, Distance, Place, PlanarBody, RelativeAngle, Spring, TorsionSpring,
};
use mb_model::{BlockId, BlockKind, Element, Model, Wiring};
use proptest::prelude::*;

/// One link of a random tree: hung on an earlier link, with its data.
#[derive(Clone, Debug)]
struct Link {
    parent: usize,
    length: f64,
    mass: f64,
    angle: f64,
    spring: f64,
    damping: f64,
    grounded: bool,
}

/// A tree of pinned links; some tips tied to the ground by springs, the last one by a rigid bar
/// when `closed`; the constraints of link 0 given twice when `doubled`.
#[derive(Clone, Debug)]
struct Mechanism {
    links: Vec<Link>,
    closed: bool,
    doubled: bool,
}

fn mechanism() -> impl Strategy<Value = Mechanism> {
    let link =
        (0_usize..4, 0.4..1.5_f64, 0.2..2.0_f64, -0.6..0.6_f64, 1.0..30.0_f64, 0.0..0.5_f64, any::<bool>());
    let link = link.prop_map(|(parent, length, mass, angle, spring, damping, grounded)| Link {
        parent,
        length,
        mass,
        angle,
        spring,
        damping,
        grounded,
    });
    (proptest::collection::vec(link, 2..5), any::<bool>(), any::<bool>())
        .prop_map(|(links, closed, doubled)| Mechanism { links, closed, doubled })
}

impl Mechanism {
    fn model(&self) -> Model {
        let mut m = Model::new("random", [0.0, -9.81, 0.0]);
        let mut tips: Vec<(BlockId, [f64; 2], f64)> = Vec::new();
        for (i, link) in self.links.iter().enumerate() {
            let parent = (i > 0).then(|| tips[link.parent.min(i - 1)]);
            let from = parent.map_or([0.0; 2], |(_, tip, _)| tip);
            // Angle measured from hanging straight down.
            let (sin, cos) = link.angle.sin_cos();
            let tip = [from[0] + link.length * sin, from[1] - link.length * cos];
            let id = m.add_block(format!("link{i}"), BlockKind::PlanarPose, &[from[0], from[1], link.angle]);
            let mut w = Wiring::default();
            let (slot, _) = w.slot(id, m.coordinates().block(id));
            let body = PlanarBody {
                slot,
                mass: link.mass,
                inertia: link.mass * link.length * link.length / 12.0,
                center_of_mass: [0.0, -link.length / 2.0],
                alpha: 0.0,
            };
            m.add_element(format!("body {i}"), Element::PlanarBody(body), w.into_blocks(), vec![]);
            for copy in 0..if self.doubled && i == 0 { 2 } else { 1 } {
                let mut w = Wiring::default();
                let a = m.place(&mut w, id, [0.0; 2]);
                let b = match parent {
                    Some((p, _, l)) => m.place(&mut w, p, [0.0, -l]),
                    None => Place::Ground([0.0; 3]),
                };
                let pin = Coincident { a, b };
                m.add_element(format!("pin {i}.{copy}"), Element::Coincident(pin), w.into_blocks(), vec![]);
            }
            let mut w = Wiring::default();
            let a = parent.map_or(AngleOf::Ground, |(p, _, _)| m.angle(&mut w, p));
            let b = m.angle(&mut w, id);
            let (stiffness, damping) = (link.spring, link.damping);
            let hinge = TorsionSpring { a, b, stiffness, natural_angle: 0.3 * link.angle, damping };
            m.add_element(format!("hinge {i}"), Element::TorsionSpring(hinge), w.into_blocks(), vec![]);
            if link.grounded {
                let mut w = Wiring::default();
                let b = m.place(&mut w, id, [0.0, -link.length]);
                let a = Place::Ground([tip[0] + 1.0, tip[1] + 0.5, 0.0]);
                let tie = Spring { a, b, stiffness, natural_length: 1.0, damping };
                m.add_element(format!("tie {i}"), Element::Spring(tie), w.into_blocks(), vec![]);
            }
            tips.push((id, tip, link.length));
        }
        if self.closed {
            let (id, tip, length) = tips[tips.len() - 1];
            let mut w = Wiring::default();
            let b = m.place(&mut w, id, [0.0, -length]);
            let anchor = [tip[0] - 0.8, tip[1] + 0.6, 0.0];
            let bar = Distance { a: Place::Ground(anchor), b, length: 1.0 };
            m.add_element("bar", Element::Distance(bar), w.into_blocks(), vec![]);
        }
        m
    }
    /// The model at a stable equilibrium, linearized; none where the search ends elsewhere.
    fn linearized(&self) -> Option<(Model, Equilibrium, LinearizedSystem)> {
        let model = self.model();
        let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).ok()?;
        (stability(&model, &rest).ok()? == Stability::Stable).then_some(())?;
        let lin = linearize(&model, &OperatingPoint::from(&rest));
        Some((model, rest, lin))
    }
}

/// Largest distance of matched values, relative to the largest value.
fn distance(a: &[c64], b: &[c64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().map(|s| s.norm()).fold(1.0, f64::max);
    pairing::match_values(a, b).iter().map(|(_, _, d)| d / scale).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_global_rejects: 4000, ..ProptestConfig::default() })]

    #[test]
    fn minimal_redundant_and_unconstrained_agree(case in mechanism()) {
        let Some((model, rest, lin)) = case.linearized() else { return Err(TestCaseError::reject("not stable")) };
        let options = DenseOptions::default();
        let direct = mb_eigen::dense::solve(&lin.pencil(), &options).unwrap().motion_values();
        // Constraints off by one row (given twice) must not change the count of motions.
        let rank = model.nc() - if case.doubled { 2 } else { 0 };
        prop_assert_eq!(direct.len(), 2 * (model.nv() - rank));
        for method in [NullSpaceMethod::Qr, NullSpaceMethod::Svd, NullSpaceMethod::CoordinateSelection(None)] {
            let reduced = minimal(&model, &lin, &method).unwrap();
            let values = mb_eigen::dense::solve(&reduced.pencil(), &options).unwrap().motion_values();
            prop_assert!(distance(&direct, &values) < 1e-9, "{}", method);
        }
        for transferred in Transferred::ALL {
            let structure = DescriptorStructure { pencil: lin.pencil(), transferred };
            let spectrum = descriptor::solve(&structure, &options).unwrap();
            prop_assert!(spectrum.counts.mismatches().is_empty(), "{}", transferred);
            prop_assert!(distance(&direct, &spectrum.motion_values()) < 1e-9, "{}", transferred);
        }
        // The penalty form is off by O(1/alpha): a hundred times the penalty, a hundredth of the error, as far as
        // rounding in the stiffer problem lets it, which its error bounds show. An eigenvalue of the mechanism near the
        // penalty's own double one at -omega is a mixture of both instead: 1 / (alpha (s + omega)^2) is not small
        // there.
        let omega = 10.0;
        let beside = direct.iter().any(|s| (s + omega).norm() < 0.1 * omega);
        let under = |alpha: f64| {
            let penalty = Penalty::scalar(alpha, 1.0, omega);
            let at = penalty_equilibrium(&model, rest.point(), &penalty).unwrap();
            let u = unconstrained(&model, &at, &penalty).unwrap();
            let pencil = PenaltyPencil { m: u.m, c: u.c, k: u.k, phi_q: u.phi_q, xi: u.xi };
            penalty::physical_eigenpairs(&pencil, &options).unwrap()
        };
        let (soft, stiff) = (under(1e5), under(1e7));
        for pairs in [&soft, &stiff] {
            let all_there = pairs.motion_values().len() == direct.len();
            prop_assert!(all_there || (beside && !pairs.counts.mismatches().is_empty()), "{:?}", pairs.findings);
        }
        if !beside {
            let error = |pairs: &Spectrum| distance(&direct, &pairs.motion_values());
            let (coarse, fine) = (error(&soft), error(&stiff));
            let bound = stiff.motion().map(|pair| pair.error_bound).fold(0.0, f64::max);
            prop_assert!(fine < 1e-4 && (fine < 0.03 * coarse + bound || coarse < 1e-8), "{:e} {:e} {:e}", coarse, fine, bound);
        }
    }

    /// Scaling of the constraint rows and another order of the coordinates change nothing.
    #[test]
    fn answers_are_invariant(case in mechanism(), seed in 1_usize..7) {
        let Some((_, _, lin)) = case.linearized() else { return Err(TestCaseError::reject("not stable")) };
        let options = DenseOptions::default();
        let original = mb_eigen::dense::solve(&lin.pencil(), &options).unwrap().motion_values();
        let mut pencil = lin.pencil();
        let scales: Vec<f64> = (0..lin.constraints()).map(|i| 10.0_f64.powf(((i * seed) % 7) as f64 - 3.0)).collect();
        pencil.phi_q = dense::mul(&dense::diagonal(&scales), &pencil.phi_q);
        prop_assert!(distance(&original, &mb_eigen::dense::solve(&pencil, &options).unwrap().motion_values()) < 1e-9);
        let n = lin.n();
        let mut order: Vec<usize> = (0..n).collect();
        order.rotate_left(seed % n);
        order.swap(0, n - 1);
        let both = |a: &mb_algebra::Dense| dense::select_rows(&dense::select_columns(a, &order), &order);
        let mut pencil = lin.pencil();
        (pencil.m, pencil.c, pencil.k) = (both(&pencil.m), both(&pencil.c), both(&pencil.k));
        pencil.phi_q = dense::select_columns(&pencil.phi_q, &order);
        prop_assert!(distance(&original, &mb_eigen::dense::solve(&pencil, &options).unwrap().motion_values()) < 1e-9);
    }
}

/// A parallelogram without gravity or springs has a true zero mode; with both Jacobians in E the
/// zero eigenspace is shared with 2m spurious zeros and is split by subspace.
#[test]
fn a_true_zero_mode_is_distinguished_from_transferred_zeros() {
    let mut m = Model::new("free linkage", [0.0; 3]);
    let id = m.add_block("coupler", BlockKind::PlanarPose, &[0.6, 0.8, 0.0]);
    let mut w = Wiring::default();
    let (slot, _) = w.slot(id, m.coordinates().block(id));
    let body = PlanarBody { slot, mass: 1.0, inertia: 0.1, center_of_mass: [0.5, 0.0], alpha: 0.0 };
    m.add_element("body", Element::PlanarBody(body), w.into_blocks(), vec![]);
    for x in [0.0, 1.0] {
        let mut w = Wiring::default();
        let b = m.place(&mut w, id, [x, 0.0]);
        let bar = Distance { a: Place::Ground([x, 0.0, 0.0]), b, length: 1.0 };
        m.add_element("bar", Element::Distance(bar), w.into_blocks(), vec![]);
    }
    let rest = Equilibrium::solve(&m, m.initial(), &EquilibriumOptions::default()).unwrap();
    assert_eq!(stability(&m, &rest).unwrap(), Stability::Neutral { directions: 1 });
    let lin = linearize(&m, &OperatingPoint::from(&rest));
    for transferred in Transferred::ALL {
        let structure = DescriptorStructure { pencil: lin.pencil(), transferred };
        let spectrum = descriptor::solve(&structure, &DenseOptions::default()).unwrap();
        let rigid: Vec<_> = spectrum.of_class(Class::Rigid).collect();
        assert_eq!(rigid.len(), 2, "{transferred:?}");
        for pair in rigid {
            assert_eq!(pair.value().unwrap(), c64::new(0.0, 0.0));
            let slip = dense::matvec_complex(&lin.phi_q, &pair.right);
            assert!(slip.iter().all(|x| x.norm() < 1e-12));
        }
        assert!(spectrum.counts.mismatches().is_empty(), "{transferred:?}");
    }
}

/// A uniform rod on a pin: s = +-i sqrt(3g/(2L)) hanging, the real pair upright, in every family.
#[test]
fn a_rod_on_a_pin_in_all_three_families() {
    let (length, g) = (0.7, 9.81);
    for (angle, sign) in [(0.0, -1.0), (core::f64::consts::PI, 1.0)] {
        let mut m = Model::new("rod", [0.0, -g, 0.0]);
        let id = m.add_block("rod", BlockKind::PlanarPose, &[0.0, 0.0, angle]);
        let mut w = Wiring::default();
        let (slot, _) = w.slot(id, m.coordinates().block(id));
        let (mass, center_of_mass) = (2.0, [0.0, -length / 2.0]);
        let inertia = mass * length * length / 12.0;
        let body = PlanarBody { slot, mass, inertia, center_of_mass, alpha: 0.0 };
        m.add_element("rod", Element::PlanarBody(body), w.into_blocks(), vec![]);
        let mut w = Wiring::default();
        let pin = Coincident { a: m.place(&mut w, id, [0.0; 2]), b: Place::Ground([0.0; 3]) };
        m.add_element("pin", Element::Coincident(pin), w.into_blocks(), vec![]);
        let rest = Equilibrium::solve(&m, m.initial(), &EquilibriumOptions::default()).unwrap();
        let expected = if sign < 0.0 { Stability::Stable } else { Stability::Unstable { directions: 1 } };
        assert_eq!(stability(&m, &rest).unwrap(), expected);
        let lin = linearize(&m, &OperatingPoint::from(&rest));
        let s = (1.5 * g / length).sqrt();
        let exact = if sign < 0.0 {
            [c64::new(0.0, s), c64::new(0.0, -s)]
        } else {
            [c64::new(s, 0.0), c64::new(-s, 0.0)]
        };
        let options = DenseOptions::default();
        let reduced = minimal(&m, &lin, &NullSpaceMethod::Qr).unwrap();
        let mcs = mb_eigen::dense::solve(&reduced.pencil(), &options).unwrap().motion_values();
        let structure = DescriptorStructure { pencil: lin.pencil(), transferred: Transferred::default() };
        let rcs = descriptor::solve(&structure, &options).unwrap().motion_values();
        assert!(distance(&exact, &mcs) < 1e-13 && distance(&exact, &rcs) < 1e-13, "{mcs:?} {rcs:?}");
        let penalty = Penalty::scalar(1e8, 1.0, 10.0);
        let at = penalty_equilibrium(&m, rest.point(), &penalty).unwrap();
        let u = unconstrained(&m, &at, &penalty).unwrap();
        let pencil = PenaltyPencil { m: u.m, c: u.c, k: u.k, phi_q: u.phi_q, xi: u.xi };
        let ucs = penalty::solve(&pencil, &options).unwrap();
        assert!(distance(&exact, &ucs.motion_values()) < 1e-5, "{:?}", ucs.motion_values());
        assert_eq!(ucs.eigenpairs.len(), 6);
    }
}

/// Penalty matrices per constraint and in full give what the scalar gives where they are equal.
#[test]
fn penalty_factors_may_be_scalar_diagonal_or_full() {
    let case = Mechanism {
        links: vec![
            Link { parent: 0, length: 1.0, mass: 1.0, angle: 0.4, spring: 5.0, damping: 0.1, grounded: true },
            Link {
                parent: 0,
                length: 0.6,
                mass: 0.7,
                angle: -0.3,
                spring: 4.0,
                damping: 0.0,
                grounded: false,
            },
        ],
        closed: true,
        doubled: false,
    };
    let (model, rest, _) = case.linearized().unwrap();
    let m = model.nc();
    let scalar = Penalty::scalar(1e6, 0.9, 12.0);
    let diagonal = Penalty {
        xi: Factor::PerConstraint(vec![1e6; m]),
        theta: Factor::PerConstraint(vec![2.0 * 0.9 * 12.0; m]),
        omega: Factor::Full(dense::diagonal(&vec![144.0; m])),
    };
    let system = |p: &Penalty| {
        let at = penalty_equilibrium(&model, rest.point(), p).unwrap();
        unconstrained(&model, &at, p).unwrap()
    };
    let (a, b) = (system(&scalar), system(&diagonal));
    for (x, y) in [(&a.m, &b.m), (&a.c, &b.c), (&a.k, &b.k)] {
        assert!(norms::max_abs(&(x - y)) < 1e-12 * norms::max_abs(x));
    }
    let wrong = Penalty { xi: Factor::PerConstraint(vec![1e6; m + 1]), ..scalar };
    let error = penalty_equilibrium(&model, rest.point(), &wrong).unwrap_err().to_string();
    assert!(error.contains("Xi") && error.contains(&format!("{m} constraint rows")), "{error}");
}

/// Angles of bodies locked to each other: a model without any freedom has no motions.
#[test]
fn a_structure_has_no_motions() {
    let mut m = Model::new("locked", [0.0, -9.81, 0.0]);
    let id = m.add_block("body", BlockKind::PlanarPose, &[0.0; 3]);
    let mut w = Wiring::default();
    let (slot, _) = w.slot(id, m.coordinates().block(id));
    let body = PlanarBody { slot, mass: 1.0, inertia: 1.0, center_of_mass: [0.2, 0.0], alpha: 0.0 };
    m.add_element("body", Element::PlanarBody(body), w.into_blocks(), vec![]);
    let mut w = Wiring::default();
    let pin = Coincident { a: m.place(&mut w, id, [0.0; 2]), b: Place::Ground([0.0; 3]) };
    m.add_element("weld", Element::Coincident(pin), w.into_blocks(), vec![]);
    let mut w = Wiring::default();
    let lock = RelativeAngle { a: m.angle(&mut w, id), b: AngleOf::Ground, offset: 0.0 };
    m.add_element("weld", Element::RelativeAngle(lock), w.into_blocks(), vec![]);
    let rest = Equilibrium::solve(&m, m.initial(), &EquilibriumOptions::default()).unwrap();
    // The weld carries weight and moment.
    assert!((rest.lambda()[2].abs() - 0.2 * 9.81).abs() < 1e-12);
    let lin = linearize(&m, &OperatingPoint::from(&rest));
    assert!(
        mb_eigen::dense::solve(&lin.pencil(), &DenseOptions::default()).unwrap().motion_values().is_empty()
    );
}
