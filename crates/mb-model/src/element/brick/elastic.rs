//! The constant matrices of an unstressed hexahedron: stiffness of its strain numbers, and mass.
//!
//! With C the isotropic law in covariant components at integration point g,
//! C^ijkl = lambda G^ij G^kl + mu (G^ik G^jl + G^il G^jk), and w = det J its weight,
//!
//! ```text
//! full       V = sum of w/2 E_g : C : E_g,  E_g the strain numbers at g
//! enhanced   V = least over a of sum of w/2 (E_g + M_g a) : C : (E_g + M_g a)
//! ```
//!
//! M_g are the modes of Simo and Rifai, 21 as Andelfinger and Ramm chose them: in E_11 xi, xi eta, xi zeta; in 2 E_12
//! xi, eta, xi zeta, eta zeta; and cyclic; transformed by the axes in the middle of the element and divided by det J, so
//! that their integral vanishes (patch test). As the law is linear in E, and E linear in a, the least is reached at
//! a = -D^-1 G^T e with constant D and G: the modes are eliminated once and for all, without an approximation,
//! H = H_full - G D^-1 G^T, and the element keeps its 24 coordinates.
//!
//! `full` is stiff in bending (parasitic shear), the more so the longer its elements are, and for nu near 1/2; `enhanced`
//! is neither: bending of rectangular elements is exact, each polynomial of the volume strain but the constant can be
//! cancelled by a mode. In strong compression enhanced modes can make an element unstable before the material is.
//!
//! Fails where det J is not positive.

use super::component::Beside;
use super::natural::{CORNERS, Gradients, STRAINS, dot, functions, number_of, others, point, slopes};
use crate::element::Data;
use crate::element::rotation::cross;
use nalgebra::Vector3;

/// Voigt components: 11, 22, 33, 12, 23, 31.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];
/// Modes of the enhanced strain.
const MODES: usize = 21;
/// Entries of H below this part of the geometric mean of their diagonal entries are rounding.
const ROUNDING: f64 = 1e-15;
/// Part of the largest Jacobian determinant of an element below which one counts as zero.
const FLAT: f64 = 1e-10;

/// How strains are made of the displacements of the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrickFormulation {
    /// With enhanced strains: free of locking in bending and near incompressibility.
    #[default]
    Enhanced,
    /// Displacements alone, 2 x 2 x 2 points: stiff in bending.
    Full,
}

/// How the mass of an element is spread over its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassForm {
    /// By the shape functions.
    #[default]
    Consistent,
    /// Its row sums on the diagonal.
    Lumped,
}

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMaterial<P = f64> {
    /// Density, kg/m^3.
    pub density: P,
    /// Young's modulus E, Pa.
    pub youngs_modulus: P,
    /// Poisson's ratio nu, above -1 and below 1/2.
    pub poissons_ratio: P,
}

impl<P: Data> SolidMaterial<P> {
    /// Lame's constants lambda and mu, Pa.
    pub fn lame(&self) -> (P, P) {
        let (e, nu) = (self.youngs_modulus, self.poissons_ratio);
        let mu = e / (P::one() + nu).scale(2.0);
        (mu.scale(2.0) * nu / (P::one() - nu.scale(2.0)), mu)
    }
}

/// An element whose Jacobian determinant is not positive somewhere: inside out, flat or folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongBrick {
    /// Where, in natural coordinates.
    pub at: [f64; 3],
    /// The node there, 0 to 7; none at an integration point.
    pub node: Option<usize>,
    /// The determinant there, m^3.
    pub jacobian: f64,
}

/// The constant matrices of an unstressed hexahedron of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct BrickShape<P = f64> {
    /// The numbers that strains are counted from.
    pub(super) natural: [P; STRAINS],
    /// H.
    pub(super) elastic: Form<P>,
    /// m_ab, kg.
    pub(super) mass: [[P; 8]; 8],
    /// m_a, kg.
    pub(super) weight: [P; 8],
}

/// A symmetric matrix of the strain numbers, by rows, without the entries that are zero.
///
/// Elements with right angles, those of every block mesh, have eight times fewer of them than others: neither do shears
/// work with stretches, nor polynomials that are orthogonal on the cube with each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form<P> {
    /// First entry of each row, and one more.
    first: [u16; STRAINS + 1],
    columns: Vec<u8>,
    values: Vec<P>,
}

