//! Where matrices come from when one expansion point is not enough.
//!
//! Planning an expansion and tracking modes need the matrices at other points than the first:
//! exact ones to measure against, and their series to expand anew.

use crate::model_series::{ModelSeries, PointRule, Request, Variable};
use crate::model_series::{checked_series, chosen_following, matrices_of, moved, point_at};
use crate::storage::Storage;
use crate::{Completeness, MatrixSeries, MultiIndexSet, ParametricError, PencilSeries};
use mb_algebra::{Dense, QuadraticPencil, Sparse};
use mb_model::{AnySource, Model, Point};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// Matrices as functions of parameters. Points are distances from one reference point.
pub trait SeriesSource {
    /// Storage of the matrices.
    type Matrix: Storage;

    /// Number of parameters.
    fn parameters(&self) -> usize;

    /// The exact matrices at a point.
    ///
    /// Errors: where there are none.
    fn matrices(&self, at: &[f64]) -> Result<QuadraticPencil<Self::Matrix>, ParametricError>;

    /// The series of the matrices about a point, over `set`.
    ///
    /// Errors: where there is none.
    fn series(&self, at: &[f64], set: &MultiIndexSet) -> Result<PencilSeries<Self::Matrix>, ParametricError>;

    /// What later matrices depend on besides their own point, as far as it was learnt since the last call: nothing where every
    /// point stands for itself.
    fn learnt(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes in what an earlier run learnt.
    fn learn(&self, _learnt: &[f64]) {}
}

/// Polynomials can be expanded anywhere; a truncated series only stands for itself at its centre,
/// and elsewhere is [`ParametricError::OneCentre`].
impl<A: Storage> SeriesSource for PencilSeries<A> {
    type Matrix = A;

    fn parameters(&self) -> usize {
        self.set().parameters()
    }

    fn matrices(&self, at: &[f64]) -> Result<QuadraticPencil<A>, ParametricError> {
        self.check_movable(at)?;
        self.evaluate(at)
    }

    fn series(&self, at: &[f64], set: &MultiIndexSet) -> Result<Self, ParametricError> {
        self.check_movable(at)?;
        if set.parameters() != self.set().parameters() || at.len() != set.parameters() {
            let (expected, found) = (self.set().parameters(), set.parameters());
            return Err(ParametricError::WrongLength { what: "the point", expected, found });
        }
        if at.iter().all(|x| *x == 0.0) {
            return Ok(self.clone());
        }
        let all = self.matrices();
        let matrices = QuadraticPencil {
            m: recentred(&all.m, at)?,
            c: recentred(&all.c, at)?,
            k: recentred(&all.k, at)?,
            phi_q: recentred(&all.phi_q, at)?,
        };
        Self::new(matrices, Completeness::Polynomial)
    }
}

impl<A: Storage> PencilSeries<A> {
    fn check_movable(&self, at: &[f64]) -> Result<(), ParametricError> {
        let moves = at.iter().any(|x| *x != 0.0);
        if moves && self.completeness() == Completeness::Truncated {
            return Err(ParametricError::OneCentre);
        }
        Ok(())
    }
}

/// The same polynomial about another point: A'[tau] = sum C(sigma, tau) at^(sigma - tau) A[sigma].
fn recentred<A: Storage>(series: &MatrixSeries<A>, at: &[f64]) -> Result<MatrixSeries<A>, ParametricError> {
    let set = series.set();
    let mut moved = Vec::with_capacity(set.len());
    for tau in set.iter() {
        let mut sum = A::zero(series.nrows(), series.ncols());
        for (sigma, a) in set.iter().zip(series.coefficients()) {
            if sigma.iter().zip(tau).any(|(s, t)| s < t) {
                continue;
            }
            let factor: f64 = (0..tau.len())
                .map(|k| binomial(sigma[k], tau[k]) * at[k].powi(i32::from(sigma[k] - tau[k])))
                .product();
            if factor != 0.0 {
                sum = A::sum(1.0, &sum, factor, a);
            }
        }
        moved.push(sum);
    }
    MatrixSeries::new(set.clone(), moved)
}

fn binomial(n: u8, k: u8) -> f64 {
    (0..k).fold(1.0, |out, i| out * f64::from(n - i) / f64::from(i + 1))
}

/// A model about an operating point, in the variables given, with dense or sparse matrices.
///
/// With [`PointRule::Balanced`] the operating point is found anew at each point, from the one at
/// the reference point.
pub struct MovingModel<'a, A: Storage = Dense> {
    source: &'a dyn AnySource,
    centre: Point,
    variables: Vec<Variable>,
    rule: PointRule,
    following: Option<Vec<usize>>,
    kept: Vec<usize>,
    storage: PhantomData<A>,
}

