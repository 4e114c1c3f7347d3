//! Where the mass matrices of the flexible double pendulum and their Cholesky factors have entries.
//!
//! Paper: [gonzalez2017] Fig. 5, Sec. 5.3.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::{Dense, RankTolerance, dense};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_gallery::files;
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{penalty_equilibrium, unconstrained};
use mb_model::{BlockKind, Model, Point};

use super::super::results::Measured;
use super::pendulum::{Prepared, factors, independent, prepare};
use super::spectra::words;

/// Entries below this share of the diagonal's geometric mean count as zeros.
const ZERO_BELOW: f64 = 1e-12;
/// Elements of each link in the figure.
pub(crate) const FEW: u32 = 5;

/// Size, nonzeros, and nonzeros of the lower Cholesky factor of a mass matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) size: usize,
    pub(crate) nonzeros: usize,
    pub(crate) factor: usize,
}

/// Where a matrix has entries, and where its lower factor has.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) matrix: Vec<Vec<bool>>,
    pub(crate) factor: Vec<Vec<bool>>,
}

impl Pattern {
    pub(crate) fn counts(&self) -> Counts {
        let count = |p: &[Vec<bool>]| p.iter().flatten().filter(|x| **x).count();
        Counts { size: self.matrix.len(), nonzeros: count(&self.matrix), factor: count(&self.factor) }
    }
}

/// The patterns of M_r, M_q and M_p for five elements at the equilibrium.
pub(crate) fn patterns() -> Measured<[Pattern; 3]> {
    let prepared = prepare(FEW, false)?;
    let lin = prepared.linear();
    let chosen = NullSpaceMethod::CoordinateSelection(Some(independent(&prepared.model)));
    let reduced = minimal(&prepared.model, &lin, &chosen).map_err(words)?;
    let penalty_at =
        penalty_equilibrium(&prepared.model, prepared.rest.point(), &factors()).map_err(words)?;
    let penalized = unconstrained(&prepared.model, &penalty_at, &factors()).map_err(words)?;
    Ok([&reduced.m, &lin.m, &penalized.m].map(|m| lower(pattern(m))))
}

/// A pattern with that of its lower factor.
fn lower(matrix: Vec<Vec<bool>>) -> Pattern {
    let mut factor = filled(matrix.clone());
    for (i, row) in factor.iter_mut().enumerate() {
        row[i + 1..].fill(false);
    }
    Pattern { matrix, factor }
}

/// Coordinates of a link before those of its nodes: x, y, theta.
const FRAME: usize = 3;
/// Coordinates of a node.
const NODE: usize = 3;

/// The factor of M_r counted by element: an entry stands wherever an element has one, also where neighbours cancel it.
///
/// One element couples its frame, its two nodes and nothing else; where it has entries is read off a pendulum of one
/// element for each link, bent and turned. Between equal elements the rotation of a node has two contributions to the
/// linear momentum, +-rho A h^2/12, which cancel: by numbers those entries are missing.
pub(crate) fn factor_by_element() -> Measured<Counts> {
    let elements = FEW as usize;
    let single = prepare(1, false)?;
    let element = pattern(&single.model.mass(&bent(&single)).to_dense());
    let size = FRAME + NODE * (elements + 1);
    let mut mass = vec![vec![false; 2 * size]; 2 * size];
    for link in 0..2 {
        for first in 0..elements {
            // Coordinates of the element's frame and nodes among those of the pendulum, and in the single element.
            let place = |i: usize| link * size + if i < FRAME { i } else { i + NODE * first };
            let own = |i: usize| link * (FRAME + 2 * NODE) + i;
            for i in 0..FRAME + 2 * NODE {
                for j in 0..FRAME + 2 * NODE {
                    mass[place(i)][place(j)] |= element[own(i)][own(j)];
                }
            }
        }
    }
    let prepared = prepare(FEW, false)?;
    let r = selection(&prepared, &bent(&prepared))?;
    let moves: Vec<Vec<usize>> =
        (0..r.ncols()).map(|j| (0..r.nrows()).filter(|i| r[(*i, j)].abs() > ZERO_BELOW).collect()).collect();
    let coupled = |a: &[usize], b: &[usize]| a.iter().any(|i| b.iter().any(|j| mass[*i][*j]));
    let matrix: Vec<Vec<bool>> =
        moves.iter().map(|a| moves.iter().map(|b| coupled(a, b)).collect()).collect();
    Ok(lower(matrix).counts())
}

/// R of the coordinates that a user would choose.
fn selection(prepared: &Prepared, at: &Point) -> Measured<Dense> {
    let chosen = NullSpaceMethod::CoordinateSelection(Some(independent(&prepared.model)));
    let phi_q = prepared.model.phi_q(&at.q, at.t).to_dense();
    let name = |i: usize| prepared.model.coordinate_name(i);
    Ok(NullSpace::new(&phi_q, &chosen, RankTolerance::default(), name).map_err(words)?.r)
}

