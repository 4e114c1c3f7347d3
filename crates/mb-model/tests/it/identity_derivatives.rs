//! Exact derivatives against central differences of what they differentiate.

use crate::workshop::point;
use crate::{rolling, space, workshop};
use mb_algebra::Triplets;
use mb_model::{Model, Point};

/// Planar and spatial elements, and rows of velocities.
fn models() -> [Model; 3] {
    [workshop::model(), space::model(), rolling::model()]
}

/// Step whose truncation and rounding errors are both near 1e-10 for values near one.
/// One block of the linearized equations at a point.
type BlockOf = fn(&Model, &Point) -> Triplets;

const H: f64 = 1e-5;
const TOLERANCE: f64 = 2e-8;

/// The point moved along one tangent direction of q.
fn moved(m: &Model, p: &Point, j: usize, h: f64) -> Point {
    let mut d = vec![0.0; m.nv()];
    d[j] = h;
    Point { q: m.coordinates().retract(&p.q, &d), ..p.clone() }
}

/// Column by column: f at the changed points, differenced, against the matrix.
fn check(what: &str, exact: &Triplets, f: impl Fn(&Point) -> Vec<f64>, change: impl Fn(usize, f64) -> Point) {
    let exact = exact.to_dense();
    let scale = f(&change(0, 0.0)).iter().fold(1.0_f64, |s, x| s.max(x.abs()));
    for j in 0..exact.ncols() {
        let (plus, minus) = (f(&change(j, H)), f(&change(j, -H)));
        assert_eq!(plus.len(), exact.nrows(), "{what}");
        for i in 0..exact.nrows() {
            let difference = (plus[i] - minus[i]) / (2.0 * H);
            let error = (difference - exact[(i, j)]).abs();
            assert!(error < TOLERANCE * scale, "{what} ({i}, {j}): {difference} against {}", exact[(i, j)]);
        }
    }
}

fn with(v: &[f64], j: usize, h: f64) -> Vec<f64> {
    let mut v = v.to_vec();
    v[j] += h;
    v
}

#[test]
fn matrices_of_the_residual() {
    for m in models() {
        let p = point(&m);
        let q = |j, h| moved(&m, &p, j, h);
        let v = |j, h| Point { v: with(&p.v, j, h), ..p.clone() };
        let a = |j, h| Point { a: with(&p.a, j, h), ..p.clone() };
        check("K", &m.stiffness(&p), |p| m.residual(p), q);
        check("C", &m.damping(&p), |p| m.residual(p), v);
        check("M", &m.mass(&p), |p| m.residual(p), a);
        check(
            "reaction stiffness",
            &m.reaction_stiffness(&p.q, p.t, &p.lambda),
            |p| m.reaction(&p.q, p.t, &p.lambda),
            q,
        );
        if !m.inputs().is_empty() {
            check(
                "-F",
                &m.input_matrix(&p).map(|x| -x),
                |p| m.residual(p),
                |j, h| Point { u: with(&p.u, j, h), ..p.clone() },
            );
        }
        let inertia = |x: &Point| {
            let mass = m.mass(x).to_dense();
            (0..m.nv()).map(|i| (0..m.nv()).map(|j| mass[(i, j)] * p.a[j]).sum()).collect::<Vec<f64>>()
        };
        check("d(M a)/dq", &m.inertia_stiffness(&p), inertia, q);
    }
}

#[test]
fn matrices_of_the_constraints() {
    for m in models() {
        let p = point(&m);
        let q = |j, h| moved(&m, &p, j, h);
        let v = |j, h| Point { v: with(&p.v, j, h), ..p.clone() };
        if !m.has_velocity_rows() {
            check("Phi_q", &m.phi_q(&p.q, p.t), |p| m.phi(&p.q, p.t), q);
        }
        check("Phi_tq", &m.phi_tq(&p.q, p.t), |p| m.phi_t(&p.q, p.t), q);
        check("Phi'_q", &m.phi_dot_q(&p.q, &p.v, p.t), |p| m.phi_dot(&p.q, &p.v, p.t), q);
        check("Phi'_v", &m.phi_q(&p.q, p.t), |p| m.phi_dot(&p.q, &p.v, p.t), v);
        check("Phi''_q", &m.phi_ddot_q(&p), |p| m.phi_ddot(p), q);
        check("Phi''_v", &m.phi_ddot_v(&p), |p| m.phi_ddot(p), v);
        check(
            "Phi''_a",
            &m.phi_q(&p.q, p.t),
            |p| m.phi_ddot(p),
            |j, h| Point { a: with(&p.a, j, h), ..p.clone() },
        );
    }
}

