//! The arm of palomba2019 and a large sparse grid, ready to be expanded.

use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, sparse};
use mb_eigen::DenseOptions;
use mb_gallery::models::ErlsArm;
use mb_model::Point;
use mb_parametric::{
    Completeness, EigenpairSeries, ExpandOptions, MatrixSeries, ModelSeries, MovingModel, MultiIndexSet,
    PencilSeries, PointRule, SeriesSource, StartingEigenpair, Variable, expand, model_series,
};
use std::error::Error;

/// Order of the polynomials.
pub const ORDER: usize = 4;
/// Points of the path.
pub const SAMPLES: usize = 51;

/// The arm in its two angles and two speeds.
#[derive(Debug)]
pub struct Arm {
    source: ErlsArm,
    centre: Point,
    variables: Vec<Variable>,
    set: MultiIndexSet,
    /// The series of the matrices.
    pub pencil: PencilSeries,
    /// The three elastic modes of lowest frequency.
    pub starts: Vec<StartingEigenpair>,
}

impl Arm {
    /// The arm near its printed operating point.
    ///
    /// # Errors
    /// None that the arm meets.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let source = ErlsArm::recovered();
        let first = source.first_angle();
        let centre = source.in_motion();
        let variables = vec![
            Variable::Coordinate(first),
            Variable::Coordinate(first + 1),
            Variable::Speed(first),
            Variable::Speed(first + 1),
        ];
        let set = MultiIndexSet::total(4, ORDER)?;
        let series = model_series(&source, &centre, &variables, &set, &rule())?;
        let spectrum = mb_eigen::dense::solve(&series.pencil.evaluate(&[0.0; 4])?, &DenseOptions::default())?;
        let pairs = spectrum.motion().filter_map(|pair| Some((pair.value()?, pair.right.as_slice())));
        let mut starts = StartingEigenpair::oscillations(pairs, ErlsArm::ELASTIC_FROM);
        starts.truncate(3);
        Ok(Self { source, centre, variables, set, pencil: series.pencil, starts })
    }

    /// The series of the matrices and of the operating point.
    ///
    /// # Errors
    /// None that the arm meets.
    pub fn matrices(&self) -> Result<ModelSeries, Box<dyn Error>> {
        Ok(model_series(&self.source, &self.centre, &self.variables, &self.set, &rule())?)
    }

    /// The three pairs, given the matrices.
    ///
    /// # Errors
    /// None that the arm meets.
    pub fn expand(&self) -> Result<Vec<EigenpairSeries>, Box<dyn Error>> {
        let one = |start| expand(&self.pencil, start, &self.set, &ExpandOptions::default());
        Ok(self.starts.iter().map(one).collect::<Result<_, _>>()?)
    }

    /// Points around the centre.
    pub fn points(&self) -> Vec<[f64; 4]> {
        let at = |i: usize| {
            let t = 2.0 * i as f64 / (SAMPLES - 1) as f64 - 1.0;
            [0.2 * t, -0.15 * t, 0.3 * t, 0.4 * t]
        };
        (0..SAMPLES).map(at).collect()
    }

    /// The exact matrices at those points.
    ///
    /// # Errors
    /// None that the arm meets.
    pub fn exact(&self) -> Result<Vec<QuadraticPencil<Dense>>, Box<dyn Error>> {
        let moving = MovingModel::new(&self.source, &self.centre, &self.variables, rule());
        Ok(self.points().iter().map(|d| moving.matrices(d)).collect::<Result<_, _>>()?)
    }
}

fn rule() -> PointRule {
    PointRule::Balanced { holding: vec![0, 1] }
}

/// A grid of `side` x `side` masses on springs to their neighbours and, weakly, to ground, with
/// proportional damping; the stiffness of one half and the mass of one quarter vary. The sides
/// differ a little, so that no frequency is double.
#[derive(Debug)]
pub struct Grid {
    /// The series of the matrices.
    pub pencil: PencilSeries<Sparse>,
    /// M, C, K at the centre.
    pub centre: QuadraticPencil<Sparse>,
}

impl Grid {
    /// A grid of `side`^2 unknowns.
    ///
    /// # Errors
    /// None that a grid meets.
    pub fn new(side: usize) -> Result<Self, Box<dyn Error>> {
        let n = side * side;
        let number = |i: usize, j: usize| i * side + j;
        let (mut k, mut half) = (Triplets::new(n, n), Triplets::new(n, n));
        for i in 0..side {
            for j in 0..side {
                let a = number(i, j);
                k.add(a, a, 1e-3);
                for (b, stiffness) in [
                    (i + 1 < side).then(|| (number(i + 1, j), 1.0)),
                    (j + 1 < side).then(|| (number(i, j + 1), 1.3)),
                ]
                .into_iter()
                .flatten()
                {
                    for out in [&mut k].into_iter().chain((i < side / 2).then_some(&mut half)) {
                        out.add(a, a, stiffness);
                        out.add(b, b, stiffness);
                        out.add(a, b, -stiffness);
                        out.add(b, a, -stiffness);
                    }
                }
            }
        }
        let mut quarter = Triplets::new(n, n);
        for i in 0..side / 2 {
            for j in 0..side / 2 {
                quarter.add(number(i, j), number(i, j), 1.0);
            }
        }
        let (k, m) = (k.to_sparse(), sparse::identity(n));
        let c = sparse::add(1e-3, &m, 1e-3, &k);
        let set = MultiIndexSet::total(2, 1)?;
        let (zero, x, y): ([u8; 2], [u8; 2], [u8; 2]) = ([0, 0], [1, 0], [0, 1]);
        let series = |terms: &[([u8; 2], &Sparse)], rows: usize| {
            let list: Vec<(&[u8], &Sparse)> = terms.iter().map(|(s, a)| (s.as_slice(), *a)).collect();
            MatrixSeries::from_terms(set.clone(), rows, n, &list)
        };
        let pencil = PencilSeries::new(
            QuadraticPencil {
                m: series(&[(zero, &m), (y, &quarter.to_sparse())], n)?,
                c: series(&[(zero, &c)], n)?,
                k: series(&[(zero, &k), (x, &half.to_sparse())], n)?,
                phi_q: series(&[], 0)?,
            },
            Completeness::Polynomial,
        )?;
        let centre = pencil.evaluate(&[0.0, 0.0])?;
        Ok(Self { pencil, centre })
    }
}
