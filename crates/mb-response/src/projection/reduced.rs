//! The projected matrices, residuals of their solutions, and what rounding adds.

use super::random;
use super::space::{Images, Space, times};
use crate::accurate::products;
use crate::direct::{OF_FREQUENCY, Response, Sample};
use mb_algebra::{Dense, DenseC, LuComplex, Sparse, c64, dense, sparse};

/// Largest share of a solution that its rounding may be.
const SMALL: f64 = 0.01;
/// Steps of a power iteration with the inverse: it starts beside a resonance.
const POWERS: usize = 3;
/// Reciprocal condition of the projected P below which the frequency is a pole.
const POLE: f64 = 1e-12;

/// Which column belongs to Y_q, to its imaginary part, to Y_v and to Y_a of an output.
pub(super) type OutputColumns = Vec<[Option<usize>; 4]>;

/// H of the projection with the parts of its bound.
#[derive(Debug)]
pub(super) struct Evaluated {
    /// rad/s.
    pub(super) omega: f64,
    /// Outputs x inputs.
    pub(super) value: DenseC,
    /// |d| |r|.
    pub(super) product: Dense,
    /// None where the form of P is not known to be off zero.
    pub(super) beta: Option<f64>,
    pub(super) rounding: Dense,
    /// dH / d omega.
    slope: DenseC,
    /// Coefficients of the residual over all images, by input.
    pub(super) inputs: Vec<Vec<c64>>,
    /// The same of the adjoint, by output.
    pub(super) outputs: Vec<Vec<c64>>,
    /// The same of the vectors that the projected P brings nearest to zero, right and left; none where beta is known, and at an
    /// undamped pole, where none can be.
    pub(super) nearest: Option<[Vec<c64>; 2]>,
}

impl Evaluated {
    /// H with the whole bound |d| |r| / beta + rounding; none where that is not finite.
    pub(super) fn sample(self) -> Option<Sample> {
        let bound = &dense::scale(1.0 / self.beta?, &self.product) + &self.rounding;
        let finite = (0..bound.ncols()).flat_map(|i| bound.col_as_slice(i)).all(|b| b.is_finite());
        finite.then_some(Sample { omega: self.omega, value: self.value, bound, slope: self.slope })
    }
}

/// Matrices of the projection.
#[derive(Debug)]
pub(super) struct Reduced {
    columns: Dense,
    outputs: OutputColumns,
    /// V^T M V, V^T C V, V^T K V.
    matrices: [Dense; 3],
    /// |V|^T (|A V| + g |A| |V|) of each, and of the part of the given matrices that A leaves out.
    magnitudes: [Dense; 3],
    /// V^T E V of the parts E of the given matrices that A leaves out, skew parts made by rounding; none
    /// where there are none.
    aside: [Option<Dense>; 3],
    /// V^T and |V|^T times the columns.
    given: [Dense; 2],
    /// Images outside V, n x all.
    outside: Dense,
    gram: Dense,
    sizes: Vec<f64>,
    errors: Vec<f64>,
    /// |l|^T (|Phi_q V| + g^2 |Phi_q| |V|), all images x k.
    constraints: Dense,
    /// Largest |H| seen.
    pub(super) largest: Dense,
    rounding: f64,
}

/// Inputs and parts of outputs as columns, n x all.
pub(super) fn columns(response: &Response) -> (Dense, OutputColumns) {
    let plant = &response.plant;
    let mut columns: Vec<Vec<f64>> = (0..plant.inputs()).map(|i| dense::column(&plant.f, i)).collect();
    let mut outputs = Vec::new();
    for o in 0..plant.outputs() {
        outputs.push([&plant.by_q, &response.lossy, &plant.by_v, &plant.by_a].map(|y| {
            let row = dense::row(y, o);
            row.iter().any(|x| *x != 0.0).then(|| {
                columns.push(row);
                columns.len() - 1
            })
        }));
    }
    (dense::from_columns(plant.n(), &columns), outputs)
}

