//! Linear systems with inputs and outputs: descriptor form and state space.
//!
//! ```text
//! E x' = A x + B u,  y = C x + D u          x = (dq, dv, dlambda)
//! x' = A x + B u,    y = C x + D u          x = (z, z')
//! ```
//!
//! [`DescriptorSystem::to_state_space`] reduces the first to the second: dq = R z, and the multipliers are eliminated by
//! the equations of motion. At rest and in steady motion both have the same transfer function; in motion x counts from the
//! frame that moves along, where inputs and outputs must be constant too. At an instant of any other motion the coefficients
//! are those of the instant, dv = R z' + D z and da = R z'' + E1 z' + E0 z (module `instant`), so that the reduced system
//! starts as any small disturbance of the motion does; the descriptor form has the blocks of the instant alone.
//! [`StateSpace::minimal`] then removes states that no input reaches or no output sees.

use crate::coincident;
use crate::error::{LinearError, no_velocity_rows};
use crate::instant::{ConstraintRates, InstantSystem, MotionTerms};
use crate::linearize::{LinearizedSystem, inputs};
use crate::point::{Instant, OperatingPoint};
use crate::rolling_states;
use crate::turning::Turning;
use mb_algebra::{
    Dense, DenseC, Lu, LuComplex, QuadraticPencil, RankTolerance, Sparse, Svd, Transferred, c64, dense,
    norms, sparse, to_sparse,
};
use mb_constraints::{ConstraintError, NullSpace, NullSpaceMethod, Saddle};
use mb_model::{Model, Point};

/// E x' = A x + B u, y = C x + D u with the structure of constrained mechanics.
#[derive(Clone, Debug)]
pub struct DescriptorSystem {
    /// (2n+m) x (2n+m), singular.
    pub e: Dense,
    /// (2n+m) x (2n+m).
    pub a: Dense,
    /// (2n+m) x inputs.
    pub b: Dense,
    /// outputs x (2n+m).
    pub c: Dense,
    /// outputs x inputs.
    pub d: Dense,
    /// Names of the states: coordinates, their rates, multipliers.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    n: usize,
    /// Of a point of a motion.
    rates: Option<ConstraintRates>,
    /// Of every constraint row whether it is one of velocities; none without such rows.
    velocity: Option<Vec<bool>>,
}

/// x' = A x + B u, y = C x + D u.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// k x k.
    pub a: Dense,
    /// k x inputs.
    pub b: Dense,
    /// outputs x k.
    pub c: Dense,
    /// outputs x inputs.
    pub d: Dense,
    /// Names of the states: chosen coordinates, then their rates; `x1`, `x2`, ... where states are combinations.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
}

/// The descriptor system at rest or in steady motion, with the model's inputs and outputs.
///
/// Outputs that read accelerations are expressed in the states and inputs through the equations
/// of motion, so that y = C x + D u holds for them too.
///
/// # Errors
/// [`LinearError::NotConstant`] for an input or output that is not constant in the frame of a steady motion;
/// [`LinearError::PlacesCoincide`]; entries that are not finite.
pub fn descriptor(
    model: &Model,
    at: &OperatingPoint,
    lin: &LinearizedSystem,
) -> Result<DescriptorSystem, LinearError> {
    let maps = maps(model, at, &all(model.inputs()), &all(model.sensors()))?;
    if model.has_velocity_rows() {
        return rolling_states::descriptor(model, at, maps, &inputs(model, at.point()));
    }
    let OutputMaps { by_q, by_v, by_a, by_lambda } = maps;
    DescriptorSystem::new(model, &lin.pencil(), &lin.f, None, [by_q, by_v, by_a, by_lambda])
}

/// A, B, C and D of a model with velocity rows on independent coordinates and speeds, with all outputs, for forces F (n x columns) in the
/// place of its inputs. `inputs`, `wanted`: as of [`output_maps`].
///
/// # Errors
/// As [`descriptor()`]; [`LinearError::NoInertia`].
pub fn rolling_state_space(
    model: &Model,
    at: &OperatingPoint,
    forces: &Dense,
    inputs: &[usize],
    wanted: &[usize],
) -> Result<[Dense; 4], LinearError> {
    let maps = maps(model, at, inputs, wanted)?;
    let system = rolling_states::descriptor(model, at, maps, forces)?;
    let StateSpace { a, b, c, d, .. } = rolling_states::state_space(&system, &model.velocity_rows())?;
    Ok([a, b, c, d])
}

/// What the outputs read: y = Y_q x + Y_v x' + Y_a x'' + Y_l l of small changes x and multipliers l.
#[derive(Clone, Debug)]
pub struct OutputMaps {
    /// Y_q, outputs x n.
    pub by_q: Dense,
    /// Y_v, outputs x n.
    pub by_v: Dense,
    /// Y_a, outputs x n.
    pub by_a: Dense,
    /// Y_l, outputs x m.
    pub by_lambda: Dense,
}