/// The patterns of M_r, M_q and M_p for five elements in a bent pose, where nothing is zero by the pose alone.
pub(crate) fn bent_patterns() -> Measured<[Pattern; 3]> {
    let prepared = prepare(FEW, false)?;
    let at = bent(&prepared);
    let m = prepared.model.mass(&at).to_dense();
    let phi_q = prepared.model.phi_q(&at.q, at.t).to_dense();
    let xi = factors().xi.matrix(phi_q.nrows(), "Xi").map_err(words)?;
    let r = selection(&prepared, &at)?;
    let reduced = dense::mul_transpose(&r, &dense::mul(&m, &r));
    let penalized = &m + &dense::mul_transpose(&phi_q, &dense::mul(&xi, &phi_q));
    Ok([&reduced, &m, &penalized].map(|m| lower(pattern(m))))
}

/// A pose with turned links and every free node displaced.
fn bent(prepared: &Prepared) -> Point {
    let model = &prepared.model;
    let mut at = prepared.at.point().clone();
    let blocks = model.coordinates().blocks();
    for (k, block) in blocks.iter().enumerate() {
        match block.kind {
            BlockKind::PlanarPose => at.q[block.q + 2] = -1.2 + 0.1 * k as f64,
            BlockKind::ElasticNode if blocks[k - 1].kind == BlockKind::ElasticNode => {
                (0..NODE).for_each(|i| at.q[block.q + i] = 0.01 * ((block.q + i) as f64).sin());
            }
            _ => {}
        }
    }
    at
}

/// Entries of M_p beyond those of M, and of M_p and of the factors of M_q and M_p outside the blocks of the two links.
pub(crate) fn outside_of_links() -> Measured<[usize; 4]> {
    let [_, q, p] = patterns()?;
    let half = q.matrix.len() / 2;
    let count = |m: &[Vec<bool>], inside: &dyn Fn(usize, usize) -> bool| {
        let entries =
            m.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, x)| (i, j, *x)));
        entries.filter(|(i, j, x)| *x && inside(*i, *j)).count()
    };
    let between = |i: usize, j: usize| (i < half) != (j < half);
    Ok([
        count(&p.matrix, &|i, j| !q.matrix[i][j]),
        count(&p.matrix, &between),
        count(&q.factor, &between),
        count(&p.factor, &between),
    ])
}

/// Entries of Phi_q^T Phi_q between the slider of a slider-crank and its other links: those of the joint that closes the loop, less
/// those that stand without it.
pub(crate) fn closing_a_loop() -> Measured<usize> {
    let model = Model::from_toml(files::SLIDER_CRANK).map_err(words)?;
    let at = model.initial_point();
    let phi_q = model.phi_q(&at.q, at.t).to_dense();
    let slider = |i: usize| model.coordinate_name(i).starts_with("slider");
    let closes = |row: usize| model.row_name(row).contains("wrist-pin");
    let between = |rows: &dyn Fn(usize) -> bool| {
        let kept: Vec<usize> = (0..phi_q.nrows()).filter(|row| rows(*row)).collect();
        let part = Dense::from_fn(kept.len(), phi_q.ncols(), |i, j| phi_q[(kept[i], j)]);
        let product = dense::mul_transpose(&part, &part);
        let n = product.nrows();
        (0..n * n).filter(|k| slider(k / n) != slider(k % n) && product[(k / n, k % n)] != 0.0).count()
    };
    let (all, open) = (between(&|_| true), between(&|row| !closes(row)));
    if open > 0 || !(0..phi_q.nrows()).any(closes) {
        return Err(format!("the slider is not held by the wrist pin alone: {open} entries without it"));
    }
    Ok(all)
}

/// Entries of M_q that the model's own mass matrix does not have.
pub(crate) fn added_by_rcs() -> Measured<usize> {
    let prepared = prepare(FEW, false)?;
    let own = pattern(&prepared.model.mass(prepared.at.point()).to_dense());
    let ours = pattern(&prepared.linear().m);
    Ok(ours.iter().flatten().zip(own.iter().flatten()).filter(|(ours, own)| **ours && !**own).count())
}

/// Where a symmetric matrix has entries that are no rounding.
fn pattern(m: &Dense) -> Vec<Vec<bool>> {
    let n = m.nrows();
    let limit = |i: usize, j: usize| ZERO_BELOW * (m[(i, i)].abs() * m[(j, j)].abs()).sqrt();
    (0..n).map(|i| (0..n).map(|j| m[(i, j)].abs() > limit(i, j)).collect()).collect()
}

/// The pattern with the fill of elimination in the order of the rows, whatever the numbers.
fn filled(mut pattern: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let n = pattern.len();
    for k in 0..n {
        let below: Vec<usize> = (k + 1..n).filter(|i| pattern[*i][k]).collect();
        for i in &below {
            for j in &below {
                pattern[*i][*j] = true;
            }
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_of_an_arrow_is_full_from_the_head_and_none_from_the_tail() {
        let arrow = |head: usize| {
            (0..4)
                .map(|i| (0..4).map(|j| i == j || i == head || j == head).collect())
                .collect::<Vec<Vec<_>>>()
        };
        let count = |p: Vec<Vec<bool>>| filled(p).iter().flatten().filter(|x| **x).count();
        assert_eq!((count(arrow(0)), count(arrow(3))), (16, 10));
    }
}
