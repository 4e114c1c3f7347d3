//! Block Gram-Schmidt: the next block of a Krylov basis.
//!
//! ```text
//! W = V C + Q R,   V^H G Q = 0,   Q^H G Q = I
//! ```
//!
//! in the inner product of G (M, or the identity). Projection is done twice; columns that lose nearly everything are
//! projected once more after scaling, and dropped when nothing but rounding is left (the basis has then met an
//! invariant subspace). Sizes: V n x k, W n x p, Q n x r with r <= p.

use faer::Mat;
use faer::MatRef;

use super::scalar::{Scalar, pick, subtract};
use crate::tuning;

/// Fraction of a column's length below which what remains of it is rounding. Unscaled systems decide it: that of yang2012's cantilever
/// loses two digits of its eigenvalues at 1.14e-13.
const DEPENDENT: f64 = 1e-13;

/// The result of one expansion.
pub(crate) struct Expansion<T> {
    /// C, k x p.
    pub(crate) c: Mat<T>,
    /// Q, n x r.
    pub(crate) q: Mat<T>,
    /// G Q, n x r; absent in the Euclidean inner product.
    pub(crate) gq: Option<Mat<T>>,
    /// R, r x p.
    pub(crate) r: Mat<T>,
}

/// V -> G V.
pub(crate) type Map<'a, T> = dyn Fn(&Mat<T>) -> Mat<T> + 'a;

/// A column of negative squared length, which shows that G is not semi-definite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indefinite;

/// Orthonormalizes W against V and within itself; `map` is V -> G V, none for the Euclidean inner product.
///
/// G V of the basis is not kept: V^H (G W) is the same, and G W is short.
pub(crate) fn expand<T: Scalar>(
    v: MatRef<'_, T>,
    mut w: Mat<T>,
    map: Option<&Map<'_, T>>,
) -> Result<Expansion<T>, Indefinite> {
    let p = w.ncols();
    let project = |w: &mut Mat<T>, gw: Option<&Mat<T>>| {
        let c = T::adjoint_product(v, gw.unwrap_or(w).as_ref());
        subtract(w, v, c.as_ref());
        c
    };
    let mut gw = map.map(|map| map(&w));
    let before = lengths(&w, gw.as_ref())?;
    let mut c = project(&mut w, gw.as_ref());
    gw = map.map(|map| map(&w));
    add(&mut c, &project(&mut w, gw.as_ref()));
    let mut r = Mat::from_fn(p, p, |i, j| T::real(if i == j { 1.0 } else { 0.0 }));
    for pass in 0.. {
        gw = map.map(|map| map(&w));
        let step = gram_schmidt(&mut w, gw.as_mut(), &before, pass == 0)?;
        r = super::scalar::product(step.r.as_ref(), r.as_ref());
        if step.kept.len() < p {
            w = pick(&w, &step.kept);
            gw = gw.map(|gw| pick(&gw, &step.kept));
            r = Mat::from_fn(step.kept.len(), p, |i, j| r[(step.kept[i], j)]);
        }
        // Fraction below which one more projection is due.
        let enough = if pass == 0 { tuning::SLIGHT } else { 0.5 };
        if step.kept.is_empty() || step.smallest > enough || pass == 2 {
            return Ok(Expansion { c, q: w, gq: gw, r });
        }
        // Scaling has blown up what was left along V, and the rounding errors of G W that was carried along.
        gw = map.map(|map| map(&w));
        let left = project(&mut w, gw.as_ref());
        let share = super::scalar::product(left.as_ref(), r.as_ref());
        add(&mut c, &share);
    }
    unreachable!("the loop returns in its third pass")
}

struct Step<T> {
    /// Coefficients, p x p.
    r: Mat<T>,
    kept: Vec<usize>,
    /// Smallest fraction of its length a kept column has left.
    smallest: f64,
}

/// Modified Gram-Schmidt within the block, twice per column.
fn gram_schmidt<T: Scalar>(
    w: &mut Mat<T>,
    mut gw: Option<&mut Mat<T>>,
    before: &[f64],
    first: bool,
) -> Result<Step<T>, Indefinite> {
    let p = w.ncols();
    let mut r = Mat::<T>::zeros(p, p);
    let mut kept: Vec<usize> = Vec::with_capacity(p);
    let mut smallest = 1.0_f64;
    for j in 0..p {
        for _ in 0..2 {
            for &i in &kept {
                let h = inner(gw.as_deref().unwrap_or(w).col_as_slice(i), w.col_as_slice(j));
                r[(i, j)] += h;
                axpy(w, i, j, h);
                if let Some(gw) = gw.as_deref_mut() {
                    axpy(gw, i, j, h);
                }
            }
        }
        let square = inner(gw.as_deref().unwrap_or(w).col_as_slice(j), w.col_as_slice(j)).complex().re;
        let reference = if first { before[j] } else { 1.0 };
        if square < -tuning::EPS_2_3 * reference * reference || !square.is_finite() {
            return Err(Indefinite);
        }
        let length = square.max(0.0).sqrt();
        if length <= DEPENDENT * reference || length == 0.0 {
            continue;
        }
        smallest = smallest.min(length / reference);
        r[(j, j)] = T::real(length);
        let by = T::real(length.recip());
        w.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= by);
        if let Some(gw) = gw.as_deref_mut() {
            gw.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= by);
        }
        kept.push(j);
    }
    Ok(Step { r, kept, smallest })
}

/// Lengths of the columns.
fn lengths<T: Scalar>(w: &Mat<T>, gw: Option<&Mat<T>>) -> Result<Vec<f64>, Indefinite> {
    (0..w.ncols())
        .map(|j| {
            let square = inner(gw.unwrap_or(w).col_as_slice(j), w.col_as_slice(j)).complex().re;
            if square.is_finite() { Ok(square.max(0.0).sqrt()) } else { Err(Indefinite) }
        })
        .collect()
}

/// a^H b, summed in parts, which the processor adds side by side.
fn inner<T: Scalar>(a: &[T], b: &[T]) -> T {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<{ tuning::WIDTH }>(), b.as_chunks::<{ tuning::WIDTH }>());
    let mut parts = [T::default(); tuning::WIDTH];
    for (a, b) in a.iter().zip(b) {
        for k in 0..tuning::WIDTH {
            parts[k] += a[k].conjugate() * b[k];
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a.conjugate() * *b);
    parts.into_iter().chain(rest).fold(T::default(), |s, x| s + x)
}

/// Column j minus h times column i < j.
fn axpy<T: Scalar>(w: &mut Mat<T>, i: usize, j: usize, h: T) {
    let (left, right) = w.as_mut().split_at_col_mut(j);
    let columns = (left.as_ref().col(i).try_as_col_major(), right.col_mut(0).try_as_col_major_mut());
    if let (Some(left), Some(right)) = columns {
        right.as_slice_mut().iter_mut().zip(left.as_slice()).for_each(|(x, y)| *x -= *y * h);
    }
}

fn add<T: Scalar>(a: &mut Mat<T>, b: &Mat<T>) {
    for j in 0..a.ncols() {
        a.col_as_slice_mut(j).iter_mut().zip(b.col_as_slice(j)).for_each(|(a, b)| *a += *b);
    }
}
