//! H at many frequencies from a few factorizations, with a bound of the error.
//!
//! For symmetric M, C and K the displacements of inputs and, by symmetry, of outputs are sought in one space V of admissible
//! displacements (Galerkin): V^T P V c = V^T F. With the residuals r of the problem and r~ of the adjoint one, both
//! orthogonal to V,
//!
//! ```text
//! H - H_V = r~^T P^-1 r,     |H - H_V| <= |r~| |r| / beta,       norms dual to X = K + sigma M
//! ```
//!
//! beta is found with the modes. V starts with the p modes below Lambda = lambda_max, a value beyond the band; that they are all is shown by
//! the inertia of K - Lambda M. Outside of their span (X-orthogonal complement Q)
//!
//! ```text
//! Re x^H P x >= d |x|^2,   d = 1 - (sigma + omega^2) (tau + rho),   tau = 1 / (Lambda + sigma)
//! ```
//!
//! with rho the size of what M phi has outside of the span: by Weyl's inequality the eigenvalues of X^-1 M on Q exceed tau by at
//! most rho once those of the span exceed tau + rho. C, symmetric, adds an imaginary part alone, whatever its sign, and
//! structural damping adds to the imaginary part too. Eliminating the span leaves on Q
//!
//! ```text
//! P_22 - P_21 P_11^-1 P_12,     beta = d + min(0, least eigenvalue of the Hermitian part of - P_21 P_11^-1 P_12)
//! ```
//!
//! of which the second term has a rank of at most twice the span and is evaluated exactly. The span holds the shapes X^-1 C phi
//! too, so that a damper of low rank, however strong, does nothing on Q. No resonance of the band enters beta, so that the bound is
//! as narrow at resonances as beside them, undamped ones included. V is enriched by the represented residuals, Re and Im of
//! X^-1 r at the frequencies where the bound is worst, until the bound meets the tolerance; X is factored once.
//!
//! A residual norm of this kind is the dual-weighted error estimate of reduced bases (Rozza, Huynh and Patera, Arch. Comput.
//! Methods Eng. 15, 2008); the modes take the place of their search for the stability factor.

use crate::basis::{Basis, form, weighted};
use crate::direct::{Response, Sample};
use crate::error::ResponseError;
use mb_algebra::saddle::SaddleFactor;
use mb_algebra::{Dense, DenseC, LuComplex, QuadraticPencil, SymmetricEigen, c64, dense, norms, sparse};
use mb_eigen::sparse::{Request, SparseOptions};

/// How far the modes reach beyond the band.
const BEYOND: f64 = 2.0;
/// Least distance of Lambda from the band and from the modes, as a ratio of frequencies.
const APART: f64 = 1.02;
/// Times that sigma is enlarged until X is definite.
const TRIES: usize = 6;
/// Frequencies whose residuals enrich the space in one round.
const WORST: usize = 3;

/// What the space is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// Modes, and residuals until the bound meets the tolerance.
    #[default]
    Enriched,
    /// Modes alone: modal superposition. The bound tells what the other modes could add.
    Modes,
    /// Modes and X^-1 of inputs and outputs, the quasi-static part of the other modes.
    ModesAndStatic,
}

/// Settings of the projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterpolantOptions {
    /// Default [`Space::Enriched`].
    pub space: Space,
    /// Bound of the error of projection relative to |H| at each frequency. Default 1e-8.
    pub tolerance: f64,
    /// The same relative to the largest |H| of the frequencies, which is enough too (at zeros of H). Default 1e-12.
    pub floor: f64,
    /// Most vectors of the space. Default 240.
    pub vectors: usize,
    /// Most modes in the space. Default 120.
    pub modes: usize,
}

impl Default for InterpolantOptions {
    fn default() -> Self {
        Self { space: Space::Enriched, tolerance: 1e-8, floor: 1e-12, vectors: 240, modes: 120 }
    }
}

