//! Exponents of random steady motions against the motion itself: the map that disturbances undergo in a time T, found by
//! integrating the equations of motion from disturbed starts, has the eigenvalues exp(s T).
//!
//! Linearization, frames and generators have no part in the left side, multibody kinematics alone are shared.

#![expect(clippy::format_push_string, reason = "model files put together once, for tests")]

use mb_algebra::{GeneralEigen, c64};
use mb_constraints::method::DirectCorrection;
use mb_constraints::simulate::{Integrator, SimulationOptions, StartPolicy, StepControl, simulate};
use mb_constraints::{AssemblyOptions, ConstraintMethod, assemble, assemble_velocities};
use mb_linear::steady::steady_near;
use mb_linear::{FrameChoice, OperatingPoint, linearize};
use mb_model::{BlockKind, Model, Point};
use std::ops::ControlFlow;

/// A sequence of numbers between -1 and 1, the same in every run (linear congruence of Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * 0.5 * (1.0 + self.next())
    }
}

/// Configuration and velocities after `time`.
fn later(model: &Model, q: &[f64], v: &[f64], time: f64) -> Point {
    let method = ConstraintMethod::DirectCorrection(DirectCorrection::default());
    let control = StepControl { relative: 1e-12, absolute: 1e-13, max_step: None };
    let options = SimulationOptions {
        until: time,
        every: time,
        start: StartPolicy::Keep,
        integrator: Integrator::DormandPrince { method, control, restart: false },
        ..SimulationOptions::default()
    };
    let motion = simulate(model, 0.0, q, v, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    motion.point(motion.len() - 1)
}

/// Size of the disturbances: the map is their difference of both signs, good to the square of it.
const SMALL: f64 = 1e-5;

/// Which coordinates are disturbed, and how they are seen from a frame that turned by an angle about z.
struct Seen<'a> {
    model: &'a Model,
    free: Vec<usize>,
    angle: f64,
}

