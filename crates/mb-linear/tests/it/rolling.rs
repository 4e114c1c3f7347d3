//! Velocity rows: a bicycle, a rolling disc and a skate against equations written by hand.

use mb_algebra::{Dense, DescriptorPencil, QuadraticPencil, c64, dense};
use mb_constraints::NullSpaceMethod;
use mb_eigen::{Class, DenseOptions, Spectrum};
use mb_gallery::files;
use mb_linear::formulation::minimal::minimal;
use mb_linear::{
    Equilibrium, EquilibriumOptions, Frame, FrameChoice, Instant, LinearError, OperatingPoint, linearize,
    linearize_sparse,
};
use mb_model::spec::Value;
use mb_model::{Model, ModelSpec, Point};

pub(super) fn with(text: &str, parameters: &[(&str, f64)]) -> Model {
    let mut spec = ModelSpec::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    for (name, value) in parameters {
        spec.set_parameter(name, Value::Number(*value)).unwrap();
    }
    spec.build().unwrap_or_else(|e| panic!("{e}"))
}

/// The steady motion, or the rest, that a model starts on.
pub(super) fn start(m: &Model) -> Result<OperatingPoint, LinearError> {
    let (q, v) = (m.initial().to_vec(), m.initial_velocity().to_vec());
    let at = Instant::of_motion(m, q, v, 0.0, vec![0.0; m.inputs().len()], 1e-9)?;
    OperatingPoint::of_instant(m, &at, &FrameChoice::Automatic)
}

fn at_rest(m: &Model) -> OperatingPoint {
    let rest = Equilibrium::solve(m, m.initial(), &EquilibriumOptions::default());
    OperatingPoint::from(&rest.unwrap_or_else(|e| panic!("{e}")))
}

fn solved(m: &Model, at: &OperatingPoint) -> Spectrum {
    mb_eigen::dense::solve(&linearize(m, at).pencil(), &DenseOptions::default()).unwrap()
}

/// Finite eigenvalues that are not zero, and the number of zeros.
fn parts(spectrum: &Spectrum) -> (Vec<c64>, usize) {
    let zeros = spectrum.of_class(Class::Rigid).count();
    let finite = spectrum.motion().filter(|p| p.class != Class::Rigid);
    (finite.filter_map(mb_eigen::Eigenpair::value).collect(), zeros)
}

/// Every expected value is found, each once, to a share of the largest.
fn same(found: &[c64], expected: &[c64], share: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}\n{expected:?}");
    let size = expected.iter().map(|s| s.norm()).fold(0.0, f64::max);
    let mut left = found.to_vec();
    for s in expected {
        let (k, off) = left
            .iter()
            .enumerate()
            .map(|(k, x)| (k, (x - s).norm()))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap();
        assert!(off <= share * size, "{s} is off by {off}: {found:?}\n{expected:?}");
        left.swap_remove(k);
    }
}