impl<P: Data> Form<P> {
    /// From the lower triangle by rows. What is only rounding compared with both diagonal entries is zero.
    fn of(lower: &[P]) -> Self {
        let (mut first, mut columns, mut values) = ([0; STRAINS + 1], Vec::new(), Vec::new());
        let size = |i: usize| lower[packed(i, i)].value().abs();
        for i in 0..STRAINS {
            for (j, column) in (0..STRAINS).zip(0_u8..) {
                let entry = lower[packed(i.max(j), i.min(j))];
                let rounding = entry == P::cst(entry.value())
                    && entry.value().abs() <= ROUNDING * (size(i) * size(j)).sqrt();
                if !rounding {
                    columns.push(column);
                    values.push(entry);
                    first[i + 1] += 1;
                }
            }
        }
        for i in 0..STRAINS {
            first[i + 1] += first[i];
        }
        Self { first, columns, values }
    }
    /// H e.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what is compiled for a processor must be in one piece")]
    pub(super) fn times<S: Beside<P>>(&self, e: &[S; STRAINS]) -> [S; STRAINS] {
        let mut out = [S::none(); STRAINS];
        for (out, row) in out.iter_mut().zip(self.first.windows(2)) {
            let row = usize::from(row[0])..usize::from(row[1]);
            let mut sum = S::none();
            for (j, h) in self.columns[row.clone()].iter().zip(&self.values[row]) {
                sum += e[usize::from(*j)].times(*h);
            }
            *out = sum;
        }
        out
    }
}