impl OutputMaps {
    /// C_out = [Y_q, Y_v, Y_a, Y_l] (outputs x (3 n + m)), of x, x', x'' and l in turn.
    pub fn side_by_side(&self) -> Sparse {
        to_sparse(&dense::hstack(&[&self.by_q, &self.by_v, &self.by_a, &self.by_lambda]))
    }
}

/// The outputs at rest or in steady motion, there in the frame that moves along. `inputs` and `wanted`: the inputs, and the outputs that have to
/// have derivatives, which have to be constant in that frame, by index.
///
/// # Errors
/// [`LinearError::NotConstant`] for an input or output that is not constant in the frame of a steady motion;
/// [`LinearError::PlacesCoincide`].
pub fn output_maps(
    model: &Model,
    at: &OperatingPoint,
    inputs: &[usize],
    wanted: &[usize],
) -> Result<OutputMaps, LinearError> {
    no_velocity_rows(
        model,
        "linear map of inputs to outputs on coordinates alone",
        "`mb state-space` has the linear system on independent coordinates and speeds.",
    )?;
    maps(model, at, inputs, wanted)
}

/// All places of a list.
fn all<T>(list: &[T]) -> Vec<usize> {
    (0..list.len()).collect()
}

fn maps(
    model: &Model,
    at: &OperatingPoint,
    inputs: &[usize],
    wanted: &[usize],
) -> Result<OutputMaps, LinearError> {
    let [mut by_q, mut by_v, by_a, by_lambda] = output_blocks(model, at.point());
    coincident::check(model, at.point(), wanted.iter().copied(), &[&by_q, &by_v, &by_a, &by_lambda])?;
    if let Some(motion) = at.steady() {
        motion.check_inputs_and_outputs(model, inputs, wanted)?;
        let s = motion.generator().sparse();
        by_q = dense::add_mul_sparse(by_q, 1.0, &by_v, &s);
        by_q = dense::add_mul_sparse(by_q, 1.0, &by_a, &sparse::mul(&s, &s));
        by_v = dense::add_mul_sparse(by_v, 2.0, &by_a, &s);
    }
    Ok(OutputMaps { by_q, by_v, by_a, by_lambda })
}

/// The descriptor system with the blocks of an instant of a motion, with the model's inputs and outputs.
///
/// # Errors
/// Velocity rows; [`LinearError::PlacesCoincide`]; entries that are not finite.
pub fn descriptor_of_instant(
    model: &Model,
    at: &Instant,
    lin: &InstantSystem,
) -> Result<DescriptorSystem, LinearError> {
    no_velocity_rows(model, "linear system of an instant", "Simulate the motion, or ask for a steady one.")?;
    let InstantSystem { m, c, k, phi_q, f, rates } = lin.clone();
    let blocks = QuadraticPencil { m, c, k, phi_q };
    let [by_q, by_v, by_a, by_lambda] = output_blocks(model, at.point());
    coincident::check(model, at.point(), 0..model.sensors().len(), &[&by_q, &by_v, &by_a, &by_lambda])?;
    DescriptorSystem::new(model, &blocks, &f, Some(rates), [by_q, by_v, by_a, by_lambda])
}

/// Derivatives of the outputs by coordinates, their true rates and second rates, and multipliers.
pub(crate) fn output_blocks(model: &Model, point: &Point) -> [Dense; 4] {
    let y = model.output_matrices(point);
    let (mut y_q, mut y_v) = (y.q.to_dense(), y.v.to_dense());
    let (y_a, y_l) = (y.a.to_dense(), y.lambda.to_dense());
    if let Some(turning) = Turning::new(model, point) {
        (y_v, y_q) = turning.applied(&y_a, y_v, y_q);
    }
    [y_q, y_v, y_a, y_l]
}