impl Reduced {
    pub(super) fn new(space: &Space<'_>, columns: Dense, outputs: OutputColumns) -> Self {
        let plant = &space.response.plant;
        let none = || Dense::zeros(0, 0);
        let mut out = Self {
            columns,
            outputs,
            matrices: [none(), none(), none()],
            magnitudes: [none(), none(), none()],
            aside: [None, None, None],
            given: [none(), none()],
            outside: none(),
            gram: none(),
            sizes: Vec::new(),
            errors: Vec::new(),
            constraints: none(),
            largest: Dense::zeros(plant.outputs(), plant.inputs()),
            rounding: space.response.rounding + 2.0 * f64::EPSILON * (plant.n() as f64).sqrt(),
        };
        out.renew(space);
        out
    }

    /// After V has changed.
    pub(super) fn renew(&mut self, space: &Space<'_>) {
        let ([m, c, k], given) = (space.parts.whole.each_ref(), &space.response.plant.pencil);
        let v = &space.v;
        let size = magnitude(v);
        // A V with its digits, so that the rounding of V^T A V is that of a sum of products with small A V, and not |V|^T |A| |V|.
        let unit = self.rounding;
        let sizes = |a: &Sparse, image: &Dense| {
            let second = dense::scale(unit, &times(&magnitudes(a), &size));
            dense::mul_transpose(&size, &(&magnitude(image) + &second))
        };
        let images = [m, c, k].map(|a| products(a, v));
        self.matrices = images.each_ref().map(|image| dense::mul_transpose(v, image));
        let left_out =
            [(m, &given.m), (c, &given.c), (k, &given.k)].map(|(a, given)| sparse::add(1.0, given, -1.0, a));
        let moved = left_out.each_ref().map(|a| products(a, v));
        let any = |image: &Dense| (0..image.ncols()).any(|j| image.col_as_slice(j).iter().any(|x| *x != 0.0));
        self.aside = moved.each_ref().map(|image| any(image).then(|| dense::mul_transpose(v, image)));
        // Where a matrix is not symmetric, the adjoint has the images of its transpose.
        let skew = [false, space.parts.gyroscopic.is_some(), space.parts.circulatory.is_some()];
        let both = |k: usize, a: &Sparse| {
            let own = &sizes(a, &images[k]) + &sizes(&left_out[k], &moved[k]);
            if !skew[k] {
                return own;
            }
            let a = sparse::transpose(a);
            let other = sizes(&a, &products(&a, v));
            Dense::from_fn(own.nrows(), own.ncols(), |i, j| own[(i, j)].max(other[(i, j)]))
        };
        self.magnitudes = [both(0, m), both(1, c), both(2, k)];
        self.given =
            [dense::mul_transpose(v, &self.columns), dense::mul_transpose(&size, &magnitude(&self.columns))];
        let images: Vec<&Images> = std::iter::once(&space.given).chain(space.images_of_v()).collect();
        let (outside, mut errors) = space.outside(v.ncols(), &images);
        let scaled = space.x_times(&outside);
        self.gram = dense::symmetric_part(&dense::mul_transpose(&outside, &scaled));
        self.sizes = (0..outside.ncols()).map(|j| self.gram[(j, j)].max(0.0).sqrt()).collect();
        // Rounding of the projection, whose parts have at most the size 1 of the vectors times the shares.
        let shares: Vec<f64> = images
            .iter()
            .flat_map(|i| (0..i.g.ncols()).map(|j| i.g.col_as_slice(j)))
            .map(|g| dense::matvec_transpose(&space.xv, g).iter().map(|x| x * x).sum::<f64>().sqrt())
            .collect();
        errors.iter_mut().zip(shares).for_each(|(e, share)| *e += 1e-14 * share);
        self.errors = errors;
        self.outside = outside;
        let multipliers: Vec<&Dense> = images.iter().map(|i| &i.l).collect();
        let phi = magnitude(&products(&space.phi, v));
        let second = dense::scale(unit * unit, &times(&magnitudes(&space.phi), &size));
        let with_rounding = &dense::scale(1.0 + unit, &phi) + &second;
        self.constraints = dense::mul_transpose(&magnitude(&dense::hstack(&multipliers)), &with_rounding);
    }