impl Seen<'_> {
    /// The disturbed start: coordinate `k` of the free ones, or its velocity.
    fn start(&self, at: &Point, k: usize, h: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.free.len();
        let (mut d, mut v) = (vec![0.0; self.model.nv()], at.v.clone());
        if k < n {
            d[self.free[k]] = h;
        } else {
            v[self.free[k - n]] += h;
        }
        let q = self.model.coordinates().retract(&at.q, &d);
        let q = assemble(self.model, &q, 0.0, &AssemblyOptions::default()).unwrap().q;
        let v = assemble_velocities(self.model, &q, &v, 0.0).unwrap();
        (q, v)
    }
    /// Half the difference of two points, of the free coordinates and their velocities, in the frame.
    fn difference(&self, a: &Point, b: &Point) -> Vec<f64> {
        let half =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| 0.5 * (x - y)).collect() };
        let (mut x, mut v) = (vec![0.0; self.model.nv()], half(&a.v, &b.v));
        for block in self.model.coordinates().blocks() {
            let q = block.q..block.q + block.kind.nq();
            let d = half(&a.q[q.clone()], &b.q[q]);
            if block.kind == BlockKind::Pose {
                x[block.v..block.v + 3].copy_from_slice(&d[..3]);
                // Small rotation in body axes: p^-1 dp = (0, w / 2).
                let p: Vec<f64> =
                    (0..4).map(|i| 0.5 * (a.q[block.q + 3 + i] + b.q[block.q + 3 + i])).collect();
                let e = &d[3..7];
                let w = [
                    p[0] * e[1] - p[1] * e[0] - p[2] * e[3] + p[3] * e[2],
                    p[0] * e[2] + p[1] * e[3] - p[2] * e[0] - p[3] * e[1],
                    p[0] * e[3] - p[1] * e[2] + p[2] * e[1] - p[3] * e[0],
                ];
                // To the ground's axes by the attitude, which a body without spin in the frame keeps.
                let turn = attitude(&p);
                let seen = |w: [f64; 3]| -> [f64; 3] {
                    std::array::from_fn(|i| (0..3).map(|k| turn[i][k] * w[k]).sum())
                };
                let rates = [v[block.v + 3], v[block.v + 4], v[block.v + 5]];
                x[block.v + 3..block.v + 6].copy_from_slice(&seen(w.map(|w| 2.0 * w)));
                v[block.v + 3..block.v + 6].copy_from_slice(&seen(rates));
            } else {
                x[block.v..block.v + block.kind.nv()].copy_from_slice(&d);
            }
        }
        for list in [&mut x, &mut v] {
            for block in self.model.coordinates().blocks() {
                let pairs: &[usize] = match block.kind {
                    BlockKind::PlanarPoint | BlockKind::PlanarPose | BlockKind::SpatialPoint => &[0],
                    BlockKind::Pose => &[0, 3],
                    _ => &[],
                };
                for first in pairs {
                    let i = block.v + first;
                    let (s, c) = self.angle.sin_cos();
                    (list[i], list[i + 1]) = (c * list[i] + s * list[i + 1], c * list[i + 1] - s * list[i]);
                }
            }
        }
        self.free.iter().map(|i| x[*i]).chain(self.free.iter().map(|i| v[*i])).collect()
    }
    /// The eigenvalues of the map of disturbances over `time`.
    fn multipliers(&self, at: &Point, time: f64) -> Vec<c64> {
        let n = 2 * self.free.len();
        let still = Seen { model: self.model, free: self.free.clone(), angle: 0.0 };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for k in 0..n {
            let starts = [SMALL, -SMALL].map(|h| self.start(at, k, h));
            let point = |(q, v): &(Vec<f64>, Vec<f64>)| Point { q: q.clone(), v: v.clone(), ..at.clone() };
            before.push(still.difference(&point(&starts[0]), &point(&starts[1])));
            let ends = starts.map(|(q, v)| later(self.model, &q, &v, time));
            after.push(self.difference(&ends[0], &ends[1]));
        }
        let columns = |list: &[Vec<f64>]| mb_algebra::dense::from_columns(n, list);
        // map before = after
        let lu = mb_algebra::Lu::new(&mb_algebra::dense::transpose(&columns(&before))).unwrap();
        let map = lu.solve_mat(&mb_algebra::dense::transpose(&columns(&after)));
        GeneralEigen::values(&map).unwrap()
    }
}

fn attitude(p: &[f64]) -> [[f64; 3]; 3] {
    let (a, b, c, d) = (p[0], p[1], p[2], p[3]);
    [
        [1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)],
        [2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b)],
        [2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c)],
    ]
}

fn exponents(model: &Model, at: &OperatingPoint) -> Vec<c64> {
    let pencil = linearize(model, at).pencil();
    let spectrum = mb_eigen::dense::solve(&pencil, &mb_eigen::DenseOptions::default()).unwrap();
    spectrum.motion().filter_map(mb_eigen::Eigenpair::value).collect()
}

/// The two lists have the same members.
fn same(found: &[c64], expected: &[c64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let mut rest = found.to_vec();
    for s in expected {
        let off = |z: &c64| (*z - *s).norm();
        let (i, nearest) =
            rest.iter().map(off).enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::MAX));
        assert!(nearest < tolerance * s.norm().max(1.0), "{what}: {s} is {nearest:e} away: {found:?}");
        rest.swap_remove(i);
    }
}