/// M, C1, K0 and K2 of M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer), by the formulas of Meijaard, Papadopoulos,
/// Ruina and Schwab (2007), appendix A, for the bicycle of their table 1: x ahead, y to the right, z down.
pub(super) fn published() -> [[[f64; 2]; 2]; 4] {
    let (w, c, tilt) = (1.02, 0.08, std::f64::consts::PI / 10.0);
    let (r_r, m_r, i_rxx, i_ryy) = (0.3, 2.0, 0.0603, 0.12);
    let (x_b, z_b, m_b, i_bxx, i_bxz, i_bzz) = (0.3, -0.9, 85.0, 9.2, 2.4, 2.8);
    let (x_h, z_h, m_h, i_hxx, i_hxz, i_hzz) = (0.9, -0.7, 4.0, 0.05892, -0.00756, 0.00708);
    let (r_f, m_f, i_fxx, i_fyy) = (0.35, 3.0, 0.1405, 0.28);
    let (sin, cos) = f64::sin_cos(tilt);
    let square = |x: f64| x * x;
    let m_t = m_r + m_b + m_h + m_f;
    let x_t = (x_b * m_b + x_h * m_h + w * m_f) / m_t;
    let z_t = (-r_r * m_r + z_b * m_b + z_h * m_h - r_f * m_f) / m_t;
    let i_txx =
        i_rxx + i_bxx + i_hxx + i_fxx + m_r * r_r * r_r + m_b * z_b * z_b + m_h * z_h * z_h + m_f * r_f * r_f;
    let i_txz = i_bxz + i_hxz - m_b * x_b * z_b - m_h * x_h * z_h + m_f * w * r_f;
    let i_tzz = i_rxx + i_bzz + i_hzz + i_fxx + m_b * x_b * x_b + m_h * x_h * x_h + m_f * w * w;
    let m_a = m_h + m_f;
    let x_a = (x_h * m_h + w * m_f) / m_a;
    let z_a = (z_h * m_h - r_f * m_f) / m_a;
    let i_axx = i_hxx + i_fxx + m_h * square(z_h - z_a) + m_f * square(r_f + z_a);
    let i_axz = i_hxz - m_h * (x_h - x_a) * (z_h - z_a) + m_f * (w - x_a) * (r_f + z_a);
    let i_azz = i_hzz + i_fxx + m_h * square(x_h - x_a) + m_f * square(w - x_a);
    let u_a = (x_a - w - c) * cos - z_a * sin;
    let i_all = m_a * u_a * u_a + i_axx * sin * sin + 2.0 * i_axz * sin * cos + i_azz * cos * cos;
    let i_alx = -m_a * u_a * z_a + i_axx * sin + i_axz * cos;
    let i_alz = m_a * u_a * x_a + i_axz * sin + i_azz * cos;
    let mu = c / w * cos;
    let (s_r, s_f) = (i_ryy / r_r, i_fyy / r_f);
    let s_t = s_r + s_f;
    let s_a = m_a * u_a + mu * m_t * x_t;
    let m_ld = i_alx + mu * i_txz;
    let mass = [[i_txx, m_ld], [m_ld, i_all + 2.0 * mu * i_alz + mu * mu * i_tzz]];
    let k0 = [[m_t * z_t, -s_a], [-s_a, -s_a * sin]];
    let k2 = [[0.0, (s_t - m_t * z_t) / w * cos], [0.0, (s_a + s_f * sin) / w * cos]];
    let c1 = [
        [0.0, mu * s_t + s_f * cos + i_txz / w * cos - mu * m_t * z_t],
        [-(mu * s_t + s_f * cos), i_alz / w * cos + mu * (s_a + i_tzz / w * cos)],
    ];
    [mass, c1, k0, k2]
}

/// The eigenvalues of the published equations at speed v.
fn published_roots(v: f64) -> Vec<c64> {
    let [m, c1, k0, k2] = published();
    let of = |f: &dyn Fn(usize, usize) -> f64| Dense::from_fn(2, 2, f);
    let pencil = QuadraticPencil {
        m: of(&|i, j| m[i][j]),
        c: of(&|i, j| v * c1[i][j]),
        k: of(&|i, j| 9.81 * k0[i][j] + v * v * k2[i][j]),
        phi_q: Dense::zeros(0, 2),
    };
    let found = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
    found.eigenpairs.iter().filter_map(mb_eigen::Eigenpair::value).collect()
}

/// Lean, steer and the speed are the velocities, six coordinates can be ignored: 2 * 7 - 4 eigenvalues.
#[test]
fn a_bicycle_has_the_eigenvalues_of_the_published_equations() {
    for v in [0.5, 2.0, 4.2, 4.4, 5.0, 6.0, 6.1, 10.0] {
        let m = with(files::BICYCLE, &[("v", v)]);
        let at = start(&m).unwrap_or_else(|e| panic!("{v}: {e}"));
        let motion = at.steady().unwrap();
        assert_eq!(motion.frame(), &Frame::Ground);
        assert!(motion.deviation().relative < 1e-10, "{}", motion.deviation().relative);
        let spectrum = solved(&m, &at);
        let (finite, zeros) = parts(&spectrum);
        assert_eq!(zeros, 6, "at {v} m/s");
        // Near the capsize speed one eigenvalue is a thousandth of the others, and next to the double zeros.
        same(&finite, &published_roots(v), 1e-9);
        for s in published_roots(v) {
            let off = |p: &&mb_eigen::Eigenpair| p.value().map_or(f64::INFINITY, |x| (x - s).norm());
            let near = spectrum.eigenpairs.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
            assert!(
                off(&near) <= near.error_bound + 1e-12 * s.norm(),
                "{v}: {s} {} {}",
                off(&near),
                near.error_bound
            );
        }
    }
}