/// Why no bound is known, so that each frequency has to be solved for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unproved {
    /// M, C or K is not symmetric.
    NotSymmetric,
    /// There are constraint rows; the bound is shown for systems without any.
    Constrained,
    /// K + sigma M is not positive definite on the admissible displacements.
    Indefinite,
    /// The modes found are not those that the inertia counts.
    Modes {
        /// Modes found below Lambda.
        found: usize,
        /// Modes counted; none where the inertia is in doubt.
        counted: Option<usize>,
    },
    /// More modes than allowed.
    TooMany {
        /// Modes found in and above the band.
        modes: usize,
    },
}

/// The projected system.
#[derive(Debug)]
pub struct Interpolant<'a> {
    response: &'a Response,
    basis: Basis<'a>,
    /// Modes p in the basis.
    modes: usize,
    /// Vectors whose span is eliminated for beta: modes and shapes that their damping pulls at.
    block: usize,
    /// tau + rho.
    outside: f64,
    /// L of the Gram matrix L L^T of what M phi and C phi have outside of the modes, 2p x 2p.
    coupling: Dense,
    magnitudes: [Dense; 3],
    /// Columns of Y_q, Y_q's imaginary part, Y_v and Y_a among the given vectors, by output.
    outputs: Vec<[Option<usize>; 4]>,
    top: f64,
    factorizations: usize,
}

/// H at one frequency and what it was made of.
struct Evaluated {
    value: DenseC,
    /// Bound of the error of projection.
    projection: Dense,
    /// Bound of rounding.
    rounding: Dense,
    /// Coefficients of the residuals, of inputs and of outputs, among the represented vectors.
    residuals: [Vec<Vec<c64>>; 2],
}

impl<'a> Interpolant<'a> {
    /// A projection for frequencies up to the largest of `omegas` (rad/s), at which it meets the tolerance as far as the
    /// number of vectors allows; `Err(Unproved)` inside where no bound can be known.
    ///
    /// # Errors
    /// Memory; failures of factorizations.
    pub fn new(
        response: &'a Response,
        omegas: &[f64],
        options: &InterpolantOptions,
    ) -> Result<Result<Self, Unproved>, ResponseError> {
        if let Some(omega) = omegas.iter().copied().find(|w| !w.is_finite()) {
            return Err(ResponseError::BadFrequency { omega });
        }
        if !response.symmetric {
            return Ok(Err(Unproved::NotSymmetric));
        }
        if response.plant.m() > 0 {
            return Ok(Err(Unproved::Constrained));
        }
        let p = &response.plant.pencil;
        let top = omegas.iter().fold(0.0_f64, |top, w| top.max(w.abs()));
        let scale = norms::max_abs_vec(p.k.data()) / norms::max_abs_vec(p.m.data()).max(f64::MIN_POSITIVE);
        // The unit of lambda: the band's end, or a small share of the whole range.
        let unit = if top > 0.0 { top * top } else { 1e-6 * scale };
        let mut sigma = unit;
        let mut factor = None;
        let mut factorizations = 0;
        for _ in 0..TRIES {
            factorizations += 1;
            let made = SaddleFactor::of_sum(&response.analysis, &[(1.0, &p.k), (sigma, &p.m)], &p.phi_q);
            if let Ok(made) = made
                && let Some(inertia) = made.inertia()
                && inertia.negative + inertia.zero == response.plant.m()
            {
                factor = Some(made);
                break;
            }
            sigma *= 10.0;
        }
        let Some(factor) = factor else { return Ok(Err(Unproved::Indefinite)) };

        let reach = BEYOND * unit.sqrt();
        let candidates = mode_shapes(p, reach)?;
        factorizations += 3;
        if candidates.len() > 3 * options.modes {
            return Ok(Err(Unproved::TooMany { modes: candidates.len() }));
        }
        let (first, outputs) = first_vectors(response);
        let mut basis = Basis::new([&p.m, &p.c, &p.k], sigma, factor, first)?;
        let candidates = basis.purified(&candidates)?;
        let (shapes, lambda) = match ritz(&basis, &candidates, top, reach) {
            Some(found) => found,
            None => return Ok(Err(Unproved::TooMany { modes: candidates.len() })),
        };
        if shapes.len() > options.modes {
            return Ok(Err(Unproved::TooMany { modes: shapes.len() }));
        }
        factorizations += 1;
        let counted = SaddleFactor::of_sum(&response.analysis, &[(1.0, &p.k), (-lambda, &p.m)], &p.phi_q)
            .ok()
            .and_then(|f| f.inertia())
            .map(|i| (i.negative + i.zero).saturating_sub(response.plant.m()));
        if counted != Some(shapes.len()) {
            return Ok(Err(Unproved::Modes { found: shapes.len(), counted }));
        }
        let modes = basis.enrich(&shapes)?;
        if modes != shapes.len() {
            return Ok(Err(Unproved::Modes { found: modes, counted }));
        }
        let Some(outside) = outside_of_modes(&basis, modes, lambda)? else {
            return Ok(Err(Unproved::Modes { found: modes, counted }));
        };
        // Shapes that the dampers of the modes pull at: a damper of low rank then does nothing outside of the span.
        let pulled = damped_shapes(&basis, modes);
        let block = modes + basis.enrich(&pulled)?;
        let coupling = coupling(&basis, block)?;
        let magnitudes = basis.magnitudes();
        let mut made = Self {
            response,
            basis,
            modes,
            block,
            outside,
            coupling,
            magnitudes,
            outputs,
            top,
            factorizations,
        };
        if options.space != Space::Modes {
            made.add_static()?;
        }
        if options.space == Space::Enriched {
            made.grow(omegas, options)?;
        }
        made.magnitudes = made.basis.magnitudes();
        Ok(Ok(made))
    }