/// Masses hung by springs and dampers in a driven turning table, unsymmetric, off the axis, with springs between them.
fn masses_on_a_table(numbers: &mut Numbers) -> (Model, f64) {
    let w = numbers.between(1.0, 6.0) * numbers.next().signum();
    let count = if numbers.next() > 0.0 { 2 } else { 1 };
    let (mut points, mut springs, mut markers) = (String::new(), String::new(), String::new());
    for i in 0..count {
        let at = [0.3 * numbers.next(), 0.3 * numbers.next()];
        let mass = numbers.between(0.5, 2.0);
        points += &format!(
            "{{ name = 'm{i}', at = [{}, {}], velocity = [{}, {}], mass = {mass} }},",
            at[0],
            at[1],
            -w * at[1],
            w * at[0]
        );
        for k in 0..3 {
            let angle = 2.1 * f64::from(k) + 0.5 * numbers.next();
            let (x, y) = (angle.cos() * numbers.between(0.8, 1.2), angle.sin() * numbers.between(0.8, 1.2));
            markers += &format!("p{i}{k} = [{x}, {y}],");
            springs += &format!(
                "{{ name = 's{i}{k}', a = 'table.p{i}{k}', b = 'm{i}', stiffness = {}, natural_length = {}, damping = {} }},",
                numbers.between(20.0, 80.0),
                numbers.between(0.7, 1.1),
                numbers.between(0.0, 0.5)
            );
        }
    }
    if count == 2 {
        springs += &format!(
            "{{ name = 'between', a = 'm0', b = 'm1', stiffness = {}, natural_length = 0.2 }},",
            numbers.between(5.0, 30.0)
        );
    }
    let text = format!(
        "units = \"SI\"\nname = \"test\"\ngravity = [0, 0]
        body = [{{ name = 'table', mass = 1, inertia = 1, at = [0, 0], angular_velocity = {w}, markers = {{ {markers} }} }}]
        joint = [{{ name = 'axle', type = 'revolute', a = 'table', b = [0, 0] }}]
        drive = [{{ name = 'turn', quantity = 'angle', of = 'table', law = '{w}*t' }}]
        point = [{points}]
        spring = [{springs}]"
    );
    (Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}")), w)
}

#[test]
fn random_masses_on_a_turntable_move_as_their_exponents_say() {
    let mut numbers = Numbers(1);
    let mut growing = 0;
    for case in 0..20 {
        let (model, w) = masses_on_a_table(&mut numbers);
        let v = model.initial_velocity().to_vec();
        let start = Point { v, ..model.initial_point() };
        let at = steady_near(&model, &start, &FrameChoice::Automatic).unwrap().unwrap().at;
        let exponents = exponents(&model, &at);
        let time = 0.4;
        let free = (0..model.nv()).filter(|i| model.coordinate_name(*i).starts_with('m')).collect();
        let seen = Seen { model: &model, free, angle: w * time };
        let expected: Vec<c64> = exponents.iter().map(|s| (*s * time).exp()).collect();
        same(&seen.multipliers(at.point(), time), &expected, 1e-7, &format!("case {case}"));
        growing += usize::from(exponents.iter().any(|s| s.re > 0.01));
    }
    assert!(growing < 20);
}

/// Symmetric rotors with an overhung disc on random unsymmetric bearings with full damping, seen from the ground; and
/// unsymmetric ones on symmetric bearings with damping outside, seen from the rotor.
#[test]
fn random_rotors_move_as_their_exponents_say() {
    let mut numbers = Numbers(7);
    for case in 0..14 {
        let w = numbers.between(5.0, 60.0);
        let symmetric = case % 2 == 0;
        let (mass, i, polar) =
            (numbers.between(1.0, 3.0), numbers.between(0.02, 0.05), numbers.between(0.02, 0.07));
        let other = if symmetric { i } else { 1.3 * i };
        let mut bushings = String::new();
        for (name, at) in [("a", -0.2), ("b", 0.15)] {
            let kx = numbers.between(500.0, 2000.0);
            let ky = if symmetric { numbers.between(500.0, 2000.0) } else { kx };
            let kz = if name == "a" { 900.0 } else { 0.0 };
            let cx = numbers.between(0.0, 6.0);
            let cy = if symmetric { numbers.between(0.0, 6.0) } else { cx };
            bushings += &format!(
                "{{ name = '{name}', a = 'rotor.{name}', b = [0, 0, {at}], stiffness = [{kx}, {ky}, {kz}, 0, 0, 0], damping = [{cx}, {cy}, 0, 0, 0, 0]}},"
            );
        }
        let text = format!(
            "units = \"SI\"\nname = \"test\"
            spatial-body = [{{ name = 'rotor', mass = {mass}, inertia = [{i}, {other}, {polar}], at = [0, 0, 0], angular_velocity = [0, 0, {w}],
                markers = {{ a = [0, 0, -0.2], b = [0, 0, 0.15] }} }}]
            bushing = [{bushings}]"
        );
        let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        let v = model.initial_velocity().to_vec();
        let q = model.initial().to_vec();
        let at = OperatingPoint::of_motion(&model, q, v, 0.0, vec![], 1e-9);
        let at = at.unwrap_or_else(|e| panic!("case {case}: {e}"));
        let motion = at.steady().unwrap();
        let frame = motion.frame().rate().unwrap();
        assert_eq!(frame[2] != 0.0, !symmetric, "case {case}: {}", motion.frame());
        let time = 0.15;
        let seen = Seen { model: &model, free: (0..6).collect(), angle: frame[2] * time };
        let expected: Vec<c64> = exponents(&model, &at).iter().map(|s| (*s * time).exp()).collect();
        same(&seen.multipliers(at.point(), time), &expected, 2e-6, &format!("case {case}"));
    }
}

