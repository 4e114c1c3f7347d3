//! Rotating beams against Ritz solutions, and bodies that turn against equations written by hand.

use mb_algebra::{Dense, QuadraticPencil, c64};
use mb_linear::steady::{Spin, spinning, steady_near};
use mb_linear::{Frame, FrameChoice, OperatingPoint, linearize};
use mb_model::{Model, Point};
use std::f64::consts::TAU;

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// The steady motion with spins of joints.
fn turning(m: &Model, spins: &[(&str, f64)]) -> OperatingPoint {
    let spins: Vec<Spin> = spins.iter().map(|(joint, w)| Spin::behind(*joint, *w)).collect();
    let (v, _) = spinning(m, &m.initial_point(), &spins).unwrap_or_else(|e| panic!("{e}"));
    let start = Point { v, ..m.initial_point() };
    steady_near(m, &start, &FrameChoice::Automatic).unwrap_or_else(|e| panic!("{e}")).unwrap().at
}

fn eigenvalues(pencil: &QuadraticPencil<Dense>) -> Vec<c64> {
    let spectrum = mb_eigen::dense::solve(pencil, &mb_eigen::DenseOptions::default()).unwrap();
    let mut all: Vec<c64> = spectrum.motion().filter_map(mb_eigen::Eigenpair::value).collect();
    all.retain(|s| s.im > 0.0);
    all.sort_by(|a, b| a.im.total_cmp(&b.im));
    all
}

fn nearest(found: &[c64], expected: f64) -> f64 {
    found.iter().map(|s| (*s - c64::new(0.0, expected)).norm()).fold(f64::MAX, f64::min)
}

/// A beam of length 1 that is clamped to a hub of radius R and turns with W about z.
#[derive(Clone, Copy)]
struct Blade {
    radius: f64,
    speed: f64,
    density: f64,
    young: f64,
    width: f64,
    height: f64,
}

impl Blade {
    fn area(&self) -> f64 {
        self.width * self.height
    }
    /// Second moments for bending in the plane of rotation and out of it.
    fn moments(&self) -> [f64; 2] {
        let (b, h) = (self.width, self.height);
        [h * b.powi(3) / 12.0, b * h.powi(3) / 12.0]
    }
    /// Stretch x' and place x of the section at s: x'' + k^2 x = 0 with EA (x' - 1) = 0 at the end and x = R at the start.
    fn place(&self, s: f64) -> (f64, f64) {
        let k = self.speed * (self.density / self.young).sqrt();
        // x = R cos(k s) + b sin(k s).
        let b = (1.0 + self.radius * k * k.sin()) / (k * k.cos());
        (
            self.radius * (k * s).cos() + b * (k * s).sin(),
            k * (b * (k * s).cos() - self.radius * (k * s).sin()),
        )
    }
    /// Frequencies by 16 functions for each of displacement along and across: in the plane with the velocities of both
    /// coupled by Coriolis forces or not, and out of the plane.
    ///
    /// About the stretched state with l = x', N = EA (l - 1), the energies per length are, to second order,
    ///
    /// ```text
    /// 2 U = EA u'^2 + N v'^2 / l + EI ((v'/l)')^2
    /// 2 T = rho A (u_t^2 + v_t^2 + W^2 (u^2 + v^2) + 2 W (u v_t - v u_t)) + rho I (v'/l)_t^2       in the plane
    /// 2 T = rho A w_t^2 + rho I (w'/l)_t^2 + W^2 (J_x - J_z) (w'/l)^2,  J_x - J_z = rho I           out of it
    /// ```
    fn ritz(&self, in_plane: bool, coriolis: bool) -> Vec<c64> {
        const COUNT: usize = 16;
        let (rho, ea) = (self.density * self.area(), self.young * self.area());
        let second = self.moments()[usize::from(!in_plane)];
        let (ei, rotary) = (self.young * second, self.density * second);
        let w2 = self.speed * self.speed;
        let n = if in_plane { 2 * COUNT } else { COUNT };
        let (mut m, mut c, mut k) = (Dense::zeros(n, n), Dense::zeros(n, n), Dense::zeros(n, n));
        for (s, weight) in gauss(40) {
            let (_, l) = self.place(s);
            // l' of the stretched state.
            let h = 1e-6;
            let l_s = (self.place(s + h).1 - self.place(s - h).1) / (2.0 * h);
            let tension = ea * (l - 1.0);
            let across: Vec<[f64; 3]> = (0..COUNT).map(|i| function(i, 2, s)).collect();
            let along: Vec<[f64; 3]> = (0..COUNT).map(|i| function(i, 1, s)).collect();
            let turn = |f: &[f64; 3]| f[1] / l;
            let bend = |f: &[f64; 3]| f[2] / l - f[1] * l_s / (l * l);
            for i in 0..COUNT {
                for j in 0..COUNT {
                    let (a, b) = (&across[i], &across[j]);
                    m[(i, j)] += weight * (rho * a[0] * b[0] + rotary * turn(a) * turn(b));
                    let centrifugal =
                        if in_plane { rho * w2 * a[0] * b[0] } else { w2 * rotary * turn(a) * turn(b) };
                    k[(i, j)] += weight * (tension * a[1] * b[1] / l + ei * bend(a) * bend(b) - centrifugal);
                    if in_plane {
                        let (p, q) = (&along[i], &along[j]);
                        let (row, column) = (COUNT + i, COUNT + j);
                        m[(row, column)] += weight * rho * p[0] * q[0];
                        k[(row, column)] += weight * (ea * p[1] * q[1] - rho * w2 * p[0] * q[0]);
                        if coriolis {
                            // v'' + 2 W u' and u'' - 2 W v'.
                            c[(i, column)] += weight * 2.0 * rho * self.speed * a[0] * q[0];
                            c[(column, i)] -= weight * 2.0 * rho * self.speed * a[0] * q[0];
                        }
                    }
                }
            }
        }
        eigenvalues(&QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, n) })
    }
    fn model(&self, elements: usize) -> Model {
        let Self { radius, speed, density, young, width, height } = self;
        model(&format!(
            "spatial-body = [{{ name = 'hub', mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = {{ rim = [{radius}, 0, 0] }} }}]
            beam = [{{ name = 'blade', from = [{radius}, 0, 0], to = [{}, 0, 0], elements = {elements}, density = {density},
                youngs_modulus = {young}, poissons_ratio = 0.3, shear = 'rigid', y = [0, 1, 0],
                section = {{ width = {width}, height = {height} }} }}]
            joint = [
                {{ name = 'axle', type = 'revolute', a = 'hub', b = [0, 0, 0], axis = [0, 0, 1] }},
                {{ name = 'root', type = 'fixed', a = 'blade.start', b = 'hub.rim' }}]
            drive = [{{ name = 'motor', quantity = 'angle', of = 'axle', law = '{speed}*t' }}]",
            radius + 1.0
        ))
    }
}

