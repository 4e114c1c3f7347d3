//! Linearization at instants of a motion: the minimal system against differences of the projected
//! residual, and against the redundant equations.

use crate::support::{FourBar, four_bar};
use mb_algebra::{Dense, Lu, dense, norms};
use mb_constraints::{NullSpaceMethod, Saddle, assemble, assemble_velocities};
use mb_linear::formulation::unconstrained::{Penalty, penalty_motion, unconstrained, unconstrained_instant};
use mb_linear::{
    FrameChoice, Instant, InstantMinimal, LinearError, OperatingPoint, linearize_instant, minimal_of_instant,
};
use mb_model::element::{AngleOf, Coincident, Drive, Driven, PlanarBody, Spring};
use mb_model::law::{Function, Term, TimeLaw, TimeLeaf};
use mb_model::{BlockId, BlockKind, Element, Model, Point, Wiring};

/// A two-loop linkage with a pendulum on its last tip; the crank angle driven when asked.
fn swinging(driven: bool) -> Model {
    let data = FourBar { loops: 2, stiffness: 25.0, damping: 0.7, gravity: [1.0, -9.81, 0.0], angle: 1.9 };
    let mut m = four_bar(data);
    let (tip, phi) = (BlockId(2), BlockId(3));
    let at = m.initial()[4..6].to_vec();
    let body = m.add_block("bob", BlockKind::PlanarPose, &[at[0] + 0.1, at[1] - 0.4, 0.3]);
    let mut w = Wiring::default();
    let (slot, _) = w.slot(body, m.coordinates().block(body));
    let law = PlanarBody { slot, mass: 0.8, inertia: 0.05, center_of_mass: [0.1, -0.3], alpha: 0.2 };
    m.add_element("body 'bob'", Element::PlanarBody(law), w.into_blocks(), vec![]);
    let mut w = Wiring::default();
    let (a, b) = (m.place(&mut w, body, [-0.1, 0.4]), m.place(&mut w, tip, [0.0; 2]));
    m.add_element("joint 'pin'", Element::Coincident(Coincident { a, b }), w.into_blocks(), vec![]);
    let mut w = Wiring::default();
    let (a, b) = (m.place(&mut w, body, [0.3, 0.0]), m.place(&mut w, BlockId(0), [0.0; 2]));
    let spring = Spring { a, b, stiffness: 6.0, natural_length: 1.5, damping: 0.3 };
    m.add_element("spring 'stay'", Element::Spring(spring), w.into_blocks(), vec![]);
    if driven {
        let leaf = |x| Box::new(Term::Leaf(x));
        let angle = Term::Product(leaf(TimeLeaf::Number(1.7)), leaf(TimeLeaf::Time));
        let sine = Term::Call(Function::Sin, vec![angle]);
        let wave = Term::Product(leaf(TimeLeaf::Number(0.3)), Box::new(sine));
        let law = TimeLaw(Term::Sum(leaf(TimeLeaf::Number(1.8)), Box::new(wave)));
        let mut w = Wiring::default();
        let quantity = Driven::Angle { a: m.angle(&mut w, phi), b: AngleOf::Ground };
        m.add_element("drive 'crank'", Element::Drive(Drive { quantity, law }), w.into_blocks(), vec![]);
    }
    m
}

/// A point of the model's motion with velocities near a given pattern.
fn instant(m: &Model) -> Instant {
    let t = 0.4;
    let q = assemble(m, m.initial(), t, &mb_constraints::AssemblyOptions::default()).unwrap().q;
    let wish: Vec<f64> = (0..m.nv()).map(|i| (1.0 + 2.3 * i as f64).sin()).collect();
    let v = assemble_velocities(m, &q, &wish, t).unwrap();
    Instant::of_motion(m, q, v, t, vec![], 1e-9).unwrap()
}

/// The parametrization z -> q with constant B, written out independently of the library's basis.
struct Chart<'a> {
    model: &'a Model,
    b: Dense,
    q0: Vec<f64>,
    t: f64,
}

