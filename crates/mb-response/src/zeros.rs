//! Poles, zeros and gain of one transfer function.
//!
//! ```text
//! H(s) = gain prod (s - z_j) / prod (s - p_k)
//! ```
//!
//! The zeros are the finite eigenvalues of Rosenbrock's system matrix in second-order form,
//!
//! ```text
//! [s^2 M_r + s C_r + K_r, -F_r; s^2 Y_a + s Y_v + Y_q, D] (z, u) = 0        on the null space of Phi_q, x = R z
//! ```
//!
//! with (1 + i eta) K in place of K where there is structural damping: poles, zeros and gain are complex then and no conjugate pairs, and their
//! product is H at positive frequencies.
//!
//! With R from a partition of the coordinates the pattern of the mechanism stays, and the determinant is the product of those of the
//! irreducible blocks (structure.rs): where one body passes force and motion on to the next, each block is a small problem of its own,
//! whereas the zeros of them all, close together, would be roots of a polynomial whose digits are lost. What is one block are the
//! eigenvalues of the zero dynamics of the state space (zero_dynamics.rs), which has as many as there are finite zeros, where the reduced mass
//! matrix is regular, and elsewhere what the quadratic solver of mb-eigen separates from infinite eigenvalues. The gain follows
//! from H at a point off all eigenvalues, and the product is compared with H at other points. Pairs of a pole and a zero that agree within
//! their errors are cancelled: no input reaches them or no output sees them. The residue of H there is the distance of the pair times what
//! the other factors are, below its rounding. Pairs that are only near each other stay: close to the axis, even a small distance is seen at
//! the frequency of the pole. Where error bounds are too wide to tell, H next to the pole does.

use crate::direct::Response;
use crate::error::ResponseError;
use crate::roots::{Part, Roots};
use crate::structure;
use crate::zero_dynamics;
use mb_algebra::{Dense, DenseC, Lu, RankQr, RankTolerance, Sparse, c64, dense, sparse, to_dense};

/// Distance of a pole and a zero, relative, up to which they may be one: what their error bounds are together, but no more than this
/// where these are no measure of what rounding moves them by; and rounding of the two beside their bounds.
const MAY_BE_ONE: [f64; 2] = [1e-8, 1e-14];
/// Distance from the axis, over that of the origin, at which H shows at least whether it has a pair that wide bounds leave open.
const BESIDE: f64 = 1e-6;

/// Where s lies off the axis, in units of a size of eigenvalues.
const OFF_AXIS: c64 = c64::new(1.3, 0.4);
/// Points at which the product is compared with H.
const COMPARED: usize = 8;
/// How far beyond the fastest eigenvalue, where the gain alone counts.
const BEYOND: f64 = 30.0;
/// And farther, where a zero that is missing would still be seen.
const FAR: [f64; 2] = [1e3, 1e6];
/// Share of the typical eigenvalue below which one may be a zero of rounding.
const SLOWEST: f64 = 1e-6;
/// Steps of correction at most, of which the first gain no digits where zeros are close together.
const CORRECTIONS: usize = 40;
/// Relative error bound of H up to which it is compared.
const LEAST_DIGITS: f64 = 1e-8;
/// Relative difference between the product and H up to which the first candidate is taken.
const AGREES: f64 = 1e-9;

/// Relative difference between the product and H above which the list is none of its zeros.
const DETERMINED: f64 = 1e-6;

/// A transfer function by its eigenvalues.
#[derive(Clone, Debug, PartialEq)]
pub struct Zeros {
    /// Poles that input and output share, rad/s.
    pub poles: Vec<c64>,
    /// Zeros, rad/s.
    pub zeros: Vec<c64>,
    /// Poles with a zero in the same place.
    pub cancelled: Vec<c64>,
    /// Factor before the products, in units of output over input and rad/s; real but with structural damping.
    pub gain: c64,
    /// Largest relative difference between the product and H at points off the axis, over the range of the eigenvalues.
    pub relative_error: f64,
}

impl Zeros {
    /// Whether the product is the transfer function, to six digits.
    pub fn is_determined(&self) -> bool {
        self.relative_error <= DETERMINED
    }
}