/// At rest the speed is zero and so are the terms with it.
#[test]
fn a_bicycle_at_rest_falls_as_an_inverted_pendulum_with_a_steering() {
    let m = with(files::BICYCLE, &[("v", 0.0)]);
    let rest =
        mb_linear::Equilibrium::solve(&m, m.initial(), &mb_linear::EquilibriumOptions::default()).unwrap();
    let (finite, zeros) = parts(&solved(&m, &OperatingPoint::from(&rest)));
    assert_eq!(zeros, 6);
    same(&finite, &published_roots(0.0), 1e-10);
}

/// All forms, and the descriptor form with the multipliers of velocity rows as unknowns, which no elimination has touched.
#[test]
fn all_forms_agree() {
    let m = with(files::BICYCLE, &[("v", 4.6)]);
    let at = start(&m).unwrap();
    let lin = linearize(&m, &at);
    let sparse = linearize_sparse(&m, &at);
    for (a, b) in [(&sparse.m, &lin.m), (&sparse.c, &lin.c), (&sparse.k, &lin.k)] {
        assert!(mb_algebra::norms::max_abs(&(&mb_algebra::to_dense(a) - b)) == 0.0);
    }
    let expected = published_roots(4.6);
    for method in [NullSpaceMethod::Qr, NullSpaceMethod::Svd, NullSpaceMethod::CoordinateSelection(None)] {
        let pencil = minimal(&m, &lin, &method).unwrap().pencil();
        let found = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
        same(&parts(&found).0, &expected, 1e-9);
    }
    // At every expected s the matrix of the whole descriptor form is singular: its smallest singular value is rounding.
    let pencil = whole(&m, &at);
    for s in expected {
        let at_s = |s: c64| {
            let size = pencil.e.nrows();
            // (a + i b) as a real matrix of twice the size.
            let part = |i: usize, j: usize| s * pencil.e[(i, j)] - pencil.a[(i, j)];
            Dense::from_fn(2 * size, 2 * size, |i, j| {
                let x = part(i % size, j % size);
                match (i < size, j < size) {
                    (true, true) | (false, false) => x.re,
                    (true, false) => -x.im,
                    (false, true) => x.im,
                }
            })
        };
        let smallest = |s: c64| mb_algebra::Svd::new(&at_s(s)).unwrap().s.last().copied().unwrap();
        let (at_root, near) = (smallest(s), smallest(s * 1.001));
        assert!(at_root < 1e-7 * near, "{s}: {at_root} {near}");
    }
}

/// E y' = A y with y = (x, x', l, m): every row as it stands, in the ground's frame, where S cancels the turning of the bodies.
fn whole(model: &Model, at: &OperatingPoint) -> DescriptorPencil<Dense> {
    let point = at.point();
    let n = model.nv();
    let rows = model.nc();
    let of = |t: mb_algebra::Triplets| t.to_dense();
    let mass = of(model.mass(point));
    let damping = of(model.damping(point));
    let stiffness = of(model.stiffness(point));
    let jacobian = of(model.phi_q(&point.q, point.t));
    let by_q = of(model.phi_dot_q(&point.q, &point.v, point.t));
    let velocity = model.velocity_rows();
    let s = at.steady().unwrap().generator().dense();
    // dv = x' + T x and da = x'' + T x' + T' x with T = -S here, x = exp(S t) y: dv = exp(S t) y', da = exp(S t) (y'' + S y').
    let ms = dense::mul(&mass, &s);
    let size = 2 * n + rows;
    let (mut e, mut a) = (Dense::zeros(size, size), Dense::zeros(size, size));
    let c = &damping + &ms;
    for i in 0..n {
        e[(i, i)] = 1.0;
        a[(i, n + i)] = 1.0;
        for j in 0..n {
            e[(n + i, n + j)] = mass[(i, j)];
            a[(n + i, j)] = -stiffness[(i, j)];
            a[(n + i, n + j)] = -c[(i, j)];
        }
        for k in 0..rows {
            a[(n + i, 2 * n + k)] = -jacobian[(k, i)];
        }
    }
    for k in 0..rows {
        for j in 0..n {
            if velocity[k] {
                a[(2 * n + k, j)] = -by_q[(k, j)];
                a[(2 * n + k, n + j)] = -jacobian[(k, j)];
            } else {
                a[(2 * n + k, j)] = -jacobian[(k, j)];
            }
        }
    }
    DescriptorPencil { e, a }
}

