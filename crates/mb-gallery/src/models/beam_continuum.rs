//! Vibration of straight beams in a row as continua: bending with shear and rotary inertia, stretch and torsion.
//!
//! Along a beam with section axes (x along it) the displacement u, the rotation f, the force n and the moment m of a
//! vibration with w rad/s about the unloaded shape obey
//!
//! ```text
//! u_x' = n_x / EA            n_x' = - w^2 rho A u_x            f_x' = m_x / GJ      m_x' = - w^2 rho I_p f_x
//! u_y' =  f_z + n_y / GA_y   n_y' = - w^2 rho A u_y            f_z' = m_z / EI_z    m_z' = - n_y - w^2 rho I_z f_z
//! u_z' = -f_y + n_z / GA_z   n_z' = - w^2 rho A u_z            f_y' = m_y / EI_y    m_y' =   n_z - w^2 rho I_y f_y
//! ```
//!
//! The state y = (u, f, n, m) at the end of a segment is T(w) times that at its start, T = exp(A l); at a corner it is
//! the same in ground axes. w is a natural frequency where the six conditions at the far end can be met with the six
//! unknowns of the near one: their determinant is zero, and changes its sign unless two frequencies coincide.
//! (Timoshenko, Vibration Problems in Engineering, on which the equations of bending are named.)
//!
//! Written from the equations of the continuum, independent of the finite elements.

use mb_model::BeamData;

/// Size of the state.
const N: usize = 12;
/// Size of a matrix of which twelve terms of the exponential's series are enough.
const SMALL: f64 = 0.1;

type Matrix<const K: usize> = [[f64; K]; K];

/// A straight piece of a uniform beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSegment {
    /// Law of the beam; damping is left out.
    pub data: BeamData,
    /// Length, m.
    pub length: f64,
    /// Section axes in ground axes: along the beam, y and z, of length one.
    pub axes: [[f64; 3]; 3],
}

/// Straight segments rigidly joined one after the other, held at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamContinuum {
    /// From the near end to the far one.
    pub segments: Vec<BeamSegment>,
    /// Whether displacement along ground x, y, z and rotation about them are held at the near end, and at the far one.
    pub held: [[bool; 6]; 2],
}

impl BeamContinuum {
    /// Natural frequencies between zero and `up_to`, rad/s, ascending; those nearer to each other than `step` (rad/s) may be
    /// missed, as are those that coincide by symmetry.
    pub fn frequencies(&self, step: f64, up_to: f64) -> Vec<f64> {
        let mut found = Vec::new();
        let mut low = 0.5 * step;
        let mut at_low = self.determinant(low);
        while low < up_to {
            let high = low + step;
            let at_high = self.determinant(high);
            if at_low * at_high < 0.0 {
                found.push(super::bisect(&|w| self.determinant(w), low, high));
            }
            (low, at_low) = (high, at_high);
        }
        found.retain(|w| *w <= up_to);
        found
    }
    /// Determinant of the conditions at the far end, scaled.
    fn determinant(&self, w: f64) -> f64 {
        // Columns: the unknown components at the near end, as states that are carried along.
        let free: Vec<usize> = unknowns(self.held[0]).collect();
        let mut states: Vec<[f64; N]> = free
            .iter()
            .map(|i| {
                let mut y = [0.0; N];
                y[*i] = 1.0;
                y
            })
            .collect();
        for segment in &self.segments {
            segment.carry(w, &mut states);
        }
        let zero: Vec<usize> = (0..6).map(|i| if self.held[1][i] { i } else { i + 6 }).collect();
        let mut a: Vec<Vec<f64>> = zero.iter().map(|i| states.iter().map(|y| y[*i]).collect()).collect();
        sign_and_size(&mut a)
    }
}

/// Components that are not known to be zero at an end: forces where it is held, displacements where it is free.
fn unknowns(held: [bool; 6]) -> impl Iterator<Item = usize> {
    (0..6).map(move |i| if held[i] { i + 6 } else { i })
}