/// Poles, zeros and gain from input `input` to output `output`, dense: time grows with the third power of n.
///
/// # Errors
/// [`ResponseError::NoZeros`] where H vanishes for every s; [`ResponseError::TooLargeForZeros`]; failures of eigenanalyses.
pub fn zeros(response: &Response, output: usize, input: usize) -> Result<Zeros, ResponseError> {
    zeros_of_states(response, (output, input), (response, (output, input)))
}

/// Coordinates and constraint rows in all up to which zeros are computed.
const MOST_ROWS: usize = 800;

/// Whether the zeros of a response with `n` coordinates and `m` constraint rows can be computed; complex matrices are solved for as real ones of
/// twice the size.
///
/// # Errors
/// [`ResponseError::TooLargeForZeros`].
pub fn check_zeros([n, m]: [usize; 2], loss: f64) -> Result<(), ResponseError> {
    let most = if loss > 0.0 { MOST_ROWS / 2 } else { MOST_ROWS };
    if n + m > most { Err(ResponseError::TooLargeForZeros { n, m, most }) } else { Ok(()) }
}

/// The same where poles and zeros are those of the entry `at` of another response, `states`, which is equal to this one but for rounding and
/// has no states that the input does not reach or the output does not see; the product is compared with H of this one.
///
/// # Errors
/// As [`zeros`].
pub fn zeros_of_states(
    response: &Response,
    (output, input): (usize, usize),
    (states, at): (&Response, (usize, usize)),
) -> Result<Zeros, ResponseError> {
    let plant = &states.plant;
    check_zeros([plant.n(), plant.m()], plant.loss)?;
    let (r, reduced) = Part::reduced(states)?;
    let poles = reduced.roots()?;
    let system = bordered(states, at)?;
    let Some(blocks) = blocks(&system) else { return Err(ResponseError::NoZeros) };
    let mut best: Option<Zeros> = None;
    let mut agrees = |list: Roots| -> Result<bool, ResponseError> {
        let found = product(response, (output, input), &poles, list)?;
        let error = found.relative_error;
        if best.as_ref().is_none_or(|best| error < best.relative_error) {
            best = Some(found);
        }
        Ok(error <= AGREES)
    };
    let of_blocks =
        || blocks.iter().map(Part::roots).collect::<Result<Vec<_>, _>>().map(|lists| lists.concat());
    let split = blocks.len() > 1;
    if split && agrees(of_blocks()?)? {
        return best.ok_or(ResponseError::NoZeros);
    }
    let rate = typical(poles.iter().map(|(s, _)| *s));
    match zero_dynamics::candidates(states, reduced.matrices(), &r, at, rate) {
        Some(list) => {
            for a in list.into_iter().rev() {
                if agrees(eigenvalues(&a)?)? {
                    break;
                }
            }
        }
        None if split => {}
        None => {
            agrees(of_blocks()?)?;
        }
    }
    best.ok_or(ResponseError::NoZeros)
}

/// The eigenvalues of a matrix: those of s I - A.
fn eigenvalues(a: &DenseC) -> Result<Roots, ResponseError> {
    let n = a.nrows();
    if n == 0 {
        return Ok(Vec::new());
    }
    let [re, im] = [|z: c64| -z.re, |z: c64| -z.im].map(|of| Dense::from_fn(n, n, |i, j| of(a[(i, j)])));
    Part::new([Dense::zeros(n, n), dense::identity(n), re], &im).roots()
}

/// The geometric mean of the sizes of eigenvalues, rad/s; one without any.
fn typical(values: impl Iterator<Item = c64>) -> f64 {
    let sizes = values.map(c64::norm).filter(|x| *x > 0.0);
    let (sum, count) = sizes.fold((0.0, 0.0), |(sum, count), x| (sum + x.ln(), count + 1.0));
    if count > 0.0 { f64::exp(sum / count) } else { 1.0 }
}