impl<'a> MovingModel<'a> {
    /// A model about `centre` with dense matrices; nothing is computed yet.
    pub fn new(source: &'a dyn AnySource, centre: &Point, variables: &[Variable], rule: PointRule) -> Self {
        Self::about(source, centre, variables, rule)
    }
}

impl<'a> MovingModel<'a, Sparse> {
    /// The same with sparse matrices, for large models.
    pub fn sparse(
        source: &'a dyn AnySource,
        centre: &Point,
        variables: &[Variable],
        rule: PointRule,
    ) -> Self {
        Self::about(source, centre, variables, rule)
    }
}

impl<'a, A: Storage> MovingModel<'a, A> {
    /// A model about `centre` in either storage; nothing is computed yet.
    pub fn about(source: &'a dyn AnySource, centre: &Point, variables: &[Variable], rule: PointRule) -> Self {
        let (centre, variables) = (centre.clone(), variables.to_vec());
        Self { source, centre, variables, rule, following: None, kept: Vec::new(), storage: PhantomData }
    }

    /// With the coordinates named whose speeds and accelerations follow from constraints, as many as these; without, they
    /// are chosen at the reference point (see [`crate::following_speeds`]).
    #[must_use]
    pub fn with_following(self, following: &[usize]) -> Self {
        Self { following: Some(following.to_vec()), ..self }
    }

    /// With further coordinates whose speeds and accelerations are given rather than follow from constraints, as far as they
    /// can be, besides those that are variables.
    #[must_use]
    pub fn keeping(self, kept: &[usize]) -> Self {
        Self { kept: kept.to_vec(), ..self }
    }

    /// The variables, in the order of the parameters.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The coordinates whose speeds follow from constraints; none where nothing moves.
    ///
    /// Errors: as [`crate::following_speeds`]; [`ParametricError::SpeedFollows`].
    pub fn following(&self) -> Result<Vec<usize>, ParametricError> {
        match (&self.following, &self.rule) {
            (Some(given), _) => Ok(given.clone()),
            (None, PointRule::Frozen) => Ok(Vec::new()),
            (None, rule) => {
                if rule.steady().is_some() {
                    return Ok(Vec::new());
                }
                let model = self.source.model_f64(&BTreeMap::new())?;
                let fixed = rule.holds().map_or(&[][..], |(fixed, _)| fixed);
                let kept = [&self.kept, fixed].concat();
                chosen_following(&model, &self.centre, &self.variables, &kept)
            }
        }
    }

    /// The operating point at `at`, in equilibrium where the rule says so.
    ///
    /// Errors: as [`crate::model_series()`].
    pub fn point(&self, at: &[f64]) -> Result<Point, ParametricError> {
        self.model_and_point(at).map(|(_, point)| point)
    }

    /// The series about `at`, with that of the operating point.
    ///
    /// Errors: as [`crate::model_series()`].
    pub fn model_series(&self, at: &[f64], set: &MultiIndexSet) -> Result<ModelSeries<A>, ParametricError> {
        let (shifted, ..) = moved(self.source, &self.centre, &self.variables, at)?;
        let following = self.following()?;
        let point = self.point(at)?;
        let request = Request {
            centre: &point,
            variables: &self.variables,
            set,
            rule: &self.rule,
            following: Some(&following),
        };
        checked_series(&shifted, &request)
    }

    /// The matrices at the reference point as it is, which is known to be an operating point.
    ///
    /// Errors: the model's own.
    pub fn matrices_here(&self) -> Result<QuadraticPencil<A>, ParametricError> {
        Ok(matrices_of(&self.source.model_f64(&BTreeMap::new())?, &self.centre, &self.rule))
    }

    fn model_and_point(&self, at: &[f64]) -> Result<(Model, Point), ParametricError> {
        let following = self.following()?;
        point_at(self.source, &self.centre, &self.variables, at, &self.rule, &following)
    }
}

impl<A: Storage> SeriesSource for MovingModel<'_, A> {
    type Matrix = A;

    fn parameters(&self) -> usize {
        self.variables.len()
    }

    fn matrices(&self, at: &[f64]) -> Result<QuadraticPencil<A>, ParametricError> {
        self.model_and_point(at).map(|(model, point)| matrices_of(&model, &point, &self.rule))
    }

    fn series(&self, at: &[f64], set: &MultiIndexSet) -> Result<PencilSeries<A>, ParametricError> {
        self.model_series(at, set).map(|series| series.pencil)
    }
}