    /// Vectors in the space.
    pub fn vectors(&self) -> usize {
        self.basis.len()
    }

    /// Modes among them.
    pub fn modes(&self) -> usize {
        self.modes
    }

    /// Factorizations that were made, those of the modes by estimate.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// H at omega (rad/s) with the bound of its error: projection and rounding.
    ///
    /// # Errors
    /// [`ResponseError::BadFrequency`] beyond the band of the projection; [`ResponseError::NoBound`].
    pub fn at(&self, omega: f64) -> Result<Sample, ResponseError> {
        if !(omega.abs() <= self.top) {
            return Err(ResponseError::BadFrequency { omega });
        }
        Ok(self.parts(omega)?.0)
    }

    /// The same, and the part of the bound that comes from the projection.
    pub(crate) fn parts(&self, omega: f64) -> Result<(Sample, Dense), ResponseError> {
        let found = self.evaluate(omega).ok_or(ResponseError::NoBound { omega })?;
        let bound = &found.projection + &found.rounding;
        Ok((Sample { omega, bound, value: found.value }, found.projection))
    }

    /// Adds X^-1 of inputs and outputs.
    fn add_static(&mut self) -> Result<(), ResponseError> {
        let size = self.basis.gram().ncols();
        let unit = |j: usize| {
            let mut unit = vec![c64::new(0.0, 0.0); size];
            unit[j] = c64::new(1.0, 0.0);
            let [re, _] = self.basis.combination(&unit);
            re
        };
        let start: Vec<Vec<f64>> = (0..self.basis.given.ncols()).map(unit).collect();
        self.basis.enrich(&start)?;
        Ok(())
    }