/// With A and C the moments of inertia across and about the axle, and the heading rate p from A p' = C w l':
/// (A + m r^2) l'' + ((C + m r^2) C w^2 / A - m g r) l = 0 for the lean l.
#[test]
fn a_rolling_disc_is_stable_above_its_spin() {
    let (m, r, g) = (1.0, 0.2, 9.81);
    let (across, about) = (m * r * r / 4.0, m * r * r / 2.0);
    let limit = f64::sqrt(g / (3.0 * r));
    for spin in [0.5 * limit, 0.999 * limit, 1.001 * limit, 5.0, 40.0] {
        let model = with(files::ROLLING_DISC, &[("spin", spin)]);
        let spectrum = solved(&model, &start(&model).unwrap());
        let (finite, zeros) = parts(&spectrum);
        let square = (m * g * r - (about + m * r * r) * about * spin * spin / across) / (across + m * r * r);
        let s = c64::new(square, 0.0).sqrt();
        assert_eq!(square < 0.0, spin > limit);
        // The heading rate goes on and turns the way aside: a chain of three zeros, of which the solver follows two. The third
        // is zero up to the rounding of the matrices.
        let (tiny, found): (Vec<c64>, Vec<c64>) = finite.into_iter().partition(|s| s.norm() < 1e-9);
        assert_eq!(zeros + tiny.len(), 6, "spin {spin}");
        same(&found, &[s, -s], 1e-8);
    }
}

/// (C + m r^2) w3 W cos b - A W^2 sin b cos b + m g r sin b = 0 for a disc that leans by b, with the precession W about the
/// vertical and the angular velocity w3 about its axle.
fn circling(lean: f64, precession: f64) -> (Model, Point) {
    let (m, r, g) = (1.0, 0.2, 9.81);
    let (across, about) = (m * r * r / 4.0, m * r * r / 2.0);
    let (s, c) = lean.sin_cos();
    let w3 =
        (across * precession * precession * s * c - m * g * r * s) / ((about + m * r * r) * precession * c);
    let model = with(files::ROLLING_DISC, &[]);
    // Turned about x by -b: the axle e3 = -y of the body, the radius up e2 = z of the body.
    let half = 0.5 * lean;
    let q = vec![0.0, 0.0, r * c, half.cos(), -half.sin(), 0.0, 0.0];
    let v = vec![-r * w3, 0.0, 0.0, 0.0, -w3, precession * c];
    let point = Point { q, v, ..model.initial_point() };
    (model, point)
}