/// The polynomial s^power P_i(2 s - 1) with its first two derivatives.
fn function(i: usize, power: i32, s: f64) -> [f64; 3] {
    let x = 2.0 * s - 1.0;
    // Legendre polynomials with derivatives by x, by their recurrence.
    let (mut p0, mut p1) = ([1.0, 0.0, 0.0], [x, 1.0, 0.0]);
    let p = if i == 0 {
        p0
    } else {
        for n in 1..i {
            let (a, b) = ((2 * n + 1) as f64 / (n + 1) as f64, n as f64 / (n + 1) as f64);
            let next = [
                a * x * p1[0] - b * p0[0],
                a * (p1[0] + x * p1[1]) - b * p0[1],
                a * (2.0 * p1[1] + x * p1[2]) - b * p0[2],
            ];
            (p0, p1) = (p1, next);
        }
        p1
    };
    let (p, p_s, p_ss) = (p[0], 2.0 * p[1], 4.0 * p[2]);
    let n = f64::from(power);
    let s_n = s.powi(power);
    let first = n * s.powi(power - 1);
    let second = if power >= 2 { n * (n - 1.0) * s.powi(power - 2) } else { 0.0 };
    [s_n * p, first * p + s_n * p_s, second * p + 2.0 * first * p_s + s_n * p_ss]
}