/// The motion q (+) (v t + a t^2 / 2) at time t0 + h, with its velocity.
fn along(m: &Model, p: &Point, h: f64) -> Point {
    let d: Vec<f64> = p.v.iter().zip(&p.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
    Point { q: m.coordinates().retract(&p.q, &d), t: p.t + h, ..p.clone() }
}

#[test]
fn time_derivatives_of_the_constraints() {
    for m in models() {
        let p = point(&m);
        let phi = |h| m.phi(&along(&m, &p, h).q, p.t + h);
        let (minus, zero, plus) = (phi(-1e-4), phi(0.0), phi(1e-4));
        let (first, second) = (m.phi_dot(&p.q, &p.v, p.t), m.phi_ddot(&p));
        let velocity = m.velocity_rows();
        for i in (0..m.nc()).filter(|i| !velocity[*i]) {
            let name = m.row_name(i);
            assert!(((plus[i] - minus[i]) / 2e-4 - first[i]).abs() < 1e-6, "{name}");
            assert!(((plus[i] - 2.0 * zero[i] + minus[i]) / 1e-8 - second[i]).abs() < 1e-5, "{name}");
        }
        let rate = |h: f64| {
            let later = along(&m, &p, h);
            let v: Vec<f64> = p.v.iter().zip(&p.a).map(|(v, a)| v + h * a).collect();
            m.phi_dot(&later.q, &v, later.t)
        };
        let (minus, plus) = (rate(-H), rate(H));
        for i in (0..m.nc()).filter(|i| velocity[*i]) {
            let difference = (plus[i] - minus[i]) / (2.0 * H);
            assert!((difference - second[i]).abs() < 1e-7, "{}", m.row_name(i));
        }
        let later = |h: f64| m.phi_t(&p.q, p.t + h);
        let (minus, plus) = (later(-H), later(H));
        for (i, exact) in m.phi_tt(&p.q, p.t).iter().enumerate() {
            assert!(((plus[i] - minus[i]) / (2.0 * H) - exact).abs() < TOLERANCE);
        }
        let residual = |h: f64| m.residual(&Point { t: p.t + h, ..p.clone() });
        let (minus, plus) = (residual(-H), residual(H));
        for (i, exact) in m.residual_t(&p).iter().enumerate() {
            assert!(((plus[i] - minus[i]) / (2.0 * H) - exact).abs() < TOLERANCE);
        }
    }
}

#[test]
fn outputs_and_their_matrices() {
    for m in models() {
        let p = point(&m);
        let y = m.output_matrices(&p);
        check("y_q", &y.q, |p| m.outputs(p), |j, h| moved(&m, &p, j, h));
        check("y_v", &y.v, |p| m.outputs(p), |j, h| Point { v: with(&p.v, j, h), ..p.clone() });
        check("y_a", &y.a, |p| m.outputs(p), |j, h| Point { a: with(&p.a, j, h), ..p.clone() });
        let lambda = |j, h| Point { lambda: with(&p.lambda, j, h), ..p.clone() };
        check("y_lambda", &y.lambda, |p| m.outputs(p), lambda);
        if m.has_velocity_rows() {
            continue;
        }
        let (minus, here, plus) =
            (m.outputs(&along(&m, &p, -1e-4)), m.outputs(&p), m.outputs(&along(&m, &p, 1e-4)));
        assert!(((plus[0] - minus[0]) / 2e-4 - here[1]).abs() < 1e-6);
        assert!(((plus[0] - 2.0 * here[0] + minus[0]) / 1e-8 - here[2]).abs() < 1e-5);
    }
}

#[test]
fn one_pass_gives_the_same_blocks() {
    for m in models() {
        let p = point(&m);
        let (dense, sparse) = (m.dense_blocks(&p), m.blocks(&p));
        for (name, a, b) in [
            ("M", &dense.m, &sparse.m),
            ("C", &dense.c, &sparse.c),
            ("K", &dense.k, &sparse.k),
            ("Phi_q", &dense.phi_q, &sparse.phi_q),
        ] {
            let difference = a - mb_algebra::to_dense(b);
            assert!(mb_algebra::norms::max_abs(&difference) < 1e-14, "{name}");
        }
    }
}

/// dM/dt, dC/dt and dK/dt, and the derivative of Phi'' by time alone.
#[test]
fn rates_of_the_blocks_along_a_motion() {
    for m in models() {
        let p = point(&m);
        let pattern = |n: usize, k: f64| (0..n).map(|i| (k + 1.7 * i as f64).sin()).collect::<Vec<f64>>();
        let (a_rate, l_rate) = (pattern(m.nv(), 0.3), pattern(m.nc(), 2.0));
        let along = |h: f64| {
            let step: Vec<f64> = p.v.iter().map(|v| h * v).collect();
            let plus = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + h * d).collect::<Vec<f64>>();
            Point {
                q: m.coordinates().retract(&p.q, &step),
                v: plus(&p.v, &p.a),
                a: plus(&p.a, &a_rate),
                lambda: plus(&p.lambda, &l_rate),
                t: p.t + h,
                u: p.u.clone(),
            }
        };
        let exact = m.block_rates(&p, &a_rate, &l_rate);
        let blocks: [(&str, &Triplets, BlockOf); 3] = [
            ("dM/dt", &exact.m, Model::mass),
            ("dC/dt", &exact.c, Model::damping),
            ("dK/dt", &exact.k, Model::stiffness),
        ];
        for (what, exact, of) in blocks {
            let at = |h: f64| of(&m, &along(h)).to_dense();
            let (exact, plus, minus, scale) = (exact.to_dense(), at(H), at(-H), at(0.0));
            let scale = mb_algebra::norms::max_abs(&scale).max(mb_algebra::norms::max_abs(&exact)).max(1.0);
            for i in 0..m.nv() {
                for j in 0..m.nv() {
                    let difference = (plus[(i, j)] - minus[(i, j)]) / (2.0 * H);
                    let error = (difference - exact[(i, j)]).abs();
                    assert!(error < TOLERANCE * scale, "{what} ({i}, {j}): {difference} {}", exact[(i, j)]);
                }
            }
        }
        let at = |h: f64| m.phi_ddot(&Point { t: p.t + h, ..p.clone() });
        let (exact, plus, minus) = (m.phi_ddot_t(&p), at(H), at(-H));
        let scale = at(0.0).iter().fold(1.0_f64, |s, x| s.max(x.abs()));
        for i in 0..m.nc() {
            let difference = (plus[i] - minus[i]) / (2.0 * H);
            assert!(
                (difference - exact[i]).abs() < TOLERANCE * scale,
                "Phi''_t {i}: {difference} {}",
                exact[i]
            );
        }
    }
}