#[test]
fn a_disc_that_rolls_in_a_circle_moves_steadily_in_the_frame_of_its_precession() {
    for (lean, precession) in [(0.3, 3.0), (-0.6, 5.0), (0.9, 9.0)] {
        let (model, start) = circling(lean, precession);
        let at = Instant::of_motion(&model, start.q.clone(), start.v.clone(), 0.0, Vec::new(), 1e-9).unwrap();
        let found = OperatingPoint::of_instant(&model, &at, &FrameChoice::Automatic).unwrap();
        let motion = found.steady().unwrap();
        let rate = motion.frame().rate().unwrap();
        assert!((rate[2] - precession).abs() < 1e-9, "{rate:?}");
        assert!(motion.deviation().relative < 1e-9, "{}", motion.deviation().relative);
        let (finite, zeros) = parts(&solved(&model, &found));
        assert_eq!(finite.len() + zeros, 8);
        // Another spin does not stay in balance.
        let mut v = start.v;
        v[4] *= 1.01;
        v[0] *= 1.01;
        let at = Instant::of_motion(&model, start.q, v, 0.0, Vec::new(), 1e-9).unwrap();
        assert!(OperatingPoint::of_instant(&model, &at, &FrameChoice::Automatic).is_err());
    }
}

/// The heading rate p of a sled on a skate: (J + m a^2) p' = -m a v p.
#[test]
fn a_sled_on_a_skate_keeps_straight() {
    let (m, j, a) = (2.0, 0.3, 0.4);
    for v in [3.0, -3.0, 0.2] {
        let model = with(files::SKATE, &[("v", v)]);
        let (finite, zeros) = parts(&solved(&model, &start(&model).unwrap()));
        // Three coordinates, one row: 2 * 3 - 1.
        assert_eq!(zeros, 4, "at {v}");
        same(&finite, &[c64::new(-m * a * v / (j + m * a * a), 0.0)], 1e-10);
    }
}

/// A ball that rolls and turns about the vertical, its centre of mass at the height h over the plane and its centre at R: the lean is
/// exp(i w t) in complex numbers with
///
/// ```text
/// (A + m h^2) w^2 - (C + m h R) W w + m g (h - R) = 0
/// ```
///
/// However slowly it turns, the rounding of weight and normal force is no acceleration.
#[test]
fn a_loaded_ball_turns_about_the_vertical() {
    let (m, a, c, r, g) = (1.5, 0.006, 0.005, 0.1, 9.81);
    for (h, w) in [(0.12, 3.0), (0.08, 3.0), (0.12, 30.0), (0.08, 0.01)] {
        let text = format!(
            "units = \"SI\"\nname = \"ball\"\ngravity = [0, 0, -{g}]
            spatial-body = [{{ name = 'b', mass = {m}, inertia = [{a}, {a}, {c}], at = [0, 0, {h}],
                angular_velocity = [0, 0, {w}], markers = {{ c = [0, 0, {}] }} }}]
            rolling = [{{ name = 'contact', wheel = 'b.c', radius = {r} }}]",
            r - h
        );
        let model = with(&text, &[]);
        let at = start(&model).unwrap_or_else(|e| panic!("{h} {w}: {e}"));
        let (second, first, none) = (a + m * h * h, (c + m * h * r) * w, m * g * (h - r));
        let root = c64::new(first * first - 4.0 * second * none, 0.0).sqrt();
        let lean = [root, -root].map(|root| c64::new(0.0, 1.0) * (root + first) / (2.0 * second));
        let expected: Vec<c64> = lean.iter().flat_map(|s| [*s, s.conj()]).collect();
        same(&parts(&solved(&model, &at)).0, &expected, 1e-9);
    }
}

