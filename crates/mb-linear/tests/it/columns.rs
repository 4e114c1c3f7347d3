//! The linearization by ranges of columns against the whole one.

use crate::solid::rest_of;
use mb_algebra::{Sparse, sparse};
use mb_gallery::models::SolidCantilever;
use mb_linear::{OperatingPoint, SparseSystem, linearize_by_columns, linearize_sparse};
use mb_model::Model;

/// M, C, K and Phi_q put together from ranges of columns, and the number of ranges.
fn together(model: &Model, at: &OperatingPoint) -> Option<([Sparse; 4], usize)> {
    let mut pieces: [Vec<Sparse>; 3] = Default::default();
    let keep = |columns: [&Sparse; 3]| {
        for (pieces, piece) in pieces.iter_mut().zip(columns) {
            pieces.push(piece.clone());
        }
        Ok::<(), ()>(())
    };
    let phi_q = linearize_by_columns(model, at, keep).unwrap()?;
    let count = pieces[0].len();
    let [m, c, k] = pieces.map(|pieces| {
        let widths: Vec<usize> = pieces.iter().map(Sparse::cols).collect();
        let blocks: Vec<Option<&Sparse>> = pieces.iter().map(Some).collect();
        sparse::blocks(&[&blocks], &[model.nv()], &widths)
    });
    Some(([m, c, k, phi_q], count))
}

/// A block with many regions and one with a single one: the same entries, to the last bit.
#[test]
fn ranges_of_columns_are_those_of_the_whole() {
    for (along, several) in [(1200, true), (3, false)] {
        let model = SolidCantilever { across: 2, along, tension: 0.0, ..SolidCantilever::default() }
            .spec()
            .unwrap()
            .build()
            .unwrap();
        let at = OperatingPoint::from(&rest_of(&model));
        let SparseSystem { m, c, k, phi_q, .. } = linearize_sparse(&model, &at);
        let (found, count) = together(&model, &at).unwrap();
        assert_eq!(count > 1, several, "{count} ranges");
        for (whole, found) in [m, c, k, phi_q].iter().zip(&found) {
            assert_eq!(&whole.to_csc(), &found.to_csc());
        }
    }
}

/// A skate is linearized on its admissible velocities, a matrix of another kind.
#[test]
fn velocity_rows_need_the_whole() {
    let model = Model::from_toml(include_str!("../../../mb-gallery/models/skate.toml")).unwrap();
    assert!(model.has_velocity_rows());
    assert!(together(&model, &OperatingPoint::from(&rest_of(&model))).is_none());
}