    /// Keeps the largest |H|.
    pub(super) fn see(&mut self, value: &DenseC) {
        for o in 0..value.nrows() {
            for i in 0..value.ncols() {
                self.largest[(o, i)] = self.largest[(o, i)].max(value[(o, i)].norm());
            }
        }
    }

    /// V^T P V.
    pub(super) fn matrix(&self, space: &Space<'_>, s: c64) -> DenseC {
        let [m, c, k] = &self.matrices;
        let eta = c64::new(1.0, space.response.plant.loss);
        let square = s * s;
        DenseC::from_fn(m.nrows(), m.ncols(), |i, j| square * m[(i, j)] + s * c[(i, j)] + eta * k[(i, j)])
    }

    /// Real and imaginary part of a residual's image.
    pub(super) fn combination(&self, coefficients: &[c64]) -> [Vec<f64>; 2] {
        let part = |of: fn(&c64) -> f64| {
            dense::matvec(&self.outside, &coefficients.iter().map(of).collect::<Vec<_>>())
        };
        [part(|c| c.re), part(|c| c.im)]
    }

    /// |sum of images|_X with its rounding.
    fn norm(&self, c: &[c64]) -> f64 {
        let mut square = 0.0;
        for part in [c.iter().map(|c| c.re).collect::<Vec<_>>(), c.iter().map(|c| c.im).collect()] {
            square += dense::dot(&part, &dense::matvec(&self.gram, &part));
        }
        let sum: f64 = c.iter().zip(&self.sizes).map(|(c, size)| c.norm() * size).sum();
        let errors: f64 = c.iter().zip(&self.errors).map(|(c, e)| c.norm() * e).sum();
        (square.max(0.0) + 1e-14 * sum * sum).sqrt() + errors
    }

    /// The skew parts of the given matrices, times these factors, times a solution.
    fn skewed(&self, factors: [c64; 3], y: &[c64]) -> Vec<c64> {
        let parts = [y.iter().map(|y| y.re).collect::<Vec<_>>(), y.iter().map(|y| y.im).collect()];
        let mut out = vec![c64::new(0.0, 0.0); y.len()];
        for (a, factor) in self.aside.iter().zip(factors) {
            let Some(a) = a else { continue };
            let [re, im] = parts.each_ref().map(|part| dense::matvec(a, part));
            for (out, (re, im)) in out.iter_mut().zip(re.into_iter().zip(im)) {
                *out += factor * c64::new(re, im);
            }
        }
        out
    }

    /// dH / d omega of the projection, outputs x inputs.
    fn slope(&self, s: c64, x: &DenseC, z: &DenseC) -> DenseC {
        let [m, c, _] = &self.matrices;
        let given = &self.given[0];
        let k = m.nrows();
        let derivative = DenseC::from_fn(k, k, |i, j| 2.0 * s * m[(i, j)] + c[(i, j)]);
        let image = dense::mul_complex(&derivative, x);
        DenseC::from_fn(z.ncols(), x.ncols(), |o, i| {
            let x = x.col_as_slice(i);
            let read = |column: Option<usize>| {
                column.map_or(c64::new(0.0, 0.0), |j| (0..k).map(|r| x[r] * given[(r, j)]).sum())
            };
            let [_, _, by_v, by_a] = self.outputs[o];
            let moved: c64 = z.col_as_slice(o).iter().zip(image.col_as_slice(i)).map(|(z, y)| z * y).sum();
            c64::new(0.0, 1.0) * (read(by_v) + 2.0 * s * read(by_a) - moved)
        })
    }