impl DescriptorSystem {
    pub(crate) fn new(
        model: &Model,
        lin: &QuadraticPencil<Dense>,
        f: &Dense,
        rates: Option<ConstraintRates>,
        [y_q, y_v, y_a, y_l]: [Dense; 4],
    ) -> Result<Self, LinearError> {
        let pair = lin.to_descriptor(Transferred::default());
        let (e, a) = (pair.e, pair.a);
        let (n, m) = (lin.m.nrows(), lin.phi_q.nrows());
        let (nu, ny) = (f.ncols(), model.sensors().len());
        let mut b = Dense::zeros(2 * n + m, nu);
        for i in 0..n {
            for j in 0..nu {
                b[(n + i, j)] = f[(i, j)];
            }
        }
        let mut c = dense::hstack(&[&y_q, &y_v, &y_l]);
        let mut d = Dense::zeros(ny, nu);
        if norms::max_abs(&y_a) > 0.0 {
            // da from [M Phi_q^T; Phi_q 0] [da; dlambda] = [F u - K q - C v; -Phi''_q q - Phi''_v v],
            // whose matrix is symmetric: one solve per output row gives its weights.
            let saddle = Saddle::dense(&lin.m, &lin.phi_q)?;
            for row in 0..ny {
                let (w, w_rows) = saddle.solve(&dense::row(&y_a, row), &vec![0.0; m]);
                let mut by_q = dense::matvec_transpose(&lin.k, &w);
                let mut by_v = dense::matvec_transpose(&lin.c, &w);
                if let Some(rates) = &rates {
                    let extra_q = dense::matvec_transpose(&rates.phi_ddot_q, &w_rows);
                    let extra_v = dense::matvec_transpose(&rates.phi_ddot_v, &w_rows);
                    by_q.iter_mut().zip(extra_q).for_each(|(x, e)| *x += e);
                    by_v.iter_mut().zip(extra_v).for_each(|(x, e)| *x += e);
                }
                for j in 0..n {
                    c[(row, j)] -= by_q[j];
                    c[(row, n + j)] -= by_v[j];
                }
                for (j, x) in dense::matvec_transpose(f, &w).into_iter().enumerate() {
                    d[(row, j)] += x;
                }
            }
        }
        let coordinates = model.coordinates().names();
        let states = coordinates
            .iter()
            .cloned()
            .chain(coordinates.iter().map(|c| format!("d({c})/dt")))
            .chain((0..m).map(|i| format!("multiplier of {}", model.row_name(i))))
            .collect();
        let outputs = model.sensors().iter().map(|s| s.name.clone()).collect();
        Ok(Self { e, a, b, c, d, states, inputs: model.inputs().to_vec(), outputs, n, rates, velocity: None })
    }
    /// The same with rows of velocities among its constraints, whose rates are not those of position rows.
    pub(crate) fn with_velocity_rows(self, velocity: Vec<bool>) -> Self {
        Self { rates: None, velocity: Some(velocity), ..self }
    }
    /// G(s) = C (s E - A)^-1 B + D, outputs x inputs.
    ///
    /// # Errors
    /// When s is an eigenvalue of the pair.
    pub fn transfer(&self, s: c64) -> Result<DenseC, LinearError> {
        let size = self.e.nrows();
        let matrix = DenseC::from_fn(size, size, |i, j| s * self.e[(i, j)] - self.a[(i, j)]);
        let x = LuComplex::new(&matrix)?.solve_mat(&dense::to_complex(&self.b));
        let y = dense::mul_complex(&dense::to_complex(&self.c), &x);
        Ok(DenseC::from_fn(self.c.nrows(), self.b.ncols(), |i, j| y[(i, j)] + self.d[(i, j)]))
    }
    /// The same system with 2 (n - r) states, z and z': independent coordinates chosen by pivoting, and their
    /// rates; with velocity rows of rank k with k rates fewer.
    ///
    /// # Errors
    /// [`LinearError::NoInertia`] when the reduced mass matrix is singular.
    pub fn to_state_space(&self) -> Result<StateSpace, LinearError> {
        if let Some(velocity) = &self.velocity {
            return rolling_states::state_space(self, velocity);
        }
        let n = self.n;
        let m = self.e.nrows() - 2 * n;
        let block = |from: &Dense, row: usize, col: usize, rows: usize, cols: usize, sign: f64| {
            Dense::from_fn(rows, cols, |i, j| sign * from[(row + i, col + j)])
        };
        let mass = block(&self.e, n, n, n, n, 1.0);
        let (k, c) = (block(&self.a, n, 0, n, n, -1.0), block(&self.a, n, n, n, n, -1.0));
        let phi_q = block(&self.a, 2 * n, 0, m, n, -1.0);
        let f = block(&self.b, n, 0, n, self.b.ncols(), 1.0);
        let names = &self.states;
        let basis = |method| NullSpace::new(&phi_q, &method, RankTolerance::default(), |i| names[i].clone());
        // States with a name where some coordinates can be the independent ones, combinations of all otherwise.
        let basis = match basis(NullSpaceMethod::CoordinateSelection(None)) {
            Err(ConstraintError::SelectionFails { .. }) => basis(NullSpaceMethod::Qr)?,
            other => other?,
        };
        let r = &basis.r;
        let dof = basis.dof();
        let states = match &basis.independent {
            Some(chosen) => chosen
                .iter()
                .chain(chosen)
                .enumerate()
                .map(|(k, i)| names[if k < dof { *i } else { n + *i }].clone())
                .collect(),
            None => numbered(2 * dof),
        };
        let reduce = |a: &Dense| dense::mul_transpose(r, &dense::mul(a, r));
        let mass_r = reduce(&mass);
        let no_inertia = || {
            let svd = Svd::new(&mass_r).ok();
            let direction = svd.map(|s| dense::matvec(r, &dense::column(&s.v, dof - 1))).unwrap_or_default();
            let worst = mb_constraints::largest(&direction).map_or(0, |(i, _)| i);
            LinearError::NoInertia { coordinate: names[worst].clone() }
        };
        let lu = Lu::new(&mass_r).map_err(|_| no_inertia())?;
        if lu.rcond() < 1e-14 {
            return Err(no_inertia());
        }
        // z'' = M_r^-1 (F_r u - K_r z - C_r z')
        let motion = self.rates.as_ref().map(|rates| MotionTerms::new(rates, &basis));
        // K R and C R, with what a changing R adds.
        let (mut of_z, mut of_rate) = (dense::mul(&k, r), dense::mul(&c, r));
        if let Some(terms) = &motion {
            of_z = &(&of_z + &dense::mul(&c, &terms.d)) + &dense::mul(&mass, &terms.e0);
            of_rate = &of_rate + &dense::mul(&mass, &terms.e1);
        }
        let by_z = dense::scale(-1.0, &lu.solve_mat(&dense::mul_transpose(r, &of_z)));
        let by_rate = dense::scale(-1.0, &lu.solve_mat(&dense::mul_transpose(r, &of_rate)));
        let by_u = lu.solve_mat(&dense::mul_transpose(r, &f));
        let zero = Dense::zeros(dof, dof);
        let a = dense::vstack(&[
            &dense::hstack(&[&zero, &dense::identity(dof)]),
            &dense::hstack(&[&by_z, &by_rate]),
        ]);
        let b = dense::vstack(&[&Dense::zeros(dof, f.ncols()), &by_u]);
        let ny = self.c.nrows();
        let y_q = block(&self.c, 0, 0, ny, n, 1.0);
        let y_v = block(&self.c, 0, n, ny, n, 1.0);
        let y_l = block(&self.c, 0, 2 * n, ny, m, 1.0);
        let mut y_z = dense::mul(&y_q, r);
        if let Some(terms) = &motion {
            y_z = &y_z + &dense::mul(&y_v, &terms.d);
        }
        let mut c_out = dense::hstack(&[&y_z, &dense::mul(&y_v, r)]);
        let mut d_out = self.d.clone();
        if norms::max_abs(&y_l) > 0.0 {
            // Phi_q^T dlambda = F u - K dq - C dv - M da; the shortest multipliers, whose Phi_q^T is the given one.
            let svd = Svd::new(&dense::transpose(&phi_q))?;
            let multipliers = |rhs: &Dense| {
                let columns: Vec<Vec<f64>> = (0..rhs.ncols())
                    .map(|j| svd.min_norm_solve(&dense::column(rhs, j), RankTolerance::default()))
                    .collect();
                dense::mul(&y_l, &dense::from_columns(m, &columns))
            };
            let m_r = dense::mul(&mass, r);
            let of_z = dense::scale(-1.0, &(&of_z + &dense::mul(&m_r, &by_z)));
            let of_rate = dense::scale(-1.0, &(&of_rate + &dense::mul(&m_r, &by_rate)));
            let of_u = &f - &dense::mul(&m_r, &by_u);
            c_out = &c_out + &dense::hstack(&[&multipliers(&of_z), &multipliers(&of_rate)]);
            d_out = &d_out + &multipliers(&of_u);
        }
        Ok(StateSpace {
            a,
            b,
            c: c_out,
            d: d_out,
            states,
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
        })
    }
}

impl StateSpace {
    /// Number of states k.
    pub fn order(&self) -> usize {
        self.a.nrows()
    }
    /// G(s) = C (s I - A)^-1 B + D, outputs x inputs.
    ///
    /// # Errors
    /// When s is an eigenvalue of A.
    pub fn transfer(&self, s: c64) -> Result<DenseC, LinearError> {
        let k = self.order();
        let matrix =
            DenseC::from_fn(k, k, |i, j| if i == j { s } else { c64::new(0.0, 0.0) } - self.a[(i, j)]);
        let x = LuComplex::new(&matrix)?.solve_mat(&dense::to_complex(&self.b));
        let y = dense::mul_complex(&dense::to_complex(&self.c), &x);
        Ok(DenseC::from_fn(self.c.nrows(), self.b.ncols(), |i, j| y[(i, j)] + self.d[(i, j)]))
    }
}

/// Names of states that are combinations of coordinates: `x1`, `x2`, ...
pub(crate) fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("x{i}")).collect()
}