    /// Enriches the space until the bound meets the tolerance everywhere, or no further vector is allowed or new.
    fn grow(&mut self, omegas: &[f64], options: &InterpolantOptions) -> Result<(), ResponseError> {
        while self.basis.len() < options.vectors {
            let found: Vec<Option<Evaluated>> = omegas.iter().map(|w| self.evaluate(*w)).collect();
            let (nu, ny) = (self.response.plant.inputs(), self.response.plant.outputs());
            let mut worst: Vec<(f64, usize, usize, usize)> = Vec::new();
            for o in 0..ny {
                for i in 0..nu {
                    let size = |e: &Evaluated| e.value[(o, i)].norm();
                    let largest = found.iter().flatten().map(size).fold(0.0, f64::max);
                    let mut missed: Vec<(f64, usize, usize, usize)> = found
                        .iter()
                        .enumerate()
                        .filter_map(|(k, e)| {
                            let e = e.as_ref()?;
                            let allowed = (options.tolerance * size(e)).max(options.floor * largest);
                            let ratio = e.projection[(o, i)] / allowed.max(f64::MIN_POSITIVE);
                            (ratio > 1.0).then_some((ratio, k, o, i))
                        })
                        .collect();
                    missed.sort_by(|a, b| b.0.total_cmp(&a.0));
                    // Frequencies that are apart say more than neighbours.
                    let apart = omegas.len() / (4 * WORST) + 1;
                    let mut chosen: Vec<usize> = Vec::new();
                    for m in missed {
                        if chosen.len() < WORST && chosen.iter().all(|k| k.abs_diff(m.1) >= apart) {
                            chosen.push(m.1);
                            worst.push(m);
                        }
                    }
                }
            }
            if worst.is_empty() {
                break;
            }
            worst.sort_by(|a, b| b.0.total_cmp(&a.0));
            worst.truncate(4 * WORST);
            let mut candidates = Vec::new();
            for (_, k, o, i) in worst {
                let Some(e) = &found[k] else { continue };
                for coefficients in [&e.residuals[0][i], &e.residuals[1][o]] {
                    candidates.extend(self.basis.combination(coefficients));
                }
            }
            candidates.truncate(options.vectors - self.basis.len());
            if self.basis.enrich(&candidates)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// H and its bounds; none where there is no bound.
    fn evaluate(&self, omega: f64) -> Option<Evaluated> {
        let s = c64::new(0.0, omega);
        let eta = c64::new(1.0, self.response.plant.loss);
        let [m, c, k] = &self.basis.reduced;
        let reduced = weighted(&[(s * s, m), (s, c), (eta, k)]);
        let lu = LuComplex::new(&reduced).ok()?;
        let (nu, ny) = (self.response.plant.inputs(), self.response.plant.outputs());
        let k = self.basis.len();
        let given = &self.basis.given;
        let inputs = DenseC::from_fn(k, nu, |r, i| c64::new(given[(r, i)], 0.0));
        let powers = [c64::new(1.0, 0.0), c64::new(0.0, 1.0), s, s * s];
        let outputs = DenseC::from_fn(k, ny, |r, o| {
            let columns = self.outputs[o].iter().zip(powers);
            columns.filter_map(|(column, f)| column.map(|j| f * given[(r, j)])).sum()
        });
        let x = lu.solve_mat(&inputs);
        let z = lu.solve_mat(&outputs);
        let beta = self.beta(omega, &reduced)?;
        let of_m = s * s - eta * self.basis.sigma;
        let images = self.basis.images();
        let residual = |start: Vec<(usize, c64)>, c: &[c64]| {
            let mut out = vec![c64::new(0.0, 0.0); given.ncols() + images * k];
            for (j, f) in start {
                out[j] += f;
            }
            for (j, c) in c.iter().enumerate() {
                out[given.ncols() + images * j] -= of_m * c;
                if images == 2 {
                    out[given.ncols() + images * j + 1] -= s * c;
                }
            }
            out
        };
        let one = c64::new(1.0, 0.0);
        let of_inputs: Vec<_> = (0..nu).map(|i| residual(vec![(i, one)], x.col_as_slice(i))).collect();
        let of_outputs: Vec<_> = (0..ny)
            .map(|o| {
                let columns = self.outputs[o].iter().zip(powers);
                residual(columns.filter_map(|(j, f)| j.map(|j| (j, f))).collect(), z.col_as_slice(o))
            })
            .collect();
        let sizes = |list: &[Vec<c64>]| -> Vec<f64> {
            list.iter().map(|c| form(self.basis.gram(), c).sqrt()).collect()
        };
        let (primal, adjoint) = (sizes(&of_inputs), sizes(&of_outputs));
        let d = &self.response.plant.feedthrough;
        let value = DenseC::from_fn(ny, nu, |o, i| {
            let products = outputs.col_as_slice(o).iter().zip(x.col_as_slice(i));
            products.fold(c64::new(d[(o, i)], 0.0), |sum, (w, x)| sum + w * x)
        });
        let projection = Dense::from_fn(ny, nu, |o, i| adjoint[o] * primal[i] / beta);
        let [of_m, of_c, of_k] = &self.magnitudes;
        let rounding = if of_m.nrows() == k {
            let size = Dense::from_fn(k, k, |a, b| {
                omega * omega * of_m[(a, b)] + omega.abs() * of_c[(a, b)] + eta.norm() * of_k[(a, b)]
            });
            let magnitude = |c: &DenseC| Dense::from_fn(c.nrows(), c.ncols(), |i, j| c[(i, j)].norm());
            let both = dense::mul_transpose(&magnitude(&z), &dense::mul(&size, &magnitude(&x)));
            dense::scale(2.0 * self.response.rounding, &both)
        } else {
            Dense::zeros(ny, nu)
        };
        Some(Evaluated { value, projection, rounding, residuals: [of_inputs, of_outputs] })
    }

    /// beta at a frequency; none where it is not positive.
    fn beta(&self, omega: f64, reduced: &DenseC) -> Option<f64> {
        let d = 1.0 - (self.basis.sigma + omega * omega) * self.outside;
        if d <= 0.0 {
            return None;
        }
        let p = self.block;
        if p == 0 || norms::max_abs(&self.coupling) == 0.0 {
            return Some(d);
        }
        // T = L^T E P_11^-1 E^T L with E = [(s^2 - (1 + i eta) sigma) I; s I].
        let s = c64::new(0.0, omega);
        let of_m = s * s - c64::new(1.0, self.response.plant.loss) * self.basis.sigma;
        let images = self.basis.images();
        let q = self.coupling.ncols();
        let e = DenseC::from_fn(p, q, |j, col| {
            let m = of_m * self.coupling[(images * j, col)];
            if images == 2 { m + s * self.coupling[(images * j + 1, col)] } else { m }
        });
        let first = DenseC::from_fn(p, p, |i, j| reduced[(i, j)]);
        let t = dense::mul_complex(&e.transpose().to_owned(), &LuComplex::new(&first).ok()?.solve_mat(&e));
        let size =
            (0..q).flat_map(|i| (0..q).map(move |j| (i, j))).map(|at| t[at].norm_sqr()).sum::<f64>().sqrt();
        if size <= 0.1 * d {
            return Some(d - size);
        }
        // The Hermitian part A + i B of -T as the real symmetric matrix [A, -B; B, A].
        let half = |i: usize, j: usize| -0.5 * (t[(i, j)] + t[(j, i)].conj());
        let doubled = Dense::from_fn(2 * q, 2 * q, |i, j| match (i < q, j < q) {
            (true, true) => half(i, j).re,
            (false, false) => half(i - q, j - q).re,
            (true, false) => -half(i, j - q).im,
            (false, true) => half(i - q, j).im,
        });
        let least = SymmetricEigen::new(&doubled).ok()?.values.first().copied().unwrap_or(0.0);
        let beta = d + least.min(0.0) - 1e-12 * size;
        (beta > 0.0).then_some(beta)
    }
}

/// Shapes of the undamped modes up to `reach` (rad/s), real parts.
fn mode_shapes(p: &QuadraticPencil<mb_algebra::Sparse>, reach: f64) -> Result<Vec<Vec<f64>>, ResponseError> {
    let undamped = QuadraticPencil { c: sparse::zeros(p.m.rows(), p.m.rows()), ..p.clone() };
    let to_hz = reach / std::f64::consts::TAU;
    let band = Request::Band { from_hz: 0.0, to_hz, max_damping_ratio: None };
    let options = SparseOptions { prove_complete: false, ..SparseOptions::default() };
    let found = mb_eigen::sparse::solve(&undamped, &band, &options)?;
    let upper = found.motion().filter(|pair| pair.value().is_some_and(|s| s.im >= 0.0));
    Ok(upper
        .flat_map(|pair| match pair.right.real() {
            Some(x) => vec![x.to_vec()],
            None => {
                let x = pair.right.as_slice();
                vec![x.iter().map(|z| z.re).collect(), x.iter().map(|z| z.im).collect()]
            }
        })
        .collect())
}

/// X-orthonormal Ritz vectors of (K, X) in the span of the candidates below a value Lambda of lambda = omega^2 between
/// `top` and `reach` squared, where the distance to the next ones is large, and Lambda.
fn ritz(basis: &Basis<'_>, candidates: &[Vec<f64>], top: f64, reach: f64) -> Option<(Vec<Vec<f64>>, f64)> {
    let (vectors, values) = basis.rayleigh(candidates)?;
    let lowest = (APART * top).powi(2);
    let mut edges: Vec<f64> = vec![lowest];
    edges.extend(values.iter().copied().filter(|x| *x > lowest && *x < reach * reach));
    edges.push(reach * reach / APART);
    // The widest gap, as a ratio of values.
    let mut best: Option<(f64, f64)> = None;
    for pair in edges.windows(2) {
        let lambda = (pair[0] * pair[1]).sqrt();
        let ratio = (pair[1] / pair[0].max(f64::MIN_POSITIVE)) * if pair[0] > lowest { 1.0 } else { 0.9 };
        if best.is_none_or(|(r, _)| ratio > r) {
            best = Some((ratio, lambda));
        }
    }
    let (_, lambda) = best?;
    let shapes = vectors.into_iter().zip(&values).filter(|(_, x)| **x < lambda).map(|(v, _)| v).collect();
    Some((shapes, lambda))
}

/// Gram matrix of what M v and C v of the first vectors have outside of the basis.
fn images_of(basis: &Basis<'_>, vectors: usize) -> Dense {
    let (gram, first) = (basis.gram(), basis.given.ncols());
    let q = basis.images() * vectors;
    Dense::from_fn(q, q, |i, j| 0.5 * (gram[(first + i, first + j)] + gram[(first + j, first + i)]))
}

/// tau + rho for a basis of the modes alone; none where they are too rough for the bound.
fn outside_of_modes(basis: &Basis<'_>, modes: usize, lambda: f64) -> Result<Option<f64>, ResponseError> {
    let tau = 1.0 / (lambda + basis.sigma);
    if modes == 0 {
        return Ok(Some(tau));
    }
    let (own, images) = (images_of(basis, modes), basis.images());
    let rho = (0..modes).map(|j| own[(images * j, images * j)].max(0.0)).sum::<f64>().sqrt();
    let least = SymmetricEigen::new(&basis.reduced[0])?.values.first().copied().unwrap_or(f64::INFINITY);
    Ok((least > tau + rho).then_some(tau + rho))
}

/// X^-1 C phi of the modes, less what lies in their span.
fn damped_shapes(basis: &Basis<'_>, modes: usize) -> Vec<Vec<f64>> {
    if basis.images() < 2 {
        return Vec::new();
    }
    let shape = |j: usize| {
        let mut unit = vec![c64::new(0.0, 0.0); basis.gram().ncols()];
        unit[basis.given.ncols() + 2 * j + 1] = c64::new(1.0, 0.0);
        let [re, _] = basis.combination(&unit);
        re
    };
    (0..modes).map(shape).collect()
}

/// L with L L^T the Gram matrix of what M v and C v of the vectors of a basis have outside of it.
fn coupling(basis: &Basis<'_>, block: usize) -> Result<Dense, ResponseError> {
    let own = images_of(basis, block);
    let q = own.nrows();
    let eigen = SymmetricEigen::new(&own)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0).max(0.0);
    // Rounding of the Gram matrix is added to its eigenvalues.
    let root = |x: f64| (x.max(0.0) + 1e-14 * largest).sqrt();
    Ok(Dense::from_fn(q, q, |i, j| eigen.vectors[(i, j)] * root(eigen.values[j])))
}

/// Inputs and outputs as columns, and which columns belong to which output.
fn first_vectors(response: &Response) -> (Dense, Vec<[Option<usize>; 4]>) {
    let plant = &response.plant;
    let mut columns: Vec<Vec<f64>> = (0..plant.inputs()).map(|i| dense::column(&plant.f, i)).collect();
    let mut outputs = Vec::new();
    for o in 0..plant.outputs() {
        let rows = [&plant.by_q, &response.lossy, &plant.by_v, &plant.by_a];
        outputs.push(rows.map(|y| {
            let row = dense::row(y, o);
            row.iter().any(|x| *x != 0.0).then(|| {
                columns.push(row);
                columns.len() - 1
            })
        }));
    }
    (dense::from_columns(plant.n(), &columns), outputs)
}