/// Where entry (i, j), i >= j, of a symmetric matrix stands in its lower triangle.
const fn packed(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// Columns of the Jacobian matrix at a point, for nodes at `x`.
fn axes<P: Data>(x: &[[P; 3]; 8], at: [f64; 3]) -> [Vector3<P>; 3] {
    let mut out = [Vector3::from([P::zero(); 3]); 3];
    for (x, slopes) in x.iter().zip(slopes(at)) {
        for d in 0..3 {
            out[d] += Vector3::from(x.map(|x| x.scale(slopes[d])));
        }
    }
    out
}
fn determinant<P: Data>([a, b, c]: &[Vector3<P>; 3]) -> P {
    crate::element::rotation::dot(&cross(a, b), c)
}

impl<P: Data> BrickShape<P> {
    /// The element with its nodes at `x` (m, in the order of [`crate::SolidMesh`]) where it is free of stress.
    ///
    /// # Errors
    /// A Jacobian determinant that is not positive at a node or an integration point.
    pub fn new(
        x: &[[P; 3]; 8],
        material: &SolidMaterial<P>,
        formulation: BrickFormulation,
    ) -> Result<Self, WrongBrick> {
        check(&x.map(|x| x.map(P::value)))?;
        let nodes: Vec<P> = x.as_flattened().to_vec();
        let gradients = Gradients::new(&nodes);
        let (mass, weight) = masses(x, material.density);
        let elastic = Form::of(&elastic(x, &gradients, material.lame(), formulation));
        Ok(Self { natural: gradients.numbers(), elastic, mass, weight })
    }
    /// Mass, kg.
    pub fn mass(&self) -> P {
        let mut sum = P::zero();
        for m in self.weight {
            sum += m;
        }
        sum
    }
}

/// Refuses elements that are inside out, flat or folded.
pub(crate) fn check(x: &[[f64; 3]; 8]) -> Result<(), WrongBrick> {
    let corners = CORNERS.iter().enumerate().map(|(k, c)| (Some(k), *c));
    let points: Vec<_> = corners.chain((0..8).map(|g| (None, point(g)))).collect();
    let jacobians: Vec<f64> = points.iter().map(|(_, at)| determinant(&axes(x, *at))).collect();
    let largest = jacobians.iter().fold(0.0_f64, |s, j| s.max(j.abs()));
    let least = (0..points.len()).min_by(|i, k| jacobians[*i].total_cmp(&jacobians[*k])).unwrap_or(0);
    if jacobians[least] > FLAT * largest {
        return Ok(());
    }
    Err(WrongBrick { at: points[least].1, node: points[least].0, jacobian: jacobians[least] })
}

/// m_ab and m_a by 3 x 3 x 3 points, exact for every shape.
fn masses<P: Data>(x: &[[P; 3]; 8], density: P) -> ([[P; 8]; 8], [P; 8]) {
    // sqrt(3/5)
    const OUTER: f64 = 0.774_596_669_241_483_4;
    const RULE: [(f64, f64); 3] = [(-OUTER, 5.0 / 9.0), (0.0, 8.0 / 9.0), (OUTER, 5.0 / 9.0)];
    let (mut mass, mut weight) = ([[P::zero(); 8]; 8], [P::zero(); 8]);
    for (xi, a) in RULE {
        for (eta, b) in RULE {
            for (zeta, c) in RULE {
                let at = [xi, eta, zeta];
                let n = functions(at);
                let dm = density * determinant(&axes(x, at)).scale(a * b * c);
                for i in 0..8 {
                    weight[i] += dm.scale(n[i]);
                    for j in 0..8 {
                        mass[i][j] += dm.scale(n[i] * n[j]);
                    }
                }
            }
        }
    }
    (mass, weight)
}

/// H, lower triangle by rows.
fn elastic<P: Data>(
    x: &[[P; 3]; 8],
    gradients: &Gradients<P>,
    lame: (P, P),
    formulation: BrickFormulation,
) -> Vec<P> {
    let mut h = vec![P::zero(); packed(STRAINS, 0)];
    // G and D of the modes.
    let mut coupling = vec![[P::zero(); MODES]; STRAINS];
    let mut own = vec![[P::zero(); MODES]; MODES];
    let middle = axes(x, [0.0; 3]);
    for g in 0..8 {
        let at: [Vector3<P>; 3] = [0, 1, 2].map(|d| Vector3::from(*gradients.at(d, g)));
        let jacobian = determinant(&at);
        let law = law(&at, jacobian, lame);
        for a in 0..6 {
            for b in 0..6 {
                let (i, j) = (number_of(a, g), number_of(b, g));
                if i >= j {
                    h[packed(i, j)] += law[a][b];
                }
            }
        }
        if formulation == BrickFormulation::Full {
            continue;
        }
        let modes = modes(point(g), &middle, &at, jacobian);
        for a in 0..6 {
            let mut stress = [P::zero(); MODES];
            for b in 0..6 {
                for (s, m) in stress.iter_mut().zip(&modes[b]) {
                    *s += law[a][b] * *m;
                }
            }
            for (k, s) in stress.into_iter().enumerate() {
                coupling[number_of(a, g)][k] += s;
                for (l, m) in modes[a].iter().enumerate() {
                    own[l][k] += *m * s;
                }
            }
        }
    }
    if formulation == BrickFormulation::Enhanced {
        eliminate(&mut own, &mut coupling, &mut h);
    }
    h
}

/// Weighted law at a point with axes G_1, G_2, G_3: work-conjugate to (E_11, E_22, E_33, 2 E_12, 2 E_23, 2 E_31).
fn law<P: Data>(axes: &[Vector3<P>; 3], jacobian: P, (lambda, mu): (P, P)) -> [[P; 6]; 6] {
    // Contravariant axes, and their products.
    let dual: [[P; 3]; 3] = [0, 1, 2].map(|d| {
        let (e, f) = others(d);
        (cross(&axes[e], &axes[f]) / jacobian).into()
    });
    let metric = |i: usize, j: usize| dot(&dual[i], &dual[j]);
    let mut out = [[P::zero(); 6]; 6];
    for (row, (i, j)) in out.iter_mut().zip(PAIRS) {
        for (entry, (k, l)) in row.iter_mut().zip(PAIRS) {
            let shear = metric(i, k) * metric(j, l) + metric(i, l) * metric(j, k);
            *entry = (lambda * metric(i, j) * metric(k, l) + mu * shear) * jacobian;
        }
    }
    out
}

/// Enhanced strain modes in covariant components at a point: det J_0 / det J T^T E T, T = J_0^-1 J.
fn modes<P: Data>(
    at: [f64; 3],
    middle: &[Vector3<P>; 3],
    axes: &[Vector3<P>; 3],
    jacobian: P,
) -> [[P; MODES]; 6] {
    let center = determinant(middle);
    let mut t = [[P::zero(); 3]; 3];
    for d in 0..3 {
        let (e, f) = others(d);
        let dual = cross(&middle[e], &middle[f]) / center;
        for k in 0..3 {
            t[d][k] = crate::element::rotation::dot(&dual, &axes[k]);
        }
    }
    let ratio = center / jacobian;
    let mut out = [[P::zero(); MODES]; 6];
    let mut mode = 0;
    let mut enter = |i: usize, j: usize, value: f64| {
        for (row, (k, l)) in out.iter_mut().zip(PAIRS) {
            // E_ii = value or 2 E_ij = value; components off the diagonal stand doubled in the rows too.
            let both = t[i][k] * t[j][l] + t[j][k] * t[i][l];
            row[mode] = (ratio * both).scale(if k == l { 0.5 * value } else { value });
        }
        mode += 1;
    };
    for d in 0..3 {
        let (e, f) = others(d);
        for value in [at[d], at[d] * at[e], at[d] * at[f]] {
            enter(d, d, value);
        }
    }
    for d in 0..3 {
        let (e, f) = others(d);
        for value in [at[d], at[e], at[d] * at[f], at[e] * at[f]] {
            enter(d, e, value);
        }
    }
    out
}

/// h - G D^-1 G^T, with D factorized in place: D = L L^T, G <- G L^-T.
fn eliminate<P: Data>(own: &mut [[P; MODES]], coupling: &mut [[P; MODES]], h: &mut [P]) {
    for k in 0..MODES {
        let mut pivot = own[k][k];
        for l in 0..k {
            pivot -= own[k][l] * own[k][l];
        }
        let root = pivot.sqrt();
        own[k][k] = root;
        for i in k + 1..MODES {
            let mut x = own[i][k];
            for l in 0..k {
                x -= own[i][l] * own[k][l];
            }
            own[i][k] = x / root;
        }
    }
    for row in coupling.iter_mut() {
        for k in 0..MODES {
            let mut x = row[k];
            for l in 0..k {
                x -= row[l] * own[k][l];
            }
            row[k] = x / own[k][k];
        }
    }
    for i in 0..STRAINS {
        for j in 0..=i {
            let mut sum = P::zero();
            for (a, b) in coupling[i].iter().zip(&coupling[j]) {
                sum += *a * *b;
            }
            h[packed(i, j)] -= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEEL: SolidMaterial = SolidMaterial { density: 1.0, youngs_modulus: 2.0, poissons_ratio: 0.3 };

    /// Rows without zeros give what the whole matrix gives, and boxes have few entries.
    #[test]
    fn zeros_are_left_out_and_nothing_else() {
        let boxed = CORNERS.map(|c| [0.7 * c[0], 0.2 * c[1], 1.3 * c[2]]);
        let mut bent = boxed;
        for (k, x) in bent.as_flattened_mut().iter_mut().enumerate() {
            *x += 0.05 * ((5 * k) as f64).sin();
        }
        for formulation in [BrickFormulation::Enhanced, BrickFormulation::Full] {
            for (x, most) in [(boxed, 200), (bent, STRAINS * STRAINS)] {
                let gradients = Gradients::new(x.as_flattened());
                let lower = elastic(&x, &gradients, STEEL.lame(), formulation);
                let form = Form::of(&lower);
                assert!(form.values.len() <= most, "{formulation:?}: {}", form.values.len());
                let e: [f64; STRAINS] = core::array::from_fn(|i| ((3 * i) as f64).cos());
                let largest = lower.iter().fold(0.0_f64, |s, h| s.max(h.abs()));
                for (i, found) in form.times(&e).iter().enumerate() {
                    let whole: f64 = (0..STRAINS).map(|j| lower[packed(i.max(j), i.min(j))] * e[j]).sum();
                    assert!((found - whole).abs() < 1e-13 * largest);
                }
            }
        }
    }
}