impl Chart<'_> {
    fn stacked(&self, q: &[f64]) -> Lu {
        Lu::new(&dense::vstack(&[&self.model.phi_q(q, self.t).to_dense(), &self.b])).unwrap()
    }
    fn solve(&self, q: &[f64], rows: &[f64], z: &[f64]) -> Vec<f64> {
        self.stacked(q).solve(&rows.iter().chain(z).copied().collect::<Vec<_>>())
    }
    /// q with Phi(q, t) = 0 and B (q - q0) = z.
    fn configuration(&self, z: &[f64]) -> Vec<f64> {
        let mut q = self.q0.clone();
        for _ in 0..20 {
            let phi: Vec<f64> = self.model.phi(&q, self.t).iter().map(|x| -x).collect();
            let gone: Vec<f64> = q.iter().zip(&self.q0).map(|(q, q0)| q - q0).collect();
            let rest: Vec<f64> = z.iter().zip(dense::matvec(&self.b, &gone)).map(|(z, g)| z - g).collect();
            let d = self.solve(&q, &phi, &rest);
            q = self.model.coordinates().retract(&q, &d);
        }
        q
    }
    /// H1(z, z', z'') = R^T (M a - f).
    fn residual(&self, z: &[f64], rate: &[f64], second: &[f64]) -> Vec<f64> {
        let q = self.configuration(z);
        let given: Vec<f64> = self.model.phi_t(&q, self.t).iter().map(|x| -x).collect();
        let v = self.solve(&q, &given, rate);
        let mut point = Point { q: q.clone(), v, t: self.t, ..self.model.initial_point() };
        let gamma: Vec<f64> = self.model.phi_ddot(&point).iter().map(|x| -x).collect();
        point.a = self.solve(&q, &gamma, second);
        let m = self.model.nc();
        let d = z.len();
        let unit = Dense::from_fn(m + d, d, |i, j| f64::from(u8::from(i == m + j)));
        let r = self.stacked(&q).solve_mat(&unit);
        dense::matvec_transpose(&r, &self.model.applied_residual(&point))
    }
}

/// B of a basis: unit rows for a selection, R^T otherwise.
fn complement(system: &InstantMinimal) -> Dense {
    match &system.basis.independent {
        Some(index) => {
            Dense::from_fn(index.len(), system.basis.r.nrows(), |i, j| f64::from(u8::from(index[i] == j)))
        }
        None => dense::transpose(&system.basis.r),
    }
}

#[test]
fn minimal_system_is_the_derivative_of_the_projected_residual() {
    for driven in [false, true] {
        let model = swinging(driven);
        let at = instant(&model);
        assert!(!at.is_rest());
        let steady = OperatingPoint::of_instant(&model, &at, &FrameChoice::Automatic);
        assert!(matches!(steady, Err(LinearError::NotSteady(_))), "{steady:?}");
        let lin = linearize_instant(&model, &at);
        for method in [NullSpaceMethod::Qr, NullSpaceMethod::Svd, NullSpaceMethod::CoordinateSelection(None)]
        {
            let system = minimal_of_instant(&model, &lin, &method).unwrap();
            let b = complement(&system);
            let (z1, z2) = (dense::matvec(&b, &at.point().v), dense::matvec(&b, &at.point().a));
            let chart = Chart { model: &model, b, q0: at.point().q.clone(), t: at.point().t };
            let d = system.dof();
            assert_eq!(d, if driven { 1 } else { 2 });
            for (what, matrix, which) in [("K", &system.k, 0), ("C", &system.c, 1), ("M", &system.m, 2)] {
                for j in 0..d {
                    let at = |h: f64| {
                        let mut z = [vec![0.0; d], z1.clone(), z2.clone()];
                        z[which][j] += h;
                        chart.residual(&z[0], &z[1], &z[2])
                    };
                    // Fourth-order differences: truncation and rounding near 1e-11.
                    let h = 2e-3;
                    let (p, pp, m, mm) = (at(h), at(2.0 * h), at(-h), at(-2.0 * h));
                    for i in 0..d {
                        let difference = (8.0 * (p[i] - m[i]) - (pp[i] - mm[i])) / (12.0 * h);
                        let error = (difference - matrix[(i, j)]).abs();
                        let scale = norms::max_abs(matrix).max(1.0);
                        assert!(
                            error < 1e-8 * scale,
                            "{method} {what} ({i}, {j}) driven {driven}: {error:e}"
                        );
                    }
                }
            }
        }
    }
}