    /// H with its bound for the matrix V^T P V and beta; none where it is singular.
    pub(super) fn evaluate(
        &self,
        space: &Space<'_>,
        omega: f64,
        (matrix, lu): (&DenseC, &LuComplex),
        beta: Option<f64>,
    ) -> Option<Evaluated> {
        let plant = &space.response.plant;
        let s = c64::new(0.0, omega);
        let eta = c64::new(1.0, plant.loss);
        let square = s * s;
        let of_m = square - eta * space.sigma;
        let (k, nu, ny) = (space.v.ncols(), plant.inputs(), plant.outputs());
        let [given, sizes] = &self.given;
        let zero = c64::new(0.0, 0.0);
        let powers = [c64::new(1.0, 0.0), c64::new(0.0, 1.0), s, square];
        let parts = |o: usize| {
            self.outputs[o]
                .iter()
                .zip(powers)
                .filter_map(|(column, f)| column.map(|j| (j, f)))
                .collect::<Vec<_>>()
        };
        let f = DenseC::from_fn(k, nu, |r, i| c64::new(given[(r, i)], 0.0));
        let w = DenseC::from_fn(k, ny, |r, o| parts(o).into_iter().map(|(j, f)| f * given[(r, j)]).sum());
        let x = lu.solve_mat(&f);
        let z = if space.parts.is_skew() { lu.solve_transpose_mat(&w) } else { lu.solve_mat(&w) };
        let residual = |start: Vec<(usize, c64)>, y: &[c64], left: bool| {
            let mut out = vec![zero; self.columns.ncols()];
            for (j, f) in start {
                out[j] += f;
            }
            for factor in space.factors(s, of_m, left) {
                out.extend(y.iter().map(|y| -factor * y));
            }
            out
        };
        let unit = |i: usize| vec![(i, c64::new(1.0, 0.0))];
        let inputs: Vec<_> = (0..nu).map(|i| residual(unit(i), x.col_as_slice(i), false)).collect();
        let outputs: Vec<_> = (0..ny).map(|o| residual(parts(o), z.col_as_slice(o), true)).collect();
        let primal: Vec<f64> = inputs.iter().map(|c| self.norm(c)).collect();
        let adjoint: Vec<f64> = outputs.iter().map(|c| self.norm(c)).collect();
        let rest = &f - &dense::mul_complex(matrix, &x);
        let [by_m, by_c, by_k] = &self.magnitudes;
        let factors = [omega * omega, omega.abs(), eta.norm()];
        let reactions = |c: &[c64]| dense::matvec_transpose(&self.constraints, &norms(c));
        let d = &plant.feedthrough;
        let value = DenseC::from_fn(ny, nu, |o, i| {
            let products = w.col_as_slice(o).iter().zip(x.col_as_slice(i));
            products.fold(c64::new(d[(o, i)], 0.0), |sum, (w, x)| sum + w * x)
        });
        let norm_of_inverse = 10.0 * k as f64 / (lu.rcond() * lu.norm_one());
        let little = |forces: &[f64], solution: &[c64], adjoint: bool| {
            is_little((lu, norm_of_inverse), forces, solution, adjoint)
        };
        let forced = |y: &[c64], start: &dyn Fn(usize) -> f64, reactions: &[f64]| -> Vec<f64> {
            let y = norms(y);
            let mut out: Vec<f64> = (0..k).map(|r| start(r) + reactions[r]).collect();
            for (a, factor) in [by_m, by_c, by_k].into_iter().zip(factors) {
                let part = dense::matvec(a, &y);
                out.iter_mut().zip(part).for_each(|(o, p)| *o += self.rounding * factor * p);
            }
            out
        };
        let skewed = |y: &[c64]| self.skewed([square, s, eta], y);
        let skew: Vec<Vec<c64>> = (0..nu).map(|i| skewed(x.col_as_slice(i))).collect();
        let with_skew = |forces: &[f64], skew: &[c64]| -> Vec<f64> {
            forces.iter().zip(skew).map(|(f, s)| f + s.norm()).collect()
        };
        // g |V|^T (|P V| |y| + |F|) of each input, and what its multipliers make of the constraints.
        let forces: Vec<Vec<f64>> = (0..nu)
            .map(|i| {
                let start = |r: usize| self.rounding * sizes[(r, i)] + rest[(r, i)].norm();
                forced(x.col_as_slice(i), &start, &reactions(&inputs[i]))
            })
            .collect();
        let held: Vec<Vec<f64>> = outputs.iter().map(|c| reactions(c)).collect();
        let sound = (0..nu).all(|i| little(&with_skew(&forces[i], &skew[i]), x.col_as_slice(i), false))
            && (0..ny).all(|o| {
                let z = z.col_as_slice(o);
                little(&with_skew(&forced(z, &|_| 0.0, &held[o]), &skewed(z)), z, true)
            });
        if !sound {
            return None;
        }
        let slope = self.slope(s, &x, &z);
        let rounding = Dense::from_fn(ny, nu, |o, i| {
            let products = z.col_as_slice(o).iter().zip(&skew[i]);
            let turned = products.fold(zero, |sum, (z, s)| sum + z * s).norm();
            let (z, y) = (norms(z.col_as_slice(o)), norms(x.col_as_slice(i)));
            let sum = 2.0 * (dense::dot(&z, &forces[i]) + dense::dot(&held[o], &y) + turned);
            let read: f64 = parts(o)
                .iter()
                .map(|(j, f)| f.norm() * (0..k).map(|r| sizes[(r, *j)] * y[r]).sum::<f64>())
                .sum();
            sum + self.rounding * (read + d[(o, i)].abs()) + OF_FREQUENCY * omega.abs() * slope[(o, i)].norm()
        });
        let product = Dense::from_fn(ny, nu, |o, i| adjoint[o] * primal[i]);
        let nearest = (beta.is_none() && lu.rcond() > POLE).then(|| {
            let [y, z] = nearest(lu, k);
            [residual(Vec::new(), &y, false), residual(Vec::new(), &z, true)]
        });
        Some(Evaluated { omega, value, product, beta, rounding, slope, inputs, outputs, nearest })
    }
}