impl BeamSegment {
    /// From `from` to `to` (m), the section's y-axis in the direction of `y`, which stands across the beam.
    ///
    /// # Panics
    /// Where `y` is not across the beam, or the ends coincide.
    pub fn new(data: BeamData, from: [f64; 3], to: [f64; 3], y: [f64; 3]) -> Self {
        let along = [0, 1, 2].map(|i| to[i] - from[i]);
        let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let length = size(along);
        let (x, y) = (along.map(|a| a / length), y.map(|a| a / size(y)));
        let dot: f64 = (0..3).map(|i| x[i] * y[i]).sum();
        assert!(length > 0.0 && dot.abs() < 1e-12, "axes of a segment");
        let z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
        Self { data, length, axes: [x, y, z] }
    }
    /// States at the near end, in ground axes, to those at the far end.
    fn carry(&self, w: f64, states: &mut [[f64; N]]) {
        let (law, line) = (self.data.law(), self.data.mass_per_length());
        let ([ea, gy, gz], [gj, ey, ez]) = (law.force, law.moment);
        let [polar, iy, iz] = self.data.inertia_per_length();
        let (w2, l) = (w * w, self.length);
        // Stretch and torsion: (u, n) and (f, m).
        let bar = |stiff: f64, mass: f64| exponential([[0.0, l / stiff], [-w2 * mass * l, 0.0]]);
        let (stretch, torsion) = (bar(ea, line), bar(gj, polar));
        // (u_y, f_z, n_y, m_z), and (u_z, f_y, n_z, m_y) with the other signs.
        let bend = |shear: f64, stiff: f64, turn: f64, sign: f64| {
            exponential([
                [0.0, sign * l, l / shear, 0.0],
                [0.0, 0.0, 0.0, l / stiff],
                [-w2 * line * l, 0.0, 0.0, 0.0],
                [0.0, -w2 * turn * l, -sign * l, 0.0],
            ])
        };
        let (across_y, across_z) = (bend(gy, ez, iz, 1.0), bend(gz, ey, iy, -1.0));
        for y in states {
            let seen = self.seen(y, false);
            let mut out = [0.0; N];
            apply(&stretch, [0, 6], &seen, &mut out);
            apply(&torsion, [3, 9], &seen, &mut out);
            apply(&across_y, [1, 5, 7, 11], &seen, &mut out);
            apply(&across_z, [2, 4, 8, 10], &seen, &mut out);
            *y = self.seen(&out, true);
        }
    }
    /// A state in section axes, or back in ground axes.
    fn seen(&self, y: &[f64; N], back: bool) -> [f64; N] {
        let mut out = [0.0; N];
        for first in [0, 3, 6, 9] {
            for i in 0..3 {
                for j in 0..3 {
                    let turn = if back { self.axes[j][i] } else { self.axes[i][j] };
                    out[first + i] += turn * y[first + j];
                }
            }
        }
        out
    }
}

fn apply<const K: usize>(t: &Matrix<K>, at: [usize; K], from: &[f64; N], to: &mut [f64; N]) {
    for (row, i) in t.iter().zip(at) {
        to[i] = row.iter().zip(at).map(|(t, j)| t * from[j]).sum();
    }
}

/// exp(A) by scaling, Taylor's series and squaring, in units in which A is balanced.
fn exponential<const K: usize>(a: Matrix<K>) -> Matrix<K> {
    // Displacements and forces are many decades apart: D^-1 A D with powers of two has entries of one size.
    let mut a = a;
    let mut scale = [1.0_f64; K];
    for _ in 0..8 {
        for i in 0..K {
            let (mut row, mut column) = (0.0_f64, 0.0_f64);
            for j in (0..K).filter(|j| *j != i) {
                row += a[i][j].abs();
                column += a[j][i].abs();
            }
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let by = (column / row).sqrt().log2().round().exp2();
            scale[i] /= by;
            for j in 0..K {
                a[i][j] *= by;
                a[j][i] /= by;
            }
        }
    }
    let size = a.iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    let (mut halvings, mut down) = (0, 1.0);
    while size * down > SMALL {
        (halvings, down) = (halvings + 1, 0.5 * down);
    }
    let a = a.map(|row| row.map(|x| x * down));
    let mut sum: Matrix<K> = core::array::from_fn(|i| core::array::from_fn(|j| f64::from(u8::from(i == j))));
    let mut term = sum;
    for k in 1..12 {
        term = times(&term, &a).map(|row| row.map(|x| x / f64::from(k)));
        for (s, t) in sum.iter_mut().flatten().zip(term.iter().flatten()) {
            *s += t;
        }
    }
    for _ in 0..halvings {
        sum = times(&sum, &sum);
    }
    core::array::from_fn(|i| core::array::from_fn(|j| sum[i][j] * scale[i] / scale[j]))
}