/// For any disturbance (dz, dz') the redundant equations, solved for the disturbed acceleration
/// and multipliers, give the acceleration of the minimal system.
#[test]
fn minimal_and_redundant_equations_agree_in_motion() {
    for driven in [false, true] {
        let model = swinging(driven);
        let at = instant(&model);
        let lin = linearize_instant(&model, &at);
        let rates = lin.rates.clone();
        let system = minimal_of_instant(&model, &lin, &NullSpaceMethod::Qr).unwrap();
        let terms = system.motion.clone();
        let d = system.dof();
        for k in 0..4 {
            let dz: Vec<f64> = (0..d).map(|i| (1.0 + (3 * k + i) as f64).cos()).collect();
            let rate: Vec<f64> = (0..d).map(|i| (2.0 + (5 * k + i) as f64).sin()).collect();
            let sum = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
            let dq = dense::matvec(&system.basis.r, &dz);
            let dv = sum(dense::matvec(&system.basis.r, &rate), dense::matvec(&terms.d, &dz));
            // The disturbance stays on the constraints, to first order.
            let slip = sum(dense::matvec(&lin.phi_q, &dv), dense::matvec(&rates.phi_dot_q, &dq));
            assert!(norms::max_abs_vec(&slip) < 1e-12);
            let force: Vec<f64> =
                sum(dense::matvec(&lin.k, &dq), dense::matvec(&lin.c, &dv)).iter().map(|x| -x).collect();
            let rows: Vec<f64> =
                sum(dense::matvec(&rates.phi_ddot_q, &dq), dense::matvec(&rates.phi_ddot_v, &dv))
                    .iter()
                    .map(|x| -x)
                    .collect();
            let (da, _) = Saddle::dense(&lin.m, &lin.phi_q).unwrap().solve(&force, &rows);
            let redundant = system.basis.independent_part(&da);
            let rhs: Vec<f64> = sum(dense::matvec(&system.k, &dz), dense::matvec(&system.c, &rate))
                .iter()
                .map(|x| -x)
                .collect();
            let reduced = Lu::new(&system.m).unwrap().solve(&rhs);
            for (a, b) in redundant.iter().zip(&reduced) {
                assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "driven {driven}: {a} {b}");
            }
        }
    }
}

/// M_p, C_p, K_p are the derivatives of H3 in motion.
#[test]
fn unconstrained_system_is_the_derivative_of_the_penalty_residual() {
    let model = swinging(true);
    let penalty = Penalty::scalar(40.0, 0.8, 3.0);
    let at = penalty_motion(&model, instant(&model).point(), &penalty).unwrap();
    let system = unconstrained_instant(&model, &at, &penalty).unwrap();
    assert!(matches!(unconstrained(&model, &at, &penalty), Err(LinearError::NotOnMotion { .. })));
    let h3 = |p: &Point| {
        let (x0, x1) = (model.phi(&p.q, p.t), model.phi_dot(&p.q, &p.v, p.t));
        let x2 = model.phi_ddot(p);
        let lambda = (0..model.nc()).map(|i| 40.0 * (x2[i] + 4.8 * x1[i] + 9.0 * x0[i])).collect();
        model.residual(&Point { lambda, ..p.clone() })
    };
    assert!(norms::max_abs_vec(&h3(&at.point)) < 1e-10);
    let h = 1e-5;
    for j in 0..model.nv() {
        for (what, matrix) in [("K", &system.k), ("C", &system.c), ("M", &system.m)] {
            let moved = |h: f64| {
                let mut p = at.point.clone();
                match what {
                    "K" => p.q[j] += h,
                    "C" => p.v[j] += h,
                    _ => p.a[j] += h,
                }
                h3(&p)
            };
            let (plus, minus) = (moved(h), moved(-h));
            for i in 0..model.nv() {
                let difference = (plus[i] - minus[i]) / (2.0 * h);
                let error = (difference - matrix[(i, j)]).abs();
                assert!(error < 1e-6 * norms::max_abs(matrix), "{what} ({i}, {j}): {error:e}");
            }
        }
    }
}

#[test]
fn a_point_off_the_motion_is_refused_by_name() {
    let model = swinging(false);
    let at = instant(&model);
    let mut point = at.point().clone();
    point.a[7] += 0.5;
    let error = Instant::declared(&model, point, 1e-9).unwrap_err();
    assert!(
        matches!(&error, LinearError::NotOnMotion { equation, .. } if equation.starts_with("bob.")),
        "{error}"
    );
    let mut point = at.point().clone();
    point.v[0] += 0.5;
    let error = Instant::declared(&model, point, 1e-6).unwrap_err().to_string();
    assert!(error.contains("motion"), "{error}");
}