/// Places and weights of Gauss' rule on [0, 1], by Newton's method on the Legendre polynomial.
fn gauss(n: usize) -> Vec<(f64, f64)> {
    let rule = |k: usize| {
        let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..50 {
            let (mut p0, mut p1) = (1.0, x);
            for i in 1..n {
                (p0, p1) = (p1, ((2 * i + 1) as f64 * x * p1 - i as f64 * p0) / (i + 1) as f64);
            }
            slope = n as f64 * (x * p1 - p0) / (x * x - 1.0);
            x -= p1 / slope;
        }
        (0.5 * (x + 1.0), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(rule).collect()
}

/// Flap and lag frequencies of a blade over speed and hub radius, stretched and with the terms of rotating sections.
#[test]
fn a_rotating_beam_has_the_frequencies_of_ritz() {
    let blade = Blade { radius: 0.1, speed: 1.0, density: 1000.0, young: 1e8, width: 0.05, height: 0.02 };
    for (radius, speed) in [(0.1, 5.0), (0.1, 40.0), (1.0, 20.0), (0.0, 60.0)] {
        let blade = Blade { radius, speed, ..blade };
        let m = blade.model(16);
        let at = turning(&m, &[("axle", speed)]);
        assert!(matches!(at.steady().unwrap().frame(), Frame::Body { name, .. } if name == "hub"));
        let request = mb_eigen::sparse::Request::Lowest { count: 6 };
        let options = mb_eigen::sparse::SparseOptions::default();
        let pencil = mb_linear::linearize_sparse(&m, &at).pencil();
        let found = mb_eigen::sparse::solve(&pencil, &request, &options).unwrap().motion_values();
        let (flap, lag) = (blade.ritz(false, true), blade.ritz(true, true));
        let uncoupled = blade.ritz(true, false);
        for (k, s) in flap.iter().take(2).chain(lag.iter().take(2)).enumerate() {
            let off = nearest(&found, s.im) / s.im;
            // The mesh leaves the fourth power of its width, of the second modes more.
            let allowed = if k % 2 == 0 { 1e-5 } else { 2e-4 };
            assert!(off < allowed, "radius {radius}, speed {speed}, mode {k}: {off:e} of {}", s.im / TAU);
        }
        // Coriolis forces are seen: without them lag is off by more than the tolerance at the higher speeds.
        let off = nearest(&found, uncoupled[0].im) / lag[0].im;
        assert!(speed < 30.0 || off > 1e-3, "{speed}: {off:e}");
    }
}

/// A sleeping top on its tip: J z'' - i h w z' - m g l z = 0 for z = p + i r, stable above w^2 = 4 J m g l / h^2.
#[test]
fn a_sleeping_top_is_stable_above_its_speed() {
    let (mass, length, axial, gravity): (f64, f64, f64, f64) = (2.0, 0.3, 0.02, 9.81);
    let across = 0.05 + mass * length * length;
    let m = model(&format!(
        "gravity = [0, 0, -{gravity}]
        spatial-body = [{{ name = 'top', mass = {mass}, inertia = [0.05, 0.05, {axial}], at = [0, 0, {length}], markers = {{ tip = [0, 0, -{length}] }} }}]
        joint = [{{ name = 'tip', type = 'spherical', a = 'top.tip', b = [0, 0, 0] }}]
        steady-rotation = [{{ name = 'spin', bodies = ['top'], speed = 1 }}]"
    ));
    let threshold = 2.0 * (across * mass * gravity * length).sqrt() / axial;
    for w in [0.5 * threshold, 0.99 * threshold, 1.01 * threshold, 3.0 * threshold] {
        let spin = Spin { speed: w, ..Spin::of_model(&m)[0].clone() };
        let v = spinning(&m, &m.initial_point(), &[spin]).unwrap().0;
        let start = Point { v, ..m.initial_point() };
        let at = steady_near(&m, &start, &FrameChoice::Automatic).unwrap().unwrap().at;
        assert_eq!(at.steady().unwrap().frame(), &Frame::Ground);
        let spectrum =
            mb_eigen::dense::solve(&linearize(&m, &at).pencil(), &mb_eigen::DenseOptions::default());
        let found = spectrum.unwrap().motion_values();
        let (h, root) =
            (axial * w, c64::new(4.0 * across * mass * gravity * length - (axial * w).powi(2), 0.0).sqrt());
        for sign in [1.0, -1.0] {
            // s = (i h +- sqrt(4 J m g l - h^2)) / (2 J).
            let s = (c64::new(0.0, h) + root * sign) / (2.0 * across);
            let off = found.iter().map(|z| (*z - s).norm()).fold(f64::MAX, f64::min);
            assert!(off < 1e-9 * s.norm(), "{w}: {s} is {off:e} away");
        }
        let grows = found.iter().any(|s| s.re > 1e-6);
        assert_eq!(grows, w < threshold, "{w} of {threshold}");
    }
}

/// A satellite at rest with a wheel of momentum h about z: p' J_x + h r = 0 and r' J_y - h p = 0, s = i h / sqrt(J_x J_y).
#[test]
fn a_satellite_nutates_by_the_momentum_of_its_wheel() {
    let m = model(
        "spatial-body = [
            { name = 'bus', mass = 100, inertia = [30, 40, 50], at = [0, 0, 0], markers = { hub = [0, 0, 0.2] } },
            { name = 'wheel', mass = 5, inertia = [0.05, 0.05, 0.09], at = [0, 0, 0.2] }]
        joint = [{ name = 'axle', type = 'revolute', a = 'wheel', b = 'bus.hub', axis = [0, 0, 1] }]
        steady-rotation = [{ name = 'spin', joint = 'axle', speed = 300 }]",
    );
    let v = spinning(&m, &m.initial_point(), &Spin::of_model(&m)).unwrap().0;
    let start = Point { v, ..m.initial_point() };
    let at = steady_near(&m, &start, &FrameChoice::Automatic).unwrap().unwrap().at;
    let arm = 100.0 * 5.0 / 105.0 * 0.04;
    let (jx, jy): (f64, f64) = (30.0 + 0.05 + arm, 40.0 + 0.05 + arm);
    let expected = 0.09 * 300.0 / (jx * jy).sqrt();
    let found = eigenvalues(&linearize(&m, &at).pencil());
    assert!(nearest(&found, expected) < 1e-10 * expected, "{expected}: {found:?}");
}

/// A mass on a spring to the axis that it turns about: r = k l / (k - m W^2), s = i (k / m + 3 W^2)^(1/2), and the turn itself. One point has no
/// axes of its own: its frame is that of the rotation.
#[test]
fn a_mass_in_a_sling_turns_at_the_radius_of_its_speed() {
    let (mass, stiffness, length): (f64, f64, f64) = (2.0, 200.0, 1.0);
    for (w, through) in [(4.0, [0.0, 0.0]), (-7.0, [0.5, -2.0])] {
        let [x, y] = through;
        let m = model(&format!(
            "gravity = [0, 0]
            point = [{{ name = 'P', at = [{x}, {}], mass = {mass} }}]
            spring = [{{ name = 's', a = 'P', b = {through:?}, stiffness = {stiffness}, natural_length = {length} }}]
            steady-rotation = [{{ name = 'turn', bodies = ['P'], through = [{x}, {y}, 0], speed = {w} }}]",
            y + 1.2
        ));
        let v = spinning(&m, &m.initial_point(), &Spin::of_model(&m)).unwrap().0;
        let start = Point { v, ..m.initial_point() };
        let at = steady_near(&m, &start, &FrameChoice::Automatic).unwrap().unwrap().at;
        let q = &at.point().q;
        let radius = stiffness * length / (stiffness - mass * w * w);
        let found = (q[0] - x).hypot(q[1] - y);
        assert!((found - radius).abs() < 1e-9 * radius, "{w}: {found} {radius}");
        let expected = (stiffness / mass + 3.0 * w * w).sqrt();
        let found = eigenvalues(&linearize(&m, &at).pencil());
        assert!(nearest(&found, expected) < 1e-8 * expected, "{w}: {expected}: {found:?}");
    }
}

/// A pendulum of length l that hangs at the radius R of a carousel, at the angle a with W^2 (R + l sin a) = g tan a.
#[test]
fn a_pendulum_in_a_carousel_swings_as_the_sphere_says() {
    let (radius, length, mass, g) = (2.0, 1.5, 3.0, 9.81);
    for w in [0.5, 1.5, 3.0, 6.0] {
        let m = model(&format!(
            "gravity = [0, 0, -{g}]
            spatial-body = [
                {{ name = 'floor', mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = {{ hook = [{radius}, 0, 0] }} }},
                {{ name = 'bob', mass = {mass}, inertia = [1e-9, 1e-9, 1e-9], at = [{radius}, 0, -{length}], markers = {{ top = [0, 0, {length}] }} }}]
            joint = [
                {{ name = 'axle', type = 'revolute', a = 'floor', b = [0, 0, 0], axis = [0, 0, 1] }},
                {{ name = 'hook', type = 'universal', a = 'bob.top', b = 'floor.hook', axis = [0, 1, 0], axis_a = [1, 0, 0] }}]
            drive = [{{ name = 'motor', quantity = 'angle', of = 'axle', law = '{w}*t' }}]"
        ));
        let at = turning(&m, &[("axle", w)]);
        // The angle at which gravity and centrifugal force balance, by halving.
        let (mut low, mut high) = (0.0_f64, 1.57_f64);
        for _ in 0..200 {
            let a = 0.5 * (low + high);
            if w * w * (radius + length * a.sin()) > g * a.tan() { low = a } else { high = a }
        }
        let a = low;
        let at_bob = at.point().q[7];
        assert!((at_bob - (radius + length * a.sin())).abs() < 1e-9, "{w}: {at_bob}");
        // With angles a (swing) and b (across, y = l sin b, the plane of the swing unchanged): V/m = -g l cos a cos b
        // - W^2/2 ((R + l sin a cos b)^2 + l^2 sin^2 b); kinetic energy l^2 (a'^2 cos^2 b + b'^2)/2; Coriolis 2 W l^2 cos a.
        let (s, c) = a.sin_cos();
        let swing = (g * c + w * w * (radius * s + length * s * s - length * c * c)) / length;
        let aside = (g * c + w * w * (radius * s + length * s * s - length)) / length;
        let coriolis = 2.0 * w * c;
        // s^4 + (swing + aside + coriolis^2) s^2 + swing aside = 0.
        let b = swing + aside + coriolis * coriolis;
        let root = (b * b - 4.0 * swing * aside).sqrt();
        let found = eigenvalues(&linearize(&m, &at).pencil());
        for square in [(b - root) / 2.0, f64::midpoint(b, root)] {
            let expected = square.sqrt();
            assert!(nearest(&found, expected) < 1e-6 * expected, "{w}: {expected} of {found:?}");
        }
    }
}

/// A sequence of numbers between 0 and 1, the same in every run (linear congruence of Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (to - from) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// A disc between two equal bearings at the distance a on both sides, with damping c and cross-coupled stiffness q. In the ground's
/// frame, with z = x + i y, the tilt f = p + i r, and the sums of both bearings:
///
/// ```text
/// m z'' + c z' + (k - i q) z = 0,   J f'' + (a^2 c - i J_p W) f' + a^2 (k - i q) f = 0
/// ```
#[test]
fn gyroscopic_discs_in_unsymmetric_bearings_as_by_hand() {
    let mut random = Numbers(7);
    for _ in 0..12 {
        let (mass, across) = (random.between(1.0, 20.0), random.between(0.1, 2.0));
        let (polar, w) = (random.between(0.05, 1.9) * across, random.between(-300.0, 300.0));
        let (k, q, c) = (random.between(1e4, 1e6), random.between(-1e4, 1e4), random.between(0.0, 200.0));
        let arm = random.between(0.1, 0.5);
        let [half_k, half_q, half_c] = [k, q, c].map(|x| 0.5 * x);
        let film = format!(
            "stiffness = [[{half_k}, {half_q}], [{}, {half_k}]], damping = [[{half_c}, 0], [0, {half_c}]]",
            -half_q
        );
        let m = model(&format!(
            "spatial-body = [{{ name = 'rotor', mass = {mass}, inertia = [{across}, {across}, {polar}], at = [0, 0, 0],
                markers = {{ low = [0, 0, -{arm}], high = [0, 0, {arm}] }} }}]
            bearing = [{{ name = 'low', a = 'rotor.low', b = 'ground', {film} }}, {{ name = 'high', a = 'rotor.high', b = 'ground', {film} }}]
            steady-rotation = [{{ name = 'spin', bodies = ['rotor'], speed = {w} }}]"
        ));
        let v = spinning(&m, &m.initial_point(), &Spin::of_model(&m)).unwrap().0;
        let start = Point { v, ..m.initial_point() };
        let at = steady_near(&m, &start, &FrameChoice::Automatic).unwrap().unwrap().at;
        assert_eq!(at.steady().unwrap().frame(), &Frame::Ground);
        let spectrum =
            mb_eigen::dense::solve(&linearize(&m, &at).pencil(), &mb_eigen::DenseOptions::default()).unwrap();
        let found = spectrum.motion_values();
        // a s^2 + b s + e = 0 with complex coefficients; its conjugate gives the other half.
        let quadratic = |a: f64, b: c64, e: c64| {
            let root = (b * b - e * (4.0 * a)).sqrt();
            [(-b + root) / (2.0 * a), (-b - root) / (2.0 * a)]
        };
        let shift = quadratic(mass, c64::new(c, 0.0), c64::new(k, -q));
        let square = arm * arm;
        let tilt = quadratic(across, c64::new(square * c, -polar * w), c64::new(square * k, -square * q));
        for s in shift.into_iter().chain(tilt) {
            let off = found.iter().map(|z| (*z - s).norm()).fold(f64::MAX, f64::min);
            assert!(off < 1e-9 * s.norm(), "{w}: {s} is {off:e} away from {found:?}");
        }
    }
}