/// Rosenbrock's system matrix, with R = [I; -Phi_d^-1 Phi_i] of independent and dependent coordinates, whose zeros are exact.
fn bordered(response: &Response, (output, input): (usize, usize)) -> Result<Part, ResponseError> {
    let plant = &response.plant;
    let r = partitioned(&to_dense(&plant.pencil.phi_q))?;
    let dof = r.ncols();
    let f = dense::mul_transpose(&r, &plant.f);
    let bordered = |a: &Sparse, y: &Dense, border: bool| {
        let a = dense::mul_transpose(&r, &dense::mul(&to_dense(a), &r));
        let y = dense::mul(&dense::from_rows(&[&dense::row(y, output)]), &r);
        Dense::from_fn(dof + 1, dof + 1, |i, j| match (i < dof, j < dof) {
            (true, true) => a[(i, j)],
            (false, true) => y[(0, j)],
            (true, false) if border => -f[(i, input)],
            (false, false) if border => plant.feedthrough[(output, input)],
            _ => 0.0,
        })
    };
    let p = &plant.pencil;
    let [m, c] = [(&p.m, &plant.by_a), (&p.c, &plant.by_v)].map(|(a, y)| bordered(a, y, false));
    let lossy = sparse::scale(plant.loss, &p.k);
    Ok(Part::new([m, c, bordered(&p.k, &plant.by_q, true)], &bordered(&lossy, &response.lossy, false)))
}

/// A basis of the null space of `phi`, m x n, in which the independent coordinates are the unknowns.
fn partitioned(phi: &Dense) -> Result<Dense, ResponseError> {
    let qr = RankQr::new(phi, RankTolerance::default())?;
    let (dependent, independent) = qr.partition_columns()?;
    let rows = dense::select_rows(phi, &qr.independent_rows());
    let part = |list: &[usize]| dense::select_columns(&rows, list);
    let moved = Lu::new(&part(&dependent))?.solve_mat(&part(&independent));
    let mut out = Dense::zeros(phi.ncols(), independent.len());
    for (j, coordinate) in independent.iter().enumerate() {
        out[(*coordinate, j)] = 1.0;
        for (i, coordinate) in dependent.iter().enumerate() {
            out[(*coordinate, j)] = -moved[(i, j)];
        }
    }
    Ok(out)
}

/// The irreducible blocks of a pencil without constraints; none where its determinant vanishes whatever its entries are.
fn blocks(system: &Part) -> Option<Vec<Part>> {
    let list = structure::blocks(system.size(), |i, j| system.has(i, j))?;
    Some(list.into_iter().map(|[rows, columns]| system.part(&rows, &columns)).collect())
}

/// Poles and zeros with their gain, equal ones cancelled, compared with H.
fn product(
    response: &Response,
    at: (usize, usize),
    poles: &Roots,
    mut zeros: Roots,
) -> Result<Zeros, ResponseError> {
    let mut poles = poles.clone();
    let (mut cancelled, mut open) = (Vec::new(), Vec::new());
    poles.retain(|(p, bound)| {
        let [widest, rounding] = MAY_BE_ONE.map(|share| share * p.norm());
        let nearest =
            zeros.iter().enumerate().min_by(|a, b| (a.1.0 - p).norm().total_cmp(&(b.1.0 - p).norm()));
        match nearest.filter(|(_, (z, other))| (z - p).norm() <= (bound + other).min(widest) + rounding) {
            Some((k, (z, other))) => {
                if bound + other > widest {
                    open.push((*p, *z));
                } else {
                    cancelled.push(*p);
                }
                zeros.remove(k);
                false
            }
            None => true,
        }
    });
    let values = |list: &[(c64, f64)]| list.iter().map(|(s, _)| *s).collect::<Vec<c64>>();
    let (mut poles, mut zeros) = (values(&poles), values(&zeros));
    if !open.is_empty() {
        let without = Product::new(response, at, poles.clone(), zeros.clone())?;
        for (p, z) in open {
            if without.lacks(response, at, (p, z)) {
                poles.push(p);
                zeros.push(z);
            } else {
                cancelled.push(p);
            }
        }
    }
    let mut product = Product::new(response, at, poles, zeros)?;
    let mut relative_error = product.relative_error(response, at)?;
    let mut next = None;
    for _ in 0..CORRECTIONS {
        if relative_error <= AGREES {
            break;
        }
        let step = next.as_ref().unwrap_or(&product).corrected(response, at)?;
        let error = step.relative_error(response, at)?;
        if error < relative_error {
            (product, relative_error, next) = (step, error, None);
        } else {
            next = Some(step);
        }
    }
    let Product { poles, zeros, gain } = product;
    let gain = gain.exp();
    let gain = if response.plant.loss == 0.0 { c64::new(gain.re, 0.0) } else { gain };
    Ok(Zeros { poles, zeros, cancelled, gain, relative_error })
}

/// gain prod (s - z_j) / prod (s - p_k).
struct Product {
    poles: Vec<c64>,
    zeros: Vec<c64>,
    /// The logarithm of the gain.
    gain: c64,
}