/// The hunting of a wheelset that rolls without slip, by geometry in its cross-section. y: displacement to the left, psi: heading, phi: roll,
/// c: the centre of a tread at half the distance `c` of the wheels, k: that of the contacts, r: the rolling radius.
///
/// ```text
/// D phi = sin d y,   D = c cos d - R sin d                            the treads stay on the rail heads
/// dr = G y,   G = rho sin d (c / (rho + P) + sin d) / D               of the left wheel, and -dr of the right one
/// psi' = - (v / r) G y / k,   y' = v psi D / (k cos d)                no slip along and across
/// ```
///
/// It is the equivalent conicity of Wickens with a tread that is curved the other way, and Klingel's wave for small angles of contact.
#[test]
fn a_wheelset_hunts() {
    let (radius, rho, head, half) = (0.4_f64, 0.05_f64, 0.3_f64, 0.75_f64);
    for (v, delta) in [(20.0_f64, 0.05_f64), (5.0, 0.05), (20.0, 0.2), (20.0, -0.05)] {
        let (sin, cos) = delta.sin_cos();
        let c = half - (rho + head) * sin;
        let (k, r) = (c + rho * sin, radius + rho * cos);
        let square = v * v * rho * sin * (c / (rho + head) + sin) / (r * k * k * cos);
        let rate = if square > 0.0 { c64::new(0.0, square.sqrt()) } else { c64::new((-square).sqrt(), 0.0) };
        let m = with(files::WHEELSET, &[("v", v), ("delta", delta)]);
        let at = start(&m).unwrap_or_else(|e| panic!("{v} {delta}: {e}"));
        let (values, zeros) = parts(&solved(&m, &at));
        // Two of four rows of no slip across say the same: 2 (6 - 2) - 3 finite eigenvalues.
        assert_eq!(zeros, 3, "{v} {delta}: {values:?}");
        same(&values, &[rate, -rate], 1e-9);
    }
}

/// At rest its weight makes large stiffnesses of the contacts, and nothing between the motions that the rows leave: rolling is a chain of two
/// zeros, the three rows that are independent make one each.
#[test]
fn a_wheelset_at_rest_has_zeros_alone() {
    for delta in [0.05_f64, 0.2, -0.05] {
        let m = with(files::WHEELSET, &[("v", 0.0), ("delta", delta)]);
        let (values, zeros) = parts(&solved(&m, &at_rest(&m)));
        assert_eq!((values.len(), zeros), (0, 5), "{delta}: {values:?}");
    }
}

/// A pinion on an axle above a rack on a slide: the rack carries nothing that the axle could not, so that the normal force of the mesh is
/// not determined. A ball that is pulled up leaves its plane.
#[test]
fn a_normal_force_that_can_be_shared_is_no_contact_that_is_lost() {
    let pinion = |slide: &str| {
        format!(
            "units = \"SI\"\nname = \"pinion\"\ngravity = [0, 0, -9.81]\n\
             [[spatial-body]]\nname = \"rack\"\nmass = 3\ninertia = [1, 1, 1]\nat = [0, 0, 0]\n\
             [[spatial-body]]\nname = \"pinion\"\nmass = 2\ninertia = [0.02, 0.04, 0.02]\nat = [0, 0, 0.2]\n\
             [[joint]]\nname = \"axle\"\ntype = \"revolute\"\na = \"pinion\"\nb = [0, 0, 0.2]\naxis = [0, 1, 0]\n\
             [[rolling]]\nname = \"mesh\"\nwheel = \"pinion\"\naxle = [0, 1, 0]\nradius = 0.2\nplane = \"rack\"\n{slide}"
        )
    };
    let slide =
        "[[joint]]\nname = \"slide\"\ntype = \"prismatic\"\na = \"rack\"\nb = [0, 0, 0]\naxis = [1, 0, 0]\n";
    let m = with(&pinion(slide), &[]);
    let lost = mb_linear::lost_contacts(&m, at_rest(&m).point());
    assert!(lost.iter().all(|c| !c.determined), "{lost:?}");
    // A ball that is pulled up with more than its weight.
    let ball = "units = \"SI\"\nname = \"ball\"\ngravity = [0, 0, -9.81]\n\
        [[spatial-body]]\nname = \"ball\"\nmass = 2\ninertia = [0.1, 0.1, 0.1]\nat = [0, 0, 0.2]\n\
        [[rolling]]\nname = \"contact\"\nwheel = \"ball\"\nradius = 0.2\n\
        [[force]]\nname = \"pull\"\nat = \"ball\"\ndirection = [0, 0, 1]\nmagnitude = 100\n";
    let m = with(ball, &[]);
    let lost = mb_linear::lost_contacts(&m, at_rest(&m).point());
    let forces: Vec<(bool, f64)> = lost.iter().map(|c| (c.determined, c.normal_force)).collect();
    assert!(matches!(forces[..], [(true, n)] if (n + 100.0 - 2.0 * 9.81).abs() < 1e-9), "{lost:?}");
}