/// Bodies of any inertia on a universal joint at the rim of a driven carousel, under gravity, with a damped spring to a post of the
/// carousel aside of the plane of the swing: configuration and reactions are found, both motions are coupled by Coriolis forces.
#[test]
fn random_carousels_move_as_their_exponents_say() {
    let mut numbers = Numbers(11);
    let mut growing = 0;
    for case in 0..10 {
        let w = numbers.between(0.3, 2.5) * numbers.next().signum();
        let (radius, length) = (numbers.between(0.3, 1.0), numbers.between(0.4, 1.0));
        let inertia = [0; 3].map(|_| numbers.between(0.05, 0.08));
        let post = [0; 2].map(|_| 0.4 * numbers.next());
        let (stiff, damp) = (numbers.between(1.0, 12.0), numbers.between(0.0, 0.6));
        let text = format!(
            "units = \"SI\"\nname = \"test\"\ngravity = [0, 0, -9.81]
            spatial-body = [
                {{ name = 'floor', mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = {{ hook = [{radius}, 0, 0], post = [{}, {}, -0.6] }} }},
                {{ name = 'bob', mass = {}, inertia = [{}, {}, {}], at = [{radius}, 0, -{length}], markers = {{ top = [0, 0, {length}], side = [0.1, 0.05, 0] }} }}]
            joint = [
                {{ name = 'axle', type = 'revolute', a = 'floor', b = [0, 0, 0], axis = [0, 0, 1] }},
                {{ name = 'hook', type = 'universal', a = 'bob.top', b = 'floor.hook', axis = [0, 1, 0], axis_a = [1, 0, 0] }}]
            spring = [{{ name = 's', a = 'bob.side', b = 'floor.post', stiffness = {stiff}, natural_length = 0.2, damping = {damp} }}]
            drive = [{{ name = 'motor', quantity = 'angle', of = 'axle', law = '{w}*t' }}]",
            radius + post[0],
            0.3 + post[1],
            numbers.between(0.5, 2.0),
            inertia[0],
            inertia[1],
            inertia[2],
        );
        let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        let spin = mb_linear::steady::Spin::behind("axle", w);
        let v = mb_linear::steady::spinning(&model, &model.initial_point(), &[spin]).unwrap().0;
        let start = Point { v, ..model.initial_point() };
        let at = steady_near(&model, &start, &FrameChoice::Automatic)
            .unwrap_or_else(|e| panic!("case {case}: {e}"))
            .unwrap()
            .at;
        let frame = at.steady().unwrap().frame().rate().unwrap();
        assert!((frame[2] - w).abs() < 1e-9, "case {case}: {}", at.steady().unwrap().frame());
        let exponents = exponents(&model, &at);
        let time = 0.3;
        let free =
            (0..model.nv()).filter(|i| ["bob.x", "bob.y"].contains(&model.coordinate_name(*i).as_str()));
        let seen = Seen { model: &model, free: free.collect(), angle: w * time };
        let expected: Vec<c64> = exponents.iter().map(|s| (*s * time).exp()).collect();
        same(&seen.multipliers(at.point(), time), &expected, 1e-6, &format!("case {case}"));
        growing += usize::from(exponents.iter().any(|s| s.re > 0.01));
    }
    assert!(growing < 10);
}