impl Product {
    /// With the gain that H has at a point off the axis and of the size of the eigenvalues.
    fn new(
        response: &Response,
        at: (usize, usize),
        poles: Vec<c64>,
        zeros: Vec<c64>,
    ) -> Result<Self, ResponseError> {
        let mut out = Self { poles, zeros, gain: c64::new(0.0, 0.0) };
        let s = OFF_AXIS * typical(out.all());
        let sample = response.transfer(s)?;
        let value = sample.value[at];
        if value.norm() <= sample.bound[at] {
            return Err(ResponseError::NoZeros);
        }
        out.gain = value.ln() - out.logarithm(s);
        Ok(out)
    }

    fn all(&self) -> impl Iterator<Item = c64> {
        self.poles.iter().chain(&self.zeros).copied()
    }

    /// The logarithm of the product at s, but for whole turns.
    fn logarithm(&self, s: c64) -> c64 {
        let sum = |list: &[c64]| list.iter().map(|z| (s - z).ln()).sum::<c64>();
        self.gain + sum(&self.zeros) - sum(&self.poles)
    }

    /// Whether H next to a pole is nearer to the product with the pair than to the one without it, by more than its bound.
    fn lacks(&self, response: &Response, at: (usize, usize), (p, z): (c64, c64)) -> bool {
        let s = c64::new(p.re.abs().max(BESIDE * p.norm()), p.im);
        // Without a value nothing shows that H has the pole.
        let Ok(sample) = response.transfer(s) else { return false };
        let without = self.logarithm(s).exp();
        let with = without * (s - z) / (s - p);
        (sample.value[at] - with).norm() + sample.bound[at] < (sample.value[at] - without).norm()
    }

    /// The largest relative difference from H off the axis, from the slowest pole to beyond the fastest eigenvalue; infinite where H has
    /// no digits there.
    fn relative_error(&self, response: &Response, at: (usize, usize)) -> Result<f64, ResponseError> {
        let unit = typical(self.all());
        let size = |s: &c64| Some(s.norm()).filter(|x| *x > SLOWEST * unit);
        let low = self.poles.iter().filter_map(size).fold(unit, f64::min);
        let high = BEYOND * self.all().filter_map(|s| size(&s)).fold(unit, f64::max);
        let mut worst: Option<f64> = None;
        let within = |k: usize| low * (high / low).powf((k as f64 + 0.5) / COMPARED as f64);
        for distance in (0..COMPARED).map(within).chain(FAR.map(|by| by * high)) {
            let s = OFF_AXIS * distance;
            let sample = response.transfer(s)?;
            let (h, bound) = (sample.value[at], sample.bound[at]);
            // What underflows has no digits either.
            if bound <= LEAST_DIGITS * h.norm() && h.norm() > f64::MIN_POSITIVE / f64::EPSILON {
                let off = ((self.logarithm(s) - h.ln()).exp() - 1.0).norm();
                let off = if off.is_nan() { f64::INFINITY } else { off };
                worst = Some(worst.map_or(off, |worst| worst.max(off)));
            }
        }
        // Where H has no digits at any of them nothing has been shown.
        Ok(worst.unwrap_or(f64::INFINITY))
    }

    /// A step of the simultaneous iteration of Weierstrass (Durand and Kerner) for all zeros:
    ///
    /// ```text
    /// z_i <- z_i - H(z_i) prod_k (z_i - p_k) / (gain prod_(j != i) (z_i - z_j))
    /// ```
    fn corrected(&self, response: &Response, at: (usize, usize)) -> Result<Self, ResponseError> {
        let mut zeros = self.zeros.clone();
        for (i, next) in zeros.iter_mut().enumerate() {
            let z = self.zeros[i];
            // On a pole H has no value, and the zero stays where it is.
            let Ok(sample) = response.transfer(z) else { continue };
            let value = sample.value[at];
            let others = self.zeros.iter().enumerate().filter(|(j, _)| *j != i);
            let others = others.map(|(_, other)| (z - other).ln()).sum::<c64>();
            let poles = self.poles.iter().map(|p| (z - p).ln()).sum::<c64>();
            let step = value * (poles - others - self.gain).exp();
            if step.is_finite() {
                *next -= step;
            }
        }
        Self::new(response, at, self.poles.clone(), zeros)
    }
}