fn times<const K: usize>(a: &Matrix<K>, b: &Matrix<K>) -> Matrix<K> {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..K).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The determinant up to a positive factor that follows the size of rows and columns.
fn sign_and_size(a: &mut [Vec<f64>]) -> f64 {
    let n = a.len();
    let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
    for _ in 0..3 {
        for row in a.iter_mut() {
            let by = largest(&mut row.iter().copied()).sqrt();
            for x in row.iter_mut() {
                *x /= by;
            }
        }
        for j in 0..n {
            let by = largest(&mut a.iter().map(|row| row[j])).sqrt();
            for row in a.iter_mut() {
                row[j] /= by;
            }
        }
    }
    let mut out = 1.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs())).unwrap_or(k);
        if pivot != k {
            a.swap(pivot, k);
            out = -out;
        }
        out *= a[k][k];
        if a[k][k] == 0.0 {
            return 0.0;
        }
        for i in k + 1..n {
            let by = a[i][k] / a[k][k];
            for j in k..n {
                let x = a[k][j];
                a[i][j] -= by * x;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;
    use mb_model::{BeamMaterial, BeamSection};

    fn data(height: f64) -> BeamData {
        let material = BeamMaterial { density: 8000.0, youngs_modulus: 2e11, shear_modulus: 8e10 };
        BeamData::new(BeamSection::rectangle(1.5 * height, height, 0.25), material)
    }
    fn bar(data: BeamData, held: [[bool; 6]; 2], pieces: u32) -> BeamContinuum {
        let l = 1.0 / f64::from(pieces);
        let piece = |k: u32| {
            let x = f64::from(k) * l;
            BeamSegment::new(data, [x, 0.0, 0.0], [x + l, 0.0, 0.0], [0.0, 1.0, 0.0])
        };
        BeamContinuum { segments: (0..pieces).map(piece).collect(), held }
    }

    /// A rod on pins: Timoshenko's closed form, and cutting it into pieces changes nothing.
    #[test]
    fn pinned_beams_have_their_closed_form() {
        let data = data(0.05);
        // Stretch and torsion are held at one end: quarter waves.
        let pins = [[true, true, true, true, false, false], [false, true, true, false, false, false]];
        let (law, line, turn) = (data.law(), data.mass_per_length(), data.inertia_per_length());
        let bending = |n: f64, k: usize| {
            // k = 1: in the plane of y, about z.
            let (shear, ei, j) = (law.force[k], law.moment[3 - k], turn[3 - k]);
            let k2 = (n * PI).powi(2);
            let (a, b, c) = (line * j, line * (ei * k2 + shear) + j * shear * k2, shear * ei * k2 * k2);
            (2.0 * c / (b + (b * b - 4.0 * a * c).sqrt())).sqrt()
        };
        let quarter = |stiff: f64, mass: f64, n: f64| (n - 0.5) * PI * (stiff / mass).sqrt();
        let mut exact: Vec<f64> =
            (1..6).flat_map(|n| [bending(f64::from(n), 1), bending(f64::from(n), 2)]).collect();
        exact.extend([quarter(law.force[0], line, 1.0), quarter(law.moment[0], turn[0], 1.0)]);
        exact.sort_by(f64::total_cmp);
        for pieces in [1, 3] {
            let found = bar(data, pins, pieces).frequencies(20.0, 0.9 * exact[7]);
            assert!(found.len() > 4);
            for (f, w) in found.iter().zip(&exact) {
                assert!((f / w - 1.0).abs() < 1e-9, "{found:?} {exact:?}");
            }
        }
    }

    /// The thinner the beam, the nearer to cos x cosh x = 1 of Euler and Bernoulli; free ends have the same frequencies.
    #[test]
    fn slender_beams_are_those_of_euler_and_bernoulli() {
        let off = |height: f64, held: [bool; 6]| {
            let data = data(height);
            let unit = (data.law().moment[1] / data.mass_per_length()).sqrt();
            let w = bar(data, [held; 2], 1).frequencies(0.5 * unit, 30.0 * unit)[0];
            let x = (w / unit).sqrt();
            (x.cos() - 1.0 / x.cosh()).abs()
        };
        for held in [[true; 6], [false; 6]] {
            let (thick, thin) = (off(0.02, held), off(0.01, held));
            assert!((thick / thin - 4.0).abs() < 0.1 && thin < 1e-2, "{thick} {thin}");
        }
    }
}