/// Whether the change of a solution by forces of these sizes is a small share of it, so that first order in rounding holds: by the norm of
/// the inverse, which has a margin for its estimate, else by the inverse itself, transposed for the adjoint.
fn is_little(
    (lu, norm_of_inverse): (&LuComplex, f64),
    forces: &[f64],
    solution: &[c64],
    adjoint: bool,
) -> bool {
    let k = forces.len();
    let length = |sizes: &mut dyn Iterator<Item = f64>| sizes.map(|x| x * x).sum::<f64>().sqrt();
    let allowed = SMALL * length(&mut solution.iter().map(|z| z.norm()));
    if norm_of_inverse * length(&mut forces.iter().copied()) <= allowed {
        return true;
    }
    let unit = DenseC::from_fn(k, k, |i, j| c64::new(f64::from(u8::from(i == j)), 0.0));
    let inverse = lu.solve_mat(&unit);
    let place = |i: usize, j: usize| if adjoint { (j, i) } else { (i, j) };
    let change = |i: usize| (0..k).map(|j| inverse[place(i, j)].norm() * forces[j]).sum::<f64>();
    length(&mut (0..k).map(change)) <= allowed
}

/// About the right and the left vector of the least singular value of a k x k matrix with these factors, by power iteration.
fn nearest(lu: &LuComplex, k: usize) -> [Vec<c64>; 2] {
    let mut seed = 1;
    let unit = |a: Vec<c64>| {
        let length = a.iter().map(c64::norm_sqr).sum::<f64>().sqrt();
        a.into_iter().map(|a| a / length).collect::<Vec<_>>()
    };
    let conj = |a: &[c64]| a.iter().map(c64::conj).collect::<Vec<_>>();
    let mut z: Vec<c64> = (0..k).map(|_| c64::new(random(&mut seed), random(&mut seed))).collect();
    let mut y = z.clone();
    for _ in 0..POWERS {
        y = unit(lu.solve(&z));
        // (P^-1)^H y.
        z = unit(conj(&lu.solve_transpose(&conj(&y))));
    }
    [y, conj(&z)]
}

fn norms(a: &[c64]) -> Vec<f64> {
    a.iter().map(|z| z.norm()).collect()
}

fn magnitude(a: &Dense) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].abs())
}

fn magnitudes(a: &Sparse) -> Sparse {
    let mut out = sparse::scale(1.0, a);
    out.data_mut().iter_mut().for_each(|x| *x = x.abs());
    out
}
